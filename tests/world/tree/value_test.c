// Values, arrays and objects: making, reading, changing in place and copying while shared.
#include "json.h"

#include "tree/alloc.h"

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

static void pack_builds_trees(void **state)
{
    (void)state;
    wd_value *value, *taken = json_of("[1]");
    assert_int_equal(wd_value_pack(&value, "{s:i, s:[s,b,n,d], s:?s, s:V}", "n", (int64_t)-3, "list", "x", 1,
                         2.5, "left out", (const char *)NULL, "v", taken),
        WD_OK);
    assert_json(value, "{\"n\":-3,\"list\":[\"x\",true,null,2.5],\"v\":[1]}");
    wd_value_unref(&value);
}

static void frozen_reads_as_before(void **state)
{
    (void)state;
    wd_value *root = json_of("{\"a\":{\"b\":[1,2.1,\"three\"]},\"c\":{\"b\":1}}"), *frozen,
             *item = wd_value_null();
    assert_int_equal(wd_value_freeze(root, &frozen), WD_OK);
    assert_true(wd_value_is_frozen(frozen));
    assert_true(wd_value_equal(root, frozen));
    wd_value_unref(&root);
    wd_value *fork = wd_value_ref(frozen);
    assert_int_equal(wd_object_set(&fork, "c", &item), WD_OK);
    wd_value *again;
    assert_int_equal(wd_value_freeze(fork, &again), WD_OK);
    wd_value_unref(&frozen);
    wd_value_unref(&fork);
    assert_json(again, "{\"a\":{\"b\":[1,2.1,\"three\"]},\"c\":null}");
    wd_value_unref(&again);
    assert_int_equal(wd_alloc_shared_bytes_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(snapshot_never_changes),
        cmocka_unit_test(pack_builds_trees),
        cmocka_unit_test(frozen_reads_as_before),
    };
    return cmocka_run_group_tests_name("value", tests, NULL, NULL);
}
