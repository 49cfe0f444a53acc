/// summary.c - a suite of episodes in figures.
#include "judge/metrics.h"

#include "tree/alloc.h"

#include <stdio.h>
#include <string.h>

/// What is known of one task's trials.
typedef struct task_row {
    const char *id;
    int64_t trials, successes;  // trials without error
} task_row;

typedef struct sums {
    size_t success, error;
    double steps, runtime_s, progress;
    size_t false_complete, overdue, side_effects;
} sums;

static void add_episode(sums *so_far, const wd_scored_run *episode, const wd_flags *flags)
{
    so_far->success += flags->success;
    so_far->error += flags->error != NULL;
    so_far->steps += (double)episode->steps;
    so_far->runtime_s += episode->runtime_s;
    so_far->progress += flags->progress;
    so_far->false_complete += flags->false_complete;
    so_far->overdue += flags->overdue;
    so_far->side_effects += episode->judged && !episode->clean;
}

static void add_trial(task_row *rows, size_t *count, const char *id, const wd_flags *flags)
{
    size_t at = 0;
    while (at < *count && strcmp(rows[at].id, id) != 0) {
        at += 1;
    }
    if (at == *count) {
        rows[(*count)++] = (task_row){ .id = id };
    }
    rows[at].trials += flags->error == NULL;
    rows[at].successes += flags->success;
}

static wd_status put(wd_value **object_p, const char *name, wd_value **item_p)
{
    wd_status status = *item_p != NULL ? wd_object_set(object_p, name, item_p) : WD_ENOMEM;
    wd_value_unref(item_p);
    return status;
}

static wd_status put_double(wd_value **object_p, const char *name, double number)
{
    wd_value *item = NULL;
    wd_status status = wd_value_double(number, &item);
    return status == WD_OK ? put(object_p, name, &item) : status;
}

static wd_status put_rates(wd_value **summary_p, const sums *all, size_t count)
{
    const struct {
        const char *name;
        double sum;
    } rates[] = {
        { "progress_rate", all->progress },
        { "false_complete_rate", (double)all->false_complete },
        { "overdue_termination_rate", (double)all->overdue },
        { "unexpected_side_effects_rate", (double)all->side_effects },
    };
    wd_status status = WD_OK;
    for (size_t i = 0; count > 0 && status == WD_OK && i < WD_COUNT_OF(rates); i++) {
        status = put_double(summary_p, rates[i].name, rates[i].sum / (double)count);
    }
    return status;
}

typedef enum outcome { OUTCOME_SUCCESS, OUTCOME_FAILED, OUTCOME_ERROR } outcome;

static outcome outcome_of(const wd_scored_run *episode)
{
    wd_flags flags = wd_flags_of(episode);
    return flags.error != NULL ? OUTCOME_ERROR : flags.success ? OUTCOME_SUCCESS : OUTCOME_FAILED;
}

static wd_status put_tasks(
    wd_value **summary_p, const char *name, const wd_scored_run *episodes, size_t count, outcome wanted)
{
    wd_value *list = wd_value_array();
    wd_status status = WD_OK;
    for (size_t i = 0; status == WD_OK && i < count; i++) {
        wd_value *id = NULL;
        if (outcome_of(&episodes[i]) == wanted) {
            status = wd_value_text(episodes[i].task, &id);
            status = status == WD_OK ? wd_array_append(&list, &id) : status;
        }
        wd_value_unref(&id);
    }
    if (status == WD_OK) {
        return put(summary_p, name, &list);
    }
    wd_value_unref(&list);
    return status;
}

static wd_status put_pass(wd_value **object_p, const char *prefix, int64_t k, double chance)
{
    char name[32];
    snprintf(name, sizeof name, "%s%lld", prefix, (long long)k);
    return put_double(object_p, name, chance);
}

