/// criteria.h - the goal checks of a declarative task on the final state (judge.md 5).
///
/// A check is an object {"field", "expected", "actual"?, "passed", "error"?}: what was asked of which place,
/// what was found there (absent: left out), and whether that will do. `error` says that it could not be told.
#ifndef JUDGE_CRITERIA_H
#define JUDGE_CRITERIA_H

#include "judge/rules.h"

/// Append one check per criterion, in the order declared.
/// @param final  State {apps, os} to look in. What is not there is absent, never an error.
/// @param route  Object {"app", "path"} of the screen in front, or NULL: its path is "" then.
WD_NODISCARD wd_status wd_criteria_check(
    const wd_rules *rules, const wd_value *final, const wd_value *route, wd_value **checks_p);

/// Make one check.
/// @param actual  NULL is absent.
WD_NODISCARD wd_status wd_check_make(
    const char *field, const wd_value *expected, const wd_value *actual, bool passed, wd_value **ret_check);

/// Count the checks that hold: "passed" is anything but false, null, 0 and what is empty.
/// @retval WD_ETYPE   a check has no "passed".
/// @retval WD_EINVAL  a check could not tell: the error is "<field>: <its error>".
WD_NODISCARD wd_status wd_checks_scan(const wd_value *checks, size_t *ret_passed, wd_error *error);

#endif
