// node.c - life and death of nodes.
#include "key.h"
#include "region.h"

size_t wd_node_size(const wd_value *node)
{
    switch ((wd_tag)node->tag) {
    case WD_TAG_INT:
    case WD_TAG_DOUBLE:
        return sizeof(wd_number_node);
    case WD_TAG_STRING:
        return sizeof(wd_string_node) + wd_string_of(node)->length + 1;
    case WD_TAG_ARRAY:
        return sizeof(wd_array_node) + wd_array_of(node)->capacity * sizeof(wd_value *);
    case WD_TAG_OBJECT:
        return sizeof(wd_object_node) + wd_object_of(node)->capacity * sizeof(wd_value *);
    case WD_TAG_KEY:
        return sizeof(wd_key) + ((const wd_key *)node)->length + 1;
    case WD_TAG_SHAPE:
        return wd_shape_size(((const wd_shape *)node)->capacity);
    }
    wd_assert(!"a tag of ours");
    return 0;
}

void wd_node_ref(const wd_value *node)
{
    if ((node->flags & (WD_FLAG_FROZEN | WD_FLAG_FOREVER)) == 0) {
        ((wd_value *)(uintptr_t)node)->refs += 1;
    } else if ((node->flags & WD_FLAG_FROZEN) != 0) {
        wd_region_ref(wd_region_of(node));
    }
}

static void drop_items(wd_value **items, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        wd_value_unref(&items[i]);
    }
}

static void node_free(wd_value *node)
{
    if (node->tag == WD_TAG_ARRAY) {
        wd_array_node *array = wd_array_of(node);
        drop_items(array->items, array->count);
    } else if (node->tag == WD_TAG_OBJECT) {
        wd_object_node *object = wd_object_of(node);
        drop_items(object->items, object->shape->count);
        wd_node_unref(&object->shape->head);
    } else if (node->tag == WD_TAG_SHAPE) {
        wd_shape *shape = (wd_shape *)node;
        for (uint32_t i = 0; i < shape->count; i++) {
            wd_node_unref(&shape->keys[i]->head);
        }
    }
    wd_free(node, wd_node_size(node));
}

void wd_node_unref(const wd_value *node)
{
    wd_value *own = (wd_value *)(uintptr_t)node;
    if ((node->flags & (WD_FLAG_FROZEN | WD_FLAG_FOREVER)) == 0) {
        own->refs -= 1;
        if (own->refs == 0) {
            node_free(own);
        }
    } else if ((node->flags & WD_FLAG_FROZEN) != 0) {
        wd_region_unref(wd_region_of(node));
    }
}

static unsigned height_exact(const wd_value *value)
{
    unsigned height = 0;
    wd_iter iter = wd_iter_start(value);
    while (wd_iter_next(&iter)) {
        unsigned below = height_exact(iter.value);
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
