#include "env_router_internal.h"

#include "env_merge.h"
#include "tree/alloc.h"

#include <string.h>

void wd_env_done_done(wd_env_done *done)
{
    wd_value_unref(&done->result);
    wd_free(done->body, done->body_length);
}

wd_status wd_env_router_new(wd_env_pool *pool, wd_env_router **ret_router)
{
    wd_env_router *router = wd_alloc_zero(1, sizeof *router);
    if (router == NULL) {
        return WD_ENOMEM;
    }
    router->pool = pool;
    *ret_router = router;
    return WD_OK;
}

static void drop_parts(open_request *request)
{
    for (size_t i = 0; i < request->part_count; i++) {
        wd_env_job_destroy(&request->parts[i]);
    }
    if (request->parts != NULL) {
        wd_free(request->parts, request->part_count * sizeof *request->parts);
    }
    if (request->sent != NULL) {
        wd_free(request->sent, request->part_count * sizeof *request->sent);
    }
    request->parts = request->sent = NULL;
    request->part_count = 0;
}

static void request_destroy(open_request **request_p)
{
    open_request *request = *request_p;
    *request_p = NULL;
    if (request != NULL) {
        drop_parts(request);
        wd_value_unref(&request->args);
        wd_value_unref(&request->made);
        wd_free(request, sizeof *request);
    }
}

void wd_env_router_destroy(wd_env_router **router_p)
{
    wd_env_router *router = *router_p;
    *router_p = NULL;
    if (router == NULL) {
        return;
    }
    for (size_t i = 0; i < router->request_count; i++) {
        request_destroy(&router->requests[i]);
    }
    wd_free(router, sizeof *router);
}

// ---- opening ------------------------------------------------------------------------------------------------------

wd_status router_open(wd_env_router *router, const wd_env_asker *asker, const char *verb,
    const wd_value *args, open_request **ret_request, wd_error *error)
{
    if (router->request_count == WD_ENV_REQUESTS_MAX) {
        return wd_error_set(error, WD_EBUSY, "envs: %d requests are open", WD_ENV_REQUESTS_MAX);
    }
    open_request *request = wd_alloc_zero(1, sizeof *request);
    if (request == NULL) {
        return wd_error_set(error, WD_ENOMEM, "envs: out of memory");
    }
    request->ticket = ++router->ticket_last;
    request->asker = *asker;
    strncpy(request->verb, verb, WD_ENV_VERB_MAX);
    request->args = wd_value_ref(args);
    router->requests[router->request_count++] = request;
    *ret_request = request;
    return WD_OK;
}

void router_forget(wd_env_router *router, open_request *request)
{
    size_t at = 0;
    while (router->requests[at] != request) {
        at += 1;
    }
    router->request_count -= 1;
    memmove(&router->requests[at], &router->requests[at + 1],
        (router->request_count - at) * sizeof *router->requests);
    request_destroy(&request);
}

wd_status router_expect(open_request *request, size_t count, wd_error *error)
{
    drop_parts(request);
    wd_env_job **parts = wd_alloc_zero(count, sizeof *parts), **sent = wd_alloc_zero(count, sizeof *sent);
    if (parts == NULL || sent == NULL) {
        wd_free(parts, parts == NULL ? 0 : count * sizeof *parts);
        wd_free(sent, sent == NULL ? 0 : count * sizeof *sent);
        return wd_error_set(error, WD_ENOMEM, "envs: out of memory");
    }
    request->parts = parts;
    request->sent = sent;
    request->part_count = request->parts_left = count;
    return WD_OK;
}

// ---- sending ------------------------------------------------------------------------------------------------------

static void address(const open_request *request, size_t part, wd_env_job *job)
{
    job->ticket = request->ticket << PART_BITS | part;
    job->owner = request->asker.instance;
    job->roles = request->asker.roles;
    job->deadline_ms = request->asker.deadline_ms;
    job->watched = request->asker.watched;
}

wd_status router_send(
    wd_env_router *router, open_request *request, size_t part, uint32_t worker, wd_env_job **job_p)
{
    wd_env_job *job = *job_p;
    address(request, part, job);
    wd_status status = wd_env_pool_send(router->pool, worker, job_p);
    if (status == WD_OK) {
        request->sent[part] = job;  // it comes back to us, and nobody else destroys it
    }
    return status;
}

void router_fail_part(open_request *request, size_t part, wd_status status, const char *text)
{
    wd_env_job *job = wd_env_job_new(WD_ENV_JOB_CALL, 0, 0);
    if (job != NULL) {
        wd_error_set(&job->error, status, "%s", text);
    }
    request->parts[part] = job;  // NULL stands for out of memory
    request->parts_left -= 1;
}

void router_send_call(wd_env_router *router, open_request *request, size_t part, uint32_t worker,
    const char *verb, const wd_value *args)
{
    wd_env_job *job = wd_env_job_new(WD_ENV_JOB_CALL, 0, 0);
    wd_status status = job == NULL ? WD_ENOMEM : wd_value_freeze(args, &job->args);
    if (status == WD_OK) {
        strncpy(job->verb, verb, WD_ENV_VERB_MAX);
        status = router_send(router, request, part, worker, &job);
    }
    if (status != WD_OK) {
        wd_env_job_destroy(&job);
        router_fail_part(request, part, status,
            status == WD_EBUSY ? "envs: the worker's queue is full; try again" : wd_status_text(status));
    }
}

