// Every allocation failed once in each public function that allocates: a clean error, nothing leaked, nothing
// half-changed.
#include "json.h"

#include "tree/alloc.h"
#include "tree/delta.h"
#include "tree/patch.h"
#include "tree/path.h"

// A value that holds all there is: wide and small arrays and objects, numbers beyond immediates, escapes.
static wd_value *big_value(void)
{
    wd_buffer text = { 0 };
    assert_int_equal(wd_buffer_text(&text, "{\"list\":["), WD_OK);
    for (int i = 0; i < 300; i++) {
        assert_int_equal(wd_buffer_format(&text, "{\"id\":\"e%d\",\"n\":%d},", i, i), WD_OK);
    }
    assert_int_equal(wd_buffer_text(&text, "9223372036854775807,0.1,\"t\\u00e9\"],\"table\":{"), WD_OK);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(wd_buffer_format(&text, "\"k%d\":[%d,\"x%d\"],", i, i, i), WD_OK);
    }
    assert_int_equal(
        wd_buffer_text(&text, "\"a\\\"b\":null},\"small\":{\"a\":{\"b\":[1,2,3]},\"c\":true}}"), WD_OK);
    wd_value *value = json_of(text.bytes);
    wd_buffer_done(&text);
    return value;
}

typedef struct failure_attempt {
    const wd_value *base;   // never changed by anybody
    const wd_value *other;  // the base with some changes
    const wd_value *patch;  // which makes the one of the other
    wd_value *value;        // shared with `base` at the start; a function may change it
    wd_path *path;          // of small.a.b[1]
} failure_attempt;

typedef wd_status attempt_function(failure_attempt *attempt);

static wd_status try_set(failure_attempt *attempt)
{
    wd_value *item = wd_value_bool(true);
    return wd_object_set(&attempt->value, "a new member", &item);
}

static wd_status try_remove(failure_attempt *attempt)
{
    return wd_object_remove(&attempt->value, "list");
}

static wd_status with_child(
    failure_attempt *attempt, const char *name, wd_status (*change)(wd_value **child_p))
{
    wd_value *child = wd_value_ref(wd_object_get(attempt->value, name));
    wd_value *before = wd_value_ref(child);
    wd_status status = change(&child);
    if (status == WD_OK) {
        status = wd_object_set(&attempt->value, name, &child);
    } else {
        assert_true(wd_value_equal(child, before));
    }
    wd_value_unref(&child);
    wd_value_unref(&before);
    return status;
}

static wd_status append(wd_value **child_p)
{
    wd_value *item = wd_value_null();
    return wd_array_append(child_p, &item);
}

static wd_status insert(wd_value **child_p)
{
    wd_value *item = wd_value_null();
    return wd_array_insert(child_p, 150, &item);
}

static wd_status cut(wd_value **child_p)
{
    wd_status status = WD_OK;
    for (int i = 0; i < 40 && status == WD_OK; i++) {
        wd_value *before = wd_value_ref(*child_p);
        status = wd_array_remove(child_p, 100);
        assert_true(status == WD_OK || wd_value_equal(*child_p, before));
        wd_value_unref(&before);
    }
    return status == WD_OK ? WD_OK : status;
}

static wd_status set_element(wd_value **child_p)
{
    wd_value *item = wd_value_null();
    return wd_array_set(child_p, 299, &item);
}

static wd_status table_add(wd_value **child_p)
{
    wd_value *item = wd_value_null();
    return wd_object_set(child_p, "added", &item);
}

static wd_status table_set(wd_value **child_p)
{
    wd_value *item = wd_value_null();
    return wd_object_set(child_p, "k50", &item);
}

static wd_status table_remove(wd_value **child_p)
{
    return wd_object_remove(child_p, "k51");
}

static wd_status table_take(wd_value **child_p)
{
    wd_value *item = NULL;
    wd_status status = wd_object_take(child_p, "k52", &item);
    wd_value_unref(&item);
    return status;
}

#define CHILD(function, name, change)                                                                        \
    static wd_status function(failure_attempt *attempt)                                                      \
    {                                                                                                        \
        return with_child(attempt, name, change);                                                            \
    }
