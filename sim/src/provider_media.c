// content://media: images and videos of the file system, images that apps inserted, favourites (os.md 11).
#include "provider.h"

#include "services.h"

#include "tree/patch.h"

#include <string.h>

#define FAVORITES WD_AT("os", "providers", "media", "favorites")
#define MEMORY WD_AT("sys", "media", "images")  // newest first
static const char camera_folder[] = "/sdcard/DCIM/Camera";

// ---- favourites -------------------------------------------------------------------------------------------

static bool find_favorite(const wd_machine *machine, const wd_value *path, size_t *ret_index)
{
    wd_iter iter = wd_iter_start(wd_machine_get(machine, FAVORITES));
    while (wd_iter_next(&iter)) {
        if (wd_value_equal(iter.value, path)) {
            *ret_index = iter.index;
            return true;
        }
    }
    return false;
}

static wd_status set_favorite(wd_machine *machine, const wd_value *path, bool favorite)
{
    size_t index = 0;
    if (path == NULL || find_favorite(machine, path, &index) == favorite) {
        return WD_OK;
    }
    wd_value *list = wd_value_ref(wd_machine_get(machine, FAVORITES));
    list = list != NULL ? list : wd_value_array();
    wd_status status = favorite ? wd_append_ref(&list, path) : wd_array_remove(&list, index);
    if (status == WD_OK) {
        return wd_machine_put(machine, FAVORITES, &list);
    }
    wd_value_unref(&list);
    return status;
}

// ---- items ------------------------------------------------------------------------------------------------

static bool has_type(const wd_value *node, const char *type)
{
    const char *mime = wd_value_string_or(wd_object_get(node, "mimeType"), "");
    return strncmp(mime, type, strlen(type)) == 0 && mime[strlen(type)] == '/';
}

/// A file of the file system as an item of the provider.
static wd_status make_file_item(const wd_value *node, const char *type, wd_value **ret_item)
{
    wd_value *uri = NULL;
    wd_status status =
        wd_value_format(&uri, "file://%s", wd_value_string_or(wd_object_get(node, "path"), ""));
    if (status == WD_OK) {
        status = wd_value_pack(ret_item, "{s:v,s:s,s:V,s:?v,s:v,s:v,s:v,s:v,s:v}", "id",
            wd_object_get(node, "id"), "type", type, "uri", uri, "thumbnailUri",
            wd_object_get(node, "thumbnailUri"), "name", wd_object_get(node, "name"), "mimeType",
            wd_object_get(node, "mimeType"), "size", wd_object_get(node, "size"), "createdAt",
            wd_object_get(node, "createdAt"), "path", wd_object_get(node, "path"));
    }
    return status;
}

/// Append an item, images with their `favorite`.
static wd_status append_item(
    const wd_machine *machine, wd_value **items_p, wd_value **item_p, bool with_favorite)
{
    wd_status status = WD_OK;
    size_t index = 0;
    if (with_favorite) {
        wd_value *flag = wd_value_bool(find_favorite(machine, wd_object_get(*item_p, "path"), &index));
        status = wd_member_put(item_p, "favorite", &flag);
    }
    return status == WD_OK ? wd_list_push(items_p, item_p) : status;
}

/// All items of a type: those in memory, then files whose id is not among them.
static wd_status collect(const wd_machine *machine, const char *type, wd_value **ret_items)
{
    bool images = strcmp(type, "image") == 0;
    wd_value *items = wd_value_array();
    wd_status status = WD_OK;
    size_t index = 0;
    wd_iter memory = wd_iter_start(images ? wd_machine_get(machine, MEMORY) : NULL);
    while (status == WD_OK && wd_iter_next(&memory)) {
        wd_value *item = wd_value_ref(memory.value);
        status = append_item(machine, &items, &item, images);
        wd_value_unref(&item);
    }
    wd_iter files = wd_iter_start(wd_machine_get(machine, WD_AT("os", "fileSystem", "nodes")));
    while (status == WD_OK && wd_iter_next(&files)) {
        wd_value *item = NULL;
        if (!has_type(files.value, type) ||
            wd_list_find(wd_machine_get(machine, MEMORY), wd_trimmed(wd_object_get(files.value, "id")),
                &index) != NULL) {
            continue;
        }
        status = make_file_item(files.value, type, &item);
        if (status == WD_OK) {
            status = append_item(machine, &items, &item, images);
        }
        wd_value_unref(&item);
    }
    return wd_give(status, &items, ret_items);
}

