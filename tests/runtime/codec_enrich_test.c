// What an enricher is told, what it may answer, and how a wrong answer is named.
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

#include "wire_fixture.h"

enum { NODES = 3 };

static wire_body body, semantic, part;
static const wd_enrich_ground ground = { .node_count = NODES, .page_key = { 1, 2 } };

// ---- parts of a semantic scene; each row sets what it is about ---------------------------------------------------

static void put_double(uint32_t field, double number)
{
    wire_number(&semantic, (uint64_t)field << 3 | 1);
    wire_raw(&semantic, &number, sizeof number);
}

static void put_intent(const char *text, int32_t node)
{
    part.length = 0;
    wire_text(&part, 1, text);
    wire_varint(&part, 2, node < 0 ? 2 * (uint64_t) - (int64_t)node - 1 : 2 * (uint64_t)node);
    wire_bytes(&semantic, 10, part.bytes, part.length);
}

static void put_widget(int32_t node, const char *purpose, const char *label)
{
    part.length = 0;
    wire_varint(&part, 1, (uint64_t)(int64_t)node);
    wire_text(&part, 2, purpose);
    wire_text(&part, 3, label);
    wire_bytes(&semantic, 11, part.bytes, part.length);
}

static void put_long(uint32_t field, size_t length)
{
    static char text[WD_ENRICH_TEXT_MAX + 2];
    memset(text, 'x', length);
    text[length] = '\0';
    wire_text(&semantic, field, text);
}

static void nothing(void)
{
}
static void title_at_the_edge(void)
{
    put_long(3, WD_ENRICH_TEXT_MAX);
}
static void title_over(void)
{
    put_long(3, WD_ENRICH_TEXT_MAX + 1);
}
static void title_bad_utf8(void)
{
    wire_text(&semantic, 3, "\xff");
}
static void confidence_above_one(void)
{
    put_double(5, 1.0000001);
}
static void confidence_below_zero(void)
{
    put_double(5, -0.1);
}
static void confidence_nan(void)
{
    put_double(5, 0.0 / 0.0);
}
static void kind_unknown(void)
{
    wire_text(&semantic, 6, "cave");
}
static void params_broken(void)
{
    wire_text(&semantic, 8, "{\"a\"");
}
static void params_no_object(void)
{
    wire_text(&semantic, 8, "[1]");
}
static void key_short(void)
{
    wire_bytes(&semantic, 9, "0123456789abcde", 15);
}
static void intents_at_the_edge(void)
{
    for (int i = 0; i < WD_SCENE_INTENTS_MAX; i++) {
        put_intent("go", -1);
    }
}
static void intents_over(void)
{
    intents_at_the_edge();
    put_intent("go", -1);
}
static void intent_without_text(void)
{
    put_intent(NULL, 0);
}
static void intent_beyond_the_scene(void)
{
    put_intent("go", 0);
    put_intent("go", NODES);
}
static void intent_below_none(void)
{
    put_intent("go", -2);
}
static void widgets_at_the_edge(void)
{
    for (int i = 0; i < NODES; i++) {
        put_widget(i, "item", NULL);
    }
}
static void widgets_over(void)
{
    widgets_at_the_edge();
    put_widget(0, "item", NULL);
}
static void widget_beyond_the_scene(void)
{
    put_widget(NODES, "item", NULL);
}
static void widget_of_no_node(void)
{
    put_widget(-1, "item", NULL);
}
static void widget_without_purpose(void)
{
    put_widget(0, NULL, "Send");
}
static void widget_bad_utf8(void)
{
    put_widget(0, "item", NULL);
    put_widget(1, "item", "\xc0\x80");
}

