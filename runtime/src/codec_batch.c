#include "codec_batch.h"

#include "codec_message.h"
#include "codec_writer.h"
#include "proto/frame.h"
#include "tree/alloc.h"

#include "proto/worldd.pb-c.h"

#include <string.h>

enum { BATCH_BUDGET = 2 * WD_FRAME_SIZE_MAX + 64 * 1024 };  // the frame's bytes, and what points to them

// ---- reading ------------------------------------------------------------------------------------------------------

/// One for each slot, or one for all.
static bool fits(size_t given, size_t slots)
{
    return given == slots || given == 1;
}

static wd_status read_batch(const Worldd__V1__EnvBatch *message, wd_env_batch *batch, wd_error *error)
{
    batch->deadline_ms = message->deadline_ms;
    batch->count = message->env_ids.len / WD_ENV_ID_SIZE;
    if (message->request_id == 0) {
        return wd_error_set(error, WD_EINVAL, "request_id: must not be 0");
    }
    if (message->env_ids.len == 0 || message->env_ids.len % WD_ENV_ID_SIZE != 0) {
        return wd_error_set(error, WD_EINVAL, "env_ids: must be %d bytes for each env", WD_ENV_ID_SIZE);
    }
    if (batch->count > WD_ENV_BATCH_MAX) {
        return wd_error_set(
            error, WD_ELIMIT, "env_ids: %zu slots; a batch has at most %d", batch->count, WD_ENV_BATCH_MAX);
    }
    if (!fits(message->n_actions, batch->count)) {
        return wd_error_set(error, WD_EINVAL, "actions: %zu for %zu slots; give one for each, or one for all",
            message->n_actions, batch->count);
    }
    if (message->n_args_json != 0 && !fits(message->n_args_json, batch->count)) {
        return wd_error_set(error, WD_EINVAL,
            "args_json: %zu for %zu slots; give one for each, one for all, or none", message->n_args_json,
            batch->count);
    }
    if (message->observe[0] != '\0' && wd_env_look_parse(message->observe, &batch->look) != WD_OK) {
        return wd_error_set(
            error, WD_EINVAL, "observe: \"%.40s\" is none of full, changed, none", message->observe);
    }
    return WD_OK;
}

wd_status wd_codec_unpack_env_batch(const void *body, size_t length, wd_env_batch *ret_batch, wd_error *error)
{
    // Field by field: the arena's first bytes are 24 KiB that nobody needs cleared, once a step.
    ret_batch->request_id = wd_codec_peek_varint(body, length, 1, 0);
    ret_batch->deadline_ms = 0;
    ret_batch->look = WD_ENV_LOOK_NONE;
    ret_batch->count = 0;
    ret_batch->message = NULL;
    codec_arena_init(&ret_batch->arena, BATCH_BUDGET);
    wd_status status = wd_codec_unpack(
        &worldd__v1__env_batch__descriptor, body, length, &ret_batch->arena, &ret_batch->message, error);
    return status == WD_OK ? read_batch(ret_batch->message, ret_batch, error) : status;
}

void wd_env_batch_done(wd_env_batch *batch)
{
    codec_arena_done(&batch->arena);
}

wd_env_batch_item wd_env_batch_at(const wd_env_batch *batch, size_t index)
{
    const Worldd__V1__EnvBatch *message = batch->message;
    wd_env_batch_item item = { .kind = message->actions[message->n_actions == 1 ? 0 : index] };
    memcpy(item.env.bytes, message->env_ids.data + index * WD_ENV_ID_SIZE, WD_ENV_ID_SIZE);
    if (message->n_args_json > 0) {
        const ProtobufCBinaryData *args = &message->args_json[message->n_args_json == 1 ? 0 : index];
        item.args = (const char *)args->data;
        item.args_length = args->len;
    }
    return item;
}

// ---- writing ------------------------------------------------------------------------------------------------------

// Fields of EnvBatchReply.
enum {
    FIELD_REQUEST_ID = 1,
    FIELD_STATUS,
    FIELD_TEXT,
    FIELD_OUTCOME,
    FIELD_CODE,
    FIELD_STEP,
    FIELD_FLAGS,
    FIELD_ENDING,
    FIELD_DIGESTS,
    FIELD_OBSERVATION,
    FIELD_FINAL_OBSERVATION,
    FIELD_VERDICT,
    FLAG_RESET = 1,
};

