/// expectation_set.h - a compiled set of expected changes, as the matcher reads it.
#ifndef JUDGE_EXPECTATION_SET_H
#define JUDGE_EXPECTATION_SET_H

#include "judge/expectations.h"
#include "pattern_segment.h"

typedef struct wd_expectation {
    wd_pattern *pattern;
    bool expected;        // declared by the task; else always ignored
    int32_t quota;        // index into quotas when this is the prefix of a quota, else -1
    wd_value *to, *from;  // what the new and old value at the pattern's place must meet; NULL: anything
} wd_expectation;

struct wd_expectations {
    wd_expectation *items;
    size_t count, capacity;
    uint32_t *quotas;  // additions allowed, by order of first declaration
    size_t quota_count, quota_capacity;
};

/// Does an expected change with a wanted value cover the place `path`, whatever the value there?
WD_NODISCARD wd_status wd_expectations_allows(const wd_expectations *set, const char *path, bool *ret_allows);

#endif
