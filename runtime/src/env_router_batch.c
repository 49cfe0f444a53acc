// Batches: the slots of each worker in a job of their own.
#include "env_router_internal.h"

#include <string.h>

/// Fill the job of one worker with its slots.
static wd_env_job *batch_part(
    const wd_env_router *router, const wd_env_batch *batch, uint32_t worker, size_t slots, size_t bytes)
{
    wd_env_job *job = wd_env_job_new(WD_ENV_JOB_BATCH, slots, bytes);
    size_t slot = 0, at = 0;
    for (size_t i = 0; job != NULL && i < batch->count; i++) {
        wd_env_batch_item item = wd_env_batch_at(batch, i);
        uint32_t home = 0;
        if (wd_env_pool_home(router->pool, &item.env, &home) != WD_OK) {
            home = 0;  // no such env; the first worker says so
        }
        if (home != worker) {
            continue;
        }
        size_t kind_length = strlen(item.kind);
        wd_env_slot *one = &job->slots[slot++];
        one->index = (uint32_t)i;
        one->env = item.env;
        one->kind = (wd_env_span){ (uint32_t)at, (uint32_t)kind_length };
        memcpy(job->input + at, item.kind, kind_length + 1);
        at += kind_length + 1;
        one->args = (wd_env_span){ (uint32_t)at, (uint32_t)item.args_length };
        if (item.args_length > 0) {
            memcpy(job->input + at, item.args, item.args_length);
            at += item.args_length;
        }
    }
    return job;
}

wd_status wd_env_router_batch(
    wd_env_router *router, const wd_env_asker *asker, const wd_env_batch *batch, wd_error *error)
{
    size_t slots[WD_ENV_WORKERS_MAX] = { 0 }, bytes[WD_ENV_WORKERS_MAX] = { 0 }, parts = 0;
    for (size_t i = 0; i < batch->count; i++) {
        wd_env_batch_item item = wd_env_batch_at(batch, i);
        uint32_t home = 0;
        if (wd_env_pool_home(router->pool, &item.env, &home) != WD_OK) {
            home = 0;
        }
        parts += slots[home] == 0;
        slots[home] += 1;
        bytes[home] += strlen(item.kind) + 1 + item.args_length;
    }
    open_request *request = NULL;
    wd_status status = router_open(router, asker, "", NULL, &request, error);
    if (status != WD_OK) {
        return status;
    }
    request->slot_count = batch->count;
    status = router_expect(request, parts, error);
    if (status != WD_OK) {
        router_forget(router, request);
        return status;
    }
    size_t part = 0;
    for (uint32_t worker = 0; worker < wd_env_pool_workers(router->pool); worker++) {
        if (slots[worker] == 0) {
            continue;
        }
        wd_env_job *job = batch_part(router, batch, worker, slots[worker], bytes[worker]);
        status = job == NULL ? WD_ENOMEM : WD_OK;
        if (status == WD_OK) {
            job->look = batch->look;
            status = router_send(router, request, part, worker, &job);
        }
        if (status != WD_OK) {  // its slots fail, each with the reason
            for (size_t i = 0; job != NULL && i < job->slot_count; i++) {
                job->slots[i].status = status;
            }
            request->parts[part] = job;
            request->parts_left -= 1;
        }
        part += 1;
    }
    router->over_count += request->parts_left == 0;
    return WD_OK;
}
