/// order.c - reading order rules, and counting the steps that break them.
#include "judge/order.h"

#include "judge/criteria.h"
#include "judge/operators.h"
#include "judge/template.h"
#include "tree/path.h"

#include <string.h>

/// One rule, its templates filled in. Members are borrowed from the value that `filled` holds.
typedef struct rule {
    const wd_value *counted;  // events that count
    const wd_value *first;    // "before": what must come before each of them; NULL: nothing
    bool each;                // once per counted event
    int64_t allowed;          // counted events allowed, "before" aside
} rule;

static bool matches(const wd_value *match, const wd_value *event)
{
    wd_iter iter = wd_iter_start(match);
    while (wd_iter_next(&iter)) {
        if (!wd_operators_hold(iter.value, wd_value_get_path(event, iter.key))) {
            return false;
        }
    }
    return true;
}

// ---- reading ----------------------------------------------------------------------------------------------

/// A match with its templates filled in and its paths and operators found to be sound.
static wd_status read_match(
    const wd_value *source, const char *name, const wd_value *params, wd_value **ret_match, wd_error *error)
{
    if (!wd_value_is(source, WD_KIND_OBJECT) || wd_object_count(source) == 0) {
        return wd_error_set(error, WD_ETYPE, "%s: expected an object of places and wanted values", name);
    }
    wd_value *match = wd_value_ref(source);
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(source);
    while (status == WD_OK && wd_iter_next(&iter)) {
        wd_path *path = NULL;
        wd_value *wanted = NULL;
        status = wd_path_parse(iter.key, iter.key_length, &path, error);
        wd_path_destroy(&path);
        status = status == WD_OK ? wd_template_value(iter.value, params, &wanted, error) : status;
        status = status == WD_OK ? wd_operators_check(wanted, error) : status;
        status = status == WD_OK ? wd_object_set_n(&match, iter.key, iter.key_length, &wanted) : status;
        wd_value_unref(&wanted);
        if (status != WD_OK) {
            wd_error_prefix(error, "%s[\"%.60s\"]", name, iter.key);
        }
    }
    if (status != WD_OK) {
        wd_value_unref(&match);
        return status;
    }
    *ret_match = match;
    return WD_OK;
}

/// Read the match under `name` of `source` into *filled_p and leave it borrowed in *ret_match.
static wd_status take_match(const wd_value *source, const char *name, const wd_value *params,
    wd_value **filled_p, const wd_value **ret_match, wd_error *error)
{
    wd_value *match = NULL;
    wd_status status = read_match(wd_object_get(source, name), name, params, &match, error);
    status = status == WD_OK ? wd_object_set(filled_p, name, &match) : status;
    wd_value_unref(&match);
    *ret_match = wd_object_get(*filled_p, name);
    return status;
}

static wd_status check_members(const wd_value *source, const char *const known[4], wd_error *error)
{
    wd_iter iter = wd_iter_start(source);
    while (wd_iter_next(&iter)) {
        bool found = strcmp(iter.key, "name") == 0;
        for (size_t i = 0; i < 4 && known[i] != NULL; i++) {
            found = found || strcmp(iter.key, known[i]) == 0;
        }
        if (!found) {
            return wd_error_set(error, WD_EINVAL, "unknown member \"%.40s\"", iter.key);
        }
    }
    return WD_OK;
}

static wd_status read_at_most(
    const wd_value *source, const wd_value *params, rule *ret_rule, wd_value **filled_p, wd_error *error)
{
    static const char *const members[4] = { "at_most", "of" };
    const wd_value *number = wd_object_get(source, "at_most");
    if (!wd_value_is(number, WD_KIND_INT) || wd_value_as_int(number) < 0) {
        return wd_error_set(error, WD_EINVAL, "at_most: expected a number from 0 on");
    }
    ret_rule->allowed = wd_value_as_int(number);
    wd_status status = check_members(source, members, error);
    return status == WD_OK ? take_match(source, "of", params, filled_p, &ret_rule->counted, error) : status;
}

static wd_status read_before(
    const wd_value *source, const wd_value *params, rule *ret_rule, wd_value **filled_p, wd_error *error)
{
    static const char *const members[4] = { "before", "then", "each" };
    wd_status status = check_members(source, members, error);
    status =
        status == WD_OK ? take_match(source, "before", params, filled_p, &ret_rule->first, error) : status;
    status =
        status == WD_OK ? take_match(source, "then", params, filled_p, &ret_rule->counted, error) : status;
    ret_rule->each = wd_value_bool_or(wd_object_get(source, "each"), false);
    return status;
}

