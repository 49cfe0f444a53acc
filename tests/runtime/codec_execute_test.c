// What an executor is told and may answer, what a planner may think, and how a wrong answer is named.
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
#include "tree/text.h"

#include "wire_fixture.h"

static wire_body body;

static void put_long(uint32_t field, size_t length)
{
    static char text[WD_CAPTURE_TEXT_MAX + 2];
    memset(text, 'x', length);
    wire_bytes(&body, field, text, length);
}

// ---- answers, right and wrong: each row puts its body together ---------------------------------------------------

static void screen(void)
{
    wire_text(&body, 2, "<hierarchy/>");
}
static void screen_of_any_bytes(void)
{
    wire_bytes(&body, 2, "\xff\0x", 3);
}
static void no_screen(void)
{
    wire_text(&body, 3, "uiautomator_xml");
}
static void failure(void)
{
    wire_text(&body, 5, "no idle state");
}
static void failure_beside_a_screen(void)
{
    screen();
    failure();
}
static void failure_at_the_edge(void)
{
    put_long(5, WD_CAPTURE_TEXT_MAX);
}
static void failure_over(void)
{
    put_long(5, WD_CAPTURE_TEXT_MAX + 1);
}
static void failure_bad_utf8(void)
{
    wire_text(&body, 5, "\xff");
}
static void format_over(void)
{
    screen();
    put_long(3, WD_CAPTURE_TEXT_MAX + 1);
}
static void sides_at_the_edge(void)
{
    screen();
    wire_varint(&body, 6, WD_CAPTURE_SIDE_MAX);
    wire_varint(&body, 7, WD_CAPTURE_SIDE_MAX);
}
static void width_over(void)
{
    screen();
    wire_varint(&body, 6, WD_CAPTURE_SIDE_MAX + 1);
}
static void height_over(void)
{
    screen();
    wire_varint(&body, 7, UINT32_MAX);
}
static void screen_cut_off(void)
{
    screen();
    body.length -= 3;
}
static void screen_as_number(void)
{
    wire_varint(&body, 2, 7);
}

static const struct capture_case {
    const char *name;
    void (*put)(void);
    wd_status status;
    const char *error;  // how it begins
} capture_cases[] = {
    { "a screen", screen, WD_OK, "" },
    { "a screen of any bytes", screen_of_any_bytes, WD_OK, "" },
    { "no screen and no reason", no_screen, WD_EINVAL, "screen: missing" },
    { "a reason", failure, WD_OK, "" },
    { "a reason beside a screen counts", failure_beside_a_screen, WD_OK, "" },
    { "a reason at the edge", failure_at_the_edge, WD_OK, "" },
    { "a reason one past it", failure_over, WD_ELIMIT, "failure: has 4097 bytes, at most 4096" },
    { "a reason that is no UTF-8", failure_bad_utf8, WD_EUTF8, "failure: " },
    { "a format that is too long", format_over, WD_ELIMIT, "format: has 4097 bytes" },
    { "the largest display", sides_at_the_edge, WD_OK, "" },
    { "a display too wide", width_over, WD_EINVAL, "width: 100001 pixels" },
    { "a display too high", height_over, WD_EINVAL, "height: 4294967295 pixels" },
    { "a screen that is cut off", screen_cut_off, WD_EPROTO, "screen: " },
    { "a screen that is a number", screen_as_number, WD_EPROTO, "screen: " },
};

static void capture_is_judged(void **state)
{
    const struct capture_case *row = *state;
    wd_capture *capture = NULL;
    wd_error error = { WD_OK, "" };
    body.length = 0;
    wire_varint(&body, 1, 5);
    row->put();
    assert_int_equal(wd_codec_unpack_observe_reply(body.bytes, body.length, &capture, &error), row->status);
    assert_memory_equal(error.text, row->error, strlen(row->error));
    assert_int_equal(capture != NULL, row->status == WD_OK);
    if (capture != NULL) {
        assert_true((capture->screen != NULL) != (capture->failure != NULL));
    }
    wd_capture_destroy(&capture);
}

static void capture_is_whole(void **state)
{
    (void)state;
    wd_capture *capture = NULL;
    body.length = 0;
    wire_bytes(&body, 2, "\xff\0x", 3);
    wire_text(&body, 3, "rico");
    wire_bytes(&body, 4, "a\0b", 3);
    wire_varint(&body, 6, 1080);
    wire_varint(&body, 7, 2400);
    for (long calls = 0; capture == NULL; calls++) {  // each allocation fails once
        assert_in_range(calls, 0, 20);
        wd_alloc_fail_after(calls);
        wd_status status = wd_codec_unpack_observe_reply(body.bytes, body.length, &capture, NULL);
        wd_alloc_fail_after(-1);
        assert_int_equal(status, capture == NULL ? WD_ENOMEM : WD_OK);
    }
    assert_int_equal(capture->screen_length, 3);
    assert_memory_equal(capture->screen, "\xff\0x", 3);
    assert_int_equal(capture->companion_length, 3);
    assert_string_equal(capture->format, "rico");
    assert_int_equal(capture->width, 1080);
    assert_int_equal(capture->height, 2400);
    wd_capture_destroy(&capture);
}

