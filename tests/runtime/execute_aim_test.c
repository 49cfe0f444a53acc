// What an executor is told about a target: pixels, and the finger's way.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "execute_aim.h"
#include "tree/alloc.h"
#include "tree/json.h"

static wd_scene *screen;

static const char screen_text[] =
    "{\"source_format\":\"device\",\"width\":1000,\"height\":2000,\"nodes\":["
    "{\"id\":0,\"parent\":-1,\"rect\":[0,0,1000,2000]},"
    "{\"id\":1,\"parent\":0,\"text\":\"half out\",\"rect\":[800,1800,1200,2200]},"
    "{\"id\":2,\"parent\":0,\"text\":\"far out\",\"rect\":[1000,0,1200,100]},"
    "{\"id\":3,\"parent\":0,\"text\":\"flat\",\"rect\":[10,10,10,90]},"
    "{\"id\":4,\"parent\":0,\"text\":\"list\",\"rect\":[0,400,1000,1200]},"
    "{\"id\":5,\"parent\":0,\"text\":\"nowhere\"}]}";

static const struct way_case {
    const char *name, *kind, *args;
    int32_t width;      // of the display; its height is twice that; 0: not known
    const char *gives;  // "x,y node [-> x,y]", "nothing", or the refusal's code
} way_cases[] = {
    { "a tap in the middle", "tap", "{\"node\":4}", 1000, "500,800 4" },
    { "in the middle of what is seen", "tap", "{\"node\":1}", 1000, "900,1900 1" },
    { "of a display of unknown size all is seen", "tap", "{\"node\":1}", 0, "1000,2000 1" },
    { "nothing of it is seen", "tap", "{\"node\":2}", 1000, "target_missing" },
    { "it has no area", "tap", "{\"node\":3}", 1000, "target_missing" },
    { "nobody knows where it is", "tap", "{\"node\":5}", 1000, "target_missing" },
    { "a point", "tap", "{\"x\":0.5,\"y\":0.5,\"space\":\"norm1\"}", 1000, "500,1000 -1" },
    { "no target", "tap", "{}", 1000, "bad_arguments" },
    { "an argument is wanted", "type", "{}", 1000, "bad_arguments" },
    { "into what has the focus", "type", "{\"text\":\"a\"}", 1000, "nothing" },
    { "into a field", "type", "{\"text\":\"a\",\"node\":4}", 1000, "500,800 4" },
    { "a target is not looked at", "back", "{\"node\":4000}", 1000, "nothing" },
    { "content down, finger up", "scroll", "{\"direction\":\"down\"}", 1000, "500,1500 -1 -> 500,500" },
    { "the finger's own direction", "swipe", "{\"direction\":\"left\",\"direction_of\":\"finger\"}", 1000,
        "750,1000 -1 -> 250,1000" },
    { "a short one", "scroll", "{\"direction\":\"up\",\"distance\":\"short\"}", 1000,
        "500,750 -1 -> 500,1250" },
    { "a long one", "scroll", "{\"direction\":\"down\",\"distance\":\"long\"}", 1000,
        "500,1750 -1 -> 500,250" },
    { "through a node", "scroll", "{\"direction\":\"down\",\"node\":4}", 1000, "500,1000 4 -> 500,600" },
    { "from a point", "swipe", "{\"x\":100,\"y\":100,\"direction\":\"right\",\"direction_of\":\"finger\"}",
        1000, "100,100 -1 -> 600,100" },
    { "from a point, and no further than the edge", "swipe",
        "{\"x\":900,\"y\":100,\"direction\":\"right\",\"direction_of\":\"finger\"}", 1000,
        "900,100 -1 -> 999,100" },
    { "nobody knows the display", "scroll", "{\"direction\":\"down\"}", 0, "nothing" },
    { "but the node", "scroll", "{\"direction\":\"down\",\"node\":4}", 0, "500,1000 4 -> 500,600" },
    { "between two points", "drag", "{\"x\":1,\"y\":2,\"x2\":3,\"y2\":4}", 1000, "1,2 -1 -> 3,4" },
    { "between two shares", "swipe", "{\"x\":0,\"y\":0,\"x2\":1,\"y2\":0.5,\"space\":\"norm1\"}", 1000,
        "0,0 -1 -> 999,1000" },
    { "to beyond the display", "swipe", "{\"x\":1,\"y\":2,\"x2\":1001,\"y2\":4}", 1000, "bad_arguments" },
    { "shares of a display of unknown size", "swipe",
        "{\"node\":4,\"x2\":0.5,\"y2\":0.5,\"space\":\"norm1\"}", 0, "bad_arguments" },
    { "from a node to a point", "drag", "{\"node\":4,\"x2\":3,\"y2\":4}", 1000, "500,800 4 -> 3,4" },
    { "a drag to nowhere", "drag", "{\"node\":4}", 1000, "bad_arguments" },
    { "a drag by direction", "drag", "{\"node\":4,\"direction\":\"right\",\"direction_of\":\"finger\"}", 1000,
        "250,800 4 -> 750,800" },
};

static void way_is_as_expected(void **state)
{
    const struct way_case *row = *state;
    wd_value *args = NULL;
    wd_action action;
    wd_error error;
    assert_int_equal(wd_json_parse(row->args, strlen(row->args), &args, NULL), WD_OK);
    assert_int_equal(wd_action_from_value(row->kind, args, &action, &error), WD_OK);
    wd_aim_ground ground = { .scene = screen, .width = row->width, .height = 2 * row->width };
    wd_execute_request request = { .run_id = "run-1" };
    wd_result refusal = wd_result_ok();
    char told[96];
    if (!wd_execute_aim(&action, &ground, &request, &refusal)) {
        assert_int_equal(refusal.outcome, WD_OUTCOME_REFUSED);
        snprintf(told, sizeof told, "%s", refusal.code);
    } else if (!request.has_point) {
        assert_false(request.has_end);
        snprintf(told, sizeof told, "nothing");
    } else {
        int length = snprintf(told, sizeof told, "%d,%d %d", request.x, request.y,
            request.node == NULL ? -1 : request.node->id);
        if (request.has_end) {
            snprintf(told + length, sizeof told - (size_t)length, " -> %d,%d", request.end_x, request.end_y);
        }
        assert_string_equal(request.run_id, "run-1");
    }
    wd_action_done(&action);
    wd_value_unref(&args);
    assert_string_equal(told, row->gives);
}

int main(void)
{
    struct CMUnitTest tests[WD_COUNT_OF(way_cases)];
    wd_value *value = NULL;
    wd_error error;
    assert_int_equal(wd_json_parse(screen_text, strlen(screen_text), &value, NULL), WD_OK);
    assert_int_equal(wd_scene_from_value(value, &screen, &error), WD_OK);
    wd_value_unref(&value);
    for (size_t i = 0; i < WD_COUNT_OF(way_cases); i++) {
        tests[i] = (struct CMUnitTest){
            .name = way_cases[i].name,
            .test_func = way_is_as_expected,
            .initial_state = (void *)(uintptr_t)&way_cases[i],
        };
    }
    int failed = _cmocka_run_group_tests("execute_aim", tests, WD_COUNT_OF(tests), NULL, NULL);
    wd_scene_unref(&screen);
    return failed;
}
