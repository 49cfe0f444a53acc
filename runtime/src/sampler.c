#include "runtime/sampler.h"

#include "lookup.h"

#include "judge/operators.h"
#include "runtime/task.h"

#include <math.h>
#include <string.h>

// ---- candidates -------------------------------------------------------------------------------------------------

/// Do all places of `where` hold in the candidate?
static wd_status wanted(const wd_value *where, const wd_value *candidate, bool *ret_wanted)
{
    *ret_wanted = true;
    wd_iter place = wd_iter_start(where);
    while (*ret_wanted && wd_iter_next(&place)) {
        const wd_value *found = NULL;
        wd_status status = wd_lookup(candidate, place.key, &found);
        if (status != WD_OK) {
            return status;
        }
        *ret_wanted = wd_operators_hold(place.value, found);
    }
    return WD_OK;
}

static wd_status check_where(const wd_value *where, wd_error *error)
{
    if (where != NULL && !wd_value_is(where, WD_KIND_OBJECT)) {
        return wd_error_set(error, WD_ETYPE, "where: must be an object");
    }
    wd_status status = WD_OK;
    wd_iter place = wd_iter_start(where);
    while (status == WD_OK && wd_iter_next(&place)) {
        status = wd_operators_check(place.value, error);
    }
    return status;
}

/// Append a candidate that `where` wants.
static wd_status keep_one(
    const wd_value *candidate, const wd_value *where, wd_value **list_p, wd_error *error)
{
    bool right = false;
    wd_status status = wanted(where, candidate, &right);
    if (status != WD_OK || !right) {
        return status;
    }
    if (wd_array_count(*list_p) == WD_SAMPLER_CANDIDATES_MAX) {
        return wd_error_set(error, WD_ELIMIT, "over %d candidates", WD_SAMPLER_CANDIDATES_MAX);
    }
    wd_value *item = wd_value_ref(candidate);
    status = wd_array_append(list_p, &item);
    wd_value_unref(&item);
    return status;
}

/// The candidates that `where` keeps: elements of a list, with `each` the members of an object, or the one value.
static wd_status keep(
    const wd_value *found, const wd_value *where, bool each, wd_value **ret_list, wd_error *error)
{
    wd_value *list = wd_value_array();
    wd_status status = WD_OK;
    bool many = wd_value_is(found, WD_KIND_ARRAY) || (each && wd_value_is(found, WD_KIND_OBJECT));
    wd_iter one = wd_iter_start(many ? found : NULL);
    while (status == WD_OK && wd_iter_next(&one)) {
        if (!wd_value_is(one.value, WD_KIND_NULL)) {
            status = keep_one(one.value, where, &list, error);
        }
    }
    if (status == WD_OK && !many && found != NULL) {
        status = keep_one(found, where, &list, error);
    }
    if (status != WD_OK) {
        wd_value_unref(&list);
        return status;
    }
    *ret_list = list;
    return WD_OK;
}

/// What the rule draws from as a list; NULL when it draws by type.
static wd_status candidates(
    wd_host *host, const wd_value *rule, const wd_value *state, wd_value **ret_list, wd_error *error)
{
    const wd_value *where = wd_object_get(rule, "where"), *view = wd_object_get(rule, "view");
    const wd_value *values = wd_object_get(rule, "values");
    const char *source = wd_value_string_or(wd_object_get(rule, "source"), NULL);
    bool each = wd_value_bool_or(wd_object_get(rule, "each"), false);
    wd_value *viewed = NULL;
    *ret_list = NULL;
    wd_status status = check_where(where, error);
    if (status == WD_OK && source != NULL) {
        const wd_value *found = NULL;
        status = wd_lookup(state, source, &found);
        return status == WD_OK ? keep(found, where, each, ret_list, error) : status;
    }
    if (status == WD_OK && view != NULL) {
        status = wd_lookup_view(host, view, state, &viewed, error);
        status = status == WD_OK ? keep(viewed, where, each, ret_list, error) : status;
        wd_value_unref(&viewed);
        return status;
    }
    if (status == WD_OK && values != NULL) {
        return wd_value_is(values, WD_KIND_ARRAY) ? keep(values, where, each, ret_list, error)
                                                  : wd_error_set(error, WD_ETYPE, "values: must be an array");
    }
    return status;
}

