/// run_judge.h - the verdict on a finished (or running) run: its states, answer and trace put before the judge.
#ifndef RUNTIME_RUN_JUDGE_H
#define RUNTIME_RUN_JUDGE_H

#include "judge/verdict.h"
#include "runtime/run.h"
#include "sim/phone.h"

/// Of a run whose device tells no state, what can be said without one: the answer, where it is wanted literally, the order
/// of what was done, and the route, where the screens tell it. `unjudged` names everything else that the task demands,
/// "side effects" always; `clean` is left out, and `passed` is `success`, which no task has that leaves a check unjudged.
/// @param ret_verdict  The verdict as JSON value (wd_verdict_to_value()); NULL before the first look, and when there is
///                     no state and the task demands nothing.
/// @param host         For the views that the task declares, or NULL (task_check.h).
WD_NODISCARD wd_status wd_run_judge(const wd_run *run, wd_host *host, wd_value **ret_verdict);

/// A step as the judge's trace has it (step_event.h).
WD_NODISCARD wd_status wd_run_step_event(const wd_run_step_record *record, wd_value **ret_event);

/// The dense reward of judge.md 10.4 for a verdict, 0..1. WD_END_NONE: what it would be worth now.
double wd_verdict_reward(const char *task, wd_ending ending, const wd_value *verdict);
double wd_run_reward(const wd_run *run, const wd_value *verdict);

#endif
