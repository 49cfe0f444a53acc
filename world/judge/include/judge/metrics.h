/// metrics.h - what a run was worth, and a suite of runs: derived flags, dense reward, SR, PR, FC, USE, OT,
/// pass@k (judge.md 9.4 and 10, tests/vectors/README-judge.md).
#ifndef JUDGE_METRICS_H
#define JUDGE_METRICS_H

#include "judge/verdict.h"

/// Why a run ended. NONE: it has not.
typedef enum wd_stop {
    WD_STOP_NONE,
    WD_STOP_COMPLETE,
    WD_STOP_ABORT,
    WD_STOP_MAX_STEPS,
    WD_STOP_REPETITIVE_LOOP,
    WD_STOP_FORMAT_ERROR,
    WD_STOP_CANCELLED,
    WD_STOP_ERROR,
} wd_stop;

/// "COMPLETE" and so on; NULL for NONE. Static.
const char *wd_stop_name(wd_stop stop);
/// The stop of that name; NONE when `name` is NULL or unknown.
wd_stop wd_stop_named(const char *name);
/// The agent ended it itself (a malformed reply counts); the budget or the loop guard did.
bool wd_stop_is_finished(wd_stop stop);
bool wd_stop_is_truncated(wd_stop stop);

/// A run that ended, as the metrics see it. Texts and checks are borrowed.
typedef struct wd_scored_run {
    const char *task;  // id, for aggregates
    wd_stop stop;
    bool judged;          // there is a verdict; else the next five say nothing
    bool success, clean;  // of the verdict
    double progress;
    const char *verdict_error;  // the verdict is an error; NULL: it is none
    const wd_value *checks;     // NULL: none
    const char *error;          // the run itself failed; NULL: it did not
    bool late_answer;           // accepted by wd_episode_accepts_late_answer()
    int64_t steps;
    double runtime_s;
} wd_scored_run;

/// What follows from an episode (judge.md 9.4).
typedef struct wd_flags {
    bool success;                // completed (or late) and passed
    bool goal_success;           // of the verdict, even with an error
    bool no_unexpected_changes;  // true without a verdict
    bool passed;                 // goal met, clean and no verdict error
    double progress;
    bool false_complete;
    bool overdue;
    const char *error;  // of the run, else of the verdict; NULL: none
} wd_flags;
wd_flags wd_flags_of(const wd_scored_run *episode);

/// An episode cut off by its budget counts as complete when it passed, takes an answer, and was given one.
/// @param takes_answer  the task wants an answer, or declares fields
bool wd_episode_accepts_late_answer(
    wd_stop stop, bool passed, bool takes_answer, bool declares_fields, bool answered);

/// What the dense reward is made of; wd_reward_input_of() fills it in from an episode.
typedef struct wd_reward_input {
    double progress;
    bool goal_success, success, clean, passed, finished, false_complete, overdue, has_error;
    wd_stop stop;
    const wd_value *checks;  // borrowed; NULL: none
} wd_reward_input;
wd_reward_input wd_reward_input_of(const wd_scored_run *episode);

typedef struct wd_reward {
    double reward;  // judge.md 10.4; 0..1 for a progress in 0..1
    bool aborted_after_goal_success;
    bool wrong_answer_submitted;
} wd_reward;
wd_reward wd_reward_of(const wd_reward_input *input);

/// Chance that one of `k` of `n` trials, `c` of which succeeded, is a success (judge.md 10.2).
double wd_pass_at_k(int64_t n, int64_t c, int64_t k);

/// Steps a task may take: `explicit_steps` (0: not said) as it is; else the task's own number, which must be
/// 15, 30, 45 or 60, else by difficulty "L1".."L4", 30 for others; and 15 more to fill in a sheet.
/// @param task_steps  The task's own number; NULL or null: none.
/// @retval WD_EINVAL  `task_steps` is none of the four.
WD_NODISCARD wd_status wd_max_steps(const char *difficulty, const wd_value *task_steps, bool fills_sheet,
    int64_t explicit_steps, int64_t *ret_steps);

/// The summary of a suite: {total_tasks, total_episodes, repeat_n, success, failed, error, success_rate,
/// avg_steps, avg_runtime_s, progress_rate, false_complete_rate, overdue_termination_rate,
/// unexpected_side_effects_rate, success_tasks, failed_tasks, error_tasks, pass_at_k?, per_task_pass_k?}.
/// success_rate is over the episodes without error, all others over all. The four rates after avg_runtime_s
/// are left out when there are no episodes.
/// @param pass_k  values of k to report; `pass_k_count` 0: none.
WD_NODISCARD wd_status wd_metrics_summary(const wd_scored_run *episodes, size_t count, int64_t repeat_n,
    const int64_t *pass_k, size_t pass_k_count, wd_value **ret_summary);

#endif
