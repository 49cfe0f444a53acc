/// text_util.h - small questions about UTF-8 text that the readers and rules share.
#ifndef SEMANTIC_TEXT_UTIL_H
#define SEMANTIC_TEXT_UTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A piece of text; not NUL-terminated.
typedef struct wd_span {
    const char *at;
    size_t length;
} wd_span;

wd_span wd_span_of(const char *text);  // NULL gives an empty span
bool wd_span_is(wd_span span, const char *text);
bool wd_span_starts(wd_span span, const char *prefix);
wd_span wd_span_trim_blanks(wd_span span);  // ASCII blanks

/// Without the blanks, no-break spaces, marks of direction and width that a person does not see at either
/// end.
wd_span wd_span_trim_invisible(wd_span span);

/// The code point at text[0..length) and its size in bytes; bytes that are no UTF-8 give U+FFFD, size 1.
uint32_t wd_utf8_next(const char *text, size_t length, size_t *ret_size);
/// Write `code_point` (a scalar value) as UTF-8; returns the size, 1..4.
size_t wd_utf8_put(uint32_t code_point, char ret_bytes[4]);

/// Case-blind for ASCII. NULL texts match nothing.
bool wd_text_contains(const char *text, const char *lower_part);
bool wd_text_equals(const char *text, const char *lower);
bool wd_text_ends(const char *text, const char *suffix);  // exact case; for class names

/// "EditText" of "android.widget.EditText", "title" of "com.x:id/title". NULL gives "".
const char *wd_class_short(const char *class_name);
const char *wd_id_name(const char *resource_id);

#endif
