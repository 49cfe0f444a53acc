/// Tests world/scene/src/action.c and action_value.c. Needs world/tree.
#include "scene/action.h"

#include "tree/alloc.h"
#include "tree/json.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static wd_value *parse(const char *text)
{
    wd_value *value = NULL;
    wd_error error = { .text = "" };
    if (wd_json_parse(text, strlen(text), &value, &error) != WD_OK) {
        fail_msg("%s: %s", text, error.text);
    }
    return value;
}

static void assert_prints(const wd_action *action, const char *expected)
{
    wd_value *value = NULL;
    wd_buffer buffer = { 0 };
    assert_int_equal(wd_action_to_value(action, &value), WD_OK);
    assert_int_equal(wd_json_write(value, WD_JSON_COMPACT, &buffer), WD_OK);
    assert_string_equal(buffer.bytes, expected);
    wd_buffer_done(&buffer);
    wd_value_unref(&value);
}

// ---- read, print, read again ----------------------------------------------------------------------------------

static const struct good_case {
    const char *name, *kind, *args, *printed;
} good_cases[] = {
    { "point", "tap", "{\"x\":540,\"y\":1200}", "{\"kind\":\"tap\",\"x\":540,\"y\":1200,\"space\":\"px\"}" },
    { "point in fractions", "tap", "{\"x\":0.25,\"y\":1,\"space\":\"norm1\"}",
        "{\"kind\":\"tap\",\"x\":0.25,\"y\":1,\"space\":\"norm1\"}" },
    { "edge of norm1000", "tap", "{\"x\":0,\"y\":1000,\"space\":\"norm1000\"}",
        "{\"kind\":\"tap\",\"x\":0,\"y\":1000,\"space\":\"norm1000\"}" },
    { "largest pixel", "tap", "{\"x\":1000000,\"y\":1000000}",
        "{\"kind\":\"tap\",\"x\":1000000,\"y\":1000000,\"space\":\"px\"}" },
    { "node", "long_press", "{\"node\":7,\"ms\":800}", "{\"kind\":\"long_press\",\"node\":7,\"ms\":800}" },
    { "node 0 is a node", "tap", "{\"node\":0}", "{\"kind\":\"tap\",\"node\":0}" },
    { "index", "tap", "{\"index\":45}", "{\"kind\":\"tap\",\"index\":45}" },
    { "selector", "tap",
        "{\"selector\":{\"resource_id\":\"send\",\"text\":\"OK\",\"role\":\"button\",\"ordinal\":2}}",
        "{\"kind\":\"tap\",\"selector\":{\"resource_id\":\"send\",\"text\":\"OK\",\"role\":\"button\","
        "\"ordinal\":2}}" },
    { "selector text is not the text", "type", "{\"selector\":{\"text\":\"Name\"},\"text\":\"Li\"}",
        "{\"kind\":\"type\",\"selector\":{\"text\":\"Name\"},\"text\":\"Li\"}" },
    { "two points", "swipe", "{\"x\":1,\"y\":2,\"x2\":3,\"y2\":4,\"ms\":0}",
        "{\"kind\":\"swipe\",\"x\":1,\"y\":2,\"x2\":3,\"y2\":4,\"space\":\"px\",\"ms\":0}" },
    { "typed text", "type", "{\"text\":\"\",\"clear\":true,\"submit\":true}",
        "{\"kind\":\"type\",\"clear\":true,\"submit\":true,\"text\":\"\"}" },
    { "false flags are not printed", "type", "{\"text\":\"a\",\"clear\":false}",
        "{\"kind\":\"type\",\"text\":\"a\"}" },
    { "scroll is the content's", "scroll", "{\"direction\":\"down\",\"amount\":500}",
        "{\"kind\":\"scroll\",\"direction\":\"down\",\"direction_of\":\"content\",\"amount\":500}" },
    { "swipe is the finger's", "swipe", "{\"direction\":\"up\",\"distance\":\"medium\"}",
        "{\"kind\":\"swipe\",\"direction\":\"up\",\"direction_of\":\"finger\",\"distance\":\"medium\"}" },
    { "whose direction is kept", "swipe", "{\"direction\":\"up\",\"direction_of\":\"content\"}",
        "{\"kind\":\"swipe\",\"direction\":\"up\",\"direction_of\":\"content\"}" },
    { "app", "launch_app", "{\"app\":\"com.example\",\"activity\":\".Main\"}",
        "{\"kind\":\"launch_app\",\"app\":\"com.example\",\"activity\":\".Main\"}" },
    { "key", "key", "{\"key\":\"volume_up\"}", "{\"kind\":\"key\",\"key\":\"volume_up\"}" },
    { "longest wait", "wait", "{\"ms\":3600000}", "{\"kind\":\"wait\",\"ms\":3600000}" },
    { "ending", "complete", "{\"status\":\"success\",\"text\":\"done\"}",
        "{\"kind\":\"complete\",\"text\":\"done\",\"status\":\"success\"}" },
    { "invalid keeps reason and raw", "invalid", "{\"reason\":\"no call\",\"raw\":\"hm\"}",
        "{\"kind\":\"invalid\",\"reason\":\"no call\",\"raw\":\"hm\"}" },
    { "unknown members are left alone", "back", "{\"remember\":{\"a\":1},\"kind\":5}",
        "{\"kind\":\"back\"}" },
    { "no arguments", "home", NULL, "{\"kind\":\"home\"}" },
};

