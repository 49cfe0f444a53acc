// What planners, enrichers and executors answer: whose answer it is, whether it can be read, and what becomes
// of the request.
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

wd_status broker_stray(wd_broker *broker, const broker_peer *peer, uint64_t id, wd_broker_outbox *outbox)
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

static wd_status take_reply(wd_broker *broker, broker_peer *peer, broker_request *request,
    const wd_broker_message *message, wd_broker_outbox *outbox)
{
    broker_answer answer = { 0 };
    wd_error why = { WD_OK, "" };
    wd_status status = request->question->read(request, peer, message, &answer, &why);
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
    wd_capture_destroy(&answer.capture);
    return status;
}

/// PlanError or its like of another role, or an Error that names a request.
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
        if (kind == request->question->reply) {
            return take_reply(broker, peer, request, message, outbox);
        }
        if (kind == peer->role->error || kind == WD_MSG_ERROR) {
            return take_refusal(broker, peer, request, message, kind, now_ms, outbox);
        }
        wd_error why = { WD_OK, "" };
        wd_error_set(&why, WD_EPROTO, "header.kind: %s is no answer to %s", wd_msg_name(kind),
            wd_msg_name(request->question->request));
        return invalid_reply(broker, peer, request, &why, outbox);
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
    return broker_stray(broker, peer, id, outbox);
}
