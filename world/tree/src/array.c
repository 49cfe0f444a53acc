// array.c - arrays: one node while they are small, a list beyond.
#include "list.h"

wd_array_node *wd_array_new(size_t capacity)
{
    wd_array_node *array = wd_alloc(sizeof(*array) + capacity * sizeof(wd_value *));
    if (array != NULL) {
        array->head =
            (wd_value){ .refs = 1, .tag = WD_TAG_ARRAY, .height = 1, .capacity = (uint8_t)capacity };
        array->count = 0;
    }
    return array;
}

size_t wd_array_count(const wd_value *array)
{
    if (array == NULL || !wd_is_node(array)) {
        return 0;
    }
    return array->tag == WD_TAG_ARRAY  ? wd_array_of(array)->count
           : array->tag == WD_TAG_LIST ? wd_list_of(array)->total
                                       : 0;
}

const wd_value *wd_array_at(const wd_value *array, size_t index)
{
    if (index >= wd_array_count(array)) {
        return NULL;
    }
    if (array->tag == WD_TAG_ARRAY) {
        return wd_array_of(array)->items[index];
    }
    size_t first;
    const wd_array_node *leaf = wd_list_leaf(array, index, &first);
    return leaf->items[index - first];
}

wd_status wd_array_own(wd_value **array_p, size_t extra, wd_array_node **ret_array)
{
    wd_value *value = *array_p;
    bool node = wd_is_node(value);
    size_t count = node ? wd_array_of(value)->count : 0;
    if (node && wd_node_unique(value) && count + extra <= value->capacity) {
        *ret_array = wd_array_of(value);
        wd_node_touch(value);
        return WD_OK;
    }
    wd_array_node *own = wd_array_new(wd_flat_capacity(count, extra));
    if (own == NULL) {
        return WD_ENOMEM;
    }
    if (node) {
        own->count = (uint32_t)count;
        own->head.height = value->height;
        memcpy(own->items, wd_array_of(value)->items, count * sizeof(wd_value *));
        wd_node_ref_all(own->items, count);
    }
    wd_value_unref(array_p);
    *array_p = &own->head;
    *ret_array = own;
    return WD_OK;
}

void wd_array_open(wd_array_node *array, size_t index, wd_value *item)
{
    memmove(&array->items[index + 1], &array->items[index], (array->count - index) * sizeof(wd_value *));
    array->items[index] = item;
    array->count += 1;
}

wd_value *wd_array_close(wd_array_node *array, size_t index)
{
    wd_value *item = array->items[index];
    array->count -= 1;
    memmove(&array->items[index], &array->items[index + 1], (array->count - index) * sizeof(wd_value *));
    return item;
}

wd_status wd_array_slot(wd_value **array_p, size_t index, unsigned height, wd_value ***ret_slot)
{
    if (index >= wd_array_count(*array_p)) {
        return WD_ENOENT;
    }
    wd_status status;
    if ((*array_p)->tag == WD_TAG_LIST) {
        status = wd_list_slot(array_p, index, ret_slot);
    } else {
        wd_array_node *array;
        status = wd_array_own(array_p, 0, &array);
        if (status == WD_OK) {
            *ret_slot = &array->items[index];
        }
    }
    if (status == WD_OK) {
        wd_node_raise(*array_p, height + 1);
    }
    return status;
}

// The array has WD_FLAT_MAX elements in one node: make it a list.
static wd_status widen(wd_value **array_p)
{
    wd_array_node *array = wd_array_of(*array_p);
    wd_value *list;
    wd_node_ref_all(array->items, array->count);
    wd_status status = wd_list_build(array->items, array->count, &list);
    if (status != WD_OK) {
        wd_node_unref_all(array->items, array->count);
        return status;
    }
    list->height = array->head.height;
    wd_value_unref(array_p);
    *array_p = list;
    return WD_OK;
}

wd_status wd_array_insert(wd_value **array_p, size_t index, wd_value **item_p)
{
    wd_assert(wd_value_is(*array_p, WD_KIND_ARRAY));
    wd_assert(*item_p != NULL);
    size_t count = wd_array_count(*array_p);
    wd_assert(index <= count);
    unsigned height;
    if (count >= WD_VALUE_COUNT_MAX || wd_height_with(*item_p, &height) != WD_OK) {
        return WD_ELIMIT;
    }
    wd_status status = WD_OK;
    if (count == WD_FLAT_MAX && (*array_p)->tag == WD_TAG_ARRAY) {
        status = widen(array_p);
    }
    if (status == WD_OK && wd_has_tag(*array_p, WD_TAG_LIST)) {
        status = index == count ? wd_list_append(array_p, item_p) : wd_list_insert(array_p, index, item_p);
    } else if (status == WD_OK) {
        wd_array_node *array;
        status = wd_array_own(array_p, 1, &array);
        if (status == WD_OK) {
            wd_array_open(array, index, *item_p);
            *item_p = NULL;
        }
    }
    if (status == WD_OK) {
        wd_node_raise(*array_p, height);
    }
    return status;
}

wd_status wd_array_append(wd_value **array_p, wd_value **item_p)
{
    return wd_array_insert(array_p, wd_array_count(*array_p), item_p);
}

wd_status wd_array_set(wd_value **array_p, size_t index, wd_value **item_p)
{
    wd_assert(index < wd_array_count(*array_p));
    wd_assert(*item_p != NULL);
    unsigned height;
    wd_value **slot;
    wd_status status = wd_height_with(*item_p, &height);
    if (status == WD_OK) {
        status = wd_array_slot(array_p, index, height - 1, &slot);
    }
    if (status == WD_OK) {
        wd_slot_replace(slot, item_p);
    }
    return status;
}

wd_status wd_array_remove(wd_value **array_p, size_t index)
{
    size_t count = wd_array_count(*array_p);
    wd_assert(index < count);
    if (count == 1) {
        wd_value_unref(array_p);
        *array_p = wd_value_array();
        return WD_OK;
    }
    wd_value *item = NULL;
    wd_status status;
    if ((*array_p)->tag == WD_TAG_LIST) {
        status = wd_list_remove(array_p, index, &item);
    } else {
        wd_array_node *array;
        status = wd_array_own(array_p, 0, &array);
        if (status == WD_OK) {
            item = wd_array_close(array, index);
        }
    }
    wd_value_unref(&item);
    return status;
}

wd_status wd_array_take(wd_value **array_p, size_t index, wd_value **ret_item)
{
    wd_value **slot;
    wd_status status = wd_array_slot(array_p, index, 0, &slot);
    if (status == WD_OK) {
        *ret_item = *slot;
        *slot = wd_value_null();
    }
    return status;
}

wd_status wd_array_build(wd_value **items, size_t count, wd_value **ret_array)
{
    if (count == 0) {
        *ret_array = wd_value_array();
        return WD_OK;
    }
    unsigned height = 1;
    wd_value *result = NULL;
    wd_status status = count > WD_VALUE_COUNT_MAX ? WD_ELIMIT : wd_height_of_all(items, count, &height);
    if (status == WD_OK && count > WD_FLAT_MAX) {
        status = wd_list_build(items, count, &result);
    } else if (status == WD_OK) {
        wd_array_node *array = wd_array_new(count);
        status = array != NULL ? WD_OK : WD_ENOMEM;
        if (array != NULL) {
            memcpy(array->items, items, count * sizeof(wd_value *));
            array->count = (uint32_t)count;
            result = &array->head;
        }
    }
    if (status != WD_OK) {
        wd_node_unref_all(items, count);
        return status;
    }
    result->height = (uint8_t)height;
    *ret_array = result;
    return WD_OK;
}
