/// conform_side_effects.c - golden cases of patterns and of what they leave over.
#include "conform_list.h"
#include "judge/expectations.h"
#include "judge/pattern.h"
#include "judge/rules.h"

static wd_status replay_case(
    const wd_conform_case *one, wd_value **ret_wanted, wd_value **ret_got, wd_error *error)
{
    static const char *const members[] = { "unexpected", "clean", NULL };
    wd_expectations *set = NULL;
    wd_changes *changes = NULL;
    wd_value *unexpected = NULL;
    wd_status status = wd_expectations_new(wd_object_get(one->row, "expected_changes"),
        wd_object_get(one->row, "always_ignore"), WD_MALFORMED_COVERS_NOTHING, &set, error);
    if (status == WD_OK) {
        status = wd_expectations_unexpected(
            set, wd_object_get(one->row, "before"), wd_object_get(one->row, "after"), &changes);
    }
    status = status == WD_OK ? wd_changes_to_value(changes, &unexpected) : status;
    *ret_got = wd_value_object();
    if (status == WD_OK) {
        status = wd_conform_put_bool(ret_got, "clean", wd_changes_count(changes) == 0);
    }
    status = status == WD_OK ? wd_conform_put(ret_got, "unexpected", &unexpected) : status;
    status = status == WD_OK ? wd_conform_pick(one->row, members, ret_wanted) : status;
    wd_value_unref(&unexpected);
    wd_changes_destroy(&changes);
    wd_expectations_destroy(&set);
    return status;
}

static wd_status replay_pattern(
    const wd_conform_case *one, wd_value **ret_wanted, wd_value **ret_got, wd_error *error)
{
    (void)error;
    size_t pattern_length = 0, path_length = 0;
    const char *pattern = wd_value_as_string(wd_object_get(one->row, "pattern"), &pattern_length);
    const char *path = wd_value_as_string(wd_object_get(one->row, "path"), &path_length);
    bool covers = false;
    wd_status status = wd_pattern_covers_text(pattern, pattern_length, path, path_length, &covers);
    *ret_wanted = wd_value_ref(wd_object_get(one->row, "match"));
    *ret_got = wd_value_bool(covers);
    return status;
}

/// {unexpected, clean, declared, patterns} of a task, or {error: true}.
static wd_status replay_verdict(
    const wd_conform_case *one, wd_value **ret_wanted, wd_value **ret_got, wd_error *error)
{
    static const char *const members[] = { "unexpected", "clean", "declared", "patterns", "error", NULL };
    const wd_value *before = wd_object_get(one->row, "init");
    const wd_value *after = wd_object_get(one->row, "curr");
    wd_rules *rules = NULL;
    wd_changes *changes = NULL;
    wd_value *declared = NULL;
    wd_value *patterns = NULL;
    wd_value *unexpected = NULL;
    *ret_got = wd_value_object();
    wd_status status = wd_conform_pick(one->row, members, ret_wanted);
    status = status == WD_OK ? wd_rules_new(one->row, &rules) : status;
    if (status == WD_OK && wd_rules_error(rules) != NULL) {
        status = wd_conform_put_bool(ret_got, "error", true);
    } else if (status == WD_OK) {
        status = wd_rules_patterns(rules, before, after, &declared, &patterns);
        status = status == WD_OK ? wd_rules_unexpected(rules, before, after, &changes, error) : status;
        status = status == WD_OK ? wd_changes_to_value(changes, &unexpected) : status;
        bool clean = wd_changes_count(changes) == 0;
        status = status == WD_OK ? wd_conform_put_bool(ret_got, "clean", clean) : status;
        status = status == WD_OK ? wd_conform_put(ret_got, "unexpected", &unexpected) : status;
        status = status == WD_OK ? wd_conform_put(ret_got, "declared", &declared) : status;
        status = status == WD_OK ? wd_conform_put(ret_got, "patterns", &patterns) : status;
    }
    wd_value_unref(&declared);
    wd_value_unref(&patterns);
    wd_value_unref(&unexpected);
    wd_changes_destroy(&changes);
    wd_rules_destroy(&rules);
    return status;
}

static const wd_conform_list lists[] = {
    { .name = "cases", .replay = replay_case },
    { .name = "patterns", .replay = replay_pattern },
    { .name = "verdicts", .replay = replay_verdict },
};

const wd_conform_kind wd_conform_side_effects = { "side_effects", lists, WD_COUNT_OF(lists) };
