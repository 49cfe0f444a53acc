// Random edit scripts against a naive model: the tree reads as the model does, snapshots stay what they were, and
// neither sharing, nor freezing, nor how nodes are chunked can be seen.
#include "json.h"
#include "random.h"

#include "tree/alloc.h"
#include "tree/delta.h"
#include "tree/walk.h"

#include <stdio.h>

// ---- the model: plain vectors, copied whole -------------------------------------------------------------------

typedef struct model {
    wd_kind kind;  // INT, STRING, ARRAY or OBJECT
    int64_t number;
    size_t count, capacity;
    char (*keys)[16];
    struct model **items;
} model;

static model *model_new(wd_kind kind, int64_t number)
{
    model *node = calloc(1, sizeof(*node));
    node->kind = kind;
    node->number = number;
    return node;
}

static void model_free(model *node)
{
    for (size_t i = 0; i < node->count; i++) {
        model_free(node->items[i]);
    }
    free(node->keys);
    free(node->items);
    free(node);
}

static void model_insert(model *node, size_t index, const char *key, model *item)
{
    if (node->count == node->capacity) {
        node->capacity = node->capacity == 0 ? 4 : node->capacity * 2;
        node->items = realloc(node->items, node->capacity * sizeof(*node->items));
        node->keys = realloc(node->keys, node->capacity * sizeof(*node->keys));
    }
    memmove(&node->items[index + 1], &node->items[index], (node->count - index) * sizeof(*node->items));
    memmove(&node->keys[index + 1], &node->keys[index], (node->count - index) * sizeof(*node->keys));
    node->items[index] = item;
    snprintf(node->keys[index], sizeof(node->keys[index]), "%s", key);
    node->count += 1;
}

static void model_remove(model *node, size_t index)
{
    model_free(node->items[index]);
    node->count -= 1;
    memmove(&node->items[index], &node->items[index + 1], (node->count - index) * sizeof(*node->items));
    memmove(&node->keys[index], &node->keys[index + 1], (node->count - index) * sizeof(*node->keys));
}

static size_t model_find(const model *node, const char *key)
{
    size_t index = 0;
    while (index < node->count && strcmp(node->keys[index], key) != 0) {
        index += 1;
    }
    return index;
}

static model *model_copy(const model *node)
{
    model *copy = model_new(node->kind, node->number);
    for (size_t i = 0; i < node->count; i++) {
        model_insert(copy, i, node->keys[i], model_copy(node->items[i]));
    }
    return copy;
}

// ---- comparing ------------------------------------------------------------------------------------------------

static bool is_container(const model *node)
{
    return node->kind == WD_KIND_ARRAY || node->kind == WD_KIND_OBJECT;
}

static void assert_reads_as(const wd_value *value, const model *node)
{
    assert_int_equal(wd_value_kind(value), node->kind);
    if (node->kind == WD_KIND_INT) {
        assert_int_equal(wd_value_as_int(value), node->number);
    } else if (node->kind == WD_KIND_STRING) {
        char text[32];
        snprintf(text, sizeof(text), "text %lld", (long long)node->number);
        assert_string_equal(wd_value_as_string(value, NULL), text);
    }
    assert_int_equal(wd_array_count(value), node->kind == WD_KIND_ARRAY ? node->count : 0);
    assert_int_equal(wd_object_count(value), node->kind == WD_KIND_OBJECT ? node->count : 0);
    wd_iter iter = wd_iter_start(value);
    size_t count = 0;
    for (; wd_iter_next(&iter); count++) {
        assert_true(count < node->count);
        assert_int_equal(iter.index, count);
        if (node->kind == WD_KIND_OBJECT) {
            assert_string_equal(iter.key, node->keys[count]);
            assert_ptr_equal(wd_object_get(value, node->keys[count]), iter.value);
        } else {
            assert_ptr_equal(wd_array_at(value, count), iter.value);
        }
        assert_reads_as(iter.value, node->items[count]);
    }
    assert_int_equal(count, is_container(node) ? node->count : 0);
}

