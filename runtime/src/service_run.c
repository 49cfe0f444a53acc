#include "service_internal.h"

#include "runtime/log.h"
#include "runtime/run_judge.h"
#include "tree/text.h"

#include <stdio.h>
#include <string.h>

wd_service_run *wd_service_run_find(const wd_service *service, const char *id)
{
    for (size_t i = 0; i < service->run_count; i++) {
        if (strcmp(service->runs[i]->id, id) == 0) {
            return service->runs[i];
        }
    }
    return NULL;
}

void wd_service_run_destroy(wd_service_run **run_p)
{
    wd_service_run *run = *run_p;
    if (run == NULL) {
        return;
    }
    wd_episode_close(&run->episode);
    wd_run_destroy(&run->run);
    wd_device_destroy(&run->device);
    wd_peer_executor_done(&run->peer);
    wd_free(run, sizeof *run);
    *run_p = NULL;
}

// ---- whose request it is ----------------------------------------------------------------------------------------

/// The run waits for what run->request says. Thousands may: their outcomes are not looked for one by one.
static void begin_waiting(wd_service *service, wd_service_run *run)
{
    service->waiting[run->request % WD_SERVICE_WAITING_PLACES] = run;
}

/// What it waited for concerns it no more.
static void end_waiting(wd_service *service, wd_service_run *run)
{
    wd_service_run **place = &service->waiting[run->request % WD_SERVICE_WAITING_PLACES];
    if (*place == run) {
        *place = NULL;
    }
    run->request = 0;
}

/// NULL: nobody waits for it, or the run left it.
static wd_service_run *find_waiting(const wd_service *service, uint64_t request)
{
    wd_service_run *run = service->waiting[request % WD_SERVICE_WAITING_PLACES];
    if (run != NULL && run->request == request) {
        return run;
    }
    for (size_t i = 0; i < service->run_count; i++) {  // its place went to a later request
        if (service->runs[i]->request == request) {
            return service->runs[i];
        }
    }
    return NULL;
}

// ---- the end of one ---------------------------------------------------------------------------------------------

static void forget_run(wd_service *service, wd_service_run *run, int64_t now_ms, wd_service_outbox *outbox)
{
    end_waiting(service, run);
    if (run->peer.lease != 0) {
        wd_peer_executor_end(&run->peer, now_ms, &outbox->planner);
    }
    size_t at = 0;
    while (service->runs[at] != run) {
        at += 1;
    }
    memmove(
        &service->runs[at], &service->runs[at + 1], (service->run_count - at - 1) * sizeof *service->runs);
    service->run_count -= 1;
    service->stats.runs_ended += 1;
    wd_service_run_destroy(&run);
}

// ---- telling the client -----------------------------------------------------------------------------------------

static wd_status tell_watchers(
    wd_service *service, const wd_service_run *run, const wd_value *event, wd_service_outbox *outbox)
{
    wd_env_owner owner = { .user = run->user.number };
    memcpy(owner.bytes, run->instance, sizeof owner.bytes);
    return wd_watch_tell(&service->watch, run->id, NULL, &owner, event, &outbox->control);
}

/// To the client that waits for the run, and to who watches it.
static wd_status tell(
    wd_service *service, wd_service_run *run, const wd_value *event, wd_service_outbox *outbox)
{
    wd_status status = wd_control_send_progress(service, run, event, outbox);
    return status == WD_OK ? tell_watchers(service, run, event, outbox) : status;
}

static wd_status tell_begin(wd_service *service, wd_service_run *run, wd_service_outbox *outbox)
{
    const wd_task_context *context = wd_run_context(run->run);
    const wd_world_state *world = context->world;
    wd_value *event = NULL;
    wd_status status = wd_value_pack(&event, "{s:s,s:s,s:s,s:s,s:?s,s:?s,s:s}", "event", "begin", "run",
        run->id, "task", context->task->id, "instruction", context->task->instruction, "app",
        world == NULL ? NULL : world->current_app, "page", world == NULL ? NULL : world->current_page,
        "episode", wd_episode_path(run->episode));
    if (status == WD_OK) {
        status = tell(service, run, event, outbox);
    }
    wd_value_unref(&event);
    return status;
}

