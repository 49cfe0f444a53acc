// Binding a task's document: what is checked, and what parameters fill in.
#include "json.h"

#include "runtime/task.h"
#include "tree/alloc.h"

static const struct task_case {
    const char *name, *document, *params, *instruction, *error;  // error: how the text begins; NULL: bound
} task_cases[] = {
    { "a plain task", "{\"id\":\"a\",\"instruction\":\"do it\"}", NULL, "do it", NULL },
    { "parameters fill the instruction",
        "{\"id\":\"a\",\"instruction\":\"write {text} to "
        "{who}\",\"params\":{\"text\":\"hi\",\"who\":\"Li\"}}",
        NULL, "write hi to Li", NULL },
    { "given parameters win", "{\"id\":\"a\",\"instruction\":\"{n} of {m}\",\"params\":{\"n\":1,\"m\":2.0}}",
        "{\"n\":true}", "true of 2.0", NULL },
    { "a list is shown as JSON", "{\"id\":\"a\",\"instruction\":\"{l}\",\"params\":{\"l\":[1,\"b\"]}}", NULL,
        "[1,\"b\"]", NULL },
    { "an unknown name stays", "{\"id\":\"a\",\"instruction\":\"{x} {\"}", NULL, "{x} {", NULL },
    { "no object", "[]", NULL, NULL, "task: must be an object" },
    { "no id", "{\"instruction\":\"i\"}", NULL, NULL, "task.id: missing" },
    { "an empty id", "{\"id\":\"\",\"instruction\":\"i\"}", NULL, NULL, "task.id: must have" },
    { "no instruction", "{\"id\":\"a\"}", NULL, NULL, "task.instruction: missing" },
    { "a wrong type names the member", "{\"id\":\"a\",\"instruction\":\"i\",\"apps\":\"x\"}", NULL, NULL,
        "task.apps: must be array, is string" },
    { "steps at the bound", "{\"id\":\"a\",\"instruction\":\"i\",\"max_steps\":10000}", NULL, "i", NULL },
    { "steps past the bound", "{\"id\":\"a\",\"instruction\":\"i\",\"max_steps\":10001}", NULL, NULL,
        "task.max_steps: must be 1 to 10000" },
    { "no steps at all", "{\"id\":\"a\",\"instruction\":\"i\",\"max_steps\":0}", NULL, NULL,
        "task.max_steps" },
    { "what is displayed is no more than shown",
        "{\"id\":\"a\",\"instruction\":\"turn it {on}\",\"params\":{\"on\":true},"
        "\"parameters\":{\"on\":{\"type\":\"bool\",\"display\":{\"true\":\"on\",\"false\":\"off\"}}}}",
        NULL, "turn it on", NULL },
    { "a difficulty that is none", "{\"id\":\"a\",\"instruction\":\"i\",\"difficulty\":\"L5\"}", NULL, NULL,
        "task.difficulty" },
    { "an event that is none", "{\"id\":\"a\",\"instruction\":\"i\",\"events\":[{}]}", NULL, NULL,
        "task.events[0]" },
    { "parameters that are no object", "{\"id\":\"a\",\"instruction\":\"i\"}", "[1]", NULL,
        "params: must be an object" },
};

static void task_is_bound(void **state)
{
    const struct task_case *row = *state;
    wd_value *document = json_of(row->document), *params = row->params == NULL ? NULL : json_of(row->params);
    wd_task task = { 0 }, copy = { 0 };
    wd_error error = { 0 };
    wd_status status = wd_task_bind(document, params, &task, &error);
    if (row->error == NULL) {
        assert_int_equal(status, WD_OK);
        assert_string_equal(task.instruction, row->instruction);
        assert_int_equal(wd_task_copy(&task, &copy), WD_OK);
        wd_task_done(&task);
        assert_string_equal(copy.instruction, row->instruction);
        assert_string_equal(copy.id, "a");
        wd_task_done(&copy);
    } else {
        assert_int_not_equal(status, WD_OK);
        assert_memory_equal(error.text, row->error, strlen(row->error));
        assert_null(task.document);
    }
    wd_value_unref(&document);
    wd_value_unref(&params);
}

