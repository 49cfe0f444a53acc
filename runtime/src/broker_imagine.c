// What-if of a planner while it has a request: handed on to whom the run is known.
#include "broker_internal.h"

#include "codec_check.h"

#include "proto/frame.h"

enum { FIELD_IMAGINE_ID = 1, FIELD_REQUEST_ID = 2 };

/// The Error that answers an Imagine.
static wd_status refuse(wd_broker *broker, const broker_peer *peer, uint64_t imagine_id, uint64_t request_id,
    const wd_error *why, wd_broker_outbox *outbox)
{
    uint8_t *body = NULL;
    size_t length = 0;
    wd_status status = broker_outbox_reserve(outbox, 1, 0);
    if (status == WD_OK) {
        status = wd_codec_pack_imagine_error(imagine_id, request_id, why, &body, &length);
    }
    if (status == WD_OK) {
        broker_outbox_send(outbox, &peer->id, WD_MSG_ERROR, body, length);
        broker->stats.errors_sent++;
    }
    return status;
}

wd_status broker_imagine(wd_broker *broker, broker_peer *peer, const wd_broker_message *message,
    uint16_t kind, int64_t now_ms, wd_broker_outbox *outbox)
{
    (void)kind, (void)now_ms;
    wd_error why = { WD_OK, "" };
    wd_broker_imagine asked = { .peer = peer->id, .hello = peer->hello };
    wd_status status = wd_codec_unpack_imagine(
        message->body, message->body_length, &asked.imagine_id, &asked.request_id, &asked.args, &why);
    if (status == WD_ENOMEM) {
        return status;
    }
    broker->stats.malformed += status != WD_OK;
    const broker_request *request = broker_request_find(broker, asked.request_id);
    if (status == WD_OK && request == NULL) {
        status = wd_error_set(
            &why, WD_ENOENT, "request_id: no request %llu is open", (unsigned long long)asked.request_id);
    } else if (status == WD_OK && request->asked != peer->serial) {
        status = wd_error_set(
            &why, WD_EDENIED, "request_id: %llu is not with this peer", (unsigned long long)asked.request_id);
    }
    if (status == WD_OK) {
        status = broker_outbox_imagine(outbox, &asked);
    } else {
        uint64_t id = wd_codec_peek_varint(message->body, message->body_length, FIELD_IMAGINE_ID, 0);
        uint64_t of = wd_codec_peek_varint(message->body, message->body_length, FIELD_REQUEST_ID, 0);
        status = refuse(broker, peer, id, of, &why, outbox);
    }
    wd_value_unref(&asked.args);
    return status;
}
