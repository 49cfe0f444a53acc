/// broker_internal.h - what the broker's sources share: its two tables, and the steps that move a request along.
///
/// Rule for memory: whatever a step sends or reports is reserved and built before the tables change, so that a
/// WD_ENOMEM leaves the step undone and the next tick does it again.
#ifndef RUNTIME_BROKER_INTERNAL_H
#define RUNTIME_BROKER_INTERNAL_H

#include "broker_imagine.h"
#include "runtime/broker.h"
#include "runtime/codec_session.h"

#include <stdbool.h>

enum {
    BROKER_ATTEMPTS_MAX = 16,                    // of one request; planner_attempts is cut to it
    BROKER_OBSERVE_ATTEMPTS = 3,                 // sessions of one executor that may be asked what it sees
    BROKER_SLOTS_MAX = 2 * WD_BROKER_PEERS_MAX,  // gone peers, while memory is out, aside
    BROKER_PATCH_MAX = 24,  // bytes that number a request: three tags, a 64-bit and two 32-bit varints
};

/// What a peer is there for: its own kinds of messages, and nobody else's requests.
typedef struct broker_role {
    const char *name;        // in Hello, and in texts
    uint16_t error, cancel;  // kinds
} broker_role;
extern const broker_role broker_planner, broker_enricher, broker_executor;  // compared by address; broker.c
const broker_role *broker_role_find(const char *name);                      // NULL: none of them

typedef struct broker_peer broker_peer;
typedef struct broker_request broker_request;

/// What was answered: the one that was asked for.
typedef struct broker_answer {
    wd_plan_reply *reply;
    wd_semantic *semantic;
    wd_capture *capture;
    wd_result result;
} broker_answer;

/// What a role can be asked, and how it is answered.
typedef struct broker_question {
    const broker_role *role;
    uint16_t request, reply;  // kinds
    /// Read an answer. @retval WD_ENOMEM nothing was found out. Others: it is wrong, `why` names the field.
    wd_status (*read)(const broker_request *request, const broker_peer *peer,
        const wd_broker_message *message, broker_answer *ret_answer, wd_error *why);
} broker_question;
extern const broker_question broker_plan, broker_enrich, broker_observe,
    broker_execute;  // broker_questions.c

/// A run's claim on an executor (broker_executor.c).
typedef struct broker_lease {
    uint64_t id;
    char executor[WD_PEER_NAME_MAX + 1];  // wanted; once held, chosen. "" any
    bool held;
    struct broker_lease *next;
} broker_lease;

struct broker_peer {
    wd_peer_id id;
    wd_hello hello;
    const broker_role *role;
    wd_user user;
    uint64_t serial;  // one per session, never used again; a request remembers who had it by it
    uint32_t inflight;
    uint32_t leases;         // of an executor: runs that it serves, also those that an older session began
    uint32_t late_streak;    // attempts in a row that ran out of time
    uint64_t assigned_last;  // broker->assign_count of its newest request: breaks ties
    uint64_t replies;
    uint64_t ping_sequence;
    int64_t heard_ms;     // last sign of life
    int64_t ping_ms;      // when the next Ping is due
    bool gone;            // still in the table only until its requests are given to others
    wd_error gone_error;  // why, for the runs
};

struct broker_request {
    uint64_t id;
    const broker_question *question;
    wd_enrich_ground ground;             // of an enricher's
    broker_lease *lease;                 // of an executor's, else NULL
    char planner[WD_PEER_NAME_MAX + 1];  // wanted; "" any
    uint8_t *body;                       // as the run packed it
    size_t body_length;
    int64_t deadline_ms;
    uint32_t wait_ms;       // how long it may wait for a planner to come
    uint32_t attempts_max;  // 1..BROKER_ATTEMPTS_MAX
    uint32_t attempt_ms;    // time of each
    uint32_t thoughts;      // told so far, dropped ones included
    // Waiting: nobody has it, until wait_until_ms. Asked: the peer `asked` has it, until attempt_until_ms.
    uint64_t asked;  // serial of the peer; 0: waiting
    int64_t wait_until_ms;
    int64_t attempt_until_ms;
    uint32_t attempt;                       // 0 before the first
    uint64_t tried[BROKER_ATTEMPTS_MAX];    // serials of the peers that had it
    char asked_name[WD_PEER_NAME_MAX + 1];  // last asked; "" nobody yet
    wd_plan_end cause;                      // how it would end if nobody else takes it
    wd_error error;
};

/// How an ended request ended, for those who answer it too late.
typedef struct broker_closed {
    uint64_t id;
    bool answered;
} broker_closed;

