/// service_internal.h - shared by service.c (life), service_run.c (driving runs) and control*.c (verbs of clients).
#ifndef RUNTIME_SERVICE_INTERNAL_H
#define RUNTIME_SERVICE_INTERNAL_H

#include "clients.h"
#include "env_router.h"
#include "episode_disk.h"
#include "observe_session.h"
#include "peer_executor.h"
#include "runtime/codec_session.h"
#include "runtime/episode.h"
#include "runtime/log.h"
#include "runtime/service.h"
#include "runtime/sim_executor.h"
#include "runtime/task_instance.h"
#include "watch.h"

/// A client on the control socket, known since its Hello.
typedef struct wd_control_peer {
    wd_peer_id id;
    char name[WD_HELLO_NAME_MAX + 1];
    uint8_t instance[WD_SESSION_ID_SIZE];
    wd_user user;
    wd_roles roles;   // as of its last message
    uint64_t serial;  // grows with each message: the smallest has been silent longest
} wd_control_peer;

/// What a run's open request at the broker is for: it waits for one thing at a time.
typedef enum wd_service_wait {
    WD_WAIT_NOTHING,
    WD_WAIT_PLAN,
    WD_WAIT_MEANING,   // an enricher's
    WD_WAIT_EXECUTOR,  // a peer's: what is seen, or what was done
} wd_service_wait;

/// One run with its phone, its record and the client that waits for it.
typedef struct wd_service_run {
    char id[WD_RUN_ID_MAX + 1];
    wd_run *run;
    wd_device *device;  // the embedded phone; NULL: a peer's device
    wd_sim_executor sim;
    wd_peer_executor peer;  // its lease is 0 with the embedded phone
    wd_executor executor;
    wd_run_options options;  // for the header of the record
    uint64_t seed;
    bool recorded;  // the header is written
    wd_episode_writer *episode;
    char planner[WD_PEER_NAME_MAX + 1];   // asked for by name, "" anybody
    char enricher[WD_PEER_NAME_MAX + 1];  // as in wd_run_options
    uint32_t enrich_deadline_ms;
    uint64_t request;  // open at the broker, 0 none
    wd_service_wait waits_for;
    size_t steps_told;  // to the client
    bool begin_told;
    bool watched;  // the client is still there
    wd_peer_id client;
    uint8_t instance[WD_SESSION_ID_SIZE];  // of the client
    wd_user user;                          // whose run it is
    uint64_t client_request;
    uint64_t progress_sequence;
} wd_service_run;

enum { WD_SERVICE_WAITING_PLACES = 2 * WD_BROKER_REQUESTS_MAX };

struct wd_service {
    const wd_config *config;
    uint8_t boot_id[WD_SESSION_ID_SIZE];
    wd_packs *packs;
    wd_host *host;
    wd_broker *broker;
    wd_service_run **runs;  // open ones, oldest first
    size_t run_count;
    // Who waits for request id % WD_SERVICE_WAITING_PLACES, unless a later request took the place. NULL, or an open run.
    wd_service_run *waiting[WD_SERVICE_WAITING_PLACES];
    wd_observe_session
        *sessions[WD_OBSERVE_SESSIONS_MAX];          // of agent loops on phones of their own; oldest first
    wd_user session_users[WD_OBSERVE_SESSIONS_MAX];  // whose they are
    size_t session_count;
    wd_control_peer peers[WD_CONTROL_PEERS_MAX];
    size_t peer_count;
    uint64_t peer_serial, session_last;
    wd_clients clients;
    wd_watch watch;
    wd_log_limit reject_log;  // of clients turned away
    wd_env_pool *env_pool;
    wd_env_router *env_router;
    int64_t envs_next_ms;  // when vanished clients are looked for next
    bool envs_wait;        // answers of workers are waiting to be taken
    bool end_wanted;       // an admin asked the daemon to end
    wd_episode_disk disk;
    wd_service_stats stats;
};

// ---- runs (service_run.c, service_run_start.c) ---------------------------------------------------------------------------------------

