// What planners and enrichers answer: whose answer it is, whether it can be read, and what becomes of the request.
#include "broker_internal.h"

#include "codec_check.h"
#include "runtime/codec.h"

#include "proto/frame.h"

#include <string.h>

enum { FIELD_REQUEST_ID = 1 };  // of all that a peer answers

static bool request_tried(const broker_request *request, const broker_peer *peer)
{
    for (uint32_t i = 0; i < request->attempt; i++) {
        if (request->tried[i] == peer->serial) {
            return true;
        }
    }
    return false;
}

/// An answer that no request waits for: count it by what it is, and say so.
static wd_status stray_reply(
    wd_broker *broker, const broker_peer *peer, uint64_t id, wd_broker_outbox *outbox)
{
    const broker_request *open = broker_request_find(broker, id);
    const broker_closed *closed = &broker->closed[id % WD_BROKER_CLOSED_MAX];
    unsigned long long number = id;
    uint64_t *count = &broker->stats.late_replies;
    wd_error why = { WD_OK, "" };
    if (id == 0 || id > broker->request_last) {
        count = &broker->stats.unknown_replies;
        wd_error_set(&why, WD_ENOENT, "request_id: %llu was never made", number);
    } else if (open != NULL && !request_tried(open, peer)) {
        count = &broker->stats.unknown_replies;
        wd_error_set(&why, WD_EDENIED, "request_id: %llu was not given to this peer", number);
    } else if (open != NULL) {
        wd_error_set(&why, WD_EOUTDATED, "request_id: %llu was taken from this peer: too late", number);
    } else if (closed->id == id && closed->answered) {
        count = &broker->stats.repeated_replies;
        wd_error_set(&why, WD_EEXIST, "request_id: %llu was answered already", number);
    } else {
        wd_error_set(&why, WD_EOUTDATED, "request_id: %llu has ended: too late", number);
    }
    wd_status status = broker_send_error(broker, &peer->id, id, &why, outbox);
    *count += status == WD_OK;
    return status;
}

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

/// Points without a space of their own are in the planner's; the model's own pixels become shares of its image.
static wd_status place_step(const wd_hello *hello, wd_step *step)
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
        status = place_step(hello, &reply->steps[i]);
    }
    return status;
}

/// The planner's answer cannot be read: it is told, and so is the run.
static wd_status invalid_reply(wd_broker *broker, broker_peer *peer, broker_request *request,
    const wd_error *why, wd_broker_outbox *outbox)
{
    wd_status status = broker_outbox_reserve(outbox, 2, 1);
    if (status == WD_OK) {
        status = broker_send_error(broker, &peer->id, request->id, why, outbox);
    }
    if (status == WD_OK) {
        broker->stats.malformed++;
        peer->late_streak = 0;
        status = broker_request_end(broker, request, WD_PLAN_INVALID, NULL, why, NULL, outbox);
    }
    return status;
}

/// @retval WD_ENOMEM  nothing was found out. Others: the reply is wrong, `why` names the field.
static wd_status read_plan(
    const broker_peer *peer, const wd_broker_message *message, wd_plan_reply **ret_reply, wd_error *why)
{
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
    *ret_reply = reply;
    return WD_OK;
}

static wd_status take_reply(wd_broker *broker, broker_peer *peer, broker_request *request,
    const wd_broker_message *message, wd_broker_outbox *outbox)
{
    broker_answer answer = { NULL, NULL };
    wd_error why = { WD_OK, "" };
    wd_status status = peer->role == &broker_planner
                           ? read_plan(peer, message, &answer.reply, &why)
                           : wd_codec_unpack_enrich_reply(message->body, message->body_length,
                                 &request->ground, peer->hello.name, &answer.semantic, &why);
    if (status != WD_OK) {
        return status == WD_ENOMEM ? status : invalid_reply(broker, peer, request, &why, outbox);
    }
    status = broker_request_end(broker, request, WD_PLAN_REPLY, &answer, NULL, NULL, outbox);
    if (status == WD_OK) {
        peer->replies++;
        peer->late_streak = 0;
        broker->stats.replies++;
    }
    wd_plan_reply_destroy(&answer.reply);
    wd_semantic_unref(&answer.semantic);
    return status;
}

/// PlanError or EnrichError, or an Error that names a request.
static wd_status take_refusal(wd_broker *broker, broker_peer *peer, broker_request *request,
    const wd_broker_message *message, uint16_t kind, int64_t now_ms, wd_broker_outbox *outbox)
{
    wd_notice notice;
    wd_error why = { WD_OK, "" };
    wd_status status = wd_codec_unpack_notice(kind, message->body, message->body_length, &notice, &why);
    if (status == WD_ENOMEM) {
        return status;
    }
    if (status != WD_OK) {
        return invalid_reply(broker, peer, request, &why, outbox);
    }
    wd_error_set(
        &why, WD_EPEERLOST, "%s %s refused: %s", peer->role->name, peer->hello.name, notice.error.text);
    peer->late_streak = 0;
    return notice.retryable
               ? broker_request_lose(broker, request, WD_PLAN_REFUSED, &why, NULL, now_ms, outbox)
               : broker_request_end(broker, request, WD_PLAN_REFUSED, NULL, &why, NULL, outbox);
}

wd_status broker_reply(wd_broker *broker, broker_peer *peer, const wd_broker_message *message, uint16_t kind,
    int64_t now_ms, wd_broker_outbox *outbox)
{
    uint64_t id = wd_codec_peek_varint(message->body, message->body_length, FIELD_REQUEST_ID, 0);
    broker_request *request = broker_request_find(broker, id);
    if (request != NULL && request->asked == peer->serial) {
        return kind == peer->role->reply ? take_reply(broker, peer, request, message, outbox)
                                         : take_refusal(broker, peer, request, message, kind, now_ms, outbox);
    }
    if (kind == WD_MSG_ERROR) {
        return WD_OK;  // an error is never answered with an error
    }
    if (id == 0 && kind == WD_MSG_PLAN_REPLY) {  // more to say than that there is no id
        wd_plan_reply *reply = NULL;
        wd_error why = { WD_OK, "" };
        wd_status status = wd_codec_unpack_plan_reply(message->body, message->body_length, &reply, &why);
        wd_plan_reply_destroy(&reply);
        if (status != WD_OK) {
            broker->stats.malformed += status != WD_ENOMEM;
            return status == WD_ENOMEM ? status : broker_send_error(broker, &peer->id, 0, &why, outbox);
        }
    }
    return stray_reply(broker, peer, id, outbox);
}
