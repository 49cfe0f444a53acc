#include "runtime/replay.h"

#include "judge/changes.h"
#include "runtime/sim_executor.h"
#include "tree/delta.h"

#include <stdio.h>
#include <string.h>

/// A phone brought to the recorded start.
static wd_status restore_start(
    wd_host *host, const wd_episode *episode, wd_device **ret_device, wd_error *error)
{
    const wd_value *machine = wd_object_get(episode->header, "machine");
    if (machine == NULL) {
        return wd_error_set(error, WD_EUNSUPPORTED, "the episode was not recorded on the embedded phone");
    }
    wd_device *device = NULL;
    uint64_t seed = (uint64_t)wd_value_int_or(wd_object_get(episode->header, "seed"), 0);
    wd_status status = wd_host_boot(host, seed, &device, error);
    if (status == WD_OK) {
        status = wd_device_restore(device, machine, error);
    }
    if (status != WD_OK) {
        wd_device_destroy(&device);
        return status;
    }
    *ret_device = device;
    return WD_OK;
}

/// An episode being executed again.
typedef struct active {
    const wd_episode *episode;
    wd_executor executor;
    wd_value *state_initial;  // of the restored phone
    wd_scene *scene;          // the present one
    wd_scene *planned_on;     // that the plan being executed was made for: what its node targets refer to
    wd_replay_report report;
} active;

static bool digest_is(wd_digest digest, const wd_value *text)
{
    char got[WD_DIGEST_TEXT_SIZE];
    wd_digest_text(digest, got);
    return text == NULL || wd_value_is_text(text, got);
}

/// The state as it was recorded after a step: the start and all deltas up to there. NULL when it cannot be told.
static wd_value *recorded_state(const active *replay, size_t step)
{
    wd_value *state = wd_value_ref(replay->state_initial);
    for (size_t i = 0; i <= step && state != NULL; i++) {
        const wd_value *delta = wd_object_get(wd_array_at(replay->episode->steps, i), "delta");
        wd_value *next = NULL;
        if (delta != NULL && wd_delta_apply(state, delta, &next, NULL) != WD_OK) {
            wd_value_unref(&state);
        } else if (delta != NULL) {
            wd_value_unref(&state);
            state = next;
        }
    }
    return state;
}

/// The first place where the state differs from the recorded one, into ret_path; "" when none can be told.
static void differing_path(const active *replay, const wd_value *state, char *ret_path, size_t size)
{
    wd_value *recorded = recorded_state(replay, replay->report.steps);
    wd_changes *changes = NULL;
    ret_path[0] = '\0';
    if (recorded != NULL && wd_changes_make(recorded, state, &changes) == WD_OK &&
        wd_changes_count(changes) > 0) {
        snprintf(ret_path, size, "%s", wd_changes_at(changes, 0)->path);
    }
    wd_changes_destroy(&changes);
    wd_value_unref(&recorded);
}

static void diverge(
    wd_replay_report *report, const char *what, const char *recorded, const char *got, const char *path)
{
    if (report->diverged) {
        return;  // the first is told
    }
    report->diverged = true;
    report->diverged_step = report->steps;
    snprintf(report->divergence, sizeof report->divergence, "%s: recorded %s, now %s%s%s", what, recorded,
        got, path[0] == '\0' ? "" : "; first differing path: ", path);
}

/// Compare one step with its line; the report says what differs first.
static bool compare_step(
    active *replay, const wd_value *line, const wd_result *result, const wd_observation *after)
{
    const wd_value *machine = wd_object_get(line, "machine"), *scene = wd_object_get(line, "scene_after");
    const char *code = wd_value_string_or(wd_object_get(wd_object_get(line, "result"), "code"), "");
    char got[WD_DIGEST_TEXT_SIZE], path[160] = "";
    if (strcmp(code, result->code) != 0) {
        diverge(&replay->report, "result", code, result->code, "");
        return false;
    }
    if (!digest_is(after->machine, machine)) {
        differing_path(replay, after->state, path, sizeof path);
        wd_digest_text(after->machine, got);
        diverge(&replay->report, "machine digest", wd_value_string_or(machine, "none"), got, path);
        return false;
    }
    if (after->scene != NULL && !digest_is(wd_scene_digest(after->scene), scene)) {
        wd_digest_text(wd_scene_digest(after->scene), got);
        diverge(&replay->report, "scene digest", wd_value_string_or(scene, "none"), got, "");
        return false;
    }
    return true;
}

