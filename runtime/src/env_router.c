#include "env_router.h"

#include "env_merge.h"
#include "runtime/env_call.h"
#include "tree/alloc.h"

#include <string.h>

/// A request in the workers' hands.
typedef struct open_request {
    uint64_t ticket;
    wd_env_asker asker;
    char verb[WD_ENV_VERB_MAX + 1];
    wd_value *args;     // as asked
    size_t slot_count;  // BATCH
    size_t part_count, parts_left;
    wd_env_job **parts;  // as they came back, by the place they were sent from
    wd_env_job **sent;   // borrowed while a worker has them; NULL: back, or never sent
    bool cancelled;
    bool fetching;  // the one part is a snapshot on its way to another worker
    wd_env_id snapshot;
} open_request;

struct wd_env_router {
    wd_env_pool *pool;
    open_request *requests[WD_ENV_REQUESTS_MAX];  // oldest first
    size_t request_count;
    uint64_t ticket_last;
    uint32_t next_worker;  // of the next env that is made
};

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

static wd_status open_one(wd_env_router *router, const wd_env_asker *asker, const char *verb,
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

static void forget_request(wd_env_router *router, open_request *request)
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

/// Room for the parts; they are sent next.
static wd_status expect_parts(open_request *request, size_t count, wd_error *error)
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

/// The ticket's low bits say which part a job is.
enum { PART_BITS = 13 };
_Static_assert(WD_ENV_CALLS_MAX < 1 << PART_BITS && 2 * WD_ENV_WORKERS_MAX < 1 << PART_BITS,
    "every part has a number of its own");

static void address(const open_request *request, size_t part, wd_env_job *job)
{
    job->ticket = request->ticket << PART_BITS | part;
    job->owner = request->asker.instance;
    job->deadline_ms = request->asker.deadline_ms;
    job->watched = request->asker.watched;
}

/// Hand a part to its worker. Takes *job_p on success.
static wd_status send_part(
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

/// A part that cannot be sent is answered here and now: the others were sent perhaps, and their effects stand.
static void fail_part(open_request *request, size_t part, wd_status status, const char *text)
{
    wd_env_job *job = wd_env_job_new(WD_ENV_JOB_CALL, 0, 0);
    if (job != NULL) {
        wd_error_set(&job->error, status, "%s", text);
    }
    request->parts[part] = job;  // NULL stands for out of memory
    request->parts_left -= 1;
}

static void send_call(wd_env_router *router, open_request *request, size_t part, uint32_t worker,
    const char *verb, const wd_value *args)
{
    wd_env_job *job = wd_env_job_new(WD_ENV_JOB_CALL, 0, 0);
    wd_status status = job == NULL ? WD_ENOMEM : wd_value_freeze(args, &job->args);
    if (status == WD_OK) {
        strncpy(job->verb, verb, WD_ENV_VERB_MAX);
        status = send_part(router, request, part, worker, &job);
    }
    if (status != WD_OK) {
        wd_env_job_destroy(&job);
        fail_part(request, part, status,
            status == WD_EBUSY ? "envs: the worker's queue is full; try again" : wd_status_text(status));
    }
}

// ---- where a call belongs -----------------------------------------------------------------------------------------

/// The worker of the id in args.`name`. @retval WD_ENOENT  it is not there, or is no id: any worker will say so.
static wd_status home_of(
    const wd_env_router *router, const wd_value *args, const char *name, uint32_t *ret_worker)
{
    wd_env_id id;
    const char *text = wd_value_string_or(wd_object_get(args, name), NULL);
    if (text == NULL || wd_env_id_parse(text, &id) != WD_OK) {
        return WD_ENOENT;
    }
    return wd_env_pool_home(router->pool, &id, ret_worker);
}

/// The one worker for a call on its own.
static uint32_t worker_for(wd_env_router *router, const char *verb, const wd_value *args)
{
    static const char *const names[] = { "env", "snapshot", "before" };
    uint32_t worker = 0;
    if (strcmp(verb, "env_create") == 0 || strcmp(verb, "env_import") == 0) {
        worker = router->next_worker;
        router->next_worker = (uint32_t)((worker + 1) % wd_env_pool_workers(router->pool));
        return worker;
    }
    for (size_t i = 0; i < WD_COUNT_OF(names); i++) {
        if (home_of(router, args, names[i], &worker) == WD_OK) {
            return worker;
        }
    }
    return 0;
}

/// A snapshot that a call needs on another worker than the one it lives on: the name of the argument, or NULL.
static const char *foreign_snapshot(
    const wd_env_router *router, const char *verb, const wd_value *args, uint32_t worker, uint32_t *ret_home)
{
    static const struct {
        const char *verb, *argument;
    } rows[] = { { "env_restore", "snapshot" }, { "env_state", "since" }, { "env_diff", "before" } };
    for (size_t i = 0; i < WD_COUNT_OF(rows); i++) {
        if (strcmp(rows[i].verb, verb) == 0 && home_of(router, args, rows[i].argument, ret_home) == WD_OK &&
            *ret_home != worker) {
            return rows[i].argument;
        }
    }
    if (strcmp(verb, "env_diff") == 0 && home_of(router, args, "after", ret_home) == WD_OK &&
        *ret_home != worker) {
        return "after";
    }
    return NULL;
}

// ---- calls --------------------------------------------------------------------------------------------------------

/// Fetch a snapshot first: "env_export" where it lives (or of an env); the rest follows in on_fetched().
static wd_status fetch(wd_env_router *router, open_request *request, const char *argument, const char *text,
    uint32_t home, wd_error *error)
{
    wd_value *args = NULL;
    wd_status status = expect_parts(request, 1, error);
    if (status == WD_OK) {
        status = wd_value_pack(&args, "{s:s,s:b}", argument, text, "whole", 1);
        if (status != WD_OK) {
            wd_error_set(error, status, "envs: out of memory");
        }
    }
    if (status == WD_OK) {
        request->fetching = true;
        send_call(router, request, 0, home, "env_export", args);
    }
    wd_value_unref(&args);
    return status;
}

static wd_status begin_fork(wd_env_router *router, open_request *request, uint32_t home, wd_error *error)
{
    const char *snapshot = wd_value_string_or(wd_object_get(request->args, "snapshot"), NULL);
    const char *env = wd_value_string_or(wd_object_get(request->args, "env"), NULL);
    return fetch(router, request, snapshot != NULL ? "snapshot" : "env", snapshot != NULL ? snapshot : env,
        home, error);
}

/// One and the same call for every worker.
static wd_status begin_everywhere(wd_env_router *router, open_request *request, wd_error *error)
{
    size_t count = wd_env_pool_workers(router->pool);
    wd_status status = expect_parts(request, count, error);
    for (size_t i = 0; status == WD_OK && i < count; i++) {
        send_call(router, request, i, (uint32_t)i, request->verb, request->args);
    }
    return status;
}

static wd_status begin_list_of_calls(wd_env_router *router, open_request *request, wd_error *error)
{
    const wd_value *calls = wd_object_get(request->args, "calls");
    size_t count = wd_array_count(calls);
    if (count < 1 || count > WD_ENV_CALLS_MAX) {
        return wd_error_set(
            error, WD_EINVAL, "args.calls: must be an array of 1 to %d calls", WD_ENV_CALLS_MAX);
    }
    wd_status status = expect_parts(request, count, error);
    for (size_t i = 0; status == WD_OK && i < count; i++) {
        const wd_value *call = wd_array_at(calls, i);
        const char *verb = wd_value_string_or(wd_object_get(call, "verb"), "");
        const wd_value *args = wd_object_get(call, "args");
        uint32_t home = 0;
        wd_value *none = wd_value_object();
        args = args == NULL ? none : args;
        uint32_t worker = worker_for(router, verb, args);
        if (!wd_env_verb_known(verb) || wd_env_merge_everywhere(verb) || strcmp(verb, "env_fork") == 0 ||
            wd_object_get(args, "envs") != NULL ||
            foreign_snapshot(router, verb, args, worker, &home) != NULL) {
            fail_part(request, i, WD_EUNSUPPORTED, "verb: cannot stand in a list of calls; ask for it alone");
        } else {
            send_call(router, request, i, worker, verb, args);
        }
        wd_value_unref(&none);
    }
    return status;
}

static wd_status begin(wd_env_router *router, open_request *request, wd_error *error)
{
    const char *verb = request->verb;
    const wd_value *args = request->args;
    uint32_t home = 0;
    bool many = wd_env_pool_workers(router->pool) > 1;
    if (strcmp(verb, "env_calls") == 0) {
        return begin_list_of_calls(router, request, error);
    }
    // A list of envs to close goes to everybody: each closes those that it has.
    if (wd_env_merge_everywhere(verb) ||
        (strcmp(verb, "env_close") == 0 && wd_object_get(args, "envs") != NULL)) {
        return begin_everywhere(router, request, error);
    }
    uint32_t worker = worker_for(router, verb, args);
    if (many && strcmp(verb, "env_fork") == 0 && wd_value_int_or(wd_object_get(args, "count"), 1) > 1 &&
        (home_of(router, args, "snapshot", &home) == WD_OK || home_of(router, args, "env", &home) == WD_OK)) {
        return begin_fork(router, request, home, error);
    }
    const char *foreign = foreign_snapshot(router, verb, args, worker, &home);
    if (foreign != NULL) {
        const char *text = wd_value_string_or(wd_object_get(args, foreign), NULL);
        return fetch(router, request, "snapshot", text, home, error);
    }
    wd_status status = expect_parts(request, 1, error);
    if (status == WD_OK) {
        send_call(router, request, 0, worker, verb, args);
    }
    return status;
}

bool wd_env_router_knows(const char *verb)
{
    return strcmp(verb, "env_calls") == 0 || wd_env_verb_known(verb);
}

wd_status wd_env_router_call(
    wd_env_router *router, const wd_env_asker *asker, const char *verb, const wd_value *args, wd_error *error)
{
    open_request *request = NULL;
    wd_status status = open_one(router, asker, verb, args, &request, error);
    if (status == WD_OK) {
        status = begin(router, request, error);
        if (status != WD_OK) {
            forget_request(router, request);
        }
    }
    return status;
}

// ---- after a snapshot was fetched ---------------------------------------------------------------------------------

static wd_status import_args(const wd_value *bundle, wd_value **ret_args)
{
    return wd_value_pack(
        ret_args, "{s:v,s:v}", "snapshot", wd_object_get(bundle, "snapshot"), "bundle", bundle);
}

/// The shares of a fork: the workers take turns from the snapshot's home on; each but the home imports it first.
static wd_status fork_everywhere(
    wd_env_router *router, open_request *request, const wd_value *bundle, uint32_t home, wd_error *error)
{
    size_t workers = wd_env_pool_workers(router->pool);
    int64_t count = wd_value_int_or(wd_object_get(request->args, "count"), 1);
    size_t sharing = (size_t)count < workers ? (size_t)count : workers;
    const wd_value *auto_reset = wd_object_get(request->args, "auto_reset");
    wd_value *import = NULL;
    wd_status status = import_args(bundle, &import);
    status = status == WD_OK ? expect_parts(request, 2 * sharing, error) : status;
    for (size_t i = 0; status == WD_OK && i < sharing; i++) {
        uint32_t worker = (uint32_t)((home + i) % workers);
        int64_t share = count / (int64_t)sharing + ((int64_t)i < count % (int64_t)sharing);
        wd_value *args = NULL;
        status = wd_value_pack(&args, "{s:v,s:i,s:?v}", "snapshot", wd_object_get(bundle, "snapshot"),
            "count", share, "auto_reset", auto_reset);
        if (status == WD_OK) {
            send_call(router, request, 2 * i, worker, "env_import", import);  // at home it is there already
            send_call(router, request, 2 * i + 1, worker, "env_fork", args);
        }
        wd_value_unref(&args);
    }
    wd_value_unref(&import);
    return status;
}

/// Bring the snapshot to where the call belongs, then call.
static wd_status call_with_snapshot(
    wd_env_router *router, open_request *request, const wd_value *bundle, wd_error *error)
{
    uint32_t worker = worker_for(router, request->verb, request->args);
    wd_value *import = NULL;
    wd_status status = import_args(bundle, &import);
    status = status == WD_OK ? expect_parts(request, 2, error) : status;
    if (status == WD_OK) {
        send_call(router, request, 0, worker, "env_import", import);
        send_call(router, request, 1, worker, request->verb, request->args);
    }
    wd_value_unref(&import);
    return status;
}

/// @retval WD_OK  the request goes on.
static wd_status on_fetched(wd_env_router *router, open_request *request, wd_error *error)
{
    const wd_env_job *part = request->parts[0];
    request->fetching = false;
    if (request->cancelled) {
        return wd_error_set(error, WD_ECANCELED, "cancelled before it began; it was not done");
    }
    if (part == NULL || part->error.status != WD_OK) {
        return part == NULL ? wd_error_set(error, WD_ENOMEM, "envs: out of memory")
                            : wd_error_set(error, part->error.status, "%s", part->error.text);
    }
    wd_value *bundle = wd_value_ref(part->result);
    uint32_t home = part->worker;
    wd_status status = strcmp(request->verb, "env_fork") == 0
                           ? fork_everywhere(router, request, bundle, home, error)
                           : call_with_snapshot(router, request, bundle, error);
    wd_value_unref(&bundle);
    return status;
}

// ---- batches ------------------------------------------------------------------------------------------------------

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
    wd_status status = open_one(router, asker, "", NULL, &request, error);
    if (status != WD_OK) {
        return status;
    }
    request->slot_count = batch->count;
    status = expect_parts(request, parts, error);
    if (status != WD_OK) {
        forget_request(router, request);
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
            status = send_part(router, request, part, worker, &job);
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
    return WD_OK;
}

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

/// Fork all or none: what was made elsewhere goes again. Nobody waits for these answers.
static void undo_forks(wd_env_router *router, const open_request *request)
{
    for (size_t i = 0; i < request->part_count; i++) {
        const wd_env_job *part = request->parts[i];
        const wd_value *envs = part == NULL ? NULL : wd_object_get(part->result, "envs");
        wd_value *args = NULL;
        wd_env_job *job = envs == NULL ? NULL : wd_env_job_new(WD_ENV_JOB_CALL, 0, 0);
        if (job != NULL && wd_value_pack(&args, "{s:v}", "envs", envs) == WD_OK &&
            wd_value_freeze(args, &job->args) == WD_OK) {
            strcpy(job->verb, "env_close");
            wd_status status = wd_env_pool_send(router->pool, part->worker, &job);
            (void)status;  // a full queue: the owner closes them, or they go with it
        }
        wd_env_job_destroy(&job);
        wd_value_unref(&args);
    }
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
            undo_forks(router, request);
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
    if (request->fetching) {
        wd_status status = on_fetched(router, request, &done->error);
        if (status == WD_OK && request->parts_left > 0) {
            return false;
        }
        if (status != WD_OK) {
            done->kind = WD_ENV_DONE_ERROR;
            done->error.status = status;
            done->instance = request->asker.instance;
            done->request_id = request->asker.request_id;
            forget_request(router, request);
            return true;
        }
    }
    conclude(router, request, done);
    forget_request(router, request);
    return true;
}

wd_status wd_env_router_take(wd_env_router *router, wd_env_done *ret_done)
{
    // Requests of which no part could be sent have nothing to wait for.
    for (size_t i = 0; i < router->request_count; i++) {
        open_request *request = router->requests[i];
        if (request->parts_left == 0) {
            *ret_done = (wd_env_done){ 0 };
            conclude(router, request, ret_done);
            forget_request(router, request);
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
