/// task_event.h - what happens to the phone while a task is worked on: a text arrives, the network drops.
///
/// An event is an object with when and what:
///   "after": N          once N actions were executed on the phone, or
///   "at_ms": N          once N ms of virtual time have passed since the run began, whichever action that takes
///   "sms": {"from", "text"}             a text arrives, with its notice
///   "call": {"from"}                    a call that nobody took: a notice of the contacts app
///   "notice": {"app", "title", "text"}  any other notice
///   "revoke", "grant": {"app", "permission"}
///   "network": false | true             Wi-Fi and mobile data go off, or come back
///   "inject": patch                     anything else
/// They are applied between an action and the look at what it led to, so the same actions meet the same events.
#ifndef RUNTIME_TASK_EVENT_H
#define RUNTIME_TASK_EVENT_H

#include "scene/action.h"
#include "sim/device.h"

enum { WD_TASK_EVENTS_MAX = 64 };

/// The events of one run on one device.
typedef struct wd_task_events {
    const wd_value *list;  // array, borrowed; NULL: none
    uint64_t done;         // a bit for each that happened
    int64_t actions;       // executed so far
    int64_t start_ms;      // virtual time at the start
} wd_task_events;

/// @param list  NULL is none. @retval WD_EINVAL, WD_ETYPE, WD_ELIMIT  `error` names event and member.
WD_NODISCARD wd_status wd_task_events_check(const wd_value *list, wd_error *error);

/// @param list  Checked, borrowed.
wd_task_events wd_task_events_start(const wd_value *list, const wd_device *device);
/// One more action was executed: apply what is due, in the order listed.
/// @retval  as the device says; the event counts as done all the same.
WD_NODISCARD wd_status wd_task_events_pass(wd_task_events *events, wd_device *device, wd_error *error);
/// The same for an action with this result: one that was refused counts for nothing; an event that the phone does not
/// take makes the result a failure that names it. @retval WD_ENOMEM only.
WD_NODISCARD wd_status wd_task_events_after(wd_task_events *events, wd_device *device, wd_result *result);

#endif
