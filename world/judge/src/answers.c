/// answers.c - a task's answer: what it wants, what was given, and the checks of both (judge.md 6.3, 6.5).
#include "judge/answers.h"

#include "answer_text.h"
#include "grow.h"
#include "judge/criteria.h"
#include "judge/operators.h"
#include "judge/scope.h"
#include "judge/template.h"
#include "sort.h"

#include <stdio.h>
#include <stdlib.h>

// ---- what is wanted ---------------------------------------------------------------------------------------

/// The value at a path of the initial state; null when there is none.
static wd_status read_path(const wd_value *text, const wd_value *task, const wd_value *initial,
    wd_value **ret_value, wd_error *error)
{
    size_t length = 0;
    const char *bytes = wd_value_as_string(text, &length);
    wd_buffer key = { 0 };
    wd_path *path = NULL;
    wd_status status = wd_template_fill(bytes, length, wd_object_get(task, "params"), &key);
    if (status == WD_OK) {
        wd_scope_place place = wd_scope_find(key.bytes, key.length, wd_object_get(task, "apps"), initial);
        status = wd_path_parse(place.rest, place.rest_length, &path, error);
        const wd_value *found =
            status == WD_OK && place.root != NULL ? wd_path_get(path, place.root, true) : NULL;
        *ret_value = found != NULL ? wd_value_ref(found) : wd_value_null();
    }
    wd_path_destroy(&path);
    wd_buffer_done(&key);
    return status;
}

/// A string that starts with '.' or names an app before the first '.' or '['.
static bool is_path(const wd_value *value)
{
    if (!wd_value_is(value, WD_KIND_STRING)) {
        return false;
    }
    const char *text = wd_value_as_string(value, NULL);
    return text[0] == '.' || text[strcspn(text, ":.[")] == ':';
}

bool wd_answer_reads_state(const wd_value *answer)
{
    if (!wd_value_is(answer, WD_KIND_OBJECT)) {
        return is_path(answer);
    }
    if (wd_object_get(answer, "$regex") != NULL || wd_object_get(answer, "$value") != NULL) {
        return false;
    }
    if (wd_object_get(answer, "$length") != NULL) {
        return true;
    }
    wd_iter iter = wd_iter_start(answer);
    while (wd_iter_next(&iter)) {
        if (wd_answer_reads_state(iter.value)) {
            return true;
        }
    }
    return false;
}

static wd_status read_length(const wd_value *path, const wd_value *task, const wd_value *initial,
    wd_value **ret_value, wd_error *error)
{
    if (!wd_value_is(path, WD_KIND_STRING)) {
        return wd_error_set(error, WD_ETYPE, "$length: expected a path");
    }
    wd_value *value = NULL;
    wd_status status = read_path(path, task, initial, &value, error);
    if (status == WD_OK && !wd_value_is(value, WD_KIND_NULL)) {
        size_t count = wd_array_count(value) + wd_object_count(value);
        wd_value_unref(&value);
        status = wd_value_int((int64_t)count, &value);
    }
    *ret_value = value;
    return status;
}

static wd_status read_wanted(const wd_value *answer, const wd_value *task, const wd_value *initial,
    wd_value **ret_wanted, wd_error *error)
{
    if (is_path(answer)) {
        return read_path(answer, task, initial, ret_wanted, error);
    }
    if (!wd_value_is(answer, WD_KIND_OBJECT) || wd_object_get(answer, "$regex") != NULL) {
        return wd_template_value(answer, wd_object_get(task, "params"), ret_wanted, error);
    }
    if (wd_object_get(answer, "$value") != NULL) {
        *ret_wanted = wd_value_ref(wd_object_get(answer, "$value"));
        return WD_OK;
    }
    if (wd_object_get(answer, "$length") != NULL) {
        return read_length(wd_object_get(answer, "$length"), task, initial, ret_wanted, error);
    }
    wd_value *slots = wd_value_object();
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(answer);
    while (status == WD_OK && wd_iter_next(&iter)) {
        wd_value *slot = NULL;
        status = read_wanted(iter.value, task, initial, &slot, error);
        status = status == WD_OK ? wd_object_set_n(&slots, iter.key, iter.key_length, &slot) : status;
        wd_value_unref(&slot);
    }
    if (status != WD_OK) {
        wd_value_unref(&slots);
        return status;
    }
    *ret_wanted = slots;
    return WD_OK;
}

wd_status wd_answer_wanted(
    const wd_value *task, const wd_value *initial, wd_value **ret_wanted, wd_error *error)
{
    wd_status status = read_wanted(wd_object_get(task, "answer"), task, initial, ret_wanted, error);
    if (status != WD_OK && status != WD_ENOMEM) {
        wd_error_prefix(error, "answer");
    }
    return status;
}

static bool is_present(const wd_value *value)
{
    return value != NULL && !wd_value_is(value, WD_KIND_NULL);
}