// A tree of the same content that shares nothing with `value` and was built another way.
static wd_value *rebuilt(const wd_value *value)
{
    char *text = text_of(value);
    wd_value *other = json_of(text);
    free(text);
    return other;
}

// ---- edits ----------------------------------------------------------------------------------------------------

enum { KEYS_MAX = 400, DEPTH_MAX = 6 };

static wd_value *value_of(const model *node)
{
    wd_value *value = NULL;
    if (node->kind == WD_KIND_INT) {
        assert_int_equal(wd_value_int(node->number, &value), WD_OK);
    } else if (node->kind == WD_KIND_STRING) {
        assert_int_equal(wd_value_format(&value, "text %lld", (long long)node->number), WD_OK);
    } else {
        value = node->kind == WD_KIND_ARRAY ? wd_value_array() : wd_value_object();
        for (size_t i = 0; i < node->count; i++) {
            wd_value *item = value_of(node->items[i]);
            assert_int_equal(node->kind == WD_KIND_ARRAY ? wd_array_append(&value, &item)
                                                         : wd_object_set(&value, node->keys[i], &item),
                WD_OK);
        }
    }
    return value;
}

static model *random_model(random_source *random, unsigned depth)
{
    uint32_t kind = random_below(random, depth < DEPTH_MAX ? 10 : 6);
    int64_t number = (int64_t)random_next(random) >> random_below(random, 60);
    if (kind < 6) {
        return model_new(kind < 3 ? WD_KIND_INT : WD_KIND_STRING, number);
    }
    model *node = model_new(kind < 8 ? WD_KIND_ARRAY : WD_KIND_OBJECT, 0);
    size_t count = random_below(random, 6) == 0 ? random_below(random, 40) : random_below(random, 4);
    for (size_t i = 0; i < count; i++) {
        char key[16];
        static const char *const ids[] = { "id", "uid", "key" };
        if (random_below(random, 5) == 0) {
            snprintf(key, sizeof(key), "%s", ids[random_below(random, 3)]);
        } else {
            snprintf(key, sizeof(key), "k%u", random_below(random, KEYS_MAX));
        }
        if (model_find(node, key) == node->count) {
            model_insert(node, node->count, key, random_model(random, depth + 2));
        }
    }
    return node;
}

static void edit_array(random_source *random, wd_value **array_p, model *node, unsigned depth)
{
    uint32_t what = random_below(random, 10);
    if (what < 6 || node->count == 0) {
        model *item = random_model(random, depth);
        wd_value *value = value_of(item);
        size_t index = what < 4 ? node->count : random_below(random, (uint32_t)node->count + 1);
        model_insert(node, index, "", item);
        assert_int_equal(
            what < 4 ? wd_array_append(array_p, &value) : wd_array_insert(array_p, index, &value), WD_OK);
        assert_null(value);
        return;
    }
    size_t index = random_below(random, (uint32_t)node->count);
    if (what < 8) {
        model_remove(node, index);
        assert_int_equal(wd_array_remove(array_p, index), WD_OK);
        return;
    }
    model_free(node->items[index]);
    node->items[index] = random_model(random, depth);
    wd_value *value = value_of(node->items[index]);
    assert_int_equal(wd_array_set(array_p, index, &value), WD_OK);
}

static void edit_object(random_source *random, wd_value **object_p, model *node, unsigned depth)
{
    char key[16];
    uint32_t spread = node->count > 60 || random_below(random, 3) == 0 ? KEYS_MAX : 40;
    snprintf(key, sizeof(key), "k%u", random_below(random, spread));
    size_t index = model_find(node, key);
    if (random_below(random, 10) < 4) {
        assert_int_equal(wd_object_remove(object_p, key), index < node->count ? WD_OK : WD_ENOENT);
        if (index < node->count) {
            model_remove(node, index);
        }
        return;
    }
    model *item = random_model(random, depth);
    wd_value *value = value_of(item);
    if (index < node->count) {
        model_free(node->items[index]);
        node->items[index] = item;
    } else {
        model_insert(node, index, key, item);
    }
    assert_int_equal(wd_object_set(object_p, key, &value), WD_OK);
    assert_null(value);
}

