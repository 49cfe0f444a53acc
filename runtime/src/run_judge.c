#include "runtime/run_judge.h"

#include "step_target.h"

#include "runtime/task_check.h"
#include "sim/device.h"
#include "tree/alloc.h"

#include <string.h>

/// What an id says without its package: "send" of "messages:id/send".
static const char *short_id(const char *id)
{
    const char *part = id == NULL ? NULL : strstr(id, "id/");
    return part == NULL ? id : part + 3;
}

/// What order rules read (order.h): the action with what it touched, and the screen it led to.
static wd_status step_event(const wd_run_step_record *record, wd_value **ret_event)
{
    const wd_action *action = &record->step.action;
    const wd_node *node = wd_step_target(record->scene_before, action);
    const wd_scene_info *info = record->scene_after == NULL ? NULL : wd_scene_info_of(record->scene_after);
    wd_value *target = NULL, *done = NULL;
    wd_status status = WD_OK;
    if (node != NULL) {
        status = wd_value_pack(&target, "{s:?s,s:?s,s:?s}", "id", short_id(node->resource_id), "text",
            wd_node_label(node), "role", node->role);
    }
    if (status == WD_OK) {
        status = wd_value_pack(&done, "{s:s,s:?v,s:?v}", "type", wd_action_kind_name(action->kind), "args",
            record->step.args, "target", target);
    }
    if (status == WD_OK) {
        status = wd_value_pack(ret_event, "{s:v,s:s,s:?s,s:?s,s:?s}", "action", done, "status",
            wd_outcome_name(record->result.outcome), "app", record->app_after, "page", record->page_after,
            "route", info == NULL ? NULL : info->route);
    }
    wd_value_unref(&target);
    wd_value_unref(&done);
    return status;
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

static wd_status trace_new(const wd_task_context *context, wd_trace_step **ret_steps)
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
        if (step_event(&context->steps[i], &event) != WD_OK) {
            trace_done(steps, context->step_count);
            return WD_ENOMEM;
        }
        steps[i] = (wd_trace_step){
            .number = context->steps[i].index,
            .event = event,
            .state = context->steps[i].state_after,
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

wd_status wd_run_judge(const wd_run *run, const wd_judge_functions *functions, wd_value **ret_verdict)
{
    const wd_task_context *context = wd_run_context(run);
    *ret_verdict = NULL;
    if (context->state_initial == NULL) {
        return WD_OK;
    }
    wd_judge_functions own = wd_task_checks(context->task);
    const wd_value *time = wd_object_get(wd_object_get(context->state, "os"), "time");
    wd_judge_input input = {
        .initial = context->state_initial,
        .final = context->state,
        .answer = context->answer,
        .clock = { .known = wd_object_get(time, "timestamp") != NULL,
            .ms = wd_value_int_or(wd_object_get(time, "timestamp"), 0),
            .utc_offset_min = WD_DEVICE_UTC_OFFSET_DEFAULT },
        .trace = { .steps = NULL, .count = context->step_count },
        .functions = functions == NULL ? &own : functions,
        .apps_required = true,
    };
    wd_rules *rules = NULL;
    wd_trace_step *steps = NULL;
    wd_value *route = NULL;
    wd_verdict *verdict = NULL;
    wd_status status = wd_rules_new(context->task->document, &rules);
    if (status == WD_OK) {
        status = trace_new(context, &steps);
    }
    if (status == WD_OK) {
        status = final_route(context, &route);
    }
    if (status == WD_OK) {
        input.rules = rules;
        static const wd_trace_step none = { 0 };  // a run without steps has a trace all the same
        input.trace.steps = steps != NULL ? steps : &none;
        input.route = route;
        status = wd_judge(&input, &verdict);
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
