// object.c - objects: one node while they are small, a table beyond.
#include "table.h"

enum {
    NARROW_MAX = WD_FLAT_MAX / 2,  // a table of so few members is one node again
};

wd_object_node *wd_object_new(size_t capacity)
{
    wd_object_node *object = wd_alloc(sizeof(*object) + capacity * sizeof(wd_value *));
    if (object != NULL) {
        object->head =
            (wd_value){ .refs = 1, .tag = WD_TAG_OBJECT, .height = 1, .capacity = (uint8_t)capacity };
        object->shape = NULL;
    }
    return object;
}

size_t wd_object_count(const wd_value *object)
{
    if (object == NULL || !wd_is_node(object)) {
        return 0;
    }
    return object->tag == WD_TAG_OBJECT  ? wd_object_of(object)->shape->count
           : object->tag == WD_TAG_TABLE ? wd_table_of(object)->count
                                         : 0;
}

// ---- reading --------------------------------------------------------------------------------------------------

const wd_value *wd_object_get_name(const wd_value *object, const wd_name *name)
{
    if (object == NULL || !wd_is_node(object)) {
        return NULL;
    }
    uint32_t slot;
    if (object->tag == WD_TAG_OBJECT) {
        slot = wd_shape_find(wd_object_of(object)->shape, name);
        return slot != WD_SLOT_NONE ? wd_object_of(object)->items[slot] : NULL;
    }
    if (object->tag == WD_TAG_TABLE) {
        const wd_object_node *leaf = wd_table_find(object, name, &slot);
        return leaf != NULL ? leaf->items[slot] : NULL;
    }
    return NULL;
}

const wd_value *wd_object_get_n(const wd_value *object, const char *name, size_t length)
{
    if (object != NULL && wd_has_tag(object, WD_TAG_OBJECT)) {
        const uint32_t slot = wd_shape_find_text(wd_object_of(object)->shape, name, length);
        return slot != WD_SLOT_NONE ? wd_object_of(object)->items[slot] : NULL;
    }
    wd_name hashed = wd_name_of(name, length);
    return wd_object_get_name(object, &hashed);
}

const wd_value *wd_object_get(const wd_value *object, const char *name)
{
    return wd_object_get_n(object, name, strlen(name));
}

const wd_value *wd_object_get_key(const wd_value *object, const wd_key *key)
{
    if (object != NULL && wd_has_tag(object, WD_TAG_OBJECT)) {
        const wd_object_node *flat = wd_object_of(object);
        for (uint32_t i = 0; i < flat->shape->count; i++) {
            if (flat->shape->keys[i] == key) {
                return flat->items[i];
            }
        }
    }
    // A key that was made before the interned one may stand there under another pointer.
    wd_name name = wd_name_of_key(key);
    return wd_object_get_name(object, &name);
}

// ---- one node -------------------------------------------------------------------------------------------------

wd_status wd_object_own(const wd_value *object, size_t extra, wd_object_node **ret_object)
{
    bool node = wd_is_node(object);
    size_t count = node ? wd_object_of(object)->shape->count : 0;
    if (node && wd_node_unique(object) && count + extra <= object->capacity) {
        *ret_object = wd_object_of(object);
        wd_node_touch(&(*ret_object)->head);
        return WD_OK;
    }
    wd_object_node *own = wd_object_new(wd_flat_capacity(count, extra));
    if (own == NULL) {
        return WD_ENOMEM;
    }
    if (node) {
        own->head.height = object->height;
        own->shape = wd_object_of(object)->shape;
        wd_node_ref(&own->shape->head);
        memcpy(own->items, wd_object_of(object)->items, count * sizeof(wd_value *));
        wd_node_ref_all(own->items, count);
    }
    *ret_object = own;
    return WD_OK;
}

void wd_object_publish(wd_value **object_p, wd_object_node *own)
{
    if (*object_p != &own->head) {
        wd_value_unref(object_p);
        *object_p = &own->head;
    }
}

void wd_object_discard(const wd_value *object, wd_object_node *own, size_t count)
{
    if (object != &own->head) {
        wd_node_unref_all(own->items, count);
        if (own->shape != NULL) {
            wd_node_unref(&own->shape->head);
        }
        wd_free(own, wd_node_size(&own->head));
    }
}

