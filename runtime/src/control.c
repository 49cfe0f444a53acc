#include "service_internal.h"

#include "broker_internal.h"
#include "proto/frame.h"
#include "runtime/log.h"
#include "tree/alloc.h"

#include <stdio.h>
#include <string.h>

// ---- sending ----------------------------------------------------------------------------------------------------

/// Queue a packed body; takes it. `status` is that of the packing.
static wd_status queue(
    wd_status status, wd_peer_id peer, uint16_t kind, uint8_t *body, size_t length, wd_service_outbox *outbox)
{
    if (status == WD_OK) {
        status = broker_outbox_reserve(&outbox->control, 1, 0);
        if (status != WD_OK) {
            wd_free(body, length);
        }
    }
    if (status == WD_OK) {
        broker_outbox_send(&outbox->control, &peer, kind, body, length);
    }
    return status;
}

wd_status wd_control_send_progress(wd_service_run *run, const wd_value *event, wd_service_outbox *outbox)
{
    if (!run->watched) {
        return WD_OK;
    }
    uint8_t *body = NULL;
    size_t length = 0;
    run->progress_sequence += 1;
    wd_status status =
        wd_codec_pack_progress(run->client_request, run->progress_sequence, event, &body, &length);
    return queue(status, run->client, WD_MSG_PROGRESS, body, length, outbox);
}

wd_status wd_control_send_answer(wd_peer_id peer, uint64_t request_id, const wd_value *result,
    const wd_error *error, wd_service_outbox *outbox)
{
    uint8_t *body = NULL;
    size_t length = 0;
    wd_status status =
        error == NULL ? wd_codec_pack_reply(request_id, result, &body, &length)
                      : wd_codec_pack_error(request_id, error->status, error->text, false, &body, &length);
    return queue(status, peer, error == NULL ? WD_MSG_REPLY : WD_MSG_ERROR, body, length, outbox);
}

static wd_status send_reject(
    wd_service *service, wd_peer_id peer, const wd_error *why, wd_service_outbox *outbox)
{
    service->stats.control_rejects += 1;
    wd_log(WD_LOG_INFO, "control: turned a peer away: %s", why->text);
    uint8_t *body = NULL;
    size_t length = 0;
    wd_status status = wd_codec_pack_reject(why->status, why->text, &body, &length);
    return queue(status, peer, WD_MSG_REJECT, body, length, outbox);
}

static wd_status send_error(
    wd_service *service, wd_peer_id peer, uint64_t request_id, const wd_error *why, wd_service_outbox *outbox)
{
    service->stats.control_errors += 1;
    return wd_control_send_answer(peer, request_id, NULL, why, outbox);
}

// ---- peers ------------------------------------------------------------------------------------------------------

static wd_control_peer *find_peer(wd_service *service, const wd_peer_id *id)
{
    for (size_t i = 0; i < service->peer_count; i++) {
        if (broker_peer_id_equal(&service->peers[i].id, id)) {
            return &service->peers[i];
        }
    }
    return NULL;
}

/// A place for a new peer: when all are taken, the one that has been silent longest makes room.
static wd_control_peer *place_for_peer(wd_service *service)
{
    if (service->peer_count < WD_CONTROL_PEERS_MAX) {
        return &service->peers[service->peer_count++];
    }
    wd_control_peer *oldest = &service->peers[0];
    for (size_t i = 1; i < service->peer_count; i++) {
        if (service->peers[i].serial < oldest->serial) {
            oldest = &service->peers[i];
        }
    }
    wd_service_control_lost(service, oldest->id);
    return &service->peers[service->peer_count++];
}

void wd_service_control_lost(wd_service *service, wd_peer_id peer)
{
    wd_control_peer *known = find_peer(service, &peer);
    if (known != NULL) {
        *known = service->peers[service->peer_count - 1];
        service->peer_count -= 1;
    }
    for (size_t i = 0; i < service->run_count; i++) {
        if (broker_peer_id_equal(&service->runs[i]->client, &peer)) {
            service->runs[i]->watched = false;  // the run goes on and is recorded
        }
    }
}

