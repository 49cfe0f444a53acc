// WorldModel, one row per rule of DESIGN section 4. A row is a script of scenes and steps and what must then hold.
//
// Script: [{"begin":S}, {"do":KIND,"args"?:{..},"outcome"?:"failed","scene":S}, ...]; S is null (capture failed) or
// {"app"?,"activity"?,"route"?,"title"?,"texts"?:[..],"semantic"?:{"app"?,"id"?}}.
// Expected: members of the state as JSON; null means absent. "report" holds members of the last observe report.
#include "json.h"

#include "model/world_model.h"
#include "tree/alloc.h"

#include <inttypes.h>
#include <stdio.h>

static wd_scene *scene_of(const wd_value *script)
{
    if (!wd_value_is(script, WD_KIND_OBJECT)) {
        return NULL;
    }
    wd_scene_builder *builder = NULL;
    wd_scene *scene = NULL;
    assert_int_equal(wd_scene_builder_new(&builder), WD_OK);
    wd_iter text = wd_iter_start(wd_object_get(script, "texts"));
    while (wd_iter_next(&text)) {
        wd_node node = { .parent = -1,
            .window = -1,
            .text = wd_value_as_string(text.value, NULL),
            .resource_id = "x:id/line" };
        node.rect = (wd_rect){ 0, (int32_t)text.index * 100, 100, (int32_t)text.index * 100 + 100 };
        assert_int_equal(wd_scene_builder_node(builder, &node, NULL), WD_OK);
    }
    wd_scene_info info = {
        .source_format = "test",
        .app_package = wd_value_string_or(wd_object_get(script, "app"), NULL),
        .activity = wd_value_string_or(wd_object_get(script, "activity"), NULL),
        .route = wd_value_string_or(wd_object_get(script, "route"), NULL),
        .page = wd_value_string_or(wd_object_get(script, "title"), NULL),
    };
    assert_int_equal(wd_scene_builder_finish(builder, &info, &scene), WD_OK);
    wd_scene_builder_destroy(&builder);
    return scene;
}

static wd_semantic *semantic_of(const wd_value *script)
{
    const wd_value *given = wd_object_get(script, "semantic");
    if (given == NULL) {
        return NULL;
    }
    wd_semantic_init init = {
        .page = { .app = wd_value_string_or(wd_object_get(given, "app"), NULL),
            .id = wd_value_string_or(wd_object_get(given, "id"), NULL) },
        .enricher = "test",
    };
    wd_semantic *semantic = NULL;
    assert_int_equal(wd_semantic_new(&init, &semantic), WD_OK);
    return semantic;
}

/// Run one script entry; NULL-safe reports. Returns the status of begin or observe.
static wd_status feed(wd_world_model *model, const wd_value *entry, wd_observe_report *report)
{
    const wd_value *first = wd_object_get(entry, "begin");
    const wd_value *screen = first != NULL ? first : wd_object_get(entry, "scene");
    wd_scene *scene = scene_of(screen);
    wd_semantic *semantic = semantic_of(screen);
    wd_status status;
    if (first != NULL) {
        status = wd_world_model_begin(model, scene, semantic);
    } else {
        wd_step step = { .args = wd_value_ref(wd_object_get(entry, "args")) };
        wd_error error;
        const char *kind = wd_value_as_string(wd_object_get(entry, "do"), NULL);
        if (wd_action_from_value(kind, step.args, &step.action, &error) != WD_OK) {
            fail_msg("%s: %s", kind, error.text);
        }
        bool failed = wd_value_is_text(wd_object_get(entry, "outcome"), "failed");
        wd_result result =
            failed ? wd_result_make(WD_OUTCOME_FAILED, WD_ESTATE, "failed", "no") : wd_result_ok();
        status = wd_world_model_observe(model, scene, semantic, &step, &result, report);
        wd_step_done(&step);
    }
    wd_scene_unref(&scene);
    wd_semantic_unref(&semantic);
    return status;
}

static void assert_members(const wd_value *got, const wd_value *expected)
{
    wd_iter member = wd_iter_start(expected);
    while (wd_iter_next(&member)) {
        const wd_value *own = wd_object_get_n(got, member.key, member.key_length);
        bool holds =
            wd_value_is(member.value, WD_KIND_NULL) ? own == NULL : wd_value_equal(own, member.value);
        if (!holds) {
            char *is = own == NULL ? strdup("absent") : text_of(own), *must = text_of(member.value);
            fail_msg("%s: is %s, must be %s", member.key, is, must);
        }
    }
}

