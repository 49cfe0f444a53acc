#include "json_tree.h"

#include "tree/alloc.h"

#include <stdlib.h>
#include <string.h>

// ---- nested -----------------------------------------------------------------------------------------------

enum { STACK_FIRST = 64 };

/// Room for one more item in *items_p.
static wd_status reserve(void **items_p, size_t item_size, size_t count, size_t *capacity)
{
    if (count < *capacity) {
        return WD_OK;
    }
    size_t grown_capacity = *capacity == 0 ? STACK_FIRST : *capacity * 2;
    void *grown = wd_realloc(*items_p, *capacity * item_size, grown_capacity * item_size);
    if (grown == NULL) {
        return WD_ENOMEM;
    }
    *items_p = grown;
    *capacity = grown_capacity;
    return WD_OK;
}

/// An open container of the tree: a node's object, its attributes, or a list of child nodes.
typedef struct open_part {
    wd_pull_scope scope;
    int32_t node;  // whose members these are, or whose children
    bool is_list;
} open_part;

typedef struct open_stack {
    open_part *parts;
    size_t depth, capacity;
} open_stack;

static wd_status push(open_stack *stack, open_part part)
{
    void *parts = stack->parts;
    wd_status status = reserve(&parts, sizeof *stack->parts, stack->depth, &stack->capacity);
    stack->parts = parts;
    if (status == WD_OK) {
        stack->parts[stack->depth++] = part;
    }
    return status;
}

/// A node for the object just opened.
static wd_status open_node(open_stack *stack, wd_screen_draft *draft, const wd_pull *pull, int32_t parent)
{
    wd_node node = { .parent = parent, .window = -1, .rect_state = WD_RECT_UNKNOWN };
    int32_t id = -1;
    wd_status status = wd_scene_builder_node(draft->builder, &node, &id);
    return status == WD_OK ? push(stack, (open_part){ wd_pull_enter(pull), id, false }) : status;
}

static wd_status read_member(
    open_stack *stack, wd_screen_draft *draft, wd_pull *pull, const wd_tree_format *format, int32_t id)
{
    if (pull->token == WD_PULL_ARRAY && strcmp(pull->key, format->children) == 0) {
        return push(stack, (open_part){ wd_pull_enter(pull), id, true });
    }
    if (pull->token == WD_PULL_OBJECT && format->attributes != NULL &&
        strcmp(pull->key, format->attributes) == 0) {
        return push(stack, (open_part){ wd_pull_enter(pull), id, false });
    }
    int field = wd_field_find(format->fields, format->field_count, pull->key);
    size_t count = 0;
    return wd_json_set(draft, pull, field, &wd_scene_builder_nodes(draft->builder, &count)[id]);
}

wd_status wd_json_tree(wd_screen_draft *draft, wd_pull *pull, const wd_tree_format *format, int32_t parent)
{
    open_stack stack = { .depth = 0 };
    wd_status status = open_node(&stack, draft, pull, parent);
    while (status == WD_OK && stack.depth > 0) {
        open_part part = stack.parts[stack.depth - 1];
        if (!wd_pull_more(pull, part.scope)) {
            status = pull->status;
            stack.depth -= 1;
        } else if (!part.is_list) {
            status = read_member(&stack, draft, pull, format, part.node);
        } else if (pull->token == WD_PULL_OBJECT) {
            status = open_node(&stack, draft, pull, part.node);
        }
    }
    wd_free(stack.parts, stack.capacity * sizeof *stack.parts);
    return status;
}

// ---- flat -------------------------------------------------------------------------------------------------

wd_status wd_flat_add(wd_flat_list *list, wd_screen_draft *draft, int64_t id, int64_t parent_id,
    int32_t window, int32_t *ret_node)
{
    void *entries = list->entries;
    wd_status status = reserve(&entries, sizeof *list->entries, list->count, &list->capacity);
    list->entries = entries;
    wd_node node = { .parent = -1, .window = window, .rect_state = WD_RECT_UNKNOWN };
    if (status == WD_OK) {
        status = wd_scene_builder_node(draft->builder, &node, ret_node);
    }
    if (status != WD_OK) {
        return status;
    }
    list->first = list->count == 0 ? (size_t)*ret_node : list->first;
    list->entries[list->count++] = (struct wd_flat_entry){ id, parent_id };
    return WD_OK;
}

wd_status wd_flat_edge_add(wd_flat_list *list, int64_t child)
{
    void *edges = list->edges;
    wd_status status = reserve(&edges, sizeof *list->edges, list->edge_count, &list->edge_capacity);
    list->edges = edges;
    if (status == WD_OK) {
        list->edges[list->edge_count++] = (struct wd_flat_edge){ child, (int32_t)list->count - 1 };
    }
    return status;
}

void wd_flat_done(wd_flat_list *list)
{
    wd_free(list->entries, list->capacity * sizeof *list->entries);
    wd_free(list->edges, list->edge_capacity * sizeof *list->edges);
    *list = (wd_flat_list){ .first = 0 };
}

/// What linking needs beside the list; one block each.
typedef struct link_table {
    struct named {
        int64_t id;
        int32_t entry;
    } * by_id;                                                      // sorted
    int32_t *parents, *first_children, *siblings, *order, *places;  // entries, -1 none
    wd_node *nodes;  // the entries' nodes before they are moved
} link_table;

