/// drill.h - a task worked on by steps that are known beforehand, in this process and without a planner: gold plans,
/// and what is made of them to test judges.
#ifndef RUNTIME_DRILL_H
#define RUNTIME_DRILL_H

#include "runtime/run.h"
#include "sim/phone.h"

typedef struct wd_drill_order {
    wd_host *host;
    const wd_device *start;  // forked, not changed
    const wd_task *task;
    const wd_value *steps;   // array of {"action", "args"?}
    size_t step_count;       // the first so many of them; then "complete"
    const wd_value *events;  // in place of the task's own (task_event.h); NULL: the task's
} wd_drill_order;

typedef struct wd_drill {
    wd_run *run;    // over; its context holds steps and states
    bool stumbled;  // a step was refused or failed; the rest was left out
    uint32_t stumbled_at;
    char stumble[WD_ERROR_TEXT_MAX];  // code and text of that step; "" none
} wd_drill;

/// @retval WD_EINVAL, WD_ETYPE  a step is malformed: `error` names it.
WD_NODISCARD wd_status wd_drill_run(const wd_drill_order *order, wd_drill *ret_drill, wd_error *error);
void wd_drill_done(wd_drill *drill);

#endif
