// table.c - large objects: members in numbered leaves, found by number for order and by hash for names.
//
// Every change first makes the nodes it will write its own, which changes nothing that can be read; then it writes.
#include "table.h"

enum {
    TRIE_WIDTH = 1 << WD_TRIE_BITS,
    TRIE_LEVELS_MAX = (32 + WD_TRIE_BITS - 1) / WD_TRIE_BITS,
};

// ---- the order: a trie from leaf number to leaf ---------------------------------------------------------------

static wd_trie_node *trie_new(size_t capacity)
{
    wd_trie_node *trie = wd_alloc(sizeof(*trie) + capacity * sizeof(wd_value *));
    if (trie != NULL) {
        trie->head = (wd_value){ .refs = 1, .tag = WD_TAG_TRIE, .capacity = (uint8_t)capacity };
        trie->bitmap = 0;
        trie->count = 0;
    }
    return trie;
}

static unsigned digit_of(uint32_t number, unsigned level)
{
    return number >> (WD_TRIE_BITS * level) & (TRIE_WIDTH - 1);
}

static bool has_digit(const wd_trie_node *trie, unsigned digit)
{
    return (trie->bitmap >> digit & 1) != 0;
}

static void trie_put(wd_trie_node *trie, unsigned digit, wd_value *child)
{
    uint32_t at = wd_bitmap_rank(trie->bitmap, digit);
    memmove(&trie->items[at + 1], &trie->items[at], (trie->count - at) * sizeof(wd_value *));
    trie->items[at] = child;
    trie->bitmap |= (uint32_t)1 << digit;
    trie->count += 1;
}

static wd_status trie_own(wd_value **slot, size_t extra, wd_trie_node **ret_trie)
{
    wd_trie_node *trie = wd_trie_of(*slot);
    size_t wanted = trie->count + extra;
    if (wd_node_unique(&trie->head) && wanted <= trie->head.capacity) {
        wd_node_touch(&trie->head);
        *ret_trie = trie;
        return WD_OK;
    }
    wd_trie_node *own = trie_new(extra == 0 ? wanted : (wanted + 3) & ~(size_t)3);
    if (own == NULL) {
        return WD_ENOMEM;
    }
    own->bitmap = trie->bitmap;
    own->count = trie->count;
    memcpy(own->items, trie->items, trie->count * sizeof(wd_value *));
    wd_node_ref_all(own->items, own->count);
    wd_value_unref(slot);
    *slot = &own->head;
    *ret_trie = own;
    return WD_OK;
}

static bool number_fits(uint32_t number, unsigned levels)
{
    return WD_TRIE_BITS * levels >= 32 || number >> (WD_TRIE_BITS * levels) == 0;
}

static const wd_object_node *trie_get(const wd_table_node *table, uint32_t number)
{
    const wd_value *node = table->order;
    if (!number_fits(number, table->head.capacity)) {
        return NULL;
    }
    for (unsigned level = table->head.capacity; level > 0; level--) {
        const wd_trie_node *trie = wd_trie_of(node);
        unsigned digit = digit_of(number, level - 1);
        if (!has_digit(trie, digit)) {
            return NULL;
        }
        node = trie->items[wd_bitmap_rank(trie->bitmap, digit)];
    }
    return wd_object_of(node);
}

// Own the nodes down to the leaf; *ret_leaf_p is where it hangs. The leaf is there.
static wd_status trie_own_way(wd_table_node *table, uint32_t number, wd_value ***ret_leaf_p)
{
    wd_value **slot = &table->order;
    for (unsigned level = table->head.capacity; level > 0; level--) {
        wd_trie_node *trie;
        wd_status status = trie_own(slot, 0, &trie);
        if (status != WD_OK) {
            return status;
        }
        slot = &trie->items[wd_bitmap_rank(trie->bitmap, digit_of(number, level - 1))];
    }
    *ret_leaf_p = slot;
    return WD_OK;
}

// Nodes from `level` down to the leaf, each with one child. Takes the leaf on success.
static wd_status chain_new(unsigned level, uint32_t number, wd_value *leaf, wd_value **ret_chain)
{
    wd_value *top = leaf;
    for (unsigned i = 0; i < level; i++) {
        wd_trie_node *trie = trie_new(4);
        if (trie == NULL) {
            if (top != leaf) {
                wd_value_ref(leaf);  // stays the caller's
                wd_value_unref(&top);
            }
            return WD_ENOMEM;
        }
        trie_put(trie, digit_of(number, i), top);
        top = &trie->head;
    }
    *ret_chain = top;
    return WD_OK;
}

