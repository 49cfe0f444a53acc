/// file_source.h - a file or a folder on disk as the source of a recording, for tests.
#ifndef SUPPORT_FILE_SOURCE_H
#define SUPPORT_FILE_SOURCE_H

#include "semantic/episode.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FILE_SOURCE_NAMES_MAX = 4096, FILE_SOURCE_PATH_MAX = 1024 };

typedef struct file_source {
    char root[FILE_SOURCE_PATH_MAX];  // "" or a folder with its '/'
    char *names[FILE_SOURCE_NAMES_MAX];
    wd_file_source source;
} file_source;

static inline wd_status file_source_read(void *context, const char *name, wd_buffer *buffer, wd_error *error)
{
    const file_source *files = context;
    char path[2 * FILE_SOURCE_PATH_MAX];
    char bytes[16384];
    (void)snprintf(path, sizeof path, "%s%s", files->root, name);
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return wd_error_set(error, WD_EIO, "%s cannot be opened", path);
    }
    wd_status status = WD_OK;
    size_t length;
    while (status == WD_OK && (length = fread(bytes, 1, sizeof bytes, file)) > 0) {
        status = wd_buffer_append(buffer, bytes, length);
    }
    (void)fclose(file);
    return status;
}

static inline void file_source_walk(file_source *files, const char *below)
{
    char path[2 * FILE_SOURCE_PATH_MAX];
    (void)snprintf(path, sizeof path, "%s%s", files->root, below);
    DIR *folder = opendir(path);
    struct dirent *entry;
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        char name[FILE_SOURCE_PATH_MAX];
        struct stat info;
        if (entry->d_name[0] == '.') {
            continue;
        }
        (void)snprintf(name, sizeof name, "%.500s%.500s", below, entry->d_name);
        (void)snprintf(path, sizeof path, "%s%s", files->root, name);
        if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
            (void)strncat(name, "/", sizeof name - strlen(name) - 1);
            file_source_walk(files, name);
        } else if (files->source.count < FILE_SOURCE_NAMES_MAX) {
            files->names[files->source.count++] = strdup(name);
        }
    }
    if (folder != NULL) {
        (void)closedir(folder);
    }
}

/// A folder with all below it, or one file. file_source_free() it.
static inline file_source *file_source_new(const char *path)
{
    file_source *files = calloc(1, sizeof *files);
    struct stat info;
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
        (void)snprintf(files->root, sizeof files->root, "%s/", path);
        file_source_walk(files, "");
    } else {
        const char *slash = strrchr(path, '/');
        size_t length = slash == NULL ? 0 : (size_t)(slash - path) + 1;
        (void)snprintf(files->root, sizeof files->root, "%.*s", (int)length, path);
        files->names[files->source.count++] = strdup(path + length);
    }
    files->source.context = files;
    files->source.names = (const char *const *)files->names;
    files->source.read = file_source_read;
    return files;
}

static inline void file_source_free(file_source *files)
{
    for (size_t i = 0; i < files->source.count; i++) {
        free(files->names[i]);
    }
    free(files);
}

#endif
