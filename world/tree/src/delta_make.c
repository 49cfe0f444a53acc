// delta_make.c - making exact differences. delta_parts.h has the form.
#include "delta_parts.h"

#include "tree/walk.h"

// ---- exact sameness -------------------------------------------------------------------------------------------

bool wd_value_identical(const wd_value *a, const wd_value *b)
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
        if (!same_key || !wd_value_identical(x.value, y.value)) {
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

wd_status wd_array_slice(const wd_value *array, size_t from, size_t to, wd_value **ret_slice)
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
    } while (more && wd_value_identical(walk.before, walk.after));
    size_t from = more ? walk.index : 0;
    while (old_end > from && new_end > from &&
           wd_value_identical(wd_array_at(before, old_end - 1), wd_array_at(after, new_end - 1))) {
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
        status = wd_array_slice(before, cut->at, cut->at + cut->old_extra, &payload[1]);
    }
    if (status == WD_OK) {
        status = wd_array_slice(after, cut->at, cut->at + cut->new_extra, &payload[2]);
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
    if (wd_value_identical(before, after)) {
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
