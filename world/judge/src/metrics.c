/// metrics.c - the formulas of judge.md 9.4 and 10.
#include "judge/metrics.h"

#include <string.h>

static const struct stop_row {
    const char *name;
    bool finished, truncated;
} stops[] = {
    [WD_STOP_NONE] = { NULL, false, false },
    [WD_STOP_COMPLETE] = { "COMPLETE", true, false },
    [WD_STOP_ABORT] = { "ABORT", true, false },
    [WD_STOP_MAX_STEPS] = { "MAX_STEPS", false, true },
    [WD_STOP_REPETITIVE_LOOP] = { "REPETITIVE_LOOP", false, true },
    [WD_STOP_FORMAT_ERROR] = { "FORMAT_ERROR", true, false },
    [WD_STOP_CANCELLED] = { "CANCELLED", false, false },
    [WD_STOP_ERROR] = { "ERROR", false, false },
};

const char *wd_stop_name(wd_stop stop)
{
    return stops[stop].name;
}

wd_stop wd_stop_named(const char *name)
{
    for (size_t i = 1; name != NULL && i < WD_COUNT_OF(stops); i++) {
        if (strcmp(stops[i].name, name) == 0) {
            return (wd_stop)i;
        }
    }
    return WD_STOP_NONE;
}

bool wd_stop_is_finished(wd_stop stop)
{
    return stops[stop].finished;
}

bool wd_stop_is_truncated(wd_stop stop)
{
    return stops[stop].truncated;
}

wd_flags wd_flags_of(const wd_scored_run *episode)
{
    const char *verdict_error = episode->judged ? episode->verdict_error : NULL;
    wd_flags flags = {
        .goal_success = episode->judged && episode->success,
        .no_unexpected_changes = !episode->judged || episode->clean,
        .progress = episode->judged ? episode->progress : 0.0,
        .error = episode->error != NULL ? episode->error : verdict_error,
    };
    flags.passed = episode->judged && episode->success && episode->clean && verdict_error == NULL;
    bool complete = episode->stop == WD_STOP_COMPLETE;
    bool fine = flags.error == NULL;
    flags.success = (complete || episode->late_answer) && flags.passed && fine;
    flags.false_complete = complete && !flags.success && fine;
    flags.overdue = wd_stop_is_truncated(episode->stop) && flags.goal_success && !flags.success && fine;
    return flags;
}

bool wd_episode_accepts_late_answer(
    wd_stop stop, bool passed, bool takes_answer, bool declares_fields, bool answered)
{
    return wd_stop_is_truncated(stop) && passed && (takes_answer || declares_fields) &&
           (answered || declares_fields);
}

// ---- reward -----------------------------------------------------------------------------------------------

wd_reward_input wd_reward_input_of(const wd_scored_run *episode)
{
    wd_flags flags = wd_flags_of(episode);
    bool fine = flags.error == NULL;
    return (wd_reward_input){
        .progress = flags.progress,
        .goal_success = flags.goal_success && fine,
        .success = flags.success,
        .clean = flags.no_unexpected_changes && fine,
        .passed = flags.passed && fine,
        .finished = wd_stop_is_finished(episode->stop) && fine,
        .false_complete = flags.false_complete,
        .overdue = flags.overdue,
        .has_error = !fine,
        .stop = episode->stop,
        .checks = episode->judged ? episode->checks : NULL,
    };
}

static bool check_passed(const wd_value *check)
{
    return wd_value_bool_or(wd_object_get(check, "passed"), false);
}

/// A sheet handed in with a wrong field: handing it in earns nothing. *ret_share is the share of the other
/// checks that hold.
static bool is_wrong_sheet(const wd_value *checks, double *ret_share)
{
    bool submitted = false, wrong = false;
    size_t others = 0, passed = 0;
    wd_iter iter = wd_iter_start(checks);
    while (wd_iter_next(&iter)) {
        const char *field = wd_value_string_or(wd_object_get(iter.value, "field"), "");
        if (strcmp(field, "answer_sheet.submitted") == 0) {
            submitted = submitted || wd_value_bool_or(wd_object_get(iter.value, "actual"), false);
            continue;
        }
        bool holds = check_passed(iter.value);
        wrong = wrong || (strncmp(field, "answer_sheet.", 13) == 0 && !holds);
        others += 1;
        passed += holds;
    }
    *ret_share = others > 0 ? (double)passed / (double)others : 0.0;
    return submitted && wrong;
}

wd_reward wd_reward_of(const wd_reward_input *input)
{
    wd_reward result = { .reward = input->progress };
    double share = 0.0;
    result.wrong_answer_submitted = is_wrong_sheet(input->checks, &share);
    if (result.wrong_answer_submitted) {
        result.reward = share;
    }
    if (input->goal_success && !input->clean) {
        result.reward *= 0.8;
    }
    result.aborted_after_goal_success =
        input->stop == WD_STOP_ABORT && input->goal_success && !input->success;
    if (result.aborted_after_goal_success && result.reward > 0.0) {
        result.reward *= 0.5;
    }
    if (input->overdue) {
        result.reward *= 0.5;
    }
    bool given_up = input->finished && !input->goal_success && !input->has_error;
    if (given_up && result.reward > 0.0) {
        result.reward *= 0.8;
    }
    return result;
}

// ---- trials and budgets -----------------------------------------------------------------------------------

double wd_pass_at_k(int64_t n, int64_t c, int64_t k)
{
    if (n < k) {
        return c > 0 ? 1.0 : 0.0;
    }
    if (c >= n) {
        return 1.0;
    }
    if (c <= 0) {
        return 0.0;
    }
    double all_fail = 1.0;  // C(n-c, k) / C(n, k)
    for (int64_t i = 0; i < k; i++) {
        all_fail *= i < n - c ? (double)(n - c - i) / (double)(n - i) : 0.0;
    }
    return 1.0 - all_fail;
}

enum { SHEET_STEPS = 15, DEFAULT_STEPS = 30 };

wd_status wd_max_steps(const char *difficulty, const wd_value *task_steps, bool fills_sheet,
    int64_t explicit_steps, int64_t *ret_steps)
{
    if (explicit_steps > 0) {
        *ret_steps = explicit_steps;
        return WD_OK;
    }
    static const char *const names[] = { "L1", "L2", "L3", "L4" };
    int64_t steps = DEFAULT_STEPS;
    if (task_steps != NULL && !wd_value_is(task_steps, WD_KIND_NULL)) {
        steps = wd_value_is(task_steps, WD_KIND_INT) ? wd_value_as_int(task_steps) : 0;
        if (steps % 15 != 0 || steps < 15 || steps > 60) {
            return WD_EINVAL;
        }
    } else {
        for (size_t i = 0; difficulty != NULL && i < WD_COUNT_OF(names); i++) {
            steps = strcmp(difficulty, names[i]) == 0 ? (int64_t)(i + 1) * 15 : steps;
        }
    }
    *ret_steps = steps + (fills_sheet ? SHEET_STEPS : 0);
    return WD_OK;
}
