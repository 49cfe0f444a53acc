/// pack_memory.h - a pack made of texts, for tests that want a strange one. Files not given are those of a small, sound
/// pack called "demo".
#ifndef TEST_PACK_MEMORY_H
#define TEST_PACK_MEMORY_H

#include "sim/phone.h"
#include "tree/alloc.h"

#include <string.h>

enum { PACK_MEMORY_FILES_MAX = 12 };

typedef struct pack_memory_file {
    const char *path;  // "packs/demo/app.lua"
    const char *text;  // NULL: the file is missing
} pack_memory_file;

static const pack_memory_file pack_memory_sound[] = {
    { "packs/demo/manifest.json",
        "{\"id\":\"demo\",\"packageName\":\"org.example.demo\",\"name\":{\"en\":\"Demo\",\"zh\":\"演示\"},"
        "\"aliases\":[],\"type\":\"third-party\",\"version\":\"1.0\",\"versionCode\":1,\"permissions\":[],"
        "\"intentFilters\":[]}" },
    { "packs/demo/defaults.json", "{\"n\":0}" },
    { "packs/demo/strings.json", "{\"en\":{\"hello\":\"Hello\"},\"zh\":{\"hello\":\"你好\"}}" },
    { "packs/demo/app.lua",
        "screens['/'] = function(ctx) return screen{ page = 'main', label{ id = 'n', ctx.state.n } } end" },
};

/// Looked through before the sound files.
static inline const char *pack_memory_find(const pack_memory_file *files, const char *path, bool *ret_known)
{
    *ret_known = true;
    for (size_t i = 0; files != NULL && files[i].path != NULL; i++) {
        if (strcmp(files[i].path, path) == 0) {
            return files[i].text;
        }
    }
    for (size_t i = 0; i < WD_COUNT_OF(pack_memory_sound); i++) {
        if (strcmp(pack_memory_sound[i].path, path) == 0) {
            return pack_memory_sound[i].text;
        }
    }
    *ret_known = false;
    return NULL;
}

static inline wd_status pack_memory_list(void *context, const char *directory, wd_value **ret_names)
{
    const pack_memory_file *files = context;
    if (strcmp(directory, "packs") == 0) {
        return wd_value_pack(ret_names, "[s]", "demo");
    }
    wd_value *names = wd_value_array();
    const size_t length = strlen(directory);
    wd_status status = WD_OK;
    for (size_t i = 0; files != NULL && files[i].path != NULL && status == WD_OK; i++) {
        if (strncmp(files[i].path, directory, length) == 0 && files[i].path[length] == '/') {
            wd_value *name = NULL;
            status = wd_value_text(files[i].path + length + 1, &name);
            status = status != WD_OK ? status : wd_array_append(&names, &name);
        }
    }
    if (status != WD_OK || wd_array_count(names) == 0) {
        wd_value_unref(&names);
        return status != WD_OK ? status : WD_ENOENT;
    }
    *ret_names = names;
    return WD_OK;
}

static inline wd_status pack_memory_read(
    void *context, const char *path, char **ret_bytes, size_t *ret_length)
{
    bool known = false;
    const char *text = pack_memory_find(context, path, &known);
    if (text == NULL) {
        return WD_ENOENT;
    }
    *ret_length = strlen(text);
    *ret_bytes = wd_strndup(text, *ret_length);
    return *ret_bytes != NULL ? WD_OK : WD_ENOMEM;
}

/// `files` ends with a NULL path and must outlive the source; NULL: the sound pack as it is.
static inline wd_pack_source pack_memory_source(const pack_memory_file *files)
{
    union {
        const void *given;
        void *context;
    } pointer = { .given = files };
    return (wd_pack_source){ .context = pointer.context, .list = pack_memory_list, .read = pack_memory_read };
}

#endif
