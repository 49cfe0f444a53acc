// EnvBatch: built and sent.
#include "requests.h"

#include "proto/frame.h"

#include <stdlib.h>
#include <string.h>

enum {
    SLOTS_FIRST = 256,  // room that a batch begins with
    TEXT_FIRST = 4096,
};

static const char *const observe_names[] = { "none", "full", "changed" };

// ---- building ---------------------------------------------------------------------------------------------------

/// A text in a batch, kept by its offset because the texts move as they grow.
typedef struct batch_text {
    size_t at, length;
    bool given;
} batch_text;

typedef struct batch_slot {
    wd_client_env_id env;
    batch_text action, args;
} batch_slot;

struct wd_client_batch {
    batch_slot *slots;
    size_t count, room;
    char *texts;  // each with its NUL
    size_t texts_length, texts_room;
    batch_text action, args;  // shared
    bool own_actions, own_args;
    wd_client_observe observe;
};

int wd_client_env_id_parse(const char *text, wd_client_env_id *ret_id)
{
    static const char digits[] = "0123456789abcdef";
    wd_client_env_id id = { { 0 } };
    if (strlen(text) != (size_t)2 * WD_CLIENT_ID_SIZE) {
        return WD_CLIENT_EINVAL;
    }
    for (size_t i = 0; i < (size_t)2 * WD_CLIENT_ID_SIZE; i++) {
        const char *digit = strchr(digits, text[i]);
        if (digit == NULL) {
            return WD_CLIENT_EINVAL;
        }
        id.bytes[i / 2] = (uint8_t)(id.bytes[i / 2] << 4 | (digit - digits));
    }
    *ret_id = id;
    return WD_CLIENT_OK;
}

int wd_client_batch_new(wd_client_batch **ret_batch, wd_client_error *error)
{
    wd_client_batch *batch = calloc(1, sizeof *batch);
    if (batch == NULL) {
        return wd_connection_fail(error, WD_CLIENT_ENOMEM, "out of memory");
    }
    *ret_batch = batch;
    return WD_CLIENT_OK;
}

void wd_client_batch_destroy(wd_client_batch **batch_p)
{
    wd_client_batch *batch = *batch_p;
    *batch_p = NULL;
    if (batch != NULL) {
        free(batch->slots);
        free(batch->texts);
        free(batch);
    }
}

void wd_client_batch_clear(wd_client_batch *batch)
{
    *batch = (wd_client_batch){
        .slots = batch->slots, .room = batch->room, .texts = batch->texts, .texts_room = batch->texts_room
    };
}

void wd_client_batch_observe(wd_client_batch *batch, wd_client_observe what)
{
    batch->observe = what;
}

size_t wd_client_batch_count(const wd_client_batch *batch)
{
    return batch->count;
}

/// Room for so many more bytes of texts. @return false: memory is out.
static bool reserve_texts(wd_client_batch *batch, size_t more)
{
    size_t room = batch->texts_room == 0 ? TEXT_FIRST : batch->texts_room;
    while (room - batch->texts_length < more) {
        room *= 2;
    }
    if (room > batch->texts_room) {
        char *grown = realloc(batch->texts, room);
        if (grown == NULL) {
            return false;
        }
        batch->texts = grown;
        batch->texts_room = room;
    }
    return true;
}

/// Room was reserved.
static batch_text put_text(wd_client_batch *batch, const char *text)
{
    if (text == NULL) {
        return (batch_text){ 0 };
    }
    batch_text put = { .at = batch->texts_length, .length = strlen(text), .given = true };
    memcpy(batch->texts + put.at, text, put.length + 1);
    batch->texts_length += put.length + 1;
    return put;
}

static size_t size_of(const char *text)
{
    return text == NULL ? 0 : strlen(text) + 1;
}

int wd_client_batch_share(
    wd_client_batch *batch, const char *action, const char *args_json, wd_client_error *error)
{
    if (!reserve_texts(batch, size_of(action) + size_of(args_json))) {
        return wd_connection_fail(error, WD_CLIENT_ENOMEM, "out of memory");
    }
    batch->action = put_text(batch, action);
    batch->args = put_text(batch, args_json);
    return WD_CLIENT_OK;
}

int wd_client_batch_add(wd_client_batch *batch, const wd_client_env_id *env, const char *action,
    const char *args_json, wd_client_error *error)
{
    if (batch->count == WD_CLIENT_BATCH_MAX) {
        return wd_connection_fail(
            error, WD_CLIENT_ELIMIT, "a batch has at most %d slots", WD_CLIENT_BATCH_MAX);
    }
    if (batch->count == batch->room) {
        size_t room = batch->room == 0 ? SLOTS_FIRST : 2 * batch->room;
        batch_slot *grown = realloc(batch->slots, room * sizeof *grown);
        if (grown == NULL) {
            return wd_connection_fail(error, WD_CLIENT_ENOMEM, "out of memory");
        }
        batch->slots = grown;
        batch->room = room;
    }
    if (!reserve_texts(batch, size_of(action) + size_of(args_json))) {
        return wd_connection_fail(error, WD_CLIENT_ENOMEM, "out of memory");
    }
    batch_slot *slot = &batch->slots[batch->count++];
    slot->env = *env;
    slot->action = put_text(batch, action);
    slot->args = put_text(batch, args_json);
    batch->own_actions |= action != NULL;
    batch->own_args |= args_json != NULL;
    return WD_CLIENT_OK;
}

