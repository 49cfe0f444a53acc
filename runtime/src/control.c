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

wd_status wd_control_send_progress(
    const wd_service *service, wd_service_run *run, const wd_value *event, wd_service_outbox *outbox)
{
    if (!run->watched) {
        return WD_OK;
    }
    uint8_t *body = NULL;
    size_t length = 0;
    run->progress_sequence += 1;
    wd_status status =
        wd_codec_pack_progress(run->client_request, run->progress_sequence, event, &body, &length);
    const wd_client *client = wd_clients_find(&service->clients, run->instance);
    if (status == WD_OK && client != NULL && length > client->frame_max) {
        wd_free(body, length);
        return WD_OK;
    }
    return queue(status, run->client, WD_MSG_PROGRESS, body, length, outbox);
}

/// Queue an answer that nobody will ask for again.
static wd_status send_answer(
    wd_peer_id peer, uint64_t request_id, const wd_error *error, wd_service_outbox *outbox)
{
    uint8_t *body = NULL;
    size_t length = 0;
    wd_status status = wd_codec_pack_error(request_id, error->status, error->text, false, &body, &length);
    return queue(status, peer, WD_MSG_ERROR, body, length, outbox);
}

/// An answer that its frame cannot hold would be cut off without a word: the Error in its place.
static wd_status pack_too_long(
    uint64_t request_id, size_t length, size_t maximum, uint8_t **ret_body, size_t *ret_length)
{
    wd_error error;
    wd_error_set(&error, WD_ELIMIT,
        "the request was done, but its answer of %zu bytes is over the %zu of a frame; ask for less", length,
        maximum);
    return wd_codec_pack_error(request_id, error.status, error.text, false, ret_body, ret_length);
}

wd_status wd_control_finish_packed(wd_service *service, const uint8_t instance[WD_SESSION_ID_SIZE],
    uint64_t request_id, uint16_t kind, uint8_t *body, size_t length, wd_service_outbox *outbox)
{
    wd_client *client = wd_clients_find(&service->clients, instance);
    if (client == NULL) {
        wd_free(body, length);
        return WD_OK;
    }
    if (length > client->frame_max) {
        wd_free(body, length);
        wd_status status = pack_too_long(request_id, length, client->frame_max, &body, &length);
        if (status != WD_OK) {
            return status;
        }
        kind = WD_MSG_ERROR;
    }
    service->stats.control_errors += kind == WD_MSG_ERROR;
    wd_client_finish_request(client, request_id, kind, body, length);
    wd_clients_hold_bound(&service->clients);
    if (!client->connected) {
        wd_free(body, length);  // it may ask again when it is back
        return WD_OK;
    }
    return queue(WD_OK, client->peer, kind, body, length, outbox);
}

wd_status wd_control_finish(wd_service *service, const uint8_t instance[WD_SESSION_ID_SIZE],
    uint64_t request_id, const wd_value *result, const wd_error *error, wd_service_outbox *outbox)
{
    uint8_t *body = NULL;
    size_t length = 0;
    wd_status status =
        error == NULL ? wd_codec_pack_reply(request_id, result, &body, &length)
                      : wd_codec_pack_error(request_id, error->status, error->text, false, &body, &length);
    return status == WD_OK ? wd_control_finish_packed(service, instance, request_id,
                                 error == NULL ? WD_MSG_REPLY : WD_MSG_ERROR, body, length, outbox)
                           : status;
}

static wd_status send_reject(
    wd_service *service, wd_peer_id peer, const wd_error *why, int64_t now_ms, wd_service_outbox *outbox)
{
    service->stats.control_rejects += 1;
    if (wd_log_within(&service->reject_log, now_ms)) {
        wd_log(WD_LOG_INFO, "control: turned a peer away: %s", why->text);
    }
    uint8_t *body = NULL;
    size_t length = 0;
    wd_status status = wd_codec_pack_reject(why->status, why->text, &body, &length);
    return queue(status, peer, WD_MSG_REJECT, body, length, outbox);
}

