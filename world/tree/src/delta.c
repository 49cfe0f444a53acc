// delta.c - making, applying and inverting exact differences. The form stands in docs/state-tree.md.
#include "tree/delta.h"

#include "node.h"

#include "tree/walk.h"

// A delta is an array of operations. Each is an array: kind, `keep`, `steps`, then what the kind needs. The place
// it speaks of is the first `keep` steps of the operation before it and then its own `steps`: keys of objects and
// indexes of arrays, in the tree before the change.
//
//   "=" keep steps before after         the value there is replaced
//   "o" keep steps removed added        members of the object: [[position, key, value], ..] before, and after
//   "k" keep steps removed added before after
//                                       the same, and the object's keys in both orders, when common members moved
//   "a" keep steps at removed added     elements of the array from index `at` on
//
// Operations of one container come after those below it, so that indexes hold while they are needed; the inverse
// has them the other way round.

enum {
    DELTA_STEPS_MAX = WD_VALUE_DEPTH_MAX,
};

// ---- exact sameness -------------------------------------------------------------------------------------------

static bool identical(const wd_value *a, const wd_value *b)
{
    if (a == b) {
        return true;
    }
    if (a == NULL || b == NULL) {
        return false;
    }
    wd_kind kind = wd_value_kind(a);
    if (kind != wd_value_kind(b)) {
        return false;
    }
    if (kind == WD_KIND_DOUBLE) {
        double x = wd_value_as_double(a), y = wd_value_as_double(b);
        return memcmp(&x, &y, sizeof(x)) == 0;  // 0.0 is not -0.0 here
    }
    if (kind != WD_KIND_ARRAY && kind != WD_KIND_OBJECT) {
        return wd_value_equal(a, b);
    }
    if (wd_array_count(a) != wd_array_count(b) || wd_object_count(a) != wd_object_count(b)) {
        return false;
    }
    wd_iter x = wd_iter_start(a), y = wd_iter_start(b);
    while (wd_iter_next(&x) && wd_iter_next(&y)) {
        bool same_key =
            x.key == y.key || (x.key_length == y.key_length && memcmp(x.key, y.key, x.key_length) == 0);
        if (!same_key || !identical(x.value, y.value)) {
            return false;
        }
    }
    return true;
}

// ---- making ---------------------------------------------------------------------------------------------------

typedef struct delta_maker {
    wd_value *steps[DELTA_STEPS_MAX];  // to where the walk is
    unsigned step_count;
    unsigned kept;  // steps that the last operation written shares with the walk
    wd_value *delta;
} delta_maker;

static wd_status make_value(delta_maker *maker, const wd_value *before, const wd_value *after);

enum { PAYLOAD_MAX = 4 };

static void drop_payload(wd_value *payload[PAYLOAD_MAX])
{
    for (unsigned i = 0; i < PAYLOAD_MAX; i++) {
        wd_value_unref(&payload[i]);
    }
}

// Append [kind, keep, steps, payload..]. Takes the payload, also on failure; it ends with the first NULL.
static wd_status emit(delta_maker *maker, const char *kind, wd_value *payload[PAYLOAD_MAX])
{
    wd_value *steps = wd_value_array(), *operation = NULL;
    wd_status status = WD_OK;
    for (unsigned i = maker->kept; i < maker->step_count && status == WD_OK; i++) {
        wd_value *step = wd_value_ref(maker->steps[i]);
        status = wd_array_append(&steps, &step);
        wd_value_unref(&step);
    }
    if (status == WD_OK) {
        status = wd_value_pack(&operation, "[s,i,v,v,v,?v,?v]", kind, (int64_t)maker->kept, steps, payload[0],
            payload[1], payload[2], payload[3]);
    }
    if (status == WD_OK) {
        status = wd_array_append(&maker->delta, &operation);
        maker->kept = maker->step_count;
    }
    wd_value_unref(&operation);
    wd_value_unref(&steps);
    drop_payload(payload);
    return status;
}

static wd_status descend(delta_maker *maker, wd_value **step_p, const wd_value *before, const wd_value *after)
{
    maker->steps[maker->step_count] = *step_p;
    *step_p = NULL;
    maker->step_count += 1;
    wd_status status = make_value(maker, before, after);
    maker->step_count -= 1;
    wd_value_unref(&maker->steps[maker->step_count]);
    maker->kept = maker->kept < maker->step_count ? maker->kept : maker->step_count;
    return status;
}

