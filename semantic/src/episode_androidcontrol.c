/// AndroidControl as UI-S1 stores it: one episode per line, actions in Qwen's vocabulary, pixels. The direction words
/// of its instructions contradict each other, so only coordinates count.
#include "episode_build.h"

static void take_step(wd_recording *recording, const wd_value *object, size_t index)
{
    wd_step_record *record = wd_episode_step_add(recording);
    if (record == NULL) {
        return;
    }
    const wd_value *content = wd_object_get(object, "action_content");
    record->step.number = (int64_t)index;
    record->step.thought = wd_episode_keep_value(recording, wd_object_get(object, "step_instruction"));
    wd_builder builder = wd_episode_builder(recording, record);
    wd_qwen_action(&builder, content, (wd_span){ "", 0 });
    wd_episode_builder_end(recording, record, &builder);
    wd_episode_bounds(record, wd_object_get(content, "bbox"));
    const wd_value *boxes = wd_object_get(wd_object_get(object, "check_options"), "candidate_bbox");
    if (!record->step.has_bounds) {
        wd_episode_bounds(record, wd_array_at(boxes, 0));
    }
}

static void take_episode(wd_recording *recording, const wd_value *object, void *context)
{
    (void)context;
    const wd_value *steps = wd_object_get(object, "steps");
    wd_episode *episode = wd_value_is(steps, WD_KIND_ARRAY) ? wd_episode_begin(recording, WD_SPACE_PX) : NULL;
    if (episode == NULL) {
        return;
    }
    const wd_value *success = wd_object_get(object, "is_successful");
    episode->header.task = wd_episode_keep_value(recording, wd_object_get(object, "goal"));
    episode->header.episode_id = wd_episode_keep_value(recording, wd_object_get(object, "episode_id"));
    if (wd_value_is(success, WD_KIND_BOOL)) {
        episode->header.success = wd_value_as_bool(success) ? WD_YES : WD_NO;
    }
    for (size_t i = 0; i < wd_array_count(steps); i++) {
        take_step(recording, wd_array_at(steps, i), i);
    }
    wd_episode_track_apps(recording);
}

void wd_episode_androidcontrol(wd_recording *recording)
{
    const char *name = wd_episode_main_name(recording, ".jsonl");
    if (name == NULL) {
        wd_episode_fail(recording, WD_ENOENT, "no .jsonl file");
        return;
    }
    size_t broken = wd_episode_records(recording, name, take_episode, NULL);
    if (broken > 0 && recording->status == WD_OK && recording->count > 0) {
        recording->episodes[0].header.warning = "some lines of the file are broken and left out";
    }
}