static wd_status tell_step(
    wd_service *service, wd_service_run *run, const wd_run_step_record *record, wd_service_outbox *outbox)
{
    wd_value *event = NULL;
    const wd_observe_report *report = &record->report;
    bool known = record->observed && record->world_after != NULL;
    wd_status status = wd_value_pack(&event,
        "{s:s,s:s,s:i,s:s,s:?v,s:s,s:s,s:?s,s:?s,s:?s,s:?s,s:?s,s:?s,s:?v,s:?v,s:?s,s:?s}",              //
        "event", "step", "run", run->id, "index", (int64_t)record->index,                                //
        "action", wd_action_kind_name(record->step.action.kind), "args", record->step.args,              //
        "outcome", wd_outcome_name(record->result.outcome), "code", record->result.code,                 //
        "text", record->result.text[0] == '\0' ? NULL : record->result.text,                             //
        "app_before", record->app_before, "page_before", record->page_before,                            //
        "app_after", record->app_after, "page_after", record->page_after,                                //
        "last_change", known ? report->last_change : NULL,                                               //
        "remembered", known ? report->remembered : NULL, "forgotten", known ? report->forgotten : NULL,  //
        "refused", known && report->refused[0] != '\0' ? report->refused : NULL, "planner", record->planner);
    if (status == WD_OK) {
        status = tell(service, run, event, outbox);
    }
    wd_value_unref(&event);
    return status;
}

/// What became whole goes to the record first, then to the client.
static wd_status tell_news(wd_service *service, wd_service_run *run, wd_service_outbox *outbox)
{
    const wd_task_context *context = wd_run_context(run->run);
    wd_error error;
    if (run->peer.lease != 0 && wd_run_ending(run->run) == WD_END_NONE &&
        !wd_peer_executor_is_known(&run->peer)) {
        return WD_OK;  // nothing has happened yet, and who executes stands in the header
    }
    wd_status status = wd_service_run_record(service, run, &error);
    status = status == WD_OK ? wd_episode_run_write(run->episode, run->run, &error) : status;
    if (status != WD_OK) {
        wd_log(WD_LOG_ERROR, "run %s: %s", run->id, error.text);
        return status;
    }
    if (!run->begin_told && context->step_count + (context->scene != NULL) > 0) {
        run->begin_told = true;
        status = tell_begin(service, run, outbox);
    }
    for (; status == WD_OK && run->steps_told < context->step_count; run->steps_told++) {
        status = tell_step(service, run, &context->steps[run->steps_told], outbox);
    }
    return status;
}

static wd_status summary(const wd_service_run *run, const wd_value *verdict, wd_value **ret_summary)
{
    const wd_task_context *context = wd_run_context(run->run);
    wd_value *world = NULL;
    const char *text = wd_run_ending_text(run->run);
    wd_status status = WD_OK;
    if (context->world != NULL) {
        status = wd_world_state_to_value(context->world, true, &world);
    }
    if (status == WD_OK) {
        status = wd_value_pack(ret_summary, "{s:s,s:s,s:s,s:?s,s:i,s:?s,s:?v,s:?v,s:s}", "run", run->id,
            "ending", wd_ending_name(wd_run_ending(run->run)), "stop_reason",
            wd_ending_stop_reason(wd_run_ending(run->run)), "text", text[0] == '\0' ? NULL : text, "steps",
            (int64_t)context->step_count, "answer", context->answer, "world", world, "verdict", verdict,
            "episode", wd_episode_path(run->episode));
    }
    wd_value_unref(&world);
    return status;
}