static wd_status add_entry(
    wd_value **list_p, size_t position, const char *name, size_t length, const wd_value *value)
{
    wd_value *key = NULL, *entry = NULL;
    wd_status status = wd_value_string(name, length, &key);
    if (status == WD_OK) {
        status = wd_value_pack(&entry, "[i,v,v]", (int64_t)position, key, value);
    }
    if (status == WD_OK) {
        status = wd_array_append(list_p, &entry);
    }
    wd_value_unref(&entry);
    wd_value_unref(&key);
    return status;
}

// Members of `object` that `other` has not: [[position, key, value], ..].
static wd_status list_missing(const wd_value *object, const wd_value *other, wd_value **ret_list)
{
    wd_value *list = wd_value_array();
    wd_iter iter = wd_iter_start(object);
    wd_status status = WD_OK;
    while (status == WD_OK && wd_iter_next(&iter)) {
        if (wd_object_get_n(other, iter.key, iter.key_length) == NULL) {
            status = add_entry(&list, iter.index, iter.key, iter.key_length, iter.value);
        }
    }
    if (status != WD_OK) {
        wd_value_unref(&list);
        return status;
    }
    *ret_list = list;
    return WD_OK;
}

static wd_status list_keys(const wd_value *object, wd_value **ret_keys)
{
    wd_value *keys = wd_value_array();
    wd_iter iter = wd_iter_start(object);
    wd_status status = WD_OK;
    while (status == WD_OK && wd_iter_next(&iter)) {
        wd_value *key = NULL;
        status = wd_value_string(iter.key, iter.key_length, &key);
        if (status == WD_OK) {
            status = wd_array_append(&keys, &key);
        }
        wd_value_unref(&key);
    }
    if (status != WD_OK) {
        wd_value_unref(&keys);
        return status;
    }
    *ret_keys = keys;
    return WD_OK;
}

// The next member of the iteration that `other` has too.
static bool next_common(wd_iter *iter, const wd_value *other)
{
    while (wd_iter_next(iter)) {
        if (wd_object_get_n(other, iter->key, iter->key_length) != NULL) {
            return true;
        }
    }
    return false;
}

static bool common_order_kept(const wd_value *before, const wd_value *after)
{
    wd_iter x = wd_iter_start(before), y = wd_iter_start(after);
    while (next_common(&x, after)) {
        bool more = next_common(&y, before);
        if (!more || x.key_length != y.key_length || memcmp(x.key, y.key, x.key_length) != 0) {
            return false;
        }
    }
    return true;
}

// Members were removed, added before others, or moved. Looked at in full, which costs the size of the object.
static wd_status make_members(delta_maker *maker, const wd_value *before, const wd_value *after)
{
    wd_value *payload[PAYLOAD_MAX] = { NULL };
    wd_status status = list_missing(before, after, &payload[0]);
    if (status == WD_OK) {
        status = list_missing(after, before, &payload[1]);
    }
    bool moved = status == WD_OK && !common_order_kept(before, after);
    if (moved) {
        status = list_keys(before, &payload[2]);
    }
    if (moved && status == WD_OK) {
        status = list_keys(after, &payload[3]);
    }
    bool changed = moved || wd_array_count(payload[0]) > 0 || wd_array_count(payload[1]) > 0;
    if (status == WD_OK && changed) {
        return emit(maker, moved ? "k" : "o", payload);
    }
    drop_payload(payload);
    return status;
}

// Members that both have, and in *added_p those that came after them, as long as they did.
static wd_status make_common(delta_maker *maker, wd_pair_walk *walk, size_t old_count, wd_value **added_p)
{
    wd_status status = WD_OK;
    size_t position = old_count;
    while (status == WD_OK && wd_pair_next(walk)) {
        if (walk->before != NULL && walk->after != NULL) {
            wd_value *step = NULL;
            status = wd_value_string(walk->key, walk->key_length, &step);
            if (status == WD_OK) {
                status = descend(maker, &step, walk->before, walk->after);
            }
        } else if (walk->after != NULL && walk->kept_order) {
            status = add_entry(added_p, position, walk->key, walk->key_length, walk->after);
            position += 1;
        }
    }
    return status;
}

