/// conform_tasks.c - whole tasks on the states of a shared pool. A case's checks are judged when its task
/// declares them; checks written by hand are taken as given, and the side effects judged.
#include "conform_list.h"
#include "judge/verdict.h"

#include <string.h>

// ---- states -----------------------------------------------------------------------------------------------

/// The value under a key of the pool; NULL when there is none.
static const wd_value *pool_value(const wd_value *file, const wd_value *key)
{
    wd_iter iter = wd_iter_start(wd_object_get(file, "pool"));
    while (wd_iter_next(&iter)) {
        if (wd_value_equal(wd_object_get(iter.value, "key"), key)) {
            return wd_object_get(iter.value, "value");
        }
    }
    return NULL;
}

/// Put the members that `keys` names over *tree_p; a null key takes the member away.
static wd_status lay_over(const wd_value *file, const wd_value *keys, wd_value **tree_p)
{
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(keys);
    while (status == WD_OK && wd_iter_next(&iter)) {
        wd_value *value = wd_value_ref(pool_value(file, iter.value));
        if (value != NULL) {
            status = wd_object_set_n(tree_p, iter.key, iter.key_length, &value);
        } else {
            status = wd_object_remove_n(tree_p, iter.key, iter.key_length);
            status = status == WD_ENOENT ? WD_OK : status;
        }
        wd_value_unref(&value);
    }
    return status;
}

/// {apps, os} of up to three layers, the later over the earlier.
static wd_status build_state(const wd_value *file, const wd_value *const layers[3], wd_value **ret_state)
{
    static const char *const parts[] = { "apps", "os" };
    wd_value *state = wd_value_object();
    wd_status status = WD_OK;
    for (size_t part = 0; status == WD_OK && part < WD_COUNT_OF(parts); part++) {
        wd_value *tree = wd_value_object();
        for (size_t i = 0; status == WD_OK && i < 3; i++) {
            status = lay_over(file, wd_object_get(layers[i], parts[part]), &tree);
        }
        status = status == WD_OK ? wd_object_set(&state, parts[part], &tree) : status;
        wd_value_unref(&tree);
    }
    if (status != WD_OK) {
        wd_value_unref(&state);
        return status;
    }
    *ret_state = state;
    return WD_OK;
}

// ---- tasks ------------------------------------------------------------------------------------------------

/// Hand-written checks come with the case: the caller's function just gives them.
static wd_status given_checks(void *context, const char *name, const struct wd_judge_input *input,
    wd_value **ret_checks, wd_error *error)
{
    (void)name;
    (void)input;
    (void)error;
    *ret_checks = wd_value_ref(wd_object_get(context, "checks"));
    return WD_OK;
}

static bool declares_all(const wd_value *row)
{
    const wd_value *kind = wd_object_get(row, "kind");
    return wd_value_is_text(kind, "criteria") || wd_value_is_text(kind, "answer");
}

/// The task to judge: the row itself, or what it may change beside checks made elsewhere.
static wd_status bind_task(const wd_conform_case *one, wd_value **ret_task)
{
    const wd_value *ignored = wd_object_get(one->file, "always_ignore");
    wd_value *task = NULL;
    wd_status status = WD_OK;
    if (declares_all(one->row)) {
        task = wd_value_ref(one->row);
        wd_value *list = wd_value_ref(ignored);
        status = wd_object_set(&task, "always_ignore", &list);
        wd_value_unref(&list);
    } else {
        status = wd_value_pack(&task, "{s:?v,s:?v,s:?v,s:s}", "apps", wd_object_get(one->row, "apps"),
            "expected_changes", wd_object_get(one->inner, "declared"), "always_ignore", ignored, "check",
            "given");
    }
    if (status != WD_OK) {
        wd_value_unref(&task);
        return status;
    }
    *ret_task = task;
    return WD_OK;
}

static wd_status side_effects_value(const wd_verdict *verdict, wd_value **ret_list)
{
    wd_value *list = wd_value_array();
    wd_status status = WD_OK;
    for (size_t i = 0; status == WD_OK && i < wd_deeds_count(verdict->deeds); i++) {
        wd_value *entry = NULL;
        status = wd_change_to_value(wd_deeds_at(verdict->deeds, i)->change, &entry);
        status = status == WD_OK ? wd_array_append(&list, &entry) : status;
        wd_value_unref(&entry);
    }
    if (status != WD_OK) {
        wd_value_unref(&list);
        return status;
    }
    *ret_list = list;
    return WD_OK;
}

