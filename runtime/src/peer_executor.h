/// peer_executor.h - the executor of a run whose device is a peer's: what the run wants seen and done goes
/// over the broker, and the answers come back as its outcomes. Targets are found here, on the screen seen
/// last; what cannot be found is refused without asking anybody.
#ifndef RUNTIME_PEER_EXECUTOR_H
#define RUNTIME_PEER_EXECUTOR_H

#include "runtime/executor.h"
#include "runtime/run.h"
#include "seen_screens.h"

enum { WD_PEER_EXECUTOR_NAME_MAX = WD_PEER_NAME_MAX + 8 };

typedef struct wd_peer_executor {
    wd_broker *broker;
    const char *run_id;  // borrowed from the run
    uint64_t lease;      // 0: this is none
    uint32_t deadline_ms, wait_ms;
    wd_seen_screens seen;
    wd_scene *present;  // the screen seen last; NULL: it could not be captured
    bool executing;     // what is open at the broker: an execute, else an observe
    char name[WD_PEER_EXECUTOR_NAME_MAX + 1];
    // Set by whoever drives the run, before each call.
    int64_t now_ms;
    wd_broker_outbox *outbox;
    uint64_t request;  // made by the call that gave WD_EBUSY
} wd_peer_executor;

/// Want an executor, by name or NULL for any. @retval WD_ELIMIT, WD_ENOMEM.
WD_NODISCARD wd_status wd_peer_executor_start(wd_peer_executor *peer, wd_broker *broker, const char *executor,
    const char *run_id, uint32_t deadline_ms, uint32_t wait_ms);
/// Let the executor go; nothing of it is open at the broker.
void wd_peer_executor_end(wd_peer_executor *peer, int64_t now_ms, wd_broker_outbox *outbox);
/// Drop the memory only, when the broker goes as well.
void wd_peer_executor_done(wd_peer_executor *peer);

/// "peer:<name>" once it is known who that is, "peer" before.
const char *wd_peer_executor_name(wd_peer_executor *peer);
bool wd_peer_executor_is_known(wd_peer_executor *peer);
/// Both calls give WD_EBUSY and set `request`, or the result of a step that is refused here.
wd_executor wd_peer_executor_as_executor(wd_peer_executor *peer);

/// What came of its request, as the event that the run waits for. What the event points to is in the two
/// others.
/// @param outcome  Read; its content stays the caller's.
WD_NODISCARD wd_status wd_peer_executor_take(wd_peer_executor *peer, const wd_plan_outcome *outcome,
    wd_observation *ret_observation, wd_result *ret_result, wd_run_event *ret_event);

#endif