static void reads_and_prints(void **state)
{
    const struct good_case *row = *state;
    wd_value *args = row->args == NULL ? NULL : parse(row->args);
    wd_error error = { .text = "" };
    wd_action action;
    if (wd_action_from_value(row->kind, args, &action, &error) != WD_OK) {
        fail_msg("%s", error.text);
    }
    assert_prints(&action, row->printed);

    // What is printed reads back as the same action, and a copy is the same action.
    wd_value *again = parse(row->printed);
    wd_action second;
    wd_action third;
    assert_int_equal(wd_action_from_value(row->kind, again, &second, &error), WD_OK);
    assert_true(wd_action_equal(&action, &second));
    assert_int_equal(wd_action_copy(&action, &third), WD_OK);
    assert_true(wd_action_equal(&action, &third));
    wd_action_done(&action);
    wd_action_done(&second);
    wd_action_done(&third);
    wd_value_unref(&args);
    wd_value_unref(&again);
}

// ---- refused, with the member named ---------------------------------------------------------------------------

static const struct bad_case {
    const char *name, *kind, *args;
    wd_status status;
    const char *text;  // start of the error
} bad_cases[] = {
    { "unknown kind", "pinch", "{}", WD_ENOENT, "kind: unknown action \"pinch\"" },
    { "kinds are lower case", "TAP", "{}", WD_ENOENT, "kind: unknown action" },
    { "args no object", "tap", "[]", WD_EINVAL, "args: must be an object, not array" },
    { "x a string", "tap", "{\"x\":\"5\",\"y\":1}", WD_EINVAL, "args.x: must be a number, not string" },
    { "x null", "tap", "{\"x\":null,\"y\":1}", WD_EINVAL, "args.x: must be a number, not null" },
    { "x without y", "tap", "{\"x\":5}", WD_EINVAL, "args.y: missing beside args.x" },
    { "y2 without x2", "swipe", "{\"x\":5,\"y\":5,\"y2\":5}", WD_EINVAL, "args.x2: missing beside args.y2" },
    { "negative pixel", "tap", "{\"x\":-1,\"y\":1}", WD_EINVAL, "args.x: -1 is outside 0.." },
    { "one past the largest pixel", "tap", "{\"x\":1,\"y\":1000001}", WD_EINVAL, "args.y: 1e+06 is outside" },
    { "past norm1", "tap", "{\"x\":0.5,\"y\":1.001,\"space\":\"norm1\"}", WD_EINVAL,
        "args.y: 1.001 is outside 0..1" },
    { "past norm1000", "tap", "{\"x\":1000.5,\"y\":1,\"space\":\"norm1000\"}", WD_EINVAL,
        "args.x: 1000.5 is outside" },
    { "unknown space", "tap", "{\"x\":1,\"y\":1,\"space\":\"dp\"}", WD_EINVAL,
        "args.space: unknown word \"dp\"" },
    { "space no string", "tap", "{\"space\":1}", WD_EINVAL, "args.space: must be a string, not int" },
    { "node a fraction", "tap", "{\"node\":1.5}", WD_EINVAL, "args.node: 1.5 is no whole number" },
    { "node negative", "tap", "{\"node\":-1}", WD_EINVAL, "args.node: -1 is no whole number" },
    { "node past int32", "tap", "{\"node\":2147483648}", WD_EINVAL,
        "args.node: 2.14748e+09 is no whole number" },
    { "index a string", "tap", "{\"index\":\"6\"}", WD_EINVAL,
        "args.index: must be a whole number, not string" },
    { "selector no object", "tap", "{\"selector\":\"OK\"}", WD_EINVAL, "args.selector: must be an object" },
    { "selector empty", "tap", "{\"selector\":{}}", WD_EINVAL, "args.selector: names no" },
    { "selector of an ordinal only", "tap", "{\"selector\":{\"ordinal\":1}}", WD_EINVAL,
        "args.selector: names no" },
    { "selector part unknown", "tap", "{\"selector\":{\"text\":\"a\",\"xpath\":\"/\"}}", WD_EINVAL,
        "args.selector.xpath: unknown part" },
    { "selector text a number", "tap", "{\"selector\":{\"text\":5}}", WD_EINVAL,
        "args.selector.text: must be a string" },
    { "selector ordinal bad", "tap", "{\"selector\":{\"text\":\"a\",\"ordinal\":\"1\"}}", WD_EINVAL,
        "args.selector.ordinal: must be a whole number" },
    { "text a number", "type", "{\"text\":5}", WD_EINVAL, "args.text: must be a string, not int" },
    { "clear a string", "type", "{\"clear\":\"true\"}", WD_EINVAL,
        "args.clear: must be a boolean, not string" },
    { "submit a number", "type", "{\"submit\":1}", WD_EINVAL, "args.submit: must be a boolean, not int" },
    { "direction unknown", "swipe", "{\"direction\":\"left-up\"}", WD_EINVAL,
        "args.direction: unknown word" },
    { "direction none", "swipe", "{\"direction\":\"none\"}", WD_EINVAL, "args.direction: unknown word" },
    { "direction_of unknown", "swipe", "{\"direction_of\":\"page\"}", WD_EINVAL,
        "args.direction_of: unknown word" },
    { "wait too long", "wait", "{\"ms\":3600001}", WD_EINVAL, "args.ms: 3.6e+06 is no whole number" },
    { "wait negative", "wait", "{\"ms\":-5}", WD_EINVAL, "args.ms: -5 is no whole number" },
    { "amount negative", "scroll", "{\"amount\":-5}", WD_EINVAL, "args.amount: -5 is outside" },
    { "status unknown", "complete", "{\"status\":\"ok\"}", WD_EINVAL, "args.status: unknown word \"ok\"" },
};

