// The reader and the writer: what is taken and what refused with which words, kinds kept, numbers to the bit.
#include "json.h"

#include "tree/alloc.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>

// ---- taken ----------------------------------------------------------------------------------------------------

static const struct taken_case {
    const char *name, *text, *written;  // written NULL: as it stands
} taken_cases[] = {
    { "scalars", "[null,false,true,0,-1,\"\",[],{}]", NULL },
    { "ints to the edges",
        "[9223372036854775807,-9223372036854775808,1152921504606846975,1152921504606846976]", NULL },
    { "int past the edge is a double", "[9223372036854775808,-9223372036854775809]",
        "[9.223372036854776e+18,-9.223372036854776e+18]" },
    { "minus zero int", "-0", "0" },
    { "doubles keep their kind", "[1.0,-0.0,1e0,1E+2]", "[1.0,-0.0,1.0,100.0]" },
    { "shortest doubles",
        "[0.1,0.30000000000000004,1e16,1e15,1e-4,1e-5,123456.789,5e-324,1.7976931348623157e308]",
        "[0.1,0.30000000000000004,1e+16,1000000000000000.0,0.0001,1e-05,123456.789,5e-324,1."
        "7976931348623157e+308]" },
    { "correctly rounded",
        "[9007199254740993.0,2.2250738585072011e-308,0."
        "500000000000000166533453693773481063544750213623046875]",
        "[9007199254740992.0,2.225073858507201e-308,0.5000000000000002]" },
    { "too small is zero", "1e-400", "0.0" },
    { "blanks", " \t\r\n[ 1 ,\n2 ] ", "[1,2]" },
    { "escapes", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00e9\\ud83d\\ude00\"",
        "\"\\\"\\\\/\\b\\f\\n\\r\\tA\xc3\xa9\xf0\x9f\x98\x80\"" },
    { "control characters are written escaped", "\"\\u0001\\u001f\\u007f\"", "\"\\u0001\\u001f\x7f\"" },
    { "order of members", "{\"b\":1,\"a\":2,\"\":3}", NULL },
    { "escaped keys", "[{\"a\\u0062\":1},{\"ab\":2},{\"ab\":3,\"c\":4},{\"c\":5,\"ab\":6}]",
        "[{\"ab\":1},{\"ab\":2},{\"ab\":3,\"c\":4},{\"c\":5,\"ab\":6}]" },
};

static void is_taken(void **state)
{
    const struct taken_case *row = *state;
    wd_value *value = json_of(row->text);
    assert_json(value, row->written != NULL ? row->written : row->text);
    wd_value *again = json_of(row->written != NULL ? row->written : row->text);
    assert_true(wd_value_equal(value, again));
    wd_value_unref(&value);
    wd_value_unref(&again);
    assert_int_equal(wd_alloc_stats_get().bytes_live, 0);
}

// ---- refused --------------------------------------------------------------------------------------------------

static const struct refused_case {
    const char *name, *text;
    wd_status status;
    const char *error;
} refused_cases[] = {
    { "nothing", "", WD_EPARSE, "line 1, column 1: expected a value, found the end" },
    { "trailing bytes", "1 x", WD_EPARSE, "line 1, column 3: expected the end of the text" },
    { "second line", "{\n \"a\": tru}", WD_EPARSE, "line 2, column 7: expected a value" },
    { "duplicate key", "{\"a\":1,\"b\":2,\"a\":3}", WD_EPARSE, "line 1, column 14: duplicate key" },
    { "duplicate escaped key", "[{\"a\":1,\"\\u0061\":3}]", WD_EPARSE, "line 1, column 9: duplicate key" },
    { "duplicate key after a like object", "[{\"a\":1,\"b\":2},{\"a\":1,\"b\":2,\"a\":3}]", WD_EPARSE,
        "line 1, column 29: duplicate key" },
    { "no key", "{1:2}", WD_EPARSE, "line 1, column 2: expected a key in quotes" },
    { "no colon", "{\"a\" 1}", WD_EPARSE, "line 1, column 6: expected ':' after a key" },
    { "no comma in an object", "{\"a\":1 \"b\":2}", WD_EPARSE,
        "line 1, column 8: expected ',' or '}' after a member" },
    { "no comma in an array", "[1 2]", WD_EPARSE, "line 1, column 4: expected ',' or ']' after an element" },
    { "comma before the end", "[1,]", WD_EPARSE, "line 1, column 4: expected a value" },
    { "open string", "[\"abc", WD_EPARSE, "line 1, column 2: string without closing quote" },
    { "unknown escape", "\"\\x\"", WD_EPARSE, "line 1, column 3: unknown escape" },
    { "short unicode escape", "\"\\u12\"", WD_EPARSE,
        "line 1, column 3: expected four hex digits after \\u" },
    { "zero character", "\"\\u0000\"", WD_EPARSE, "line 1, column 3: \\u0000 is not allowed" },
    { "lone high surrogate", "\"\\ud83d\"", WD_EPARSE, "line 1, column 3: lone surrogate in \\u escape" },
    { "lone low surrogate", "\"\\ude00\"", WD_EPARSE, "line 1, column 3: lone surrogate in \\u escape" },
    { "raw control character", "\"a\tb\"", WD_EPARSE, "line 1, column 3: control character in string" },
    { "bad UTF-8", "\"ab\xff\"", WD_EUTF8, "line 1, column 4: invalid UTF-8" },
    { "overlong UTF-8", "\"\xc0\x80\"", WD_EUTF8, "line 1, column 2: invalid UTF-8" },
    { "surrogate in UTF-8", "\"\xed\xa0\x80\"", WD_EUTF8, "line 1, column 2: invalid UTF-8" },
    { "byte order mark", "\xef\xbb\xbf{}", WD_EPARSE, "line 1, column 1: expected a value" },
    { "leading zero", "01", WD_EPARSE, "line 1, column 2: a number has no leading zero" },
    { "point without digits", "1.", WD_EPARSE, "line 1, column 3: expected a digit" },
    { "exponent without digits", "1e+", WD_EPARSE, "line 1, column 4: expected a digit" },
    { "plus", "+1", WD_EPARSE, "line 1, column 1: expected a value" },
    { "minus alone", "-", WD_EPARSE, "line 1, column 2: expected a digit" },
    { "infinite", "1e400", WD_EPARSE, "line 1, column 1: number is beyond every double" },
    { "NaN", "NaN", WD_EPARSE, "line 1, column 1: expected a value" },
};

