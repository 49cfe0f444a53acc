// Hello field by field; the other small bodies there and back.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "proto/frame.h"
#include "runtime/codec_session.h"
#include "tree/alloc.h"
#include "tree/json.h"

#include "wire_fixture.h"

#define NAME_64 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/// A Hello with one thing changed; 0 and NULL are the right value, -1 leaves the field out.
static const struct hello_case {
    const char *name;
    int min_major, max_major;
    const char *role, *peer;
    int instance_length, inflight, frame, features;
    const char *space;
    int width;
    wd_status status;
    const char *error;
} hello_cases[] = {
    { .name = "a plain planner" },
    { .name = "a range around ours", .min_major = -1, .max_major = 9 },
    { .name = "only older versions",
        .min_major = -1,
        .max_major = -1,
        .status = WD_EVERSION,
        .error = "max_major: the peer speaks 0 to 0, worldd speaks 1" },
    { .name = "only newer versions",
        .min_major = 2,
        .max_major = 3,
        .status = WD_EVERSION,
        .error = "max_major: " },
    { .name = "a range upside down",
        .min_major = 3,
        .max_major = 1,
        .status = WD_EINVAL,
        .error = "min_major: 3 is above max_major 1" },
    { .name = "no role", .role = "", .status = WD_EINVAL, .error = "role: must be 1 to 16 bytes" },
    { .name = "a role as long as may be", .role = "0123456789abcdef" },
    { .name = "a role one byte longer",
        .role = "0123456789abcdefg",
        .status = WD_EINVAL,
        .error = "role: must" },
    { .name = "no name",
        .peer = "",
        .status = WD_EINVAL,
        .error = "name: must be 1 to 64 of [A-Za-z0-9._-]" },
    { .name = "a name as long as may be", .peer = NAME_64 },
    { .name = "a name one byte longer", .peer = NAME_64 "x", .status = WD_EINVAL, .error = "name: must" },
    { .name = "all that a name may hold", .peer = "Az09._-" },
    { .name = "a blank in the name", .peer = "a b", .status = WD_EINVAL, .error = "name: must" },
    { .name = "a name of another alphabet", .peer = "\xc3\xa9", .status = WD_EINVAL, .error = "name: must" },
    { .name = "a name that is no UTF-8", .peer = "\xff", .status = WD_EUTF8, .error = "name: is no UTF-8" },
    { .name = "no instance",
        .instance_length = -1,
        .status = WD_EINVAL,
        .error = "instance: has 0 bytes, must have 16" },
    { .name = "a long instance",
        .instance_length = 17,
        .status = WD_EINVAL,
        .error = "instance: has 17 bytes" },
    { .name = "as many at once as may be", .inflight = 64 },
    { .name = "one more at once",
        .inflight = 65,
        .status = WD_EINVAL,
        .error = "max_inflight: 65 is above 64" },
    { .name = "frames as small as may be", .frame = 65536 },
    { .name = "frames one byte smaller",
        .frame = 65535,
        .status = WD_EINVAL,
        .error = "max_frame: 65535 is below 65536" },
    { .name = "as many features as may be", .features = 32 },
    { .name = "one feature more",
        .features = 33,
        .status = WD_ELIMIT,
        .error = "features: 33 given, at most 32" },
    { .name = "shares of the screen", .space = "norm1000" },
    { .name = "an unknown space",
        .space = "inches",
        .status = WD_EINVAL,
        .error = "coord_space: \"inches\" is none of px, norm1, norm1000, model" },
    { .name = "the model's own pixels", .space = "model", .width = 512 },
    { .name = "the model's own pixels, size not told",
        .space = "model",
        .status = WD_EINVAL,
        .error = "model_width, model_height: needed" },
};

static wire_body body;

static void build_hello(const struct hello_case *row)
{
    uint8_t instance[32] = { 7 };
    int length = row->instance_length == 0 ? WD_SESSION_ID_SIZE : row->instance_length;
    body.length = 0;
    if (row->min_major >= 0) {
        wire_varint(&body, 1, row->min_major == 0 ? 1 : (uint64_t)row->min_major);
    }
    if (row->max_major >= 0) {
        wire_varint(&body, 2, row->max_major == 0 ? 1 : (uint64_t)row->max_major);
    }
    for (int i = 0; i < row->features; i++) {
        wire_text(&body, 4, "f");
    }
    wire_text(&body, 5, row->role == NULL ? "planner" : row->role);
    wire_text(&body, 6, row->peer == NULL ? "a" : row->peer);
    if (length > 0) {
        wire_bytes(&body, 7, instance, (size_t)length);
    }
    wire_varint(&body, 8, (uint64_t)row->inflight);
    wire_varint(&body, 9, (uint64_t)row->frame);
    wire_text(&body, 10, row->space);
    wire_varint(&body, 11, (uint64_t)row->width);
    wire_varint(&body, 12, (uint64_t)row->width);
}

