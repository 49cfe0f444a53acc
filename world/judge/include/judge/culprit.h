/// culprit.h - which step of a run made each unexpected change, and which changes were made and undone.
#ifndef JUDGE_CULPRIT_H
#define JUDGE_CULPRIT_H

#include "judge/rules.h"

/// One executed step of a run. Everything is borrowed.
typedef struct wd_trace_step {
    int64_t number;         // how the run counts it; grows along the trace
    const wd_value *event;  // what was done and where (order.h); NULL: nothing to tell
    const wd_value
        *state;  // {apps, os} after it; NULL: unknown, its changes are found at the next known state
} wd_trace_step;

typedef struct wd_trace {
    const wd_trace_step *steps;
    size_t count;
} wd_trace;

/// One unexpected change and the steps behind it.
typedef struct wd_deed {
    const wd_change
        *change;        // from the initial state; of the final one, or of the state before it was undone
    int64_t step;       // made it: since then the place differs from the initial state. -1: not in the trace
    int64_t last_step;  // wrote there last (undone deeds: put it back)
} wd_deed;

/// Deeds sorted as changes are. Dropped with wd_deeds_destroy().
typedef struct wd_deeds wd_deeds;

/// Attribute every unexpected change between `initial` and `final`. A place is told by its path. A change to
/// an intermediate value that the task's "to" allows to change at all is no deed undone.
/// @retval WD_EPARSE  see wd_rules_unexpected().
WD_NODISCARD wd_status wd_deeds_find(const wd_rules *rules, const wd_value *initial, const wd_value *final,
    const wd_trace *trace, wd_deeds **ret_deeds, wd_error *error);
void wd_deeds_destroy(wd_deeds **deeds_p);

size_t wd_deeds_count(const wd_deeds *deeds);                     // unexpected at the end; 0 for NULL
const wd_deed *wd_deeds_at(const wd_deeds *deeds, size_t index);  // borrowed
size_t wd_deeds_undone_count(const wd_deeds *deeds);              // gone at the end; 0 for NULL
const wd_deed *wd_deeds_undone_at(const wd_deeds *deeds, size_t index);

#endif
