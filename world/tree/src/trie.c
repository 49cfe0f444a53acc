// trie.c - the order of a table: a trie from the number of a leaf to the leaf.
//
// Every change first makes the nodes it will write its own, which changes nothing that can be read; then it writes.
#include "table.h"

enum {
    TRIE_WIDTH = 1 << WD_TRIE_BITS,
    TRIE_LEVELS_MAX = (32 + WD_TRIE_BITS - 1) / WD_TRIE_BITS,
};
_Static_assert(TRIE_WIDTH <= 16, "`borrowed` has a bit for each child");

wd_trie_node *wd_trie_new(size_t capacity)
{
    wd_trie_node *trie = wd_alloc(sizeof(*trie) + capacity * sizeof(wd_value *));
    if (trie != NULL) {
        trie->head = (wd_value){ .refs = 1, .tag = WD_TAG_TRIE, .capacity = (uint8_t)capacity };
        trie->bitmap = 0;
        trie->count = 0;
        wd_trie_loan_none(trie);
    }
    return trie;
}

static unsigned digit_of(uint32_t number, unsigned level)
{
    return number >> (WD_TRIE_BITS * level) & (TRIE_WIDTH - 1);
}

static bool has_digit(const wd_trie_node *trie, unsigned digit)
{
    return (trie->bitmap >> digit & 1) != 0;
}

// ---- loans ----------------------------------------------------------------------------------------------------
// The children of a large table lie far apart, and counting them touches a line of memory each. So a node that is
// copied lends: a child that both have is counted once, by the lender, as long as both live. Mostly one of the two
// dies soon, a snapshot that is dropped say, and the other has the counts for itself without a look at the children.
//
// A node lends to any number of copies, or borrows from one, never both. Whoever is about to change claims a child
// first: from then on each side counts it, and the child says truly whether it is shared.

static void loan_start(wd_trie_node *lender, wd_trie_node *copy)
{
    copy->borrowed = (uint16_t)(((uint32_t)1 << copy->count) - 1);
    copy->partner = lender;
    copy->next = lender->partner;
    if (copy->next != NULL) {
        copy->next->prev = copy;
    }
    lender->partner = copy;
}

static void loan_end(wd_trie_node *borrower)
{
    if (borrower->prev != NULL) {
        borrower->prev->next = borrower->next;
    } else {
        borrower->partner->partner = borrower->next;
    }
    if (borrower->next != NULL) {
        borrower->next->prev = borrower->prev;
    }
    wd_trie_loan_none(borrower);
}

static void borrower_claim(wd_trie_node *borrower, uint32_t at)
{
    if ((borrower->borrowed >> at & 1) != 0) {
        wd_node_ref(borrower->items[at]);
        borrower->borrowed &= (uint16_t) ~(1u << at);
        if (borrower->borrowed == 0) {
            loan_end(borrower);
        }
    }
}

// From now on child `at` is counted for this node alone.
static void trie_claim(wd_trie_node *trie, uint32_t at)
{
    if (trie->borrowed != 0) {
        borrower_claim(trie, at);
        return;
    }
    for (wd_trie_node *next, *borrower = trie->partner; borrower != NULL; borrower = next) {
        next = borrower->next;
        borrower_claim(borrower, at);
    }
}

// The same for all children.
static void trie_settle(wd_trie_node *trie)
{
    for (uint32_t at = 0; at < trie->count && trie->partner != NULL; at++) {
        trie_claim(trie, at);
    }
}

void wd_trie_bequeath(wd_trie_node *trie)
{
    wd_trie_node *borrower = trie->borrowed != 0 ? trie : trie->partner;
    if (borrower == NULL) {
        return;
    }
    while (borrower != trie && borrower->next != NULL) {
        trie_settle(borrower->next);  // only one can have the counts
    }
    uint32_t left = (((uint32_t)1 << trie->count) - 1) & ~(uint32_t)borrower->borrowed;
    loan_end(borrower);
    trie->count = 0;
    for (; left != 0; left &= left - 1) {
        trie->items[trie->count++] = trie->items[__builtin_ctz(left)];
    }
}

// ---- nodes ----------------------------------------------------------------------------------------------------

// Leaves get ever higher numbers, so a child is always put last.
static void trie_put(wd_trie_node *trie, unsigned digit, wd_value *child)
{
    wd_assert(trie->bitmap >> digit == 0);
    trie->items[trie->count++] = child;
    trie->bitmap |= (uint32_t)1 << digit;
}

static wd_status trie_own(wd_value **slot, size_t extra, wd_trie_node **ret_trie)
{
    wd_trie_node *trie = wd_trie_of(*slot);
    size_t wanted = trie->count + extra;
    if (wd_node_unique(&trie->head) && wanted <= trie->head.capacity) {
        wd_node_touch(&trie->head);
        *ret_trie = trie;
        return WD_OK;
    }
    wd_trie_node *own = wd_trie_new(extra == 0 ? wanted : (wanted + 3) & ~(size_t)3);
    if (own == NULL) {
        return WD_ENOMEM;
    }
    own->bitmap = trie->bitmap;
    own->count = trie->count;
    memcpy(own->items, trie->items, trie->count * sizeof(wd_value *));
    if (trie->count > 0 && trie->borrowed == 0 && (trie->head.flags & WD_FLAG_FROZEN) == 0) {
        loan_start(trie, own);
    } else {
        wd_node_ref_all(own->items, own->count);
    }
    wd_value_unref(slot);
    *slot = &own->head;
    *ret_trie = own;
    return WD_OK;
}

