/// key.h - keys, and shapes: the key sets that objects share. Private to world/tree.
#ifndef KEY_H
#define KEY_H

#include "node.h"

wd_digest wd_digest_of_text(const char *text, size_t length);

// ---- tables of what a thread has ------------------------------------------------------------------------------

/// Holds keys or shapes of one thread without counting them: they leave it when they die.
typedef struct wd_weak_table {
    wd_listed **buckets;  // NULL: the small table is used
    size_t size, count;   // of buckets, a power of two; of what is listed
    wd_listed *small[64];
} wd_weak_table;

/// First of those that may have the digest; follow `next`.
wd_listed *wd_weak_first(const wd_weak_table *table, uint64_t hash);
void wd_weak_add(wd_weak_table *table, wd_listed *node);
void wd_weak_remove(wd_weak_table *table, wd_listed *node);

// ---- keys -----------------------------------------------------------------------------------------------------

static inline uint64_t wd_load_64(const char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof(word));
    return word;
}

static inline uint64_t wd_load_32(const char *bytes)
{
    uint32_t word;
    memcpy(&word, bytes, sizeof(word));
    return word;
}

/// Names are short: two words that overlap compare most of them without a call.
static inline bool wd_same_bytes(const char *a, const char *b, size_t length)
{
    if (length > 16 || length < 4) {
        return memcmp(a, b, length) == 0;
    }
    if (length >= 8) {
        return ((wd_load_64(a) ^ wd_load_64(b)) |
                   (wd_load_64(a + length - 8) ^ wd_load_64(b + length - 8))) == 0;
    }
    return ((wd_load_32(a) ^ wd_load_32(b)) | (wd_load_32(a + length - 4) ^ wd_load_32(b + length - 4))) == 0;
}

static inline bool wd_key_is(const wd_key *key, const wd_name *name)
{
    return key == name->key || (key->digest.low == name->digest.low && key->length == name->length &&
                                   wd_same_bytes(key->text, name->text, name->length));
}

static inline bool wd_key_same(const wd_key *a, const wd_key *b)
{
    return a == b || (a->digest.low == b->digest.low && a->length == b->length &&
                         memcmp(a->text, b->text, a->length) == 0);
}

/// A new reference to a key of that text: the interned one, else the thread's. @retval WD_EUTF8, WD_ELIMIT, WD_ENOMEM.
wd_status wd_key_make(const wd_name *name, const wd_key **ret_key);
size_t wd_key_size(const wd_key *key);
void wd_key_free(wd_key *key);

// ---- shapes ---------------------------------------------------------------------------------------------------

size_t wd_shape_size(uint32_t capacity);
void wd_shape_free(wd_shape *shape);

/// Where the name stands in the shape, or WD_SLOT_NONE.
uint32_t wd_shape_find(const wd_shape *shape, const wd_name *name);
/// The same by text; quickest where the text stands at the address it had the last time.
uint32_t wd_shape_find_text(const wd_shape *shape, const char *text, size_t length);

/// The thread's shape of these names, at most WD_FLAT_MAX. @retval WD_EEXIST as wd_object_build().
wd_status wd_shape_of(const wd_name *names, size_t count, wd_shape **ret_shape, size_t *ret_twice);

/// Replace *shape_p (NULL is the empty shape) by the shape with `name` added last; it must not be in it.
/// `listed` shapes are looked up and shared, others (of a table's leaf) are not.
/// @retval WD_EUTF8, WD_ELIMIT, WD_ENOMEM  *shape_p is unchanged.
wd_status wd_shape_add(wd_shape **shape_p, const wd_name *name, bool listed);
/// The same with the key at `slot` removed. There is another one.
wd_status wd_shape_drop(wd_shape **shape_p, uint32_t slot, bool listed);

#endif
