#include "compress.h"
#include "runtime/episode.h"
#include "runtime/file.h"

#include "tree/delta.h"
#include "tree/json.h"
#include "tree/text.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

struct wd_episode_writer {
    int descriptor;
    char *path;
    wd_value *scenes_written;  // {digest: true}
    wd_value *state_last;      // the state the last delta led to
    size_t steps_written;
    bool begun, ended;
};

wd_status wd_episode_create(const char *path, wd_episode_writer **ret_writer, wd_error *error)
{
    wd_episode_writer *writer = wd_alloc_zero(1, sizeof *writer);
    if (writer == NULL || !wd_text_copy(path, &writer->path)) {
        wd_free(writer, sizeof *writer);
        return wd_error_set(error, WD_ENOMEM, "%s: out of memory", path);
    }
    writer->scenes_written = wd_value_object();
    writer->descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
    if (writer->descriptor < 0) {
        wd_status status =
            wd_error_set(error, errno == EEXIST ? WD_EEXIST : WD_EIO, "%s: %s", path, strerror(errno));
        wd_episode_close(&writer);
        return status;
    }
    *ret_writer = writer;
    return WD_OK;
}

void wd_episode_close(wd_episode_writer **writer_p)
{
    wd_episode_writer *writer = *writer_p;
    if (writer == NULL) {
        return;
    }
    if (writer->descriptor >= 0) {
        close(writer->descriptor);
    }
    wd_text_free(&writer->path);
    wd_value_unref(&writer->scenes_written);
    wd_value_unref(&writer->state_last);
    wd_free(writer, sizeof *writer);
    *writer_p = NULL;
}

const char *wd_episode_path(const wd_episode_writer *writer)
{
    return writer->path;
}

wd_status wd_episode_compress(wd_episode_writer *writer, wd_error *error)
{
    char *bytes = NULL, *packed = NULL;
    size_t length = 0, packed_length = 0;
    wd_buffer path = { 0 };
    wd_status status = wd_file_read(writer->path, &bytes, &length, error);
    if (status != WD_OK) {
        return status;
    }
    status = wd_compress(bytes, length, &packed, &packed_length, error);
    if (status == WD_OK && wd_buffer_format(&path, "%s.zst", writer->path) != WD_OK) {
        status = wd_error_set(error, WD_ENOMEM, "%s: out of memory", writer->path);
    }
    char *renamed = NULL;
    if (status == WD_OK && !wd_text_copy(path.bytes, &renamed)) {
        status = wd_error_set(error, WD_ENOMEM, "%s: out of memory", writer->path);
    }
    // Not settled: neither were the lines that it takes the place of, and others would wait for the disk.
    status =
        status == WD_OK ? wd_file_publish(renamed, NULL, 0, packed, packed_length, false, error) : status;
    if (status ==
        WD_OK) {  // whole and in place; a kill before the next line leaves both, which are the same episode
        unlink(writer->path);
        wd_text_free(&writer->path);
        writer->path = renamed;
    } else {
        wd_text_free(&renamed);
    }
    wd_buffer_done(&path);
    wd_free(packed, packed_length);
    wd_free(bytes, length + 1);
    return status;
}

/// One line, one write: what a killed process leaves behind is whole lines and at most one cut line.
static wd_status write_line(wd_episode_writer *writer, wd_value **line_p, wd_error *error)
{
    wd_buffer text = { 0 };
    wd_status status = wd_json_write(*line_p, WD_JSON_COMPACT, &text);
    wd_value_unref(line_p);
    if (status == WD_OK) {
        status = wd_buffer_text(&text, "\n");
    }
    for (size_t at = 0; status == WD_OK && at < text.length;) {
        ssize_t written = write(writer->descriptor, text.bytes + at, text.length - at);
        if (written < 0 && errno != EINTR) {
            status = wd_error_set(error, WD_EIO, "%s: %s", writer->path, strerror(errno));
        } else if (written > 0) {
            at += (size_t)written;
        }
    }
    wd_buffer_done(&text);
    return status;
}

static wd_status options_to_value(const wd_run_options *options, wd_value **ret_value)
{
    return wd_value_pack(ret_value, "{s:b,s:i,s:i,s:i,s:b,s:?s,s:i,s:i,s:i,s:i,s:i}",                //
        "world", (int)options->world.enabled, "history", (int64_t)options->world.history_count_max,  //
        "variables", (int64_t)options->world.variables_count_max,                                    //
        "variable_bytes", (int64_t)options->world.variables_bytes_max,                               //
        "semantic", (int)options->semantic, "enricher",
        options->enricher[0] == '\0' ? NULL : options->enricher, "step_limit",
        (int64_t)options->step_limit,                            //
        "repetition_limit", (int64_t)options->repetition_limit,  //
        "invalid_limit", (int64_t)options->invalid_limit, "deadline_ms", (int64_t)options->deadline_ms,
        "imagine", (int64_t)options->imagine_steps_max);
}

