/// alloc.h - the allocator of world/ and sim/: per thread, counted, and able to fail on demand.
///
/// Raw malloc is banned in these rooms, so that tests can fail every allocation in turn and benchmarks can say
/// what a fork costs. A block is freed on the thread that allocated it, frozen regions aside (value.h).
#ifndef TREE_ALLOC_H
#define TREE_ALLOC_H

#include "tree/status.h"

#include <stddef.h>
#include <stdint.h>

/// At least `size` bytes (1..PTRDIFF_MAX), 16-byte aligned, not cleared. NULL when memory is out.
WD_NODISCARD void *wd_alloc(size_t size);

/// As wd_alloc(), cleared. NULL also when count * size overflows.
WD_NODISCARD void *wd_alloc_zero(size_t count, size_t size);

/// Grow or shrink `block` (NULL: allocate) from `old_size` to `new_size` bytes. On NULL `block` is untouched.
WD_NODISCARD void *wd_realloc(void *block, size_t old_size, size_t new_size);

/// Give back a block of `size` bytes, the size it was asked for. NULL is allowed.
void wd_free(void *block, size_t size);

/// Blocks that any thread may free: frozen regions. Counted for the process, not for a thread; the test hook fails
/// them as well.
WD_NODISCARD void *wd_alloc_shared(size_t size);
void wd_free_shared(void *block, size_t size);
uint64_t wd_alloc_shared_bytes_live(void);

/// A NUL-terminated copy of text[0..length), of length + 1 bytes. NULL when memory is out.
WD_NODISCARD char *wd_strndup(const char *text, size_t length);

typedef struct wd_alloc_stats {
    uint64_t bytes_live;   // asked for and not freed, on this thread
    uint64_t bytes_peak;   // highest bytes_live since the last wd_alloc_reset_peak()
    uint64_t calls_total;  // allocations that succeeded
} wd_alloc_stats;

wd_alloc_stats wd_alloc_stats_get(void);
void wd_alloc_reset_peak(void);

/// Test hook, per thread: let `calls` more allocations succeed, then fail each one, until called again;
/// negative: never fail (the start value).
void wd_alloc_fail_after(long calls);

#endif
