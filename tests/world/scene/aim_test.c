// Where an action is aimed: by node id, selector or point, and how a target that is not there is refused.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "scene/aim.h"
#include "tree/alloc.h"
#include "tree/json.h"

static wd_scene *screen, *other;

static const char screen_text[] = "{\"source_format\":\"device\",\"width\":1000,\"height\":2000,\"nodes\":["
                                  "{\"id\":0,\"parent\":-1,\"rect\":[0,0,1000,2000]},"
                                  "{\"id\":1,\"parent\":0,\"resource_id\":\"com.x:id/send\",\"text\":\" Send "
                                  "\",\"role\":\"button\",\"rect\":[100,200,301,400]},"
                                  "{\"id\":2,\"parent\":0,\"resource_id\":\"row\",\"desc\":\"Mail\",\"role\":"
                                  "\"item\",\"rect\":[0,400,1000,500]},"
                                  "{\"id\":3,\"parent\":0,\"resource_id\":\"row\",\"text\":\"Mail\",\"role\":"
                                  "\"item\",\"rect\":[0,500,1000,600]}]}";

static const struct aim_case {
    const char *name, *kind, *args;
    bool changed;  // the step was planned on another screen
    int32_t width;
    const char *aim;  // "node x y", or the refusal's code
} aim_cases[] = {
    { "a node's middle", "tap", "{\"node\":1}", false, 1000, "1 200.5 300" },
    { "a node past the last", "tap", "{\"node\":4}", false, 1000, "target_missing" },
    { "a node of a screen that has changed", "tap", "{\"node\":1}", true, 1000, "target_gone" },
    { "a selector does not mind that", "tap", "{\"selector\":{\"text\":\"Send\"}}", true, 1000,
        "1 200.5 300" },
    { "an id after the slash", "tap", "{\"selector\":{\"resource_id\":\"send\"}}", false, 1000,
        "1 200.5 300" },
    { "a whole id", "tap", "{\"selector\":{\"resource_id\":\"com.x:id/send\"}}", false, 1000, "1 200.5 300" },
    { "no part of an id", "tap", "{\"selector\":{\"resource_id\":\"sen\"}}", false, 1000, "target_missing" },
    { "a text in the description", "tap", "{\"selector\":{\"text\":\"Mail\",\"ordinal\":0}}", false, 1000,
        "2 500 450" },
    { "several, and no ordinal", "tap", "{\"selector\":{\"text\":\"Mail\"}}", false, 1000,
        "target_ambiguous" },
    { "the second of several", "tap", "{\"selector\":{\"role\":\"item\",\"ordinal\":1}}", false, 1000,
        "3 500 550" },
    { "one past the last of several", "tap", "{\"selector\":{\"role\":\"item\",\"ordinal\":2}}", false, 1000,
        "target_missing" },
    { "all parts must match", "tap", "{\"selector\":{\"text\":\"Send\",\"role\":\"item\"}}", false, 1000,
        "target_missing" },
    { "a point in pixels", "tap", "{\"x\":5,\"y\":7}", false, 1000, "-1 5 7" },
    { "a point in shares", "tap", "{\"x\":0.5,\"y\":0.25,\"space\":\"norm1\"}", false, 1000, "-1 500 500" },
    { "a point in thousandths", "tap", "{\"x\":10,\"y\":1000,\"space\":\"norm1000\"}", false, 1000,
        "-1 10 1999" },
    { "the far edge is the last pixel", "tap", "{\"x\":1000,\"y\":0}", false, 1000, "-1 999 0" },
    { "beyond the far edge", "tap", "{\"x\":1000.5,\"y\":0}", false, 1000, "bad_arguments" },
    { "a model's pixels", "tap", "{\"x\":1,\"y\":1,\"space\":\"model\"}", false, 1000, "bad_arguments" },
    { "pixels of a display of unknown size", "tap", "{\"x\":5000,\"y\":7}", false, 0, "-1 5000 7" },
    { "shares of a display of unknown size", "tap", "{\"x\":0.5,\"y\":0.5,\"space\":\"norm1\"}", false, 0,
        "bad_arguments" },
    { "no target", "tap", "{}", false, 1000, "bad_arguments" },
};

static void read_action(const char *kind, const char *args, wd_action *ret_action)
{
    wd_value *value = NULL;
    wd_error error;
    assert_int_equal(wd_json_parse(args, strlen(args), &value, NULL), WD_OK);
    assert_int_equal(wd_action_from_value(kind, value, ret_action, &error), WD_OK);
    wd_value_unref(&value);
}