wd_status wd_episode_header_write(
    wd_episode_writer *writer, const wd_episode_opening *opening, wd_error *error)
{
    wd_value *options = NULL, *line = NULL;
    char digest[WD_DIGEST_TEXT_SIZE];
    if (opening->machine != NULL) {
        wd_digest_text(wd_value_digest(opening->machine), digest);
    }
    wd_status status = options_to_value(opening->options, &options);
    if (status == WD_OK) {
        status = wd_value_pack(&line, "{s:s,s:s,s:i,s:s,s:s,s:i,s:v,s:v,s:?v,s:?s,s:?v}",           //
            "type", "header", "format", "worldd-episode", "version", (int64_t)WD_EPISODE_VERSION,   //
            "run", opening->run_id, "executor", opening->executor, "seed", (int64_t)opening->seed,  //
            "task", opening->task->document, "options", options, "packs", opening->packs,           //
            "machine_digest", opening->machine == NULL ? NULL : digest, "machine", opening->machine);
    }
    wd_value_unref(&options);
    return status == WD_OK ? write_line(writer, &line, error) : status;
}

/// Write the scene's line unless it stands in the file already.
static wd_status write_scene(
    wd_episode_writer *writer, const wd_scene *scene, const wd_semantic *semantic, wd_error *error)
{
    char digest[WD_DIGEST_TEXT_SIZE];
    if (scene == NULL) {
        return WD_OK;
    }
    wd_digest_text(wd_scene_digest(scene), digest);
    if (wd_object_get(writer->scenes_written, digest) != NULL) {
        return WD_OK;
    }
    wd_value *content = NULL, *meaning = NULL, *line = NULL;
    wd_status status = wd_scene_to_value(scene, &content);
    if (status == WD_OK && semantic != NULL) {
        status = wd_semantic_to_value(semantic, &meaning);
    }
    if (status == WD_OK) {
        status = wd_value_pack(&line, "{s:s,s:s,s:v,s:?v}", "type", "scene", "digest", digest, "scene",
            content, "semantic", meaning);
    }
    wd_value_unref(&content);
    wd_value_unref(&meaning);
    if (status == WD_OK) {
        status = write_line(writer, &line, error);
    }
    wd_value *mark = wd_value_bool(true);
    if (status == WD_OK) {
        status = wd_object_set(&writer->scenes_written, digest, &mark);
    }
    wd_value_unref(&mark);
    return status;
}

/// The digest's text in `storage`, NULL when there is no scene.
static const char *scene_name(const wd_scene *scene, char storage[WD_DIGEST_TEXT_SIZE])
{
    if (scene == NULL) {
        return NULL;
    }
    wd_digest_text(wd_scene_digest(scene), storage);
    return storage;
}

static const char *machine_name(wd_digest digest, char storage[WD_DIGEST_TEXT_SIZE])
{
    if ((digest.high | digest.low) == 0) {
        return NULL;
    }
    wd_digest_text(digest, storage);
    return storage;
}

wd_status wd_episode_begin_write(wd_episode_writer *writer, const wd_task_context *context, wd_error *error)
{
    char scene[WD_DIGEST_TEXT_SIZE], machine[WD_DIGEST_TEXT_SIZE];
    wd_value *world = NULL, *line = NULL;
    wd_status status = write_scene(writer, context->scene, context->semantic, error);
    if (status == WD_OK && context->world != NULL) {
        status = wd_world_state_to_value(context->world, false, &world);
    }
    if (status == WD_OK) {
        status = wd_value_pack(&line, "{s:s,s:?s,s:?s,s:?v}", "type", "begin", "scene",
            scene_name(context->scene, scene), "machine", machine_name(context->machine, machine), "world",
            world);
    }
    wd_value_unref(&world);
    if (status == WD_OK) {
        status = write_line(writer, &line, error);
        writer->state_last = wd_value_ref(context->state);
        writer->begun = status == WD_OK;
    }
    return status;
}

static wd_status add_int(wd_value **object_p, const char *name, uint64_t number)
{
    wd_value *value = NULL;
    wd_status status = wd_value_int((int64_t)number, &value);
    status = status == WD_OK ? wd_object_set(object_p, name, &value) : status;
    wd_value_unref(&value);
    return status;
}

/// {"planner","model"?,"index","thought"?,"tokens_in"?,"tokens_out"?,"cost"?,"imagined"?}
static wd_status plan_value(const wd_run_step_record *record, wd_value **ret_value)
{
    wd_status status = wd_value_pack(ret_value, "{s:?s,s:?s,s:i,s:?s}", "planner", record->planner, "model",
        record->model, "index", (int64_t)record->plan_index, "thought", record->step.thought);
    if (status == WD_OK && (record->tokens_in | record->tokens_out) != 0) {
        wd_value *cost = NULL;
        status = add_int(ret_value, "tokens_in", record->tokens_in);
        status = status == WD_OK ? add_int(ret_value, "tokens_out", record->tokens_out) : status;
        status = status == WD_OK ? wd_value_double(record->cost, &cost) : status;
        status = status == WD_OK ? wd_object_set(ret_value, "cost", &cost) : status;
        wd_value_unref(&cost);
    }
    if (status == WD_OK && record->imagined > 0) {
        status = add_int(ret_value, "imagined", record->imagined);
    }
    return status;
}

