/// conform_steps.h - what the replays of managers, permissions, providers and services share: a sequence of
/// steps, and the calls that are no operations of a device (inject, capture, restore, reset, the clock, a
/// look at the state).
#ifndef SIM_CONFORM_STEPS_H
#define SIM_CONFORM_STEPS_H

#include "conform_case.h"

typedef struct wd_conform_sequence wd_conform_sequence;

typedef struct wd_conform_steps {
    /// Before the first step; NULL: nothing to do.
    wd_status (*begin)(wd_conform_sequence *sequence);
    /// What an op means here; *ret_handled false leaves it to the common ones. NULL: nothing special.
    wd_status (*perform)(
        wd_conform_sequence *sequence, const char *op, const wd_value *args, bool *ret_handled);
    /// Compare the outcome of a step.
    wd_status (*expect)(wd_conform_sequence *sequence, const wd_value *step);
} wd_conform_steps;

struct wd_conform_sequence {
    wd_conform *run;
    const wd_value *file;
    wd_device *device;
    wd_value *captures;  // {name: machine}
    wd_value *given;     // members of steps that are given only when changed, as they were last given
    wd_value *state;     // our visible state after the step
    wd_value *events;    // our events of the step
    wd_value *answer;    // of the step's call; NULL: none
    bool refused;        // the step must be refused
};

WD_NODISCARD wd_status wd_conform_sequence_replay(
    const wd_value *file, const wd_value *one, wd_conform *run, const wd_conform_steps *kind);

/// Inject {os: patch}.
WD_NODISCARD wd_status wd_conform_inject_os(wd_conform_sequence *sequence, const wd_value *os);
/// Call an operation of the device.
WD_NODISCARD wd_status wd_conform_sequence_call(
    wd_conform_sequence *sequence, const char *op, const wd_value *args);
/// What the vectors last gave for a member that stands in a step only when it changed. Borrowed, NULL: never
/// given.
const wd_value *wd_conform_given(wd_conform_sequence *sequence, const wd_value *step, const char *member);
/// Compare an answer with the step's `ret`, when it has one.
WD_NODISCARD wd_status wd_conform_expect_ret(wd_conform_sequence *sequence, const wd_value *step);
/// Our events of the step that have the member `first` or `second`, in order; NULL when there are none and the
/// vectors give none.
WD_NODISCARD wd_status wd_conform_events(const wd_conform_sequence *sequence, const wd_value *step,
    const char *first, const char *second, wd_value **ret_list);
/// Our broadcasts of the step, in order, as the vectors write them: {action, data?, extras?}.
WD_NODISCARD wd_status wd_conform_broadcasts(const wd_conform_sequence *sequence, wd_value **ret_list);

#endif
