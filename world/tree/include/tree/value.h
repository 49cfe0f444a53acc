/// value.h - the state tree's value: an immutable, reference-counted JSON value; trees of values share structure.
///
/// Rules (DESIGN section 3): integers that fit int64 are exact, every other number is a double; 1 and 1.0 are
/// equal, so are 0 and -0.0; a boolean is no number. null, absent, false, 0 and "" are five different things:
/// absent is a NULL pointer or WD_ENOENT, never a value. Objects keep insertion order for printing; equality and
/// digest ignore it. Strings are UTF-8 without U+0000, checked at the door.
///
/// Immutable means: nobody who holds a reference ever sees it change. The functions that take `wd_value **x_p`
/// replace *x_p by the changed value; they work in place while *x_p (and what it contains) is referenced once,
/// else they copy what they touch. On any status but WD_OK *x_p is exactly what it was.
///
/// Thread rule: counts are not atomic. A value belongs to the thread that made it until wd_value_freeze() has
/// turned it into a region, which any thread may read and reference.
#ifndef TREE_VALUE_H
#define TREE_VALUE_H

#include "tree/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct wd_value wd_value;

typedef enum wd_kind {
    WD_KIND_NULL,
    WD_KIND_BOOL,
    WD_KIND_INT,
    WD_KIND_DOUBLE,
    WD_KIND_STRING,
    WD_KIND_ARRAY,
    WD_KIND_OBJECT,
} wd_kind;

enum {
    WD_VALUE_DEPTH_MAX = 128,                // levels of arrays and objects inside each other
    WD_VALUE_STRING_MAX = 64 * 1024 * 1024,  // bytes of one string or key
    WD_VALUE_COUNT_MAX = 64 * 1024 * 1024,   // elements of one array, members of one object
};

/// "null", "bool", "int", "double", "string", "array", "object"; static.
const char *wd_kind_name(wd_kind kind);

// ---- references -----------------------------------------------------------------------------------------------

/// One more reference to `value` (NULL gives NULL). Never fails; drop it with wd_value_unref().
wd_value *wd_value_ref(const wd_value *value);

/// Drop the reference in *value_p and set it to NULL. *value_p may be NULL. Never recurses deeper than a bound.
void wd_value_unref(wd_value **value_p);

/// True when both are the very same node or equal immediate scalars: equal without looking further.
static inline bool wd_value_same(const wd_value *a, const wd_value *b)
{
    return a == b;
}

// ---- making ---------------------------------------------------------------------------------------------------
// Results are new references, dropped with wd_value_unref(). Fails only with WD_ENOMEM unless said otherwise.

wd_value *wd_value_null(void);       // never fails
wd_value *wd_value_bool(bool flag);  // never fails
WD_NODISCARD wd_status wd_value_int(int64_t number, wd_value **ret_value);
/// @retval WD_EINVAL `number` is infinite or NaN.
WD_NODISCARD wd_status wd_value_double(double number, wd_value **ret_value);
/// @retval WD_EUTF8  bytes[0..length) is no UTF-8, or holds U+0000.
/// @retval WD_ELIMIT longer than WD_VALUE_STRING_MAX.
WD_NODISCARD wd_status wd_value_string(const char *bytes, size_t length, wd_value **ret_value);
WD_NODISCARD wd_status wd_value_text(const char *text, wd_value **ret_value);  // NUL-terminated
WD_NODISCARD wd_status wd_value_format(wd_value **ret_value, const char *format, ...) WD_PRINTF(2, 3);
wd_value *wd_value_array(void);   // empty; never fails
wd_value *wd_value_object(void);  // empty; never fails

/// Build a tree from a pattern: `{` `}` `[` `]` with members as "key" strings written in the pattern's argument
/// list. Characters: n null, b int as bool, i int64_t, d double, s const char *, v const wd_value * (borrowed),
/// V wd_value * (taken, also on failure), ? before s or v: a NULL argument leaves the member out.
/// Keys are arguments too: wd_value_pack(&v, "{s:i,s:[s,b]}", "n", (int64_t)1, "list", "x", 1).
/// Blanks, `,` and `:` in the pattern are for the eye only.
/// @retval WD_EUTF8 a string argument is no UTF-8.
WD_NODISCARD wd_status wd_value_pack(wd_value **ret_value, const char *pattern, ...);
/// An object of up to WD_VALUE_PACK_MEMBERS_MAX members, which also bounds each object of a pattern. Keys and items
/// are borrowed; a NULL item leaves its member out.
WD_NODISCARD wd_status wd_value_members(
    const char *const *keys, const wd_value *const *items, size_t count, wd_value **ret_value);
