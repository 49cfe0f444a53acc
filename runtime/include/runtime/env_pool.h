/// env_pool.h - envs on worker threads: jobs go in, jobs with their answers come out.
///
/// Each worker owns a table of envs (env.h) with a host of its own; an env lives on one worker for life, which its id
/// names. A job is a message: plain memory that one thread at a time owns, and values that are frozen. Queues take no
/// lock. A worker does its jobs in the order in which they were sent to it; which worker does what changes no answer.
#ifndef RUNTIME_ENV_POOL_H
#define RUNTIME_ENV_POOL_H

#include "runtime/env.h"

#include <stdatomic.h>

enum {
    WD_ENV_WORKERS_MAX = 64,
    WD_ENV_QUEUE_MAX = 4096,  // jobs that wait for one worker
    WD_ENV_BATCH_MAX = 4096,  // slots of one batch
    WD_ENV_EVENTS_MAX =
        8192,  // jobs that came out and were not taken, past which events are dropped and counted
    WD_ENV_VERB_MAX = 32,
    WD_ENV_CODE_MAX = 31,                 // bytes of a result's code
    WD_ENV_OUTPUT_MAX = 4 * 1024 * 1024,  // bytes that one batch may answer: more fits into no frame
};

typedef enum wd_env_job_kind {
    WD_ENV_JOB_CALL,    // a verb of env_call.h
    WD_ENV_JOB_BATCH,   // steps of many envs
    WD_ENV_JOB_EVENT,   // comes out unasked: something for those who watch
    WD_ENV_JOB_DISOWN,  // close all envs of an owner
} wd_env_job_kind;

/// Bytes in a job's input or output; length 0 is none.
typedef struct wd_env_span {
    uint32_t at, length;
} wd_env_span;

/// One step of a batch, asked and answered. A slot that fails says so in status and text, and no other slot notices.
typedef struct wd_env_slot {
    uint32_t index;  // in the batch as it was asked
    wd_env_id env;
    wd_env_span kind, args;  // in `input`; kind is NUL-terminated there, args is a JSON object or none
    wd_status status;
    wd_env_span text;  // in `output`, as all that follow: why, or the result's
    wd_env_span observation, final_observation, verdict;  // JSON
    char code[WD_ENV_CODE_MAX + 1];
    wd_outcome outcome;
    uint32_t step;
    bool reset;
    wd_ending ending;
    wd_digest machine;
} wd_env_slot;

typedef struct wd_env_job {
    struct wd_env_job *next;  // private to queues
    wd_env_job_kind kind;
    uint64_t ticket;      // the sender's; untouched
    uint32_t worker;      // who did it
    wd_roles roles;       // of who asks
    wd_env_owner owner;   // who asks; EVENT: whose env it is; DISOWN: whose envs
    int64_t deadline_ms;  // monotonic; what begins later, a job or a slot, is not done: WD_ETIMEOUT. 0: none
    atomic_bool cancelled;  // set by any thread that may not yet take it back: what has not begun is not done
    bool watched;           // make events
    // CALL
    char verb[WD_ENV_VERB_MAX + 1];
    wd_value *args;    // frozen
    wd_value *result;  // frozen; EVENT: the event
    wd_error error;    // status WD_OK: done
    // BATCH
    wd_env_look look;
    wd_env_slot *slots;
    size_t slot_count;
    char *input, *output;  // of so many bytes; NULL when 0
    size_t input_size, output_size;
    bool overflow;  // all was done, but the answer is over WD_ENV_OUTPUT_MAX and is not there
} wd_env_job;

/// All its memory is shared memory (wd_alloc_shared), so that whoever has it may destroy it. NULL: memory is out.
wd_env_job *wd_env_job_new(wd_env_job_kind kind, size_t slot_count, size_t input_size);
void wd_env_job_destroy(wd_env_job **job_p);

typedef struct wd_env_pool wd_env_pool;

/// Start `worker_count` (1..WD_ENV_WORKERS_MAX) threads. Bounds of `options` are for all together and split evenly;
/// its number is not used.
WD_NODISCARD wd_status wd_env_pool_new(const wd_envs_options *options, wd_packs *packs, size_t worker_count,
    wd_env_pool **ret_pool, wd_error *error);
/// Waits for the jobs in hand; what was not begun is dropped.
void wd_env_pool_destroy(wd_env_pool **pool_p);
size_t wd_env_pool_workers(const wd_env_pool *pool);
/// The worker that an id belongs to. @retval WD_ENOENT  no such worker: no such env.
WD_NODISCARD wd_status wd_env_pool_home(const wd_env_pool *pool, const wd_env_id *id, uint32_t *ret_worker);

/// Takes *job_p. @retval WD_EBUSY  the worker's queue is full; the job stays the caller's.
WD_NODISCARD wd_status wd_env_pool_send(wd_env_pool *pool, uint32_t worker, wd_env_job **job_p);
/// The next job that came out, in the order in which its worker finished it; NULL: none. One thread calls this.
wd_env_job *wd_env_pool_take(wd_env_pool *pool);
/// How many events were dropped since the last call: whoever watches is faster than who takes.
size_t wd_env_pool_dropped(wd_env_pool *pool);
/// Readable while jobs may be there to take.
int wd_env_pool_fd(const wd_env_pool *pool);

#endif