// ---- albums -----------------------------------------------------------------------------------------------

static bool is_in_folder(const wd_value *item, const char *folder)
{
    const char *path = wd_value_string_or(wd_object_get(item, "path"), "");
    return strncmp(path, folder, strlen(folder)) == 0 && path[strlen(folder)] == '/';
}

/// An album of the image files below a folder, its cover the first of them.
static wd_status append_album(const wd_value *files, const char *id, const char *name, const char *folder,
    bool even_empty, wd_value **albums_p)
{
    const wd_value *cover = NULL;
    int64_t count = 0;
    wd_iter iter = wd_iter_start(files);
    while (wd_iter_next(&iter)) {
        if (is_in_folder(iter.value, folder)) {
            cover = cover != NULL ? cover : iter.value;
            count++;
        }
    }
    if (count == 0 && !even_empty) {
        return WD_OK;
    }
    wd_value *album = NULL;
    wd_status status = wd_value_pack(&album, "{s:s,s:s,s:s,s:?v,s:?v,s:i,s:s}", "id", id, "name", name,
        "type", "system", "coverUri", wd_object_get(cover, "uri"), "coverPath", wd_object_get(cover, "path"),
        "count", count, "pathPattern", folder);
    return status == WD_OK ? wd_list_push(albums_p, &album) : status;
}

static wd_status query_albums(const wd_machine *machine, wd_value **ret_items)
{
    wd_value *files = wd_value_array(), *albums = wd_value_array();
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(wd_machine_get(machine, WD_AT("os", "fileSystem", "nodes")));
    while (status == WD_OK && wd_iter_next(&iter)) {
        wd_value *item = NULL;
        if (has_type(iter.value, "image")) {
            status = make_file_item(iter.value, "image", &item);
        }
        if (item != NULL) {
            status = wd_list_push(&files, &item);
        }
        wd_value_unref(&item);
    }
    if (status == WD_OK) {
        status = append_album(files, "all", "全部", "/sdcard", true, &albums);
    }
    if (status == WD_OK) {
        status = append_album(files, "camera", "相机", camera_folder, false, &albums);
    }
    if (status == WD_OK) {
        status = append_album(files, "screenshots", "截图", "/sdcard/Pictures/Screenshots", false, &albums);
    }
    wd_value_unref(&files);
    return wd_give(status, &albums, ret_items);
}

// ---- query ------------------------------------------------------------------------------------------------

static wd_status query_favorites(const wd_machine *machine, wd_value **ret_items)
{
    wd_value *items = wd_value_array();
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(wd_machine_get(machine, FAVORITES));
    while (status == WD_OK && wd_iter_next(&iter)) {
        wd_value *item = NULL;
        status = wd_value_pack(&item, "{s:v}", "path", iter.value);
        if (status == WD_OK) {
            status = wd_list_push(&items, &item);
        }
    }
    return wd_give(status, &items, ret_items);
}

/// The one item of a type with this id, or none.
static wd_status query_one(const wd_machine *machine, const char *type, wd_slice id, wd_value **ret_items)
{
    wd_value *all = NULL;
    size_t index = 0;
    wd_status status = collect(machine, type, &all);
    const wd_value *found = status == WD_OK ? wd_list_find(all, id, &index) : NULL;
    if (found != NULL) {
        status = wd_value_pack(ret_items, "[v]", found);
    } else if (status == WD_OK) {
        *ret_items = wd_value_array();
    }
    wd_value_unref(&all);
    return status;
}

