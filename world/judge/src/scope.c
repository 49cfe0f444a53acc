/// scope.c - absolute places, and filters made exact.
#include "judge/scope.h"

#include "differ.h"

#include <string.h>

static bool starts_with(const char *text, size_t length, const char *prefix)
{
    size_t prefix_length = strlen(prefix);
    return length >= prefix_length && memcmp(text, prefix, prefix_length) == 0;
}

static bool is_absolute(const char *text, size_t length)
{
    return starts_with(text, length, "os.") || starts_with(text, length, "apps.");
}

/// Length of the app id before a ':' that stands before the first '.' or '['; SIZE_MAX when there is none.
static size_t app_length(const char *key, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (key[i] == ':') {
            return i;
        }
        if (key[i] == '.' || key[i] == '[') {
            break;
        }
    }
    return SIZE_MAX;
}

static wd_status append_below_app(
    const char *app, size_t app_size, const char *rest, size_t rest_length, wd_buffer *buffer)
{
    wd_status status = wd_buffer_text(buffer, "apps");
    status = status == WD_OK ? wd_path_write_key(buffer, false, app, app_size) : status;
    if (status == WD_OK && !(rest_length > 0 && rest[0] == '[')) {
        status = wd_buffer_append(buffer, ".", 1);
    }
    return status == WD_OK ? wd_buffer_append(buffer, rest, rest_length) : status;
}

/// The path below the task's one app, or below `apps` when it has several or none.
static wd_status append_relative(const char *path, size_t length, const wd_value *apps, wd_buffer *buffer)
{
    if (wd_array_count(apps) == 1) {
        size_t app_size = 0;
        const char *app = wd_value_as_string(wd_array_at(apps, 0), &app_size);
        return append_below_app(app, app_size, path, length, buffer);
    }
    wd_status status = wd_buffer_text(buffer, "apps.");
    return status == WD_OK ? wd_buffer_append(buffer, path, length) : status;
}

wd_status wd_scope_criterion(const char *key, size_t length, const wd_value *apps, wd_buffer *buffer)
{
    if (is_absolute(key, length)) {
        return wd_buffer_append(buffer, key, length);
    }
    size_t app = app_length(key, length);
    if (app != SIZE_MAX) {
        return append_below_app(key, app, key + app + 1, length - app - 1, buffer);
    }
    return append_relative(key, length, apps, buffer);
}

wd_status wd_scope_declared(const char *path, size_t length, const wd_value *apps, wd_buffer *buffer)
{
    if (is_absolute(path, length)) {
        return wd_buffer_append(buffer, path, length);
    }
    if (wd_array_count(apps) == 1) {
        wd_buffer own = { 0 };
        size_t app_size = 0;
        const char *app = wd_value_as_string(wd_array_at(apps, 0), &app_size);
        wd_status status = wd_path_write_key(&own, true, app, app_size);
        status = status == WD_OK ? wd_buffer_append(&own, ".", 1) : status;
        if (status == WD_OK && starts_with(path, length, own.bytes)) {
            status = wd_buffer_text(buffer, "apps.");
            status = status == WD_OK ? wd_buffer_append(buffer, path, length) : status;
            wd_buffer_done(&own);
            return status;
        }
        wd_buffer_done(&own);
        if (status != WD_OK) {
            return status;
        }
    }
    return append_relative(path, length, apps, buffer);
}

wd_scope_place wd_scope_find(const char *key, size_t length, const wd_value *apps, const wd_value *state)
{
    const wd_value *stores = wd_object_get(state, "apps");
    if (starts_with(key, length, "os.")) {
        return (wd_scope_place){ wd_object_get(state, "os"), key + 3, length - 3 };
    }
    if (starts_with(key, length, "apps.")) {
        return (wd_scope_place){ stores, key + 5, length - 5 };
    }
    size_t app = app_length(key, length);
    if (app != SIZE_MAX) {
        return (wd_scope_place){ wd_object_get_n(stores, key, app), key + app + 1, length - app - 1 };
    }
    size_t first_length = 0;
    const wd_value *first_app = wd_array_at(apps, 0);
    const char *first = first_app != NULL ? wd_value_as_string(first_app, &first_length) : "";
    return (wd_scope_place){ wd_object_get_n(stores, first, first_length), key, length };
}

// ---- filters ----------------------------------------------------------------------------------------------

