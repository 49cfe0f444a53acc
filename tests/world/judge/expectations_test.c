// Declared changes beyond their golden cases: wanted values, bad entries, memory.
#include "judge/expectations.h"

#include "json.h"
#include "tree/alloc.h"

static const struct excuse_case {
    const char *name, *expected, *before, *after, *unexpected;
} excuse_cases[] = {
    { "to: the wanted value is excused", "[{\"path\":\"s.volume\",\"to\":40}]", "{\"s\":{\"volume\":10}}",
        "{\"s\":{\"volume\":40.0}}", "[]" },
    { "to: another value is not", "[{\"path\":\"s.volume\",\"to\":40}]", "{\"s\":{\"volume\":10}}",
        "{\"s\":{\"volume\":41}}", "[{\"path\":\"s.volume\",\"before\":10,\"after\":41}]" },
    { "to: operators judge the new value", "[{\"path\":\"v\",\"to\":{\"$gte\":1,\"$lt\":3}}]", "{\"v\":0}",
        "{\"v\":2}", "[]" },
    { "to: judges what stands at its own place, also for a change below",
        "[{\"path\":\"m\",\"to\":{\"$len\":2}}]", "{\"m\":{\"a\":1,\"b\":1}}", "{\"m\":{\"a\":2,\"b\":1}}",
        "[]" },
    { "to: null is met by a removal", "[{\"path\":\"m.a\",\"to\":null}]", "{\"m\":{\"a\":1}}", "{\"m\":{}}",
        "[]" },
    { "to: $exists false asks for a removal", "[{\"path\":\"m.a\",\"to\":{\"$exists\":false}}]",
        "{\"m\":{\"a\":1}}", "{\"m\":{\"a\":null}}", "[{\"path\":\"m.a\",\"before\":1,\"after\":null}]" },
    { "from: the old value must fit too", "[{\"path\":\"v\",\"from\":1,\"to\":2}]", "{\"v\":0}", "{\"v\":2}",
        "[{\"path\":\"v\",\"before\":0,\"after\":2}]" },
    { "a second entry may allow what the first does not",
        "[{\"path\":\"v\",\"to\":1},{\"path\":\"v\",\"to\":2}]", "{\"v\":0}", "{\"v\":2}", "[]" },
    { "to: in a new element excuses its identity", "[{\"path\":\"l[].on\",\"to\":true}]", "{\"l\":[]}",
        "{\"l\":[{\"id\":1,\"on\":true},{\"id\":2,\"on\":false}]}",
        "[{\"path\":\"l[id=2].id\",\"after\":2},{\"path\":\"l[id=2].on\",\"after\":false}]" },
    { "an expected leaf in an ignored place excuses the identity", "[\"l[].x.y\"]", "{\"l\":[],\"ig\":0}",
        "{\"l\":[{\"id\":1,\"x\":{\"y\":1}}],\"ig\":0}", "[]" },
};

static void excuses(void **state)
{
    const struct excuse_case *one = *state;
    wd_value *expected = json_of(one->expected);
    wd_value *ignored = json_of("[\"l[].x\"]");
    wd_value *before = json_of(one->before);
    wd_value *after = json_of(one->after);
    wd_expectations *set = NULL;
    wd_changes *changes = NULL;
    wd_value *list = NULL;
    wd_error error;
    assert_int_equal(wd_expectations_new(expected, ignored, WD_MALFORMED_REFUSED, &set, &error), WD_OK);
    assert_int_equal(wd_expectations_unexpected(set, before, after, &changes), WD_OK);
    assert_int_equal(wd_changes_to_value(changes, &list), WD_OK);
    assert_json(list, one->unexpected);
    wd_value_unref(&list);
    wd_changes_destroy(&changes);
    wd_expectations_destroy(&set);
    wd_value_unref(&expected);
    wd_value_unref(&ignored);
    wd_value_unref(&before);
    wd_value_unref(&after);
}

static const struct refusal_case {
    const char *name, *expected;
    wd_status status;
    const char *text;
} refusal_cases[] = {
    { "no list", "{}", WD_ETYPE, "expected_changes: expected an array" },
    { "no path", "[\"a\",{\"to\":1}]", WD_ETYPE,
        "expected_changes[1]: expected a path, or an object with \"path\"" },
    { "unknown member", "[{\"path\":\"a\",\"too\":1}]", WD_EINVAL,
        "expected_changes[0]: unknown member \"too\"" },
    { "unknown operator", "[{\"path\":\"a\",\"to\":{\"$near\":1}}]", WD_EINVAL,
        "expected_changes[0]: unknown operator $near" },
    { "operator with a wrong argument", "[{\"path\":\"a\",\"to\":{\"$in\":1}}]", WD_EINVAL,
        "expected_changes[0]: $in: expected an array" },
    { "quota with a wanted value", "[{\"path\":\"a[+1]\",\"to\":1}]", WD_EINVAL,
        "expected_changes[0]: a[+1]: a quota takes no \"to\" or \"from\"" },
    { "quota one past the limit", "[\"a[+1000001]\"]", WD_ELIMIT,
        "expected_changes[0]: a[+1000001]: more than 1000000 additions" },
    { "quota far past the limit", "[\"a[+99999999999999999999]\"]", WD_ELIMIT,
        "expected_changes[0]: a[+99999999999999999999]: more than 1000000 additions" },
};

