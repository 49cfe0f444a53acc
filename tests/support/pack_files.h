/// pack_files.h - packs read from the file system, for tests: sim/ itself does no I/O.
#ifndef TEST_PACK_FILES_H
#define TEST_PACK_FILES_H

#include "sim/phone.h"
#include "tree/alloc.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline int pack_files_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static inline int pack_files_order(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static inline wd_status pack_files_list(void *context, const char *directory, wd_value **ret_names)
{
    (void)context;
    struct dirent **entries = NULL;
    int count = scandir(directory, &entries, pack_files_visible, pack_files_order);
    if (count < 0) {
        return errno == ENOENT || errno == ENOTDIR ? WD_ENOENT : WD_EIO;
    }
    wd_value *names = wd_value_array();
    wd_status status = WD_OK;
    for (int i = 0; i < count; i++) {
        wd_value *name = NULL;
        status = status != WD_OK ? status : wd_value_text(entries[i]->d_name, &name);
        status = status != WD_OK ? status : wd_array_append(&names, &name);
        wd_value_unref(&name);
        free(entries[i]);
    }
    free(entries);
    if (status != WD_OK) {
        wd_value_unref(&names);
        return status;
    }
    *ret_names = names;
    return WD_OK;
}

static inline wd_status pack_files_read(void *context, const char *path, char **ret_bytes, size_t *ret_length)
{
    (void)context;
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return errno == ENOENT || errno == ENOTDIR ? WD_ENOENT : WD_EIO;
    }
    char *bytes = NULL;
    size_t length = 0;
    wd_status status = fseek(file, 0, SEEK_END) == 0 ? WD_OK : WD_EIO;
    if (status == WD_OK) {
        long size = ftell(file);
        rewind(file);
        length = size > 0 ? (size_t)size : 0;
        bytes = wd_alloc(length + 1);
        status = bytes == NULL ? WD_ENOMEM : fread(bytes, 1, length, file) == length ? WD_OK : WD_EIO;
    }
    (void)fclose(file);
    if (status != WD_OK) {
        wd_free(bytes, length + 1);
        return status;
    }
    bytes[length] = '\0';
    *ret_bytes = bytes;
    *ret_length = length;
    return WD_OK;
}

static inline wd_pack_source pack_files_source(void)
{
    return (wd_pack_source){ .list = pack_files_list, .read = pack_files_read };
}

#endif
