// alloc.c - the thread's heap: size classes cut from slabs, counted, failing on demand.
#include "tree/alloc.h"

#include "heap.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    CLASS_STEP = 16,        // bytes between size classes, and the alignment
    CLASS_SIZE_MAX = 1024,  // larger blocks are the system's
    CLASS_COUNT = CLASS_SIZE_MAX / CLASS_STEP + 1,
    SLAB_SIZE = 64 * 1024,  // and the alignment of slabs, so that a block's slab is found from its address
    SPARE_SLABS_MAX = 16,   // empty slabs kept for the next class that wants one
    SLAB_COLOURS = 32,      // places of a slab's head
    COLOUR_STEP = 64,       // bytes between them: a line of the cache
};

typedef struct free_block {
    struct free_block *next;
} free_block;

// Blocks of one class. Each slab has its own free blocks, so that what is allocated together lies together, also
// after much was freed, and a slab that is empty can go.
typedef struct slab {
    free_block *free;
    char *fresh;               // from here on nothing was handed out yet
    struct slab *next, *prev;  // among the slabs of the class that have room; not linked while full
    uint32_t live;             // blocks handed out
    uint32_t class;
    bool linked;
} slab;

typedef struct thread_heap {
    slab *roomy[CLASS_COUNT];  // the first one is allocated from
    slab *last[CLASS_COUNT];   // where a slab that gets room is added
    slab *spare;
    size_t spare_count;
    size_t slab_count;  // all that this thread has, spare ones included
    wd_alloc_stats stats;
    long calls_left;  // until allocations fail; meaningful while `failing`
    bool failing;
} thread_heap;

static _Thread_local thread_heap heap;
static _Atomic uint64_t shared_bytes_live;

// ---- slabs ----------------------------------------------------------------------------------------------------
// Under a sanitizer each block is the system's own, so that it sees every mistake.

#ifndef WD_ALLOC_PLAIN
static pthread_key_t exit_key;
static pthread_once_t exit_once = PTHREAD_ONCE_INIT;

// Heads all at the start of their slabs would stand in the same few sets of the cache and drive each other out.
static slab *slab_at(uintptr_t base)
{
    return (slab *)(base + base / SLAB_SIZE % SLAB_COLOURS * COLOUR_STEP);
}

static uintptr_t slab_base(const void *inside)
{
    return (uintptr_t)inside & ~(uintptr_t)(SLAB_SIZE - 1);
}

static void slab_free(slab *dropped)
{
    free((void *)slab_base(dropped));
}

static void spare_drop(size_t keep)
{
    while (heap.spare_count > keep) {
        slab *dropped = heap.spare;
        heap.spare = dropped->next;
        heap.spare_count -= 1;
        heap.slab_count -= 1;
        slab_free(dropped);
    }
}

// A slab that gets room waits for its turn. Were it allocated from at once, blocks that come and go would stay in the
// slabs where they were first, scattered, and each of these would be linked and unlinked for one block at a time.
static void slab_link(slab *linked)
{
    slab *last = heap.last[linked->class];
    linked->next = NULL;
    linked->prev = last;
    if (last != NULL) {
        last->next = linked;
    } else {
        heap.roomy[linked->class] = linked;
    }
    heap.last[linked->class] = linked;
    linked->linked = true;
}

static void slab_unlink(slab *linked)
{
    if (linked->prev != NULL) {
        linked->prev->next = linked->next;
    } else {
        heap.roomy[linked->class] = linked->next;
    }
    if (linked->next != NULL) {
        linked->next->prev = linked->prev;
    } else {
        heap.last[linked->class] = linked->prev;
    }
    linked->linked = false;
}

// When a thread ends, its empty slabs go. A slab in which something still lives is leaked, not torn away.
static void thread_ends(void *argument)
{
    (void)argument;
    for (size_t i = 0; i < CLASS_COUNT; i++) {
        slab *current = heap.roomy[i];
        if (current != NULL && current->live == 0) {
            slab_unlink(current);
            slab_free(current);  // only the one that is allocated from is kept while empty
        }
    }
    spare_drop(0);
}

static void exit_key_make(void)
{
    wd_assert(pthread_key_create(&exit_key, thread_ends) == 0);
}

