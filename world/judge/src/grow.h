/// grow.h - growing arrays of plain records.
#ifndef JUDGE_GROW_H
#define JUDGE_GROW_H

#include "tree/alloc.h"

#include <string.h>

/// Make room for one more record after `count` of `size` bytes in *items_p. On WD_ENOMEM nothing changed.
WD_NODISCARD static inline wd_status wd_grow(void **items_p, size_t *capacity, size_t count, size_t size)
{
    if (count < *capacity) {
        return WD_OK;
    }
    size_t wanted = *capacity == 0 ? 8 : *capacity * 2;
    void *items = wd_realloc(*items_p, *capacity * size, wanted * size);
    if (items == NULL) {
        return WD_ENOMEM;
    }
    *items_p = items;
    *capacity = wanted;
    return WD_OK;
}

#endif
