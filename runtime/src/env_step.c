// Episodes of an env: reset, step, inject.
#include "env_internal.h"
#include "step_event.h"

#include "runtime/task_event.h"

#include "tree/text.h"

void wd_env_stepped_done(wd_env_stepped *stepped)
{
    wd_env_seen_done(&stepped->observation);
    wd_env_seen_done(&stepped->final_observation);
    wd_value_unref(&stepped->verdict);
}

// ---- reset --------------------------------------------------------------------------------------------------------

/// Back to the start of the origin, where nothing descends from a snapshot.
static wd_status restart(wd_envs *envs, wd_env *env, wd_error *error)
{
    wd_device *device = NULL;
    if (wd_device_fork(env->progress.origin->start, &device) != WD_OK) {
        return wd_error_set(error, WD_ENOMEM, "env: out of memory");
    }
    wd_device_destroy(&env->device);
    env->device = device;
    env_progress_restart(&env->progress);
    env_node_unref(envs, &env->node);
    return WD_OK;
}

wd_status wd_env_reset(
    wd_envs *envs, wd_env *env, bool reseed, uint64_t seed, const wd_task *task, wd_error *error)
{
    const env_origin *origin = env->progress.origin;
    const wd_task *own = origin->task.id == NULL ? NULL : &origin->task;
    seed = reseed ? seed : origin->seed;
    if (task == NULL && seed == origin->seed) {
        return restart(envs, env, error);
    }
    env_progress progress = { 0 };
    wd_status status = env_origin_new(envs, seed, task != NULL ? task : own,
        task != NULL ? 0 : origin->step_limit, NULL, &progress.origin, error);
    if (status != WD_OK) {
        return status;
    }
    env_progress before = env->progress;
    env->progress = progress;
    status = restart(envs, env, error);
    if (status != WD_OK) {
        env->progress = before;
        before = progress;
    }
    env_progress_done(envs, &before);
    return status;
}

// ---- step ---------------------------------------------------------------------------------------------------------

/// What an action that touches no device comes to: as in runs (run.c).
static wd_status do_control_action(wd_env *env, const wd_action *action, wd_result *ret_result)
{
    *ret_result = wd_result_ok();
    switch (action->kind) {
    case WD_ACTION_INVALID:
        *ret_result = wd_run_refusal(action);
        return WD_OK;
    case WD_ACTION_ANSWER: {
        char *answer = NULL;
        if (!wd_text_copy(action->text == NULL ? "" : action->text, &answer)) {
            return WD_ENOMEM;
        }
        wd_text_free(&env->progress.answer);
        env->progress.answer = answer;
        return WD_OK;
    }
    case WD_ACTION_COMPLETE:
        env->progress.ending = WD_END_COMPLETE;
        return WD_OK;
    case WD_ACTION_ABORT:
        env->progress.ending = WD_END_ABORT;
        return WD_OK;
    default:
        return WD_OK;
    }
}

/// The step for the judge's trace: only an env with a task is judged by it.
static wd_status trace_step(
    wd_envs *envs, wd_env *env, const wd_action *action, const wd_value *args, const wd_result *result)
{
    if (env->progress.origin->task.id == NULL) {
        return WD_OK;
    }
    wd_scene *scene = NULL;
    wd_value *event = NULL, *state = NULL;
    wd_error error;
    wd_status status = wd_phone_observe(envs->host, env->device, &scene, &error);
    if (status != WD_OK && status != WD_ENOMEM) {
        status = WD_OK;  // a screen that cannot be drawn: the trace does not know where the step led
    }
    const wd_scene_info *info = scene == NULL ? NULL : wd_scene_info_of(scene);
    wd_step_told told = {
        .action = action,
        .args = args,
        .result = result,
        .before = env->told,
        .after = scene,
        .app = info == NULL ? NULL : info->app_package,
        .page = info == NULL         ? NULL
                : info->page != NULL ? info->page
                                     : info->route,
    };
    status = status == WD_OK ? wd_step_event(&told, &event) : status;
    status = status == WD_OK ? wd_device_state(env->device, &state) : status;
    status =
        status == WD_OK ? env_trace_add(&env->progress.trace, env->progress.steps, event, state) : status;
    wd_scene_unref(&scene);
    wd_value_unref(&event);
    wd_value_unref(&state);
    return status;
}

/// What the task lets happen after an action.
static wd_status pass_task_events(wd_env *env, wd_result *result)
{
    env_progress *progress = &env->progress;
    wd_task_events events = {
        .list = progress->origin->task.events,
        .done = progress->events_done,
        .actions = progress->events_actions,
        .start_ms = progress->origin->start_ms,
    };
    wd_status status = wd_task_events_after(&events, env->device, result);
    progress->events_done = events.done;
    progress->events_actions = events.actions;
    return status;
}