CHILD(try_append, "list", append)
CHILD(try_insert, "list", insert)
CHILD(try_element, "list", set_element)
CHILD(try_table_add, "table", table_add)
CHILD(try_table_set, "table", table_set)
CHILD(try_table_remove, "table", table_remove)
CHILD(try_table_take, "table", table_take)

static wd_status try_cut(failure_attempt *attempt)
{
    wd_value *child = wd_value_ref(wd_object_get(attempt->value, "list"));
    wd_status status = cut(&child);
    wd_value_unref(&child);
    return status;
}

static wd_status try_path_set(failure_attempt *attempt)
{
    wd_value *item = wd_value_bool(false);
    return wd_path_set(&attempt->value, attempt->path, &item, NULL);
}

static wd_status try_path_create(failure_attempt *attempt)
{
    wd_value *item = wd_value_bool(false);
    return wd_value_set_path(&attempt->value, "small.new.deep\\.er.x", &item);
}

static wd_status try_path_remove(failure_attempt *attempt)
{
    return wd_path_remove(&attempt->value, attempt->path);
}

static wd_status try_path_write(failure_attempt *attempt)
{
    wd_buffer buffer = { 0 };
    wd_status status = wd_path_write_key(&buffer, true, "a.b", 3);
    status = status == WD_OK ? wd_path_write_index(&buffer, 12) : status;
    status =
        status == WD_OK ? wd_path_write_element(&buffer, WD_SEGMENT_FILTER, "id", attempt->base) : status;
    wd_buffer_done(&buffer);
    return status == WD_ETYPE ? WD_OK : status;  // the base is no scalar; memory was there
}

static wd_status try_parse(failure_attempt *attempt)
{
    static const char text[] = "{\"a\":[1,2.5,1e300,\"x\\ny\",{\"b\\u0041\":1,\"c\":2},{\"b\\u0041\":1,\"d\":"
                               "2}],\"z\":12345678901234567890}";
    wd_value *value = NULL;
    (void)attempt;
    wd_status status = wd_json_parse(text, sizeof(text) - 1, &value, NULL);
    assert_true((status == WD_OK) == (value != NULL));
    wd_value_unref(&value);
    return status;
}

static wd_status write_as(failure_attempt *attempt, wd_json_style style)
{
    wd_buffer buffer = { 0 };
    wd_status status = wd_json_write(attempt->base, style, &buffer);
    assert_true(status == WD_OK || buffer.length == 0);
    wd_buffer_done(&buffer);
    return status;
}

static wd_status try_write(failure_attempt *attempt)
{
    return write_as(attempt, WD_JSON_COMPACT);
}

static wd_status try_write_sorted(failure_attempt *attempt)
{
    return write_as(attempt, WD_JSON_CANONICAL);
}

static wd_status try_write_pretty(failure_attempt *attempt)
{
    return write_as(attempt, WD_JSON_PRETTY);
}

static wd_status try_pack(failure_attempt *attempt)
{
    wd_value *value = NULL;
    wd_value *taken = wd_value_ref(attempt->base);
    wd_status status = wd_value_pack(
        &value, "{s:s,s:[d,V,v],s:{s:i}}", "a", "text", "b", 0.1, taken, attempt->base, "c", "d", INT64_MAX);
    wd_value_unref(&value);
    return status;
}

static wd_status try_format(failure_attempt *attempt)
{
    wd_value *value = NULL;
    (void)attempt;
    wd_status status = wd_value_format(&value, "%0100d", 7);
    wd_value_unref(&value);
    return status;
}

static wd_status try_freeze(failure_attempt *attempt)
{
    wd_value *frozen = NULL;
    wd_status status = wd_value_freeze(attempt->base, &frozen);
    assert_true((status == WD_OK) == (frozen != NULL));
    wd_value_unref(&frozen);
    return status;
}

static wd_status try_delta(failure_attempt *attempt)
{
    wd_value *delta = NULL, *inverse = NULL, *there = NULL;
    wd_status status = wd_delta_make(attempt->base, attempt->other, &delta);
    status = status == WD_OK ? wd_delta_invert(delta, &inverse, NULL) : status;
    status = status == WD_OK ? wd_delta_apply(attempt->base, delta, &there, NULL) : status;
    assert_true((status == WD_OK) == (there != NULL));
    wd_value_unref(&delta);
    wd_value_unref(&inverse);
    wd_value_unref(&there);
    return status;
}

