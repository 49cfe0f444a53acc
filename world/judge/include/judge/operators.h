/// operators.h - what a wanted value demands of an actual one (judge.md 12.7, J11).
///
/// An object with only `$` members is a set of operators that must all hold: $ne $gt $gte $lt $lte $in
/// $contains $exists $len, and {"$predicate": "falsy"}: absent, null, false, 0, "", [] or {}. Everything else
/// is equality.
#ifndef JUDGE_OPERATORS_H
#define JUDGE_OPERATORS_H

#include "tree/value.h"

/// An object with members, all of them `$` names.
bool wd_operators_is(const wd_value *wanted);

/// Are the operators of `wanted` known and their arguments of the right kind? Anything that is no operator
/// object is.
/// @retval WD_EINVAL  the error names the operator.
WD_NODISCARD wd_status wd_operators_check(const wd_value *wanted, wd_error *error);

/// Does `actual` (NULL: absent) meet `wanted`, which wd_operators_check() accepts? A wanted null is met by
/// null and by absence (J16).
bool wd_operators_hold(const wd_value *wanted, const wd_value *actual);

/// Absent, null, false, 0, "", [] or {}.
bool wd_falsy(const wd_value *actual);

#endif
