// Whole verdicts: checks, side effects, culprits, errors, memory.
#include "judge/verdict.h"

#include "json.h"
#include "tree/alloc.h"

/// A run: the task, the states before it and after each step, and what is to come out.
static const struct verdict_case {
    const char *name, *task, *initial;
    const char *states[4];  // after steps 1, 2, ...; the last one is final; "" is not known
    const char *verdict;
} verdict_cases[] = {
    { "done and clean", "{\"apps\":[\"w\"],\"criteria\":{\"a\":2}}", "{\"apps\":{\"w\":{\"a\":1}},\"os\":{}}",
        { "{\"apps\":{\"w\":{\"a\":2}},\"os\":{}}" },
        "{\"success\":true,\"clean\":true,\"passed\":true,\"progress\":1.0,\"checks\":[{\"field\":\"a\","
        "\"expected\":2,\"actual\":2,\"passed\":true}],\"side_effects\":[],\"undone\":[]}" },
    { "half done, with a side effect and its step",
        "{\"apps\":[\"w\"],\"criteria\":{\"a\":2,\"b\":{\"$gt\":5}}}",
        "{\"apps\":{\"w\":{\"a\":1,\"b\":1}},\"os\":{\"wifi\":true}}",
        { "{\"apps\":{\"w\":{\"a\":1,\"b\":1}},\"os\":{\"wifi\":false}}",
            "{\"apps\":{\"w\":{\"a\":2,\"b\":1}},\"os\":{\"wifi\":false}}" },
        "{\"success\":false,\"clean\":false,\"passed\":false,\"progress\":0.5,\"checks\":[{\"field\":\"a\","
        "\"expected\":2,\"actual\":2,\"passed\":true},{\"field\":\"b\",\"expected\":{\"$gt\":5},\"actual\":1,"
        "\"passed\":false}],\"side_effects\":[{\"path\":\"os.wifi\",\"before\":true,\"after\":false,\"step\":"
        "1}],"
        "\"undone\":[]}" },
    { "a change that a later step overwrote keeps its culprit", "{\"apps\":[\"w\"],\"criteria\":{\"a\":1}}",
        "{\"apps\":{\"w\":{\"a\":1,\"b\":0}},\"os\":{}}",
        { "{\"apps\":{\"w\":{\"a\":1,\"b\":1}},\"os\":{}}",
            "{\"apps\":{\"w\":{\"a\":1,\"b\":1}},\"os\":{\"x\":1}}",
            "{\"apps\":{\"w\":{\"a\":1,\"b\":3}},\"os\":{\"x\":1}}" },
        "{\"success\":true,\"clean\":false,\"passed\":false,\"progress\":1.0,\"checks\":[{\"field\":\"a\","
        "\"expected\":1,\"actual\":1,\"passed\":true}],\"side_effects\":[{\"path\":\"apps.w.b\",\"before\":0,"
        "\"after\":3,\"step\":1,\"last_step\":3},{\"path\":\"os.x\",\"after\":1,\"step\":2}],\"undone\":[]"
        "}" },
    { "made, undone and made again", "{\"apps\":[\"w\"],\"criteria\":{\"a\":1}}",
        "{\"apps\":{\"w\":{\"a\":1,\"b\":0}},\"os\":{}}",
        { "{\"apps\":{\"w\":{\"a\":1,\"b\":1}},\"os\":{}}", "{\"apps\":{\"w\":{\"a\":1,\"b\":0}},\"os\":{}}",
            "{\"apps\":{\"w\":{\"a\":1,\"b\":1}},\"os\":{}}" },
        "{\"success\":true,\"clean\":false,\"passed\":false,\"progress\":1.0,\"checks\":[{\"field\":\"a\","
        "\"expected\":1,\"actual\":1,\"passed\":true}],\"side_effects\":[{\"path\":\"apps.w.b\",\"before\":0,"
        "\"after\":1,\"step\":3}],\"undone\":[{\"path\":\"apps.w.b\",\"before\":0,\"after\":1,\"step\":1,"
        "\"undone_step\":2}]}" },
    { "on the way to a wanted value nothing is undone",
        "{\"apps\":[\"w\"],\"criteria\":{\"a\":1},\"expected_changes\":[{\"path\":\"v\",\"to\":\"{n}\"}],"
        "\"params\":{\"n\":40}}",
        "{\"apps\":{\"w\":{\"a\":1,\"v\":50}},\"os\":{}}",
        { "{\"apps\":{\"w\":{\"a\":1,\"v\":30}},\"os\":{}}",
            "{\"apps\":{\"w\":{\"a\":1,\"v\":40}},\"os\":{}}" },
        "{\"success\":true,\"clean\":true,\"passed\":true,\"progress\":1.0,\"checks\":[{\"field\":\"a\","
        "\"expected\":1,\"actual\":1,\"passed\":true}],\"side_effects\":[],\"undone\":[]}" },
    { "an unknown state is made good by the next known one", "{\"apps\":[\"w\"],\"criteria\":{\"a\":1}}",
        "{\"apps\":{\"w\":{\"a\":1,\"b\":0}},\"os\":{}}",
        { "", "{\"apps\":{\"w\":{\"a\":1,\"b\":1}},\"os\":{}}" },
        "{\"success\":true,\"clean\":false,\"passed\":false,\"progress\":1.0,\"checks\":[{\"field\":\"a\","
        "\"expected\":1,\"actual\":1,\"passed\":true}],\"side_effects\":[{\"path\":\"apps.w.b\",\"before\":0,"
        "\"after\":1,\"step\":2}],\"undone\":[]}" },
};