static wd_status make_object(delta_maker *maker, const wd_value *before, const wd_value *after)
{
    wd_value *payload[PAYLOAD_MAX] = { wd_value_array(), wd_value_array() };
    wd_pair_walk walk = wd_pair_start(before, after);
    wd_status status = make_common(maker, &walk, wd_object_count(before), &payload[1]);
    if (status == WD_OK && walk.kept_order && wd_array_count(payload[1]) > 0) {
        return emit(maker, "o", payload);
    }
    drop_payload(payload);
    return status == WD_OK && !walk.kept_order ? make_members(maker, before, after) : status;
}

static wd_status slice(const wd_value *array, size_t from, size_t to, wd_value **ret_slice)
{
    wd_value *result = wd_value_array();
    for (size_t i = from; i < to; i++) {
        wd_value *item = wd_value_ref(wd_array_at(array, i));
        wd_status status = wd_array_append(&result, &item);
        wd_value_unref(&item);
        if (status != WD_OK) {
            wd_value_unref(&result);
            return status;
        }
    }
    *ret_slice = result;
    return WD_OK;
}

static wd_status make_element(delta_maker *maker, size_t index, const wd_value *before, const wd_value *after)
{
    if (wd_scalar_identical(before, after)) {
        return WD_OK;
    }
    wd_value *step = NULL;
    wd_status status = wd_value_int((int64_t)index, &step);
    return status == WD_OK ? descend(maker, &step, before, after) : status;
}

// Where two arrays differ in length: `at` elements are paired from the front, then one has `old_extra` or the other
// `new_extra` more, then `rest` are paired again.
typedef struct array_cut {
    size_t at, old_extra, new_extra, rest;
} array_cut;

// What both ends have in common is left alone; of what is between, the cut goes where the fewest pairs differ.
static array_cut find_cut(const wd_value *before, const wd_value *after)
{
    size_t old_end = wd_array_count(before), new_end = wd_array_count(after);
    wd_pair_walk walk = wd_pair_start(before, after);
    bool more;
    do {
        more = wd_pair_next(&walk);
    } while (more && identical(walk.before, walk.after));
    size_t from = more ? walk.index : 0;
    while (old_end > from && new_end > from &&
           identical(wd_array_at(before, old_end - 1), wd_array_at(after, new_end - 1))) {
        old_end -= 1;
        new_end -= 1;
    }
    size_t paired = (old_end < new_end ? old_end : new_end) - from;
    array_cut cut = {
        .at = from, .old_extra = old_end - from - paired, .new_extra = new_end - from - paired
    };
    // Against the cut in front of all pairs, a cut further back costs or saves this much.
    int64_t cost = 0, best = 0;
    size_t behind = 0;  // pairs that differ when the cut is in front of all
    for (size_t i = 0; i < paired; i++) {
        const wd_value *old_front = wd_array_at(before, from + i), *new_front = wd_array_at(after, from + i);
        const wd_value *old_back = wd_array_at(before, from + i + cut.old_extra);
        const wd_value *new_back = wd_array_at(after, from + i + cut.new_extra);
        bool differs_behind = !wd_scalar_identical(old_back, new_back);
        behind += differs_behind;
        cost += (int64_t)!wd_scalar_identical(old_front, new_front) - (int64_t)differs_behind;
        if (cost < best) {
            best = cost;
            cut.at = from + i + 1;
        }
    }
    cut.rest = from + paired - cut.at;
    size_t differing = (size_t)((int64_t)behind + best);
    if (paired > 8 && differing * 2 > paired) {
        // Elements came or went in several places, so no pairing fits: what is between is given whole.
        cut = (array_cut){ .at = from, .old_extra = old_end - from, .new_extra = new_end - from };
    }
    return cut;
}

static wd_status make_splice(
    delta_maker *maker, const wd_value *before, const wd_value *after, const array_cut *cut)
{
    wd_value *payload[PAYLOAD_MAX] = { NULL };
    wd_status status = wd_value_int((int64_t)cut->at, &payload[0]);
    if (status == WD_OK) {
        status = slice(before, cut->at, cut->at + cut->old_extra, &payload[1]);
    }
    if (status == WD_OK) {
        status = slice(after, cut->at, cut->at + cut->new_extra, &payload[2]);
    }
    if (status == WD_OK) {
        return emit(maker, "a", payload);
    }
    drop_payload(payload);
    return status;
}

