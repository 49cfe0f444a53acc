// The golden cases, each a test under its own name; and the reference data where it is present.
#include "judge/conform.h"

#include "vectors.h"

typedef struct row {
    wd_conform_case one;
    char name[160];
} row;

typedef struct rows {
    row *items;
    size_t count, capacity;
} rows;

static wd_status collect(void *context, const wd_conform_case *one)
{
    rows *all = context;
    if (all->count == all->capacity) {
        all->capacity = all->capacity == 0 ? 256 : all->capacity * 2;
        all->items = realloc(all->items, all->capacity * sizeof *all->items);
        assert_non_null(all->items);
    }
    row *next = &all->items[all->count++];
    next->one = *one;
    wd_conform_case_name(one, next->name, sizeof next->name);
    return WD_OK;
}

static void case_holds(void **state)
{
    const row *one = *state;
    wd_conform_result result = { 0 };
    wd_error error;
    if (wd_conform_replay(&one->one, &result, &error) != WD_OK) {
        fail_msg("%s: %s", one->name, error.text);
    }
    if (!result.holds) {
        char *wanted = result.wanted != NULL ? text_of(result.wanted) : strdup("nothing");
        char *got = result.got != NULL ? text_of(result.got) : strdup("nothing");
        print_error(
            "%s differs at %s\n wanted %.2000s\n got    %.2000s\n", one->name, result.path, wanted, got);
        free(wanted);
        free(got);
    }
    bool holds = result.holds;
    wd_conform_result_done(&result);
    assert_true(holds);
}

/// One group per file: returns how many of its cases fail. `file` is taken.
static int run_file(const char *kind, wd_value *file)
{
    rows all = { 0 };
    wd_error error;
    if (wd_conform_cases(kind, file, collect, &all, &error) != WD_OK) {
        fprintf(stderr, "%s: %s\n", kind, error.text);
        wd_value_unref(&file);
        return 1;
    }
    struct CMUnitTest *tests = calloc(all.count, sizeof *tests);
    for (size_t i = 0; i < all.count; i++) {
        tests[i] = (struct CMUnitTest){
            .name = all.items[i].name, .test_func = case_holds, .initial_state = &all.items[i]
        };
    }
    int failed = _cmocka_run_group_tests(kind, tests, all.count, NULL, NULL);
    free(tests);
    free(all.items);
    wd_value_unref(&file);
    return failed;
}

static void refuses_other_files(void **state)
{
    (void)state;
    wd_value *file = json_of("{\"other\":[]}");
    size_t holds = 0, fails = 0;
    wd_error error;
    assert_int_equal(wd_judge_conform("poetry", file, NULL, NULL, &holds, &fails, &error), WD_ENOENT);
    assert_string_equal(error.text, "unknown kind of cases: poetry");
    assert_int_equal(wd_judge_conform("diff", file, NULL, NULL, &holds, &fails, &error), WD_ETYPE);
    wd_value_unref(&file);
}

static void count_failure(void *context, const wd_conform_case *one, const wd_conform_result *result)
{
    (void)one;
    assert_string_equal(result->path, "[0].after");
    *(size_t *)context += 1;
}

static void counts_and_shows_failures(void **state)
{
    (void)state;
    wd_value *file = json_of("{\"cases\":["
                             "{\"name\":\"right\",\"before\":{},\"after\":{},\"changes\":[]},"
                             "{\"name\":\"wrong\",\"before\":{\"a\":1},\"after\":{\"a\":2},"
                             "\"changes\":[{\"path\":\"a\",\"before\":1,\"after\":3}]}]}");
    size_t holds = 0, fails = 0, seen = 0;
    wd_error error;
    assert_int_equal(wd_judge_conform("diff", file, count_failure, &seen, &holds, &fails, &error), WD_OK);
    assert_int_equal(holds, 1);
    assert_int_equal(fails, 1);
    assert_int_equal(seen, 1);
    wd_value_unref(&file);
}

int main(void)
{
    static const char *const kinds[] = { "diff", "side_effects", "criteria", "answers", "metrics" };
    const struct CMUnitTest own[] = {
        cmocka_unit_test(refuses_other_files),
        cmocka_unit_test(counts_and_shows_failures),
    };
    int failed = cmocka_run_group_tests(own, NULL, NULL);
    for (size_t i = 0; i < WD_COUNT_OF(kinds); i++) {
        char path[64];
        snprintf(path, sizeof path, "tests/vectors/%s.json", kinds[i]);
        failed += run_file(kinds[i], vectors_load(path));
    }
    wd_value *real = vectors_load_shared("reference/diff-real.json");
    failed += real != NULL ? run_file("diff", real) : 0;
    wd_value *whole = vectors_load_shared("reference/tasks.json");
    failed += whole != NULL ? run_file("tasks", whole) : 0;
    return failed;
}
