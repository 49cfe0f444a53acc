// list.c - large arrays: a B+ tree that counts what is below each child.
//
// Every change first makes the nodes it will write its own, which changes nothing that can be read, and does all
// allocation on the way; then it writes.
#include "list.h"

typedef struct list_path {
    wd_list_node *nodes[WD_LIST_LEVELS_MAX];  // from the root down
    uint32_t at[WD_LIST_LEVELS_MAX];          // the child taken in each
    unsigned count;
} list_path;

static wd_list_node *list_new(unsigned level, size_t capacity)
{
    wd_list_node *list = wd_alloc(sizeof(wd_list_node) + capacity * (sizeof(wd_value *) + sizeof(uint32_t)));
    if (list != NULL) {
        list->head = (wd_value){ .refs = 1, .tag = WD_TAG_LIST, .height = 1, .capacity = (uint8_t)capacity };
        list->count = 0;
        list->level = (uint16_t)level;
        list->total = 0;
    }
    return list;
}

static uint32_t elements_in(const wd_value *child)
{
    return child->tag == WD_TAG_ARRAY ? wd_array_of(child)->count : wd_list_of(child)->total;
}

// Set `ends` and the total from child `from` on.
static void list_recount(wd_list_node *list, uint32_t from)
{
    uint32_t *ends = wd_list_ends(list);
    uint32_t end = from == 0 ? 0 : ends[from - 1];
    for (uint32_t i = from; i < list->count; i++) {
        end += elements_in(list->items[i]);
        ends[i] = end;
    }
    list->total = end;
}

static wd_status list_own(wd_value **list_p, size_t extra, wd_list_node **ret_list)
{
    wd_list_node *list = wd_list_of(*list_p);
    size_t wanted = list->count + extra;
    if (wd_node_unique(&list->head) && wanted <= list->head.capacity) {
        wd_node_touch(&list->head);
        *ret_list = list;
        return WD_OK;
    }
    size_t capacity = extra == 0 ? wanted : (wanted + 3) & ~(size_t)3;
    wd_list_node *own = list_new(list->level, capacity > WD_LIST_WIDTH ? WD_LIST_WIDTH : capacity);
    if (own == NULL) {
        return WD_ENOMEM;
    }
    own->head.height = list->head.height;
    own->count = list->count;
    own->total = list->total;
    memcpy(own->items, list->items, list->count * sizeof(wd_value *));
    memcpy(wd_list_ends(own), wd_list_ends(list), list->count * sizeof(uint32_t));
    wd_node_ref_all(own->items, own->count);
    wd_value_unref(list_p);
    *list_p = &own->head;
    *ret_list = own;
    return WD_OK;
}

// The child that holds element `index`, or the last one.
static uint32_t list_child(const wd_list_node *list, size_t index)
{
    const uint32_t *ends = wd_list_ends(list);
    uint32_t at = 0;
    while (at + 1 < list->count && index >= ends[at]) {
        at += 1;
    }
    return at;
}

static size_t list_start(const wd_list_node *list, uint32_t at)
{
    return at == 0 ? 0 : wd_list_ends(list)[at - 1];
}

static void list_open(wd_list_node *list, uint32_t at, wd_value *child)
{
    memmove(&list->items[at + 1], &list->items[at], (list->count - at) * sizeof(wd_value *));
    list->items[at] = child;
    list->count += 1;
}

static void list_close(wd_list_node *list, uint32_t at)
{
    list->count -= 1;
    memmove(&list->items[at], &list->items[at + 1], (list->count - at) * sizeof(wd_value *));
}

const wd_array_node *wd_list_leaf(const wd_value *value, size_t index, size_t *ret_first)
{
    size_t first = 0;
    while (value->tag == WD_TAG_LIST) {
        const wd_list_node *list = wd_list_of(value);
        uint32_t at = list_child(list, index - first);
        first += list_start(list, at);
        value = list->items[at];
    }
    *ret_first = first;
    return wd_array_of(value);
}

// ---- building -------------------------------------------------------------------------------------------------

static wd_value *build_node(wd_value **children, size_t count, unsigned level)
{
    if (level == 0) {
        wd_array_node *leaf = wd_array_new(count);
        if (leaf != NULL) {
            memcpy(leaf->items, children, count * sizeof(wd_value *));
            leaf->count = (uint32_t)count;
        }
        return leaf != NULL ? &leaf->head : NULL;
    }
    wd_list_node *list = list_new(level, count);
    if (list != NULL) {
        memcpy(list->items, children, count * sizeof(wd_value *));
        list->count = (uint16_t)count;
        list_recount(list, 0);
    }
    return list != NULL ? &list->head : NULL;
}

