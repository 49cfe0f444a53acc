// What a planner is told, read back with protobuf-c.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "proto/worldd.pb-c.h"
#include "runtime/codec.h"
#include "tree/alloc.h"
#include "tree/json.h"

/// A run in its second step, with everything there is to tell.
typedef struct request_fixture {
    wd_scene *scene;
    wd_semantic *semantic;
    wd_world_model *model;
    wd_value *params, *apps, *args;
    wd_observe_report report;
} request_fixture;

static wd_value *parse(const char *json)
{
    wd_value *value = NULL;
    assert_int_equal(wd_json_parse(json, strlen(json), &value, NULL), WD_OK);
    return value;
}

static wd_scene *make_scene(void)
{
    wd_scene_builder *builder = NULL;
    assert_int_equal(wd_scene_builder_new(&builder), WD_OK);
    wd_node nodes[] = {
        { .parent = -1, .window = 0, .class_name = "FrameLayout", .rect = { 0, 0, 1080, 2400 } },
        { .parent = 0,
            .window = 0,
            .package = "settings",
            .resource_id = "settings:id/bluetooth",
            .text = "Bluetooth",
            .desc = "d",
            .hint = "h",
            .role = "switch",
            .purpose = "toggle",
            .rect = { 0, -10, 1080, 300 } },
        { .parent = 0, .window = -1, .text = "12:00", .rect_state = WD_RECT_UNKNOWN, .system_ui = true },
    };
    wd_node_set(&nodes[1], WD_NODE_CLICKABLE, WD_YES);
    wd_node_set(&nodes[1], WD_NODE_CHECKED, WD_NO);
    for (size_t i = 0; i < WD_COUNT_OF(nodes); i++) {
        assert_int_equal(wd_scene_builder_node(builder, &nodes[i], NULL), WD_OK);
    }
    wd_window window = { .package = "settings", .type = WD_WINDOW_APPLICATION };
    assert_int_equal(wd_scene_builder_window(builder, &window), WD_OK);
    assert_int_equal(wd_scene_builder_intent(builder, &(wd_scene_intent){ "toggle Bluetooth", 1 }), WD_OK);
    assert_int_equal(wd_scene_builder_warning(builder, "a warning"), WD_OK);
    wd_scene_info info = { .source_format = "device",
        .width = 1080,
        .height = 2400,
        .app_package = "settings",
        .activity = "Bluetooth",
        .route = "/bluetooth",
        .page = "bluetooth",
        .page_kind = WD_PAGE_APP };
    info.page_params = parse("{\"id\":7}");
    wd_scene *scene = NULL;
    assert_int_equal(wd_scene_builder_finish(builder, &info, &scene), WD_OK);
    wd_value_unref(&info.page_params);
    wd_scene_builder_destroy(&builder);
    return scene;
}

static wd_semantic *make_semantic(void)
{
    wd_scene_intent intent = { "toggle Bluetooth", 1 };
    wd_widget widget = { .node = 1, .purpose = "toggle", .label = "Bluetooth" };
    wd_semantic_init init = { .page = { .app = "settings",
                                  .id = "bluetooth",
                                  .title = "Bluetooth",
                                  .source = "device",
                                  .confidence = 0.5,
                                  .kind = WD_PAGE_APP,
                                  .key = { 1, 2 } },
        .intents = &intent,
        .intent_count = 1,
        .widgets = &widget,
        .widget_count = 1,
        .enricher = "device" };
    wd_semantic *semantic = NULL;
    assert_int_equal(wd_semantic_new(&init, &semantic), WD_OK);
    return semantic;
}

