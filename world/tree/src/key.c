// key.c - keys of objects, the interned ones, and shapes: the key sets that objects share.
#include "key.h"

#include "tree/json.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

wd_name wd_name_of(const char *text, size_t length)
{
    return (wd_name){ .text = text, .length = length, .digest = wd_digest_of_text(text, length) };
}

wd_name wd_name_of_key(const wd_key *key)
{
    return (wd_name){ .text = key->text, .length = key->length, .digest = key->digest, .key = key };
}

static size_t key_size(size_t length)
{
    return sizeof(wd_key) + length + 1;
}

static void key_fill(wd_key *key, const wd_name *name, uint8_t flags)
{
    key->head = (wd_value){ .refs = 1, .tag = WD_TAG_KEY, .flags = flags };
    key->length = (uint32_t)name->length;
    key->digest = name->digest;
    key->next = NULL;
    memcpy(key->text, name->text, name->length);
    key->text[name->length] = '\0';
}

// ---- interned keys --------------------------------------------------------------------------------------------

// One table for the process, filled at start-up mostly. Readers take no lock: chains only ever grow at their head.
enum { INTERN_BUCKETS = 4096 };
static _Atomic(wd_key *) intern_table[INTERN_BUCKETS];
static pthread_mutex_t intern_lock = PTHREAD_MUTEX_INITIALIZER;

static const wd_key *intern_find(const wd_name *name)
{
    const wd_key *key =
        atomic_load_explicit(&intern_table[name->digest.low % INTERN_BUCKETS], memory_order_acquire);
    while (key != NULL && !wd_key_is(key, name)) {
        key = key->next;
    }
    return key;
}

wd_status wd_key_intern(const char *text, size_t length, const wd_key **ret_key)
{
    if (length > WD_VALUE_STRING_MAX) {
        return WD_ELIMIT;
    }
    if (!wd_utf8_valid(text, length)) {
        return WD_EUTF8;
    }
    wd_name name = wd_name_of(text, length);
    pthread_mutex_lock(&intern_lock);
    const wd_key *key = intern_find(&name);
    if (key == NULL) {
        // Lives as long as the process, so it is nobody's to count: not from the thread's heap.
        wd_key *fresh = malloc(key_size(length));
        if (fresh != NULL) {
            _Atomic(wd_key *) *bucket = &intern_table[name.digest.low % INTERN_BUCKETS];
            key_fill(fresh, &name, WD_FLAG_FOREVER);
            fresh->next = atomic_load_explicit(bucket, memory_order_relaxed);
            atomic_store_explicit(bucket, fresh, memory_order_release);
        }
        key = fresh;
    }
    pthread_mutex_unlock(&intern_lock);
    if (key == NULL) {
        return WD_ENOMEM;
    }
    *ret_key = key;
    return WD_OK;
}

const char *wd_key_text(const wd_key *key)
{
    return key->text;
}

wd_status wd_key_make(const wd_name *name, const wd_key **ret_key)
{
    const wd_key *found = name->key != NULL ? name->key : intern_find(name);
    if (found != NULL) {
        wd_node_ref(&found->head);
        *ret_key = found;
        return WD_OK;
    }
    if (name->length > WD_VALUE_STRING_MAX) {
        return WD_ELIMIT;
    }
    if (!wd_utf8_valid(name->text, name->length)) {
        return WD_EUTF8;
    }
    wd_key *key = wd_alloc(key_size(name->length));
    if (key == NULL) {
        return WD_ENOMEM;
    }
    key_fill(key, name, 0);
    *ret_key = key;
    return WD_OK;
}

// ---- shapes ---------------------------------------------------------------------------------------------------

size_t wd_shape_size(uint32_t capacity)
{
    return sizeof(wd_shape) + capacity * (sizeof(const wd_key *) + sizeof(uint32_t));
}

uint32_t wd_shape_find(const wd_shape *shape, const wd_name *name)
{
    const uint32_t *hashes = wd_shape_hashes(shape);
    uint32_t hash = (uint32_t)name->digest.low;
    for (uint32_t i = 0; i < shape->count; i++) {
        if (hashes[i] == hash && wd_key_is(shape->keys[i], name)) {
            return i;
        }
    }
    return WD_SLOT_NONE;
}

static wd_shape *shape_new(uint32_t capacity)
{
    wd_shape *shape = wd_alloc(wd_shape_size(capacity));
    if (shape != NULL) {
        shape->head = (wd_value){ .refs = 1, .tag = WD_TAG_SHAPE };
        shape->count = 0;
        shape->capacity = capacity;
    }
    return shape;
}

// Takes the reference to `key`.
static void shape_push(wd_shape *shape, const wd_key *key)
{
    shape->keys[shape->count] = key;
    wd_shape_hashes(shape)[shape->count] = (uint32_t)key->digest.low;
    shape->count += 1;
}

static void shape_copy_keys(wd_shape *to, const wd_shape *from, uint32_t skip)
{
    for (uint32_t i = 0; from != NULL && i < from->count; i++) {
        if (i != skip) {
            wd_node_ref(&from->keys[i]->head);
            shape_push(to, from->keys[i]);
        }
    }
}

wd_status wd_shape_add(wd_shape **shape_p, const wd_name *name)
{
    wd_shape *shape = *shape_p;
    const wd_key *key;
    wd_status status = wd_key_make(name, &key);
    if (status != WD_OK) {
        return status;
    }
    if (shape == NULL || !wd_node_unique(&shape->head) || shape->count == shape->capacity) {
        uint32_t count = shape != NULL ? shape->count : 0;
        wd_shape *grown = shape_new(count < 4 ? 4 : count + count / 2);
        if (grown == NULL) {
            wd_node_unref(&key->head);
            return WD_ENOMEM;
        }
        shape_copy_keys(grown, shape, WD_SLOT_NONE);
        if (shape != NULL) {
            wd_node_unref(&shape->head);
        }
        *shape_p = grown;
    }
    shape_push(*shape_p, key);
    return WD_OK;
}

wd_status wd_shape_drop(wd_shape **shape_p, uint32_t slot)
{
    wd_shape *shape = *shape_p;
    wd_shape *fresh = shape_new(shape->count > 1 ? shape->count - 1 : 1);
    if (fresh == NULL) {
        return WD_ENOMEM;
    }
    shape_copy_keys(fresh, shape, slot);
    wd_node_unref(&shape->head);
    *shape_p = fresh;
    return WD_OK;
}
