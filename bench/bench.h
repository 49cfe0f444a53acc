/// bench.h - what a benchmark is written against.
///
/// A benchmark is a function that measures and adds rows. It is listed in main.c; what its rows must reach stands in
/// targets.c and nowhere else. `worldd-bench NAME` prints the rows and fails when one misses its target.
#ifndef BENCH_H
#define BENCH_H

#include "tree/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct wd_bench wd_bench;
typedef void wd_bench_function(wd_bench *bench);

/// True when figures may be rough: fewer and shorter samples, smaller inputs.
bool wd_bench_quick(const wd_bench *bench);

/// The command line's first free argument after the benchmark's name, or NULL: for files and endpoints.
const char *wd_bench_argument(const wd_bench *bench);

typedef struct wd_bench_row {
    const char *name;  // copied
    double value;
    const char *unit;  // static: "ns", "us", "ms", "B", "KiB", "1/s", "x"
    double baseline;   // the same unit, measured in the same run; 0: none
    double
        baseline_expected;  // what the baseline was when the target was set, scaled to this machine; 0: unknown
    bool baseline_strict;  // a baseline slower than expected by more than 30 % fails the row
} wd_bench_row;

/// Add a row. It is held against its target, if targets.c has one, and its baseline against what was expected of it:
/// more than 30 % off is flagged.
void wd_bench_add(wd_bench *bench, const wd_bench_row *row);

/// The benchmark cannot run here: say why and count it as failed.
void wd_bench_fail(wd_bench *bench, const char *format, ...) WD_PRINTF(2, 3);

// ---- timing ---------------------------------------------------------------------------------------------------

/// Monotonic clock.
uint64_t wd_bench_now_ns(void);
/// CPU time of this thread.
uint64_t wd_bench_cpu_ns(void);

/// Nanoseconds of one call of body(context): the median of several samples, each of so many calls that the clock's
/// grain does not matter. CPU time of this thread, so that other work on the machine does not count: what waits for
/// somebody is timed with wd_bench_now_ns(). `body` leaves things as it found them.
double wd_bench_time(wd_bench *bench, void (*body)(void *context), void *context);

/// The same with each call timed alone: prepare(context), then body(context) under the clock, then
/// clean_up(context). For what cannot be repeated, and takes microseconds at least. NULL hooks are left out.
double wd_bench_time_once(wd_bench *bench, void (*prepare)(void *context), void (*body)(void *context),
    void (*clean_up)(void *context), void *context);

/// The middle one. Sorts them. @param count  At least 1.
double wd_bench_median(double *values, size_t count);

/// Keep the compiler from dropping what was computed.
static inline void wd_bench_use(const void *pointer)
{
    __asm__ volatile("" : : "g"(pointer) : "memory");
}

// ---- targets (targets.c) --------------------------------------------------------------------------------------

typedef enum wd_target_kind {
    WD_TARGET_VALUE_MAX,  // value <= limit
    WD_TARGET_VALUE_MIN,  // value >= limit
    WD_TARGET_RATIO_MAX,  // value / baseline <= limit
    WD_TARGET_RATIO_MIN,  // value / baseline >= limit
} wd_target_kind;

typedef struct wd_target {
    const char *bench, *row;
    wd_target_kind kind;
    double limit;
} wd_target;

/// The target after `after` (NULL: the first) for that row, or NULL. A row may have several.
const wd_target *wd_target_next(const wd_target *after, const char *bench, const char *row);

#endif
