/// node.h - how values lie in memory. Private to world/tree; docs/state-tree.md draws it.
///
/// A wd_value pointer is either an immediate, told by its low three bits, or the address of a node.
#ifndef NODE_H
#define NODE_H

#include "tree/alloc.h"
#include "tree/value.h"

#include <string.h>

// ---- immediates -----------------------------------------------------------------------------------------------

enum {
    WD_IMM_NODE = 0,    // address of a node
    WD_IMM_INT = 1,     // 61-bit integer in the upper bits
    WD_IMM_DOUBLE = 2,  // a double whose lowest three bits are zero
    WD_IMM_CONST = 4,   // one of the constants below
    WD_IMM_MASK = 7,
};

#define WD_CONST(n) ((uintptr_t)(n) << 3 | WD_IMM_CONST)
#define WD_BITS_NULL WD_CONST(0)
#define WD_BITS_FALSE WD_CONST(1)
#define WD_BITS_TRUE WD_CONST(2)
#define WD_BITS_EMPTY_ARRAY WD_CONST(3)
#define WD_BITS_EMPTY_OBJECT WD_CONST(4)
#define WD_BITS_EMPTY_STRING WD_CONST(5)

static inline uintptr_t wd_bits(const wd_value *value)
{
    return (uintptr_t)value;
}

static inline wd_value *wd_from_bits(uintptr_t bits)
{
    return (wd_value *)bits;
}

static inline bool wd_is_node(const wd_value *value)
{
    return (wd_bits(value) & WD_IMM_MASK) == WD_IMM_NODE;  // NULL too: callers know they hold a value
}

// ---- nodes ----------------------------------------------------------------------------------------------------

typedef enum wd_tag {
    WD_TAG_INT,
    WD_TAG_DOUBLE,
    WD_TAG_STRING,
    WD_TAG_ARRAY,   // up to WD_FLAT_MAX elements; also a leaf of a list
    WD_TAG_LIST,    // a larger array, and the nodes between its root and its leaves
    WD_TAG_OBJECT,  // up to WD_FLAT_MAX members; also a leaf of a table
    WD_TAG_TABLE,   // a larger object
    WD_TAG_TRIE,    // of a table: from leaf number to leaf
    WD_TAG_HASH,    // of a table: from key to leaf number
    WD_TAG_SHAPE,
    WD_TAG_KEY,
} wd_tag;

enum {
    WD_FLAG_FROZEN = 1,   // lies in a region: `refs` is the distance to the region's start in 16-byte units
    WD_FLAG_DIGEST = 2,   // the cached digest is valid
    WD_FLAG_FOREVER = 4,  // an interned key: never counted, never freed
    WD_FLAG_LISTED = 8,   // a key or shape in its thread's table
    WD_FLAG_PLAIN = 16,   // a text that JSON writes without escapes
    WD_FLAG_TRAITS = 32,  // the cached traits are valid
};

enum {
    WD_FLAT_MAX = 32,       // children of an array or object that is one node
    WD_LIST_LEAF_MAX = 16,  // elements of a leaf of a list
    WD_LIST_WIDTH = 16,     // children of a list node
    WD_TABLE_LEAF_MAX = 8,  // members of a leaf of a table
    WD_TRIE_BITS = 4,       // log2 of the children of a trie node
    WD_HASH_BITS = 5,       // log2 of the children of a hash node
    WD_LIST_LEVELS_MAX = 12,
};

struct wd_value {
    uint32_t refs;
    uint8_t tag;    // wd_tag
    uint8_t flags;  // WD_FLAG_*
    uint8_t
        height;  // roots of arrays and objects: no fewer than the levels of containers at and below this one
    uint8_t capacity;  // of nodes that have no more than 255 slots
};

typedef struct wd_number_node {
    wd_value head;
    union {
        int64_t integer;
        double real;
    } number;
} wd_number_node;

typedef struct wd_string_node {
    wd_value head;
    uint32_t length;
    char text[];
} wd_string_node;

/// What keys and shapes have in common, so that one kind of table holds both.
typedef struct wd_listed {
    wd_value head;
    uint32_t count;
    uint32_t capacity;
    wd_digest digest;
    struct wd_listed *next;  // in its table
} wd_listed;

struct wd_key {
    wd_value head;
    uint32_t length;
    uint32_t unused;
    wd_digest digest;  // of the text as a string value
    wd_listed *next;
    char text[];
};

/// The keys of an object in order, shared by all objects that have just these.
typedef struct wd_shape {
    wd_value head;
    uint32_t count, capacity;
    wd_digest digest;  // of the sequence of keys
    wd_listed *next;
    const wd_key *keys[];  // then `capacity` uint32_t, the low halves of the keys' digests
} wd_shape;

