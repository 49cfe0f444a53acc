#include "conform_case.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// ---- differences ------------------------------------------------------------------------------------------

static wd_status open_difference(wd_conform *run)
{
    run->failed = true;
    if (run->step == 0) {
        return WD_OK;
    }
    return wd_buffer_format(&run->difference, "step %zu (%s): ", run->step, run->op != NULL ? run->op : "?");
}

wd_status wd_conform_differ(wd_conform *run, const char *format, ...)
{
    if (run->failed) {
        return WD_OK;
    }
    char text[WD_ERROR_TEXT_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    wd_status status = open_difference(run);
    return status != WD_OK ? status : wd_buffer_text(&run->difference, text);
}

static wd_status write_side(wd_conform *run, const wd_value *value)
{
    enum { SIDE_TEXT_MAX = 200 };
    if (value == NULL) {
        return wd_buffer_text(&run->difference, "absence");
    }
    wd_buffer text = { 0 };
    wd_status status = wd_json_write(value, WD_JSON_COMPACT, &text);
    if (status == WD_OK) {
        bool whole = text.length <= SIDE_TEXT_MAX;
        status = wd_buffer_append(&run->difference, text.bytes, whole ? text.length : SIDE_TEXT_MAX);
        if (status == WD_OK && !whole) {
            status = wd_buffer_text(&run->difference, "...");
        }
    }
    wd_buffer_done(&text);
    return status;
}

static wd_status differ_at_path(wd_conform *run, const wd_value *wanted, const wd_value *got)
{
    if (run->failed) {
        return WD_OK;
    }
    wd_status status = open_difference(run);
    if (status == WD_OK) {
        status = wd_buffer_append(&run->difference, run->path.bytes, run->path.length);
    }
    if (status == WD_OK) {
        status = wd_buffer_text(&run->difference, ": ");
    }
    if (status == WD_OK) {
        status = write_side(run, wanted);
    }
    if (status == WD_OK) {
        status = wd_buffer_text(&run->difference, " wanted, ");
    }
    if (status == WD_OK) {
        status = write_side(run, got);
    }
    return status != WD_OK ? status : wd_buffer_text(&run->difference, " found");
}

// ---- drawn ids --------------------------------------------------------------------------------------------

const char *wd_conform_ours(const wd_conform *run, const char *wanted)
{
    return wd_value_string_or(wd_object_get(run->ours, wanted), wanted);
}

void wd_conform_forget_ids(wd_conform *run)
{
    wd_value_unref(&run->ours);
    wd_value_unref(&run->theirs);
}

static wd_status bind_id(wd_conform *run, const char *wanted, const char *got)
{
    if (run->ours == NULL) {
        run->ours = wd_value_object();
        run->theirs = wd_value_object();
    }
    wd_value *ours = NULL;
    wd_value *theirs = NULL;
    wd_status status = wd_value_text(got, &ours);
    if (status == WD_OK) {
        status = wd_value_text(wanted, &theirs);
    }
    if (status == WD_OK) {
        status = wd_object_set(&run->ours, wanted, &ours);
    }
    if (status == WD_OK) {
        status = wd_object_set(&run->theirs, got, &theirs);
    }
    wd_value_unref(&ours);
    wd_value_unref(&theirs);
    return status;
}

/// Texts agree: the same, or drawn ids that stand for each other (bound here when both are new).
static wd_status texts_agree(wd_conform *run, const char *wanted, const char *got, bool *ret_agree)
{
    if (run->is_drawn == NULL || !run->is_drawn(run, wanted)) {
        *ret_agree = strcmp(wanted, got) == 0;
        return WD_OK;
    }
    const char *ours = wd_value_string_or(wd_object_get(run->ours, wanted), NULL);
    const char *theirs = wd_value_string_or(wd_object_get(run->theirs, got), NULL);
    if (ours == NULL && theirs == NULL) {
        *ret_agree = true;
        return bind_id(run, wanted, got);
    }
    *ret_agree = ours != NULL && strcmp(ours, got) == 0;
    return WD_OK;
}

wd_status wd_conform_translate(const wd_conform *run, const wd_value *value, wd_value **ret_value)
{
    wd_status status = WD_OK;
    switch (wd_value_kind(value)) {
    case WD_KIND_STRING:
        return wd_value_text(wd_conform_ours(run, wd_value_as_string(value, NULL)), ret_value);
    case WD_KIND_ARRAY:
    case WD_KIND_OBJECT:
        break;
    default:
        *ret_value = wd_value_ref(value);
        return WD_OK;
    }
    bool is_array = wd_value_is(value, WD_KIND_ARRAY);
    wd_value *copy = is_array ? wd_value_array() : wd_value_object();
    wd_iter iter = wd_iter_start(value);
    while (status == WD_OK && wd_iter_next(&iter)) {
        wd_value *child = NULL;
        status = wd_conform_translate(run, iter.value, &child);
        if (status == WD_OK) {
            status = is_array ? wd_array_append(&copy, &child)
                              : wd_object_set_n(&copy, iter.key, iter.key_length, &child);
        }
        wd_value_unref(&child);
    }
    if (status != WD_OK) {
        wd_value_unref(&copy);
        return status;
    }
    *ret_value = copy;
    return WD_OK;
}

// ---- comparing --------------------------------------------------------------------------------------------

static wd_status compare(wd_conform *run, const wd_value *wanted, const wd_value *got);

static wd_status compare_child(wd_conform *run, size_t length, const wd_value *wanted, const wd_value *got)
{
    wd_status status = compare(run, wanted, got);
    run->path.length = length;
    if (run->path.bytes != NULL) {
        run->path.bytes[length] = '\0';
    }
    return status;
}

static wd_status compare_arrays(wd_conform *run, const wd_value *wanted, const wd_value *got)
{
    size_t count = wd_array_count(wanted);
    size_t found = wd_array_count(got);
    size_t length = run->path.length;
    wd_status status = WD_OK;
    for (size_t i = 0; i < (count > found ? count : found) && status == WD_OK && !run->failed; i++) {
        status = wd_buffer_format(&run->path, "[%zu]", i);
        if (status == WD_OK) {
            status = compare_child(run, length, wd_array_at(wanted, i), wd_array_at(got, i));
        }
    }
    return status;
}

static wd_status compare_objects(wd_conform *run, const wd_value *wanted, const wd_value *got)
{
    size_t length = run->path.length;
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(wanted);
    while (status == WD_OK && !run->failed && wd_iter_next(&iter)) {
        status = wd_buffer_format(&run->path, ".%s", iter.key);
        if (status == WD_OK) {
            status =
                compare_child(run, length, iter.value, wd_object_get(got, wd_conform_ours(run, iter.key)));
        }
    }
    iter = wd_iter_start(got);
    while (status == WD_OK && !run->failed && wd_iter_next(&iter)) {
        const char *key = wd_value_string_or(wd_object_get(run->theirs, iter.key), iter.key);
        if (wd_object_get(wanted, key) == NULL) {
            status = wd_buffer_format(&run->path, ".%s", iter.key);
            if (status == WD_OK) {
                status = compare_child(run, length, NULL, iter.value);
            }
        }
    }
    return status;
}

static wd_status compare(wd_conform *run, const wd_value *wanted, const wd_value *got)
{
    if (wd_value_is(wanted, WD_KIND_ARRAY) && wd_value_is(got, WD_KIND_ARRAY)) {
        return compare_arrays(run, wanted, got);
    }
    if (wd_value_is(wanted, WD_KIND_OBJECT) && wd_value_is(got, WD_KIND_OBJECT)) {
        return compare_objects(run, wanted, got);
    }
    bool agree = wd_value_equal(wanted, got);
    if (wd_value_is(wanted, WD_KIND_STRING) && wd_value_is(got, WD_KIND_STRING)) {
        wd_status status =
            texts_agree(run, wd_value_as_string(wanted, NULL), wd_value_as_string(got, NULL), &agree);
        if (status != WD_OK) {
            return status;
        }
    }
    return agree ? WD_OK : differ_at_path(run, wanted, got);
}

wd_status wd_conform_expect(wd_conform *run, const char *what, const wd_value *wanted, const wd_value *got)
{
    if (run->failed) {
        return WD_OK;
    }
    run->path.length = 0;
    wd_status status = wd_buffer_text(&run->path, what);
    return status != WD_OK ? status : compare(run, wanted, got);
}

// ---- the device under test --------------------------------------------------------------------------------

wd_status wd_conform_device(const wd_conform *run, const wd_device_hooks *hooks, wd_device **ret_device)
{
    wd_device_options options = wd_device_options_default();
    options.packages = run->packages;
    options.hooks = hooks;
    return wd_device_new(&options, ret_device, NULL);
}

wd_status wd_conform_outcome(wd_conform *run, wd_device *device, wd_digest before, wd_status outcome,
    const wd_error *why, bool refused)
{
    if (outcome == WD_ENOMEM) {
        return WD_ENOMEM;
    }
    if (!refused) {
        return outcome == WD_OK ? WD_OK
                                : wd_conform_differ(run, "error: absence wanted, \"%s\" found", why->text);
    }
    if (outcome == WD_OK) {
        return wd_conform_differ(run, "error: true wanted, absence found");
    }
    if (!wd_digest_equal(before, wd_device_digest(device))) {
        return wd_conform_differ(run, "error: refused, but the machine has changed");
    }
    return WD_OK;
}

wd_status wd_conform_call(wd_conform *run, wd_device *device, const char *op, const wd_value *args,
    bool refused, wd_value **ret_answer)
{
    wd_error error = { 0 };
    wd_digest before = wd_device_digest(device);
    wd_status outcome = wd_device_call(device, op, args, ret_answer, &error);
    if (outcome != WD_OK && error.text[0] == '\0') {
        (void)wd_error_set(&error, outcome, "%s", wd_status_text(outcome));
    }
    return wd_conform_outcome(run, device, before, outcome, &error, refused);
}

wd_status wd_conform_without(const wd_value *object, const char *name, wd_value **ret_object)
{
    wd_value *copy = wd_value_ref(object);
    wd_status status = wd_object_get(copy, name) != NULL ? wd_object_remove(&copy, name) : WD_OK;
    if (status != WD_OK) {
        wd_value_unref(&copy);
        return status;
    }
    *ret_object = copy;
    return WD_OK;
}