// ---- by type ----------------------------------------------------------------------------------------------------

static wd_status draw_int(const wd_value *rule, wd_draw *draw, wd_value **ret_value, wd_error *error)
{
    const wd_value *low = wd_object_get(rule, "min"), *high = wd_object_get(rule, "max");
    int64_t step = wd_value_int_or(wd_object_get(rule, "step"), 1);
    if (!wd_value_is(low, WD_KIND_INT) || !wd_value_is(high, WD_KIND_INT) || step < 1 ||
        wd_value_as_int(low) > wd_value_as_int(high)) {
        return wd_error_set(error, WD_EINVAL, "wants whole numbers min <= max, and step > 0");
    }
    uint64_t span = (uint64_t)wd_value_as_int(high) - (uint64_t)wd_value_as_int(low);
    uint64_t count = span / (uint64_t)step;
    uint64_t drawn = count == UINT64_MAX ? wd_draw_next(draw) : wd_draw_below(draw, count + 1);
    return wd_value_int((int64_t)((uint64_t)wd_value_as_int(low) + drawn * (uint64_t)step), ret_value);
}

static wd_status draw_float(const wd_value *rule, wd_draw *draw, wd_value **ret_value, wd_error *error)
{
    const wd_value *low = wd_object_get(rule, "min"), *high = wd_object_get(rule, "max");
    const wd_value *round_to = wd_object_get(rule, "round");
    int64_t digits = wd_value_int_or(round_to, 0);
    if (!wd_value_is_number(low) || !wd_value_is_number(high) || wd_number_compare(low, high) > 0 ||
        digits < 0 || digits > 12) {
        return wd_error_set(error, WD_EINVAL, "wants numbers min <= max, and round from 0 to 12");
    }
    double from = wd_value_as_double(low), to = wd_value_as_double(high);
    double drawn = from + (to - from) * wd_draw_unit(draw);
    if (round_to != NULL) {
        double unit = 1;
        for (int64_t i = 0; i < digits; i++) {
            unit *= 10;
        }
        drawn = round(drawn * unit) / unit;
    }
    return wd_value_double(drawn, ret_value);
}

static wd_status draw_by_type(const wd_value *rule, wd_draw *draw, wd_value **ret_value, wd_error *error)
{
    const char *type = wd_value_string_or(wd_object_get(rule, "type"), "");
    if (strcmp(type, "bool") == 0) {
        *ret_value = wd_value_bool(wd_draw_below(draw, 2) == 1);
        return WD_OK;
    }
    if (strcmp(type, "int") == 0) {
        return draw_int(rule, draw, ret_value, error);
    }
    if (strcmp(type, "float") == 0) {
        return draw_float(rule, draw, ret_value, error);
    }
    const char *pattern = wd_value_string_or(wd_object_get(rule, "pattern"), NULL);
    if (strcmp(type, "string") == 0 && pattern != NULL) {
        return wd_draw_text(draw, pattern, ret_value, error);
    }
    return wd_error_set(error, WD_EINVAL, "nothing says what to draw from");
}

// ---- one parameter ----------------------------------------------------------------------------------------------

/// Set a parameter unless it is given. Takes nothing.
static wd_status put(wd_value **params_p, const char *name, const wd_value *value)
{
    if (wd_object_get(*params_p, name) != NULL) {
        return WD_OK;
    }
    wd_value *item = wd_value_ref(value);
    wd_status status = wd_object_set(params_p, name, &item);
    wd_value_unref(&item);
    return status;
}

/// Store the part of what was drawn that `path` leads to.
static wd_status store_part(
    const char *name, const char *path, const wd_value *drawn, wd_value **params_p, wd_error *error)
{
    const wd_value *part = NULL;
    wd_status status = wd_lookup(drawn, path, &part);
    if (status == WD_OK && part == NULL) {
        return wd_error_set(error, WD_ENOENT, "field %s: \"%s\" leads nowhere", name, path);
    }
    return status == WD_OK ? put(params_p, name, part) : status;
}