#define L "{\"app\":\"launcher\",\"route\":\"/\"}"
#define WIFI "{\"app\":\"settings\",\"route\":\"/wifi?x=1\",\"texts\":[\"Wi-Fi\",\"On\"]}"
#define BEGIN(scene) "{\"begin\":" scene "},"
#define STEP(kind, args, scene) "{\"do\":\"" kind "\",\"args\":" args ",\"scene\":" scene "}"
#define FAILED(kind, args, scene)                                                                            \
    "{\"do\":\"" kind "\",\"args\":" args ",\"scene\":" scene ",\"outcome\":\"failed\"}"
#define REMEMBER(what) "{\"remember\":" what "}"

static const struct world_case {
    const char *name, *script, *expected, *report;
} world_cases[] = {
    // app and page
    { "the first scene comes by begin", "[{\"begin\":" WIFI "}]",
        "{\"current_app\":\"settings\",\"current_page\":\"/"
        "wifi\",\"stale\":false,\"step_index\":0,\"repeat_count\":1,"
        "\"variables\":{},\"history\":[],\"last_change\":\"first screen\"}",
        NULL },
    { "a first capture that fails leaves everything unknown", "[{\"begin\":null}]",
        "{\"current_app\":null,\"current_page\":null,\"stale\":true,\"repeat_count\":0}", NULL },
    { "the page of the semantic scene wins",
        "[{\"begin\":{\"app\":\"a\",\"route\":\"/r\",\"semantic\":{\"app\":\"b\",\"id\":\"page\"}}}]",
        "{\"current_app\":\"b\",\"current_app_source\":\"semantic\",\"current_page\":\"page\","
        "\"current_page_source\":\"semantic\"}",
        NULL },
    { "a semantic scene without page leaves the page to the raw scene",
        "[{\"begin\":{\"app\":\"a\",\"activity\":\"Main\",\"semantic\":{\"app\":\"a\"}}}]",
        "{\"current_app\":\"a\",\"current_page\":\"Main\",\"current_page_source\":\"scene\"}", NULL },
    { "raw scene: route before activity before title",
        "[{\"begin\":{\"app\":\"a\",\"activity\":\"Main\",\"route\":\"/x?q=1\",\"title\":\"T\"}}]",
        "{\"current_page\":\"/x\",\"current_app_source\":\"scene\"}", NULL },
    { "raw scene: activity before title",
        "[{\"begin\":{\"app\":\"a\",\"activity\":\"Main\",\"title\":\"T\"}}]", "{\"current_page\":\"Main\"}",
        NULL },
    { "raw scene: title when nothing else", "[{\"begin\":{\"app\":\"a\",\"title\":\"T\"}}]",
        "{\"current_page\":\"T\"}", NULL },
    { "a scene without page: the page is unknown, not stale",
        "[" BEGIN(WIFI) STEP("back", "{}", "{\"app\":\"b\"}") "]",
        "{\"current_app\":\"b\",\"current_page\":null,\"stale\":false}", NULL },
    { "an empty package is no app", "[" BEGIN(WIFI) STEP("tap", "{}", "{\"app\":\"\",\"route\":\"/q\"}") "]",
        "{\"current_app\":\"settings\",\"current_page\":\"/wifi\",\"stale\":true}", NULL },
    { "no scene after launch_app that succeeded: that app, page unknown",
        "[" BEGIN(L) STEP("launch_app", "{\"app\":\"notes\"}", "null") "]",
        "{\"current_app\":\"notes\",\"current_app_source\":\"action\",\"current_page\":null,\"stale\":false}",
        NULL },
    { "a scene that names no app counts as none",
        "[" BEGIN(L) STEP("launch_app", "{\"app\":\"notes\"}", "{\"texts\":[\"hi\"]}") "]",
        "{\"current_app\":\"notes\",\"current_app_source\":\"action\"}", NULL },
    { "launch_app that failed says nothing",
        "[" BEGIN(WIFI) FAILED("launch_app", "{\"app\":\"notes\"}", "null") "]",
        "{\"current_app\":\"settings\",\"current_page\":\"/wifi\",\"stale\":true}", NULL },
    { "home leads to the launcher", "[" BEGIN(WIFI) STEP("home", "{}", "null") "]",
        "{\"current_app\":\"launcher\",\"current_page\":null,\"current_app_source\":\"action\",\"stale\":"
        "false}",
        NULL },
    { "anything else without a scene: old values stay, stale", "[" BEGIN(WIFI) STEP("tap", "{}", "null") "]",
        "{\"current_app\":\"settings\",\"current_page\":\"/"
        "wifi\",\"current_page_source\":\"scene\",\"stale\":true}",
        NULL },
    { "the last action that says so holds over silent steps",
        "[" BEGIN(L) STEP("launch_app", "{\"app\":\"notes\"}", "null") "," STEP("tap", "{}", "null") "]",
        "{\"current_app\":\"notes\",\"current_app_source\":\"action\",\"stale\":false}", NULL },
    { "back may have left the app that was launched",
        "[" BEGIN(L) STEP("launch_app", "{\"app\":\"notes\"}", "null") "," STEP("back", "{}", "null") "]",
        "{\"current_app\":\"notes\",\"stale\":true}", NULL },
    { "something observed since ends an intention",
        "[" BEGIN(L) STEP("launch_app", "{\"app\":\"notes\"}", "null") "," STEP("tap", "{}", WIFI) "," STEP(
            "tap", "{}", "null") "]",
        "{\"current_app\":\"settings\",\"stale\":true}", NULL },
    { "observation beats intention: a launch that still shows the launcher",
        "[" BEGIN(L) STEP("launch_app", "{\"app\":\"notes\"}", L) "]",
        "{\"current_app\":\"launcher\",\"current_page\":\"/\",\"stale\":false}", NULL },
    { "stale ends with the next scene",
        "[" BEGIN(WIFI) STEP("tap", "{}", "null") "," STEP("tap", "{}", L) "]",
        "{\"current_app\":\"launcher\",\"stale\":false}", NULL },
    // variables
    { "remember is taken", "[" BEGIN(L) STEP("tap", REMEMBER("{\"a\":1,\"b\":[true,null]}"), L) "]",
        "{\"variables\":{\"a\":1,\"b\":[true,null]}}", "{\"remembered\":[\"a\",\"b\"],\"refused\":null}" },
    { "a later value replaces",
        "[" BEGIN(L) STEP("tap", REMEMBER("{\"a\":1}"), L) "," STEP("tap", REMEMBER("{\"a\":\"x\"}"), L) "]",
        "{\"variables\":{\"a\":\"x\"}}", "{\"remembered\":[\"a\"]}" },
    { "null forgets",
        "[" BEGIN(L)
            STEP("tap", REMEMBER("{\"a\":1,\"b\":2}"), L) "," STEP("tap", REMEMBER("{\"a\":null}"), L) "]",
        "{\"variables\":{\"b\":2}}", "{\"forgotten\":[\"a\"],\"remembered\":null}" },
    { "forgetting what was never known is no fault",
        "[" BEGIN(L) STEP("tap", REMEMBER("{\"z\":null}"), L) "]", "{\"variables\":{}}",
        "{\"forgotten\":null,\"refused\":null}" },
    { "remember that is no object is refused", "[" BEGIN(L) STEP("tap", REMEMBER("[1]"), L) "]",
        "{\"variables\":{}}", "{\"refused\":\"remember: must be an object, is array\"}" },
    { "remember of null is refused", "[" BEGIN(L) STEP("tap", REMEMBER("null"), L) "]", "{\"variables\":{}}",
        "{\"refused\":\"remember: must be an object, is null\"}" },
    { "remember of a failed step is refused", "[" BEGIN(L) FAILED("tap", REMEMBER("{\"a\":1}"), L) "]",
        "{\"variables\":{}}", "{\"refused\":\"remember: the step did not succeed\",\"remembered\":null}" },
    { "a failed step is observed all the same", "[" BEGIN(L) FAILED("tap", "{}", WIFI) "]",
        "{\"current_app\":\"settings\",\"step_index\":1}", NULL },
    { "args other than remember are no variables",
        "[" BEGIN(L) STEP("type", "{\"text\":\"hello\",\"variables\":{\"a\":1}}", L) "]",
        "{\"variables\":{}}", NULL },
    // history, repeat_count, last_change, signals
    { "history holds the scene acted in, the action and its outcome",
        "[" BEGIN(WIFI) FAILED("tap", "{\"x\":1,\"y\":2}", L) "]", "{\"step_index\":1}",
        "{\"app_changed\":true,\"page_changed\":true,\"screen_changed\":true}" },
    { "this very screen, seen again", "[" BEGIN(WIFI) STEP("tap", "{}", L) "," STEP("tap", "{}", WIFI) "]",
        "{\"repeat_count\":2}", NULL },
    { "nothing changed is said", "[" BEGIN(WIFI) STEP("tap", "{}", WIFI) "]",
        "{\"last_change\":\"nothing changed\",\"repeat_count\":2,\"signals\":{\"same_screen_streak\":1,"
        "\"same_page_streak\":1,\"repeated_action\":0,\"no_effect\":1,\"ping_pong\":0}}",
        "{\"screen_changed\":false,\"app_changed\":false}" },
    { "a changed text is named",
        "[" BEGIN(WIFI)
            STEP("tap", "{}", "{\"app\":\"settings\",\"route\":\"/wifi\",\"texts\":[\"Wi-Fi\",\"Off\"]}") "]",
        "{\"last_change\":\"line: \\\"On\\\" -> \\\"Off\\\"\",\"repeat_count\":1}", NULL },
    { "a changed page is named",
        "[" BEGIN(WIFI)
            STEP("tap", "{}", "{\"app\":\"settings\",\"route\":\"/wifi/home\",\"texts\":[\"Wi-Fi\"]}") "]",
        "{\"last_change\":\"page: /wifi -> /wifi/home\"}", "{\"app_changed\":false,\"page_changed\":true}" },
    { "a changed app is named", "[" BEGIN(WIFI) STEP("home", "{}", L) "]",
        "{\"last_change\":\"app: settings -> launcher\"}", NULL },
    { "more nodes are counted",
        "[" BEGIN("{\"app\":\"a\",\"route\":\"/\"}")
            STEP("tap", "{}", "{\"app\":\"a\",\"route\":\"/\",\"texts\":[\"1\",\"2\"]}") "]",
        "{\"last_change\":\"screen: 2 nodes more\"}", NULL },
    { "a failed capture is said", "[" BEGIN(WIFI) STEP("tap", "{}", "null") "]",
        "{\"last_change\":\"screen not seen\",\"repeat_count\":0}", NULL },
    { "an equal action on an unchanged screen",
        "[" BEGIN(WIFI) STEP("tap", "{\"x\":1,\"y\":1}", WIFI) "," STEP(
            "tap", "{\"x\":1,\"y\":1}", WIFI) "," STEP("tap", "{\"x\":1,\"y\":1}", WIFI) "]",
        "{\"signals\":{\"same_screen_streak\":3,\"same_page_streak\":3,\"repeated_action\":2,\"no_effect\":3,"
        "\"ping_pong\":0}}",
        NULL },
    { "waiting is not without effect", "[" BEGIN(WIFI) STEP("wait", "{\"ms\":10}", WIFI) "]",
        "{\"signals\":{\"same_screen_streak\":1,\"same_page_streak\":1,\"repeated_action\":0,\"no_effect\":0,"
        "\"ping_pong\":0}}",
        NULL },
    { "going back and forth between two pages",
        "[" BEGIN(WIFI) STEP("tap", "{}", L) "," STEP("tap", "{}", WIFI) "," STEP("tap", "{}", L) "]",
        "{\"repeat_count\":2,\"signals\":{\"same_screen_streak\":0,\"same_page_streak\":0,\"repeated_"
        "action\":0,"
        "\"no_effect\":0,\"ping_pong\":2}}",
        NULL },
    { "begin forgets everything", "[" BEGIN(L) STEP("tap", REMEMBER("{\"a\":1}"), WIFI) ",{\"begin\":" L "}]",
        "{\"current_app\":\"launcher\",\"variables\":{},\"history\":[],\"step_index\":0,\"repeat_count\":1}",
        NULL },
};

