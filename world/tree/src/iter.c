// iter.c - walking a container in order.
#include "node.h"

wd_iter wd_iter_start(const wd_value *container)
{
    return (wd_iter){ .container = container };
}

bool wd_iter_next(wd_iter *iter)
{
    size_t next = iter->started != 0 ? iter->index + 1 : 0;
    iter->started = 1;
    iter->index = next;
    if (next < wd_array_count(iter->container)) {
        iter->value = wd_array_of(iter->container)->items[next];
        return true;
    }
    if (next < wd_object_count(iter->container)) {
        const wd_object_node *object = wd_object_of(iter->container);
        iter->key = object->shape->keys[next]->text;
        iter->key_length = object->shape->keys[next]->length;
        iter->value = object->items[next];
        return true;
    }
    return false;
}
