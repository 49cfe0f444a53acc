/// rules.c - compiling a task, and its expected changes.
#include "rule_set.h"

#include "judge/operators.h"
#include "judge/order.h"
#include "judge/scope.h"
#include "judge/template.h"
#include "tree/alloc.h"

#include <string.h>

static void criterion_done(wd_criterion *criterion)
{
    wd_value_unref(&criterion->field);
    wd_value_unref(&criterion->wanted);
    wd_value_unref(&criterion->place);
    wd_path_destroy(&criterion->path);
    wd_path_destroy(&criterion->place_path);
}

void wd_rules_destroy(wd_rules **rules_p)
{
    wd_rules *rules = *rules_p;
    if (rules == NULL) {
        return;
    }
    size_t count = wd_object_count(wd_object_get(rules->task, "criteria"));
    for (size_t i = 0; rules->criteria != NULL && i < count; i++) {
        criterion_done(&rules->criteria[i]);
    }
    wd_free(rules->criteria, count * sizeof rules->criteria[0]);
    wd_expectations_destroy(&rules->set);
    wd_value_unref(&rules->declared);
    wd_value_unref(&rules->task);
    wd_free(rules, sizeof *rules);
    *rules_p = NULL;
}

const char *wd_rules_error(const wd_rules *rules)
{
    return rules->broken ? rules->error.text : NULL;
}

// ---- compiling --------------------------------------------------------------------------------------------

static wd_status buffer_to_value(wd_buffer *buffer, wd_value **ret_text)
{
    return wd_value_string(buffer->bytes != NULL ? buffer->bytes : "", buffer->length, ret_text);
}

/// The member's kind, when it is there.
static wd_status take_member(
    const wd_value *task, const char *name, wd_kind kind, const wd_value **ret_member, wd_error *error)
{
    const wd_value *member = wd_object_get(task, name);
    if (wd_value_is(member, WD_KIND_NULL)) {
        member = NULL;
    }
    if (member != NULL && wd_value_kind(member) != kind) {
        return wd_error_set(error, WD_ETYPE, "%s: expected %s, not %s", name, wd_kind_name(kind),
            wd_kind_name(wd_value_kind(member)));
    }
    if (ret_member != NULL) {
        *ret_member = member;
    }
    return WD_OK;
}

static wd_status check_apps(const wd_value *apps, wd_error *error)
{
    wd_iter iter = wd_iter_start(apps);
    while (wd_iter_next(&iter)) {
        if (!wd_value_is(iter.value, WD_KIND_STRING)) {
            return wd_error_set(error, WD_ETYPE, "apps[%zu]: expected string", iter.index);
        }
    }
    return WD_OK;
}

/// The place a criterion's key means, in both forms.
static wd_status compile_place(const wd_rules *rules, wd_criterion *criterion, wd_error *error)
{
    size_t length = 0;
    const char *key = wd_value_as_string(criterion->field, &length);
    wd_scope_place place = wd_scope_find(key, length, rules->apps, NULL);
    wd_status status = wd_path_parse(place.rest, place.rest_length, &criterion->path, error);
    wd_buffer absolute = { 0 };
    status = status == WD_OK ? wd_scope_criterion(key, length, rules->apps, &absolute) : status;
    status = status == WD_OK ? buffer_to_value(&absolute, &criterion->place) : status;
    if (status == WD_OK) {
        status = wd_path_parse(absolute.bytes, absolute.length, &criterion->place_path, error);
    }
    wd_buffer_done(&absolute);
    return status;
}

static wd_status compile_criterion(
    const wd_rules *rules, const wd_iter *member, wd_criterion *criterion, wd_error *error)
{
    wd_buffer key = { 0 };
    wd_status status = wd_template_fill(member->key, member->key_length, rules->params, &key);
    status = status == WD_OK ? buffer_to_value(&key, &criterion->field) : status;
    wd_buffer_done(&key);
    if (status == WD_OK) {
        status = wd_template_value(member->value, rules->params, &criterion->wanted, error);
    }
    status = status == WD_OK ? wd_operators_check(criterion->wanted, error) : status;
    if (status == WD_OK) {
        criterion->route = wd_value_is_text(criterion->field, "route");
        status = criterion->route ? WD_OK : compile_place(rules, criterion, error);
    }
    if (status != WD_OK) {
        wd_error_prefix(error, "criteria[\"%.80s\"]", member->key);
    }
    return status;
}

