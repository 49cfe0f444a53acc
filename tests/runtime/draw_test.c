// Draws are the same on every machine: golden numbers, and texts by pattern as rows.
#include "json.h"

#include "runtime/draw.h"

static void numbers_are_those_of_splitmix64(void **state)
{
    (void)state;
    wd_draw draw = { 0 };
    assert_true(wd_draw_next(&draw) == UINT64_C(0xE220A8397B1DCDAF));
    assert_true(wd_draw_next(&draw) == UINT64_C(0x6E789E6AA1B965F4));
    assert_true(wd_draw_next(&draw) == UINT64_C(0x06C45D188009454F));
}

static void every_number_below_a_bound_comes(void **state)
{
    (void)state;
    wd_draw draw = { 7 };
    unsigned seen[6] = { 0 };
    for (int i = 0; i < 6000; i++) {
        uint64_t number = wd_draw_below(&draw, 6);
        assert_true(number < 6);
        seen[number] += 1;
        double unit = wd_draw_unit(&draw);
        assert_true(unit >= 0 && unit < 1);
    }
    for (size_t i = 0; i < WD_COUNT_OF(seen); i++) {
        assert_in_range(seen[i], 850, 1150);
    }
    assert_true(wd_draw_below(&draw, 1) == 0);
    assert_true(wd_draw_below(&draw, UINT64_MAX) < UINT64_MAX);
}

static const struct text_case {
    const char *name, *pattern, *text;  // NULL: refused
} text_cases[] = {
    { "plain characters", "abc", "abc" },
    { "nothing", "", "" },
    { "an escaped one", "\\[\\\\", "[\\" },
    { "a set of one, repeated", "[x]{3}", "xxx" },
    { "a hyphen at the end of a set", "[-]{2}", "--" },
    { "repeated zero times", "a{0}b", "b" },
    { "a set that does not end", "[ab", NULL },
    { "an empty set", "[]", NULL },
    { "a range that falls", "[z-a]", NULL },
    { "a repetition without a number", "a{}", NULL },
    { "a repetition that does not end", "a{3", NULL },
    { "more than can be repeated", "a{1001}", NULL },
    { "an escape at the end", "a\\", NULL },
};

static void text_follows_its_pattern(void **state)
{
    const struct text_case *row = *state;
    wd_draw draw = { 1 };
    wd_value *text = NULL;
    wd_error error;
    wd_status status = wd_draw_text(&draw, row->pattern, &text, &error);
    if (row->text == NULL) {
        assert_int_equal(status, WD_EPARSE);
        assert_null(text);
        return;
    }
    assert_int_equal(status, WD_OK);
    assert_string_equal(wd_value_as_string(text, NULL), row->text);
    wd_value_unref(&text);
}

static void digits_and_ranges_are_drawn(void **state)
{
    (void)state;
    wd_draw draw = { 1 };
    wd_value *text = NULL;
    wd_error error;
    assert_int_equal(wd_draw_text(&draw, "1[3-5]\\d{1000}", &text, &error), WD_OK);
    size_t length = 0;
    const char *bytes = wd_value_as_string(text, &length);
    assert_int_equal(length, 1002);
    assert_in_range(bytes[1], '3', '5');
    assert_int_equal(strspn(bytes, "0123456789"), 1002);
    wd_value_unref(&text);
}

int main(void)
{
    struct CMUnitTest tests[WD_COUNT_OF(text_cases) + 3] = {
        cmocka_unit_test(numbers_are_those_of_splitmix64),
        cmocka_unit_test(every_number_below_a_bound_comes),
        cmocka_unit_test(digits_and_ranges_are_drawn),
    };
    for (size_t i = 0; i < WD_COUNT_OF(text_cases); i++) {
        tests[i + 3] = (struct CMUnitTest){ .name = text_cases[i].name,
            .test_func = text_follows_its_pattern,
            .initial_state = (void *)(uintptr_t)&text_cases[i] };
    }
    return cmocka_run_group_tests_name("draw", tests, NULL, NULL);
}