/// What a client asked for; borrowed.
typedef struct wd_run_order {
    wd_task_instance *instance;  // its device is taken on success; without one with an executor
    const char *executor;        // "*": any peer, else one by name; NULL: the embedded phone
    const char *run_id;          // NULL: one is made from the task's id and the seed
    const char *planner;         // NULL: anybody
    uint64_t seed;
    wd_run_options options;
} wd_run_order;

/// Feed one event and carry out what follows, until the run waits for a peer or is over. What breaks ends this run
/// with internal_error and no other.
WD_NODISCARD wd_status wd_service_run_drive(
    wd_service *service, wd_service_run *run, wd_run_event event, int64_t now_ms, wd_service_outbox *outbox);
/// The record's header, once the executor is known; an embedded phone's machine goes into it.
WD_NODISCARD wd_status wd_service_run_record(wd_service *service, wd_service_run *run, wd_error *error);

/// Open the record and start; the client hears Progress and at last Reply.
/// @retval WD_ELIMIT too many runs. Others as the parts say; nothing is left behind, nothing was sent.
WD_NODISCARD wd_status wd_service_run_start(wd_service *service, const wd_run_order *order,
    const wd_control_peer *client, uint64_t client_request, int64_t now_ms, wd_service_outbox *outbox,
    wd_error *error);
/// Feed the outcomes that the broker queued to their runs, until none is left.
WD_NODISCARD wd_status wd_service_take_outcomes(
    wd_service *service, int64_t now_ms, wd_service_outbox *outbox);
WD_NODISCARD wd_status wd_service_run_cancel(
    wd_service *service, wd_service_run *run, const char *reason, int64_t now_ms, wd_service_outbox *outbox);
/// A free name for an episode and its file: `wanted`, or made of `stem`, the seed and a counter.
WD_NODISCARD wd_status wd_service_episode_name(const wd_service *service, const char *wanted,
    const char *stem, uint64_t seed, char ret_id[WD_RUN_ID_MAX + 1], char ret_path[WD_CONFIG_TEXT_MAX * 2],
    wd_error *error);
/// The episode is whole: compress it where the configuration says so. A failure is logged, and the file stays as it is.
void wd_service_episode_pack(const wd_service *service, wd_episode_writer *episode);
/// May one more episode begin? @retval WD_ELIMIT  daemon.episodes_mib_max.
WD_NODISCARD wd_status wd_service_episode_room(wd_service *service, int64_t now_ms, wd_error *error);
wd_service_run *wd_service_run_find(const wd_service *service, const char *id);  // NULL: not open
void wd_service_run_destroy(wd_service_run **run_p);

// ---- control (control.c) ----------------------------------------------------------------------------------------

/// Turn away who has no role on the control socket any more.
WD_NODISCARD wd_status wd_control_recheck(
    wd_service *service, const wd_authority *authority, int64_t now_ms, wd_service_outbox *outbox);
/// To the client that waits for the run, if it is there. An event that its frame cannot hold is left out: the next one's
/// sequence tells of it, and the run's episode has it.
WD_NODISCARD wd_status wd_control_send_progress(
    const wd_service *service, wd_service_run *run, const wd_value *event, wd_service_outbox *outbox);
/// A request of a client: *ret_begun is false when it is a repeated one, which was seen to.
/// @retval WD_EOUTDATED, WD_EBUSY  it is not done; `error` says why.
WD_NODISCARD wd_status wd_control_begin(wd_service *service, const wd_control_peer *peer, uint64_t request_id,
    wd_service_outbox *outbox, bool *ret_begun, wd_error *error);
/// What is wrong with a message that is no request which could be remembered.
WD_NODISCARD wd_status wd_control_send_error(wd_service *service, wd_peer_id peer, uint64_t request_id,
    const wd_error *why, wd_service_outbox *outbox);