static wd_status query(wd_machine *machine, const wd_uri *uri, wd_value **ret_items)
{
    wd_slice id = { 0 };
    if (wd_uri_is(uri, "/images")) {
        return collect(machine, "image", ret_items);
    }
    if (wd_uri_is(uri, "/videos")) {
        return collect(machine, "video", ret_items);
    }
    if (wd_uri_is(uri, "/images/albums")) {
        return query_albums(machine, ret_items);
    }
    if (wd_uri_is(uri, "/favorites")) {
        return query_favorites(machine, ret_items);
    }
    if (wd_uri_below(uri, "/images", &id)) {
        return query_one(machine, "image", id, ret_items);
    }
    if (wd_uri_below(uri, "/videos", &id)) {
        return query_one(machine, "video", id, ret_items);
    }
    *ret_items = wd_value_array();
    return WD_OK;
}

// ---- insert, update, delete -------------------------------------------------------------------------------

/// The text of a member, or a text made from `format` with `subject`.
static wd_status text_or(const wd_value *values, const char *key, wd_value **fallback_p, wd_value **ret_text)
{
    const wd_value *value = wd_given(values, key);
    if (wd_value_is(value, WD_KIND_STRING) && wd_truthy(value)) {
        *ret_text = wd_value_ref(value);
        return WD_OK;
    }
    *ret_text = *fallback_p;
    *fallback_p = NULL;
    return WD_OK;
}

static const char *extension_of(const char *mime)
{
    return strcmp(mime, "image/png") == 0 ? "png" : strcmp(mime, "image/gif") == 0 ? "gif" : "jpg";
}

static const wd_value *number_or_null(const wd_value *value)
{
    return wd_value_is_number(value) ? value : NULL;
}

/// The record of an inserted image.
static wd_status make_image(
    const wd_machine *machine, const wd_value *values, const wd_value *id, wd_value **ret_image)
{
    wd_value *fallback = NULL, *mime = NULL, *name = NULL, *uri = NULL, *path = NULL;
    long long now = wd_machine_now(machine);
    const wd_value *size = number_or_null(wd_given(values, "size")),
                   *thumbnail = wd_given(values, "thumbnailUri");
    wd_value *zero = NULL;
    wd_status status = wd_value_text("image/jpeg", &fallback);
    if (status == WD_OK) {
        status = text_or(values, "mimeType", &fallback, &mime);
        wd_value_unref(&fallback);
    }
    if (status == WD_OK) {
        status = wd_value_format(&fallback, "IMG_%lld.%s", now, extension_of(wd_value_as_string(mime, NULL)));
    }
    if (status == WD_OK) {
        status = text_or(values, "fileName", &fallback, &name);
        wd_value_unref(&fallback);
    }
    if (status == WD_OK) {
        status = wd_value_format(&fallback, "data:%s;base64,%s", wd_value_as_string(mime, NULL),
            wd_value_string_or(wd_given(values, "base64"), ""));
    }
    if (status == WD_OK) {
        status = text_or(values, "uri", &fallback, &uri);
        wd_value_unref(&fallback);
    }
    if (status == WD_OK) {
        status = wd_value_format(&fallback, "%s/%s", camera_folder, wd_value_as_string(name, NULL));
    }
    if (status == WD_OK) {
        status = text_or(values, "path", &fallback, &path);
        wd_value_unref(&fallback);
    }
    if (status == WD_OK) {
        status = wd_value_int(0, &zero);
    }
    if (status == WD_OK) {
        status = wd_value_pack(ret_image, "{s:v,s:s,s:v,s:?v,s:v,s:v,s:v,s:?v,s:?v,s:i,s:v}", "id", id,
            "type", "image", "uri", uri, "thumbnailUri",
            wd_value_is(thumbnail, WD_KIND_STRING) ? thumbnail : NULL, "name", name, "mimeType", mime, "size",
            size != NULL ? size : zero, "width", number_or_null(wd_given(values, "width")), "height",
            number_or_null(wd_given(values, "height")), "createdAt", (int64_t)now, "path", path);
    }
    wd_value_unref(&mime);
    wd_value_unref(&name);
    wd_value_unref(&uri);
    wd_value_unref(&path);
    wd_value_unref(&zero);
    return status;
}

