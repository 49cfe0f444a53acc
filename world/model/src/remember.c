#include "remember.h"

#include "tree/json.h"

#include <stdio.h>
#include <string.h>

static wd_status name_add(wd_value **list_p, const char *name, size_t length)
{
    if (*list_p == NULL) {
        *list_p = wd_value_array();
    }
    wd_value *text = NULL;
    wd_status status = wd_value_string(name, length, &text);
    if (status == WD_OK) {
        status = wd_array_append(list_p, &text);
    }
    wd_value_unref(&text);
    return status;
}

static wd_status forget(wd_value **variables_p, const wd_iter *member, wd_observe_report *report)
{
    wd_status status = wd_object_remove_n(variables_p, member->key, member->key_length);
    if (status == WD_ENOENT) {
        return WD_OK;  // there was nothing to forget
    }
    return status == WD_OK ? name_add(&report->forgotten, member->key, member->key_length) : status;
}

static wd_status take_all(const wd_value *remember, wd_value **variables_p, wd_observe_report *report)
{
    wd_iter member = wd_iter_start(remember);
    wd_status status = WD_OK;
    while (status == WD_OK && wd_iter_next(&member)) {
        if (wd_value_is(member.value, WD_KIND_NULL)) {
            status = forget(variables_p, &member, report);
            continue;
        }
        wd_value *item = wd_value_ref(member.value);
        status = wd_object_set_n(variables_p, member.key, member.key_length, &item);
        wd_value_unref(&item);
        if (status == WD_OK) {
            status = name_add(&report->remembered, member.key, member.key_length);
        }
    }
    return status;
}

/// @retval WD_ELIMIT  over the bounds; `ret_reason` says by how much.
static wd_status check_bounds(
    const wd_world_options *options, const wd_value *variables, wd_error *ret_reason)
{
    size_t count = wd_object_count(variables);
    if (count > options->variables_count_max) {
        return wd_error_set(ret_reason, WD_ELIMIT, "remember: %zu names together, %zu are allowed", count,
            options->variables_count_max);
    }
    wd_buffer text = { 0 };
    wd_status status = wd_json_write(variables, WD_JSON_COMPACT, &text);
    if (status == WD_OK && text.length > options->variables_bytes_max) {
        status = wd_error_set(ret_reason, WD_ELIMIT, "remember: %zu bytes of JSON together, %zu are allowed",
            text.length, options->variables_bytes_max);
    }
    wd_buffer_done(&text);
    return status;
}

static wd_status refuse(
    wd_observe_report *report, const char *reason, const wd_value *old, wd_value **ret_variables)
{
    wd_value_unref(&report->remembered);
    wd_value_unref(&report->forgotten);
    snprintf(report->refused, sizeof report->refused, "%.*s", (int)sizeof report->refused - 1, reason);
    wd_value_unref(ret_variables);
    *ret_variables = wd_value_ref(old);
    return WD_OK;
}

wd_status wd_remember(const wd_value *variables, const wd_step *step, const wd_result *result,
    const wd_world_options *options, wd_observe_report *report, wd_value **ret_variables)
{
    const wd_value *remember = wd_object_get(step->args, "remember");
    *ret_variables = wd_value_ref(variables);
    if (remember == NULL) {
        return WD_OK;
    }
    if (!wd_value_is(remember, WD_KIND_OBJECT)) {
        wd_error reason;
        wd_error_set(
            &reason, WD_ETYPE, "remember: must be an object, is %s", wd_kind_name(wd_value_kind(remember)));
        return refuse(report, reason.text, variables, ret_variables);
    }
    if (result->outcome != WD_OUTCOME_OK) {
        return refuse(report, "remember: the step did not succeed", variables, ret_variables);
    }
    wd_error reason = { .text = "remember: nested too deep" };
    wd_status status = take_all(remember, ret_variables, report);
    if (status == WD_OK) {
        status = check_bounds(options, *ret_variables, &reason);
    }
    if (status == WD_ELIMIT) {
        return refuse(report, reason.text, variables, ret_variables);
    }
    return status;
}
