/// order.h - rules over what was done in a run and in which order: at most so often, never, this before that.
///
/// A task's "order" is an array of rules:
///   {"never": M}                            no event matches M
///   {"at_most": N, "of": M}                 at most N events match M
///   {"before": A, "then": B, "each"?: true} every event that matches B has one before it that matches A;
///                                           with "each" one since the previous B (each payment confirmed)
/// each with a "name"? for people. A match is an object {place: wanted, ...}: all of its places, dotted paths
/// into the event, hold what is wanted there - values, templates or operator objects (operators.h).
///
/// An event is what a step of the trace says of itself, an object; the task runner gives
/// {"action": {"type", "args", "target"?}, "status", "app", "page", "route"}: the action, and the screen it
/// led to. A step's action and page are one event, and no event comes before itself.
#ifndef JUDGE_ORDER_H
#define JUDGE_ORDER_H

#include "judge/culprit.h"

enum { WD_ORDER_RULES_MAX = 64 };

/// Append one check per rule: its field is "order.<name>" or "order[<index>]", its actual value the numbers
/// of the steps that count against it.
/// @param order   The array; NULL is none.
/// @param params  The task's parameters; may be NULL.
/// @retval WD_ETYPE, WD_EINVAL, WD_EPARSE, WD_ELIMIT  a rule is malformed: the error names it.
WD_NODISCARD wd_status wd_order_check(const wd_value *order, const wd_value *params, const wd_trace *trace,
    wd_value **checks_p, wd_error *error);

#endif
