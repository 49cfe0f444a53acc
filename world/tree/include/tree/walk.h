/// walk.h - two containers side by side, without what they share.
///
/// Visits the children that are neither the very same node on both sides nor identical scalars (of one kind and the
/// same to the bit), in cost proportional to these (and to the way to them) where the containers descend from one
/// another. Arrays and objects that are equal but not shared are visited: what is visited depends on sharing, what
/// differs does not.
#ifndef TREE_WALK_H
#define TREE_WALK_H

#include "tree/value.h"

/// On the stack; holds no reference, so both containers must outlive it and not be changed meanwhile.
typedef struct wd_pair_walk {
    const char *key;  // of the pair at hand; NUL-terminated; NULL in arrays
    size_t key_length;
    size_t index;            // arrays: position of the pair
    const wd_value *before;  // NULL: only the other side has it
    const wd_value *after;
    bool kept_order;  // objects: so far the new one has the old members in their old order, and others only
                      // after them; false when that is not known
    // Private from here on.
    const wd_value *old_root, *new_root;
    const void *old_leaf, *new_leaf;
    size_t next;           // arrays: the next index; objects: the next member of the leaf at hand
    size_t leaf_end;       // arrays: where the leaves at hand stop running side by side
    uint32_t leaf_number;  // tables: the next leaf to look at
    uint32_t phase;
    bool appended;
} wd_pair_walk;

/// Two arrays are walked by index, two objects by name: the old one's members in their order, leaf by leaf, and after
/// those of a leaf the new ones beside it. Anything else has no pairs.
wd_pair_walk wd_pair_start(const wd_value *before, const wd_value *after);
bool wd_pair_next(wd_pair_walk *walk);  // false at the end

/// Names that tell elements of an array apart, in order of precedence (judge.md 1.2).
enum { WD_IDENTITY_COUNT = 9 };
const wd_key *wd_identity_key(unsigned index);

/// What comparing an array needs to know of all its elements. Cached per node, so it costs what changed.
typedef struct wd_array_traits {
    bool has_container;  // some element is an array or object
    int identity;        // index of the first identity name that the first object has; -1: it has none, or
                         // there is no object
    unsigned container_ids;  // bit i: in some object the value under identity name i is an array or object
} wd_array_traits;
wd_array_traits wd_array_traits_of(
    const wd_value *array);  // of any other value, and of NULL: of the empty array

#endif
