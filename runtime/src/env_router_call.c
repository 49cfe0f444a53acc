// Calls: where each belongs, what has to be asked or brought there first.
#include "env_router_internal.h"

#include "env_merge.h"
#include "runtime/env_call.h"

#include <string.h>

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
    wd_status status = router_expect(request, 1, error);
    if (status == WD_OK) {
        status = wd_value_pack(&args, "{s:s,s:b}", argument, text, "whole", 1);
        if (status != WD_OK) {
            wd_error_set(error, status, "envs: out of memory");
        }
    }
    if (status == WD_OK) {
        request->phase = PHASE_FETCH;
        router_send_call(router, request, 0, home, "env_export", args);
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

static wd_status call_once(wd_env_router *router, open_request *request, uint32_t worker, wd_error *error)
{
    wd_status status = router_expect(request, 1, error);
    if (status == WD_OK) {
        router_send_call(router, request, 0, worker, request->verb, request->args);
    }
    return status;
}

/// One and the same call for every worker.
static wd_status begin_everywhere(wd_env_router *router, open_request *request, wd_error *error)
{
    size_t count = wd_env_pool_workers(router->pool);
    wd_status status = router_expect(request, count, error);
    for (size_t i = 0; status == WD_OK && i < count; i++) {
        router_send_call(router, request, i, (uint32_t)i, request->verb, request->args);
    }
    return status;
}

/// Who has the name already? One worker cannot know; on_named() goes on.
static wd_status begin_detach(wd_env_router *router, open_request *request, const char *name, wd_error *error)
{
    for (size_t i = 0; i < router->request_count; i++) {
        const open_request *other = router->requests[i];
        if (other != request && other->phase == PHASE_NAME &&
            wd_value_is_text(wd_object_get(other->args, "name"), name)) {
            return wd_error_set(error, WD_EEXIST, "args.name: another env is being called \"%s\"", name);
        }
    }
    size_t count = wd_env_pool_workers(router->pool);
    wd_status status = router_expect(request, count, error);
    request->phase = PHASE_NAME;
    for (size_t i = 0; status == WD_OK && i < count; i++) {
        router_send_call(router, request, i, (uint32_t)i, "env_named", request->args);
    }
    return status;
}

/// Forget it at home, and what copies other workers have of it.
static wd_status begin_forget(wd_env_router *router, open_request *request, uint32_t home, wd_error *error)
{
    size_t count = wd_env_pool_workers(router->pool);
    wd_status status = router_expect(request, count, error);
    for (size_t i = 0; status == WD_OK && i < count; i++) {
        uint32_t worker = (uint32_t)((home + 1 + i) % count);  // home is last: its answer is the one
        router_send_call(router, request, i, worker, "env_forget", request->args);
    }
    return status;
}

/// A call that needs more than the one worker that it belongs to.
static bool stands_alone(const wd_env_router *router, const char *verb, const wd_value *args, uint32_t worker)
{
    static const char *const verbs[] = { "env_fork", "env_detach", "env_forget" };
    uint32_t home = 0;
    for (size_t i = 0; i < WD_COUNT_OF(verbs); i++) {
        if (strcmp(verb, verbs[i]) == 0) {
            return true;
        }
    }
    return wd_env_merge_everywhere(verb) || wd_object_get(args, "envs") != NULL ||
           foreign_snapshot(router, verb, args, worker, &home) != NULL;
}

/// Ids are given by us: who could choose one would take the place of another's snapshot.
static bool chooses_id(const char *verb, const wd_value *args)
{
    return strcmp(verb, "env_import") == 0 && wd_object_get(args, "snapshot") != NULL;
}
static const char chooses_id_text[] = "args.snapshot: an import is given an id of its own";

static wd_status begin_list_of_calls(wd_env_router *router, open_request *request, wd_error *error)
{
    const wd_value *calls = wd_object_get(request->args, "calls");
    size_t count = wd_array_count(calls);
    if (count < 1 || count > WD_ENV_CALLS_MAX) {
        return wd_error_set(
            error, WD_EINVAL, "args.calls: must be an array of 1 to %d calls", WD_ENV_CALLS_MAX);
    }
    wd_status status = router_expect(request, count, error);
    for (size_t i = 0; status == WD_OK && i < count; i++) {
        const wd_value *call = wd_array_at(calls, i);
        const char *verb = wd_value_string_or(wd_object_get(call, "verb"), "");
        const wd_value *args = wd_object_get(call, "args");
        wd_value *none = wd_value_object();
        args = args == NULL ? none : args;
        uint32_t worker = worker_for(router, verb, args);
        if (chooses_id(verb, args)) {
            router_fail_part(request, i, WD_EINVAL, chooses_id_text);
        } else if (!wd_env_verb_known(verb) || stands_alone(router, verb, args, worker)) {
            router_fail_part(
                request, i, WD_EUNSUPPORTED, "verb: cannot stand in a list of calls; ask for it alone");
        } else {
            router_send_call(router, request, i, worker, verb, args);
        }
        wd_value_unref(&none);
    }
    return status;
}

static wd_status begin(wd_env_router *router, open_request *request, wd_error *error)
{
    const char *verb = request->verb;
    const wd_value *args = request->args;
    const char *name = wd_value_string_or(wd_object_get(args, "name"), NULL);
    int64_t count = wd_value_int_or(wd_object_get(args, "count"), 1);
    uint32_t home = 0;
    bool many = wd_env_pool_workers(router->pool) > 1;
    if (strcmp(verb, "env_calls") == 0) {
        return begin_list_of_calls(router, request, error);
    }
    if (chooses_id(verb, args)) {
        return wd_error_set(error, WD_EINVAL, "%s", chooses_id_text);
    }
    // A list of envs to close goes to everybody: each closes those that it has.
    if (wd_env_merge_everywhere(verb) ||
        (strcmp(verb, "env_close") == 0 && wd_object_get(args, "envs") != NULL)) {
        return begin_everywhere(router, request, error);
    }
    uint32_t worker = worker_for(router, verb, args);
    // What is wrong with the arguments is for the one worker to say.
    if (many && strcmp(verb, "env_detach") == 0 && name != NULL) {
        return begin_detach(router, request, name, error);
    }
    if (many && strcmp(verb, "env_forget") == 0) {
        return begin_forget(router, request, worker, error);
    }
    if (many && strcmp(verb, "env_fork") == 0 && count > 1 && count <= WD_ENV_FORKS_MAX &&
        (home_of(router, args, "snapshot", &home) == WD_OK || home_of(router, args, "env", &home) == WD_OK)) {
        return begin_fork(router, request, home, error);
    }
    const char *foreign = foreign_snapshot(router, verb, args, worker, &home);
    if (foreign != NULL) {
        const char *text = wd_value_string_or(wd_object_get(args, foreign), NULL);
        return fetch(router, request, "snapshot", text, home, error);
    }
    return call_once(router, request, worker, error);
}

bool wd_env_router_knows(const char *verb)
{
    return strcmp(verb, "env_calls") == 0 || wd_env_verb_known(verb);
}

wd_status wd_env_router_call(
    wd_env_router *router, const wd_env_asker *asker, const char *verb, const wd_value *args, wd_error *error)
{
    open_request *request = NULL;
    wd_status status = router_open(router, asker, verb, args, &request, error);
    if (status == WD_OK) {
        status = begin(router, request, error);
        if (status != WD_OK) {
            router_forget(router, request);
        } else {
            router->over_count += request->parts_left == 0;
        }
    }
    return status;
}

// ---- what follows on a preparation --------------------------------------------------------------------------------

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
    status = status == WD_OK ? router_expect(request, 2 * sharing, error) : status;
    for (size_t i = 0; status == WD_OK && i < sharing; i++) {
        uint32_t worker = (uint32_t)((home + i) % workers);
        int64_t share = count / (int64_t)sharing + ((int64_t)i < count % (int64_t)sharing);
        wd_value *args = NULL;
        status = wd_value_pack(&args, "{s:v,s:i,s:?v}", "snapshot", wd_object_get(bundle, "snapshot"),
            "count", share, "auto_reset", auto_reset);
        if (status == WD_OK) {
            router_send_call(
                router, request, 2 * i, worker, "env_import", import);  // at home it is there already
            router_send_call(router, request, 2 * i + 1, worker, "env_fork", args);
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
    status = status == WD_OK ? router_expect(request, 2, error) : status;
    if (status == WD_OK) {
        router_send_call(router, request, 0, worker, "env_import", import);
        router_send_call(router, request, 1, worker, request->verb, request->args);
    }
    wd_value_unref(&import);
    return status;
}

static wd_status on_fetched(wd_env_router *router, open_request *request, wd_error *error)
{
    const wd_env_job *part = request->parts[0];
    wd_value *bundle = wd_value_ref(part->result);
    uint32_t home = part->worker;
    wd_status status = WD_OK;
    if (strcmp(request->verb, "env_fork") == 0) {
        if (wd_object_get(request->args, "snapshot") == NULL) {
            request->made = wd_value_ref(wd_object_get(bundle, "snapshot"));
        }
        status = fork_everywhere(router, request, bundle, home, error);
    } else {
        status = call_with_snapshot(router, request, bundle, error);
    }
    wd_value_unref(&bundle);
    return status;
}

static wd_status on_named(wd_env_router *router, open_request *request, wd_error *error)
{
    const wd_value *env = wd_object_get(request->args, "env");
    const char *name = wd_value_string_or(wd_object_get(request->args, "name"), "");
    for (size_t i = 0; i < request->part_count; i++) {
        const wd_value *other = wd_object_get(request->parts[i]->result, "env");
        if (other != NULL && !wd_value_equal(other, env)) {
            return wd_error_set(error, WD_EEXIST, "args.name: another env is called \"%s\"", name);
        }
    }
    return call_once(router, request, worker_for(router, request->verb, request->args), error);
}

wd_status router_next_phase(wd_env_router *router, open_request *request, wd_error *error)
{
    open_phase phase = request->phase;
    wd_status status = WD_OK;
    request->phase = PHASE_CALL;
    if (request->cancelled) {
        return wd_error_set(error, WD_ECANCELED, "cancelled before it began; it was not done");
    }
    for (size_t i = 0; status == WD_OK && i < request->part_count; i++) {
        status = wd_env_part_failure(request->parts[i], error);
    }
    if (status != WD_OK) {
        return status;
    }
    return phase == PHASE_FETCH ? on_fetched(router, request, error) : on_named(router, request, error);
}

// ---- undoing ------------------------------------------------------------------------------------------------------

static void send_unasked(
    wd_env_router *router, uint32_t worker, const char *verb, const char *argument, const wd_value *value)
{
    wd_value *args = NULL;
    wd_env_job *job = wd_env_job_new(WD_ENV_JOB_CALL, 0, 0);
    if (job != NULL && wd_value_pack(&args, "{s:v}", argument, value) == WD_OK &&
        wd_value_freeze(args, &job->args) == WD_OK) {
        strcpy(job->verb, verb);
        wd_status status = wd_env_pool_send(router->pool, worker, &job);
        (void)status;  // a full queue: envs go with their owner, snapshots expire
    }
    wd_env_job_destroy(&job);
    wd_value_unref(&args);
}

void router_undo_forks(wd_env_router *router, const open_request *request)
{
    for (size_t i = 0; i < request->part_count; i++) {
        const wd_env_job *part = request->parts[i];
        const wd_value *envs = part == NULL ? NULL : wd_object_get(part->result, "envs");
        if (envs != NULL) {
            send_unasked(router, part->worker, "env_close", "envs", envs);
        }
    }
    uint32_t home = 0;
    wd_env_id id;
    const char *made = wd_value_string_or(request->made, NULL);
    if (made != NULL && wd_env_id_parse(made, &id) == WD_OK &&
        wd_env_pool_home(router->pool, &id, &home) == WD_OK) {
        send_unasked(router, home, "env_forget", "snapshot", request->made);  // copies expire
    }
}
