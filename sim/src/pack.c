// One pack folder: which files it has, what each must look like.
#include "pack.h"

#include "tree/alloc.h"
#include "tree/json.h"
#include "tree/patch.h"

#include <stdio.h>
#include <string.h>

enum { PATH_SIZE = 4096 };

void wd_pack_done(wd_pack *pack)
{
    wd_free(pack->id, pack->id != NULL ? strlen(pack->id) + 1 : 0);
    wd_free(pack->directory, pack->directory != NULL ? strlen(pack->directory) + 1 : 0);
    wd_value_unref(&pack->manifest);
    wd_value_unref(&pack->defaults);
    wd_value_unref(&pack->data);
    wd_value_unref(&pack->strings);
    wd_value_unref(&pack->os);
    wd_free(pack->source, pack->source_length + 1);
    *pack = (wd_pack){ 0 };
}

static wd_status read_file(const wd_pack_source *source, const wd_pack *pack, const char *name,
    size_t length_max, char **ret_bytes, size_t *ret_length, wd_error *error)
{
    char path[PATH_SIZE];
    if (snprintf(path, sizeof path, "%s/%s", pack->directory, name) >= (int)sizeof path) {
        return wd_error_set(error, WD_ELIMIT, "%s: the path is too long", name);
    }
    wd_status status = source->read(source->context, path, ret_bytes, ret_length);
    if (status != WD_OK) {
        return wd_error_set(error, status, "%s/%s: %s", pack->id, name,
            status == WD_ENOENT ? "the file is missing" : wd_status_text(status));
    }
    if (*ret_length > length_max) {
        wd_free(*ret_bytes, *ret_length + 1);
        *ret_bytes = NULL;
        return wd_error_set(error, WD_ELIMIT, "%s/%s: more than %zu bytes", pack->id, name, length_max);
    }
    return WD_OK;
}

static wd_status read_json(const wd_pack_source *source, const wd_pack *pack, const char *name,
    wd_value **ret_value, wd_error *error)
{
    char *bytes = NULL;
    size_t length = 0;
    wd_status status = read_file(source, pack, name, WD_PACK_FILE_MAX, &bytes, &length, error);
    if (status != WD_OK) {
        return status;
    }
    wd_value *value = NULL;
    status = wd_json_parse(bytes, length, &value, error);
    wd_free(bytes, length + 1);
    if (status == WD_OK) {
        status = wd_value_freeze(value, ret_value);
    } else {
        wd_error_prefix(error, "%s/%s", pack->id, name);
    }
    wd_value_unref(&value);
    return status;
}

// An object, or an empty one when the file is missing.
static wd_status read_optional(const wd_pack_source *source, const wd_pack *pack, const char *name,
    wd_value **ret_value, wd_error *error)
{
    wd_status status = read_json(source, pack, name, ret_value, error);
    if (status == WD_ENOENT) {
        *ret_value = wd_value_object();
        return WD_OK;
    }
    if (status == WD_OK && !wd_value_is(*ret_value, WD_KIND_OBJECT)) {
        wd_value_unref(ret_value);
        return wd_error_set(error, WD_EINVAL, "%s/%s: an object is wanted", pack->id, name);
    }
    return status;
}

static wd_status check_manifest(const wd_pack *pack, wd_error *error)
{
    const wd_value *manifest = pack->manifest;
    if (!wd_value_is(manifest, WD_KIND_OBJECT)) {
        return wd_error_set(error, WD_EINVAL, "%s/manifest.json: an object is wanted", pack->id);
    }
    if (!wd_value_is_text(wd_object_get(manifest, "id"), pack->id)) {
        return wd_error_set(error, WD_EINVAL, "%s/manifest.json: id must equal the folder's name", pack->id);
    }
    static const char *const texts[] = { "packageName", "version", "type" };
    for (size_t i = 0; i < WD_COUNT_OF(texts); i++) {
        if (!wd_value_is(wd_object_get(manifest, texts[i]), WD_KIND_STRING)) {
            return wd_error_set(
                error, WD_EINVAL, "%s/manifest.json: %s: a text is wanted", pack->id, texts[i]);
        }
    }
    const wd_value *name = wd_object_get(manifest, "name");
    if (!wd_value_is(wd_object_get(name, "en"), WD_KIND_STRING) ||
        !wd_value_is(wd_object_get(name, "zh"), WD_KIND_STRING)) {
        return wd_error_set(error, WD_EINVAL, "%s/manifest.json: name: texts en and zh are wanted", pack->id);
    }
    static const char *const lists[] = { "permissions", "intentFilters", "aliases" };
    for (size_t i = 0; i < WD_COUNT_OF(lists); i++) {
        if (!wd_value_is(wd_object_get(manifest, lists[i]), WD_KIND_ARRAY)) {
            return wd_error_set(
                error, WD_EINVAL, "%s/manifest.json: %s: a list is wanted", pack->id, lists[i]);
        }
    }
    wd_iter iter = wd_iter_start(wd_object_get(manifest, "entities"));
    while (wd_iter_next(&iter)) {
        if (!wd_value_is(wd_object_get(iter.value, "table"), WD_KIND_STRING)) {
            return wd_error_set(error, WD_EINVAL, "%s/manifest.json: entities.%s.table: a text is wanted",
                pack->id, iter.key);
        }
    }
    return WD_OK;
}