static void is_refused(void **state)
{
    const struct refusal_case *one = *state;
    wd_value *expected = json_of(one->expected);
    wd_expectations *set = NULL;
    wd_error error;
    assert_int_equal(wd_expectations_new(expected, NULL, WD_MALFORMED_REFUSED, &set, &error), one->status);
    assert_string_equal(error.text, one->text);
    assert_null(set);
    wd_value_unref(&expected);
}

static void malformed_text_is_refused_or_covers_nothing(void **state)
{
    (void)state;
    wd_value *expected = json_of("[\"a[b\"]");
    wd_value *before = json_of("{\"a\":1}");
    wd_value *after = json_of("{\"a\":2}");
    wd_expectations *set = NULL;
    wd_changes *changes = NULL;
    wd_error error;
    assert_int_equal(wd_expectations_new(expected, NULL, WD_MALFORMED_REFUSED, &set, &error), WD_EPARSE);
    assert_non_null(strstr(error.text, "expected_changes[0]: a[b: "));
    assert_int_equal(wd_expectations_new(expected, NULL, WD_MALFORMED_COVERS_NOTHING, &set, NULL), WD_OK);
    assert_int_equal(wd_expectations_unexpected(set, before, after, &changes), WD_OK);
    assert_int_equal(wd_changes_count(changes), 1);
    wd_changes_destroy(&changes);
    wd_expectations_destroy(&set);
    wd_value_unref(&expected);
    wd_value_unref(&before);
    wd_value_unref(&after);
}

static void largest_quota_is_taken(void **state)
{
    (void)state;
    wd_value *expected = json_of("[\"a[+1000000]\"]");
    wd_expectations *set = NULL;
    assert_int_equal(wd_expectations_new(expected, NULL, WD_MALFORMED_REFUSED, &set, NULL), WD_OK);
    wd_expectations_destroy(&set);
    wd_value_unref(&expected);
}

static void every_allocation_fails_once(void **state)
{
    (void)state;
    wd_value *expected = json_of("[\"a[+1]\",\"a[+1]\",{\"path\":\"b.*\",\"to\":1},\"c[id=*].x\",\"d[+2]\"]");
    wd_value *before = json_of("{\"a\":[],\"b\":{\"x\":0},\"c\":[],\"e\":1}");
    wd_value *after = json_of("{\"a\":[{\"id\":1},{\"id\":2},{\"id\":3,\"v\":{\"w\":1}}],\"b\":{\"x\":2},"
                              "\"c\":[{\"id\":1,\"x\":1,\"y\":[1]}],\"d\":[1,1,1]}");
    wd_expectations *set = NULL;
    wd_changes *changes = NULL;
    uint64_t live = wd_alloc_stats_get().bytes_live;
    for (long calls = 0; set == NULL; calls++) {
        assert_in_range(calls, 0, 1000);
        wd_alloc_fail_after(calls);
        wd_status status = wd_expectations_new(expected, NULL, WD_MALFORMED_REFUSED, &set, NULL);
        wd_alloc_fail_after(-1);
        assert_int_equal(status, set == NULL ? WD_ENOMEM : WD_OK);
        assert_true(set != NULL || wd_alloc_stats_get().bytes_live == live);
    }
    live = wd_alloc_stats_get().bytes_live;
    for (long calls = 0; changes == NULL; calls++) {
        assert_in_range(calls, 0, 1000);
        wd_alloc_fail_after(calls);
        wd_status status = wd_expectations_unexpected(set, before, after, &changes);
        wd_alloc_fail_after(-1);
        assert_int_equal(status, changes == NULL ? WD_ENOMEM : WD_OK);
        assert_true(changes != NULL || wd_alloc_stats_get().bytes_live == live);
    }
    wd_changes_destroy(&changes);
    wd_expectations_destroy(&set);
    wd_value_unref(&expected);
    wd_value_unref(&before);
    wd_value_unref(&after);
}

int main(void)
{
    struct CMUnitTest tests[32] = {
        cmocka_unit_test(malformed_text_is_refused_or_covers_nothing),
        cmocka_unit_test(largest_quota_is_taken),
        cmocka_unit_test(every_allocation_fails_once),
    };
    size_t count = 3;
    for (size_t i = 0; i < WD_COUNT_OF(excuse_cases); i++) {
        tests[count++] = (struct CMUnitTest){ .name = excuse_cases[i].name,
            .test_func = excuses,
            .initial_state = (void *)(uintptr_t)&excuse_cases[i] };
    }
    for (size_t i = 0; i < WD_COUNT_OF(refusal_cases); i++) {
        tests[count++] = (struct CMUnitTest){ .name = refusal_cases[i].name,
            .test_func = is_refused,
            .initial_state = (void *)(uintptr_t)&refusal_cases[i] };
    }
    return _cmocka_run_group_tests("expectations", tests, count, NULL, NULL);
}