/// Watchers hear of the end as an event; the client that waits gets its Reply.
static wd_status tell_end(
    wd_service *service, const wd_service_run *run, const wd_value *result, wd_service_outbox *outbox)
{
    wd_value *event = wd_value_ref(result), *name = NULL;
    wd_status status = wd_value_text("end", &name);
    status = status == WD_OK ? wd_object_set(&event, "event", &name) : status;
    status = status == WD_OK ? tell_watchers(service, run, event, outbox) : status;
    wd_value_unref(&event);
    wd_value_unref(&name);
    return status;
}

/// The run is over: judge, record the verdict, answer the client, forget the run.
static wd_status finish_run(
    wd_service *service, wd_service_run *run, int64_t now_ms, wd_service_outbox *outbox)
{
    wd_value *verdict = NULL, *result = NULL;
    wd_error error;
    wd_status status = WD_OK;
    if (wd_run_ending(run->run) != WD_END_CANCELED) {  // a cancelled run gets no verdict (judge.md 9.2)
        status = wd_run_judge(run->run, service->host, &verdict);
    }
    if (status == WD_OK && verdict != NULL &&
        wd_episode_verdict_write(run->episode, verdict, &error) != WD_OK) {
        wd_log(WD_LOG_ERROR, "run %s: %s", run->id, error.text);
    }
    wd_service_episode_pack(service, run->episode);
    if (status == WD_OK) {
        status = summary(run, verdict, &result);
    }
    if (status == WD_OK && service->watch.count > 0) {
        status = tell_end(service, run, result, outbox);
    }
    if (status == WD_OK) {
        status = wd_control_finish(service, run->instance, run->client_request, result, NULL, outbox);
    }
    wd_log(WD_LOG_INFO, "run %s ended: %s%s%s", run->id, wd_ending_name(wd_run_ending(run->run)),
        wd_run_ending_text(run->run)[0] == '\0' ? "" : ", ", wd_run_ending_text(run->run));
    wd_value_unref(&verdict);
    wd_value_unref(&result);
    forget_run(service, run, now_ms, outbox);
    return status;
}

// ---- driving ----------------------------------------------------------------------------------------------------

/// Carry out one plan request. The answer comes as an outcome of the broker, perhaps already queued by this call.
static wd_status ask(wd_service *service, wd_service_run *run, const wd_plan_request *request, int64_t now_ms,
    wd_service_outbox *outbox)
{
    uint8_t *body = NULL;
    size_t length = 0;
    wd_status status = wd_codec_pack_plan_request(request, &body, &length);
    if (status == WD_OK) {
        status = wd_broker_request(service->broker, run->planner[0] == '\0' ? NULL : run->planner, body,
            length, (uint32_t)service->config->deadline_ms, (uint32_t)service->config->planner_wait_ms,
            now_ms, &run->request, &outbox->planner);
    }
    wd_free(body, length);
    run->waits_for = WD_WAIT_PLAN;
    return status;
}

/// Carry out one enrichment. *ret_waits: its outcome will come; else there is no room to ask, and *outcome says so.
static wd_status ask_enricher(wd_service *service, wd_service_run *run, const wd_enrich_request *request,
    int64_t now_ms, wd_service_outbox *outbox, wd_plan_outcome *outcome, bool *ret_waits)
{
    wd_enrich_ground ground = {
        .node_count = wd_scene_node_count(request->scene),
        .page_key = wd_semantic_get(request->suggestion)->page.key,
    };
    uint8_t *body = NULL;
    size_t length = 0;
    wd_status status = wd_codec_pack_enrich_request(request, &body, &length);
    if (status == WD_OK) {
        const char *name = strcmp(run->enricher, "*") == 0 ? NULL : run->enricher;
        status = wd_broker_request_enrich(service->broker, name, body, length, &ground,
            run->enrich_deadline_ms, now_ms, &run->request, &outbox->planner);
    }
    wd_free(body, length);
    *ret_waits = status == WD_OK;
    run->waits_for = WD_WAIT_MEANING;
    *outcome = (wd_plan_outcome){ .end = WD_PLAN_NO_PLANNER };
    service->stats.enrich_fallbacks += status == WD_ELIMIT;
    return status == WD_ELIMIT ? WD_OK : status;
}

