/// sim_executor.h - the embedded phone as an executor. Answers at once.
#ifndef RUNTIME_SIM_EXECUTOR_H
#define RUNTIME_SIM_EXECUTOR_H

#include "runtime/executor.h"
#include "runtime/task_event.h"
#include "sim/phone.h"

typedef struct wd_sim_executor {
    wd_host *host;          // borrowed
    wd_device *device;      // borrowed
    wd_task_events events;  // of the task; zero: none
} wd_sim_executor;

/// The executor's view of `sim`, which must outlive it.
wd_executor wd_sim_executor_as_executor(wd_sim_executor *sim);

#endif
