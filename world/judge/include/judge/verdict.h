/// verdict.h - was the task done, and at what cost (DESIGN section 10, judge.md 4).
///
/// Pure: the verdict depends on its input only - not on time, on what ran before, or on what the states
/// share. The same inputs give the same bytes of wd_verdict_to_value().
#ifndef JUDGE_VERDICT_H
#define JUDGE_VERDICT_H

#include "judge/answers.h"
#include "judge/culprit.h"
#include "judge/rules.h"

struct wd_judge_input;

/// What the caller's own checks do; the judge has no scripts.
typedef struct wd_judge_functions {
    void *context;
    /// Run the check the task names. The states are borrowed; *ret_checks becomes an array of checks as
    /// criteria.h describes them. Any status but WD_OK is a check that raised: the verdict is an error with
    /// that text.
    wd_status (*check)(void *context, const char *name, const struct wd_judge_input *input,
        wd_value **ret_checks, wd_error *error);
} wd_judge_functions;

typedef struct wd_judge_input {
    const wd_rules *rules;
    const wd_value *initial, *final;      // states; only `apps` and `os` count
    const wd_value *route;                // {"app", "path"} of the screen in front at the end; NULL: none
    const char *answer;                   // text of the last answer given; NULL: none
    bool grounded;                        // judge the answer sheet instead, when the task declares fields
    wd_answer_clock clock;                // of the device at the end, for 今天 and 下周一
    wd_trace trace;                       // of the run; steps NULL: none, then nothing has a culprit
    const wd_judge_functions *functions;  // NULL: none
    bool apps_required;                   // an app of the task that a state lacks makes the verdict an error
} wd_judge_input;

typedef struct wd_verdict {
    bool success;      // all checks hold, and there are some
    bool clean;        // no unexpected change
    bool passed;       // both
    double progress;   // checks that hold / checks
    wd_value *checks;  // array; empty when the verdict is an error
    wd_deeds *deeds;   // the side effects and what was undone
    wd_value *error;   // string: the task could not be judged, then neither success nor passed; NULL: it was
} wd_verdict;

/// @retval WD_ENOMEM  nothing was leaked. Bad input is no status but a verdict with an error.
WD_NODISCARD wd_status wd_judge(const wd_judge_input *input, wd_verdict **ret_verdict);
void wd_verdict_destroy(wd_verdict **verdict_p);

/// {"success", "clean", "passed", "progress", "checks", "side_effects": [{"path", "before"?, "after"?,
/// "step"?,
/// "last_step"?}], "undone": [{"path", "before"?, "after"?, "step", "undone_step"}], "error"?}. "last_step"
/// is left out when it is "step"; both are when nothing is known.
/// @retval WD_ELIMIT  what was found nests too deep for a verdict around it.
WD_NODISCARD wd_status wd_verdict_to_value(const wd_verdict *verdict, wd_value **ret_value);

#endif
