#include "coerce.h"

#include "tree/patch.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

size_t wd_utf8_char(const char *text, size_t length)
{
    unsigned char first = (unsigned char)text[0];
    size_t size = first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    return size <= length ? size : length;
}

// The white space that JavaScript trims: what trimming means in os.md.
static const char *const wide_spaces[] = { "\u00a0", "\u1680", "\u2000", "\u2001", "\u2002", "\u2003",
    "\u2004", "\u2005", "\u2006", "\u2007", "\u2008", "\u2009", "\u200a", "\u2028", "\u2029", "\u202f",
    "\u205f", "\u3000", "\ufeff" };

static size_t space_at(const char *text, size_t length)
{
    if (length == 0) {
        return 0;
    }
    if ((unsigned char)text[0] < 0x80) {
        return text[0] == ' ' || (text[0] >= '\t' && text[0] <= '\r') ? 1 : 0;
    }
    for (size_t i = 0; i < WD_COUNT_OF(wide_spaces); i++) {
        size_t size = strlen(wide_spaces[i]);
        if (size <= length && memcmp(text, wide_spaces[i], size) == 0) {
            return size;
        }
    }
    return 0;
}

wd_slice wd_slice_trim(const char *text, size_t length)
{
    for (size_t size; (size = space_at(text, length)) > 0;) {
        text += size;
        length -= size;
    }
    while (length > 0) {
        size_t start = length - 1;  // of the last character
        while (start > 0 && ((unsigned char)text[start] & 0xc0) == 0x80) {
            start--;
        }
        if (space_at(text + start, length - start) != length - start) {
            break;
        }
        length = start;
    }
    return (wd_slice){ text, length };
}

wd_slice wd_trimmed(const wd_value *text)
{
    if (!wd_value_is(text, WD_KIND_STRING)) {
        return (wd_slice){ "", 0 };
    }
    size_t length = 0;
    const char *bytes = wd_value_as_string(text, &length);
    return wd_slice_trim(bytes, length);
}

bool wd_slice_is(wd_slice slice, const char *text)
{
    return strlen(text) == slice.length && memcmp(slice.bytes, text, slice.length) == 0;
}

