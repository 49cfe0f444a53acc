/// delta.h - an exact, invertible difference of two trees: apply(before, delta) = after, and back.
///
/// A delta is itself a value, so it is stored, sent and compared like any other; its form stands in
/// docs/state-tree.md. Subtrees that both sides share are skipped, so it costs what changed. Kinds are kept: 1 and
/// 1.0 differ in a delta, though they are equal; so does the order of members.
#ifndef TREE_DELTA_H
#define TREE_DELTA_H

#include "tree/value.h"

/// @param[out] ret_delta  A new reference; untouched unless WD_OK is returned. @retval WD_ENOMEM, or as
/// wd_array_append() where a value nests too deep for the list around it.
WD_NODISCARD wd_status wd_delta_make(const wd_value *before, const wd_value *after, wd_value **ret_delta);
/// @retval WD_ECORRUPT  the delta is malformed, or was not made from `before`; *ret_after is untouched.
WD_NODISCARD wd_status wd_delta_apply(
    const wd_value *before, const wd_value *delta, wd_value **ret_after, wd_error *error);
/// The delta that leads back: apply(after, invert(delta)) = before.
WD_NODISCARD wd_status wd_delta_invert(const wd_value *delta, wd_value **ret_inverse, wd_error *error);
bool wd_delta_is_empty(const wd_value *delta);

#endif
