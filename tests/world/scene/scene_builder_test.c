// Collecting a scene: copies, bounds, warnings, failing memory.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "scene/scene.h"
#include "scene_fixture.h"
#include "tree/alloc.h"

static void strings_are_copied(void **state)
{
    (void)state;
    char text[] = "Send", name[] = "android.widget.Button";
    wd_scene_builder *builder = NULL;
    assert_int_equal(wd_scene_builder_new(&builder), WD_OK);
    int32_t id = -1;
    for (int i = 0; i < 3; i++) {
        wd_node node = { .id = 99, .parent = i - 1, .window = -1, .class_name = name, .text = text };
        assert_int_equal(wd_scene_builder_node(builder, &node, &id), WD_OK);
        assert_int_equal(id, i);
    }
    memset(text, 'x', 4);
    memset(name, 'x', 7);
    wd_scene *scene = NULL;
    assert_int_equal(wd_scene_builder_finish(builder, &(wd_scene_info){ 0 }, &scene), WD_OK);
    assert_int_equal(wd_scene_node_count(scene), 3);
    for (size_t i = 0; i < 3; i++) {
        const wd_node *node = wd_scene_node(scene, i);
        assert_int_equal(node->id, i);
        assert_string_equal(node->text, "Send");
        assert_string_equal(node->class_name, "android.widget.Button");
        assert_null(node->desc);
    }
    assert_null(wd_scene_node(scene, 3));
    wd_scene_unref(&scene);
    wd_scene_builder_destroy(&builder);
}

static void many_names_stay_apart(void **state)
{
    (void)state;
    enum { NAMES = 3000 };  // more than the builder keeps once
    wd_scene_builder *builder = NULL;
    assert_int_equal(wd_scene_builder_new(&builder), WD_OK);
    char name[32];
    for (int i = 0; i < 2 * NAMES; i++) {
        snprintf(name, sizeof name, "name %d", i % NAMES);
        wd_node node = { .parent = -1, .window = -1, .resource_id = name };
        assert_int_equal(wd_scene_builder_node(builder, &node, NULL), WD_OK);
    }
    wd_scene *scene = NULL;
    assert_int_equal(wd_scene_builder_finish(builder, &(wd_scene_info){ 0 }, &scene), WD_OK);
    for (int i = 0; i < 2 * NAMES; i++) {
        snprintf(name, sizeof name, "name %d", i % NAMES);
        assert_string_equal(wd_scene_node(scene, (size_t)i)->resource_id, name);
    }
    wd_scene_unref(&scene);
    wd_scene_builder_destroy(&builder);
}

static void builder_starts_anew_after_finish(void **state)
{
    (void)state;
    wd_scene_builder *builder = NULL;
    wd_scene_info info;
    wd_scene *first = NULL, *second = NULL, *empty = NULL;
    assert_int_equal(wd_scene_builder_new(&builder), WD_OK);
    assert_int_equal(fixture_collect(builder, NULL, NULL, &info), WD_OK);
    assert_int_equal(wd_scene_builder_finish(builder, &info, &first), WD_OK);
    assert_int_equal(fixture_collect(builder, NULL, NULL, &info), WD_OK);
    assert_int_equal(wd_scene_builder_finish(builder, &info, &second), WD_OK);
    assert_int_equal(wd_scene_builder_finish(builder, &info, &empty), WD_OK);
    wd_scene_builder_destroy(&builder);
    assert_true(wd_digest_equal(wd_scene_digest(first), wd_scene_digest(second)));
    assert_int_equal(wd_scene_node_count(second), FIXTURE_NODE_COUNT);
    assert_int_equal(wd_scene_node_count(empty), 0);
    assert_int_equal(wd_scene_warning_count(empty), 0);
    wd_scene *shared = wd_scene_ref(first);
    wd_scene_unref(&first);
    assert_string_equal(wd_scene_info_of(shared)->page, "conversation");
    wd_scene_unref(&shared);
    wd_scene_unref(&second);
    wd_scene_unref(&empty);
    assert_null(wd_scene_ref(NULL));
}

static void collected_nodes_can_be_changed(void **state)
{
    (void)state;
    wd_scene_builder *builder = NULL;
    size_t count = 7;
    assert_int_equal(wd_scene_builder_new(&builder), WD_OK);
    assert_null(wd_scene_builder_nodes(builder, &count));
    assert_int_equal(count, 0);
    wd_scene_info info;
    assert_int_equal(fixture_collect(builder, NULL, NULL, &info), WD_OK);
    wd_node *nodes = wd_scene_builder_nodes(builder, &count);
    assert_int_equal(count, FIXTURE_NODE_COUNT);
    nodes[FIXTURE_BUTTON].purpose = wd_scene_builder_strndup(builder, "search!", 6);
    wd_window *windows = wd_scene_builder_windows(builder, &count);
    assert_int_equal(count, 1);
    windows[0].layer = 9;
    wd_scene *scene = NULL;
    assert_int_equal(wd_scene_builder_finish(builder, &info, &scene), WD_OK);
    assert_string_equal(wd_scene_node(scene, FIXTURE_BUTTON)->purpose, "search");
    assert_int_equal(wd_scene_window(scene, 0)->layer, 9);
    wd_scene_unref(&scene);
    wd_scene_builder_destroy(&builder);
}

