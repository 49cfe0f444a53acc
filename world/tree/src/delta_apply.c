// delta_apply.c - applying and inverting exact differences. delta_parts.h has the form.
#include "delta_parts.h"

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
    if (!wd_value_identical(*slot, op->before)) {
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
            !wd_value_identical(member.value, wd_array_at(iter.value, 2))) {
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
        if (!wd_value_identical(wd_array_at(*slot, at + i), wd_array_at(op->before, i))) {
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
           wd_value_identical(wd_array_at(way, count), wd_array_at(other, count))) {
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
    wd_status status = wd_array_slice(way, keep, wd_array_count(way), &steps);
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
