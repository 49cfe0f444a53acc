/// json_tree.h - node trees in foreign JSON: nested in each other, or flat with ids that refer to each other.
#ifndef SEMANTIC_JSON_TREE_H
#define SEMANTIC_JSON_TREE_H

#include "json_node.h"

typedef struct wd_tree_format {
    const wd_field_name *fields;
    size_t field_count;
    const char *children;    // name of the member that holds the child nodes
    const char *attributes;  // name of a member whose members are the node's own, NULL none
} wd_tree_format;

/// Read the node whose object was opened last, and all below it, in pre-order below `parent`. No recursion.
WD_NODISCARD wd_status wd_json_tree(
    wd_screen_draft *draft, wd_pull *pull, const wd_tree_format *format, int32_t parent);

/// A flat list being collected: entry i is node `first` + i of the builder. Who is below whom is told by the
/// entry's parent, or by lists of children, which are collected as pairs.
typedef struct wd_flat_list {
    size_t first;
    struct wd_flat_entry {
        int64_t id, parent_id;
    } * entries;
    size_t count, capacity;
    struct wd_flat_edge {
        int64_t child;
        int32_t parent;  // entry
    } * edges;
    size_t edge_count, edge_capacity;
} wd_flat_list;

enum { WD_FLAT_NONE = -1 };  // as parent: a root

/// Append an empty node and its ids; the caller fills the node in. *ret_node is its number in the builder.
WD_NODISCARD wd_status wd_flat_add(wd_flat_list *list, wd_screen_draft *draft, int64_t id, int64_t parent_id,
    int32_t window, int32_t *ret_node);
WD_NODISCARD wd_status wd_flat_edge_add(wd_flat_list *list, int64_t child);  // of the entry added last
/// Link the nodes by their ids and bring them into pre-order. Nodes that no root leads to become roots, with
/// a warning.
WD_NODISCARD wd_status wd_flat_finish(wd_flat_list *list, wd_screen_draft *draft);
void wd_flat_done(wd_flat_list *list);

#endif
