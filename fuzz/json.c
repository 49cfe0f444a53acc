// json.c - the reader against jansson, and what was read against what is written. docs/state-tree.md has the table
// of what one accepts and the other refuses.
#include "fuzz.h"

#include <jansson.h>

static void assert_same(const wd_value *ours, const json_t *theirs)
{
    switch (json_typeof(theirs)) {
    case JSON_NULL:
        wd_assert(wd_value_is(ours, WD_KIND_NULL));
        return;
    case JSON_TRUE:
    case JSON_FALSE:
        wd_assert(wd_value_is(ours, WD_KIND_BOOL) && wd_value_as_bool(ours) == json_is_true(theirs));
        return;
    case JSON_INTEGER:
        wd_assert(wd_value_is(ours, WD_KIND_INT) && wd_value_as_int(ours) == json_integer_value(theirs));
        return;
    case JSON_REAL:
        wd_assert(wd_value_is(ours, WD_KIND_DOUBLE) && wd_value_as_double(ours) == json_real_value(theirs));
        return;
    case JSON_STRING: {
        size_t length;
        const char *text = wd_value_as_string(ours, &length);
        wd_assert(
            length == json_string_length(theirs) && memcmp(text, json_string_value(theirs), length) == 0);
        return;
    }
    case JSON_ARRAY:
        wd_assert(wd_array_count(ours) == json_array_size(theirs));
        break;
    case JSON_OBJECT:
        wd_assert(wd_object_count(ours) == json_object_size(theirs));
        break;
    }
    wd_iter iter = wd_iter_start(ours);
    while (wd_iter_next(&iter)) {
        const json_t *child =
            iter.key != NULL ? json_object_get(theirs, iter.key) : json_array_get(theirs, iter.index);
        wd_assert(child != NULL);
        assert_same(iter.value, child);
    }
}

static void assert_reads_back(const wd_value *value)
{
    for (int style = WD_JSON_COMPACT; style <= WD_JSON_PRETTY; style++) {
        wd_buffer text = { 0 };
        wd_value *again = NULL;
        fuzz_print(value, (wd_json_style)style, &text);
        wd_assert(wd_json_parse(text.bytes, text.length, &again, NULL) == WD_OK);
        wd_assert(wd_value_equal(value, again));
        wd_assert(wd_digest_equal(wd_value_digest(value), wd_value_digest(again)));
        if (style != WD_JSON_CANONICAL) {
            fuzz_assert_prints_alike(value, again);
        }
        wd_value_unref(&again);
        wd_buffer_done(&text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    wd_error ours_error = { .text = "" };
    json_error_t theirs_error;
    wd_value *ours = NULL;
    wd_status status = wd_json_parse((const char *)data, size, &ours, &ours_error);
    json_t *theirs =
        json_loadb((const char *)data, size, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &theirs_error);
    if (ours != NULL && theirs != NULL) {
        assert_same(ours, theirs);
    } else if (ours != NULL) {
        wd_assert(strncmp(theirs_error.text, "too big", 7) == 0);  // an integer literal beyond int64
    } else if (theirs != NULL) {
        // Nested deeper than WD_VALUE_DEPTH_MAX, or jansson took a zero byte for the end.
        wd_assert(status == WD_ELIMIT || memchr(data, 0, size) != NULL);
    }
    wd_assert(ours != NULL || strncmp(ours_error.text, "line ", 5) == 0);
    if (ours != NULL) {
        assert_reads_back(ours);
    }
    json_decref(theirs);
    wd_value_unref(&ours);
    fuzz_assert_clean();
    return 0;
}
