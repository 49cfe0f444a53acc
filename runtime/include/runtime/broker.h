/// broker.h - the planner broker: who the planners, enrichers and executors are, and which of them works on which request.
/// None is ever asked what is another's; "planner" below stands for all three unless a role is named.
///
/// A state machine without sockets: an event goes in with the time, messages to send and answers to runs come out.
/// Peers:    NEW -(Hello)-> READY -(request)-> BUSY -(reply)-> READY;   Goodbye, silence or superseded -> GONE
/// Requests: end exactly once: reply, error, deadline, cancelled, planner lost, no planner (zmq.md section 1).
#ifndef RUNTIME_BROKER_H
#define RUNTIME_BROKER_H

#include "runtime/authority.h"
#include "scene/action.h"
#include "scene/semantic_scene.h"

enum {
    WD_BROKER_PEERS_MAX = 256,
    WD_BROKER_REQUESTS_MAX = 4096,  // open at once
    WD_BROKER_INFLIGHT_MAX = 64,    // of one planner
    WD_PEER_ID_MAX = 16,            // bytes of a router-assigned routing id
    WD_PEER_NAME_MAX = 64,
    WD_BROKER_CLOSED_MAX = 4096,   // ids of ended requests remembered, to count late and repeated replies
    WD_BROKER_LEASES_MAX = 4096,   // runs on executors at once, waiting ones included
    WD_BROKER_THOUGHTS_MAX = 256,  // of one request; what a planner thinks beyond that is dropped
};

typedef struct wd_peer_id {
    uint8_t bytes[WD_PEER_ID_MAX];
    uint8_t length;
} wd_peer_id;

typedef struct wd_broker_options {
    uint32_t heartbeat_ms;        // default 1000
    uint32_t liveness;            // default 5: silent for heartbeat_ms * liveness means gone
    uint32_t planner_attempts;    // default 2: planners that may be tried for one request
    uint32_t attempt_timeout_ms;  // default 30000: each attempt's own time inside the deadline
    uint32_t max_frame;           // told in Welcome
    uint32_t peers_max;           // default and most WD_BROKER_PEERS_MAX
    uint8_t boot_id[16];
} wd_broker_options;
wd_broker_options wd_broker_options_default(void);

/// A message from a peer, its frames already cut: header and body checked by the caller's limits only.
typedef struct wd_broker_message {
    wd_peer_id peer;
    wd_user user;    // who it is, as the transport says
    wd_roles roles;  // what it may be now; a message with none is refused
    const void *header;
    size_t header_length;
    const void *body;
    size_t body_length;
    size_t frame_count;  // all frames of the message, routing id not counted
} wd_broker_message;

/// Are the frames those of a message of this protocol? For both sockets; *ret_kind is its kind then.
/// @retval WD_EPROTO, WD_EVERSION, WD_ELIMIT  `error` says what is wrong with them.
WD_NODISCARD wd_status wd_broker_message_check(
    const wd_broker_message *message, uint16_t *ret_kind, wd_error *error);

/// How a request ended, for the run that made it. Exactly one per request.
typedef enum wd_plan_end {
    WD_PLAN_REPLY,  // `reply`, `semantic`, `capture` or `result` holds what was answered, checked field by field
    WD_PLAN_REFUSED,     // the planner answered PlanError (or its role's), and no one else may be tried
    WD_PLAN_INVALID,     // the reply was malformed: a format error, `error` names the field
    WD_PLAN_TOO_LATE,    // deadline passed
    WD_PLAN_LOST,        // the planner died, and no one else may be tried
    WD_PLAN_NO_PLANNER,  // nobody is there to ask
    WD_PLAN_CANCELED,
} wd_plan_end;
const char *wd_plan_end_name(wd_plan_end end);

typedef struct wd_plan_reply wd_plan_reply;  // decoded; codec.h
typedef struct wd_capture wd_capture;        // what an executor saw, unread; codec.h

