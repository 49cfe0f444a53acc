/// run_judge_internal.h - shared by run_judge.c (with a state) and run_judge_blind.c (without one).
#ifndef RUNTIME_RUN_JUDGE_INTERNAL_H
#define RUNTIME_RUN_JUDGE_INTERNAL_H

#include "judge/verdict.h"
#include "runtime/run.h"

/// Judge by `document`. The input's states, functions and clock are the caller's; its rules, answer, route
/// and trace are taken from the context.
WD_NODISCARD wd_status wd_run_judge_with(
    const wd_task_context *context, const wd_value *document, wd_judge_input *input, wd_value **ret_verdict);
/// Without a state (run_judge.h).
WD_NODISCARD wd_status wd_run_judge_blind(const wd_task_context *context, wd_value **ret_verdict);

#endif