static wd_status make_array(delta_maker *maker, const wd_value *before, const wd_value *after)
{
    bool same_length = wd_array_count(before) == wd_array_count(after);
    array_cut cut = { .at = wd_array_count(before) };
    if (!same_length) {
        cut = find_cut(before, after);
    }
    wd_status status = WD_OK;
    wd_pair_walk walk = wd_pair_start(before, after);
    while (status == WD_OK && wd_pair_next(&walk) && walk.index < cut.at) {
        status = make_element(maker, walk.index, walk.before, walk.after);
    }
    for (size_t i = 0; i < cut.rest && status == WD_OK; i++) {
        size_t old_at = cut.at + cut.old_extra + i, new_at = cut.at + cut.new_extra + i;
        status = make_element(maker, old_at, wd_array_at(before, old_at), wd_array_at(after, new_at));
    }
    return status == WD_OK && !same_length ? make_splice(maker, before, after, &cut) : status;
}

static wd_status make_value(delta_maker *maker, const wd_value *before, const wd_value *after)
{
    wd_kind kind = wd_value_kind(before);
    if (kind == wd_value_kind(after) && kind == WD_KIND_OBJECT) {
        return make_object(maker, before, after);
    }
    if (kind == wd_value_kind(after) && kind == WD_KIND_ARRAY) {
        return make_array(maker, before, after);
    }
    if (identical(before, after)) {
        return WD_OK;
    }
    wd_value *payload[PAYLOAD_MAX] = { wd_value_ref(before), wd_value_ref(after) };
    return emit(maker, "=", payload);
}

wd_status wd_delta_make(const wd_value *before, const wd_value *after, wd_value **ret_delta)
{
    delta_maker maker = { .delta = wd_value_array() };
    wd_status status = before == after ? WD_OK : make_value(&maker, before, after);
    if (status != WD_OK) {
        wd_value_unref(&maker.delta);
        return status;
    }
    *ret_delta = maker.delta;
    return WD_OK;
}

bool wd_delta_is_empty(const wd_value *delta)
{
    return wd_value_is(delta, WD_KIND_ARRAY) && wd_array_count(delta) == 0;
}

// ---- reading one operation ------------------------------------------------------------------------------------

typedef struct delta_op {
    char kind;
    const wd_value *before, *after;       // by kind: values, members, elements
    const wd_value *old_keys, *new_keys;  // kind 'k'
    int64_t at;                           // kind 'a'
} delta_op;

typedef struct delta_place {
    const wd_value *steps[DELTA_STEPS_MAX];
    unsigned count;
} delta_place;

static wd_status corrupt(wd_error *error, size_t index, const char *what)
{
    return wd_error_set(error, WD_ECORRUPT, "delta, operation %zu: %s", index, what);
}

static bool read_place(const wd_value *operation, delta_place *place)
{
    int64_t keep = wd_value_int_or(wd_array_at(operation, 1), -1);
    const wd_value *steps = wd_array_at(operation, 2);
    if (keep < 0 || keep > (int64_t)place->count || !wd_value_is(steps, WD_KIND_ARRAY) ||
        wd_array_count(steps) > DELTA_STEPS_MAX - (size_t)keep) {
        return false;
    }
    place->count = (unsigned)keep;
    wd_iter iter = wd_iter_start(steps);
    while (wd_iter_next(&iter)) {
        place->steps[place->count++] = iter.value;
    }
    return true;
}

static bool is_member_list(const wd_value *list)
{
    int64_t last = -1;
    wd_iter iter = wd_iter_start(list);
    while (wd_iter_next(&iter)) {
        int64_t position = wd_value_int_or(wd_array_at(iter.value, 0), -1);
        if (wd_array_count(iter.value) != 3 || position <= last ||
            !wd_value_is(wd_array_at(iter.value, 1), WD_KIND_STRING)) {
            return false;
        }
        last = position;
    }
    return wd_value_is(list, WD_KIND_ARRAY);
}

static bool is_key_list(const wd_value *list)
{
    wd_iter iter = wd_iter_start(list);
    while (wd_iter_next(&iter)) {
        if (!wd_value_is(iter.value, WD_KIND_STRING)) {
            return false;
        }
    }
    return wd_value_is(list, WD_KIND_ARRAY);
}