static void gives_verdict(void **state)
{
    const struct verdict_case *one = *state;
    wd_value *task = json_of(one->task);
    wd_value *initial = json_of(one->initial);
    wd_value *states[4] = { NULL };
    wd_trace_step steps[4] = { { 0 } };
    wd_judge_input input = { .initial = initial, .trace = { .steps = steps } };
    for (size_t i = 0; i < 4 && one->states[i] != NULL; i++) {
        states[i] = one->states[i][0] != '\0' ? json_of(one->states[i]) : NULL;
        steps[i] = (wd_trace_step){ .number = (int64_t)i + 1, .state = states[i] };
        input.final = states[i];
        input.trace.count = i + 1;
    }
    wd_rules *rules = NULL;
    wd_verdict *verdict = NULL;
    wd_value *value = NULL;
    assert_int_equal(wd_rules_new(task, &rules), WD_OK);
    assert_null(wd_rules_error(rules));
    input.rules = rules;
    assert_int_equal(wd_judge(&input, &verdict), WD_OK);
    assert_int_equal(wd_verdict_to_value(verdict, &value), WD_OK);
    assert_json(value, one->verdict);
    wd_value_unref(&value);
    wd_verdict_destroy(&verdict);
    wd_rules_destroy(&rules);
    for (size_t i = 0; i < 4; i++) {
        wd_value_unref(&states[i]);
    }
    wd_value_unref(&initial);
    wd_value_unref(&task);
}

static const struct error_case {
    const char *name, *task, *text;
} error_cases[] = {
    { "malformed criteria key", "{\"apps\":[\"w\"],\"criteria\":{\"l[id=\":1}}", "criteria[\"l[id=\"]: " },
    { "unknown operator", "{\"apps\":[\"w\"],\"criteria\":{\"a\":{\"$like\":1}}}",
        "criteria[\"a\"]: unknown operator $like" },
    { "malformed template in a value", "{\"apps\":[\"w\"],\"params\":{\"x\":1},\"criteria\":{\"a\":\"{x\"}}",
        "criteria[\"a\"]: unbalanced brace at byte 0" },
    { "malformed pattern", "{\"apps\":[\"w\"],\"criteria\":{\"a\":1},\"expected_changes\":[\"l[]x\"]}",
        "expected_changes[0]: apps.w.l[]x: " },
    { "template without its parameter",
        "{\"apps\":[\"w\"],\"params\":{\"x\":1},\"criteria\":{\"a\":1},\"expected_changes\":[\"{y}\"]}",
        "expected_changes[0]: no parameter named y" },
    { "nothing to check", "{\"apps\":[\"w\"]}", "the task checks nothing" },
    { "apps of a wrong kind", "{\"apps\":\"w\"}", "apps: expected array, not string" },
    { "malformed order rule", "{\"criteria\":{\"os.x\":1},\"order\":[{\"never\":1}]}",
        "order[0]: never: expected" },
    { "order rules without a trace", "{\"criteria\":{\"os.x\":1},\"order\":[{\"never\":{\"a\":1}}]}",
        "order: there is no trace of the run" },
    { "malformed answer path", "{\"apps\":[\"w\"],\"answer\":\".l[\"}", "answer: " },
    { "malformed expression", "{\"answer\":{\"$regex\":\"a(\"}}", "answer: $regex: " },
    { "no task", "7", "task: expected object" },
    { "a check function that nobody can run", "{\"check\":\"f\"}", "check: nothing here can run f" },
    { "an app that is not there", "{\"apps\":[\"q\"],\"criteria\":{\"a\":1}}",
        "app q is not in the initial state" },
};