static const struct meaning_case {
    const char *name;
    void (*build)(void);
    wd_status status;
    const char *error;
} meaning_cases[] = {
    { "nothing is known", nothing, WD_OK, "" },
    { "a title as long as may be", title_at_the_edge, WD_OK, "" },
    { "a title one byte too long", title_over, WD_ELIMIT, "semantic.title: has 4097 bytes, at most 4096" },
    { "a title that is no UTF-8", title_bad_utf8, WD_EUTF8, "semantic.title: is no UTF-8" },
    { "more than sure", confidence_above_one, WD_EINVAL, "semantic.confidence: must be from 0 to 1" },
    { "less than unsure", confidence_below_zero, WD_EINVAL, "semantic.confidence: must be from 0 to 1" },
    { "a confidence that is no number", confidence_nan, WD_EINVAL,
        "semantic.confidence: must be from 0 to 1" },
    { "an unknown kind of page", kind_unknown, WD_EINVAL, "semantic.page_kind: \"cave\" is no kind of page" },
    { "broken parameters", params_broken, WD_EPARSE, "semantic.params_json: line 1, column 5" },
    { "parameters that are no object", params_no_object, WD_ETYPE,
        "semantic.params_json: must be an object, is array" },
    { "a page key of 15 bytes", key_short, WD_EINVAL, "semantic.page_key: has 15 bytes, must have 16" },
    { "as many intents as may be", intents_at_the_edge, WD_OK, "" },
    { "an intent too many", intents_over, WD_ELIMIT, "semantic.intents: 65 given, at most 64" },
    { "an intent without a text", intent_without_text, WD_EINVAL, "semantic.intents[0].text: missing" },
    { "an intent at a node that is not there", intent_beyond_the_scene, WD_EINVAL,
        "semantic.intents[1].node: 3 is none of the scene's 3" },
    { "an intent below none", intent_below_none, WD_EINVAL,
        "semantic.intents[0].node: -2 is none of the scene's 3" },
    { "a widget for each node", widgets_at_the_edge, WD_OK, "" },
    { "a widget too many", widgets_over, WD_ELIMIT, "semantic.widgets: 4 given, the scene has 3 nodes" },
    { "a widget at a node that is not there", widget_beyond_the_scene, WD_EINVAL,
        "semantic.widgets[0].node: 3 is none of the scene's 3" },
    { "a widget at no node", widget_of_no_node, WD_EINVAL,
        "semantic.widgets[0].node: -1 is none of the scene's 3" },
    { "a widget for nothing", widget_without_purpose, WD_EINVAL, "semantic.widgets[0].purpose: missing" },
    { "a label that is no UTF-8", widget_bad_utf8, WD_EUTF8, "semantic.widgets[1].label: is no UTF-8" },
};

static wd_status read_body(wd_semantic **ret_semantic, wd_error *error)
{
    return wd_codec_unpack_enrich_reply(body.bytes, body.length, &ground, "reader", ret_semantic, error);
}

static void meaning_is_judged(void **state)
{
    const struct meaning_case *row = *state;
    body.length = semantic.length = 0;
    row->build();
    wire_varint(&body, 1, 17);
    wire_bytes(&body, 2, semantic.bytes, semantic.length);
    wd_semantic *meaning = NULL;
    wd_error error = { WD_OK, "" };
    wd_status status = read_body(&meaning, &error);
    if (strncmp(error.text, row->error, strlen(row->error)) != 0) {
        fail_msg("said \"%s\", expected \"%s\"", error.text, row->error);
    }
    assert_int_equal(status, row->status);
    assert_true((status == WD_OK) == (meaning != NULL));
    wd_semantic_unref(&meaning);
}

static void put_everything(void)
{
    body.length = semantic.length = 0;
    wire_text(&semantic, 1, "messages");
    wire_text(&semantic, 2, "conversation");
    wire_text(&semantic, 3, "\xe5\xa6\x88");
    wire_text(&semantic, 4, "a model");
    put_double(5, 0.75);
    wire_text(&semantic, 6, "dialog");
    wire_text(&semantic, 7, "launcher");
    wire_text(&semantic, 8, "{\"id\":7}");
    wire_bytes(&semantic, 9, "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f", 16);
    put_intent("send it", 2);
    put_widget(2, "submit", "Send");
    wire_text(&semantic, 12, "somebody else");
    wire_varint(&body, 1, 17);
    wire_bytes(&body, 2, semantic.bytes, semantic.length);
}

