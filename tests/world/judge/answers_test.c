// Answers beyond their golden cases: expressions, declared answers, numerals at their edges, memory.
#include "judge/answers.h"
#include "judge/numerals.h"

#include "json.h"
#include "tree/alloc.h"

static const struct numeral_case {
    const char *text, *normal;
} numeral_cases[] = {
    { "1,000万", "10000000" },
    { "1.23456万", "12345.6" },
    { "0.00001万", "0.1" },
    { "三5万", "350000" },
    { "九千九百九十九万九千九百九十九亿九千九百九十九万九千九百九十九", "9999999999999999" },
    { "三百五万", "三百五万" },
    { "一百零", "一百零" },
    { "零五十", "零五十" },
    { "一万万", "一万万" },
    { "万亿", "万亿" },
    { "", "" },
};

static void numerals_are_read(void **state)
{
    const struct numeral_case *one = *state;
    wd_buffer buffer = { 0 };
    assert_int_equal(wd_numerals_normalise(one->text, strlen(one->text), &buffer), WD_OK);
    assert_string_equal(buffer.bytes, one->normal);
    wd_buffer_done(&buffer);
}

/// A task's answer against what was said; `checks` NULL: the error.
static const struct answer_case {
    const char *name, *task, *said, *checks, *error;
} answer_cases[] = {
    { "an expression", "{\"answer\":{\"$regex\":\"^(a|b)+$\"}}", "abba",
        "[{\"field\":\"answer\",\"expected\":{\"$regex\":\"^(a|b)+$\"},\"actual\":\"abba\",\"passed\":true}]",
        NULL },
    { "an expression on numerals read", "{\"answer\":{\"$regex\":\"30[0]个\"}}", "三百个",
        "[{\"field\":\"answer\",\"expected\":{\"$regex\":\"30[0]个\"},\"actual\":\"三百个\",\"passed\":true}"
        "]",
        NULL },
    { "a literal with a colon", "{\"answer\":{\"$value\":\"08:30\"}}", "at 08:30",
        "[{\"field\":\"answer\",\"expected\":\"08:30\",\"actual\":\"at 08:30\",\"passed\":true}]", NULL },
    { "a length", "{\"apps\":[\"w\"],\"answer\":{\"$length\":\".l\"}}", "two or 2",
        "[{\"field\":\"answer\",\"expected\":2,\"actual\":\"two or 2\",\"passed\":true}]", NULL },
    { "a parameter", "{\"params\":{\"n\":7},\"answer\":\"{n}\"}", "7 of them",
        "[{\"field\":\"answer\",\"expected\":7,\"actual\":\"7 of them\",\"passed\":true}]", NULL },
    { "a path of a named app", "{\"apps\":[\"x\"],\"answer\":\"w:l[-1]\"}", "b",
        "[{\"field\":\"answer\",\"expected\":\"b\",\"actual\":\"b\",\"passed\":true}]", NULL },
    { "a path that leads nowhere wants null", "{\"apps\":[\"w\"],\"answer\":\".none\"}", "b",
        "[{\"field\":\"answer\",\"expected\":null,\"actual\":\"b\",\"passed\":false}]", NULL },
    { "no answer wanted", "{\"criteria\":{}}", "b", "[]", NULL },
    { "a malformed expression", "{\"answer\":{\"a\":{\"$regex\":\"(\"}}}", "b", NULL, "answer.a: $regex: " },
    { "a length of no path", "{\"answer\":{\"$length\":1}}", "b", NULL, "answer: $length: expected a path" },
    { "a malformed path", "{\"apps\":[\"w\"],\"answer\":\".l[\"}", "b", NULL, "answer: path, byte " },
};

static void answer_is_checked(void **state)
{
    const struct answer_case *one = *state;
    wd_value *task = json_of(one->task);
    wd_value *world = json_of("{\"apps\":{\"w\":{\"l\":[\"a\",\"b\"]}}}");
    wd_value *checks = wd_value_array();
    wd_answer_input input = { .task = task, .initial = world, .final = world, .spoken = one->said };
    wd_error error;
    wd_status status = wd_answer_check(&input, &checks, &error);
    if (one->checks != NULL) {
        assert_int_equal(status, WD_OK);
        assert_json(checks, one->checks);
    } else {
        assert_int_not_equal(status, WD_OK);
        assert_memory_equal(error.text, one->error, strlen(one->error));
    }
    wd_value_unref(&checks);
    wd_value_unref(&world);
    wd_value_unref(&task);
}

static void expressions_are_bounded(void **state)
{
    (void)state;
    char text[WD_ANSWER_PATTERN_MAX + 2];
    wd_value *given = NULL;
    assert_int_equal(wd_value_text("x", &given), WD_OK);
    for (size_t length = WD_ANSWER_PATTERN_MAX; length <= WD_ANSWER_PATTERN_MAX + 1; length++) {
        memset(text, 'a', length);
        text[length] = '\0';
        wd_value *wanted = NULL;
        bool match = true;
        assert_int_equal(wd_value_pack(&wanted, "{s:s}", "$regex", text), WD_OK);
        wd_status status = wd_answer_spoken(wanted, given, &match, NULL);
        assert_int_equal(status, length <= WD_ANSWER_PATTERN_MAX ? WD_OK : WD_ELIMIT);
        assert_false(match);
        wd_value_unref(&wanted);
    }
    wd_value_unref(&given);
}