static void world_is_derived(void **state)
{
    const struct world_case *row = *state;
    wd_world_options options = wd_world_options_default();
    wd_world_model *model = NULL;
    assert_int_equal(wd_world_model_new(&options, &model, NULL), WD_OK);
    wd_value *script = json_of(row->script), *got = NULL, *told = NULL;
    wd_observe_report report = { 0 };
    wd_iter entry = wd_iter_start(script);
    while (wd_iter_next(&entry)) {
        wd_observe_report_done(&report);
        assert_int_equal(feed(model, entry.value, &report), WD_OK);
    }
    assert_int_equal(wd_world_state_to_value(wd_world_model_state(model), true, &got), WD_OK);
    wd_value *expected = json_of(row->expected);
    assert_members(got, expected);
    if (row->report != NULL) {
        wd_value *said = json_of(row->report);
        assert_int_equal(wd_observe_report_to_value(&report, &told), WD_OK);
        assert_members(told, said);
        wd_value_unref(&said);
    }
    wd_observe_report_done(&report);
    wd_value_unref(&script);
    wd_value_unref(&got);
    wd_value_unref(&told);
    wd_value_unref(&expected);
    wd_world_model_destroy(&model);
    assert_null(model);
}

static const char *const long_script = "[" BEGIN(WIFI) STEP("tap", "{\"x\":1,\"y\":1,\"remember\":{\"a\":1}}",
    L) "," STEP("launch_app", "{\"app\":\"notes\",\"remember\":{\"b\":[1,2],\"a\":null}}",
    "null") "," STEP("tap", "{}", WIFI) "," STEP("back", "{}", "null") "]";

