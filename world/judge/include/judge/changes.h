/// changes.h - the report of what differs between two states, for people and rules (judge.md 12.2, 12.3).
///
/// Exact in kind: absent, null, false, 0 and "" are five different things, a boolean is no number, 1 equals
/// 1.0. Lists of objects are compared by their identity field, lists of scalars as multisets, all others by
/// index. The report costs what changed where the states share structure, and sharing never changes it. It is
/// no delta: it cannot be applied (tree/delta.h can).
#ifndef JUDGE_CHANGES_H
#define JUDGE_CHANGES_H

#include "tree/value.h"

/// One entry. `path` is text of judge.md 12.1, NUL-terminated. A side that is absent is NULL, which is not
/// null.
typedef struct wd_change {
    const char *path;
    size_t path_length;
    const wd_value *before;
    const wd_value *after;
} wd_change;

/// A list of changes, sorted by path (UTF-8 bytes), then before, then after (absent first, else by canonical
/// JSON text). It holds references to the values it names, so it may outlive the states; it belongs to their
/// thread.
typedef struct wd_changes wd_changes;

/// Compare two states. Either may be any value; NULL is absent.
/// @param[out] ret_changes  Dropped with wd_changes_destroy(); untouched unless WD_OK is returned.
/// @retval WD_ENOMEM  nothing was leaked.
WD_NODISCARD wd_status wd_changes_make(
    const wd_value *before, const wd_value *after, wd_changes **ret_changes);
void wd_changes_destroy(wd_changes **changes_p);

size_t wd_changes_count(const wd_changes *changes);                       // 0 for NULL
const wd_change *wd_changes_at(const wd_changes *changes, size_t index);  // borrowed; index < count

/// {"path", "before"?, "after"?}: a side that is absent is left out.
WD_NODISCARD wd_status wd_change_to_value(const wd_change *change, wd_value **ret_entry);
/// A list of them. @retval WD_ELIMIT  a side nests too deep for a list around it.
WD_NODISCARD wd_status wd_changes_to_value(const wd_changes *changes, wd_value **ret_list);
/// The same form read back and sorted. @retval WD_ETYPE, WD_EPARSE names the entry that is wrong.
WD_NODISCARD wd_status wd_changes_from_value(const wd_value *list, wd_changes **ret_changes, wd_error *error);

#endif
