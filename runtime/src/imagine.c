#include "imagine.h"

#include "broker_internal.h"
#include "env_call_internal.h"
#include "env_event.h"
#include "run_internal.h"
#include "runtime/run_judge.h"
#include "tree/json.h"

#include <string.h>

// ---- what is asked ------------------------------------------------------------------------------------------------

static wd_status read_scenes(const wd_value *args, bool *all_scenes, wd_error *error)
{
    const char *scenes = NULL;
    wd_status status = wd_verb_text(args, "scenes", &scenes, error);
    *all_scenes = scenes != NULL && strcmp(scenes, "all") == 0;
    if (status == WD_OK && scenes != NULL && !*all_scenes && strcmp(scenes, "last") != 0) {
        status = wd_error_set(error, WD_EINVAL, "args.scenes: \"%.40s\" is neither last nor all", scenes);
    }
    return status;
}

/// Count the steps of all candidates.
static wd_status read_candidates(const wd_value *candidates, uint32_t *ret_cost, wd_error *error)
{
    if (!wd_value_is(candidates, WD_KIND_ARRAY)) {
        return wd_error_set(error, WD_ETYPE, "args.candidates: must be an array of arrays of actions");
    }
    if (wd_array_count(candidates) > WD_IMAGINE_CANDIDATES_MAX) {
        return wd_error_set(error, WD_ELIMIT, "args.candidates: %zu are asked for, at most %d may be",
            wd_array_count(candidates), WD_IMAGINE_CANDIDATES_MAX);
    }
    size_t cost = 0;
    wd_iter iter = wd_iter_start(candidates);
    while (wd_iter_next(&iter)) {
        size_t steps = wd_array_count(iter.value);
        if (!wd_value_is(iter.value, WD_KIND_ARRAY)) {
            return wd_error_set(
                error, WD_ETYPE, "args.candidates[%zu]: must be an array of actions", iter.index);
        }
        if (steps > WD_IMAGINE_STEPS_MAX) {
            return wd_error_set(error, WD_ELIMIT, "args.candidates[%zu]: has %zu steps, at most %d may be",
                iter.index, steps, WD_IMAGINE_STEPS_MAX);
        }
        cost += steps == 0 ? 1 : steps;
    }
    if (cost > WD_IMAGINE_STEPS_ALL_MAX) {
        return wd_error_set(error, WD_ELIMIT, "args.candidates: %zu steps are asked for, at most %d may be",
            cost, WD_IMAGINE_STEPS_ALL_MAX);
    }
    *ret_cost = (uint32_t)cost;
    return WD_OK;
}

wd_status wd_imagine_read(const wd_value *args, wd_imagine_order *ret_order, wd_error *error)
{
    wd_imagine_order order = { .candidates = wd_object_get(args, "candidates"), .look = WD_ENV_LOOK_FULL };
    wd_status status = env_arg_look(args, &order.look, error);
    status = status == WD_OK ? read_scenes(args, &order.all_scenes, error) : status;
    status = status == WD_OK ? read_candidates(order.candidates, &order.cost, error) : status;
    if (status == WD_OK) {
        *ret_order = order;
    }
    return status;
}

// ---- one step -----------------------------------------------------------------------------------------------------

/// A candidate on its way.
typedef struct imagined {
    wd_env *env;            // the fork
    wd_world_model *model;  // the run's, forked; NULL: an env's
    wd_value *steps;        // what came of those that were tried
    wd_value *verdict;      // NULL: not judged yet, or no task
    wd_error error;         // why a step could not be tried; status WD_OK: none
    bool whole;
} imagined;

static void imagined_done(wd_envs *envs, imagined *one)
{
    env_free(envs, &one->env);
    wd_world_model_destroy(&one->model);
    wd_value_unref(&one->steps);
    wd_value_unref(&one->verdict);
}

/// What cannot be read becomes an invalid action, to be refused by name. @retval WD_ENOMEM only.
static wd_status read_step(const wd_imagine_order *order, const wd_value *given, wd_step *ret_step)
{
    *ret_step = (wd_step){ .args = wd_value_is(given, WD_KIND_OBJECT) ? wd_value_ref(given) : NULL };
    wd_action_init(&ret_step->action, WD_ACTION_INVALID);
    const char *kind = wd_value_string_or(wd_object_get(given, "kind"), "");
    wd_status status = ret_step->args == NULL ? WD_ENOENT : wd_object_remove(&ret_step->args, "kind");
    if (status != WD_ENOMEM) {
        status = wd_codec_read_action(kind, ret_step->args, &ret_step->action);
    }
    return status == WD_OK && order->planner != NULL ? broker_place_step(order->planner, ret_step) : status;
}

