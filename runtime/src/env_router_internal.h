/// env_router_internal.h - what the sources of the router share: open requests, and parts sent to workers.
#ifndef RUNTIME_ENV_ROUTER_INTERNAL_H
#define RUNTIME_ENV_ROUTER_INTERNAL_H

#include "env_router.h"

/// What the parts that are out are for. A phase that only prepares is followed by the next one.
typedef enum open_phase {
    PHASE_CALL,   // the request itself: when all parts are back, it is over
    PHASE_FETCH,  // one part brings a snapshot that is needed on another worker
    PHASE_NAME,   // one part a worker says who has the name that an env shall get
} open_phase;

/// A request in the workers' hands.
typedef struct open_request {
    uint64_t ticket;
    wd_env_asker asker;
    char verb[WD_ENV_VERB_MAX + 1];
    wd_value *args;     // as asked
    wd_value *made;     // the id of a snapshot that only this fork took, or NULL
    size_t slot_count;  // BATCH
    size_t part_count, parts_left;
    wd_env_job **parts;  // as they came back, by the place they were sent from
    wd_env_job **sent;   // borrowed while a worker has them; NULL: back, or never sent
    open_phase phase;
    bool cancelled;
} open_request;

struct wd_env_router {
    wd_env_pool *pool;
    open_request *requests[WD_ENV_REQUESTS_MAX];  // oldest first
    size_t request_count;
    uint64_t ticket_last;
    size_t over_count;     // requests of which no part could be sent: no worker will bring them back
    uint32_t next_worker;  // of the next env that is made
};

/// The ticket's low bits say which part a job is.
enum { PART_BITS = 13 };
_Static_assert(WD_ENV_CALLS_MAX < 1 << PART_BITS && 2 * WD_ENV_WORKERS_MAX < 1 << PART_BITS,
    "every part has a number of its own");

// ---- env_router.c -----------------------------------------------------------------------------------------------------

/// @retval WD_EBUSY  WD_ENV_REQUESTS_MAX are open. @retval WD_ENOMEM.
WD_NODISCARD wd_status router_open(wd_env_router *router, const wd_env_asker *asker, const char *verb,
    const wd_value *args, open_request **ret_request, wd_error *error);
void router_forget(wd_env_router *router, open_request *request);
/// Drop the parts there were and make room for `count`; they are sent next.
WD_NODISCARD wd_status router_expect(open_request *request, size_t count, wd_error *error);
/// Hand a part to its worker. Takes *job_p on success. @retval WD_EBUSY  its queue is full.
WD_NODISCARD wd_status router_send(
    wd_env_router *router, open_request *request, size_t part, uint32_t worker, wd_env_job **job_p);
/// A part that cannot be sent is answered here and now: the others were sent perhaps, and their effects stand.
void router_fail_part(open_request *request, size_t part, wd_status status, const char *text);
/// Send a call, or answer it with why it cannot be sent.
void router_send_call(wd_env_router *router, open_request *request, size_t part, uint32_t worker,
    const char *verb, const wd_value *args);

// ---- env_router_call.c ------------------------------------------------------------------------------------------------

/// The parts of a phase that prepares are back: send those of the next one. @retval WD_OK  the request goes on.
WD_NODISCARD wd_status router_next_phase(wd_env_router *router, open_request *request, wd_error *error);
/// Fork all or none: what was made elsewhere goes again, and so does the snapshot that was taken for it. Nobody waits for these answers.
void router_undo_forks(wd_env_router *router, const open_request *request);

#endif
