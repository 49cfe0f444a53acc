/// change_list.h - building a wd_changes: entries are added in any order, then sorted once.
#ifndef JUDGE_CHANGE_LIST_H
#define JUDGE_CHANGE_LIST_H

#include "judge/changes.h"

#include "tree/json.h"

struct wd_changes {
    wd_change *items;
    size_t count, capacity;
    struct wd_text_block *texts;  // paths, in blocks that never move
};

/// New and empty.
WD_NODISCARD wd_status wd_changes_new(wd_changes **ret_changes);
/// Add one; the path is copied, the sides referenced.
WD_NODISCARD wd_status wd_changes_add(
    wd_changes *changes, const char *path, size_t length, const wd_value *before, const wd_value *after);
/// Sort by judge.md 12.3. On WD_ENOMEM the order is undefined.
WD_NODISCARD wd_status wd_changes_sort(wd_changes *changes);
/// Drop each entry whose flag is set; `flags` has changes->count.
void wd_changes_drop(wd_changes *changes, const bool *flags);

/// Sort plain records by judge.md 12.3; `items` are borrowed. Each record of `size` bytes starts with a
/// wd_change.
WD_NODISCARD wd_status wd_change_records_sort(void *items, size_t count, size_t size);

#endif
