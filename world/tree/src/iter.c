// iter.c - walking a container in order, a leaf at a time.
#include "table.h"

#include "list.h"

wd_iter wd_iter_start(const wd_value *container)
{
    return (wd_iter){ .container = container };
}

static void enter_array(wd_iter *iter, const wd_array_node *leaf)
{
    iter->items = leaf->items;
    iter->shape = NULL;
    iter->at = 0;
    iter->end = leaf->count;
}

static void enter_object(wd_iter *iter, const wd_object_node *leaf)
{
    iter->items = leaf->items;
    iter->shape = leaf->shape;
    iter->at = 0;
    iter->end = leaf->shape->count;
}

// The first leaf, or the one after the leaf that is used up.
static bool next_leaf(wd_iter *iter)
{
    const wd_value *container = iter->container;
    bool first = iter->items == NULL;
    if (container == NULL || !wd_is_node(container)) {
        return false;
    }
    if (container->tag == WD_TAG_ARRAY && first) {
        enter_array(iter, wd_array_of(container));
        return true;
    }
    if (container->tag == WD_TAG_OBJECT && first) {
        enter_object(iter, wd_object_of(container));
        return true;
    }
    if (container->tag == WD_TAG_LIST && iter->next_index < wd_list_of(container)->total) {
        size_t start;
        enter_array(iter, wd_list_leaf(container, iter->next_index, &start));
        return true;
    }
    if (container->tag == WD_TAG_TABLE) {
        uint32_t number = iter->next_leaf;
        const wd_object_node *leaf = wd_table_leaf_from(container, &number);
        if (leaf != NULL) {
            iter->next_leaf = number + 1;
            enter_object(iter, leaf);
            return true;
        }
    }
    return false;
}

bool wd_iter_next(wd_iter *iter)
{
    if (iter->at == iter->end && !next_leaf(iter)) {
        return false;
    }
    iter->index = iter->next_index;
    iter->next_index += 1;
    iter->value = iter->items[iter->at];
    const wd_shape *shape = iter->shape;
    if (shape != NULL) {
        iter->key = shape->keys[iter->at]->text;
        iter->key_length = shape->keys[iter->at]->length;
    }
    iter->at += 1;
    return true;
}