static wd_status text_value(const wd_value *value, wd_value **ret_text)
{
    wd_buffer buffer = { 0 };
    wd_status status = wd_answer_text(value, &buffer);
    status = status == WD_OK ? wd_value_string(buffer.bytes, buffer.length, ret_text) : status;
    wd_buffer_done(&buffer);
    return status;
}

/// One wanted value per field: as the task lists them, else its one answer, or the texts of its slots.
static wd_status wanted_list(const wd_answer_input *input, wd_value **ret_list, wd_error *error)
{
    const wd_value *response = wd_object_get(input->task, "expected_response");
    if (is_present(response)) {
        *ret_list = wd_value_ref(response);
        return WD_OK;
    }
    if (!is_present(wd_object_get(input->task, "answer"))) {
        return wd_error_set(error, WD_EINVAL, "answer_sheet: the task wants no answer");
    }
    wd_value *wanted = NULL;
    wd_status status = wd_answer_wanted(input->task, input->initial, &wanted, error);
    bool slots = wd_value_is(wanted, WD_KIND_OBJECT) && wd_object_get(wanted, "$regex") == NULL;
    wd_value *list = wd_value_array();
    if (status == WD_OK && !slots) {
        status = wd_array_append(&list, &wanted);
    }
    wd_iter iter = wd_iter_start(slots ? wanted : NULL);
    while (status == WD_OK && wd_iter_next(&iter)) {
        wd_value *text = NULL;
        status = text_value(iter.value, &text);
        status = status == WD_OK ? wd_array_append(&list, &text) : status;
        wd_value_unref(&text);
    }
    wd_value_unref(&wanted);
    if (status != WD_OK) {
        wd_value_unref(&list);
        return status;
    }
    *ret_list = list;
    return WD_OK;
}

// ---- checks -----------------------------------------------------------------------------------------------

/// What was not given is shown as null.
static wd_status append_check(
    const char *field, const wd_value *wanted, const wd_value *given, bool passed, wd_value **checks_p)
{
    wd_value *nothing = wd_value_null();
    wd_value *check = NULL;
    wd_status status = wd_check_make(field, wanted, given != NULL ? given : nothing, passed, &check);
    status = status == WD_OK ? wd_array_append(checks_p, &check) : status;
    wd_value_unref(&check);
    wd_value_unref(&nothing);
    return status;
}

static wd_status check_spoken(
    const char *slot, const wd_value *wanted, const wd_value *given, wd_value **checks_p, wd_error *error)
{
    wd_buffer field = { 0 };
    bool match = false;
    wd_status status = wd_buffer_format(&field, slot != NULL ? "answer.%s" : "answer", slot);
    status = status == WD_OK ? wd_answer_spoken(wanted, given, &match, error) : status;
    if (status == WD_OK) {
        status = append_check(field.bytes, wanted, given, match, checks_p);
    } else if (status != WD_ENOMEM) {
        wd_error_prefix(error, "%.80s", field.bytes);
    }
    wd_buffer_done(&field);
    return status;
}

/// One check per slot of a wanted object, else one.
static wd_status check_text(
    const wd_value *wanted, const wd_value *given, wd_value **checks_p, wd_error *error)
{
    if (!wd_value_is(wanted, WD_KIND_OBJECT) || wd_object_get(wanted, "$regex") != NULL) {
        return check_spoken(NULL, wanted, given, checks_p, error);
    }
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(wanted);
    while (status == WD_OK && wd_iter_next(&iter)) {
        status = check_spoken(iter.key, iter.value, given, checks_p, error);
    }
    return status;
}

// ---- the sheet --------------------------------------------------------------------------------------------

static const wd_value *sheet_of(const wd_value *final)
{
    return wd_object_get(wd_object_get(final, "apps"), "answer_sheet");
}

static wd_status check_field(const wd_answer_input *input, const wd_iter *field, const wd_value *wanted,
    const wd_value *given, wd_value **checks_p)
{
    const char *label = wd_value_string_or(wd_object_get(field->value, "label"), "");
    wd_buffer name = { 0 };
    wd_status status = label[0] != '\0' ? wd_buffer_format(&name, "answer_sheet.%s", label)
                                        : wd_buffer_format(&name, "answer_sheet.%zu", field->index);
    bool match = false;
    status = status == WD_OK ? wd_answer_field(field->value, wanted, given, input->clock, &match) : status;
    status = status == WD_OK ? append_check(name.bytes, wanted, given, match, checks_p) : status;
    wd_buffer_done(&name);
    return status;
}

