// A scene as JSON and back.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "scene/scene.h"
#include "scene_fixture.h"
#include "tree/alloc.h"
#include "tree/json.h"

static wd_value *parse(const char *text)
{
    wd_value *value = NULL;
    assert_int_equal(wd_json_parse(text, strlen(text), &value, NULL), WD_OK);
    return value;
}

static const char fixture_json[] =
    "{\"source_format\":\"device\",\"rotation_raw\":\"0\",\"app_package\":\"messages\",\"app_label\":"
    "\"Messages\","
    "\"app_source\":\"device\",\"activity\":\"ThreadActivity\",\"activity_source\":\"device\","
    "\"route\":\"/thread/"
    "2\",\"page\":\"conversation\",\"page_source\":\"device\",\"background_app\":\"launcher\","
    "\"captured_at_ms\":1700000000000,\"display_id\":1,\"width\":1080,\"height\":2400,\"page_confidence\":1."
    "0,"
    "\"page_params\":{\"thread\":2},\"page_kind\":\"app\",\"stale_suspect\":true,\"parse_status\":"
    "\"recovered\","
    "\"windows\":[{\"package\":\"messages\",\"title\":\"Messages\",\"type\":\"application\",\"layer\":3,"
    "\"display_id\":1,\"focused\":true,\"active\":false,\"bounds\":[0,0,1080,2400]}],"
    "\"nodes\":["
    "{\"id\":0,\"parent\":-1,\"window\":0,\"class_name\":\"FrameLayout\",\"rect\":[0,0,1080,2400]},"
    "{\"id\":1,\"parent\":0,\"window\":0,\"class_name\":\"Button\",\"package\":\"messages\",\"resource_id\":"
    "\"send\","
    "\"role\":\"button\",\"purpose\":\"submit\",\"text\":\"Send\",\"desc\":\"\",\"rect\":[900,2200,1040,2300]"
    ","
    "\"flags\":{\"clickable\":true,\"enabled\":false}},"
    "{\"id\":2,\"parent\":0,\"window\":0,\"text\":\"under the "
    "fold\",\"hint\":\"hint\",\"rect\":[0,2400,1080,2500],"
    "\"rect_state\":\"offscreen\"},"
    "{\"id\":3,\"parent\":-1,\"window\":-1,\"text\":\"12:00\",\"rect_state\":\"unknown\",\"system_ui\":true}]"
    ","
    "\"intents\":[{\"text\":\"send the message\",\"node\":1}],"
    "\"warnings\":[\"cut 7 bytes\"]}";

static wd_scene *fixture_with_params(void)
{
    wd_scene_builder *builder = NULL;
    wd_scene_info info;
    wd_scene *scene = NULL;
    wd_value *params = parse("{\"thread\":2}");
    assert_int_equal(wd_scene_builder_new(&builder), WD_OK);
    assert_int_equal(fixture_collect(builder, NULL, params, &info), WD_OK);
    assert_int_equal(wd_scene_builder_finish(builder, &info, &scene), WD_OK);
    wd_scene_builder_destroy(&builder);
    wd_value_unref(&params);
    return scene;
}

static void scene_prints_every_field(void **state)
{
    (void)state;
    wd_scene *scene = fixture_with_params();
    wd_value *value = NULL;
    assert_int_equal(wd_scene_to_value(scene, &value), WD_OK);
    wd_buffer text = { 0 };
    assert_int_equal(wd_json_write(value, WD_JSON_COMPACT, &text), WD_OK);
    assert_string_equal(text.bytes, fixture_json);
    wd_buffer_done(&text);
    wd_value_unref(&value);
    wd_scene_unref(&scene);
}

