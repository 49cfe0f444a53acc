/// audit_internal.h - shared by audit.c (the runs) and audit_faults.c (what only the document and all runs together
/// show).
#ifndef RUNTIME_AUDIT_INTERNAL_H
#define RUNTIME_AUDIT_INTERNAL_H

#include "runtime/audit.h"
#include "runtime/drill.h"
#include "runtime/task_instance.h"

enum { WD_AUDIT_ENTRIES_MAX = 256 };  // expected changes, and criteria, whose use is watched

typedef struct wd_audit {
    wd_host *host;
    const wd_value *document;
    const wd_audit_options *options;
    wd_value *faults;  // array of texts
    int64_t runs, instances, steps, cuts, mutations;
    bool excuses[WD_AUDIT_ENTRIES_MAX];  // expected_changes[i] excused something in some run
    bool finds[WD_AUDIT_ENTRIES_MAX];    // criteria[i] found something in some run
} wd_audit;

WD_NODISCARD wd_status wd_audit_fault(wd_audit *audit, const char *format, ...) WD_PRINTF(2, 3);

/// Note what the task's entries did in a run of the whole gold plan.
WD_NODISCARD wd_status wd_audit_watch_changes(
    wd_audit *audit, const wd_task *task, const wd_value *initial, const wd_value *final);
/// Note which criteria found something in a verdict.
void wd_audit_watch_checks(wd_audit *audit, const wd_value *verdict);
/// Faults of entries that were of no use in any run, and of criteria that count.
WD_NODISCARD wd_status wd_audit_judge_entries(wd_audit *audit);

#endif
