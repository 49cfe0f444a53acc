// A semantic scene: everything is copied; JSON and back.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "scene/semantic_scene.h"
#include "tree/alloc.h"
#include "tree/json.h"

static const char semantic_json[] =
    "{\"page\":{\"app\":\"com.shop\",\"app_source\":\"tree\",\"id\":\"Basket\",\"title\":\"Basket\","
    "\"source\":\"title_id\",\"background_app\":\"com.bank\",\"confidence\":0.9,\"kind\":\"sheet\","
    "\"params\":{\"n\":1},\"key\":\"0000000000000001000000000000000f\"},"
    "\"intents\":[{\"text\":\"pay\",\"node\":4},{\"text\":\"leave\"}],"
    "\"widgets\":[{\"node\":4,\"purpose\":\"submit\",\"label\":\"Pay\"},{\"node\":5,\"purpose\":\"back\"}],"
    "\"enricher\":\"rules\"}";

static wd_value *parse(const char *text)
{
    wd_value *value = NULL;
    assert_int_equal(wd_json_parse(text, strlen(text), &value, NULL), WD_OK);
    return value;
}

static void content_is_copied(void **state)
{
    (void)state;
    char text[] = "pay", purpose[] = "submit", app[] = "com.shop";
    wd_scene_intent intent = { text, 1 };
    wd_widget widget = { 2, purpose, NULL };
    wd_semantic_init init = { .page = { .app = app, .confidence = 0.5 },
        .intents = &intent,
        .intent_count = 1,
        .widgets = &widget,
        .widget_count = 1,
        .enricher = "rules" };
    wd_semantic *semantic = NULL;
    assert_int_equal(wd_semantic_new(&init, &semantic), WD_OK);
    text[0] = purpose[0] = app[0] = 'x';
    const wd_semantic_init *content = wd_semantic_get(semantic);
    assert_string_equal(content->page.app, "com.shop");
    assert_null(content->page.title);
    assert_string_equal(content->intents[0].text, "pay");
    assert_int_equal(content->widgets[0].node, 2);
    assert_string_equal(content->widgets[0].purpose, "submit");
    assert_null(content->widgets[0].label);
    wd_semantic *shared = wd_semantic_ref(semantic);
    wd_semantic_unref(&semantic);
    assert_string_equal(wd_semantic_get(shared)->enricher, "rules");
    wd_semantic_unref(&shared);
    assert_null(wd_semantic_ref(NULL));
}

static void counts_are_bounded(void **state)
{
    (void)state;
    wd_scene_intent intents[WD_SCENE_INTENTS_MAX + 1];
    for (size_t i = 0; i < WD_COUNT_OF(intents); i++) {
        intents[i] = (wd_scene_intent){ "x", -1 };
    }
    wd_semantic_init init = { .intents = intents, .intent_count = WD_SCENE_INTENTS_MAX };
    wd_semantic *semantic = NULL;
    assert_int_equal(wd_semantic_new(&init, &semantic), WD_OK);
    wd_semantic_unref(&semantic);
    init.intent_count += 1;
    assert_int_equal(wd_semantic_new(&init, &semantic), WD_ELIMIT);
    init.intent_count = 0;
    init.widget_count = WD_SCENE_NODES_MAX + 1;
    assert_int_equal(wd_semantic_new(&init, &semantic), WD_ELIMIT);
    assert_null(semantic);
}

static void json_reads_back(void **state)
{
    (void)state;
    wd_value *value = parse(semantic_json), *again = NULL;
    wd_semantic *semantic = NULL;
    wd_error error;
    assert_int_equal(wd_semantic_from_value(value, &semantic, &error), WD_OK);
    assert_int_equal(wd_semantic_get(semantic)->page.kind, WD_PAGE_SHEET);
    assert_int_equal(wd_semantic_get(semantic)->page.key.low, 15);
    assert_int_equal(wd_semantic_get(semantic)->intents[1].node, -1);
    assert_int_equal(wd_semantic_to_value(semantic, &again), WD_OK);
    wd_buffer text = { 0 };
    assert_int_equal(wd_json_write(again, WD_JSON_COMPACT, &text), WD_OK);
    assert_string_equal(text.bytes, semantic_json);
    wd_buffer_done(&text);
    wd_value_unref(&value);
    wd_value_unref(&again);
    wd_semantic_unref(&semantic);
}

static const struct refused_case {
    const char *name, *json, *error;
} refused_cases[] = {
    { "a semantic scene that is no object is refused", "1", "semantic scene: object expected" },
    { "a page that is no object is refused", "{\"page\":\"x\"}", "page: object expected, string given" },
    { "a page id that is no string is refused", "{\"page\":{\"id\":1}}",
        "page: id: string expected, int given" },
    { "a key that is no digest is refused", "{\"page\":{\"key\":\"x\"}}",
        "page: key: 32 lower-case hex digits expected" },
    { "a widget without node is refused", "{\"widgets\":[{\"purpose\":\"x\"}]}",
        "widgets[0]: node: a node's id is missing" },
    { "a widget without purpose is refused", "{\"widgets\":[{\"node\":1}]}",
        "widgets[0]: purpose: a string is missing" },
    { "an intent that is no object is refused", "{\"intents\":[\"x\"]}",
        "intents[0]: text: a string is missing" },
};

static void semantic_is_refused(void **state)
{
    const struct refused_case *row = *state;
    wd_value *value = parse(row->json);
    wd_semantic *semantic = NULL;
    wd_error error = { 0 };
    assert_int_equal(wd_semantic_from_value(value, &semantic, &error), WD_EINVAL);
    assert_null(semantic);
    assert_string_equal(error.text, row->error);
    wd_value_unref(&value);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    wd_value *value = parse(semantic_json);
    uint64_t before = wd_alloc_stats_get().bytes_live;
    wd_semantic *semantic = NULL;
    for (long calls = 0; semantic == NULL; calls++) {
        assert_in_range(calls, 0, 100);
        wd_alloc_fail_after(calls);
        wd_status status = wd_semantic_from_value(value, &semantic, NULL);
        wd_alloc_fail_after(-1);
        assert_int_equal(status, semantic == NULL ? WD_ENOMEM : WD_OK);
        assert_true(semantic != NULL || wd_alloc_stats_get().bytes_live == before);
    }
    wd_semantic_unref(&semantic);
    assert_int_equal(wd_alloc_stats_get().bytes_live, before);
    wd_value_unref(&value);
}

int main(void)
{
    struct CMUnitTest tests[4 + WD_COUNT_OF(refused_cases)] = {
        cmocka_unit_test(content_is_copied),
        cmocka_unit_test(counts_are_bounded),
        cmocka_unit_test(json_reads_back),
        cmocka_unit_test(every_allocation_may_fail),
    };
    for (size_t i = 0; i < WD_COUNT_OF(refused_cases); i++) {
        void *row = (void *)(uintptr_t)&refused_cases[i];
        tests[4 + i] = (struct CMUnitTest){ refused_cases[i].name, semantic_is_refused, NULL, NULL, row };
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