wd_status wd_object_push(wd_value **object_p, const wd_name *name, bool listed, wd_value *item)
{
    wd_object_node *own;
    uint32_t count = wd_is_node(*object_p) ? wd_object_of(*object_p)->shape->count : 0;
    wd_status status = wd_object_own(*object_p, 1, &own);
    if (status != WD_OK) {
        return status;
    }
    status = wd_shape_add(&own->shape, name, listed);
    if (status != WD_OK) {
        wd_object_discard(*object_p, own, count);
        return status;
    }
    own->items[count] = item;
    wd_object_publish(object_p, own);
    return WD_OK;
}

wd_status wd_object_pull(wd_value **object_p, uint32_t slot, bool listed, wd_value **ret_item)
{
    wd_object_node *own;
    uint32_t count = wd_object_of(*object_p)->shape->count;
    wd_status status = wd_object_own(*object_p, 0, &own);
    if (status != WD_OK) {
        return status;
    }
    status = wd_shape_drop(&own->shape, slot, listed);
    if (status != WD_OK) {
        wd_object_discard(*object_p, own, count);
        return status;
    }
    *ret_item = own->items[slot];
    memmove(&own->items[slot], &own->items[slot + 1], (count - slot - 1) * sizeof(wd_value *));
    wd_object_publish(object_p, own);
    return WD_OK;
}

// ---- one node or a table --------------------------------------------------------------------------------------

// A table of these members; the values are not taken. The names are known to differ, unless *ret_twice says so.
static wd_status table_build(
    const wd_name *names, wd_value *const *items, size_t count, wd_value **ret_table, size_t *ret_twice)
{
    wd_value *table;
    wd_status status = wd_table_new(&table);
    if (status != WD_OK) {
        return status;
    }
    for (size_t i = 0; i < count && status == WD_OK; i++) {
        uint32_t slot;
        if (wd_table_find(table, &names[i], &slot) != NULL) {
            *ret_twice = i;
            status = WD_EEXIST;
            break;
        }
        wd_value *item = wd_value_ref(items[i]);
        status = wd_table_add(&table, &names[i], item);
        if (status != WD_OK) {
            wd_value_unref(&item);
        }
    }
    if (status != WD_OK) {
        wd_value_unref(&table);
        return status;
    }
    *ret_table = table;
    return WD_OK;
}

// The object has WD_FLAT_MAX members in one node: make it a table.
static wd_status widen(wd_value **object_p)
{
    const wd_object_node *object = wd_object_of(*object_p);
    wd_name names[WD_FLAT_MAX];
    for (uint32_t i = 0; i < object->shape->count; i++) {
        names[i] = wd_name_of_key(object->shape->keys[i]);
    }
    wd_value *table;
    size_t twice;
    wd_status status = table_build(names, object->items, object->shape->count, &table, &twice);
    if (status == WD_OK) {
        table->height = object->head.height;
        wd_value_unref(object_p);
        *object_p = table;
    }
    return status;
}

static wd_status object_add(wd_value **object_p, const wd_name *name, wd_value *item)
{
    if (wd_object_count(*object_p) >= WD_VALUE_COUNT_MAX) {
        return WD_ELIMIT;
    }
    if (wd_has_tag(*object_p, WD_TAG_OBJECT) && wd_object_of(*object_p)->shape->count == WD_FLAT_MAX) {
        wd_status status = widen(object_p);
        if (status != WD_OK) {
            return status;
        }
    }
    return wd_has_tag(*object_p, WD_TAG_TABLE) ? wd_table_add(object_p, name, item)
                                               : wd_object_push(object_p, name, true, item);
}

// Where a member's value is held, the object made unshared. @retval WD_ENOENT.
static wd_status find_slot(wd_value **object_p, const wd_name *name, wd_value ***ret_slot)
{
    if (wd_has_tag(*object_p, WD_TAG_TABLE)) {
        return wd_table_slot(object_p, name, ret_slot);
    }
    uint32_t slot = WD_SLOT_NONE;
    if (wd_has_tag(*object_p, WD_TAG_OBJECT)) {
        slot = wd_shape_find(wd_object_of(*object_p)->shape, name);
    }
    if (slot == WD_SLOT_NONE) {
        return WD_ENOENT;
    }
    wd_object_node *own;
    wd_status status = wd_object_own(*object_p, 0, &own);
    if (status == WD_OK) {
        wd_object_publish(object_p, own);
        *ret_slot = &own->items[slot];
    }
    return status;
}

