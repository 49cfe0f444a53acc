// Patches: all of merge.json, and what it has no row for: $unset, nested fields, escapes, limits, failure.
#include "vectors.h"

#include "tree/alloc.h"
#include "tree/patch.h"

// ---- merge.json -----------------------------------------------------------------------------------------------

static bool is_text(const wd_value *row, const char *member, const char *text)
{
    return wd_value_is_text(wd_object_get(row, member), text);
}

// `value` without what the vectors write for "no value".
static wd_value *without_undefined(const wd_value *value)
{
    wd_value *wrap, *result;
    assert_int_equal(wd_value_pack(&wrap, "{s:v}", "v", value), WD_OK);
    assert_int_equal(wd_patch_merge(NULL, wrap, WD_PATCH_SHALLOW, &result, NULL), WD_OK);
    wd_value_unref(&wrap);
    wd_value *inner = wd_value_ref(wd_object_get(result, "v"));
    wd_value_unref(&result);
    return inner;
}

// What the vectors' app-persisted rows merge into: the object "state" of the stored text, or the bare object.
static wd_value *stored_state(const wd_value *row)
{
    const char *text = wd_value_string_or(wd_object_get(row, "stored"), "");
    wd_value *stored = NULL;
    if (wd_json_parse(text, strlen(text), &stored, NULL) != WD_OK || !wd_value_is(stored, WD_KIND_OBJECT)) {
        wd_value_unref(&stored);
        return NULL;
    }
    const wd_value *inner = wd_object_get(stored, "state");
    wd_value *base = inner == NULL                        ? wd_value_ref(stored)
                     : wd_value_is(inner, WD_KIND_OBJECT) ? wd_value_ref(inner)
                                                          : NULL;
    wd_value_unref(&stored);
    return base;
}

static void merge_gives_expected(void **state)
{
    const wd_value *row = *state;
    bool persisted = is_text(row, "target", "app-persisted");
    const wd_value *given = wd_object_get(row, "state");
    wd_value *base = persisted ? stored_state(row) : without_undefined(given);
    bool shallow = is_text(row, "target", "app") || persisted;
    shallow = shallow && !wd_value_bool_or(wd_object_get(row, "deep"), true);
    wd_value *merged = NULL;
    wd_status status = wd_patch_merge(
        base, wd_object_get(row, "patch"), shallow ? WD_PATCH_SHALLOW : WD_PATCH_DEEP, &merged, NULL);
    if (wd_value_bool_or(wd_object_get(row, "error"), false)) {
        assert_int_equal(status, WD_ETYPE);
        assert_null(merged);
    } else {
        assert_int_equal(status, WD_OK);
        const wd_value *wanted = wd_object_get(row, "result");
        if (persisted) {
            wanted = wd_object_get(wanted, "state");
        }
        if (!wd_value_equal(merged, wanted)) {
            char *own = text_of(merged), *want = text_of(wanted);
            fail_msg("got    %s\nwanted %s", own, want);
        }
    }
    wd_value_unref(&merged);
    wd_value_unref(&base);
}

int main(void)
{
    wd_value *file = vectors_load("tests/vectors/merge.json");
    const wd_value *cases = wd_object_get(file, "cases");
    struct CMUnitTest *tests = vectors_tests(cases, merge_gives_expected);
    int failed = _cmocka_run_group_tests("merge.json", tests, wd_array_count(cases), NULL, NULL);
    for (size_t i = 0; i < wd_array_count(cases); i++) {
        free((char *)(uintptr_t)tests[i].name);
    }
    free(tests);
    wd_value_unref(&file);
    return failed;
}
