/// env_worker.h - what a worker does with a job, on its thread.
#ifndef RUNTIME_ENV_WORKER_H
#define RUNTIME_ENV_WORKER_H

#include "job_queue.h"

/// Do the job; its answer is in it afterwards. Events go to `out` before it.
void wd_env_worker_do(wd_envs *envs, uint32_t worker, wd_env_job *job, int64_t now_ms, wd_job_queue *out);

#endif
