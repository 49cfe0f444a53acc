/// Tests the episode readers on recordings/open/episodes beside the repository, against EXPECTED.json, when they are
/// there. Each recording is a test of its own; FIELDS.md explains the expected members.
#include "semantic/episode.h"

#include "file_source.h"
#include "recordings.h"

typedef struct place {
    const char *recording;
    size_t episode, step;
} place;

static void check(bool good, const place *at, const char *member, const wd_value *expected, const char *got)
{
    if (!good) {
        fail_msg("%s, episode %zu, step %zu: %s\nexpected %s\ngot      %s", at->recording, at->episode,
            at->step, member, text_of(expected), got == NULL ? "(null)" : got);
    }
}

static void check_text(const place *at, const char *member, const wd_value *expected, const char *got)
{
    bool good =
        wd_value_is(expected, WD_KIND_NULL) ? got == NULL : got != NULL && wd_value_is_text(expected, got);
    check(good, at, member, expected, got);
}

static void check_number(const place *at, const char *member, const wd_value *expected, double got)
{
    char text[40];
    (void)snprintf(text, sizeof text, "%.17g", got);
    check(wd_value_double_or(expected, -1e300) == got, at, member, expected, text);
}

// ---- action ---------------------------------------------------------------------------------------------------

static void check_action_member(
    const place *at, const wd_iter *member, const wd_episode_step *step, const wd_value *action)
{
    const char *key = member->key;
    if (strcmp(key, "bounds") == 0) {
        wd_rect box = step->bounds;
        double sides[] = { box.left, box.top, box.right, box.bottom };
        for (size_t i = 0; i < 4; i++) {
            check_number(at, key, wd_array_at(member->value, i), sides[i]);
        }
    } else if (strcmp(key, "bounds_ok") == 0) {
        check(wd_value_as_bool(member->value) == step->bounds_ok, at, key, member->value, "the other");
    } else if (strcmp(key, "target_text") == 0) {
        check_text(at, key, member->value, step->target_text);
    } else if (strcmp(key, "target_id") == 0) {
        check_text(at, key, member->value, step->target_id);
    } else if (strcmp(key, "finger") == 0) {
        check_text(at, key, member->value, wd_direction_name(wd_action_finger(&step->actions[0])));
    } else {
        const wd_value *own = wd_object_get(action, key);
        bool good =
            wd_value_is(member->value, WD_KIND_NULL) ? own == NULL : wd_value_equal(member->value, own);
        check(good, at, key, member->value, good ? "" : text_of(action));
    }
}

static void check_action(const place *at, const wd_value *expected, const wd_episode_step *step)
{
    wd_value *action = NULL;
    assert_true(step->action_count > 0);
    assert_int_equal(wd_action_to_value(&step->actions[0], &action), WD_OK);
    bool invalid = wd_value_is_text(wd_object_get(expected, "kind"), "invalid");
    wd_iter member = wd_iter_start(expected);
    while (wd_iter_next(&member)) {
        bool prose = strcmp(member.key, "reason") == 0 || strcmp(member.key, "note") == 0;
        if (!prose && (!invalid || strcmp(member.key, "kind") == 0)) {
            check_action_member(at, &member, step, action);
        }
    }
    wd_value_unref(&action);
}

// ---- screen ---------------------------------------------------------------------------------------------------

static void check_screen_member(const place *at, const wd_iter *member, const wd_scene *scene)
{
    const wd_scene_info *info = wd_scene_info_of(scene);
    const char *key = member->key;
    if (strcmp(key, "elements") == 0) {
        check_number(at, key, member->value, (double)wd_scene_node_count(scene));
    } else if (strcmp(key, "texts") == 0) {
        size_t seen = 0;
        for (size_t i = 0; i < wd_scene_node_count(scene); i++) {
            const char *text = wd_scene_node(scene, i)->text;
            if (text != NULL && text[0] != '\0') {
                check_text(at, key, wd_array_at(member->value, seen++), text);
            }
        }
        check_number(at, key, member->value == NULL ? NULL : member->value,
            seen == wd_array_count(member->value) ? -1e300 : (double)seen);
    } else if (strcmp(key, "app") == 0) {
        check_text(at, key, member->value, info->app_package);
    } else if (strcmp(key, "title") == 0) {
        if (info->page != NULL) {  // a page that is not given is a miss, not an error
            check_text(at, key, member->value, info->page);
        }
    } else if (strcmp(key, "page_kind") == 0) {
        check_text(at, key, member->value, wd_page_kind_name(info->page_kind));
    } else if (strcmp(key, "foreground_task_app") == 0) {
        check_text(
            at, key, member->value, info->background_app != NULL ? info->background_app : info->app_package);
    }
}

