#include "runtime/task_check.h"

#include "lookup.h"
#include "task_lua.h"

#include "judge/criteria.h"
#include "judge/operators.h"

#include <stdio.h>
#include <string.h>

static wd_status holds(const wd_value *where, const wd_value *record, bool *ret_holds)
{
    *ret_holds = wd_value_is(record, WD_KIND_OBJECT);
    wd_iter place = wd_iter_start(where);
    while (*ret_holds && wd_iter_next(&place)) {
        const wd_value *found = NULL;
        wd_status status = wd_lookup(record, place.key, &found);
        if (status != WD_OK) {
            return status;
        }
        *ret_holds = wd_operators_hold(place.value, found);
    }
    return WD_OK;
}

/// Was a record of that identity there? `table` is the place at the start: a list with ids, or an object by key.
static bool was_there(const wd_value *table, const wd_iter *record)
{
    if (wd_value_is(table, WD_KIND_OBJECT)) {
        return wd_object_get_n(table, record->key, record->key_length) != NULL;
    }
    const wd_value *id = wd_object_get(record->value, "id");
    wd_iter old = wd_iter_start(table);
    while (wd_iter_next(&old)) {
        bool same = id == NULL ? wd_value_equal(old.value, record->value)
                               : wd_value_equal(wd_object_get(old.value, "id"), id);
        if (same) {
            return true;
        }
    }
    return false;
}

static wd_status check_where(const wd_value *where, wd_error *error)
{
    if (!wd_value_is(where, WD_KIND_OBJECT) || wd_object_count(where) == 0) {
        return wd_error_set(error, WD_ETYPE, "where: must be an object with members");
    }
    wd_status status = WD_OK;
    wd_iter place = wd_iter_start(where);
    while (status == WD_OK && wd_iter_next(&place)) {
        status = wd_operators_check(place.value, error);
    }
    return status;
}

/// One record wanted: append its check.
static wd_status check_record(
    const wd_value *wanted, size_t index, const wd_judge_input *input, wd_value **checks_p, wd_error *error)
{
    const char *path = wd_value_string_or(wd_object_get(wanted, "in"), NULL);
    const wd_value *where = wd_object_get(wanted, "where"), *found = NULL;
    bool fresh = wd_value_bool_or(wd_object_get(wanted, "new"), false);
    bool absent = wd_value_bool_or(wd_object_get(wanted, "absent"), false);
    if (path == NULL) {
        return wd_error_set(error, WD_EINVAL, "in: wants a path");
    }
    const wd_value *before = NULL, *table = NULL;
    wd_status status = check_where(where, error);
    status = status == WD_OK ? wd_lookup(input->initial, path, &before) : status;
    status = status == WD_OK ? wd_lookup(input->final, path, &table) : status;
    wd_iter record = wd_iter_start(table);
    while (status == WD_OK && found == NULL && wd_iter_next(&record)) {
        bool right = false;
        status = holds(where, record.value, &right);
        found = right && !(fresh && was_there(before, &record)) ? record.value : NULL;
    }
    char field[128];
    const char *name = wd_value_string_or(wd_object_get(wanted, "name"), NULL);
    if (name != NULL) {
        snprintf(field, sizeof field, "records.%.100s", name);
    } else {
        snprintf(field, sizeof field, "records[%zu]", index);
    }
    wd_value *check = NULL;
    status = status == WD_OK ? wd_check_make(field, where, found, (found != NULL) != absent, &check) : status;
    status = status == WD_OK ? wd_array_append(checks_p, &check) : status;
    wd_value_unref(&check);
    return status;
}

static wd_status check_records(
    const wd_task *task, const wd_judge_input *input, wd_value **ret_checks, wd_error *error)
{
    const wd_value *declared = wd_object_get(task->document, "records");
    if (wd_array_count(declared) == 0 || wd_array_count(declared) > WD_TASK_RECORDS_MAX) {
        return wd_error_set(error, WD_EINVAL, "records: wants 1 to %d", WD_TASK_RECORDS_MAX);
    }
    wd_value *filled = NULL, *checks = wd_value_array();
    wd_status status = wd_task_fill(declared, task->params, &filled);
    wd_iter wanted = wd_iter_start(filled);
    while (status == WD_OK && wd_iter_next(&wanted)) {
        status = check_record(wanted.value, wanted.index, input, &checks, error);
        if (status != WD_OK) {
            wd_error_prefix(error, "records[%zu]", wanted.index);
        }
    }
    wd_value_unref(&filled);
    if (status != WD_OK) {
        wd_value_unref(&checks);
        return status;
    }
    *ret_checks = checks;
    return WD_OK;
}

static wd_status run_check(
    void *context, const char *name, const wd_judge_input *input, wd_value **ret_checks, wd_error *error)
{
    const wd_task_judging *judging = context;
    if (strcmp(name, "records") == 0) {
        return check_records(judging->task, input, ret_checks, error);
    }
    if (strcmp(name, "lua") == 0) {
        return wd_task_lua_check(judging, input, ret_checks, error);
    }
    return wd_error_set(error, WD_ENOENT, "there is no such check");
}

wd_judge_functions wd_task_checks(wd_task_judging *judging)
{
    return (wd_judge_functions){ .context = judging, .check = run_check };
}
