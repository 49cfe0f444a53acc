// What a planner may answer, and how a wrong answer is named.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/codec.h"
#include "tree/alloc.h"
#include "tree/json.h"

#include "wire_fixture.h"

static wire_body body;

// ---- bodies that are taken --------------------------------------------------------------------------------------

static const struct step_case {
    const char *name, *action, *args, *thought, *canonical, *reason;
} step_cases[] = {
    { "tap by node", "tap", "{\"node\":7}", "the button", "tap", NULL },
    { "arguments may be left out", "back", NULL, NULL, "back", NULL },
    { "an empty object is an object", "home", "{}", NULL, "home", NULL },
    { "remember stays in the arguments", "tap", "{\"node\":1,\"remember\":{\"a\":null}}", NULL, "tap", NULL },
    { "an unknown action is kept by name", "fly", "{\"to\":\"Mars\"}", NULL, "invalid",
        "action: unknown action \"fly\"" },
    { "an action without name", NULL, NULL, NULL, "invalid", "action: unknown action \"\"" },
    { "an argument of the wrong type", "tap", "{\"node\":\"seven\"}", NULL, "invalid", "args.node: " },
};

static void step_is_read(void **state)
{
    const struct step_case *row = *state;
    body.length = 0;
    wire_varint(&body, 1, 17);
    wire_step(&body, row->action, row->args, row->thought);
    wd_plan_reply *reply = NULL;
    wd_error error = { WD_OK, "" };
    assert_int_equal(wd_codec_unpack_plan_reply(body.bytes, body.length, &reply, &error), WD_OK);
    assert_int_equal(reply->request_id, 17);
    assert_int_equal(reply->step_count, 1);
    const wd_step *step = &reply->steps[0];
    assert_string_equal(wd_action_kind_name(step->action.kind), row->canonical);
    if (row->thought == NULL) {
        assert_null(step->thought);
    } else {
        assert_string_equal(step->thought, row->thought);
    }
    if (row->args == NULL) {
        assert_null(step->args);
    } else {
        wd_buffer json = { 0 };
        assert_int_equal(wd_json_write(step->args, WD_JSON_COMPACT, &json), WD_OK);
        assert_string_equal(json.bytes, row->args);
        wd_buffer_done(&json);
    }
    if (row->reason != NULL) {
        assert_int_equal(strncmp(step->action.reason, row->reason, strlen(row->reason)), 0);
        assert_string_equal(step->action.raw, row->action == NULL ? "" : row->action);
    }
    wd_plan_reply_destroy(&reply);
    assert_null(reply);
}

static void everything_a_reply_may_hold(void **state)
{
    (void)state;
    double cost = 0.25;
    body.length = 0;
    wire_varint(&body, 1, UINT64_MAX);
    wire_text(&body, 3, "a model");
    wire_varint(&body, 4, 1200);
    wire_varint(&body, 5, 34);
    wire_number(&body, 6 << 3 | 1);
    wire_raw(&body, &cost, sizeof cost);
    wire_text(&body, 7, "Thought: tap the button");
    wire_text(&body, 8, "android_world");
    wire_varint(&body, 99, 5);  // of a newer minor version
    wd_plan_reply *reply = NULL;
    assert_int_equal(wd_codec_unpack_plan_reply(body.bytes, body.length, &reply, NULL), WD_OK);
    assert_true(reply->request_id == UINT64_MAX);
    assert_int_equal(reply->step_count, 0);
    assert_string_equal(reply->model, "a model");
    assert_int_equal(reply->tokens_in, 1200);
    assert_int_equal(reply->tokens_out, 34);
    assert_true(reply->cost == 0.25);
    assert_string_equal(reply->raw_reply, "Thought: tap the button");
    assert_string_equal(reply->dialect, "android_world");
    wd_plan_reply_destroy(&reply);
}

// ---- bodies that are refused ------------------------------------------------------------------------------------

static void put_steps(int count)
{
    for (int i = 0; i < count; i++) {
        wire_step(&body, "back", NULL, NULL);
    }
}

