/// json.h - trees from literals and text from trees, for tests.
#ifndef SUPPORT_JSON_H
#define SUPPORT_JSON_H

#include "tree/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

/// Parse a literal; the test fails when it is no JSON. A new reference.
static inline wd_value *json_of(const char *text)
{
    wd_value *value = NULL;
    wd_error error;
    if (wd_json_parse(text, strlen(text), &value, &error) != WD_OK) {
        fail_msg("%s: %s", text, error.text);
    }
    return value;
}

/// Compact text in insertion order; free() it.
static inline char *text_of(const wd_value *value)
{
    wd_buffer buffer = { 0 };
    assert_int_equal(wd_json_write(value, WD_JSON_COMPACT, &buffer), WD_OK);
    char *text = strdup(buffer.bytes);
    wd_buffer_done(&buffer);
    return text;
}

/// The tree prints as `text`, members in order.
static inline void assert_json(const wd_value *value, const char *text)
{
    char *own = text_of(value);
    assert_string_equal(own, text);
    free(own);
}

#endif
