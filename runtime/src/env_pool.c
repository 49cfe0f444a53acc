#include "runtime/env_pool.h"

#include "env_worker.h"
#include "tree/alloc.h"

#include <pthread.h>
#include <time.h>

enum { EXPIRE_EVERY_MS = 1000 };

typedef struct pool_worker {
    wd_env_pool *pool;
    wd_job_queue in;
    wd_envs_options options;
    pthread_t thread;
    bool started;
} pool_worker;

struct wd_env_pool {
    wd_packs *packs;
    wd_job_queue out;
    atomic_bool stopping;
    size_t worker_count;
    pool_worker workers[WD_ENV_WORKERS_MAX];
};

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/// A worker whose table could not be made answers every job with the reason.
static void refuse(wd_env_job *job, const wd_error *why)
{
    job->error = *why;
    for (size_t i = 0; i < job->slot_count; i++) {
        job->slots[i].status = why->status;
    }
}

static void *work(void *argument)
{
    pool_worker *worker = argument;
    wd_env_pool *pool = worker->pool;
    wd_envs *envs = NULL;
    wd_error fault = { 0 };
    wd_status status = wd_envs_new(&worker->options, pool->packs, &envs, &fault);
    int64_t expired_ms = now_ms();
    while (!atomic_load_explicit(&pool->stopping, memory_order_acquire)) {
        wd_env_job *job = wd_job_queue_next(&worker->in);
        int64_t now = now_ms();
        if (job == NULL) {
            wd_job_queue_wait(&worker->in, EXPIRE_EVERY_MS);
        } else if (status == WD_OK) {
            wd_env_worker_do(envs, worker->options.number, job, now_ms, &pool->out);
            wd_job_queue_push(&pool->out, job);
        } else {
            refuse(job, &fault);
            wd_job_queue_push(&pool->out, job);
        }
        if (envs != NULL && now - expired_ms >= EXPIRE_EVERY_MS) {
            wd_envs_expire(envs, now);
            expired_ms = now;
        }
    }
    wd_envs_destroy(&envs);
    return NULL;
}

static wd_status start(wd_env_pool *pool, const wd_envs_options *options, size_t count, wd_error *error)
{
    wd_status status = wd_job_queue_init(&pool->out, error);
    for (size_t i = 0; status == WD_OK && i < count; i++) {
        pool_worker *worker = &pool->workers[i];
        worker->pool = pool;
        worker->options = *options;
        worker->options.number = (uint8_t)i;
        // The first ones take what does not divide, so that all together may have exactly the bound.
        worker->options.env_count_max = options->env_count_max / count + (i < options->env_count_max % count);
        worker->options.snapshot_count_max =
            options->snapshot_count_max / count + (i < options->snapshot_count_max % count);
        worker->options.bytes_max = options->bytes_max / count;
        worker->options.sharers = count;
        status = wd_job_queue_init(&worker->in, error);
        pool->worker_count += 1;
        if (status == WD_OK && pthread_create(&worker->thread, NULL, work, worker) != 0) {
            status = wd_error_set(error, WD_EIO, "worker: the thread cannot be started");
        }
        worker->started = status == WD_OK;
    }
    return status;
}

wd_status wd_env_pool_new(const wd_envs_options *options, wd_packs *packs, size_t worker_count,
    wd_env_pool **ret_pool, wd_error *error)
{
    wd_assert(worker_count >= 1 && worker_count <= WD_ENV_WORKERS_MAX);
    wd_env_pool *pool = wd_alloc_zero(1, sizeof *pool);
    if (pool == NULL) {
        return wd_error_set(error, WD_ENOMEM, "workers: out of memory");
    }
    pool->packs = wd_packs_ref(packs);
    pool->out.fd = -1;
    atomic_init(&pool->stopping, false);
    wd_status status = start(pool, options, worker_count, error);
    if (status != WD_OK) {
        wd_env_pool_destroy(&pool);
        return status;
    }
    *ret_pool = pool;
    return WD_OK;
}

void wd_env_pool_destroy(wd_env_pool **pool_p)
{
    wd_env_pool *pool = *pool_p;
    *pool_p = NULL;
    if (pool == NULL) {
        return;
    }
    atomic_store_explicit(&pool->stopping, true, memory_order_release);
    for (size_t i = 0; i < pool->worker_count; i++) {
        pool_worker *worker = &pool->workers[i];
        if (worker->started) {
            wd_job_queue_nudge(&worker->in);
            pthread_join(worker->thread, NULL);
        }
        wd_job_queue_done(&worker->in);
    }
    wd_job_queue_done(&pool->out);
    wd_packs_unref(&pool->packs);
    wd_free(pool, sizeof *pool);
}

size_t wd_env_pool_workers(const wd_env_pool *pool)
{
    return pool->worker_count;
}

wd_status wd_env_pool_home(const wd_env_pool *pool, const wd_env_id *id, uint32_t *ret_worker)
{
    *ret_worker = id->bytes[WD_ENV_ID_SIZE - 1];
    return *ret_worker < pool->worker_count ? WD_OK : WD_ENOENT;
}

wd_status wd_env_pool_send(wd_env_pool *pool, uint32_t worker, wd_env_job **job_p)
{
    wd_assert(worker < pool->worker_count);
    wd_job_queue *queue = &pool->workers[worker].in;
    if (atomic_load_explicit(&queue->count, memory_order_relaxed) >= WD_ENV_QUEUE_MAX) {
        return WD_EBUSY;
    }
    wd_job_queue_push(queue, *job_p);
    *job_p = NULL;
    return WD_OK;
}

wd_env_job *wd_env_pool_take(wd_env_pool *pool)
{
    return wd_job_queue_next(&pool->out);
}

size_t wd_env_pool_dropped(wd_env_pool *pool)
{
    return atomic_exchange_explicit(&pool->out.dropped, 0, memory_order_relaxed);
}

int wd_env_pool_fd(const wd_env_pool *pool)
{
    return pool->out.fd;
}