/// The present screen; NULL when an app's code keeps it from being drawn.
static wd_status look_at(wd_envs *envs, wd_env *env, wd_scene **ret_scene)
{
    wd_error error;
    *ret_scene = NULL;
    return wd_phone_observe(envs->host, env->device, ret_scene, &error) == WD_ENOMEM ? WD_ENOMEM : WD_OK;
}

static void set_told(wd_env *env, wd_scene *scene)
{
    wd_scene *told = wd_scene_ref(scene);
    wd_scene_unref(&env->told);
    env->told = told;
}

/// A target by node id means the scene that the candidate was planned on. All else means the screen as it is then, where
/// the judge's order rules look up what was touched.
static wd_status face_screen(
    wd_envs *envs, const wd_imagine_ground *ground, wd_env *env, const wd_action *action)
{
    if (action->node >= 0) {
        set_told(env, ground->planned_on);
        return WD_OK;
    }
    wd_scene *scene = NULL;
    wd_status status = look_at(envs, env, &scene);
    if (status == WD_OK) {
        set_told(env, scene);
    }
    wd_scene_unref(&scene);
    return status;
}

/// NULL takes the member away.
static wd_status set_text(wd_value **object_p, const char *name, const char *text)
{
    if (text == NULL) {
        return wd_object_remove(object_p, name) == WD_ENOMEM ? WD_ENOMEM : WD_OK;
    }
    wd_value *value = NULL;
    wd_status status = wd_value_text(text, &value);
    status = status == WD_OK ? wd_object_set(object_p, name, &value) : status;
    wd_value_unref(&value);
    return status;
}

/// What a run does after a step (run.c): its model observes it, unless it was refused, and the judge's trace has app and
/// page as the model knows them.
static wd_status note_step(wd_envs *envs, const wd_imagine_ground *ground, imagined *one, const wd_step *step,
    const wd_result *result)
{
    wd_scene *scene = NULL;
    wd_semantic *meaning = NULL;
    wd_observe_report report = { 0 };
    bool ask = false;
    wd_status status = WD_OK;
    if (one->model == NULL) {
        return WD_OK;
    }
    if (result->outcome != WD_OUTCOME_REFUSED) {
        status = look_at(envs, one->env, &scene);
        status = status == WD_OK ? wd_run_meaning(ground->run, scene, &meaning, &ask) : status;
        status = status == WD_OK ? wd_world_model_observe(one->model, scene, meaning, step, result, &report)
                                 : status;
    }
    const wd_world_state *world = wd_world_model_state(one->model);
    wd_value **event_p = &one->env->progress.trace->event;  // of the step just made: nobody else has it
    status = status == WD_OK ? set_text(event_p, "app", world == NULL ? NULL : world->current_app) : status;
    status = status == WD_OK ? set_text(event_p, "page", world == NULL ? NULL : world->current_page) : status;
    wd_observe_report_done(&report);
    wd_semantic_unref(&meaning);
    wd_scene_unref(&scene);
    return status;
}

/// {"kind", "outcome", "code", "text"?, "digest", "observation"?, "user_reply"?}
static wd_status tell_step(const wd_step *step, const wd_env_stepped *stepped, const wd_task *task,
    const wd_value *observation, wd_value **steps_p)
{
    char digest[WD_DIGEST_TEXT_SIZE];
    const wd_result *result = &stepped->result;
    bool asked = step->action.kind == WD_ACTION_ASK_USER && task != NULL;
    wd_value *row = NULL;
    wd_digest_text(stepped->machine, digest);
    wd_status status = wd_value_pack(&row, "{s:s,s:s,s:s,s:?s,s:s,s:?v,s:?s}", "kind",
        wd_action_kind_name(step->action.kind), "outcome", wd_outcome_name(result->outcome), "code",
        result->code, "text", result->text[0] == '\0' ? NULL : result->text, "digest", digest, "observation",
        observation, "user_reply", asked ? wd_task_user_reply(task, step->action.text) : NULL);
    status = status == WD_OK ? wd_array_append(steps_p, &row) : status;
    wd_value_unref(&row);
    return status;
}

