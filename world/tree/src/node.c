// node.c - life and death of nodes.
#include "region.h"
#include "table.h"

size_t wd_node_size(const wd_value *node)
{
    size_t row = node->capacity * sizeof(wd_value *);
    switch ((wd_tag)node->tag) {
    case WD_TAG_INT:
    case WD_TAG_DOUBLE:
        return sizeof(wd_number_node);
    case WD_TAG_STRING:
        return sizeof(wd_string_node) + wd_string_of(node)->length + 1;
    case WD_TAG_ARRAY:
        return sizeof(wd_array_node) + row;
    case WD_TAG_LIST:
        return sizeof(wd_list_node) + row + node->capacity * sizeof(uint32_t);
    case WD_TAG_OBJECT:
        return sizeof(wd_object_node) + row;
    case WD_TAG_TABLE:
        return sizeof(wd_table_node);
    case WD_TAG_TRIE:
        return sizeof(wd_trie_node) + row;
    case WD_TAG_HASH:
        return sizeof(wd_hash_node) + row;
    case WD_TAG_SHAPE:
        return wd_shape_size(((const wd_shape *)node)->capacity);
    case WD_TAG_KEY:
        return wd_key_size((const wd_key *)node);
    }
    wd_assert(!"a tag of ours");
    return 0;
}

wd_links wd_node_links(const wd_value *node)
{
    switch ((wd_tag)node->tag) {
    case WD_TAG_ARRAY:
        return (wd_links){ .items = wd_array_of(node)->items, .count = wd_array_of(node)->count };
    case WD_TAG_LIST:
        return (wd_links){ .items = wd_list_of(node)->items, .count = wd_list_of(node)->count };
    case WD_TAG_OBJECT: {
        wd_object_node *object = wd_object_of(node);
        return (wd_links){ (wd_value **)&object->shape, object->items, object->shape->count };
    }
    case WD_TAG_TABLE:
        return (wd_links){ &wd_table_of(node)->order, &wd_table_of(node)->index, 1 };
    case WD_TAG_TRIE:
        return (wd_links){ .items = wd_trie_of(node)->items, .count = wd_trie_of(node)->count };
    case WD_TAG_HASH:
        return (wd_links){ .items = wd_hash_of(node)->items, .count = wd_hash_of(node)->count };
    case WD_TAG_SHAPE: {
        wd_shape *shape = (wd_shape *)(uintptr_t)node;
        return (wd_links){ .items = (wd_value **)(uintptr_t)shape->keys, .count = shape->count };
    }
    default:
        return (wd_links){ .count = 0 };
    }
}

// ---- references -----------------------------------------------------------------------------------------------

void wd_node_ref(const wd_value *node)
{
    if ((node->flags & (WD_FLAG_FROZEN | WD_FLAG_FOREVER)) == 0) {
        ((wd_value *)(uintptr_t)node)->refs += 1;
    } else if ((node->flags & WD_FLAG_FROZEN) != 0) {
        wd_region_ref(wd_region_of(node), 1);
    }
}

// Runs of nodes of one region are counted at once: an atomic operation each would cost more than the copy.
typedef struct region_run {
    wd_region *region;
    uint64_t count;
} region_run;

static void run_end(region_run *run, bool add)
{
    if (run->count > 0) {
        (add ? wd_region_ref : wd_region_unref)(run->region, run->count);
    }
    run->count = 0;
}

static void run_add(region_run *run, const wd_value *node, bool add)
{
    wd_region *region = wd_region_of(node);
    if (region != run->region) {
        run_end(run, add);
        run->region = region;
    }
    run->count += 1;
}

void wd_node_ref_all(wd_value *const *items, size_t count)
{
    region_run run = { 0 };
    for (size_t i = 0; i < count; i++) {
        wd_value *node = items[i];
        if (!wd_is_node(node)) {
            continue;
        }
        if ((node->flags & (WD_FLAG_FROZEN | WD_FLAG_FOREVER)) == 0) {
            node->refs += 1;
        } else if ((node->flags & WD_FLAG_FROZEN) != 0) {
            run_add(&run, node, true);
        }
    }
    run_end(&run, true);
}

// ---- death ----------------------------------------------------------------------------------------------------