static wd_status read_rule(
    const wd_value *source, const wd_value *params, rule *ret_rule, wd_value **filled_p, wd_error *error)
{
    static const char *const never[4] = { "never" };
    *ret_rule = (rule){ .allowed = 0 };
    if (wd_object_get(source, "at_most") != NULL) {
        return read_at_most(source, params, ret_rule, filled_p, error);
    }
    if (wd_object_get(source, "before") != NULL) {
        return read_before(source, params, ret_rule, filled_p, error);
    }
    if (wd_object_get(source, "never") == NULL) {
        return wd_error_set(error, WD_EINVAL, "expected \"never\", \"at_most\" or \"before\"");
    }
    wd_status status = check_members(source, never, error);
    return status == WD_OK ? take_match(source, "never", params, filled_p, &ret_rule->counted, error)
                           : status;
}

// ---- judging ----------------------------------------------------------------------------------------------

static wd_status append_number(wd_value **list_p, int64_t number)
{
    wd_value *item = NULL;
    wd_status status = wd_value_int(number, &item);
    status = status == WD_OK ? wd_array_append(list_p, &item) : status;
    wd_value_unref(&item);
    return status;
}

/// The steps that count against the rule.
static wd_status list_steps(const rule *one, const wd_trace *trace, wd_value **steps_p)
{
    bool prepared = false;
    wd_status status = WD_OK;
    for (size_t i = 0; status == WD_OK && i < trace->count; i++) {
        const wd_trace_step *step = &trace->steps[i];
        bool counts = step->event != NULL && matches(one->counted, step->event);
        if (counts && !(one->first != NULL && prepared)) {
            status = append_number(steps_p, step->number);
        }
        prepared = prepared && !(counts && one->each);
        prepared =
            prepared || (one->first != NULL && step->event != NULL && matches(one->first, step->event));
    }
    return status;
}

static wd_status append_check(
    const wd_value *source, size_t index, const wd_value *steps, bool passed, wd_value **checks_p)
{
    const char *name = wd_value_string_or(wd_object_get(source, "name"), NULL);
    wd_buffer field = { 0 };
    wd_value *check = NULL;
    wd_status status = name != NULL ? wd_buffer_format(&field, "order.%s", name)
                                    : wd_buffer_format(&field, "order[%zu]", index);
    status = status == WD_OK ? wd_check_make(field.bytes, source, steps, passed, &check) : status;
    status = status == WD_OK ? wd_array_append(checks_p, &check) : status;
    wd_value_unref(&check);
    wd_buffer_done(&field);
    return status;
}

static wd_status check_rule(const wd_value *source, size_t index, const wd_value *params,
    const wd_trace *trace, wd_value **checks_p, wd_error *error)
{
    rule one;
    wd_value *filled = wd_value_object();
    wd_value *steps = wd_value_array();
    wd_status status = read_rule(source, params, &one, &filled, error);
    if (status != WD_OK && status != WD_ENOMEM) {
        wd_error_prefix(error, "order[%zu]", index);
    }
    status = status == WD_OK ? list_steps(&one, trace, &steps) : status;
    if (status == WD_OK) {
        bool passed = (int64_t)wd_array_count(steps) <= one.allowed;
        status = append_check(source, index, steps, passed, checks_p);
    }
    wd_value_unref(&filled);
    wd_value_unref(&steps);
    return status;
}

wd_status wd_order_check(const wd_value *order, const wd_value *params, const wd_trace *trace,
    wd_value **checks_p, wd_error *error)
{
    if (order != NULL && !wd_value_is(order, WD_KIND_ARRAY)) {
        return wd_error_set(error, WD_ETYPE, "order: expected an array of rules");
    }
    if (wd_array_count(order) > WD_ORDER_RULES_MAX) {
        return wd_error_set(error, WD_ELIMIT, "order: more than %d rules", WD_ORDER_RULES_MAX);
    }
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(order);
    while (status == WD_OK && wd_iter_next(&iter)) {
        status = check_rule(iter.value, iter.index, params, trace, checks_p, error);
    }
    return status;
}
