// Values: kinds, equality and order of numbers, digests pinned, changing in place and while shared, keys, memory.
#include "json.h"

#include "tree/alloc.h"

#include <math.h>
#include <stdio.h>

// ---- equality and digests -------------------------------------------------------------------------------------

// The byte form is fixed: digests go into episodes. docs/state-tree.md says how they come about.
static const struct digest_case {
    const char *text, *digest;
} digest_cases[] = {
    { "null", "d9265cc53bb2b9ae6131b78f753823cd" },
    { "false", "b3d4eb9ebd5c87331cddf8f8475304c7" },
    { "true", "be39ca395b406c4c64ba3be0638d7735" },
    { "0", "d7e00556ae70da52b2b587178cbe81ef" },
    { "-0.0", "d7e00556ae70da52b2b587178cbe81ef" },
    { "1", "1448bf997bd45e81f1ca0410ac3d501d" },
    { "1.0", "1448bf997bd45e81f1ca0410ac3d501d" },
    { "-1", "e75d33711bb683bfda63060f633712bd" },
    { "9223372036854775807", "1e662d60696fc7519a5942296d858e6b" },
    { "9223372036854775808", "7aa082f9a4d2147aff537a92381728fc" },
    { "0.5", "4d2315c9b449943d54772cc473c86f80" },
    { "\"\"", "d037d24a0847dc76b2068296fae79545" },
    { "\"a\"", "a2515b8f9f36186e279ea5e9e34a4886" },
    { "\"\\u00e9\"", "3aa178b026f857a3e776fd6a12e50a0f" },
    { "[]", "63ba6f59111ac7968e7b6d5e921584b8" },
    { "[1,2]", "0fc7ef2f319adb7852360813e819102c" },
    { "[2,1]", "f354165254f1d9dc6073308e1c648ee0" },
    { "{}", "fd009f56c60ab9408480b42b5c8cfbd3" },
    { "{\"a\":1,\"b\":[null]}", "35f07b05452ef46364ddc4d8de06e2da" },
    { "{\"b\":[null],\"a\":1.0}", "35f07b05452ef46364ddc4d8de06e2da" },
};

static void digest_is_pinned(void **state)
{
    const struct digest_case *row = *state;
    wd_value *value = json_of(row->text);
    char text[WD_DIGEST_TEXT_SIZE];
    wd_digest digest = wd_value_digest(value), again;
    wd_digest_text(digest, text);
    assert_string_equal(text, row->digest);
    assert_int_equal(wd_digest_parse(text, &again), WD_OK);
    assert_true(wd_digest_equal(digest, again));
    // Equal digests, equal values, among these at least.
    for (size_t i = 0; i < WD_COUNT_OF(digest_cases); i++) {
        wd_value *other = json_of(digest_cases[i].text);
        assert_int_equal(wd_value_equal(value, other), strcmp(digest_cases[i].digest, row->digest) == 0);
        wd_value_unref(&other);
    }
    wd_value_unref(&value);
}

static void malformed_digests_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = { "", "d9265cc53bb2b9ae6131b78f753823c",
        "d9265cc53bb2b9ae6131b78f753823cd0", "D9265cc53bb2b9ae6131b78f753823cd",
        "g9265cc53bb2b9ae6131b78f753823cd" };
    for (size_t i = 0; i < WD_COUNT_OF(texts); i++) {
        wd_digest digest = { 1, 2 };
        assert_int_equal(wd_digest_parse(texts[i], &digest), WD_EPARSE);
        assert_true(digest.high == 1 && digest.low == 2);
    }
}

static void chunks_do_not_show_in_digests(void **state)
{
    (void)state;
    wd_value *whole = wd_value_array(), *inserted = wd_value_array();
    for (int64_t i = 0; i < 1000; i++) {
        wd_value *item, *other;
        assert_int_equal(wd_value_int(i, &item), WD_OK);
        assert_int_equal(wd_value_int(999 - i, &other), WD_OK);
        assert_int_equal(wd_array_append(&whole, &item), WD_OK);
        assert_int_equal(wd_array_insert(&inserted, 0, &other), WD_OK);
    }
    assert_true(wd_value_equal(whole, inserted));
    assert_true(wd_digest_equal(wd_value_digest(whole), wd_value_digest(inserted)));
    wd_value_unref(&whole);
    wd_value_unref(&inserted);
}