/// Store what was drawn: whole, one part of it, or several under their own names.
static wd_status store(
    const char *name, const wd_value *rule, const wd_value *drawn, wd_value **params_p, wd_error *error)
{
    const wd_value *fields = wd_object_get(rule, "fields");
    const char *field = wd_value_string_or(wd_object_get(rule, "field"), NULL);
    if (fields == NULL) {
        return field == NULL ? put(params_p, name, drawn) : store_part(name, field, drawn, params_p, error);
    }
    wd_status status = WD_OK;
    wd_iter one = wd_iter_start(fields);
    while (status == WD_OK && wd_iter_next(&one)) {
        status = store_part(one.key, wd_value_string_or(one.value, ""), drawn, params_p, error);
    }
    return status;
}

/// Does a candidate agree with the parameters that are given of its fields?
static wd_status agrees(
    const wd_value *candidate, const wd_value *fields, const wd_value *params, bool *ret_agrees)
{
    *ret_agrees = true;
    wd_iter one = wd_iter_start(fields);
    while (*ret_agrees && wd_iter_next(&one)) {
        const wd_value *given = wd_object_get(params, one.key), *part = NULL;
        wd_status status =
            given == NULL ? WD_OK : wd_lookup(candidate, wd_value_string_or(one.value, ""), &part);
        if (status != WD_OK) {
            return status;
        }
        *ret_agrees = given == NULL || wd_value_equal(given, part);
    }
    return WD_OK;
}

/// Who gives one field means the candidate that has it: the others are dropped, unless none has.
static wd_status narrow(const wd_value *fields, const wd_value *params, wd_value **list_p)
{
    wd_value *left = wd_value_array();
    wd_status status = WD_OK;
    wd_iter one = wd_iter_start(fields == NULL ? NULL : *list_p);
    while (status == WD_OK && wd_iter_next(&one)) {
        bool right = false;
        status = agrees(one.value, fields, params, &right);
        if (status == WD_OK && right) {
            wd_value *item = wd_value_ref(one.value);
            status = wd_array_append(&left, &item);
            wd_value_unref(&item);
        }
    }
    if (status == WD_OK && wd_array_count(left) > 0) {
        wd_value_unref(list_p);
        *list_p = wd_value_ref(left);
    }
    wd_value_unref(&left);
    return status;
}

static wd_status draw_one(wd_host *host, const char *name, const wd_value *rule, const wd_value *state,
    wd_draw *draw, wd_value **params_p, wd_error *error)
{
    wd_value *filled = NULL, *list = NULL, *drawn = NULL;
    wd_status status = wd_value_is(rule, WD_KIND_OBJECT) ? wd_task_fill(rule, *params_p, &filled)
                                                         : wd_error_set(error, WD_ETYPE, "must be an object");
    status = status == WD_OK ? candidates(host, filled, state, &list, error) : status;
    status =
        status == WD_OK && list != NULL ? narrow(wd_object_get(filled, "fields"), *params_p, &list) : status;
    if (status == WD_OK && list == NULL) {
        status = draw_by_type(filled, draw, &drawn, error);
    } else if (status == WD_OK && wd_array_count(list) == 0) {
        status = wd_object_get(*params_p, name) != NULL
                     ? WD_OK
                     : wd_error_set(error, WD_ENOENT, "there is nothing to draw from");
    } else if (status == WD_OK) {
        drawn = wd_value_ref(wd_array_at(list, (size_t)wd_draw_below(draw, wd_array_count(list))));
    }
    status = status == WD_OK && drawn != NULL ? store(name, filled, drawn, params_p, error) : status;
    wd_value_unref(&filled);
    wd_value_unref(&list);
    wd_value_unref(&drawn);
    return status;
}

wd_status wd_sample(wd_host *host, const wd_value *rules, const wd_value *state, wd_draw *draw,
    wd_value **params_p, wd_error *error)
{
    if (wd_object_count(rules) > WD_SAMPLER_PARAMETERS_MAX) {
        return wd_error_set(error, WD_ELIMIT, "parameters: over %d", WD_SAMPLER_PARAMETERS_MAX);
    }
    wd_status status = WD_OK;
    wd_iter rule = wd_iter_start(rules);
    while (status == WD_OK && wd_iter_next(&rule)) {
        status = draw_one(host, rule.key, rule.value, state, draw, params_p, error);
        if (status == WD_ENOMEM) {
            return wd_error_set(error, status, "out of memory");
        }
        if (status != WD_OK) {
            wd_error_prefix(error, "parameters.%s", rule.key);
        }
    }
    return status;
}
