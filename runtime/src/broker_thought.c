// What a planner thinks while it has a request: told to those who watch, kept nowhere.
#include "broker_internal.h"

#include "codec_check.h"
#include "runtime/codec.h"
#include "tree/text.h"

enum { FIELD_REQUEST_ID = 1 };

wd_status broker_thought(wd_broker *broker, broker_peer *peer, const wd_broker_message *message,
    uint16_t kind, int64_t now_ms, wd_broker_outbox *outbox)
{
    (void)kind, (void)now_ms;
    uint64_t id = wd_codec_peek_varint(message->body, message->body_length, FIELD_REQUEST_ID, 0);
    broker_request *request = broker_request_find(broker, id);
    if (request == NULL || request->asked != peer->serial) {
        return broker_stray(broker, peer, id, outbox);
    }
    wd_error why = { WD_OK, "" };
    if (request->thoughts >= WD_BROKER_THOUGHTS_MAX) {
        wd_status status = WD_OK;
        if (request->thoughts == WD_BROKER_THOUGHTS_MAX) {  // said once
            wd_error_set(&why, WD_ELIMIT,
                "text: %d thoughts of request %llu were told, further ones are dropped",
                (int)WD_BROKER_THOUGHTS_MAX, (unsigned long long)id);
            status = broker_send_error(broker, &peer->id, id, &why, outbox);
        }
        request->thoughts += status == WD_OK && request->thoughts == WD_BROKER_THOUGHTS_MAX;
        broker->stats.thoughts_dropped += status == WD_OK;
        return status;
    }
    char *text = NULL;
    wd_status status = wd_codec_unpack_thought(message->body, message->body_length, &text, &why);
    if (status == WD_OK) {
        status = broker_outbox_think(outbox, id, peer->hello.name, &text);
        request->thoughts += status == WD_OK;
        broker->stats.thoughts += status == WD_OK;
    } else if (status != WD_ENOMEM) {
        broker->stats.malformed++;
        status = broker_send_error(broker, &peer->id, id, &why, outbox);
    }
    wd_text_free(&text);
    return status;
}
