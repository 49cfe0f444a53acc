/// eval.h - results of an evaluation: one JSON line per episode, and what they come to.
#ifndef CTL_EVAL_H
#define CTL_EVAL_H

#include "ctl.h"

/// The row of one run: {"task", "seed", "planner", "difficulty"?, "stop", "judged", "success", "clean", "passed",
/// "progress", "late_answer", "steps", "runtime_s", "answer"?, "why"?, "episode"?, "error"?}.
/// @param result  The daemon's answer; NULL when the run could not be made: `failure` says why.
WD_NODISCARD wd_status eval_row(const char *task, const wd_value *document, int64_t seed, const char *planner,
    const wd_value *result, const char *failure, double runtime_s, wd_value **ret_row);

/// Read the rows of a results file, of the last of each task and seed for this planner. A last line that was cut off
/// is left out. @param ret_rows  Array; empty when there is no file.
/// @retval WD_EPARSE  a line is no row.
WD_NODISCARD wd_status eval_read(const char *path, const char *planner, wd_value **ret_rows, wd_error *error);

/// {"all": summary, "suites": {name: summary}, "difficulties": {name: summary}} of metrics.h.
WD_NODISCARD wd_status eval_summary(const wd_value *rows, wd_value **ret_summary);
/// The same as tables for people.
void eval_print(const wd_value *summary);
/// JUnit XML: a suite per suite, a case per task and seed. @retval WD_EIO.
WD_NODISCARD wd_status eval_junit(const wd_value *rows, const char *path, wd_error *error);

#endif