static bool is_filter(const wd_segment *segment)
{
    return (segment->kind == WD_SEGMENT_FILTER && segment->field_length > 0 && segment->text_length > 0) ||
           (segment->kind == WD_SEGMENT_INDEX && segment->index < 0);
}

bool wd_scope_has_filter(const wd_path *path)
{
    for (size_t i = 0; i < wd_path_count(path); i++) {
        if (is_filter(wd_path_at(path, i))) {
            return true;
        }
    }
    return false;
}

static wd_status append_raw(const wd_segment *segment, bool first, wd_buffer *buffer)
{
    if (segment->kind == WD_SEGMENT_KEY) {
        wd_status status = first ? WD_OK : wd_buffer_append(buffer, ".", 1);
        return status == WD_OK ? wd_buffer_append(buffer, segment->raw, segment->raw_length) : status;
    }
    wd_status status = wd_buffer_append(buffer, "[", 1);
    status = status == WD_OK ? wd_buffer_append(buffer, segment->raw, segment->raw_length) : status;
    return status == WD_OK ? wd_buffer_append(buffer, "]", 1) : status;
}

/// Look text[0..length) up, with the substring rule of filters (judge.md 2.3).
static wd_status look_up(const char *text, size_t length, const wd_value *state, const wd_value **ret_value)
{
    wd_path *path = NULL;
    wd_status status = wd_path_parse(text, length, &path, NULL);
    if (status == WD_OK) {
        *ret_value = wd_path_get(path, state, true);
    }
    wd_path_destroy(&path);
    return status;
}

/// The place of an object that a filter found; filters find objects only, so its node stands for it.
static size_t index_of(const wd_value *list, const wd_value *element)
{
    wd_iter iter = wd_iter_start(list);
    while (wd_iter_next(&iter) && iter.value != element) {
    }
    return iter.index;
}

/// Append `[F=id]` or `[n]` for the element that `way` leads to, its list standing at way[0..list_length).
static wd_status append_element(const wd_buffer *way, size_t list_length, const wd_segment *segment,
    const wd_value *state, wd_buffer *buffer)
{
    const wd_value *list = NULL;
    const wd_value *element = NULL;
    wd_status status = look_up(way->bytes, list_length, state, &list);
    status = status == WD_OK ? look_up(way->bytes, way->length, state, &element) : status;
    if (status != WD_OK) {
        return status;
    }
    if (element == NULL) {
        return WD_ENOENT;
    }
    const char *field = wd_list_identity_field(list);
    const wd_value *id = field != NULL ? wd_object_get(element, field) : NULL;
    if (id == NULL || wd_value_is(id, WD_KIND_OBJECT) || wd_value_is(id, WD_KIND_ARRAY)) {
        bool last = segment->kind == WD_SEGMENT_INDEX;
        return wd_path_write_index(buffer, last ? wd_array_count(list) - 1 : index_of(list, element));
    }
    return wd_path_write_element(buffer, WD_SEGMENT_FILTER, field, id);
}

wd_status wd_scope_resolve(
    const wd_path *path, wd_scope_states states, wd_scope_states last, wd_buffer *buffer)
{
    size_t before = buffer->length;
    wd_buffer way = { 0 };  // the path so far as it was written
    wd_status status = WD_OK;
    size_t count = wd_path_count(path);
    for (size_t i = 0; status == WD_OK && i < count; i++) {
        const wd_segment *segment = wd_path_at(path, i);
        size_t list_length = way.length;
        status = append_raw(segment, i == 0, &way);
        if (status != WD_OK) {
            break;
        }
        if (is_filter(segment)) {
            wd_scope_states where = i + 1 == count ? last : states;
            status = append_element(&way, list_length, segment, where.first, buffer);
            if (status == WD_ENOENT && where.second != NULL) {
                status = append_element(&way, list_length, segment, where.second, buffer);
            }
        } else if (segment->kind == WD_SEGMENT_ADDED || segment->kind == WD_SEGMENT_REMOVED) {
            status = WD_ENOENT;  // written like a filter, and never found (judge.md 3.1)
        } else {
            status = append_raw(segment, i == 0, buffer);
        }
    }
    if (status != WD_OK && buffer->bytes != NULL) {
        buffer->length = before;
        buffer->bytes[before] = '\0';
    }
    wd_buffer_done(&way);
    return status;
}