static void history_is_what_was_acted_in(void **state)
{
    (void)state;
    wd_world_options options = wd_world_options_default();
    wd_world_model *model = NULL;
    assert_int_equal(wd_world_model_new(&options, &model, NULL), WD_OK);
    wd_value *script = json_of(long_script);
    wd_iter entry = wd_iter_start(script);
    while (wd_iter_next(&entry)) {
        wd_observe_report report = { 0 };
        assert_int_equal(feed(model, entry.value, &report), WD_OK);
        wd_observe_report_done(&report);
    }
    const wd_history *history = wd_world_model_state(model)->history;
    assert_int_equal(wd_history_count(history), 4);
    const wd_world_event *first = wd_history_at(history, 0), *last = wd_history_at(history, 3);
    assert_string_equal(first->app, "settings");
    assert_string_equal(wd_scene_info_of(first->scene)->route, "/wifi?x=1");
    assert_int_equal(first->action.kind, WD_ACTION_TAP);
    assert_null(wd_history_at(history, 2)->scene);  // acted without a screen: the capture had failed
    assert_string_equal(wd_scene_info_of(last->scene)->app_package, "settings");
    assert_int_equal(last->action.kind, WD_ACTION_BACK);
    wd_value_unref(&script);
    wd_world_model_destroy(&model);
}

