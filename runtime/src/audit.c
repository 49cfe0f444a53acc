#include "audit_internal.h"

#include "runtime/mutation.h"
#include "runtime/run_judge.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

wd_audit_options wd_audit_options_default(void)
{
    return (wd_audit_options){ .seed = 0, .instances = 4, .mutations = 20 };
}

wd_status wd_audit_fault(wd_audit *audit, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    wd_value *fault = NULL;
    wd_status status = wd_value_text(text, &fault);
    if (status == WD_EUTF8) {  // cut inside a character
        status = wd_value_text("a fault whose text is too long", &fault);
    }
    status = status == WD_OK ? wd_array_append(&audit->faults, &fault) : status;
    wd_value_unref(&fault);
    return status;
}

// ---- one run ----------------------------------------------------------------------------------------------------

/// One rehearsal with its verdict.
typedef struct rehearsal {
    wd_drill drill;
    wd_value *verdict;
    bool passed, clean;
    const char *error;  // of the verdict; NULL none
} rehearsal;

static void rehearsal_done(rehearsal *run)
{
    wd_drill_done(&run->drill);
    wd_value_unref(&run->verdict);
}

/// @retval WD_EINVAL, ...  the task cannot be run: `error` says why.
static wd_status rehearse(wd_audit *audit, const wd_task_instance *instance, size_t step_count,
    const wd_value *events, rehearsal *ret_run, wd_error *error)
{
    wd_drill_order order = {
        .host = audit->host,
        .start = instance->device,
        .task = &instance->task,
        .steps = wd_object_get(instance->task.document, "gold"),
        .step_count = step_count,
        .events = events,
    };
    rehearsal run = { 0 };
    audit->runs += 1;
    wd_status status = wd_drill_run(&order, &run.drill, error);
    status = status == WD_OK ? wd_run_judge(run.drill.run, audit->host, &run.verdict) : status;
    if (status != WD_OK) {
        rehearsal_done(&run);
        return status;
    }
    run.passed = wd_value_bool_or(wd_object_get(run.verdict, "passed"), false);
    run.clean = wd_value_bool_or(wd_object_get(run.verdict, "clean"), false);
    run.error = wd_value_string_or(wd_object_get(run.verdict, "error"), NULL);
    wd_audit_watch_checks(audit, run.verdict);
    *ret_run = run;
    return WD_OK;
}

/// A fault of a run that could not be made; WD_ENOMEM stays what it is.
static wd_status not_run(wd_audit *audit, const char *what, wd_status status, const wd_error *error)
{
    return status == WD_ENOMEM ? status : wd_audit_fault(audit, "%s: %s", what, error->text);
}

/// What kept a run from passing, as a fault.
static wd_status tell_failure(wd_audit *audit, const char *what, const rehearsal *run)
{
    if (run->error != NULL) {
        return wd_audit_fault(audit, "%s: cannot be judged: %s", what, run->error);
    }
    if (run->drill.stumbled) {
        return wd_audit_fault(
            audit, "%s: stumbled at step %u: %s", what, run->drill.stumbled_at, run->drill.stumble);
    }
    wd_iter check = wd_iter_start(wd_object_get(run->verdict, "checks"));
    while (wd_iter_next(&check)) {
        if (!wd_value_bool_or(wd_object_get(check.value, "passed"), false)) {
            wd_buffer actual = { 0 };
            const wd_value *found = wd_object_get(check.value, "actual");
            bool shown = found != NULL && wd_json_write(found, WD_JSON_COMPACT, &actual) == WD_OK;
            wd_status status = wd_audit_fault(audit, "%s: check %s fails, found %.200s", what,
                wd_value_string_or(wd_object_get(check.value, "field"), "?"),
                shown ? actual.bytes : "nothing");
            wd_buffer_done(&actual);
            return status;
        }
    }
    const wd_value *effect = wd_array_at(wd_object_get(run->verdict, "side_effects"), 0);
    return wd_audit_fault(audit, "%s: not clean: %s by step %lld", what,
        wd_value_string_or(wd_object_get(effect, "path"), "?"),
        (long long)wd_value_int_or(wd_object_get(effect, "step"), -1));
}

// ---- gold -------------------------------------------------------------------------------------------------------

static size_t gold_count(const wd_audit *audit)
{
    return wd_array_count(wd_object_get(audit->document, "gold"));
}

/// The whole gold plan must pass, within the budget.
static wd_status check_gold(
    wd_audit *audit, const wd_task_instance *instance, const char *what, rehearsal *ret_run, wd_error *error)
{
    wd_status status = rehearse(audit, instance, gold_count(audit), NULL, ret_run, error);
    if (status != WD_OK) {
        return status;
    }
    const wd_task_context *context = wd_run_context(ret_run->drill.run);
    if (wd_run_ending(ret_run->drill.run) != WD_END_COMPLETE) {
        status = wd_audit_fault(audit, "%s: ends with %s after %zu steps", what,
            wd_ending_name(wd_run_ending(ret_run->drill.run)), context->step_count);
    } else if (!ret_run->passed || ret_run->drill.stumbled) {
        status = tell_failure(audit, what, ret_run);
    }
    if (status == WD_OK) {
        status = wd_audit_watch_changes(audit, &instance->task, context->state_initial, context->state);
    }
    if (status != WD_OK) {
        rehearsal_done(ret_run);
    }
    return status;
}

