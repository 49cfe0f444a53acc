// Shared storage (os.md 12): nodes sorted by path, as state shows them; contents are metadata, and a text
// where given.
#include "services.h"

#include <string.h>

enum { NODES_MAX = 1 << 20, PATH_MAX_BYTES = 4096 };

#define NODES WD_AT("os", "fileSystem", "nodes")

// ---- paths ------------------------------------------------------------------------------------------------

static char folded(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/// The order of the listing: letters without regard to case, then small before capital, byte by byte.
static int compare_paths(wd_slice a, wd_slice b)
{
    size_t shared = a.length < b.length ? a.length : b.length;
    for (size_t i = 0; i < shared; i++) {
        unsigned char x = (unsigned char)folded(a.bytes[i]), y = (unsigned char)folded(b.bytes[i]);
        if (x != y) {
            return x < y ? -1 : 1;
        }
    }
    if (a.length != b.length) {
        return a.length < b.length ? -1 : 1;
    }
    return -memcmp(a.bytes, b.bytes, shared);
}

static wd_slice path_of(const wd_value *node)
{
    wd_slice path = { "", 0 };
    const wd_value *text = wd_object_get(node, "path");
    if (wd_value_is(text, WD_KIND_STRING)) {
        path.bytes = wd_value_as_string(text, &path.length);
    }
    return path;
}

/// Where `path` stands, or where it belongs, among sorted nodes.
static size_t position(const wd_value *nodes, wd_slice path, bool *ret_found)
{
    size_t low = 0, high = wd_array_count(nodes);
    *ret_found = false;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare_paths(path_of(wd_array_at(nodes, middle)), path);
        if (order == 0) {
            *ret_found = true;
            return middle;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static const wd_value *find_in(const wd_value *nodes, wd_slice path)
{
    bool found = false;
    size_t at = position(nodes, path, &found);
    return found ? wd_array_at(nodes, at) : NULL;
}

const wd_value *wd_file_find(const wd_machine *machine, wd_slice path)
{
    return find_in(wd_machine_get(machine, NODES), path);
}

static wd_slice parent_of(wd_slice path)
{
    size_t length = path.length;
    while (length > 1 && path.bytes[length - 1] != '/') {
        length--;
    }
    return (wd_slice){ path.bytes, length > 1 ? length - 1 : 1 };
}

static wd_slice name_of(wd_slice path)
{
    wd_slice parent = parent_of(path);
    size_t start = parent.length == 1 ? 1 : parent.length + 1;
    return path.length == 1 ? path : (wd_slice){ path.bytes + start, path.length - start };
}

static bool is_below(wd_slice path, wd_slice folder)
{
    return folder.length == 1 || (path.length > folder.length && path.bytes[folder.length] == '/' &&
                                     memcmp(path.bytes, folder.bytes, folder.length) == 0);
}

/// An absolute path without empty, "." or ".." segments; a slash at the end is dropped.
static wd_status arg_path(const wd_value *args, const char *name, wd_slice *ret_path, wd_error *error)
{
    const char *text = NULL;
    wd_status status = wd_arg_text(args, name, &text, error);
    if (status != WD_OK) {
        return status;
    }
    wd_slice path = { text, strlen(text) };
    while (path.length > 1 && path.bytes[path.length - 1] == '/') {
        path.length--;
    }
    if (path.length == 0 || path.length > PATH_MAX_BYTES || path.bytes[0] != '/') {
        return wd_error_set(error, WD_EINVAL, "%s: an absolute path is needed", name);
    }
    for (size_t at = 1; at < path.length;) {
        const char *slash = memchr(path.bytes + at, '/', path.length - at);
        size_t end = slash != NULL ? (size_t)(slash - path.bytes) : path.length;
        wd_slice segment = { path.bytes + at, end - at };
        if (segment.length == 0 || wd_slice_is(segment, ".") || wd_slice_is(segment, "..")) {
            return wd_error_set(error, WD_EINVAL, "%s: empty, . and .. segments are not allowed", name);
        }
        at = end + 1;
    }
    *ret_path = path;
    return WD_OK;
}

// ---- nodes ------------------------------------------------------------------------------------------------

static bool is_folder(const wd_value *node)
{
    return wd_value_is_text(wd_object_get(node, "type"), "directory");
}

/// A node: where it is, what it is. `mime` NULL: none.
typedef struct node_spec {
    wd_slice path;
    const wd_value *id, *mime, *content;
    bool folder;
    int64_t size, time;
} node_spec;

static wd_status make_node(const wd_value *nodes, const node_spec *spec, wd_value **ret_node)
{
    wd_value *name = NULL, *path = NULL, *none = wd_value_null();
    const wd_value *parent = spec->path.length > 1 ? find_in(nodes, parent_of(spec->path)) : NULL;
    const char *storage =
        is_below(spec->path, (wd_slice){ "/sdcard", 7 }) || wd_slice_is(spec->path, "/sdcard") ? "external"
                                                                                               : "internal";
    wd_status status = wd_slice_value(name_of(spec->path), &name);
    if (status == WD_OK) {
        status = wd_slice_value(spec->path, &path);
    }
    if (status == WD_OK) {
        status = wd_value_pack(ret_node, "{s:v,s:v,s:s,s:v,s:v,s:i,s:?v,s:i,s:i,s:s,s:?v}", "id", spec->id,
            "name", name, "type", spec->folder ? "directory" : "file", "parentId",
            parent != NULL ? wd_object_get(parent, "id") : none, "path", path, "size", spec->size, "mimeType",
            spec->mime, "createdAt", spec->time, "modifiedAt", spec->time, "storage", storage, "content",
            spec->content);
    }
    wd_value_unref(&name);
    wd_value_unref(&path);
    wd_value_unref(&none);
    return status;
}

/// Insert a node, or replace the one at its path. Takes *node_p.
static wd_status put_node(wd_value **nodes_p, wd_value **node_p, wd_error *error)
{
    bool found = false;
    size_t at = position(*nodes_p, path_of(*node_p), &found);
    if (!found && wd_array_count(*nodes_p) >= NODES_MAX) {
        wd_value_unref(node_p);
        return wd_error_set(error, WD_ELIMIT, "path: the storage holds %d nodes already", NODES_MAX);
    }
    wd_status status = found ? wd_array_set(nodes_p, at, node_p) : wd_array_insert(nodes_p, at, node_p);
    wd_value_unref(node_p);
    return status;
}

static wd_status draw_node_id(wd_machine *machine, bool folder, wd_value **ret_id)
{
    int64_t number = 0;
    wd_status status = wd_machine_draw(machine, folder ? "dir" : "file", &number);
    return status == WD_OK ? wd_value_format(ret_id, "%s_%lld", folder ? "dir" : "file", (long long)number)
                           : status;
}

/// Make a folder and those above it that are missing. @retval WD_EEXIST a file is in the way.
static wd_status make_folders(wd_machine *machine, wd_slice path, wd_value **nodes_p, wd_error *error)
{
    wd_status status = WD_OK;
    for (size_t end = 1; status == WD_OK && end <= path.length; end++) {
        if (end < path.length && path.bytes[end] != '/') {
            continue;
        }
        node_spec spec = { .path = { path.bytes, end }, .folder = true, .time = wd_machine_now(machine) };
        const wd_value *present = find_in(*nodes_p, spec.path);
        if (present != NULL && !is_folder(present)) {
            return wd_error_set(error, WD_EEXIST, "path: a file is in the way");
        }
        if (present == NULL) {
            wd_value *id = NULL, *node = NULL;
            status = draw_node_id(machine, true, &id);
            spec.id = id;
            if (status == WD_OK) {
                status = make_node(*nodes_p, &spec, &node);
            }
            if (status == WD_OK) {
                status = put_node(nodes_p, &node, error);
            }
            wd_value_unref(&id);
        }
    }
    return status;
}

static wd_status put_all(wd_machine *machine, wd_status status, wd_value **nodes_p)
{
    if (status == WD_OK) {
        return wd_machine_put(machine, NODES, nodes_p);
    }
    wd_value_unref(nodes_p);
    return status;
}

static wd_value *nodes_now(const wd_machine *machine)
{
    const wd_value *nodes = wd_machine_get(machine, NODES);
    return nodes != NULL ? wd_value_ref(nodes) : wd_value_array();
}

// ---- boot -------------------------------------------------------------------------------------------------

/// "seed_" and the path with '_' for '/'; the root is "root".
static wd_status seed_id(wd_slice path, wd_value **ret_id)
{
    wd_buffer text = { 0 };
    if (path.length == 1) {
        return wd_value_text("root", ret_id);
    }
    wd_status status = wd_buffer_text(&text, "seed_");
    if (status == WD_OK) {
        status = wd_buffer_append(&text, path.bytes, path.length);
    }
    for (size_t i = 5; status == WD_OK && i < text.length; i++) {
        text.bytes[i] = text.bytes[i] == '/' ? '_' : text.bytes[i];
    }
    if (status == WD_OK) {
        status = wd_value_string(text.bytes, text.length, ret_id);
    }
    wd_buffer_done(&text);
    return status;
}

wd_status wd_file_system_boot(wd_machine *machine, const wd_value *seed, wd_error *error)
{
    wd_value *nodes = wd_value_array();
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(seed);
    while (status == WD_OK && wd_iter_next(&iter)) {
        wd_value *id = NULL, *node = NULL;
        node_spec spec = { .mime = wd_object_get(iter.value, "mimeType"),
            .time = wd_machine_now(machine),
            .size = wd_value_int_or(wd_object_get(iter.value, "size"), 0) };
        spec.folder = spec.mime == NULL;
        status = arg_path(iter.value, "path", &spec.path, error);
        if (status == WD_OK) {
            status = seed_id(spec.path, &id);
        }
        spec.id = id;
        if (status == WD_OK) {
            status = make_node(nodes, &spec, &node);
        }
        if (status == WD_OK) {
            status = put_node(&nodes, &node, error);
        }
        wd_value_unref(&id);
    }
    return put_all(machine, status, &nodes);
}

// ---- operations -------------------------------------------------------------------------------------------

static wd_status op_make_folder(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    wd_slice path = { 0 };
    wd_status status = arg_path(args, "path", &path, error);
    if (status != WD_OK) {
        return status;
    }
    wd_value *nodes = nodes_now(machine);
    return put_all(machine, make_folders(machine, path, &nodes, error), &nodes);
}

/// Write a file; overwriting keeps its id and when it was made.
static wd_status op_write(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    const wd_value *size = wd_object_get(args, "size");
    const char *mime = "application/octet-stream", *content = NULL;
    node_spec spec = { .time = wd_machine_now(machine) };
    wd_status status = arg_path(args, "path", &spec.path, error);
    if (status == WD_OK) {
        status = wd_arg_text_optional(args, "mimeType", &mime, error);
    }
    if (status == WD_OK) {
        status = wd_arg_text_optional(args, "content", &content, error);
    }
    if (status == WD_OK && spec.path.length == 1) {
        status = wd_error_set(error, WD_EINVAL, "path: the root is no file");
    }
    if (status != WD_OK) {
        return status;
    }
    spec.size = wd_value_int_or(size, content != NULL ? (int64_t)strlen(content) : 0);
    spec.content = wd_object_get(args, "content");
    wd_value *nodes = nodes_now(machine), *id = NULL, *type = NULL, *node = NULL;
    wd_value *before = wd_value_ref(find_in(nodes, spec.path));
    if (is_folder(before)) {
        status = wd_error_set(error, WD_EEXIST, "path: a folder is in the way");
    }
    if (status == WD_OK) {
        status = make_folders(machine, parent_of(spec.path), &nodes, error);
    }
    if (status == WD_OK && before != NULL) {
        id = wd_value_ref(wd_object_get(before, "id"));
    } else if (status == WD_OK) {
        status = draw_node_id(machine, false, &id);
    }
    if (status == WD_OK) {
        status = wd_value_text(mime, &type);
    }
    if (status == WD_OK) {
        spec.id = id;
        spec.mime = type;
        status = make_node(nodes, &spec, &node);
    }
    if (status == WD_OK && before != NULL) {
        status = wd_set_ref(&node, "createdAt", wd_object_get(before, "createdAt"));
    }
    if (status == WD_OK) {
        status = put_node(&nodes, &node, error);
    }
    wd_value_unref(&before);
    wd_value_unref(&id);
    wd_value_unref(&type);
    wd_value_unref(&node);
    return put_all(machine, status, &nodes);
}

/// Take out `path` and what is below it.
static wd_status remove_tree(wd_value **nodes_p, wd_slice path)
{
    wd_value *kept = wd_value_array();
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(*nodes_p);
    while (status == WD_OK && wd_iter_next(&iter)) {
        wd_slice own = path_of(iter.value);
        bool same = own.length == path.length && memcmp(own.bytes, path.bytes, own.length) == 0;
        if (!same && !is_below(own, path)) {
            status = wd_append_ref(&kept, iter.value);
        }
    }
    if (status == WD_OK) {
        wd_value_unref(nodes_p);
        *nodes_p = kept;
        return WD_OK;
    }
    wd_value_unref(&kept);
    return status;
}

static wd_status op_delete(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    wd_slice path = { 0 };
    wd_status status = arg_path(args, "path", &path, error);
    if (status == WD_OK && path.length == 1) {
        return wd_error_set(error, WD_EINVAL, "path: the root stays");
    }
    if (status == WD_OK && wd_file_find(machine, path) == NULL) {
        return wd_error_set(error, WD_ENOENT, "path: there is no such file or folder");
    }
    if (status != WD_OK) {
        return status;
    }
    wd_value *nodes = nodes_now(machine);
    return put_all(machine, remove_tree(&nodes, path), &nodes);
}

/// `from` and `to` of a move or copy: the source is there, the destination is free.
static wd_status arg_two_paths(
    wd_machine *machine, const wd_value *args, wd_slice *ret_from, wd_slice *ret_to, wd_error *error)
{
    wd_status status = arg_path(args, "from", ret_from, error);
    if (status == WD_OK) {
        status = arg_path(args, "to", ret_to, error);
    }
    if (status == WD_OK && (ret_from->length == 1 || wd_file_find(machine, *ret_from) == NULL)) {
        return wd_error_set(error, WD_ENOENT, "from: there is no such file or folder");
    }
    if (status == WD_OK && wd_file_find(machine, *ret_to) != NULL) {
        return wd_error_set(error, WD_EEXIST, "to: something is there already");
    }
    return status;
}

/// A node as it is at another path.
static wd_status relocate(const wd_value *nodes, const wd_value *node, wd_slice path, wd_value **ret_node)
{
    wd_value *copy = wd_value_ref(node), *text = NULL, *name = NULL;
    const wd_value *parent = find_in(nodes, parent_of(path));
    wd_status status = wd_slice_value(path, &text);
    if (status == WD_OK) {
        status = wd_slice_value(name_of(path), &name);
    }
    if (status == WD_OK) {
        status = wd_member_put(&copy, "path", &text);
    }
    if (status == WD_OK) {
        status = wd_member_put(&copy, "name", &name);
    }
    if (status == WD_OK && parent != NULL) {
        status = wd_set_ref(&copy, "parentId", wd_object_get(parent, "id"));
    }
    if (status == WD_OK) {
        *ret_node = copy;
        return WD_OK;
    }
    wd_value_unref(&copy);
    wd_value_unref(&text);
    wd_value_unref(&name);
    return status;
}

/// Put `node`, which was at or below `from`, where it is now below `to`.
static wd_status move_node(
    wd_value **nodes_p, const wd_value *node, wd_slice from, wd_slice to, wd_error *error)
{
    wd_slice own = path_of(node);
    wd_buffer path = { 0 };
    wd_value *moved = NULL;
    wd_status status = wd_buffer_append(&path, to.bytes, to.length);
    if (status == WD_OK) {
        status = wd_buffer_append(&path, own.bytes + from.length, own.length - from.length);
    }
    if (status == WD_OK) {
        status = relocate(*nodes_p, node, (wd_slice){ path.bytes, path.length }, &moved);
    }
    if (status == WD_OK) {
        status = put_node(nodes_p, &moved, error);
    }
    wd_buffer_done(&path);
    return status;
}

static wd_status op_move(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    wd_slice from = { 0 }, to = { 0 };
    wd_status status = arg_two_paths(machine, args, &from, &to, error);
    if (status == WD_OK && is_below(to, from)) {
        return wd_error_set(error, WD_EINVAL, "to: a folder cannot go into itself");
    }
    if (status != WD_OK) {
        return status;
    }
    wd_value *old = nodes_now(machine), *nodes = wd_value_ref(old);
    status = make_folders(machine, parent_of(to), &nodes, error);
    if (status == WD_OK) {
        status = remove_tree(&nodes, from);
    }
    wd_iter iter = wd_iter_start(old);  // sorted, so a folder comes before what is in it
    while (status == WD_OK && wd_iter_next(&iter)) {
        wd_slice own = path_of(iter.value);
        bool same = own.length == from.length && memcmp(own.bytes, from.bytes, own.length) == 0;
        if (same || is_below(own, from)) {
            status = move_node(&nodes, iter.value, from, to, error);
        }
    }
    wd_value_unref(&old);
    return put_all(machine, status, &nodes);
}

/// Files alone can be copied.
static wd_status op_copy(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    wd_slice from = { 0 }, to = { 0 };
    wd_status status = arg_two_paths(machine, args, &from, &to, error);
    if (status == WD_OK && is_folder(wd_file_find(machine, from))) {
        return wd_error_set(error, WD_EINVAL, "from: a folder cannot be copied");
    }
    if (status != WD_OK) {
        return status;
    }
    wd_value *nodes = nodes_now(machine), *id = NULL, *copy = NULL, *now = NULL;
    wd_value *source = wd_value_ref(wd_file_find(machine, from));
    status = make_folders(machine, parent_of(to), &nodes, error);
    if (status == WD_OK) {
        status = relocate(nodes, source, to, &copy);
    }
    if (status == WD_OK) {
        status = draw_node_id(machine, false, &id);
    }
    if (status == WD_OK) {
        status = wd_member_put(&copy, "id", &id);
    }
    if (status == WD_OK) {
        status = wd_value_int(wd_machine_now(machine), &now);
    }
    if (status == WD_OK) {
        status = wd_set_ref(&copy, "createdAt", now);
    }
    if (status == WD_OK) {
        status = wd_member_put(&copy, "modifiedAt", &now);
    }
    if (status == WD_OK) {
        status = put_node(&nodes, &copy, error);
    }
    wd_value_unref(&id);
    wd_value_unref(&copy);
    wd_value_unref(&now);
    wd_value_unref(&source);
    return put_all(machine, status, &nodes);
}

static wd_status op_stat(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    wd_slice path = { 0 };
    wd_status status = arg_path(args, "path", &path, error);
    const wd_value *node = status == WD_OK ? wd_file_find(machine, path) : NULL;
    *ret_answer = node != NULL ? wd_value_ref(node) : wd_value_null();
    return status;
}

/// What lies directly in a folder.
static wd_status op_list(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    wd_slice path = { 0 };
    wd_status status = arg_path(args, "path", &path, error);
    if (status == WD_OK && !is_folder(wd_file_find(machine, path))) {
        return wd_error_set(error, WD_ENOENT, "path: there is no such folder");
    }
    const wd_value *id = status == WD_OK ? wd_object_get(wd_file_find(machine, path), "id") : NULL;
    wd_value *list = wd_value_array();
    wd_iter iter = wd_iter_start(wd_machine_get(machine, NODES));
    while (status == WD_OK && wd_iter_next(&iter)) {
        if (wd_value_equal(wd_object_get(iter.value, "parentId"), id)) {
            status = wd_append_ref(&list, iter.value);
        }
    }
    return wd_give(status, &list, ret_answer);
}

const wd_op wd_ops_file_system[] = {
    { "fsList", op_list },
    { "fsStat", op_stat },
    { "fsMakeFolder", op_make_folder },
    { "fsWrite", op_write },
    { "fsMove", op_move },
    { "fsCopy", op_copy },
    { "fsDelete", op_delete },
    { NULL, NULL },
};

// ---- view -------------------------------------------------------------------------------------------------

/// Nodes as they are, thumbnails aside.
wd_status wd_view_file_system(const wd_machine *machine, wd_value **ret_view)
{
    wd_value *nodes = nodes_now(machine);
    wd_status status = WD_OK;
    for (size_t i = 0; status == WD_OK && i < wd_array_count(nodes); i++) {
        if (wd_object_get(wd_array_at(nodes, i), "thumbnailUri") != NULL) {
            wd_value *node = wd_value_ref(wd_array_at(nodes, i));
            status = wd_object_remove(&node, "thumbnailUri");
            if (status == WD_OK) {
                status = wd_array_set(&nodes, i, &node);
            }
            wd_value_unref(&node);
        }
    }
    if (status == WD_OK) {
        return wd_value_pack(ret_view, "{s:V}", "nodes", nodes);
    }
    wd_value_unref(&nodes);
    return status;
}
