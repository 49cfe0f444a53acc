// Recordings of other tools through WorldModel: each step's actions with the screens and routes recorded beside them.
#include "passive.h"

#include "runtime/file_tree.h"
#include "tree/text.h"

#include <stdio.h>

/// One episode being replayed.
typedef struct tape {
    const wd_recording *recording;
    size_t episode;
    const wd_episode_header *header;
    wd_passive passive;
    wd_scene *last_screen;  // the last that could be read, for what only a sequence shows
} tape;

static const wd_episode_step *step_at(const tape *on, size_t step)
{
    return step < on->header->step_count ? wd_recording_step(on->recording, on->episode, step) : NULL;
}

/// A scene that holds no more than the route a recording tells: app, activity, page.
static wd_status scene_of_route(
    const tape *on, const char *app, const char *activity, const char *route, wd_scene **ret_scene)
{
    wd_scene_builder *builder = NULL;
    wd_status status = wd_scene_builder_new(&builder);
    if (status == WD_OK) {
        wd_scene_info info = {
            .source_format = wd_episode_format_name(on->header->format),
            .app_package = app,
            .app_source = app == NULL ? NULL : "route",
            .activity = activity,
            .activity_source = activity == NULL ? NULL : "route",
            .route = route,
        };
        status = wd_scene_builder_finish(builder, &info, ret_scene);
    }
    wd_scene_builder_destroy(&builder);
    return status;
}

/// What was on the screen before (or after) a step: the recorded screen, else its route, else nothing. *ret_scene may stay
/// NULL; ret_failure then says why, when there should have been a screen.
static wd_status look(tape *on, size_t step, bool after, wd_scene **ret_scene, wd_error *ret_failure)
{
    const wd_episode_step *at = step_at(on, step);
    *ret_scene = NULL;
    ret_failure->text[0] = '\0';
    if (at == NULL) {
        return WD_OK;
    }
    if (after ? at->has_screen_after : at->has_screen) {
        wd_status status = wd_recording_scene(
            on->recording, on->episode, step, after, on->last_screen, ret_scene, ret_failure);
        if (status == WD_OK) {
            wd_scene_unref(&on->last_screen);
            on->last_screen = wd_scene_ref(*ret_scene);
        }
        return status == WD_ENOMEM ? status : WD_OK;
    }
    if (after && (at->app_after != NULL || at->activity_after != NULL)) {
        return scene_of_route(on, at->app_after, at->activity_after, NULL, ret_scene);
    }
    // An app without route or activity was inferred from an earlier launch: that is WorldModel's own business.
    if (!after && (at->page_before != NULL || at->activity_before != NULL)) {
        return scene_of_route(on, at->app_before, at->activity_before, at->page_before, ret_scene);
    }
    return WD_OK;
}

/// What followed a step: its own screen after, else what stood before the next step.
static wd_status look_after(tape *on, size_t step, wd_scene **ret_scene, wd_error *ret_failure)
{
    const wd_episode_step *at = step_at(on, step);
    if (at->has_screen_after || at->app_after != NULL || at->activity_after != NULL) {
        return look(on, step, true, ret_scene, ret_failure);
    }
    return look(on, step + 1, false, ret_scene, ret_failure);
}

static wd_result result_of(const wd_episode_step *at)
{
    if (!at->executed) {
        return wd_result_make(WD_OUTCOME_REFUSED, WD_ESTATE, "not_executed", "as recorded");
    }
    wd_result result = at->outcome == WD_OUTCOME_OK
                           ? wd_result_ok()
                           : wd_result_make(at->outcome, WD_ESTATE, at->outcome_code, "as recorded");
    return result;
}

/// Feed one action of a step; only the last one is followed by the recorded screen.
static wd_status feed_action(tape *on, const wd_episode_step *at, const wd_action *action, const char *name,
    const wd_scene *scene, const char *failure, wd_error *error)
{
    wd_step step = { 0 };
    wd_result result = result_of(at);
    wd_status status = wd_action_copy(action, &step.action);
    if (status == WD_OK && !wd_text_copy(at->thought, &step.thought)) {
        status = WD_ENOMEM;
    }
    if (status == WD_OK) {
        wd_passive_input input = {
            .name = name == NULL ? "" : name,
            .scene = scene,
            .step = &step,
            .result = &result,
            .failure = failure,
            .warnings = at->warnings,
            .warning_count = at->warning_count,
        };
        status = wd_passive_feed(&on->passive, &input, error);
    }
    wd_step_done(&step);
    return status;
}

static wd_status feed_step(tape *on, size_t index, wd_error *error)
{
    const wd_episode_step *at = step_at(on, index);
    wd_scene *scene = NULL;
    wd_error failure = { 0 };
    wd_action unknown;  // what was done between two screens is not recorded
    wd_action_init(&unknown, WD_ACTION_NOOP);
    size_t count = at->action_count == 0 ? 1 : at->action_count;
    const wd_episode_step *next = step_at(on, index + 1);
    const char *name =
        at->action_count > 0 || next == NULL ? at->id : next->id;  // of screens alone: the one seen
    wd_status status = look_after(on, index, &scene, &failure);
    if (at->action_count == 0 && next == NULL) {
        count = 0;  // a last screen that nothing followed
    }
    for (size_t i = 0; status == WD_OK && i < count; i++) {
        const wd_action *action = at->action_count == 0 ? &unknown : &at->actions[i];
        bool last = i + 1 == count;
        status = feed_action(on, at, action, name, last ? scene : NULL, last ? failure.text : "", error);
    }
    wd_scene_unref(&scene);
    wd_action_done(&unknown);
    return status;
}

