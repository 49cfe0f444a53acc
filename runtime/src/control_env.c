// Envs on the control socket: requests to the workers, their answers and events to the clients; watching.
#include "control_args.h"
#include "service_internal.h"

#include "codec_check.h"
#include "proto/frame.h"
#include "runtime/log.h"
#include "tree/alloc.h"

#include <stdio.h>
#include <string.h>

enum { LOOK_AFTER_MS = 500 };  // how often vanished clients are looked for

static wd_env_owner owner_of(const uint8_t instance[WD_SESSION_ID_SIZE], wd_user user)
{
    wd_env_owner owner = { .user = user.number };
    memcpy(owner.bytes, instance, sizeof owner.bytes);
    return owner;
}

static wd_env_asker asker_of(const wd_service *service, const wd_control_peer *peer, uint64_t request_id,
    uint32_t deadline_ms, int64_t now_ms)
{
    wd_env_asker asker = {
        .instance = owner_of(peer->instance, peer->user),
        .roles = peer->roles,
        .request_id = request_id,
        .deadline_ms = deadline_ms == 0 ? 0 : now_ms + deadline_ms,
        .watched = wd_watch_wants_envs(&service->watch),
    };
    return asker;
}

/// The arguments with a task's id replaced by its document.
static wd_status with_document(
    const wd_service *service, const wd_value *args, wd_value **ret_args, wd_error *error)
{
    wd_value *copy = wd_value_ref(args), *document = NULL;
    wd_status status = WD_OK;
    if (wd_value_is(wd_object_get(args, "task"), WD_KIND_STRING)) {
        status = wd_control_task_document(service, args, &document, error);
        status = status == WD_OK ? wd_object_set(&copy, "task", &document) : status;
        wd_value_unref(&document);
    }
    if (status != WD_OK) {
        wd_value_unref(&copy);
        return status;
    }
    *ret_args = copy;
    return WD_OK;
}

/// The same in each call of a list. A task that is not there stays an id, and its slot fails alone.
static wd_status with_documents(const wd_service *service, wd_value **args_p)
{
    wd_value *calls = wd_value_ref(wd_object_get(*args_p, "calls"));
    wd_status status = WD_OK;
    for (size_t i = 0; status == WD_OK && i < wd_array_count(calls) && i < WD_ENV_CALLS_MAX; i++) {
        wd_value *call = wd_value_ref(wd_array_at(calls, i)), *args = NULL;
        const wd_value *given = wd_object_get(call, "args");
        wd_error error;
        if (wd_value_is(wd_object_get(given, "task"), WD_KIND_STRING) &&
            with_document(service, given, &args, &error) == WD_OK) {
            status = wd_object_set(&call, "args", &args);
            status = status == WD_OK ? wd_array_set(&calls, i, &call) : status;
        }
        wd_value_unref(&call);
        wd_value_unref(&args);
    }
    status = status == WD_OK && calls != NULL ? wd_object_set(args_p, "calls", &calls) : status;
    wd_value_unref(&calls);
    return status;
}

static void becomes_owner(wd_service *service, const wd_control_peer *peer)
{
    wd_client *client = wd_clients_find(&service->clients, peer->instance);
    if (client != NULL) {
        client->owner = true;
    }
}

wd_status wd_control_env_call(wd_service *service, const wd_control_peer *peer, const wd_control *control,
    int64_t now_ms, wd_error *error)
{
    wd_value *args = NULL;
    wd_env_asker asker = asker_of(service, peer, control->request_id, control->deadline_ms, now_ms);
    wd_status status = with_document(service, control->args, &args, error);
    if (status == WD_OK && strcmp(control->verb, "env_calls") == 0) {
        status = with_documents(service, &args);
    }
    if (status == WD_OK) {
        becomes_owner(service, peer);
        status = wd_env_router_call(service->env_router, &asker, control->verb, args, error);
        service->envs_wait |= wd_env_router_waits(service->env_router);
    }
    wd_value_unref(&args);
    return status;
}

