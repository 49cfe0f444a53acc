/// task_adopt.c - task states that come from outside, checked before they are adopted; and the one after boot.
#include "coerce.h"
#include "task.h"

// ---- checking ---------------------------------------------------------------------------------------------

static wd_status want_id(const wd_value *object, const char *name, size_t at, wd_error *error)
{
    size_t length = 0;
    const wd_value *id = wd_object_get(object, name);
    if (wd_value_is(id, WD_KIND_STRING)) {
        (void)wd_value_as_string(id, &length);
    }
    if (length == 0 || length > WD_TASK_ID_MAX) {
        return wd_error_set(error, WD_EINVAL, "state.tasks[%zu]: %s: a text of 1..%d bytes is wanted", at,
            name, WD_TASK_ID_MAX);
    }
    return WD_OK;
}

static wd_status check_task(const wd_value *task, size_t at, wd_error *error)
{
    wd_status status = want_id(task, "taskId", at, error);
    if (status == WD_OK) {
        status = want_id(task, "rootAppId", at, error);
    }
    const wd_value *stamp = wd_object_get(task, "lastActiveAt");
    if (status == WD_OK && stamp != NULL && !wd_value_is(stamp, WD_KIND_INT)) {
        return wd_error_set(error, WD_EINVAL, "state.tasks[%zu].lastActiveAt: a whole number is wanted", at);
    }
    const wd_value *stack = wd_object_get(task, "stack");
    size_t count = wd_array_count(stack);
    if (status == WD_OK && (count == 0 || count > WD_TASK_STACK_MAX)) {
        return wd_error_set(
            error, WD_EINVAL, "state.tasks[%zu].stack: 1..%d activities are wanted", at, WD_TASK_STACK_MAX);
    }
    for (size_t i = 0; i < count && status == WD_OK; i++) {
        status = want_id(wd_array_at(stack, i), "activityId", at, error);
        if (status == WD_OK) {
            status = want_id(wd_array_at(stack, i), "appId", at, error);
        }
    }
    return status;
}

static bool names_a_task(const wd_value *tasks, const wd_value *id)
{
    for (size_t i = 0; i < wd_array_count(tasks); i++) {
        if (wd_value_equal(wd_object_get(wd_array_at(tasks, i), "taskId"), id)) {
            return true;
        }
    }
    return false;
}

static wd_status check_state(const wd_value *state, wd_error *error)
{
    const wd_value *tasks = wd_object_get(state, "tasks");
    if (wd_array_count(tasks) > WD_TASKS_MAX) {
        return wd_error_set(error, WD_ELIMIT, "state.tasks: more than %d", WD_TASKS_MAX);
    }
    for (size_t i = 0; i < wd_array_count(tasks); i++) {
        wd_status status = check_task(wd_array_at(tasks, i), i, error);
        if (status != WD_OK) {
            return status;
        }
    }
    const wd_value *active = wd_object_get(state, "activeTaskId");
    if (wd_value_is(active, WD_KIND_STRING) && !names_a_task(tasks, active)) {
        return wd_error_set(error, WD_ENOENT, "state.activeTaskId: no task of the list");
    }
    return WD_OK;
}

// ---- a machine from outside -------------------------------------------------------------------------------

static bool history_is_whole(const wd_value *history)
{
    const wd_value *entries = wd_object_get(history, "history");
    const wd_value *index = wd_object_get(history, "index");
    size_t count = wd_array_count(entries);
    for (size_t i = 0; i < count; i++) {
        if (wd_value_string_or(wd_array_at(entries, i), "")[0] != '/') {
            return false;
        }
    }
    return wd_value_is(index, WD_KIND_INT) && wd_value_as_int(index) >= 0 &&
           (uint64_t)wd_value_as_int(index) < count;
}

