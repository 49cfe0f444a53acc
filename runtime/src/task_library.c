#include "runtime/task_library.h"

#include "runtime/file.h"
#include "tree/alloc.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

enum { PATH_SIZE = 2048, ID_MAX = 200 };

/// Append "suite/name" for a file "name.json" when it matches.
static wd_status add_id(wd_value **ids_p, const char *suite, const char *file, const char *glob)
{
    size_t length = strlen(file);
    wd_value *id = NULL;
    if (length <= 5 || strcmp(file + length - 5, ".json") != 0) {
        return WD_OK;
    }
    wd_status status = wd_value_format(&id, "%s/%.*s", suite, (int)(length - 5), file);
    if (status == WD_OK && (glob == NULL || fnmatch(glob, wd_value_as_string(id, NULL), 0) == 0)) {
        status = wd_array_append(ids_p, &id);
    }
    wd_value_unref(&id);
    return status;
}

wd_status wd_task_library_list(const char *directory, const char *glob, wd_value **ret_ids, wd_error *error)
{
    wd_value *suites = NULL, *ids = wd_value_array();
    wd_status status = wd_file_list(directory, &suites, error);
    wd_iter suite = wd_iter_start(suites);
    while (status == WD_OK && wd_iter_next(&suite)) {
        char path[PATH_SIZE];
        wd_value *files = NULL;
        const char *name = wd_value_as_string(suite.value, NULL);
        snprintf(path, sizeof path, "%s/%s", directory, name);
        if (wd_file_list(path, &files, NULL) != WD_OK) {
            continue;  // a file beside the suites
        }
        wd_iter file = wd_iter_start(files);
        while (status == WD_OK && wd_iter_next(&file)) {
            status = add_id(&ids, name, wd_value_as_string(file.value, NULL), glob);
        }
        wd_value_unref(&files);
    }
    wd_value_unref(&suites);
    if (status != WD_OK) {
        wd_value_unref(&ids);
        return status;
    }
    *ret_ids = ids;
    return WD_OK;
}

/// Add the script beside the file, when there is one and the document has none.
static wd_status add_script(const char *path, wd_value **document_p, wd_error *error)
{
    char beside[PATH_SIZE];
    char *bytes = NULL;
    size_t length = strlen(path);
    if (length <= 5 || length >= sizeof beside || strcmp(path + length - 5, ".json") != 0 ||
        !wd_value_is(*document_p, WD_KIND_OBJECT) || wd_object_get(*document_p, "lua") != NULL) {
        return WD_OK;
    }
    snprintf(beside, sizeof beside, "%.*s.lua", (int)(length - 5), path);
    wd_value *script = NULL;
    wd_status status = wd_file_read(beside, &bytes, &length, error);
    if (status == WD_ENOENT) {
        return WD_OK;
    }
    if (status == WD_OK) {
        status = wd_value_string(bytes, length, &script);
        status = status == WD_OK ? wd_object_set(document_p, "lua", &script)
                                 : wd_error_set(error, status, "%s: %s", beside, wd_status_text(status));
        wd_free(bytes, length + 1);
    }
    wd_value_unref(&script);
    return status;
}

wd_status wd_task_file_read(const char *path, wd_value **ret_document, wd_error *error)
{
    wd_value *document = NULL;
    wd_status status = wd_file_read_json(path, &document, error);
    status = status == WD_OK ? add_script(path, &document, error) : status;
    if (status != WD_OK) {
        wd_value_unref(&document);
        return status;
    }
    *ret_document = document;
    return WD_OK;
}

wd_status wd_task_library_read(
    const char *directory, const char *id, wd_value **ret_document, wd_error *error)
{
    char path[PATH_SIZE];
    if (strstr(id, "..") != NULL || id[0] == '/' || strlen(id) > ID_MAX) {
        return wd_error_set(error, WD_EINVAL, "\"%.40s\" is no task id", id);
    }
    snprintf(path, sizeof path, "%s/%s.json", directory, id);
    wd_value *document = NULL;
    wd_status status = wd_task_file_read(path, &document, error);
    if (status == WD_ENOENT) {
        return wd_error_set(error, WD_ENOENT, "there is no task \"%s\"", id);
    }
    if (status == WD_OK && !wd_value_is_text(wd_object_get(document, "id"), id)) {
        status = wd_error_set(error, WD_EINVAL, "%s: its id must be \"%s\"", path, id);
    }
    if (status != WD_OK) {
        wd_value_unref(&document);
        return status;
    }
    *ret_document = document;
    return WD_OK;
}
