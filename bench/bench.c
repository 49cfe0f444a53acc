// bench.c - timing, rows, and how they are printed.
#include "report.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    SAMPLES = 21,
    SAMPLES_QUICK = 5,
    SAMPLE_NS = 4 * 1000 * 1000,
    SAMPLE_NS_QUICK = 500 * 1000,
    CALLS_MAX = 1 << 26,
};

// ---- timing ---------------------------------------------------------------------------------------------------

uint64_t wd_bench_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double wd_bench_median(double *values, size_t count)
{
    qsort(values, count, sizeof(*values), compare_doubles);
    return values[count / 2];
}

uint64_t wd_bench_cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t time_calls(void (*body)(void *context), void *context, uint64_t calls)
{
    uint64_t start = wd_bench_cpu_ns();
    for (uint64_t i = 0; i < calls; i++) {
        body(context);
    }
    return wd_bench_cpu_ns() - start;
}

double wd_bench_time(wd_bench *bench, void (*body)(void *context), void *context)
{
    uint64_t sample_ns = bench->quick ? SAMPLE_NS_QUICK : SAMPLE_NS;
    uint64_t calls = 1;
    while (time_calls(body, context, calls) < sample_ns && calls < CALLS_MAX) {
        calls *= 2;
    }
    double samples[SAMPLES];
    size_t count = bench->quick ? SAMPLES_QUICK : SAMPLES;
    for (size_t i = 0; i < count; i++) {
        samples[i] = (double)time_calls(body, context, calls) / (double)calls;
    }
    return wd_bench_median(samples, count);
}

double wd_bench_time_once(wd_bench *bench, void (*prepare)(void *context), void (*body)(void *context),
    void (*clean_up)(void *context), void *context)
{
    double samples[SAMPLES];
    size_t count = bench->quick ? SAMPLES_QUICK : SAMPLES;
    for (size_t i = 0; i < count; i++) {
        if (prepare != NULL) {
            prepare(context);
        }
        samples[i] = (double)time_calls(body, context, 1);
        if (clean_up != NULL) {
            clean_up(context);
        }
    }
    return wd_bench_median(samples, count);
}

// ---- rows -----------------------------------------------------------------------------------------------------

bool wd_bench_quick(const wd_bench *bench)
{
    return bench->quick;
}

const char *wd_bench_argument(const wd_bench *bench)
{
    return bench->argument;
}

static bool target_holds(const wd_target *target, const wd_report_row *row)
{
    switch (target->kind) {
    case WD_TARGET_VALUE_MAX:
        return row->value <= target->limit;
    case WD_TARGET_VALUE_MIN:
        return row->value >= target->limit;
    case WD_TARGET_RATIO_MAX:
        return row->baseline > 0 && row->value / row->baseline <= target->limit;
    case WD_TARGET_RATIO_MIN:
        return row->baseline > 0 && row->value / row->baseline >= target->limit;
    }
    return false;
}

static void describe_target(const wd_target *target, const wd_report_row *row, char *text, size_t size)
{
    size_t length = strlen(text);
    const char *comma = length > 0 ? ", " : "";
    bool ratio = target->kind == WD_TARGET_RATIO_MAX || target->kind == WD_TARGET_RATIO_MIN;
    bool most = target->kind == WD_TARGET_VALUE_MAX || target->kind == WD_TARGET_RATIO_MAX;
    snprintf(text + length, size - length, "%s%s%s %.4g%s%s", comma, ratio ? "ratio " : "",
        most ? "<=" : ">=", target->limit, ratio ? "" : " ", ratio ? "" : row->unit);
}

void wd_bench_add(wd_bench *bench, const wd_bench_row *given)
{
    if (bench->row_count == WD_BENCH_ROWS_MAX) {
        wd_bench_fail(bench, "more than %d rows", WD_BENCH_ROWS_MAX);
        return;
    }
    wd_report_row *row = &bench->rows[bench->row_count++];
    *row = (wd_report_row){
        .value = given->value, .baseline = given->baseline, .unit = given->unit, .ok = true
    };
    snprintf(row->name, sizeof(row->name), "%s", given->name);
    const wd_target *target = NULL;
    while ((target = wd_target_next(target, bench->name, row->name)) != NULL) {
        row->ok = row->ok && target_holds(target, row);
        describe_target(target, row, row->target, sizeof(row->target));
    }
    if (given->baseline_expected > 0 && given->baseline > 0) {
        double off = given->baseline / given->baseline_expected - 1;
        if (fabs(off) > 0.3) {
            snprintf(row->note, sizeof(row->note), "baseline is %+.0f %% off the expected %.4g %s", off * 100,
                given->baseline_expected, given->unit);
            row->ok = row->ok && !(given->baseline_strict && off > 0.3);
        }
    }
    bench->failed = bench->failed || !row->ok;
}

void wd_bench_fail(wd_bench *bench, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "worldd-bench %s: ", bench->name);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    bench->failed = true;
}

// ---- printing -------------------------------------------------------------------------------------------------

static const char *number(double value, char text[32])
{
    if (value == 0) {
        return "-";
    }
    int decimals = fabs(value) >= 1000 ? 0 : fabs(value) >= 100 ? 1 : fabs(value) >= 1 ? 2 : 5;
    snprintf(text, 32, "%.*f", decimals, value);
    return text;
}

static void print_table(const wd_bench *bench)
{
    int width = 10;
    for (size_t i = 0; i < bench->row_count; i++) {
        int length = (int)strlen(bench->rows[i].name);
        width = length > width ? length : width;
    }
    printf("%-*s %12s %-5s %12s %9s  %-26s\n", width, bench->name, "value", "unit", "baseline", "ratio",
        "target");
    for (size_t i = 0; i < bench->row_count; i++) {
        const wd_report_row *row = &bench->rows[i];
        char value[32], baseline[32], ratio[32];
        printf("%-*s %12s %-5s %12s %9s  %-26s %s%s%s\n", width, row->name, number(row->value, value),
            row->unit, number(row->baseline, baseline),
            number(row->baseline > 0 ? row->value / row->baseline : 0, ratio), row->target,
            row->target[0] == '\0' ? ""
            : row->ok              ? "ok"
                                   : "MISSED",
            row->note[0] == '\0' ? "" : "  ", row->note);
    }
}

// Names and notes are ours: nothing in them needs an escape.
static void print_json(const wd_bench *bench)
{
    printf("{\"bench\":\"%s\",\"quick\":%s,\"rows\":[", bench->name, bench->quick ? "true" : "false");
    for (size_t i = 0; i < bench->row_count; i++) {
        const wd_report_row *row = &bench->rows[i];
        printf("%s\n  {\"name\":\"%s\",\"value\":%.6g,\"unit\":\"%s\"", i == 0 ? "" : ",", row->name,
            row->value, row->unit);
        if (row->baseline > 0) {
            printf(",\"baseline\":%.6g,\"ratio\":%.6g", row->baseline, row->value / row->baseline);
        } else {
            printf(",\"baseline\":null,\"ratio\":null");
        }
        if (row->target[0] != '\0') {
            printf(",\"target\":\"%s\"", row->target);
        } else {
            printf(",\"target\":null");
        }
        printf(",\"ok\":%s", row->ok ? "true" : "false");
        if (row->note[0] != '\0') {
            printf(",\"note\":\"%s\"", row->note);
        }
        printf("}");
    }
    printf("\n]}\n");
}

void wd_report_print(const wd_bench *bench, bool json)
{
    if (json) {
        print_json(bench);
    } else {
        print_table(bench);
    }
}