/// What an event points to.
typedef struct event_parts {
    wd_observation observation;
    wd_result result;
    wd_plan_outcome outcome;  // of an enrichment that nobody was asked for
} event_parts;

static void log_failure(const wd_service_run *run, const wd_observation *observation)
{
    if (observation->failure[0] != '\0') {
        wd_log(WD_LOG_WARNING, "run %s: no scene: %s", run->id, observation->failure);
    }
}

/// Carry out one effect. *event becomes what came of it, unless the run now *ret_waits.
static wd_status carry_out(wd_service *service, wd_service_run *run, const wd_run_effects *effects,
    int64_t now_ms, wd_service_outbox *outbox, event_parts *parts, wd_run_event *event, bool *ret_waits)
{
    wd_status status = WD_OK;
    *ret_waits = false;
    run->peer.now_ms = now_ms;
    run->peer.outbox = &outbox->planner;
    switch (effects->kind) {
    case WD_RUN_DO_OBSERVE:
        status = run->executor.observe(run->executor.context, &parts->observation);
        if (status == WD_OK) {
            log_failure(run, &parts->observation);
        }
        *event = (wd_run_event){ .kind = WD_RUN_OBSERVED, .observation = &parts->observation };
        break;
    case WD_RUN_DO_EXECUTE:
        status = run->executor.execute(
            run->executor.context, effects->action, effects->planned_on, &parts->result);
        *event = (wd_run_event){ .kind = WD_RUN_EXECUTED, .result = &parts->result };
        break;
    case WD_RUN_DO_ENRICH:
        status = ask_enricher(service, run, &effects->enrich, now_ms, outbox, &parts->outcome, ret_waits);
        *event = (wd_run_event){ .kind = WD_RUN_ENRICHED, .outcome = &parts->outcome };
        break;
    case WD_RUN_DO_PLAN:
        status = ask(service, run, &effects->request, now_ms, outbox);
        *ret_waits = true;
        break;
    case WD_RUN_DO_NOTHING:
    case WD_RUN_DO_END:
        *ret_waits = true;
        break;
    }
    if (status == WD_EBUSY) {  // the executor's answer comes as an outcome of the broker
        run->request = run->peer.request;
        run->waits_for = WD_WAIT_EXECUTOR;
        *ret_waits = true;
        status = WD_OK;
    }
    if (run->request != 0) {
        begin_waiting(service, run);
    }
    return status;
}

static wd_run_event failed_event(wd_status status)
{
    return (wd_run_event){
        .kind = WD_RUN_FAILED,
        .ending = WD_END_INTERNAL_ERROR,
        .text = wd_status_text(status),
    };
}

wd_status wd_service_run_drive(
    wd_service *service, wd_service_run *run, wd_run_event event, int64_t now_ms, wd_service_outbox *outbox)
{
    event_parts parts = { 0 };
    bool waits = false;
    while (!waits) {
        wd_run_effects effects;
        wd_status status = wd_run_step(run->run, &event, &effects);
        wd_observation_done(&parts.observation);  // what the run did not take
        if (status == WD_OK) {
            status = tell_news(service, run, outbox);
        }
        if (effects.kind == WD_RUN_DO_END) {
            return finish_run(service, run, now_ms, outbox);
        }
        if (status == WD_OK) {
            status = carry_out(service, run, &effects, now_ms, outbox, &parts, &event, &waits);
        }
        if (status != WD_OK) {
            event = failed_event(status);
            waits = false;
        }
    }
    return WD_OK;
}

static wd_run_event meaning_event(wd_service *service, wd_service_run *run, wd_plan_outcome *outcome)
{
    if (outcome->end == WD_PLAN_REPLY) {
        service->stats.enriched += 1;
    } else {
        service->stats.enrich_fallbacks += 1;
        wd_log(WD_LOG_INFO, "run %s: not enriched: %s", run->id, outcome->error.text);
    }
    return (wd_run_event){ .kind = WD_RUN_ENRICHED, .outcome = outcome };
}

