/// table.h - objects of one node, and objects that are trees of nodes. Private to world/tree.
#ifndef TABLE_H
#define TABLE_H

#include "key.h"

enum {
    WD_HASH_LEVELS = 12,      // digits of a hash that the index looks at
    WD_HASH_BUCKET_MAX = 32,  // keys that share all these: more are refused
};

// ---- objects of one node, leaves of tables --------------------------------------------------------------------

wd_object_node *wd_object_new(size_t capacity);

/// A node of the caller's own with the members of *object_p and room for `extra` more. It is *object_p itself when
/// that may be changed in place, else a copy that is not published yet.
wd_status wd_object_own(const wd_value *object, size_t extra, wd_object_node **ret_object);
void wd_object_publish(wd_value **object_p, wd_object_node *own);
void wd_object_discard(const wd_value *object, wd_object_node *own, size_t count);

/// An object of one node with that shape, of which it takes a reference of its own. Values are taken on success.
wd_status wd_object_with_shape(wd_shape *shape, wd_value *const *items, wd_value **ret_object);

/// Add a member, which must not be there, holding `item`, which is not taken on failure.
wd_status wd_object_push(wd_value **object_p, const wd_name *name, bool listed, wd_value *item);
wd_status wd_object_pull(wd_value **object_p, uint32_t slot, bool listed, wd_value **ret_item);

// ---- tables ---------------------------------------------------------------------------------------------------

/// An empty table, to which members are added.
wd_status wd_table_new(wd_value **ret_table);

const wd_object_node *wd_table_find(const wd_value *table, const wd_name *name, uint32_t *ret_slot);
wd_status wd_table_slot(wd_value **table_p, const wd_name *name, wd_value ***ret_slot);  // WD_ENOENT
/// The name must not be there. The item is taken on success only.
wd_status wd_table_add(wd_value **table_p, const wd_name *name, wd_value *item);
/// @retval WD_ENOENT, WD_ENOMEM. The table may be left without members.
wd_status wd_table_remove(wd_value **table_p, const wd_name *name, wd_value **ret_item);

/// The first leaf whose number is *number_p or more, and its number; NULL when there is none.
const wd_object_node *wd_table_leaf_from(const wd_value *table, uint32_t *number_p);

// ---- the order of a table (trie.c) ----------------------------------------------------------------------------
// All but the look-ups are for a table that is the caller's own.

wd_trie_node *wd_trie_new(size_t capacity);
/// NULL when there is no leaf of that number.
const wd_object_node *wd_trie_get(const wd_table_node *table, uint32_t number);
/// Own the nodes down to the leaf, which is there; *ret_leaf_p is where it hangs.
wd_status wd_trie_own_way(wd_table_node *table, uint32_t number, wd_value ***ret_leaf_p);
/// Hang in a leaf of a number that is not there yet. Takes the leaf on success.
wd_status wd_trie_insert(wd_table_node *table, uint32_t number, wd_value *leaf);
/// Take out a leaf whose way is owned, and the nodes that get empty by it. The root stays.
void wd_trie_remove(wd_table_node *table, uint32_t number);

/// A node without references is about to drop its children: leave it those that it alone counts.
void wd_trie_bequeath(wd_trie_node *trie);

static inline void wd_trie_loan_none(wd_trie_node *trie)
{
    trie->borrowed = 0;
    trie->partner = trie->prev = trie->next = NULL;
}

// ---- the index of a table (hash.c) ----------------------------------------------------------------------------

/// Full hash of the one key in the leaf that the entry is about. `level` digits of it are those of `hash`.
typedef uint64_t wd_hash_resolve(
    const void *context, uint32_t leaf, uint32_t check, uint64_t hash, unsigned level);

/// Leaves that may hold the key: calls visit(context, leaf) until it returns true; false when none did.
bool wd_hash_find(
    const wd_value *root, uint64_t hash, bool (*visit)(void *context, uint32_t leaf), void *context);
wd_hash_node *wd_hash_new(size_t capacity);
wd_status wd_hash_insert(
    wd_value **root_p, uint64_t hash, uint32_t leaf, wd_hash_resolve *resolve, const void *context);
/// Make the way to the key's entry the caller's own, so that wd_hash_remove() cannot fail.
wd_status wd_hash_own(wd_value **root_p, uint64_t hash);
void wd_hash_remove(wd_value **root_p, uint64_t hash, uint32_t leaf);

#endif
