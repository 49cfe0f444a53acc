// The recorded file: what is written is read back to the byte, and a file cut anywhere gives its whole lines.
#include "json.h"

#include "runtime/episode.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum { STEPS = 3, FILE_MAX = 64 * 1024 };

typedef struct recorded {
    char folder[64], path[96], cut_path[96];
    char bytes[FILE_MAX];
    size_t length;
} recorded;

static wd_scene *scene_of(const char *text)
{
    wd_scene_builder *builder = NULL;
    wd_scene *scene = NULL;
    wd_node node = { .parent = -1, .window = -1, .text = text, .rect = { 0, 0, 10, 10 } };
    wd_scene_info info = {
        .source_format = "test", .app_package = "a", .route = "/p", .width = 9, .height = 9
    };
    assert_int_equal(wd_scene_builder_new(&builder), WD_OK);
    assert_int_equal(wd_scene_builder_node(builder, &node, NULL), WD_OK);
    assert_int_equal(wd_scene_builder_finish(builder, &info, &scene), WD_OK);
    wd_scene_builder_destroy(&builder);
    return scene;
}

static void write_steps(wd_episode_writer *writer)
{
    static const char *const states[STEPS] = { "{\"os\":{\"a\":1},\"apps\":{}}",
        "{\"os\":{\"a\":1.0},\"apps\":{\"m\":[\"\\ud83d\\ude00\"]}}", "{\"os\":{},\"apps\":{\"m\":[]}}" };
    wd_scene *scene = scene_of("tab\t\xe4\xbd\xa0");
    for (uint32_t i = 0; i < STEPS; i++) {
        wd_run_step_record record = { .index = i, .result = wd_result_ok(), .observed = true };
        wd_action_init(&record.step.action, WD_ACTION_BACK);
        record.scene_before = record.scene_after = scene;
        record.state_after = json_of(states[i]);
        assert_int_equal(wd_episode_step_write(writer, &record, NULL), WD_OK);
        wd_value_unref(&record.state_after);
        wd_action_done(&record.step.action);
    }
    wd_scene_unref(&scene);
}

static int write_episode(void **state)
{
    recorded *file = calloc(1, sizeof *file);
    assert_non_null(file);
    strcpy(file->folder, "/tmp/wd-episode-XXXXXX");
    assert_non_null(mkdtemp(file->folder));
    (void)snprintf(file->path, sizeof file->path, "%s/e.jsonl", file->folder);
    (void)snprintf(file->cut_path, sizeof file->cut_path, "%s/cut.jsonl", file->folder);
    wd_value *document = json_of("{\"id\":\"t\",\"instruction\":\"say \\\"hi\\\"\"}");
    wd_value *machine = json_of("{\"z\":1e300,\"a\":-0.0,\"n\":9007199254740993}");
    wd_value *verdict = json_of("{\"passed\":true,\"score\":0.5}");
    wd_task task = { 0 };
    assert_int_equal(wd_task_bind(document, NULL, &task, NULL), WD_OK);
    wd_run_options options = wd_run_options_default();
    wd_task_context context = { .run_id = "r", .task = &task, .state_initial = machine, .state = machine };
    wd_episode_opening opening = {
        .task = &task, .options = &options, .executor = "sim", .run_id = "r", .seed = 7, .machine = machine
    };
    wd_episode_writer *writer = NULL, *second = NULL;
    wd_error error = { 0 };
    assert_int_equal(wd_episode_create(file->path, &writer, NULL), WD_OK);
    assert_int_equal(wd_episode_create(file->path, &second, &error), WD_EEXIST);
    assert_non_null(strstr(error.text, file->path));
    assert_int_equal(wd_episode_header_write(writer, &opening, NULL), WD_OK);
    assert_int_equal(wd_episode_begin_write(writer, &context, NULL), WD_OK);
    write_steps(writer);
    assert_int_equal(wd_episode_end_write(writer, WD_END_COMPLETE, "done", STEPS, "42", NULL), WD_OK);
    assert_int_equal(wd_episode_verdict_write(writer, verdict, NULL), WD_OK);
    wd_episode_close(&writer);
    int descriptor = open(file->path, O_RDONLY | O_CLOEXEC);
    file->length = (size_t)read(descriptor, file->bytes, FILE_MAX);
    assert_true(file->length > 0 && file->length < FILE_MAX);
    (void)close(descriptor);
    wd_task_done(&task);
    wd_value_unref(&document);
    wd_value_unref(&machine);
    wd_value_unref(&verdict);
    *state = file;
    return 0;
}

static int remove_episode(void **state)
{
    recorded *file = *state;
    (void)unlink(file->path);
    (void)unlink(file->cut_path);
    (void)rmdir(file->folder);
    free(file);
    return 0;
}

/// Load what `length` first bytes of the file say, through a file of its own.
static wd_status load_cut(const recorded *file, size_t length, wd_episode *ret_episode)
{
    int descriptor = open(file->cut_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, file->bytes, length), (ssize_t)length);
    (void)close(descriptor);
    wd_error error = { 0 };
    wd_status status = wd_episode_load(file->cut_path, ret_episode, &error);
    assert_true((error.text[0] != '\0') == (status != WD_OK));
    return status;
}

/// `line` is, to the byte, a line of the file.
static void assert_is_line(const recorded *file, const wd_value *line)
{
    char *text = text_of(line);
    const char *found = strstr(file->bytes, text);
    assert_non_null(found);
    assert_true((found == file->bytes || found[-1] == '\n') && found[strlen(text)] == '\n');
    free(text);
}

static void what_is_loaded_is_what_was_written(void **state)
{
    const recorded *file = *state;
    wd_episode episode;
    assert_int_equal(wd_episode_load(file->path, &episode, NULL), WD_OK);
    assert_false(episode.cut);
    assert_int_equal(wd_array_count(episode.steps), STEPS);
    assert_int_equal(wd_object_count(episode.scenes), 1);  // each scene once
    assert_is_line(file, episode.header);
    assert_is_line(file, episode.begin);
    assert_is_line(file, episode.end);
    assert_is_line(file, episode.verdict);
    for (size_t i = 0; i < STEPS; i++) {
        assert_is_line(file, wd_array_at(episode.steps, i));
    }
    wd_episode_done(&episode);
}

static void a_file_cut_anywhere_gives_its_whole_lines(void **state)
{
    const recorded *file = *state;
    size_t line_start = 0, lines = 0, steps = 0;
    for (size_t length = 0; length < file->length; length++) {
        if (length > 0 && file->bytes[length - 1] == '\n') {
            steps += strncmp(file->bytes + line_start, "{\"type\":\"step\"", 14) == 0;
            line_start = length;
            lines += 1;
        }
        wd_episode episode;
        wd_status status = load_cut(file, length, &episode);
        if (lines == 0) {
            assert_int_equal(status, WD_ECORRUPT);  // not even the header
            continue;
        }
        assert_int_equal(status, WD_OK);
        assert_int_equal(wd_array_count(episode.steps), steps);
        assert_int_equal(episode.bytes_lost, length - line_start);
        assert_true(episode.cut == (episode.end == NULL || episode.bytes_lost > 0));
        wd_episode_done(&episode);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_loaded_is_what_was_written),
        cmocka_unit_test(a_file_cut_anywhere_gives_its_whole_lines),
    };
    return cmocka_run_group_tests(tests, write_episode, remove_episode);
}