static inline uint32_t *wd_shape_hashes(const wd_shape *shape)
{
    return (uint32_t *)(uintptr_t)(shape->keys + shape->capacity);
}

// The nodes below have their digest at one offset: a node that dies holds the link to the next one there.

typedef struct wd_array_node {
    wd_value head;
    uint32_t count;
    uint32_t traits;   // see traits.c
    wd_digest digest;  // of the elements as a run, see digest.c
    wd_value *items[];
} wd_array_node;

/// A counted B+ tree. Children of level 1 are array nodes, of higher levels list nodes.
typedef struct wd_list_node {
    wd_value head;
    uint16_t count;  // children
    uint16_t level;
    uint32_t total;  // elements below
    wd_digest digest;
    uint32_t traits;
    uint32_t unused;
    wd_value
        *items[];  // then `head.capacity` uint32_t: elements in the children up to and including this one
} wd_list_node;

typedef struct wd_object_node {
    wd_value head;
    wd_shape *shape;   // its count is ours
    wd_digest digest;  // sum over the members
    wd_value *items[];
} wd_object_node;

/// Members lie in numbered leaves, in order. `order` finds a leaf by its number, `index` a leaf's number by key.
typedef struct wd_table_node {
    wd_value head;       // capacity: levels of `order`
    uint32_t count;      // members
    uint32_t leaf_next;  // the number the next leaf gets; numbers are not used again
    wd_digest digest;
    wd_value *order;  // trie node
    wd_value *index;  // hash node
} wd_table_node;

typedef struct wd_trie_node {
    wd_value head;
    uint32_t bitmap;  // which children there are
    uint16_t count;
    uint16_t borrowed;  // which children the lender counts for this node too, a bit for each of `items`
    wd_digest digest;
    struct wd_trie_node *partner;      // of a borrower its lender, of a lender its first borrower: see trie.c
    struct wd_trie_node *prev, *next;  // among the borrowers
    wd_value *items[];
} wd_trie_node;

typedef struct wd_hash_node {
    wd_value head;
    uint32_t bitmap;  // not used in a bucket, which stands where the bits of the hash have run out
    uint32_t count;
    wd_value *items[];  // hash nodes, or entries: see hash.c
} wd_hash_node;

/// How many of the children in `bitmap` stand before the one with this digit.
static inline uint32_t wd_bitmap_rank(uint32_t bitmap, unsigned digit)
{
    uint32_t before = ((uint32_t)1 << digit) - 1;
    // Mostly all are there. Counting bits is a call where the machine has no instruction for it.
    return (bitmap & before) == before ? digit : (uint32_t)__builtin_popcount(bitmap & before);
}

static inline uint32_t *wd_list_ends(const wd_list_node *list)
{
    return (uint32_t *)(uintptr_t)(list->items + list->head.capacity);
}

/// Casts that say what they are: the tag has been looked at.
static inline const wd_number_node *wd_number_of(const wd_value *value)
{
    return (const wd_number_node *)value;
}
static inline const wd_string_node *wd_string_of(const wd_value *value)
{
    return (const wd_string_node *)value;
}
static inline wd_array_node *wd_array_of(const wd_value *value)
{
    return (wd_array_node *)(uintptr_t)value;
}
static inline wd_object_node *wd_object_of(const wd_value *value)
{
    return (wd_object_node *)(uintptr_t)value;
}
static inline wd_list_node *wd_list_of(const wd_value *value)
{
    return (wd_list_node *)(uintptr_t)value;
}
static inline wd_table_node *wd_table_of(const wd_value *value)
{
    return (wd_table_node *)(uintptr_t)value;
}
static inline wd_trie_node *wd_trie_of(const wd_value *value)
{
    return (wd_trie_node *)(uintptr_t)value;
}
static inline wd_hash_node *wd_hash_of(const wd_value *value)
{
    return (wd_hash_node *)(uintptr_t)value;
}

static inline bool wd_has_tag(const wd_value *value, wd_tag tag)
{
    return wd_is_node(value) && value->tag == tag;
}

/// Scalars of one kind and the same to the bit? Immediates and containers are so only when they are the same pointer.
static inline bool wd_scalar_identical(const wd_value *a, const wd_value *b)
{
    if (a == b) {
        return true;
    }
    if (a == NULL || b == NULL || !wd_is_node(a) || !wd_is_node(b) || a->tag != b->tag ||
        a->tag > WD_TAG_STRING) {
        return false;
    }
    if (a->tag == WD_TAG_STRING) {
        const wd_string_node *x = wd_string_of(a), *y = wd_string_of(b);
        return x->length == y->length && memcmp(x->text, y->text, x->length) == 0;
    }
    return wd_number_of(a)->number.integer == wd_number_of(b)->number.integer;  // of doubles: their bits
}

