/// scalar_text.h - scalars as text, and doubles from it. Private to world/tree; wd_double_text() is public, in json.h.
#ifndef SCALAR_TEXT_H
#define SCALAR_TEXT_H

#include "tree/json.h"

/// The double nearest to `text`, a NUL-terminated JSON number; infinite when beyond all doubles.
double wd_double_of_text(const char *text);

/// mantissa * 10^exponent, when that is exact but for one rounding; else false.
bool wd_double_of_decimal(uint64_t mantissa, int64_t exponent, double *ret_number);

/// Decimal text of an int, NUL-terminated; returns the length.
size_t wd_int_text(int64_t number, char ret_text[WD_DOUBLE_TEXT_SIZE]);

/// Text of a scalar (judge.md 12.10), in `number` or borrowed from the scalar; NULL for arrays and objects.
const char *wd_scalar_bytes(const wd_value *scalar, char number[WD_DOUBLE_TEXT_SIZE], size_t *ret_length);

#endif