// Free nodes of the tree but not the elements in it: they were not taken.
static void build_undo(wd_value **nodes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (nodes[i]->tag == WD_TAG_LIST) {
            build_undo(wd_list_of(nodes[i])->items, wd_list_of(nodes[i])->count);
        }
        wd_free(nodes[i], wd_node_size(nodes[i]));
    }
}

// Gather children into parents. Parents are written over `row`, which is read ahead of them; on failure only
// build_undo() may look at it again: parents first, then the children that have none yet.
static wd_status build_level(wd_value **row, size_t *count_p, unsigned level, wd_value **parents)
{
    size_t width = level == 0 ? WD_LIST_LEAF_MAX : WD_LIST_WIDTH, made = 0, count = *count_p;
    for (size_t at = 0; at < count; at += width) {
        size_t run = count - at < width ? count - at : width;
        wd_value *node = build_node(row + at, run, level);
        if (node == NULL) {
            build_undo(parents, made);
            if (level > 0) {
                build_undo(row + at, count - at);
            }
            return WD_ENOMEM;
        }
        parents[made++] = node;
    }
    *count_p = made;
    return WD_OK;
}

wd_status wd_list_build(wd_value **items, size_t count, wd_value **ret_list)
{
    size_t row_size = (count + WD_LIST_LEAF_MAX - 1) / WD_LIST_LEAF_MAX * sizeof(wd_value *);
    wd_value **row = wd_alloc(row_size);
    if (row == NULL) {
        return WD_ENOMEM;
    }
    wd_status status = build_level(items, &count, 0, row);
    for (unsigned level = 1; status == WD_OK && count > 1; level++) {
        status = build_level(row, &count, level, row);
    }
    if (status == WD_OK) {
        *ret_list = row[0];
    }
    wd_free(row, row_size);
    return status;
}

// ---- changing -------------------------------------------------------------------------------------------------

// Own the nodes down to the leaf that holds `index`; *ret_leaf_p is where the leaf hangs.
static wd_status own_path(wd_value **list_p, size_t *index_p, list_path *path, wd_value ***ret_leaf_p)
{
    path->count = 0;
    while ((*list_p)->tag == WD_TAG_LIST) {
        wd_list_node *list;
        wd_status status = list_own(list_p, 0, &list);
        if (status != WD_OK) {
            return status;
        }
        uint32_t at = list_child(list, *index_p);
        *index_p -= list_start(list, at);
        path->nodes[path->count] = list;
        path->at[path->count] = at;
        path->count += 1;
        list_p = &list->items[at];
    }
    *ret_leaf_p = list_p;
    return WD_OK;
}

static void recount_path(const list_path *path)
{
    for (unsigned i = path->count; i > 0; i--) {
        list_recount(path->nodes[i - 1], path->at[i - 1]);
    }
}

wd_status wd_list_slot(wd_value **list_p, size_t index, wd_value ***ret_slot)
{
    list_path path;
    wd_value **leaf_p;
    wd_array_node *leaf;
    wd_status status = own_path(list_p, &index, &path, &leaf_p);
    if (status == WD_OK) {
        status = wd_array_own(leaf_p, 0, &leaf);
    }
    if (status == WD_OK) {
        *ret_slot = &leaf->items[index];
    }
    return status;
}

// A leaf for one element, which the caller puts there, under nodes of one child up to `level`.
static wd_value *chain_new(unsigned level, wd_value ***ret_slot)
{
    wd_array_node *leaf = wd_array_new(WD_LIST_LEAF_MAX);
    if (leaf == NULL) {
        return NULL;
    }
    leaf->items[0] = wd_value_null();
    leaf->count = 1;
    *ret_slot = &leaf->items[0];
    wd_value *top = &leaf->head;
    for (unsigned i = 1; i <= level; i++) {
        wd_list_node *list = list_new(i, 4);
        if (list == NULL) {
            wd_value_unref(&top);
            return NULL;
        }
        list_open(list, 0, top);
        list_recount(list, 0);
        top = &list->head;
    }
    return top;
}

