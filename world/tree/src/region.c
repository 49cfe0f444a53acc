// region.c - freezing: one block of nodes that no longer change, and the measure of a tree.
#include "region.h"

#include "table.h"
#include "traits.h"

#include <stdlib.h>

// ---- what a freeze copies -------------------------------------------------------------------------------------

// Each node is copied once, however often the tree reaches it: an open hash map from the old place to the new.
typedef struct freeze_entry {
    const wd_value *node;
    wd_value *copy;
} freeze_entry;

typedef struct freeze {
    freeze_entry *map;
    size_t map_size, map_count;  // size is a power of two, or 0
    wd_region **uses;
    size_t use_count, use_capacity;
    size_t bytes;         // of the copies, each rounded up to 16
    unsigned char *next;  // second pass: where the next copy goes
    wd_region *region;
} freeze;

static size_t round16(size_t size)
{
    return (size + 15) & ~(size_t)15;
}

static freeze_entry *map_find(const freeze *state, const wd_value *node)
{
    uint64_t hash = (uint64_t)(uintptr_t)node * 0x9E3779B97F4A7C15u;
    size_t at = (size_t)(hash >> 20) & (state->map_size - 1);
    while (state->map[at].node != NULL && state->map[at].node != node) {
        at = (at + 1) & (state->map_size - 1);
    }
    return &state->map[at];
}

static wd_status map_grow(freeze *state)
{
    freeze old = *state;
    size_t size = old.map_size == 0 ? 64 : old.map_size * 2;
    freeze_entry *map = wd_alloc_zero(size, sizeof(*map));
    if (map == NULL) {
        return WD_ENOMEM;
    }
    state->map = map;
    state->map_size = size;
    for (size_t i = 0; i < old.map_size; i++) {
        if (old.map[i].node != NULL) {
            *map_find(state, old.map[i].node) = old.map[i];
        }
    }
    wd_free(old.map, old.map_size * sizeof(*map));
    return WD_OK;
}

static wd_status add_use(freeze *state, wd_region *region)
{
    for (size_t i = 0; i < state->use_count; i++) {
        if (state->uses[i] == region) {
            return WD_OK;
        }
    }
    if (state->use_count == state->use_capacity) {
        size_t capacity = state->use_capacity == 0 ? 8 : state->use_capacity * 2;
        wd_region **uses =
            wd_realloc(state->uses, state->use_capacity * sizeof(*uses), capacity * sizeof(*uses));
        if (uses == NULL) {
            return WD_ENOMEM;
        }
        state->uses = uses;
        state->use_capacity = capacity;
    }
    state->uses[state->use_count++] = region;
    return WD_OK;
}

static wd_status gather_items(freeze *state, wd_value *const *items, size_t count);

// First pass: enter each node to be copied, and sum up the room they need.
static wd_status gather(freeze *state, const wd_value *node)
{
    if ((node->flags & WD_FLAG_FROZEN) != 0) {
        return add_use(state, wd_region_of(node));
    }
    if ((node->flags & WD_FLAG_FOREVER) != 0) {
        return WD_OK;
    }
    if (state->map_count * 4 >= state->map_size * 3 && map_grow(state) != WD_OK) {
        return WD_ENOMEM;
    }
    freeze_entry *entry = map_find(state, node);
    if (entry->node != NULL) {
        return WD_OK;
    }
    entry->node = node;
    state->map_count += 1;
    state->bytes += round16(wd_node_size(node));
    wd_traits_settle(node);
    wd_links links = wd_node_links(node);
    wd_status status = gather_items(state, links.items, links.count);
    return status == WD_OK && links.single != NULL ? gather(state, *links.single) : status;
}

static wd_status gather_items(freeze *state, wd_value *const *items, size_t count)
{
    wd_status status = WD_OK;
    for (size_t i = 0; i < count && status == WD_OK; i++) {
        status = wd_is_node(items[i]) ? gather(state, items[i]) : WD_OK;
    }
    return status;
}