static bool read_op(const wd_value *operation, delta_op *op)
{
    const char *kind = wd_value_string_or(wd_array_at(operation, 0), "");
    size_t first = *kind == 'a' ? 4 : 3;
    *op = (delta_op){ .kind = *kind,
        .before = wd_array_at(operation, first),
        .after = wd_array_at(operation, first + 1),
        .at = wd_value_int_or(wd_array_at(operation, 3), -1) };
    size_t count = first + 2;
    if (*kind == 'k') {
        op->old_keys = wd_array_at(operation, 5);
        op->new_keys = wd_array_at(operation, 6);
        count = 7;
    }
    if (strlen(kind) != 1 || wd_array_count(operation) != count) {
        return false;
    }
    switch (op->kind) {
    case '=':
        return true;
    case 'o':
        return is_member_list(op->before) && is_member_list(op->after);
    case 'k':
        return is_member_list(op->before) && is_member_list(op->after) && is_key_list(op->old_keys) &&
               is_key_list(op->new_keys);
    case 'a':
        return op->at >= 0 && wd_value_is(op->before, WD_KIND_ARRAY) && wd_value_is(op->after, WD_KIND_ARRAY);
    default:
        return false;
    }
}

// ---- applying -------------------------------------------------------------------------------------------------

// WD_ECORRUPT stands for "does not fit"; apply_one() says which operation.
static wd_status find_slot(wd_value **root_p, const delta_place *place, wd_value ***ret_slot)
{
    wd_value **slot = root_p;
    for (unsigned i = 0; i < place->count; i++) {
        const wd_value *step = place->steps[i];
        wd_status status = WD_ENOENT;
        if (wd_value_is(step, WD_KIND_STRING) && wd_value_is(*slot, WD_KIND_OBJECT)) {
            size_t length;
            const char *text = wd_value_as_string(step, &length);
            wd_name name = wd_name_of(text, length);
            status = wd_object_slot(slot, &name, false, 0, &slot);
        } else if (wd_value_is(step, WD_KIND_INT) && wd_value_is(*slot, WD_KIND_ARRAY) &&
                   wd_value_as_int(step) >= 0) {
            status = wd_array_slot(slot, (size_t)wd_value_as_int(step), 0, &slot);
        }
        if (status != WD_OK) {
            return status == WD_ENOENT ? WD_ECORRUPT : status;
        }
    }
    *ret_slot = slot;
    return WD_OK;
}

static wd_status apply_replace(wd_value **slot, const delta_op *op)
{
    if (!identical(*slot, op->before)) {
        return WD_ECORRUPT;
    }
    wd_value *item = wd_value_ref(op->after);
    wd_slot_replace(slot, &item);
    return WD_OK;
}

static wd_status append_member(wd_value **object_p, const char *key, size_t length, const wd_value *value)
{
    if (wd_object_get_n(*object_p, key, length) != NULL) {
        return WD_ECORRUPT;
    }
    wd_value *item = wd_value_ref(value);
    wd_status status = wd_object_set_n(object_p, key, length, &item);
    wd_value_unref(&item);
    return status;
}

static wd_status append_entry(wd_value **object_p, const wd_value *entry)
{
    size_t length;
    const char *key = wd_value_as_string(wd_array_at(entry, 1), &length);
    return append_member(object_p, key, length, wd_array_at(entry, 2));
}

static wd_status remove_members(wd_value **object_p, const wd_value *removed)
{
    // Positions are checked as they were, so that a delta of another tree with the same values is told.
    wd_iter iter = wd_iter_start(removed);
    wd_iter member = wd_iter_start(*object_p);
    bool more = wd_iter_next(&member);
    while (wd_iter_next(&iter)) {
        size_t position = (size_t)wd_value_as_int(wd_array_at(iter.value, 0)), length;
        const char *key = wd_value_as_string(wd_array_at(iter.value, 1), &length);
        while (more && member.index < position) {
            more = wd_iter_next(&member);
        }
        if (!more || member.key_length != length || memcmp(member.key, key, length) != 0 ||
            !identical(member.value, wd_array_at(iter.value, 2))) {
            return WD_ECORRUPT;
        }
    }
    iter = wd_iter_start(removed);
    wd_status status = WD_OK;
    while (status == WD_OK && wd_iter_next(&iter)) {
        size_t length;
        const char *key = wd_value_as_string(wd_array_at(iter.value, 1), &length);
        status = wd_object_remove_n(object_p, key, length);
    }
    return status;
}