enum { WD_VALUE_PACK_MEMBERS_MAX = 64 };

// ---- reading --------------------------------------------------------------------------------------------------
// What is returned is borrowed: it lives as long as the value asked. NULL values are allowed where said.

/// Private: where the kind of a value is read off its pointer, or off its node. See docs/state-tree.md.
extern const struct wd_kind_table {
    uint8_t of_node[16], of_immediate[8], of_constant[8];
} wd_kind_table;

static inline wd_kind wd_value_kind(const wd_value *value)
{
    wd_assert(value != NULL);
    uintptr_t bits = (uintptr_t)value;
    if ((bits & 7) == 0) {
        return (wd_kind)wd_kind_table.of_node[((const unsigned char *)value)[4] & 15];
    }
    return (wd_kind)((bits & 7) == 4 ? wd_kind_table.of_constant[bits >> 3 & 7]
                                     : wd_kind_table.of_immediate[bits & 7]);
}
static inline bool wd_value_is(const wd_value *value, wd_kind kind)
{
    return value != NULL && wd_value_kind(value) == kind;  // false for absent
}
static inline bool wd_value_is_number(const wd_value *value)  // int or double; false for NULL
{
    return value != NULL && (wd_value_kind(value) == WD_KIND_INT || wd_value_kind(value) == WD_KIND_DOUBLE);
}

/// Asserted kind. wd_value_as_double() takes ints too.
bool wd_value_as_bool(const wd_value *value);
int64_t wd_value_as_int(const wd_value *value);
double wd_value_as_double(const wd_value *value);
/// NUL-terminated, borrowed from the value; `ret_length` may be NULL.
const char *wd_value_as_string(const wd_value *value, size_t *ret_length);

/// Leaf read with a default: the value when it has the kind, else `fallback`. `value` may be NULL.
bool wd_value_bool_or(const wd_value *value, bool fallback);
int64_t wd_value_int_or(const wd_value *value, int64_t fallback);  // a double with an exact int64 counts
double wd_value_double_or(const wd_value *value, double fallback);
const char *wd_value_string_or(const wd_value *value, const char *fallback);
/// True when `value` (NULL allowed) is the string `text`.
bool wd_value_is_text(const wd_value *value, const char *text);

// ---- arrays ---------------------------------------------------------------------------------------------------

size_t wd_array_count(const wd_value *array);  // 0 for NULL or another kind
/// Element `index`, borrowed; NULL past the end, or when `array` is NULL or another kind. O(log n).
const wd_value *wd_array_at(const wd_value *array, size_t index);
/// Append; takes *item_p. @retval WD_ELIMIT count or depth.
WD_NODISCARD wd_status wd_array_append(wd_value **array_p, wd_value **item_p);
WD_NODISCARD wd_status wd_array_insert(
    wd_value **array_p, size_t index, wd_value **item_p);                                  // index <= count
WD_NODISCARD wd_status wd_array_set(wd_value **array_p, size_t index, wd_value **item_p);  // index < count
WD_NODISCARD wd_status wd_array_remove(wd_value **array_p, size_t index);                  // index < count

// ---- objects --------------------------------------------------------------------------------------------------

/// An interned key: the same pointer for the same text for the life of the process, on every thread. For keys of
/// packs and OS; look-ups with it compare pointers first. Never intern what a peer sent.
typedef struct wd_key wd_key;
WD_NODISCARD wd_status wd_key_intern(const char *text, size_t length, const wd_key **ret_key);
const char *wd_key_text(const wd_key *key);

