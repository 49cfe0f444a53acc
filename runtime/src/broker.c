#include "runtime/broker.h"

#include "broker_internal.h"
#include "codec_check.h"
#include "tree/alloc.h"

#include "proto/frame.h"

#include <string.h>

_Static_assert((int)WD_BROKER_INFLIGHT_MAX == (int)WD_HELLO_INFLIGHT_MAX, "one bound, told in two headers");
_Static_assert((int)WD_PEER_NAME_MAX == (int)WD_HELLO_NAME_MAX, "one bound, told in two headers");

const broker_role broker_planner = { "planner", WD_MSG_PLAN_ERROR, WD_MSG_PLAN_CANCEL };
const broker_role broker_enricher = { "enricher", WD_MSG_ENRICH_ERROR, WD_MSG_ENRICH_CANCEL };
const broker_role broker_executor = { "executor", WD_MSG_EXECUTOR_ERROR, WD_MSG_EXECUTOR_CANCEL };

const broker_role *broker_role_find(const char *name)
{
    static const broker_role *const roles[] = { &broker_planner, &broker_enricher, &broker_executor };
    for (size_t i = 0; i < WD_COUNT_OF(roles); i++) {
        if (strcmp(roles[i]->name, name) == 0) {
            return roles[i];
        }
    }
    return NULL;
}

wd_broker_options wd_broker_options_default(void)
{
    return (wd_broker_options){
        .heartbeat_ms = 1000,
        .liveness = 5,
        .planner_attempts = 2,
        .attempt_timeout_ms = 30000,
        .max_frame = WD_FRAME_SIZE_MAX,
        .peers_max = WD_BROKER_PEERS_MAX,
    };
}

const char *wd_plan_end_name(wd_plan_end end)
{
    switch (end) {
    case WD_PLAN_REPLY:
        return "reply";
    case WD_PLAN_REFUSED:
        return "refused";
    case WD_PLAN_INVALID:
        return "invalid";
    case WD_PLAN_TOO_LATE:
        return "too_late";
    case WD_PLAN_LOST:
        return "lost";
    case WD_PLAN_NO_PLANNER:
        return "no_planner";
    case WD_PLAN_CANCELED:
        return "canceled";
    }
    return "unknown";
}

wd_status wd_broker_new(const wd_broker_options *options, wd_broker **ret_broker)
{
    wd_assert(options->heartbeat_ms > 0 && options->liveness > 0);
    wd_assert(options->planner_attempts > 0 && options->attempt_timeout_ms > 0);
    wd_broker *broker = wd_alloc_zero(1, sizeof *broker);
    if (broker == NULL) {
        return WD_ENOMEM;
    }
    broker->options = *options;
    if (broker->options.planner_attempts > BROKER_ATTEMPTS_MAX) {
        broker->options.planner_attempts = BROKER_ATTEMPTS_MAX;
    }
    broker->next_ms = INT64_MAX;
    *ret_broker = broker;
    return WD_OK;
}

void wd_broker_destroy(wd_broker **broker_p)
{
    wd_broker *broker = *broker_p;
    if (broker == NULL) {
        return;
    }
    for (size_t i = 0; i < broker->request_count; i++) {
        broker_request_destroy(&broker->requests[i]);
    }
    for (size_t i = 0; i < broker->peer_count; i++) {
        wd_free(broker->peers[i], sizeof *broker->peers[i]);
    }
    for (broker_lease *lease = broker->leases, *next = NULL; lease != NULL; lease = next) {
        next = lease->next;
        wd_free(lease, sizeof *lease);
    }
    wd_free(broker, sizeof *broker);
    *broker_p = NULL;
}

void broker_due(wd_broker *broker, int64_t at_ms)
{
    if (at_ms < broker->next_ms) {
        broker->next_ms = at_ms;
    }
}

wd_status broker_send_error(wd_broker *broker, const wd_peer_id *peer, uint64_t request_id,
    const wd_error *why, wd_broker_outbox *outbox)
{
    uint8_t *body = NULL;
    size_t body_length = 0;
    wd_status status = broker_outbox_reserve(outbox, 1, 0);
    if (status == WD_OK) {
        status = wd_codec_pack_error(request_id, why->status, why->text, false, &body, &body_length);
    }
    if (status == WD_OK) {
        broker_outbox_send(outbox, peer, WD_MSG_ERROR, body, body_length);
        broker->stats.errors_sent++;
    }
    return status;
}