static void warnings_past_the_bound_are_counted(void **state)
{
    (void)state;
    wd_scene_builder *builder = NULL;
    assert_int_equal(wd_scene_builder_new(&builder), WD_OK);
    for (int i = 0; i < WD_SCENE_WARNINGS_MAX; i++) {
        assert_int_equal(wd_scene_builder_warning(builder, "warning %d", i), WD_OK);
    }
    wd_scene *scene = NULL;
    assert_int_equal(wd_scene_builder_finish(builder, &(wd_scene_info){ 0 }, &scene), WD_OK);
    assert_int_equal(wd_scene_warning_count(scene), WD_SCENE_WARNINGS_MAX);
    assert_string_equal(wd_scene_warning(scene, WD_SCENE_WARNINGS_MAX - 1), "warning 15");
    wd_scene_unref(&scene);

    for (int i = 0; i < WD_SCENE_WARNINGS_MAX + 4; i++) {
        assert_int_equal(wd_scene_builder_warning(builder, "warning %d", i), WD_OK);
    }
    assert_int_equal(wd_scene_builder_finish(builder, &(wd_scene_info){ 0 }, &scene), WD_OK);
    assert_int_equal(wd_scene_warning_count(scene), WD_SCENE_WARNINGS_MAX);
    assert_string_equal(wd_scene_warning(scene, WD_SCENE_WARNINGS_MAX - 2), "warning 14");
    assert_string_equal(wd_scene_warning(scene, WD_SCENE_WARNINGS_MAX - 1), "5 more warnings");
    assert_null(wd_scene_warning(scene, WD_SCENE_WARNINGS_MAX));
    wd_scene_unref(&scene);
    wd_scene_builder_destroy(&builder);
}

static void counts_are_bounded(void **state)
{
    (void)state;
    wd_scene_builder *builder = NULL;
    assert_int_equal(wd_scene_builder_new(&builder), WD_OK);
    for (int i = 0; i < WD_SCENE_WINDOWS_MAX; i++) {
        assert_int_equal(wd_scene_builder_window(builder, &(wd_window){ 0 }), WD_OK);
    }
    assert_int_equal(wd_scene_builder_window(builder, &(wd_window){ 0 }), WD_ELIMIT);
    for (int i = 0; i < WD_SCENE_INTENTS_MAX; i++) {
        assert_int_equal(wd_scene_builder_intent(builder, &(wd_scene_intent){ "x", -1 }), WD_OK);
    }
    assert_int_equal(wd_scene_builder_intent(builder, &(wd_scene_intent){ "x", -1 }), WD_ELIMIT);
    for (int i = 0; i < WD_SCENE_NODES_MAX; i++) {
        wd_node node = { .parent = i - 1, .window = -1, .rect_state = WD_RECT_UNKNOWN };
        assert_int_equal(wd_scene_builder_node(builder, &node, NULL), WD_OK);
    }
    wd_node beyond = { .parent = -1, .window = -1 };
    assert_int_equal(wd_scene_builder_node(builder, &beyond, NULL), WD_ELIMIT);
    wd_scene *scene = NULL;
    assert_int_equal(wd_scene_builder_finish(builder, &(wd_scene_info){ 0 }, &scene), WD_OK);
    assert_int_equal(wd_scene_node_count(scene), WD_SCENE_NODES_MAX);
    assert_int_equal(wd_scene_window_count(scene), WD_SCENE_WINDOWS_MAX);
    assert_int_equal(wd_scene_intent_count(scene), WD_SCENE_INTENTS_MAX);
    wd_scene_unref(&scene);
    wd_scene_builder_destroy(&builder);
}

static wd_status build_fixture(wd_value *params, wd_scene **ret_scene)
{
    wd_scene_builder *builder = NULL;
    wd_status status = wd_scene_builder_new(&builder);
    wd_scene_info info;
    if (status == WD_OK) {
        status = fixture_collect(builder, NULL, params, &info);
    }
    if (status == WD_OK) {
        status = wd_scene_builder_finish(builder, &info, ret_scene);
    }
    wd_scene_builder_destroy(&builder);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    uint64_t before = wd_alloc_stats_get().bytes_live;
    wd_scene *scene = NULL;
    for (long calls = 0; scene == NULL; calls++) {
        assert_in_range(calls, 0, 100);
        wd_alloc_fail_after(calls);
        wd_status status = build_fixture(NULL, &scene);
        wd_alloc_fail_after(-1);
        assert_int_equal(status, scene == NULL ? WD_ENOMEM : WD_OK);
        if (scene == NULL) {
            assert_int_equal(wd_alloc_stats_get().bytes_live, before);
        }
    }
    wd_scene_unref(&scene);
    assert_int_equal(wd_alloc_stats_get().bytes_live, before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings_are_copied),
        cmocka_unit_test(many_names_stay_apart),
        cmocka_unit_test(builder_starts_anew_after_finish),
        cmocka_unit_test(collected_nodes_can_be_changed),
        cmocka_unit_test(warnings_past_the_bound_are_counted),
        cmocka_unit_test(counts_are_bounded),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
