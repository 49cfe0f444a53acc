/// heap.h - memory that is no part of any value: tables of the thread, interned keys. Not counted, not failed by the
/// test hook. Private to world/tree.
#ifndef HEAP_H
#define HEAP_H

#include <stddef.h>

/// Cleared; NULL when memory is out.
void *wd_heap_alloc(size_t size);
void wd_heap_free(void *block);

#endif
