/// conform.h - replaying the judge's golden cases: diff, side_effects, criteria, answers, metrics, and whole
/// tasks.
///
/// A file is one object of arrays, one case per element; its formats are described in
/// tests/vectors/README-judge.md. A case holds when what the judge gives equals what the file demands,
/// numbers outside metrics exactly. Pure: a parsed file in, results out.
#ifndef JUDGE_CONFORM_H
#define JUDGE_CONFORM_H

#include "tree/value.h"

/// One case of a file. Everything is borrowed from the file.
typedef struct wd_conform_case {
    const char *list;  // the array it stands in
    size_t index;      // there
    const wd_value *file;
    const wd_value *row;
    const wd_value *inner;  // tasks: one of the row's finals; else NULL
    size_t inner_index;
    const struct wd_conform_list *replayer;  // private
} wd_conform_case;

/// What a replay gave. Dropped with wd_conform_result_done().
typedef struct wd_conform_result {
    bool holds;
    wd_value *wanted;  // of the file
    wd_value *got;     // of the judge
    char path[160];    // of the first difference, cut when longer; "" when the case holds
} wd_conform_result;

/// "diff", "side_effects", "criteria", "answers", "metrics", "tasks": is this one of them?
bool wd_conform_kind_known(const char *kind);

/// Visit every case of a file. A visit that returns another status than WD_OK ends the walk with it.
/// @retval WD_ENOENT  unknown kind. @retval WD_ETYPE  the file is no object, or holds none of the kind's
///                    lists.
typedef wd_status (*wd_conform_visit)(void *context, const wd_conform_case *one);
WD_NODISCARD wd_status wd_conform_cases(
    const char *kind, const wd_value *file, wd_conform_visit visit, void *context, wd_error *error);

/// Replay one case.
WD_NODISCARD wd_status wd_conform_replay(
    const wd_conform_case *one, wd_conform_result *ret_result, wd_error *error);
void wd_conform_result_done(wd_conform_result *result);

/// "list[3] name", or "list[3].finals[2] task name" for tasks: what to call a case.
void wd_conform_case_name(const wd_conform_case *one, char *ret_name, size_t size);

/// Replay all cases; `on_failure` (may be NULL) sees each that fails, while its result lives.
typedef void (*wd_conform_on_failure)(
    void *context, const wd_conform_case *one, const wd_conform_result *result);
WD_NODISCARD wd_status wd_judge_conform(const char *kind, const wd_value *file,
    wd_conform_on_failure on_failure, void *context, size_t *ret_holds, size_t *ret_fails, wd_error *error);

#endif