struct wd_broker {
    wd_broker_options options;
    broker_peer *peers[BROKER_SLOTS_MAX];  // oldest first
    size_t peer_count, gone_count;
    broker_request *requests[WD_BROKER_REQUESTS_MAX];  // by id, ascending: ids only grow
    size_t request_count;
    broker_closed closed[WD_BROKER_CLOSED_MAX];  // slot id % WD_BROKER_CLOSED_MAX
    size_t waiting_count;                        // requests that nobody has
    uint64_t request_last;                       // newest id given
    broker_lease *leases;                        // newest first
    size_t lease_count;
    uint64_t serial_last, session_last, lease_last;
    uint64_t assign_count;
    int64_t next_ms;  // never later than the earliest thing due
    wd_broker_stats stats;
};

// ---- outbox (broker_outbox.c) -----------------------------------------------------------------------------------

/// Room for so many more, so that pushing cannot fail.
WD_NODISCARD wd_status broker_outbox_reserve(wd_broker_outbox *outbox, size_t sends, size_t outcomes);
/// Takes the body. Room must be reserved.
void broker_outbox_send(
    wd_broker_outbox *outbox, const wd_peer_id *peer, uint16_t kind, uint8_t *body, size_t body_length);
void broker_outbox_end(wd_broker_outbox *outbox, const wd_plan_outcome *outcome);
/// Takes the text on success.
WD_NODISCARD wd_status broker_outbox_think(
    wd_broker_outbox *outbox, uint64_t request_id, const char *planner, char **text_p);
/// The same of a question; takes its arguments on success.
WD_NODISCARD wd_status broker_outbox_imagine(wd_broker_outbox *outbox, wd_broker_imagine *asked);

// ---- peers (broker_peers.c) -------------------------------------------------------------------------------------

broker_peer *broker_peer_find(const wd_broker *broker, const wd_peer_id *id);  // no gone ones
broker_peer *broker_peer_by_serial(const wd_broker *broker, uint64_t serial);  // gone ones too
/// No gone ones; a planner and an enricher may have the same name.
broker_peer *broker_peer_by_name(const wd_broker *broker, const broker_role *role, const char *name);
bool broker_peer_id_equal(const wd_peer_id *a, const wd_peer_id *b);
/// Mark it gone for `why`; its requests are taken from it by broker_peers_bury().
void broker_peer_leave(wd_broker *broker, broker_peer *peer, wd_status status, const char *why);
/// Give the requests of gone peers to others or end them, then forget the peers.
WD_NODISCARD wd_status broker_peers_bury(wd_broker *broker, int64_t now_ms, wd_broker_outbox *outbox);
/// Who should take the request: not gone, of the wanted name, with a free place, not tried yet, last late last, least
/// loaded, longest idle. NULL: nobody now. *ret_possible: somebody could later, who is only busy now.
broker_peer *broker_peer_pick(const wd_broker *broker, const broker_request *request, bool *ret_possible);
/// Silent peers leave, the others are pinged when it is time.
WD_NODISCARD wd_status broker_peers_tick(wd_broker *broker, int64_t now_ms, wd_broker_outbox *outbox);
/// A Hello, on a known connection or a new one.
WD_NODISCARD wd_status broker_hello(
    wd_broker *broker, const wd_broker_message *message, int64_t now_ms, wd_broker_outbox *outbox);

/// May somebody with these roles be there for `role`? @retval WD_EDENIED.
WD_NODISCARD wd_status broker_role_check(const char *role, wd_roles roles, wd_error *error);
/// Turn a Hello or a stranger away; counted. If the peer was known, it leaves.
WD_NODISCARD wd_status broker_reject(
    wd_broker *broker, const wd_peer_id *peer, const wd_error *why, wd_broker_outbox *outbox);

// ---- requests (broker_requests.c) -------------------------------------------------------------------------------

/// Find somebody for each waiting request, oldest first.
WD_NODISCARD wd_status broker_requests_dispatch(wd_broker *broker, int64_t now_ms, wd_broker_outbox *outbox);
/// Deadlines, attempts that ran out of time, waits that are over.
WD_NODISCARD wd_status broker_requests_tick(wd_broker *broker, int64_t now_ms, wd_broker_outbox *outbox);
/// The attempt failed: the request goes to another planner, waits for one, or ends with `cause`.
/// @param tell  Why, for the PlanCancel to the planner that has it; NULL: it need not be told.
WD_NODISCARD wd_status broker_request_lose(wd_broker *broker, broker_request *request, wd_plan_end cause,
    const wd_error *why, const char *tell, int64_t now_ms, wd_broker_outbox *outbox);
