/// region.h - frozen regions: one block of nodes that no longer change, counted atomically as a whole.
#ifndef REGION_H
#define REGION_H

#include "node.h"

#include <stdatomic.h>

typedef struct wd_region {
    _Atomic uint64_t refs;
    size_t size;              // of the whole block
    struct wd_region **uses;  // regions that nodes in here point into, each referenced once
    size_t use_count;
    struct wd_region *next;  // among those being freed
} wd_region;

static inline wd_region *wd_region_of(const wd_value *node)
{
    return (wd_region *)((uintptr_t)node - (uintptr_t)node->refs * 16);
}

static inline void wd_region_ref(wd_region *region, uint64_t count)
{
    atomic_fetch_add_explicit(&region->refs, count, memory_order_relaxed);
}

void wd_region_unref(wd_region *region, uint64_t count);

#endif