wd_status wd_control_env_batch(wd_service *service, const wd_control_peer *peer,
    const wd_broker_message *message, int64_t now_ms, wd_service_outbox *outbox)
{
    wd_env_batch batch;
    wd_error error;
    bool begun = false;
    wd_status status = wd_codec_unpack_env_batch(message->body, message->body_length, &batch, &error);
    if (status == WD_OK) {
        status = wd_access_check("env_batch", peer->roles, &error);
    }
    if (status == WD_OK) {
        status = wd_control_begin(service, peer, batch.request_id, outbox, &begun, &error);
    }
    if (status == WD_OK && begun) {
        wd_env_asker asker = asker_of(service, peer, batch.request_id, batch.deadline_ms, now_ms);
        status = wd_env_router_batch(service->env_router, &asker, &batch, &error);
        service->envs_wait |= wd_env_router_waits(service->env_router);
    }
    if (status != WD_OK) {
        error.status = status;
        // One that did not begin may have the id of one that did, whose answer this is not.
        status = begun ? wd_control_finish(service, peer->instance, batch.request_id, NULL, &error, outbox)
                       : wd_control_send_error(service, message->peer, batch.request_id, &error, outbox);
    }
    wd_env_batch_done(&batch);
    return status;
}

// ---- answers ------------------------------------------------------------------------------------------------------

static wd_status tell_event(wd_service *service, const wd_env_done *done, wd_service_outbox *outbox)
{
    const char *env = wd_value_string_or(wd_object_get(done->result, "env"), "");
    return wd_watch_tell(&service->watch, NULL, env, &done->instance, done->result, &outbox->control);
}

wd_status wd_service_take_envs(wd_service *service, wd_service_outbox *outbox)
{
    enum { TAKEN_MAX = 4096 };  // then the sockets get their turn
    wd_status status = WD_OK;
    wd_watch_missed(&service->watch, wd_env_pool_dropped(service->env_pool));
    for (int taken = 0; status == WD_OK && taken < TAKEN_MAX; taken++) {
        wd_env_done done = { 0 };
        if (wd_env_router_take(service->env_router, &done) != WD_OK) {
            return WD_OK;
        }
        switch (done.kind) {
        case WD_ENV_DONE_EVENT:
            status = tell_event(service, &done, outbox);
            break;
        case WD_ENV_DONE_BATCH:
            status = wd_control_finish_packed(service, done.instance.bytes, done.request_id,
                WD_MSG_ENV_BATCH_REPLY, done.body, done.body_length, outbox);
            done.body = NULL;
            done.body_length = 0;
            break;
        case WD_ENV_DONE_RESULT:
            status =
                wd_control_finish(service, done.instance.bytes, done.request_id, done.result, NULL, outbox);
            break;
        case WD_ENV_DONE_ERROR:
            status =
                wd_control_finish(service, done.instance.bytes, done.request_id, NULL, &done.error, outbox);
            break;
        }
        wd_env_done_done(&done);
    }
    service->envs_wait = true;  // there may be more
    return status;
}

int wd_service_env_fd(const wd_service *service)
{
    return wd_env_pool_fd(service->env_pool);
}

/// Of clients that were silent too long, close the envs and forget the answers.
void wd_service_tick_envs(wd_service *service, int64_t now_ms)
{
    if (now_ms < service->envs_next_ms) {
        return;
    }
    service->envs_next_ms = INT64_MAX;
    for (size_t i = 0; i < service->clients.count; i++) {
        wd_client *client = service->clients.list[i];
        if (!client->owner && client->count == client->open_count) {
            continue;  // it leaves nothing behind
        }
        service->envs_next_ms = now_ms + LOOK_AFTER_MS;
        if (client->open_count > wd_watch_count(&service->watch, client->instance)) {
            client->heard_ms = now_ms;  // it waits for us, not we for it
        }
        if (now_ms - client->heard_ms < (int64_t)service->config->env_orphan_ms) {
            continue;
        }
        wd_client_forget_answers(client);
        if (client->owner) {
            wd_env_owner owner = owner_of(client->instance, client->user);
            if (wd_env_router_disown(service->env_router, &owner) == WD_OK) {
                wd_log(WD_LOG_INFO, "envs of a client that vanished are closed");
                client->owner = false;
            }
        }
    }
}

// ---- watching -----------------------------------------------------------------------------------------------------

