/// screen_fixture.h - files and scenes for the tests of the readers.
#ifndef SCREEN_FIXTURE_H
#define SCREEN_FIXTURE_H

#include "semantic/screen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// The whole file, NUL-terminated; NULL when it is not there. Free with free().
static inline char *fixture_file(const char *folder, const char *name, size_t *ret_length)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return NULL;
    }
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *bytes = malloc((size_t)size + 1);
    size_t length = bytes != NULL ? fread(bytes, 1, (size_t)size, file) : 0;
    fclose(file);
    if (bytes != NULL) {
        bytes[length] = '\0';
        *ret_length = length;
    }
    return bytes;
}

/// ../shared beside the repository, or where WORLDD_SHARED says.
static inline const char *fixture_shared(void)
{
    static char folder[2048];
    const char *given = getenv("WORLDD_SHARED");
    snprintf(folder, sizeof folder, "%s", given != NULL ? given : WD_SOURCE_DIR "/../shared");
    return folder;
}

#endif