wd_status wd_control_send_error(
    wd_service *service, wd_peer_id peer, uint64_t request_id, const wd_error *why, wd_service_outbox *outbox)
{
    service->stats.control_errors += 1;
    return send_answer(peer, request_id, why, outbox);
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

/// A watch ends with its connection. Who asks for it again is told so, and is not taken for one who waits.
static void end_watches(wd_service *service, const wd_peer_id *peer)
{
    wd_watcher watcher;
    while (wd_watch_lost(&service->watch, peer, &watcher)) {
        wd_client *client = wd_clients_find(&service->clients, watcher.instance);
        uint8_t *body = NULL;
        size_t length = 0;
        if (client != NULL &&
            wd_codec_pack_error(watcher.request_id, WD_EPEERLOST,
                "the watch ended with its connection; ask for a new one", false, &body, &length) == WD_OK) {
            wd_client_finish_request(client, watcher.request_id, WD_MSG_ERROR, body, length);
        }
        wd_free(body, length);
    }
}

void wd_service_control_lost(wd_service *service, wd_peer_id peer)
{
    wd_control_peer *known = find_peer(service, &peer);
    if (known != NULL) {
        *known = service->peers[service->peer_count - 1];
        service->peer_count -= 1;
    }
    wd_clients_lost(&service->clients, &peer);
    end_watches(service, &peer);
    for (size_t i = 0; i < service->run_count; i++) {
        if (broker_peer_id_equal(&service->runs[i]->client, &peer)) {
            service->runs[i]->watched = false;  // the run goes on and is recorded
        }
    }
}

static wd_status on_hello(
    wd_service *service, const wd_broker_message *message, int64_t now_ms, wd_service_outbox *outbox)
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
        return send_reject(service, message->peer, &error, now_ms, outbox);
    }
    wd_control_peer *peer = find_peer(service, &message->peer);
    if (peer == NULL) {
        peer = place_for_peer(service);
    }
    *peer = (wd_control_peer){
        .id = message->peer, .user = message->user, .roles = message->roles, .serial = ++service->peer_serial
    };
    memcpy(peer->name, hello.name, sizeof peer->name);
    memcpy(peer->instance, hello.instance, sizeof peer->instance);
    wd_client *client = NULL;
    status =
        wd_clients_hello(&service->clients, hello.instance, message->user, &message->peer, now_ms, &client);
    if (status == WD_EDENIED) {
        wd_error_set(&error, WD_EDENIED, "instance: belongs to another user");
        wd_service_control_lost(service, message->peer);
        return send_reject(service, message->peer, &error, now_ms, outbox);
    }
    if (status == WD_ELIMIT) {
        wd_error_set(&error, WD_ELIMIT, "instance: %d clients have requests or envs open", WD_CLIENTS_MAX);
        wd_service_control_lost(service, message->peer);
        return send_reject(service, message->peer, &error, now_ms, outbox);
    }
    if (status != WD_OK) {
        return status;
    }
    client->frame_max =
        hello.max_frame == 0 || hello.max_frame > WD_FRAME_SIZE_MAX ? WD_FRAME_SIZE_MAX : hello.max_frame;
    wd_welcome welcome = {
        .major = WD_PROTO_MAJOR,
        .minor = WD_PROTO_MINOR,
        .heartbeat_ms = (uint32_t)service->config->heartbeat_ms,
        .liveness = (uint32_t)service->config->liveness,
        .max_frame = (uint32_t)service->config->frame_kib_max * 1024,
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
        return send_answer(message->peer, 0, &error, outbox);
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

/// A run or a watch whose client is back tells it what happens from now on.
static void rejoin(wd_service *service, const wd_control_peer *peer, uint64_t request_id)
{
    for (size_t i = 0; i < service->run_count; i++) {
        wd_service_run *run = service->runs[i];
        if (run->client_request == request_id &&
            memcmp(run->instance, peer->instance, sizeof run->instance) == 0) {
            run->client = peer->id;
            run->watched = true;
        }
    }
    wd_watch_rejoin(&service->watch, peer->instance, request_id, &peer->id);
}

wd_status wd_control_begin(wd_service *service, const wd_control_peer *peer, uint64_t request_id,
    wd_service_outbox *outbox, bool *ret_begun, wd_error *error)
{
    const wd_client_answer *answer = NULL;
    wd_client *client = wd_clients_find(&service->clients, peer->instance);
    *ret_begun = false;
    if (client == NULL) {  // its place went to another instance
        return wd_error_set(error, WD_EOUTDATED, "request_id: say Hello again");
    }
    switch (wd_client_begin_request(client, request_id, &answer)) {
    case WD_CLIENT_NEW:
        *ret_begun = true;
        if (service->envs_next_ms == INT64_MAX) {
            service->envs_next_ms = 0;  // from now on somebody may vanish
        }
        return WD_OK;
    case WD_CLIENT_OPEN:
        rejoin(service, peer, request_id);
        return WD_OK;
    case WD_CLIENT_ANSWERED: {
        if (answer->body_length > client->frame_max) {  // the client takes less than it did then
            uint8_t *body = NULL;
            size_t length = 0;
            wd_status status =
                pack_too_long(request_id, answer->body_length, client->frame_max, &body, &length);
            return queue(status, peer->id, WD_MSG_ERROR, body, length, outbox);
        }
        uint8_t *copy = answer->body_length == 0 ? NULL : wd_alloc(answer->body_length);
        if (copy == NULL && answer->body_length > 0) {
            return wd_error_set(error, WD_ENOMEM, "request_id: out of memory");
        }
        if (copy != NULL) {
            memcpy(copy, answer->body, answer->body_length);
        }
        return queue(WD_OK, peer->id, answer->kind, copy, answer->body_length, outbox);
    }
    case WD_CLIENT_OUTDATED:
        return wd_error_set(error, WD_EOUTDATED,
            "request_id: so old that nobody knows whether it was done; it is not done now");
    case WD_CLIENT_NO_MEMORY:
        return wd_error_set(error, WD_ENOMEM, "request_id: out of memory");
    case WD_CLIENT_FULL:
        break;
    }
    return wd_error_set(error, WD_EBUSY, "request_id: %zu requests of yours are open", client->open_count);
}

/// Do what a new request asks for. *ret_result stays NULL when the answer comes later.
static wd_status do_control(wd_service *service, const wd_control_peer *peer, const wd_control *control,
    int64_t now_ms, wd_service_outbox *outbox, wd_value **ret_result, wd_error *error)
{
    bool of_envs = wd_env_router_knows(control->verb);
    const wd_verb *verb = of_envs ? NULL : find_verb(control->verb);
    if (!of_envs && verb == NULL) {
        return wd_error_set(error, WD_EUNSUPPORTED, "verb: \"%s\" is unknown", control->verb);
    }
    wd_status status = wd_access_check(control->verb, peer->roles, error);
    if (status != WD_OK) {
        return status;
    }
    return of_envs ? wd_control_env_call(service, peer, control, now_ms, error)
                   : verb->function(service, peer, control, now_ms, outbox, ret_result, error);
}

static bool ends_a_request(const char *verb)
{
    return strcmp(verb, "cancel") == 0 || strcmp(verb, "unwatch") == 0;
}

static wd_status on_control(wd_service *service, const wd_control_peer *peer,
    const wd_broker_message *message, int64_t now_ms, wd_service_outbox *outbox)
{
    wd_control control = { 0 };
    wd_error error;
    wd_value *result = NULL;
    bool begun = false;
    wd_status status = wd_codec_unpack_control(message->body, message->body_length, &control, &error);
    uint64_t request_id = control.request_id;
    if (status == WD_OK) {
        status = wd_control_begin(service, peer, request_id, outbox, &begun, &error);
    }
    if (status == WD_EBUSY && ends_a_request(control.verb)) {
        status =
            WD_OK;  // who has too many open must be able to end one; nothing is lost when this is asked twice
        begun = true;
    }
    if (status != WD_OK) {  // no request that could be remembered
        error.status = status;
        wd_control_done(&control);
        return wd_control_send_error(service, message->peer, request_id, &error, outbox);
    }
    if (begun) {
        status = do_control(service, peer, &control, now_ms, outbox, &result, &error);
    }
    wd_control_done(&control);
    if (begun && (status != WD_OK || result != NULL)) {
        error.status = status;
        status = wd_control_finish(
            service, peer->instance, request_id, result, status == WD_OK ? NULL : &error, outbox);
    }
    wd_value_unref(&result);
    return status;
}

static wd_status no_role(wd_roles roles, wd_error *error)
{
    char text[WD_ROLES_TEXT_SIZE];
    wd_roles_text(roles, text);
    return wd_error_set(
        error, WD_EDENIED, "role: clients need one of client, watcher, admin; you have %s", text);
}

wd_status wd_control_recheck(
    wd_service *service, const wd_authority *authority, int64_t now_ms, wd_service_outbox *outbox)
{
    wd_status status = WD_OK;
    for (size_t i = service->peer_count; status == WD_OK && i-- > 0;) {
        const wd_control_peer peer = service->peers[i];
        wd_roles roles = wd_authority_roles(authority, peer.user);
        wd_error error;
        service->peers[i].roles = roles;
        if ((roles & WD_ROLES_CONTROL_SOCKET) == 0) {
            no_role(roles, &error);
            wd_service_control_lost(service, peer.id);
            status = send_reject(service, peer.id, &error, now_ms, outbox);
        }
    }
    return status;
}

static wd_status dispatch(wd_service *service, wd_control_peer *peer, uint16_t kind,
    const wd_broker_message *message, int64_t now_ms, wd_service_outbox *outbox)
{
    wd_client *client = wd_clients_find(&service->clients, peer->instance);
    peer->serial = ++service->peer_serial;
    peer->roles = message->roles;
    if (client != NULL) {
        client->heard_ms = now_ms;
    }
    switch (kind) {
    case WD_MSG_CONTROL:
        return on_control(service, peer, message, now_ms, outbox);
    case WD_MSG_ENV_BATCH:
        return wd_control_env_batch(service, peer, message, now_ms, outbox);
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
    return wd_control_send_error(service, message->peer, 0, &error, outbox);
}

wd_status wd_service_control_message(
    wd_service *service, const wd_broker_message *message, int64_t now_ms, wd_service_outbox *outbox)
{
    service->stats.control_messages += 1;
    uint16_t kind = 0;
    wd_control_peer *peer = find_peer(service, &message->peer);
    if (peer != NULL && !wd_user_same(peer->user, message->user)) {
        wd_service_control_lost(service, message->peer);  // it calls itself as one did who is gone
        peer = NULL;
    }
    wd_error error;
    wd_status status = wd_broker_message_check(message, &kind, &error);
    if (status != WD_OK) {
        return peer == NULL ? send_reject(service, message->peer, &error, now_ms, outbox)
                            : wd_control_send_error(service, message->peer, 0, &error, outbox);
    }
    if ((message->roles & WD_ROLES_CONTROL_SOCKET) == 0) {
        no_role(message->roles, &error);
        wd_service_control_lost(service, message->peer);
        status = send_reject(service, message->peer, &error, now_ms, outbox);
    } else if (kind == WD_MSG_HELLO) {
        status = on_hello(service, message, now_ms, outbox);
    } else if (peer == NULL && (kind == WD_MSG_GOODBYE || kind == WD_MSG_ERROR)) {
        status = WD_OK;  // it wants nothing
    } else if (peer == NULL) {
        status = queue(WD_OK, message->peer, WD_MSG_WHO_ARE_YOU, NULL, 0, outbox);
    } else {
        status = dispatch(service, peer, kind, message, now_ms, outbox);
    }
    return status == WD_OK ? wd_service_take_outcomes(service, now_ms, outbox) : status;
}
