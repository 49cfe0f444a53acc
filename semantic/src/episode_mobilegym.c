/// MobileGym runs: trajectory/<task>/trajectory.json with the run's meta.json and results.jsonl above them. The route
/// of a step is the screen before its action; replay uses what was recorded, even where the recording agent's
/// parser had cut it.
#include "episode_build.h"

#include <stdio.h>
#include <string.h>

enum { NAME_MAX_BYTES = 1024 };

/// prefix[0..length) + tail in `name`; false when it does not fit.
static bool join(char name[NAME_MAX_BYTES], const char *prefix, size_t length, const char *tail)
{
    int size = snprintf(name, NAME_MAX_BYTES, "%.*s%s", (int)length, prefix, tail);
    return size >= 0 && size < NAME_MAX_BYTES;
}

static bool coord_space(const wd_value *meta, wd_space *ret_space)
{
    static const struct {
        const char *name;
        wd_space space;
    } spaces[] = { { "norm_0_1000", WD_SPACE_NORM1000 }, { "norm_0_1", WD_SPACE_NORM1 },
        { "physical", WD_SPACE_PX } };
    for (size_t i = 0; i < WD_COUNT_OF(spaces); i++) {
        if (wd_value_is_text(wd_object_get(meta, "coord_space"), spaces[i].name)) {
            *ret_space = spaces[i].space;
            return true;
        }
    }
    return false;
}

// ---- steps ----------------------------------------------------------------------------------------------------

/// {} means that no app was in front; a device gives the app's display name and no path.
static void take_route(wd_recording *recording, wd_step_record *record, const wd_value *route)
{
    const wd_value *app = WD_FIRST_OF(route, "app");
    if (wd_value_span(app).length == 0) {
        return;
    }
    const char *path = wd_episode_keep_value(recording, WD_FIRST_OF(route, "path"));
    record->step.app_before = wd_episode_keep_value(recording, app);
    record->step.page_before = path;
    if (path != NULL) {
        record->step.page_path = wd_episode_keep(recording, path, strcspn(path, "?"));
    }
    record->step.has_screen = true;
    record->place = WD_PLACE_ROUTE;
    record->inline_screen = wd_value_ref(route);
}

static void take_step(
    wd_recording *recording, const wd_value *object, const char *folder, size_t folder_length)
{
    wd_step_record *record = wd_episode_step_add(recording);
    if (record == NULL) {
        return;
    }
    char name[NAME_MAX_BYTES];
    wd_buffer reply = { 0 };
    const wd_value *response = WD_FIRST_OF(object, "model_response_path");
    record->step.number = wd_value_int_or(wd_object_get(object, "step"), -1);
    if (wd_value_span(wd_object_get(object, "thought")).length > 0) {
        record->step.thought = wd_episode_keep_value(recording, wd_object_get(object, "thought"));
    }
    wd_span raw = { "", 0 };
    if (wd_value_is(response, WD_KIND_STRING) &&
        join(name, folder, folder_length, wd_value_as_string(response, NULL)) &&
        wd_episode_read(recording, name, &reply)) {
        raw = (wd_span){ reply.bytes, reply.length };
    }
    wd_builder builder = wd_episode_builder(recording, record);
    wd_mobilegym_action(&builder, wd_value_string_or(wd_object_get(object, "action_type"), ""),
        wd_object_get(object, "action_data"), raw);
    wd_episode_builder_end(recording, record, &builder);
    take_route(recording, record, wd_object_get(object, "route"));
    wd_buffer_done(&reply);
}

// ---- episodes -------------------------------------------------------------------------------------------------

/// The line of results.jsonl that is about this task and trial.
typedef struct result_search {
    wd_episode *episode;
    int64_t trial;
} result_search;