typedef struct wd_plan_outcome {
    uint64_t request_id;
    wd_plan_end end;
    // Owned by the receiver; all NULL unless WD_PLAN_REPLY, which sets the one that was asked for.
    wd_plan_reply *reply;
    wd_semantic *semantic;
    wd_capture *capture;
    wd_result result;                    // of an execute; its code is static
    char planner[WD_PEER_NAME_MAX + 1];  // who was asked last; "" nobody
    uint32_t attempt;
    wd_error error;  // text for people
} wd_plan_outcome;
/// Drop what it owns.
void wd_plan_outcome_done(wd_plan_outcome *outcome);

/// A message to send. Bytes are owned by the outbox.
typedef struct wd_broker_send {
    wd_peer_id peer;
    uint16_t kind;
    uint8_t *body;
    size_t body_length;
} wd_broker_send;

/// What a planner thinks while it has a request. The text is owned by the outbox.
typedef struct wd_broker_thought {
    uint64_t request_id;
    char planner[WD_PEER_NAME_MAX + 1];
    char *text;
} wd_broker_thought;

typedef struct wd_broker_imagine wd_broker_imagine;  // a planner's question what if; broker_imagine.h

/// What a step wants done: messages to send, requests that ended, thoughts to tell, questions to answer. Grows as needed;
/// emptied by _clear.
typedef struct wd_broker_outbox {
    wd_broker_send *sends;
    size_t send_count, send_capacity;
    wd_plan_outcome *outcomes;
    size_t outcome_count, outcome_capacity;
    wd_broker_thought *thoughts;
    size_t thought_count, thought_capacity;
    wd_broker_imagine *imagines;
    size_t imagine_count, imagine_capacity;
} wd_broker_outbox;
void wd_broker_outbox_clear(wd_broker_outbox *outbox);
void wd_broker_outbox_done(wd_broker_outbox *outbox);

/// No sockets, no clock: messages and time are fed in, what is to be sent comes out. For one thread.
typedef struct wd_broker wd_broker;
/// @param options  Copied; its numbers are above 0, attempts past the bound count as the bound. @retval WD_ENOMEM.
WD_NODISCARD wd_status wd_broker_new(const wd_broker_options *options, wd_broker **ret_broker);
void wd_broker_destroy(wd_broker **broker_p);

/// Feed one message. Whatever it holds, the broker goes on; the peer gets a Reject, WhoAreYou or Error that names the
/// field. `now_ms` is monotonic and never decreases.
/// @retval WD_ENOMEM  the message was not taken; it may be fed again. (What memory is short for later on is left to the
///         next tick, which is then due at once.)
WD_NODISCARD wd_status wd_broker_receive(
    wd_broker *broker, const wd_broker_message *message, int64_t now_ms, wd_broker_outbox *outbox);

/// Ask a planner. The body is a packed PlanRequest; request_id, attempt and deadline_ms in it are overwritten by the
/// broker (they are its fields 1, 3, 4, appended last: in protobuf the last value wins).
/// @param planner   Name to use, or NULL for the least loaded. @param deadline_ms  From now, 1..
/// @retval WD_ELIMIT, WD_ENOMEM too many open requests, or no memory; nothing was queued. When nobody is there the outcome says NO_PLANNER,
///         after `wait_ms` of waiting for one to come (0: at once).
WD_NODISCARD wd_status wd_broker_request(wd_broker *broker, const char *planner, const void *body,
    size_t body_length, uint32_t deadline_ms, uint32_t wait_ms, int64_t now_ms, uint64_t *ret_request_id,
    wd_broker_outbox *outbox);

/// What an enricher's answer is judged against, and completed with.
typedef struct wd_enrich_ground {
    size_t node_count;   // of the scene; the ids of its nodes are 0 to node_count - 1
    wd_digest page_key;  // of an answer that gives none
} wd_enrich_ground;

/// Ask an enricher. The body is a packed EnrichRequest; its fields 1, 3, 4 are overwritten as above. Never waits for
/// an enricher to come.
/// @param enricher  Name to use, or NULL for the least loaded. @retval WD_ELIMIT, WD_ENOMEM as above.
WD_NODISCARD wd_status wd_broker_request_enrich(wd_broker *broker, const char *enricher, const void *body,
    size_t body_length, const wd_enrich_ground *ground, uint32_t deadline_ms, int64_t now_ms,
    uint64_t *ret_request_id, wd_broker_outbox *outbox);

