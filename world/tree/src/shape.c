// shape.c - shapes: the key sets that objects share.
#include "key.h"

static _Thread_local wd_weak_table thread_shapes;

size_t wd_shape_size(uint32_t capacity)
{
    return sizeof(wd_shape) + capacity * (sizeof(const wd_key *) + sizeof(uint32_t));
}

// Where names stood when the thread last looked them up. Only a guess, which is checked: shapes come and go.
enum { GUESS_ENTRIES = 2048 };  // 2^11: the upper bits of a product choose
static _Thread_local uint8_t guesses[GUESS_ENTRIES];

static inline uint8_t *guess_of(const wd_shape *shape, uint64_t what)
{
    return &guesses[(what ^ (uintptr_t)shape >> 4) * 0x9E3779B97F4A7C15u >> 53];
}

static inline bool stands_at(
    const wd_shape *shape, const uint32_t *hashes, uint32_t slot, const wd_name *name)
{
    return hashes[slot] == (uint32_t)name->digest.low && wd_key_is(shape->keys[slot], name);
}

uint32_t wd_shape_find(const wd_shape *shape, const wd_name *name)
{
    const uint32_t *hashes = wd_shape_hashes(shape);
    const uint32_t hash = (uint32_t)name->digest.low;
    uint8_t *guess = guess_of(shape, hash);
    if (*guess < shape->count && stands_at(shape, hashes, *guess, name)) {
        return *guess;
    }
    for (uint32_t i = 0; i < shape->count; i++) {
        if (stands_at(shape, hashes, i, name)) {
            *guess = (uint8_t)i;
            return i;
        }
    }
    return WD_SLOT_NONE;
}

uint32_t wd_shape_find_text(const wd_shape *shape, const char *text, size_t length)
{
    // The same text at the same address is asked of the same shape again and again: no digest is needed to see it.
    uint8_t *guess = guess_of(shape, (uintptr_t)text);
    if (*guess < shape->count) {
        const wd_key *key = shape->keys[*guess];
        if (key->length == length && wd_same_bytes(key->text, text, length)) {
            return *guess;
        }
    }
    const wd_name name = wd_name_of(text, length);
    const uint32_t slot = wd_shape_find(shape, &name);
    if (slot != WD_SLOT_NONE) {
        *guess = (uint8_t)slot;
    }
    return slot;
}

static wd_shape *shape_new(uint32_t capacity)
{
    wd_shape *shape = wd_alloc(wd_shape_size(capacity));
    if (shape != NULL) {
        shape->head = (wd_value){ .refs = 1, .tag = WD_TAG_SHAPE };
        shape->count = 0;
        shape->capacity = capacity;
        shape->digest = (wd_digest){ 0 };
        shape->next = NULL;
    }
    return shape;
}

void wd_shape_free(wd_shape *shape)
{
    if ((shape->head.flags & WD_FLAG_LISTED) != 0) {
        wd_weak_remove(&thread_shapes, (wd_listed *)shape);
    }
    for (uint32_t i = 0; i < shape->count; i++) {
        wd_node_unref(&shape->keys[i]->head);
    }
    wd_free(shape, wd_shape_size(shape->capacity));
}

// The digest of a sequence with one more key. Not part of any value's digest: it only finds shapes again.
static wd_digest sequence_add(wd_digest sequence, wd_digest key)
{
    uint64_t mixed = (sequence.low ^ key.low) * 0x9E3779B97F4A7C15u;
    return (wd_digest){ .high = sequence.high * 0x9FB21C651E98DF25u + key.high, .low = mixed ^ mixed >> 29 };
}

// Takes the reference to `key`.
static void shape_push(wd_shape *shape, const wd_key *key)
{
    shape->keys[shape->count] = key;
    wd_shape_hashes(shape)[shape->count] = (uint32_t)key->digest.low;
    shape->digest = sequence_add(shape->digest, key->digest);
    shape->count += 1;
}

static void shape_push_all(wd_shape *to, const wd_shape *from, uint32_t skip)
{
    for (uint32_t i = 0; from != NULL && i < from->count; i++) {
        if (i != skip) {
            wd_node_ref(&from->keys[i]->head);
            shape_push(to, from->keys[i]);
        }
    }
}

static bool same_keys(const wd_shape *a, const wd_shape *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!wd_key_same(a->keys[i], b->keys[i])) {
            return false;
        }
    }
    return true;
}

static bool is_shape_of(const wd_shape *shape, const wd_name *names, size_t count)
{
    if (shape->count != count) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (!wd_key_is(shape->keys[i], &names[i])) {
            return false;
        }
    }
    return true;
}

