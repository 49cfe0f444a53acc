// walk.c - two containers side by side, skipping what they share.
#include "tree/walk.h"

#include "list.h"
#include "table.h"

enum { PHASE_BOTH, PHASE_OLD, PHASE_NEW, PHASE_END, PHASE_FLAT };

wd_pair_walk wd_pair_start(const wd_value *before, const wd_value *after)
{
    wd_pair_walk walk = { .phase = PHASE_BOTH, .kept_order = true };
    if (before == NULL || after == NULL || before == after) {
        return walk;
    }
    wd_kind kind = wd_value_kind(before);
    if (kind != wd_value_kind(after) || (kind != WD_KIND_ARRAY && kind != WD_KIND_OBJECT)) {
        return walk;
    }
    walk.old_root = before;
    walk.new_root = after;
    if (wd_has_tag(before, WD_TAG_OBJECT) && wd_has_tag(after, WD_TAG_OBJECT) &&
        wd_object_of(before)->shape == wd_object_of(after)->shape) {
        walk.phase = PHASE_FLAT;  // members stand in the same slots: no more to know
    }
    return walk;
}

// ---- arrays ---------------------------------------------------------------------------------------------------

// A node of an array, and the index of the first element in it.
typedef struct list_side {
    const wd_value *node;
    size_t first;
} list_side;

static size_t elements_in(const wd_value *node)
{
    return node->tag == WD_TAG_LIST ? wd_list_of(node)->total : wd_array_of(node)->count;
}

static unsigned level_of(const wd_value *node)
{
    return node->tag == WD_TAG_LIST ? wd_list_of(node)->level : 0;
}

static void step_down(list_side *side, size_t index)
{
    const wd_list_node *list = wd_list_of(side->node);
    const uint32_t *ends = wd_list_ends(list);
    uint32_t at = 0;
    while (index - side->first >= ends[at]) {
        at += 1;
    }
    side->first += at == 0 ? 0 : ends[at - 1];
    side->node = list->items[at];
}

// Both stand on nodes of one level that start alike: move *index past the children they share from there on.
static void skip_shared(const list_side *old_side, const list_side *new_side, size_t *index)
{
    const wd_list_node *old_list = wd_list_of(old_side->node), *new_list = wd_list_of(new_side->node);
    const uint32_t *old_ends = wd_list_ends(old_list), *new_ends = wd_list_ends(new_list);
    uint32_t at = 0;
    while (at < old_list->count && *index - old_side->first >= old_ends[at]) {
        at += 1;
    }
    while (at < old_list->count && at < new_list->count && old_list->items[at] == new_list->items[at] &&
           old_ends[at] == new_ends[at]) {
        *index = old_side->first + old_ends[at];
        at += 1;
    }
}

// Find the leaves at the first index from walk->next on where the arrays do not share their nodes.
static bool next_leaves(wd_pair_walk *walk, size_t shorter)
{
    size_t index = walk->next;
    while (index < shorter) {
        list_side old_side = { walk->old_root, 0 }, new_side = { walk->new_root, 0 };
        size_t from = index;
        while (old_side.node != new_side.node || old_side.first != new_side.first) {
            unsigned old_level = level_of(old_side.node), new_level = level_of(new_side.node);
            if (old_level == 0 && new_level == 0) {
                size_t old_end = old_side.first + elements_in(old_side.node);
                size_t new_end = new_side.first + elements_in(new_side.node);
                walk->next = index;
                walk->leaf_end = old_end < new_end ? old_end : new_end;
                walk->old_leaf = wd_array_of(old_side.node)->items + (index - old_side.first);
                walk->new_leaf = wd_array_of(new_side.node)->items + (index - new_side.first);
                return true;
            }
            if (old_level == new_level && old_side.first == new_side.first) {
                skip_shared(&old_side, &new_side, &index);
                if (index != from) {
                    break;  // the next index may lie elsewhere
                }
            }
            if (old_level >= new_level) {
                step_down(&old_side, index);
            }
            if (new_level >= old_level) {
                step_down(&new_side, index);
            }
        }
        if (index == from) {
            index = old_side.first + elements_in(old_side.node);
        }
    }
    walk->next = index;
    return false;
}