static wd_status act(wd_envs *envs, wd_env *env, const wd_action *action, const wd_value *args,
    wd_env_look look, wd_env_stepped *stepped)
{
    env_progress *progress = &env->progress;
    wd_status status = wd_action_is_physical(action->kind)
                           ? wd_phone_execute(envs->host, env->device, action, env->told, &stepped->result)
                           : do_control_action(env, action, &stepped->result);
    if (status == WD_OK && wd_action_is_physical(action->kind)) {
        status = pass_task_events(env, &stepped->result);
    }
    env_drop_events(env->device);
    status = status == WD_OK ? trace_step(envs, env, action, args, &stepped->result) : status;
    if (status != WD_OK) {
        return status;
    }
    stepped->index = progress->steps;
    progress->steps += 1;
    if (progress->ending == WD_END_NONE && progress->origin->step_limit > 0 &&
        progress->steps >= progress->origin->step_limit) {
        progress->ending = WD_END_STEP_LIMIT;
    }
    stepped->ending = progress->ending;
    stepped->machine = wd_device_digest(env->device);
    status = env_see(envs, env, look, &stepped->observation);
    if (status == WD_OK && progress->ending != WD_END_NONE && progress->origin->task.id != NULL) {
        wd_error error;
        status = wd_env_judge(envs, env, NULL, &stepped->verdict, &error);
    }
    return status;
}

/// SAME_STEP: what was seen last is kept beside the first look at the new episode.
static wd_status begin_anew(
    wd_envs *envs, wd_env *env, wd_env_look look, wd_env_stepped *stepped, wd_error *error)
{
    wd_status status = restart(envs, env, error);
    if (status == WD_OK) {
        stepped->reset = true;
        stepped->final_observation = stepped->observation;
        stepped->observation = (wd_env_seen){ 0 };
        status = env_see(envs, env, look, &stepped->observation);
    }
    return status;
}

/// What a step that could not be finished puts back.
typedef struct step_mark {
    wd_value *machine;
    env_progress progress;
    wd_env_node *node;
    wd_scene *told;
} step_mark;

static void put_back(wd_envs *envs, wd_env *env, step_mark *mark)
{
    wd_status status = wd_device_restore(env->device, mark->machine, NULL);
    wd_assert(status == WD_OK || status == WD_ENOMEM);  // it was this device's machine a moment ago
    env_drop_events(env->device);
    env_progress_done(envs, &env->progress);
    env->progress = mark->progress;
    mark->progress = (env_progress){ 0 };
    env_node_unref(envs, &env->node);
    env->node = env_node_ref(mark->node);
    wd_scene_unref(&env->told);
    env->told = wd_scene_ref(mark->told);
}

wd_status wd_env_step(wd_envs *envs, wd_env *env, const wd_action *action, const wd_value *args,
    wd_env_look look, wd_env_stepped *ret_stepped, wd_error *error)
{
    wd_env_stepped stepped = { .result = wd_result_ok() };
    step_mark mark = { 0 };
    if (env->progress.ending != WD_END_NONE && env->auto_reset == WD_ENV_RESET_NEVER) {
        return wd_error_set(error, WD_ESTATE, "env: the episode is over (%s); reset it",
            wd_ending_name(env->progress.ending));
    }
    wd_status status = env_room(envs, 0, 0, error);
    if (status == WD_OK && env_progress_copy(&env->progress, &mark.progress) != WD_OK) {
        status = wd_error_set(error, WD_ENOMEM, "env: out of memory");
    }
    if (status != WD_OK) {
        return status;
    }
    mark.machine = wd_device_capture(env->device);
    mark.node = env_node_ref(env->node);
    mark.told = wd_scene_ref(env->told);
    if (env->progress.ending != WD_END_NONE) {  // NEXT_STEP: instead of acting
        status = restart(envs, env, error);
        stepped.reset = true;
        status = status == WD_OK ? env_see(envs, env, look, &stepped.observation) : status;
        stepped.machine = wd_device_digest(env->device);
    } else {
        status = act(envs, env, action, args, look, &stepped);
        if (status == WD_OK && stepped.ending != WD_END_NONE && env->auto_reset == WD_ENV_RESET_SAME_STEP) {
            status = begin_anew(envs, env, look, &stepped, error);
        }
    }
    if (status == WD_OK) {
        *ret_stepped = stepped;
        envs->stats.steps += 1;
    } else {
        put_back(envs, env, &mark);
        wd_env_stepped_done(&stepped);
        status = wd_error_set(error, status, "env: %s", wd_status_text(status));
    }
    wd_value_unref(&mark.machine);
    env_node_unref(envs, &mark.node);
    wd_scene_unref(&mark.told);
    env_progress_done(envs, &mark.progress);
    return status;
}

// ---- state --------------------------------------------------------------------------------------------------------

wd_status wd_env_inject(
    wd_envs *envs, wd_env *env, const wd_value *patch, bool deep, bool reload, wd_error *error)
{
    wd_status status = env_room(envs, 0, 0, error);
    if (status == WD_OK) {
        status = wd_device_inject(env->device, patch, deep, reload, error);
        env_drop_events(env->device);
    }
    return status;
}

wd_status wd_env_state(wd_env *env, wd_value **ret_state)
{
    return wd_device_state(env->device, ret_state);
}
