/// task_check.h - the checks that a task can name in "check" (judge.h of the judge has no scripts of its own).
///
///   "records"  the user's own records, found by what they hold: "records" of the task is an array of
///              {"in": path, "where": {place: wanted}, "new"?: true, "absent"?: true, "name"?}. `path` leads to a list of objects or an
///              object of objects in the final state; one of them must hold all places of `where` (values, parameters,
///              operators). With "new" it must not have been there at the start, under the same key or id; with
///              "absent" none may hold them.
///   "lua"      a script of the task's own: its "lua" defines check(input) (task_lua.h).
#ifndef RUNTIME_TASK_CHECK_H
#define RUNTIME_TASK_CHECK_H

#include "judge/verdict.h"
#include "runtime/task.h"
#include "sim/phone.h"

enum { WD_TASK_RECORDS_MAX = 64 };

/// What the checks of a task look at; all borrowed.
typedef struct wd_task_judging {
    const wd_task *task;
    wd_host *host;  // for the views that the task declares; NULL: a task with views cannot be judged
} wd_task_judging;

/// Functions for judging a task. @param judging  Borrowed as long as the functions are used, from one thread.
wd_judge_functions wd_task_checks(wd_task_judging *judging);

#endif