// Where a child of an owned node hangs, to be owned next.
static wd_value **trie_slot(wd_trie_node *trie, unsigned digit)
{
    uint32_t at = wd_bitmap_rank(trie->bitmap, digit);
    trie_claim(trie, at);
    return &trie->items[at];
}

static bool number_fits(uint32_t number, unsigned levels)
{
    return WD_TRIE_BITS * levels >= 32 || number >> (WD_TRIE_BITS * levels) == 0;
}

const wd_object_node *wd_trie_get(const wd_table_node *table, uint32_t number)
{
    const wd_value *node = table->order;
    if (!number_fits(number, table->head.capacity)) {
        return NULL;
    }
    for (unsigned level = table->head.capacity; level > 0; level--) {
        const wd_trie_node *trie = wd_trie_of(node);
        unsigned digit = digit_of(number, level - 1);
        if (!has_digit(trie, digit)) {
            return NULL;
        }
        node = trie->items[wd_bitmap_rank(trie->bitmap, digit)];
    }
    return wd_object_of(node);
}

wd_status wd_trie_own_way(wd_table_node *table, uint32_t number, wd_value ***ret_leaf_p)
{
    wd_value **slot = &table->order;
    for (unsigned level = table->head.capacity; level > 0; level--) {
        wd_trie_node *trie;
        wd_status status = trie_own(slot, 0, &trie);
        if (status != WD_OK) {
            return status;
        }
        slot = trie_slot(trie, digit_of(number, level - 1));
    }
    *ret_leaf_p = slot;
    return WD_OK;
}

// Nodes from `level` down to the leaf, each with one child. Takes the leaf on success.
static wd_status chain_new(unsigned level, uint32_t number, wd_value *leaf, wd_value **ret_chain)
{
    wd_value *top = leaf;
    for (unsigned i = 0; i < level; i++) {
        wd_trie_node *trie = wd_trie_new(4);
        if (trie == NULL) {
            if (top != leaf) {
                wd_value_ref(leaf);  // stays the caller's
                wd_value_unref(&top);
            }
            return WD_ENOMEM;
        }
        trie_put(trie, digit_of(number, i), top);
        top = &trie->head;
    }
    *ret_chain = top;
    return WD_OK;
}

wd_status wd_trie_insert(wd_table_node *table, uint32_t number, wd_value *leaf)
{
    while (!number_fits(number, table->head.capacity)) {
        wd_trie_node *root = wd_trie_new(4);
        if (root == NULL) {
            return WD_ENOMEM;
        }
        trie_put(root, 0, table->order);
        table->order = &root->head;
        table->head.capacity += 1;
    }
    wd_value **slot = &table->order;
    for (unsigned level = table->head.capacity; level > 0; level--) {
        unsigned digit = digit_of(number, level - 1);
        bool present = has_digit(wd_trie_of(*slot), digit);
        wd_trie_node *trie;
        wd_status status = trie_own(slot, present ? 0 : 1, &trie);
        if (status != WD_OK) {
            return status;
        }
        if (!present) {
            wd_value *chain;
            status = chain_new(level - 1, number, leaf, &chain);
            if (status == WD_OK) {
                trie_put(trie, digit, chain);
            }
            return status;
        }
        slot = trie_slot(trie, digit);
    }
    wd_assert(!"leaf numbers are given once");
    return WD_ESTATE;
}

void wd_trie_remove(wd_table_node *table, uint32_t number)
{
    wd_trie_node *way[TRIE_LEVELS_MAX];
    unsigned levels = table->head.capacity;
    wd_value *node = table->order;
    for (unsigned level = levels; level > 0; level--) {
        way[level - 1] = wd_trie_of(node);
        node = way[level - 1]->items[wd_bitmap_rank(way[level - 1]->bitmap, digit_of(number, level - 1))];
    }
    for (unsigned level = 0; level < levels; level++) {
        wd_trie_node *trie = way[level];
        uint32_t at = wd_bitmap_rank(trie->bitmap, digit_of(number, level));
        trie_settle(trie);
        wd_value_unref(&trie->items[at]);
        trie->count -= 1;
        trie->bitmap &= ~((uint32_t)1 << digit_of(number, level));
        memmove(&trie->items[at], &trie->items[at + 1], (trie->count - at) * sizeof(wd_value *));
        if (trie->count > 0) {
            return;
        }
    }
}

static const wd_object_node *leaf_from(const wd_value *node, unsigned levels, uint32_t *number_p)
{
    if (levels == 0) {
        return wd_object_of(node);
    }
    const wd_trie_node *trie = wd_trie_of(node);
    uint64_t step = (uint64_t)1 << (WD_TRIE_BITS * (levels - 1));
    uint64_t base = *number_p & ~(step * TRIE_WIDTH - 1);
    for (unsigned digit = digit_of(*number_p, levels - 1); digit < TRIE_WIDTH; digit++) {
        if (has_digit(trie, digit)) {
            const wd_object_node *leaf =
                leaf_from(trie->items[wd_bitmap_rank(trie->bitmap, digit)], levels - 1, number_p);
            if (leaf != NULL) {
                return leaf;
            }
        }
        // Nothing at or after the number in this child: the next one is looked at from its start.
        *number_p = (uint32_t)(base + (digit + 1) * step);
    }
    return NULL;
}

const wd_object_node *wd_table_leaf_from(const wd_value *value, uint32_t *number_p)
{
    const wd_table_node *table = wd_table_of(value);
    if (!number_fits(*number_p, table->head.capacity)) {
        return NULL;
    }
    return leaf_from(table->order, table->head.capacity, number_p);
}