static wd_status compile_criteria(wd_rules *rules, const wd_value *criteria, wd_error *error)
{
    size_t count = wd_object_count(criteria);
    if (count == 0) {
        return WD_OK;
    }
    rules->criteria = wd_alloc_zero(count, sizeof rules->criteria[0]);
    if (rules->criteria == NULL) {
        return WD_ENOMEM;
    }
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(criteria);
    while (status == WD_OK && wd_iter_next(&iter)) {
        status = compile_criterion(rules, &iter, &rules->criteria[rules->criteria_count++], error);
    }
    return status;
}

/// A text of a declared entry with its parameters; a task without parameters means its braces literally.
static wd_status format_text(
    const wd_rules *rules, const wd_value *text, wd_value **ret_text, wd_error *error)
{
    size_t length = 0;
    const char *bytes = wd_value_as_string(text, &length);
    if (wd_object_count(rules->params) == 0 || strpbrk(bytes, "{}") == NULL) {
        *ret_text = wd_value_ref(text);
        return WD_OK;
    }
    wd_buffer buffer = { 0 };
    wd_status status = wd_template_format(bytes, length, rules->params, &buffer, error);
    status = status == WD_OK ? buffer_to_value(&buffer, ret_text) : status;
    wd_buffer_done(&buffer);
    return status;
}

static wd_status declare_entry(
    const wd_rules *rules, const wd_value *entry, wd_value **ret_entry, wd_error *error)
{
    if (wd_value_is(entry, WD_KIND_STRING)) {
        return format_text(rules, entry, ret_entry, error);
    }
    wd_value *copy = wd_value_ref(entry);
    wd_status status = wd_value_is(wd_object_get(entry, "path"), WD_KIND_STRING)
                           ? WD_OK
                           : wd_error_set(error, WD_ETYPE, "expected a path, or an object with \"path\"");
    wd_iter iter = wd_iter_start(status == WD_OK ? entry : NULL);
    while (status == WD_OK && wd_iter_next(&iter)) {
        wd_value *member = NULL;
        status = strcmp(iter.key, "path") == 0 ? format_text(rules, iter.value, &member, error)
                                               : wd_template_value(iter.value, rules->params, &member, error);
        status = status == WD_OK ? wd_object_set_n(&copy, iter.key, iter.key_length, &member) : status;
        wd_value_unref(&member);
    }
    if (status != WD_OK) {
        wd_value_unref(&copy);
        return status;
    }
    *ret_entry = copy;
    return WD_OK;
}

static bool holds_equal(const wd_value *list, const wd_value *item)
{
    wd_iter iter = wd_iter_start(list);
    while (wd_iter_next(&iter)) {
        if (wd_value_equal(iter.value, item)) {
            return true;
        }
    }
    return false;
}

static wd_status declare_changes(wd_rules *rules, const wd_value *expected, wd_error *error)
{
    rules->declared = wd_value_array();
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(expected);
    while (status == WD_OK && wd_iter_next(&iter)) {
        wd_value *entry = NULL;
        status = declare_entry(rules, iter.value, &entry, error);
        if (status == WD_OK && !(rules->criteria_count > 0 && holds_equal(rules->declared, entry))) {
            status = wd_array_append(&rules->declared, &entry);
        } else if (status != WD_OK) {
            wd_error_prefix(error, "expected_changes[%zu]", iter.index);
        }
        wd_value_unref(&entry);
    }
    return status;
}

static bool path_has_filter(const wd_value *text)
{
    size_t length = 0;
    const char *bytes = wd_value_as_string(text, &length);
    return memchr(bytes, '=', length) != NULL || strstr(bytes, "[-1]") != NULL;
}

/// Does any expected change depend on the states judged?
static bool needs_states(const wd_rules *rules)
{
    wd_iter iter = wd_iter_start(rules->declared);
    while (wd_iter_next(&iter)) {
        const wd_value *path = wd_object_get(iter.value, "path");
        if (path_has_filter(path != NULL ? path : iter.value)) {
            return true;
        }
    }
    for (size_t i = 0; i < rules->criteria_count; i++) {
        if (!rules->criteria[i].route && wd_scope_has_filter(rules->criteria[i].place_path)) {
            return true;
        }
    }
    return false;
}

static wd_status compile_set(const wd_rules *rules, const wd_value *initial, const wd_value *final,
    wd_expectations **ret_set, wd_error *error)
{
    wd_value *declared = NULL;
    wd_value *patterns = NULL;
    wd_status status = wd_rules_patterns(rules, initial, final, &declared, &patterns);
    if (status == WD_OK) {
        status = wd_expectations_new(
            patterns, wd_object_get(rules->task, "always_ignore"), WD_MALFORMED_REFUSED, ret_set, error);
    }
    wd_value_unref(&declared);
    wd_value_unref(&patterns);
    return status;
}

