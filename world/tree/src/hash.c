// hash.c - the index of a table: a hash trie from a key's hash to the number of the leaf that holds the key.
//
// A slot is a node or an entry. An entry has the lowest bit set, then the leaf's number, then the upper 31 bits of
// the hash, which tell most keys apart without looking at them. Keys alike in all digits share a bucket, which is
// a node whose bitmap is not used.
#include "table.h"

enum {
    DIGIT_MASK = (1 << WD_HASH_BITS) - 1,
    WAY_MAX = WD_HASH_LEVELS + 1,
};

static uint32_t check_of(uint64_t hash)
{
    return (uint32_t)(hash >> 33);
}

static wd_value *entry_of(uint64_t hash, uint32_t leaf)
{
    return wd_from_bits((uintptr_t)((uint64_t)check_of(hash) << 33 | (uint64_t)leaf << 1 | 1));
}

static uint32_t entry_leaf(const wd_value *entry)
{
    return (uint32_t)((uint64_t)wd_bits(entry) >> 1);
}

static uint32_t entry_check(const wd_value *entry)
{
    return (uint32_t)((uint64_t)wd_bits(entry) >> 33);
}

static bool is_entry(const wd_value *slot)
{
    return (wd_bits(slot) & 1) != 0;
}

static unsigned digit_of(uint64_t hash, unsigned level)
{
    return (unsigned)(hash >> (WD_HASH_BITS * level)) & DIGIT_MASK;
}

static bool has_digit(const wd_hash_node *node, unsigned digit)
{
    return (node->bitmap >> digit & 1) != 0;
}

wd_hash_node *wd_hash_new(size_t capacity)
{
    wd_hash_node *node = wd_alloc(sizeof(*node) + capacity * sizeof(wd_value *));
    if (node != NULL) {
        node->head = (wd_value){ .refs = 1, .tag = WD_TAG_HASH, .capacity = (uint8_t)capacity };
        node->bitmap = 0;
        node->count = 0;
    }
    return node;
}

bool wd_hash_find(
    const wd_value *root, uint64_t hash, bool (*visit)(void *context, uint32_t leaf), void *context)
{
    const wd_value *slot = root;
    for (unsigned level = 0; level < WD_HASH_LEVELS; level++) {
        const wd_hash_node *node = wd_hash_of(slot);
        unsigned digit = digit_of(hash, level);
        if (!has_digit(node, digit)) {
            return false;
        }
        slot = node->items[wd_bitmap_rank(node->bitmap, digit)];
        if (is_entry(slot)) {
            return entry_check(slot) == check_of(hash) && visit(context, entry_leaf(slot));
        }
    }
    const wd_hash_node *bucket = wd_hash_of(slot);
    for (uint32_t i = 0; i < bucket->count; i++) {
        if (entry_check(bucket->items[i]) == check_of(hash) && visit(context, entry_leaf(bucket->items[i]))) {
            return true;
        }
    }
    return false;
}

// ---- changing -------------------------------------------------------------------------------------------------

static wd_status hash_own(wd_value **slot, size_t extra, wd_hash_node **ret_node)
{
    wd_hash_node *node = wd_hash_of(*slot);
    size_t wanted = node->count + extra;
    if (wd_node_unique(&node->head) && wanted <= node->head.capacity) {
        *ret_node = node;
        return WD_OK;
    }
    wd_hash_node *own = wd_hash_new(extra == 0 ? wanted : (wanted + 3) & ~(size_t)3);
    if (own == NULL) {
        return WD_ENOMEM;
    }
    own->bitmap = node->bitmap;
    own->count = node->count;
    memcpy(own->items, node->items, node->count * sizeof(wd_value *));
    wd_node_ref_all(own->items, own->count);
    wd_value_unref(slot);
    *slot = &own->head;
    *ret_node = own;
    return WD_OK;
}

static void hash_open(wd_hash_node *node, uint32_t at, wd_value *item)
{
    memmove(&node->items[at + 1], &node->items[at], (node->count - at) * sizeof(wd_value *));
    node->items[at] = item;
    node->count += 1;
}

static void hash_close(wd_hash_node *node, uint32_t at)
{
    node->count -= 1;
    memmove(&node->items[at], &node->items[at + 1], (node->count - at) * sizeof(wd_value *));
}