wd_status wd_shape_of(const wd_name *names, size_t count, wd_shape **ret_shape, size_t *ret_twice)
{
    wd_digest sequence = { 0 };
    for (size_t i = 0; i < count; i++) {
        sequence = sequence_add(sequence, names[i].digest);
    }
    for (wd_listed *node = wd_weak_first(&thread_shapes, sequence.low); node != NULL; node = node->next) {
        if (wd_digest_equal(node->digest, sequence) && is_shape_of((wd_shape *)node, names, count)) {
            wd_node_ref(&node->head);
            *ret_shape = (wd_shape *)node;
            return WD_OK;
        }
    }
    wd_shape *shape = shape_new((uint32_t)count);
    wd_status status = shape != NULL ? WD_OK : WD_ENOMEM;
    for (size_t i = 0; i < count && status == WD_OK; i++) {
        const wd_key *key;
        if (wd_shape_find(shape, &names[i]) != WD_SLOT_NONE) {
            *ret_twice = i;
            status = WD_EEXIST;
            break;
        }
        status = wd_key_make(&names[i], &key);
        if (status == WD_OK) {
            shape_push(shape, key);
        }
    }
    if (status != WD_OK) {
        if (shape != NULL) {
            wd_shape_free(shape);
        }
        return status;
    }
    wd_weak_add(&thread_shapes, (wd_listed *)shape);
    *ret_shape = shape;
    return WD_OK;
}

// A listed shape with the keys of `shape` and then `name`; NULL when there is none.
static wd_shape *find_longer(const wd_shape *shape, const wd_name *name)
{
    uint32_t count = shape != NULL ? shape->count : 0;
    wd_digest sequence = sequence_add(shape != NULL ? shape->digest : (wd_digest){ 0 }, name->digest);
    for (wd_listed *node = wd_weak_first(&thread_shapes, sequence.low); node != NULL; node = node->next) {
        wd_shape *found = (wd_shape *)node;
        if (found->count == count + 1 && wd_digest_equal(found->digest, sequence) &&
            wd_key_is(found->keys[count], name) && same_keys(found, shape, count)) {
            return found;
        }
    }
    return NULL;
}

static void shape_swap(wd_shape **shape_p, wd_shape *fresh)
{
    if (*shape_p != NULL) {
        wd_node_unref(&(*shape_p)->head);
    }
    *shape_p = fresh;
}

wd_status wd_shape_add(wd_shape **shape_p, const wd_name *name, bool listed)
{
    wd_shape *shape = *shape_p;
    wd_shape *found = listed ? find_longer(shape, name) : NULL;
    if (found != NULL) {
        wd_node_ref(&found->head);
        shape_swap(shape_p, found);
        return WD_OK;
    }
    const wd_key *key;
    wd_status status = wd_key_make(name, &key);
    if (status != WD_OK) {
        return status;
    }
    if (shape != NULL && wd_node_unique(&shape->head) && shape->count < shape->capacity) {
        // Nobody else has it: the object that grows keeps its shape, under a new digest.
        if ((shape->head.flags & WD_FLAG_LISTED) != 0) {
            wd_weak_remove(&thread_shapes, (wd_listed *)shape);
        }
    } else {
        uint32_t count = shape != NULL ? shape->count : 0;
        wd_shape *grown = shape_new(count < 4 ? 4 : count + count / 2);
        if (grown == NULL) {
            wd_node_unref(&key->head);
            return WD_ENOMEM;
        }
        shape_push_all(grown, shape, WD_SLOT_NONE);
        shape_swap(shape_p, grown);
    }
    shape_push(*shape_p, key);
    if (listed) {
        wd_weak_add(&thread_shapes, (wd_listed *)*shape_p);
    }
    return WD_OK;
}

wd_status wd_shape_drop(wd_shape **shape_p, uint32_t slot, bool listed)
{
    wd_shape *shape = *shape_p;
    if (listed) {
        wd_name names[WD_FLAT_MAX];
        uint32_t count = 0;
        for (uint32_t i = 0; i < shape->count; i++) {
            if (i != slot) {
                names[count++] = wd_name_of_key(shape->keys[i]);
            }
        }
        wd_shape *found;
        size_t twice;
        wd_status status = wd_shape_of(names, count, &found, &twice);
        if (status == WD_OK) {
            shape_swap(shape_p, found);
        }
        return status;
    }
    wd_shape *fresh = shape_new(shape->count - 1);
    if (fresh == NULL) {
        return WD_ENOMEM;
    }
    shape_push_all(fresh, shape, slot);
    shape_swap(shape_p, fresh);
    return WD_OK;
}