static bool next_element(wd_pair_walk *walk)
{
    size_t old_count = wd_array_count(walk->old_root), new_count = wd_array_count(walk->new_root);
    size_t shorter = old_count < new_count ? old_count : new_count;
    while (walk->next < shorter) {
        if (walk->next == walk->leaf_end && !next_leaves(walk, shorter)) {
            break;
        }
        wd_value *const *old_items = walk->old_leaf, *const *new_items = walk->new_leaf;
        size_t count = walk->leaf_end - walk->next, i = 0;
        while (i < count && wd_scalar_identical(old_items[i], new_items[i])) {
            i += 1;
        }
        walk->next += i;
        if (i < count) {
            walk->index = walk->next;
            walk->next += 1;
            walk->before = old_items[i];
            walk->after = new_items[i];
            walk->old_leaf = old_items + i + 1;
            walk->new_leaf = new_items + i + 1;
            return true;
        }
    }
    walk->index = walk->next;
    walk->next += 1;
    walk->before = wd_array_at(walk->old_root, walk->index);
    walk->after = wd_array_at(walk->new_root, walk->index);
    return walk->before != NULL || walk->after != NULL;
}

// ---- objects: leaves ------------------------------------------------------------------------------------------

// A part of a table's order: a node, and how many levels of trie it is. A trie that is lower than the other one
// stands for a higher one whose first child it is.
typedef struct trie_side {
    const wd_value *node;  // NULL: nothing there
    unsigned levels;
} trie_side;

static trie_side trie_child(trie_side side, unsigned level, unsigned digit)
{
    if (side.node == NULL || side.levels < level) {
        return digit == 0 ? side : (trie_side){ NULL, level - 1 };
    }
    const wd_trie_node *trie = wd_trie_of(side.node);
    bool present = (trie->bitmap >> digit & 1) != 0;
    return (trie_side){ present ? trie->items[wd_bitmap_rank(trie->bitmap, digit)] : NULL, level - 1 };
}

// Does the side stand on a trie node of that level whose children are all there, up to its last one?
static bool is_dense(trie_side side, unsigned level)
{
    if (side.node == NULL || side.levels != level) {
        return false;
    }
    uint32_t bitmap = wd_trie_of(side.node)->bitmap;
    return (bitmap & (bitmap + 1)) == 0;
}

// The first digit from `digit` on under which the two do not share the child; the count of digits if there is none.
static uint64_t next_unshared(trie_side old_side, trie_side new_side, unsigned level, uint64_t digit)
{
    uint64_t width = (uint64_t)1 << WD_TRIE_BITS;
    if (is_dense(old_side, level) && is_dense(new_side, level)) {
        const wd_trie_node *old_trie = wd_trie_of(old_side.node), *new_trie = wd_trie_of(new_side.node);
        uint32_t shorter = old_trie->count < new_trie->count ? old_trie->count : new_trie->count;
        while (digit < shorter && old_trie->items[digit] == new_trie->items[digit]) {
            digit += 1;
        }
        return digit < shorter || old_trie->count != new_trie->count ? digit : width;
    }
    while (digit < width && trie_child(old_side, level, (unsigned)digit).node ==
                                trie_child(new_side, level, (unsigned)digit).node) {
        digit += 1;
    }
    return digit;
}

// The first leaves with a number from *number_p on that are not shared.
static bool trie_difference(
    wd_pair_walk *walk, trie_side old_side, trie_side new_side, unsigned level, uint32_t *number_p)
{
    if (old_side.node == new_side.node) {
        return false;
    }
    if (level == 0) {
        walk->old_leaf = old_side.node;
        walk->new_leaf = new_side.node;
        return true;
    }
    uint64_t step = (uint64_t)1 << (WD_TRIE_BITS * (level - 1)), width = (uint64_t)1 << WD_TRIE_BITS;
    uint64_t base = *number_p & ~(step * width - 1), at = (*number_p - base) / step;
    for (;;) {
        uint64_t digit = next_unshared(old_side, new_side, level, at);
        if (digit != at) {
            *number_p = (uint32_t)(base + digit * step);  // from the start of that child
        }
        if (digit >= width) {
            return false;
        }
        trie_side old_child = trie_child(old_side, level, (unsigned)digit);
        trie_side new_child = trie_child(new_side, level, (unsigned)digit);
        if (trie_difference(walk, old_child, new_child, level - 1, number_p)) {
            return true;
        }
        at = digit + 1;
        *number_p = (uint32_t)(base + at * step);
    }
}