/// Order rules are sound when they can judge a run in which nothing happened.
static wd_status check_order(const wd_rules *rules, wd_error *error)
{
    const wd_value *order = NULL;
    wd_value *checks = wd_value_array();
    wd_trace nothing = { .count = 0 };
    wd_status status = take_member(rules->task, "order", WD_KIND_ARRAY, &order, error);
    status = status == WD_OK ? wd_order_check(order, rules->params, &nothing, &checks, error) : status;
    wd_value_unref(&checks);
    return status;
}

static wd_status compile(wd_rules *rules, wd_error *error)
{
    const wd_value *task = rules->task;
    const wd_value *criteria = NULL;
    const wd_value *expected = NULL;
    if (!wd_value_is(task, WD_KIND_OBJECT)) {
        return wd_error_set(error, WD_ETYPE, "task: expected object");
    }
    wd_status status = take_member(task, "apps", WD_KIND_ARRAY, &rules->apps, error);
    status = status == WD_OK ? check_apps(rules->apps, error) : status;
    status = status == WD_OK ? take_member(task, "params", WD_KIND_OBJECT, &rules->params, error) : status;
    status = status == WD_OK ? take_member(task, "criteria", WD_KIND_OBJECT, &criteria, error) : status;
    status =
        status == WD_OK ? take_member(task, "expected_changes", WD_KIND_ARRAY, &expected, error) : status;
    status = status == WD_OK ? compile_criteria(rules, criteria, error) : status;
    status = status == WD_OK ? declare_changes(rules, expected, error) : status;
    status = status == WD_OK ? check_order(rules, error) : status;
    if (status != WD_OK) {
        return status;
    }
    wd_expectations *set = NULL;
    status = compile_set(rules, NULL, NULL, &set, error);  // also the check that every path is well formed
    if (status == WD_OK && !needs_states(rules)) {
        rules->set = set;
    } else {
        wd_expectations_destroy(&set);
    }
    return status;
}

wd_status wd_rules_new(const wd_value *task, wd_rules **ret_rules)
{
    wd_rules *rules = wd_alloc_zero(1, sizeof *rules);
    if (rules == NULL) {
        return WD_ENOMEM;
    }
    rules->task = wd_value_ref(task);
    wd_status status = compile(rules, &rules->error);
    if (status == WD_ENOMEM) {
        wd_rules_destroy(&rules);
        return status;
    }
    rules->broken = status != WD_OK;
    *ret_rules = rules;
    return WD_OK;
}

// ---- expected changes -------------------------------------------------------------------------------------

static wd_status append_unique(wd_value **list_p, wd_value **item_p)
{
    wd_status status = holds_equal(*list_p, *item_p) ? WD_OK : wd_array_append(list_p, item_p);
    wd_value_unref(item_p);
    return status;
}

/// A criterion that wants nothing there is a deletion: its last filter finds the element in the initial
/// state.
static bool wants_absence(const wd_value *wanted)
{
    const wd_value *exists = wd_operators_is(wanted) ? wd_object_get(wanted, "$exists") : NULL;
    return wd_value_is(wanted, WD_KIND_NULL) ||
           (exists != NULL && wd_object_count(wanted) == 1 && !wd_value_bool_or(exists, true));
}

/// The expected change a criterion implies (judge.md 2.7); *ret_path stays NULL when there is none.
static wd_status derive_path(
    const wd_criterion *criterion, const wd_value *initial, const wd_value *final, wd_value **ret_path)
{
    if (criterion->route) {
        return WD_OK;
    }
    if (!wd_scope_has_filter(criterion->place_path)) {
        *ret_path = wd_value_ref(criterion->place);
        return WD_OK;
    }
    wd_scope_states at_end = { .first = final };
    wd_scope_states last = wants_absence(criterion->wanted) ? (wd_scope_states){ .first = initial } : at_end;
    wd_buffer buffer = { 0 };
    wd_status status = wd_scope_resolve(criterion->place_path, at_end, last, &buffer);
    status = status == WD_OK ? buffer_to_value(&buffer, ret_path) : status;
    wd_buffer_done(&buffer);
    return status == WD_ENOENT ? WD_OK : status;
}

