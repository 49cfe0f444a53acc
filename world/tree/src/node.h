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
    WD_TAG_ARRAY,
    WD_TAG_OBJECT,
    WD_TAG_KEY,
    WD_TAG_SHAPE,
} wd_tag;

enum {
    WD_FLAG_FROZEN = 1,   // lies in a region: `refs` is the distance to the region's start in 16-byte units
    WD_FLAG_DIGEST = 2,   // the cached digest is valid
    WD_FLAG_FOREVER = 4,  // an interned key: never counted, never freed
};

struct wd_value {
    uint32_t refs;
    uint8_t tag;     // wd_tag
    uint8_t flags;   // WD_FLAG_*
    uint8_t height;  // containers: no fewer than the levels of containers at and below this one
    uint8_t spare;
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

struct wd_key {
    wd_value head;
    uint32_t length;
    wd_digest digest;  // of the text as a string value
    wd_key *next;      // in the table of interned keys
    char text[];
};

/// The keys of an object in order, shared by all objects that have just these.
typedef struct wd_shape {
    wd_value head;
    uint32_t count, capacity;
    const wd_key *keys[];  // then `capacity` uint32_t, the low halves of the keys' digests
} wd_shape;

static inline uint32_t *wd_shape_hashes(const wd_shape *shape)
{
    return (uint32_t *)(uintptr_t)(shape->keys + shape->capacity);
}

typedef struct wd_array_node {
    wd_value head;
    uint32_t count, capacity;
    wd_digest digest;
    wd_value *items[];
} wd_array_node;

typedef struct wd_object_node {
    wd_value head;
    uint32_t capacity;
    wd_shape *shape;  // its count is ours
    wd_digest digest;
    wd_value *items[];
} wd_object_node;

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

static inline bool wd_has_tag(const wd_value *value, wd_tag tag)
{
    return wd_is_node(value) && value->tag == tag;
}

size_t wd_node_size(const wd_value *node);

/// A string whose bytes are known to be UTF-8 and within WD_VALUE_STRING_MAX.
wd_status wd_string_make(const char *bytes, size_t length, wd_value **ret_value);
/// The int that equals `number`, when there is one.
bool wd_double_to_int(double number, int64_t *ret_integer);

/// One more, one fewer reference to any node, frozen ones included.
void wd_node_ref(const wd_value *node);
void wd_node_unref(const wd_value *node);

/// May the node be changed in place?
static inline bool wd_node_unique(const wd_value *node)
{
    return node->refs == 1 && (node->flags & (WD_FLAG_FROZEN | WD_FLAG_FOREVER)) == 0;
}

static inline unsigned wd_height(const wd_value *value)
{
    return wd_is_node(value) ? value->height : value == wd_value_array() || value == wd_value_object();
}

/// The height a container gets with `item` in it. @retval WD_ELIMIT too deep.
wd_status wd_height_with(const wd_value *item, unsigned *ret_height);

// ---- names and keys -------------------------------------------------------------------------------------------

/// A member's name, hashed once.
typedef struct wd_name {
    const char *text;
    size_t length;
    wd_digest digest;
    const wd_key *key;  // the interned key, or NULL
} wd_name;

wd_name wd_name_of(const char *text, size_t length);
wd_name wd_name_of_key(const wd_key *key);
/// A new reference to a key of that text. @retval WD_EUTF8, WD_ELIMIT, WD_ENOMEM.
wd_status wd_key_make(const wd_name *name, const wd_key **ret_key);
static inline bool wd_key_is(const wd_key *key, const wd_name *name)
{
    return key == name->key || (key->digest.low == name->digest.low && key->length == name->length &&
                                   memcmp(key->text, name->text, name->length) == 0);
}

enum { WD_SLOT_NONE = UINT32_MAX };
uint32_t wd_shape_find(const wd_shape *shape, const wd_name *name);

// ---- changing in place ----------------------------------------------------------------------------------------

/// Where a child is held, its container made unshared. What is put there must be no higher than `height`.
/// On failure the container reads as before. The slot lives until the container is changed otherwise.
wd_status wd_array_slot(wd_value **array_p, size_t index, unsigned height, wd_value ***ret_slot);
/// With `create` a missing member is added, holding null; else it is WD_ENOENT.
wd_status wd_object_slot(
    wd_value **object_p, const wd_name *name, bool create, unsigned height, wd_value ***ret_slot);
wd_status wd_object_set_name(wd_value **object_p, const wd_name *name, wd_value **item_p);
/// Replace the value of the member added last; the object is a node of the caller's own.
wd_status wd_object_set_last(wd_value **object_p, wd_value **item_p);
wd_status wd_object_remove_name(wd_value **object_p, const wd_name *name);
const wd_value *wd_object_get_name(const wd_value *object, const wd_name *name);

/// Take an array or object of `count` values (all references are taken, also on failure).
wd_status wd_array_build(wd_value **items, size_t count, wd_value **ret_array);

static inline void wd_slot_replace(wd_value **slot, wd_value **item_p)
{
    wd_value_unref(slot);
    *slot = *item_p;
    *item_p = NULL;
}

#endif
