/// sort.c - bottom-up merge sort over runs that insertion sort has prepared.
#include "sort.h"

#include <string.h>

enum { RUN_LENGTH = 8 };

static void sort_run(char *items, char *spare, size_t count, size_t size, wd_compare compare)
{
    for (size_t i = 1; i < count; i++) {
        size_t at = i;
        while (at > 0 && compare(items + (at - 1) * size, items + i * size) > 0) {
            at -= 1;
        }
        if (at < i) {
            memcpy(spare, items + i * size, size);
            memmove(items + (at + 1) * size, items + at * size, (i - at) * size);
            memcpy(items + at * size, spare, size);
        }
    }
}

static void merge_runs(const char *from, char *to, size_t left, size_t right, size_t size, wd_compare compare)
{
    const char *a = from;
    const char *b = from + left * size;
    const char *a_end = b;
    const char *b_end = b + right * size;
    while (a < a_end && b < b_end) {
        const char **least = compare(a, b) <= 0 ? &a : &b;
        memcpy(to, *least, size);
        *least += size;
        to += size;
    }
    memcpy(to, a, (size_t)(a_end - a));
    memcpy(to + (a_end - a), b, (size_t)(b_end - b));
}

void wd_sort(void *items, void *scratch, size_t count, size_t size, wd_compare compare)
{
    for (size_t at = 0; at < count; at += RUN_LENGTH) {
        size_t run = count - at < RUN_LENGTH ? count - at : RUN_LENGTH;
        sort_run((char *)items + at * size, scratch, run, size, compare);
    }
    char *from = items;
    char *to = scratch;
    for (size_t width = RUN_LENGTH; width < count; width *= 2) {
        for (size_t at = 0; at < count; at += 2 * width) {
            size_t left = count - at < width ? count - at : width;
            size_t right = count - at - left < width ? count - at - left : width;
            merge_runs(from + at * size, to + at * size, left, right, size, compare);
        }
        char *swap = from;
        from = to;
        to = swap;
    }
    if (from != (char *)items) {
        memcpy(items, from, count * size);
    }
}
