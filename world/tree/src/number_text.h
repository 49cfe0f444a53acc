/// number_text.h - doubles from text. Private to world/tree; wd_double_text() is public, in json.h.
#ifndef NUMBER_TEXT_H
#define NUMBER_TEXT_H

#include "tree/json.h"

/// The double nearest to `text`, a NUL-terminated JSON number; infinite when beyond all doubles.
double wd_double_of_text(const char *text);

/// mantissa * 10^exponent, when that is exact but for one rounding; else false.
bool wd_double_of_decimal(uint64_t mantissa, int64_t exponent, double *ret_number);

/// Decimal text of an int, NUL-terminated; returns the length.
size_t wd_int_text(int64_t number, char ret_text[WD_DOUBLE_TEXT_SIZE]);

#endif
