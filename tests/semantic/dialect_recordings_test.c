/// Tests the dialects on what real models wrote: recordings/open/llm beside the repository, when it is there.
/// Each line is a test of its own; an expected member is compared when the canonical action has such a member.
#include "semantic/dialect.h"

#include "json.h"
#include "recordings.h"

#include <stdio.h>

static void compare(const char *id, const wd_value *expected, const wd_action *action)
{
    static const char *const not_ours[] = { "note", "reason", "finger" };
    wd_value *value = NULL;
    assert_int_equal(wd_action_to_value(action, &value), WD_OK);
    bool invalid = wd_value_is_text(wd_object_get(expected, "kind"), "invalid");
    wd_iter iter = wd_iter_start(expected);
    while (wd_iter_next(&iter)) {
        bool skip = invalid && strcmp(iter.key, "kind") != 0;
        for (size_t i = 0; i < WD_COUNT_OF(not_ours); i++) {
            skip = skip || strcmp(iter.key, not_ours[i]) == 0;
        }
        if (!skip && !wd_value_equal(iter.value, wd_object_get(value, iter.key))) {
            fail_msg(
                "%s: member %s\nexpected %s\ngot      %s", id, iter.key, text_of(expected), text_of(value));
        }
    }
    wd_value_unref(&value);
}

static void line_gives_expected(void **state)
{
    const wd_value *line = *state;
    const wd_dialect *dialect = NULL;
    const wd_value *raw = wd_object_get(line, "raw");
    size_t length = 0;
    const char *text = wd_value_as_string(raw, &length);
    assert_int_equal(
        wd_dialect_find(wd_value_string_or(wd_object_get(line, "dialect"), ""), &dialect), WD_OK);
    wd_reply reply;
    assert_int_equal(wd_dialect_parse(dialect, text, length, NULL, &reply), WD_OK);
    assert_int_equal(reply.count, 1);
    compare(wd_value_string_or(wd_object_get(line, "id"), "?"), wd_object_get(line, "expected"),
        &reply.actions[0]);
    wd_reply_done(&reply);
}

/// Assistant messages of a chat in order, against EXPECTED.json's actions.
static void chat_gives_actions(void **state)
{
    (void)state;
    wd_value *chat = recording_json("open/llm/uitars_training_example.json");
    wd_value *all = recording_json("EXPECTED.json");
    const wd_value *expected =
        wd_object_get(wd_object_get(all, "open/llm/uitars_training_example.json"), "actions");
    const wd_dialect *dialect = NULL;
    assert_int_equal(wd_dialect_find("uitars", &dialect), WD_OK);
    size_t seen = 0;
    for (size_t i = 0; i < wd_array_count(chat); i++) {
        const wd_value *message = wd_array_at(chat, i);
        if (wd_value_is_text(wd_object_get(message, "role"), "assistant")) {
            size_t length = 0;
            const char *text = wd_value_as_string(wd_object_get(message, "content"), &length);
            wd_reply reply;
            assert_int_equal(wd_dialect_parse(dialect, text, length, NULL, &reply), WD_OK);
            for (size_t n = 0; n < reply.count; n++) {
                compare("chat", wd_array_at(expected, seen++), &reply.actions[n]);
            }
            wd_reply_done(&reply);
        }
    }
    assert_int_equal(seen, wd_array_count(expected));
    wd_value_unref(&chat);
    wd_value_unref(&all);
}

static void task_action_is_read(void **state)
{
    (void)state;
    size_t length = 0;
    char *text = recording_bytes("open/androidworld/task_action.json", &length);
    const wd_dialect *dialect = NULL;
    assert_int_equal(wd_dialect_find("androidworld", &dialect), WD_OK);
    wd_reply reply;
    assert_int_equal(wd_dialect_parse(dialect, text, length, NULL, &reply), WD_OK);
    wd_value *expected = json_of("{\"kind\":\"tap\",\"index\":45}");
    compare("task_action", expected, &reply.actions[0]);
    wd_value_unref(&expected);
    wd_reply_done(&reply);
    free(text);
}

int main(void)
{
    enum { LINES_MAX = 500 };
    static wd_value *lines[LINES_MAX];
    static char names[LINES_MAX][64];
    static struct CMUnitTest tests[LINES_MAX + 2];
    size_t length = 0;
    if (!recordings_present()) {
        (void)printf("skipped: no recordings beside the repository (see WORLDD_SHARED)\n");
        return 0;
    }
    char *text = recording_bytes("open/llm/raw_outputs.jsonl", &length);
    size_t count = 0;
    for (char *line = strtok(text, "\n"); line != NULL && count < LINES_MAX; line = strtok(NULL, "\n")) {
        lines[count] = json_of(line);
        (void)snprintf(names[count], sizeof names[count], "%s %s",
            wd_value_string_or(wd_object_get(lines[count], "dialect"), "?"),
            wd_value_string_or(wd_object_get(lines[count], "id"), "?"));
        tests[count] = (struct CMUnitTest){
            .name = names[count], .test_func = line_gives_expected, .initial_state = lines[count]
        };
        count++;
    }
    tests[count] = (struct CMUnitTest)cmocka_unit_test(chat_gives_actions);
    tests[count + 1] = (struct CMUnitTest)cmocka_unit_test(task_action_is_read);
    int failed = _cmocka_run_group_tests("dialect recordings", tests, count + 2, NULL, NULL);
    for (size_t i = 0; i < count; i++) {
        wd_value_unref(&lines[i]);
    }
    free(text);
    return failed;
}