static wd_status check_idle(wd_audit *audit, const wd_task_instance *instance, wd_error *error)
{
    rehearsal run;
    wd_status status = rehearse(audit, instance, 0, NULL, &run, error);
    if (status != WD_OK) {
        return status;
    }
    status = run.passed ? wd_audit_fault(audit, "idle: doing nothing passes") : WD_OK;
    rehearsal_done(&run);
    return status;
}

// ---- cuts -------------------------------------------------------------------------------------------------------

/// Did step `at` of the gold run change anything that counts?
static wd_status changed_state(const wd_task_context *gold, size_t at, bool *ret_changed)
{
    const wd_value *before = at == 0 ? gold->state_initial : gold->steps[at - 1].state_after;
    wd_expectations *none = NULL;
    wd_changes *changes = NULL;
    wd_status status = wd_expectations_new(NULL, NULL, WD_MALFORMED_REFUSED, &none, NULL);
    status = status == WD_OK ? wd_expectations_unexpected(none, before, gold->steps[at].state_after, &changes)
                             : status;
    *ret_changed = wd_changes_count(changes) > 0;
    wd_changes_destroy(&changes);
    wd_expectations_destroy(&none);
    return status;
}

static wd_status check_cuts(
    wd_audit *audit, const wd_task_instance *instance, const wd_task_context *gold, wd_error *error)
{
    wd_status status = WD_OK;
    for (size_t at = 0; status == WD_OK && at < gold_count(audit) && at < gold->step_count; at++) {
        bool matters = gold->steps[at].step.action.kind == WD_ACTION_ANSWER;
        rehearsal run;
        if (!matters) {
            status = changed_state(gold, at, &matters);
        }
        if (status != WD_OK || !matters) {
            continue;
        }
        status = rehearse(audit, instance, at, NULL, &run, error);
        audit->cuts += 1;
        if (status == WD_OK && run.passed) {
            status = wd_audit_fault(audit, "cut: passes without step %zu (%s) and what follows", at,
                wd_action_kind_name(gold->steps[at].step.action.kind));
        }
        if (status == WD_OK) {
            rehearsal_done(&run);
        }
    }
    return status;
}

// ---- mutations --------------------------------------------------------------------------------------------------

/// A step of the gold run that the phone executed: *ret_after counts such steps up to it. SIZE_MAX: none.
static size_t draw_step(const wd_task_context *gold, size_t count, wd_draw *draw, int64_t *ret_after)
{
    size_t chosen = SIZE_MAX;
    int64_t executed = 0;
    for (size_t at = 0; at < count && at < gold->step_count; at++) {
        if (wd_action_is_physical(gold->steps[at].step.action.kind)) {
            executed += 1;
            if (wd_draw_below(draw, (uint64_t)executed) == 0) {
                chosen = at;
                *ret_after = executed;
            }
        }
    }
    return chosen;
}

/// The task's events and the mutation as one more.
static wd_status with_mutation(
    const wd_task *task, const wd_mutation *mutation, int64_t after, wd_value **ret_events)
{
    wd_value *events = task->events == NULL ? wd_value_array() : wd_value_ref(task->events), *event = NULL;
    wd_status status = wd_value_pack(&event, "{s:i,s:v}", "after", after, "inject", mutation->patch);
    status = status == WD_OK ? wd_array_append(&events, &event) : status;
    wd_value_unref(&event);
    if (status != WD_OK) {
        wd_value_unref(&events);
        return status;
    }
    *ret_events = events;
    return WD_OK;
}

/// The step that the verdict blames for the change at `place`, which may have been undone since; -2: none is told.
static int64_t culprit(const wd_value *verdict, const char *place)
{
    static const char *const lists[] = { "side_effects", "undone" };
    for (size_t i = 0; i < WD_COUNT_OF(lists); i++) {
        wd_iter effect = wd_iter_start(wd_object_get(verdict, lists[i]));
        while (wd_iter_next(&effect)) {
            if (wd_value_is_text(wd_object_get(effect.value, "path"), place)) {
                return wd_value_int_or(wd_object_get(effect.value, "step"), -1);
            }
        }
    }
    return -2;
}

