#include "broker_internal.h"

#include "runtime/codec.h"
#include "tree/alloc.h"
#include "tree/text.h"

#include <string.h>

enum { OUTBOX_CAPACITY_MIN = 16 };

/// Grow an array of `size`-byte items to hold `count` more.
static wd_status reserve(void *items_p, size_t size, size_t used, size_t count, size_t *capacity)
{
    if (count <= *capacity - used) {
        return WD_OK;
    }
    size_t wanted = used + count > OUTBOX_CAPACITY_MIN ? used + count : OUTBOX_CAPACITY_MIN;
    size_t grown = *capacity * 2 > wanted ? *capacity * 2 : wanted;
    void *items = NULL;
    memcpy(&items, items_p, sizeof items);
    items = wd_realloc(items, *capacity * size, grown * size);
    if (items == NULL) {
        return WD_ENOMEM;
    }
    memcpy(items_p, &items, sizeof items);
    *capacity = grown;
    return WD_OK;
}

wd_status broker_outbox_reserve(wd_broker_outbox *outbox, size_t sends, size_t outcomes)
{
    wd_status status =
        reserve(&outbox->sends, sizeof *outbox->sends, outbox->send_count, sends, &outbox->send_capacity);
    if (status == WD_OK) {
        status = reserve(&outbox->outcomes, sizeof *outbox->outcomes, outbox->outcome_count, outcomes,
            &outbox->outcome_capacity);
    }
    return status;
}

void broker_outbox_send(
    wd_broker_outbox *outbox, const wd_peer_id *peer, uint16_t kind, uint8_t *body, size_t body_length)
{
    wd_assert(outbox->send_count < outbox->send_capacity);
    outbox->sends[outbox->send_count++] =
        (wd_broker_send){ .peer = *peer, .kind = kind, .body = body, .body_length = body_length };
}

void broker_outbox_end(wd_broker_outbox *outbox, const wd_plan_outcome *outcome)
{
    wd_assert(outbox->outcome_count < outbox->outcome_capacity);
    outbox->outcomes[outbox->outcome_count++] = *outcome;
}

wd_status broker_outbox_think(
    wd_broker_outbox *outbox, uint64_t request_id, const char *planner, char **text_p)
{
    wd_status status = reserve(
        &outbox->thoughts, sizeof *outbox->thoughts, outbox->thought_count, 1, &outbox->thought_capacity);
    if (status == WD_OK) {
        wd_broker_thought *thought = &outbox->thoughts[outbox->thought_count++];
        *thought = (wd_broker_thought){ .request_id = request_id, .text = *text_p };
        strcpy(thought->planner, planner);
        *text_p = NULL;
    }
    return status;
}

wd_status broker_outbox_imagine(wd_broker_outbox *outbox, wd_broker_imagine *asked)
{
    wd_status status = reserve(
        &outbox->imagines, sizeof *outbox->imagines, outbox->imagine_count, 1, &outbox->imagine_capacity);
    if (status == WD_OK) {
        outbox->imagines[outbox->imagine_count++] = *asked;
        asked->args = NULL;
    }
    return status;
}

void wd_plan_outcome_done(wd_plan_outcome *outcome)
{
    wd_plan_reply_destroy(&outcome->reply);
    wd_semantic_unref(&outcome->semantic);
    wd_capture_destroy(&outcome->capture);
}

void wd_broker_outbox_clear(wd_broker_outbox *outbox)
{
    for (size_t i = 0; i < outbox->send_count; i++) {
        wd_free(outbox->sends[i].body, outbox->sends[i].body_length);
    }
    for (size_t i = 0; i < outbox->outcome_count; i++) {
        wd_plan_outcome_done(&outbox->outcomes[i]);
    }
    for (size_t i = 0; i < outbox->thought_count; i++) {
        wd_text_free(&outbox->thoughts[i].text);
    }
    for (size_t i = 0; i < outbox->imagine_count; i++) {
        wd_value_unref(&outbox->imagines[i].args);
    }
    outbox->send_count = 0;
    outbox->outcome_count = 0;
    outbox->thought_count = 0;
    outbox->imagine_count = 0;
}

void wd_broker_outbox_done(wd_broker_outbox *outbox)
{
    wd_broker_outbox_clear(outbox);
    wd_free(outbox->sends, outbox->send_capacity * sizeof *outbox->sends);
    wd_free(outbox->outcomes, outbox->outcome_capacity * sizeof *outbox->outcomes);
    wd_free(outbox->thoughts, outbox->thought_capacity * sizeof *outbox->thoughts);
    wd_free(outbox->imagines, outbox->imagine_capacity * sizeof *outbox->imagines);
    *outbox = (wd_broker_outbox){ 0 };
}
