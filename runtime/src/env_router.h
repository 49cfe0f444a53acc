/// env_router.h - takes requests about envs apart into jobs for the workers that own the envs, and puts the answers
/// together again. Runs on the thread of the sockets; never waits.
#ifndef RUNTIME_ENV_ROUTER_H
#define RUNTIME_ENV_ROUTER_H

#include "codec_batch.h"
#include "runtime/env_pool.h"

enum {
    WD_ENV_REQUESTS_MAX = 8192,  // open at once, of all clients
    WD_ENV_CALLS_MAX = 4096,     // calls in one "env_calls"
};

/// Whose request it is.
typedef struct wd_env_asker {
    wd_env_owner instance;
    wd_roles roles;  // of its user
    uint64_t request_id;
    int64_t deadline_ms;  // monotonic; 0: none
    bool watched;         // make events
} wd_env_asker;

typedef enum wd_env_done_kind {
    WD_ENV_DONE_RESULT,  // `result`
    WD_ENV_DONE_ERROR,   // `error`
    WD_ENV_DONE_BATCH,   // `body`: a packed EnvBatchReply
    WD_ENV_DONE_EVENT,   // `result`; `instance` is the owner of the env it is about
} wd_env_done_kind;

typedef struct wd_env_done {
    wd_env_done_kind kind;
    wd_env_owner instance;
    uint64_t request_id;
    wd_value *result;
    wd_error error;
    uint8_t *body;
    size_t body_length;
} wd_env_done;
void wd_env_done_done(wd_env_done *done);

typedef struct wd_env_router wd_env_router;
/// @param pool  Borrowed.
WD_NODISCARD wd_status wd_env_router_new(wd_env_pool *pool, wd_env_router **ret_router);
void wd_env_router_destroy(wd_env_router **router_p);

/// Is it a verb for wd_env_router_call(): one of env_call.h, or "env_calls"?
bool wd_env_router_knows(const char *verb);
/// Begin a request; it comes out of wd_env_router_take() exactly once. Tasks in `args` are documents.
/// @retval any  `error` says why nothing was begun; then nothing comes out.
WD_NODISCARD wd_status wd_env_router_call(wd_env_router *router, const wd_env_asker *asker, const char *verb,
    const wd_value *args, wd_error *error);
WD_NODISCARD wd_status wd_env_router_batch(
    wd_env_router *router, const wd_env_asker *asker, const wd_env_batch *batch, wd_error *error);
/// Do no more of a request than has begun: it comes out all the same, once, with what was done and WD_ECANCELED for the
/// rest. @retval WD_ENOENT  no request of that id is open.
WD_NODISCARD wd_status wd_env_router_cancel(
    wd_env_router *router, const wd_env_owner *instance, uint64_t request_id);
/// Close all envs of a client that is gone. @retval WD_EBUSY, WD_ENOMEM  try again later.
WD_NODISCARD wd_status wd_env_router_disown(wd_env_router *router, const wd_env_owner *owner);
/// Is there a request to take that no worker will announce, as none of its parts could be sent?
bool wd_env_router_waits(const wd_env_router *router);
/// The next request that is over, or event. @retval WD_ENOENT  nothing now. @retval WD_ENOMEM  try again.
WD_NODISCARD wd_status wd_env_router_take(wd_env_router *router, wd_env_done *ret_done);

#endif