static int setup(void **state)
{
    static request_fixture fixture;
    memset(&fixture, 0, sizeof fixture);
    fixture.scene = make_scene();
    fixture.semantic = make_semantic();
    fixture.params = parse("{\"contact\":\"Li Wei\"}");
    fixture.apps = parse("[\"settings\",\"messages\"]");
    fixture.args = parse("{\"node\":1,\"remember\":{\"bluetooth\":true,\"gone\":null}}");
    wd_world_options options = wd_world_options_default();
    assert_int_equal(wd_world_model_new(&options, &fixture.model, NULL), WD_OK);
    assert_int_equal(wd_world_model_begin(fixture.model, fixture.scene, fixture.semantic), WD_OK);
    wd_step step = { .args = fixture.args };
    wd_result result = wd_result_ok();
    wd_action_init(&step.action, WD_ACTION_TAP);
    assert_int_equal(wd_world_model_observe(
                         fixture.model, fixture.scene, fixture.semantic, &step, &result, &fixture.report),
        WD_OK);
    *state = &fixture;
    return 0;
}

static int teardown(void **state)
{
    request_fixture *fixture = *state;
    wd_scene_unref(&fixture->scene);
    wd_semantic_unref(&fixture->semantic);
    wd_world_model_destroy(&fixture->model);
    wd_value_unref(&fixture->params);
    wd_value_unref(&fixture->apps);
    wd_value_unref(&fixture->args);
    wd_observe_report_done(&fixture->report);
    return 0;
}

static Worldd__V1__PlanRequest *pack_and_read(const wd_plan_request *request)
{
    uint8_t *body = NULL;
    size_t length = 0;
    assert_int_equal(wd_codec_pack_plan_request(request, &body, &length), WD_OK);
    Worldd__V1__PlanRequest *message = worldd__v1__plan_request__unpack(NULL, length, body);
    assert_non_null(message);
    // protobuf-c, which knows the schema, packs it to the very same bytes: no field number, type or order is wrong.
    uint8_t *again = malloc(length);
    assert_int_equal(worldd__v1__plan_request__get_packed_size(message), length);
    worldd__v1__plan_request__pack(message, again);
    assert_memory_equal(again, body, length);
    free(again);
    wd_free(body, length);
    return message;
}

static void assert_bytes(const ProtobufCBinaryData *data, const char *text)
{
    assert_int_equal(data->len, strlen(text));
    assert_memory_equal(data->data, text, data->len);
}

static wd_plan_request full_request(
    const request_fixture *fixture, const wd_plan_result *results, size_t count)
{
    return (wd_plan_request){ .run_id = "run-1",
        .task_id = "settings.bluetooth_off",
        .instruction = "Turn Bluetooth off",
        .params = fixture->params,
        .apps = fixture->apps,
        .step_index = 1,
        .steps_left = 19,
        .scene = fixture->scene,
        .semantic = fixture->semantic,
        .world = wd_world_model_state(fixture->model),
        .results = results,
        .result_count = count,
        .user_reply = "yes" };
}

