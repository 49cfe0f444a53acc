/// conform_test.c - every sequence and case of the device vectors as a row of its own.
#include "vectors.h"

#include "sim/conform.h"

#include <unistd.h>

static const char *kind;
static const char *list;
static wd_value *file;

static void print_difference(void *context, const char *id, const char *difference)
{
    char *text = context;
    snprintf(text, 1024, "%s: %s", id, difference);
}

static void sequence_holds(void **state)
{
    wd_value *one = wd_value_ref(*state);
    wd_value *cases = wd_value_array();
    wd_value *copy = wd_value_ref(file);
    assert_int_equal(wd_array_append(&cases, &one), WD_OK);
    assert_int_equal(wd_object_set(&copy, list, &cases), WD_OK);
    char difference[1024] = "";
    wd_conform_counts counts = { 0 };
    wd_error error = { 0 };
    wd_status status = wd_device_conform(kind, copy, print_difference, difference, &counts, &error);
    wd_value_unref(&copy);
    if (status != WD_OK) {
        fail_msg("%s", error.text);
    }
    if (counts.hold != 1 || counts.fail != 0) {
        fail_msg("%s", difference);
    }
}

/// The kinds named on the command line, else all that have a file.
int main(int argc, char **argv)
{
    int failed = 0;
    size_t count = 0;
    const char *const *kinds = wd_device_conform_kinds(&count);
    for (size_t i = 0; i < count; i++) {
        if (argc > 1 && strcmp(argv[1], kinds[i]) != 0) {
            continue;
        }
        char path[256];
        snprintf(path, sizeof(path), "tests/vectors/%s.json", kinds[i]);
        kind = kinds[i];
        file = vectors_load(path);
        list = wd_object_get(file, "cases") != NULL ? "cases" : "sequences";
        const wd_value *cases = wd_object_get(file, list);
        struct CMUnitTest *tests = vectors_tests(cases, sequence_holds);
        failed += _cmocka_run_group_tests(kind, tests, wd_array_count(cases), NULL, NULL);
        for (size_t k = 0; k < wd_array_count(cases); k++) {
            free((void *)(uintptr_t)tests[k].name);
        }
        free(tests);
        wd_value_unref(&file);
    }
    return failed;
}
