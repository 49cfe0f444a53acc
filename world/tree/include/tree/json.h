/// json.h - the strict reader into the tree and the round-trip writer of state text (RFC 8259, narrowed).
///
/// Refused: duplicate keys, \u0000, lone surrogates, invalid UTF-8, raw control characters, trailing bytes,
/// non-finite numbers, a byte order mark, more than WD_VALUE_DEPTH_MAX levels.
#ifndef TREE_JSON_H
#define TREE_JSON_H

#include "tree/value.h"

enum { WD_JSON_TEXT_MAX = 1024 * 1024 * 1024 };  // bytes of one text

/// Parse text[0..length), all of it. Errors say line, column (both from 1, column in bytes) and what was expected.
/// @retval WD_EPARSE, WD_EUTF8, WD_ELIMIT, WD_ENOMEM  `ret_value` is untouched.
WD_NODISCARD wd_status wd_json_parse(const char *text, size_t length, wd_value **ret_value, wd_error *error);

/// The same for the first value of the text; *ret_used is the number of bytes read, blanks after it included.
WD_NODISCARD wd_status wd_json_parse_prefix(
    const char *text, size_t length, wd_value **ret_value, size_t *ret_used, wd_error *error);

typedef enum wd_json_style {
    WD_JSON_COMPACT,    // members in insertion order
    WD_JSON_CANONICAL,  // compact, members sorted by UTF-8 bytes of the key (judge.md 12.3)
    WD_JSON_PRETTY,     // two blanks a level
} wd_json_style;

/// A growing byte buffer for writers. Zero-initialise; drop with wd_buffer_done(). NUL-terminated after any append.
typedef struct wd_buffer {
    char *bytes;
    size_t length, capacity;
} wd_buffer;
void wd_buffer_done(wd_buffer *buffer);
WD_NODISCARD wd_status wd_buffer_append(wd_buffer *buffer, const char *bytes, size_t length);
WD_NODISCARD wd_status wd_buffer_text(wd_buffer *buffer, const char *text);
WD_NODISCARD wd_status wd_buffer_format(wd_buffer *buffer, const char *format, ...) WD_PRINTF(2, 3);

/// Append `value` as JSON. What is printed reads back equal and of the same kinds.
/// @retval WD_ENOMEM the buffer holds what it held before.
WD_NODISCARD wd_status wd_json_write(const wd_value *value, wd_json_style style, wd_buffer *buffer);
/// Append bytes as a JSON string literal with quotes.
WD_NODISCARD wd_status wd_json_write_string(const char *bytes, size_t length, wd_buffer *buffer);

/// Text form of a scalar as JSON writes it, a string without quotes (judge.md 12.10): null, true, 12, 1.0, 1e+16.
/// @retval WD_ETYPE an array or object.
WD_NODISCARD wd_status wd_scalar_text(const wd_value *scalar, wd_buffer *buffer);
/// Shortest text of a finite double that reads back, with ".0" or an exponent. Returns the length.
enum { WD_DOUBLE_TEXT_SIZE = 32 };
size_t wd_double_text(double number, char ret_text[WD_DOUBLE_TEXT_SIZE]);

/// Well-formed UTF-8 without U+0000?
bool wd_utf8_valid(const char *bytes, size_t length);

#endif
