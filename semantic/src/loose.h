/// loose.h - the forgiving reader of object literals that models and loggers write: JSON, and what is almost JSON.
///
/// Read besides JSON: Python's True, False, None and single quotes, bare words as keys, trailing commas, repeated
/// keys (the last one counts), raw control characters, NaN and Infinity (null), quotes left unescaped inside a
/// string (it ends at a quote that is followed by what may follow a string). Lone surrogates, U+0000 and bytes
/// that are no UTF-8 become U+FFFD. Not cJSON, which knows none of these, loses integers above 2^53 and takes
/// forty times a text's size for an array of short numbers.
///
/// Linear in time; depth at most WD_LOOSE_DEPTH_MAX.
#ifndef SEMANTIC_LOOSE_H
#define SEMANTIC_LOOSE_H

#include "tree/json.h"

enum {
    WD_LOOSE_DEPTH_MAX = 100
};  // below WD_VALUE_DEPTH_MAX, so that what is read fits under a few levels more

/// Read the one object, array or tuple (blanks aside) that text[0..length) starts with.
/// @param[out] ret_used  Bytes read; NULL when anything but blanks after the value is an error.
/// @retval WD_EPARSE, WD_ELIMIT, WD_ENOMEM  `error` says where; *ret_value is untouched.
WD_NODISCARD wd_status wd_loose_parse(
    const char *text, size_t length, wd_value **ret_value, size_t *ret_used, wd_error *error);

/// The last complete object in the text that is not part of another one; whatever stands around it is skipped.
/// *ret_start is where it begins.
/// @retval WD_ENOENT  there is none.
WD_NODISCARD wd_status wd_loose_last_object(
    const char *text, size_t length, wd_value **ret_value, size_t *ret_start, size_t *ret_end);

/// Append the string literal's content: text[0..length) stands between `quote`s; escapes are resolved, an
/// unknown one is kept with its backslash.
WD_NODISCARD wd_status wd_loose_unescape(const char *text, size_t length, wd_buffer *buffer);

/// Append text[0..length) with everything that is no UTF-8, and U+0000, replaced by U+FFFD.
WD_NODISCARD wd_status wd_loose_clean(const char *text, size_t length, wd_buffer *buffer);

#endif