static void variables_outlive_the_history(void **state)
{
    (void)state;
    wd_world_options options = wd_world_options_default();
    options.history_count_max = 1;
    wd_world_model *model = NULL;
    assert_int_equal(wd_world_model_new(&options, &model, NULL), WD_OK);
    wd_value *script = json_of(long_script);
    wd_iter entry = wd_iter_start(script);
    while (wd_iter_next(&entry)) {
        wd_observe_report report = { 0 };
        assert_int_equal(feed(model, entry.value, &report), WD_OK);
        wd_observe_report_done(&report);
    }
    assert_int_equal(wd_history_count(wd_world_model_state(model)->history), 1);
    assert_json(wd_world_model_state(model)->variables, "{\"b\":[1,2]}");  // remembered three steps before
    wd_value_unref(&script);
    wd_world_model_destroy(&model);
}

static void off_means_no_world(void **state)
{
    (void)state;
    wd_world_options options = wd_world_options_default();
    options.enabled = false;
    wd_world_model *model = NULL;
    assert_int_equal(wd_world_model_new(&options, &model, NULL), WD_OK);
    wd_value *script = json_of(long_script);
    wd_iter entry = wd_iter_start(script);
    while (wd_iter_next(&entry)) {
        wd_observe_report report = { 0 };
        assert_int_equal(feed(model, entry.value, &report), WD_OK);
        assert_null(report.remembered);
        wd_observe_report_done(&report);
    }
    assert_null(wd_world_model_state(model));
    wd_value_unref(&script);
    wd_world_model_destroy(&model);
}