static void hello_is_judged(void **state)
{
    const struct hello_case *row = *state;
    build_hello(row);
    wd_hello hello;
    wd_error error = { WD_OK, "" };
    assert_int_equal(wd_codec_unpack_hello(body.bytes, body.length, &hello, &error), row->status);
    if (row->status != WD_OK) {
        assert_int_equal(error.status, row->status);
        assert_int_equal(strncmp(error.text, row->error, strlen(row->error)), 0);
        return;
    }
    assert_string_equal(hello.name, row->peer == NULL ? "a" : row->peer);
    assert_string_equal(hello.role, row->role == NULL ? "planner" : row->role);
    assert_int_equal(hello.max_inflight, row->inflight == 0 ? 1 : row->inflight);
    assert_string_equal(wd_space_name(hello.space), row->space == NULL ? "px" : row->space);
    assert_int_equal(hello.instance[0], 7);

    uint8_t *packed = NULL;
    size_t length = 0;
    wd_hello again;
    assert_int_equal(wd_codec_pack_hello(&hello, &packed, &length), WD_OK);
    assert_int_equal(wd_codec_unpack_hello(packed, length, &again, NULL), WD_OK);
    assert_string_equal(again.name, hello.name);
    assert_int_equal(again.max_frame, hello.max_frame);
    assert_int_equal(again.model_width, hello.model_width);
    wd_free(packed, length);
}

static void welcome_there_and_back(void **state)
{
    (void)state;
    wd_welcome told = { 1, 0, { 1, 2 }, 1000, 5, WD_FRAME_SIZE_MAX, { 3, 4 } }, read = { 0 };
    uint8_t *packed = NULL;
    size_t length = 0;
    assert_int_equal(wd_codec_pack_welcome(&told, &packed, &length), WD_OK);
    assert_int_equal(wd_codec_unpack_welcome(packed, length, &read, NULL), WD_OK);
    assert_memory_equal(&read, &told, sizeof told);
    wd_free(packed, length);
}

static void notices_there_and_back(void **state)
{
    (void)state;
    uint8_t *packed = NULL;
    size_t length = 0;
    wd_notice notice;
    assert_int_equal(wd_codec_pack_error(7, WD_ELIMIT, "steps: 33", true, &packed, &length), WD_OK);
    assert_int_equal(wd_codec_unpack_notice(WD_MSG_ERROR, packed, length, &notice, NULL), WD_OK);
    assert_int_equal(notice.request_id, 7);
    assert_int_equal(notice.error.status, WD_ELIMIT);
    assert_string_equal(notice.error.text, "steps: 33");
    assert_true(notice.retryable);
    wd_free(packed, length);

    assert_int_equal(wd_codec_pack_reject(WD_EVERSION, "max_major", &packed, &length), WD_OK);
    assert_int_equal(wd_codec_unpack_notice(WD_MSG_REJECT, packed, length, &notice, NULL), WD_OK);
    assert_int_equal(notice.error.status, WD_EVERSION);
    wd_free(packed, length);

    assert_int_equal(wd_codec_pack_goodbye("done", &packed, &length), WD_OK);
    assert_int_equal(wd_codec_unpack_notice(WD_MSG_GOODBYE, packed, length, &notice, NULL), WD_OK);
    assert_string_equal(notice.error.text, "done");
    wd_free(packed, length);

    body.length = 0;
    wire_varint(&body, 2, 4000000000);  // no status of ours
    assert_int_equal(wd_codec_unpack_notice(WD_MSG_ERROR, body.bytes, body.length, &notice, NULL), WD_OK);
    assert_int_equal(notice.error.status, WD_EPROTO);
}

static void an_empty_body_is_a_message(void **state)
{
    (void)state;
    uint8_t *packed = NULL;
    size_t length = 1;
    uint64_t sequence = 5;
    assert_int_equal(wd_codec_pack_ping(0, &packed, &length), WD_OK);
    assert_null(packed);
    assert_int_equal(length, 0);
    assert_int_equal(wd_codec_unpack_ping(NULL, 0, &sequence, NULL), WD_OK);
    assert_int_equal(sequence, 0);
}

// ---- control ------------------------------------------------------------------------------------------------------

