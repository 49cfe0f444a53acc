/// expectations.h - what a task may change, and what is left over: the side effects (judge.md 12.4, 12.5).
///
/// An entry of a declared list is
///   "apps.notes.items[id=n1]"         the place and everything below it may change
///   "apps.notes.items[+2]"            two additions below the place are allowed
///   {"path": P, "to": W, "from": W}   the place may change, but only to a value that meets W, or from one
///                                     that does
/// where P is a pattern without quota and W a value or an operator object (operators.h); "to" and "from" may
/// be left out, and judge what stands at the very place P names, also when the change is below it.
///
/// A compiled set serves any number of verdicts, on the thread that owns the values it was made from.
#ifndef JUDGE_EXPECTATIONS_H
#define JUDGE_EXPECTATIONS_H

#include "judge/changes.h"

enum {
    WD_EXPECTATIONS_MAX = 4096,  // entries of one set
    WD_QUOTA_MAX = 1000000,      // N of one [+N]
};

/// What becomes of an entry whose path is malformed text.
typedef enum wd_malformed {
    WD_MALFORMED_REFUSED,         // the task is wrong: WD_EPARSE
    WD_MALFORMED_COVERS_NOTHING,  // judge.md 12.1: for comparing two states by hand
} wd_malformed;

typedef struct wd_expectations wd_expectations;

/// Compile absolute entries.
/// @param expected       Array of entries; NULL is none.
/// @param always_ignore  Array of entries; NULL is the default list (judge.md 3.5).
/// @retval WD_EPARSE, WD_ETYPE, WD_EINVAL, WD_ELIMIT  the error names the entry.
WD_NODISCARD wd_status wd_expectations_new(const wd_value *expected, const wd_value *always_ignore,
    wd_malformed malformed, wd_expectations **ret_set, wd_error *error);
void wd_expectations_destroy(wd_expectations **set_p);

/// The 18 entries of judge.md 3.5 as an array.
WD_NODISCARD wd_status wd_expectations_default_ignored(wd_value **ret_list);

/// Compare two states and report what the set does not excuse, sorted like any changes.
WD_NODISCARD wd_status wd_expectations_unexpected(
    const wd_expectations *set, const wd_value *before, const wd_value *after, wd_changes **ret_changes);

#endif