wd_status wd_task_check(const wd_value *root, wd_error *error)
{
    const wd_value *os = wd_object_get(root, "os");
    const wd_value *histories = wd_object_get(wd_object_get(root, "sys"), "histories");
    const wd_value *tasks = wd_object_get(os, "tasks");
    if (!wd_value_is(tasks, WD_KIND_ARRAY) || !wd_value_is(histories, WD_KIND_OBJECT)) {
        return wd_error_set(error, WD_EINVAL, "tasks or their histories are missing");
    }
    wd_status status = check_state(os, error);
    for (size_t i = 0; i < wd_array_count(tasks) && status == WD_OK; i++) {
        const wd_value *stack = wd_object_get(wd_array_at(tasks, i), "stack");
        for (size_t k = 0; k < wd_array_count(stack) && status == WD_OK; k++) {
            const char *id = wd_activity_id(wd_array_at(stack, k));
            if (!history_is_whole(wd_object_get(histories, id))) {
                status = wd_error_set(error, WD_EINVAL, "%.80s: the history is missing or damaged", id);
            }
        }
    }
    return status;
}

// ---- adopting a state -------------------------------------------------------------------------------------

static wd_status put_state(
    wd_machine *machine, const wd_value *tasks, const wd_value *active, bool launcher, bool recents)
{
    wd_value *list = tasks != NULL ? wd_value_ref(tasks) : wd_value_array();
    wd_value *id = wd_value_is(active, WD_KIND_STRING) ? wd_value_ref(active) : wd_value_null();
    wd_status status = wd_machine_put(machine, WD_AT("os", "tasks"), &list);
    if (status == WD_OK) {
        status = wd_machine_put(machine, WD_AT("os", "activeTaskId"), &id);
    }
    if (status == WD_OK) {
        status = wd_machine_put_bool(machine, WD_AT("os", "isLauncherVisible"), launcher);
    }
    if (status == WD_OK) {
        status = wd_machine_put_bool(machine, WD_AT("os", "isRecentsVisible"), recents);
    }
    wd_value_unref(&id);
    return status;
}

/// Histories start anew, one for each adopted activity; what the old activities owed is forgotten with them.
static wd_status restart_beside(wd_machine *machine, wd_error *error)
{
    static const char *const counters[] = { "task", "act", "stamp", "request" };
    static const char *const parts[] = { "histories", "pending" };
    wd_status status = WD_OK;
    for (size_t i = 0; i < WD_COUNT_OF(parts) && status == WD_OK; i++) {
        wd_value *none = wd_value_object();
        status = wd_machine_put(machine, WD_AT("sys", parts[i]), &none);
    }
    for (size_t i = 0; i < WD_COUNT_OF(counters) && status == WD_OK; i++) {
        status = wd_machine_drop(machine, WD_AT("sys", "counters", counters[i]));
    }
    const wd_value *tasks = wd_machine_get(machine, WD_AT("os", "tasks"));
    for (size_t i = 0; i < wd_array_count(tasks) && status == WD_OK; i++) {
        const wd_value *stack = wd_object_get(wd_array_at(tasks, i), "stack");
        if (wd_task_find(machine, wd_task_id(wd_array_at(tasks, i))).index != i) {
            return wd_error_set(error, WD_EEXIST, "state.tasks[%zu].taskId: is there already", i);
        }
        for (size_t k = 0; k < wd_array_count(stack) && status == WD_OK; k++) {
            const char *id = wd_activity_id(wd_array_at(stack, k));
            if (wd_activity_lives(machine, id)) {
                return wd_error_set(error, WD_EEXIST, "state.tasks[%zu]: %.80s is there already", i, id);
            }
            status = wd_history_start(machine, id);
        }
    }
    return status;
}

wd_status wd_task_reset(wd_machine *machine, const wd_value *state, wd_error *error)
{
    const wd_value *tasks = wd_object_get(state, "tasks");
    wd_status status = WD_OK;
    if (wd_value_is(tasks, WD_KIND_ARRAY)) {
        status = check_state(state, error);
        if (status == WD_OK) {
            status = put_state(machine, tasks, wd_object_get(state, "activeTaskId"),
                wd_truthy(wd_object_get(state, "isLauncherVisible")),
                wd_truthy(wd_object_get(state, "isRecentsVisible")));
        }
    } else {
        status = put_state(machine, NULL, NULL, true, false);
    }
    return status != WD_OK ? status : restart_beside(machine, error);
}

wd_status wd_boot_tasks(wd_machine *machine, const wd_device_options *options, wd_error *error)
{
    (void)options;
    return wd_task_reset(machine, NULL, error);
}
