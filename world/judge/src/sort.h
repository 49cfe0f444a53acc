/// sort.h - a stable sort that allocates nothing and asks the same questions for the same input.
///
/// libc's qsort() is neither stable nor free of malloc.
#ifndef JUDGE_SORT_H
#define JUDGE_SORT_H

#include <stddef.h>

/// < 0, 0, > 0 as `a` stands before, beside or after `b`.
typedef int (*wd_compare)(const void *a, const void *b);

/// Sort `count` records of `size` bytes; `scratch` has room for as many.
void wd_sort(void *items, void *scratch, size_t count, size_t size, wd_compare compare);

#endif