static trie_side order_of(const wd_value *table)
{
    return (trie_side){ wd_table_of(table)->order, table->capacity };
}

static const wd_object_node *as_leaf(const wd_value *object)
{
    return wd_has_tag(object, WD_TAG_OBJECT) ? wd_object_of(object) : NULL;
}

// One leaf after the other of an object of any size.
static const wd_object_node *leaf_of_one(const wd_value *object, uint32_t *number_p)
{
    const wd_object_node *leaf = NULL;
    if (wd_has_tag(object, WD_TAG_TABLE)) {
        leaf = wd_table_leaf_from(object, number_p);
    } else if (*number_p == 0) {
        leaf = as_leaf(object);
    }
    *number_p += 1;
    return leaf;
}

// The next leaves to look at. Leaves of objects that are built alike stand side by side; else all the old one's
// leaves come first, each alone, and then all the new one's.
static bool next_leaf_pair(wd_pair_walk *walk)
{
    walk->old_leaf = walk->new_leaf = NULL;
    bool old_table = wd_has_tag(walk->old_root, WD_TAG_TABLE);
    bool new_table = wd_has_tag(walk->new_root, WD_TAG_TABLE);
    if (walk->phase == PHASE_BOTH && old_table && new_table) {
        trie_side old_side = order_of(walk->old_root), new_side = order_of(walk->new_root);
        unsigned level = old_side.levels > new_side.levels ? old_side.levels : new_side.levels;
        uint32_t number = walk->leaf_number;
        walk->phase = PHASE_END;
        bool more = WD_TRIE_BITS * level >= 32 || number >> (WD_TRIE_BITS * level) == 0;
        if (more && trie_difference(walk, old_side, new_side, level, &number)) {
            walk->phase = number == UINT32_MAX ? PHASE_END : PHASE_BOTH;
            walk->leaf_number = number + 1;
        }
        return walk->old_leaf != NULL || walk->new_leaf != NULL;
    }
    if (walk->phase == PHASE_BOTH && !old_table && !new_table) {
        walk->old_leaf = as_leaf(walk->old_root);
        walk->new_leaf = as_leaf(walk->new_root);
        walk->phase = PHASE_END;
        return true;
    }
    if (walk->phase <= PHASE_OLD) {
        walk->phase = PHASE_OLD;
        walk->old_leaf = leaf_of_one(walk->old_root, &walk->leaf_number);
        if (walk->old_leaf == NULL) {
            walk->phase = PHASE_NEW;
            walk->leaf_number = 0;
        }
    }
    if (walk->phase == PHASE_NEW) {
        walk->new_leaf = leaf_of_one(walk->new_root, &walk->leaf_number);
    }
    return walk->old_leaf != NULL || walk->new_leaf != NULL;
}

// ---- objects: members -----------------------------------------------------------------------------------------

static uint32_t leaf_count(const wd_object_node *leaf)
{
    return leaf != NULL ? leaf->shape->count : 0;
}

static uint32_t find_in_leaf(const wd_object_node *leaf, const wd_key *key, uint32_t likely)
{
    if (leaf == NULL) {
        return WD_SLOT_NONE;
    }
    if (likely < leaf->shape->count && wd_key_same(leaf->shape->keys[likely], key)) {
        return likely;
    }
    wd_name name = wd_name_of_key(key);
    return wd_shape_find(leaf->shape, &name);
}

// The member in the parts of `object` that are not the leaf at hand.
static const wd_value *find_elsewhere(const wd_value *object, const wd_object_node *leaf, const wd_key *key)
{
    if (leaf != NULL && as_leaf(object) == leaf) {
        return NULL;
    }
    wd_name name = wd_name_of_key(key);
    return wd_object_get_name(object, &name);
}