/// Absolute, filters resolved in the final state, else the initial one; a path whose filter finds nothing
/// stays.
static wd_status resolve_text(const wd_rules *rules, const wd_value *text, const wd_value *initial,
    const wd_value *final, wd_value **ret_text)
{
    size_t length = 0;
    const char *bytes = wd_value_as_string(text, &length);
    wd_buffer absolute = { 0 };
    wd_buffer resolved = { 0 };
    wd_path *path = NULL;
    wd_status status = wd_scope_declared(bytes, length, rules->apps, &absolute);
    if (status == WD_OK && path_has_filter(text)) {
        status = wd_path_parse(absolute.bytes, absolute.length, &path, NULL);
    }
    if (status == WD_OK && path != NULL && wd_scope_has_filter(path)) {
        wd_scope_states states = { .first = final, .second = initial };
        status = wd_scope_resolve(path, states, states, &resolved);
    }
    if (status != WD_ENOMEM) {
        wd_buffer *shown = status == WD_OK && resolved.length > 0 ? &resolved : &absolute;
        status = buffer_to_value(shown, ret_text);
    }
    wd_path_destroy(&path);
    wd_buffer_done(&absolute);
    wd_buffer_done(&resolved);
    return status;
}

static wd_status resolve_entry(const wd_rules *rules, const wd_value *entry, const wd_value *initial,
    const wd_value *final, wd_value **ret_entry)
{
    if (wd_value_is(entry, WD_KIND_STRING)) {
        return resolve_text(rules, entry, initial, final, ret_entry);
    }
    wd_value *copy = wd_value_ref(entry);
    wd_value *path = NULL;
    wd_status status = resolve_text(rules, wd_object_get(entry, "path"), initial, final, &path);
    status = status == WD_OK ? wd_object_set(&copy, "path", &path) : status;
    wd_value_unref(&path);
    if (status != WD_OK) {
        wd_value_unref(&copy);
        return status;
    }
    *ret_entry = copy;
    return WD_OK;
}

wd_status wd_rules_patterns(const wd_rules *rules, const wd_value *initial, const wd_value *final,
    wd_value **ret_declared, wd_value **ret_patterns)
{
    wd_value *declared = wd_value_ref(rules->declared);
    wd_value *patterns = wd_value_array();
    wd_status status = WD_OK;
    for (size_t i = 0; status == WD_OK && i < rules->criteria_count; i++) {
        wd_value *path = NULL;
        status = derive_path(&rules->criteria[i], initial, final, &path);
        if (status == WD_OK && path != NULL) {
            status = append_unique(&declared, &path);
        }
    }
    wd_iter iter = wd_iter_start(declared);
    while (status == WD_OK && wd_iter_next(&iter)) {
        wd_value *entry = NULL;
        status = resolve_entry(rules, iter.value, initial, final, &entry);
        status = status == WD_OK ? wd_array_append(&patterns, &entry) : status;
        wd_value_unref(&entry);
    }
    if (status != WD_OK) {
        wd_value_unref(&declared);
        wd_value_unref(&patterns);
        return status;
    }
    *ret_declared = declared;
    *ret_patterns = patterns;
    return WD_OK;
}

wd_status wd_rules_expectations(const wd_rules *rules, const wd_value *initial, const wd_value *final,
    const wd_expectations **ret_set, wd_expectations **ret_own, wd_error *error)
{
    wd_assert(!rules->broken);
    *ret_own = NULL;
    wd_status status = rules->set != NULL ? WD_OK : compile_set(rules, initial, final, ret_own, error);
    *ret_set = rules->set != NULL ? rules->set : *ret_own;
    return status;
}

// ---- states -----------------------------------------------------------------------------------------------

wd_status wd_rules_visible(const wd_value *state, wd_value **ret_visible)
{
    const wd_value *apps = wd_object_get(state, "apps");
    const wd_value *os = wd_object_get(state, "os");
    bool has_apps = apps != NULL && !wd_value_is(apps, WD_KIND_NULL);
    bool has_os = os != NULL && !wd_value_is(os, WD_KIND_NULL);
    if (has_apps && has_os && wd_object_count(state) == 2) {
        *ret_visible = wd_value_ref(state);
        return WD_OK;
    }
    wd_value *empty = wd_value_object();
    wd_status status =
        wd_value_pack(ret_visible, "{s:v,s:v}", "apps", has_apps ? apps : empty, "os", has_os ? os : empty);
    wd_value_unref(&empty);
    return status;
}

wd_status wd_rules_unexpected(const wd_rules *rules, const wd_value *initial, const wd_value *final,
    wd_changes **ret_changes, wd_error *error)
{
    const wd_expectations *set = NULL;
    wd_expectations *own = NULL;
    wd_value *before = NULL;
    wd_value *after = NULL;
    wd_status status = wd_rules_visible(initial, &before);
    status = status == WD_OK ? wd_rules_visible(final, &after) : status;
    if (status == WD_OK) {
        status = wd_rules_expectations(rules, before, after, &set, &own, error);
    }
    status = status == WD_OK ? wd_expectations_unexpected(set, before, after, ret_changes) : status;
    wd_expectations_destroy(&own);
    wd_value_unref(&before);
    wd_value_unref(&after);
    return status;
}