// ---- ending early -------------------------------------------------------------------------------------------------

wd_status wd_env_router_cancel(wd_env_router *router, const wd_env_owner *instance, uint64_t request_id)
{
    for (size_t i = 0; i < router->request_count; i++) {
        open_request *request = router->requests[i];
        const wd_env_asker *asker = &request->asker;
        if (asker->request_id != request_id || memcmp(&asker->instance, instance, sizeof *instance) != 0) {
            continue;
        }
        request->cancelled = true;
        for (size_t p = 0; p < request->part_count; p++) {
            if (request->sent[p] != NULL) {
                atomic_store_explicit(&request->sent[p]->cancelled, true, memory_order_relaxed);
            }
        }
        return WD_OK;
    }
    return WD_ENOENT;
}

wd_status wd_env_router_disown(wd_env_router *router, const wd_env_owner *owner)
{
    for (uint32_t i = 0; i < wd_env_pool_workers(router->pool); i++) {
        wd_env_job *job = wd_env_job_new(WD_ENV_JOB_DISOWN, 0, 0);
        if (job == NULL) {
            return WD_ENOMEM;
        }
        job->owner = *owner;
        wd_status status = wd_env_pool_send(router->pool, i, &job);
        if (status != WD_OK) {
            wd_env_job_destroy(&job);
            return status;
        }
    }
    return WD_OK;
}

// ---- taking -------------------------------------------------------------------------------------------------------

static open_request *find_request(const wd_env_router *router, uint64_t ticket)
{
    for (size_t i = 0; i < router->request_count; i++) {
        if (router->requests[i]->ticket == ticket) {
            return router->requests[i];
        }
    }
    return NULL;
}

/// All parts are back: what the request came to.
static void conclude(wd_env_router *router, open_request *request, wd_env_done *done)
{
    done->instance = request->asker.instance;
    done->request_id = request->asker.request_id;
    wd_status status = WD_OK;
    if (request->slot_count > 0) {
        done->kind = WD_ENV_DONE_BATCH;
        status = wd_env_merge_batch(request->asker.request_id, request->parts, request->part_count,
            request->slot_count, &done->body, &done->body_length, &done->error);
    } else {
        done->kind = WD_ENV_DONE_RESULT;
        status =
            wd_env_merge(request->verb, request->parts, request->part_count, &done->result, &done->error);
        if (status != WD_OK && strcmp(request->verb, "env_fork") == 0) {
            router_undo_forks(router, request);
        }
    }
    if (status != WD_OK) {
        done->kind = WD_ENV_DONE_ERROR;
        done->error.status = status;
    }
}

/// Put a job where it belongs. @return true when it ended its request, or is an event: *done is filled.
static bool take_job(wd_env_router *router, wd_env_job **job_p, wd_env_done *done)
{
    wd_env_job *job = *job_p;
    if (job->kind == WD_ENV_JOB_EVENT) {
        *done = (wd_env_done){ .kind = WD_ENV_DONE_EVENT, .instance = job->owner, .result = job->result };
        job->result = NULL;
        return true;
    }
    open_request *request = find_request(router, job->ticket >> PART_BITS);
    if (request == NULL) {
        return false;  // nobody waits for it
    }
    size_t part = job->ticket & ((1 << PART_BITS) - 1);
    request->parts[part] = job;
    request->sent[part] = NULL;
    *job_p = NULL;
    request->parts_left -= 1;
    if (request->parts_left > 0) {
        return false;
    }
    *done = (wd_env_done){ 0 };
    if (request->phase != PHASE_CALL) {
        wd_status status = router_next_phase(router, request, &done->error);
        if (status == WD_OK && request->parts_left > 0) {
            return false;
        }
        if (status != WD_OK) {
            done->kind = WD_ENV_DONE_ERROR;
            done->error.status = status;
            done->instance = request->asker.instance;
            done->request_id = request->asker.request_id;
            router_forget(router, request);
            return true;
        }
    }
    conclude(router, request, done);
    router_forget(router, request);
    return true;
}

bool wd_env_router_waits(const wd_env_router *router)
{
    return router->over_count > 0;
}

wd_status wd_env_router_take(wd_env_router *router, wd_env_done *ret_done)
{
    for (size_t i = 0; router->over_count > 0 && i < router->request_count; i++) {
        open_request *request = router->requests[i];
        if (request->parts_left == 0) {
            router->over_count -= 1;
            *ret_done = (wd_env_done){ 0 };
            conclude(router, request, ret_done);
            router_forget(router, request);
            return WD_OK;
        }
    }
    for (wd_env_job *job; (job = wd_env_pool_take(router->pool)) != NULL;) {
        bool over = take_job(router, &job, ret_done);
        wd_env_job_destroy(&job);
        if (over) {
            return WD_OK;
        }
    }
    return WD_ENOENT;
}