static const struct option_case {
    const char *name;
    wd_world_options options;
    wd_status status;
} option_cases[] = {
    { "history of 0", { true, 0, 256, 65536, "launcher" }, WD_OK },
    { "history at its limit", { true, WD_HISTORY_COUNT_MAX, 256, 65536, "launcher" }, WD_OK },
    { "history one past its limit", { true, WD_HISTORY_COUNT_MAX + 1, 256, 65536, "launcher" }, WD_EINVAL },
    { "names at their limit", { true, 10, WD_VARIABLES_COUNT_LIMIT, 65536, "launcher" }, WD_OK },
    { "names one past their limit", { true, 10, WD_VARIABLES_COUNT_LIMIT + 1, 65536, "launcher" },
        WD_EINVAL },
    { "bytes at their limit", { true, 10, 256, WD_VARIABLES_BYTES_LIMIT, "launcher" }, WD_OK },
    { "bytes one past their limit", { true, 10, 256, WD_VARIABLES_BYTES_LIMIT + 1, "launcher" }, WD_EINVAL },
    { "no launcher known", { true, 10, 256, 65536, NULL }, WD_OK },
};

static void options_are_checked(void **state)
{
    const struct option_case *row = *state;
    wd_world_model *model = NULL;
    wd_error error = { 0 };
    assert_int_equal(wd_world_model_new(&row->options, &model, &error), row->status);
    assert_true((model != NULL) == (row->status == WD_OK));
    assert_true((error.text[0] != '\0') == (row->status != WD_OK));
    wd_world_model_destroy(&model);
}

static const struct bound_case {
    const char *name;
    size_t names_max, bytes_max;
    int names;  // remembered in one step, "v000": 1
    bool taken;
} bound_cases[] = {
    { "names at the bound are taken", 4, 65536, 4, true },
    { "one name past the bound is refused whole", 4, 65536, 5, false },
    { "bytes at the bound are taken", 256, 46, 5, true },  // {"v000":1,...}: 8 a member, 4 commas, braces
    { "one byte past the bound is refused whole", 256, 45, 5, false },
    { "256 names by default", WD_VARIABLES_COUNT_MAX, WD_VARIABLES_BYTES_MAX, 256, true },
    { "257 names are too many by default", WD_VARIABLES_COUNT_MAX, WD_VARIABLES_BYTES_MAX, 257, false },
};

static void bounds_hold(void **state)
{
    const struct bound_case *row = *state;
    wd_world_options options = wd_world_options_default();
    options.variables_count_max = row->names_max;
    options.variables_bytes_max = row->bytes_max;
    wd_world_model *model = NULL;
    assert_int_equal(wd_world_model_new(&options, &model, NULL), WD_OK);
    wd_value *remember = wd_value_object(), *args = NULL;
    for (int i = 0; i < row->names; i++) {
        char name[16];
        snprintf(name, sizeof name, "v%03d", i);
        wd_value *one = NULL;
        assert_int_equal(wd_value_int(1, &one), WD_OK);
        assert_int_equal(wd_object_set(&remember, name, &one), WD_OK);
    }
    assert_int_equal(wd_value_pack(&args, "{s:V}", "remember", remember), WD_OK);
    wd_step step = { .args = args };
    wd_action_init(&step.action, WD_ACTION_BACK);
    wd_result result = wd_result_ok();
    wd_observe_report report;
    assert_int_equal(wd_world_model_begin(model, NULL, NULL), WD_OK);
    assert_int_equal(wd_world_model_observe(model, NULL, NULL, &step, &result, &report), WD_OK);
    const wd_world_state *world = wd_world_model_state(model);
    assert_int_equal(wd_object_count(world->variables), row->taken ? row->names : 0);
    assert_true((report.refused[0] == '\0') == row->taken);
    assert_true((report.remembered != NULL) == row->taken);
    wd_observe_report_done(&report);
    wd_step_done(&step);
    wd_world_model_destroy(&model);
}

