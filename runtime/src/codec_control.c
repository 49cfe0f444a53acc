// Control, Progress and Reply, Imagine and ImagineReply: free-form JSON with an id.
#include "runtime/codec_session.h"

#include "codec_message.h"
#include "tree/json.h"

#include "proto/frame.h"
#include "proto/worldd.pb-c.h"

#include <string.h>

enum { CONTROL_BUDGET = WD_FRAME_SIZE_MAX + 64 * 1024 };  // a whole frame of JSON fits

void wd_control_done(wd_control *control)
{
    wd_value_unref(&control->args);
}

/// Pack a message whose `field` holds `value` as JSON; NULL gives none.
static wd_status pack_json(const ProtobufCMessage *message, const wd_value *value, ProtobufCBinaryData *field,
    uint8_t **ret_body, size_t *ret_length)
{
    wd_buffer json = { 0 };
    wd_status status = value == NULL ? WD_OK : wd_json_write(value, WD_JSON_COMPACT, &json);
    if (status == WD_OK && value != NULL) {
        *field = wd_lend_bytes(json.bytes, json.length);
    }
    if (status == WD_OK) {
        status = wd_codec_pack(message, ret_body, ret_length);
    }
    wd_buffer_done(&json);
    return status;
}

static wd_status read_json(
    const ProtobufCBinaryData *json, const char *field, wd_value **ret_value, wd_error *error)
{
    wd_status status = wd_json_parse((const char *)json->data, json->len, ret_value, error);
    if (status != WD_OK) {
        wd_error_prefix(error, "%s", field);
    }
    return status;
}

/// "args_json": an object; an empty one when nothing is given. On an error *ret_args may be set.
static wd_status read_args(const ProtobufCBinaryData *json, wd_value **ret_args, wd_error *error)
{
    if (json->len == 0) {
        *ret_args = wd_value_object();
        return WD_OK;
    }
    wd_status status = read_json(json, "args_json", ret_args, error);
    if (status == WD_OK && !wd_value_is(*ret_args, WD_KIND_OBJECT)) {
        status = wd_error_set(
            error, WD_ETYPE, "args_json: must be an object, is %s", wd_kind_name(wd_value_kind(*ret_args)));
    }
    return status;
}

wd_status wd_codec_pack_control(const wd_control *control, uint8_t **ret_body, size_t *ret_length)
{
    Worldd__V1__Control message;
    worldd__v1__control__init(&message);
    message.request_id = control->request_id;
    message.verb = wd_lend_text(control->verb);
    message.deadline_ms = control->deadline_ms;
    return pack_json(&message.base, control->args, &message.args_json, ret_body, ret_length);
}

static wd_status read_control(const Worldd__V1__Control *message, wd_control *control, wd_error *error)
{
    control->deadline_ms = message->deadline_ms;
    if (message->request_id == 0) {
        return wd_error_set(error, WD_EINVAL, "request_id: must not be 0");
    }
    if (message->verb[0] == '\0' || strlen(message->verb) > WD_CONTROL_VERB_MAX) {
        return wd_error_set(error, WD_EINVAL, "verb: must be 1 to %d bytes", (int)WD_CONTROL_VERB_MAX);
    }
    strcpy(control->verb, message->verb);
    return read_args(&message->args_json, &control->args, error);
}

wd_status wd_codec_unpack_control(const void *body, size_t length, wd_control *ret_control, wd_error *error)
{
    codec_arena arena;
    codec_arena_init(&arena, CONTROL_BUDGET);
    const void *message = NULL;
    wd_control control = { .request_id = wd_codec_peek_varint(body, length, 1, 0) };
    ret_control->request_id = control.request_id;
    wd_status status =
        wd_codec_unpack(&worldd__v1__control__descriptor, body, length, &arena, &message, error);
    if (status == WD_OK) {
        status = read_control(message, &control, error);
    }
    if (status == WD_OK) {
        *ret_control = control;
    } else {
        wd_control_done(&control);
    }
    codec_arena_done(&arena);
    return status;
}

wd_status wd_codec_pack_progress(
    uint64_t request_id, uint64_t sequence, const wd_value *event, uint8_t **ret_body, size_t *ret_length)
{
    Worldd__V1__Progress message;
    worldd__v1__progress__init(&message);
    message.request_id = request_id;
    message.sequence = sequence;
    return pack_json(&message.base, event, &message.event_json, ret_body, ret_length);
}