wd_status broker_send_goodbye(const wd_peer_id *peer, const char *reason, wd_broker_outbox *outbox)
{
    uint8_t *body = NULL;
    size_t body_length = 0;
    wd_status status = broker_outbox_reserve(outbox, 1, 0);
    if (status == WD_OK) {
        status = wd_codec_pack_goodbye(reason, &body, &body_length);
    }
    if (status == WD_OK) {
        broker_outbox_send(outbox, peer, WD_MSG_GOODBYE, body, body_length);
    }
    return status;
}

// ---- receiving ------------------------------------------------------------------------------------------------

wd_status wd_broker_message_check(const wd_broker_message *message, uint16_t *ret_kind, wd_error *error)
{
    if (message->frame_count > WD_FRAME_COUNT_MAX) {
        return wd_error_set(
            error, WD_ELIMIT, "message: too many frames, at most %d", (int)WD_FRAME_COUNT_MAX);
    }
    wd_frame_verdict verdict = wd_frame_read(message->header, message->header_length, ret_kind);
    if (verdict != WD_FRAME_OK) {
        wd_status status = verdict == WD_FRAME_VERSION ? WD_EVERSION : WD_EPROTO;
        return wd_error_set(error, status, "%s", wd_frame_verdict_text(verdict));
    }
    if (message->frame_count != 2) {
        return wd_error_set(error, WD_EPROTO, "message: has %s",
            message->frame_count < 2 ? "no body frame" : "blobs that its body does not name");
    }
    return WD_OK;
}

/// A message whose frames are wrong: a stranger is rejected, a peer is told.
static wd_status refuse_frames(wd_broker *broker, const broker_peer *peer, const wd_broker_message *message,
    const wd_error *why, wd_broker_outbox *outbox)
{
    wd_status status = peer == NULL ? broker_reject(broker, &message->peer, why, outbox)
                                    : broker_send_error(broker, &message->peer, 0, why, outbox);
    broker->stats.malformed += status == WD_OK;
    broker->stats.frames_over += status == WD_OK && message->frame_count > WD_FRAME_COUNT_MAX;
    return status;
}

static wd_status answer_ping(wd_broker *broker, broker_peer *peer, const wd_broker_message *message,
    uint16_t kind, int64_t now_ms, wd_broker_outbox *outbox)
{
    (void)kind, (void)now_ms;
    uint64_t sequence = 0;
    wd_error why = { WD_OK, "" };
    wd_status status = wd_codec_unpack_ping(message->body, message->body_length, &sequence, &why);
    if (status != WD_OK) {
        broker->stats.malformed++;
        return broker_send_error(broker, &peer->id, 0, &why, outbox);
    }
    uint8_t *body = NULL;
    size_t body_length = 0;
    status = broker_outbox_reserve(outbox, 1, 0);
    if (status == WD_OK) {
        status = wd_codec_pack_ping(sequence, &body, &body_length);
    }
    if (status == WD_OK) {
        broker_outbox_send(outbox, &peer->id, WD_MSG_PONG, body, body_length);
    }
    return status;
}

static wd_status take_pong(wd_broker *broker, broker_peer *peer, const wd_broker_message *message,
    uint16_t kind, int64_t now_ms, wd_broker_outbox *outbox)
{
    (void)broker, (void)peer, (void)message, (void)kind, (void)now_ms, (void)outbox;
    return WD_OK;  // a sign of life, as any message is
}

static wd_status take_goodbye(wd_broker *broker, broker_peer *peer, const wd_broker_message *message,
    uint16_t kind, int64_t now_ms, wd_broker_outbox *outbox)
{
    (void)kind, (void)now_ms, (void)outbox;
    wd_notice notice;
    wd_error why = { WD_OK, "" };
    wd_status status =
        wd_codec_unpack_notice(WD_MSG_GOODBYE, message->body, message->body_length, &notice, &why);
    broker_peer_leave(broker, peer, WD_EPEERLOST, status == WD_OK ? notice.error.text : "said goodbye");
    return WD_OK;
}

// What a known peer may send, and who takes it. A role of NULL is any.
static const struct broker_row {
    const broker_role *role;
    uint16_t kind;
    broker_take take;
} broker_rows[] = {
    { NULL, WD_MSG_PING, answer_ping },
    { NULL, WD_MSG_PONG, take_pong },
    { NULL, WD_MSG_GOODBYE, take_goodbye },
    { NULL, WD_MSG_ERROR, broker_reply },
    { &broker_planner, WD_MSG_PLAN_REPLY, broker_reply },
    { &broker_planner, WD_MSG_PLAN_ERROR, broker_reply },
    { &broker_planner, WD_MSG_PLAN_THOUGHT, broker_thought },
    { &broker_planner, WD_MSG_IMAGINE, broker_imagine },
    { &broker_enricher, WD_MSG_ENRICH_REPLY, broker_reply },
    { &broker_enricher, WD_MSG_ENRICH_ERROR, broker_reply },
    { &broker_executor, WD_MSG_OBSERVE_REPLY, broker_reply },
    { &broker_executor, WD_MSG_EXECUTE_REPLY, broker_reply },
    { &broker_executor, WD_MSG_EXECUTOR_ERROR, broker_reply },
};