/// Execute the recorded action of one line. Steps that the device never saw (refused by the runner, answers) change
/// nothing and are compared as they stand.
static wd_status replay_step(active *replay, const wd_value *line, bool *ret_equal, wd_error *error)
{
    const wd_value *recorded = wd_object_get(line, "action");
    wd_action action;
    wd_status status = wd_action_from_value(
        wd_value_string_or(wd_object_get(recorded, "kind"), ""), recorded, &action, error);
    if (status != WD_OK) {
        return status;
    }
    wd_executor *executor = &replay->executor;
    wd_result result = wd_result_ok();
    const char *code = wd_value_string_or(wd_object_get(wd_object_get(line, "result"), "code"), "ok");
    bool by_runner = !wd_action_is_physical(action.kind) || strcmp(code, "repetition_limit") == 0;
    if (!by_runner) {
        status = executor->execute(executor->context, &action, replay->planned_on, &result);
    } else {
        result.code = code;
    }
    wd_action_done(&action);
    wd_observation after = { 0 };
    if (status == WD_OK) {
        status = executor->observe(executor->context, &after);
    }
    if (status != WD_OK) {
        return wd_error_set(error, status, "step %zu: %s", replay->report.steps, wd_status_text(status));
    }
    *ret_equal = compare_step(replay, line, &result, &after);
    wd_scene_unref(&replay->scene);
    replay->scene = after.scene;
    after.scene = NULL;
    wd_observation_done(&after);
    return WD_OK;
}

static wd_status look_first(active *replay)
{
    wd_observation first = { 0 };
    wd_status status = replay->executor.observe(replay->executor.context, &first);
    if (status == WD_OK &&
        !digest_is(first.machine, wd_object_get(replay->episode->header, "machine_digest"))) {
        diverge(&replay->report, "initial machine", "another digest", "other bytes", "");
    }
    replay->state_initial = wd_value_ref(first.state);
    replay->scene = first.scene;
    first.scene = NULL;
    wd_observation_done(&first);
    return status;
}

wd_status wd_replay_active(wd_host *host, const wd_episode *episode, bool keep_going,
    wd_replay_progress progress, void *context, wd_replay_report *ret_report, wd_error *error)
{
    wd_device *device = NULL;
    wd_status status = restore_start(host, episode, &device, error);
    if (status != WD_OK) {
        return status;
    }
    const wd_value *events = wd_object_get(wd_object_get(episode->header, "task"), "events");
    wd_sim_executor sim = { .host = host, .device = device, .events = wd_task_events_start(events, device) };
    active replay = {
        .episode = episode,
        .executor = wd_sim_executor_as_executor(&sim),
        .report = { .steps_recorded = wd_array_count(episode->steps),
            .cut = episode->cut,
            .bytes_lost = episode->bytes_lost },
    };
    wd_replay_report *report = &replay.report;
    status = look_first(&replay);
    while (status == WD_OK && (keep_going || !report->diverged) && report->steps < report->steps_recorded) {
        const wd_value *line = wd_array_at(episode->steps, report->steps);
        bool equal = false;
        if (wd_value_int_or(wd_object_get(wd_object_get(line, "plan"), "index"), 0) == 0) {
            wd_scene_unref(&replay.planned_on);
            replay.planned_on = wd_scene_ref(replay.scene);
        }
        status = replay_step(&replay, line, &equal, error);
        if (status == WD_OK) {
            report->digests_equal += equal;
            report->steps += 1;
            if (progress != NULL) {
                progress(context, line, equal);
            }
        }
    }
    wd_scene_unref(&replay.scene);
    wd_scene_unref(&replay.planned_on);
    wd_value_unref(&replay.state_initial);
    wd_device_destroy(&device);
    if (status != WD_OK) {
        return status;
    }
    *ret_report = *report;
    return WD_OK;
}