static void gives_error(void **state)
{
    const struct error_case *one = *state;
    wd_value *task = json_of(one->task);
    wd_value *world = json_of("{\"apps\":{\"w\":{\"a\":1}},\"os\":{}}");
    wd_rules *rules = NULL;
    wd_verdict *verdict = NULL;
    assert_int_equal(wd_rules_new(task, &rules), WD_OK);
    wd_judge_input input = {
        .rules = rules, .initial = world, .final = world, .answer = "x", .apps_required = true
    };
    assert_int_equal(wd_judge(&input, &verdict), WD_OK);
    assert_non_null(verdict->error);
    const char *text = wd_value_as_string(verdict->error, NULL);
    if (strncmp(text, one->text, strlen(one->text)) != 0) {
        fail_msg("%s", text);
    }
    assert_false(verdict->success || verdict->passed);
    assert_int_equal(wd_array_count(verdict->checks), 0);
    wd_verdict_destroy(&verdict);
    wd_rules_destroy(&rules);
    wd_value_unref(&world);
    wd_value_unref(&task);
}

static void a_run_without_steps_has_a_trace(void **state)
{
    (void)state;
    wd_value *task = json_of("{\"order\":[{\"never\":{\"page\":\"pay\"}}]}");
    wd_value *world = json_of("{}");
    wd_trace_step none = { 0 };
    wd_rules *rules = NULL;
    wd_verdict *verdict = NULL;
    assert_int_equal(wd_rules_new(task, &rules), WD_OK);
    wd_judge_input input = { .rules = rules, .initial = world, .final = world, .trace = { .steps = &none } };
    assert_int_equal(wd_judge(&input, &verdict), WD_OK);
    assert_null(verdict->error);
    assert_true(verdict->passed);
    wd_verdict_destroy(&verdict);
    wd_rules_destroy(&rules);
    wd_value_unref(&world);
    wd_value_unref(&task);
}

static wd_status own_check(void *context, const char *name, const struct wd_judge_input *input,
    wd_value **ret_checks, wd_error *error)
{
    (void)input;
    if (strcmp(name, "raises") == 0) {
        return wd_error_set(error, WD_ESCRIPT, "line 3: boom");
    }
    *ret_checks = wd_value_ref(context);
    return WD_OK;
}

static const struct function_case {
    const char *name, *check, *checks, *error;
} function_cases[] = {
    { "a check that passes", "f", "[{\"field\":\"x\",\"passed\":true}]", NULL },
    { "a check that raises", "raises", "[]", "check raises: line 3: boom" },
    { "a check that cannot tell", "f", "[{\"field\":\"x\",\"passed\":true,\"error\":\"no sample\"}]",
        "x: no sample" },
    { "a check that says nothing", "f", "[{\"field\":\"x\"}]", "checks[0] x: no \"passed\"" },
    { "a check that gives no list", "f", "{}", "check: expected an array of checks" },
};

static void runs_function(void **state)
{
    const struct function_case *one = *state;
    wd_value *task = NULL;
    assert_int_equal(wd_value_pack(&task, "{s:s}", "check", one->check), WD_OK);
    wd_value *checks = json_of(one->checks);
    wd_value *world = json_of("{}");
    wd_rules *rules = NULL;
    wd_verdict *verdict = NULL;
    wd_judge_functions functions = { .context = checks, .check = own_check };
    assert_int_equal(wd_rules_new(task, &rules), WD_OK);
    wd_judge_input input = { .rules = rules, .initial = world, .final = world, .functions = &functions };
    assert_int_equal(wd_judge(&input, &verdict), WD_OK);
    assert_int_equal(verdict->passed, one->error == NULL);
    if (one->error != NULL) {
        assert_string_equal(wd_value_as_string(verdict->error, NULL), one->error);
    } else {
        assert_null(verdict->error);
    }
    wd_verdict_destroy(&verdict);
    wd_rules_destroy(&rules);
    wd_value_unref(&world);
    wd_value_unref(&checks);
    wd_value_unref(&task);
}