// Every text stands in both locales.
static wd_status check_strings(const wd_pack *pack, wd_error *error)
{
    static const char *const locales[][2] = { { "en", "zh" }, { "zh", "en" } };
    for (size_t i = 0; i < WD_COUNT_OF(locales); i++) {
        wd_iter iter = wd_iter_start(wd_object_get(pack->strings, locales[i][0]));
        const wd_value *other = wd_object_get(pack->strings, locales[i][1]);
        while (wd_iter_next(&iter)) {
            if (!wd_value_is(iter.value, WD_KIND_STRING) ||
                !wd_value_is(wd_object_get(other, iter.key), WD_KIND_STRING)) {
                return wd_error_set(error, WD_EINVAL, "%s/strings.json: %s: a text is wanted in en and in zh",
                    pack->id, iter.key);
            }
        }
    }
    return WD_OK;
}

static wd_status read_data(const wd_pack_source *source, wd_pack *pack, wd_error *error)
{
    char path[PATH_SIZE];
    (void)snprintf(path, sizeof path, "%s/data", pack->directory);
    wd_value *names = NULL;
    wd_value *data = wd_value_object();
    wd_status status = source->list(source->context, path, &names);
    if (status == WD_ENOENT) {
        pack->data = data;
        return WD_OK;
    }
    if (status != WD_OK) {
        wd_value_unref(&data);
        return wd_error_set(error, status, "%s/data: %s", pack->id, wd_status_text(status));
    }
    wd_iter iter = wd_iter_start(names);
    while (status == WD_OK && wd_iter_next(&iter)) {
        size_t length = 0;
        const char *name = wd_value_as_string(iter.value, &length);
        if (length <= 5 || strcmp(name + length - 5, ".json") != 0) {
            status =
                wd_error_set(error, WD_EINVAL, "%s/data/%s: a data file is called *.json", pack->id, name);
            break;
        }
        char file[PATH_SIZE];
        (void)snprintf(file, sizeof file, "data/%s", name);
        wd_value *content = NULL;
        status = read_json(source, pack, file, &content, error);
        if (status == WD_OK) {
            status = wd_object_set_n(&data, name, length - 5, &content);
        }
        wd_value_unref(&content);
    }
    wd_value_unref(&names);
    if (status == WD_OK) {
        status = wd_value_freeze(data, &pack->data);
    }
    wd_value_unref(&data);
    return status;
}

// A loader with "into" puts data into the overlay before the first snapshot.
static wd_status run_loaders(wd_pack *pack, wd_error *error)
{
    wd_iter iter = wd_iter_start(wd_object_get(pack->manifest, "loaders"));
    wd_value *defaults = wd_value_ref(pack->defaults);
    wd_status status = WD_OK;
    while (status == WD_OK && wd_iter_next(&iter)) {
        const char *into = wd_value_string_or(wd_object_get(iter.value, "into"), NULL);
        const char *from = wd_value_string_or(wd_object_get(iter.value, "data"), "");
        const wd_value *content = wd_object_get(pack->data, from);
        if (content == NULL) {
            status = wd_error_set(
                error, WD_ENOENT, "%s/manifest.json: loaders: there is no data/%s.json", pack->id, from);
        } else if (into != NULL) {
            wd_value *item = wd_value_ref(content);
            status = wd_object_set(&defaults, into, &item);
            wd_value_unref(&item);
        }
    }
    if (status == WD_OK) {
        wd_value_unref(&pack->defaults);
        status = wd_value_freeze(defaults, &pack->defaults);
    }
    wd_value_unref(&defaults);
    return status;
}

static wd_status digest_pack(wd_pack *pack)
{
    wd_value *all = NULL;
    wd_status status = wd_value_pack(&all, "{s:v,s:v,s:v,s:v,s:v,s:s}", "manifest", pack->manifest,
        "defaults", pack->defaults, "data", pack->data, "strings", pack->strings, "os", pack->os, "source",
        pack->source);
    if (status == WD_OK) {
        pack->digest = wd_value_digest(all);
        wd_value_unref(&all);
    }
    return status;
}

static wd_status check_base(const wd_pack *pack, wd_error *error);

