#include "runtime/replay.h"

#include "runtime/file.h"
#include "semantic/enrich.h"
#include "semantic/screen.h"
#include "tree/alloc.h"
#include "tree/text.h"

#include <stdio.h>

/// What a passive replay carries from step to step.
typedef struct passive {
    wd_world_model *model;
    bool semantic;
    size_t index;
    wd_scene *scene;        // the last one seen
    int32_t width, height;  // the largest display seen: a dialog's tree alone is smaller
    wd_passive_visit visit;
    void *context;
} passive;

static wd_status passive_start(
    passive *replay, const wd_run_options *options, wd_passive_visit visit, void *context, wd_error *error)
{
    *replay = (passive){ .semantic = options->semantic, .visit = visit, .context = context };
    return wd_world_model_new(&options->world, &replay->model, error);
}

/// Feed one scene (NULL: capture failed) that `step` led to (NULL: the first).
static wd_status passive_feed(passive *replay, const char *name, const wd_scene *scene, wd_semantic *given,
    const wd_step *step, const wd_result *result, const char *failure)
{
    wd_semantic *semantic = given;
    wd_status status = WD_OK;
    if (replay->semantic && semantic == NULL && scene != NULL) {
        status = wd_semantic_enrich(scene, &semantic);
        if (status != WD_OK && status != WD_ENOMEM) {
            status = WD_OK;  // not understood: the raw scene has to do
        }
    }
    wd_observe_report report = { 0 };
    if (status == WD_OK) {
        status = step == NULL ? wd_world_model_begin(replay->model, scene, semantic)
                              : wd_world_model_observe(replay->model, scene, semantic, step, result, &report);
    }
    if (status == WD_OK) {
        wd_passive_step seen = {
            .index = replay->index,
            .name = name,
            .world = wd_world_model_state(replay->model),
            .action = step == NULL ? NULL : &step->action,
            .report = step == NULL ? NULL : &report,
            .scene = scene,
            .failure = failure,
        };
        replay->visit(replay->context, &seen);
        replay->index += 1;
    }
    wd_observe_report_done(&report);
    wd_semantic_unref(&semantic);
    return status;
}

// ---- our own episodes -----------------------------------------------------------------------------------------

/// The scene (and its semantic scene) that a digest names; both NULL when the episode has none of that name.
static wd_status scene_of(const wd_episode *episode, const wd_value *digest, wd_scene **ret_scene,
    wd_semantic **ret_semantic, wd_error *error)
{
    *ret_scene = NULL;
    *ret_semantic = NULL;
    const wd_value *line =
        digest == NULL ? NULL : wd_object_get(episode->scenes, wd_value_string_or(digest, ""));
    if (line == NULL) {
        return WD_OK;
    }
    wd_status status = wd_scene_from_value(wd_object_get(line, "scene"), ret_scene, error);
    const wd_value *semantic = wd_object_get(line, "semantic");
    if (status == WD_OK && semantic != NULL) {
        status = wd_semantic_from_value(semantic, ret_semantic, error);
    }
    if (status != WD_OK) {
        wd_scene_unref(ret_scene);
    }
    return status;
}

static wd_outcome outcome_of(const wd_value *result)
{
    const wd_value *outcome = wd_object_get(result, "outcome");
    return wd_value_is_text(outcome, "failed")    ? WD_OUTCOME_FAILED
           : wd_value_is_text(outcome, "refused") ? WD_OUTCOME_REFUSED
                                                  : WD_OUTCOME_OK;
}