static void aims_as_expected(void **state)
{
    const struct aim_case *row = *state;
    wd_action action;
    read_action(row->kind, row->args, &action);
    wd_aim_ground ground = {
        .scene = screen,
        .planned_on = row->changed ? other : screen,
        .width = row->width,
        .height = row->width * 2,
    };
    wd_aim aim = { 0 };
    wd_result refusal = wd_result_ok();
    char text[64];
    if (wd_aim_take(&action, &ground, &aim, &refusal)) {
        snprintf(text, sizeof text, "%d %g %g", aim.node, aim.x, aim.y);
    } else {
        assert_int_equal(refusal.outcome, WD_OUTCOME_REFUSED);
        assert_int_not_equal(refusal.text[0], '\0');
        snprintf(text, sizeof text, "%s", refusal.code);
    }
    wd_action_done(&action);
    assert_string_equal(text, row->aim);
}

static void nothing_was_seen(void **state)
{
    (void)state;
    wd_aim_ground blind = { .planned_on = screen };
    wd_aim aim;
    wd_result refusal;
    wd_action action;
    read_action("tap", "{\"node\":1}", &action);
    assert_false(wd_aim_take(&action, &blind, &aim, &refusal));
    assert_string_equal(refusal.code, "target_gone");
    wd_action_done(&action);
    read_action("tap", "{\"x\":3,\"y\":4}", &action);
    assert_true(wd_aim_take(&action, &blind, &aim, &refusal));
    wd_action_done(&action);
}

static void what_a_kind_cannot_do_without(void **state)
{
    (void)state;
    static const struct {
        const char *kind, *args;
        bool complete;
        wd_aim_need need;
    } rows[] = {
        { "tap", "{}", true, WD_AIM_TARGET },
        { "drag", "{}", true, WD_AIM_TARGET },
        { "type", "{}", false, WD_AIM_MAYBE },
        { "type", "{\"text\":\"\"}", true, WD_AIM_MAYBE },
        { "clear_text", "{}", true, WD_AIM_MAYBE },
        { "swipe", "{}", false, WD_AIM_MAYBE },
        { "swipe", "{\"x\":1,\"y\":1,\"x2\":2,\"y2\":2}", true, WD_AIM_MAYBE },
        { "scroll", "{\"direction\":\"down\"}", true, WD_AIM_MAYBE },
        { "key", "{}", false, WD_AIM_NOTHING },
        { "key", "{\"key\":\"menu\"}", true, WD_AIM_NOTHING },
        { "launch_app", "{}", false, WD_AIM_NOTHING },
        { "close_app", "{\"app\":\"notes\"}", true, WD_AIM_NOTHING },
        { "back", "{}", true, WD_AIM_NOTHING },
        { "wait", "{}", true, WD_AIM_NOTHING },
    };
    for (size_t i = 0; i < WD_COUNT_OF(rows); i++) {
        wd_action action;
        wd_result refusal = wd_result_ok();
        read_action(rows[i].kind, rows[i].args, &action);
        assert_int_equal(wd_action_check_arguments(&action, &refusal), rows[i].complete);
        assert_string_equal(refusal.code, rows[i].complete ? "ok" : "bad_arguments");
        assert_int_equal(wd_aim_need_of(action.kind), rows[i].need);
        wd_action_done(&action);
    }
}

static wd_scene *read_screen(const char *text)
{
    wd_value *value = NULL;
    wd_scene *scene = NULL;
    wd_error error;
    assert_int_equal(wd_json_parse(text, strlen(text), &value, NULL), WD_OK);
    assert_int_equal(wd_scene_from_value(value, &scene, &error), WD_OK);
    wd_value_unref(&value);
    return scene;
}

int main(void)
{
    struct CMUnitTest tests[WD_COUNT_OF(aim_cases) + 2];
    screen = read_screen(screen_text);
    other = read_screen("{\"source_format\":\"device\",\"nodes\":[]}");
    for (size_t i = 0; i < WD_COUNT_OF(aim_cases); i++) {
        tests[i] = (struct CMUnitTest){
            .name = aim_cases[i].name,
            .test_func = aims_as_expected,
            .initial_state = (void *)(uintptr_t)&aim_cases[i],
        };
    }
    tests[WD_COUNT_OF(aim_cases)] = (struct CMUnitTest)cmocka_unit_test(nothing_was_seen);
    tests[WD_COUNT_OF(aim_cases) + 1] = (struct CMUnitTest)cmocka_unit_test(what_a_kind_cannot_do_without);
    int failed = _cmocka_run_group_tests("aim", tests, WD_COUNT_OF(tests), NULL, NULL);
    wd_scene_unref(&screen);
    wd_scene_unref(&other);
    return failed;
}