/// *ret_ends: the candidate goes no further.
static wd_status try_step(wd_envs *envs, const wd_imagine_ground *ground, const wd_imagine_order *order,
    const wd_value *given, imagined *one, bool *ret_ends)
{
    wd_step step;
    wd_env_stepped stepped = { 0 };
    wd_error error;
    wd_value *observation = NULL;
    *ret_ends = true;
    wd_status status = read_step(order, given, &step);
    status = status == WD_OK ? face_screen(envs, ground, one->env, &step.action) : status;
    if (status == WD_OK) {
        status = wd_env_step(envs, one->env, &step.action, step.args, WD_ENV_LOOK_NONE, &stepped, &error);
        if (status != WD_OK && status != WD_ENOMEM) {
            one->error = error;
            wd_step_done(&step);
            return WD_OK;
        }
    }
    status = status == WD_OK ? note_step(envs, ground, one, &step, &stepped.result) : status;
    if (status == WD_OK && order->all_scenes) {
        set_told(one->env, ground->planned_on);  // what CHANGED is against
        status = wd_env_observe(envs, one->env, order->look, &observation);
    }
    if (status == WD_OK) {
        status = tell_step(&step, &stepped, wd_env_task(one->env), observation, &one->steps);
        one->whole = stepped.result.outcome == WD_OUTCOME_OK;
        *ret_ends = !one->whole || stepped.ending != WD_END_NONE || step.action.kind == WD_ACTION_ASK_USER;
        one->verdict = wd_value_ref(stepped.verdict);
    }
    wd_value_unref(&observation);
    wd_env_stepped_done(&stepped);
    wd_step_done(&step);
    return status;
}

// ---- one candidate ------------------------------------------------------------------------------------------------

static wd_status try_steps(wd_envs *envs, const wd_imagine_ground *ground, const wd_imagine_order *order,
    const wd_value *candidate, imagined *one)
{
    wd_error error;
    bool ends = false;
    one->steps = wd_value_array();
    one->whole = true;
    wd_status status = env_make(envs, ground->progress, ground->device, &one->env, &error);
    if (status == WD_OK && ground->run != NULL) {
        status = wd_world_model_fork(ground->run->model, &one->model);
    }
    wd_iter iter = wd_iter_start(candidate);
    while (status == WD_OK && !ends && wd_iter_next(&iter)) {
        status = try_step(envs, ground, order, iter.value, one, &ends);
    }
    one->whole = one->whole && wd_array_count(one->steps) == wd_array_count(candidate);
    return status;
}

/// By its own task; without one there is nothing to judge.
static wd_status judge(wd_envs *envs, imagined *one)
{
    wd_error error;
    if (one->verdict != NULL || wd_env_task(one->env) == NULL) {
        return WD_OK;
    }
    wd_status status = wd_env_judge(envs, one->env, NULL, &one->verdict, &error);
    if (status != WD_OK && status != WD_ENOMEM) {
        one->error = error;
        return WD_OK;
    }
    return status;
}

/// Those side effects of the verdict that a step of this candidate made or made again. NULL without a verdict.
static wd_status own_side_effects(const wd_value *verdict, uint32_t first, wd_value **ret_list)
{
    wd_value *list = wd_value_array();
    wd_status status = WD_OK;
    if (verdict == NULL) {
        return WD_OK;
    }
    wd_iter iter = wd_iter_start(wd_object_get(verdict, "side_effects"));
    while (status == WD_OK && wd_iter_next(&iter)) {
        int64_t step = wd_value_int_or(wd_object_get(iter.value, "step"), -1);
        if (wd_value_int_or(wd_object_get(iter.value, "last_step"), step) >= (int64_t)first) {
            wd_value *row = wd_value_ref(iter.value);
            status = wd_array_append(&list, &row);
            wd_value_unref(&row);
        }
    }
    if (status != WD_OK) {
        wd_value_unref(&list);
        return status;
    }
    *ret_list = list;
    return WD_OK;
}

/// What a candidate's answer is made of; all may be NULL.
typedef struct answer_parts {
    wd_value *observation, *state, *changes, *side_effects, *reward, *error, *world;
    int64_t changes_more;
} answer_parts;

static void answer_parts_done(answer_parts *parts)
{
    wd_value **const values[] = { &parts->observation, &parts->state, &parts->changes, &parts->side_effects,
        &parts->reward, &parts->error, &parts->world };
    for (size_t i = 0; i < WD_COUNT_OF(values); i++) {
        wd_value_unref(values[i]);
    }
}

static wd_status make_parts(wd_envs *envs, const wd_imagine_ground *ground, const wd_imagine_order *order,
    const wd_value *state_now, imagined *one, answer_parts *parts)
{
    const wd_task *task = wd_env_task(one->env);
    const wd_world_state *world = one->model == NULL ? NULL : wd_world_model_state(one->model);
    set_told(one->env, ground->planned_on);
    wd_status status = wd_env_observe(envs, one->env, order->look, &parts->observation);
    status = status == WD_OK ? wd_env_state(one->env, &parts->state) : status;
    status = status == WD_OK ? wd_env_changes(state_now, parts->state, &parts->changes, &parts->changes_more)
                             : status;
    status = status == WD_OK ? own_side_effects(one->verdict, ground->progress->steps, &parts->side_effects)
                             : status;
    if (status == WD_OK && one->verdict != NULL) {
        status = wd_value_double(
            wd_verdict_reward(task->id, wd_env_ending(one->env), one->verdict), &parts->reward);
    }
    if (status == WD_OK && one->error.status != WD_OK) {
        status = wd_value_pack(
            &parts->error, "{s:i,s:s}", "code", (int64_t)one->error.status, "text", one->error.text);
    }
    if (status == WD_OK && world != NULL) {
        status = wd_world_state_to_value(world, false, &parts->world);
    }
    return status;
}

