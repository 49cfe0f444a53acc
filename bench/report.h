/// report.h - a benchmark while it runs: what bench.c and main.c share.
#ifndef REPORT_H
#define REPORT_H

#include "bench.h"

enum {
    WD_BENCH_ROWS_MAX = 128,
    WD_BENCH_TEXT_MAX = 128,  // of a row's name, target or note
};

typedef struct wd_report_row {
    char name[WD_BENCH_TEXT_MAX];
    double value, baseline;
    const char *unit;
    char target[WD_BENCH_TEXT_MAX];
    char note[WD_BENCH_TEXT_MAX];
    bool ok;
} wd_report_row;

struct wd_bench {
    const char *name;
    const char *argument;
    bool quick;
    bool failed;
    size_t row_count;
    wd_report_row rows[WD_BENCH_ROWS_MAX];
};

void wd_report_print(const wd_bench *bench, bool json);

#endif