static void put_deep_json(int levels)
{
    static char text[2 * 10000 + 64];
    size_t length = (size_t)snprintf(text, sizeof text, "{\"a\":");
    memset(text + length, '[', (size_t)levels);
    memset(text + length + levels, ']', (size_t)levels);
    strcpy(text + length + 2 * levels, "}");
    wire_step(&body, "note", text, NULL);
}

static void put_thought(size_t length)
{
    static char text[WD_PLAN_THOUGHT_MAX + 2];
    memset(text, 'x', length);
    text[length] = '\0';
    wire_step(&body, "back", NULL, text);
}

static void put_cost(double cost)
{
    wire_step(&body, "back", NULL, NULL);
    wire_number(&body, 6 << 3 | 1);
    wire_raw(&body, &cost, sizeof cost);
}

static void empty(void)
{
}
static void steps_at_the_edge(void)
{
    put_steps(WD_PLAN_STEPS_MAX);
}
static void steps_over(void)
{
    put_steps(WD_PLAN_STEPS_MAX + 1);
}
static void steps_by_the_million(void)
{
    for (int i = 0; i < WIRE_BODY_MAX / 2; i++) {
        wire_raw(&body, "\x12\x00", 2);
    }
}
static void json_broken(void)
{
    put_steps(2);
    wire_step(&body, "tap", "{\"a\"", NULL);
}
static void json_no_object(void)
{
    wire_step(&body, "tap", "[1]", NULL);
}
static void json_twice_the_key(void)
{
    wire_step(&body, "tap", "{\"a\":1,\"a\":2}", NULL);
}
static void json_at_the_edge(void)
{
    put_deep_json(WD_VALUE_DEPTH_MAX - 1);
}
static void json_over(void)
{
    put_deep_json(WD_VALUE_DEPTH_MAX);
}
static void json_ten_thousand_deep(void)
{
    put_deep_json(10000);
}
static void json_bad_utf8(void)
{
    wire_step(&body, "note", "{\"text\":\"\xff\"}", NULL);
}
static void thought_at_the_edge(void)
{
    put_thought(WD_PLAN_THOUGHT_MAX);
}
static void thought_over(void)
{
    put_thought(WD_PLAN_THOUGHT_MAX + 1);
}
static void thought_bad_utf8(void)
{
    put_steps(1);
    wire_step(&body, "back", NULL, "\xc0\x80");
}
static void action_with_nul(void)
{
    wire_bytes(&body, 2, "\x0a\x05tap\0x", 7);
}
static void model_bad_utf8(void)
{
    wire_text(&body, 3, "\xed\xa0\x80");
}
static void cost_negative(void)
{
    put_cost(-1);
}
static void cost_infinite(void)
{
    put_cost(1 / 0.0);
}
static void raw_and_steps(void)
{
    put_steps(1);
    wire_text(&body, 7, "tap");
}
static void put_long(uint32_t field, size_t length)
{
    static char text[WD_PLAN_RAW_MAX + 2];
    memset(text, 'x', length);
    text[length] = '\0';
    wire_text(&body, field, text);
}
static void model_at_the_edge(void)
{
    put_steps(1);
    put_long(3, WD_PLAN_MODEL_MAX);
}
static void model_over(void)
{
    put_steps(1);
    put_long(3, WD_PLAN_MODEL_MAX + 1);
}
static void raw_at_the_edge(void)
{
    put_long(7, WD_PLAN_RAW_MAX);
    put_long(8, WD_PLAN_MODEL_MAX);
}
static void raw_over(void)
{
    put_long(7, WD_PLAN_RAW_MAX + 1);
    put_long(8, 1);
}
static void dialect_over(void)
{
    put_long(7, 1);
    put_long(8, WD_PLAN_MODEL_MAX + 1);
}
static void raw_without_dialect(void)
{
    wire_text(&body, 7, "tap");
}
static void wrong_wire_type(void)
{
    wire_varint(&body, 2, 5);
}
static void group(void)
{
    wire_raw(&body, "\x0b\x0c", 2);
}
static void field_zero(void)
{
    wire_raw(&body, "\x00\x01", 2);
}
static void varint_without_end(void)
{
    wire_raw(&body, "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12);
}
static void length_beyond_the_end(void)
{
    wire_raw(&body, "\x12\xff\xff\xff\xff\x0f", 6);
}

static const struct body_case {
    const char *name;
    void (*build)(void);
    wd_status status;
    const char *error;
} body_cases[] = {
    { "nothing at all", empty, WD_EINVAL, "steps: none given, and no raw_reply" },
    { "as many steps as may be", steps_at_the_edge, WD_OK, "" },
    { "one step too many", steps_over, WD_ELIMIT, "steps: 33 given, at most 32" },
    { "more steps than memory", steps_by_the_million, WD_ELIMIT, "body: cannot be unpacked: limit exceeded" },
    { "broken JSON names step and place", json_broken, WD_EPARSE, "steps[2].args_json: line 1, column 5" },
    { "JSON that is no object", json_no_object, WD_ETYPE, "steps[0].args_json: must be an object, is array" },
    { "JSON with a key twice", json_twice_the_key, WD_EPARSE, "steps[0].args_json: line 1, column " },
    { "JSON as deep as may be", json_at_the_edge, WD_OK, "" },
    { "JSON one level too deep", json_over, WD_ELIMIT, "steps[0].args_json: line 1, column " },
    { "JSON 10,000 deep", json_ten_thousand_deep, WD_ELIMIT, "steps[0].args_json: line 1, column " },
    { "JSON with invalid UTF-8", json_bad_utf8, WD_EUTF8, "steps[0].args_json: line 1, column 10" },
    { "a thought as long as may be", thought_at_the_edge, WD_OK, "" },
    { "a thought one byte too long", thought_over, WD_ELIMIT,
        "steps[0].thought: has 65537 bytes, at most 65536" },
    { "invalid UTF-8 in a step", thought_bad_utf8, WD_EUTF8, "steps[1].thought: is no UTF-8" },
    { "a NUL inside a text", action_with_nul, WD_EUTF8, "steps[0].action: is no UTF-8, or holds U+0000" },
    { "invalid UTF-8 at the top", model_bad_utf8, WD_EUTF8, "model: is no UTF-8" },
    { "a model's name as long as may be", model_at_the_edge, WD_OK, "" },
    { "a model's name one byte too long", model_over, WD_ELIMIT, "model: has 257 bytes, at most 256" },
    { "raw words as long as may be", raw_at_the_edge, WD_OK, "" },
    { "raw words one byte too long", raw_over, WD_ELIMIT, "raw_reply: has 262145 bytes, at most 262144" },
    { "a dialect one byte too long", dialect_over, WD_ELIMIT, "dialect: has 257 bytes, at most 256" },
    { "a negative cost", cost_negative, WD_EINVAL, "cost: must be a finite number" },
    { "an infinite cost", cost_infinite, WD_EINVAL, "cost: must be a finite number" },
    { "steps and raw words", raw_and_steps, WD_EINVAL, "raw_reply: given beside steps" },
    { "raw words in no dialect", raw_without_dialect, WD_EINVAL, "dialect: needed beside raw_reply" },
    { "a field of the wrong wire type", wrong_wire_type, WD_EPROTO, "steps[0]: has the wrong wire type" },
    { "a group", group, WD_EPROTO, "request_id: is broken off or malformed" },
    { "field number 0", field_zero, WD_EPROTO, "body: is broken off or no protobuf message" },
    { "a number without end", varint_without_end, WD_EPROTO, "request_id: is broken off or malformed" },
    { "a length beyond the end", length_beyond_the_end, WD_EPROTO, "steps[0]: is broken off or malformed" },
};

static void body_is_judged(void **state)
{
    const struct body_case *row = *state;
    body.length = 0;
    row->build();
    wd_plan_reply *reply = NULL;
    wd_error error = { WD_OK, "" };
    wd_status status = wd_codec_unpack_plan_reply(body.bytes, body.length, &reply, &error);
    assert_int_equal(status, row->status);
    if (strncmp(error.text, row->error, strlen(row->error)) != 0) {
        fail_msg("said \"%s\", expected \"%s\"", error.text, row->error);
    }
    assert_true((status == WD_OK) == (reply != NULL));
    wd_plan_reply_destroy(&reply);
}

static void every_cut_is_refused_or_shorter(void **state)
{
    (void)state;
    body.length = 0;
    wire_varint(&body, 1, 300);
    wire_step(&body, "type", "{\"text\":\"h\xc3\xa9llo\"}", "because");
    wire_text(&body, 3, "model");
    for (size_t length = 0; length < body.length; length++) {
        uint8_t *cut = malloc(length == 0 ? 1 : length);  // its own block, so that ASan sees a byte too far
        memcpy(cut, body.bytes, length);
        wd_plan_reply *reply = NULL;
        wd_error error = { WD_OK, "" };
        wd_status status = wd_codec_unpack_plan_reply(cut, length, &reply, &error);
        assert_true(status == WD_OK || error.text[0] != '\0');
        wd_plan_reply_destroy(&reply);
        free(cut);
    }
}

static uint64_t random_state = 20240601;

static uint64_t random_next(void)
{
    uint64_t mixed = random_state += 0x9e3779b97f4a7c15;  // splitmix64
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
    return mixed ^ mixed >> 31;
}

static void random_bytes_are_survived(void **state)
{
    (void)state;
    for (int round = 0; round < 20000; round++) {
        body.length = 0;
        wire_varint(&body, 1, random_next());
        wire_step(&body, "tap", "{\"node\":3}", "go");
        size_t changes = random_next() % 6;
        for (size_t i = 0; i < changes; i++) {
            body.bytes[random_next() % body.length] = (uint8_t)random_next();
        }
        size_t length = random_next() % 3 == 0 ? random_next() % (body.length + 1) : body.length;
        wd_plan_reply *reply = NULL;
        wd_error error = { WD_OK, "" };
        if (wd_codec_unpack_plan_reply(body.bytes, length, &reply, &error) != WD_OK) {
            assert_true(error.text[0] != '\0');
            assert_null(reply);
        }
        wd_plan_reply_destroy(&reply);
    }
}

static void out_of_memory_leaks_nothing(void **state)
{
    (void)state;
    body.length = 0;
    wire_varint(&body, 1, 1);
    for (int i = 0; i < WD_PLAN_STEPS_MAX; i++) {
        char args[256];
        snprintf(args, sizeof args, "{\"text\":\"%0100d\",\"list\":[1,2.5,{\"k\":null}]}", i);
        wire_step(&body, i % 2 == 0 ? "type" : "unheard_of", args, "a thought");
    }
    wire_text(&body, 3, "model");
    uint64_t live = wd_alloc_stats_get().bytes_live;
    wd_plan_reply *reply = NULL;
    for (long calls = 0; reply == NULL; calls++) {
        assert_in_range(calls, 0, 3000);
        wd_alloc_fail_after(calls);
        wd_status status = wd_codec_unpack_plan_reply(body.bytes, body.length, &reply, NULL);
        wd_alloc_fail_after(-1);
        assert_int_equal(status, reply == NULL ? WD_ENOMEM : WD_OK);
        assert_true(reply != NULL || wd_alloc_stats_get().bytes_live == live);
    }
    wd_plan_reply_destroy(&reply);
    assert_true(wd_alloc_stats_get().bytes_live == live);
}

int main(void)
{
    struct CMUnitTest tests[WD_COUNT_OF(step_cases) + WD_COUNT_OF(body_cases) + 4];
    size_t count = 0;
    for (size_t i = 0; i < WD_COUNT_OF(step_cases); i++) {
        tests[count++] = (struct CMUnitTest){ .name = step_cases[i].name,
            .test_func = step_is_read,
            .initial_state = (void *)(uintptr_t)&step_cases[i] };
    }
    for (size_t i = 0; i < WD_COUNT_OF(body_cases); i++) {
        tests[count++] = (struct CMUnitTest){ .name = body_cases[i].name,
            .test_func = body_is_judged,
            .initial_state = (void *)(uintptr_t)&body_cases[i] };
    }
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(everything_a_reply_may_hold);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(every_cut_is_refused_or_shorter);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(random_bytes_are_survived);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(out_of_memory_leaks_nothing);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
