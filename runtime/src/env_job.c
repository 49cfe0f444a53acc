// Jobs: memory that may change hands.
#include "runtime/env_pool.h"

#include "tree/alloc.h"

#include <string.h>

static void *shared_zero(size_t size)
{
    void *block = wd_alloc_shared(size);
    if (block != NULL) {
        memset(block, 0, size);
    }
    return block;
}

wd_env_job *wd_env_job_new(wd_env_job_kind kind, size_t slot_count, size_t input_size)
{
    wd_assert(slot_count <= WD_ENV_BATCH_MAX);
    wd_env_job *job = shared_zero(sizeof *job);
    if (job == NULL) {
        return NULL;
    }
    job->kind = kind;
    atomic_init(&job->cancelled, false);
    if (slot_count > 0) {
        job->slots = shared_zero(slot_count * sizeof *job->slots);
        job->slot_count = job->slots == NULL ? 0 : slot_count;
    }
    if (input_size > 0) {
        job->input = wd_alloc_shared(input_size);
        job->input_size = job->input == NULL ? 0 : input_size;
    }
    if (job->slot_count != slot_count || job->input_size != input_size) {
        wd_env_job_destroy(&job);
    }
    return job;
}

void wd_env_job_destroy(wd_env_job **job_p)
{
    wd_env_job *job = *job_p;
    *job_p = NULL;
    if (job == NULL) {
        return;
    }
    wd_value_unref(&job->args);
    wd_value_unref(&job->result);
    wd_free_shared(job->slots, job->slot_count * sizeof *job->slots);
    wd_free_shared(job->input, job->input_size);
    wd_free_shared(job->output, job->output_size);
    wd_free_shared(job, sizeof *job);
}