static int compare_named(const void *a, const void *b)
{
    const struct named *left = a, *right = b;
    if (left->id != right->id) {
        return left->id < right->id ? -1 : 1;
    }
    return left->entry < right->entry ? -1 : left->entry > right->entry;
}

/// The first entry with this id, -1 when there is none.
static int32_t find_entry(const link_table *links, size_t count, int64_t id)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (links->by_id[middle].id < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count && links->by_id[low].id == id ? links->by_id[low].entry : -1;
}

static void find_parents(const wd_flat_list *list, link_table *links)
{
    bool sorted = true;
    for (size_t i = 0; i < list->count; i++) {
        links->by_id[i] = (struct named){ list->entries[i].id, (int32_t)i };
        sorted = sorted && (i == 0 || list->entries[i - 1].id < list->entries[i].id);
    }
    if (!sorted) {
        qsort(links->by_id, list->count, sizeof *links->by_id, compare_named);
    }
    for (size_t i = 0; i < list->count; i++) {
        int64_t parent = list->entries[i].parent_id;
        int32_t entry = parent == WD_FLAT_NONE ? -1 : find_entry(links, list->count, parent);
        links->parents[i] = entry == (int32_t)i ? -1 : entry;
    }
    for (size_t i = 0; i < list->edge_count; i++) {
        int32_t child = find_entry(links, list->count, list->edges[i].child);
        if (child >= 0 && child != list->edges[i].parent && links->parents[child] < 0) {
            links->parents[child] = list->edges[i].parent;
        }
    }
}

/// Nodes that are their own ancestors are cut loose. Returns how many. `places` serves as the mark of the
/// walk that came by first.
static size_t cut_circles(size_t count, link_table *links)
{
    size_t cut = 0;
    memset(links->places, 0xFF, count * sizeof *links->places);
    for (size_t i = 0; i < count; i++) {
        int32_t at = (int32_t)i;
        if (links->places[at] >= 0) {
            continue;  // an earlier walk came by
        }
        while (at >= 0 && links->places[at] < 0) {
            links->places[at] = (int32_t)i;
            at = links->parents[at];
        }
        if (at >= 0 && links->places[at] == (int32_t)i) {
            links->parents[at] = -1;
            cut += 1;
        }
    }
    return cut;
}

/// Entries in pre-order, siblings as they stand in the file.
static void walk(size_t count, link_table *links)
{
    int32_t root = -1;
    memset(links->first_children, 0xFF, count * sizeof *links->first_children);
    for (size_t i = count; i > 0; i--) {
        int32_t entry = (int32_t)i - 1, parent = links->parents[entry];
        int32_t *head = parent < 0 ? &root : &links->first_children[parent];
        links->siblings[entry] = *head;
        *head = entry;
    }
    int32_t placed = 0;
    for (int32_t at = root; at >= 0;) {
        links->order[placed] = at;
        links->places[at] = placed++;
        if (links->first_children[at] >= 0) {
            at = links->first_children[at];
            continue;
        }
        while (at >= 0 && links->siblings[at] < 0) {
            at = links->parents[at];
        }
        at = at >= 0 ? links->siblings[at] : -1;
    }
}

static void move_nodes(const wd_flat_list *list, wd_screen_draft *draft, link_table *links)
{
    size_t node_count = 0;
    wd_node *nodes = wd_scene_builder_nodes(draft->builder, &node_count) + list->first;
    memcpy(links->nodes, nodes, list->count * sizeof *nodes);
    for (size_t i = 0; i < list->count; i++) {
        int32_t entry = links->order[i], parent = links->parents[entry];
        nodes[i] = links->nodes[entry];
        nodes[i].id = (int32_t)(list->first + i);
        nodes[i].parent = parent < 0 ? -1 : (int32_t)list->first + links->places[parent];
    }
}

wd_status wd_flat_finish(wd_flat_list *list, wd_screen_draft *draft)
{
    size_t count = list->count;
    if (count == 0) {
        return WD_OK;
    }
    link_table links = { .by_id = wd_alloc(count * sizeof *links.by_id),
        .nodes = wd_alloc(count * sizeof *links.nodes) };
    int32_t *numbers = wd_alloc(5 * count * sizeof *numbers);
    wd_status status = links.by_id != NULL && links.nodes != NULL && numbers != NULL ? WD_OK : WD_ENOMEM;
    if (status == WD_OK) {
        links.parents = numbers;
        links.first_children = numbers + count;
        links.siblings = numbers + 2 * count;
        links.order = numbers + 3 * count;
        links.places = numbers + 4 * count;
        find_parents(list, &links);
        size_t cut = cut_circles(count, &links);
        walk(count, &links);
        move_nodes(list, draft, &links);
        if (cut > 0) {
            status = wd_draft_recovered(draft, "%zu nodes were their own ancestors", cut);
        }
    }
    wd_free(links.by_id, count * sizeof *links.by_id);
    wd_free(links.nodes, count * sizeof *links.nodes);
    wd_free(numbers, 5 * count * sizeof *numbers);
    return status;
}