static void everything_that_is_meant(void **state)
{
    (void)state;
    put_everything();
    wd_semantic *meaning = NULL;
    assert_int_equal(read_body(&meaning, NULL), WD_OK);
    const wd_semantic_init *said = wd_semantic_get(meaning);
    assert_string_equal(said->page.app, "messages");
    assert_string_equal(said->page.app_source, "a model");
    assert_string_equal(said->page.id, "conversation");
    assert_string_equal(said->page.title, "\xe5\xa6\x88");
    assert_string_equal(said->page.source, "a model");
    assert_true(said->page.confidence == 0.75);
    assert_int_equal(said->page.kind, WD_PAGE_DIALOG);
    assert_string_equal(said->page.background_app, "launcher");
    assert_int_equal(wd_value_int_or(wd_object_get(said->page.params, "id"), 0), 7);
    assert_true(said->page.key.high == 0x0001020304050607 && said->page.key.low == 0x08090a0b0c0d0e0f);
    assert_int_equal(said->intent_count, 1);
    assert_string_equal(said->intents[0].text, "send it");
    assert_int_equal(said->intents[0].node, 2);
    assert_int_equal(said->widget_count, 1);
    assert_int_equal(said->widgets[0].node, 2);
    assert_string_equal(said->widgets[0].purpose, "submit");
    assert_string_equal(said->widgets[0].label, "Send");
    assert_string_equal(said->enricher, "reader");  // who is known by Hello, whatever it says here
    wd_semantic_unref(&meaning);
}

static void a_missing_key_is_the_suggestions(void **state)
{
    (void)state;
    body.length = 0;
    wire_meaning(&body, "a", 0, "item");
    wd_semantic *meaning = NULL;
    assert_int_equal(read_body(&meaning, NULL), WD_OK);
    assert_true(wd_digest_equal(wd_semantic_get(meaning)->page.key, ground.page_key));
    wd_semantic_unref(&meaning);
}

static void a_reply_without_a_meaning(void **state)
{
    (void)state;
    body.length = 0;
    wire_varint(&body, 1, 17);
    wd_semantic *meaning = NULL;
    wd_error error = { WD_OK, "" };
    assert_int_equal(read_body(&meaning, &error), WD_EINVAL);
    assert_string_equal(error.text, "semantic: missing");
}

static void every_cut_is_refused_or_shorter(void **state)
{
    (void)state;
    put_everything();
    for (size_t length = 0; length < body.length; length++) {
        uint8_t *cut = malloc(length == 0 ? 1 : length);  // its own block, so that ASan sees a byte too far
        memcpy(cut, body.bytes, length);
        wd_semantic *meaning = NULL;
        wd_error error = { WD_OK, "" };
        assert_int_not_equal(
            wd_codec_unpack_enrich_reply(cut, length, &ground, "reader", &meaning, &error), WD_OK);
        assert_true(error.text[0] != '\0');
        assert_null(meaning);
        free(cut);
    }
}

static void out_of_memory_leaks_nothing(void **state)
{
    (void)state;
    put_everything();
    uint64_t live = wd_alloc_stats_get().bytes_live;
    wd_semantic *meaning = NULL;
    for (long calls = 0; meaning == NULL; calls++) {
        assert_in_range(calls, 0, 500);
        wd_alloc_fail_after(calls);
        wd_status status = read_body(&meaning, NULL);
        wd_alloc_fail_after(-1);
        assert_int_equal(status, meaning == NULL ? WD_ENOMEM : WD_OK);
        assert_true(meaning != NULL || wd_alloc_stats_get().bytes_live == live);
    }
    wd_semantic_unref(&meaning);
    assert_true(wd_alloc_stats_get().bytes_live == live);
}