size_t wd_object_count(const wd_value *object);  // 0 for NULL or another kind
/// Member by name, borrowed; NULL when absent, or when `object` is NULL or another kind.
const wd_value *wd_object_get(const wd_value *object, const char *name);
const wd_value *wd_object_get_n(const wd_value *object, const char *name, size_t length);
const wd_value *wd_object_get_key(const wd_value *object, const wd_key *key);
/// Set or add (added last); takes *item_p. @retval WD_EUTF8 the name is no UTF-8. @retval WD_ELIMIT.
WD_NODISCARD wd_status wd_object_set(wd_value **object_p, const char *name, wd_value **item_p);
WD_NODISCARD wd_status wd_object_set_n(
    wd_value **object_p, const char *name, size_t length, wd_value **item_p);
WD_NODISCARD wd_status wd_object_set_key(wd_value **object_p, const wd_key *key, wd_value **item_p);
/// Remove; @retval WD_ENOENT there was none (nothing changed).
WD_NODISCARD wd_status wd_object_remove(wd_value **object_p, const char *name);
WD_NODISCARD wd_status wd_object_remove_n(wd_value **object_p, const char *name, size_t length);

/// Take the child out for in-place work: *ret_item becomes a reference the caller may change and put back with
/// wd_object_set / wd_array_set; meanwhile the slot holds null, so that a child referenced only by this parent
/// stays unshared. @retval WD_ENOENT no such member or element (nothing changed).
WD_NODISCARD wd_status wd_object_take(wd_value **object_p, const char *name, wd_value **ret_item);
WD_NODISCARD wd_status wd_array_take(wd_value **array_p, size_t index, wd_value **ret_item);

// ---- iteration ------------------------------------------------------------------------------------------------

/// Walks an array or an object in order. On the stack; holds no reference, so the container must outlive it and
/// not be changed meanwhile. NULL and scalars have no children.
typedef struct wd_iter {
    const wd_value *container;
    size_t index;     // of the child last returned
    const char *key;  // objects: NUL-terminated; arrays: NULL
    size_t key_length;
    const wd_value *value;
    struct wd_value *const *items;  // private, as all below: of the leaf where the walk is
    const void *shape;
    uint32_t at, end;
    size_t next_index;
    uint32_t next_leaf;
} wd_iter;

wd_iter wd_iter_start(const wd_value *container);
bool wd_iter_next(wd_iter *iter);  // false at the end

// ---- comparing ------------------------------------------------------------------------------------------------

/// Equality of DESIGN section 3. NULL equals only NULL. Skips what both share.
bool wd_value_equal(const wd_value *a, const wd_value *b);
/// Exact order of two numbers, ints and doubles mixed: -1, 0, 1. Both must be numbers.
int wd_number_compare(const wd_value *a, const wd_value *b);

/// 128-bit digest of the canonical form (docs/state-tree.md); equal values have equal digests. Cached per node.
/// A verdict never trusts it: XXH3 can be forged.
typedef struct wd_digest {
    uint64_t high, low;
} wd_digest;
enum { WD_DIGEST_TEXT_SIZE = 33 };  // 32 hex digits and NUL
wd_digest wd_value_digest(const wd_value *value);
bool wd_digest_equal(wd_digest a, wd_digest b);
void wd_digest_text(wd_digest digest, char ret_text[WD_DIGEST_TEXT_SIZE]);
/// @retval WD_EPARSE not 32 lower-case hex digits.
WD_NODISCARD wd_status wd_digest_parse(const char *text, wd_digest *ret_digest);

// ---- sharing between threads ----------------------------------------------------------------------------------

/// A frozen copy of `value`: one region, counted atomically as a whole, its nodes never counted; it keeps alive the
/// regions it points into. What is frozen already is not copied. Any thread may ref, read and unref the result.
WD_NODISCARD wd_status wd_value_freeze(const wd_value *value, wd_value **ret_frozen);
bool wd_value_is_frozen(const wd_value *value);

/// Bytes of the nodes in `value`, each counted as often as it is reached; key sets, which objects share, are left
/// out. `nodes` are values, `leaves` those that are no array or object.
typedef struct wd_value_size {
    uint64_t bytes, nodes, leaves;
} wd_value_size;
wd_value_size wd_value_measure(const wd_value *value);

#endif
