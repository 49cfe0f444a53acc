/// Tests semantic/src/loose.c. Needs world/tree.
#include "loose.h"

#include "json.h"

static const struct row {
    const char *name, *text, *printed;  // printed NULL: refused
} rows[] = {
    { "JSON", "{\"a\":[1,-2.5,true,null,\"x\"],\"b\":{}}", "{\"a\":[1,-2.5,true,null,\"x\"],\"b\":{}}" },
    { "Python", "{'a': True, 'b': None, 'c': (1, 2), 'd': 'it\\'s'}",
        "{\"a\":true,\"b\":null,\"c\":[1,2],\"d\":\"it's\"}" },
    { "bare key", "{action: \"x\"}", "{\"action\":\"x\"}" },
    { "trailing comma", "[1,2,]", "[1,2]" },
    { "repeated key: the last one", "{\"a\":1,\"a\":2}", "{\"a\":2}" },
    { "inner quotes of a member", "{\"a\":\"say \"hi\", ok\",\"b\":1}",
        "{\"a\":\"say \\\"hi\\\", ok\",\"b\":1}" },
    { "inner quotes of an element", "[\"a \"b\" c\",\"d\"]", "[\"a \\\"b\\\" c\",\"d\"]" },
    { "inner apostrophe", "{'a': 'it's'}", "{\"a\":\"it's\"}" },
    { "escapes", "[\"\\n\\t\\\\\\/\\u00e9\\x41\\q\"]", "[\"\\n\\t\\\\/\303\251A\\\\q\"]" },
    { "surrogate pair", "[\"\\ud83d\\ude00\"]", "[\"\360\237\230\200\"]" },
    { "lone surrogate", "[\"\\ud83dx\"]", "[\"\357\277\275x\"]" },
    { "U+0000", "[\"a\\u0000b\"]", "[\"a\357\277\275b\"]" },
    { "no UTF-8", "[\"a\303(\"]", "[\"a\357\277\275(\"]" },
    { "raw newline", "[\"a\nb\"]", "[\"a\\nb\"]" },
    { "large integers stay exact", "[9223372036854775807]", "[9223372036854775807]" },
    { "NaN is null", "[NaN,-Infinity]", "[null,null]" },
    { "no value", "[1,,2]", NULL },
    { "unclosed", "{\"a\":1", NULL },
    { "unclosed string", "{\"a\":\"x", NULL },
    { "word", "{\"a\":hello}", NULL },
    { "hex", "[0x10]", NULL },
    { "not a container", "5", NULL },
    { "text after it", "{} x", NULL },
    { "empty", "", NULL },
};

static void reads_or_refuses(void **state)
{
    const struct row *row = *state;
    wd_value *value = NULL;
    wd_error error = { .text = "" };
    wd_status status = wd_loose_parse(row->text, strlen(row->text), &value, NULL, &error);
    if (row->printed == NULL) {
        assert_int_equal(status, WD_EPARSE);
        assert_int_equal(strncmp(error.text, "byte ", 5), 0);
        assert_null(value);
        return;
    }
    if (status != WD_OK) {
        fail_msg("%s", error.text);
    }
    assert_json(value, row->printed);
    wd_value_unref(&value);
}

static void depth_is_bounded(void **state)
{
    (void)state;
    enum { MAX = WD_LOOSE_DEPTH_MAX };
    char text[2 * (MAX + 1)];
    wd_value *value = NULL;
    memset(text, '[', MAX);
    memset(text + MAX, ']', MAX);
    assert_int_equal(wd_loose_parse(text, 2 * MAX, &value, NULL, NULL), WD_OK);
    wd_value_unref(&value);
    memset(text, '[', MAX + 1);
    memset(text + MAX + 1, ']', MAX + 1);
    assert_int_equal(wd_loose_parse(text, 2 * (MAX + 1), &value, NULL, NULL), WD_ELIMIT);
}

static void last_object_is_found(void **state)
{
    (void)state;
    static const char text[] = "a {\"x\":1} {broken {\"y\":{\"z\":2}} tail {";
    wd_value *value = NULL;
    size_t start = 0;
    size_t end = 0;
    assert_int_equal(wd_loose_last_object(text, sizeof text - 1, &value, &start, &end), WD_OK);
    assert_non_null(wd_object_get(value, "y"));
    assert_int_equal(start, strstr(text, "{\"y\"") - text);
    assert_int_equal(end, strstr(text, " tail") - text);
    wd_value_unref(&value);
    assert_int_equal(wd_loose_last_object("[1] {", 5, &value, &start, &end), WD_ENOENT);
}

int main(void)
{
    enum { RULES = 2, ROWS = WD_COUNT_OF(rows) };
    struct CMUnitTest tests[RULES + ROWS] = { cmocka_unit_test(depth_is_bounded),
        cmocka_unit_test(last_object_is_found) };
    for (size_t i = 0; i < ROWS; i++) {
        tests[RULES + i] = (struct CMUnitTest){
            .name = rows[i].name, .test_func = reads_or_refuses, .initial_state = (void *)(uintptr_t)&rows[i]
        };
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
