/// task_ops.c - the task operations by name ("tm.*"), the adoption of a task state, and boot.
#include "coerce.h"
#include "device_struct.h"
#include "task.h"

#include <string.h>

wd_status wd_boot_tasks(wd_machine *machine, const wd_device_options *options, wd_error *error)
{
    (void)options;
    return wd_task_reset(machine, NULL, error);
}

// ---- adopting a state -------------------------------------------------------------------------------------

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
        if (wd_array_count(tasks) > WD_TASKS_MAX) {
            return wd_error_set(error, WD_ELIMIT, "state.tasks: more than %d", WD_TASKS_MAX);
        }
        for (size_t i = 0; i < wd_array_count(tasks) && status == WD_OK; i++) {
            status = check_task(wd_array_at(tasks, i), i, error);
        }
        const wd_value *active = wd_object_get(state, "activeTaskId");
        if (status == WD_OK && wd_value_is(active, WD_KIND_STRING) && !names_a_task(tasks, active)) {
            return wd_error_set(error, WD_ENOENT, "state.activeTaskId: no task of the list");
        }
        if (status == WD_OK) {
            status = put_state(machine, tasks, active, wd_truthy(wd_object_get(state, "isLauncherVisible")),
                wd_truthy(wd_object_get(state, "isRecentsVisible")));
        }
    } else {
        status = put_state(machine, NULL, NULL, true, false);
    }
    return status != WD_OK ? status : restart_beside(machine, error);
}

// ---- operations -------------------------------------------------------------------------------------------

/// Whether anything was there to act on: what the operations below answer.
static void answer_bool(wd_value **ret_answer, bool flag)
{
    *ret_answer = wd_value_bool(flag);
}

static wd_status op_launch_app(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    const char *app = NULL;
    wd_status status = wd_arg_text(args, "app", &app, error);
    return status != WD_OK ? status : wd_task_launch(machine, app);
}

static wd_status op_mark_external(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    const char *app = NULL;
    bool done = false;
    wd_status status = wd_arg_text(args, "app", &app, error);
    if (status == WD_OK) {
        status = wd_task_mark_external(machine, app, &done);
    }
    answer_bool(ret_answer, done);
    return status;
}

/// An operation on the task named by the argument `task`.
static wd_status on_task(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error,
    wd_status (*perform)(wd_machine *machine, const char *task_id, bool *ret_done))
{
    const char *task_id = NULL;
    bool done = false;
    wd_status status = wd_arg_text(args, "task", &task_id, error);
    if (status == WD_OK) {
        status = perform(machine, task_id, &done);
    }
    answer_bool(ret_answer, done);
    return status;
}

static wd_status op_activate(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    return on_task(machine, args, ret_answer, error, wd_task_activate);
}

static wd_status op_close(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    return on_task(machine, args, ret_answer, error, wd_task_close);
}

static wd_status op_pop(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    return on_task(machine, args, ret_answer, error, wd_task_pop);
}

static wd_status op_consume(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    return on_task(machine, args, ret_answer, error, wd_task_consume_caller);
}

static wd_status op_go_home(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)args;
    (void)ret_answer;
    (void)error;
    return wd_task_go_home(machine);
}

static wd_status op_show_recents(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)args;
    (void)ret_answer;
    (void)error;
    return wd_task_show_recents(machine);
}

static wd_status op_push(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    static const char *const members[] = { "activityId", "appId", "initialRoute" };
    const char *task_id = NULL;
    const wd_value *given = NULL;
    wd_status status = wd_arg_text(args, "task", &task_id, error);
    if (status == WD_OK) {
        status = wd_arg_object(args, "activity", &given, error);
    }
    for (size_t i = 0; i < WD_COUNT_OF(members) && status == WD_OK; i++) {
        const char *text = NULL;
        status = wd_arg_text(given, members[i], &text, error);
        if (status == WD_OK && strlen(text) > WD_ROUTE_TEXT_MAX) {
            status =
                wd_error_set(error, WD_EINVAL, "%s: longer than %d bytes", members[i], WD_ROUTE_TEXT_MAX);
        }
        if (status != WD_OK) {
            wd_error_prefix(error, "activity");
        }
    }
    const char *id = wd_value_string_or(wd_object_get(given, "activityId"), "");
    if (status == WD_OK && wd_activity_lives(machine, id)) {
        status = wd_error_set(error, WD_EEXIST, "activity.activityId: %.80s lives already", id);
    }
    bool done = false;
    if (status == WD_OK) {
        wd_value *activity = wd_value_ref(given);
        status = wd_task_push(machine, task_id, &activity, &done);
    }
    answer_bool(ret_answer, done);
    return status;
}

static wd_status op_set_intent(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    const char *task_id = NULL;
    const char *activity_id = NULL;
    const wd_value *intent = NULL;
    wd_status status = wd_arg_text(args, "task", &task_id, error);
    if (status == WD_OK) {
        status = wd_arg_text(args, "activity", &activity_id, error);
    }
    if (status == WD_OK) {
        status = wd_arg_object(args, "intent", &intent, error);
    }
    bool done = false;
    if (status == WD_OK) {
        status = wd_task_set_intent(machine, task_id, activity_id, intent, &done);
    }
    answer_bool(ret_answer, done);
    return status;
}

static wd_status op_reset(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    return wd_task_reset(machine, wd_object_get(args, "state"), error);
}

const wd_op wd_ops_task[] = {
    { "tm.launchApp", op_launch_app },
    { "tm.activateTask", op_activate },
    { "tm.goHome", op_go_home },
    { "tm.showRecents", op_show_recents },
    { "tm.closeTask", op_close },
    { "tm.pushActivity", op_push },
    { "tm.popActivity", op_pop },
    { "tm.markExternalRoute", op_mark_external },
    { "tm.setActivityIntent", op_set_intent },
    { "tm.consumeLaunchedBy", op_consume },
    { "tm.reset", op_reset },
    { NULL, NULL },
};
