#include "value_fields.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// ---- writing ----------------------------------------------------------------------------------------------

wd_status wd_put_taken(wd_value **object_p, const char *name, wd_value **item_p)
{
    wd_status status = wd_object_set(object_p, name, item_p);
    wd_value_unref(item_p);
    return status;
}

wd_status wd_append_taken(wd_value **array_p, wd_value **item_p)
{
    wd_status status = wd_array_append(array_p, item_p);
    wd_value_unref(item_p);
    return status;
}

wd_status wd_put_value(wd_value **object_p, const char *name, const wd_value *value)
{
    if (value == NULL) {
        return WD_OK;
    }
    wd_value *item = wd_value_ref(value);
    return wd_put_taken(object_p, name, &item);
}

wd_status wd_put_text(wd_value **object_p, const char *name, const char *text)
{
    if (text == NULL) {
        return WD_OK;
    }
    wd_value *item = NULL;
    wd_status status = wd_value_text(text, &item);
    return status == WD_OK ? wd_put_taken(object_p, name, &item) : status;
}

wd_status wd_put_int(wd_value **object_p, const char *name, int64_t number)
{
    wd_value *item = NULL;
    wd_status status = wd_value_int(number, &item);
    return status == WD_OK ? wd_put_taken(object_p, name, &item) : status;
}

wd_status wd_put_double(wd_value **object_p, const char *name, double number)
{
    wd_value *item = NULL;
    wd_status status = wd_value_double(number, &item);
    return status == WD_OK ? wd_put_taken(object_p, name, &item) : status;
}

wd_status wd_put_bool(wd_value **object_p, const char *name, bool flag)
{
    wd_value *item = wd_value_bool(flag);
    return wd_put_taken(object_p, name, &item);
}

// ---- reading ----------------------------------------------------------------------------------------------

void wd_read_refuse(wd_field_reader *reader, const char *format, ...)
{
    if (reader->status != WD_OK) {
        return;
    }
    char text[WD_ERROR_TEXT_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    reader->status = wd_error_set(reader->error, WD_EINVAL, "%s", text);
}

static const wd_value *member(wd_field_reader *reader, const char *name)
{
    return reader->status == WD_OK ? wd_object_get(reader->object, name) : NULL;
}

const wd_value *wd_read_kind(wd_field_reader *reader, const char *name, wd_kind kind)
{
    const wd_value *value = member(reader, name);
    if (value != NULL && wd_value_kind(value) != kind) {
        wd_read_refuse(reader, "%s: %s expected, %s given", name, wd_kind_name(kind),
            wd_kind_name(wd_value_kind(value)));
        return NULL;
    }
    return value;
}

const char *wd_read_text(wd_field_reader *reader, const char *name)
{
    const wd_value *value = wd_read_kind(reader, name, WD_KIND_STRING);
    return value != NULL ? wd_value_as_string(value, NULL) : NULL;
}

int64_t wd_read_int(wd_field_reader *reader, const char *name, int64_t low, int64_t high, int64_t fallback)
{
    const wd_value *value = wd_read_kind(reader, name, WD_KIND_INT);
    if (value == NULL) {
        return fallback;
    }
    int64_t number = wd_value_as_int(value);
    if (number < low || number > high) {
        wd_read_refuse(reader, "%s: %lld is not in %lld..%lld", name, (long long)number, (long long)low,
            (long long)high);
        return fallback;
    }
    return number;
}

double wd_read_double(wd_field_reader *reader, const char *name, double low, double high, double fallback)
{
    const wd_value *value = member(reader, name);
    if (value == NULL) {
        return fallback;
    }
    if (!wd_value_is_number(value)) {
        wd_read_refuse(reader, "%s: number expected, %s given", name, wd_kind_name(wd_value_kind(value)));
        return fallback;
    }
    double number = wd_value_as_double(value);
    if (number < low || number > high) {
        wd_read_refuse(reader, "%s: %g is not in %g..%g", name, number, low, high);
        return fallback;
    }
    return number;
}

bool wd_read_bool(wd_field_reader *reader, const char *name, bool fallback)
{
    const wd_value *value = wd_read_kind(reader, name, WD_KIND_BOOL);
    return value != NULL ? wd_value_as_bool(value) : fallback;
}

int wd_read_name(wd_field_reader *reader, const char *name, const char *const *names, int count, int fallback)
{
    const char *text = wd_read_text(reader, name);
    if (text == NULL) {
        return fallback;
    }
    for (int i = 0; i < count; i++) {
        if (strcmp(names[i], text) == 0) {
            return i;
        }
    }
    wd_read_refuse(reader, "%s: unknown name \"%.60s\"", name, text);
    return fallback;
}

// ---- intents ----------------------------------------------------------------------------------------------

wd_status wd_put_intents(wd_value **object_p, const wd_scene_intent *intents, size_t count)
{
    wd_value *array = wd_value_array();
    wd_status status = WD_OK;
    for (size_t i = 0; i < count && status == WD_OK; i++) {
        wd_value *intent = wd_value_object();
        status = wd_put_text(&intent, "text", intents[i].text);
        if (status == WD_OK && intents[i].node >= 0) {
            status = wd_put_int(&intent, "node", intents[i].node);
        }
        if (status == WD_OK) {
            status = wd_array_append(&array, &intent);
        }
        wd_value_unref(&intent);
    }
    if (status == WD_OK) {
        status = wd_object_set(object_p, "intents", &array);
    }
    wd_value_unref(&array);
    return status;
}

wd_status wd_read_intents(
    wd_field_reader *reader, int64_t node_count, wd_scene_intent *intents, size_t *ret_count)
{
    const wd_value *array = wd_read_kind(reader, "intents", WD_KIND_ARRAY);
    size_t count = wd_array_count(array);
    if (count > WD_SCENE_INTENTS_MAX) {
        wd_read_refuse(reader, "intents: %zu are more than %d", count, (int)WD_SCENE_INTENTS_MAX);
    }
    for (size_t i = 0; i < count && reader->status == WD_OK; i++) {
        wd_field_reader intent = { .object = wd_array_at(array, i), .error = reader->error };
        intents[i].text = wd_read_text(&intent, "text");
        intents[i].node = (int32_t)wd_read_int(&intent, "node", -1, node_count - 1, -1);
        if (intents[i].text == NULL) {
            wd_read_refuse(&intent, "text: a string is missing");
        }
        if (intent.status != WD_OK) {
            wd_error_prefix(reader->error, "intents[%zu]", i);
            reader->status = intent.status;
        }
    }
    if (reader->status == WD_OK) {
        *ret_count = count;
    }
    return reader->status;
}