static wd_status is_taken(const wd_machine *machine, wd_slice id, bool *ret_taken)
{
    wd_value *found = NULL;
    wd_status status = query_one(machine, "image", id, &found);
    *ret_taken = wd_array_count(found) > 0;
    wd_value_unref(&found);
    return status;
}

static wd_status pick_id(wd_machine *machine, const wd_value *values, wd_value **ret_id, wd_error *error)
{
    wd_slice wanted = wd_trimmed(wd_given(values, "id"));
    bool taken = false;
    if (wanted.length == 0) {
        return wd_draw_id(machine, "media_", wd_machine_get(machine, MEMORY), ret_id);
    }
    wd_status status = is_taken(machine, wanted, &taken);
    if (status == WD_OK && taken) {
        return wd_error_set(error, WD_EEXIST, "values.id: there is such an image");
    }
    return status == WD_OK ? wd_slice_value(wanted, ret_id) : status;
}

static wd_status insert(
    wd_machine *machine, const wd_uri *uri, const wd_value *values, wd_value **ret_uri, wd_error *error)
{
    if (!wd_uri_is(uri, "/images")) {
        return wd_error_set(error, WD_EINVAL, "uri: media is inserted at /images");
    }
    wd_value *id = NULL, *image = NULL, *extras = NULL, *list = NULL;
    wd_status status = pick_id(machine, values, &id, error);
    if (status == WD_OK) {
        status = make_image(machine, values, id, &image);
    }
    if (status == WD_OK) {
        status = wd_value_pack(&extras, "{s:v,s:v,s:v}", "id", id, "uri", wd_object_get(image, "uri"), "path",
            wd_object_get(image, "path"));
    }
    if (status == WD_OK) {
        list = wd_value_ref(wd_machine_get(machine, MEMORY));
        list = list != NULL ? list : wd_value_array();
        status = wd_list_prepend(&list, &image);
    }
    if (status == WD_OK) {
        status = wd_machine_put(machine, MEMORY, &list);
    }
    if (status == WD_OK) {
        status = wd_machine_broadcast(machine, "android.intent.action.MEDIA_SCANNER_SCAN_FILE", &extras);
    }
    if (status == WD_OK) {
        status = wd_uri_make("media/images", id, ret_uri);
    }
    wd_value_unref(&id);
    wd_value_unref(&image);
    wd_value_unref(&extras);
    wd_value_unref(&list);
    return status;
}

static wd_status update(wd_machine *machine, const wd_uri *uri, const wd_value *values, int64_t *ret_count)
{
    wd_slice id = { 0 };
    wd_value *found = NULL;
    const wd_value *favorite = wd_given(values, "favorite");
    if (favorite == NULL || !wd_uri_below(uri, "/images", &id)) {
        return WD_OK;
    }
    wd_status status = query_one(machine, "image", id, &found);
    if (status == WD_OK && wd_array_count(found) > 0) {
        *ret_count = 1;
        status = set_favorite(machine, wd_object_get(wd_array_at(found, 0), "path"), wd_truthy(favorite));
    }
    wd_value_unref(&found);
    return status;
}

static wd_status remove_image(wd_machine *machine, const wd_uri *uri, int64_t *ret_count)
{
    wd_slice id = { 0 };
    size_t index = 0;
    wd_value *list = wd_value_ref(wd_machine_get(machine, MEMORY));
    wd_status status = WD_OK;
    if (wd_uri_below(uri, "/images", &id) && wd_list_find(list, id, &index) != NULL) {
        wd_value *path = wd_value_ref(wd_object_get(wd_array_at(list, index), "path"));
        *ret_count = 1;
        status = wd_array_remove(&list, index);
        if (status == WD_OK) {
            status = wd_machine_put(machine, MEMORY, &list);
        }
        if (status == WD_OK) {
            status = set_favorite(machine, path, false);
        }
        wd_value_unref(&path);
    }
    wd_value_unref(&list);
    return status;
}

const wd_provider wd_provider_media = { "media", query, insert, update, remove_image };