static void every_allocation_fails_once(void **state)
{
    (void)state;
    wd_value *task =
        json_of("{\"apps\":[\"w\"],\"params\":{\"x\":2},\"criteria\":{\"l[name={n}].v\":\"{x}\","
                "\"route\":[\"/a\"]},\"expected_changes\":[\"l[name=B]\",{\"path\":\"z\",\"to\":\"{x}\"}]}");
    wd_value *initial =
        json_of("{\"apps\":{\"w\":{\"l\":[{\"id\":1,\"name\":\"B\",\"v\":1}],\"u\":0}},\"os\":{}}");
    wd_value *middle = json_of("{\"apps\":{\"w\":{\"l\":[{\"id\":1,\"name\":\"B\",\"v\":2}],\"u\":1}}}");
    wd_value *final =
        json_of("{\"apps\":{\"w\":{\"l\":[{\"id\":1,\"name\":\"B\",\"v\":2}],\"u\":0,\"n\":1}},\"os\":null}");
    wd_trace_step steps[2] = { { .number = 1, .state = middle }, { .number = 2, .state = final } };
    wd_rules *rules = NULL;
    uint64_t live = wd_alloc_stats_get().bytes_live;
    for (long calls = 0; rules == NULL; calls++) {
        assert_in_range(calls, 0, 2000);
        wd_alloc_fail_after(calls);
        wd_status status = wd_rules_new(task, &rules);
        wd_alloc_fail_after(-1);
        assert_int_equal(status, rules == NULL ? WD_ENOMEM : WD_OK);
        assert_true(rules != NULL || wd_alloc_stats_get().bytes_live == live);
    }
    assert_null(wd_rules_error(rules));
    wd_judge_input input = {
        .rules = rules, .initial = initial, .final = final, .trace = { .steps = steps, .count = 2 }
    };
    wd_verdict *verdict = NULL;
    wd_value *value = NULL;
    live = wd_alloc_stats_get().bytes_live;
    for (long calls = 0; value == NULL; calls++) {
        assert_in_range(calls, 0, 2000);
        wd_alloc_fail_after(calls);
        wd_status status = wd_judge(&input, &verdict);
        status = status == WD_OK ? wd_verdict_to_value(verdict, &value) : status;
        wd_alloc_fail_after(-1);
        assert_int_equal(status, value == NULL ? WD_ENOMEM : WD_OK);
        wd_verdict_destroy(&verdict);
        assert_true(value != NULL || wd_alloc_stats_get().bytes_live == live);
    }
    wd_value_unref(&value);
    wd_rules_destroy(&rules);
    wd_value_unref(&task);
    wd_value_unref(&initial);
    wd_value_unref(&middle);
    wd_value_unref(&final);
}

static struct CMUnitTest row_test(const char *name, CMUnitTestFunction function, const void *row)
{
    return (
        struct CMUnitTest){ .name = name, .test_func = function, .initial_state = (void *)(uintptr_t)row };
}

int main(void)
{
    struct CMUnitTest tests[64] = {
        cmocka_unit_test(every_allocation_fails_once),
        cmocka_unit_test(a_run_without_steps_has_a_trace),
    };
    size_t count = 2;
    for (size_t i = 0; i < WD_COUNT_OF(verdict_cases); i++) {
        tests[count++] = row_test(verdict_cases[i].name, gives_verdict, &verdict_cases[i]);
    }
    for (size_t i = 0; i < WD_COUNT_OF(error_cases); i++) {
        tests[count++] = row_test(error_cases[i].name, gives_error, &error_cases[i]);
    }
    for (size_t i = 0; i < WD_COUNT_OF(function_cases); i++) {
        tests[count++] = row_test(function_cases[i].name, runs_function, &function_cases[i]);
    }
    return _cmocka_run_group_tests("verdict", tests, count, NULL, NULL);
}
