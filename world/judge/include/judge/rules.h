/// rules.h - a bound task, compiled for judging: what it demands, and what it may change.
///
/// The task is an object; all members may be left out:
///   "apps"              ids of the apps the task is about
///   "params"            the parameters' values
///   "criteria"          {key: wanted}: keys are places in the final state (scope.h) or "route", with {param}
///                       templates; wanted is a value, a template or an operator object (operators.h)
///   "expected_changes"  entries of expectations.h, with paths relative to the task's apps
///   "always_ignore"     absolute entries in place of the default list
///   "answer", "answer_fields", "expected_response"   what is to be answered (answers.h)
///   "order"             rules over actions and pages (order.h)
///   "check"             name of a check function of the caller (verdict.h)
///
/// Compile once, judge often. A set of rules is used on the thread that owns the task's value.
#ifndef JUDGE_RULES_H
#define JUDGE_RULES_H

#include "judge/expectations.h"

typedef struct wd_rules wd_rules;

/// A task that is wrong compiles too: its rules say so, and every verdict on them is that error, never a pass
/// or a fail. @retval WD_ENOMEM  nothing was leaked.
WD_NODISCARD wd_status wd_rules_new(const wd_value *task, wd_rules **ret_rules);
void wd_rules_destroy(wd_rules **rules_p);

/// What is wrong with the task, naming the place; NULL when nothing is. Borrowed from the rules.
const char *wd_rules_error(const wd_rules *rules);

/// The expected changes as arrays of entries: `declared` as the task gives them, parameters put in, followed
/// by those that its criteria imply (judge.md 2.7); `patterns` made absolute, filters resolved (3.1). Not for
/// broken rules.
WD_NODISCARD wd_status wd_rules_patterns(const wd_rules *rules, const wd_value *initial,
    const wd_value *final, wd_value **ret_declared, wd_value **ret_patterns);

/// What the task does not excuse between two states, whatever else than `apps` and `os` they hold. Not for
/// broken rules. @retval WD_EPARSE  a filter made a path that is malformed.
WD_NODISCARD wd_status wd_rules_unexpected(const wd_rules *rules, const wd_value *initial,
    const wd_value *final, wd_changes **ret_changes, wd_error *error);

#endif
