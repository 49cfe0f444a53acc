// object.c - objects.
#include "key.h"

static wd_object_node *object_new(size_t capacity)
{
    wd_object_node *object = wd_alloc(sizeof(*object) + capacity * sizeof(wd_value *));
    if (object != NULL) {
        object->head = (wd_value){ .refs = 1, .tag = WD_TAG_OBJECT, .height = 1 };
        object->capacity = (uint32_t)capacity;
        object->shape = NULL;
    }
    return object;
}

size_t wd_object_count(const wd_value *object)
{
    return object != NULL && wd_has_tag(object, WD_TAG_OBJECT) ? wd_object_of(object)->shape->count : 0;
}

static uint32_t object_find(const wd_value *object, const wd_name *name)
{
    if (object == NULL || !wd_has_tag(object, WD_TAG_OBJECT)) {
        return WD_SLOT_NONE;
    }
    return wd_shape_find(wd_object_of(object)->shape, name);
}

const wd_value *wd_object_get_name(const wd_value *object, const wd_name *name)
{
    uint32_t slot = object_find(object, name);
    return slot != WD_SLOT_NONE ? wd_object_of(object)->items[slot] : NULL;
}

const wd_value *wd_object_get_n(const wd_value *object, const char *name, size_t length)
{
    wd_name hashed = wd_name_of(name, length);
    return wd_object_get_name(object, &hashed);
}

const wd_value *wd_object_get(const wd_value *object, const char *name)
{
    return wd_object_get_n(object, name, strlen(name));
}

const wd_value *wd_object_get_key(const wd_value *object, const wd_key *key)
{
    wd_name name = wd_name_of_key(key);
    return wd_object_get_name(object, &name);
}

// Make *object_p a node of our own with room for `extra` more members.
static wd_status object_own(wd_value **object_p, size_t extra, wd_object_node **ret_object)
{
    wd_value *value = *object_p;
    size_t count = wd_object_count(value);
    if (wd_is_node(value) && wd_node_unique(value) && count + extra <= wd_object_of(value)->capacity) {
        *ret_object = wd_object_of(value);
        (*ret_object)->head.flags &= (uint8_t)~WD_FLAG_DIGEST;
        return WD_OK;
    }
    wd_object_node *own = object_new(extra == 0 ? count : count < 4 ? 4 : count + count / 2);
    if (own == NULL) {
        return WD_ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        own->items[i] = wd_value_ref(wd_object_of(value)->items[i]);
    }
    if (count > 0) {
        own->shape = wd_object_of(value)->shape;
        wd_node_ref(&own->shape->head);
    }
    own->head.height = (uint8_t)wd_height(value);
    *ret_object = own;
    return WD_OK;
}

static void object_publish(wd_value **object_p, wd_object_node *own)
{
    if (*object_p != &own->head) {
        wd_value_unref(object_p);
        *object_p = &own->head;
    }
}

static void object_discard(const wd_value *object, wd_object_node *own, size_t count)
{
    if (object != &own->head) {
        for (size_t i = 0; i < count; i++) {
            wd_value_unref(&own->items[i]);
        }
        if (own->shape != NULL) {
            wd_node_unref(&own->shape->head);
        }
        wd_free(own, wd_node_size(&own->head));
    }
}

wd_status wd_object_slot(
    wd_value **object_p, const wd_name *name, bool create, unsigned height, wd_value ***ret_slot)
{
    uint32_t slot = object_find(*object_p, name);
    if (slot == WD_SLOT_NONE && !create) {
        return WD_ENOENT;
    }
    size_t count = wd_object_count(*object_p);
    if (slot == WD_SLOT_NONE && count >= WD_VALUE_COUNT_MAX) {
        return WD_ELIMIT;
    }
    wd_object_node *own;
    wd_status status = object_own(object_p, slot == WD_SLOT_NONE ? 1 : 0, &own);
    if (status != WD_OK) {
        return status;
    }
    if (slot == WD_SLOT_NONE) {
        status = wd_shape_add(&own->shape, name);
        if (status != WD_OK) {
            object_discard(*object_p, own, count);
            return status;
        }
        slot = (uint32_t)count;
        own->items[slot] = wd_value_null();
    }
    if (own->head.height < height + 1) {
        own->head.height = (uint8_t)(height + 1);
    }
    object_publish(object_p, own);
    *ret_slot = &own->items[slot];
    return WD_OK;
}

wd_status wd_object_set_name(wd_value **object_p, const wd_name *name, wd_value **item_p)
{
    wd_assert(wd_value_is(*object_p, WD_KIND_OBJECT));
    wd_assert(*item_p != NULL);
    unsigned height;
    wd_value **slot;
    wd_status status = wd_height_with(*item_p, &height);
    if (status == WD_OK) {
        status = wd_object_slot(object_p, name, true, height - 1, &slot);
    }
    if (status == WD_OK) {
        wd_slot_replace(slot, item_p);
    }
    return status;
}

wd_status wd_object_set_n(wd_value **object_p, const char *name, size_t length, wd_value **item_p)
{
    wd_name hashed = wd_name_of(name, length);
    return wd_object_set_name(object_p, &hashed, item_p);
}

wd_status wd_object_set(wd_value **object_p, const char *name, wd_value **item_p)
{
    return wd_object_set_n(object_p, name, strlen(name), item_p);
}

wd_status wd_object_set_key(wd_value **object_p, const wd_key *key, wd_value **item_p)
{
    wd_name name = wd_name_of_key(key);
    return wd_object_set_name(object_p, &name, item_p);
}

wd_status wd_object_remove_name(wd_value **object_p, const wd_name *name)
{
    uint32_t slot = object_find(*object_p, name);
    if (slot == WD_SLOT_NONE) {
        return WD_ENOENT;
    }
    size_t count = wd_object_count(*object_p);
    if (count == 1) {
        wd_value_unref(object_p);
        *object_p = wd_value_object();
        return WD_OK;
    }
    wd_object_node *own;
    wd_status status = object_own(object_p, 0, &own);
    if (status != WD_OK) {
        return status;
    }
    status = wd_shape_drop(&own->shape, slot);
    if (status != WD_OK) {
        object_discard(*object_p, own, count);
        return status;
    }
    wd_value_unref(&own->items[slot]);
    memmove(&own->items[slot], &own->items[slot + 1], (count - slot - 1) * sizeof(wd_value *));
    object_publish(object_p, own);
    return WD_OK;
}

wd_status wd_object_remove_n(wd_value **object_p, const char *name, size_t length)
{
    wd_name hashed = wd_name_of(name, length);
    return wd_object_remove_name(object_p, &hashed);
}

wd_status wd_object_remove(wd_value **object_p, const char *name)
{
    return wd_object_remove_n(object_p, name, strlen(name));
}

wd_status wd_object_take(wd_value **object_p, const char *name, wd_value **ret_item)
{
    wd_name hashed = wd_name_of(name, strlen(name));
    wd_value **slot;
    wd_status status = wd_object_slot(object_p, &hashed, false, 0, &slot);
    if (status == WD_OK) {
        *ret_item = *slot;
        *slot = wd_value_null();
    }
    return status;
}

wd_status wd_object_set_last(wd_value **object_p, wd_value **item_p)
{
    wd_object_node *object = wd_object_of(*object_p);
    unsigned height;
    wd_status status = wd_height_with(*item_p, &height);
    if (status == WD_OK) {
        object->head.height = (uint8_t)(height > object->head.height ? height : object->head.height);
        wd_slot_replace(&object->items[object->shape->count - 1], item_p);
    }
    return status;
}
