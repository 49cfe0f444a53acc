#include "job_queue.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

wd_status wd_job_queue_init(wd_job_queue *queue, wd_error *error)
{
    atomic_init(&queue->newest, NULL);
    atomic_init(&queue->count, 0);
    atomic_init(&queue->dropped, 0);
    queue->taken = NULL;
    queue->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return queue->fd >= 0 ? WD_OK : wd_error_set(error, WD_EIO, "worker: %s", strerror(errno));
}

void wd_job_queue_done(wd_job_queue *queue)
{
    if (queue->fd < 0) {
        return;
    }
    for (wd_env_job *job; (job = wd_job_queue_next(queue)) != NULL;) {
        wd_env_job_destroy(&job);
    }
    close(queue->fd);
    queue->fd = -1;
}

void wd_job_queue_nudge(wd_job_queue *queue)
{
    uint64_t one = 1;
    ssize_t written = write(queue->fd, &one, sizeof one);
    (void)written;  // full means 2^64 wakes: the taker is awake
}

void wd_job_queue_push(wd_job_queue *queue, wd_env_job *job)
{
    atomic_fetch_add_explicit(&queue->count, 1, memory_order_relaxed);
    job->next = atomic_load_explicit(&queue->newest, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(
        &queue->newest, &job->next, job, memory_order_release, memory_order_relaxed)) {
    }
    wd_job_queue_nudge(queue);
}

/// Take the whole stack, oldest first.
static void take_all(wd_job_queue *queue)
{
    wd_env_job *job = atomic_exchange_explicit(&queue->newest, NULL, memory_order_acquire);
    while (job != NULL) {
        wd_env_job *older = job->next;
        job->next = queue->taken;
        queue->taken = job;
        job = older;
    }
}

wd_env_job *wd_job_queue_next(wd_job_queue *queue)
{
    if (queue->taken == NULL) {
        take_all(queue);
    }
    if (queue->taken == NULL) {
        uint64_t wakes;
        ssize_t got = read(queue->fd, &wakes, sizeof wakes);
        (void)got;
        take_all(queue);  // after the read: a push from here on wakes again
    }
    wd_env_job *job = queue->taken;
    if (job != NULL) {
        queue->taken = job->next;
        job->next = NULL;
        atomic_fetch_sub_explicit(&queue->count, 1, memory_order_relaxed);
    }
    return job;
}

void wd_job_queue_wait(wd_job_queue *queue, int timeout_ms)
{
    struct pollfd item = { .fd = queue->fd, .events = POLLIN };
    int ready = poll(&item, 1, timeout_ms);
    (void)ready;  // on EINTR the caller looks and waits again
}
