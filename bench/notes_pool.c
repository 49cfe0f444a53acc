// notes_pool.c - the herd on the worker threads of this process: what the daemon does between its sockets.
#include "notes_pool.h"

#include "runtime/packs.h"

#include <poll.h>
#include <string.h>

static wd_env_job *take(notes_pool *pool)
{
    wd_env_job *job = NULL;
    while ((job = wd_env_pool_take(pool->pool)) == NULL) {
        struct pollfd item = { .fd = wd_env_pool_fd(pool->pool), .events = POLLIN };
        (void)poll(&item, 1, -1);
    }
    return job;
}

static bool send(notes_pool *pool, uint32_t worker, wd_env_job **job_p)
{
    bool sent = *job_p != NULL && wd_env_pool_send(pool->pool, worker, job_p) == WD_OK;
    if (!sent) {
        wd_env_job_destroy(job_p);
        wd_bench_fail(pool->bench, "a job could not be sent");
    }
    return sent;
}

static bool create_one(notes_pool *pool, size_t phone)
{
    wd_value *args = NULL;
    wd_env_job *job = wd_env_job_new(WD_ENV_JOB_CALL, 0, 0);
    bool made = job != NULL && wd_value_pack(&args, "{s:i}", "seed", (int64_t)phone) == WD_OK &&
                wd_value_freeze(args, &job->args) == WD_OK;
    wd_value_unref(&args);
    if (job != NULL) {
        strcpy(job->verb, "env_create");
    }
    made = made && send(pool, (uint32_t)(phone % pool->workers), &job);
    job = made ? take(pool) : NULL;
    made = made && wd_env_id_parse(
                       wd_value_string_or(wd_object_get(job->result, "env"), ""), &pool->ids[phone]) == WD_OK;
    wd_env_job_destroy(&job);
    return made;
}

/// The slots of one worker, each with its action and arguments.
static wd_env_job *share(notes_pool *pool, uint32_t worker, notes_pool_step step, size_t index)
{
    size_t slots = (NOTES_HERD + pool->workers - 1 - worker) / pool->workers, at = 0;
    wd_env_job *job = wd_env_job_new(WD_ENV_JOB_BATCH, slots, slots * 2 * NOTES_ARGS_SIZE);
    for (size_t i = 0; job != NULL && i < slots; i++) {
        char args[NOTES_ARGS_SIZE];
        size_t phone = i * pool->workers + worker;
        const char *kind = step(index, phone, args);
        wd_env_slot *slot = &job->slots[i];
        slot->index = (uint32_t)phone;
        slot->env = pool->ids[phone];
        slot->kind = (wd_env_span){ (uint32_t)at, (uint32_t)strlen(kind) };
        memcpy(job->input + at, kind, slot->kind.length + 1);
        at += slot->kind.length + 1;
        slot->args = (wd_env_span){ (uint32_t)at, (uint32_t)strlen(args) };
        memcpy(job->input + at, args, slot->args.length);
        at += slot->args.length;
    }
    return job;
}

static bool step_all(notes_pool *pool, notes_pool_step step, size_t index)
{
    bool done = true;
    for (uint32_t worker = 0; done && worker < pool->workers; worker++) {
        wd_env_job *job = share(pool, worker, step, index);
        done = send(pool, worker, &job);
    }
    for (uint32_t worker = 0; done && worker < pool->workers; worker++) {
        wd_env_job *job = take(pool);
        for (size_t i = 0; done && i < job->slot_count; i++) {
            done = job->slots[i].status == WD_OK && job->slots[i].outcome == WD_OUTCOME_OK;
        }
        wd_env_job_destroy(&job);
    }
    if (!done) {
        wd_bench_fail(pool->bench, "a step of a worker failed");
    }
    return done;
}

static const char *tap(size_t index, size_t phone, char ret_args[NOTES_ARGS_SIZE])
{
    (void)phone;
    strcpy(ret_args, notes_step_args(index));
    return "tap";
}

bool notes_pool_start(wd_bench *bench, size_t workers, notes_pool *ret_pool)
{
    *ret_pool = (notes_pool){ .bench = bench, .workers = workers };
    wd_envs_options options = wd_envs_options_default();
    wd_packs *packs = NULL;
    wd_error error = { 0 };
    wd_status status = wd_packs_load_list(WORLDD_SOURCE_DIR "/sim/apps", &packs, &error);
    status = status == WD_OK ? wd_env_pool_new(&options, packs, workers, &ret_pool->pool, &error) : status;
    wd_packs_unref(&packs);
    if (status != WD_OK) {
        wd_bench_fail(bench, "%s", error.text);
        return false;
    }
    bool ready = true;
    for (size_t i = 0; ready && i < NOTES_HERD; i++) {
        ready = create_one(ret_pool, i);
    }
    for (size_t i = 0; ready && i < NOTES_PREPARATION; i++) {
        ready = step_all(ret_pool, notes_preparation, i);
    }
    return ready;
}

bool notes_pool_run(notes_pool *pool, size_t steps)
{
    bool done = true;
    for (size_t i = 0; done && i < steps; i++) {
        done = step_all(pool, tap, pool->steps);
        pool->steps += 1;
    }
    return done;
}

void notes_pool_stop(notes_pool *pool)
{
    wd_env_pool_destroy(&pool->pool);
}
