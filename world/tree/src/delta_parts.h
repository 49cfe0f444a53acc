/// delta_parts.h - what making and applying deltas share, and the form itself. Private to world/tree.
#ifndef DELTA_PARTS_H
#define DELTA_PARTS_H

#include "node.h"

#include "tree/delta.h"

// A delta is an array of operations. Each is an array: kind, `keep`, `steps`, then what the kind needs. The place
// it speaks of is the first `keep` steps of the operation before it and then its own `steps`: keys of objects and
// indexes of arrays, in the tree before the change.
//
//   "=" keep steps before after         the value there is replaced
//   "o" keep steps removed added        members of the object: [[position, key, value], ..] before, and after
//   "k" keep steps removed added before after
//                                       the same, and the object's keys in both orders, when common members moved
//   "a" keep steps at removed added     elements of the array from index `at` on
//
// Operations of one container come after those below it, so that indexes hold while they are needed; the inverse
// has them the other way round.

enum {
    DELTA_STEPS_MAX = WD_VALUE_DEPTH_MAX,
};

/// The same in kind, to the bit, and in the order of members. NULL only with NULL.
bool wd_value_identical(const wd_value *a, const wd_value *b);

/// Elements from..to of an array as an array of their own.
wd_status wd_array_slice(const wd_value *array, size_t from, size_t to, wd_value **ret_slice);

#endif
