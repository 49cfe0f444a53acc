/// expectations.c - compiling declared changes, and the walk that leaves the unexpected ones.
#include "differ.h"
#include "expectation_set.h"
#include "grow.h"
#include "judge/operators.h"
#include "matcher.h"

#include <string.h>

static const char *const default_ignored[] = {
    "os.time",
    "os.isLauncherVisible",
    "os.runningApps",
    "os.activeAppId",
    "os.activeTaskId",
    "os.services.taskManager.activeTaskId",
    "apps.answer_sheet",
    "os.services.taskManager.isLauncherVisible",
    "os.tasks",
    "os.services.taskManager.tasks",
    "os.isRecentsVisible",
    "os.services.taskManager.isRecentsVisible",
    "os.services.keyboard",
    "os.services.alarm_manager",
    "os.services.media_session",
    "os.providers.contacts.contacts[].updatedAt",
    "os.providers.contacts.contacts[].lastContactedAt",
    "apps.*._temp",
};

wd_status wd_expectations_default_ignored(wd_value **ret_list)
{
    wd_value *list = wd_value_array();
    wd_status status = WD_OK;
    for (size_t i = 0; status == WD_OK && i < WD_COUNT_OF(default_ignored); i++) {
        wd_value *text = NULL;
        status = wd_value_text(default_ignored[i], &text);
        status = status == WD_OK ? wd_array_append(&list, &text) : status;
        wd_value_unref(&text);
    }
    if (status != WD_OK) {
        wd_value_unref(&list);
        return status;
    }
    *ret_list = list;
    return WD_OK;
}

void wd_expectations_destroy(wd_expectations **set_p)
{
    wd_expectations *set = *set_p;
    if (set == NULL) {
        return;
    }
    for (size_t i = 0; i < set->count; i++) {
        wd_pattern_destroy(&set->items[i].pattern);
        wd_value_unref(&set->items[i].to);
        wd_value_unref(&set->items[i].from);
    }
    wd_free(set->items, set->capacity * sizeof set->items[0]);
    wd_free(set->quotas, set->quota_capacity * sizeof set->quotas[0]);
    wd_free(set, sizeof *set);
    *set_p = NULL;
}

/// Does the text end in [+N]? Then *length is cut to the prefix and *ret_number is N, at most WD_QUOTA_MAX +
/// 1.
static bool cut_quota(const char *text, size_t *length, uint32_t *ret_number)
{
    size_t at = *length;
    if (at < 4 || text[at - 1] != ']') {
        return false;
    }
    uint32_t number = 0;
    size_t first = at - 1;
    while (first > 0 && text[first - 1] >= '0' && text[first - 1] <= '9') {
        first -= 1;
    }
    if (first == at - 1 || first < 2 || text[first - 1] != '+' || text[first - 2] != '[') {
        return false;
    }
    size_t prefix = first - 2;
    size_t escapes = 0;
    while (escapes < prefix && text[prefix - 1 - escapes] == '\\') {
        escapes += 1;
    }
    if (escapes % 2 != 0) {
        return false;  // an escaped bracket belongs to a key
    }
    for (size_t i = first; i < at - 1; i++) {
        number = number > WD_QUOTA_MAX ? number : number * 10 + (uint32_t)(text[i] - '0');
    }
    *length = prefix;
    *ret_number = number;
    return true;
}

static bool same_path(const wd_path *a, const wd_path *b)
{
    size_t count = wd_path_count(a);
    if (count != wd_path_count(b)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const wd_segment *left = wd_path_at(a, i);
        const wd_segment *right = wd_path_at(b, i);
        if (left->kind != right->kind || left->raw_length != right->raw_length ||
            memcmp(left->raw, right->raw, left->raw_length) != 0) {
            return false;
        }
    }
    return true;
}

/// The quota of an equal prefix declared before, or a new one (judge.md 12.5: equal prefixes add up).
static wd_status add_quota(wd_expectations *set, wd_expectation *item, uint32_t number, bool *ret_merged)
{
    for (size_t i = 0; i < set->count; i++) {
        const wd_expectation *other = &set->items[i];
        if (other->quota >= 0 && same_path(other->pattern->path, item->pattern->path)) {
            set->quotas[other->quota] += number;
            *ret_merged = true;
            return WD_OK;
        }
    }
    wd_status status =
        wd_grow((void **)&set->quotas, &set->quota_capacity, set->quota_count, sizeof set->quotas[0]);
    if (status == WD_OK) {
        item->quota = (int32_t)set->quota_count;
        set->quotas[set->quota_count++] = number;
    }
    *ret_merged = false;
    return status;
}

static wd_status add_text(wd_expectations *set, const wd_value *path, wd_expectation *item, wd_error *error)
{
    if (!wd_value_is(path, WD_KIND_STRING)) {
        return wd_error_set(error, WD_ETYPE, "expected a path, or an object with \"path\"");
    }
    size_t length = 0;
    const char *text = wd_value_as_string(path, &length);
    uint32_t number = 0;
    bool quota = cut_quota(text, &length, &number);
    if (quota && (item->to != NULL || item->from != NULL)) {
        return wd_error_set(error, WD_EINVAL, "%.80s: a quota takes no \"to\" or \"from\"", text);
    }
    if (number > WD_QUOTA_MAX) {
        return wd_error_set(error, WD_ELIMIT, "%.80s: more than %d additions", text, WD_QUOTA_MAX);
    }
    wd_status status = wd_pattern_compile(text, length, &item->pattern, error);
    if (status != WD_OK) {
        wd_error_prefix(error, "%.80s", text);
        return status;
    }
    bool merged = false;
    if (quota) {
        status = add_quota(set, item, number, &merged);
    }
    if (status == WD_OK && !merged) {
        status = wd_grow((void **)&set->items, &set->capacity, set->count, sizeof set->items[0]);
    }
    if (status == WD_OK && !merged) {
        set->items[set->count++] = *item;
        *item = (wd_expectation){ 0 };
    }
    return status;
}