// Hang in a leaf of a number that is not there yet. Takes the leaf on success.
static wd_status trie_insert(wd_table_node *table, uint32_t number, wd_value *leaf)
{
    while (!number_fits(number, table->head.capacity)) {
        wd_trie_node *root = trie_new(4);
        if (root == NULL) {
            return WD_ENOMEM;
        }
        trie_put(root, 0, table->order);
        table->order = &root->head;
        table->head.capacity += 1;
    }
    wd_value **slot = &table->order;
    for (unsigned level = table->head.capacity; level > 0; level--) {
        unsigned digit = digit_of(number, level - 1);
        bool present = has_digit(wd_trie_of(*slot), digit);
        wd_trie_node *trie;
        wd_status status = trie_own(slot, present ? 0 : 1, &trie);
        if (status != WD_OK) {
            return status;
        }
        if (!present) {
            wd_value *chain;
            status = chain_new(level - 1, number, leaf, &chain);
            if (status == WD_OK) {
                trie_put(trie, digit, chain);
            }
            return status;
        }
        slot = &trie->items[wd_bitmap_rank(trie->bitmap, digit)];
    }
    wd_assert(!"leaf numbers are given once");
    return WD_ESTATE;
}

// Take out a leaf whose way is owned, and the nodes that get empty by it. The root stays.
static void trie_remove(wd_table_node *table, uint32_t number)
{
    wd_trie_node *way[TRIE_LEVELS_MAX];
    unsigned levels = table->head.capacity;
    wd_value *node = table->order;
    for (unsigned level = levels; level > 0; level--) {
        way[level - 1] = wd_trie_of(node);
        node = way[level - 1]->items[wd_bitmap_rank(way[level - 1]->bitmap, digit_of(number, level - 1))];
    }
    for (unsigned level = 0; level < levels; level++) {
        wd_trie_node *trie = way[level];
        uint32_t at = wd_bitmap_rank(trie->bitmap, digit_of(number, level));
        wd_value_unref(&trie->items[at]);
        trie->count -= 1;
        trie->bitmap &= ~((uint32_t)1 << digit_of(number, level));
        memmove(&trie->items[at], &trie->items[at + 1], (trie->count - at) * sizeof(wd_value *));
        if (trie->count > 0) {
            return;
        }
    }
}

static const wd_object_node *leaf_from(const wd_value *node, unsigned levels, uint32_t *number_p)
{
    if (levels == 0) {
        return wd_object_of(node);
    }
    const wd_trie_node *trie = wd_trie_of(node);
    uint64_t step = (uint64_t)1 << (WD_TRIE_BITS * (levels - 1));
    uint64_t base = *number_p & ~(step * TRIE_WIDTH - 1);
    for (unsigned digit = digit_of(*number_p, levels - 1); digit < TRIE_WIDTH; digit++) {
        if (has_digit(trie, digit)) {
            const wd_object_node *leaf =
                leaf_from(trie->items[wd_bitmap_rank(trie->bitmap, digit)], levels - 1, number_p);
            if (leaf != NULL) {
                return leaf;
            }
        }
        // Nothing at or after the number in this child: the next one is looked at from its start.
        *number_p = (uint32_t)(base + (digit + 1) * step);
    }
    return NULL;
}

const wd_object_node *wd_table_leaf_from(const wd_value *value, uint32_t *number_p)
{
    const wd_table_node *table = wd_table_of(value);
    if (!number_fits(*number_p, table->head.capacity)) {
        return NULL;
    }
    return leaf_from(table->order, table->head.capacity, number_p);
}

// ---- names ----------------------------------------------------------------------------------------------------

wd_status wd_table_new(wd_value **ret_table)
{
    wd_table_node *table = wd_alloc(sizeof(*table));
    wd_trie_node *order = trie_new(4);
    wd_hash_node *index = wd_hash_new(8);
    if (table == NULL || order == NULL || index == NULL) {
        wd_free(table, sizeof(*table));
        wd_free(order, order != NULL ? wd_node_size(&order->head) : 0);
        wd_free(index, index != NULL ? wd_node_size(&index->head) : 0);
        return WD_ENOMEM;
    }
    table->head = (wd_value){ .refs = 1, .tag = WD_TAG_TABLE, .height = 1, .capacity = 1 };
    table->count = 0;
    table->leaf_next = 0;
    table->order = &order->head;
    table->index = &index->head;
    *ret_table = &table->head;
    return WD_OK;
}

static wd_status table_own(wd_value **table_p, wd_table_node **ret_table)
{
    wd_table_node *table = wd_table_of(*table_p);
    if (wd_node_unique(&table->head)) {
        wd_node_touch(&table->head);
        *ret_table = table;
        return WD_OK;
    }
    wd_table_node *own = wd_alloc(sizeof(*own));
    if (own == NULL) {
        return WD_ENOMEM;
    }
    *own = *table;
    own->head = (wd_value){
        .refs = 1, .tag = WD_TAG_TABLE, .height = table->head.height, .capacity = table->head.capacity
    };
    wd_node_ref(own->order);
    wd_node_ref(own->index);
    wd_value_unref(table_p);
    *table_p = &own->head;
    *ret_table = own;
    return WD_OK;
}

typedef struct table_search {
    const wd_table_node *table;
    const wd_name *name;
    const wd_object_node *leaf;
    uint32_t number, slot;
} table_search;