static void scene_and_task_are_told(void **state)
{
    const request_fixture *fixture = *state;
    wd_plan_request request = full_request(fixture, NULL, 0);
    Worldd__V1__PlanRequest *message = pack_and_read(&request);
    assert_string_equal(message->run_id, "run-1");
    assert_string_equal(message->task->id, "settings.bluetooth_off");
    assert_string_equal(message->task->instruction, "Turn Bluetooth off");
    assert_bytes(&message->task->params_json, "{\"contact\":\"Li Wei\"}");
    assert_int_equal(message->task->n_apps, 2);
    assert_string_equal(message->task->apps[1], "messages");
    assert_int_equal(message->step_index, 1);
    assert_int_equal(message->steps_left, 19);
    assert_string_equal(message->user_reply, "yes");

    const Worldd__V1__Scene *scene = message->scene;
    wd_digest digest = wd_scene_digest(fixture->scene);
    char hex[WD_DIGEST_TEXT_SIZE], told[WD_DIGEST_TEXT_SIZE];
    wd_digest_text(digest, hex);
    assert_int_equal(scene->digest.len, 16);
    for (int i = 0; i < 16; i++) {
        snprintf(told + 2 * i, 3, "%02x", scene->digest.data[i]);
    }
    assert_string_equal(told, hex);  // the bytes read as the text does
    assert_string_equal(scene->source_format, "device");
    assert_int_equal(scene->width, 1080);
    assert_int_equal(scene->height, 2400);
    assert_string_equal(scene->app_package, "settings");
    assert_string_equal(scene->route, "/bluetooth");
    assert_string_equal(scene->page_kind, "app");
    assert_string_equal(scene->parse_status, "ok");
    assert_bytes(&scene->page_params_json, "{\"id\":7}");
    assert_int_equal(scene->n_intents, 1);
    assert_string_equal(scene->intents[0]->text, "toggle Bluetooth");
    assert_int_equal(scene->n_warnings, 1);
    assert_string_equal(scene->warnings[0], "a warning");
    assert_int_equal(scene->n_nodes, 3);
    const Worldd__V1__Node *node = scene->nodes[1];
    assert_int_equal(node->id, 1);
    assert_int_equal(node->parent, 0);
    assert_string_equal(node->resource_id, "settings:id/bluetooth");
    assert_string_equal(node->text, "Bluetooth");
    assert_string_equal(node->role, "switch");
    assert_string_equal(node->purpose, "toggle");
    assert_int_equal(node->rect->top, -10);
    assert_int_equal(node->rect->bottom, 300);
    assert_int_equal(node->flags_yes, 1 << WD_NODE_CLICKABLE);
    assert_int_equal(node->flags_known, 1 << WD_NODE_CLICKABLE | 1 << WD_NODE_CHECKED);
    assert_null(scene->nodes[2]->rect);  // bounds are not known
    assert_true(scene->nodes[2]->system_ui);
    assert_int_equal(scene->nodes[0]->parent, -1);
    worldd__v1__plan_request__free_unpacked(message, NULL);
}

static void semantic_and_world_are_told(void **state)
{
    const request_fixture *fixture = *state;
    wd_plan_request request = full_request(fixture, NULL, 0);
    Worldd__V1__PlanRequest *message = pack_and_read(&request);
    const Worldd__V1__SemanticScene *semantic = message->semantic;
    assert_string_equal(semantic->app, "settings");
    assert_string_equal(semantic->page_id, "bluetooth");
    assert_string_equal(semantic->title, "Bluetooth");
    assert_true(semantic->confidence == 0.5);
    assert_int_equal(semantic->page_key.len, 16);
    assert_int_equal(semantic->page_key.data[7], 1);
    assert_int_equal(semantic->page_key.data[15], 2);
    assert_int_equal(semantic->params_json.len, 0);
    assert_int_equal(semantic->n_widgets, 1);
    assert_string_equal(semantic->widgets[0]->label, "Bluetooth");
    assert_int_equal(semantic->n_intents, 1);
    assert_string_equal(semantic->enricher, "device");

    const Worldd__V1__WorldState *world = message->world;
    assert_string_equal(world->current_app, "settings");
    assert_string_equal(world->current_app_source, "semantic");
    assert_string_equal(world->current_page, "bluetooth");
    assert_false(world->stale);
    assert_bytes(&world->variables_json, "{\"bluetooth\":true}");
    assert_int_equal(world->step_index, 1);
    assert_int_equal(world->repeat_count, 2);
    assert_true(world->last_change[0] != '\0');
    assert_true(world->signals_json.len > 2);
    assert_int_equal(world->n_history, 1);
    assert_string_equal(world->history[0]->action, "tap");
    assert_string_equal(world->history[0]->outcome, "ok");
    assert_string_equal(world->history[0]->app, "settings");
    assert_int_equal(world->history[0]->scene_digest.len, 16);
    assert_bytes(
        &world->history[0]->args_json, "{\"node\":1,\"remember\":{\"bluetooth\":true,\"gone\":null}}");
    worldd__v1__plan_request__free_unpacked(message, NULL);
}

