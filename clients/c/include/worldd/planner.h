/// worldd/planner.h - a planner in C: say Hello, beat, take requests, answer them, and come back when worldd was gone.
///
/// A PlanRequest comes, and a PlanReply goes, as the packed protobuf messages of proto/worldd.proto, which
/// <worldd/worldd.pb-c.h> reads and writes; examples/hello_planner.c is a whole planner. A planner belongs to one thread at a
/// time, and it beats only inside wd_planner_wait(): a thinking that outlasts a few heartbeats belongs on another thread.
#ifndef WORLDD_PLANNER_H
#define WORLDD_PLANNER_H

#include <worldd/client.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { WD_PLANNER_INFLIGHT_MAX = 64 };

typedef struct wd_planner_options {
    const char *endpoint;        // NULL: $WORLDD_PLANNER, else planner.sock in $WORLDD_DAEMON_DIRECTORY
    const char *name;            // 1..64 of [A-Za-z0-9._-]; a newer planner of the name takes its place
    uint32_t max_inflight;       // requests it takes at once, 1..WD_PLANNER_INFLIGHT_MAX; 0: 1
    const wd_client_keys *keys;  // for tcp; copied; NULL: as wd_client_connect_with_keys()
    int wake_fd;                 // wd_planner_wait() also ends when this can be read; -1: none
} wd_planner_options;

typedef enum wd_planner_event_kind {
    WD_PLANNER_NOTHING,  // the time is up
    WD_PLANNER_AWAKE,    // wake_fd can be read
    WD_PLANNER_WELCOME,  // worldd knows this planner
    WD_PLANNER_REQUEST,  // request_id, body, length: to be answered once
    WD_PLANNER_CANCEL,   // request_id is not wanted any more
    WD_PLANNER_LOST,  // worldd is gone or was restarted, and what was open with it; waiting brings this planner back
    WD_PLANNER_COMPLAINT,   // text: worldd could not take the last message
    WD_PLANNER_SUPERSEDED,  // the end: a newer planner has the name
    WD_PLANNER_REJECTED,    // the end: text says why worldd turned this planner away
} wd_planner_event_kind;

/// What happened. `body` and `text` are borrowed until the next call with the planner.
typedef struct wd_planner_event {
    wd_planner_event_kind kind;
    uint64_t request_id;
    const void *body;  // a packed PlanRequest
    size_t length;
    const char *text;  // "" where there is nothing to say
} wd_planner_event;

typedef struct wd_planner wd_planner;

/// Make a planner; the connection is wd_planner_wait()'s affair, so worldd may start later.
/// @param[out] ret_planner  Yours after WD_CLIENT_OK; wd_planner_close() ends it. Else untouched.
/// @retval WD_CLIENT_EINVAL, WD_CLIENT_ENOENT, WD_CLIENT_ENOMEM  `error` names the option.
int wd_planner_open(const wd_planner_options *options, wd_planner **ret_planner, wd_client_error *error);

/// Say Goodbye, close, free. Requests that are open go to other planners. *planner_p becomes NULL.
void wd_planner_close(wd_planner **planner_p);

/// Wait until something happens, `timeout_ms` at most (-1: without end). Beats meanwhile, and connects again after a
/// loss, with a back-off of 0.1 to 10 s that is spread at random. After an end it gives the same end again.
/// @retval WD_CLIENT_EINVAL  The endpoint cannot be connected to at all.
int wd_planner_wait(wd_planner *planner, int timeout_ms, wd_planner_event *ret_event, wd_client_error *error);

/// Answer a request: a packed PlanReply. @retval WD_CLIENT_EPEERLOST  worldd is gone; LOST comes next.
int wd_planner_reply(wd_planner *planner, const void *body, size_t length, wd_client_error *error);

/// Say that a request cannot be answered, and why; with `retryable` another planner is asked.
/// @retval WD_CLIENT_EPEERLOST, WD_CLIENT_ENOMEM.
int wd_planner_refuse(
    wd_planner *planner, uint64_t request_id, const char *text, int retryable, wd_client_error *error);

/// How long worldd has not been reached, in milliseconds; 0 while it is.
int64_t wd_planner_unreached_ms(const wd_planner *planner);

#ifdef __cplusplus
}
#endif
#endif