// Members go where they belong: at the end if that is all, else the object is written anew in the right order.
static wd_status add_members(wd_value **object_p, const wd_value *added)
{
    size_t count = wd_object_count(*object_p), at = 0;
    const wd_value *first = wd_array_at(added, 0);
    bool at_end = first != NULL && (size_t)wd_value_as_int(wd_array_at(first, 0)) == count;
    wd_value *result = at_end ? wd_value_ref(*object_p) : wd_value_object();
    wd_iter member = wd_iter_start(at_end ? NULL : *object_p);
    wd_iter iter = wd_iter_start(added);
    wd_status status = WD_OK;
    at = at_end ? count : 0;
    if (at_end) {
        wd_value_unref(object_p);  // so that appending works in place
        *object_p = wd_value_null();
    }
    while (status == WD_OK && wd_iter_next(&iter)) {
        size_t position = (size_t)wd_value_as_int(wd_array_at(iter.value, 0));
        for (; status == WD_OK && at < position; at++) {
            status = wd_iter_next(&member)
                         ? append_member(&result, member.key, member.key_length, member.value)
                         : WD_ECORRUPT;
        }
        if (status == WD_OK) {
            status = append_entry(&result, iter.value);
            at += 1;
        }
    }
    while (status == WD_OK && wd_iter_next(&member)) {
        status = append_member(&result, member.key, member.key_length, member.value);
    }
    if (status == WD_OK) {
        wd_slot_replace(object_p, &result);
    }
    wd_value_unref(&result);
    return status;
}

static wd_status apply_members(wd_value **slot, const delta_op *op)
{
    if (!wd_value_is(*slot, WD_KIND_OBJECT)) {
        return WD_ECORRUPT;
    }
    wd_status status = remove_members(slot, op->before);
    if (status == WD_OK && wd_array_count(op->after) > 0) {
        status = add_members(slot, op->after);
    }
    return status;
}

static wd_status apply_order(wd_value **slot, const delta_op *op)
{
    wd_status status = apply_members(slot, op);
    if (status == WD_OK && wd_object_count(*slot) != wd_array_count(op->new_keys)) {
        return WD_ECORRUPT;
    }
    wd_value *result = wd_value_object();
    wd_iter iter = wd_iter_start(op->new_keys);
    while (status == WD_OK && wd_iter_next(&iter)) {
        size_t length;
        const char *key = wd_value_as_string(iter.value, &length);
        const wd_value *value = wd_object_get_n(*slot, key, length);
        status = value != NULL ? append_member(&result, key, length, value) : WD_ECORRUPT;
    }
    if (status == WD_OK) {
        wd_slot_replace(slot, &result);
    }
    wd_value_unref(&result);
    return status;
}

static wd_status apply_splice(wd_value **slot, const delta_op *op)
{
    size_t count = wd_array_count(*slot), at = (size_t)op->at;
    size_t removed = wd_array_count(op->before), added = wd_array_count(op->after);
    if (!wd_value_is(*slot, WD_KIND_ARRAY) || at > count || removed > count - at) {
        return WD_ECORRUPT;
    }
    for (size_t i = 0; i < removed; i++) {
        if (!identical(wd_array_at(*slot, at + i), wd_array_at(op->before, i))) {
            return WD_ECORRUPT;
        }
    }
    wd_status status = WD_OK;
    for (size_t i = removed; i > 0 && status == WD_OK; i--) {
        status = wd_array_remove(slot, at + i - 1);
    }
    for (size_t i = 0; i < added && status == WD_OK; i++) {
        wd_value *item = wd_value_ref(wd_array_at(op->after, i));
        status = wd_array_insert(slot, at + i, &item);
        wd_value_unref(&item);
    }
    return status;
}

static wd_status apply_one(wd_value **root_p, const delta_place *place, const delta_op *op)
{
    wd_value **slot;
    wd_status status = find_slot(root_p, place, &slot);
    if (status != WD_OK) {
        return status;
    }
    switch (op->kind) {
    case '=':
        return apply_replace(slot, op);
    case 'o':
        return apply_members(slot, op);
    case 'k':
        return apply_order(slot, op);
    default:
        return apply_splice(slot, op);
    }
}