/// A string, or an object {"path", "to"?, "from"?}.
static wd_status add_entry(wd_expectations *set, const wd_value *entry, bool expected, wd_error *error)
{
    wd_expectation item = { .expected = expected, .quota = -1 };
    const wd_value *path = entry;
    wd_status status = WD_OK;
    if (wd_value_is(entry, WD_KIND_OBJECT)) {
        path = NULL;
        wd_iter iter = wd_iter_start(entry);
        while (status == WD_OK && wd_iter_next(&iter)) {
            if (strcmp(iter.key, "path") == 0) {
                path = iter.value;
            } else if (strcmp(iter.key, "to") == 0) {
                item.to = wd_value_ref(iter.value);
                status = wd_operators_check(item.to, error);
            } else if (strcmp(iter.key, "from") == 0) {
                item.from = wd_value_ref(iter.value);
                status = wd_operators_check(item.from, error);
            } else {
                status = wd_error_set(error, WD_EINVAL, "unknown member \"%.40s\"", iter.key);
            }
        }
    }
    status = status == WD_OK ? add_text(set, path, &item, error) : status;
    wd_pattern_destroy(&item.pattern);
    wd_value_unref(&item.to);
    wd_value_unref(&item.from);
    return status;
}

static wd_status add_list(
    wd_expectations *set, const wd_value *list, bool expected, wd_malformed malformed, wd_error *error)
{
    const char *name = expected ? "expected_changes" : "always_ignore";
    if (list != NULL && !wd_value_is(list, WD_KIND_ARRAY)) {
        return wd_error_set(error, WD_ETYPE, "%s: expected an array", name);
    }
    if (wd_array_count(list) > WD_EXPECTATIONS_MAX - set->count) {
        return wd_error_set(error, WD_ELIMIT, "%s: more than %d entries", name, WD_EXPECTATIONS_MAX);
    }
    wd_iter iter = wd_iter_start(list);
    while (wd_iter_next(&iter)) {
        wd_status status = add_entry(set, iter.value, expected, error);
        if (status == WD_EPARSE && malformed == WD_MALFORMED_COVERS_NOTHING) {
            continue;
        }
        if (status != WD_OK) {
            wd_error_prefix(error, "%s[%zu]", name, iter.index);
            return status;
        }
    }
    return WD_OK;
}

wd_status wd_expectations_new(const wd_value *expected, const wd_value *always_ignore, wd_malformed malformed,
    wd_expectations **ret_set, wd_error *error)
{
    wd_value *ignored = wd_value_ref(always_ignore);
    wd_expectations *set = wd_alloc_zero(1, sizeof *set);
    wd_status status = set != NULL ? WD_OK : WD_ENOMEM;
    if (status == WD_OK && ignored == NULL) {
        status = wd_expectations_default_ignored(&ignored);
    }
    status = status == WD_OK ? add_list(set, expected, true, malformed, error) : status;
    status = status == WD_OK ? add_list(set, ignored, false, malformed, error) : status;
    wd_value_unref(&ignored);
    if (status != WD_OK) {
        wd_expectations_destroy(&set);
        return status == WD_ENOMEM ? wd_error_set(error, status, "out of memory") : status;
    }
    *ret_set = set;
    return WD_OK;
}

wd_status wd_expectations_allows(const wd_expectations *set, const char *path, bool *ret_allows)
{
    *ret_allows = false;
    wd_path *parsed = NULL;
    for (size_t i = 0; i < set->count && !*ret_allows; i++) {
        const wd_expectation *item = &set->items[i];
        if (item->to == NULL && item->from == NULL) {
            continue;
        }
        if (parsed == NULL) {
            wd_status status = wd_path_parse(path, strlen(path), &parsed, NULL);
            if (status != WD_OK) {
                return status;
            }
        }
        *ret_allows = item->expected && wd_pattern_covers(item->pattern, parsed);
    }
    wd_path_destroy(&parsed);
    return WD_OK;
}

wd_status wd_expectations_unexpected(
    const wd_expectations *set, const wd_value *before, const wd_value *after, wd_changes **ret_changes)
{
    wd_changes *changes = NULL;
    wd_step root = { .up = NULL };
    wd_matcher matcher;
    wd_status status = wd_matcher_init(&matcher, set, &root);
    if (status != WD_OK) {
        return status;
    }
    wd_differ differ = { .matcher = &matcher };
    status = wd_changes_new(&changes);
    if (status == WD_OK) {
        differ.changes = changes;
        status = wd_differ_pair(&differ, &root, before, after);
    }
    status = status == WD_OK ? wd_matcher_charge(&matcher, changes) : status;
    status = status == WD_OK ? wd_changes_sort(changes) : status;
    wd_buffer_done(&differ.text);
    wd_matcher_done(&matcher);
    if (status != WD_OK) {
        wd_changes_destroy(&changes);
        return status;
    }
    *ret_changes = changes;
    return WD_OK;
}
