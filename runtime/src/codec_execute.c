// What an executor is told and answers, and what a planner thinks.
#include "runtime/codec.h"

#include "codec_message.h"
#include "tree/json.h"
#include "tree/text.h"

#include "proto/worldd.pb-c.h"

#include <string.h>

static wd_status over(const char *field, size_t length, int length_max, wd_error *error)
{
    return wd_error_set(error, WD_ELIMIT, "%s: has %zu bytes, at most %d", field, length, length_max);
}

/// "" stays NULL.
static wd_status take_text(
    const char *text, int length_max, const char *field, char **ret_text, wd_error *error)
{
    size_t length = strlen(text);
    if (length > (size_t)length_max) {
        return over(field, length, length_max, error);
    }
    if (length > 0) {
        *ret_text = wd_strndup(text, length);
        return *ret_text == NULL ? wd_error_set(error, WD_ENOMEM, "%s: out of memory", field) : WD_OK;
    }
    return WD_OK;
}

wd_status wd_codec_unpack_thought(const void *body, size_t length, char **ret_text, wd_error *error)
{
    codec_arena arena;
    codec_arena_init(&arena, WD_CODEC_BUDGET_MAX);
    const void *message = NULL;
    wd_status status =
        wd_codec_unpack(&worldd__v1__plan_thought__descriptor, body, length, &arena, &message, error);
    if (status == WD_OK) {
        const Worldd__V1__PlanThought *thought = message;
        status = thought->text[0] == '\0'
                     ? wd_error_set(error, WD_EINVAL, "text: missing")
                     : take_text(thought->text, WD_THOUGHT_TEXT_MAX, "text", ret_text, error);
    }
    codec_arena_done(&arena);
    return status;
}

// ---- observing --------------------------------------------------------------------------------------------------

wd_status wd_codec_pack_observe_request(const char *run_id, uint8_t **ret_body, size_t *ret_length)
{
    Worldd__V1__ObserveRequest message;
    worldd__v1__observe_request__init(&message);
    message.run_id = wd_lend_text(run_id);
    return wd_codec_pack(&message.base, ret_body, ret_length);
}

void wd_capture_destroy(wd_capture **capture_p)
{
    wd_capture *capture = *capture_p;
    if (capture == NULL) {
        return;
    }
    wd_free(capture->screen, capture->screen_length);
    wd_free(capture->companion, capture->companion_length);
    wd_text_free(&capture->format);
    wd_text_free(&capture->failure);
    wd_free(capture, sizeof *capture);
    *capture_p = NULL;
}

static wd_status take_bytes(const ProtobufCBinaryData *bytes, const char *field, char **ret_bytes,
    size_t *ret_length, wd_error *error)
{
    if (bytes->len > 0) {
        *ret_bytes = wd_alloc(bytes->len);
        if (*ret_bytes == NULL) {
            return wd_error_set(error, WD_ENOMEM, "%s: out of memory", field);
        }
        memcpy(*ret_bytes, bytes->data, bytes->len);
        *ret_length = bytes->len;
    }
    return WD_OK;
}

static wd_status take_side(uint32_t pixels, const char *field, int32_t *ret_pixels, wd_error *error)
{
    *ret_pixels = pixels <= WD_CAPTURE_SIDE_MAX ? (int32_t)pixels : 0;
    return pixels <= WD_CAPTURE_SIDE_MAX ? WD_OK
                                         : wd_error_set(error, WD_EINVAL, "%s: %u pixels, at most %d", field,
                                               pixels, (int)WD_CAPTURE_SIDE_MAX);
}

static wd_status read_capture(const Worldd__V1__ObserveReply *message, wd_capture *capture, wd_error *error)
{
    if (message->screen.len == 0 && message->failure[0] == '\0') {
        return wd_error_set(error, WD_EINVAL, "screen: missing, and no failure says why");
    }
    wd_status status = take_text(message->failure, WD_CAPTURE_TEXT_MAX, "failure", &capture->failure, error);
    status = status == WD_OK
                 ? take_text(message->format, WD_CAPTURE_TEXT_MAX, "format", &capture->format, error)
                 : status;
    status = status == WD_OK ? take_side(message->width, "width", &capture->width, error) : status;
    status = status == WD_OK ? take_side(message->height, "height", &capture->height, error) : status;
    if (status == WD_OK && capture->failure == NULL) {
        status = take_bytes(&message->screen, "screen", &capture->screen, &capture->screen_length, error);
    }
    return status == WD_OK ? take_bytes(&message->companion, "companion", &capture->companion,
                                 &capture->companion_length, error)
                           : status;
}

wd_status wd_codec_unpack_observe_reply(
    const void *body, size_t length, wd_capture **ret_capture, wd_error *error)
{
    codec_arena arena;
    codec_arena_init(&arena, WD_CODEC_BUDGET_MAX);
    const void *message = NULL;
    wd_capture *capture = NULL;
    wd_status status =
        wd_codec_unpack(&worldd__v1__observe_reply__descriptor, body, length, &arena, &message, error);
    if (status == WD_OK) {
        capture = wd_alloc_zero(1, sizeof *capture);
        status = capture == NULL ? wd_error_set(error, WD_ENOMEM, "body: out of memory")
                                 : read_capture(message, capture, error);
    }
    codec_arena_done(&arena);
    if (status != WD_OK) {
        wd_capture_destroy(&capture);
        return status;
    }
    *ret_capture = capture;
    return WD_OK;
}