static const struct order_case {
    const char *name, *less, *greater;
    int order;
} order_cases[] = {
    { "ints", "1", "2", -1 },
    { "int and equal double", "1", "1.0", 0 },
    { "zeros", "0", "-0.0", 0 },
    { "int and fraction", "1", "1.5", -1 },
    { "negative int and fraction", "-1", "-1.5", 1 },
    { "beyond 2^53", "9007199254740993", "9007199254740992.0", 1 },
    { "int64 max and 2^63", "9223372036854775807", "9223372036854775808", -1 },
    { "int64 min and -2^63", "-9223372036854775808", "-9223372036854775808.0", 0 },
    { "int64 min and below", "-9223372036854775808", "-1e19", 1 },
};

static void numbers_compare_exactly(void **state)
{
    const struct order_case *row = *state;
    wd_value *a = json_of(row->less), *b = json_of(row->greater);
    assert_int_equal(wd_number_compare(a, b), row->order);
    assert_int_equal(wd_number_compare(b, a), -row->order);
    assert_int_equal(wd_value_equal(a, b), row->order == 0);
    wd_value_unref(&a);
    wd_value_unref(&b);
}

static void five_things_differ(void **state)
{
    (void)state;
    wd_value *values = json_of("[null,false,0,\"\",[],{},true,1]");
    for (size_t i = 0; i < wd_array_count(values); i++) {
        assert_false(wd_value_equal(wd_array_at(values, i), NULL));
        for (size_t j = 0; j < wd_array_count(values); j++) {
            assert_int_equal(wd_value_equal(wd_array_at(values, i), wd_array_at(values, j)), i == j);
        }
    }
    assert_true(wd_value_equal(NULL, NULL));
    wd_value_unref(&values);
}

// ---- making and reading ---------------------------------------------------------------------------------------

static void bad_scalars_are_refused(void **state)
{
    (void)state;
    wd_value *value = NULL;
    assert_int_equal(wd_value_double(NAN, &value), WD_EINVAL);
    assert_int_equal(wd_value_double(INFINITY, &value), WD_EINVAL);
    assert_int_equal(wd_value_string("a\0b", 3, &value), WD_EUTF8);
    assert_int_equal(wd_value_string("\xc3", 1, &value), WD_EUTF8);
    wd_value *object = wd_value_object(), *item = wd_value_null();
    assert_int_equal(wd_object_set_n(&object, "\xff", 1, &item), WD_EUTF8);
    assert_ptr_equal(object, wd_value_object());
    assert_null(value);
}

static void string_length_has_an_edge(void **state)
{
    (void)state;
    char *bytes = malloc(WD_VALUE_STRING_MAX + 1);
    memset(bytes, 'x', WD_VALUE_STRING_MAX + 1);
    wd_value *value = NULL;
    assert_int_equal(wd_value_string(bytes, WD_VALUE_STRING_MAX + 1, &value), WD_ELIMIT);
    assert_int_equal(wd_value_string(bytes, WD_VALUE_STRING_MAX, &value), WD_OK);
    wd_value_unref(&value);
    free(bytes);
}

static void reading_with_defaults(void **state)
{
    (void)state;
    wd_value *value = json_of("{\"t\":\"x\",\"i\":2,\"d\":3.0,\"f\":3.5,\"b\":true}");
    assert_int_equal(wd_value_int_or(wd_object_get(value, "d"), -1), 3);
    assert_int_equal(wd_value_int_or(wd_object_get(value, "f"), -1), -1);
    assert_int_equal(wd_value_int_or(wd_object_get(value, "none"), -1), -1);
    assert_true(wd_value_double_or(wd_object_get(value, "i"), 0) == 2.0);
    assert_true(wd_value_bool_or(wd_object_get(value, "b"), false));
    assert_string_equal(wd_value_string_or(wd_object_get(value, "i"), "fallback"), "fallback");
    assert_true(wd_value_is_text(wd_object_get(value, "t"), "x"));
    assert_false(wd_value_is_text(wd_object_get(value, "i"), "2"));
    wd_value_unref(&value);
}