/// The values a step's line is made of; all may be NULL.
typedef struct step_parts {
    wd_value *plan, *action, *report, *delta;
} step_parts;

static void step_parts_done(step_parts *parts)
{
    wd_value_unref(&parts->plan);
    wd_value_unref(&parts->action);
    wd_value_unref(&parts->report);
    wd_value_unref(&parts->delta);
}

static wd_status make_parts(wd_episode_writer *writer, const wd_run_step_record *record, step_parts *parts)
{
    wd_status status = plan_value(record, &parts->plan);
    if (status == WD_OK) {
        status = wd_action_to_value(&record->step.action, &parts->action);
    }
    if (status == WD_OK && record->observed && record->world_after != NULL) {
        status = wd_observe_report_to_value(&record->report, &parts->report);
    }
    if (status == WD_OK && record->state_after != NULL && writer->state_last != NULL) {
        status = wd_delta_make(writer->state_last, record->state_after, &parts->delta);
    }
    return status;
}

wd_status wd_episode_step_write(wd_episode_writer *writer, const wd_run_step_record *record, wd_error *error)
{
    char before[WD_DIGEST_TEXT_SIZE], after[WD_DIGEST_TEXT_SIZE], machine[WD_DIGEST_TEXT_SIZE];
    step_parts parts = { 0 };
    wd_value *line = NULL;
    wd_status status = write_scene(writer, record->scene_after, record->semantic_after, error);
    if (status == WD_OK) {
        status = make_parts(writer, record, &parts);
    }
    if (status == WD_OK) {
        status = wd_value_pack(&line,
            "{s:s,s:i,s:?s,s:v,s:v,s:?v,s:{s:s,s:s,s:?s},s:b,s:?v,s:?v,s:?s,s:?s,s:?v}",  //
            "type", "step", "index", (int64_t)record->index, "scene",
            scene_name(record->scene_before, before),                                                   //
            "plan", parts.plan, "action", parts.action, "args", record->step.args,                      //
            "result", "outcome", wd_outcome_name(record->result.outcome), "code", record->result.code,  //
            "text", record->result.text[0] == '\0' ? NULL : record->result.text,                        //
            "observed", (int)record->observed, "report", parts.report, "delta", parts.delta,            //
            "machine", machine_name(record->machine_after, machine),                                    //
            "scene_after", scene_name(record->scene_after, after), "world", record->world_after);
    }
    step_parts_done(&parts);
    if (status == WD_OK) {
        status = write_line(writer, &line, error);
    }
    if (status == WD_OK) {
        wd_value_unref(&writer->state_last);
        writer->state_last = wd_value_ref(record->state_after);
    }
    return status;
}

wd_status wd_episode_end_write(wd_episode_writer *writer, wd_ending ending, const char *text, size_t steps,
    const char *answer, wd_error *error)
{
    wd_value *line = NULL;
    wd_status status = wd_value_pack(&line, "{s:s,s:s,s:?s,s:i,s:?s}", "type", "end", "ending",
        wd_ending_name(ending), "text", text, "steps", (int64_t)steps, "answer", answer);
    return status == WD_OK ? write_line(writer, &line, error) : status;
}

wd_status wd_episode_run_write(wd_episode_writer *writer, const wd_run *run, wd_error *error)
{
    const wd_task_context *context = wd_run_context(run);
    wd_status status = WD_OK;
    bool ended = wd_run_ending(run) != WD_END_NONE;
    bool begun = context->step_count > 0 || context->scene != NULL || context->state_initial != NULL;
    if (!writer->begun && begun) {
        status = wd_episode_begin_write(writer, context, error);
    }
    while (status == WD_OK && writer->steps_written < context->step_count) {
        status = wd_episode_step_write(writer, &context->steps[writer->steps_written], error);
        writer->steps_written += status == WD_OK;
    }
    if (status == WD_OK && ended && !writer->ended) {
        const char *text = wd_run_ending_text(run);
        status = wd_episode_end_write(writer, wd_run_ending(run), text[0] == '\0' ? NULL : text,
            context->step_count, context->answer, error);
        writer->ended = status == WD_OK;
    }
    return status;
}

wd_status wd_episode_verdict_write(wd_episode_writer *writer, const wd_value *verdict, wd_error *error)
{
    wd_value *line = NULL;
    wd_status status = wd_value_pack(&line, "{s:s,s:v}", "type", "verdict", "verdict", verdict);
    return status == WD_OK ? write_line(writer, &line, error) : status;
}