/// Parameters are put in at any depth, keys included, and keep their kind where they stand alone.
static void setup_events_and_words_are_filled(void **state)
{
    (void)state;
    wd_value *document = json_of("{\"id\":\"a\",\"instruction\":\"i\",\"params\":{\"n\":3,\"s\":\"x\"},"
                                 "\"setup\":{\"os\":{\"{s}[]\":[\"{n}\",\"{n}{s}\",{\"k\":\"{unknown}\"}]}},"
                                 "\"user\":{\"who\":\"{s}\"},"
                                 "\"events\":[{\"after\":\"{n}\",\"network\":false}]}");
    wd_task task;
    wd_error error;
    assert_int_equal(wd_task_bind(document, NULL, &task, &error), WD_OK);
    assert_json(task.setup, "{\"os\":{\"x[]\":[3,\"3x\",{\"k\":\"{unknown}\"}]}}");
    assert_json(task.user, "{\"who\":\"x\"}");
    assert_json(task.events, "[{\"after\":3,\"network\":false}]");
    wd_task_done(&task);
    wd_value_unref(&document);
}

static void steps_follow_the_difficulty(void **state)
{
    (void)state;
    static const struct {
        const char *document;
        uint32_t steps;
    } rows[] = {
        { "{\"id\":\"a\",\"instruction\":\"i\"}", 30 },
        { "{\"id\":\"a\",\"instruction\":\"i\",\"difficulty\":\"L1\"}", 15 },
        { "{\"id\":\"a\",\"instruction\":\"i\",\"difficulty\":\"L2\"}", 30 },
        { "{\"id\":\"a\",\"instruction\":\"i\",\"difficulty\":\"L3\"}", 45 },
        { "{\"id\":\"a\",\"instruction\":\"i\",\"difficulty\":\"L4\"}", 60 },
        { "{\"id\":\"a\",\"instruction\":\"i\",\"difficulty\":\"L4\",\"max_steps\":7}", 7 },
    };
    for (size_t i = 0; i < WD_COUNT_OF(rows); i++) {
        wd_value *document = json_of(rows[i].document);
        wd_task task;
        wd_error error;
        assert_int_equal(wd_task_bind(document, NULL, &task, &error), WD_OK);
        assert_int_equal(task.step_limit, rows[i].steps);
        wd_task_done(&task);
        wd_value_unref(&document);
    }
}

/// Fail each allocation in turn: nothing is leaked, nothing is half bound.
static void memory_runs_out_while_binding(void **state)
{
    (void)state;
    wd_value *document =
        json_of("{\"id\":\"a\",\"instruction\":\"{s} twice: {s}\",\"params\":{\"s\":\"x\"},"
                "\"setup\":{\"{s}\":[\"{s}{s}\"]},\"events\":[{\"after\":1,\"network\":true}]}");
    wd_task task = { 0 };
    wd_error error;
    uint64_t live = wd_alloc_stats_get().bytes_live;
    for (long calls = 0; task.document == NULL; calls++) {
        assert_in_range(calls, 0, 1000);
        wd_alloc_fail_after(calls);
        wd_status status = wd_task_bind(document, NULL, &task, &error);
        wd_alloc_fail_after(-1);
        assert_int_equal(status, task.document == NULL ? WD_ENOMEM : WD_OK);
        assert_true(task.document != NULL || wd_alloc_stats_get().bytes_live == live);
    }
    wd_task_done(&task);
    wd_value_unref(&document);
}

int main(void)
{
    enum { OTHERS = 3 };
    struct CMUnitTest tests[OTHERS + WD_COUNT_OF(task_cases)] = {
        cmocka_unit_test(setup_events_and_words_are_filled),
        cmocka_unit_test(steps_follow_the_difficulty),
        cmocka_unit_test(memory_runs_out_while_binding),
    };
    for (size_t i = 0; i < WD_COUNT_OF(task_cases); i++) {
        tests[OTHERS + i] = (struct CMUnitTest){ .name = task_cases[i].name,
            .test_func = task_is_bound,
            .initial_state = (void *)(uintptr_t)&task_cases[i] };
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