wd_status wd_object_slot(
    wd_value **object_p, const wd_name *name, bool create, unsigned height, wd_value ***ret_slot)
{
    wd_status status = find_slot(object_p, name, ret_slot);
    if (status == WD_ENOENT && create) {
        status = object_add(object_p, name, wd_value_null());
        if (status == WD_OK) {
            status = find_slot(object_p, name, ret_slot);  // all is owned by now
            wd_assert(status == WD_OK);
        }
    }
    if (status == WD_OK) {
        wd_node_raise(*object_p, height + 1);
    }
    return status;
}

wd_status wd_object_set_name(wd_value **object_p, const wd_name *name, wd_value **item_p)
{
    wd_assert(wd_value_is(*object_p, WD_KIND_OBJECT));
    wd_assert(*item_p != NULL);
    unsigned height;
    wd_value **slot;
    wd_status status = wd_height_with(*item_p, &height);
    if (status != WD_OK) {
        return status;
    }
    status = find_slot(object_p, name, &slot);
    if (status == WD_OK) {
        wd_slot_replace(slot, item_p);
    } else if (status == WD_ENOENT) {
        status = object_add(object_p, name, *item_p);
        if (status == WD_OK) {
            *item_p = NULL;
        }
    }
    if (status == WD_OK) {
        wd_node_raise(*object_p, height);
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

// A table that has become small is one node again. Only saves room, so failing is fine.
static void narrow(wd_value **object_p)
{
    wd_name names[NARROW_MAX];
    wd_value *items[NARROW_MAX], *object;
    size_t count = 0, twice;
    wd_iter iter = wd_iter_start(*object_p);
    while (wd_iter_next(&iter)) {
        names[count] = wd_name_of(iter.key, iter.key_length);
        items[count++] = wd_value_ref(iter.value);
    }
    unsigned height = (*object_p)->height;
    if (wd_object_build(names, items, count, &object, &twice) == WD_OK) {
        wd_node_raise(object, height);
        wd_value_unref(object_p);
        *object_p = object;
    }
}

wd_status wd_object_remove_name(wd_value **object_p, const wd_name *name)
{
    size_t count = wd_object_count(*object_p);
    wd_value *item = NULL;
    wd_status status = wd_object_get_name(*object_p, name) != NULL ? WD_OK : WD_ENOENT;
    if (status == WD_OK && count == 1) {
        wd_value_unref(object_p);
        *object_p = wd_value_object();
    } else if (status == WD_OK && (*object_p)->tag == WD_TAG_TABLE) {
        status = wd_table_remove(object_p, name, &item);
        if (status == WD_OK && count - 1 <= NARROW_MAX) {
            narrow(object_p);
        }
    } else if (status == WD_OK) {
        uint32_t slot = wd_shape_find(wd_object_of(*object_p)->shape, name);
        status = wd_object_pull(object_p, slot, true, &item);
    }
    wd_value_unref(&item);
    return status;
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

wd_status wd_object_build(
    const wd_name *names, wd_value **items, size_t count, wd_value **ret_object, size_t *ret_twice)
{
    if (count == 0) {
        *ret_object = wd_value_object();
        return WD_OK;
    }
    unsigned height = 1;
    wd_value *result = NULL;
    wd_status status = count > WD_VALUE_COUNT_MAX ? WD_ELIMIT : wd_height_of_all(items, count, &height);
    if (status == WD_OK && count > WD_FLAT_MAX) {
        status = table_build(names, items, count, &result, ret_twice);
        if (status == WD_OK) {
            wd_node_unref_all(items, count);
        }
    } else if (status == WD_OK) {
        wd_shape *shape;
        status = wd_shape_of(names, count, &shape, ret_twice);
        if (status == WD_OK) {
            status = wd_object_with_shape(shape, items, &result);
            wd_node_unref(&shape->head);
        }
    }
    if (status != WD_OK) {
        wd_node_unref_all(items, count);
        return status;
    }
    result->height = (uint8_t)height;
    *ret_object = result;
    return WD_OK;
}

wd_status wd_object_with_shape(wd_shape *shape, wd_value *const *items, wd_value **ret_object)
{
    wd_object_node *object = wd_object_new(shape->count);
    if (object == NULL) {
        return WD_ENOMEM;
    }
    wd_node_ref(&shape->head);
    object->shape = shape;
    memcpy(object->items, items, shape->count * sizeof(wd_value *));
    *ret_object = &object->head;
    return WD_OK;
}