// ---- executing --------------------------------------------------------------------------------------------------

wd_status wd_codec_pack_execute_request(
    const wd_execute_request *request, uint8_t **ret_body, size_t *ret_length)
{
    Worldd__V1__ExecuteRequest message;
    Worldd__V1__Target target;
    Worldd__V1__Point point, end;
    Worldd__V1__Rect rect;
    worldd__v1__execute_request__init(&message);
    worldd__v1__target__init(&target);
    worldd__v1__point__init(&point);
    worldd__v1__point__init(&end);
    worldd__v1__rect__init(&rect);
    point.x = request->x;
    point.y = request->y;
    end.x = request->end_x;
    end.y = request->end_y;
    target.node = -1;
    target.point = request->has_point ? &point : NULL;
    const wd_node *node = request->node;
    if (node != NULL) {
        rect.left = node->rect.left;
        rect.top = node->rect.top;
        rect.right = node->rect.right;
        rect.bottom = node->rect.bottom;
        target.node = node->id;
        target.rect = &rect;
        target.resource_id = wd_lend_text(node->resource_id);
        target.text = wd_lend_text(node->text);
        target.desc = wd_lend_text(node->desc);
        target.class_name = wd_lend_text(node->class_name);
    }
    wd_value *args = NULL;
    wd_buffer json = { 0 };
    wd_status status = wd_action_args_to_value(request->action, &args);
    status = status == WD_OK ? wd_json_write(args, WD_JSON_COMPACT, &json) : status;
    if (status == WD_OK) {
        message.run_id = wd_lend_text(request->run_id);
        message.action = wd_lend_text(wd_action_kind_name(request->action->kind));
        message.args_json = wd_lend_bytes(json.bytes, json.length);
        message.target = request->has_point ? &target : NULL;
        message.end = request->has_end ? &end : NULL;
        status = wd_codec_pack(&message.base, ret_body, ret_length);
    }
    wd_buffer_done(&json);
    wd_value_unref(&args);
    return status;
}

/// What an executor may say beside the outcome. The first of an outcome is its own.
static const struct {
    wd_outcome outcome;
    wd_status status;
    const char *code;
} result_codes[] = {
    { WD_OUTCOME_OK, WD_OK, "ok" },
    { WD_OUTCOME_OK, WD_OK, "no_effect" },
    { WD_OUTCOME_FAILED, WD_ESTATE, "failed" },
    { WD_OUTCOME_FAILED, WD_ETIMEOUT, "timeout" },
    { WD_OUTCOME_FAILED, WD_ENOENT, "no_such_app" },
    { WD_OUTCOME_FAILED, WD_EGONE, "target_gone" },
    { WD_OUTCOME_REFUSED, WD_ESTATE, "not_executed" },
    { WD_OUTCOME_REFUSED, WD_EGONE, "target_gone" },
    { WD_OUTCOME_REFUSED, WD_ENOENT, "target_missing" },
    { WD_OUTCOME_REFUSED, WD_EAMBIGUOUS, "target_ambiguous" },
    { WD_OUTCOME_REFUSED, WD_EINVAL, "bad_arguments" },
    { WD_OUTCOME_REFUSED, WD_ENOENT, "no_such_app" },
    { WD_OUTCOME_REFUSED, WD_EUNSUPPORTED, "unsupported" },
};

static wd_status read_result(const Worldd__V1__ExecuteReply *message, wd_result *ret_result, wd_error *error)
{
    size_t own = 0, found = WD_COUNT_OF(result_codes), count = WD_COUNT_OF(result_codes);
    while (own < count && strcmp(wd_outcome_name(result_codes[own].outcome), message->outcome) != 0) {
        own++;
    }
    if (own == count) {
        return wd_error_set(
            error, WD_EINVAL, "outcome: \"%.32s\" is none of ok, failed, refused", message->outcome);
    }
    if (strlen(message->code) > WD_RESULT_CODE_MAX) {
        return over("code", strlen(message->code), WD_RESULT_CODE_MAX, error);
    }
    if (strlen(message->text) > WD_CAPTURE_TEXT_MAX) {
        return over("text", strlen(message->text), WD_CAPTURE_TEXT_MAX, error);
    }
    for (size_t i = own; i < count && found == count; i++) {
        bool same = result_codes[i].outcome == result_codes[own].outcome;
        found = same && strcmp(result_codes[i].code, message->code) == 0 ? i : count;
    }
    bool known = found < count, told = message->code[0] != '\0';
    size_t row = known ? found : own;
    *ret_result = wd_result_make(result_codes[row].outcome, result_codes[row].status, result_codes[row].code,
        "%s%s%.*s", known || !told ? "" : message->code,
        known || !told || message->text[0] == '\0' ? "" : ": ", WD_ERROR_TEXT_MAX, message->text);
    return WD_OK;
}

wd_status wd_codec_unpack_execute_reply(
    const void *body, size_t length, wd_result *ret_result, wd_error *error)
{
    codec_arena arena;
    codec_arena_init(&arena, WD_CODEC_BUDGET_MAX);
    const void *message = NULL;
    wd_status status =
        wd_codec_unpack(&worldd__v1__execute_reply__descriptor, body, length, &arena, &message, error);
    status = status == WD_OK ? read_result(message, ret_result, error) : status;
    codec_arena_done(&arena);
    return status;
}