// Nodes with a digest wait here for their children's turn: dropping a tree takes no more stack than dropping a leaf.
static void dead_push(wd_value **dead, wd_value *node)
{
    ((wd_array_node *)node)->digest.low = (uint64_t)(uintptr_t)*dead;
    *dead = node;
}

static wd_value *dead_pop(wd_value **dead)
{
    wd_value *node = *dead;
    if (node != NULL) {
        *dead = (wd_value *)(uintptr_t)((wd_array_node *)node)->digest.low;
    }
    return node;
}

static void drop_items(wd_value *const *items, size_t count, wd_value **dead);

static void bury(wd_value *node, wd_value **dead)
{
    switch ((wd_tag)node->tag) {
    case WD_TAG_ARRAY:
    case WD_TAG_LIST:
    case WD_TAG_OBJECT:
    case WD_TAG_TABLE:
    case WD_TAG_TRIE:
        dead_push(dead, node);
        return;
    case WD_TAG_SHAPE:
        wd_shape_free((wd_shape *)node);
        return;
    case WD_TAG_KEY:
        wd_key_free((wd_key *)node);
        return;
    case WD_TAG_HASH:  // no deeper than a hash has digits
        drop_items(wd_hash_of(node)->items, wd_hash_of(node)->count, dead);
        break;
    default:
        break;
    }
    wd_free(node, wd_node_size(node));
}

static void drop_items(wd_value *const *items, size_t count, wd_value **dead)
{
    region_run run = { 0 };
    for (size_t i = 0; i < count; i++) {
        wd_value *node = items[i];
        if (!wd_is_node(node)) {
            continue;
        }
        if ((node->flags & (WD_FLAG_FROZEN | WD_FLAG_FOREVER)) == 0) {
            node->refs -= 1;
            if (node->refs == 0) {
                bury(node, dead);
            }
        } else if ((node->flags & WD_FLAG_FROZEN) != 0) {
            run_add(&run, node, false);
        }
    }
    run_end(&run, false);
}

void wd_node_unref_all(wd_value *const *items, size_t count)
{
    wd_value *dead = NULL;
    drop_items(items, count, &dead);
    wd_value *node;
    while ((node = dead_pop(&dead)) != NULL) {
        if (node->tag == WD_TAG_TRIE) {
            wd_trie_bequeath(wd_trie_of(node));
        }
        wd_links links = wd_node_links(node);
        drop_items(links.items, links.count, &dead);
        if (links.single != NULL) {
            drop_items(links.single, 1, &dead);
        }
        wd_free(node, wd_node_size(node));
    }
}

void wd_node_unref(const wd_value *node)
{
    wd_value *own = (wd_value *)(uintptr_t)node;
    if ((node->flags & (WD_FLAG_FROZEN | WD_FLAG_FOREVER)) == 0 && own->refs > 1) {
        own->refs -= 1;
        return;
    }
    wd_node_unref_all(&own, 1);
}

// ---- height ---------------------------------------------------------------------------------------------------

static unsigned height_exact(const wd_value *value)
{
    unsigned height = 0;
    wd_iter iter = wd_iter_start(value);
    while (wd_iter_next(&iter)) {
        unsigned below = wd_height(iter.value) > 0 ? height_exact(iter.value) : 0;
        height = below > height ? below : height;
    }
    wd_kind kind = wd_value_kind(value);
    return kind == WD_KIND_ARRAY || kind == WD_KIND_OBJECT ? height + 1 : 0;
}

wd_status wd_height_with(const wd_value *item, unsigned *ret_height)
{
    unsigned height = wd_height(item) + 1;
    if (height > WD_VALUE_DEPTH_MAX) {
        // What nodes hold is an upper bound: a deep part may have been taken out since. Look closely.
        height = height_exact(item) + 1;
        if (height > WD_VALUE_DEPTH_MAX) {
            return WD_ELIMIT;
        }
    }
    *ret_height = height;
    return WD_OK;
}

wd_status wd_height_of_all(wd_value *const *items, size_t count, unsigned *ret_height)
{
    unsigned highest = 1;
    for (size_t i = 0; i < count; i++) {
        unsigned height;
        if (wd_is_node(items[i]) && items[i]->height == 0) {
            continue;  // a scalar
        }
        if (wd_height_with(items[i], &height) != WD_OK) {
            return WD_ELIMIT;
        }
        highest = height > highest ? height : highest;
    }
    *ret_height = highest;
    return WD_OK;
}