// ---- sending ----------------------------------------------------------------------------------------------------

/// What a message's fields point to: one block for all slots.
typedef struct batch_fields {
    uint8_t *ids;
    char **actions;
    ProtobufCBinaryData *args;
    size_t action_count, args_count;
} batch_fields;

static ProtobufCBinaryData json_of(const wd_client_batch *batch, const batch_text *text)
{
    return (ProtobufCBinaryData){ text->length, text->given ? (uint8_t *)batch->texts + text->at : NULL };
}

/// One element for all where no slot has its own, else one for each.
static int fill_fields(const wd_client_batch *batch, batch_fields *fields, wd_client_error *error)
{
    fields->action_count = batch->own_actions ? batch->count : 1;
    fields->args_count = batch->own_args ? batch->count : batch->args.given ? 1 : 0;
    fields->actions = malloc(fields->action_count * sizeof *fields->actions);
    fields->args = malloc((fields->args_count + 1) * sizeof *fields->args);
    fields->ids = malloc(batch->count * WD_CLIENT_ID_SIZE);
    if (fields->actions == NULL || fields->args == NULL || fields->ids == NULL) {
        return wd_connection_fail(error, WD_CLIENT_ENOMEM, "out of memory");
    }
    for (size_t i = 0; i < batch->count; i++) {
        const batch_slot *slot = &batch->slots[i];
        const batch_text *action = slot->action.given ? &slot->action : &batch->action;
        memcpy(fields->ids + i * WD_CLIENT_ID_SIZE, slot->env.bytes, WD_CLIENT_ID_SIZE);
        if (!action->given) {
            return wd_connection_fail(
                error, WD_CLIENT_EINVAL, "slot %zu: has no action, and none is shared", i);
        }
        if (i < fields->action_count) {
            fields->actions[i] = batch->texts + action->at;
        }
        if (i < fields->args_count) {
            fields->args[i] = json_of(batch, slot->args.given ? &slot->args : &batch->args);
        }
    }
    return WD_CLIENT_OK;
}

static int pack_batch(const wd_client_batch *batch, uint64_t id, int timeout_ms, uint8_t **ret_body,
    size_t *ret_size, wd_client_error *error)
{
    batch_fields fields = { 0 };
    if (batch->count == 0) {
        return wd_connection_fail(error, WD_CLIENT_EINVAL, "the batch has no slots");
    }
    int status = fill_fields(batch, &fields, error);
    if (status == WD_CLIENT_OK) {
        Worldd__V1__EnvBatch message;
        worldd__v1__env_batch__init(&message);
        union {
            const char *text;
            char *
                field;  // protobuf-c packs what is lent to it and changes nothing, but its fields are not const
        } observe = { observe_names[batch->observe] };
        message.request_id = id;
        message.deadline_ms = timeout_ms < 0 ? 0 : (uint32_t)(timeout_ms > 0 ? timeout_ms : 1);
        message.env_ids = (ProtobufCBinaryData){ batch->count * WD_CLIENT_ID_SIZE, fields.ids };
        message.n_actions = fields.action_count;
        message.actions = fields.actions;
        message.n_args_json = fields.args_count;
        message.args_json = fields.args;
        message.observe = observe.field;
        *ret_size = worldd__v1__env_batch__get_packed_size(&message);
        *ret_body = malloc(*ret_size);
        status =
            *ret_body == NULL ? wd_connection_fail(error, WD_CLIENT_ENOMEM, "out of memory") : WD_CLIENT_OK;
        if (status == WD_CLIENT_OK) {
            worldd__v1__env_batch__pack(&message, *ret_body);
        }
    }
    free(fields.ids);
    free(fields.actions);
    free(fields.args);
    return status;
}

int wd_client_batch_send(wd_client *client, const wd_client_batch *batch, int timeout_ms,
    uint64_t *ret_ticket, wd_client_error *error)
{
    uint8_t *body = NULL;
    size_t size = 0;
    wd_request *sent = NULL;
    uint64_t id = ++client->request_last;
    int status = pack_batch(batch, id, timeout_ms, &body, &size, error);
    status = status == WD_CLIENT_OK
                 ? wd_requests_send(client, WD_MSG_ENV_BATCH, id, &body, size, timeout_ms, &sent, error)
                 : status;
    if (status == WD_CLIENT_OK) {
        *ret_ticket = id;
    }
    return status;
}

int wd_client_batch_step(wd_client *client, const wd_client_batch *batch, int timeout_ms,
    wd_client_reply **ret_reply, wd_client_error *error)
{
    uint64_t ticket = 0;
    int status = wd_client_batch_send(client, batch, timeout_ms, &ticket, error);
    return status == WD_CLIENT_OK ? wd_client_batch_receive(client, &ticket, ret_reply, error) : status;
}
