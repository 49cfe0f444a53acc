/// vectors.h - files of the repository and rows made of them, for tests.
#ifndef SUPPORT_VECTORS_H
#define SUPPORT_VECTORS_H

#include "json.h"

#include <stdio.h>

/// The JSON file `full`. A new reference; the program ends when it cannot be read.
static inline wd_value *vectors_load_file(const char *full)
{
    FILE *file = fopen(full, "rb");
    wd_buffer text = { 0 };
    wd_value *value = NULL;
    wd_error error = { .text = "cannot be read" };
    char part[65536];
    size_t length;
    while (file != NULL && (length = fread(part, 1, sizeof(part), file)) > 0) {
        if (wd_buffer_append(&text, part, length) != WD_OK) {
            break;
        }
    }
    if (file == NULL || wd_json_parse(text.bytes, text.length, &value, &error) != WD_OK) {
        fprintf(stderr, "%s: %s\n", full, error.text);
        exit(EXIT_FAILURE);
    }
    fclose(file);
    wd_buffer_done(&text);
    return value;
}

/// The JSON file at `path` below the repository's root.
static inline wd_value *vectors_load(const char *path)
{
    char full[1024];
    snprintf(full, sizeof(full), "%s/%s", WD_SOURCE_DIR, path);
    return vectors_load_file(full);
}

/// The JSON file at `path` of the shared data beside the repository (WORLDD_SHARED names another place), or NULL with
/// a note when it is not there.
static inline wd_value *vectors_load_shared(const char *path)
{
    const char *shared = getenv("WORLDD_SHARED");
    char full[1024];
    snprintf(full, sizeof(full), "%s/%s", shared != NULL ? shared : WD_SOURCE_DIR "/../shared", path);
    FILE *file = fopen(full, "rb");
    if (file == NULL) {
        printf("skipped: %s is not there\n", full);
        return NULL;
    }
    fclose(file);
    return vectors_load_file(full);
}

/// One test per element of `cases`, named by its "id" or "name" and "note"; each gets its case as state. The names
/// live until the program ends.
static inline struct CMUnitTest *vectors_tests(const wd_value *cases, CMUnitTestFunction function)
{
    struct CMUnitTest *tests = calloc(wd_array_count(cases), sizeof(*tests));
    wd_iter iter = wd_iter_start(cases);
    while (wd_iter_next(&iter)) {
        const wd_value *name = wd_object_get(iter.value, "id");
        name = name != NULL ? name : wd_object_get(iter.value, "name");
        char *text = malloc(256);
        snprintf(text, 256, "%s %s", wd_value_string_or(name, ""),
            wd_value_string_or(wd_object_get(iter.value, "note"), ""));
        tests[iter.index] = (struct CMUnitTest){
            .name = text, .test_func = function, .initial_state = (void *)(uintptr_t)iter.value
        };
    }
    return tests;
}

#endif