static void is_refused(void **state)
{
    const struct refused_case *row = *state;
    wd_value *value = NULL;
    wd_error error = { .text = "" };
    assert_int_equal(wd_json_parse(row->text, strlen(row->text), &value, &error), row->status);
    assert_null(value);
    assert_string_equal(error.text, row->error);
    assert_int_equal(error.status, row->status);
    assert_int_equal(wd_alloc_stats_get().bytes_live, 0);
}

// ---- limits, styles, numbers ----------------------------------------------------------------------------------

static void depth_has_an_edge(void **state)
{
    (void)state;
    char text[2 * (WD_VALUE_DEPTH_MAX + 1) + 1];
    for (size_t depth = WD_VALUE_DEPTH_MAX; depth <= WD_VALUE_DEPTH_MAX + 1; depth++) {
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        wd_value *value = NULL;
        wd_status status = wd_json_parse(text, 2 * depth, &value, NULL);
        assert_int_equal(status, depth > WD_VALUE_DEPTH_MAX ? WD_ELIMIT : WD_OK);
        if (value != NULL) {
            // One more level cannot be built around it either; nothing is changed by trying.
            wd_value *outer = wd_value_array(), *kept = value;
            assert_int_equal(wd_array_append(&outer, &value), WD_ELIMIT);
            assert_ptr_equal(value, kept);
            assert_int_equal(wd_array_count(outer), 0);
        }
        wd_value_unref(&value);
    }
}

static void styles_differ_in_blanks_and_order(void **state)
{
    (void)state;
    wd_value *value = json_of("{\"b\":[1,{}],\"a\":{\"c\":[]}}");
    static const char *const texts[] = { "{\"b\":[1,{}],\"a\":{\"c\":[]}}", "{\"a\":{\"c\":[]},\"b\":[1,{}]}",
        "{\n  \"b\": [\n    1,\n    {}\n  ],\n  \"a\": {\n    \"c\": []\n  }\n}" };
    for (int style = WD_JSON_COMPACT; style <= WD_JSON_PRETTY; style++) {
        wd_buffer buffer = { 0 };
        assert_int_equal(wd_json_write(value, (wd_json_style)style, &buffer), WD_OK);
        assert_string_equal(buffer.bytes, texts[style]);
        wd_buffer_done(&buffer);
    }
    wd_value_unref(&value);
}

static void prefix_says_how_much_it_read(void **state)
{
    (void)state;
    wd_value *value = NULL;
    size_t used = 0;
    assert_int_equal(wd_json_parse_prefix("{\"a\":1} \n[2]", 12, &value, &used, NULL), WD_OK);
    assert_int_equal(used, 9);
    assert_json(value, "{\"a\":1}");
    wd_value_unref(&value);
}

static void locale_does_not_matter(void **state)
{
    (void)state;
    if (setlocale(LC_NUMERIC, "de_DE.UTF-8") == NULL && setlocale(LC_NUMERIC, "fr_FR.UTF-8") == NULL) {
        print_message("skipped: no locale with a decimal comma is installed\n");
        return;
    }
    wd_value *value = json_of("[1.5,1.2345678901234567e-300]");
    assert_json(value, "[1.5,1.2345678901234567e-300]");
    wd_value_unref(&value);
    setlocale(LC_NUMERIC, "C");
}

static void random_doubles_read_back(void **state)
{
    (void)state;
    uint64_t bits = 0x243F6A8885A308D3u;
    for (int i = 0; i < 50000; i++) {
        bits = bits * 6364136223846793005u + 1442695040888963407u;
        uint64_t mixed = bits ^ bits >> 29;
        double number;
        memcpy(&number, &mixed, sizeof(number));
        if (!isfinite(number)) {
            continue;
        }
        char text[WD_DOUBLE_TEXT_SIZE];
        size_t length = wd_double_text(number, text);
        assert_int_equal(length, strlen(text));
        wd_value *value = json_of(text);
        double again = wd_value_as_double(value);
        assert_memory_equal(&again, &number, sizeof(number));
        wd_value_unref(&value);
    }
}

int main(void)
{
    struct CMUnitTest tests[WD_COUNT_OF(taken_cases) + WD_COUNT_OF(refused_cases) + 5];
    size_t count = 0;
    for (size_t i = 0; i < WD_COUNT_OF(taken_cases); i++) {
        tests[count++] = (struct CMUnitTest){ .name = taken_cases[i].name,
            .test_func = is_taken,
            .initial_state = (void *)(uintptr_t)&taken_cases[i] };
    }
    for (size_t i = 0; i < WD_COUNT_OF(refused_cases); i++) {
        tests[count++] = (struct CMUnitTest){ .name = refused_cases[i].name,
            .test_func = is_refused,
            .initial_state = (void *)(uintptr_t)&refused_cases[i] };
    }
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(depth_has_an_edge);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(styles_differ_in_blanks_and_order);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(prefix_says_how_much_it_read);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(locale_does_not_matter);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(random_doubles_read_back);
    return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
