// The change report beyond its golden cases: sharing, order, its JSON form, depth, memory.
#include "judge/changes.h"

#include "json.h"
#include "tree/alloc.h"
#include "tree/path.h"

#include <stdio.h>

static char *changes_text(const wd_value *before, const wd_value *after)
{
    wd_changes *changes = NULL;
    wd_value *list = NULL;
    assert_int_equal(wd_changes_make(before, after, &changes), WD_OK);
    assert_int_equal(wd_changes_to_value(changes, &list), WD_OK);
    char *text = text_of(list);
    wd_value_unref(&list);
    wd_changes_destroy(&changes);
    return text;
}

static void assert_changes(const wd_value *before, const wd_value *after, const char *wanted)
{
    char *text = changes_text(before, after);
    assert_string_equal(text, wanted);
    free(text);
}

static void absent_sides_are_left_out(void **state)
{
    (void)state;
    wd_value *value = json_of("{\"a\":[1]}");
    assert_changes(NULL, NULL, "[]");
    assert_changes(NULL, value, "[{\"path\":\"\",\"after\":{\"a\":[1]}}]");
    assert_changes(value, NULL, "[{\"path\":\"\",\"before\":{\"a\":[1]}}]");
    wd_value_unref(&value);
}

/// A seeded generator: xorshift, the same on every machine.
static uint32_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return (uint32_t)(*seed >> 32);
}

static wd_value *random_value(uint64_t *seed, int depth)
{
    wd_value *value = NULL;
    uint32_t kind = next_random(seed) % (depth > 0 ? 9 : 6);
    static const char *const texts[] = { "", "a", "b.c", "x]y", "名" };
    switch (kind) {
    case 0:
        return wd_value_null();
    case 1:
        return wd_value_bool(next_random(seed) % 2 != 0);
    case 2:
    case 3:
        assert_int_equal(wd_value_int(next_random(seed) % 4, &value), WD_OK);
        return value;
    case 4:
        assert_int_equal(wd_value_double((double)(next_random(seed) % 4), &value), WD_OK);
        return value;
    case 5:
        assert_int_equal(wd_value_text(texts[next_random(seed) % 5], &value), WD_OK);
        return value;
    default:
        break;
    }
    static const char *const keys[] = { "id", "a", "b.c", "", "[0]", "key" };
    value = kind == 6 ? wd_value_object() : wd_value_array();
    for (uint32_t count = next_random(seed) % 5; count > 0; count--) {
        wd_value *child = random_value(seed, depth - 1);
        wd_status status = kind == 6 ? wd_object_set(&value, keys[next_random(seed) % 6], &child)
                                     : wd_array_append(&value, &child);
        assert_int_equal(status, WD_OK);
    }
    return value;
}

/// A copy that shares nothing with the original.
static wd_value *unshared(const wd_value *value)
{
    char *text = text_of(value);
    wd_value *copy = json_of(text);
    free(text);
    return copy;
}

/// Change some of the value's members or elements at random depths.
static void edit(uint64_t *seed, wd_value **value_p, int depth)
{
    size_t count = wd_array_count(*value_p) + wd_object_count(*value_p);
    if (count == 0 || depth == 0 || next_random(seed) % 4 == 0) {
        wd_value *fresh = random_value(seed, depth);
        wd_value_unref(value_p);
        *value_p = fresh;
        return;
    }
    wd_iter iter = wd_iter_start(*value_p);
    for (uint32_t skip = next_random(seed) % (uint32_t)count + 1; skip > 0; skip--) {
        assert_true(wd_iter_next(&iter));
    }
    wd_value *child = wd_value_ref(iter.value);
    edit(seed, &child, depth - 1);
    wd_status status;
    if (iter.key != NULL) {
        char key[16];
        snprintf(key, sizeof key, "%s", iter.key);
        status = wd_object_set(value_p, key, &child);
    } else {
        status = next_random(seed) % 3 == 0 ? wd_array_insert(value_p, iter.index, &child)
                                            : wd_array_set(value_p, iter.index, &child);
    }
    assert_int_equal(status, WD_OK);
}

static void sharing_never_changes_the_report(void **state)
{
    (void)state;
    uint64_t seed = 20260101;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (int round = 0; round < 2000; round++) {
        wd_value *before = random_value(&seed, 5);
        wd_value *after = wd_value_ref(before);
        for (uint32_t edits = next_random(&seed) % 4; edits > 0; edits--) {
            edit(&seed, &after, 5);
        }
        wd_value *apart = unshared(after);
        char *shared_text = changes_text(before, after);
        char *apart_text = changes_text(before, apart);
        assert_string_equal(shared_text, apart_text);
        assert_changes(before, before, "[]");
        assert_changes(after, apart, "[]");
        bool same = wd_value_equal(before, after);
        assert_int_equal(strcmp(shared_text, "[]") == 0, same);
        free(shared_text);
        free(apart_text);
        wd_value_unref(&before);
        wd_value_unref(&after);
        wd_value_unref(&apart);
    }
}

