/// patch.h - a patch is a partial tree. Merging follows DESIGN section 3 and decisions D9 to D12 and D36.
///
/// In a patch *absent* leaves a member alone and *null* writes null; {"$unset": true} removes the member;
/// {"$undefined": true} is a member without a value and does nothing. Keys `name[field=value]` update (null: remove)
/// matching elements, `name[]` appends. Keys apply in order, each to the result so far. Patched values, appended
/// elements and list contents go in verbatim.
#ifndef TREE_PATCH_H
#define TREE_PATCH_H

#include "tree/value.h"

typedef enum wd_patch_mode {
    WD_PATCH_DEEP,     // merge nested objects
    WD_PATCH_SHALLOW,  // {...base, ...patch}: top-level members replaced, keys literal
} wd_patch_mode;

/// Merge `patch` into `base` and return the result as a new tree; untouched subtrees are shared. All or nothing.
/// @param base   Borrowed. NULL stands for absent. May be the same tree as `patch`.
/// @retval WD_ETYPE  `patch` is no object.
/// @retval WD_ELIMIT the result nests too deep.
WD_NODISCARD wd_status wd_patch_merge(
    const wd_value *base, const wd_value *patch, wd_patch_mode mode, wd_value **ret_merged, wd_error *error);

/// True for {"$undefined": true}.
bool wd_value_is_undefined(const wd_value *value);

#endif