/// A message of a known peer.
static wd_status take_message(wd_broker *broker, broker_peer *peer, const wd_broker_message *message,
    uint16_t kind, int64_t now_ms, wd_broker_outbox *outbox)
{
    for (size_t i = 0; i < WD_COUNT_OF(broker_rows); i++) {
        const struct broker_row *row = &broker_rows[i];
        if (row->kind == kind && (row->role == NULL || row->role == peer->role)) {
            return row->take(broker, peer, message, kind, now_ms, outbox);
        }
    }
    wd_error why = { WD_OK, "" };
    wd_error_set(&why, WD_EUNSUPPORTED, "header.kind: %s is nothing that role \"%s\" sends",
        wd_msg_name(kind), peer->role->name);
    broker->stats.malformed++;
    return broker_send_error(broker, &peer->id, 0, &why, outbox);
}

/// A message, not Hello, of a peer that we do not know: perhaps worldd was restarted.
static wd_status answer_stranger(const wd_broker_message *message, uint16_t kind, wd_broker_outbox *outbox)
{
    if (kind == WD_MSG_GOODBYE || kind == WD_MSG_ERROR) {
        return WD_OK;  // it wants nothing
    }
    wd_status status = broker_outbox_reserve(outbox, 1, 0);
    if (status == WD_OK) {
        broker_outbox_send(outbox, &message->peer, WD_MSG_WHO_ARE_YOU, NULL, 0);
    }
    return status;
}

/// After every event: who left is buried, who waits is served. What memory is short for is left to the next tick: the
/// event itself was taken.
void broker_settle(wd_broker *broker, int64_t now_ms, wd_broker_outbox *outbox)
{
    wd_status status = broker_peers_bury(broker, now_ms, outbox);
    if (status == WD_OK) {
        status = broker_requests_dispatch(broker, now_ms, outbox);
    }
    if (status != WD_OK) {
        broker_due(broker, now_ms);
    }
}

wd_status wd_broker_receive(
    wd_broker *broker, const wd_broker_message *message, int64_t now_ms, wd_broker_outbox *outbox)
{
    wd_assert(broker != NULL && message != NULL && message->peer.length <= WD_PEER_ID_MAX);
    broker_peer *peer = broker_peer_find(broker, &message->peer);
    if (peer != NULL && !wd_user_same(peer->user, message->user)) {
        broker_peer_leave(broker, peer, WD_EPEERLOST, "another user calls itself as it did");
        broker->stats.peers_lost++;
        peer = NULL;
    }
    if (peer != NULL) {
        peer->heard_ms = now_ms;
    }
    uint16_t kind = 0;
    wd_error why = { WD_OK, "" };
    wd_status status = wd_broker_message_check(message, &kind, &why);
    if (status != WD_OK) {
        return refuse_frames(broker, peer, message, &why, outbox);
    }
    if (kind == WD_MSG_HELLO) {
        status = broker_hello(broker, message, now_ms, outbox);
    } else if (peer == NULL) {
        status = answer_stranger(message, kind, outbox);
    } else if (broker_role_check(peer->role->name, message->roles, &why) != WD_OK) {
        status = broker_reject(broker, &message->peer, &why, outbox);
    } else {
        status = take_message(broker, peer, message, kind, now_ms, outbox);
    }
    if (status == WD_OK) {
        broker_settle(broker, now_ms, outbox);
    }
    return status;
}

wd_status wd_broker_recheck(
    wd_broker *broker, const wd_authority *authority, int64_t now_ms, wd_broker_outbox *outbox)
{
    wd_status status = WD_OK;
    for (size_t i = 0; status == WD_OK && i < broker->peer_count; i++) {
        const broker_peer *peer = broker->peers[i];
        wd_error why;
        if (!peer->gone &&
            broker_role_check(peer->role->name, wd_authority_roles(authority, peer->user), &why) != WD_OK) {
            status = broker_reject(broker, &peer->id, &why, outbox);
        }
    }
    broker_settle(broker, now_ms, outbox);
    return status;
}