/// Every matcher, and both ways to give an answer.
static const char sheet_task[] = "{\"apps\":[\"w\"],\"answer_fields\":[{}],\"expected_response\":[\"三体\",3,"
                                 "[\"2025-03-17\",\"2025-03-18\"],\"14:30\","
                                 "\"1小时30分\",{\"a\":[\"it's\",null]}]}";
static const char sheet_state[] =
    "{\"apps\":{\"answer_sheet\":{\"fields\":[{\"label\":\"n\"},{\"type\":\"number\"},{\"matcher\":\"date\","
    "\"repeatable\":true,\"compare\":\"set\"},{\"matcher\":\"time\"},{\"matcher\":\"duration\"},{}],"
    "\"answers\":{\"0\":\"3体\","
    "\"1\":\"3\",\"2\":[\"后天\",\"明天\"],\"3\":\"下午2:30\",\"4\":\"1:30\",\"5\":\"x\"},\"submitted\":true}"
    "}}";

static void fail_each_allocation(
    const char *task_text, const char *state_text, const char *said, bool grounded)
{
    wd_value *task = json_of(task_text);
    wd_value *world = json_of(state_text);
    wd_answer_input input = { .task = task,
        .initial = world,
        .final = world,
        .spoken = said,
        .grounded = grounded,
        .clock = { .known = true, .ms = 1742126400000 } };
    uint64_t live = wd_alloc_stats_get().bytes_live;
    bool done = false;
    for (long calls = 0; !done; calls++) {
        assert_in_range(calls, 0, 5000);
        wd_value *checks = wd_value_array();
        wd_alloc_fail_after(calls);
        wd_status status = wd_answer_check(&input, &checks, NULL);
        wd_alloc_fail_after(-1);
        done = status == WD_OK;
        assert_true(done || status == WD_ENOMEM);
        wd_value_unref(&checks);
        assert_true(wd_alloc_stats_get().bytes_live == live);
    }
    wd_value_unref(&world);
    wd_value_unref(&task);
}

static void every_allocation_fails_once(void **state)
{
    (void)state;
    fail_each_allocation(sheet_task, sheet_state, NULL, true);
    fail_each_allocation("{\"apps\":[\"w\"],\"criteria\":{\"a\":1},\"answer_fields\":[{}],\"answer\":\"x\"}",
        sheet_state, NULL, true);
    fail_each_allocation(
        "{\"apps\":[\"w\"],\"params\":{\"k\":\"b\"},\"answer\":{\"a\":\".l[k={k}].v\",\"b\":\"1.5万\"}}",
        "{\"apps\":{\"w\":{\"l\":[{\"k\":\"b\",\"v\":5}]}}}", "五 and 15000", false);
}

static void what_reads_the_state(void **state)
{
    (void)state;
    static const struct {
        const char *answer;
        bool reads;
    } rows[] = {
        { "\"Li Wei\"", false },
        { "7", false },
        { "null", false },
        { "\"{name}\"", false },
        { "\".a.b\"", true },
        { "\"app:a.b\"", true },
        { "{\"$regex\":\".a\"}", false },
        { "{\"$value\":\".a\"}", false },
        { "{\"$length\":\".a\"}", true },
        { "{\"who\":\"Li\",\"when\":\"noon\"}", false },
        { "{\"who\":\"Li\",\"when\":{\"start\":\".a\"}}", true },
    };
    for (size_t i = 0; i < WD_COUNT_OF(rows); i++) {
        wd_value *answer = json_of(rows[i].answer);
        assert_int_equal(wd_answer_reads_state(answer), rows[i].reads);
        wd_value_unref(&answer);
    }
    assert_false(wd_answer_reads_state(NULL));
}

int main(void)
{
    struct CMUnitTest tests[40] = {
        cmocka_unit_test(expressions_are_bounded),
        cmocka_unit_test(every_allocation_fails_once),
        cmocka_unit_test(what_reads_the_state),
    };
    size_t count = 3;
    for (size_t i = 0; i < WD_COUNT_OF(numeral_cases); i++) {
        tests[count++] = (struct CMUnitTest){ .name = numeral_cases[i].text,
            .test_func = numerals_are_read,
            .initial_state = (void *)(uintptr_t)&numeral_cases[i] };
    }
    for (size_t i = 0; i < WD_COUNT_OF(answer_cases); i++) {
        tests[count++] = (struct CMUnitTest){ .name = answer_cases[i].name,
            .test_func = answer_is_checked,
            .initial_state = (void *)(uintptr_t)&answer_cases[i] };
    }
    return _cmocka_run_group_tests("answers", tests, count, NULL, NULL);
}
