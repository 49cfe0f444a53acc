#include "runtime/file_tree.h"

#include "runtime/file.h"
#include "tree/text.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

static wd_status add_name(wd_file_tree *tree, const char *name, wd_error *error)
{
    size_t count = tree->source.count;
    if (count == WD_RECORDING_FILES_MAX) {
        return wd_error_set(error, WD_ELIMIT, "%s: over %d files", tree->root, WD_RECORDING_FILES_MAX);
    }
    if (count == tree->capacity) {
        size_t capacity = tree->capacity == 0 ? 64 : tree->capacity * 2;
        char **names = wd_realloc(tree->names, tree->capacity * sizeof *names, capacity * sizeof *names);
        if (names == NULL) {
            return wd_error_set(error, WD_ENOMEM, "%s: out of memory", tree->root);
        }
        tree->names = names;
        tree->capacity = capacity;
    }
    if (!wd_text_copy(name, &tree->names[count])) {
        return wd_error_set(error, WD_ENOMEM, "%s: out of memory", tree->root);
    }
    tree->source.count += 1;
    return WD_OK;
}

/// All files below `folder` ("" or "a/b/"). Bounded by WD_FILE_TREE_DEPTH_MAX, so links in circles end.
static wd_status add_folder(wd_file_tree *tree, const char *folder, int depth, wd_error *error)
{
    wd_buffer path = { 0 };
    wd_value *names = NULL;
    wd_status status = wd_buffer_format(&path, "%s/%s", tree->root, folder);
    if (status == WD_OK && depth > WD_FILE_TREE_DEPTH_MAX) {
        status =
            wd_error_set(error, WD_ELIMIT, "%s: over %d folders deep", path.bytes, WD_FILE_TREE_DEPTH_MAX);
    }
    status = status == WD_OK ? wd_file_list(path.bytes, &names, error) : status;
    for (size_t i = 0; status == WD_OK && i < wd_array_count(names); i++) {
        const char *name = wd_value_as_string(wd_array_at(names, i), NULL);
        struct stat info;
        wd_buffer full = { 0 }, below = { 0 };
        status = wd_buffer_format(&full, "%s%s", path.bytes, name);
        status = status == WD_OK ? wd_buffer_format(&below, "%s%s", folder, name) : status;
        if (status == WD_OK && stat(full.bytes, &info) == 0 && S_ISDIR(info.st_mode)) {
            status = wd_buffer_text(&below, "/");
            status = status == WD_OK ? add_folder(tree, below.bytes, depth + 1, error) : status;
        } else if (status == WD_OK) {
            status = add_name(tree, below.bytes, error);
        }
        wd_buffer_done(&full);
        wd_buffer_done(&below);
    }
    wd_value_unref(&names);
    wd_buffer_done(&path);
    return status;
}

static wd_status read_below(void *context, const char *name, wd_buffer *buffer, wd_error *error)
{
    const wd_file_tree *tree = context;
    wd_buffer path = { 0 };
    char *bytes = NULL;
    size_t length = 0;
    wd_status status = wd_buffer_format(&path, "%s/%s", tree->root, name);
    status = status == WD_OK ? wd_file_read(path.bytes, &bytes, &length, error) : status;
    if (status == WD_OK && length > WD_RECORDING_FILE_MAX) {
        status = wd_error_set(error, WD_ELIMIT, "%s: over %d bytes", path.bytes, WD_RECORDING_FILE_MAX);
    }
    status = status == WD_OK ? wd_buffer_append(buffer, bytes, length) : status;
    wd_free(bytes, bytes == NULL ? 0 : length + 1);
    wd_buffer_done(&path);
    return status;
}

wd_status wd_file_tree_open(const char *path, wd_file_tree *ret_tree, wd_error *error)
{
    struct stat info;
    if (stat(path, &info) != 0) {
        return wd_error_set(error, errno == ENOENT ? WD_ENOENT : WD_EIO, "%s: %s", path, strerror(errno));
    }
    wd_file_tree *tree = ret_tree;
    *tree = (wd_file_tree){ 0 };
    const char *slash = strrchr(path, '/');
    wd_status status;
    if (S_ISDIR(info.st_mode)) {
        status = wd_text_copy(path, &tree->root) ? add_folder(tree, "", 0, error) : WD_ENOMEM;
    } else {
        tree->root = slash == NULL ? wd_strndup(".", 1) : wd_strndup(path, (size_t)(slash - path));
        status = tree->root == NULL ? WD_ENOMEM : add_name(tree, slash == NULL ? path : slash + 1, error);
    }
    if (status != WD_OK) {
        wd_file_tree_close(tree);
        return status;
    }
    tree->source.context = tree;
    tree->source.names = (const char *const *)tree->names;
    tree->source.read = read_below;
    return WD_OK;
}

void wd_file_tree_close(wd_file_tree *tree)
{
    for (size_t i = 0; i < tree->source.count; i++) {
        wd_text_free(&tree->names[i]);
    }
    wd_free(tree->names, tree->capacity * sizeof *tree->names);
    wd_text_free(&tree->root);
    *tree = (wd_file_tree){ 0 };
}