static bool visit_leaf(void *context, uint32_t number)
{
    table_search *search = context;
    search->number = number;
    search->leaf = trie_get(search->table, number);
    search->slot = wd_shape_find(search->leaf->shape, search->name);
    return search->slot != WD_SLOT_NONE;
}

static bool table_search_run(const wd_value *table, const wd_name *name, table_search *search)
{
    *search = (table_search){ .table = wd_table_of(table), .name = name };
    return wd_hash_find(search->table->index, name->digest.low, visit_leaf, search);
}

const wd_object_node *wd_table_find(const wd_value *table, const wd_name *name, uint32_t *ret_slot)
{
    table_search search;
    if (!table_search_run(table, name, &search)) {
        return NULL;
    }
    *ret_slot = search.slot;
    return search.leaf;
}

wd_status wd_table_slot(wd_value **table_p, const wd_name *name, wd_value ***ret_slot)
{
    table_search search;
    if (!table_search_run(*table_p, name, &search)) {
        return WD_ENOENT;
    }
    wd_table_node *table;
    wd_object_node *leaf;
    wd_value **leaf_p;
    wd_status status = table_own(table_p, &table);
    if (status == WD_OK) {
        status = trie_own_way(table, search.number, &leaf_p);
    }
    if (status == WD_OK) {
        status = wd_object_own(*leaf_p, 0, &leaf);
    }
    if (status == WD_OK) {
        wd_object_publish(leaf_p, leaf);
        *ret_slot = &leaf->items[search.slot];
    }
    return status;
}

// The hash of the key in that leaf which the index would have put where the entry is.
static uint64_t resolve_entry(
    const void *context, uint32_t number, uint32_t check, uint64_t hash, unsigned level)
{
    const wd_shape *shape = trie_get(context, number)->shape;
    uint64_t mask = ((uint64_t)1 << (WD_HASH_BITS * level)) - 1;
    for (uint32_t i = 0; i < shape->count; i++) {
        uint64_t own = shape->keys[i]->digest.low;
        if (own >> 33 == check && ((own ^ hash) & mask) == 0) {
            return own;
        }
    }
    wd_assert(!"an entry stands for a key");
    return 0;
}

static wd_status add_leaf(wd_table_node *table, uint32_t number, const wd_name *name, wd_value *item)
{
    wd_value *leaf = wd_value_object();
    wd_status status = wd_object_push(&leaf, name, false, item);
    if (status == WD_OK) {
        status = trie_insert(table, number, leaf);
        if (status != WD_OK) {
            wd_object_of(leaf)->items[0] = wd_value_null();  // stays the caller's
            wd_value_unref(&leaf);
        } else {
            table->leaf_next = number + 1;
        }
    }
    return status;
}

static wd_status add_to_leaf(wd_table_node *table, uint32_t number, const wd_name *name, wd_value *item)
{
    wd_value **leaf_p;
    wd_status status = trie_own_way(table, number, &leaf_p);
    return status == WD_OK ? wd_object_push(leaf_p, name, false, item) : status;
}

wd_status wd_table_add(wd_value **table_p, const wd_name *name, wd_value *item)
{
    wd_table_node *table;
    wd_status status = table_own(table_p, &table);
    if (status != WD_OK) {
        return status;
    }
    const wd_object_node *last = table->leaf_next > 0 ? trie_get(table, table->leaf_next - 1) : NULL;
    bool room = last != NULL && last->shape->count < WD_TABLE_LEAF_MAX;
    if (!room && table->leaf_next == UINT32_MAX) {
        return WD_ELIMIT;
    }
    uint32_t number = room ? table->leaf_next - 1 : table->leaf_next;
    // The index first: taking an entry out again cannot fail, since its nodes are owned by then.
    status = wd_hash_insert(&table->index, name->digest.low, number, resolve_entry, table);
    if (status != WD_OK) {
        return status;
    }
    status = room ? add_to_leaf(table, number, name, item) : add_leaf(table, number, name, item);
    if (status != WD_OK) {
        wd_hash_remove(&table->index, name->digest.low, number);
        return status;
    }
    table->count += 1;
    return WD_OK;
}

wd_status wd_table_remove(wd_value **table_p, const wd_name *name, wd_value **ret_item)
{
    table_search search;
    if (!table_search_run(*table_p, name, &search)) {
        return WD_ENOENT;
    }
    wd_table_node *table;
    wd_value **leaf_p;
    wd_status status = table_own(table_p, &table);
    if (status == WD_OK) {
        status = trie_own_way(table, search.number, &leaf_p);
    }
    if (status == WD_OK) {
        status = wd_hash_own(&table->index, name->digest.low);
    }
    if (status != WD_OK) {
        return status;
    }
    if (search.leaf->shape->count > 1) {
        status = wd_object_pull(leaf_p, search.slot, false, ret_item);
        if (status != WD_OK) {
            return status;
        }
    } else {
        *ret_item = wd_value_ref(search.leaf->items[0]);
        trie_remove(table, search.number);
    }
    wd_hash_remove(&table->index, name->digest.low, search.number);
    table->count -= 1;
    return WD_OK;
}