/// The file shows what was not found as null.
static wd_status shown_checks(const wd_value *checks, wd_value **ret_checks)
{
    wd_value *shown = wd_value_ref(checks);
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(checks);
    while (status == WD_OK && wd_iter_next(&iter)) {
        wd_value *check = wd_value_ref(iter.value);
        wd_value *nothing = wd_value_null();
        if (wd_object_get(check, "actual") == NULL && wd_object_get(check, "expected") != NULL) {
            status = wd_object_set(&check, "actual", &nothing);
            status = status == WD_OK ? wd_array_set(&shown, iter.index, &check) : status;
        }
        wd_value_unref(&nothing);
        wd_value_unref(&check);
    }
    if (status != WD_OK) {
        wd_value_unref(&shown);
        return status;
    }
    *ret_checks = shown;
    return WD_OK;
}

static wd_status verdict_value(const wd_verdict *verdict, const wd_value *declared, wd_value **ret_value)
{
    wd_value *unexpected = NULL;
    wd_value *checks = NULL;
    wd_status status = side_effects_value(verdict, &unexpected);
    status = status == WD_OK ? shown_checks(verdict->checks, &checks) : status;
    if (status == WD_OK) {
        status = wd_value_pack(ret_value, "{s:?v,s:v,s:b,s:d,s:v,s:b,s:b,s:?v}", "declared", declared,
            "checks", checks, "success", (int)verdict->success, "progress", verdict->progress, "unexpected",
            unexpected, "clean", (int)verdict->clean, "passed", (int)verdict->passed, "error",
            verdict->error);
    }
    wd_value_unref(&unexpected);
    wd_value_unref(&checks);
    return status;
}

static wd_status judge_final(const wd_conform_case *one, wd_value **ret_got)
{
    const wd_value *base = wd_object_get(one->file, "base");
    const wd_value *init = wd_object_get(one->row, "init");
    const wd_value *const first[3] = { base, init, NULL };
    const wd_value *const last[3] = { base, init, wd_object_get(one->inner, "state") };
    wd_value *task = NULL;
    wd_value *before = NULL;
    wd_value *after = NULL;
    wd_value *declared = NULL;
    wd_value *patterns = NULL;
    wd_rules *rules = NULL;
    wd_verdict *verdict = NULL;
    wd_judge_functions functions = { .context = (void *)(uintptr_t)one->inner, .check = given_checks };
    wd_status status = bind_task(one, &task);
    status = status == WD_OK ? build_state(one->file, first, &before) : status;
    status = status == WD_OK ? build_state(one->file, last, &after) : status;
    status = status == WD_OK ? wd_rules_new(task, &rules) : status;
    if (status == WD_OK) {
        wd_judge_input input = {
            .rules = rules,
            .initial = before,
            .final = after,
            .route = wd_object_get(one->inner, "route"),
            .answer = wd_value_string_or(wd_object_get(one->inner, "answer"), NULL),
            .grounded = wd_value_is_text(wd_object_get(one->inner, "eval_mode"), "grounded"),
            .functions = &functions,
        };
        status = wd_judge(&input, &verdict);
    }
    if (status == WD_OK && wd_rules_error(rules) == NULL) {
        status = wd_rules_patterns(rules, before, after, &declared, &patterns);
    }
    status = status == WD_OK ? verdict_value(verdict, declared, ret_got) : status;
    wd_verdict_destroy(&verdict);
    wd_rules_destroy(&rules);
    wd_value_unref(&declared);
    wd_value_unref(&patterns);
    wd_value_unref(&before);
    wd_value_unref(&after);
    wd_value_unref(&task);
    return status;
}

static wd_status replay_final(
    const wd_conform_case *one, wd_value **ret_wanted, wd_value **ret_got, wd_error *error)
{
    (void)error;
    static const char *const members[] = { "declared", "checks", "success", "progress", "unexpected", "clean",
        "passed", NULL };
    wd_status status = wd_conform_pick(one->inner, members, ret_wanted);
    return status == WD_OK ? judge_final(one, ret_got) : status;
}

static const wd_conform_list lists[] = {
    { .name = "cases", .replay = replay_final, .tolerance = 1e-12, .inner = "finals" }
};

const wd_conform_kind wd_conform_tasks = { "tasks", lists, WD_COUNT_OF(lists) };
