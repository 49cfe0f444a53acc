// Order rules over small traces.
#include "judge/order.h"

#include "json.h"
#include "tree/alloc.h"

/// Events of steps 1, 2, ... and the steps that count against the one rule.
static const struct order_case {
    const char *name, *rule, *events, *steps;
    bool passed;
} order_cases[] = {
    { "never: nothing matches", "{\"never\":{\"page\":\"pay\"}}", "[{\"page\":\"home\"},{\"page\":\"list\"}]",
        "[]", true },
    { "never: each match is named", "{\"never\":{\"page\":\"pay\"}}",
        "[{\"page\":\"pay\"},{\"page\":\"list\"},{\"page\":\"pay\"}]", "[1,3]", false },
    { "at_most: as many as allowed", "{\"at_most\":2,\"of\":{\"action.type\":\"tap\"}}",
        "[{\"action\":{\"type\":\"tap\"}},{\"action\":{\"type\":\"back\"}},{\"action\":{\"type\":\"tap\"}}]",
        "[1,3]", true },
    { "at_most: one more", "{\"at_most\":1,\"of\":{\"action.type\":\"tap\"}}",
        "[{\"action\":{\"type\":\"tap\"}},{\"action\":{\"type\":\"tap\"}}]", "[1,2]", false },
    { "before: the first comes first", "{\"before\":{\"page\":\"confirm\"},\"then\":{\"page\":\"paid\"}}",
        "[{\"page\":\"confirm\"},{\"page\":\"x\"},{\"page\":\"paid\"}]", "[]", true },
    { "before: it comes too late", "{\"before\":{\"page\":\"confirm\"},\"then\":{\"page\":\"paid\"}}",
        "[{\"page\":\"paid\"},{\"page\":\"confirm\"}]", "[1]", false },
    { "before: no event comes before itself", "{\"before\":{\"a\":1},\"then\":{\"b\":1}}",
        "[{\"a\":1,\"b\":1}]", "[1]", false },
    { "before: neither happened", "{\"before\":{\"a\":1},\"then\":{\"b\":1}}", "[{},{}]", "[]", true },
    { "before: one confirmation serves all", "{\"before\":{\"a\":1},\"then\":{\"b\":1}}",
        "[{\"a\":1},{\"b\":1},{\"b\":1}]", "[]", true },
    { "before each: one confirmation serves one", "{\"before\":{\"a\":1},\"then\":{\"b\":1},\"each\":true}",
        "[{\"a\":1},{\"b\":1},{\"b\":1}]", "[3]", false },
    { "before each: confirmed again", "{\"before\":{\"a\":1},\"then\":{\"b\":1},\"each\":true}",
        "[{\"a\":1},{\"b\":1},{\"a\":1},{\"b\":1}]", "[]", true },
    { "a match: all places, operators, templates",
        "{\"never\":{\"action.args.text\":{\"$contains\":\"{who}\"},\"app\":\"w\",\"gone\":{\"$exists\":"
        "false}}}",
        "[{\"app\":\"w\",\"action\":{\"args\":{\"text\":\"hi "
        "Bob\"}}},{\"app\":\"v\",\"action\":{\"args\":{\"text\":\"Bob\"}}},"
        "{\"app\":\"w\",\"gone\":1,\"action\":{\"args\":{\"text\":\"Bob\"}}}]",
        "[1]", false },
    { "a step that tells nothing does not count", "{\"never\":{\"page\":{\"$ne\":\"a\"}}}",
        "[null,{\"page\":\"a\"}]", "[]", true },
};

static size_t fill_trace(const wd_value *events, wd_trace_step *steps)
{
    wd_iter iter = wd_iter_start(events);
    while (wd_iter_next(&iter)) {
        const wd_value *event = wd_value_is(iter.value, WD_KIND_NULL) ? NULL : iter.value;
        steps[iter.index] = (wd_trace_step){ .number = (int64_t)iter.index + 1, .event = event };
    }
    return wd_array_count(events);
}

static void rule_holds(void **state)
{
    const struct order_case *one = *state;
    wd_value *rule = json_of(one->rule);
    wd_value *events = json_of(one->events);
    wd_value *params = json_of("{\"who\":\"Bob\"}");
    wd_value *order = NULL;
    wd_value *checks = wd_value_array();
    wd_trace_step steps[8];
    wd_trace trace = { .steps = steps, .count = fill_trace(events, steps) };
    wd_error error;
    assert_int_equal(wd_value_pack(&order, "[v]", rule), WD_OK);
    assert_int_equal(wd_order_check(order, params, &trace, &checks, &error), WD_OK);
    const wd_value *check = wd_array_at(checks, 0);
    assert_json(wd_object_get(check, "actual"), one->steps);
    assert_int_equal(wd_value_as_bool(wd_object_get(check, "passed")), one->passed);
    assert_true(wd_value_is_text(wd_object_get(check, "field"), "order[0]"));
    wd_value_unref(&checks);
    wd_value_unref(&order);
    wd_value_unref(&params);
    wd_value_unref(&events);
    wd_value_unref(&rule);
}