broker_request *broker_request_find(const wd_broker *broker, uint64_t id);  // NULL: not open
void broker_request_destroy(broker_request **request_p);
/// A request with its own copy of the body, waiting for somebody; the caller sets its times.
/// @param name  Wanted; NULL: anybody. @retval WD_ELIMIT, WD_ENOMEM.
WD_NODISCARD wd_status broker_request_new(const wd_broker *broker, const broker_question *question,
    const char *name, const void *body, size_t body_length, broker_request **ret_request);
/// Into the table, and to somebody if one is there. The request is taken; on an error it is as if it had never been made.
WD_NODISCARD wd_status broker_request_open(wd_broker *broker, broker_request *request, int64_t now_ms,
    uint64_t *ret_request_id, wd_broker_outbox *outbox);
/// The one end of a request; it is freed. @param answer  Taken on success; NULL: none. @param error  NULL: none.
/// @param tell  As above.
WD_NODISCARD wd_status broker_request_end(wd_broker *broker, broker_request *request, wd_plan_end end,
    broker_answer *answer, const wd_error *error, const char *tell, wd_broker_outbox *outbox);

// ---- answers (broker_replies.c) -----------------------------------------------------------------------------

/// A message of a known peer is taken. All of this shape stand in the table of broker.c.
typedef wd_status (*broker_take)(wd_broker *broker, broker_peer *peer, const wd_broker_message *message,
    uint16_t kind, int64_t now_ms, wd_broker_outbox *outbox);

/// A reply or error of the peer's role, or an Error.
WD_NODISCARD wd_status broker_reply(wd_broker *broker, broker_peer *peer, const wd_broker_message *message,
    uint16_t kind, int64_t now_ms, wd_broker_outbox *outbox);
/// What a planner wants to know first (broker_imagine.c).
WD_NODISCARD wd_status broker_imagine(wd_broker *broker, broker_peer *peer, const wd_broker_message *message,
    uint16_t kind, int64_t now_ms, wd_broker_outbox *outbox);
/// What a planner thinks (broker_thought.c).
WD_NODISCARD wd_status broker_thought(wd_broker *broker, broker_peer *peer, const wd_broker_message *message,
    uint16_t kind, int64_t now_ms, wd_broker_outbox *outbox);
/// Something about a request that this peer does not have: count it by what it is, and say so.
WD_NODISCARD wd_status broker_stray(
    wd_broker *broker, const broker_peer *peer, uint64_t id, wd_broker_outbox *outbox);

// ---- executors (broker_executor.c) --------------------------------------------------------------------------------

/// How many runs the executor of that name serves, whoever may speak for it now.
uint32_t broker_lease_count(const wd_broker *broker, const char *executor);
/// May the peer serve the run of this lease? A lease that is held is its executor's; another needs a free place.
bool broker_lease_suits(const broker_lease *lease, const broker_peer *peer);
/// The request was given to the peer: the lease is its name's from now on.
void broker_lease_hold(broker_lease *lease, broker_peer *peer);
/// Nobody was found for the request: say so, or that who suits is busy with other runs.
void broker_lease_explain(const wd_broker *broker, broker_request *request);

// ---- dialects (broker_dialect.c) --------------------------------------------------------------------------------

/// A reply that carries a model's own words instead of steps gets the steps that they mean. What cannot be understood
/// becomes an invalid step with its reason. @retval WD_ENOENT  the dialect is none that we read.
WD_NODISCARD wd_status broker_read_dialect(const wd_hello *hello, wd_plan_reply *reply, wd_error *error);

/// Points without a space of their own are in the planner's; the model's own pixels become shares of its image. A point
/// that is nowhere makes the step invalid. @retval WD_ENOMEM only.
WD_NODISCARD wd_status broker_place_step(const wd_hello *hello, wd_step *step);

// ---- shared (broker.c) ------------------------------------------------------------------------------------------

/// Answer a message that cannot be taken; counted.
WD_NODISCARD wd_status broker_send_error(wd_broker *broker, const wd_peer_id *peer, uint64_t request_id,
    const wd_error *why, wd_broker_outbox *outbox);
WD_NODISCARD wd_status broker_send_goodbye(
    const wd_peer_id *peer, const char *reason, wd_broker_outbox *outbox);
/// After an event: bury who left, serve who waits.
void broker_settle(wd_broker *broker, int64_t now_ms, wd_broker_outbox *outbox);
/// Something is due at `at_ms`.
void broker_due(wd_broker *broker, int64_t at_ms);

#endif
