// What can be asked of whom, and how each answer is read.
#include "broker_internal.h"

#include "runtime/codec.h"

#include "proto/frame.h"

#include <string.h>

// ---- plans ------------------------------------------------------------------------------------------------------

/// A point that is nowhere makes its step invalid, by name.
static wd_status refuse_point(wd_action *action, const char *why)
{
    const char *name = wd_action_kind_name(action->kind);
    wd_status status = wd_action_set_text(&action->reason, why, strlen(why));
    if (status == WD_OK) {
        status = wd_action_set_text(&action->raw, name, strlen(name));
    }
    if (status == WD_OK) {
        action->kind = WD_ACTION_INVALID;
    }
    return status;
}

wd_status broker_place_step(const wd_hello *hello, wd_step *step)
{
    wd_action *action = &step->action;
    if (!action->has_point && !action->has_point2) {
        return WD_OK;
    }
    if (wd_object_get(step->args, "space") == NULL) {
        action->space = hello->space;
    }
    if (action->space == WD_SPACE_MODEL) {
        if (hello->model_width == 0 || hello->model_height == 0) {
            return refuse_point(action, "args.space: \"model\" needs model_width and model_height in Hello");
        }
        action->x /= hello->model_width;
        action->x2 /= hello->model_width;
        action->y /= hello->model_height;
        action->y2 /= hello->model_height;
        action->space = WD_SPACE_NORM1;
    }
    bool inside = (!action->has_point || wd_space_holds(action->space, action->x, action->y)) &&
                  (!action->has_point2 || wd_space_holds(action->space, action->x2, action->y2));
    return inside ? WD_OK : refuse_point(action, "args.x, args.y: outside of the planner's coordinate space");
}

static wd_status place_points(const wd_hello *hello, wd_plan_reply *reply)
{
    wd_status status = WD_OK;
    for (size_t i = 0; i < reply->step_count && status == WD_OK; i++) {
        status = broker_place_step(hello, &reply->steps[i]);
    }
    return status;
}

static wd_status read_plan(const broker_request *request, const broker_peer *peer,
    const wd_broker_message *message, broker_answer *ret_answer, wd_error *why)
{
    (void)request;
    wd_plan_reply *reply = NULL;
    wd_status status = wd_codec_unpack_plan_reply(message->body, message->body_length, &reply, why);
    if (status == WD_OK) {
        status = broker_read_dialect(&peer->hello, reply, why);
    }
    if (status == WD_OK) {
        status = place_points(&peer->hello, reply);
    }
    if (status != WD_OK) {
        wd_plan_reply_destroy(&reply);
        return status;
    }
    ret_answer->reply = reply;
    return WD_OK;
}

// ---- the others -------------------------------------------------------------------------------------------------

static wd_status read_meaning(const broker_request *request, const broker_peer *peer,
    const wd_broker_message *message, broker_answer *ret_answer, wd_error *why)
{
    return wd_codec_unpack_enrich_reply(
        message->body, message->body_length, &request->ground, peer->hello.name, &ret_answer->semantic, why);
}

static wd_status read_capture(const broker_request *request, const broker_peer *peer,
    const wd_broker_message *message, broker_answer *ret_answer, wd_error *why)
{
    (void)request, (void)peer;
    return wd_codec_unpack_observe_reply(message->body, message->body_length, &ret_answer->capture, why);
}

static wd_status read_result(const broker_request *request, const broker_peer *peer,
    const wd_broker_message *message, broker_answer *ret_answer, wd_error *why)
{
    (void)request, (void)peer;
    return wd_codec_unpack_execute_reply(message->body, message->body_length, &ret_answer->result, why);
}

const broker_question broker_plan = { &broker_planner, WD_MSG_PLAN_REQUEST, WD_MSG_PLAN_REPLY, read_plan };
const broker_question broker_enrich = { &broker_enricher, WD_MSG_ENRICH_REQUEST, WD_MSG_ENRICH_REPLY,
    read_meaning };
const broker_question broker_observe = { &broker_executor, WD_MSG_OBSERVE_REQUEST, WD_MSG_OBSERVE_REPLY,
    read_capture };
const broker_question broker_execute = { &broker_executor, WD_MSG_EXECUTE_REQUEST, WD_MSG_EXECUTE_REPLY,
    read_result };