static wd_status feed_line(passive *replay, const wd_episode *episode, const wd_value *line, wd_error *error)
{
    const wd_value *recorded = wd_object_get(line, "action");
    wd_result result = wd_result_ok();
    result.outcome = outcome_of(wd_object_get(line, "result"));
    if (result.outcome == WD_OUTCOME_REFUSED) {
        return WD_OK;  // refused steps are not observed
    }
    if (result.outcome == WD_OUTCOME_FAILED) {
        result = wd_result_make(WD_OUTCOME_FAILED, WD_ESTATE, "failed", "as recorded");
    }
    wd_step step = { 0 };
    wd_status status = wd_action_from_value(
        wd_value_string_or(wd_object_get(recorded, "kind"), ""), recorded, &step.action, error);
    if (status != WD_OK) {
        return status;
    }
    step.args = wd_value_ref(wd_object_get(line, "args"));
    wd_scene *scene = NULL;
    wd_semantic *semantic = NULL;
    status = scene_of(episode, wd_object_get(line, "scene_after"), &scene, &semantic, error);
    if (status == WD_OK) {
        status = passive_feed(replay, "", scene, replay->semantic ? semantic : NULL, &step, &result, "");
        if (!replay->semantic) {
            wd_semantic_unref(&semantic);
        }
    }
    wd_scene_unref(&scene);
    wd_step_done(&step);
    return status;
}

wd_status wd_replay_passive(const wd_episode *episode, const wd_run_options *options, wd_passive_visit visit,
    void *context, wd_error *error)
{
    passive replay;
    wd_status status = passive_start(&replay, options, visit, context, error);
    if (status != WD_OK) {
        return status;
    }
    wd_scene *scene = NULL;
    wd_semantic *semantic = NULL;
    status = scene_of(episode, wd_object_get(episode->begin, "scene"), &scene, &semantic, error);
    if (status == WD_OK) {
        status = passive_feed(&replay, "", scene, replay.semantic ? semantic : NULL, NULL, NULL, "");
        if (!replay.semantic) {
            wd_semantic_unref(&semantic);
        }
    }
    wd_scene_unref(&scene);
    for (size_t i = 0; status == WD_OK && i < wd_array_count(episode->steps); i++) {
        status = feed_line(&replay, episode, wd_array_at(episode->steps, i), error);
    }
    wd_world_model_destroy(&replay.model);
    return status;
}

// ---- folders of dumps -----------------------------------------------------------------------------------------

static wd_status feed_file(passive *replay, const char *directory, const char *name, wd_error *error)
{
    wd_buffer path = { 0 };
    char *bytes = NULL;
    size_t length = 0;
    wd_status status = wd_buffer_format(&path, "%s/%s", directory, name);
    if (status == WD_OK) {
        status = wd_file_read(path.bytes, &bytes, &length, error);
    }
    wd_buffer_done(&path);
    if (status != WD_OK) {
        return status;
    }
    wd_scene *scene = NULL;
    wd_error reason = { 0 };
    wd_screen_options options = {
        .previous = replay->scene, .width = replay->width, .height = replay->height
    };
    status = wd_screen_read(bytes, length, &options, &scene, &reason);
    wd_free(bytes, length + 1);
    if (status == WD_ENOMEM) {
        return status;
    }
    wd_step step = { 0 };
    wd_action_init(&step.action, WD_ACTION_NOOP);  // what was done in between is not recorded
    wd_result result = wd_result_ok();
    status = passive_feed(replay, name, scene, NULL, replay->index == 0 ? NULL : &step, &result, reason.text);
    wd_step_done(&step);
    if (scene != NULL) {
        const wd_scene_info *info = wd_scene_info_of(scene);
        replay->width = info->width > replay->width ? info->width : replay->width;
        replay->height = info->height > replay->height ? info->height : replay->height;
        wd_scene_unref(&replay->scene);
        replay->scene = scene;
    }
    return status;
}

wd_status wd_replay_folder(const char *directory, const wd_run_options *options, wd_passive_visit visit,
    void *context, wd_error *error)
{
    wd_value *names = NULL;
    wd_status status = wd_file_list(directory, &names, error);
    if (status != WD_OK) {
        return status;
    }
    passive replay;
    status = passive_start(&replay, options, visit, context, error);
    if (status == WD_OK && wd_array_count(names) == 0) {
        status = wd_error_set(error, WD_ENOENT, "%s: no files", directory);
    }
    for (size_t i = 0; status == WD_OK && i < wd_array_count(names); i++) {
        status = feed_file(&replay, directory, wd_value_as_string(wd_array_at(names, i), NULL), error);
    }
    wd_scene_unref(&replay.scene);
    wd_world_model_destroy(&replay.model);
    wd_value_unref(&names);
    return status;
}
