#include "runtime/run_judge.h"

#include "run_judge_internal.h"
#include "step_event.h"

#include "judge/metrics.h"
#include "runtime/task_check.h"
#include "sim/device.h"
#include "tree/alloc.h"

#include <string.h>

wd_status wd_run_step_event(const wd_run_step_record *record, wd_value **ret_event)
{
    wd_step_told told = {
        .action = &record->step.action,
        .args = record->step.args,
        .result = &record->result,
        .before = record->scene_before,
        .after = record->scene_after,
        .app = record->app_after,
        .page = record->page_after,
    };
    return wd_step_event(&told, ret_event);
}

static void trace_done(wd_trace_step *steps, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        wd_value *event =
            (wd_value *)(uintptr_t)steps[i].event;  // made by trace_new, lent to the judge as const
        wd_value_unref(&event);
    }
    wd_free(steps, count * sizeof *steps);
}

/// @param unknown  What stands for a state that no step has.
static wd_status trace_new(const wd_task_context *context, const wd_value *unknown, wd_trace_step **ret_steps)
{
    *ret_steps = NULL;
    if (context->step_count == 0) {
        return WD_OK;
    }
    wd_trace_step *steps = wd_alloc_zero(context->step_count, sizeof *steps);
    if (steps == NULL) {
        return WD_ENOMEM;
    }
    for (size_t i = 0; i < context->step_count; i++) {
        wd_value *event = NULL;
        if (wd_run_step_event(&context->steps[i], &event) != WD_OK) {
            trace_done(steps, context->step_count);
            return WD_ENOMEM;
        }
        steps[i] = (wd_trace_step){
            .number = context->steps[i].index,
            .event = event,
            .state = context->steps[i].state_after != NULL ? context->steps[i].state_after : unknown,
        };
    }
    *ret_steps = steps;
    return WD_OK;
}

static wd_status final_route(const wd_task_context *context, wd_value **ret_route)
{
    *ret_route = NULL;
    if (context->scene == NULL) {
        return WD_OK;
    }
    const wd_scene_info *info = wd_scene_info_of(context->scene);
    return wd_value_pack(ret_route, "{s:?s,s:?s}", "app", info->app_package, "path", info->route);
}

wd_status wd_run_judge_with(
    const wd_task_context *context, const wd_value *document, wd_judge_input *input, wd_value **ret_verdict)
{
    wd_rules *rules = NULL;
    wd_trace_step *steps = NULL;
    wd_value *route = NULL;
    wd_verdict *verdict = NULL;
    wd_status status = wd_rules_new(document, &rules);
    if (status == WD_OK) {
        status = trace_new(context, input->initial, &steps);
    }
    if (status == WD_OK) {
        status = final_route(context, &route);
    }
    if (status == WD_OK) {
        static const wd_trace_step none = { 0 };  // a run without steps has a trace all the same
        input->rules = rules;
        input->answer = context->answer;
        input->trace = (wd_trace){ .steps = steps != NULL ? steps : &none, .count = context->step_count };
        input->route = route;
        status = wd_judge(input, &verdict);
    }
    if (status == WD_OK) {
        status = wd_verdict_to_value(verdict, ret_verdict);
    }
    wd_verdict_destroy(&verdict);
    wd_value_unref(&route);
    if (steps != NULL) {
        trace_done(steps, context->step_count);
    }
    wd_rules_destroy(&rules);
    return status;
}

wd_status wd_run_judge(const wd_run *run, wd_host *host, wd_value **ret_verdict)
{
    const wd_task_context *context = wd_run_context(run);
    *ret_verdict = NULL;
    if (context->state_initial == NULL) {
        return wd_run_judge_blind(context, ret_verdict);
    }
    wd_task_judging judging = { .task = context->task, .host = host };
    wd_judge_functions functions = wd_task_checks(&judging);
    const wd_value *time = wd_object_get(wd_object_get(context->state, "os"), "time");
    wd_judge_input input = {
        .initial = context->state_initial,
        .final = context->state,
        .clock = { .known = wd_object_get(time, "timestamp") != NULL,
            .ms = wd_value_int_or(wd_object_get(time, "timestamp"), 0),
            .utc_offset_min = WD_DEVICE_UTC_OFFSET_DEFAULT },
        .functions = &functions,
        .apps_required = true,
    };
    return wd_run_judge_with(context, context->task->document, &input, ret_verdict);
}

double wd_verdict_reward(const char *task, wd_ending ending, const wd_value *verdict)
{
    wd_scored_run scored = {
        .task = task,
        .stop = wd_stop_named(wd_ending_stop_reason(ending)),
        .judged = true,
        .success = wd_value_bool_or(wd_object_get(verdict, "success"), false),
        .clean = wd_value_bool_or(wd_object_get(verdict, "clean"), false),
        .progress = wd_value_double_or(wd_object_get(verdict, "progress"), 0),
        .verdict_error = wd_value_string_or(wd_object_get(verdict, "error"), NULL),
        .checks = wd_object_get(verdict, "checks"),
    };
    wd_reward_input input = wd_reward_input_of(&scored);
    return wd_reward_of(&input).reward;
}

double wd_run_reward(const wd_run *run, const wd_value *verdict)
{
    return wd_verdict_reward(wd_run_context(run)->task->id, wd_run_ending(run), verdict);
}
