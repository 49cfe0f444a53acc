/// answers.h - what was answered against what was wanted: spoken text, and the fields of an answer sheet
/// (judge.md 6).
///
/// A spoken answer is text in which the wanted value is looked for; a field of a sheet holds one value that
/// must be it. Chinese numerals are read (numerals.h), times within five minutes, dates by any of their
/// names.
#ifndef JUDGE_ANSWERS_H
#define JUDGE_ANSWERS_H

#include "tree/json.h"

/// The device's clock, for dates that are told from today.
typedef struct wd_answer_clock {
    bool known;
    int64_t ms;              // since 1970
    int32_t utc_offset_min;  // east of UTC
} wd_answer_clock;

enum { WD_ANSWER_PATTERN_MAX = 1024 };  // bytes of one {"$regex": ...}

/// Does the spoken `given` (NULL or null: nothing was said) hold `wanted`? {"$regex": text} is an extended
/// regular expression to be found, a number one of the numbers in the text, all else text to be found.
/// @retval WD_EINVAL, WD_ELIMIT  the expression is none, or too long.
WD_NODISCARD wd_status wd_answer_spoken(
    const wd_value *wanted, const wd_value *given, bool *ret_match, wd_error *error);

/// Does `given` meet `wanted` by the rules of `field`, an object {"type"?, "matcher"?, "repeatable"?,
/// "compare"?}? Matchers: exact, number, date, time, duration; an unknown one is exact, none goes by the
/// type.
WD_NODISCARD wd_status wd_answer_field(const wd_value *field, const wd_value *wanted, const wd_value *given,
    wd_answer_clock clock, bool *ret_match);

/// Texts accepted for a date as an array of strings; a text that is no date is its own only label.
WD_NODISCARD wd_status wd_answer_date_labels(
    const char *date, size_t length, wd_answer_clock clock, wd_value **ret_labels);

/// Does the text `given` tell the duration that the text `wanted` tells?
WD_NODISCARD wd_status wd_answer_duration(const wd_value *wanted, const wd_value *given, bool *ret_match);

// ---- a task's answer --------------------------------------------------------------------------------------

/// What the task's "answer" wants: paths (".a.b", "app:a.b") read in the initial state, {"$length": path}
/// their length, {"$value": any} just that, objects slot by slot, all else literally, parameters put in.
/// @retval WD_EPARSE  a path or template is malformed.
WD_NODISCARD wd_status wd_answer_wanted(
    const wd_value *task, const wd_value *initial, wd_value **ret_wanted, wd_error *error);

/// Does it depend on the initial state, by a path or a length anywhere in it?
bool wd_answer_reads_state(const wd_value *answer);

typedef struct wd_answer_input {
    const wd_value *task;  // "answer", "answer_fields", "expected_response", "criteria", "check", "params"
    const wd_value *initial, *final;  // states
    const char *spoken;               // text of the last answer; NULL: none
    bool grounded;                    // the answer sheet counts when the task declares fields
    wd_answer_clock clock;
} wd_answer_input;

/// The answer as text: what was said, or the values of a sheet that was handed in, joined with ", ".
/// *ret_given is NULL when there is none.
WD_NODISCARD wd_status wd_answer_given(const wd_answer_input *input, wd_value **ret_given, wd_error *error);

/// Append the checks of the answer: one per slot of what was said, or, for a task that has nothing else to
/// check and whose sheet counts, one per field and one for having submitted it. A task that declares no
/// answer gets none.
/// @retval WD_EINVAL  the sheet cannot be judged: it is missing, has other fields than answers are wanted
///                    for, or holds an answer under a key that is no number.
WD_NODISCARD wd_status wd_answer_check(const wd_answer_input *input, wd_value **checks_p, wd_error *error);

#endif
