// table.c - large objects: members in numbered leaves, found by number for order and by hash for names.
//
// Every change first makes the nodes it will write its own, which changes nothing that can be read; then it writes.
#include "table.h"

wd_status wd_table_new(wd_value **ret_table)
{
    wd_table_node *table = wd_alloc(sizeof(*table));
    wd_trie_node *order = wd_trie_new(4);
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
    search->leaf = wd_trie_get(search->table, number);
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
        status = wd_trie_own_way(table, search.number, &leaf_p);
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
    const wd_shape *shape = wd_trie_get(context, number)->shape;
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
        status = wd_trie_insert(table, number, leaf);
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
    wd_status status = wd_trie_own_way(table, number, &leaf_p);
    return status == WD_OK ? wd_object_push(leaf_p, name, false, item) : status;
}

wd_status wd_table_add(wd_value **table_p, const wd_name *name, wd_value *item)
{
    wd_table_node *table;
    wd_status status = table_own(table_p, &table);
    if (status != WD_OK) {
        return status;
    }
    const wd_object_node *last = table->leaf_next > 0 ? wd_trie_get(table, table->leaf_next - 1) : NULL;
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
        status = wd_trie_own_way(table, search.number, &leaf_p);
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
        wd_trie_remove(table, search.number);
    }
    wd_hash_remove(&table->index, name->digest.low, search.number);
    table->count -= 1;
    return WD_OK;
}