// ---- step -----------------------------------------------------------------------------------------------------

static void check_executed(const place *at, const wd_value *expected, const wd_episode_step *step)
{
    if (wd_value_is(expected, WD_KIND_NULL)) {
        check(!step->executed && step->executed_text == NULL, at, "executed", expected, step->executed_text);
        return;
    }
    assert_true(step->executed);
    assert_non_null(step->executed_text);
    if (step->executed_text[0] == '{') {
        wd_value *words = json_of(step->executed_text);
        check(wd_value_equal(words, expected), at, "executed", expected, step->executed_text);
        wd_value_unref(&words);
    }
}

static void check_step(
    const place *at, const wd_value *expected, const wd_episode_step *step, const wd_scene *scene)
{
    const struct {
        const char *key, *got;
    } texts[] = {
        { "app_before", step->app_before },
        { "page_before", step->page_before },
        { "page_path_only", step->page_path },
        { "start_app", step->app_before },
        { "start_activity", step->activity_before },
        { "stop_app", step->app_after },
        { "stop_activity", step->activity_after },
        { "event", step->id },
        { "screen", step->id },
        { "box_space", step->box_space },
    };
    wd_iter member = wd_iter_start(expected);
    while (wd_iter_next(&member)) {
        for (size_t i = 0; i < WD_COUNT_OF(texts); i++) {
            if (strcmp(member.key, texts[i].key) == 0) {
                check_text(at, member.key, member.value, texts[i].got);
            }
        }
        if (strcmp(member.key, "action") == 0) {
            check_action(at, member.value, step);
        } else if (strcmp(member.key, "executed") == 0) {
            check_executed(at, member.value, step);
        } else if (strcmp(member.key, "step") == 0 || strcmp(member.key, "seq") == 0) {
            check_number(at, member.key, member.value, (double)step->number);
        } else if (strcmp(member.key, "t") == 0) {
            check_number(at, member.key, member.value, (double)step->time_ms);
        } else if (strcmp(member.key, "ok") == 0) {
            check(wd_value_as_bool(member.value) == (step->outcome == WD_OUTCOME_OK), at, "ok", member.value,
                "other");
        } else if (strcmp(member.key, "start_state_present") == 0) {
            check(wd_value_as_bool(member.value) == step->has_screen, at, member.key, member.value,
                "the other");
        } else if (strcmp(member.key, "stop_state_present") == 0) {
            check(wd_value_as_bool(member.value) == step->has_screen_after, at, member.key, member.value,
                "the other");
        } else if (scene != NULL) {
            check_screen_member(at, &member, scene);
        }
    }
}

static void check_steps(place *at, const wd_value *expected, const wd_recording *recording)
{
    const wd_episode_header *header = wd_recording_header(recording, at->episode);
    wd_scene *previous = NULL;
    assert_non_null(header);
    for (at->step = 0; at->step < wd_array_count(expected); at->step++) {
        const wd_episode_step *step = wd_recording_step(recording, at->episode, at->step);
        wd_scene *scene = NULL;
        wd_error error = { .text = "" };
        assert_non_null(step);
        wd_status status =
            wd_recording_scene(recording, at->episode, at->step, false, previous, &scene, &error);
        if (status != (step->has_screen ? WD_OK : WD_ENOENT)) {
            fail_msg("%s, step %zu: %s", at->recording, at->step, error.text);
        }
        check_step(at, wd_array_at(expected, at->step), step, scene);
        if (scene != NULL) {
            wd_scene_unref(&previous);
            previous = scene;
        }
    }
    wd_scene_unref(&previous);
    assert_int_equal(at->step, header->step_count);
}

// ---- recording ------------------------------------------------------------------------------------------------

static size_t longest_run(const wd_recording *recording)
{
    size_t longest = 0;
    size_t run = 0;
    const wd_episode_step *last = NULL;
    for (size_t i = 0; i < wd_recording_header(recording, 0)->step_count; i++) {
        const wd_episode_step *step = wd_recording_step(recording, 0, i);
        bool counts = step->executed && step->action_count > 0;
        bool same = last != NULL && counts && wd_action_equal(&last->actions[0], &step->actions[0]);
        run = same ? run + 1 : counts ? 1 : 0;
        longest = run > longest ? run : longest;
        last = counts ? step : NULL;
    }
    return longest;
}

