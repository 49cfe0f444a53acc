/// task_instance.h - one instance of a task template: its parameters drawn, its phone brought to the start.
///
/// In this order: boot with the instance's seed; the locale; "setup_before"; draw the parameters from what the state
/// then holds; "distractors"; "setup". The same order of run seed, instance and given parameters gives the same bytes
/// on every machine (decision J14).
#ifndef RUNTIME_TASK_INSTANCE_H
#define RUNTIME_TASK_INSTANCE_H

#include "runtime/task.h"
#include "sim/phone.h"

/// What is wanted. Everything is borrowed.
typedef struct wd_task_order {
    const wd_value *document;
    const wd_value *params;  // given values, kept whatever is drawn; NULL: none
    uint64_t seed;           // of the run
    uint64_t instance;       // which instance of the template, from 0
    const char *locale;      // "en", "zh-Hans"; NULL: as the phone boots
} wd_task_order;

typedef struct wd_task_instance {
    wd_task task;
    wd_device *device;
    uint32_t seed;  // of the instance: run seed XOR CRC-32 of "suite.Task:i"
} wd_task_instance;

/// @retval WD_EINVAL, WD_ETYPE, WD_ENOENT  `error` names the task's member.
WD_NODISCARD wd_status wd_task_instance_open(
    wd_host *host, const wd_task_order *order, wd_task_instance *ret_instance, wd_error *error);
/// The same on a phone that is booted already, for who keeps one: all but the boot. On an error the phone is somewhere
/// on the way. @param ret_task  Yours after WD_OK.
WD_NODISCARD wd_status wd_task_instance_prepare(
    wd_host *host, wd_device *device, const wd_task_order *order, wd_task *ret_task, wd_error *error);
void wd_task_instance_done(wd_task_instance *instance);

#endif