static void pack_builds_trees(void **state)
{
    (void)state;
    wd_value *value, *taken = json_of("[1]");
    assert_int_equal(wd_value_pack(&value, "{s:i, s:[s,b,n,d], s:?s, s:V}", "n", (int64_t)-3, "list", "x", 1,
                         2.5, "left out", (const char *)NULL, "v", taken),
        WD_OK);
    assert_json(value, "{\"n\":-3,\"list\":[\"x\",true,null,2.5],\"v\":[1]}");
    wd_value_unref(&value);
    taken = json_of("[1]");
    assert_int_equal(
        wd_value_pack(&value, "[s,V]", "\xff", taken), WD_EUTF8);  // what was to be taken is dropped
    assert_int_equal(wd_alloc_stats_get().bytes_live, 0);
}

// ---- changing -------------------------------------------------------------------------------------------------

static void snapshot_never_changes(void **state)
{
    (void)state;
    wd_value *root = json_of("{\"a\":{\"b\":[1,2,3]},\"c\":\"x\"}");
    wd_value *snapshot = wd_value_ref(root);
    wd_value *five;
    assert_int_equal(wd_value_int(5, &five), WD_OK);
    wd_value *a = NULL, *b = NULL;
    assert_int_equal(wd_object_take(&root, "a", &a), WD_OK);
    assert_int_equal(wd_object_take(&a, "b", &b), WD_OK);
    assert_int_equal(wd_array_set(&b, 1, &five), WD_OK);
    assert_int_equal(wd_object_set(&a, "b", &b), WD_OK);
    assert_int_equal(wd_object_set(&root, "a", &a), WD_OK);
    assert_json(root, "{\"a\":{\"b\":[1,5,3]},\"c\":\"x\"}");
    assert_json(snapshot, "{\"a\":{\"b\":[1,2,3]},\"c\":\"x\"}");
    wd_value_unref(&root);
    wd_value_unref(&snapshot);
}

static void unshared_is_changed_in_place(void **state)
{
    (void)state;
    wd_value *root = json_of("{\"a\":1}"), *same = root, *item = wd_value_null();
    uint64_t calls = wd_alloc_stats_get().calls_total;
    assert_int_equal(wd_object_set(&root, "a", &item), WD_OK);
    assert_ptr_equal(root, same);
    assert_int_equal(wd_alloc_stats_get().calls_total, calls);
    wd_value_unref(&root);
}

static void missing_is_told_and_nothing_changes(void **state)
{
    (void)state;
    wd_value *object = json_of("{\"a\":1}"), *array = json_of("[1]"), *item = NULL;
    assert_int_equal(wd_object_remove(&object, "b"), WD_ENOENT);
    assert_int_equal(wd_object_take(&object, "b", &item), WD_ENOENT);
    assert_int_equal(wd_array_take(&array, 1, &item), WD_ENOENT);
    assert_null(wd_array_at(array, 1));
    assert_null(wd_object_get(array, "a"));
    assert_null(wd_array_at(object, 0));
    assert_null(item);
    wd_value_unref(&object);
    wd_value_unref(&array);
}

// The depth of what a node holds is remembered as a bound: taking the deep part out must not count for ever.
static void depth_is_judged_by_what_is_there(void **state)
{
    (void)state;
    wd_value *deep = wd_value_array();
    for (int i = 1; i < WD_VALUE_DEPTH_MAX; i++) {
        wd_value *outer = wd_value_array();
        assert_int_equal(wd_array_append(&outer, &deep), WD_OK);
        deep = outer;
    }
    wd_value *item = wd_value_null(), *outer = wd_value_array();
    assert_int_equal(wd_array_append(&outer, &deep), WD_ELIMIT);
    assert_int_equal(wd_array_set(&deep, 0, &item), WD_OK);
    assert_int_equal(wd_array_append(&outer, &deep), WD_OK);
    wd_value_unref(&outer);
}

static void interned_keys_are_one(void **state)
{
    (void)state;
    const wd_key *key, *again;
    assert_int_equal(wd_key_intern("interned", 8, &key), WD_OK);
    assert_int_equal(wd_key_intern("interned", 8, &again), WD_OK);
    assert_ptr_equal(key, again);
    assert_string_equal(wd_key_text(key), "interned");
    wd_value *object = json_of("{\"other\":1,\"interned\":2}"), *item = wd_value_bool(true);
    assert_int_equal(wd_value_int_or(wd_object_get_key(object, key), 0), 2);
    assert_int_equal(wd_object_set_key(&object, key, &item), WD_OK);
    assert_json(object, "{\"other\":1,\"interned\":true}");
    wd_value_unref(&object);
    assert_int_equal(wd_key_intern("\xff", 1, &key), WD_EUTF8);
}