// Second pass; nothing can fail any more.
static wd_value *copy_node(freeze *state, wd_value *node)
{
    if (!wd_is_node(node) || (node->flags & (WD_FLAG_FROZEN | WD_FLAG_FOREVER)) != 0) {
        return node;
    }
    freeze_entry *entry = map_find(state, node);
    if (entry->copy != NULL) {
        return entry->copy;
    }
    wd_value *copy = (wd_value *)(void *)state->next;
    size_t size = wd_node_size(node);
    state->next += round16(size);
    entry->copy = copy;
    memcpy(copy, node, size);
    copy->flags = (uint8_t)((copy->flags | WD_FLAG_FROZEN) & ~WD_FLAG_LISTED);
    copy->refs = (uint32_t)(((uintptr_t)copy - (uintptr_t)state->region) / 16);
    if (copy->tag == WD_TAG_TRIE) {
        wd_trie_loan_none(wd_trie_of(copy));
    }
    wd_links links = wd_node_links(copy);
    if (links.single != NULL) {
        *links.single = copy_node(state, *links.single);
    }
    for (uint32_t i = 0; i < links.count; i++) {
        links.items[i] = copy_node(state, links.items[i]);
    }
    return copy;
}

static void freeze_done(freeze *state)
{
    wd_free(state->map, state->map_size * sizeof(*state->map));
    wd_free(state->uses, state->use_capacity * sizeof(wd_region *));
}

wd_status wd_value_freeze(const wd_value *value, wd_value **ret_frozen)
{
    if (wd_value_is_frozen(value)) {
        *ret_frozen = wd_value_ref(value);
        return WD_OK;
    }
    (void)wd_value_digest(value);  // cached now: the region is never written again
    freeze state = { 0 };
    wd_status status = gather(&state, value);
    if (status != WD_OK) {
        freeze_done(&state);
        return status;
    }
    size_t head = round16(sizeof(wd_region));
    size_t size = head + state.bytes + state.use_count * sizeof(wd_region *);
    // A region may be freed by another thread than this one.
    state.region = size / 16 <= UINT32_MAX ? wd_alloc_shared(size) : NULL;
    if (state.region == NULL) {
        freeze_done(&state);
        return WD_ENOMEM;
    }
    atomic_init(&state.region->refs, 1);
    state.region->size = size;
    state.region->uses = (wd_region **)(void *)((unsigned char *)state.region + head + state.bytes);
    state.region->use_count = state.use_count;
    for (size_t i = 0; i < state.use_count; i++) {
        wd_region_ref(state.uses[i], 1);
        state.region->uses[i] = state.uses[i];
    }
    state.next = (unsigned char *)state.region + head;
    *ret_frozen = copy_node(&state, wd_from_bits(wd_bits(value)));
    freeze_done(&state);
    return WD_OK;
}

bool wd_value_is_frozen(const wd_value *value)
{
    return value != NULL && (!wd_is_node(value) || (value->flags & WD_FLAG_FROZEN) != 0);
}

void wd_region_unref(wd_region *first, uint64_t count)
{
    // Regions can stand on each other in a long row: forks of forks. So they are freed in a loop.
    if (atomic_fetch_sub_explicit(&first->refs, count, memory_order_acq_rel) != count) {
        return;
    }
    first->next = NULL;
    while (first != NULL) {
        wd_region *region = first;
        first = region->next;
        for (size_t i = 0; i < region->use_count; i++) {
            wd_region *used = region->uses[i];
            if (atomic_fetch_sub_explicit(&used->refs, 1, memory_order_acq_rel) == 1) {
                used->next = first;
                first = used;
            }
        }
        wd_free_shared(region, region->size);
    }
}

// ---- measuring ------------------------------------------------------------------------------------------------

static void measure_items(wd_value *const *items, size_t count, wd_value_size *size);

// Nodes of one value (a list's inner nodes, a table's tries) count as bytes, values as nodes.
static void measure_node(const wd_value *node, wd_value_size *size)
{
    size->bytes += wd_node_size(node);
    wd_links links = wd_node_links(node);
    if (node->tag == WD_TAG_OBJECT || node->tag == WD_TAG_ARRAY) {
        measure_items(links.items, links.count, size);
        return;
    }
    for (uint32_t i = 0; node->tag != WD_TAG_SHAPE && i < links.count; i++) {
        if (wd_is_node(links.items[i])) {
            measure_node(links.items[i], size);
        }
    }
    if (links.single != NULL) {
        measure_node(*links.single, size);
    }
}

static void measure_items(wd_value *const *items, size_t count, wd_value_size *size)
{
    for (size_t i = 0; i < count; i++) {
        size->nodes += 1;
        size->leaves += wd_height(items[i]) == 0;
        if (wd_is_node(items[i])) {
            measure_node(items[i], size);
        }
    }
}

wd_value_size wd_value_measure(const wd_value *value)
{
    wd_value_size size = { 0 };
    wd_value *root = wd_from_bits(wd_bits(value));
    measure_items(&root, 1, &size);
    return size;
}