/// {"k": mean over the tasks that have trials}
static wd_status put_mean_pass(
    wd_value **summary_p, const task_row *rows, size_t count, const int64_t *pass_k, size_t pass_k_count)
{
    wd_value *means = wd_value_object();
    wd_status status = WD_OK;
    for (size_t i = 0; status == WD_OK && i < pass_k_count; i++) {
        double sum = 0.0;
        size_t tried = 0;
        for (size_t row = 0; row < count; row++) {
            if (rows[row].trials > 0) {
                sum += wd_pass_at_k(rows[row].trials, rows[row].successes, pass_k[i]);
                tried += 1;
            }
        }
        status = put_pass(&means, "", pass_k[i], tried > 0 ? sum / (double)tried : 0.0);
    }
    if (status == WD_OK) {
        return put(summary_p, "pass_at_k", &means);
    }
    wd_value_unref(&means);
    return status;
}

static wd_status put_task_pass(
    wd_value **summary_p, const task_row *rows, size_t count, const int64_t *pass_k, size_t pass_k_count)
{
    wd_value *tasks = wd_value_object();
    wd_status status = WD_OK;
    for (size_t row = 0; status == WD_OK && row < count; row++) {
        wd_value *task = NULL;
        status =
            wd_value_pack(&task, "{s:i,s:i}", "trials", rows[row].trials, "successes", rows[row].successes);
        for (size_t i = 0; status == WD_OK && i < pass_k_count; i++) {
            status = put_pass(
                &task, "pass@", pass_k[i], wd_pass_at_k(rows[row].trials, rows[row].successes, pass_k[i]));
        }
        status = status == WD_OK ? wd_object_set(&tasks, rows[row].id, &task) : status;
        wd_value_unref(&task);
    }
    if (status == WD_OK) {
        return put(summary_p, "per_task_pass_k", &tasks);
    }
    wd_value_unref(&tasks);
    return status;
}

static wd_status put_totals(
    wd_value **ret_summary, const sums *all, size_t count, size_t task_count, int64_t repeat_n)
{
    size_t counted = count > all->error ? count - all->error : 1;
    double each = count > 0 ? (double)count : 1.0;
    return wd_value_pack(ret_summary, "{s:i,s:i,s:i,s:i,s:i,s:i,s:d,s:d,s:d}", "total_tasks",
        (int64_t)task_count, "total_episodes", (int64_t)count, "repeat_n", repeat_n, "success",
        (int64_t)all->success, "failed", (int64_t)(count - all->error - all->success), "error",
        (int64_t)all->error, "success_rate", (double)all->success / (double)counted, "avg_steps",
        all->steps / each, "avg_runtime_s", all->runtime_s / each);
}

wd_status wd_metrics_summary(const wd_scored_run *episodes, size_t count, int64_t repeat_n,
    const int64_t *pass_k, size_t pass_k_count, wd_value **ret_summary)
{
    task_row *rows = wd_alloc_zero(count + 1, sizeof *rows);
    if (rows == NULL) {
        return WD_ENOMEM;
    }
    sums all = { 0 };
    size_t task_count = 0;
    for (size_t i = 0; i < count; i++) {
        wd_flags flags = wd_flags_of(&episodes[i]);
        add_episode(&all, &episodes[i], &flags);
        add_trial(rows, &task_count, episodes[i].task, &flags);
    }
    wd_value *summary = NULL;
    wd_status status = put_totals(&summary, &all, count, task_count, repeat_n);
    status = status == WD_OK ? put_rates(&summary, &all, count) : status;
    static const char *const lists[] = { "success_tasks", "failed_tasks", "error_tasks" };
    for (int i = OUTCOME_SUCCESS; status == WD_OK && i <= OUTCOME_ERROR; i++) {
        status = put_tasks(&summary, lists[i], episodes, count, (outcome)i);
    }
    if (status == WD_OK && pass_k_count > 0) {
        status = put_mean_pass(&summary, rows, task_count, pass_k, pass_k_count);
        status = status == WD_OK ? put_task_pass(&summary, rows, task_count, pass_k, pass_k_count) : status;
    }
    wd_free(rows, (count + 1) * sizeof *rows);
    if (status != WD_OK) {
        wd_value_unref(&summary);
        return status;
    }
    *ret_summary = summary;
    return WD_OK;
}