static wd_status add_root(wd_value **list_p, size_t extra)
{
    wd_list_node *old = wd_list_of(*list_p);
    wd_list_node *root = list_new(old->level + 1u, 1 + extra);
    if (root == NULL) {
        return WD_ENOMEM;
    }
    wd_assert(root->level < WD_LIST_LEVELS_MAX);
    root->head.height = old->head.height;
    list_open(root, 0, &old->head);
    list_recount(root, 0);
    *list_p = &root->head;
    return WD_OK;
}

// The lowest level on the right edge that has room for one more child, 0 for the leaf; above the root if none has.
static unsigned level_with_room(const wd_value *value)
{
    unsigned found = wd_list_of(value)->level + 1u;
    while (value->tag == WD_TAG_LIST) {
        const wd_list_node *list = wd_list_of(value);
        found = list->count < WD_LIST_WIDTH ? list->level : found;
        value = list->items[list->count - 1];
    }
    return wd_array_of(value)->count < WD_LIST_LEAF_MAX ? 0 : found;
}

static wd_status append_to_leaf(wd_value **list_p, wd_value **item_p)
{
    list_path path;
    wd_value **leaf_p;
    wd_array_node *leaf;
    size_t index = SIZE_MAX;
    wd_status status = own_path(list_p, &index, &path, &leaf_p);
    if (status == WD_OK) {
        status = wd_array_own(leaf_p, 1, &leaf);
    }
    if (status == WD_OK) {
        wd_array_open(leaf, leaf->count, *item_p);
        *item_p = NULL;
        recount_path(&path);
    }
    return status;
}

wd_status wd_list_append(wd_value **list_p, wd_value **item_p)
{
    unsigned level = level_with_room(*list_p);
    if (level == 0) {
        return append_to_leaf(list_p, item_p);
    }
    wd_value **slot;
    wd_value *chain = chain_new(level - 1, &slot);
    if (chain == NULL) {
        return WD_ENOMEM;
    }
    wd_status status = level > wd_list_of(*list_p)->level ? add_root(list_p, 3) : WD_OK;
    wd_list_node *nodes[WD_LIST_LEVELS_MAX];
    unsigned count = 0;
    for (wd_value **at = list_p; status == WD_OK;) {
        wd_list_node *list;
        status = list_own(at, wd_list_of(*at)->level == level ? 1 : 0, &list);
        if (status == WD_OK) {
            nodes[count++] = list;
            if (list->level == level) {
                break;
            }
            at = &list->items[list->count - 1];
        }
    }
    if (status != WD_OK) {
        wd_value_unref(&chain);
        return status;
    }
    *slot = *item_p;
    *item_p = NULL;
    list_open(nodes[count - 1], nodes[count - 1]->count, chain);
    while (count > 0) {
        count -= 1;
        list_recount(nodes[count], nodes[count]->count - 1u);
    }
    return WD_OK;
}

// Child `at` of an owned node is full: split it in two. The node has room.
static wd_status split_child(wd_list_node *list, uint32_t at)
{
    wd_value *right;
    if (list->level == 1) {
        wd_array_node *left;
        wd_status status = wd_array_own(&list->items[at], 0, &left);
        uint32_t half = WD_LIST_LEAF_MAX / 2;
        wd_array_node *fresh = status == WD_OK ? wd_array_new(WD_LIST_LEAF_MAX) : NULL;
        if (fresh == NULL) {
            return WD_ENOMEM;
        }
        fresh->count = left->count - half;
        memcpy(fresh->items, left->items + half, fresh->count * sizeof(wd_value *));
        left->count = half;
        right = &fresh->head;
    } else {
        wd_list_node *left;
        wd_status status = list_own(&list->items[at], 0, &left);
        uint16_t half = WD_LIST_WIDTH / 2;
        wd_list_node *fresh = status == WD_OK ? list_new(left->level, WD_LIST_WIDTH) : NULL;
        if (fresh == NULL) {
            return WD_ENOMEM;
        }
        fresh->count = (uint16_t)(left->count - half);
        memcpy(fresh->items, left->items + half, fresh->count * sizeof(wd_value *));
        left->count = half;
        list_recount(left, 0);
        list_recount(fresh, 0);
        right = &fresh->head;
    }
    list_open(list, at + 1, right);
    list_recount(list, at);
    return WD_OK;
}