static void refuses_and_names(void **state)
{
    const struct bad_case *row = *state;
    wd_value *args = parse(row->args);
    wd_error error = { .text = "" };
    wd_action action;
    memset(&action, 0x5a, sizeof action);
    wd_action untouched = action;
    assert_int_equal(wd_action_from_value(row->kind, args, &action, &error), row->status);
    assert_int_equal(error.status, row->status);
    if (strncmp(error.text, row->text, strlen(row->text)) != 0) {
        fail_msg("\"%s\" does not start with \"%s\"", error.text, row->text);
    }
    assert_memory_equal(&action, &untouched, sizeof action);
    assert_int_equal(wd_action_from_value(row->kind, args, &action, NULL), row->status);
    wd_value_unref(&args);
}

// ---- single rules ---------------------------------------------------------------------------------------------

static void kinds_have_names_both_ways(void **state)
{
    (void)state;
    for (int i = 0; i < WD_ACTION_KIND_COUNT; i++) {
        wd_action_kind kind = WD_ACTION_KIND_COUNT;
        assert_int_equal(wd_action_kind_parse(wd_action_kind_name((wd_action_kind)i), &kind), WD_OK);
        assert_int_equal(kind, i);
    }
    wd_action_kind kind = WD_ACTION_BACK;
    assert_int_equal(wd_action_kind_parse("", &kind), WD_ENOENT);
    assert_int_equal(kind, WD_ACTION_BACK);
    for (int i = 0; i < WD_SPACE_COUNT; i++) {
        wd_space space = WD_SPACE_COUNT;
        assert_int_equal(wd_space_parse(wd_space_name((wd_space)i), &space), WD_OK);
        assert_int_equal(space, i);
    }
    wd_space space = WD_SPACE_PX;
    assert_int_equal(wd_space_parse("dp", &space), WD_ENOENT);
    wd_direction direction = WD_DIR_NONE;
    assert_int_equal(wd_direction_parse("left", &direction), WD_OK);
    assert_int_equal(direction, WD_DIR_LEFT);
    assert_int_equal(wd_direction_parse("none", &direction), WD_ENOENT);
    assert_string_equal(wd_direction_name(WD_DIR_NONE), "none");
}

