/// differ.h - the one walk over two states. It reports changes into a list; with a matcher it leaves out what
/// is excused, cuts what appears or disappears into leaves, and never looks into what is covered as a whole.
#ifndef JUDGE_DIFFER_H
#define JUDGE_DIFFER_H

#include "change_list.h"
#include "step.h"

typedef struct wd_differ {
    wd_changes *changes;
    struct wd_matcher *matcher;  // NULL: report everything
    wd_buffer text;              // path of the last change, see wd_step_write_path()
} wd_differ;

/// Compare what stands at `step` in the old and the new state; NULL is absent.
WD_NODISCARD wd_status wd_differ_pair(
    wd_differ *differ, wd_step *step, const wd_value *before, const wd_value *after);

/// Report one change at `step` unless it is excused, whatever its two sides are.
WD_NODISCARD wd_status wd_differ_report(
    wd_differ *differ, wd_step *step, const wd_value *before, const wd_value *after);

/// Children of a list that appears or disappears, each with the step a diff against an empty list would give
/// it.
typedef wd_status (*wd_child_visit)(void *context, wd_step *step, const wd_value *child);

// ---- lists (lists.c) --------------------------------------------------------------------------------------

/// Compare two lists (judge.md 12.2).
WD_NODISCARD wd_status wd_differ_lists(
    wd_differ *differ, wd_step *step, const wd_value *before, const wd_value *after);
/// Visit the elements of `list`, which only one side has.
WD_NODISCARD wd_status wd_list_children(
    wd_step *step, const wd_value *list, bool added, wd_child_visit visit, void *context);

/// The identity field of `list` (judge.md 1.2): the first of the known names that its first object has. NULL:
/// none.
const char *wd_list_identity_field(const wd_value *list);

#endif