// Change something in the container or somewhere below it: children are taken out and put back on the way.
static void edit(random_source *random, wd_value **value_p, model *node, unsigned depth)
{
    size_t index = node->count > 0 ? random_below(random, (uint32_t)node->count) : 0;
    if (node->count > 0 && is_container(node->items[index]) && random_below(random, 10) < 7) {
        wd_value *child;
        bool object = node->kind == WD_KIND_OBJECT;
        assert_int_equal(object ? wd_object_take(value_p, node->keys[index], &child)
                                : wd_array_take(value_p, index, &child),
            WD_OK);
        edit(random, &child, node->items[index], depth + 1);
        assert_int_equal(
            object ? wd_object_set(value_p, node->keys[index], &child) : wd_array_set(value_p, index, &child),
            WD_OK);
    } else if (node->kind == WD_KIND_ARRAY) {
        edit_array(random, value_p, node, depth);
    } else {
        edit_object(random, value_p, node, depth);
    }
}

// ---- the property ---------------------------------------------------------------------------------------------

enum { EDITS = 1500, SNAPSHOTS = 12 };

static void check_delta(const wd_value *before, const wd_value *after)
{
    wd_value *delta, *inverse, *there, *back;
    wd_error error = { .text = "" };
    assert_int_equal(wd_delta_make(before, after, &delta), WD_OK);
    if (wd_delta_apply(before, delta, &there, &error) != WD_OK) {
        fail_msg("%s", error.text);
    }
    assert_int_equal(wd_delta_invert(delta, &inverse, &error), WD_OK);
    if (wd_delta_apply(after, inverse, &back, &error) != WD_OK) {
        fail_msg("%s", error.text);
    }
    char *wanted = text_of(after), *own = text_of(there);
    assert_string_equal(own, wanted);
    free(wanted);
    free(own);
    wanted = text_of(before);
    own = text_of(back);
    assert_string_equal(own, wanted);
    free(wanted);
    free(own);
    wd_value_unref(&delta);
    wd_value_unref(&inverse);
    wd_value_unref(&there);
    wd_value_unref(&back);
}

// Not the same node, nor scalars that print alike (which is sameness to the bit).
static bool differs(const wd_value *before, const wd_value *after)
{
    if (before == after || before == NULL || after == NULL || wd_value_kind(before) != wd_value_kind(after) ||
        wd_value_is(before, WD_KIND_ARRAY) || wd_value_is(before, WD_KIND_OBJECT)) {
        return before != after;
    }
    char *x = text_of(before), *y = text_of(after);
    bool same = strcmp(x, y) == 0;
    free(x);
    free(y);
    return !same;
}

// Every child that differs is visited once, and no other.
static void check_walk(const wd_value *before, const wd_value *after)
{
    bool objects = wd_value_is(before, WD_KIND_OBJECT);
    if (wd_value_kind(before) != wd_value_kind(after) || before == after) {
        return;
    }
    size_t wanted = 0, visited = 0;
    wd_iter iter = wd_iter_start(before);
    while (wd_iter_next(&iter)) {
        wanted +=
            differs(iter.value, objects ? wd_object_get(after, iter.key) : wd_array_at(after, iter.index));
    }
    iter = wd_iter_start(after);
    while (wd_iter_next(&iter)) {
        wanted += (objects ? wd_object_get(before, iter.key) : wd_array_at(before, iter.index)) == NULL;
    }
    wd_value *seen = wd_value_object();
    wd_pair_walk walk = wd_pair_start(before, after);
    for (; wd_pair_next(&walk); visited++) {
        assert_true(walk.before != walk.after);
        if (objects) {
            wd_value *mark = wd_value_bool(true);
            assert_ptr_equal(wd_object_get(before, walk.key), walk.before);
            assert_ptr_equal(wd_object_get(after, walk.key), walk.after);
            assert_null(wd_object_get(seen, walk.key));
            assert_int_equal(wd_object_set(&seen, walk.key, &mark), WD_OK);
        } else {
            assert_ptr_equal(wd_array_at(before, walk.index), walk.before);
            assert_ptr_equal(wd_array_at(after, walk.index), walk.after);
        }
        if (walk.before != NULL && walk.after != NULL) {
            check_walk(walk.before, walk.after);
        }
    }
    assert_int_equal(visited, wanted);
    wd_value_unref(&seen);
}