static uint32_t number_of(const wd_env_slot *slot, int field)
{
    switch (field) {
    case FIELD_STATUS:
        return slot->status;
    case FIELD_OUTCOME:
        return slot->outcome;
    case FIELD_STEP:
        return slot->step;
    default:
        return slot->reset ? FLAG_RESET : 0;
    }
}

/// A packed array of numbers, left out when all are 0.
static void write_numbers(wd_wire_writer *writer, int field, const wd_env_batch_answer *answers, size_t count)
{
    bool any = false;
    for (size_t i = 0; i < count && !any; i++) {
        any = number_of(answers[i].slot, field) != 0;
    }
    if (!any) {
        return;
    }
    size_t began = wd_wire_begin(writer, (uint32_t)field);
    for (size_t i = 0; i < count; i++) {
        wd_wire_packed_uint(writer, number_of(answers[i].slot, field));
    }
    wd_wire_end(writer, began);
}

static wd_env_span span_of(const wd_env_slot *slot, int field)
{
    switch (field) {
    case FIELD_TEXT:
        return slot->text;
    case FIELD_OBSERVATION:
        return slot->observation;
    case FIELD_FINAL_OBSERVATION:
        return slot->final_observation;
    default:
        return slot->verdict;
    }
}

/// An array of texts out of the jobs' output, left out when no slot has any.
static void write_spans(wd_wire_writer *writer, int field, const wd_env_batch_answer *answers, size_t count)
{
    bool any = false;
    for (size_t i = 0; i < count && !any; i++) {
        any = span_of(answers[i].slot, field).length > 0;
    }
    for (size_t i = 0; any && i < count; i++) {
        wd_env_span span = span_of(answers[i].slot, field);
        const char *bytes = answers[i].output;
        wd_wire_bytes(writer, (uint32_t)field, span.length == 0 ? NULL : bytes + span.at, span.length);
    }
}

static void write_digests(wd_wire_writer *writer, const wd_env_batch_answer *answers, size_t count)
{
    size_t began = wd_wire_begin(writer, FIELD_DIGESTS);
    for (size_t i = 0; i < count; i++) {
        wd_wire_packed_digest(writer, answers[i].slot->machine);
    }
    wd_wire_end(writer, began);
}

wd_status wd_codec_pack_env_batch_reply(uint64_t request_id, const wd_env_batch_answer *answers, size_t count,
    uint8_t **ret_body, size_t *ret_length)
{
    wd_wire_writer writer;
    bool over = false;
    wd_wire_init(&writer, 64 * (count + 1));
    wd_wire_uint(&writer, FIELD_REQUEST_ID, request_id);
    // The status is there for every slot even when all are 0: it tells how many there are.
    size_t began = wd_wire_begin(&writer, FIELD_STATUS);
    for (size_t i = 0; i < count; i++) {
        wd_wire_packed_uint(&writer, answers[i].slot->status);
        over |= answers[i].slot->ending != WD_END_NONE;
    }
    wd_wire_end(&writer, began);
    write_spans(&writer, FIELD_TEXT, answers, count);
    write_numbers(&writer, FIELD_OUTCOME, answers, count);
    for (size_t i = 0; i < count; i++) {
        wd_wire_element(&writer, FIELD_CODE, answers[i].slot->code);
    }
    write_numbers(&writer, FIELD_STEP, answers, count);
    write_numbers(&writer, FIELD_FLAGS, answers, count);
    for (size_t i = 0; over && i < count; i++) {
        wd_ending ending = answers[i].slot->ending;
        wd_wire_element(&writer, FIELD_ENDING, ending == WD_END_NONE ? "" : wd_ending_name(ending));
    }
    write_digests(&writer, answers, count);
    write_spans(&writer, FIELD_OBSERVATION, answers, count);
    write_spans(&writer, FIELD_FINAL_OBSERVATION, answers, count);
    write_spans(&writer, FIELD_VERDICT, answers, count);
    return wd_wire_finish(&writer, ret_body, ret_length);
}
