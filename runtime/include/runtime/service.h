/// service.h - the daemon without its sockets: runs, planner broker, control requests, episodes.
///
/// Messages go in with the time; messages to send come out in two outboxes, one per socket. The caller (daemon_actor.c,
/// or a test) owns the sockets and the clock. Everything here runs on one thread and never waits.
#ifndef RUNTIME_SERVICE_H
#define RUNTIME_SERVICE_H

#include "runtime/config.h"
#include "sim/phone.h"

enum {
    WD_CONTROL_PEERS_MAX = 1024,
    WD_RUN_ID_MAX = 64,
};

typedef struct wd_service wd_service;

/// What a call wants sent. Each message is sent and the outbox cleared before the next call.
typedef struct wd_service_outbox {
    wd_broker_outbox planner;  // `outcomes` of it are consumed inside the service
    wd_broker_outbox control;
} wd_service_outbox;
void wd_service_outbox_clear(wd_service_outbox *outbox);
void wd_service_outbox_done(wd_service_outbox *outbox);

/// Load packs (broken ones are logged and left out), make the host and the broker. The episodes directory exists.
/// @param config  Borrowed; must outlive the service.
WD_NODISCARD wd_status wd_service_new(
    const wd_config *config, const uint8_t boot_id[16], wd_service **ret_service, wd_error *error);
void wd_service_destroy(wd_service **service_p);

/// Feed one message of a socket. Whatever it holds, the service goes on and the peer is told what is wrong. `now_ms` is
/// monotonic and never decreases, here and below. @retval WD_ENOMEM  what could be done was; the rest waits for a tick.
WD_NODISCARD wd_status wd_service_planner_message(
    wd_service *service, const wd_broker_message *message, int64_t now_ms, wd_service_outbox *outbox);
WD_NODISCARD wd_status wd_service_control_message(
    wd_service *service, const wd_broker_message *message, int64_t now_ms, wd_service_outbox *outbox);
/// The transport cannot reach the peer any more.
WD_NODISCARD wd_status wd_service_planner_lost(
    wd_service *service, wd_peer_id peer, int64_t now_ms, wd_service_outbox *outbox);
void wd_service_control_lost(wd_service *service, wd_peer_id peer);
/// The socket had no room for a Progress: its watcher is told how many it missed, and nobody waits.
void wd_service_control_dropped(wd_service *service, const wd_broker_send *send);
/// Readable when workers have answered: then call wd_service_take_envs().
int wd_service_env_fd(const wd_service *service);
WD_NODISCARD wd_status wd_service_take_envs(wd_service *service, wd_service_outbox *outbox);
/// Time has passed: deadlines, silences, expiries. To be called at wd_service_next_ms() at the latest.
WD_NODISCARD wd_status wd_service_tick(wd_service *service, int64_t now_ms, wd_service_outbox *outbox);
int64_t wd_service_next_ms(const wd_service *service);  // INT64_MAX: nothing waits for time
/// Grants were read again: whoever lost what it came with is turned away, and hears nothing more.
WD_NODISCARD wd_status wd_service_recheck(
    wd_service *service, const wd_authority *authority, int64_t now_ms, wd_service_outbox *outbox);
bool wd_service_end_wanted(const wd_service *service);  // an admin asked for it
/// End all runs (the reason is recorded in their episodes) and say goodbye to planners.
WD_NODISCARD wd_status wd_service_shutdown(
    wd_service *service, const char *reason, int64_t now_ms, wd_service_outbox *outbox);

typedef struct wd_service_stats {
    uint64_t control_messages, control_rejects, control_errors;
    uint64_t runs_started, runs_ended;
    uint64_t enriched,
        enrich_fallbacks;  // scenes that an enricher was wanted for: answered, or worldd's own held
    uint32_t runs_open;
    uint64_t admitted, refused;  // connections, told by the doors
    uint64_t
        disconnects;  // told by the transport: peers that closed or were cut off for a frame over the limit
} wd_service_stats;
wd_service_stats wd_service_stats_get(const wd_service *service);
void wd_service_count_disconnect(wd_service *service);
void wd_service_count_doors(wd_service *service, uint64_t admitted, uint64_t refused);  // since the start

#endif