static wd_status tell_candidate(wd_envs *envs, const wd_imagine_ground *ground, const wd_imagine_order *order,
    const wd_value *state_now, imagined *one, wd_value **ret_answer)
{
    char digest[WD_DIGEST_TEXT_SIZE];
    answer_parts parts = { 0 };
    wd_ending ending = wd_env_ending(one->env);
    wd_digest_text(wd_env_digest(one->env), digest);
    wd_status status = make_parts(envs, ground, order, state_now, one, &parts);
    if (status == WD_OK) {
        status =
            wd_value_pack(ret_answer, "{s:v,s:b,s:?s,s:?v,s:s,s:?v,s:?v,s:i,s:?v,s:?v,s:?v,s:?v,s:?v}",  //
                "steps", one->steps, "whole", (int)one->whole,                                           //
                "ending", ending == WD_END_NONE ? NULL : wd_ending_name(ending), "error", parts.error,   //
                "digest", digest, "observation", parts.observation,                                      //
                "changes", parts.changes, "changes_more", parts.changes_more,                            //
                "progress", wd_object_get(one->verdict, "progress"), "reward", parts.reward,             //
                "side_effects", parts.side_effects, "verdict", one->verdict, "world", parts.world);
    }
    answer_parts_done(&parts);
    return status;
}

static wd_status imagine_one(wd_envs *envs, const wd_imagine_ground *ground, const wd_imagine_order *order,
    const wd_value *state_now, const wd_value *candidate, wd_value **ret_answer)
{
    imagined one = { 0 };
    wd_status status = try_steps(envs, ground, order, candidate, &one);
    status = status == WD_OK ? judge(envs, &one) : status;
    status = status == WD_OK ? tell_candidate(envs, ground, order, state_now, &one, ret_answer) : status;
    imagined_done(envs, &one);
    return status;
}

// ---- all ----------------------------------------------------------------------------------------------------------

/// Count the bytes that the answer takes as JSON.
static wd_status weigh(const wd_value *answer, size_t *bytes, wd_error *error)
{
    wd_buffer text = { 0 };
    wd_status status = wd_json_write(answer, WD_JSON_COMPACT, &text);
    *bytes += text.length;
    wd_buffer_done(&text);
    if (status == WD_OK && *bytes > WD_IMAGINE_REPLY_MAX) {
        status = wd_error_set(error, WD_ELIMIT,
            "imagine: the answer is over %d bytes; ask for fewer candidates or scenes (observe, scenes)",
            WD_IMAGINE_REPLY_MAX);
    }
    return status;
}

static wd_status imagine_all(wd_envs *envs, const wd_imagine_ground *ground, const wd_imagine_order *order,
    const wd_value *state_now, wd_value **list_p, wd_error *error)
{
    size_t bytes = 0;
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(order->candidates);
    while (status == WD_OK && wd_iter_next(&iter)) {
        wd_value *answer = NULL;
        status = imagine_one(envs, ground, order, state_now, iter.value, &answer);
        if (status != WD_OK) {
            wd_error_set(error, status, "imagine: %s", wd_status_text(status));
        } else {
            status = weigh(answer, &bytes, error);
        }
        status = status == WD_OK ? wd_array_append(list_p, &answer) : status;
        wd_value_unref(&answer);
    }
    return status;
}

wd_status wd_imagine(wd_envs *envs, const wd_imagine_ground *ground, const wd_imagine_order *order,
    wd_value **ret_result, wd_error *error)
{
    char digest[WD_DIGEST_TEXT_SIZE];
    wd_error local = { .status = WD_OK };
    wd_value *state_now = NULL, *list = wd_value_array();
    wd_envs_stats counted = envs->stats;
    wd_digest_text(wd_device_digest(ground->device), digest);
    wd_status status = wd_device_state(ground->device, &state_now);
    status = status == WD_OK ? imagine_all(envs, ground, order, state_now, &list, &local) : status;
    if (status == WD_OK) {
        status = wd_value_pack(
            ret_result, "{s:s,s:i,s:v}", "digest", digest, "spent", (int64_t)order->cost, "candidates", list);
    }
    wd_value_unref(&list);
    wd_value_unref(&state_now);
    envs->stats = counted;  // none of its steps was an env's
    envs->stats.imagined += status == WD_OK ? order->cost : 0;
    return status == WD_OK ? WD_OK
                           : wd_error_set(error, status, "%s",
                                 local.status == status ? local.text : "imagine: out of memory");
}
