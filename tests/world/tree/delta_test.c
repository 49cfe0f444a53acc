// Deltas: apply(before, delta) = after, exactly, and back.
#include "json.h"

#include "tree/alloc.h"
#include "tree/delta.h"

static const struct delta_case {
    const char *name, *before, *after;
} delta_cases[] = {
    { "nothing changed", "{\"a\":1}", "{\"a\":1}" },
    { "root replaced", "{\"a\":1}", "[1]" },
    { "leaf replaced", "{\"a\":{\"b\":1,\"c\":2}}", "{\"a\":{\"b\":3,\"c\":2}}" },
    { "int to equal double", "{\"a\":1}", "{\"a\":1.0}" },
    { "zero to minus zero", "{\"a\":0.0}", "{\"a\":-0.0}" },
    { "absent to null", "{}", "{\"a\":null}" },
    { "member removed in the middle", "{\"a\":1,\"b\":2,\"c\":3}", "{\"a\":1,\"c\":3}" },
    { "members swapped", "{\"a\":1,\"b\":2,\"c\":3}", "{\"c\":3,\"b\":2,\"a\":4}" },
    { "moved and added and removed", "{\"a\":1,\"b\":2,\"c\":3}", "{\"x\":1,\"c\":3,\"a\":1,\"y\":{}}" },
    { "key moved to the end", "{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}" },
    { "element inserted in front", "[1,2,3]", "[0,1,2,3]" },
    { "elements removed and changed", "[{\"i\":1},2,3,4]", "[{\"i\":2},3,4]" },
    { "array emptied", "[1,2]", "[]" },
    { "one removed, others changed", "[{\"i\":1},{\"i\":2},{\"i\":3},{\"i\":4},{\"i\":5}]",
        "[{\"i\":1},{\"i\":9},{\"i\":4},{\"i\":7},{\"i\":5}]" },
    { "several places", "{\"a\":[{\"b\":{\"c\":1,\"d\":2}}],\"e\":[1]}",
        "{\"a\":[{\"b\":{\"c\":2,\"d\":3}}],\"e\":[]}" },
};

static void assert_leads(const wd_value *from, const wd_value *delta, const char *to)
{
    wd_value *result = NULL;
    wd_error error = { .text = "" };
    if (wd_delta_apply(from, delta, &result, &error) != WD_OK) {
        fail_msg("%s", error.text);
    }
    assert_json(result, to);
    wd_value_unref(&result);
}

static void applies_and_inverts(void **state)
{
    const struct delta_case *row = *state;
    wd_value *before = json_of(row->before), *after = json_of(row->after), *delta, *inverse;
    assert_int_equal(wd_delta_make(before, after, &delta), WD_OK);
    assert_int_equal(wd_delta_is_empty(delta), strcmp(row->before, row->after) == 0);
    assert_leads(before, delta, row->after);
    assert_int_equal(wd_delta_invert(delta, &inverse, NULL), WD_OK);
    assert_leads(after, inverse, row->before);
    wd_value_unref(&before);
    wd_value_unref(&after);
    wd_value_unref(&delta);
    wd_value_unref(&inverse);
    assert_int_equal(wd_alloc_stats_get().bytes_live, 0);
}

int main(void)
{
    struct CMUnitTest tests[WD_COUNT_OF(delta_cases)];
    for (size_t i = 0; i < WD_COUNT_OF(delta_cases); i++) {
        tests[i] = (struct CMUnitTest){ .name = delta_cases[i].name,
            .test_func = applies_and_inverts,
            .initial_state = (void *)(uintptr_t)&delta_cases[i] };
    }
    return cmocka_run_group_tests_name("delta", tests, NULL, NULL);
}
