/// scope.h - from what a task writes to places in the state {os, apps}: whose app a path speaks of, and which
/// element a filter means (judge.md 2.6, 2.7, 3.1; J10, J13).
#ifndef JUDGE_SCOPE_H
#define JUDGE_SCOPE_H

#include "tree/path.h"

/// A criteria key as an absolute path: `app:rest` names the app before the first `.` or `[`; `os.` and
/// `apps.` are absolute already; else the path is the one app's, or starts with an app when the task has
/// several or none.
WD_NODISCARD wd_status wd_scope_criterion(
    const char *key, size_t length, const wd_value *apps, wd_buffer *buffer);

/// A declared change as an absolute path: `apps.` and `os.` as they are, `<app>.` of the one app gets
/// `apps.`, else as above. `app:` is not understood here.
WD_NODISCARD wd_status wd_scope_declared(
    const char *path, size_t length, const wd_value *apps, wd_buffer *buffer);

/// Where a criteria key is looked up: the tree to start from (NULL: nothing is found), and what is left of
/// the key.
typedef struct wd_scope_place {
    const wd_value *root;
    const char *rest;
    size_t rest_length;
} wd_scope_place;
wd_scope_place wd_scope_find(const char *key, size_t length, const wd_value *apps, const wd_value *state);

/// Does the path hold a token that must be resolved: `[field=value]` or `[-1]`?
bool wd_scope_has_filter(const wd_path *path);

/// Append `path` with each filter and `[-1]` replaced by the identity or index of the element it finds.
/// Tokens are looked up in the first of `states` that has the element.
/// @param states  Where to look, in order of preference.
/// @param last    The same for a token that ends the path.
/// @retval WD_ENOENT  a token finds nothing; the buffer holds what it held before.
typedef struct wd_scope_states {
    const wd_value *first, *second;  // second may be NULL
} wd_scope_states;
WD_NODISCARD wd_status wd_scope_resolve(
    const wd_path *path, wd_scope_states states, wd_scope_states last, wd_buffer *buffer);

#endif