static void deepest_value_is_compared(void **state)
{
    (void)state;
    wd_value *trees[2] = { NULL, NULL };
    for (int side = 0; side < 2; side++) {
        assert_int_equal(wd_value_int(side, &trees[side]), WD_OK);
        for (int level = 0; level < WD_VALUE_DEPTH_MAX; level++) {
            wd_value *around = level % 2 == 0 ? wd_value_object() : wd_value_array();
            wd_status status = level % 2 == 0 ? wd_object_set(&around, "k", &trees[side])
                                              : wd_array_append(&around, &trees[side]);
            assert_int_equal(status, WD_OK);
            trees[side] = around;
        }
    }
    wd_changes *changes = NULL;
    assert_int_equal(wd_changes_make(trees[0], trees[1], &changes), WD_OK);
    assert_int_equal(wd_changes_count(changes), 1);
    assert_int_equal(wd_value_as_int(wd_changes_at(changes, 0)->after), 1);
    wd_changes_destroy(&changes);
    wd_value_unref(&trees[0]);
    wd_value_unref(&trees[1]);
}

static void json_form_reads_back_sorted(void **state)
{
    (void)state;
    wd_value *list = json_of("[{\"path\":\"b\",\"after\":1},{\"path\":\"a\",\"before\":null,\"after\":[]},"
                             "{\"path\":\"a\",\"after\":[]}]");
    wd_changes *changes = NULL;
    wd_value *back = NULL;
    wd_error error;
    assert_int_equal(wd_changes_from_value(list, &changes, &error), WD_OK);
    assert_int_equal(wd_changes_to_value(changes, &back), WD_OK);
    assert_json(back, "[{\"path\":\"a\",\"after\":[]},{\"path\":\"a\",\"before\":null,\"after\":[]},"
                      "{\"path\":\"b\",\"after\":1}]");
    wd_changes_destroy(&changes);
    wd_value_unref(&back);
    wd_value_unref(&list);

    list = json_of("[{\"path\":\"a\"},{\"after\":1}]");
    assert_int_equal(wd_changes_from_value(list, &changes, &error), WD_ETYPE);
    assert_string_equal(error.text, "changes[1].path: expected a string");
    wd_value_unref(&list);
    assert_int_equal(wd_changes_from_value(NULL, &changes, &error), WD_ETYPE);
}

/// Two states that take every road: identities added, removed, reordered, spelled anew; flat lists; indexes.
static const char old_state[] =
    "{\"o\":{\"a\":1,\"gone\":{\"x\":1}},\"ids\":[{\"id\":1,\"v\":1},{\"id\":2,\"v\":1},{\"id\":3},\"rest\"],"
    "\"flat\":[1,2,2.0,\"x\"],\"rows\":[{\"v\":1},[1]],\"kind\":[1]}";
static const char new_state[] = "{\"o\":{\"a\":2,\"new\":{\"x\":1}},\"ids\":[{\"id\":3},{\"id\":1.0,\"v\":2},"
                                "{\"id\":4},\"other\",\"more\"],"
                                "\"flat\":[\"x\",2,3],\"rows\":[{\"v\":2},[2],null],\"kind\":{}}";

static void every_allocation_fails_once(void **state)
{
    (void)state;
    wd_value *before = json_of(old_state);
    wd_value *after = json_of(new_state);
    wd_changes *changes = NULL;
    wd_value *list = NULL;
    uint64_t live = wd_alloc_stats_get().bytes_live;
    for (long calls = 0; changes == NULL; calls++) {
        assert_in_range(calls, 0, 1000);
        wd_alloc_fail_after(calls);
        wd_status status = wd_changes_make(before, after, &changes);
        wd_alloc_fail_after(-1);
        assert_int_equal(status, changes == NULL ? WD_ENOMEM : WD_OK);
        assert_true(changes != NULL || wd_alloc_stats_get().bytes_live == live);
    }
    live = wd_alloc_stats_get().bytes_live;
    for (long calls = 0; list == NULL; calls++) {
        assert_in_range(calls, 0, 1000);
        wd_alloc_fail_after(calls);
        wd_status status = wd_changes_to_value(changes, &list);
        wd_alloc_fail_after(-1);
        assert_int_equal(status, list == NULL ? WD_ENOMEM : WD_OK);
        assert_true(list != NULL || wd_alloc_stats_get().bytes_live == live);
    }
    wd_changes_destroy(&changes);
    live = wd_alloc_stats_get().bytes_live;
    for (long calls = 0; changes == NULL; calls++) {
        assert_in_range(calls, 0, 1000);
        wd_alloc_fail_after(calls);
        wd_status status = wd_changes_from_value(list, &changes, NULL);
        wd_alloc_fail_after(-1);
        assert_int_equal(status, changes == NULL ? WD_ENOMEM : WD_OK);
        assert_true(changes != NULL || wd_alloc_stats_get().bytes_live == live);
    }
    wd_changes_destroy(&changes);
    wd_value_unref(&list);
    wd_value_unref(&before);
    wd_value_unref(&after);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(absent_sides_are_left_out),
        cmocka_unit_test(sharing_never_changes_the_report),
        cmocka_unit_test(deepest_value_is_compared),
        cmocka_unit_test(json_form_reads_back_sorted),
        cmocka_unit_test(every_allocation_fails_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
