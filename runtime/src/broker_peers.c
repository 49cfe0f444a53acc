// The table of planners, enrichers and executors: who is there, who is silent, who should be asked.
#include "broker_internal.h"

#include "tree/alloc.h"

#include "proto/frame.h"

#include <stdio.h>
#include <string.h>

bool broker_peer_id_equal(const wd_peer_id *a, const wd_peer_id *b)
{
    return a->length == b->length && memcmp(a->bytes, b->bytes, a->length) == 0;
}

broker_peer *broker_peer_find(const wd_broker *broker, const wd_peer_id *id)
{
    for (size_t i = 0; i < broker->peer_count; i++) {
        if (!broker->peers[i]->gone && broker_peer_id_equal(&broker->peers[i]->id, id)) {
            return broker->peers[i];
        }
    }
    return NULL;
}

broker_peer *broker_peer_by_serial(const wd_broker *broker, uint64_t serial)
{
    for (size_t i = 0; serial != 0 && i < broker->peer_count; i++) {
        if (broker->peers[i]->serial == serial) {
            return broker->peers[i];
        }
    }
    return NULL;
}

broker_peer *broker_peer_by_name(const wd_broker *broker, const broker_role *role, const char *name)
{
    for (size_t i = 0; i < broker->peer_count; i++) {
        broker_peer *peer = broker->peers[i];
        if (!peer->gone && peer->role == role && strcmp(peer->hello.name, name) == 0) {
            return peer;
        }
    }
    return NULL;
}

void broker_peer_leave(wd_broker *broker, broker_peer *peer, wd_status status, const char *why)
{
    wd_assert(!peer->gone);
    peer->gone = true;
    wd_error_set(&peer->gone_error, status, "%s %s is gone: %s", peer->role->name, peer->hello.name, why);
    broker->gone_count++;
}

/// Whatever the peer had is somebody else's, or ends.
static wd_status take_requests(wd_broker *broker, broker_peer *peer, int64_t now_ms, wd_broker_outbox *outbox)
{
    for (size_t i = 0; peer->inflight > 0 && i < broker->request_count;) {
        broker_request *request = broker->requests[i];
        if (request->asked != peer->serial) {
            i++;
            continue;
        }
        uint64_t id = request->id;
        wd_status status =
            broker_request_lose(broker, request, WD_PLAN_LOST, &peer->gone_error, NULL, now_ms, outbox);
        if (status != WD_OK) {
            return status;
        }
        i += i < broker->request_count && broker->requests[i]->id == id;
    }
    return WD_OK;
}

wd_status broker_peers_bury(wd_broker *broker, int64_t now_ms, wd_broker_outbox *outbox)
{
    for (size_t i = 0; broker->gone_count > 0 && i < broker->peer_count;) {
        broker_peer *peer = broker->peers[i];
        if (!peer->gone) {
            i++;
            continue;
        }
        wd_status status = take_requests(broker, peer, now_ms, outbox);
        if (status != WD_OK) {
            broker_due(broker, now_ms);
            return status;
        }
        broker->peer_count--;
        memmove(&broker->peers[i], &broker->peers[i + 1], (broker->peer_count - i) * sizeof broker->peers[0]);
        broker->gone_count--;
        wd_free(peer, sizeof *peer);
    }
    return WD_OK;
}

static bool peer_suits(const broker_peer *peer, const broker_request *request)
{
    bool wanted = request->planner[0] == '\0' || strcmp(request->planner, peer->hello.name) == 0;
    bool fits =
        peer->hello.max_frame == 0 || request->body_length + BROKER_PATCH_MAX <= peer->hello.max_frame;
    for (uint32_t i = 0; i < request->attempt; i++) {
        if (request->tried[i] == peer->serial) {
            return false;
        }
    }
    return !peer->gone && peer->role == request->question->role && wanted && fits &&
           (request->lease == NULL || broker_lease_suits(request->lease, peer));
}

/// What counts as its load: the requests it has, of an executor the runs it serves.
static uint32_t peer_load(const broker_peer *peer)
{
    return peer->role == &broker_executor ? peer->leases : peer->inflight;
}

/// Is `a` the better one to ask?
static bool peer_before(const broker_peer *a, const broker_peer *b)
{
    bool a_late = a->late_streak > 0, b_late = b->late_streak > 0;
    if (a_late != b_late) {
        return b_late;
    }
    uint32_t a_load = peer_load(a), b_load = peer_load(b);
    return a_load != b_load ? a_load < b_load : a->assigned_last < b->assigned_last;
}

broker_peer *broker_peer_pick(const wd_broker *broker, const broker_request *request, bool *ret_possible)
{
    broker_peer *best = NULL;
    *ret_possible = false;
    if (request->attempt >= request->attempts_max) {
        return NULL;
    }
    for (size_t i = 0; i < broker->peer_count; i++) {
        broker_peer *peer = broker->peers[i];
        if (!peer_suits(peer, request)) {
            continue;
        }
        *ret_possible = true;
        if (peer->inflight < peer->hello.max_inflight && (best == NULL || peer_before(peer, best))) {
            best = peer;
        }
    }
    return best;
}

/// Ping one peer if it is time.
static wd_status ping_peer(wd_broker *broker, broker_peer *peer, int64_t now_ms, wd_broker_outbox *outbox)
{
    if (now_ms >= peer->ping_ms) {
        uint8_t *body = NULL;
        size_t body_length = 0;
        wd_status status = broker_outbox_reserve(outbox, 1, 0);
        if (status == WD_OK) {
            status = wd_codec_pack_ping(peer->ping_sequence + 1, &body, &body_length);
        }
        if (status != WD_OK) {
            return status;
        }
        broker_outbox_send(outbox, &peer->id, WD_MSG_PING, body, body_length);
        peer->ping_sequence++;
        peer->ping_ms = now_ms + broker->options.heartbeat_ms;
    }
    return WD_OK;
}

wd_status broker_peers_tick(wd_broker *broker, int64_t now_ms, wd_broker_outbox *outbox)
{
    int64_t silence_ms = (int64_t)broker->options.heartbeat_ms * broker->options.liveness;
    for (size_t i = 0; i < broker->peer_count; i++) {
        broker_peer *peer = broker->peers[i];
        if (peer->gone) {
            continue;
        }
        bool silent = now_ms - peer->heard_ms >= silence_ms;
        wd_status status = silent ? broker_send_goodbye(&peer->id, "silent", outbox)
                                  : ping_peer(broker, peer, now_ms, outbox);
        if (status != WD_OK) {
            return status;
        }
        if (silent) {
            char why[48];
            snprintf(why, sizeof why, "silent for %lld ms", (long long)(now_ms - peer->heard_ms));
            broker_peer_leave(broker, peer, WD_EPEERLOST, why);
            broker->stats.peers_lost++;
        } else {
            broker_due(broker, peer->ping_ms);
            broker_due(broker, peer->heard_ms + silence_ms);
        }
    }
    return WD_OK;
}