wd_status wd_codec_pack_reply(
    uint64_t request_id, const wd_value *result, uint8_t **ret_body, size_t *ret_length)
{
    Worldd__V1__Reply message;
    worldd__v1__reply__init(&message);
    message.request_id = request_id;
    return pack_json(&message.base, result, &message.result_json, ret_body, ret_length);
}

wd_status wd_codec_unpack_answer(
    uint16_t kind, const void *body, size_t length, wd_control_answer *ret_answer, wd_error *error)
{
    wd_assert(kind == WD_MSG_PROGRESS || kind == WD_MSG_REPLY);
    codec_arena arena;
    codec_arena_init(&arena, CONTROL_BUDGET);
    const void *message = NULL;
    wd_control_answer answer = { 0 };
    const ProtobufCMessageDescriptor *type =
        kind == WD_MSG_PROGRESS ? &worldd__v1__progress__descriptor : &worldd__v1__reply__descriptor;
    wd_status status = wd_codec_unpack(type, body, length, &arena, &message, error);
    if (status == WD_OK && kind == WD_MSG_PROGRESS) {
        const Worldd__V1__Progress *progress = message;
        answer.request_id = progress->request_id;
        answer.sequence = progress->sequence;
        status = read_json(&progress->event_json, "event_json", &answer.value, error);
    } else if (status == WD_OK) {
        const Worldd__V1__Reply *reply = message;
        answer.request_id = reply->request_id;
        status = read_json(&reply->result_json, "result_json", &answer.value, error);
    }
    if (status == WD_OK) {
        *ret_answer = answer;
    }
    codec_arena_done(&arena);
    return status;
}

// ---- what-if ----------------------------------------------------------------------------------------------------

wd_status wd_codec_pack_imagine(
    uint64_t imagine_id, uint64_t request_id, const wd_value *args, uint8_t **ret_body, size_t *ret_length)
{
    Worldd__V1__Imagine message;
    worldd__v1__imagine__init(&message);
    message.imagine_id = imagine_id;
    message.request_id = request_id;
    return pack_json(&message.base, args, &message.args_json, ret_body, ret_length);
}

wd_status wd_codec_unpack_imagine(const void *body, size_t length, uint64_t *ret_imagine_id,
    uint64_t *ret_request_id, wd_value **ret_args, wd_error *error)
{
    codec_arena arena;
    codec_arena_init(&arena, CONTROL_BUDGET);
    const void *message = NULL;
    wd_value *args = NULL;
    wd_status status =
        wd_codec_unpack(&worldd__v1__imagine__descriptor, body, length, &arena, &message, error);
    const Worldd__V1__Imagine *imagine = message;
    if (status == WD_OK && imagine->imagine_id == 0) {
        status = wd_error_set(error, WD_EINVAL, "imagine_id: must not be 0");
    }
    status = status == WD_OK ? read_args(&imagine->args_json, &args, error) : status;
    if (status == WD_OK) {
        *ret_imagine_id = imagine->imagine_id;
        *ret_request_id = imagine->request_id;
        *ret_args = args;
    } else {
        wd_value_unref(&args);
    }
    codec_arena_done(&arena);
    return status;
}

wd_status wd_codec_pack_imagine_reply(
    uint64_t imagine_id, const wd_value *result, uint8_t **ret_body, size_t *ret_length)
{
    Worldd__V1__ImagineReply message;
    worldd__v1__imagine_reply__init(&message);
    message.imagine_id = imagine_id;
    return pack_json(&message.base, result, &message.result_json, ret_body, ret_length);
}

wd_status wd_codec_pack_imagine_error(
    uint64_t imagine_id, uint64_t request_id, const wd_error *why, uint8_t **ret_body, size_t *ret_length)
{
    Worldd__V1__Error message;
    worldd__v1__error__init(&message);
    message.request_id = request_id;
    message.imagine_id = imagine_id;
    message.code = (uint32_t)why->status;
    message.text = wd_lend_text(why->text);
    return wd_codec_pack(&message.base, ret_body, ret_length);
}