static const struct result_case {
    const char *name, *outcome, *code, *text;  // sent
    wd_status status;
    const char *gives;  // "outcome code text", or how the error begins
} result_cases[] = {
    { "ok", "ok", NULL, NULL, WD_OK, "ok ok " },
    { "ok without effect", "ok", "no_effect", "nothing there", WD_OK, "ok no_effect nothing there" },
    { "failed", "failed", NULL, "offline", WD_OK, "failed failed offline" },
    { "failed in a known way", "failed", "no_such_app", "x", WD_OK, "failed no_such_app x" },
    { "failed in a way of its own", "failed", "E_ADB", "offline", WD_OK, "failed failed E_ADB: offline" },
    { "a code without words", "failed", "E_ADB", NULL, WD_OK, "failed failed E_ADB" },
    { "a code of another outcome", "ok", "timeout", NULL, WD_OK, "ok ok timeout" },
    { "refused", "refused", NULL, NULL, WD_OK, "refused not_executed " },
    { "refused in a known way", "refused", "target_gone", NULL, WD_OK, "refused target_gone " },
    { "no outcome", NULL, "ok", NULL, WD_EINVAL, "outcome: \"\" is none of ok, failed, refused" },
    { "an unknown outcome", "maybe", NULL, NULL, WD_EINVAL, "outcome: \"maybe\" is none" },
    { "text that is no UTF-8", "ok", NULL, "\xc3(", WD_EUTF8, "text: " },
};

static void result_is_judged(void **state)
{
    const struct result_case *row = *state;
    wd_result result = wd_result_ok();
    wd_error error = { WD_OK, "" };
    char told[WD_ERROR_TEXT_MAX + 96];
    body.length = 0;
    wire_varint(&body, 1, 5);
    wire_text(&body, 2, row->outcome);
    wire_text(&body, 3, row->code);
    wire_text(&body, 4, row->text);
    assert_int_equal(wd_codec_unpack_execute_reply(body.bytes, body.length, &result, &error), row->status);
    snprintf(told, sizeof told, "%s %s %s", wd_outcome_name(result.outcome), result.code, result.text);
    if (row->status == WD_OK) {
        assert_string_equal(told, row->gives);
    } else {
        assert_memory_equal(error.text, row->gives, strlen(row->gives));
    }
}

static wd_status read_long_result(
    size_t code_length, size_t text_length, wd_result *ret_result, wd_error *error)
{
    body.length = 0;
    wire_text(&body, 2, "failed");
    put_long(3, code_length);
    put_long(4, text_length);
    return wd_codec_unpack_execute_reply(body.bytes, body.length, ret_result, error);
}

static void results_have_bounds(void **state)
{
    (void)state;
    wd_result result;
    wd_error error;
    assert_int_equal(read_long_result(WD_RESULT_CODE_MAX, WD_CAPTURE_TEXT_MAX, &result, &error), WD_OK);
    assert_int_equal(strlen(result.text), WD_ERROR_TEXT_MAX - 1);  // cut to what a result holds
    assert_int_equal(read_long_result(WD_RESULT_CODE_MAX + 1, 1, &result, &error), WD_ELIMIT);
    assert_string_equal(error.text, "code: has 65 bytes, at most 64");
    assert_int_equal(read_long_result(1, WD_CAPTURE_TEXT_MAX + 1, &result, &error), WD_ELIMIT);
    assert_string_equal(error.text, "text: has 4097 bytes, at most 4096");
}

static void thoughts_have_bounds(void **state)
{
    (void)state;
    char *text = NULL;
    wd_error error;
    body.length = 0;
    assert_int_equal(wd_codec_unpack_thought(body.bytes, body.length, &text, &error), WD_EINVAL);
    assert_string_equal(error.text, "text: missing");
    put_long(2, WD_THOUGHT_TEXT_MAX + 1);
    assert_int_equal(wd_codec_unpack_thought(body.bytes, body.length, &text, &error), WD_ELIMIT);
    assert_string_equal(error.text, "text: has 4097 bytes, at most 4096");
    body.length = 0;
    put_long(2, WD_THOUGHT_TEXT_MAX);
    assert_int_equal(wd_codec_unpack_thought(body.bytes, body.length, &text, &error), WD_OK);
    assert_int_equal(strlen(text), WD_THOUGHT_TEXT_MAX);
    wd_text_free(&text);
}

