/// audit.h - judging the judge: a task template is run in ways that must pass and in ways that must not.
///
///   idle       doing nothing must not pass
///   gold       the gold plan must pass and be clean: with other seeds, and in the other locale
///   cuts       the gold plan, ended before each step that changes the state or answers, must not pass
///   mutations  a foreign change made during the gold plan must be found unclean, with the step that made it
///   dead       an expected change that excuses nothing, or a criterion that finds nothing, in any of these runs
///   counts     judging by an aggregate number instead of the record itself
#ifndef RUNTIME_AUDIT_H
#define RUNTIME_AUDIT_H

#include "sim/phone.h"
#include "tree/value.h"

typedef struct wd_audit_options {
    uint64_t seed;       // of the first instance and of the mutations
    unsigned instances;  // with their own seeds, 1..WD_AUDIT_INSTANCES_MAX
    unsigned mutations;  // 0..WD_AUDIT_MUTATIONS_MAX
} wd_audit_options;
enum { WD_AUDIT_INSTANCES_MAX = 100, WD_AUDIT_MUTATIONS_MAX = 1000 };
wd_audit_options wd_audit_options_default(void);  // seed 0, 4 instances, 20 mutations

/// Audit one template. The same document, packs and options give the same bytes.
///
/// @param[out] ret_report  {"task", "ok", "runs", "instances", "steps", "cuts", "mutations", "faults": [texts]}
/// @retval WD_ENOMEM  only: what is wrong with the task is a fault.
WD_NODISCARD wd_status wd_audit_task(
    wd_host *host, const wd_value *document, const wd_audit_options *options, wd_value **ret_report);

#endif