static void some_kinds_touch_the_device(void **state)
{
    (void)state;
    static const wd_action_kind physical[] = { WD_ACTION_TAP, WD_ACTION_DRAG, WD_ACTION_KEY,
        WD_ACTION_CLOSE_APP, WD_ACTION_WAIT };
    static const wd_action_kind not_physical[] = { WD_ACTION_ANSWER, WD_ACTION_ASK_USER, WD_ACTION_NOTE,
        WD_ACTION_COMPLETE, WD_ACTION_ABORT, WD_ACTION_NOOP, WD_ACTION_INVALID };
    for (size_t i = 0; i < WD_COUNT_OF(physical); i++) {
        assert_true(wd_action_is_physical(physical[i]));
    }
    for (size_t i = 0; i < WD_COUNT_OF(not_physical); i++) {
        assert_false(wd_action_is_physical(not_physical[i]));
    }
}

static void spaces_have_edges(void **state)
{
    (void)state;
    assert_true(wd_space_holds(WD_SPACE_NORM1, 0, 1));
    assert_false(wd_space_holds(WD_SPACE_NORM1, 0, 1.0001));
    assert_true(wd_space_holds(WD_SPACE_NORM1000, 1000, 0));
    assert_false(wd_space_holds(WD_SPACE_NORM1000, 1001, 0));
    assert_false(wd_space_holds(WD_SPACE_PX, 5, -0.5));
    assert_false(wd_space_holds(WD_SPACE_PX, NAN, 5));
    assert_false(wd_space_holds(WD_SPACE_MODEL, 5, INFINITY));
}

static void set_text_checks_and_replaces(void **state)
{
    (void)state;
    wd_action action;
    wd_action_init(&action, WD_ACTION_TYPE);
    assert_false(wd_action_has_selector(&action));
    assert_int_equal(wd_action_set_text(&action.text, "abc", 2), WD_OK);
    assert_string_equal(action.text, "ab");
    assert_int_equal(wd_action_set_text(&action.text, "\xff", 1), WD_EUTF8);
    assert_int_equal(wd_action_set_text(&action.text, "a\0b", 3), WD_EUTF8);
    assert_string_equal(action.text, "ab");
    char *large = malloc(WD_ACTION_TEXT_MAX + 1);
    assert_non_null(large);
    memset(large, 'x', WD_ACTION_TEXT_MAX + 1);
    assert_int_equal(wd_action_set_text(&action.text, large, WD_ACTION_TEXT_MAX + 1), WD_ELIMIT);
    assert_string_equal(action.text, "ab");
    assert_int_equal(wd_action_set_text(&action.text, large, WD_ACTION_TEXT_MAX), WD_OK);
    assert_int_equal(wd_action_set_text(&action.text, NULL, 0), WD_OK);
    assert_null(action.text);
    free(large);
    assert_int_equal(wd_action_set_text(&action.role, "button", 6), WD_OK);
    assert_true(wd_action_has_selector(&action));
    wd_action_done(&action);
    assert_false(wd_action_has_selector(&action));
    assert_int_equal(action.kind, WD_ACTION_TYPE);
}