// ---- the request --------------------------------------------------------------------------------------------------

static wd_scene *scene_of_one(void)
{
    wd_scene_builder *builder = NULL;
    wd_scene *scene = NULL;
    wd_node node = { .parent = -1, .window = -1, .text = "Send", .rect = { 0, 0, 10, 10 } };
    wd_scene_info info = { .source_format = "test", .app_package = "a", .width = 100, .height = 100 };
    assert_int_equal(wd_scene_builder_new(&builder), WD_OK);
    assert_int_equal(wd_scene_builder_node(builder, &node, NULL), WD_OK);
    assert_int_equal(wd_scene_builder_finish(builder, &info, &scene), WD_OK);
    wd_scene_builder_destroy(&builder);
    return scene;
}

static wd_semantic *suggestion_of(void)
{
    wd_semantic_init init = { .page = { .app = "a", .title = "Title", .key = { 1, 2 } },
        .enricher = "rules" };
    wd_semantic *suggestion = NULL;
    assert_int_equal(wd_semantic_new(&init, &suggestion), WD_OK);
    return suggestion;
}

/// Packed with every allocation failing once; protobuf-c, which knows the schema, packs what it read to the same bytes.
static void an_enricher_is_told_scene_and_suggestion(void **state)
{
    (void)state;
    wd_scene *scene = scene_of_one();
    wd_semantic *suggestion = suggestion_of();
    wd_enrich_request request = {
        .run_id = "run-1", .instruction = "Send it", .scene = scene, .suggestion = suggestion
    };
    uint64_t live = wd_alloc_stats_get().bytes_live;
    uint8_t *packed = NULL;
    size_t length = 0;
    for (long calls = 0; packed == NULL; calls++) {
        assert_in_range(calls, 0, 100);
        wd_alloc_fail_after(calls);
        wd_status status = wd_codec_pack_enrich_request(&request, &packed, &length);
        wd_alloc_fail_after(-1);
        assert_int_equal(status, packed == NULL ? WD_ENOMEM : WD_OK);
        assert_true(packed != NULL || wd_alloc_stats_get().bytes_live == live);
    }
    Worldd__V1__EnrichRequest *message = worldd__v1__enrich_request__unpack(NULL, length, packed);
    assert_non_null(message);
    assert_string_equal(message->run_id, "run-1");
    assert_string_equal(message->instruction, "Send it");
    assert_int_equal(message->scene->n_nodes, 1);
    assert_string_equal(message->scene->nodes[0]->text, "Send");
    assert_string_equal(message->suggestion->title, "Title");
    assert_string_equal(message->suggestion->enricher, "rules");
    uint8_t *again = malloc(length);
    assert_int_equal(worldd__v1__enrich_request__get_packed_size(message), length);
    worldd__v1__enrich_request__pack(message, again);
    assert_memory_equal(again, packed, length);
    free(again);
    worldd__v1__enrich_request__free_unpacked(message, NULL);
    wd_free(packed, length);
    wd_semantic_unref(&suggestion);
    wd_scene_unref(&scene);
}

int main(void)
{
    struct CMUnitTest tests[WD_COUNT_OF(meaning_cases) + 6];
    size_t count = 0;
    for (size_t i = 0; i < WD_COUNT_OF(meaning_cases); i++) {
        tests[count++] = (struct CMUnitTest){ .name = meaning_cases[i].name,
            .test_func = meaning_is_judged,
            .initial_state = (void *)(uintptr_t)&meaning_cases[i] };
    }
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(everything_that_is_meant);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(a_missing_key_is_the_suggestions);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(a_reply_without_a_meaning);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(every_cut_is_refused_or_shorter);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(out_of_memory_leaks_nothing);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(an_enricher_is_told_scene_and_suggestion);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
