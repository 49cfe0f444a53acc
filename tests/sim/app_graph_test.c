// Tests sim/src/app_graph.c on every shipped pack: each declared page is reached, and no touch fails; and on a pack where
// neither holds.
#include "json.h"
#include "pack_memory.h"
#include "phone_script.h"

#include "sim/app_graph.h"

static const char *const apps[] = { "launcher", "settings", "contacts", "messages", "notes", "forum", "shop",
    "wallet" };

enum { FORKS = 2000 };

static void every_page_is_reached(void **state)
{
    const char *app = *state;
    phone_script script;
    phone_script_start(&script, WD_SOURCE_DIR "/sim/apps");
    const wd_digest before = wd_device_digest(script.device);
    const wd_app_graph_options options = { .app = app, .forks_max = FORKS, .seed = 1 };
    wd_value *graph = NULL;
    wd_error error = { 0 };
    if (wd_app_graph(script.host, script.device, &options, &graph, &error) != WD_OK) {
        fail_msg("%s", error.text);
    }
    wd_buffer text = { 0 };
    if (wd_array_count(wd_object_get(graph, "unreached")) > 0 ||
        wd_array_count(wd_object_get(graph, "errors")) > 0) {
        assert_int_equal(wd_json_write(wd_object_get(graph, "errors"), WD_JSON_COMPACT, &text), WD_OK);
        assert_int_equal(wd_json_write(wd_object_get(graph, "unreached"), WD_JSON_COMPACT, &text), WD_OK);
        fail_msg("%s: %.2000s", app, text.bytes);
    }
    assert_true(wd_digest_equal(before, wd_device_digest(script.device)));
    wd_value_unref(&graph);
    phone_script_stop(&script);
}

static void what_is_wrong_is_told(void **state)
{
    (void)state;
    const pack_memory_file files[] = {
        { "packs/demo/app.lua",
            "screens['/'] = function(ctx) return screen{ page = 'main',\n"
            "  button{ id = 'on', 'On', go = '/end' }, button{ id = 'bad', 'Bad', tap = 'bad' } } end\n"
            "screens['/end'] = function(ctx) return screen{ page = 'end', label{ id = 'l', 'x' } } end\n"
            "screens['/lost'] = function(ctx) return screen{ page = 'lost' } end\n"
            "actions.bad = function(ctx, args) error('broken') end\n" },
        { NULL, NULL }
    };
    static const char *const directories[] = { "packs" };
    const wd_pack_source source = pack_memory_source(files);
    wd_packs *packs = NULL;
    wd_host *host = NULL;
    wd_device *device = NULL;
    assert_int_equal(wd_packs_load(&source, directories, 1, &packs, NULL), WD_OK);
    assert_int_equal(wd_packs_fault_count(packs), 0);
    assert_int_equal(wd_host_new(packs, &host, NULL), WD_OK);
    assert_int_equal(wd_host_boot(host, 1, &device, NULL), WD_OK);
    const wd_app_graph_options options = { .app = "demo", .forks_max = 100, .seed = 1 };
    wd_value *graph = NULL;
    assert_int_equal(wd_app_graph(host, device, &options, &graph, NULL), WD_OK);
    assert_json(wd_object_get(graph, "unreached"), "[\"/lost\"]");
    assert_json(wd_object_get(graph, "deadEnds"), "[\"/end\"]");
    const wd_value *errors = wd_object_get(graph, "errors");
    assert_int_equal(wd_array_count(errors), 1);
    const wd_value *first = wd_array_at(errors, 0);
    assert_string_equal(wd_value_string_or(wd_object_get(first, "node"), ""), "demo:id/bad");
    assert_non_null(strstr(wd_value_string_or(wd_object_get(first, "text"), ""), "demo/app.lua:5: broken"));
    wd_value_unref(&graph);
    wd_device_destroy(&device);
    wd_host_destroy(&host);
    wd_packs_unref(&packs);
}

static void bounds_are_kept(void **state)
{
    (void)state;
    phone_script script;
    phone_script_start(&script, WD_SOURCE_DIR "/sim/apps");
    wd_value *graph = NULL;
    wd_app_graph_options options = { .app = "settings", .forks_max = 0 };
    assert_int_equal(wd_app_graph(script.host, script.device, &options, &graph, NULL), WD_EINVAL);
    options.forks_max = WD_APP_GRAPH_FORKS_MAX + 1;
    assert_int_equal(wd_app_graph(script.host, script.device, &options, &graph, NULL), WD_EINVAL);
    options.forks_max = 1;
    assert_int_equal(wd_app_graph(script.host, script.device, &options, &graph, NULL), WD_OK);
    assert_int_equal(wd_value_int_or(wd_object_get(graph, "forks"), 0), 1);
    wd_value_unref(&graph);
    options.app = "nothing";
    assert_int_equal(wd_app_graph(script.host, script.device, &options, &graph, NULL), WD_ENOENT);
    phone_script_stop(&script);
}

int main(void)
{
    struct CMUnitTest tests[WD_COUNT_OF(apps) + 2] = { cmocka_unit_test(bounds_are_kept),
        cmocka_unit_test(what_is_wrong_is_told) };
    for (size_t i = 0; i < WD_COUNT_OF(apps); i++) {
        tests[i + 2] = (struct CMUnitTest){
            .name = apps[i], .test_func = every_page_is_reached, .initial_state = (void *)(uintptr_t)apps[i]
        };
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