static wd_status on_hello(wd_service *service, const wd_broker_message *message, wd_service_outbox *outbox)
{
    wd_hello hello;
    wd_error error;
    wd_status status = wd_codec_unpack_hello(message->body, message->body_length, &hello, &error);
    if (status == WD_ENOMEM) {
        return status;
    }
    if (status == WD_OK && strcmp(hello.role, "client") != 0) {
        status = wd_error_set(&error, WD_EINVAL,
            "role: \"%s\" connects to the planner socket; this one is for clients", hello.role);
    }
    if (status != WD_OK) {
        return send_reject(service, message->peer, &error, outbox);
    }
    wd_control_peer *peer = find_peer(service, &message->peer);
    if (peer == NULL) {
        peer = place_for_peer(service);
    }
    *peer = (wd_control_peer){ .id = message->peer, .uid = message->uid, .serial = ++service->peer_serial };
    memcpy(peer->name, hello.name, sizeof peer->name);
    memcpy(peer->instance, hello.instance, sizeof peer->instance);
    wd_welcome welcome = {
        .major = WD_PROTO_MAJOR,
        .minor = WD_PROTO_MINOR,
        .heartbeat_ms = (uint32_t)service->config->heartbeat_ms,
        .liveness = (uint32_t)service->config->liveness,
        .max_frame = WD_FRAME_SIZE_MAX,
    };
    memcpy(welcome.boot_id, service->boot_id, sizeof welcome.boot_id);
    service->session_last += 1;
    memcpy(welcome.session, &service->session_last, sizeof service->session_last);
    uint8_t *body = NULL;
    size_t length = 0;
    status = wd_codec_pack_welcome(&welcome, &body, &length);
    return queue(status, message->peer, WD_MSG_WELCOME, body, length, outbox);
}

static wd_status on_ping(const wd_broker_message *message, wd_service_outbox *outbox)
{
    uint64_t sequence = 0;
    wd_error error;
    wd_status status = wd_codec_unpack_ping(message->body, message->body_length, &sequence, &error);
    if (status != WD_OK) {
        return wd_control_send_answer(message->peer, 0, NULL, &error, outbox);
    }
    uint8_t *body = NULL;
    size_t length = 0;
    status = wd_codec_pack_ping(sequence, &body, &length);
    return queue(status, message->peer, WD_MSG_PONG, body, length, outbox);
}

// ---- requests ---------------------------------------------------------------------------------------------------

static const wd_verb *find_verb(const char *name)
{
    for (const wd_verb *verb = wd_verbs; verb->name != NULL; verb++) {
        if (strcmp(verb->name, name) == 0) {
            return verb;
        }
    }
    return NULL;
}

static wd_status on_control(wd_service *service, const wd_control_peer *peer,
    const wd_broker_message *message, int64_t now_ms, wd_service_outbox *outbox)
{
    wd_control control = { 0 };
    wd_error error;
    wd_value *result = NULL;
    wd_status status = wd_codec_unpack_control(message->body, message->body_length, &control, &error);
    uint64_t request_id = control.request_id;
    if (status == WD_OK) {
        const wd_verb *verb = find_verb(control.verb);
        status = verb == NULL ? wd_error_set(&error, WD_EUNSUPPORTED, "verb: \"%s\" is unknown", control.verb)
                              : verb->function(service, peer, &control, now_ms, outbox, &result, &error);
    }
    wd_control_done(&control);
    if (status == WD_OK && result != NULL) {
        status = wd_control_send_answer(message->peer, request_id, result, NULL, outbox);
    } else if (status != WD_OK) {
        error.status = status;
        status = send_error(service, message->peer, request_id, &error, outbox);
    }
    wd_value_unref(&result);
    return status;
}

static wd_status dispatch(wd_service *service, wd_control_peer *peer, uint16_t kind,
    const wd_broker_message *message, int64_t now_ms, wd_service_outbox *outbox)
{
    peer->serial = ++service->peer_serial;
    switch (kind) {
    case WD_MSG_CONTROL:
        return on_control(service, peer, message, now_ms, outbox);
    case WD_MSG_PING:
        return on_ping(message, outbox);
    case WD_MSG_PONG:
    case WD_MSG_ERROR:
        return WD_OK;
    case WD_MSG_GOODBYE:
        wd_service_control_lost(service, message->peer);
        return WD_OK;
    default:
        break;
    }
    wd_error error;
    wd_error_set(
        &error, WD_EUNSUPPORTED, "header.kind: %s does not belong on the control socket", wd_msg_name(kind));
    return send_error(service, message->peer, 0, &error, outbox);
}

wd_status wd_service_control_message(
    wd_service *service, const wd_broker_message *message, int64_t now_ms, wd_service_outbox *outbox)
{
    service->stats.control_messages += 1;
    uint16_t kind = 0;
    wd_control_peer *peer = find_peer(service, &message->peer);
    wd_error error;
    wd_status status = wd_broker_message_check(message, &kind, &error);
    if (status != WD_OK) {
        return peer == NULL ? send_reject(service, message->peer, &error, outbox)
                            : send_error(service, message->peer, 0, &error, outbox);
    }
    if (kind == WD_MSG_HELLO) {
        status = on_hello(service, message, outbox);
    } else if (peer == NULL && (kind == WD_MSG_GOODBYE || kind == WD_MSG_ERROR)) {
        status = WD_OK;  // it wants nothing
    } else if (peer == NULL) {
        status = queue(WD_OK, message->peer, WD_MSG_WHO_ARE_YOU, NULL, 0, outbox);
    } else {
        status = dispatch(service, peer, kind, message, now_ms, outbox);
    }
    return status == WD_OK ? wd_service_take_outcomes(service, now_ms, outbox) : status;
}