static void memory_is_counted(void **state)
{
    (void)state;
    assert_int_equal(wd_alloc_stats_get().bytes_live, 0);
    wd_alloc_reset_peak();
    void *block = wd_alloc(1000), *large = wd_alloc(100000);
    assert_int_equal(wd_alloc_stats_get().bytes_live, 101000);
    block = wd_realloc(block, 1000, 3000);
    wd_free(large, 100000);
    assert_int_equal(wd_alloc_stats_get().bytes_live, 3000);
    assert_int_equal(wd_alloc_stats_get().bytes_peak, 103000);
    wd_free(block, 3000);
    assert_null(wd_alloc_zero(SIZE_MAX / 2, 3));
    wd_alloc_fail_after(1);
    block = wd_alloc(16);
    assert_non_null(block);
    assert_null(wd_alloc(16));
    assert_null(wd_realloc(block, 16, 32));
    wd_alloc_fail_after(-1);
    wd_free(block, 16);
    assert_int_equal(wd_alloc_stats_get().bytes_live, 0);
}

static void errors_are_cut_at_characters(void **state)
{
    (void)state;
    wd_error error;
    char text[WD_ERROR_TEXT_MAX + 8];
    memset(text, 'x', sizeof(text));
    memcpy(text + WD_ERROR_TEXT_MAX - 3, "\xe2\x82\xac", 4);  // a character across the edge
    assert_int_equal(wd_error_set(&error, WD_EINVAL, "%s", text), WD_EINVAL);
    assert_int_equal(strlen(error.text), WD_ERROR_TEXT_MAX - 3);
    assert_int_equal(wd_error_set(NULL, WD_EIO, "nobody listens"), WD_EIO);
    (void)wd_error_set(&error, WD_EINVAL, "inner");
    wd_error_prefix(&error, "outer %d", 7);
    assert_string_equal(error.text, "outer 7: inner");
    assert_string_equal(wd_status_text(WD_ELIMIT), "limit exceeded");
    assert_string_equal(wd_status_name(WD_ELIMIT), "ELIMIT");
    assert_string_equal(wd_status_text((wd_status)999), "unknown status");
}

int main(void)
{
    struct CMUnitTest tests[WD_COUNT_OF(digest_cases) + WD_COUNT_OF(order_cases) + 14];
    size_t count = 0;
    for (size_t i = 0; i < WD_COUNT_OF(digest_cases); i++) {
        tests[count++] = (struct CMUnitTest){ .name = digest_cases[i].text,
            .test_func = digest_is_pinned,
            .initial_state = (void *)(uintptr_t)&digest_cases[i] };
    }
    for (size_t i = 0; i < WD_COUNT_OF(order_cases); i++) {
        tests[count++] = (struct CMUnitTest){ .name = order_cases[i].name,
            .test_func = numbers_compare_exactly,
            .initial_state = (void *)(uintptr_t)&order_cases[i] };
    }
    const struct CMUnitTest others[] = {
        cmocka_unit_test(malformed_digests_are_refused),
        cmocka_unit_test(chunks_do_not_show_in_digests),
        cmocka_unit_test(five_things_differ),
        cmocka_unit_test(bad_scalars_are_refused),
        cmocka_unit_test(string_length_has_an_edge),
        cmocka_unit_test(reading_with_defaults),
        cmocka_unit_test(pack_builds_trees),
        cmocka_unit_test(snapshot_never_changes),
        cmocka_unit_test(unshared_is_changed_in_place),
        cmocka_unit_test(missing_is_told_and_nothing_changes),
        cmocka_unit_test(depth_is_judged_by_what_is_there),
        cmocka_unit_test(interned_keys_are_one),
        cmocka_unit_test(memory_is_counted),
        cmocka_unit_test(errors_are_cut_at_characters),
    };
    memcpy(&tests[count], others, sizeof(others));
    return _cmocka_run_group_tests("value", tests, count + WD_COUNT_OF(others), NULL, NULL);
}
