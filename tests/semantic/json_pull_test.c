// Foreign JSON, token by token: lenient about characters, strict about structure.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "json_pull.h"

/// Tokens as a line: { } [ ] T F N, numbers, 'texts', key: before a member.
static void spell(const char *input, char *out, size_t size, size_t *ret_replaced)
{
    wd_pull pull;
    wd_error error = { .status = WD_OK };
    wd_pull_init(&pull, wd_span_of(input), &error);
    size_t at = 0;
    for (wd_pull_token token = wd_pull_next(&pull); token != WD_PULL_DONE; token = wd_pull_next(&pull)) {
        if (pull.key[0] != '\0') {
            at += (size_t)snprintf(out + at, size - at, "%s:", pull.key);
        }
        static const char *const marks[] = { "!", "", "{ ", "} ", "[ ", "] ", "", "", "T ", "F ", "N " };
        if (token == WD_PULL_STRING) {
            at += (size_t)snprintf(out + at, size - at, "'%.*s' ", (int)pull.text.length, pull.text.at);
        } else if (token == WD_PULL_NUMBER) {
            at += (size_t)snprintf(out + at, size - at, "%g ", pull.number);
        } else {
            at += (size_t)snprintf(out + at, size - at, "%s", marks[token]);
        }
        if (token == WD_PULL_ERROR) {
            snprintf(out + at, size - at, "%s", error.text);
            break;
        }
    }
    *ret_replaced = pull.replaced;
    wd_pull_done(&pull);
}

static const struct pull_case {
    const char *name, *input, *tokens;
    size_t replaced;
} pull_cases[] = {
    { "every kind of value", "{\"a\":[1,-2.5e2,\"x\",true,false,null],\"b\":{}}",
        "{ a:[ 1 -250 'x' T F N ] b:{ } } ", 0 },
    { "a lone value", " 7 ", "7 ", 0 },
    { "Python's words and quotes", "{'a': True, \"b\": None, 'c': 'it\\'s'}", "{ a:T b:N c:'it's' } ", 0 },
    { "a comma at the end", "[1,]", "[ 1 ] ", 0 },
    { "escapes", "[\"\\n\\t\\\\\\/\\u0041\\x42\"]", "[ '\n\t\\/AB' ] ", 0 },
    { "a surrogate pair is one character", "[\"\\ud83d\\ude00\"]", "[ '\xF0\x9F\x98\x80' ] ", 0 },
    { "a lone surrogate is replaced", "[\"a\\ud83dz\"]", "[ 'a\xEF\xBF\xBDz' ] ", 1 },
    { "a NUL is replaced", "[\"\\u0000\"]", "[ '\xEF\xBF\xBD' ] ", 1 },
    { "a byte that is no UTF-8 is replaced", "[\"a\xFFz\"]", "[ 'a\xEF\xBF\xBDz' ] ", 1 },
    { "not a number is null", "[NaN,-Infinity]", "[ N N ] ", 0 },
    { "a string without end is an error", "[\"a", "[ !JSON: a string without end at byte 2", 0 },
    { "an end too early is an error", "{\"a\":", "{ a:!JSON: the text ends too early at byte 5", 0 },
    { "a wrong bracket is an error", "[1}", "[ 1 !JSON: a bracket that closes nothing at byte 2", 0 },
    { "a missing comma is an error", "[1 2]", "[ 1 !JSON: a comma expected at byte 3", 0 },
    { "a missing colon is an error", "{\"a\" 1}", "{ a:!JSON: a colon expected at byte 5", 0 },
    { "a name that is no string is an error", "{1:2}", "{ !JSON: a member's name expected at byte 1", 0 },
    { "a word we do not know is an error", "[foo]", "[ !JSON: a value expected at byte 1", 0 },
    { "nothing is an error", "", "!JSON: the text ends too early at byte 0", 0 },
};

static void tokens_are_read(void **state)
{
    const struct pull_case *row = *state;
    char spelled[512] = "";
    size_t replaced = 0;
    spell(row->input, spelled, sizeof spelled, &replaced);
    assert_string_equal(spelled, row->tokens);
    assert_int_equal(replaced, row->replaced);
}

static void members_not_read_are_skipped(void **state)
{
    (void)state;
    wd_pull pull;
    wd_pull_init(&pull, wd_span_of("{\"a\":{\"x\":[1,{\"y\":2}]},\"b\":[[],[3]],\"c\":4}"), NULL);
    assert_int_equal(wd_pull_next(&pull), WD_PULL_OBJECT);
    wd_pull_scope scope = wd_pull_enter(&pull);
    char keys[8] = "";
    while (wd_pull_more(&pull, scope)) {
        strcat(keys, pull.key);
    }
    assert_string_equal(keys, "abc");
    assert_int_equal(wd_pull_finish(&pull), WD_OK);
    wd_pull_done(&pull);
}

static void text_after_the_end_is_an_error(void **state)
{
    (void)state;
    wd_pull pull;
    wd_error error;
    wd_pull_init(&pull, wd_span_of("[1] x"), &error);
    assert_int_equal(wd_pull_next(&pull), WD_PULL_ARRAY);
    assert_int_equal(wd_pull_finish(&pull), WD_ECORRUPT);
    assert_string_equal(error.text, "JSON: text after the end at byte 4");
    wd_pull_done(&pull);
}

int main(void)
{
    struct CMUnitTest tests[2 + WD_COUNT_OF(pull_cases)] = {
        cmocka_unit_test(members_not_read_are_skipped),
        cmocka_unit_test(text_after_the_end_is_an_error),
    };
    for (size_t i = 0; i < WD_COUNT_OF(pull_cases); i++) {
        void *row = (void *)(uintptr_t)&pull_cases[i];
        tests[2 + i] = (struct CMUnitTest){ pull_cases[i].name, tokens_are_read, NULL, NULL, row };
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
