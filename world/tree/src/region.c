// region.c - freezing: one block of nodes that no longer change, and the measure of a tree.
#include "region.h"

#include "key.h"

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

static wd_status gather(freeze *state, const wd_value *node);

static wd_status gather_items(freeze *state, wd_value *const *items, uint32_t count)
{
    wd_status status = WD_OK;
    for (uint32_t i = 0; i < count && status == WD_OK; i++) {
        status = wd_is_node(items[i]) ? gather(state, items[i]) : WD_OK;
    }
    return status;
}

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
    if (node->tag == WD_TAG_ARRAY) {
        return gather_items(state, wd_array_of(node)->items, wd_array_of(node)->count);
    }
    if (node->tag == WD_TAG_OBJECT) {
        const wd_object_node *object = wd_object_of(node);
        wd_status status = gather(state, &object->shape->head);
        return status == WD_OK ? gather_items(state, object->items, object->shape->count) : status;
    }
    if (node->tag == WD_TAG_SHAPE) {
        const wd_shape *shape = (const wd_shape *)node;
        wd_status status = WD_OK;
        for (uint32_t i = 0; i < shape->count && status == WD_OK; i++) {
            status = gather(state, &shape->keys[i]->head);
        }
        return status;
    }
    return WD_OK;
}

// Second pass; nothing can fail any more.
static wd_value *copy_node(freeze *state, const wd_value *node)
{
    if (!wd_is_node(node) || (node->flags & (WD_FLAG_FROZEN | WD_FLAG_FOREVER)) != 0) {
        return wd_from_bits(wd_bits(node));
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
    copy->flags |= WD_FLAG_FROZEN;
    copy->refs = (uint32_t)(((uintptr_t)copy - (uintptr_t)state->region) / 16);
    if (node->tag == WD_TAG_ARRAY) {
        wd_array_node *array = wd_array_of(copy);
        for (uint32_t i = 0; i < array->count; i++) {
            array->items[i] = copy_node(state, array->items[i]);
        }
    } else if (node->tag == WD_TAG_OBJECT) {
        wd_object_node *object = wd_object_of(copy);
        uint32_t count = object->shape->count;
        object->shape = (wd_shape *)copy_node(state, &object->shape->head);
        for (uint32_t i = 0; i < count; i++) {
            object->items[i] = copy_node(state, object->items[i]);
        }
    } else if (node->tag == WD_TAG_SHAPE) {
        wd_shape *shape = (wd_shape *)copy;
        for (uint32_t i = 0; i < shape->count; i++) {
            shape->keys[i] = (const wd_key *)copy_node(state, &shape->keys[i]->head);
        }
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
        wd_region_ref(state.uses[i]);
        state.region->uses[i] = state.uses[i];
    }
    state.next = (unsigned char *)state.region + head;
    *ret_frozen = copy_node(&state, value);
    freeze_done(&state);
    return WD_OK;
}

bool wd_value_is_frozen(const wd_value *value)
{
    return value != NULL && (!wd_is_node(value) || (value->flags & WD_FLAG_FROZEN) != 0);
}

void wd_region_unref(wd_region *region)
{
    if (atomic_fetch_sub_explicit(&region->refs, 1, memory_order_release) != 1) {
        return;
    }
    atomic_thread_fence(memory_order_acquire);
    for (size_t i = 0; i < region->use_count; i++) {
        wd_region_unref(region->uses[i]);
    }
    wd_free_shared(region, region->size);
}

// ---- measuring ------------------------------------------------------------------------------------------------

static void measure(const wd_value *value, wd_value_size *size)
{
    if (wd_is_node(value)) {
        size->bytes += wd_node_size(value);
    }
    size->nodes += 1;
    wd_kind kind = wd_value_kind(value);
    size->leaves += kind != WD_KIND_ARRAY && kind != WD_KIND_OBJECT;
    wd_iter iter = wd_iter_start(value);
    while (wd_iter_next(&iter)) {
        measure(iter.value, size);
    }
}

wd_value_size wd_value_measure(const wd_value *value)
{
    wd_value_size size = { 0 };
    measure(value, &size);
    return size;
}