static void raw_is_spelling_except_for_invalid(void **state)
{
    (void)state;
    wd_action a;
    wd_action b;
    wd_action_init(&a, WD_ACTION_BACK);
    wd_action_init(&b, WD_ACTION_BACK);
    a.x = 5;  // no point is given: what stands there does not count
    a.direction_of = WD_DIR_OF_FINGER;
    assert_int_equal(wd_action_set_text(&a.raw, "press_back()", 12), WD_OK);
    assert_true(wd_action_equal(&a, &b));
    a.kind = b.kind = WD_ACTION_INVALID;
    assert_false(wd_action_equal(&a, &b));
    wd_action_done(&a);
    a.kind = WD_ACTION_TAP;
    b.kind = WD_ACTION_TAP;
    a.has_point = b.has_point = true;
    assert_true(wd_action_equal(&a, &b));
    b.space = WD_SPACE_NORM1000;
    assert_false(wd_action_equal(&a, &b));
}

static void finger_follows_points_then_direction(void **state)
{
    (void)state;
    static const struct {
        double x2, y2;
        wd_direction finger;
    } rows[] = {
        { 500, 100, WD_DIR_UP },
        { 500, 900, WD_DIR_DOWN },
        { 100, 450, WD_DIR_LEFT },
        { 900, 450, WD_DIR_RIGHT },
        { 900, 900, WD_DIR_DOWN },
        { 500, 500, WD_DIR_NONE },
    };
    wd_action action;
    wd_action_init(&action, WD_ACTION_SWIPE);
    action.x = action.y = 500;
    action.has_point = action.has_point2 = true;
    action.direction = WD_DIR_LEFT;  // words lie, points do not
    for (size_t i = 0; i < WD_COUNT_OF(rows); i++) {
        action.x2 = rows[i].x2;
        action.y2 = rows[i].y2;
        assert_int_equal(wd_action_finger(&action), rows[i].finger);
    }
    action.has_point2 = false;
    action.direction_of = WD_DIR_OF_FINGER;
    assert_int_equal(wd_action_finger(&action), WD_DIR_LEFT);
    action.direction_of = WD_DIR_OF_CONTENT;
    assert_int_equal(wd_action_finger(&action), WD_DIR_RIGHT);
    action.direction = WD_DIR_NONE;
    assert_int_equal(wd_action_finger(&action), WD_DIR_NONE);
}

static void every_allocation_fails_once(void **state)
{
    (void)state;
    wd_value *args =
        parse("{\"x\":1.5,\"y\":2,\"text\":\"a longer text than fits anywhere else\",\"reason\":\"b\","
              "\"selector\":{\"text\":\"T\",\"ordinal\":1},\"ms\":5}");
    wd_action action;
    wd_action copy;
    wd_value *value = NULL;
    wd_status status = WD_ENOMEM;
    uint64_t live = wd_alloc_stats_get().bytes_live;
    for (long calls = 0; status != WD_OK; calls++) {
        assert_in_range(calls, 0, 100);
        wd_alloc_fail_after(calls);
        status = wd_action_from_value("tap", args, &action, NULL);
        wd_alloc_fail_after(-1);
        assert_true(status == WD_OK || (status == WD_ENOMEM && wd_alloc_stats_get().bytes_live == live));
    }
    live = wd_alloc_stats_get().bytes_live;
    status = WD_ENOMEM;
    for (long calls = 0; status != WD_OK; calls++) {
        assert_in_range(calls, 0, 100);
        wd_alloc_fail_after(calls);
        status = wd_action_copy(&action, &copy);
        wd_alloc_fail_after(-1);
        assert_true(status == WD_OK || (status == WD_ENOMEM && wd_alloc_stats_get().bytes_live == live));
    }
    live = wd_alloc_stats_get().bytes_live;
    for (long calls = 0; value == NULL; calls++) {
        assert_in_range(calls, 0, 200);
        wd_alloc_fail_after(calls);
        status = wd_action_to_value(&action, &value);
        wd_alloc_fail_after(-1);
        assert_true(status == WD_OK || (status == WD_ENOMEM && wd_alloc_stats_get().bytes_live == live));
    }
    wd_value_unref(&value);
    wd_action_done(&copy);
    wd_action_done(&action);
    wd_value_unref(&args);
}