static wd_status try_merge(failure_attempt *attempt)
{
    wd_value *merged = NULL;
    wd_status status = wd_patch_merge(attempt->base, attempt->patch, WD_PATCH_DEEP, &merged, NULL);
    assert_true((status == WD_OK) == (merged != NULL));
    wd_value_unref(&merged);
    return status;
}

static wd_status try_merge_shallow(failure_attempt *attempt)
{
    wd_value *merged = NULL;
    wd_status status = wd_patch_merge(attempt->base, attempt->patch, WD_PATCH_SHALLOW, &merged, NULL);
    wd_value_unref(&merged);
    return status;
}

static const struct failure_case {
    const char *name;
    attempt_function *function;
} failure_cases[] = {
    { "object set", try_set },
    { "object remove", try_remove },
    { "table add", try_table_add },
    { "table set", try_table_set },
    { "table remove", try_table_remove },
    { "table take", try_table_take },
    { "array append", try_append },
    { "array insert", try_insert },
    { "array set", try_element },
    { "array remove", try_cut },
    { "path set", try_path_set },
    { "path set of what is missing", try_path_create },
    { "path remove", try_path_remove },
    { "path write", try_path_write },
    { "parse", try_parse },
    { "write compact", try_write },
    { "write canonical", try_write_sorted },
    { "write pretty", try_write_pretty },
    { "pack", try_pack },
    { "format", try_format },
    { "freeze", try_freeze },
    { "delta make, invert, apply", try_delta },
    { "merge deep", try_merge },
    { "merge shallow", try_merge_shallow },
};

static failure_attempt shared_attempt;

// Fail the first allocation, then the second, and so on, until the function has all it wants.
static void every_allocation_fails_once(void **state)
{
    const struct failure_case *row = *state;
    uint64_t live = wd_alloc_stats_get().bytes_live, shared = wd_alloc_shared_bytes_live();
    char *text = text_of(shared_attempt.base);
    bool done = false;
    for (long calls = 0; !done; calls++) {
        assert_in_range(calls, 0, 5000);
        failure_attempt attempt = shared_attempt;
        attempt.value = wd_value_ref(attempt.base);
        wd_alloc_fail_after(calls);
        wd_status status = row->function(&attempt);
        wd_alloc_fail_after(-1);
        assert_true(status == WD_OK || status == WD_ENOMEM);
        done = status == WD_OK;
        if (!done) {
            assert_true(wd_value_equal(attempt.value, attempt.base));
        }
        wd_value_unref(&attempt.value);
        assert_int_equal(wd_alloc_stats_get().bytes_live, live);
        assert_int_equal(wd_alloc_shared_bytes_live(), shared);
    }
    assert_json(shared_attempt.base, text);
    free(text);
}

int main(void)
{
    wd_value *base = big_value(), *other = NULL;
    wd_value *patch =
        json_of("{\"list[id=e5]\":{\"n\":null,\"m\":{\"x[]\":1}},\"list[id=e6]\":null,\"list[]\":[1,2],"
                "\"table\":{\"k1\":{\"$unset\":true},\"k2\":5,\"new\":[{\"u\":{\"$undefined\":true}}]},"
                "\"small\":{\"a\":{\"b\":{\"c\":1}}}}");
    if (wd_patch_merge(base, patch, WD_PATCH_DEEP, &other, NULL) != WD_OK ||
        wd_path_parse("small.a.b[1]", 12, &shared_attempt.path, NULL) != WD_OK) {
        return EXIT_FAILURE;
    }
    shared_attempt.base = base;
    shared_attempt.other = other;
    shared_attempt.patch = patch;
    struct CMUnitTest tests[WD_COUNT_OF(failure_cases)];
    for (size_t i = 0; i < WD_COUNT_OF(failure_cases); i++) {
        tests[i] = (struct CMUnitTest){ .name = failure_cases[i].name,
            .test_func = every_allocation_fails_once,
            .initial_state = (void *)(uintptr_t)&failure_cases[i] };
    }
    int failed = cmocka_run_group_tests_name("failure", tests, NULL, NULL);
    wd_path_destroy(&shared_attempt.path);
    wd_value_unref(&patch);
    wd_value_unref(&other);
    wd_value_unref(&base);
    return failed;
}