wd_status wd_control_watch(wd_service *service, const wd_control_peer *peer, const wd_control *control,
    int64_t now_ms, wd_service_outbox *outbox, wd_value **ret_result, wd_error *error)
{
    (void)now_ms, (void)outbox, (void)ret_result;  // the Reply comes when the watch is ended
    wd_watcher watcher = { .peer = peer->id, .request_id = control->request_id, .kind = WD_WATCH_ALL };
    const char *run = NULL, *env = NULL;
    bool mine = false;
    memcpy(watcher.instance, peer->instance, sizeof watcher.instance);
    watcher.user = peer->user.number;
    watcher.others = (peer->roles & (WD_ROLE_WATCHER | WD_ROLE_ADMIN)) != 0;
    wd_status status = wd_verb_text(control->args, "run", &run, error);
    status = status == WD_OK ? wd_verb_text(control->args, "env", &env, error) : status;
    status = status == WD_OK ? wd_verb_flag(control->args, "args", "mine", &mine, error) : status;
    if (status == WD_OK && (run != NULL) + (env != NULL) + mine > 1) {
        status = wd_error_set(error, WD_EINVAL, "args: give one of run, env, mine, or none of them");
    }
    if (status != WD_OK) {
        return status;
    }
    const char *what = run != NULL ? run : env;
    if (what != NULL) {
        watcher.kind = run != NULL ? WD_WATCH_RUN : WD_WATCH_ENV;
        if (strlen(what) >= sizeof watcher.what) {
            return wd_error_set(error, WD_EINVAL, "args.%s: is no id", run != NULL ? "run" : "env");
        }
        strcpy(watcher.what, what);
    } else if (mine) {
        watcher.kind = WD_WATCH_MINE;
    }
    return wd_watch_add(&service->watch, &watcher, error);
}

/// End a watch: its Reply comes now, and so does that of who ended it.
static wd_status end_watch(wd_service *service, const wd_control_peer *peer, uint64_t request_id,
    wd_service_outbox *outbox, wd_value **ret_result, wd_error *error)
{
    if (wd_watch_end(&service->watch, peer->instance, request_id) != WD_OK) {
        return wd_error_set(error, WD_ENOENT, "args.request: no request of yours has this id and is open");
    }
    wd_status status = wd_value_pack(ret_result, "{s:i}", "request", (int64_t)request_id);
    return status == WD_OK ? wd_control_finish(service, peer->instance, request_id, *ret_result, NULL, outbox)
                           : status;
}

wd_status wd_control_cancel_request(wd_service *service, const wd_control_peer *peer,
    const wd_control *control, int64_t now_ms, wd_service_outbox *outbox, wd_value **ret_result,
    wd_error *error)
{
    const wd_value *given = wd_object_get(control->args, "request");
    uint64_t request_id = (uint64_t)wd_value_int_or(given, 0);
    wd_env_owner instance = owner_of(peer->instance, peer->user);
    if (!wd_value_is(given, WD_KIND_INT)) {
        return wd_error_set(error, WD_EINVAL, "args.request: must be the id of an open request of yours");
    }
    if (wd_env_router_cancel(service->env_router, &instance, request_id) == WD_OK) {
        return wd_value_pack(ret_result, "{s:v}", "request", given);
    }
    for (size_t i = 0; i < service->run_count; i++) {
        wd_service_run *run = service->runs[i];
        if (run->client_request == request_id &&
            memcmp(run->instance, peer->instance, sizeof run->instance) == 0) {
            wd_status status = wd_value_pack(ret_result, "{s:v}", "request", given);
            return status == WD_OK
                       ? wd_service_run_cancel(service, run, "cancelled by a client", now_ms, outbox)
                       : status;
        }
    }
    return end_watch(service, peer, request_id, outbox, ret_result, error);
}

/// "request": the id of the watch to end. Its Reply comes now.
wd_status wd_control_unwatch(wd_service *service, const wd_control_peer *peer, const wd_control *control,
    int64_t now_ms, wd_service_outbox *outbox, wd_value **ret_result, wd_error *error)
{
    (void)now_ms;
    uint64_t request_id = (uint64_t)wd_value_int_or(wd_object_get(control->args, "request"), 0);
    return end_watch(service, peer, request_id, outbox, ret_result, error);
}

void wd_service_control_dropped(wd_service *service, const wd_broker_send *send)
{
    wd_watch_dropped(&service->watch, &send->peer, wd_codec_peek_varint(send->body, send->body_length, 1, 0));
}