// ---- executors: one that serves a run is leased to it, so that a run has one device from its first look to its end -------

/// Want an executor for a run. It is chosen when the first request finds one: by name, or any that serves fewer runs than
/// its Hello allows, the least busy first; from then on the lease is that name's, whoever says Hello under it.
/// @param executor  NULL: any. @retval WD_ELIMIT WD_BROKER_LEASES_MAX are open. @retval WD_ENOMEM.
WD_NODISCARD wd_status wd_broker_lease_open(wd_broker *broker, const char *executor, uint64_t *ret_lease);
/// The run is over and has no request open: the next one that waits may have its executor.
void wd_broker_lease_close(wd_broker *broker, uint64_t lease, int64_t now_ms, wd_broker_outbox *outbox);
/// Who was chosen; "" nobody yet. Borrowed until the next call.
const char *wd_broker_lease_executor(const wd_broker *broker, uint64_t lease);

typedef struct wd_executor_ask {
    uint64_t lease;
    bool execute;  // an ExecuteRequest, which is sent once and to nobody else; else an ObserveRequest
    const void *body;
    size_t body_length;
    uint32_t deadline_ms;  // from when it is sent, 1..
    uint32_t wait_ms;      // for an executor to come, or to come back
} wd_executor_ask;
/// Ask the lease's executor. Fields 1, 3, 4 of the body are overwritten as above. An observe whose executor was lost is
/// asked again of who comes back under its name within `wait_ms`; an execute that was sent ends LOST.
/// @retval WD_ELIMIT, WD_ENOMEM as above.
WD_NODISCARD wd_status wd_broker_request_executor(wd_broker *broker, const wd_executor_ask *ask,
    int64_t now_ms, uint64_t *ret_request_id, wd_broker_outbox *outbox);

/// Nobody waits for it any more: the planner is told; the outcome CANCELED is queued. Unknown ids are ignored.
WD_NODISCARD wd_status wd_broker_cancel(
    wd_broker *broker, uint64_t request_id, const char *reason, int64_t now_ms, wd_broker_outbox *outbox);
/// The transport found a peer unreachable.
WD_NODISCARD wd_status wd_broker_peer_lost(
    wd_broker *broker, wd_peer_id peer, int64_t now_ms, wd_broker_outbox *outbox);
/// Deadlines, heartbeats, silent peers. Call at or before the time wd_broker_next_ms() gives.
/// @retval WD_ENOMEM  some of it is done and in the outbox; call again for the rest.
WD_NODISCARD wd_status wd_broker_tick(wd_broker *broker, int64_t now_ms, wd_broker_outbox *outbox);
int64_t wd_broker_next_ms(const wd_broker *broker);  // INT64_MAX: nothing is due
/// Grants were read again: who is no longer granted the role it came with is turned away.
WD_NODISCARD wd_status wd_broker_recheck(
    wd_broker *broker, const wd_authority *authority, int64_t now_ms, wd_broker_outbox *outbox);
/// Goodbye to all peers; open requests end CANCELED.
WD_NODISCARD wd_status wd_broker_shutdown(wd_broker *broker, const char *reason, wd_broker_outbox *outbox);

typedef struct wd_broker_stats {
    uint64_t hellos, rejects, requests, replies, late_replies, repeated_replies, unknown_replies, errors_sent,
        peers_lost, superseded, malformed, frames_over, thoughts, thoughts_dropped;
    uint32_t peers, requests_open;
} wd_broker_stats;
wd_broker_stats wd_broker_stats_get(const wd_broker *broker);
/// [{"name","role","inflight","max_inflight","replies"}] sorted by name; executors also have "runs": leases they serve.
WD_NODISCARD wd_status wd_broker_peers_to_value(const wd_broker *broker, wd_value **ret_value);

#endif
