// Precision and recall over a table of right values.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "screen_fixture.h"
#include "semantic/score.h"
#include "tree/json.h"

static wd_value *parse(const char *text)
{
    wd_value *value = NULL;
    assert_int_equal(wd_json_parse(text, strlen(text), &value, NULL), WD_OK);
    return value;
}

static wd_scene *scene_of(const char *app, const char *page, const char *source, double confidence)
{
    wd_scene_builder *builder = NULL;
    wd_scene *scene = NULL;
    assert_int_equal(wd_scene_builder_new(&builder), WD_OK);
    wd_scene_info info = {
        .app_package = app, .page = page, .page_source = source, .page_confidence = confidence
    };
    assert_int_equal(wd_scene_builder_finish(builder, &info, &scene), WD_OK);
    wd_scene_builder_destroy(&builder);
    return scene;
}

static const struct score_case {
    const char *name, *expected;
    const char *app, *page, *source;
    double confidence;
    wd_score_verdict app_verdict, page_verdict;
    int high;  // counted among the high ones
} score_cases[] = {
    { "right and right", "{\"current_app\":\"a.b\",\"title\":\"T\"}", "a.b", "T", "title_id", 0.95,
        WD_SCORE_RIGHT, WD_SCORE_RIGHT, 1 },
    { "invisible characters around a title do not count", "{\"title\":\"T \"}", "a.b", "T", "title_row", 0.6,
        WD_SCORE_NONE, WD_SCORE_RIGHT, 0 },
    { "nothing where something is known is missed", "{\"current_app\":\"a.b\",\"title\":\"T\"}", NULL, NULL,
        NULL, 0, WD_SCORE_MISSED, WD_SCORE_MISSED, 0 },
    { "another answer is wrong", "{\"current_app\":\"a.b\",\"title\":\"T\"}", "a.c", "U", "title_id", 0.95,
        WD_SCORE_WRONG, WD_SCORE_WRONG, 1 },
    { "an answer where there is none is wrong", "{\"current_app\":null,\"title\":null}", "a.c", "U", "dialog",
        0.6, WD_SCORE_WRONG, WD_SCORE_WRONG, 0 },
    { "rightly nothing", "{\"current_app\":null,\"title\":null}", NULL, NULL, NULL, 0, WD_SCORE_RIGHT,
        WD_SCORE_RIGHT, 0 },
    { "an activity is no title", "{\"title\":null}", "a.b", "Main", "activity", 0.9, WD_SCORE_NONE,
        WD_SCORE_RIGHT, 0 },
};

static void screen_is_judged(void **state)
{
    const struct score_case *row = *state;
    wd_value *expected = parse(row->expected);
    wd_scene *scene = scene_of(row->app, row->page, row->source, row->confidence);
    wd_score score = { .screens = 0 };
    wd_score_line line = wd_score_add(&score, expected, scene);
    assert_string_equal(wd_score_verdict_name(line.app), wd_score_verdict_name(row->app_verdict));
    assert_string_equal(wd_score_verdict_name(line.page), wd_score_verdict_name(row->page_verdict));
    assert_int_equal(score.page_high.given, row->high);
    assert_int_equal(score.screens, 1);
    wd_scene_unref(&scene);
    wd_value_unref(&expected);
}

static void ratios_are_reported(void **state)
{
    (void)state;
    wd_score score = { .screens = 4, .app = { 4, 4, 3 }, .page = { 3, 2, 1 } };
    wd_value *value = NULL;
    assert_int_equal(wd_score_to_value(&score, &value), WD_OK);
    wd_buffer text = { 0 };
    assert_int_equal(wd_json_write(value, WD_JSON_COMPACT, &text), WD_OK);
    assert_string_equal(text.bytes,
        "{\"screens\":4,\"parse\":{\"known\":0,\"given\":0,\"right\":0},"
        "\"app\":{\"known\":4,\"given\":4,\"right\":3,\"precision\":0.75,\"recall\":0.75},"
        "\"page\":{\"known\":3,\"given\":2,\"right\":1,\"precision\":0.5,\"recall\":0.3333333333333333},"
        "\"page_high\":{\"known\":0,\"given\":0,\"right\":0},\"kind\":{\"known\":0,\"given\":0,\"right\":0}"
        "}");
    wd_buffer_done(&text);
    wd_value_unref(&value);
}

static void failed_capture_is_scored(void **state)
{
    (void)state;
    wd_value *expected =
        parse("{\"format\":\"uiautomator_failure\",\"parse\":\"fail\",\"current_app\":null}");
    wd_score score = { .screens = 0 };
    assert_true(wd_score_is_screen(expected));
    wd_score_line line = wd_score_add(&score, expected, NULL);
    assert_int_equal(line.parse, WD_SCORE_RIGHT);
    assert_int_equal(line.app, WD_SCORE_RIGHT);
    wd_value_unref(&expected);
    expected = parse("{\"format\":\"json_schema\"}");
    assert_false(wd_score_is_screen(expected));
    assert_false(wd_score_is_screen(NULL));
    wd_value_unref(&expected);
}

int main(void)
{
    struct CMUnitTest tests[2 + WD_COUNT_OF(score_cases)] = {
        cmocka_unit_test(ratios_are_reported),
        cmocka_unit_test(failed_capture_is_scored),
    };
    for (size_t i = 0; i < WD_COUNT_OF(score_cases); i++) {
        void *row = (void *)(uintptr_t)&score_cases[i];
        tests[2 + i] = (struct CMUnitTest){ score_cases[i].name, screen_is_judged, NULL, NULL, row };
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
