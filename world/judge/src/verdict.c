/// verdict.c - checks and side effects put together.
#include "judge/verdict.h"

#include "judge/criteria.h"
#include "judge/order.h"
#include "rule_set.h"
#include "tree/alloc.h"

void wd_verdict_destroy(wd_verdict **verdict_p)
{
    wd_verdict *verdict = *verdict_p;
    if (verdict != NULL) {
        wd_value_unref(&verdict->checks);
        wd_value_unref(&verdict->error);
        wd_deeds_destroy(&verdict->deeds);
        wd_free(verdict, sizeof *verdict);
        *verdict_p = NULL;
    }
}

/// An app that the task is about and a state lacks: the run went wrong, not the agent.
static wd_status check_apps(const wd_judge_input *input, wd_error *error)
{
    const wd_value *const states[] = { input->initial, input->final };
    for (size_t i = 0; input->apps_required && i < WD_COUNT_OF(states); i++) {
        const wd_value *apps = wd_object_get(states[i], "apps");
        wd_iter iter = wd_iter_start(input->rules->apps);
        while (wd_iter_next(&iter)) {
            const char *id = wd_value_as_string(iter.value, NULL);
            if (wd_object_get(apps, id) == NULL) {
                return wd_error_set(
                    error, WD_ENOENT, "app %s is not in the %s state", id, i == 0 ? "initial" : "final");
            }
        }
    }
    return WD_OK;
}

static wd_status append_all(wd_value **list_p, const wd_value *items)
{
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(items);
    while (status == WD_OK && wd_iter_next(&iter)) {
        wd_value *item = wd_value_ref(iter.value);
        status = wd_array_append(list_p, &item);
        wd_value_unref(&item);
    }
    return status;
}

/// The check that the caller's function makes.
static wd_status run_function(const wd_judge_input *input, wd_value **checks_p, wd_error *error)
{
    const wd_value *name = wd_object_get(input->rules->task, "check");
    if (name == NULL || wd_value_is(name, WD_KIND_NULL)) {
        return WD_OK;
    }
    if (!wd_value_is(name, WD_KIND_STRING)) {
        return wd_error_set(error, WD_ETYPE, "check: expected the name of a function");
    }
    if (input->functions == NULL || input->functions->check == NULL) {
        return wd_error_set(
            error, WD_ENOENT, "check: nothing here can run %.80s", wd_value_as_string(name, NULL));
    }
    wd_value *checks = NULL;
    wd_status status = input->functions->check(
        input->functions->context, wd_value_as_string(name, NULL), input, &checks, error);
    if (status != WD_OK) {
        wd_error_prefix(error, "check %.80s", wd_value_as_string(name, NULL));
    } else if (!wd_value_is(checks, WD_KIND_ARRAY)) {
        status = wd_error_set(error, WD_ETYPE, "check: expected an array of checks");
    } else {
        status = append_all(checks_p, checks);
    }
    wd_value_unref(&checks);
    return status;
}

static wd_status check_answer(const wd_judge_input *input, wd_value **checks_p, wd_error *error)
{
    const wd_answer_input answer = {
        .task = input->rules->task,
        .initial = input->initial,
        .final = input->final,
        .spoken = input->answer,
        .grounded = input->grounded,
        .clock = input->clock,
    };
    return wd_answer_check(&answer, checks_p, error);
}

static wd_status check_order(const wd_judge_input *input, wd_value **checks_p, wd_error *error)
{
    const wd_value *order = wd_object_get(input->rules->task, "order");
    if (wd_array_count(order) > 0 && input->trace.steps == NULL) {
        return wd_error_set(error, WD_ENOENT, "order: there is no trace of the run");
    }
    return wd_order_check(wd_value_is(order, WD_KIND_ARRAY) ? order : NULL, input->rules->params,
        &input->trace, checks_p, error);
}

static wd_status make_checks(const wd_judge_input *input, wd_value **checks_p, wd_error *error)
{
    if (input->rules->broken) {
        *error = input->rules->error;
        return error->status;
    }
    wd_status status = check_apps(input, error);
    status = status == WD_OK ? wd_criteria_check(input->rules, input->final, input->route, checks_p) : status;
    status = status == WD_OK ? check_answer(input, checks_p, error) : status;
    status = status == WD_OK ? run_function(input, checks_p, error) : status;
    status = status == WD_OK ? check_order(input, checks_p, error) : status;
    if (status == WD_OK && wd_array_count(*checks_p) == 0) {
        status = wd_error_set(error, WD_EINVAL, "the task checks nothing");
    }
    return status;
}

