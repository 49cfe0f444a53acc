#include "watch.h"

#include "broker_internal.h"
#include "proto/frame.h"
#include "tree/alloc.h"

#include <string.h>

wd_status wd_watch_add(wd_watch *watch, const wd_watcher *watcher, wd_error *error)
{
    size_t most = watch->count_max == 0 ? WD_WATCHERS_MAX : watch->count_max;
    if (watch->count == most) {
        return wd_error_set(error, WD_ELIMIT, "watch: there are %zu watchers", most);
    }
    watch->list[watch->count++] = *watcher;
    return WD_OK;
}

static void remove_at(wd_watch *watch, size_t index)
{
    watch->count -= 1;
    watch->list[index] = watch->list[watch->count];
}

/// The watch of that request; NULL: there is none.
static wd_watcher *find(wd_watch *watch, const uint8_t instance[WD_SESSION_ID_SIZE], uint64_t request_id)
{
    for (size_t i = 0; i < watch->count; i++) {
        wd_watcher *watcher = &watch->list[i];
        if (watcher->request_id == request_id &&
            memcmp(watcher->instance, instance, WD_SESSION_ID_SIZE) == 0) {
            return watcher;
        }
    }
    return NULL;
}

wd_status wd_watch_end(wd_watch *watch, const uint8_t instance[WD_SESSION_ID_SIZE], uint64_t request_id)
{
    const wd_watcher *watcher = find(watch, instance, request_id);
    if (watcher == NULL) {
        return WD_ENOENT;
    }
    remove_at(watch, (size_t)(watcher - watch->list));
    return WD_OK;
}

void wd_watch_rejoin(
    wd_watch *watch, const uint8_t instance[WD_SESSION_ID_SIZE], uint64_t request_id, const wd_peer_id *peer)
{
    wd_watcher *watcher = find(watch, instance, request_id);
    if (watcher != NULL) {
        watcher->peer = *peer;
    }
}

bool wd_watch_lost(wd_watch *watch, const wd_peer_id *peer, wd_watcher *ret_watcher)
{
    for (size_t i = 0; i < watch->count; i++) {
        if (broker_peer_id_equal(&watch->list[i].peer, peer)) {
            *ret_watcher = watch->list[i];
            remove_at(watch, i);
            return true;
        }
    }
    return false;
}

void wd_watch_dropped(wd_watch *watch, const wd_peer_id *peer, uint64_t request_id)
{
    for (size_t i = 0; i < watch->count; i++) {
        wd_watcher *watcher = &watch->list[i];
        if (watcher->request_id == request_id && broker_peer_id_equal(&watcher->peer, peer)) {
            watcher->dropped += 1;
        }
    }
}

void wd_watch_missed(wd_watch *watch, uint64_t count)
{
    for (size_t i = 0; i < watch->count; i++) {
        watch->list[i].dropped += watch->list[i].kind == WD_WATCH_RUN ? 0 : count;
    }
}

size_t wd_watch_count(const wd_watch *watch, const uint8_t instance[WD_SESSION_ID_SIZE])
{
    size_t count = 0;
    for (size_t i = 0; i < watch->count; i++) {
        count += memcmp(watch->list[i].instance, instance, WD_SESSION_ID_SIZE) == 0;
    }
    return count;
}

bool wd_watch_wants_envs(const wd_watch *watch)
{
    for (size_t i = 0; i < watch->count; i++) {
        if (watch->list[i].kind != WD_WATCH_RUN) {
            return true;
        }
    }
    return false;
}

static bool wants(const wd_watcher *watcher, const char *run, const char *env, const wd_env_owner *owner)
{
    if (!watcher->others && watcher->user != owner->user) {
        return false;
    }
    switch (watcher->kind) {
    case WD_WATCH_RUN:
        return run != NULL && strcmp(watcher->what, run) == 0;
    case WD_WATCH_ENV:
        return env != NULL && strcmp(watcher->what, env) == 0;
    case WD_WATCH_MINE:
        return memcmp(watcher->instance, owner->bytes, WD_SESSION_ID_SIZE) == 0;
    case WD_WATCH_ALL:
        break;
    }
    return true;
}

/// The event with the watcher's count, cut to the bound.
static wd_status pack(
    const wd_watcher *watcher, const wd_value *event, uint8_t **ret_body, size_t *ret_length)
{
    wd_value *counted = wd_value_ref(event), *dropped = NULL;
    wd_status status = wd_value_int((int64_t)watcher->dropped, &dropped);
    status = status == WD_OK ? wd_object_set(&counted, "dropped", &dropped) : status;
    status = status == WD_OK ? wd_codec_pack_progress(
                                   watcher->request_id, watcher->sequence + 1, counted, ret_body, ret_length)
                             : status;
    if (status == WD_OK && *ret_length > WD_WATCH_EVENT_BYTES_MAX &&
        wd_object_remove(&counted, "changes") == WD_OK) {
        wd_free(*ret_body, *ret_length);
        *ret_body = NULL;
        status =
            wd_codec_pack_progress(watcher->request_id, watcher->sequence + 1, counted, ret_body, ret_length);
    }
    wd_value_unref(&counted);
    wd_value_unref(&dropped);
    return status;
}

wd_status wd_watch_tell(wd_watch *watch, const char *run, const char *env, const wd_env_owner *owner,
    const wd_value *event, wd_broker_outbox *outbox)
{
    for (size_t i = 0; i < watch->count; i++) {
        wd_watcher *watcher = &watch->list[i];
        uint8_t *body = NULL;
        size_t length = 0;
        if (!wants(watcher, run, env, owner)) {
            continue;
        }
        wd_status status = pack(watcher, event, &body, &length);
        if (status == WD_OK && length > WD_WATCH_EVENT_BYTES_MAX) {
            wd_free(body, length);
            watcher->dropped += 1;
            continue;
        }
        if (status == WD_OK && broker_outbox_reserve(outbox, 1, 0) != WD_OK) {
            wd_free(body, length);
            status = WD_ENOMEM;
        }
        if (status != WD_OK) {
            return status;
        }
        watcher->sequence += 1;
        broker_outbox_send(outbox, &watcher->peer, WD_MSG_PROGRESS, body, length);
    }
    return WD_OK;
}
