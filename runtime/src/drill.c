#include "runtime/drill.h"

#include "runtime/sim_executor.h"
#include "tree/text.h"

#include <stdio.h>

/// One drill under way.
typedef struct drill_state {
    const wd_drill_order *order;
    wd_drill *drill;
    wd_executor executor;
    size_t next;  // step to be given
} drill_state;

/// The reply that holds one step.
static wd_status reply_new(const wd_value *step, wd_plan_reply **ret_reply, wd_error *error)
{
    const char *kind = wd_value_string_or(wd_object_get(step, "action"), NULL);
    const wd_value *args = wd_object_get(step, "args");
    if (kind == NULL) {
        return wd_error_set(error, WD_EINVAL, "wants an \"action\"");
    }
    wd_plan_reply *reply = wd_alloc_zero(1, sizeof *reply);
    if (reply == NULL) {
        return WD_ENOMEM;
    }
    wd_value *none = wd_value_object();
    wd_status status = wd_action_from_value(kind, args == NULL ? none : args, &reply->steps[0].action, error);
    wd_value_unref(&none);
    if (status != WD_OK) {
        wd_free(reply, sizeof *reply);
        return status;
    }
    reply->steps[0].args = wd_value_ref(args);
    reply->step_count = 1;
    *ret_reply = reply;
    return WD_OK;
}

/// Did the last step go wrong? Then nothing after it can be as it was planned.
static bool stumbled(drill_state *state)
{
    const wd_task_context *context = wd_run_context(state->drill->run);
    const wd_run_step_record *last =
        context->step_count == 0 ? NULL : &context->steps[context->step_count - 1];
    if (last == NULL || last->result.outcome == WD_OUTCOME_OK) {
        return false;
    }
    state->drill->stumbled = true;
    state->drill->stumbled_at = last->index;
    snprintf(state->drill->stumble, sizeof state->drill->stumble, "%s: %.200s", last->result.code,
        last->result.text);
    return true;
}

static wd_status plan(drill_state *state, wd_plan_outcome *ret_outcome, wd_error *error)
{
    wd_value *finish = NULL;
    *ret_outcome = (wd_plan_outcome){ .end = WD_PLAN_REPLY };
    if (stumbled(state) || state->next >= state->order->step_count) {
        wd_status status = wd_value_pack(&finish, "{s:s}", "action", "complete");
        status = status == WD_OK ? reply_new(finish, &ret_outcome->reply, error) : status;
        wd_value_unref(&finish);
        return status;
    }
    size_t at = state->next++;
    wd_status status = reply_new(wd_array_at(state->order->steps, at), &ret_outcome->reply, error);
    if (status != WD_OK) {
        wd_error_prefix(error, "step %zu", at);
    }
    return status;
}

/// Drive the run to its end.
static wd_status drive(drill_state *state, wd_error *error)
{
    wd_run_event event = { .kind = WD_RUN_START };
    wd_observation observation = { 0 };
    wd_plan_outcome outcome = { 0 };
    wd_result result;
    wd_status status = WD_OK;
    bool over = false;
    while (status == WD_OK && !over) {
        wd_run_effects effects;
        status = wd_run_step(state->drill->run, &event, &effects);
        wd_observation_done(&observation);
        wd_plan_reply_destroy(&outcome.reply);
        if (status != WD_OK) {
            break;
        }
        switch (effects.kind) {
        case WD_RUN_DO_OBSERVE:
            status = state->executor.observe(state->executor.context, &observation);
            event = (wd_run_event){ .kind = WD_RUN_OBSERVED, .observation = &observation };
            break;
        case WD_RUN_DO_EXECUTE:
            status =
                state->executor.execute(state->executor.context, effects.action, effects.planned_on, &result);
            event = (wd_run_event){ .kind = WD_RUN_EXECUTED, .result = &result };
            break;
        case WD_RUN_DO_PLAN:
            status = plan(state, &outcome, error);
            event = (wd_run_event){ .kind = WD_RUN_PLANNED, .outcome = &outcome };
            break;
        case WD_RUN_DO_ENRICH:  // its options want no enricher
        case WD_RUN_DO_NOTHING:
        case WD_RUN_DO_END:
            over = true;
            break;
        }
    }
    wd_observation_done(&observation);
    wd_plan_reply_destroy(&outcome.reply);
    return status;
}

wd_status wd_drill_run(const wd_drill_order *order, wd_drill *ret_drill, wd_error *error)
{
    wd_drill drill = { 0 };
    wd_device *device = NULL;
    wd_run_options options = wd_run_options_default();
    wd_status status = wd_device_fork(order->start, &device);
    status = status == WD_OK ? wd_run_new("drill", order->task, &options, &drill.run, error) : status;
    if (status == WD_OK) {
        wd_sim_executor sim = {
            .host = order->host,
            .device = device,
            .events =
                wd_task_events_start(order->events != NULL ? order->events : order->task->events, device),
        };
        drill_state state = {
            .order = order, .drill = &drill, .executor = wd_sim_executor_as_executor(&sim)
        };
        status = drive(&state, error);
    }
    wd_device_destroy(&device);
    if (status != WD_OK) {
        wd_drill_done(&drill);
        return status == WD_ENOMEM ? wd_error_set(error, status, "out of memory") : status;
    }
    *ret_drill = drill;
    return WD_OK;
}

void wd_drill_done(wd_drill *drill)
{
    wd_run_destroy(&drill->run);
}