static void check_header(place *at, const wd_value *expected, const wd_recording *recording)
{
    const wd_episode_header *header = wd_recording_header(recording, 0);
    size_t executed = 0;
    for (size_t i = 0; i < header->step_count; i++) {
        executed += wd_recording_step(recording, 0, i)->executed ? 1 : 0;
    }
    static const char *const spaces[] = { "physical", "norm_0_1", "norm_0_1000", "model" };
    const struct {
        const char *key, *got;
    } texts[] = { { "instruction", header->task }, { "episode_id", header->episode_id },
        { "task_id", header->task_id }, { "stop_reason", header->stop_reason },
        { "coord_space", spaces[header->space] } };
    const struct {
        const char *key;
        double got;
    } numbers[] = { { "episodes", (double)wd_recording_count(recording) },
        { "declared_length", (double)header->declared_length }, { "executed_steps", (double)executed },
        { "max_same_action_run", (double)longest_run(recording) } };
    wd_iter member = wd_iter_start(expected);
    while (wd_iter_next(&member)) {
        for (size_t i = 0; i < WD_COUNT_OF(texts); i++) {
            if (strcmp(member.key, texts[i].key) == 0) {
                check_text(at, member.key, member.value, texts[i].got);
            }
        }
        for (size_t i = 0; i < WD_COUNT_OF(numbers); i++) {
            if (strcmp(member.key, numbers[i].key) == 0) {
                check_number(at, member.key, member.value, numbers[i].got);
            }
        }
        if (strcmp(member.key, "steps") == 0) {
            check_number(at, member.key, member.value, (double)header->step_count);
        } else if (strcmp(member.key, "success") == 0 || strcmp(member.key, "is_success") == 0) {
            check((wd_value_as_bool(member.value) ? WD_YES : WD_NO) == header->success, at, member.key,
                member.value, "the other");
        } else if (strcmp(member.key, "complete") == 0) {
            bool complete = header->declared_length == (int64_t)header->step_count;
            check(wd_value_as_bool(member.value) == complete, at, member.key, member.value, "the other");
        }
    }
}

static void check_recording(place *at, const wd_value *expected, const wd_recording *recording)
{
    if (wd_object_get(expected, "per_step") != NULL) {
        check_steps(at, wd_object_get(expected, "per_step"), recording);
    }
    const wd_value *episodes = wd_object_get(expected, "per_episode");
    for (size_t e = 0; e < wd_array_count(episodes); e++) {
        const wd_value *one = wd_array_at(episodes, e);
        at->episode = e;
        check_steps(at, wd_object_get(one, "per_step"), recording);
        const wd_value *id = wd_object_get(one, "episode_id");
        const char *own = wd_recording_header(recording, e)->episode_id;
        bool same = wd_value_is(id, WD_KIND_INT)    ? own != NULL && atoll(own) == wd_value_as_int(id)
                    : wd_value_is(id, WD_KIND_NULL) ? own == NULL
                                                    : true;
        check(same, at, "episode_id", id, own);
    }
    at->episode = 0;
    check_header(at, expected, recording);
}

typedef struct expectation {
    char name[300];
    const wd_value *expected;
} expectation;

static void recording_gives_expected(void **state)
{
    const expectation *row = *state;
    char path[1024];
    place at = { .recording = row->name };
    recordings_path(row->name, path);
    file_source *files = file_source_new(path);
    wd_recording *recording = NULL;
    wd_error error = { .text = "" };
    if (wd_recording_open(&files->source, WD_EPISODE_AUTO, NULL, &recording, &error) != WD_OK) {
        fail_msg("%s: %s", row->name, error.text);
    }
    check_recording(&at, row->expected, recording);
    wd_recording_close(&recording);
    file_source_free(files);
}

int main(void)
{
    enum { RECORDINGS_MAX = 100 };
    static expectation rows[RECORDINGS_MAX];
    static struct CMUnitTest tests[RECORDINGS_MAX];
    size_t count = 0;
    if (!recordings_present()) {
        (void)printf("skipped: no recordings beside the repository (see WORLDD_SHARED)\n");
        return 0;
    }
    wd_value *all = recording_json("EXPECTED.json");
    wd_iter member = wd_iter_start(all);
    while (wd_iter_next(&member) && count < RECORDINGS_MAX) {
        bool episode =
            wd_object_get(member.value, "steps") != NULL || wd_object_get(member.value, "episodes") != NULL;
        if (episode) {
            (void)snprintf(rows[count].name, sizeof rows[count].name, "%s", member.key);
            rows[count].expected = member.value;
            tests[count] = (struct CMUnitTest){
                .name = rows[count].name, .test_func = recording_gives_expected, .initial_state = &rows[count]
            };
            count++;
        }
    }
    int failed = _cmocka_run_group_tests("episode recordings", tests, count, NULL, NULL);
    wd_value_unref(&all);
    return failed;
}
