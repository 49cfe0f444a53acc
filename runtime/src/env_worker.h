/// env_worker.h - what a worker does with a job, on its thread.
#ifndef RUNTIME_ENV_WORKER_H
#define RUNTIME_ENV_WORKER_H

#include "job_queue.h"

typedef int64_t wd_env_clock(void);  // monotonic milliseconds

/// Do the job; its answer is in it afterwards. Events go to `out` before it. What has not begun when the job is
/// cancelled or its deadline passes, the call or each slot of the batch, is not done and says so.
void wd_env_worker_do(
    wd_envs *envs, uint32_t worker, wd_env_job *job, wd_env_clock *clock, wd_job_queue *out);

#endif
