// Our own episodes through WorldModel alone: their scenes, actions and results as they stand.
#include "passive.h"

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

static wd_status feed_line(
    wd_passive *passive, const wd_episode *episode, const wd_value *line, wd_error *error)
{
    const wd_value *recorded = wd_object_get(line, "action");
    wd_result result = wd_result_ok();
    wd_outcome outcome = outcome_of(wd_object_get(line, "result"));
    if (outcome == WD_OUTCOME_REFUSED) {
        return WD_OK;  // refused steps are not observed
    }
    if (outcome == WD_OUTCOME_FAILED) {
        result = wd_result_make(WD_OUTCOME_FAILED, WD_ESTATE, "failed", "as recorded");
    }
    wd_step step = { 0 };
    wd_scene *scene = NULL;
    wd_semantic *semantic = NULL;
    wd_status status = wd_action_from_value(
        wd_value_string_or(wd_object_get(recorded, "kind"), ""), recorded, &step.action, error);
    if (status != WD_OK) {
        return status;
    }
    step.args = wd_value_ref(wd_object_get(line, "args"));
    status = scene_of(episode, wd_object_get(line, "scene_after"), &scene, &semantic, error);
    if (status == WD_OK) {
        wd_passive_input input = {
            .name = "",
            .scene = scene,
            .semantic = semantic,
            .step = &step,
            .result = &result,
            .failure = "",
        };
        status = wd_passive_feed(passive, &input, error);
    }
    wd_scene_unref(&scene);
    wd_semantic_unref(&semantic);
    wd_step_done(&step);
    return status;
}

wd_status wd_replay_passive(const wd_episode *episode, const wd_run_options *options, wd_passive_visit visit,
    void *context, wd_error *error)
{
    wd_passive passive;
    wd_status status = wd_passive_start(&passive, options, NULL, visit, context, error);
    if (status != WD_OK) {
        return status;
    }
    wd_scene *scene = NULL;
    wd_semantic *semantic = NULL;
    status = scene_of(episode, wd_object_get(episode->begin, "scene"), &scene, &semantic, error);
    if (status == WD_OK) {
        wd_passive_input first = { .name = "", .scene = scene, .semantic = semantic, .failure = "" };
        status = wd_passive_feed(&passive, &first, error);
    }
    wd_scene_unref(&scene);
    wd_semantic_unref(&semantic);
    for (size_t i = 0; status == WD_OK && i < wd_array_count(episode->steps); i++) {
        status = feed_line(&passive, episode, wd_array_at(episode->steps, i), error);
    }
    wd_passive_done(&passive);
    return status;
}
