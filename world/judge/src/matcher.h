/// matcher.h - which patterns of an expectation set cover the place a walk stands at.
///
/// A pattern has one segment per step, so the patterns that still match at depth d are those that matched at
/// d - 1 and match this step too. The walk carries that shrinking list; most places have none.
#ifndef JUDGE_MATCHER_H
#define JUDGE_MATCHER_H

#include "change_list.h"
#include "expectation_set.h"
#include "step.h"

typedef enum wd_cover {
    WD_COVER_NONE,
    WD_COVER_IGNORED,   // by the always-ignore list alone
    WD_COVER_EXPECTED,  // by an expected change
} wd_cover;

/// What a quota counts as one (judge.md 12.5): a change, or all that is left of a subtree that appears.
typedef struct wd_addition {
    wd_change change;  // its path is owned by the group list; `after` is borrowed from the state
    int32_t quota;     // whose prefix stands at or above it, -1 for none
    size_t index;      // of the change it stands for, or of the first one of its group
    uint32_t group;    // 0: this one change alone
} wd_addition;

/// Beside each change found: what quotas need to know of it.
typedef struct wd_leftover {
    int32_t quota;
    uint32_t group;  // number of the subtree it was cut from, from 1; 0 for none
} wd_leftover;

typedef struct wd_matcher {
    const wd_expectations *set;
    uint32_t *active;  // a stack: the lists of all steps on the way
    size_t active_count, active_capacity;
    wd_leftover *leftovers;  // only while the set has quotas
    size_t leftover_count, leftover_capacity;
    wd_changes *groups;  // roots of the cut subtrees
    int32_t *group_quotas;
    size_t group_capacity;
    uint32_t group;  // the one the walk is in
    wd_buffer text;  // scratch for element texts
} wd_matcher;

WD_NODISCARD wd_status wd_matcher_init(wd_matcher *matcher, const wd_expectations *set, wd_step *root);
void wd_matcher_done(wd_matcher *matcher);

/// Fill in the matcher's part of `step` and say whether it is covered. Balanced by wd_matcher_leave() after
/// WD_OK.
WD_NODISCARD wd_status wd_matcher_enter(
    wd_matcher *matcher, wd_step *step, const wd_value *before, const wd_value *after, wd_cover *ret_cover);
void wd_matcher_leave(wd_matcher *matcher, const wd_step *step);

static inline bool wd_matcher_has_quotas(const wd_matcher *matcher)
{
    return matcher->groups != NULL;
}
/// The walk begins to cut the subtree at `step`, whose path is `path`. Only with quotas.
WD_NODISCARD wd_status wd_matcher_group_start(
    wd_matcher *matcher, const wd_step *step, const wd_buffer *path, const wd_value *subtree);
void wd_matcher_group_end(wd_matcher *matcher);
/// A change was reported at `step`.
WD_NODISCARD wd_status wd_matcher_note(wd_matcher *matcher, const wd_step *step);

/// Drop from `changes`, found by this walk and not yet sorted, the additions that quotas excuse (judge.md
/// 12.5).
WD_NODISCARD wd_status wd_matcher_charge(wd_matcher *matcher, wd_changes *changes);

#endif
