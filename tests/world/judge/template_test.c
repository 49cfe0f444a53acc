// Brace formatting, row by row.
#include "judge/template.h"

#include "json.h"

static const struct format_case {
    const char *text, *result;  // NULL: refused
    wd_status status;
} format_cases[] = {
    { "plain", "plain", WD_OK },
    { "{n}-{s}", "7-ab", WD_OK },
    { "{{n}}", "{n}", WD_OK },
    { "{t} {z}", "True None", WD_OK },
    { "{n:03d}|{n:>4}|{n:<4}|{n:^5}|{n:+}", "007|   7|7   |  7  |+7", WD_OK },
    { "{m:05d}|{m:x}|{b:,}", "-0012|-c|1,234,567", WD_OK },
    { "{f:.2f}|{f:.0%}|{f}|{b:.1f}", "0.50|50%|0.5|1234567.0", WD_OK },
    { "{s:>5}|{s:*^6}|{s:.1}|{s!s:>3}", "   ab|**ab**|a| ab", WD_OK },
    { "{名:名>3}", "名名x", WD_OK },
    { "{f:08.3f}", "0000.500", WD_OK },
    { "{n:}", "7", WD_OK },
    { "{nope}", NULL, WD_ENOENT },
    { "{}", NULL, WD_EPARSE },
    { "{0}", NULL, WD_EPARSE },
    { "{n", NULL, WD_EPARSE },
    { "n}", NULL, WD_EPARSE },
    { "{n.real}", NULL, WD_EPARSE },
    { "{n!r}", NULL, WD_EPARSE },
    { "{n:q}", NULL, WD_EPARSE },
    { "{s:d}", NULL, WD_EPARSE },
    { "{f:d}", NULL, WD_EPARSE },
    { "{n:1001}", NULL, WD_EPARSE },
    { "{n:{n}}", NULL, WD_EPARSE },
};

static void is_formatted(void **state)
{
    const struct format_case *one = *state;
    wd_value *params = json_of(
        "{\"n\":7,\"m\":-12,\"b\":1234567,\"f\":0.5,\"s\":\"ab\",\"t\":true,\"z\":null,\"名\":\"x\"}");
    wd_buffer buffer = { 0 };
    wd_error error;
    wd_status status = wd_template_format(one->text, strlen(one->text), params, &buffer, &error);
    assert_int_equal(status, one->status);
    if (one->result != NULL) {
        assert_string_equal(buffer.bytes, one->result);
    }
    wd_buffer_done(&buffer);
    wd_value_unref(&params);
}

static void widest_field_is_formatted(void **state)
{
    (void)state;
    wd_value *params = json_of("{\"n\":7,\"f\":1e308}");
    wd_buffer buffer = { 0 };
    static const char text[] = "{n:1000}{f:.1000f}";
    assert_int_equal(wd_template_format(text, sizeof text - 1, params, &buffer, NULL), WD_OK);
    assert_int_equal(buffer.length, 1000 + 309 + 1 + 1000);
    wd_buffer_done(&buffer);
    wd_value_unref(&params);
}

int main(void)
{
    struct CMUnitTest tests[40] = { cmocka_unit_test(widest_field_is_formatted) };
    size_t count = 1;
    for (size_t i = 0; i < WD_COUNT_OF(format_cases); i++) {
        tests[count++] = (struct CMUnitTest){ .name = format_cases[i].text,
            .test_func = is_formatted,
            .initial_state = (void *)(uintptr_t)&format_cases[i] };
    }
    return _cmocka_run_group_tests("template", tests, count, NULL, NULL);
}
