// Unpacking a PlanReply: everything a planner may get wrong is found here and named.
#include "runtime/codec.h"

#include "codec_message.h"
#include "tree/json.h"
#include "tree/text.h"

#include "proto/worldd.pb-c.h"

#include <math.h>
#include <string.h>

/// An optional text: "" stays NULL. *ret_text is freed with wd_text_free().
static wd_status take_text(
    const char *text, size_t length_max, const char *field, char **ret_text, wd_error *error)
{
    size_t length = strlen(text);
    if (length > length_max) {
        return wd_error_set(error, WD_ELIMIT, "%s: has %zu bytes, at most %zu", field, length, length_max);
    }
    if (length == 0) {
        return WD_OK;
    }
    *ret_text = wd_strndup(text, length);
    return *ret_text == NULL ? wd_error_set(error, WD_ENOMEM, "%s: out of memory", field) : WD_OK;
}

void wd_plan_reply_destroy(wd_plan_reply **reply_p)
{
    wd_plan_reply *reply = *reply_p;
    if (reply == NULL) {
        return;
    }
    for (size_t i = 0; i < reply->step_count; i++) {
        wd_step_done(&reply->steps[i]);
    }
    wd_text_free(&reply->model);
    wd_text_free(&reply->raw_reply);
    wd_text_free(&reply->dialect);
    wd_free(reply, sizeof *reply);
    *reply_p = NULL;
}

/// Absent arguments stay NULL.
static wd_status read_args(const ProtobufCBinaryData *json, wd_value **ret_args, wd_error *error)
{
    if (json->len == 0) {
        return WD_OK;
    }
    wd_value *args = NULL;
    wd_status status = wd_json_parse((const char *)json->data, json->len, &args, error);
    if (status != WD_OK) {
        return status;
    }
    if (!wd_value_is(args, WD_KIND_OBJECT)) {
        status = wd_error_set(error, WD_ETYPE, "must be an object, is %s", wd_kind_name(wd_value_kind(args)));
        wd_value_unref(&args);
        return status;
    }
    *ret_args = args;
    return WD_OK;
}

/// The planner meant something, but not what we know: the step stays, to be refused by name.
static wd_status make_invalid(const char *name, const wd_error *why, wd_action *ret_action)
{
    wd_action_init(ret_action, WD_ACTION_INVALID);
    wd_status status = wd_action_set_text(&ret_action->reason, why->text, strlen(why->text));
    if (status == WD_OK) {
        status = wd_action_set_text(&ret_action->raw, name, strlen(name));
    }
    return status;
}

wd_status wd_codec_read_action(const char *name, const wd_value *args, wd_action *ret_action)
{
    wd_value *none = wd_value_object();
    wd_error why = { WD_OK, "" };
    wd_status status = wd_action_from_value(name, args == NULL ? none : args, ret_action, &why);
    wd_value_unref(&none);
    if (status == WD_OK || status == WD_ENOMEM) {
        return status;
    }
    if (status == WD_ENOENT) {
        wd_error_set(&why, WD_ENOENT, "action: unknown action \"%.64s\"", name);
    }
    return make_invalid(name, &why, ret_action);
}

/// On an error *step is what wd_step_done() takes.
static wd_status read_step(const Worldd__V1__PlannedStep *message, wd_step *step, wd_error *error)
{
    *step = (wd_step){ 0 };
    wd_action_init(&step->action, WD_ACTION_INVALID);
    wd_status status = read_args(&message->args_json, &step->args, error);
    if (status != WD_OK) {
        wd_error_prefix(error, "args_json");
        return status;
    }
    status = take_text(message->thought, WD_PLAN_THOUGHT_MAX, "thought", &step->thought, error);
    if (status == WD_OK && wd_codec_read_action(message->action, step->args, &step->action) != WD_OK) {
        status = wd_error_set(error, WD_ENOMEM, "action: out of memory");
    }
    return status;
}

static wd_status read_steps(const Worldd__V1__PlanReply *message, wd_plan_reply *reply, wd_error *error)
{
    if (message->n_steps > WD_PLAN_STEPS_MAX) {
        return wd_error_set(
            error, WD_ELIMIT, "steps: %zu given, at most %d", message->n_steps, (int)WD_PLAN_STEPS_MAX);
    }
    for (size_t i = 0; i < message->n_steps; i++) {
        wd_error why = { WD_OK, "" };
        reply->step_count = i + 1;  // so that a half-read step is freed with the rest
        wd_status status = read_step(message->steps[i], &reply->steps[i], &why);
        if (status != WD_OK) {
            return wd_error_set(error, status, "steps[%zu].%s", i, why.text);
        }
    }
    return WD_OK;
}

static wd_status read_reply(const Worldd__V1__PlanReply *message, wd_plan_reply *reply, wd_error *error)
{
    reply->request_id = message->request_id;
    reply->tokens_in = message->tokens_in;
    reply->tokens_out = message->tokens_out;
    reply->cost = message->cost;
    bool has_raw = message->raw_reply[0] != '\0';
    if (!isfinite(message->cost) || message->cost < 0) {
        return wd_error_set(error, WD_EINVAL, "cost: must be a finite number, 0 or more");
    }
    if (has_raw && message->n_steps > 0) {
        return wd_error_set(error, WD_EINVAL, "raw_reply: given beside steps; a reply has one or the other");
    }
    if (!has_raw && message->n_steps == 0) {
        return wd_error_set(error, WD_EINVAL, "steps: none given, and no raw_reply");
    }
    if (has_raw && message->dialect[0] == '\0') {
        return wd_error_set(error, WD_EINVAL, "dialect: needed beside raw_reply");
    }
    wd_status status = take_text(message->model, WD_PLAN_MODEL_MAX, "model", &reply->model, error);
    if (status == WD_OK) {
        status = take_text(message->raw_reply, WD_PLAN_RAW_MAX, "raw_reply", &reply->raw_reply, error);
    }
    if (status == WD_OK) {
        status = take_text(message->dialect, WD_PLAN_MODEL_MAX, "dialect", &reply->dialect, error);
    }
    return status == WD_OK ? read_steps(message, reply, error) : status;
}

wd_status wd_codec_unpack_plan_reply(
    const void *body, size_t length, wd_plan_reply **ret_reply, wd_error *error)
{
    codec_arena arena;
    codec_arena_init(&arena, WD_CODEC_BUDGET_MAX);
    wd_plan_reply *reply = NULL;
    const void *message = NULL;
    wd_status status =
        wd_codec_unpack(&worldd__v1__plan_reply__descriptor, body, length, &arena, &message, error);
    if (status != WD_OK) {
        goto done;
    }
    reply = wd_alloc_zero(1, sizeof *reply);
    if (reply == NULL) {
        status = wd_error_set(error, WD_ENOMEM, "body: out of memory");
        goto done;
    }
    status = read_reply(message, reply, error);
    if (status == WD_OK) {
        *ret_reply = reply;
        reply = NULL;
    }
done:
    wd_plan_reply_destroy(&reply);
    codec_arena_done(&arena);
    return status;
}
