/// list.h - arrays of one node, and arrays that are trees of nodes. Private to world/tree.
#ifndef LIST_H
#define LIST_H

#include "node.h"

wd_array_node *wd_array_new(size_t capacity);

/// Make *array_p, an array node or the empty array, a node of the caller's own with room for `extra` more elements.
wd_status wd_array_own(wd_value **array_p, size_t extra, wd_array_node **ret_array);
void wd_array_open(wd_array_node *array, size_t index, wd_value *item);
wd_value *wd_array_close(wd_array_node *array, size_t index);

/// A list of these values, more than WD_FLAT_MAX, taken only on success.
wd_status wd_list_build(wd_value **items, size_t count, wd_value **ret_list);

/// The leaf that holds element `index` and, in *ret_first, the index of the leaf's first element.
const wd_array_node *wd_list_leaf(const wd_value *list, size_t index, size_t *ret_first);

/// Each leaves *list_p reading as before when it fails.
wd_status wd_list_slot(wd_value **list_p, size_t index, wd_value ***ret_slot);
wd_status wd_list_append(wd_value **list_p, wd_value **item_p);
wd_status wd_list_insert(wd_value **list_p, size_t index, wd_value **item_p);  // index < count
wd_status wd_list_remove(wd_value **list_p, size_t index, wd_value **ret_item);

#endif
