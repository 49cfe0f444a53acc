#include "tree/alloc.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local struct {
    wd_alloc_stats stats;
    long calls_left;  // until allocations fail; meaningful while `failing`
    bool failing;
} heap;

static _Atomic uint64_t shared_bytes_live;

static void count_change(size_t freed, size_t taken)
{
    heap.stats.bytes_live += taken - freed;
    if (heap.stats.bytes_live > heap.stats.bytes_peak) {
        heap.stats.bytes_peak = heap.stats.bytes_live;
    }
}

static bool may_allocate(size_t size)
{
    if (size > PTRDIFF_MAX) {
        return false;
    }
    if (heap.failing) {
        if (heap.calls_left == 0) {
            return false;
        }
        heap.calls_left -= 1;
    }
    return true;
}

void *wd_alloc(size_t size)
{
    wd_assert(size > 0);
    void *block = may_allocate(size) ? malloc(size) : NULL;
    if (block != NULL) {
        count_change(0, size);
        heap.stats.calls_total += 1;
    }
    return block;
}

void *wd_alloc_zero(size_t count, size_t size)
{
    size_t total;
    if (__builtin_mul_overflow(count, size, &total)) {
        return NULL;
    }
    void *block = wd_alloc(total);
    if (block != NULL) {
        memset(block, 0, total);
    }
    return block;
}

void *wd_realloc(void *block, size_t old_size, size_t new_size)
{
    if (block == NULL) {
        return wd_alloc(new_size);
    }
    wd_assert(new_size > 0);
    void *grown = may_allocate(new_size) ? realloc(block, new_size) : NULL;
    if (grown != NULL) {
        count_change(old_size, new_size);
        heap.stats.calls_total += 1;
    }
    return grown;
}

void wd_free(void *block, size_t size)
{
    if (block != NULL) {
        count_change(size, 0);
        free(block);
    }
}

void *wd_alloc_shared(size_t size)
{
    void *block = may_allocate(size) ? malloc(size) : NULL;
    if (block != NULL) {
        atomic_fetch_add_explicit(&shared_bytes_live, size, memory_order_relaxed);
    }
    return block;
}

void wd_free_shared(void *block, size_t size)
{
    atomic_fetch_sub_explicit(&shared_bytes_live, size, memory_order_relaxed);
    free(block);
}

uint64_t wd_alloc_shared_bytes_live(void)
{
    return atomic_load_explicit(&shared_bytes_live, memory_order_relaxed);
}

char *wd_strndup(const char *text, size_t length)
{
    char *copy = length < PTRDIFF_MAX ? wd_alloc(length + 1) : NULL;
    if (copy != NULL) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

wd_alloc_stats wd_alloc_stats_get(void)
{
    return heap.stats;
}

void wd_alloc_reset_peak(void)
{
    heap.stats.bytes_peak = heap.stats.bytes_live;
}

void wd_alloc_fail_after(long calls)
{
    heap.failing = calls >= 0;
    heap.calls_left = calls;
}
