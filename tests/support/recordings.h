/// recordings.h - other people's recordings, which stand beside the repository and are no part of it. Tests that use
/// them skip themselves with a note when they are not there.
#ifndef SUPPORT_RECORDINGS_H
#define SUPPORT_RECORDINGS_H

#include "json.h"

#include <stdbool.h>
#include <stdio.h>

static inline void recordings_path(const char *name, char ret_path[1024])
{
    const char *shared = getenv("WORLDD_SHARED");
    (void)snprintf(
        ret_path, 1024, "%s/recordings/%s", shared != NULL ? shared : WD_SOURCE_DIR "/../shared", name);
}

static inline bool recordings_present(void)
{
    char path[1024];
    recordings_path("EXPECTED.json", path);
    FILE *file = fopen(path, "rb");
    if (file != NULL) {
        (void)fclose(file);
    }
    return file != NULL;
}

/// A whole file, NUL-terminated; free() it. The test fails when it is not there.
static inline char *recording_bytes(const char *name, size_t *ret_length)
{
    char path[1024];
    recordings_path(name, path);
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fail_msg("%s: cannot be opened", path);
    }
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long size = ftell(file);
    rewind(file);
    char *bytes = malloc((size_t)size + 1);
    assert_non_null(bytes);
    *ret_length = fread(bytes, 1, (size_t)size, file);
    bytes[*ret_length] = '\0';
    (void)fclose(file);
    return bytes;
}

static inline wd_value *recording_json(const char *name)
{
    size_t length = 0;
    char *bytes = recording_bytes(name, &length);
    wd_value *value = json_of(bytes);
    free(bytes);
    return value;
}

#endif
