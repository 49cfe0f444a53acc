/// conform_diff.c - golden cases of the change report: {name, before, after, changes}.
#include "conform_list.h"
#include "judge/changes.h"

static wd_status replay_diff(
    const wd_conform_case *one, wd_value **ret_wanted, wd_value **ret_got, wd_error *error)
{
    (void)error;
    wd_changes *changes = NULL;
    wd_status status =
        wd_changes_make(wd_object_get(one->row, "before"), wd_object_get(one->row, "after"), &changes);
    status = status == WD_OK ? wd_changes_to_value(changes, ret_got) : status;
    wd_changes_destroy(&changes);
    *ret_wanted = wd_value_ref(wd_object_get(one->row, "changes"));
    return status;
}

static const wd_conform_list lists[] = { { .name = "cases", .replay = replay_diff } };

const wd_conform_kind wd_conform_diff = { "diff", lists, WD_COUNT_OF(lists) };