static void scene_reads_what_it_printed(void **state)
{
    (void)state;
    wd_value *value = parse(fixture_json), *again = NULL;
    wd_scene *scene = NULL, *original = fixture_with_params();
    wd_error error;
    assert_int_equal(wd_scene_from_value(value, &scene, &error), WD_OK);
    assert_int_equal(wd_scene_to_value(scene, &again), WD_OK);
    assert_true(wd_value_equal(value, again));
    assert_true(wd_digest_equal(wd_scene_digest(scene), wd_scene_digest(original)));
    assert_int_equal(wd_node_get(wd_scene_node(scene, 1), WD_NODE_ENABLED), WD_NO);
    assert_int_equal(wd_node_get(wd_scene_node(scene, 1), WD_NODE_CHECKED), WD_UNKNOWN);
    wd_scene_unref(&original);
    wd_scene_unref(&scene);
    wd_value_unref(&again);
    wd_value_unref(&value);
}

static void empty_object_is_an_empty_scene(void **state)
{
    (void)state;
    wd_value *value = parse("{}");
    wd_scene *scene = NULL;
    assert_int_equal(wd_scene_from_value(value, &scene, NULL), WD_OK);
    assert_int_equal(wd_scene_node_count(scene), 0);
    assert_null(wd_scene_info_of(scene)->app_package);
    wd_scene_unref(&scene);
    wd_value_unref(&value);
}

static const struct refused_case {
    const char *name, *json, *error;
} refused_cases[] = {
    { "a scene that is no object is refused", "[]", "scene: object expected" },
    { "a page that is no string is refused", "{\"page\":1}", "page: string expected, int given" },
    { "an unknown page kind is refused", "{\"page_kind\":\"x\"}", "page_kind: unknown name \"x\"" },
    { "a confidence above 1 is refused", "{\"page_confidence\":1.5}", "page_confidence: 1.5 is not in 0..1" },
    { "a negative width is refused", "{\"width\":-1}", "width: -1 is not in 0..2147483647" },
    { "params that are no object are refused", "{\"page_params\":[]}",
        "page_params: object expected, array given" },
    { "nodes that are no array are refused", "{\"nodes\":{}}", "nodes: array expected, object given" },
    { "a node that is no object is refused", "{\"nodes\":[1]}", "nodes[0]: object expected" },
    { "a node out of order is refused", "{\"nodes\":[{\"id\":1}]}", "nodes[0]: id: 1 is not in 0..0" },
    { "a parent that comes later is refused", "{\"nodes\":[{},{\"parent\":1}]}",
        "nodes[1]: parent: 1 is not in -1..0" },
    { "a window that is not there is refused", "{\"nodes\":[{\"window\":0}]}",
        "nodes[0]: window: 0 is not in -1..-1" },
    { "a rect of three sides is refused", "{\"nodes\":[{\"rect\":[1,2,3]}]}",
        "nodes[0]: rect: [left, top, right, bottom] expected, four 32-bit integers" },
    { "a side beyond 32 bits is refused", "{\"nodes\":[{\"rect\":[1,2,3,2147483648]}]}",
        "nodes[0]: rect: [left, top, right, bottom] expected, four 32-bit integers" },
    { "a flag that is no boolean is refused", "{\"nodes\":[{\"flags\":{\"checked\":\"true\"}}]}",
        "nodes[0]: flags: checked: bool expected, string given" },
    { "an unknown window type is refused", "{\"windows\":[{\"type\":\"app\"}]}",
        "windows[0]: type: unknown name \"app\"" },
    { "an intent without text is refused", "{\"intents\":[{}]}", "intents[0]: text: a string is missing" },
    { "an intent on a missing node is refused", "{\"intents\":[{\"text\":\"x\",\"node\":0}]}",
        "intents[0]: node: 0 is not in -1..-1" },
};

static void scene_is_refused(void **state)
{
    const struct refused_case *row = *state;
    wd_value *value = parse(row->json);
    wd_scene *scene = NULL;
    wd_error error = { 0 };
    assert_int_equal(wd_scene_from_value(value, &scene, &error), WD_EINVAL);
    assert_null(scene);
    assert_string_equal(error.text, row->error);
    assert_int_equal(wd_scene_from_value(value, &scene, NULL), WD_EINVAL);
    wd_value_unref(&value);
}