static const struct refusal_case {
    const char *name, *order, *text;
} refusal_cases[] = {
    { "no list", "{}", "order: expected an array of rules" },
    { "no rule", "[{\"nevr\":{}}]", "order[0]: expected \"never\", \"at_most\" or \"before\"" },
    { "empty match", "[{\"never\":{}}]", "order[0]: never: expected an object of places and wanted values" },
    { "no match", "[{\"at_most\":1}]", "order[0]: of: expected an object of places and wanted values" },
    { "negative number", "[{\"at_most\":-1,\"of\":{\"a\":1}}]",
        "order[0]: at_most: expected a number from 0 on" },
    { "unknown member", "[{\"never\":{\"a\":1},\"each\":true}]", "order[0]: unknown member \"each\"" },
    { "unknown operator", "[{\"never\":{\"a\":{\"$is\":1}}}]",
        "order[0]: never[\"a\"]: unknown operator $is" },
    { "malformed path", "[{\"never\":{\"a[\":1}}]", "order[0]: never[\"a[\"]: " },
};

static void is_refused(void **state)
{
    const struct refusal_case *one = *state;
    wd_value *order = json_of(one->order);
    wd_value *checks = wd_value_array();
    wd_trace trace = { .count = 0 };
    wd_error error;
    assert_int_not_equal(wd_order_check(order, NULL, &trace, &checks, &error), WD_OK);
    if (strncmp(error.text, one->text, strlen(one->text)) != 0) {
        fail_msg("%s", error.text);
    }
    wd_value_unref(&checks);
    wd_value_unref(&order);
}

static void rules_are_bounded(void **state)
{
    (void)state;
    wd_value *order = wd_value_array();
    wd_value *checks = wd_value_array();
    wd_trace trace = { .count = 0 };
    wd_error error;
    for (int i = 0; i < WD_ORDER_RULES_MAX; i++) {
        wd_value *rule = json_of("{\"never\":{\"a\":1},\"name\":\"n\"}");
        assert_int_equal(wd_array_append(&order, &rule), WD_OK);
    }
    assert_int_equal(wd_order_check(order, NULL, &trace, &checks, &error), WD_OK);
    assert_true(wd_value_is_text(wd_object_get(wd_array_at(checks, 0), "field"), "order.n"));
    wd_value *rule = json_of("{\"never\":{\"a\":1}}");
    assert_int_equal(wd_array_append(&order, &rule), WD_OK);
    assert_int_equal(wd_order_check(order, NULL, &trace, &checks, &error), WD_ELIMIT);
    wd_value_unref(&order);
    wd_value_unref(&checks);
}

static void every_allocation_fails_once(void **state)
{
    (void)state;
    wd_value *order =
        json_of("[{\"before\":{\"a\":\"{x}\"},\"then\":{\"b.c\":{\"$in\":[1,2]}},\"name\":\"n\"}]");
    wd_value *params = json_of("{\"x\":1}");
    wd_value *event = json_of("{\"b\":{\"c\":1}}");
    wd_trace_step step = { .number = 1, .event = event };
    wd_trace trace = { .steps = &step, .count = 1 };
    uint64_t live = wd_alloc_stats_get().bytes_live;
    bool done = false;
    for (long calls = 0; !done; calls++) {
        assert_in_range(calls, 0, 1000);
        wd_value *checks = wd_value_array();
        wd_alloc_fail_after(calls);
        wd_status status = wd_order_check(order, params, &trace, &checks, NULL);
        wd_alloc_fail_after(-1);
        done = status == WD_OK;
        assert_true(done || status == WD_ENOMEM);
        wd_value_unref(&checks);
        assert_true(wd_alloc_stats_get().bytes_live == live);
    }
    wd_value_unref(&order);
    wd_value_unref(&params);
    wd_value_unref(&event);
}

int main(void)
{
    struct CMUnitTest tests[32] = {
        cmocka_unit_test(rules_are_bounded),
        cmocka_unit_test(every_allocation_fails_once),
    };
    size_t count = 2;
    for (size_t i = 0; i < WD_COUNT_OF(order_cases); i++) {
        tests[count++] = (struct CMUnitTest){ .name = order_cases[i].name,
            .test_func = rule_holds,
            .initial_state = (void *)(uintptr_t)&order_cases[i] };
    }
    for (size_t i = 0; i < WD_COUNT_OF(refusal_cases); i++) {
        tests[count++] = (struct CMUnitTest){ .name = refusal_cases[i].name,
            .test_func = is_refused,
            .initial_state = (void *)(uintptr_t)&refusal_cases[i] };
    }
    return _cmocka_run_group_tests("order", tests, count, NULL, NULL);
}
