// What order rules read of a step: the node it touched, however the action pointed at it.
#include "json.h"

#include "step_event.h"

/// A list with two rows that take touches, each with a text in it, and a hidden one.
static wd_scene *scene_new(void)
{
    static const struct {
        int32_t parent;
        const char *id, *text, *role;
        wd_rect rect;
        bool clickable;
    } nodes[] = {
        { -1, "m:id/list", NULL, "list", { 0, 0, 100, 100 }, false },
        { 0, "m:id/row", "Ann", "item", { 0, 0, 100, 20 }, true },
        { 1, "m:id/time", "9:00", "text", { 80, 0, 100, 20 }, false },
        { 0, "m:id/row", " Bo ", "item", { 0, 20, 100, 40 }, true },
        { 0, "m:id/foot", "end", "text", { 0, 90, 100, 100 }, false },
    };
    wd_scene_builder *builder = NULL;
    wd_scene *scene = NULL;
    wd_scene_info info = {
        .source_format = "test", .app_package = "m", .route = "/r", .width = 100, .height = 100
    };
    assert_int_equal(wd_scene_builder_new(&builder), WD_OK);
    for (size_t i = 0; i < WD_COUNT_OF(nodes); i++) {
        wd_node node = { .parent = nodes[i].parent,
            .window = -1,
            .resource_id = nodes[i].id,
            .text = nodes[i].text,
            .role = nodes[i].role,
            .rect = nodes[i].rect };
        wd_node_set(&node, WD_NODE_CLICKABLE, nodes[i].clickable ? WD_YES : WD_NO);
        assert_int_equal(wd_scene_builder_node(builder, &node, NULL), WD_OK);
    }
    assert_int_equal(wd_scene_builder_finish(builder, &info, &scene), WD_OK);
    wd_scene_builder_destroy(&builder);
    return scene;
}

static const struct target_case {
    const char *name, *args, *text;  // text of the target; NULL: none
} target_cases[] = {
    { "by node id", "{\"node\":3}", " Bo " },
    { "a node that is not there", "{\"node\":30}", NULL },
    { "by short id and ordinal", "{\"selector\":{\"resource_id\":\"row\",\"ordinal\":1}}", " Bo " },
    { "by whole id", "{\"selector\":{\"resource_id\":\"m:id/foot\"}}", "end" },
    { "by text, trimmed", "{\"selector\":{\"text\":\"Bo\"}}", " Bo " },
    { "by role", "{\"selector\":{\"role\":\"text\",\"ordinal\":1}}", "end" },
    { "an id that nothing has", "{\"selector\":{\"resource_id\":\"ro\"}}", NULL },
    { "by point: what takes the touch, not the text in it", "{\"x\":90,\"y\":10,\"space\":\"px\"}", "Ann" },
    { "by point in thousandths", "{\"x\":500,\"y\":300,\"space\":\"norm1000\"}", " Bo " },
    { "by point: the innermost where nothing takes touches", "{\"x\":0.5,\"y\":0.95,\"space\":\"norm1\"}",
        "end" },
    { "by point outside", "{\"x\":500,\"y\":10,\"space\":\"px\"}", NULL },
};

static void target_is_told(void **state)
{
    const struct target_case *row = *state;
    wd_scene *scene = scene_new();
    wd_value *args = json_of(row->args), *event = NULL;
    wd_action action;
    wd_error error;
    wd_result result = wd_result_ok();
    assert_int_equal(wd_action_from_value("tap", args, &action, &error), WD_OK);
    wd_step_told told = { .action = &action,
        .args = args,
        .result = &result,
        .before = scene,
        .after = scene,
        .app = "m",
        .page = "p" };
    assert_int_equal(wd_step_event(&told, &event), WD_OK);
    const wd_value *target = wd_object_get(wd_object_get(event, "action"), "target");
    if (row->text == NULL) {
        assert_null(target);
    } else {
        assert_true(wd_value_is_text(wd_object_get(target, "text"), row->text));
    }
    assert_true(wd_value_is_text(wd_object_get(event, "status"), "ok"));
    assert_true(wd_value_is_text(wd_object_get(event, "page"), "p"));
    assert_true(wd_value_is_text(wd_object_get(event, "route"), "/r"));
    wd_value_unref(&event);
    wd_value_unref(&args);
    wd_action_done(&action);
    wd_scene_unref(&scene);
}

static void an_event_without_a_screen_is_short(void **state)
{
    (void)state;
    wd_action action;
    wd_result result = wd_result_make(WD_OUTCOME_FAILED, WD_ESTATE, "failed", "no");
    wd_value *event = NULL;
    wd_action_init(&action, WD_ACTION_BACK);
    wd_step_told told = { .action = &action, .result = &result };
    assert_int_equal(wd_step_event(&told, &event), WD_OK);
    assert_json(event, "{\"action\":{\"type\":\"back\"},\"status\":\"failed\"}");
    wd_value_unref(&event);
    wd_action_done(&action);
}

int main(void)
{
    struct CMUnitTest tests[WD_COUNT_OF(target_cases) + 1] = {
        cmocka_unit_test(an_event_without_a_screen_is_short),
    };
    for (size_t i = 0; i < WD_COUNT_OF(target_cases); i++) {
        tests[i + 1] = (struct CMUnitTest){ .name = target_cases[i].name,
            .test_func = target_is_told,
            .initial_state = (void *)(uintptr_t)&target_cases[i] };
    }
    return cmocka_run_group_tests_name("step events", tests, NULL, NULL);
}