/// What the run asked for last has ended: go on with it.
static wd_status take_outcome(wd_service *service, wd_service_run *run, wd_plan_outcome *outcome,
    int64_t now_ms, wd_service_outbox *outbox)
{
    event_parts parts = { 0 };
    wd_run_event event = { .kind = WD_RUN_PLANNED, .outcome = outcome };
    end_waiting(service, run);
    if (run->waits_for == WD_WAIT_MEANING) {
        event = meaning_event(service, run, outcome);
    } else if (run->waits_for == WD_WAIT_EXECUTOR) {
        wd_status status =
            wd_peer_executor_take(&run->peer, outcome, &parts.observation, &parts.result, &event);
        if (status != WD_OK) {
            event = failed_event(status);
        }
        log_failure(run, &parts.observation);
    }
    run->waits_for = WD_WAIT_NOTHING;
    wd_status status = wd_service_run_drive(service, run, event, now_ms, outbox);
    wd_observation_done(&parts.observation);  // what the run did not take
    return status;
}

/// To those who wait for the run and watch it; what its planner thinks is recorded nowhere.
static wd_status tell_thought(
    wd_service *service, const wd_broker_thought *thought, wd_service_outbox *outbox)
{
    wd_service_run *run = find_waiting(service, thought->request_id);
    wd_value *event = NULL;
    if (run == NULL) {
        return WD_OK;
    }
    wd_status status = wd_value_pack(&event, "{s:s,s:s,s:s,s:s}", "event", "thought", "run", run->id,
        "planner", thought->planner, "text", thought->text);
    status = status == WD_OK ? tell(service, run, event, outbox) : status;
    wd_value_unref(&event);
    return status;
}

wd_status wd_service_take_outcomes(wd_service *service, int64_t now_ms, wd_service_outbox *outbox)
{
    wd_status status = WD_OK;
    for (size_t i = 0; i < outbox->planner.thought_count; i++) {
        status = status == WD_OK ? tell_thought(service, &outbox->planner.thoughts[i], outbox) : status;
        wd_text_free(&outbox->planner.thoughts[i].text);
    }
    outbox->planner.thought_count = 0;  // what memory was short for is not told again
    // Driving a run may ask again and so queue further outcomes: the array grows while it is read.
    for (size_t i = 0; status == WD_OK && i < outbox->planner.outcome_count; i++) {
        wd_plan_outcome outcome = outbox->planner.outcomes[i];
        outbox->planner.outcomes[i].reply = NULL;  // ours now, and so are the others
        outbox->planner.outcomes[i].semantic = NULL;
        outbox->planner.outcomes[i].capture = NULL;
        wd_service_run *run = find_waiting(service, outcome.request_id);
        if (run != NULL) {
            status = take_outcome(service, run, &outcome, now_ms, outbox);
        }
        wd_plan_outcome_done(&outcome);  // nobody waited for it, or the run left it
    }
    for (size_t i = 0; i < outbox->planner.outcome_count; i++) {
        wd_plan_outcome_done(&outbox->planner.outcomes[i]);
    }
    outbox->planner.outcome_count = 0;
    return status;
}

wd_status wd_service_run_cancel(
    wd_service *service, wd_service_run *run, const char *reason, int64_t now_ms, wd_service_outbox *outbox)
{
    if (run->request != 0) {
        wd_status status = wd_broker_cancel(service->broker, run->request, reason, now_ms, &outbox->planner);
        if (status != WD_OK) {
            return status;  // it is open still, and the run waits for it
        }
        end_waiting(service, run);  // its outcome concerns nobody any more
    }
    wd_run_event event = { .kind = WD_RUN_CANCEL, .text = reason };
    return wd_service_run_drive(service, run, event, now_ms, outbox);
}
