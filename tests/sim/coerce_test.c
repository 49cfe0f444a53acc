// How loosely typed input is read (coerce.c), and texts of times (time_text.c).
#include "coerce.h"
#include "time_text.h"

#include "vectors.h"

#include <math.h>

static const struct form {
    const char *name, *value;  // value: JSON, NULL is absent
    bool truthy;
    const char *text;
    double number;  // NAN: reads as none
    int flag;       // -1: reads as none
} forms[] = {
    { "absent", NULL, false, "", NAN, -1 },
    { "null", "null", false, "", 0, -1 },
    { "true", "true", true, "true", 1, 1 },
    { "false", "false", false, "false", 0, 0 },
    { "zero", "0", false, "0", 0, -1 },
    { "an integral double", "5.0", true, "5", 5, -1 },
    { "a fraction", "-2.5", true, "-2.5", -2.5, -1 },
    { "an empty text", "\"\"", false, "", 0, -1 },
    { "a blank text", "\" \\u00a0\\u3000\"", true, " \u00a0\u3000", 0, -1 },
    { "a numeric text", "\" 40 \"", true, " 40 ", 40, -1 },
    { "the text 1", "\"1\"", true, "1", 1, 1 },
    { "the text off", "\"off\"", true, "off", NAN, 0 },
    { "the text ON", "\"ON\"", true, "ON", NAN, -1 },
    { "a hexadecimal text", "\"0x10\"", true, "0x10", NAN, -1 },
    { "a text of infinity", "\"inf\"", true, "inf", NAN, -1 },
    { "a list", "[1]", true, "[1]", NAN, -1 },
};

static void form_reads(void **state)
{
    const struct form *row = *state;
    wd_value *value = row->value != NULL ? json_of(row->value) : NULL, *text = NULL;
    assert_int_equal(wd_truthy(value), row->truthy);
    assert_int_equal(wd_text_form(value, &text), WD_OK);
    assert_string_equal(wd_value_as_string(text, NULL), row->text);
    double number = 0;
    assert_int_equal(wd_number_form(value, &number), !isnan(row->number));
    if (!isnan(row->number)) {
        assert_true(number == row->number);
    }
    bool flag = false;
    assert_int_equal(wd_flag_form(value, &flag), row->flag >= 0);
    if (row->flag >= 0) {
        assert_int_equal(flag, row->flag);
    }
    wd_value_unref(&value);
    wd_value_unref(&text);
}

static void trimming_knows_wide_blanks(void **state)
{
    (void)state;
    const char *text = "\u2003\t a b\u3000\n";
    assert_true(wd_slice_is(wd_slice_trim(text, strlen(text)), "a b"));
    assert_int_equal(wd_slice_trim("\u00a0", 2).length, 0);
    assert_true(wd_slice_is(wd_slice_trim("é", 2), "é"));
}

static void rounding_is_half_up_and_clamped(void **state)
{
    (void)state;
    assert_int_equal(wd_clamp_round(0.5, 0, 4), 1);
    assert_int_equal(wd_clamp_round(-0.5, -4, 4), 0);
    assert_int_equal(wd_clamp_round(4.49, 0, 4), 4);
    assert_int_equal(wd_clamp_round(1e300, 0, 4), 4);
    assert_int_equal(wd_clamp_round(-1e300, 0, 4), 0);
}

static const struct date {
    const char *name, *text;
    int64_t time_ms;  // -1: none
} dates[] = {
    { "the first moment", "1970-01-01T00:00:00Z", 0 },
    { "a bare date is local", "1970-01-02", 57600000 },
    { "a leap day", "2024-02-29 08:00", 1709164800000 },
    { "with a fraction", "2024-02-29T08:00:00.5", 1709164800500 },
    { "another zone", "2024-02-29T01:00:00+01:00", 1709164800000 },
    { "24 o'clock is the next day", "2024-02-28 24:00", 1709136000000 },
    { "no month 13", "2024-13-01", -1 },
    { "no day 0", "2024-01-00", -1 },
    { "no minute 60", "2024-01-01 00:60", -1 },
    { "a rest", "2024-01-01x", -1 },
    { "nothing", "", -1 },
};

static void date_reads(void **state)
{
    const struct date *row = *state;
    int64_t time = 0;
    wd_slice text = { row->text, strlen(row->text) };
    bool read = wd_time_parse(text, 480, &time);
    assert_int_equal(read, row->time_ms >= 0);
    if (read) {
        assert_int_equal(time, row->time_ms);
    }
}

static void dates_go_there_and_back(void **state)
{
    (void)state;
    for (int64_t day = -800000; day < 3000000; day += 997) {
        int64_t time = day * INT64_C(86400000) + 3723004;
        wd_civil date = wd_civil_local(time, -570);
        const int64_t parts[7] = { date.year, date.month, date.day, date.hour, date.minute, date.second,
            date.ms };
        assert_int_equal(wd_time_of_parts(parts, -570), time);
    }
}

int main(void)
{
    enum { FORMS = WD_COUNT_OF(forms), DATES = WD_COUNT_OF(dates) };
    struct CMUnitTest tests[FORMS + DATES + 3] = { cmocka_unit_test(trimming_knows_wide_blanks),
        cmocka_unit_test(rounding_is_half_up_and_clamped), cmocka_unit_test(dates_go_there_and_back) };
    for (size_t i = 0; i < FORMS; i++) {
        tests[3 + i] = (struct CMUnitTest){
            .name = forms[i].name, .test_func = form_reads, .initial_state = (void *)(uintptr_t)&forms[i]
        };
    }
    for (size_t i = 0; i < DATES; i++) {
        tests[3 + FORMS + i] = (struct CMUnitTest){
            .name = dates[i].name, .test_func = date_reads, .initial_state = (void *)(uintptr_t)&dates[i]
        };
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
