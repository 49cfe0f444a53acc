/// conform_list.h - one list of a kind of golden file: how a row becomes what is wanted and what the judge
/// gives.
#ifndef JUDGE_CONFORM_LIST_H
#define JUDGE_CONFORM_LIST_H

#include "judge/conform.h"

typedef struct wd_conform_list {
    const char *name;
    /// Both results are new references; compared by the caller. A failure is the judge's own (memory), or a
    /// row that is no case.
    wd_status (*replay)(
        const wd_conform_case *one, wd_value **ret_wanted, wd_value **ret_got, wd_error *error);
    double tolerance;   // relative, for doubles
    const char *inner;  // member of the row that holds the cases proper; NULL: the row is the case
} wd_conform_list;

typedef struct wd_conform_kind {
    const char *name;
    const wd_conform_list *lists;
    size_t count;
} wd_conform_kind;

extern const wd_conform_kind wd_conform_diff;
extern const wd_conform_kind wd_conform_side_effects;
extern const wd_conform_kind wd_conform_criteria;
extern const wd_conform_kind wd_conform_answers;
extern const wd_conform_kind wd_conform_metrics;
extern const wd_conform_kind wd_conform_tasks;

/// An object of the named members of `row`, those that are there. Names end with NULL.
WD_NODISCARD wd_status wd_conform_pick(const wd_value *row, const char *const *names, wd_value **ret_object);
/// *got_p gets member `name`; takes *item_p, also on failure.
WD_NODISCARD wd_status wd_conform_put(wd_value **got_p, const char *name, wd_value **item_p);
WD_NODISCARD wd_status wd_conform_put_bool(wd_value **got_p, const char *name, bool flag);

#endif