static char fold(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool wd_slice_contains_folded(wd_slice slice, wd_slice needle)
{
    for (size_t at = 0; at + needle.length <= slice.length; at++) {
        size_t same = 0;
        while (same < needle.length && fold(slice.bytes[at + same]) == fold(needle.bytes[same])) {
            same++;
        }
        if (same == needle.length) {
            return true;
        }
    }
    return false;
}

wd_status wd_slice_value(wd_slice slice, wd_value **ret_text)
{
    return wd_value_string(slice.bytes, slice.length, ret_text);
}

bool wd_truthy(const wd_value *value)
{
    if (value == NULL) {
        return false;
    }
    switch (wd_value_kind(value)) {
    case WD_KIND_NULL:
        return false;
    case WD_KIND_BOOL:
        return wd_value_as_bool(value);
    case WD_KIND_INT:
    case WD_KIND_DOUBLE:
        return wd_value_as_double(value) != 0;
    case WD_KIND_STRING:
        return wd_value_as_string(value, NULL)[0] != '\0';
    case WD_KIND_ARRAY:
    case WD_KIND_OBJECT:
        break;
    }
    return true;
}

wd_status wd_value_number(double number, wd_value **ret_number)
{
    // 2^53: beyond it a double names no single integer.
    if (number == floor(number) && fabs(number) <= 9007199254740992.0) {
        return wd_value_int((int64_t)number, ret_number);
    }
    return wd_value_double(number, ret_number);
}

wd_status wd_text_form(const wd_value *value, wd_value **ret_text)
{
    if (value == NULL || wd_value_is(value, WD_KIND_NULL)) {
        return wd_value_text("", ret_text);
    }
    if (wd_value_is(value, WD_KIND_STRING)) {
        *ret_text = wd_value_ref(value);
        return WD_OK;
    }
    wd_value *whole = NULL;
    wd_status status = WD_OK;
    if (wd_value_is(value, WD_KIND_DOUBLE)) {
        status = wd_value_number(wd_value_as_double(value), &whole);
    }
    wd_buffer buffer = { 0 };
    if (status == WD_OK) {
        status = wd_json_write(whole != NULL ? whole : value, WD_JSON_COMPACT, &buffer);
    }
    if (status == WD_OK) {
        status = wd_value_string(buffer.bytes, buffer.length, ret_text);
    }
    wd_buffer_done(&buffer);
    wd_value_unref(&whole);
    return status;
}

bool wd_numeric_text(wd_slice text, double *ret_number)
{
    char digits[64];
    text = wd_slice_trim(text.bytes, text.length);
    if (text.length == 0 || text.length >= sizeof(digits) ||
        strspn(text.bytes, "+-.0123456789eE") < text.length) {
        return false;
    }
    memcpy(digits, text.bytes, text.length);
    digits[text.length] = '\0';
    char *end = NULL;
    double number = strtod(digits, &end);
    if (*end != '\0' || !isfinite(number)) {
        return false;
    }
    *ret_number = number;
    return true;
}

bool wd_number_form(const wd_value *value, double *ret_number)
{
    if (value == NULL) {
        return false;
    }
    if (wd_value_is_number(value)) {
        *ret_number = wd_value_as_double(value);
        return true;
    }
    if (wd_value_is(value, WD_KIND_STRING)) {
        wd_slice text = wd_trimmed(value);
        if (text.length > 0) {
            return wd_numeric_text(text, ret_number);
        }
        *ret_number = 0;
        return true;
    }
    if (wd_value_is(value, WD_KIND_NULL) || wd_value_is(value, WD_KIND_BOOL)) {
        *ret_number = wd_truthy(value) ? 1 : 0;
        return true;
    }
    return false;
}

int64_t wd_clamp_round(double number, int64_t low, int64_t high)
{
    double rounded = floor(number + 0.5);
    if (rounded <= (double)low) {
        return low;
    }
    return rounded >= (double)high ? high : (int64_t)rounded;
}

bool wd_flag_form(const wd_value *value, bool *ret_flag)
{
    static const char *const texts[] = { "false", "true", "0", "1", "off", "on" };
    if (wd_value_is(value, WD_KIND_BOOL)) {
        *ret_flag = wd_value_as_bool(value);
        return true;
    }
    for (size_t i = 0; i < WD_COUNT_OF(texts); i++) {
        if (wd_value_is_text(value, texts[i])) {
            *ret_flag = i % 2 == 1;
            return true;
        }
    }
    return false;
}

/// What a patch left in a container's place and is none counts as an empty one.
static void make_container(wd_value **container_p, wd_kind kind)
{
    if (!wd_value_is(*container_p, kind)) {
        wd_value_unref(container_p);
        *container_p = kind == WD_KIND_ARRAY ? wd_value_array() : wd_value_object();
    }
}

wd_status wd_member_put(wd_value **object_p, const char *key, wd_value **item_p)
{
    make_container(object_p, WD_KIND_OBJECT);
    wd_status status = wd_object_set(object_p, key, item_p);
    wd_value_unref(item_p);
    return status;
}

wd_status wd_member_put_n(wd_value **object_p, const char *key, size_t length, wd_value **item_p)
{
    make_container(object_p, WD_KIND_OBJECT);
    wd_status status = wd_object_set_n(object_p, key, length, item_p);
    wd_value_unref(item_p);
    return status;
}

wd_status wd_list_push(wd_value **list_p, wd_value **item_p)
{
    make_container(list_p, WD_KIND_ARRAY);
    wd_status status = wd_array_append(list_p, item_p);
    wd_value_unref(item_p);
    return status;
}

wd_status wd_list_insert_at(wd_value **list_p, size_t index, wd_value **item_p)
{
    make_container(list_p, WD_KIND_ARRAY);
    wd_status status = wd_array_insert(list_p, index, item_p);
    wd_value_unref(item_p);
    return status;
}

wd_status wd_give(wd_status status, wd_value **value_p, wd_value **ret_value)
{
    if (status == WD_OK) {
        *ret_value = *value_p;
        *value_p = NULL;
    }
    wd_value_unref(value_p);
    return status;
}

wd_status wd_set_ref(wd_value **object_p, const char *key, const wd_value *value)
{
    wd_value *copy = wd_value_ref(value);
    return wd_member_put(object_p, key, &copy);
}

wd_status wd_append_ref(wd_value **list_p, const wd_value *value)
{
    wd_value *copy = wd_value_ref(value);
    return wd_list_push(list_p, &copy);
}

bool wd_value_is_no_number(const wd_value *value)
{
    return wd_object_count(value) == 1 && wd_value_is(wd_object_get(value, "$number"), WD_KIND_STRING);
}

bool wd_value_is_unset(const wd_value *value)
{
    return wd_object_count(value) == 1 && wd_value_bool_or(wd_object_get(value, "$unset"), false);
}

bool wd_value_holds_no_number(const wd_value *value)
{
    if (wd_value_is_no_number(value)) {
        return true;
    }
    wd_iter iter = wd_iter_start(value);
    while (wd_iter_next(&iter)) {
        if ((wd_value_is(iter.value, WD_KIND_OBJECT) || wd_value_is(iter.value, WD_KIND_ARRAY)) &&
            wd_value_holds_no_number(iter.value)) {
            return true;
        }
    }
    return false;
}

wd_status wd_without_nothing(const wd_value *value, wd_value **ret_value)
{
    if (!wd_value_is(value, WD_KIND_OBJECT) && !wd_value_is(value, WD_KIND_ARRAY)) {
        *ret_value = wd_value_ref(value);
        return WD_OK;
    }
    bool is_object = wd_value_is(value, WD_KIND_OBJECT);
    wd_value *copy = is_object ? wd_value_object() : wd_value_array();
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(value);
    while (status == WD_OK && wd_iter_next(&iter)) {
        wd_value *item = NULL;
        if (wd_value_is_undefined(iter.value) || wd_value_is_no_number(iter.value)) {
            continue;
        }
        status = wd_without_nothing(iter.value, &item);
        if (status == WD_OK) {
            status = is_object ? wd_member_put_n(&copy, iter.key, iter.key_length, &item)
                               : wd_list_push(&copy, &item);
        }
    }
    return wd_give(status, &copy, ret_value);
}