static wd_status read_all(const wd_pack_source *source, wd_pack *pack, wd_error *error)
{
    wd_status status = read_json(source, pack, "manifest.json", &pack->manifest, error);
    status = status != WD_OK ? status : check_manifest(pack, error);
    status = status != WD_OK ? status : read_json(source, pack, "defaults.json", &pack->defaults, error);
    if (status == WD_OK && !wd_value_is(pack->defaults, WD_KIND_OBJECT)) {
        status = wd_error_set(error, WD_EINVAL, "%s/defaults.json: an object is wanted", pack->id);
    }
    status = status != WD_OK ? status : read_data(source, pack, error);
    status = status != WD_OK ? status : read_json(source, pack, "strings.json", &pack->strings, error);
    status = status != WD_OK ? status : check_strings(pack, error);
    status = status != WD_OK ? status : read_optional(source, pack, "os.json", &pack->os, error);
    status = status != WD_OK ? status : check_base(pack, error);
    status = status != WD_OK ? status : run_loaders(pack, error);
    if (status == WD_OK) {
        status = wd_pack_check_overlay(pack, pack->defaults, error);
        if (status != WD_OK) {
            wd_error_prefix(error, "%s/defaults.json", pack->id);
        }
    }
    if (status != WD_OK) {
        return status;
    }
    status =
        read_file(source, pack, "app.lua", WD_PACK_SOURCE_MAX, &pack->source, &pack->source_length, error);
    if (status == WD_OK && !wd_utf8_valid(pack->source, pack->source_length)) {
        status = wd_error_set(error, WD_EUTF8, "%s/app.lua: no UTF-8", pack->id);
    }
    return status != WD_OK ? status : digest_pack(pack);
}

wd_status wd_pack_read(
    const wd_pack_source *source, const char *directory, const char *id, wd_pack *pack, wd_error *error)
{
    *pack = (wd_pack){ 0 };
    char path[PATH_SIZE];
    if (snprintf(path, sizeof path, "%s/%s", directory, id) >= PATH_SIZE - 256) {
        return wd_error_set(error, WD_ELIMIT, "%s: the path is too long", id);
    }
    pack->id = wd_strndup(id, strlen(id));
    pack->directory = wd_strndup(path, strlen(path));
    wd_status status =
        pack->id == NULL || pack->directory == NULL ? WD_ENOMEM : read_all(source, pack, error);
    if (status == WD_ENOMEM) {
        (void)wd_error_set(error, WD_ENOMEM, "%s: out of memory", id);
    }
    if (status != WD_OK) {
        wd_pack_done(pack);
        return status;
    }
    pack->home = wd_value_is_text(wd_object_get(pack->manifest, "role"), "home");
    return WD_OK;
}

const wd_value *wd_pack_entity(const wd_pack *pack, const char *name, size_t length)
{
    return wd_object_get_n(wd_object_get(pack->manifest, "entities"), name, length);
}

// What `row` lacks of `entity`. @retval WD_EINVAL `error` names them.
static wd_status check_row(
    const wd_iter *entity, const char *place, const char *id, const wd_value *row, wd_error *error)
{
    if (!wd_value_is(row, WD_KIND_OBJECT)) {
        return wd_error_set(error, WD_EINVAL, "%s %s%s is no object", entity->key, place, id);
    }
    char missing[WD_ERROR_TEXT_MAX] = "";
    size_t length = 0;
    wd_iter fields = wd_iter_start(wd_object_get(entity->value, "required"));
    while (wd_iter_next(&fields)) {
        const char *field = wd_value_string_or(fields.value, "");
        if (wd_object_get(row, field) == NULL && length + strlen(field) + 3 < sizeof missing) {
            length += (size_t)snprintf(
                missing + length, sizeof missing - length, "%s%s", length > 0 ? ", " : "", field);
        }
    }
    if (length > 0) {
        return wd_error_set(
            error, WD_EINVAL, "%s %s%s is incomplete: missing %s", entity->key, place, id, missing);
    }
    return WD_OK;
}

wd_status wd_pack_check_overlay(const wd_pack *pack, const wd_value *overlay, wd_error *error)
{
    wd_iter entities = wd_iter_start(wd_object_get(pack->manifest, "entities"));
    while (wd_iter_next(&entities)) {
        const char *table = wd_value_string_or(wd_object_get(entities.value, "table"), "");
        char place[128];
        (void)snprintf(place, sizeof place, "%s.", table);
        wd_iter rows = wd_iter_start(wd_object_get(overlay, table));
        while (wd_iter_next(&rows)) {
            if (wd_value_is(rows.value, WD_KIND_NULL)) {
                continue;  // a tombstone
            }
            wd_status status =
                check_row(&entities, place, rows.key != NULL ? rows.key : "", rows.value, error);
            if (status != WD_OK) {
                return status;
            }
        }
    }
    return WD_OK;
}

// World data obeys the same schema as the overlay.
static wd_status check_base(const wd_pack *pack, wd_error *error)
{
    wd_iter entities = wd_iter_start(wd_object_get(pack->manifest, "entities"));
    while (wd_iter_next(&entities)) {
        const char *file = wd_value_string_or(wd_object_get(entities.value, "data"), NULL);
        if (file == NULL) {
            continue;
        }
        const wd_value *table = wd_object_get(pack->data, file);
        if (!wd_value_is(table, WD_KIND_OBJECT)) {
            return wd_error_set(
                error, WD_EINVAL, "%s/data/%s.json: an object of rows by id is wanted", pack->id, file);
        }
        wd_iter rows = wd_iter_start(table);
        while (wd_iter_next(&rows)) {
            wd_status status = check_row(&entities, "", rows.key, rows.value, error);
            if (status != WD_OK) {
                wd_error_prefix(error, "%s/data/%s.json", pack->id, file);
                return status;
            }
        }
    }
    return WD_OK;
}
