/// numerals.h - Chinese numerals read as people read them (judge.md 12.8, J12).
#ifndef JUDGE_NUMERALS_H
#define JUDGE_NUMERALS_H

#include "tree/json.h"

/// Append text[0..length) with each maximal run of numeral characters replaced by ASCII digits, where it can
/// be read: 三十万 300000, 二零二六 2026, 一百五 150, 1.5亿 150000000. A run that is no number stays as it is.
WD_NODISCARD wd_status wd_numerals_normalise(const char *text, size_t length, wd_buffer *buffer);

#endif