size_t wd_node_size(const wd_value *node);

/// A string whose bytes are known to be UTF-8 and within WD_VALUE_STRING_MAX, and `plain` if JSON writes them as they
/// are.
wd_status wd_string_make(const char *bytes, size_t length, bool plain, wd_value **ret_value);
/// JSON writes these bytes as they are?
bool wd_text_is_plain(const char *bytes, size_t length);
/// The int that equals `number`, when there is one.
bool wd_double_to_int(double number, int64_t *ret_integer);

/// One more, one fewer reference to any node, frozen ones included.
void wd_node_ref(const wd_value *node);
void wd_node_unref(const wd_value *node);
/// One more reference to each of items[0..count), immediates among them.
void wd_node_ref_all(wd_value *const *items, size_t count);
void wd_node_unref_all(wd_value *const *items, size_t count);

/// The pointers to other nodes that a node holds: perhaps one by itself, then a row. Immediates may be among them.
typedef struct wd_links {
    wd_value **single;  // or NULL
    wd_value **items;
    uint32_t count;
} wd_links;
wd_links wd_node_links(const wd_value *node);

/// May the node be changed in place?
static inline bool wd_node_unique(const wd_value *node)
{
    return node->refs == 1 && (node->flags & (WD_FLAG_FROZEN | WD_FLAG_FOREVER)) == 0;
}

/// Room for a node with `count` children that is copied, `extra` of them to be added.
static inline size_t wd_flat_capacity(size_t count, size_t extra)
{
    if (extra == 0) {
        return count;
    }
    size_t grown = count < 4 ? 4 : count + count / 2;
    size_t most = count + extra <= WD_LIST_LEAF_MAX ? WD_LIST_LEAF_MAX : WD_FLAT_MAX;
    grown = grown > most ? most : grown;
    return grown > count + extra ? grown : count + extra;
}

/// Clear what is cached of the content, before a change.
static inline void wd_node_touch(wd_value *node)
{
    node->flags &= (uint8_t) ~(WD_FLAG_DIGEST | WD_FLAG_TRAITS);
}

static inline void wd_node_raise(wd_value *node, unsigned height)
{
    if (node->height < height) {
        node->height = (uint8_t)height;
    }
}

static inline unsigned wd_height(const wd_value *value)
{
    return wd_is_node(value) ? value->height : value == wd_value_array() || value == wd_value_object();
}

/// The height a container gets with `item` in it. @retval WD_ELIMIT too deep.
wd_status wd_height_with(const wd_value *item, unsigned *ret_height);
/// The same with all of them in it.
wd_status wd_height_of_all(wd_value *const *items, size_t count, unsigned *ret_height);

// ---- names ----------------------------------------------------------------------------------------------------

/// A member's name, hashed once.
typedef struct wd_name {
    const char *text;
    size_t length;
    wd_digest digest;
    const wd_key *key;  // that key's node, or NULL
    const char *place;  // where the reader found it, for its errors
} wd_name;

wd_name wd_name_of(const char *text, size_t length);
wd_name wd_name_of_key(const wd_key *key);

#define WD_SLOT_NONE UINT32_MAX

// ---- changing in place ----------------------------------------------------------------------------------------

/// Where a child is held, its container made unshared. What is put there must be no higher than `height`.
/// On failure the container reads as before. The slot lives until the container is changed otherwise.
wd_status wd_array_slot(wd_value **array_p, size_t index, unsigned height, wd_value ***ret_slot);
/// With `create` a missing member is added, holding null; else it is WD_ENOENT.
wd_status wd_object_slot(
    wd_value **object_p, const wd_name *name, bool create, unsigned height, wd_value ***ret_slot);
wd_status wd_object_set_name(wd_value **object_p, const wd_name *name, wd_value **item_p);
wd_status wd_object_remove_name(wd_value **object_p, const wd_name *name);
const wd_value *wd_object_get_name(const wd_value *object, const wd_name *name);

/// An array of these values, which are taken, also on failure.
wd_status wd_array_build(wd_value **items, size_t count, wd_value **ret_array);
/// An object of these members. The values are taken, also on failure; the names are borrowed. Names are UTF-8.
/// @retval WD_EEXIST a name stands there twice; *ret_twice is the index of the later one.
wd_status wd_object_build(
    const wd_name *names, wd_value **items, size_t count, wd_value **ret_object, size_t *ret_twice);

static inline void wd_slot_replace(wd_value **slot, wd_value **item_p)
{
    wd_value_unref(slot);
    *slot = *item_p;
    *item_p = NULL;
}

#endif