static void a_fork_goes_its_own_way(void **state)
{
    (void)state;
    wd_world_options options = wd_world_options_default();
    wd_world_model *model = NULL, *fork = NULL;
    assert_int_equal(wd_world_model_new(&options, &model, NULL), WD_OK);
    wd_value *script = json_of(long_script), *before = NULL, *same = NULL, *after = NULL;
    wd_iter entry = wd_iter_start(script);
    wd_observe_report report = { 0 };
    while (wd_iter_next(&entry)) {
        assert_int_equal(feed(model, entry.value, &report), WD_OK);
        wd_observe_report_done(&report);
    }
    assert_int_equal(wd_world_model_fork(model, &fork), WD_OK);
    assert_int_equal(wd_world_state_to_value(wd_world_model_state(model), true, &before), WD_OK);
    assert_int_equal(wd_world_state_to_value(wd_world_model_state(fork), true, &same), WD_OK);
    assert_true(wd_value_equal(before, same));
    wd_value *more = json_of("{\"do\":\"home\",\"args\":{\"remember\":{\"z\":1}},\"scene\":" L "}");
    assert_int_equal(feed(fork, more, &report), WD_OK);
    wd_observe_report_done(&report);
    assert_int_equal(wd_world_state_to_value(wd_world_model_state(model), true, &after), WD_OK);
    assert_true(wd_value_equal(before, after));
    wd_world_model_destroy(&model);
    assert_string_equal(wd_world_model_state(fork)->current_app, "launcher");
    wd_world_model_destroy(&fork);
    wd_value_unref(&script);
    wd_value_unref(&before);
    wd_value_unref(&same);
    wd_value_unref(&after);
    wd_value_unref(&more);
}

/// Every allocation of observe fails once: a clean error, and the model as it was.
static void a_failed_allocation_changes_nothing(void **state)
{
    (void)state;
    wd_world_options options = wd_world_options_default();
    wd_world_model *model = NULL;
    assert_int_equal(wd_world_model_new(&options, &model, NULL), WD_OK);
    wd_scene *scene = NULL;
    wd_value *screen = json_of(WIFI), *before = NULL,
             *args = json_of(REMEMBER("{\"a\":[1,2],\"b\":\"text\"}"));
    scene = scene_of(screen);
    assert_int_equal(wd_world_model_begin(model, scene, NULL), WD_OK);
    assert_int_equal(wd_world_state_to_value(wd_world_model_state(model), true, &before), WD_OK);
    wd_step step = { .args = args };
    wd_action_init(&step.action, WD_ACTION_LAUNCH_APP);
    assert_int_equal(wd_action_set_text(&step.action.app, "notes", 5), WD_OK);
    wd_result result = wd_result_ok();
    wd_observe_report report;
    wd_status status = WD_ENOMEM;
    for (long calls = 0; status == WD_ENOMEM; calls++) {
        assert_in_range(calls, 0, 200);
        wd_alloc_fail_after(calls);
        status = wd_world_model_observe(model, scene, NULL, &step, &result, &report);
        wd_alloc_fail_after(-1);
        if (status == WD_ENOMEM) {
            wd_value *after = NULL;
            assert_int_equal(wd_world_state_to_value(wd_world_model_state(model), true, &after), WD_OK);
            assert_true(wd_value_equal(before, after));
            wd_value_unref(&after);
        }
    }
    assert_int_equal(status, WD_OK);
    assert_int_equal(wd_world_model_state(model)->step_index, 1);
    wd_observe_report_done(&report);
    wd_step_done(&step);
    wd_scene_unref(&scene);
    wd_value_unref(&screen);
    wd_value_unref(&before);
    wd_world_model_destroy(&model);
}

#define ROWS(cases, function)                                                                                \
    for (size_t i = 0; i < WD_COUNT_OF(cases); i++) {                                                        \
        tests[count++] = (struct CMUnitTest){ .name = (cases)[i].name,                                       \
            .test_func = (function),                                                                         \
            .initial_state = (void *)(uintptr_t) & (cases)[i] };                                             \
    }

int main(void)
{
    struct CMUnitTest tests[128] = {
        cmocka_unit_test(history_is_what_was_acted_in),
        cmocka_unit_test(variables_outlive_the_history),
        cmocka_unit_test(off_means_no_world),
        cmocka_unit_test(a_fork_goes_its_own_way),
        cmocka_unit_test(a_failed_allocation_changes_nothing),
    };
    size_t count = 4;
    ROWS(world_cases, world_is_derived);
    ROWS(option_cases, options_are_checked);
    ROWS(bound_cases, bounds_hold);
    return _cmocka_run_group_tests("world_model", tests, count, NULL, NULL);
}