// A key of the leaves at hand: first the old leaf's, then those of the new one that the old one has not.
static bool pair_at(wd_pair_walk *walk, uint32_t at)
{
    const wd_object_node *old_leaf = walk->old_leaf, *new_leaf = walk->new_leaf;
    uint32_t old_count = leaf_count(old_leaf), slot;
    const wd_key *key;
    if (at < old_count) {
        key = old_leaf->shape->keys[at];
        walk->before = old_leaf->items[at];
        slot = find_in_leaf(new_leaf, key, at);
        walk->after =
            slot != WD_SLOT_NONE ? new_leaf->items[slot] : find_elsewhere(walk->new_root, new_leaf, key);
    } else {
        key = new_leaf->shape->keys[at - old_count];
        walk->before = NULL;
        walk->after = new_leaf->items[at - old_count];
        slot = find_in_leaf(old_leaf, key, at - old_count);
        if (slot != WD_SLOT_NONE || find_elsewhere(walk->old_root, old_leaf, key) != NULL) {
            return false;  // told with the old one
        }
    }
    walk->key = key->text;
    walk->key_length = key->length;
    return !wd_scalar_identical(walk->before, walk->after);
}

static bool same_shape_next(
    wd_pair_walk *walk, const wd_object_node *old_leaf, const wd_object_node *new_leaf)
{
    uint32_t count = old_leaf->shape->count, at = (uint32_t)walk->next;
    while (at < count && wd_scalar_identical(old_leaf->items[at], new_leaf->items[at])) {
        at += 1;
    }
    walk->next = at + 1;
    if (at >= count) {
        return false;
    }
    walk->key = old_leaf->shape->keys[at]->text;
    walk->key_length = old_leaf->shape->keys[at]->length;
    walk->before = old_leaf->items[at];
    walk->after = new_leaf->items[at];
    return true;
}

// The leaves at hand keep the order if the old one's keys are the first of the new one's, and if nothing was added
// before them.
static void note_order(wd_pair_walk *walk)
{
    const wd_object_node *old_leaf = walk->old_leaf, *new_leaf = walk->new_leaf;
    uint32_t old_count = leaf_count(old_leaf), new_count = leaf_count(new_leaf);
    bool kept = old_count <= new_count && (old_count == 0 || !walk->appended) &&
                (walk->phase == PHASE_BOTH || walk->phase == PHASE_END);
    for (uint32_t i = 0; kept && i < old_count && old_leaf->shape != new_leaf->shape; i++) {
        kept = wd_key_same(old_leaf->shape->keys[i], new_leaf->shape->keys[i]);
    }
    walk->appended = walk->appended || new_count > old_count;
    walk->kept_order = walk->kept_order && kept;
}

static bool next_member(wd_pair_walk *walk)
{
    for (;;) {
        const wd_object_node *old_leaf = walk->old_leaf, *new_leaf = walk->new_leaf;
        if (old_leaf != NULL && new_leaf != NULL && old_leaf->shape == new_leaf->shape) {
            if (same_shape_next(walk, old_leaf, new_leaf)) {
                return true;
            }
        } else {
            uint32_t count = leaf_count(old_leaf) + leaf_count(new_leaf);
            while (walk->next < count) {
                uint32_t at = (uint32_t)walk->next;
                walk->next += 1;
                if (pair_at(walk, at)) {
                    return true;
                }
            }
        }
        if (!next_leaf_pair(walk)) {
            return false;
        }
        note_order(walk);
        walk->next = 0;
    }
}

bool wd_pair_next(wd_pair_walk *walk)
{
    if (walk->phase == PHASE_FLAT) {
        return same_shape_next(walk, wd_object_of(walk->old_root), wd_object_of(walk->new_root));
    }
    if (walk->old_root == NULL) {
        return false;
    }
    return wd_value_kind(walk->old_root) == WD_KIND_ARRAY ? next_element(walk) : next_member(walk);
}