static void check_traits(const wd_value *value)
{
    static const char *const names[] = { "id", "wxid", "mid", "uid", "bookId", "chatId", "contactId",
        "messageId", "key" };
    wd_array_traits wanted = { .identity = -1 };
    bool object_seen = false;
    wd_iter iter = wd_iter_start(value);
    while (wd_iter_next(&iter)) {
        check_traits(iter.value);
        bool object = wd_value_is(iter.value, WD_KIND_OBJECT);
        wanted.has_container = wanted.has_container || object || wd_value_is(iter.value, WD_KIND_ARRAY);
        for (unsigned i = 0; object && i < WD_IDENTITY_COUNT; i++) {
            const wd_value *id = wd_object_get(iter.value, names[i]);
            if (id != NULL && !object_seen && wanted.identity < 0) {
                wanted.identity = (int)i;
            }
            if (wd_value_is(id, WD_KIND_OBJECT) || wd_value_is(id, WD_KIND_ARRAY)) {
                wanted.container_ids |= 1u << i;
            }
        }
        object_seen = object_seen || object;
    }
    if (wd_value_is(value, WD_KIND_ARRAY)) {
        wd_array_traits own = wd_array_traits_of(value);
        assert_int_equal(own.has_container, wanted.has_container);
        assert_int_equal(own.identity, wanted.identity);
        assert_int_equal(own.container_ids, wanted.container_ids);
    }
}

static void check_tree(const wd_value *tree, const model *node)
{
    assert_reads_as(tree, node);
    check_traits(tree);
    wd_value *other = rebuilt(tree);
    assert_true(wd_value_equal(tree, other));
    assert_true(wd_digest_equal(wd_value_digest(tree), wd_value_digest(other)));
    check_delta(tree, other);
    check_walk(tree, other);
    wd_value_unref(&other);
}

static void run_script(uint64_t seed)
{
    random_source random = random_seeded("edit script", seed);
    wd_value *tree = wd_value_object(), *snapshots[SNAPSHOTS] = { 0 };
    model *node = model_new(WD_KIND_OBJECT, 0), *copies[SNAPSHOTS] = { 0 };
    for (unsigned i = 0; i < EDITS; i++) {
        edit(&random, &tree, node, 0);
        if (random_below(&random, 40) == 0) {
            unsigned slot = random_below(&random, SNAPSHOTS);
            if (copies[slot] != NULL) {
                assert_reads_as(snapshots[slot], copies[slot]);
                check_delta(snapshots[slot], tree);
                check_walk(snapshots[slot], tree);
                wd_value_unref(&snapshots[slot]);
                model_free(copies[slot]);
            }
            snapshots[slot] = wd_value_ref(tree);
            copies[slot] = model_copy(node);
            check_tree(tree, node);
        }
        if (random_below(&random, 200) == 0) {
            wd_value *frozen;
            assert_int_equal(wd_value_freeze(tree, &frozen), WD_OK);
            assert_true(wd_value_is_frozen(frozen));
            assert_true(wd_value_equal(frozen, tree));
            wd_value_unref(&tree);
            tree = frozen;
        }
    }
    check_tree(tree, node);
    for (unsigned i = 0; i < SNAPSHOTS; i++) {
        if (copies[i] != NULL) {
            assert_reads_as(snapshots[i], copies[i]);
            wd_value_unref(&snapshots[i]);
            model_free(copies[i]);
        }
    }
    wd_value_unref(&tree);
    model_free(node);
    assert_int_equal(wd_alloc_stats_get().bytes_live, 0);
    assert_int_equal(wd_alloc_shared_bytes_live(), 0);
}

static void scripts_read_as_the_model(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        run_script(seed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(scripts_read_as_the_model) };
    return cmocka_run_group_tests_name("model", tests, NULL, NULL);
}