static void what_is_off_is_absent(void **state)
{
    (void)state;
    wd_plan_request request = { .run_id = "run-1", .task_id = "t", .instruction = "" };
    Worldd__V1__PlanRequest *message = pack_and_read(&request);
    assert_null(message->scene);
    assert_null(message->semantic);
    assert_null(message->world);
    assert_int_equal(message->n_results, 0);
    assert_int_equal(message->task->params_json.len, 0);
    assert_string_equal(message->user_reply, "");
    assert_int_equal(message->request_id, 0);  // the broker's to say
    worldd__v1__plan_request__free_unpacked(message, NULL);
}

static void the_last_results_are_told(void **state)
{
    const request_fixture *fixture = *state;
    static wd_plan_result results[WD_PLAN_RESULTS_MAX + 2];
    for (size_t i = 0; i < WD_COUNT_OF(results); i++) {
        results[i] =
            (wd_plan_result){ .step_index = (uint32_t)i, .kind = WD_ACTION_TAP, .result = wd_result_ok() };
    }
    wd_plan_result *last = &results[WD_COUNT_OF(results) - 1];
    last->args = fixture->args;
    last->report = &fixture->report;
    results[WD_COUNT_OF(results) - 2].result =
        wd_result_make(WD_OUTCOME_REFUSED, WD_EGONE, "target_gone", "node %d is gone", 7);
    wd_plan_request request = full_request(fixture, results, WD_COUNT_OF(results));
    Worldd__V1__PlanRequest *message = pack_and_read(&request);
    assert_int_equal(message->n_results, WD_PLAN_RESULTS_MAX);
    assert_int_equal(message->results[0]->step_index, 2);
    const Worldd__V1__StepResult *refused = message->results[WD_PLAN_RESULTS_MAX - 2];
    assert_string_equal(refused->outcome, "refused");
    assert_string_equal(refused->code, "target_gone");
    assert_string_equal(refused->text, "node 7 is gone");
    assert_null(refused->report);
    const Worldd__V1__StepResult *told = message->results[WD_PLAN_RESULTS_MAX - 1];
    assert_string_equal(told->action, "tap");
    assert_string_equal(told->outcome, "ok");
    assert_int_equal(told->report->n_remembered, 1);
    assert_string_equal(told->report->remembered[0], "bluetooth");
    assert_string_equal(told->report->refused, "");
    worldd__v1__plan_request__free_unpacked(message, NULL);
}

static void out_of_memory_leaks_nothing(void **state)
{
    const request_fixture *fixture = *state;
    static wd_plan_result results[WD_PLAN_RESULTS_MAX];
    for (size_t i = 0; i < WD_COUNT_OF(results); i++) {
        results[i] = (wd_plan_result){
            .kind = WD_ACTION_TAP, .args = fixture->args, .result = wd_result_ok(), .report = &fixture->report
        };
    }
    wd_plan_request request = full_request(fixture, results, WD_COUNT_OF(results));
    uint64_t live = wd_alloc_stats_get().bytes_live;
    uint8_t *body = NULL;
    size_t length = 0;
    for (long calls = 0; body == NULL; calls++) {
        assert_in_range(calls, 0, 500);
        wd_alloc_fail_after(calls);
        wd_status status = wd_codec_pack_plan_request(&request, &body, &length);
        wd_alloc_fail_after(-1);
        assert_int_equal(status, body == NULL ? WD_ENOMEM : WD_OK);
        assert_true(body != NULL || wd_alloc_stats_get().bytes_live == live);
    }
    wd_free(body, length);
    assert_true(wd_alloc_stats_get().bytes_live == live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scene_and_task_are_told),
        cmocka_unit_test(semantic_and_world_are_told),
        cmocka_unit_test(what_is_off_is_absent),
        cmocka_unit_test(the_last_results_are_told),
        cmocka_unit_test(out_of_memory_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