// Nodes from `level` on that tell two entries apart; in a bucket at the end if nothing does.
static wd_status pair_new(
    unsigned level, uint64_t a, wd_value *a_entry, uint64_t b, wd_value *b_entry, wd_value **ret_node)
{
    wd_hash_node *top = wd_hash_new(2), *node = top;
    while (node != NULL && level < WD_HASH_LEVELS && digit_of(a, level) == digit_of(b, level)) {
        wd_hash_node *below = wd_hash_new(2);
        if (below == NULL) {
            wd_node_unref(&top->head);
            return WD_ENOMEM;
        }
        node->bitmap = (uint32_t)1 << digit_of(a, level);
        hash_open(node, 0, &below->head);
        node = below;
        level += 1;
    }
    if (node == NULL) {
        return WD_ENOMEM;
    }
    bool a_first = true;
    if (level < WD_HASH_LEVELS) {
        a_first = digit_of(a, level) < digit_of(b, level);
        node->bitmap = (uint32_t)1 << digit_of(a, level) | (uint32_t)1 << digit_of(b, level);
    }
    hash_open(node, 0, a_first ? a_entry : b_entry);
    hash_open(node, 1, a_first ? b_entry : a_entry);
    *ret_node = &top->head;
    return WD_OK;
}

wd_status wd_hash_insert(
    wd_value **root_p, uint64_t hash, uint32_t leaf, wd_hash_resolve *resolve, const void *context)
{
    wd_value *entry = entry_of(hash, leaf), **slot = root_p;
    wd_hash_node *node;
    wd_status status;
    for (unsigned level = 0; level < WD_HASH_LEVELS; level++) {
        unsigned digit = digit_of(hash, level);
        bool present = has_digit(wd_hash_of(*slot), digit);
        status = hash_own(slot, present ? 0 : 1, &node);
        if (status != WD_OK) {
            return status;
        }
        uint32_t at = wd_bitmap_rank(node->bitmap, digit);
        if (!present) {
            hash_open(node, at, entry);
            node->bitmap |= (uint32_t)1 << digit;
            return WD_OK;
        }
        slot = &node->items[at];
        if (is_entry(*slot)) {
            uint64_t other = resolve(context, entry_leaf(*slot), entry_check(*slot), hash, level + 1);
            wd_value *pair;
            status = pair_new(level + 1, other, *slot, hash, entry, &pair);
            if (status == WD_OK) {
                *slot = pair;
            }
            return status;
        }
    }
    if (wd_hash_of(*slot)->count >= WD_HASH_BUCKET_MAX) {
        return WD_ELIMIT;
    }
    status = hash_own(slot, 1, &node);
    if (status == WD_OK) {
        hash_open(node, node->count, entry);
    }
    return status;
}

// ---- removing -------------------------------------------------------------------------------------------------

wd_status wd_hash_own(wd_value **root_p, uint64_t hash)
{
    wd_value **slot = root_p;
    for (unsigned level = 0; level <= WD_HASH_LEVELS && !is_entry(*slot); level++) {
        wd_hash_node *node;
        wd_status status = hash_own(slot, 0, &node);
        if (status != WD_OK || level == WD_HASH_LEVELS) {
            return status;
        }
        wd_assert(has_digit(node, digit_of(hash, level)));
        slot = &node->items[wd_bitmap_rank(node->bitmap, digit_of(hash, level))];
    }
    return WD_OK;
}

static void bucket_remove(wd_hash_node *bucket, const wd_value *entry)
{
    uint32_t at = 0;
    while (at < bucket->count && bucket->items[at] != entry) {
        at += 1;
    }
    wd_assert(at < bucket->count);
    hash_close(bucket, at);
}

void wd_hash_remove(wd_value **root_p, uint64_t hash, uint32_t leaf)
{
    wd_value *entry = entry_of(hash, leaf), **way[WAY_MAX], **slot = root_p;
    unsigned level = 0;
    for (; level < WD_HASH_LEVELS; level++) {
        wd_hash_node *node = wd_hash_of(*slot);
        way[level] = slot;
        slot = &node->items[wd_bitmap_rank(node->bitmap, digit_of(hash, level))];
        if (is_entry(*slot)) {
            wd_assert(*slot == entry);
            hash_close(node, wd_bitmap_rank(node->bitmap, digit_of(hash, level)));
            node->bitmap &= ~((uint32_t)1 << digit_of(hash, level));
            break;
        }
    }
    if (level == WD_HASH_LEVELS) {
        way[level] = slot;
        bucket_remove(wd_hash_of(*slot), entry);
    }
    // A node below the root that is left with one entry gives way to the entry.
    for (; level > 0; level--) {
        wd_hash_node *node = wd_hash_of(*way[level]);
        if (node->count != 1 || !is_entry(node->items[0])) {
            return;
        }
        *way[level] = node->items[0];
        node->count = 0;
        wd_node_unref(&node->head);
    }
}