static bool child_is_full(const wd_list_node *list, uint32_t at)
{
    const wd_value *child = list->items[at];
    return list->level == 1 ? wd_array_of(child)->count == WD_LIST_LEAF_MAX
                            : wd_list_of(child)->count == WD_LIST_WIDTH;
}

wd_status wd_list_insert(wd_value **list_p, size_t index, wd_value **item_p)
{
    wd_status status = wd_list_of(*list_p)->count == WD_LIST_WIDTH ? add_root(list_p, 3) : WD_OK;
    list_path path = { .count = 0 };
    wd_value **at_p = list_p;
    // Full nodes are split on the way down, so that there is always room above.
    while (status == WD_OK && (*at_p)->tag == WD_TAG_LIST) {
        wd_list_node *list;
        status = list_own(at_p, 1, &list);
        if (status != WD_OK) {
            return status;
        }
        uint32_t at = list_child(list, index);
        if (child_is_full(list, at)) {
            status = split_child(list, at);
            at = status == WD_OK ? list_child(list, index) : at;
        }
        index -= list_start(list, at);
        path.nodes[path.count] = list;
        path.at[path.count] = at;
        path.count += 1;
        at_p = &list->items[at];
    }
    wd_array_node *leaf;
    if (status == WD_OK) {
        status = wd_array_own(at_p, 1, &leaf);
    }
    if (status == WD_OK) {
        wd_array_open(leaf, index, *item_p);
        *item_p = NULL;
        recount_path(&path);
    }
    return status;
}

// ---- removing -------------------------------------------------------------------------------------------------

// Put a small leaf together with its right neighbour. Only saves room, so failing is fine.
static void merge_leaves(wd_list_node *list, uint32_t at)
{
    uint32_t left_at = at + 1u < list->count ? at : at - 1;
    if (list->count < 2 ||
        wd_array_of(list->items[left_at])->count + wd_array_of(list->items[left_at + 1])->count >
            WD_LIST_LEAF_MAX * 3 / 4) {
        return;
    }
    wd_array_node *right = wd_array_of(list->items[left_at + 1]), *left;
    if (wd_array_own(&list->items[left_at], right->count, &left) != WD_OK) {
        return;
    }
    memcpy(left->items + left->count, right->items, right->count * sizeof(wd_value *));
    wd_node_ref_all(right->items, right->count);
    left->count += right->count;
    wd_value_unref(&list->items[left_at + 1]);
    list_close(list, left_at + 1);
    list_recount(list, left_at);
}

// A root with one child is that child. Only saves room, so failing is fine.
static void lower_root(wd_value **list_p)
{
    while ((*list_p)->tag == WD_TAG_LIST && wd_list_of(*list_p)->count == 1) {
        wd_list_node *root = wd_list_of(*list_p);
        wd_array_node *leaf;
        wd_list_node *below;
        wd_status status =
            root->level == 1 ? wd_array_own(&root->items[0], 0, &leaf) : list_own(&root->items[0], 0, &below);
        if (status != WD_OK) {
            return;
        }
        wd_value *child = root->items[0];
        child->height = root->head.height;
        root->count = 0;
        wd_value_unref(list_p);
        *list_p = child;
    }
}

wd_status wd_list_remove(wd_value **list_p, size_t index, wd_value **ret_item)
{
    list_path path;
    wd_value **leaf_p;
    wd_array_node *leaf;
    wd_status status = own_path(list_p, &index, &path, &leaf_p);
    if (status == WD_OK) {
        status = wd_array_own(leaf_p, 0, &leaf);
    }
    if (status != WD_OK) {
        return status;
    }
    *ret_item = wd_array_close(leaf, index);
    unsigned last = path.count - 1;
    if (leaf->count == 0) {
        // Nodes that got empty go; the list as a whole is not empty, so one stays.
        for (;;) {
            wd_value_unref(&path.nodes[last]->items[path.at[last]]);
            list_close(path.nodes[last], path.at[last]);
            if (path.nodes[last]->count > 0 || last == 0) {
                break;
            }
            last -= 1;
        }
        path.count = last + 1;
    } else if (leaf->count <= WD_LIST_LEAF_MAX / 4) {
        list_recount(path.nodes[last], path.at[last]);
        merge_leaves(path.nodes[last], path.at[last]);
    }
    for (unsigned i = 0; i < path.count; i++) {
        path.at[i] = 0;  // what stood at `at` may be gone
    }
    recount_path(&path);
    lower_root(list_p);
    return WD_OK;
}
