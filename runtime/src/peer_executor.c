#include "peer_executor.h"

#include "execute_aim.h"
#include "tree/alloc.h"

#include <stdio.h>
#include <string.h>

wd_status wd_peer_executor_start(wd_peer_executor *peer, wd_broker *broker, const char *executor,
    const char *run_id, uint32_t deadline_ms, uint32_t wait_ms)
{
    *peer = (wd_peer_executor){
        .broker = broker,
        .run_id = run_id,
        .deadline_ms = deadline_ms,
        .wait_ms = wait_ms,
        .name = "peer",
    };
    if (executor != NULL) {
        snprintf(peer->name, sizeof peer->name, "peer:%s", executor);
    }
    return wd_broker_lease_open(broker, executor, &peer->lease);
}

void wd_peer_executor_done(wd_peer_executor *peer)
{
    wd_seen_screens_done(&peer->seen);
    wd_scene_unref(&peer->present);
    peer->lease = 0;
}

void wd_peer_executor_end(wd_peer_executor *peer, int64_t now_ms, wd_broker_outbox *outbox)
{
    wd_broker_lease_close(peer->broker, peer->lease, now_ms, outbox);
    wd_peer_executor_done(peer);
}

const char *wd_peer_executor_name(wd_peer_executor *peer)
{
    const char *chosen = wd_broker_lease_executor(peer->broker, peer->lease);
    if (chosen[0] != '\0') {
        snprintf(peer->name, sizeof peer->name, "peer:%s", chosen);
    }
    return peer->name;
}

bool wd_peer_executor_is_known(wd_peer_executor *peer)
{
    return strcmp(wd_peer_executor_name(peer), "peer") != 0;
}

/// Ask; the body is freed. @retval WD_EBUSY the answer comes later.
static wd_status ask(wd_peer_executor *peer, bool execute, uint32_t more_ms, uint8_t *body, size_t length)
{
    wd_executor_ask ask = {
        .lease = peer->lease,
        .execute = execute,
        .body = body,
        .body_length = length,
        .deadline_ms = peer->deadline_ms + more_ms,
        .wait_ms = peer->wait_ms,
    };
    peer->executing = execute;
    wd_status status =
        wd_broker_request_executor(peer->broker, &ask, peer->now_ms, &peer->request, peer->outbox);
    wd_free(body, length);
    return status == WD_OK ? WD_EBUSY : status;
}

static wd_status peer_observe(void *context, wd_observation *ret_observation)
{
    (void)ret_observation;
    wd_peer_executor *peer = context;
    uint8_t *body = NULL;
    size_t length = 0;
    wd_status status = wd_codec_pack_observe_request(peer->run_id, &body, &length);
    return status == WD_OK ? ask(peer, false, 0, body, length) : status;
}

static wd_status peer_execute(
    void *context, const wd_action *action, const wd_scene *planned_on, wd_result *ret_result)
{
    wd_peer_executor *peer = context;
    wd_aim_ground ground = {
        .scene = peer->present,
        .planned_on = planned_on,
        .width = peer->seen.width,
        .height = peer->seen.height,
    };
    wd_execute_request request = { .run_id = peer->run_id };
    if (!wd_execute_aim(action, &ground, &request, ret_result)) {
        return WD_OK;
    }
    uint8_t *body = NULL;
    size_t length = 0;
    wd_status status = wd_codec_pack_execute_request(&request, &body, &length);
    uint32_t more_ms = action->ms > 0 ? (uint32_t)action->ms : 0;  // a wait takes as long as it says
    return status == WD_OK ? ask(peer, true, more_ms, body, length) : status;
}

wd_executor wd_peer_executor_as_executor(wd_peer_executor *peer)
{
    return (
        wd_executor){ .context = peer, .observe = peer_observe, .execute = peer_execute, .name = peer->name };
}

// ---- answers ----------------------------------------------------------------------------------------------------

/// What was captured, read. What cannot be read is an observation without a scene.
static wd_status read_capture(
    wd_peer_executor *peer, const wd_capture *capture, wd_observation *ret_observation)
{
    wd_error failure = { 0 }, why = { 0 };
    wd_scene *scene = NULL;
    wd_status status = WD_OK;
    peer->seen.width = capture->width > 0 ? capture->width : peer->seen.width;
    peer->seen.height = capture->height > 0 ? capture->height : peer->seen.height;
    if (capture->failure != NULL) {
        wd_error_set(&failure, WD_ECORRUPT, "%s", capture->failure);
    } else {
        wd_screen_post post = {
            .bytes = capture->screen,
            .length = capture->screen_length,
            .format = capture->format,
            .companion = capture->companion,
            .companion_length = capture->companion_length,
        };
        status = wd_seen_screens_read(&peer->seen, &post, &scene, &failure, &why);
    }
    if (status == WD_ENOMEM) {
        return status;
    }
    if (status != WD_OK) {  // a format that worldd does not know
        failure = why;
    }
    if (scene != NULL) {
        wd_seen_screens_remember(&peer->seen, scene);
    }
    wd_scene_unref(&peer->present);
    peer->present = wd_scene_ref(scene);
    *ret_observation = (wd_observation){ .scene = scene };
    snprintf(
        ret_observation->failure, sizeof ret_observation->failure, "%s", scene == NULL ? failure.text : "");
    return WD_OK;
}

/// An answer that was wrong: it was seen to, but nobody can say how.
static void take_invalid(wd_peer_executor *peer, const wd_plan_outcome *outcome,
    wd_observation *ret_observation, wd_result *ret_result)
{
    if (peer->executing) {
        *ret_result = wd_result_make(WD_OUTCOME_FAILED, WD_EPROTO, "failed",
            "executor %s answered what cannot be read: %s", outcome->planner, outcome->error.text);
        return;
    }
    wd_scene_unref(&peer->present);
    *ret_observation = (wd_observation){ .scene = NULL };
    snprintf(ret_observation->failure, sizeof ret_observation->failure, "%s", outcome->error.text);
}

wd_status wd_peer_executor_take(wd_peer_executor *peer, const wd_plan_outcome *outcome,
    wd_observation *ret_observation, wd_result *ret_result, wd_run_event *ret_event)
{
    wd_status status = WD_OK;
    *ret_event = peer->executing ? (wd_run_event){ .kind = WD_RUN_EXECUTED, .result = ret_result }
                                 : (wd_run_event){ .kind = WD_RUN_OBSERVED, .observation = ret_observation };
    switch (outcome->end) {
    case WD_PLAN_REPLY:
        if (peer->executing) {
            *ret_result = outcome->result;
        } else {
            status = read_capture(peer, outcome->capture, ret_observation);
        }
        break;
    case WD_PLAN_INVALID:
        take_invalid(peer, outcome, ret_observation, ret_result);
        break;
    case WD_PLAN_CANCELED:
        *ret_event = (wd_run_event){ .kind = WD_RUN_CANCEL, .text = outcome->error.text };
        break;
    case WD_PLAN_REFUSED:
    case WD_PLAN_TOO_LATE:
    case WD_PLAN_LOST:
    case WD_PLAN_NO_PLANNER:
        *ret_event = (wd_run_event){
            .kind = WD_RUN_FAILED,
            .ending = WD_END_EXECUTOR_LOST,
            .text = outcome->error.text,
        };
        break;
    }
    return status;
}