/// The one answer of a request: remembered, and sent to where its client is now. `error` NULL: a Reply with `result`;
/// else an Error.
WD_NODISCARD wd_status wd_control_finish(wd_service *service, const uint8_t instance[WD_SESSION_ID_SIZE],
    uint64_t request_id, const wd_value *result, const wd_error *error, wd_service_outbox *outbox);
/// The same with a body that is packed already; takes it.
WD_NODISCARD wd_status wd_control_finish_packed(wd_service *service,
    const uint8_t instance[WD_SESSION_ID_SIZE], uint64_t request_id, uint16_t kind, uint8_t *body,
    size_t length, wd_service_outbox *outbox);
/// The document of args.task: given whole, or by id, which names a file of the task directory.
WD_NODISCARD wd_status wd_control_task_document(
    const wd_service *service, const wd_value *args, wd_value **ret_document, wd_error *error);

// ---- envs and watching (control_env.c) --------------------------------------------------------------------------

/// Hand a call to the workers; its answer comes out of wd_service_take_envs().
WD_NODISCARD wd_status wd_control_env_call(wd_service *service, const wd_control_peer *peer,
    const wd_control *control, int64_t now_ms, wd_error *error);
WD_NODISCARD wd_status wd_control_env_batch(wd_service *service, const wd_control_peer *peer,
    const wd_broker_message *message, int64_t now_ms, wd_service_outbox *outbox);
void wd_service_tick_envs(wd_service *service, int64_t now_ms);
WD_NODISCARD wd_status wd_control_watch(wd_service *service, const wd_control_peer *peer,
    const wd_control *control, int64_t now_ms, wd_service_outbox *outbox, wd_value **ret_result,
    wd_error *error);
/// "request": an open request of the caller's own, of envs, of a run, or a watch. It is answered as ever, once.
WD_NODISCARD wd_status wd_control_cancel_request(wd_service *service, const wd_control_peer *peer,
    const wd_control *control, int64_t now_ms, wd_service_outbox *outbox, wd_value **ret_result,
    wd_error *error);
WD_NODISCARD wd_status wd_control_unwatch(wd_service *service, const wd_control_peer *peer,
    const wd_control *control, int64_t now_ms, wd_service_outbox *outbox, wd_value **ret_result,
    wd_error *error);

// ---- what-if (control_imagine.c) ----------------------------------------------------------------------------------

struct wd_imagine_order;
/// Where a run stands, tried on forks of its phone. @retval WD_EUNSUPPORTED  its phone is a peer's.
WD_NODISCARD wd_status wd_service_imagine(
    const wd_service_run *run, const struct wd_imagine_order *order, wd_value **ret_result, wd_error *error);
/// Answer what planners asked (service_imagine.c), each with an ImagineReply or an Error.
WD_NODISCARD wd_status wd_service_take_imagines(wd_service *service, wd_service_outbox *outbox);
WD_NODISCARD wd_status wd_control_imagine(wd_service *service, const wd_control_peer *peer,
    const wd_control *control, int64_t now_ms, wd_service_outbox *outbox, wd_value **ret_result,
    wd_error *error);

// ---- verbs (control_verbs.c) ------------------------------------------------------------------------------------

/// A verb: `args` is an object. *ret_result is the Reply, or stays NULL when the answer comes later.
typedef wd_status (*wd_verb_function)(wd_service *service, const wd_control_peer *peer,
    const wd_control *control, int64_t now_ms, wd_service_outbox *outbox, wd_value **ret_result,
    wd_error *error);
typedef struct wd_verb {
    const char *name;
    wd_verb_function function;
} wd_verb;
/// The open run that args.run names, if this peer may do to it what the verb does.
/// @retval WD_ENOENT, WD_EINVAL, WD_ETYPE. @retval WD_EDENIED it is another user's.
WD_NODISCARD wd_status wd_control_open_run(wd_service *service, const wd_control_peer *peer,
    const wd_control *control, wd_service_run **ret_run, wd_error *error);
extern const wd_verb wd_verbs[];  // ended by a NULL name; control_verbs.c

#endif
