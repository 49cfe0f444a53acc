/// task_ops.c - the task operations by name ("tm.*").
#include "task.h"

#include <string.h>

// ---- operations -------------------------------------------------------------------------------------------

/// Whether anything was there to act on: what the operations below answer.
static void answer_bool(wd_value **ret_answer, bool flag)
{
    *ret_answer = wd_value_bool(flag);
}

static wd_status check_id(const char *name, const char *id, wd_error *error)
{
    size_t length = strlen(id);
    if (length == 0 || length > WD_TASK_ID_MAX) {
        return wd_error_set(error, WD_EINVAL, "%s: 1..%d bytes are wanted", name, WD_TASK_ID_MAX);
    }
    return WD_OK;
}

static wd_status op_launch_app(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    const char *app = NULL;
    wd_status status = wd_arg_text(args, "app", &app, error);
    if (status == WD_OK) {
        status = check_id("app", app, error);
    }
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
    static const char *const ids[] = { "activityId", "appId" };
    const char *task_id = NULL;
    const char *text = NULL;
    const wd_value *given = NULL;
    wd_status status = wd_arg_text(args, "task", &task_id, error);
    if (status == WD_OK) {
        status = wd_arg_object(args, "activity", &given, error);
    }
    for (size_t i = 0; i < WD_COUNT_OF(ids) && status == WD_OK; i++) {
        status = wd_arg_text(given, ids[i], &text, error);
        if (status == WD_OK) {
            status = check_id(ids[i], text, error);
        }
    }
    if (status == WD_OK) {
        status = wd_arg_text(given, "initialRoute", &text, error);
    }
    if (status == WD_OK && strlen(text) > WD_ROUTE_TEXT_MAX) {
        status = wd_error_set(error, WD_EINVAL, "initialRoute: longer than %d bytes", WD_ROUTE_TEXT_MAX);
    }
    if (given != NULL && status != WD_OK) {
        wd_error_prefix(error, "activity");
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