static const struct control_case {
    const char *name;
    uint64_t id;
    const char *verb, *args;
    wd_status status;
    const char *error;
} control_cases[] = {
    { "a verb with arguments", 7, "run", "{\"task\":\"t\"}", WD_OK, "" },
    { "a verb alone", 7, "status", NULL, WD_OK, "" },
    { "no id", 0, "status", NULL, WD_EINVAL, "request_id: must not be 0" },
    { "no verb", 7, NULL, NULL, WD_EINVAL, "verb: must be 1 to 32 bytes" },
    { "a verb as long as may be", 7, "0123456789abcdef0123456789abcdef", NULL, WD_OK, "" },
    { "a verb one byte longer", 7, "0123456789abcdef0123456789abcdefx", NULL, WD_EINVAL, "verb: must" },
    { "a verb that is no UTF-8", 7, "\xff", NULL, WD_EUTF8, "verb: is no UTF-8" },
    { "broken JSON", 7, "run", "{\"a\"", WD_EPARSE, "args_json: line 1, column 5" },
    { "JSON that is no object", 7, "run", "3", WD_ETYPE, "args_json: must be an object, is int" },
};

static void control_is_judged(void **state)
{
    const struct control_case *row = *state;
    body.length = 0;
    wire_varint(&body, 1, row->id);
    wire_text(&body, 2, row->verb);
    wire_text(&body, 3, row->args);
    wire_varint(&body, 4, 250);
    wd_control control = { 0 };
    wd_error error = { WD_OK, "" };
    assert_int_equal(wd_codec_unpack_control(body.bytes, body.length, &control, &error), row->status);
    assert_int_equal(control.request_id, row->id);  // for the answer
    assert_int_equal(strncmp(error.text, row->error, strlen(row->error)), 0);
    if (row->status != WD_OK) {
        assert_null(control.args);
        return;
    }
    assert_string_equal(control.verb, row->verb);
    assert_int_equal(control.deadline_ms, 250);
    assert_true(wd_value_is(control.args, WD_KIND_OBJECT));
    uint8_t *packed = NULL;
    size_t length = 0;
    wd_control again = { 0 };
    assert_int_equal(wd_codec_pack_control(&control, &packed, &length), WD_OK);
    assert_int_equal(wd_codec_unpack_control(packed, length, &again, NULL), WD_OK);
    assert_true(wd_value_equal(again.args, control.args));
    wd_free(packed, length);
    wd_control_done(&again);
    wd_control_done(&control);
}

static void answers_there_and_back(void **state)
{
    (void)state;
    wd_value *value = NULL;
    assert_int_equal(wd_json_parse("{\"a\":[1,null]}", 14, &value, NULL), WD_OK);
    uint8_t *packed = NULL;
    size_t length = 0;
    wd_control_answer answer = { 0 };
    assert_int_equal(wd_codec_pack_progress(9, 2, value, &packed, &length), WD_OK);
    assert_int_equal(wd_codec_unpack_answer(WD_MSG_PROGRESS, packed, length, &answer, NULL), WD_OK);
    assert_int_equal(answer.request_id, 9);
    assert_int_equal(answer.sequence, 2);
    assert_true(wd_value_equal(answer.value, value));
    wd_value_unref(&answer.value);
    wd_free(packed, length);

    assert_int_equal(wd_codec_pack_reply(9, value, &packed, &length), WD_OK);
    assert_int_equal(wd_codec_unpack_answer(WD_MSG_REPLY, packed, length, &answer, NULL), WD_OK);
    assert_int_equal(answer.sequence, 0);
    assert_true(wd_value_equal(answer.value, value));
    wd_value_unref(&answer.value);
    wd_free(packed, length);

    wd_error error = { WD_OK, "" };
    body.length = 0;
    wire_text(&body, 2, "{");
    assert_int_equal(
        wd_codec_unpack_answer(WD_MSG_REPLY, body.bytes, body.length, &answer, &error), WD_EPARSE);
    assert_int_equal(strncmp(error.text, "result_json: line 1", 19), 0);
    wd_value_unref(&value);
}

int main(void)
{
    struct CMUnitTest tests[WD_COUNT_OF(hello_cases) + WD_COUNT_OF(control_cases) + 4];
    size_t count = 0;
    for (size_t i = 0; i < WD_COUNT_OF(hello_cases); i++) {
        tests[count++] = (struct CMUnitTest){ .name = hello_cases[i].name,
            .test_func = hello_is_judged,
            .initial_state = (void *)(uintptr_t)&hello_cases[i] };
    }
    for (size_t i = 0; i < WD_COUNT_OF(control_cases); i++) {
        tests[count++] = (struct CMUnitTest){ .name = control_cases[i].name,
            .test_func = control_is_judged,
            .initial_state = (void *)(uintptr_t)&control_cases[i] };
    }
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(welcome_there_and_back);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(notices_there_and_back);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(an_empty_body_is_a_message);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(answers_there_and_back);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