/// Nodes of all kinds: of the fixture, and such as stretch the writer.
static void nodes_are_written_as_their_values_are(void **state)
{
    static const char *const scenes[] = {
        NULL,
        "{\"nodes\":[{},{\"parent\":0,\"text\":\"\",\"rect\":[-2147483648,0,2147483647,-1]},"
        "{\"text\":\"a \\\"quote\\\", a \\\\ and "
        "\\n\",\"desc\":\"\\u0001\",\"flags\":{\"checked\":false,\"visible\":true},"
        "\"system_ui\":true}]}",
    };
    (void)state;
    for (size_t i = 0; i < WD_COUNT_OF(scenes); i++) {
        wd_value *value = parse(scenes[i] == NULL ? fixture_json : scenes[i]);
        wd_scene *scene = NULL;
        assert_int_equal(wd_scene_from_value(value, &scene, NULL), WD_OK);
        assert_true(wd_scene_node_count(scene) > 0);
        for (size_t n = 0; n < wd_scene_node_count(scene); n++) {
            wd_buffer written = { 0 }, expected = { 0 };
            wd_value *node = NULL;
            assert_int_equal(wd_node_to_value(wd_scene_node(scene, n), &node), WD_OK);
            assert_int_equal(wd_json_write(node, WD_JSON_COMPACT, &expected), WD_OK);
            wd_status status = WD_ENOMEM;
            for (long calls = 0; status != WD_OK; calls++) {
                assert_in_range(calls, 0, 20);
                wd_alloc_fail_after(calls);
                status = wd_node_write_json(wd_scene_node(scene, n), &written);
                wd_alloc_fail_after(-1);
                assert_true(status == WD_OK || written.length == 0);
            }
            assert_string_equal(written.bytes, expected.bytes);
            wd_buffer_done(&written);
            wd_buffer_done(&expected);
            wd_value_unref(&node);
        }
        wd_scene_unref(&scene);
        wd_value_unref(&value);
    }
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    wd_value *value = parse(fixture_json), *printed = NULL;
    wd_scene *scene = NULL;
    uint64_t before = wd_alloc_stats_get().bytes_live;
    for (long calls = 0; scene == NULL; calls++) {
        assert_in_range(calls, 0, 200);
        wd_alloc_fail_after(calls);
        wd_status status = wd_scene_from_value(value, &scene, NULL);
        wd_alloc_fail_after(-1);
        assert_int_equal(status, scene == NULL ? WD_ENOMEM : WD_OK);
        assert_true(scene != NULL || wd_alloc_stats_get().bytes_live == before);
    }
    before = wd_alloc_stats_get().bytes_live;
    for (long calls = 0; printed == NULL; calls++) {
        assert_in_range(calls, 0, 1000);
        wd_alloc_fail_after(calls);
        wd_status status = wd_scene_to_value(scene, &printed);
        wd_alloc_fail_after(-1);
        assert_int_equal(status, printed == NULL ? WD_ENOMEM : WD_OK);
        assert_true(printed != NULL || wd_alloc_stats_get().bytes_live == before);
    }
    assert_true(wd_value_equal(value, printed));
    wd_value_unref(&printed);
    wd_value_unref(&value);
    wd_scene_unref(&scene);
}

int main(void)
{
    struct CMUnitTest tests[5 + WD_COUNT_OF(refused_cases)] = {
        cmocka_unit_test(scene_prints_every_field),
        cmocka_unit_test(scene_reads_what_it_printed),
        cmocka_unit_test(empty_object_is_an_empty_scene),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(nodes_are_written_as_their_values_are),
    };
    for (size_t i = 0; i < WD_COUNT_OF(refused_cases); i++) {
        void *row = (void *)(uintptr_t)&refused_cases[i];
        tests[4 + i] = (struct CMUnitTest){ refused_cases[i].name, scene_is_refused, NULL, NULL, row };
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
