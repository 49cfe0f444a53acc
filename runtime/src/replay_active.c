#include "runtime/replay.h"

#include "runtime/sim_executor.h"

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

static bool digest_is(wd_digest digest, const wd_value *text)
{
    char got[WD_DIGEST_TEXT_SIZE];
    wd_digest_text(digest, got);
    return text == NULL || wd_value_is_text(text, got);
}

static void diverge(
    wd_replay_report *report, size_t step, const char *what, const char *recorded, const char *got)
{
    report->diverged = true;
    report->diverged_step = step;
    snprintf(report->divergence, sizeof report->divergence, "%s: recorded %s, now %s", what, recorded, got);
}

/// Compare one step with its line; *report says what differs.
static void compare_step(
    const wd_value *line, const wd_result *result, const wd_observation *after, wd_replay_report *report)
{
    const wd_value *recorded = wd_object_get(line, "result");
    const wd_value *machine = wd_object_get(line, "machine");
    const char *code = wd_value_string_or(wd_object_get(recorded, "code"), "");
    if (strcmp(code, result->code) != 0) {
        diverge(report, report->steps, "result", code, result->code);
    } else if (!digest_is(after->machine, machine)) {
        char got[WD_DIGEST_TEXT_SIZE];
        wd_digest_text(after->machine, got);
        diverge(report, report->steps, "machine digest", wd_value_string_or(machine, "none"), got);
    } else if (after->scene != NULL) {
        const wd_value *scene = wd_object_get(line, "scene_after");
        if (!digest_is(wd_scene_digest(after->scene), scene)) {
            char got[WD_DIGEST_TEXT_SIZE];
            wd_digest_text(wd_scene_digest(after->scene), got);
            diverge(report, report->steps, "scene digest", wd_value_string_or(scene, "none"), got);
        }
    }
}

/// Execute the recorded action of one line. Steps that the device never saw (refused by the runner, answers) change
/// nothing and are compared as they stand.
static wd_status replay_step(wd_executor *executor, const wd_value *line, wd_scene **scene_p,
    wd_replay_report *report, wd_error *error)
{
    const wd_value *recorded = wd_object_get(line, "action");
    wd_action action;
    wd_status status = wd_action_from_value(
        wd_value_string_or(wd_object_get(recorded, "kind"), ""), recorded, &action, error);
    if (status != WD_OK) {
        return status;
    }
    wd_result result = wd_result_ok();
    const char *code = wd_value_string_or(wd_object_get(wd_object_get(line, "result"), "code"), "ok");
    bool by_runner = !wd_action_is_physical(action.kind) || strcmp(code, "repetition_limit") == 0;
    if (!by_runner) {
        status = executor->execute(executor->context, &action, *scene_p, &result);
    } else {
        result.code = code;
    }
    wd_action_done(&action);
    wd_observation after = { 0 };
    if (status == WD_OK) {
        status = executor->observe(executor->context, &after);
    }
    if (status != WD_OK) {
        return wd_error_set(error, status, "step %zu: %s", report->steps, wd_status_text(status));
    }
    compare_step(line, &result, &after, report);
    wd_scene_unref(scene_p);
    *scene_p = after.scene;
    after.scene = NULL;
    wd_observation_done(&after);
    return WD_OK;
}

wd_status wd_replay_active(wd_host *host, const wd_episode *episode, wd_replay_progress progress,
    void *context, wd_replay_report *ret_report, wd_error *error)
{
    wd_device *device = NULL;
    wd_status status = restore_start(host, episode, &device, error);
    if (status != WD_OK) {
        return status;
    }
    wd_sim_executor sim = { .host = host,
        .device = device,
        .events =
            wd_task_events_start(wd_object_get(wd_object_get(episode->header, "task"), "events"), device) };
    wd_executor executor = wd_sim_executor_as_executor(&sim);
    wd_replay_report report = {
        .steps_recorded = wd_array_count(episode->steps),
        .cut = episode->cut,
        .bytes_lost = episode->bytes_lost,
    };
    wd_observation first = { 0 };
    status = executor.observe(executor.context, &first);
    if (status == WD_OK && !digest_is(first.machine, wd_object_get(episode->header, "machine_digest"))) {
        diverge(&report, 0, "initial machine", "another digest", "other bytes");
    }
    wd_scene *scene = first.scene;
    first.scene = NULL;
    wd_observation_done(&first);
    // A plan's node targets refer to the scene it was made on: the scene before its first step.
    wd_scene *planned_on = wd_scene_ref(scene);
    while (status == WD_OK && !report.diverged && report.steps < report.steps_recorded) {
        const wd_value *line = wd_array_at(episode->steps, report.steps);
        if (wd_value_int_or(wd_object_get(wd_object_get(line, "plan"), "index"), 0) == 0) {
            wd_scene_unref(&planned_on);
            planned_on = wd_scene_ref(scene);
        }
        wd_scene *now = wd_scene_ref(planned_on);
        status = replay_step(&executor, line, &now, &report, error);
        wd_scene_unref(&scene);
        scene = now;
        if (status == WD_OK) {
            bool equal = !report.diverged;
            report.digests_equal += equal;
            report.steps += 1;
            if (progress != NULL) {
                progress(context, line, equal);
            }
        }
    }
    wd_scene_unref(&scene);
    wd_scene_unref(&planned_on);
    wd_device_destroy(&device);
    if (status != WD_OK) {
        return status;
    }
    *ret_report = report;
    return WD_OK;
}