static wd_status feed_all(tape *on, wd_error *error)
{
    wd_scene *scene = NULL;
    wd_error failure = { 0 };
    wd_status status = look(on, 0, false, &scene, &failure);
    if (status == WD_OK) {
        const wd_episode_step *first = step_at(on, 0);
        wd_passive_input input = {
            .name = first == NULL || first->id == NULL ? "" : first->id,
            .scene = scene,
            .failure = failure.text,
        };
        status = wd_passive_feed(&on->passive, &input, error);
    }
    wd_scene_unref(&scene);
    for (size_t i = 0; status == WD_OK && i < on->header->step_count; i++) {
        status = feed_step(on, i, error);
    }
    return status;
}

// ---- writing ----------------------------------------------------------------------------------------------------

/// The recording's task as a task of ours: it can be shown and searched, not judged.
static wd_status task_of(const wd_episode_header *header, wd_task *ret_task, wd_error *error)
{
    const char *id = wd_text_given(header->task_id)      ? header->task_id
                     : wd_text_given(header->episode_id) ? header->episode_id
                                                         : wd_episode_format_name(header->format);
    wd_value *document = NULL;
    wd_status status = wd_value_pack(&document, "{s:s,s:s,s:{s:s,s:s,s:?s,s:?s}}", "id", id, "instruction",
        header->task == NULL ? "" : header->task,  //
        "recorded", "format", wd_episode_format_name(header->format), "space", wd_space_name(header->space),
        "agent", header->agent, "model", header->model);
    status = status == WD_OK ? wd_task_bind(document, NULL, ret_task, error) : status;
    wd_value_unref(&document);
    return status;
}

static wd_status open_writer(const tape *on, const char *directory, const wd_run_options *options,
    wd_episode_writer **ret_writer, wd_error *error)
{
    wd_buffer path = { 0 };
    wd_task task = { 0 };
    char name[64], executor[96];
    const char *format = wd_episode_format_name(on->header->format);
    snprintf(name, sizeof name, "%.40s-%zu", format, on->episode + 1);
    snprintf(executor, sizeof executor, "recorded:%s", format);
    wd_episode_writer *writer = NULL;
    wd_status status = wd_buffer_format(&path, "%s/%s.jsonl", directory, name);
    status = status == WD_OK ? task_of(on->header, &task, error) : status;
    status = status == WD_OK ? wd_episode_create(path.bytes, &writer, error) : status;
    if (status == WD_OK) {
        wd_episode_opening opening = {
            .task = &task,
            .options = options,
            .executor = executor,
            .run_id = name,
        };
        status = wd_episode_header_write(writer, &opening, error);
    }
    wd_buffer_done(&path);
    wd_task_done(&task);
    if (status != WD_OK) {
        wd_episode_close(&writer);
        return status;
    }
    *ret_writer = writer;
    return WD_OK;
}

/// How it ended, as far as its last action tells.
static wd_ending ending_of(const tape *on)
{
    const wd_episode_step *last =
        on->header->step_count == 0 ? NULL : step_at(on, on->header->step_count - 1);
    wd_action_kind kind =
        last == NULL || last->action_count == 0 ? WD_ACTION_NOOP : last->actions[last->action_count - 1].kind;
    return kind == WD_ACTION_COMPLETE ? WD_END_COMPLETE
           : kind == WD_ACTION_ABORT  ? WD_END_ABORT
                                      : WD_END_STEP_LIMIT;
}

static wd_status replay_episode(tape *on, const char *directory, const wd_run_options *options,
    wd_passive_visit visit, void *context, wd_error *error)
{
    wd_episode_writer *writer = NULL;
    on->header = wd_recording_header(on->recording, on->episode);
    wd_status status = directory == NULL ? WD_OK : open_writer(on, directory, options, &writer, error);
    if (status == WD_OK) {
        status = wd_passive_start(&on->passive, options, writer, visit, context, error);
    }
    if (status == WD_OK) {
        status = feed_all(on, error);
        if (status == WD_OK && writer != NULL) {
            status = wd_episode_end_write(
                writer, ending_of(on), on->header->stop_reason, on->passive.step_index, NULL, error);
        }
        wd_passive_done(&on->passive);
    }
    wd_scene_unref(&on->last_screen);
    wd_episode_close(&writer);
    return status;
}

wd_status wd_replay_recording(const char *path, const char *format, const wd_run_options *options,
    const char *directory, wd_passive_visit visit, void *context, wd_error *error)
{
    wd_episode_format wanted = WD_EPISODE_AUTO;
    if (format != NULL && wd_episode_format_parse(format, &wanted) != WD_OK) {
        return wd_error_set(error, WD_ENOENT, "\"%s\" is no episode format", format);
    }
    wd_file_tree files;
    wd_status status = wd_file_tree_open(path, &files, error);
    if (status != WD_OK) {
        return status;
    }
    wd_recording *recording = NULL;
    status = wd_recording_open(&files.source, wanted, NULL, &recording, error);
    for (size_t i = 0; status == WD_OK && i < wd_recording_count(recording); i++) {
        tape one = { .recording = recording, .episode = i };
        status = replay_episode(&one, directory, options, visit, context, error);
    }
    wd_recording_close(&recording);
    wd_file_tree_close(&files);
    return status;
}
