#include "audit_internal.h"

#include "judge/rules.h"

#include <string.h>

// ---- entries of no use ------------------------------------------------------------------------------------------

/// How many changes a task with these expected changes alone leaves over.
static wd_status left_over(const wd_task *task, const wd_value *entry, const wd_value *initial,
    const wd_value *final, size_t *ret_count)
{
    wd_value *entries = wd_value_array(), *document = NULL, *item = wd_value_ref(entry);
    wd_rules *rules = NULL;
    wd_changes *changes = NULL;
    wd_error error;
    *ret_count = 0;
    wd_status status = entry == NULL ? WD_OK : wd_array_append(&entries, &item);
    if (status == WD_OK) {
        status = wd_value_pack(&document, "{s:?v,s:?v,s:v}", "apps", task->apps, "params", task->params,
            "expected_changes", entries);
    }
    status = status == WD_OK ? wd_rules_new(document, &rules) : status;
    if (status == WD_OK && wd_rules_error(rules) == NULL) {  // a wrong task is told by its verdicts
        status = wd_rules_unexpected(rules, initial, final, &changes, &error);
        *ret_count = wd_changes_count(changes);
    }
    wd_changes_destroy(&changes);
    wd_rules_destroy(&rules);
    wd_value_unref(&document);
    wd_value_unref(&entries);
    wd_value_unref(&item);
    return status == WD_ENOMEM ? status : WD_OK;
}

wd_status wd_audit_watch_changes(
    wd_audit *audit, const wd_task *task, const wd_value *initial, const wd_value *final)
{
    size_t all = 0;
    wd_status status = left_over(task, NULL, initial, final, &all);
    wd_iter entry = wd_iter_start(wd_object_get(audit->document, "expected_changes"));
    while (status == WD_OK && wd_iter_next(&entry) && entry.index < WD_AUDIT_ENTRIES_MAX) {
        size_t count = 0;
        status = left_over(task, entry.value, initial, final, &count);
        // An excused place among excused leaves can leave more entries over than the subtree it was cut from.
        audit->excuses[entry.index] = audit->excuses[entry.index] || count != all;
    }
    return status;
}

void wd_audit_watch_checks(wd_audit *audit, const wd_value *verdict)
{
    size_t criteria = wd_object_count(wd_object_get(audit->document, "criteria"));
    wd_iter check = wd_iter_start(wd_object_get(verdict, "checks"));
    while (wd_iter_next(&check) && check.index < criteria && check.index < WD_AUDIT_ENTRIES_MAX) {
        bool found = wd_object_get(check.value, "actual") != NULL;
        audit->finds[check.index] = audit->finds[check.index] || found;
    }
}

// ---- criteria that count ----------------------------------------------------------------------------------------

static bool ends_with(const char *text, size_t length, const char *end)
{
    size_t end_length = strlen(end);
    return length >= end_length && memcmp(text + length - end_length, end, end_length) == 0;
}

/// Does the criterion look at a number that sums up many records, so that any other record would do as well?
static bool counts(const char *key, size_t length, const wd_value *wanted)
{
    static const char *const sums[] = { "Count", ".count", "total", "Total", "score", "Score", ".likes",
        ".members" };
    if (wd_object_get(wanted, "$len") != NULL) {
        return true;
    }
    for (size_t i = 0; i < WD_COUNT_OF(sums); i++) {
        if (ends_with(key, length, sums[i])) {
            return true;
        }
    }
    return false;
}

/// Does a path go through `_temp`, which holds what is of the moment (loading, open, hover)?
static bool is_of_the_moment(const char *path, size_t length)
{
    const char *const name = "_temp";
    const char *found = memmem(path, length, name, strlen(name));
    return found != NULL && (found == path || found[-1] == '.' || found[-1] == ':');
}

wd_status wd_audit_judge_entries(wd_audit *audit)
{
    wd_status status = WD_OK;
    wd_iter entry = wd_iter_start(wd_object_get(audit->document, "expected_changes"));
    while (status == WD_OK && wd_iter_next(&entry) && entry.index < WD_AUDIT_ENTRIES_MAX) {
        const wd_value *named = wd_object_get(entry.value, "path");
        const char *path = wd_value_string_or(named == NULL ? entry.value : named, "?");
        if (!audit->excuses[entry.index]) {
            status = wd_audit_fault(
                audit, "dead: expected_changes[%zu] \"%s\" excuses nothing", entry.index, path);
        }
        if (status == WD_OK && is_of_the_moment(path, strlen(path))) {
            status = wd_audit_fault(audit, "moment: expected_changes[%zu] names _temp", entry.index);
        }
    }
    size_t at = 0;
    wd_iter criterion = wd_iter_start(wd_object_get(audit->document, "criteria"));
    for (; status == WD_OK && wd_iter_next(&criterion) && at < WD_AUDIT_ENTRIES_MAX; at++) {
        if (!audit->finds[at]) {
            status = wd_audit_fault(audit, "dead: criterion \"%s\" finds nothing", criterion.key);
        }
        if (status == WD_OK && is_of_the_moment(criterion.key, criterion.key_length)) {
            status = wd_audit_fault(audit, "moment: criterion \"%s\" names _temp", criterion.key);
        }
        if (status == WD_OK && counts(criterion.key, criterion.key_length, criterion.value)) {
            status = wd_audit_fault(audit, "counts: criterion \"%s\" judges by an aggregate", criterion.key);
        }
    }
    return status;
}
