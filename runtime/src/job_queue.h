/// job_queue.h - a queue of jobs from any threads to one, without locks: senders push on a stack, the taker takes all
/// of it at once and turns it round. An eventfd wakes the taker.
#ifndef RUNTIME_JOB_QUEUE_H
#define RUNTIME_JOB_QUEUE_H

#include "runtime/env_pool.h"

#include <stdatomic.h>

typedef struct wd_job_queue {
    _Atomic(wd_env_job *) newest;
    atomic_size_t count;    // pushed and not yet returned by next
    atomic_size_t dropped;  // events that were not pushed, as too many waited; the taker sets it back
    wd_env_job *taken;      // the taker's, oldest first
    int fd;
} wd_job_queue;

WD_NODISCARD wd_status wd_job_queue_init(wd_job_queue *queue, wd_error *error);
/// Destroys what is left in it.
void wd_job_queue_done(wd_job_queue *queue);
void wd_job_queue_push(wd_job_queue *queue, wd_env_job *job);
/// The oldest job; NULL: none, and the descriptor is quiet until the next push.
wd_env_job *wd_job_queue_next(wd_job_queue *queue);
/// Wait until a push, at most `timeout_ms`.
void wd_job_queue_wait(wd_job_queue *queue, int timeout_ms);
/// Wake the taker without a job.
void wd_job_queue_nudge(wd_job_queue *queue);

#endif