// ---- requests -----------------------------------------------------------------------------------------------------

static void an_observe_request_names_its_run(void **state)
{
    (void)state;
    uint8_t *bytes = NULL;
    size_t length = 0;
    assert_int_equal(wd_codec_pack_observe_request("run-1", &bytes, &length), WD_OK);
    Worldd__V1__ObserveRequest *message = worldd__v1__observe_request__unpack(NULL, length, bytes);
    assert_non_null(message);
    assert_string_equal(message->run_id, "run-1");
    worldd__v1__observe_request__free_unpacked(message, NULL);
    wd_free(bytes, length);
}

/// What is packed, as one line.
static void tell_execute(const wd_execute_request *request, char *ret_told, size_t size)
{
    uint8_t *bytes = NULL;
    size_t length = 0;
    for (long calls = 0; bytes == NULL; calls++) {  // each allocation fails once
        assert_in_range(calls, 0, 50);
        wd_alloc_fail_after(calls);
        wd_status status = wd_codec_pack_execute_request(request, &bytes, &length);
        wd_alloc_fail_after(-1);
        assert_int_equal(status, bytes == NULL ? WD_ENOMEM : WD_OK);
    }
    Worldd__V1__ExecuteRequest *message = worldd__v1__execute_request__unpack(NULL, length, bytes);
    assert_non_null(message);
    const Worldd__V1__Target *target = message->target;
    char at[128] = "nothing", end[32] = "";
    if (target != NULL) {
        snprintf(at, sizeof at, "%d,%d node %d %s|%s|%s|%s", target->point->x, target->point->y, target->node,
            target->resource_id, target->text, target->desc, target->class_name);
    }
    if (message->end != NULL) {
        snprintf(end, sizeof end, " to %d,%d", message->end->x, message->end->y);
    }
    snprintf(ret_told, size, "%s %s %.*s at %s%s", message->run_id, message->action,
        (int)message->args_json.len, (const char *)message->args_json.data, at, end);
    assert_int_equal(target != NULL && target->rect != NULL, request->node != NULL);
    worldd__v1__execute_request__free_unpacked(message, NULL);
    wd_free(bytes, length);
}

static void an_execute_request_tells_the_target(void **state)
{
    (void)state;
    const wd_node node = { .id = 7,
        .resource_id = "id/list",
        .text = "Inbox",
        .class_name = "ListView",
        .rect = { 0, -3, 100, 200 } };
    wd_action action;
    char told[512];
    wd_action_init(&action, WD_ACTION_SWIPE);
    action.node = 7;
    action.direction = WD_DIR_UP;
    wd_execute_request request = {
        .run_id = "run-1",
        .action = &action,
        .node = &node,
        .has_point = true,
        .x = 50,
        .y = 100,
        .has_end = true,
        .end_x = 50,
        .end_y = 20,
    };
    tell_execute(&request, told, sizeof told);
    assert_string_equal(told,
        "run-1 swipe {\"node\":7,\"direction\":\"up\",\"direction_of\":\"content\"} at 50,100 node 7 "
        "id/list|Inbox||ListView to 50,20");
    request.node = NULL;
    request.has_end = false;
    tell_execute(&request, told, sizeof told);
    assert_string_equal(told,
        "run-1 swipe {\"node\":7,\"direction\":\"up\",\"direction_of\":\"content\"} at 50,100 node -1 |||");
    wd_action_init(&action, WD_ACTION_BACK);
    request.has_point = false;
    tell_execute(&request, told, sizeof told);
    assert_string_equal(told, "run-1 back {} at nothing");
}

int main(void)
{
    enum { CAPTURES = WD_COUNT_OF(capture_cases), RESULTS = WD_COUNT_OF(result_cases), OTHERS = 5 };
    struct CMUnitTest tests[CAPTURES + RESULTS + OTHERS] = {
        cmocka_unit_test(capture_is_whole),
        cmocka_unit_test(results_have_bounds),
        cmocka_unit_test(thoughts_have_bounds),
        cmocka_unit_test(an_observe_request_names_its_run),
        cmocka_unit_test(an_execute_request_tells_the_target),
    };
    for (size_t i = 0; i < CAPTURES; i++) {
        tests[OTHERS + i] = (struct CMUnitTest){
            .name = capture_cases[i].name,
            .test_func = capture_is_judged,
            .initial_state = (void *)(uintptr_t)&capture_cases[i],
        };
    }
    for (size_t i = 0; i < RESULTS; i++) {
        tests[OTHERS + CAPTURES + i] = (struct CMUnitTest){
            .name = result_cases[i].name,
            .test_func = result_is_judged,
            .initial_state = (void *)(uintptr_t)&result_cases[i],
        };
    }
    return _cmocka_run_group_tests("codec_execute", tests, WD_COUNT_OF(tests), NULL, NULL);
}
