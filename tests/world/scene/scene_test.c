// Reading a scene: flags, rectangles, visibility, digest.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene/scene.h"
#include "scene_fixture.h"

static void flags_have_three_values(void **state)
{
    (void)state;
    wd_node node = { 0 };
    for (int flag = 0; flag < WD_NODE_FLAG_COUNT; flag++) {
        assert_int_equal(wd_node_get(&node, (wd_node_flag)flag), WD_UNKNOWN);
        wd_node_set(&node, (wd_node_flag)flag, WD_YES);
        assert_int_equal(wd_node_get(&node, (wd_node_flag)flag), WD_YES);
        assert_true(wd_node_is(&node, (wd_node_flag)flag));
        wd_node_set(&node, (wd_node_flag)flag, WD_NO);
        assert_int_equal(wd_node_get(&node, (wd_node_flag)flag), WD_NO);
        assert_false(wd_node_is(&node, (wd_node_flag)flag));
        wd_node_set(&node, (wd_node_flag)flag, WD_UNKNOWN);
        assert_int_equal(wd_node_get(&node, (wd_node_flag)flag), WD_UNKNOWN);
    }
    assert_int_equal(node.flags_known, 0);
    assert_int_equal(node.flags_yes, 0);
}

static void label_is_text_then_description_then_hint(void **state)
{
    (void)state;
    assert_null(wd_node_label(&(wd_node){ .text = "", .desc = NULL, .hint = "" }));
    assert_string_equal(wd_node_label(&(wd_node){ .text = "", .desc = "", .hint = "Search" }), "Search");
    assert_string_equal(wd_node_label(&(wd_node){ .desc = "Back", .hint = "x" }), "Back");
    assert_string_equal(wd_node_label(&(wd_node){ .text = "Send", .desc = "x" }), "Send");
}

static const struct rect_case {
    const char *name;
    wd_rect rect;
    int32_t width, height;
    wd_rect_state state;
} rect_cases[] = {
    { "rect inside is ok", { 0, 0, 10, 10 }, 100, 100, WD_RECT_OK },
    { "rect that overlaps by a pixel is ok", { -9, 99, 1, 200 }, 100, 100, WD_RECT_OK },
    { "rect without width is empty", { 5, 0, 5, 10 }, 100, 100, WD_RECT_EMPTY },
    { "rect without height is empty", { 5, 7, 9, 7 }, 100, 100, WD_RECT_EMPTY },
    { "rect from right to left is inverted", { 9, 0, 5, 10 }, 100, 100, WD_RECT_INVERTED },
    { "rect from bottom to top is inverted", { 0, 9, 5, 5 }, 100, 100, WD_RECT_INVERTED },
    { "rect that ends at the left edge is offscreen", { -10, 0, 0, 10 }, 100, 100, WD_RECT_OFFSCREEN },
    { "rect that begins at the right edge is offscreen", { 100, 0, 110, 10 }, 100, 100, WD_RECT_OFFSCREEN },
    { "rect that begins at the bottom edge is offscreen", { 0, 100, 10, 110 }, 100, 100, WD_RECT_OFFSCREEN },
    { "rect far right of an unknown display is ok", { 9000, 0, 9010, 10 }, 0, 0, WD_RECT_OK },
};

static void rect_is_judged(void **state)
{
    const struct rect_case *row = *state;
    assert_int_equal(wd_rect_judge(row->rect, row->width, row->height), row->state);
}

static void visibility_needs_flag_and_pixels(void **state)
{
    (void)state;
    wd_scene *scene = fixture_scene(NULL);
    wd_node node = *wd_scene_node(scene, 1);
    assert_true(wd_scene_node_visible(scene, &node));
    wd_node_set(&node, WD_NODE_VISIBLE, WD_NO);
    assert_false(wd_scene_node_visible(scene, &node));
    wd_node_set(&node, WD_NODE_VISIBLE, WD_UNKNOWN);
    node.rect = (wd_rect){ 0, 2400, 100, 2500 };
    assert_false(wd_scene_node_visible(scene, &node));
    node.rect_state = WD_RECT_UNKNOWN;
    assert_true(wd_scene_node_visible(scene, &node));
    wd_scene_unref(&scene);
}

// ---- digest: each row changes one thing of the fixture ----------------------------------------------------

