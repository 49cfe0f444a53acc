// The life of a request: waiting -> asked -> (waiting -> asked)* -> ended, exactly once.
#include "broker_internal.h"

#include "runtime/codec.h"
#include "tree/alloc.h"

#include "proto/frame.h"

#include <string.h>

// Of PlanRequest, EnrichRequest, ObserveRequest and ExecuteRequest alike; all varints.
enum { FIELD_REQUEST_ID = 1, FIELD_ATTEMPT = 3, FIELD_DEADLINE_MS = 4 };

void broker_request_destroy(broker_request **request_p)
{
    broker_request *request = *request_p;
    if (request == NULL) {
        return;
    }
    wd_free(request->body, request->body_length);
    wd_free(request, sizeof *request);
    *request_p = NULL;
}

/// Index of the first request whose id is not below `id`.
static size_t request_index(const wd_broker *broker, uint64_t id)
{
    size_t low = 0, high = broker->request_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (broker->requests[middle]->id < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

broker_request *broker_request_find(const wd_broker *broker, uint64_t id)
{
    size_t index = request_index(broker, id);
    bool found = index < broker->request_count && broker->requests[index]->id == id;
    return found ? broker->requests[index] : NULL;
}

/// The planner that has it, has it no longer.
static void request_release(wd_broker *broker, broker_request *request)
{
    broker_peer *peer = broker_peer_by_serial(broker, request->asked);
    if (peer != NULL) {
        peer->inflight--;
    }
    if (request->asked != 0) {
        request->asked = 0;
        broker->waiting_count++;
    }
}

/// Build the PlanCancel for the planner that has the request; *ret_peer is NULL when there is nobody to tell.
static wd_status build_cancel(const wd_broker *broker, const broker_request *request, const char *reason,
    broker_peer **ret_peer, uint8_t **ret_body, size_t *ret_length)
{
    broker_peer *peer = reason == NULL ? NULL : broker_peer_by_serial(broker, request->asked);
    *ret_peer = peer != NULL && !peer->gone ? peer : NULL;
    return *ret_peer == NULL ? WD_OK : wd_codec_pack_plan_cancel(request->id, reason, ret_body, ret_length);
}

wd_status broker_request_end(wd_broker *broker, broker_request *request, wd_plan_end end,
    broker_answer *answer, const wd_error *error, const char *tell, wd_broker_outbox *outbox)
{
    wd_status status = broker_outbox_reserve(outbox, 1, 1);
    broker_peer *peer = NULL;
    uint8_t *body = NULL;
    size_t body_length = 0;
    if (status == WD_OK) {
        status = build_cancel(broker, request, tell, &peer, &body, &body_length);
    }
    if (status != WD_OK) {
        return status;
    }
    if (peer != NULL) {
        broker_outbox_send(outbox, &peer->id, request->question->role->cancel, body, body_length);
    }
    wd_plan_outcome outcome = { .request_id = request->id, .end = end, .attempt = request->attempt };
    if (answer != NULL) {
        outcome.reply = answer->reply;
        outcome.semantic = answer->semantic;
        outcome.capture = answer->capture;
        outcome.result = answer->result;
        *answer = (broker_answer){ 0 };
    }
    strcpy(outcome.planner, request->asked_name);
    if (error != NULL) {
        outcome.error = *error;
    }
    broker_outbox_end(outbox, &outcome);
    request_release(broker, request);
    broker->waiting_count--;
    // An invalid answer is an answer: what comes after it is a repetition.
    broker->closed[request->id % WD_BROKER_CLOSED_MAX] = (broker_closed){
        .id = request->id,
        .answered = end == WD_PLAN_REPLY || end == WD_PLAN_INVALID || end == WD_PLAN_REFUSED,
    };
    size_t index = request_index(broker, request->id);
    broker->request_count--;
    memmove(&broker->requests[index], &broker->requests[index + 1],
        (broker->request_count - index) * sizeof broker->requests[0]);
    broker_request_destroy(&request);
    return WD_OK;
}

// ---- asking ---------------------------------------------------------------------------------------------------

static size_t put_varint(uint8_t *at, uint32_t field, uint64_t number)
{
    size_t length = 0;
    at[length++] = (uint8_t)(field << 3);
    while (number >= 0x80) {
        at[length++] = (uint8_t)(number | 0x80);
        number >>= 7;
    }
    at[length++] = (uint8_t)number;
    return length;
}

/// Send the request to `peer`.
static wd_status request_ask(
    wd_broker *broker, broker_request *request, broker_peer *peer, int64_t now_ms, wd_broker_outbox *outbox)
{
    if (request->lease != NULL) {
        request->deadline_ms = now_ms + request->attempt_ms;  // its time begins when it is sent
    }
    int64_t left_ms = request->deadline_ms - now_ms;
    int64_t attempt_ms = left_ms < request->attempt_ms ? left_ms : (int64_t)request->attempt_ms;
    uint8_t patch[BROKER_PATCH_MAX];
    size_t patch_length = put_varint(patch, FIELD_REQUEST_ID, request->id);
    patch_length += put_varint(patch + patch_length, FIELD_ATTEMPT, request->attempt + 1);
    patch_length += put_varint(patch + patch_length, FIELD_DEADLINE_MS, (uint32_t)attempt_ms);

    wd_status status = broker_outbox_reserve(outbox, 1, 0);
    uint8_t *body = status == WD_OK ? wd_alloc(request->body_length + patch_length) : NULL;
    if (body == NULL) {
        return WD_ENOMEM;
    }
    if (request->body_length > 0) {
        memcpy(body, request->body, request->body_length);
    }
    memcpy(body + request->body_length, patch, patch_length);
    broker_outbox_send(
        outbox, &peer->id, request->question->request, body, request->body_length + patch_length);

    request->tried[request->attempt++] = peer->serial;
    request->asked = peer->serial;
    request->attempt_until_ms = now_ms + attempt_ms;
    strcpy(request->asked_name, peer->hello.name);
    if (request->lease != NULL) {
        broker_lease_hold(request->lease, peer);
    }
    peer->inflight++;
    peer->assigned_last = ++broker->assign_count;
    broker->waiting_count--;
    broker_due(broker, request->attempt_until_ms);
    return WD_OK;
}

/// A waiting request: give it to somebody, let it wait on, or end it.
static wd_status request_settle(
    wd_broker *broker, broker_request *request, int64_t now_ms, wd_broker_outbox *outbox)
{
    bool possible = false;
    broker_peer *peer = broker_peer_pick(broker, request, &possible);
    if (peer != NULL) {
        return request_ask(broker, request, peer, now_ms, outbox);
    }
    if (!possible && now_ms >= request->wait_until_ms) {
        if (request->lease != NULL && request->cause == WD_PLAN_NO_PLANNER) {
            broker_lease_explain(broker, request);
        }
        return broker_request_end(broker, request, request->cause, NULL, &request->error, NULL, outbox);
    }
    bool wait_ends_first = !possible && request->wait_until_ms < request->deadline_ms;
    broker_due(broker, wait_ends_first ? request->wait_until_ms : request->deadline_ms);
    return WD_OK;
}

wd_status broker_requests_dispatch(wd_broker *broker, int64_t now_ms, wd_broker_outbox *outbox)
{
    for (size_t i = 0; broker->waiting_count > 0 && i < broker->request_count;) {
        broker_request *request = broker->requests[i];
        if (request->asked == 0) {
            uint64_t id = request->id;
            wd_status status = request_settle(broker, request, now_ms, outbox);
            if (status != WD_OK) {
                return status;
            }
            if (i >= broker->request_count || broker->requests[i]->id != id) {
                continue;  // it ended, and the next one moved up
            }
        }
        i++;
    }
    return WD_OK;
}

wd_status broker_request_new(const wd_broker *broker, const broker_question *question, const char *name,
    const void *body, size_t body_length, broker_request **ret_request)
{
    wd_assert(broker != NULL && (body != NULL || body_length == 0));
    wd_assert(name == NULL || strlen(name) <= WD_PEER_NAME_MAX);

    if (broker->request_count == WD_BROKER_REQUESTS_MAX) {
        return WD_ELIMIT;
    }
    broker_request *request = wd_alloc_zero(1, sizeof *request);
    if (request == NULL) {
        return WD_ENOMEM;
    }
    if (body_length > 0) {
        request->body = wd_alloc(body_length);
        if (request->body == NULL) {
            broker_request_destroy(&request);
            return WD_ENOMEM;
        }
        memcpy(request->body, body, body_length);
        request->body_length = body_length;
    }
    request->id = broker->request_last + 1;
    request->question = question;
    request->attempts_max = broker->options.planner_attempts;
    request->attempt_ms = broker->options.attempt_timeout_ms;
    request->cause = WD_PLAN_NO_PLANNER;
    const char *role = question->role->name;
    if (name == NULL) {
        wd_error_set(&request->error, WD_ENOPEER, "no %s is connected", role);
    } else {
        strcpy(request->planner, name);
        wd_error_set(&request->error, WD_ENOPEER, "no %s named %s is connected", role, name);
    }
    *ret_request = request;
    return WD_OK;
}

wd_status broker_request_open(wd_broker *broker, broker_request *request, int64_t now_ms,
    uint64_t *ret_request_id, wd_broker_outbox *outbox)
{
    broker->requests[broker->request_count++] = request;
    broker->waiting_count++;
    wd_status status = request_settle(broker, request, now_ms, outbox);
    if (status != WD_OK) {
        broker->request_count--;
        broker->waiting_count--;
        broker_request_destroy(&request);
        return status;
    }
    broker->request_last++;
    broker->stats.requests++;
    *ret_request_id = broker->request_last;
    return WD_OK;
}

wd_status wd_broker_request(wd_broker *broker, const char *planner, const void *body, size_t body_length,
    uint32_t deadline_ms, uint32_t wait_ms, int64_t now_ms, uint64_t *ret_request_id,
    wd_broker_outbox *outbox)
{
    wd_assert(deadline_ms > 0);
    broker_request *request = NULL;
    wd_status status = broker_request_new(broker, &broker_plan, planner, body, body_length, &request);
    if (status != WD_OK) {
        return status;
    }
    request->deadline_ms = now_ms + deadline_ms;
    request->wait_ms = wait_ms;
    request->wait_until_ms = now_ms + wait_ms;
    return broker_request_open(broker, request, now_ms, ret_request_id, outbox);
}

wd_status wd_broker_request_enrich(wd_broker *broker, const char *enricher, const void *body,
    size_t body_length, const wd_enrich_ground *ground, uint32_t deadline_ms, int64_t now_ms,
    uint64_t *ret_request_id, wd_broker_outbox *outbox)
{
    wd_assert(deadline_ms > 0 && ground != NULL);
    broker_request *request = NULL;
    wd_status status = broker_request_new(broker, &broker_enrich, enricher, body, body_length, &request);
    if (status != WD_OK) {
        return status;
    }
    request->ground = *ground;
    request->deadline_ms = now_ms + deadline_ms;
    request->wait_until_ms = now_ms;
    return broker_request_open(broker, request, now_ms, ret_request_id, outbox);
}

wd_status wd_broker_cancel(
    wd_broker *broker, uint64_t request_id, const char *reason, int64_t now_ms, wd_broker_outbox *outbox)
{
    broker_request *request = broker_request_find(broker, request_id);
    if (request == NULL) {
        return WD_OK;
    }
    wd_error error = { WD_OK, "" };
    wd_error_set(&error, WD_ECANCELED, "%s", reason);
    wd_status status = broker_request_end(broker, request, WD_PLAN_CANCELED, NULL, &error, reason, outbox);
    if (status == WD_OK) {
        broker_settle(broker, now_ms, outbox);
    }
    return status;
}

// ---- failing --------------------------------------------------------------------------------------------------

wd_status broker_request_lose(wd_broker *broker, broker_request *request, wd_plan_end cause,
    const wd_error *why, const char *tell, int64_t now_ms, wd_broker_outbox *outbox)
{
    wd_status status = broker_outbox_reserve(outbox, 1, 0);
    broker_peer *peer = NULL;
    uint8_t *body = NULL;
    size_t body_length = 0;
    if (status == WD_OK) {
        status = build_cancel(broker, request, tell, &peer, &body, &body_length);
    }
    if (status != WD_OK) {
        return status;
    }
    if (peer != NULL) {
        broker_outbox_send(outbox, &peer->id, request->question->role->cancel, body, body_length);
    }
    request_release(broker, request);
    request->cause = cause;
    request->error = *why;
    bool again = request->attempt < request->attempts_max;
    request->wait_until_ms = again ? now_ms + request->wait_ms : now_ms;
    if (request_settle(broker, request, now_ms, outbox) != WD_OK) {
        broker_due(broker, now_ms);  // it waits; the next tick sees to it
    }
    return WD_OK;
}

/// The deadline passed.
static wd_status request_expire(wd_broker *broker, broker_request *request, wd_broker_outbox *outbox)
{
    wd_plan_end end = request->cause;
    wd_error error = request->error;
    bool possible = false;
    (void)broker_peer_pick(broker, request, &possible);
    if (request->asked != 0) {
        end = WD_PLAN_TOO_LATE;
        wd_error_set(&error, WD_ETIMEOUT, "%s %s did not answer before the deadline",
            request->question->role->name, request->asked_name);
    } else if (end == WD_PLAN_NO_PLANNER && possible) {
        end = WD_PLAN_TOO_LATE;
        wd_error_set(
            &error, WD_ETIMEOUT, "every %s was busy until the deadline", request->question->role->name);
    }
    broker_peer *peer = broker_peer_by_serial(broker, request->asked);
    wd_status status = broker_request_end(broker, request, end, NULL, &error, "deadline", outbox);
    if (status == WD_OK && peer != NULL) {
        peer->late_streak++;
    }
    return status;
}

static wd_status request_tick(
    wd_broker *broker, broker_request *request, int64_t now_ms, wd_broker_outbox *outbox)
{
    if (now_ms >= request->deadline_ms) {
        return request_expire(broker, request, outbox);
    }
    if (request->asked == 0) {
        return request_settle(broker, request, now_ms, outbox);
    }
    if (now_ms < request->attempt_until_ms) {
        broker_due(broker, request->attempt_until_ms);
        return WD_OK;
    }
    wd_error why = { WD_OK, "" };
    wd_error_set(&why, WD_ETIMEOUT, "%s %s did not answer within %u ms", request->question->role->name,
        request->asked_name, request->attempt_ms);
    broker_peer *peer = broker_peer_by_serial(broker, request->asked);
    wd_status status =
        broker_request_lose(broker, request, WD_PLAN_TOO_LATE, &why, "attempt timeout", now_ms, outbox);
    if (status == WD_OK && peer != NULL) {
        peer->late_streak++;
    }
    return status;
}

wd_status broker_requests_tick(wd_broker *broker, int64_t now_ms, wd_broker_outbox *outbox)
{
    for (size_t i = 0; i < broker->request_count;) {
        uint64_t id = broker->requests[i]->id;
        wd_status status = request_tick(broker, broker->requests[i], now_ms, outbox);
        if (status != WD_OK) {
            return status;
        }
        if (i < broker->request_count && broker->requests[i]->id == id) {
            i++;
        }
    }
    return WD_OK;
}
