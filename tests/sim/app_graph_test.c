// Tests sim/src/app_graph.c on every shipped pack: each declared page is reached, and no touch fails.
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
    struct CMUnitTest tests[WD_COUNT_OF(apps) + 1] = { cmocka_unit_test(bounds_are_kept) };
    for (size_t i = 0; i < WD_COUNT_OF(apps); i++) {
        tests[i + 1] = (struct CMUnitTest){
            .name = apps[i], .test_func = every_page_is_reached, .initial_state = (void *)(uintptr_t)apps[i]
        };
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
