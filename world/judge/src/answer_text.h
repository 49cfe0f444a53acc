/// answer_text.h - the texts that answers are compared as.
#ifndef JUDGE_ANSWER_TEXT_H
#define JUDGE_ANSWER_TEXT_H

#include "judge/answers.h"

/// Text of any value: a scalar as JSON writes it without quotes, arrays and objects as literals: {'a': 1}.
WD_NODISCARD wd_status wd_answer_text(const wd_value *value, wd_buffer *buffer);

/// The same, trimmed of white space when asked, and with its numerals read.
WD_NODISCARD wd_status wd_answer_normal_text(const wd_value *value, bool trim, wd_buffer *buffer);

/// |a - b| within a millionth of the greater, or 1e-9.
bool wd_answer_close(double a, double b);

/// A time of day in minutes within normalised text, as times are wanted (judge.md 6.7, 12.9); false: none.
bool wd_time_wanted(const char *text, size_t length, int *ret_minutes);
/// Does a time within five minutes of `minutes` stand in the text?
bool wd_time_given(const char *text, size_t length, int minutes);
/// A duration in minutes, as durations are wanted; false: none.
bool wd_duration_wanted(const char *text, size_t length, int64_t *ret_minutes);
/// Does the text tell the duration `minutes`?
bool wd_duration_given(const char *text, size_t length, int64_t minutes);

#endif