static void take_result(wd_recording *recording, const wd_value *line, void *context)
{
    const result_search *search = context;
    wd_episode_header *header = &search->episode->header;
    const wd_value *execution = wd_object_get(line, "execution");
    const wd_value *success = wd_object_get(line, "is_success");
    if (header->task_id == NULL || !wd_value_is_text(wd_object_get(line, "id"), header->task_id) ||
        wd_value_int_or(wd_object_get(line, "trial_id"), 0) != search->trial) {
        return;
    }
    if (wd_value_is(success, WD_KIND_BOOL)) {
        header->success = wd_value_as_bool(success) ? WD_YES : WD_NO;
    }
    header->stop_reason = wd_episode_keep_value(recording, wd_object_get(execution, "stop_reason"));
    header->declared_length = wd_value_int_or(wd_object_get(execution, "steps"), -1);
}

static void take_metas(wd_recording *recording, const char *name, size_t folder_length, wd_episode *episode)
{
    char path[NAME_MAX_BYTES];
    result_search search = { .episode = episode };
    wd_value *own =
        join(path, name, folder_length, "meta.json") ? wd_episode_read_json(recording, path, false) : NULL;
    episode->header.task_id = wd_episode_keep_value(recording, wd_object_get(own, "task_id"));
    episode->header.task = wd_episode_keep_value(recording, wd_object_get(own, "task_name"));
    episode->header.episode_id = wd_episode_keep_value(recording, wd_object_get(own, "episode_key"));
    search.trial = wd_value_int_or(wd_object_get(own, "trial_id"), 0);
    wd_value_unref(&own);

    // The run's own files stand above the folder "trajectory".
    wd_span whole = { name, strlen(name) };
    size_t run = wd_span_find_last((wd_span){ name, folder_length }, "trajectory/");
    wd_value *meta = NULL;
    if (run < folder_length && (run == 0 || name[run - 1] == '/') && whole.length > folder_length) {
        meta = join(path, name, run, "meta.json") ? wd_episode_read_json(recording, path, false) : NULL;
        if (join(path, name, run, "results.jsonl") && wd_episode_has_name(recording, path)) {
            (void)wd_episode_records(recording, path, take_result, &search);
        }
    }
    episode->header.agent = wd_episode_keep_value(recording, wd_object_get(meta, "agent"));
    episode->header.model = wd_episode_keep_value(recording, wd_object_get(meta, "model_name"));
    wd_space space = WD_SPACE_NORM1000;
    if (!coord_space(meta, &space)) {
        episode->header.warning = "no coord_space is recorded: points are taken as thousandths";
    }
    if (!recording->options.has_space) {
        episode->header.space = space;
    }
    wd_value_unref(&meta);
}

static void take_trajectory(wd_recording *recording, const char *name)
{
    const char *slash = strrchr(name, '/');
    size_t folder_length = slash == NULL ? 0 : (size_t)(slash - name) + 1;
    wd_value *steps = wd_episode_read_json(recording, name, true);
    wd_episode *episode = steps == NULL ? NULL : wd_episode_begin(recording, WD_SPACE_NORM1000);
    if (episode != NULL) {
        take_metas(recording, name, folder_length, episode);
        for (size_t i = 0; i < wd_array_count(steps); i++) {
            take_step(recording, wd_array_at(steps, i), name, folder_length);
        }
        if (episode->header.step_count > 0) {
            // Routes say which app is in front; what launches meant does not count beside them.
            episode->header.final_app = episode->steps[episode->header.step_count - 1].step.app_before;
        }
    }
    wd_value_unref(&steps);
}

void wd_episode_mobilegym(wd_recording *recording)
{
    for (size_t i = 0; recording->status == WD_OK && i < recording->source.count; i++) {
        const char *name = wd_episode_name(recording, i);
        if (strcmp(name, "trajectory.json") == 0 || wd_text_ends(name, "/trajectory.json") ||
            (recording->source.count == 1 && wd_text_ends(name, ".json"))) {
            take_trajectory(recording, name);
        }
    }
    if (recording->status == WD_OK && recording->count == 0) {
        wd_episode_fail(recording, WD_ECORRUPT, "no trajectory.json: it is written when a run ends");
    }
}