wd_status wd_broker_peer_lost(wd_broker *broker, wd_peer_id id, int64_t now_ms, wd_broker_outbox *outbox)
{
    broker_peer *peer = broker_peer_find(broker, &id);
    if (peer == NULL) {
        return WD_OK;
    }
    broker_peer_leave(broker, peer, WD_EPEERLOST, "unreachable");
    broker->stats.peers_lost++;
    broker_settle(broker, now_ms, outbox);
    return WD_OK;
}

wd_status wd_broker_tick(wd_broker *broker, int64_t now_ms, wd_broker_outbox *outbox)
{
    broker->next_ms = INT64_MAX;  // made anew by what follows
    wd_status status = broker_peers_tick(broker, now_ms, outbox);
    if (status == WD_OK) {
        status = broker_peers_bury(broker, now_ms, outbox);
    }
    if (status == WD_OK) {
        status = broker_requests_tick(broker, now_ms, outbox);
    }
    if (status == WD_OK) {
        status = broker_requests_dispatch(broker, now_ms, outbox);
    }
    if (status != WD_OK) {
        broker_due(broker, now_ms);
    }
    return status;
}

int64_t wd_broker_next_ms(const wd_broker *broker)
{
    return broker->next_ms;
}

wd_status wd_broker_shutdown(wd_broker *broker, const char *reason, wd_broker_outbox *outbox)
{
    wd_error why = { WD_OK, "" };
    wd_error_set(&why, WD_ECANCELED, "%s", reason);
    while (broker->request_count > 0) {
        wd_status status =
            broker_request_end(broker, broker->requests[0], WD_PLAN_CANCELED, NULL, &why, NULL, outbox);
        if (status != WD_OK) {
            return status;
        }
    }
    for (size_t i = 0; i < broker->peer_count; i++) {
        broker_peer *peer = broker->peers[i];
        if (peer->gone) {
            continue;
        }
        wd_status status = broker_send_goodbye(&peer->id, reason, outbox);
        if (status != WD_OK) {
            return status;
        }
        broker_peer_leave(broker, peer, WD_ECANCELED, reason);
    }
    return broker_peers_bury(broker, 0, outbox);  // no requests are left: the time does not matter
}

// ---- telling --------------------------------------------------------------------------------------------------

wd_broker_stats wd_broker_stats_get(const wd_broker *broker)
{
    wd_broker_stats stats = broker->stats;
    stats.peers = (uint32_t)(broker->peer_count - broker->gone_count);
    stats.requests_open = (uint32_t)broker->request_count;
    return stats;
}

/// Live peers by name. @return how many.
static size_t sort_peers(const wd_broker *broker, const broker_peer *ret_sorted[BROKER_SLOTS_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i < broker->peer_count; i++) {
        const broker_peer *peer = broker->peers[i];
        if (peer->gone) {
            continue;
        }
        size_t at = count++;
        for (; at > 0 && strcmp(ret_sorted[at - 1]->hello.name, peer->hello.name) > 0; at--) {
            ret_sorted[at] = ret_sorted[at - 1];
        }
        ret_sorted[at] = peer;
    }
    return count;
}

/// Of an executor: how many runs it serves.
static wd_status put_runs(const broker_peer *peer, wd_value **row_p)
{
    wd_value *runs = NULL;
    wd_status status = wd_value_int(peer->leases, &runs);
    status = status == WD_OK ? wd_object_set(row_p, "runs", &runs) : status;
    wd_value_unref(&runs);
    return status;
}

wd_status wd_broker_peers_to_value(const wd_broker *broker, wd_value **ret_value)
{
    const broker_peer *sorted[BROKER_SLOTS_MAX];
    size_t count = sort_peers(broker, sorted);
    wd_value *list = wd_value_array();
    for (size_t i = 0; i < count; i++) {
        const broker_peer *peer = sorted[i];
        wd_value *row = NULL;
        wd_status status = wd_value_pack(&row, "{s:s,s:s,s:i,s:i,s:i}", "name", peer->hello.name, "role",
            peer->hello.role, "inflight", (int64_t)peer->inflight, "max_inflight",
            (int64_t)peer->hello.max_inflight, "replies", (int64_t)peer->replies);
        status = status == WD_OK && peer->role == &broker_executor ? put_runs(peer, &row) : status;
        status = status == WD_OK ? wd_array_append(&list, &row) : status;
        if (status != WD_OK) {
            wd_value_unref(&row);
            wd_value_unref(&list);
            return status;
        }
    }
    *ret_value = list;
    return WD_OK;
}