static void results_name_their_code(void **state)
{
    (void)state;
    wd_result ok = wd_result_ok();
    assert_int_equal(ok.outcome, WD_OUTCOME_OK);
    assert_int_equal(ok.status, WD_OK);
    assert_string_equal(ok.code, "ok");
    assert_string_equal(ok.text, "");
    wd_result gone = wd_result_make(WD_OUTCOME_REFUSED, WD_EGONE, "target_gone", "node %d is gone", 7);
    assert_string_equal(wd_outcome_name(gone.outcome), "refused");
    assert_string_equal(gone.code, "target_gone");
    assert_string_equal(gone.text, "node 7 is gone");
    assert_string_equal(wd_outcome_name(WD_OUTCOME_FAILED), "failed");

    char text[2 * WD_ERROR_TEXT_MAX];
    for (size_t i = 0; i + 3 < sizeof text; i += 3) {
        memcpy(text + i, "\xe6\x96\x87", 4);
    }
    wd_result cut = wd_result_make(WD_OUTCOME_FAILED, WD_EIO, "no_effect", "%s", text);
    assert_true(strlen(cut.text) < WD_ERROR_TEXT_MAX);
    assert_true(wd_utf8_valid(cut.text, strlen(cut.text)));
}

static void a_step_is_freed_whole(void **state)
{
    (void)state;
    uint64_t live = wd_alloc_stats_get().bytes_live;
    wd_step step = { .args = parse("{\"remember\":{\"a\":1}}") };
    wd_action_init(&step.action, WD_ACTION_TYPE);
    assert_int_equal(wd_action_set_text(&step.action.text, "x", 1), WD_OK);
    assert_int_equal(wd_action_set_text(&step.thought, "why", 3), WD_OK);
    wd_step_done(&step);
    assert_null(step.args);
    assert_null(step.thought);
    assert_int_equal(wd_alloc_stats_get().bytes_live, live);
}

int main(void)
{
    static const struct CMUnitTest rules[] = {
        cmocka_unit_test(kinds_have_names_both_ways),
        cmocka_unit_test(some_kinds_touch_the_device),
        cmocka_unit_test(spaces_have_edges),
        cmocka_unit_test(set_text_checks_and_replaces),
        cmocka_unit_test(raw_is_spelling_except_for_invalid),
        cmocka_unit_test(finger_follows_points_then_direction),
        cmocka_unit_test(every_allocation_fails_once),
        cmocka_unit_test(results_name_their_code),
        cmocka_unit_test(a_step_is_freed_whole),
    };
    enum { RULES = WD_COUNT_OF(rules), GOOD = WD_COUNT_OF(good_cases), BAD = WD_COUNT_OF(bad_cases) };
    struct CMUnitTest tests[RULES + GOOD + BAD];
    memcpy(tests, rules, sizeof rules);
    for (size_t i = 0; i < GOOD; i++) {
        tests[RULES + i] = (struct CMUnitTest){ .name = good_cases[i].name,
            .test_func = reads_and_prints,
            .initial_state = (void *)(uintptr_t)&good_cases[i] };
    }
    for (size_t i = 0; i < BAD; i++) {
        tests[RULES + GOOD + i] = (struct CMUnitTest){ .name = bad_cases[i].name,
            .test_func = refuses_and_names,
            .initial_state = (void *)(uintptr_t)&bad_cases[i] };
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
