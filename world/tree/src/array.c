// array.c - arrays.
#include "node.h"

static wd_array_node *array_new(size_t capacity)
{
    wd_array_node *array = wd_alloc(sizeof(*array) + capacity * sizeof(wd_value *));
    if (array != NULL) {
        array->head = (wd_value){ .refs = 1, .tag = WD_TAG_ARRAY, .height = 1 };
        array->count = 0;
        array->capacity = (uint32_t)capacity;
    }
    return array;
}

size_t wd_array_count(const wd_value *array)
{
    return array != NULL && wd_has_tag(array, WD_TAG_ARRAY) ? wd_array_of(array)->count : 0;
}

const wd_value *wd_array_at(const wd_value *array, size_t index)
{
    return index < wd_array_count(array) ? wd_array_of(array)->items[index] : NULL;
}

// Make *array_p a node of our own with room for `extra` more elements.
static wd_status array_own(wd_value **array_p, size_t extra, wd_array_node **ret_array)
{
    wd_value *value = *array_p;
    size_t count = wd_array_count(value);
    if (wd_is_node(value) && wd_node_unique(value) && count + extra <= wd_array_of(value)->capacity) {
        *ret_array = wd_array_of(value);
        (*ret_array)->head.flags &= (uint8_t)~WD_FLAG_DIGEST;
        return WD_OK;
    }
    size_t capacity = extra == 0 ? count : count < 4 ? 4 : count + count / 2;
    wd_array_node *own = array_new(capacity);
    if (own == NULL) {
        return WD_ENOMEM;
    }
    own->count = (uint32_t)count;
    for (size_t i = 0; i < count; i++) {
        own->items[i] = wd_value_ref(wd_array_of(value)->items[i]);
    }
    own->head.height = (uint8_t)wd_height(value);
    wd_value_unref(array_p);
    *array_p = &own->head;
    *ret_array = own;
    return WD_OK;
}

static void raise_height(wd_array_node *array, unsigned height)
{
    if (array->head.height < height) {
        array->head.height = (uint8_t)height;
    }
}

wd_status wd_array_slot(wd_value **array_p, size_t index, unsigned height, wd_value ***ret_slot)
{
    wd_array_node *array;
    if (index >= wd_array_count(*array_p)) {
        return WD_ENOENT;
    }
    wd_status status = array_own(array_p, 0, &array);
    if (status == WD_OK) {
        raise_height(array, height + 1);
        *ret_slot = &array->items[index];
    }
    return status;
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
    wd_array_node *array;
    wd_status status = array_own(array_p, 1, &array);
    if (status != WD_OK) {
        return status;
    }
    memmove(&array->items[index + 1], &array->items[index], (count - index) * sizeof(wd_value *));
    array->items[index] = *item_p;
    *item_p = NULL;
    array->count += 1;
    raise_height(array, height);
    return WD_OK;
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
    wd_array_node *array;
    wd_status status = array_own(array_p, 0, &array);
    if (status != WD_OK) {
        return status;
    }
    wd_value_unref(&array->items[index]);
    memmove(&array->items[index], &array->items[index + 1], (count - index - 1) * sizeof(wd_value *));
    array->count -= 1;
    return WD_OK;
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
    wd_array_node *array = NULL;
    wd_status status = count > WD_VALUE_COUNT_MAX ? WD_ELIMIT : WD_OK;
    for (size_t i = 0; i < count && status == WD_OK; i++) {
        unsigned with;
        status = wd_height_with(items[i], &with);
        height = status == WD_OK && with > height ? with : height;
    }
    if (status == WD_OK) {
        array = array_new(count);
        status = array != NULL ? WD_OK : WD_ENOMEM;
    }
    if (status != WD_OK) {
        for (size_t i = 0; i < count; i++) {
            wd_value_unref(&items[i]);
        }
        return status;
    }
    memcpy(array->items, items, count * sizeof(wd_value *));
    array->count = (uint32_t)count;
    array->head.height = (uint8_t)height;
    *ret_array = &array->head;
    return WD_OK;
}
