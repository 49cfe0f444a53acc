/// conform.c - walking golden files, and comparing what is wanted with what came out.
#include "conform_list.h"
#include "judge/changes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const wd_conform_kind *const kinds[] = {
    &wd_conform_diff,
    &wd_conform_side_effects,
    &wd_conform_criteria,
    &wd_conform_answers,
    &wd_conform_metrics,
    &wd_conform_tasks,
};

static const wd_conform_kind *find_kind(const char *name)
{
    for (size_t i = 0; i < WD_COUNT_OF(kinds); i++) {
        if (strcmp(kinds[i]->name, name) == 0) {
            return kinds[i];
        }
    }
    return NULL;
}

bool wd_conform_kind_known(const char *kind)
{
    return find_kind(kind) != NULL;
}

static wd_status visit_row(
    const wd_conform_list *list, wd_conform_case *one, wd_conform_visit visit, void *context)
{
    if (list->inner == NULL) {
        return visit(context, one);
    }
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(wd_object_get(one->row, list->inner));
    while (status == WD_OK && wd_iter_next(&iter)) {
        one->inner = iter.value;
        one->inner_index = iter.index;
        status = visit(context, one);
    }
    return status;
}

wd_status wd_conform_cases(
    const char *kind, const wd_value *file, wd_conform_visit visit, void *context, wd_error *error)
{
    const wd_conform_kind *found = find_kind(kind);
    if (found == NULL) {
        return wd_error_set(error, WD_ENOENT, "unknown kind of cases: %s", kind);
    }
    size_t lists = 0;
    wd_status status = WD_OK;
    for (size_t i = 0; i < found->count; i++) {
        const wd_conform_list *list = &found->lists[i];
        const wd_value *rows = wd_object_get(file, list->name);
        lists += wd_value_is(rows, WD_KIND_ARRAY);
        wd_iter iter = wd_iter_start(wd_value_is(rows, WD_KIND_ARRAY) ? rows : NULL);
        while (status == WD_OK && wd_iter_next(&iter)) {
            wd_conform_case one = {
                .list = list->name, .index = iter.index, .file = file, .row = iter.value, .replayer = list
            };
            status = visit_row(list, &one, visit, context);
        }
    }
    if (lists == 0) {
        return wd_error_set(error, WD_ETYPE, "not a file of %s cases: none of its lists is there", kind);
    }
    return status;
}

void wd_conform_case_name(const wd_conform_case *one, char *ret_name, size_t size)
{
    const char *name = wd_value_string_or(wd_object_get(one->row, "name"), NULL);
    if (one->inner != NULL) {
        snprintf(ret_name, size, "%s[%zu].%s[%zu] %s %s", one->list, one->index, one->replayer->inner,
            one->inner_index, wd_value_string_or(wd_object_get(one->row, "task"), ""),
            wd_value_string_or(wd_object_get(one->inner, "name"), ""));
    } else if (name != NULL) {
        snprintf(ret_name, size, "%s[%zu] %s", one->list, one->index, name);
    } else {
        snprintf(ret_name, size, "%s[%zu]", one->list, one->index);
    }
}

/// Two numbers that differ by rounding alone.
static bool is_close(const wd_change *change, double tolerance)
{
    if (!wd_value_is_number(change->before) || !wd_value_is_number(change->after)) {
        return false;
    }
    double wanted = wd_value_as_double(change->before);
    return fabs(wanted - wd_value_as_double(change->after)) <= tolerance * fabs(wanted);
}

wd_status wd_conform_replay(const wd_conform_case *one, wd_conform_result *ret_result, wd_error *error)
{
    wd_conform_result result = { .holds = true };
    wd_status status = one->replayer->replay(one, &result.wanted, &result.got, error);
    wd_changes *changes = NULL;
    if (status == WD_OK &&
        !wd_value_equal(result.wanted, result.got)) {  // the report under test is no referee
        status = wd_changes_make(result.wanted, result.got, &changes);
        result.holds = one->replayer->tolerance > 0.0;
    }
    for (size_t i = 0; result.path[0] == '\0' && i < wd_changes_count(changes); i++) {
        const wd_change *change = wd_changes_at(changes, i);
        if (!is_close(change, one->replayer->tolerance)) {
            result.holds = false;
            snprintf(result.path, sizeof result.path, "%s", change->path);
        }
    }
    wd_changes_destroy(&changes);
    if (status != WD_OK) {
        wd_conform_result_done(&result);
        return status;
    }
    *ret_result = result;
    return WD_OK;
}

void wd_conform_result_done(wd_conform_result *result)
{
    wd_value_unref(&result->wanted);
    wd_value_unref(&result->got);
}

typedef struct tally {
    wd_conform_on_failure on_failure;
    void *context;
    size_t holds, fails;
    wd_error *error;
} tally;

static wd_status count_case(void *context, const wd_conform_case *one)
{
    tally *count = context;
    wd_conform_result result = { 0 };
    wd_status status = wd_conform_replay(one, &result, count->error);
    if (status != WD_OK) {
        char name[160];
        wd_conform_case_name(one, name, sizeof name);
        wd_error_prefix(count->error, "%s", name);
        return status;
    }
    if (result.holds) {
        count->holds += 1;
    } else {
        count->fails += 1;
        if (count->on_failure != NULL) {
            count->on_failure(count->context, one, &result);
        }
    }
    wd_conform_result_done(&result);
    return WD_OK;
}

wd_status wd_judge_conform(const char *kind, const wd_value *file, wd_conform_on_failure on_failure,
    void *context, size_t *ret_holds, size_t *ret_fails, wd_error *error)
{
    tally count = { .on_failure = on_failure, .context = context, .error = error };
    wd_status status = wd_conform_cases(kind, file, count_case, &count, error);
    if (status == WD_OK) {
        *ret_holds = count.holds;
        *ret_fails = count.fails;
    }
    return status;
}

// ---- helpers of the replays -------------------------------------------------------------------------------

wd_status wd_conform_put(wd_value **got_p, const char *name, wd_value **item_p)
{
    wd_status status = wd_object_set(got_p, name, item_p);
    wd_value_unref(item_p);
    return status;
}

wd_status wd_conform_put_bool(wd_value **got_p, const char *name, bool flag)
{
    wd_value *item = wd_value_bool(flag);
    return wd_conform_put(got_p, name, &item);
}

wd_status wd_conform_pick(const wd_value *row, const char *const *names, wd_value **ret_object)
{
    wd_value *object = wd_value_object();
    wd_status status = WD_OK;
    for (; status == WD_OK && *names != NULL; names++) {
        wd_value *item = wd_value_ref(wd_object_get(row, *names));
        if (item != NULL) {
            status = wd_conform_put(&object, *names, &item);
        }
    }
    if (status != WD_OK) {
        wd_value_unref(&object);
        return status;
    }
    *ret_object = object;
    return WD_OK;
}