/// Field by field, then whether the sheet was handed in: only a literal true will do.
static wd_status check_sheet(const wd_answer_input *input, wd_value **checks_p, wd_error *error)
{
    const wd_value *sheet = sheet_of(input->final);
    const wd_value *fields = wd_object_get(sheet, "fields");
    const wd_value *answers = wd_object_get(sheet, "answers");
    wd_value *wanted = NULL;
    wd_status status = wanted_list(input, &wanted, error);
    if (status == WD_OK && (sheet == NULL || wd_array_count(fields) != wd_array_count(wanted))) {
        status = wd_error_set(error, WD_EINVAL, "answer_sheet: %zu fields on the sheet for %zu wanted values",
            wd_array_count(fields), wd_array_count(wanted));
    }
    wd_iter iter = wd_iter_start(fields);
    while (status == WD_OK && wd_iter_next(&iter)) {
        char key[24];
        snprintf(key, sizeof key, "%zu", iter.index);
        status =
            check_field(input, &iter, wd_array_at(wanted, iter.index), wd_object_get(answers, key), checks_p);
    }
    if (status == WD_OK) {
        const wd_value *submitted = wd_object_get(sheet, "submitted");
        wd_value *yes = wd_value_bool(true);
        status = append_check(
            "answer_sheet.submitted", yes, submitted, wd_value_bool_or(submitted, false), checks_p);
        wd_value_unref(&yes);
    }
    wd_value_unref(&wanted);
    return status;
}

/// An answer of the sheet under its number.
typedef struct numbered {
    long number;
    const wd_value *value;
} numbered;

static int compare_numbers(const void *a, const void *b)
{
    const numbered *left = a;
    const numbered *right = b;
    return (left->number > right->number) - (left->number < right->number);
}

static wd_status append_joined(const wd_value *value, wd_buffer *text)
{
    if (!wd_value_is(value, WD_KIND_ARRAY)) {
        wd_status status = text->length > 0 ? wd_buffer_text(text, ", ") : WD_OK;
        return status == WD_OK ? wd_answer_text(value, text) : status;
    }
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(value);
    while (status == WD_OK && wd_iter_next(&iter)) {
        status = append_joined(iter.value, text);
    }
    return status;
}

static wd_status number_answers(const wd_value *answers, numbered *ret_items, wd_error *error)
{
    wd_iter iter = wd_iter_start(answers);
    while (wd_iter_next(&iter)) {
        size_t digits = strspn(iter.key, "0123456789");
        if (digits == 0 || digits > 9 || iter.key[digits] != '\0') {
            return wd_error_set(error, WD_EINVAL, "answer_sheet: \"%.40s\" is no field's number", iter.key);
        }
        ret_items[iter.index] = (numbered){ .number = strtol(iter.key, NULL, 10), .value = iter.value };
    }
    return WD_OK;
}

/// All answers of a sheet that was handed in, in order of their fields, as one text; NULL when there is none.
static wd_status join_sheet(const wd_value *sheet, wd_value **ret_text, wd_error *error)
{
    const wd_value *answers = wd_object_get(sheet, "answers");
    size_t count = wd_object_count(answers);
    if (count == 0 || wd_falsy(wd_object_get(sheet, "submitted"))) {
        return WD_OK;
    }
    numbered *items = wd_alloc(2 * count * sizeof *items);
    if (items == NULL) {
        return WD_ENOMEM;
    }
    wd_buffer text = { 0 };
    wd_status status = number_answers(answers, items, error);
    if (status == WD_OK) {
        wd_sort(items, items + count, count, sizeof *items, compare_numbers);
        status = wd_buffer_text(&text, "");
    }
    for (size_t i = 0; status == WD_OK && i < count; i++) {
        status = append_joined(items[i].value, &text);
    }
    status = status == WD_OK ? wd_value_string(text.bytes, text.length, ret_text) : status;
    wd_free(items, 2 * count * sizeof *items);
    wd_buffer_done(&text);
    return status;
}

wd_status wd_answer_given(const wd_answer_input *input, wd_value **ret_given, wd_error *error)
{
    *ret_given = NULL;
    if (input->grounded && wd_array_count(wd_object_get(input->task, "answer_fields")) > 0) {
        return join_sheet(sheet_of(input->final), ret_given, error);
    }
    return input->spoken != NULL ? wd_value_text(input->spoken, ret_given) : WD_OK;
}

wd_status wd_answer_check(const wd_answer_input *input, wd_value **checks_p, wd_error *error)
{
    const wd_value *task = input->task;
    bool sheet = input->grounded && wd_array_count(wd_object_get(task, "answer_fields")) > 0;
    bool checks_more =
        wd_object_count(wd_object_get(task, "criteria")) > 0 || is_present(wd_object_get(task, "check"));
    if (sheet && !checks_more) {
        return check_sheet(input, checks_p, error);
    }
    if (!is_present(wd_object_get(task, "answer"))) {
        return WD_OK;
    }
    wd_value *wanted = NULL;
    wd_value *given = NULL;
    wd_status status = wd_answer_wanted(task, input->initial, &wanted, error);
    status = status == WD_OK ? wd_answer_given(input, &given, error) : status;
    status = status == WD_OK ? check_text(wanted, given, checks_p, error) : status;
    wd_value_unref(&wanted);
    wd_value_unref(&given);
    return status;
}