static wd_status check_mutation(wd_audit *audit, const wd_task_instance *instance,
    const wd_task_context *gold, const wd_mutation *mutation, wd_draw *draw, wd_error *error)
{
    int64_t after = 0;
    size_t at = draw_step(gold, gold_count(audit), draw, &after);
    const char *place = wd_value_as_string(mutation->place, NULL);
    wd_value *events = NULL;
    rehearsal run;
    if (at == SIZE_MAX) {
        return wd_audit_fault(audit, "mutations: the gold plan touches no phone");
    }
    wd_status status = with_mutation(&instance->task, mutation, after, &events);
    status = status == WD_OK ? rehearse(audit, instance, gold_count(audit), events, &run, error) : status;
    wd_value_unref(&events);
    if (status != WD_OK) {
        return status;
    }
    audit->mutations += 1;
    int64_t blamed = culprit(run.verdict, place);
    if (blamed == -2 || (run.clean && wd_array_count(wd_object_get(run.verdict, "undone")) == 0)) {
        status = wd_audit_fault(audit, "mutation: %s changed at step %zu is not noticed", place, at);
    } else if (blamed != (int64_t)at) {
        status = wd_audit_fault(
            audit, "mutation: %s changed at step %zu, blamed is step %lld", place, at, (long long)blamed);
    }
    rehearsal_done(&run);
    return status;
}

static wd_status check_mutations(
    wd_audit *audit, const wd_task_instance *instance, const wd_task_context *gold, wd_error *error)
{
    wd_rules *rules = NULL;
    wd_draw draw = { audit->options->seed ^ UINT64_C(0x6D75746174696F6E) };
    wd_status status = wd_rules_new(instance->task.document, &rules);
    if (status == WD_OK && wd_rules_error(rules) != NULL) {
        wd_rules_destroy(&rules);  // told already by the gold run's verdict
        return WD_OK;
    }
    for (unsigned i = 0; status == WD_OK && i < audit->options->mutations; i++) {
        wd_mutation mutation = { 0 };
        status = wd_mutation_draw(rules, instance->device, gold->state_initial, &draw, &mutation, error);
        if (status == WD_OK) {
            status = check_mutation(audit, instance, gold, &mutation, &draw, error);
            wd_mutation_done(&mutation);
        }
    }
    wd_rules_destroy(&rules);
    return status;
}

// ---- instances --------------------------------------------------------------------------------------------------

/// Open an instance and run the gold plan on it. With `whole` everything else is tried on it as well.
static wd_status check_instance(
    wd_audit *audit, const wd_task_order *order, const char *what, bool whole, wd_error *error)
{
    wd_task_instance instance;
    rehearsal gold;
    wd_status status = wd_task_instance_open(audit->host, order, &instance, error);
    if (status != WD_OK) {
        return status;
    }
    audit->instances += 1;
    status = check_gold(audit, &instance, what, &gold, error);
    if (status == WD_OK) {
        const wd_task_context *context = wd_run_context(gold.drill.run);
        if (whole) {
            audit->steps = (int64_t)context->step_count;
            status = check_idle(audit, &instance, error);
            status = status == WD_OK ? check_cuts(audit, &instance, context, error) : status;
            status = status == WD_OK ? check_mutations(audit, &instance, context, error) : status;
        }
        rehearsal_done(&gold);
    }
    wd_task_instance_done(&instance);
    return status;
}

static wd_status check_all(wd_audit *audit)
{
    static const char *const locales[] = { "en", "zh-Hans" };
    wd_error error = { .text = "out of memory" };
    wd_status status = WD_OK;
    for (unsigned i = 0; status == WD_OK && i < audit->options->instances; i++) {
        wd_task_order order = { .document = audit->document, .seed = audit->options->seed + i };
        char what[64];
        snprintf(what, sizeof what, "gold with seed %llu", (unsigned long long)order.seed);
        status = check_instance(audit, &order, what, i == 0, &error);
        status = status == WD_OK ? WD_OK : not_run(audit, what, status, &error);
    }
    for (size_t i = 0; status == WD_OK && i < WD_COUNT_OF(locales); i++) {
        wd_task_order order = {
            .document = audit->document, .seed = audit->options->seed, .locale = locales[i]
        };
        char what[64];
        snprintf(what, sizeof what, "gold in %s", locales[i]);
        status = check_instance(audit, &order, what, false, &error);
        status = status == WD_OK ? WD_OK : not_run(audit, what, status, &error);
    }
    return status;
}

wd_status wd_audit_task(
    wd_host *host, const wd_value *document, const wd_audit_options *options, wd_value **ret_report)
{
    wd_assert(options->instances >= 1 && options->instances <= WD_AUDIT_INSTANCES_MAX);
    wd_assert(options->mutations <= WD_AUDIT_MUTATIONS_MAX);
    wd_audit audit = { .host = host, .document = document, .options = options, .faults = wd_value_array() };
    const char *id = wd_value_string_or(wd_object_get(document, "id"), "?");
    wd_status status = WD_OK;
    if (gold_count(&audit) == 0) {
        status = wd_audit_fault(&audit, "gold: there is no gold plan");
    } else {
        status = check_all(&audit);
        status = status == WD_OK ? wd_audit_judge_entries(&audit) : status;
    }
    if (status == WD_OK) {
        status = wd_value_pack(ret_report, "{s:s,s:b,s:i,s:i,s:i,s:i,s:i,s:v}", "task", id, "ok",
            wd_array_count(audit.faults) == 0, "runs", audit.runs, "instances", audit.instances, "steps",
            audit.steps, "cuts", audit.cuts, "mutations", audit.mutations, "faults", audit.faults);
    }
    wd_value_unref(&audit.faults);
    return status;
}
