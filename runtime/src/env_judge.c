// The verdict on an env's episode: what runs put before the judge (run_judge.c), from an env's trace.
#include "env_internal.h"

#include "judge/verdict.h"
#include "runtime/task_check.h"
#include "tree/alloc.h"

/// The chain as an array, oldest first; everything in it is borrowed. NULL with count 0 is an empty one.
static wd_status trace_array(const env_trace *last, wd_trace_step **ret_steps, size_t *ret_count)
{
    size_t count = 0;
    for (const env_trace *step = last; step != NULL; step = step->previous) {
        count += 1;
    }
    *ret_count = count;
    *ret_steps = NULL;
    if (count == 0) {
        return WD_OK;
    }
    wd_trace_step *steps = wd_alloc_zero(count, sizeof *steps);
    if (steps == NULL) {
        return WD_ENOMEM;
    }
    for (const env_trace *step = last; step != NULL; step = step->previous) {
        steps[--count] =
            (wd_trace_step){ .number = step->number, .event = step->event, .state = step->state };
    }
    *ret_steps = steps;
    return WD_OK;
}

static wd_status route_of(wd_envs *envs, wd_env *env, wd_value **ret_route)
{
    wd_scene *scene = NULL;
    wd_error error;
    wd_status status = wd_phone_observe(envs->host, env->device, &scene, &error);
    if (status != WD_OK) {
        return status == WD_ENOMEM ? status : WD_OK;  // no screen: no route
    }
    const wd_scene_info *info = wd_scene_info_of(scene);
    status = wd_value_pack(ret_route, "{s:?s,s:?s}", "app", info->app_package, "path", info->route);
    wd_scene_unref(&scene);
    return status;
}

wd_status wd_env_judge(
    wd_envs *envs, wd_env *env, const wd_task *task, wd_value **ret_verdict, wd_error *error)
{
    const env_origin *origin = env->progress.origin;
    task = task != NULL ? task : wd_env_task(env);
    if (task == NULL) {
        return wd_error_set(error, WD_ESTATE, "judge: the env has no task; give one");
    }
    wd_task_judging judging = { .task = task, .host = envs->host };
    wd_judge_functions functions = wd_task_checks(&judging);
    wd_rules *rules = NULL;
    wd_trace_step *steps = NULL;
    size_t step_count = 0;
    wd_value *state = NULL, *route = NULL;
    wd_verdict *verdict = NULL;
    wd_status status = wd_device_state(env->device, &state);
    status = status == WD_OK ? wd_rules_new(task->document, &rules) : status;
    status = status == WD_OK ? trace_array(env->progress.trace, &steps, &step_count) : status;
    status = status == WD_OK ? route_of(envs, env, &route) : status;
    if (status == WD_OK) {
        static const wd_trace_step none = { 0 };  // an episode without steps has a trace all the same
        const wd_value *time = wd_object_get(wd_object_get(state, "os"), "time");
        wd_judge_input input = {
            .rules = rules,
            .initial = origin->state_initial,
            .final = state,
            .route = route,
            .answer = env->progress.answer,
            .clock = { .known = wd_object_get(time, "timestamp") != NULL,
                .ms = wd_value_int_or(wd_object_get(time, "timestamp"), 0),
                .utc_offset_min = WD_DEVICE_UTC_OFFSET_DEFAULT },
            .trace = { .steps = steps != NULL ? steps : &none, .count = step_count },
            .functions = &functions,
            .apps_required = true,
        };
        status = wd_judge(&input, &verdict);
    }
    status = status == WD_OK ? wd_verdict_to_value(verdict, ret_verdict) : status;
    wd_verdict_destroy(&verdict);
    wd_value_unref(&route);
    wd_value_unref(&state);
    if (steps != NULL) {
        wd_free(steps, step_count * sizeof *steps);
    }
    wd_rules_destroy(&rules);
    return status == WD_OK ? WD_OK : wd_error_set(error, status, "judge: %s", wd_status_text(status));
}