/// Replace what was found so far by the error.
static wd_status turn_into_error(wd_verdict *verdict, wd_status status, const wd_error *error)
{
    wd_value_unref(&verdict->checks);
    verdict->checks = wd_value_array();
    wd_deeds_destroy(&verdict->deeds);
    verdict->success = false;
    verdict->clean = true;
    verdict->passed = false;
    verdict->progress = 0.0;
    const char *text = error->text[0] != '\0' ? error->text : wd_status_text(status);
    return wd_value_text(text, &verdict->error);
}

static wd_status judge(const wd_judge_input *input, wd_verdict *verdict, wd_error *error)
{
    size_t passed = 0;
    wd_status status = make_checks(input, &verdict->checks, error);
    status = status == WD_OK ? wd_checks_scan(verdict->checks, &passed, error) : status;
    if (status == WD_OK) {
        status =
            wd_deeds_find(input->rules, input->initial, input->final, &input->trace, &verdict->deeds, error);
    }
    if (status == WD_OK) {
        size_t count = wd_array_count(verdict->checks);
        verdict->success = passed == count;
        verdict->clean = wd_deeds_count(verdict->deeds) == 0;
        verdict->passed = verdict->success && verdict->clean;
        verdict->progress = (double)passed / (double)count;
    }
    return status;
}

wd_status wd_judge(const wd_judge_input *input, wd_verdict **ret_verdict)
{
    wd_verdict *verdict = wd_alloc_zero(1, sizeof *verdict);
    if (verdict == NULL) {
        return WD_ENOMEM;
    }
    wd_error error = { 0 };
    verdict->checks = wd_value_array();
    wd_status status = judge(input, verdict, &error);
    if (status != WD_OK && status != WD_ENOMEM) {
        status = turn_into_error(verdict, status, &error);
    }
    if (status != WD_OK) {
        wd_verdict_destroy(&verdict);
        return status;
    }
    *ret_verdict = verdict;
    return WD_OK;
}

// ---- JSON form --------------------------------------------------------------------------------------------

static wd_status put_number(wd_value **object_p, const char *name, int64_t number)
{
    wd_value *item = NULL;
    wd_status status = wd_value_int(number, &item);
    status = status == WD_OK ? wd_object_set(object_p, name, &item) : status;
    wd_value_unref(&item);
    return status;
}

static wd_status append_deed(const wd_deed *deed, const char *last_name, bool always, wd_value **list_p)
{
    wd_value *entry = NULL;
    wd_status status = wd_change_to_value(deed->change, &entry);
    if (status == WD_OK && deed->step >= 0) {
        status = put_number(&entry, "step", deed->step);
    }
    if (status == WD_OK && deed->step >= 0 && (always || deed->last_step != deed->step)) {
        status = put_number(&entry, last_name, deed->last_step);
    }
    status = status == WD_OK ? wd_array_append(list_p, &entry) : status;
    wd_value_unref(&entry);
    return status;
}

wd_status wd_verdict_to_value(const wd_verdict *verdict, wd_value **ret_value)
{
    wd_value *side_effects = wd_value_array();
    wd_value *undone = wd_value_array();
    wd_status status = WD_OK;
    for (size_t i = 0; status == WD_OK && i < wd_deeds_count(verdict->deeds); i++) {
        status = append_deed(wd_deeds_at(verdict->deeds, i), "last_step", false, &side_effects);
    }
    for (size_t i = 0; status == WD_OK && i < wd_deeds_undone_count(verdict->deeds); i++) {
        status = append_deed(wd_deeds_undone_at(verdict->deeds, i), "undone_step", true, &undone);
    }
    if (status == WD_OK) {
        status = wd_value_pack(ret_value, "{s:b,s:b,s:b,s:d,s:v,s:v,s:v,s:?v}", "success",
            (int)verdict->success, "clean", (int)verdict->clean, "passed", (int)verdict->passed, "progress",
            verdict->progress, "checks", verdict->checks, "side_effects", side_effects, "undone", undone,
            "error", verdict->error);
    }
    wd_value_unref(&side_effects);
    wd_value_unref(&undone);
    return status;
}
