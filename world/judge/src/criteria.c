/// criteria.c - looking at the places a task names.
#include "judge/criteria.h"

#include "judge/operators.h"
#include "judge/scope.h"
#include "rule_set.h"

wd_status wd_check_make(
    const char *field, const wd_value *expected, const wd_value *actual, bool passed, wd_value **ret_check)
{
    return wd_value_pack(ret_check, "{s:s,s:?v,s:?v,s:b}", "field", field, "expected", expected, "actual",
        actual, "passed", (int)passed);
}

/// A wanted list means "one of" for the route alone; there the text "" stands for absence.
static bool route_holds(const wd_value *wanted, const wd_value *actual)
{
    if (!wd_value_is(wanted, WD_KIND_ARRAY)) {
        return wd_operators_hold(wanted, actual);
    }
    wd_iter iter = wd_iter_start(wanted);
    while (wd_iter_next(&iter)) {
        if (wd_value_equal(iter.value, actual)) {
            return true;
        }
    }
    return false;
}

static const wd_value *look_up(const wd_rules *rules, const wd_criterion *criterion, const wd_value *final)
{
    size_t length = 0;
    const char *key = wd_value_as_string(criterion->field, &length);
    const wd_value *root = wd_scope_find(key, length, rules->apps, final).root;
    return root != NULL ? wd_path_get(criterion->path, root, true) : NULL;
}

/// The shown form of a wanted value: a predicate has none of its own.
static wd_status shown_wanted(const wd_value *wanted, wd_value **ret_shown)
{
    if (wd_operators_is(wanted) && wd_object_get(wanted, "$predicate") != NULL) {
        return wd_value_text("custom_check", ret_shown);
    }
    *ret_shown = wd_value_ref(wanted);
    return WD_OK;
}

static wd_status check_criterion(const wd_rules *rules, const wd_criterion *criterion, const wd_value *final,
    const wd_value *route_path, wd_value **ret_check)
{
    const wd_value *actual = criterion->route ? route_path : look_up(rules, criterion, final);
    bool passed = criterion->route ? route_holds(criterion->wanted, actual)
                                   : wd_operators_hold(criterion->wanted, actual);
    wd_value *shown = NULL;
    wd_status status = shown_wanted(criterion->wanted, &shown);
    if (status == WD_OK) {
        status = wd_check_make(wd_value_as_string(criterion->field, NULL), shown, actual, passed, ret_check);
    }
    wd_value_unref(&shown);
    return status;
}

wd_status wd_criteria_check(
    const wd_rules *rules, const wd_value *final, const wd_value *route, wd_value **checks_p)
{
    wd_assert(wd_rules_error(rules) == NULL);
    wd_value *route_path = wd_value_ref(wd_object_get(route, "path"));
    wd_status status = route_path != NULL ? WD_OK : wd_value_text("", &route_path);
    for (size_t i = 0; status == WD_OK && i < rules->criteria_count; i++) {
        wd_value *check = NULL;
        status = check_criterion(rules, &rules->criteria[i], final, route_path, &check);
        status = status == WD_OK ? wd_array_append(checks_p, &check) : status;
        wd_value_unref(&check);
    }
    wd_value_unref(&route_path);
    return status;
}

/// Text of a check's error; what is no string is shown as a literal.
static wd_status set_check_error(const char *field, const wd_value *failure, wd_error *error)
{
    if (wd_value_is(failure, WD_KIND_STRING)) {
        const char *text = wd_value_as_string(failure, NULL);
        return wd_error_set(error, WD_EINVAL, "%.80s: %.200s", field, text);
    }
    if (wd_value_is(failure, WD_KIND_NULL)) {
        return wd_error_set(error, WD_EINVAL, "%.80s: None", field);
    }
    return wd_error_set(error, WD_EINVAL, "%.80s: it could not be told", field);
}

wd_status wd_checks_scan(const wd_value *checks, size_t *ret_passed, wd_error *error)
{
    size_t passed = 0;
    wd_iter iter = wd_iter_start(checks);
    while (wd_iter_next(&iter)) {
        const char *field = wd_value_string_or(wd_object_get(iter.value, "field"), "?");
        const wd_value *flag = wd_object_get(iter.value, "passed");
        const wd_value *failure = wd_object_get(iter.value, "error");
        if (flag == NULL) {
            return wd_error_set(error, WD_ETYPE, "checks[%zu] %.80s: no \"passed\"", iter.index, field);
        }
        if (failure != NULL) {
            return set_check_error(field, failure, error);
        }
        passed += !wd_falsy(flag);
    }
    *ret_passed = passed;
    return WD_OK;
}