static void change_nothing(wd_scene_info *info, wd_node *nodes)
{
    (void)info, (void)nodes;
}
static void change_clock(wd_scene_info *info, wd_node *nodes)
{
    (void)info;
    nodes[FIXTURE_CLOCK].text = "12:01";
}
static void change_sources(wd_scene_info *info, wd_node *nodes)
{
    (void)nodes;
    info->app_source = "tree";
    info->captured_at_ms = 77;
}
static void change_hidden(wd_scene_info *info, wd_node *nodes)
{
    (void)info;
    nodes[FIXTURE_HIDDEN].text = "other";
}
static void change_text(wd_scene_info *info, wd_node *nodes)
{
    (void)info;
    nodes[FIXTURE_BUTTON].text = "Sent";
}
static void change_text_to_absent(wd_scene_info *info, wd_node *nodes)
{
    (void)info;
    nodes[FIXTURE_BUTTON].desc = NULL;
}
static void change_flag(wd_scene_info *info, wd_node *nodes)
{
    (void)info;
    wd_node_set(&nodes[FIXTURE_BUTTON], WD_NODE_CHECKED, WD_YES);
}
static void change_flag_to_unknown(wd_scene_info *info, wd_node *nodes)
{
    (void)info;
    wd_node_set(&nodes[FIXTURE_BUTTON], WD_NODE_ENABLED, WD_UNKNOWN);
}
static void change_rect(wd_scene_info *info, wd_node *nodes)
{
    (void)info;
    nodes[FIXTURE_BUTTON].rect.left += 1;
}
static void change_route(wd_scene_info *info, wd_node *nodes)
{
    (void)nodes;
    info->route = "/thread/3";
}

static const struct digest_case {
    const char *name;
    void (*change)(wd_scene_info *info, wd_node *nodes);
    bool same;
} digest_cases[] = {
    { "digest of the same screen is the same", change_nothing, true },
    { "digest ignores the clock in the status bar", change_clock, true },
    { "digest ignores where answers come from", change_sources, true },
    { "digest ignores invisible nodes", change_hidden, true },
    { "digest sees a text", change_text, false },
    { "digest tells absent from empty", change_text_to_absent, false },
    { "digest sees a flag", change_flag, false },
    { "digest tells unknown from no", change_flag_to_unknown, false },
    { "digest sees a moved node", change_rect, false },
    { "digest sees the route", change_route, false },
};

static void digest_tells_screens_apart(void **state)
{
    const struct digest_case *row = *state;
    wd_scene *scene = fixture_scene(NULL);
    wd_scene *changed = fixture_scene(row->change);
    assert_int_equal(wd_digest_equal(wd_scene_digest(scene), wd_scene_digest(changed)), row->same);
    wd_scene_unref(&scene);
    wd_scene_unref(&changed);
}

static void digest_ignores_ids_shifted_by_system_ui(void **state)
{
    (void)state;
    wd_scene *scene = fixture_scene(NULL);
    wd_scene_builder *builder = NULL;
    assert_int_equal(wd_scene_builder_new(&builder), WD_OK);
    for (size_t i = 0; i < wd_scene_window_count(scene); i++) {
        assert_int_equal(wd_scene_builder_window(builder, wd_scene_window(scene, i)), WD_OK);
    }
    wd_node icon = { .parent = -1, .window = -1, .package = "com.android.systemui", .system_ui = true };
    assert_int_equal(wd_scene_builder_node(builder, &icon, NULL), WD_OK);
    for (size_t i = 0; i < wd_scene_node_count(scene); i++) {
        wd_node node = *wd_scene_node(scene, i);
        node.parent = node.parent < 0 ? -1 : node.parent + 1;
        assert_int_equal(wd_scene_builder_node(builder, &node, NULL), WD_OK);
    }
    wd_scene *shifted = NULL;
    assert_int_equal(wd_scene_builder_finish(builder, wd_scene_info_of(scene), &shifted), WD_OK);
    assert_true(wd_digest_equal(wd_scene_digest(scene), wd_scene_digest(shifted)));
    wd_scene_builder_destroy(&builder);
    wd_scene_unref(&shifted);
    wd_scene_unref(&scene);
}

static void names_are_given(void **state)
{
    (void)state;
    assert_string_equal(wd_node_flag_name(WD_NODE_LONG_CLICKABLE), "long_clickable");
    assert_string_equal(wd_page_kind_name(WD_PAGE_ERROR_OVERLAY), "error_overlay");
    assert_string_equal(wd_parse_status_name(WD_PARSE_RECOVERED), "recovered");
}

int main(void)
{
    struct CMUnitTest tests[5 + WD_COUNT_OF(rect_cases) + WD_COUNT_OF(digest_cases)] = {
        cmocka_unit_test(flags_have_three_values),
        cmocka_unit_test(label_is_text_then_description_then_hint),
        cmocka_unit_test(visibility_needs_flag_and_pixels),
        cmocka_unit_test(digest_ignores_ids_shifted_by_system_ui),
        cmocka_unit_test(names_are_given),
    };
    size_t count = 5;
    for (size_t i = 0; i < WD_COUNT_OF(rect_cases); i++) {
        void *row = (void *)(uintptr_t)&rect_cases[i];
        tests[count++] = (struct CMUnitTest){ rect_cases[i].name, rect_is_judged, NULL, NULL, row };
    }
    for (size_t i = 0; i < WD_COUNT_OF(digest_cases); i++) {
        void *row = (void *)(uintptr_t)&digest_cases[i];
        tests[count++] =
            (struct CMUnitTest){ digest_cases[i].name, digest_tells_screens_apart, NULL, NULL, row };
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
