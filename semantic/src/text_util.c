#include "text_util.h"

#include <string.h>

wd_span wd_span_of(const char *text)
{
    return (wd_span){ text != NULL ? text : "", text != NULL ? strlen(text) : 0 };
}

bool wd_span_is(wd_span span, const char *text)
{
    size_t length = strlen(text);
    return span.length == length && memcmp(span.at, text, length) == 0;
}

bool wd_span_starts(wd_span span, const char *prefix)
{
    size_t length = strlen(prefix);
    return span.length >= length && memcmp(span.at, prefix, length) == 0;
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

wd_span wd_span_trim_blanks(wd_span span)
{
    while (span.length > 0 && is_blank(span.at[0])) {
        span.at += 1;
        span.length -= 1;
    }
    while (span.length > 0 && is_blank(span.at[span.length - 1])) {
        span.length -= 1;
    }
    return span;
}

uint32_t wd_utf8_next(const char *text, size_t length, size_t *ret_size)
{
    const unsigned char *bytes = (const unsigned char *)text;
    static const uint32_t lowest[] = { 0, 0, 0x80, 0x800, 0x10000 };
    uint32_t first = bytes[0];
    size_t size = first < 0x80                    ? 1
                  : first >= 0xF0 && first < 0xF8 ? 4
                  : first >= 0xE0                 ? 3
                  : first >= 0xC0                 ? 2
                                                  : 0;
    uint32_t code_point = size == 1 ? first : first & (0x7Fu >> size);
    *ret_size = 1;
    if (size == 1) {
        return first;
    }
    if (size == 0 || size > length || first >= 0xF8) {
        return 0xFFFD;
    }
    for (size_t i = 1; i < size; i++) {
        if ((bytes[i] & 0xC0) != 0x80) {
            return 0xFFFD;
        }
        code_point = code_point << 6 | (bytes[i] & 0x3Fu);
    }
    if (code_point < lowest[size] || code_point > 0x10FFFF || (code_point >= 0xD800 && code_point < 0xE000)) {
        return 0xFFFD;
    }
    *ret_size = size;
    return code_point;
}

size_t wd_utf8_put(uint32_t code_point, char ret_bytes[4])
{
    if (code_point < 0x80) {
        ret_bytes[0] = (char)code_point;
        return 1;
    }
    size_t size = code_point < 0x800 ? 2 : code_point < 0x10000 ? 3 : 4;
    static const unsigned char marks[] = { 0, 0, 0xC0, 0xE0, 0xF0 };
    for (size_t i = size - 1; i > 0; i--) {
        ret_bytes[i] = (char)(0x80 | (code_point & 0x3F));
        code_point >>= 6;
    }
    ret_bytes[0] = (char)(marks[size] | code_point);
    return size;
}

static bool is_invisible(uint32_t c)
{
    return c <= 0x20 || c == 0xA0 || (c >= 0x2000 && c <= 0x200F) || (c >= 0x2028 && c <= 0x202F) ||
           (c >= 0x2060 && c <= 0x2069) || c == 0x3000 || c == 0xFEFF;
}

wd_span wd_span_trim_invisible(wd_span span)
{
    size_t size = 0;
    while (span.length > 0 && is_invisible(wd_utf8_next(span.at, span.length, &size))) {
        span.at += size;
        span.length -= size;
    }
    size_t keep = 0;
    for (size_t at = 0; at < span.length; at += size) {
        if (!is_invisible(wd_utf8_next(span.at + at, span.length - at, &size))) {
            keep = at + size;
        }
    }
    span.length = keep;
    return span;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool starts_lower(const char *text, const char *lower_part)
{
    while (*lower_part != '\0' && lower(*text) == *lower_part) {
        text += 1;
        lower_part += 1;
    }
    return *lower_part == '\0';
}

bool wd_text_contains(const char *text, const char *lower_part)
{
    if (text == NULL || text[0] == '\0') {
        return false;
    }
    char first = *lower_part, upper = first >= 'a' && first <= 'z' ? (char)(first - 'a' + 'A') : first;
    for (; *text != '\0'; text++) {
        if ((*text == first || *text == upper) && starts_lower(text, lower_part)) {
            return true;
        }
    }
    return false;
}

bool wd_text_equals(const char *text, const char *lower_text)
{
    return text != NULL && starts_lower(text, lower_text) && text[strlen(lower_text)] == '\0';
}

bool wd_text_ends(const char *text, const char *suffix)
{
    size_t length = text != NULL ? strlen(text) : 0;
    size_t suffix_length = strlen(suffix);
    return length >= suffix_length && memcmp(text + length - suffix_length, suffix, suffix_length) == 0;
}

const char *wd_class_short(const char *class_name)
{
    const char *dot = class_name != NULL ? strrchr(class_name, '.') : NULL;
    return dot != NULL ? dot + 1 : class_name != NULL ? class_name : "";
}

const char *wd_id_name(const char *resource_id)
{
    const char *slash = resource_id != NULL ? strrchr(resource_id, '/') : NULL;
    return slash != NULL ? slash + 1 : resource_id != NULL ? resource_id : "";
}