wd_status wd_delta_apply(const wd_value *before, const wd_value *delta, wd_value **ret_after, wd_error *error)
{
    if (!wd_value_is(delta, WD_KIND_ARRAY)) {
        return wd_error_set(error, WD_ECORRUPT, "a delta is an array of operations");
    }
    wd_value *after = wd_value_ref(before);
    delta_place place = { .count = 0 };
    wd_iter iter = wd_iter_start(delta);
    wd_status status = WD_OK;
    while (status == WD_OK && wd_iter_next(&iter)) {
        delta_op op;
        if (!read_place(iter.value, &place) || !read_op(iter.value, &op)) {
            status = corrupt(error, iter.index, "malformed");
            break;
        }
        status = apply_one(&after, &place, &op);
        if (status == WD_ECORRUPT) {
            (void)corrupt(error, iter.index, "was not made from this tree");
        } else if (status != WD_OK) {
            (void)wd_error_set(error, status, "delta: %s", wd_status_text(status));
        }
    }
    if (status != WD_OK) {
        wd_value_unref(&after);
        return status;
    }
    *ret_after = after;
    return WD_OK;
}

// ---- inverting ------------------------------------------------------------------------------------------------

// Undone last first: elements of an array are named by where they stood before others came or went.

// The whole way of each operation, which it gives only from where it parts from the one before.
static wd_status list_ways(const wd_value *delta, wd_value **ways_p, wd_error *error)
{
    delta_place place = { .count = 0 };
    wd_iter iter = wd_iter_start(delta);
    wd_status status = WD_OK;
    while (status == WD_OK && wd_iter_next(&iter)) {
        delta_op op;
        wd_value *way = wd_value_array();
        if (!read_place(iter.value, &place) || !read_op(iter.value, &op)) {
            return corrupt(error, iter.index, "malformed");
        }
        for (unsigned i = 0; i < place.count && status == WD_OK; i++) {
            wd_value *step = wd_value_ref(place.steps[i]);
            status = wd_array_append(&way, &step);
            wd_value_unref(&step);
        }
        if (status == WD_OK) {
            status = wd_array_append(ways_p, &way);
        }
        wd_value_unref(&way);
    }
    return status;
}

static size_t common_steps(const wd_value *way, const wd_value *other)
{
    size_t count = 0;
    while (count < wd_array_count(way) && count < wd_array_count(other) &&
           identical(wd_array_at(way, count), wd_array_at(other, count))) {
        count += 1;
    }
    return count;
}

static wd_status invert_one(
    const wd_value *operation, const wd_value *way, const wd_value *last_way, wd_value **inverse_p)
{
    delta_op op;
    wd_assert(read_op(operation, &op));
    char kind[2] = { op.kind, '\0' };
    size_t keep = common_steps(way, last_way);
    wd_value *steps = NULL, *inverse = NULL;
    wd_status status = slice(way, keep, wd_array_count(way), &steps);
    if (status == WD_OK && op.kind == 'a') {
        status =
            wd_value_pack(&inverse, "[s,i,v,i,v,v]", kind, (int64_t)keep, steps, op.at, op.after, op.before);
    } else if (status == WD_OK) {
        status = wd_value_pack(&inverse, "[s,i,v,v,v,?v,?v]", kind, (int64_t)keep, steps, op.after, op.before,
            op.new_keys, op.old_keys);
    }
    if (status == WD_OK) {
        status = wd_array_append(inverse_p, &inverse);
    }
    wd_value_unref(&inverse);
    wd_value_unref(&steps);
    return status;
}

wd_status wd_delta_invert(const wd_value *delta, wd_value **ret_inverse, wd_error *error)
{
    if (!wd_value_is(delta, WD_KIND_ARRAY)) {
        return wd_error_set(error, WD_ECORRUPT, "a delta is an array of operations");
    }
    wd_value *ways = wd_value_array(), *inverse = wd_value_array();
    wd_status status = list_ways(delta, &ways, error);
    for (size_t i = wd_array_count(delta); status == WD_OK && i > 0; i--) {
        status =
            invert_one(wd_array_at(delta, i - 1), wd_array_at(ways, i - 1), wd_array_at(ways, i), &inverse);
    }
    wd_value_unref(&ways);
    if (status != WD_OK) {
        wd_value_unref(&inverse);
        return status == WD_ECORRUPT ? status
                                     : wd_error_set(error, status, "delta: %s", wd_status_text(status));
    }
    *ret_inverse = inverse;
    return WD_OK;
}