static slab *slab_new(size_t class)
{
    slab *fresh = heap.spare;
    if (fresh != NULL) {
        heap.spare = fresh->next;
        heap.spare_count -= 1;
    } else {
        void *memory = aligned_alloc(SLAB_SIZE, SLAB_SIZE);
        if (memory == NULL) {
            return NULL;
        }
        fresh = slab_at((uintptr_t)memory);
        if (heap.slab_count == 0) {
            pthread_once(&exit_once, exit_key_make);
            (void)pthread_setspecific(exit_key, &heap);  // failing only means that slabs outlive the thread
        }
        heap.slab_count += 1;
    }
    *fresh = (slab){ .fresh = (char *)fresh + (sizeof(slab) + CLASS_STEP - 1) / CLASS_STEP * CLASS_STEP,
        .class = (uint32_t) class };
    slab_link(fresh);
    return fresh;
}

static void slab_empty(slab *empty)
{
    if (heap.roomy[empty->class] == empty && empty->next == NULL) {
        return;  // the class's last one with room: it will be wanted again
    }
    slab_unlink(empty);
    empty->next = heap.spare;
    heap.spare = empty;
    heap.spare_count += 1;
    spare_drop(SPARE_SLABS_MAX);
}

static size_t class_of(size_t size)
{
    return (size + CLASS_STEP - 1) / CLASS_STEP;
}

static void *block_take(size_t size)
{
    if (size > CLASS_SIZE_MAX) {
        return malloc(size);
    }
    size_t class = class_of(size), step = class * CLASS_STEP;
    slab *from = heap.roomy[class];
    if (from == NULL) {
        from = slab_new(class);
        if (from == NULL) {
            return NULL;
        }
    }
    void *block = from->free;
    if (block != NULL) {
        from->free = from->free->next;
    } else {
        block = from->fresh;
        from->fresh += step;
    }
    from->live += 1;
    if (from->free == NULL && slab_base(from) + SLAB_SIZE - (uintptr_t)from->fresh < step) {
        slab_unlink(from);
    }
    return block;
}

static void block_give(void *block, size_t size)
{
    if (size > CLASS_SIZE_MAX) {
        free(block);
        return;
    }
    slab *home = slab_at(slab_base(block));
    free_block *given = block;
    given->next = home->free;
    home->free = given;
    home->live -= 1;
    if (!home->linked) {
        slab_link(home);
    }
    if (home->live == 0) {
        slab_empty(home);
    }
}

static void *block_resize(void *block, size_t old_size, size_t new_size)
{
    if (old_size > CLASS_SIZE_MAX && new_size > CLASS_SIZE_MAX) {
        return realloc(block, new_size);
    }
    if (old_size <= CLASS_SIZE_MAX && new_size <= CLASS_SIZE_MAX &&
        class_of(old_size) == class_of(new_size)) {
        return block;
    }
    void *moved = block_take(new_size);
    if (moved != NULL) {
        memcpy(moved, block, old_size < new_size ? old_size : new_size);
        block_give(block, old_size);
    }
    return moved;
}
#else
static void *block_take(size_t size)
{
    return malloc(size);
}

static void block_give(void *block, size_t size)
{
    (void)size;
    free(block);
}

static void *block_resize(void *block, size_t old_size, size_t new_size)
{
    (void)old_size;
    return realloc(block, new_size);
}
#endif

// ---- counting -------------------------------------------------------------------------------------------------

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
    void *block = may_allocate(size) ? block_take(size) : NULL;
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
    void *resized = may_allocate(new_size) ? block_resize(block, old_size, new_size) : NULL;
    if (resized != NULL) {
        count_change(old_size, new_size);
        heap.stats.calls_total += 1;
    }
    return resized;
}

void wd_free(void *block, size_t size)
{
    if (block != NULL) {
        heap.stats.bytes_live -= size;
        block_give(block, size);
    }
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

// ---- beside the thread's heap ---------------------------------------------------------------------------------

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

void *wd_heap_alloc(size_t size)
{
    return calloc(1, size);
}

void wd_heap_free(void *block)
{
    free(block);
}
