/// launch.c - the calls of os.md 3.1 to 3.6: launching, closing, finishing, results, routes.
#include "task.h"

#include <string.h>

// ---- what comes to the front ------------------------------------------------------------------------------

wd_status wd_front_clear(wd_machine *machine)
{
    wd_status status = wd_keyboard_hide(machine);
    if (status == WD_OK) {
        status = wd_chooser_cancel(machine);
    }
    return status != WD_OK ? status : wd_shade_close(machine);
}

wd_status wd_call_launch(wd_machine *machine, const char *app)
{
    wd_status status = wd_front_clear(machine);
    return status != WD_OK ? status : wd_task_launch(machine, app);
}

wd_status wd_call_go_home(wd_machine *machine)
{
    wd_status status = wd_front_clear(machine);
    return status != WD_OK ? status : wd_task_go_home(machine);
}

wd_status wd_task_launch_app(wd_machine *machine, const char *app, wd_error *error)
{
    if (wd_package_find(machine, app) == NULL) {
        return wd_error_set(error, WD_ENOENT, "app: %.80s is not installed", app);
    }
    return wd_call_launch(machine, app);
}

/// The topmost activity of `app` on a task, else its top.
static const wd_value *activity_of(const wd_value *task, const char *app)
{
    const wd_value *stack = wd_object_get(task, "stack");
    for (size_t at = wd_array_count(stack); at > 0; at--) {
        if (wd_value_is_text(wd_object_get(wd_array_at(stack, at - 1), "appId"), app)) {
            return wd_array_at(stack, at - 1);
        }
    }
    return wd_task_top(task);
}

wd_status wd_task_open_app(wd_machine *machine, const char *app, const char *route, wd_error *error)
{
    bool existed = wd_task_of_root(machine, app).task != NULL;
    wd_status status = wd_task_launch_app(machine, app, error);
    if (status != WD_OK || route == NULL || route[0] == '\0') {
        return status;
    }
    bool done = false;
    if (!existed) {
        status = wd_task_mark_external(machine, app, &done);
    }
    if (status == WD_OK) {
        wd_value *activity =
            wd_value_ref(wd_object_get(activity_of(wd_task_of_root(machine, app).task, app), "activityId"));
        status = wd_history_navigate(machine, wd_value_as_string(activity, NULL), route, false, &done);
        wd_value_unref(&activity);
    }
    return status;
}

static wd_status close_task(wd_machine *machine, const char *task_id, bool *ret_done)
{
    wd_status status = wd_keyboard_hide(machine);  // first, whatever comes of the rest (os.md 3)
    return status != WD_OK ? status : wd_task_close(machine, task_id, ret_done);
}

// ---- finishing --------------------------------------------------------------------------------------------

wd_status wd_call_return_to_caller(wd_machine *machine, const char *task_id)
{
    const wd_value *task = wd_task_find(machine, task_id).task;
    wd_value *own = wd_value_ref(wd_object_get(task, "taskId"));
    wd_value *caller = wd_value_ref(wd_object_get(task, "launchedByTaskId"));
    bool done = false;
    wd_status status = wd_history_start(machine, wd_activity_id(wd_task_top(task)));
    if (status == WD_OK) {
        status = wd_task_activate(machine, wd_value_as_string(caller, NULL), &done);
    }
    if (status == WD_OK) {
        status = wd_task_consume_caller(machine, wd_value_as_string(own, NULL), &done);
    }
    wd_value_unref(&caller);
    wd_value_unref(&own);
    return status;
}

/// Pop the top activity and, when it says who launched it and that task is still there, go back to it.
static wd_status finish_top(wd_machine *machine, const wd_value *task)
{
    wd_value *own = wd_value_ref(wd_object_get(task, "taskId"));
    wd_value *caller = wd_value_ref(wd_object_get(wd_task_top(task), "launchedByTaskId"));
    bool done = false;
    wd_status status = wd_task_pop(machine, wd_value_as_string(own, NULL), &done);
    if (status == WD_OK && caller != NULL) {
        status = wd_task_activate(machine, wd_value_string_or(caller, NULL), &done);
    }
    wd_value_unref(&caller);
    wd_value_unref(&own);
    return status;
}

wd_status wd_call_finish(wd_machine *machine, const wd_value *result)
{
    wd_status status = wd_keyboard_hide(machine);
    wd_value *held = wd_value_ref(wd_task_active(machine).task);  // readable while its successors are written
    const wd_value *top = wd_task_top(held);
    if (status != WD_OK || top == NULL) {
        wd_value_unref(&held);
        return status;
    }
    status = wd_result_deliver(machine, top, result);
    if (status == WD_OK && wd_array_count(wd_object_get(held, "stack")) > 1) {
        status = finish_top(machine, held);
    } else if (status == WD_OK && wd_task_caller(machine, held) != NULL) {
        status = wd_call_return_to_caller(machine, wd_task_id(held));
    } else if (status == WD_OK) {
        status = wd_call_go_home(machine);
    }
    wd_value_unref(&held);
    return status;
}

static wd_status set_result(wd_machine *machine, const wd_value *result)
{
    wd_value *task = wd_value_ref(wd_task_active(machine).task);
    const wd_value *top = wd_task_top(task);
    wd_status status = WD_OK;
    if (wd_object_get(top, "requestCode") != NULL) {
        bool done = false;
        status = wd_result_deliver(machine, top, result);
        if (status == WD_OK) {
            status = wd_task_pop(machine, wd_task_id(task), &done);
        }
    }
    wd_value_unref(&task);
    return status;
}

// ---- routes -----------------------------------------------------------------------------------------------

/// Whose route an app shows: the active top if it is that app, else its topmost activity in its own task
/// (D5).
static const wd_value *route_activity(const wd_machine *machine, const char *app)
{
    const wd_value *top = wd_task_top(wd_task_active(machine).task);
    if (app == NULL || wd_value_is_text(wd_object_get(top, "appId"), app)) {
        return top;
    }
    const wd_value *activity = activity_of(wd_task_of_root(machine, app).task, app);
    return wd_value_is_text(wd_object_get(activity, "appId"), app) ? activity : NULL;
}

static wd_status op_get_app_route(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    const char *app = NULL;
    wd_status status = wd_arg_text_optional(args, "app", &app, error);
    if (status != WD_OK) {
        return status;
    }
    const wd_value *activity = route_activity(machine, app);
    const char *path = activity != NULL ? wd_history_path(machine, wd_activity_id(activity)) : NULL;
    if (path == NULL) {
        *ret_answer = wd_value_null();
        return WD_OK;
    }
    return wd_value_pack(ret_answer, "{s:s,s:s}", "app", wd_activity_app(activity), "path", path);
}

static wd_status op_navigate(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    const char *activity = NULL;
    const char *path = NULL;
    const char *mode = "replace";
    wd_status status = wd_arg_text(args, "activity", &activity, error);
    if (status == WD_OK) {
        status = wd_arg_text(args, "path", &path, error);
    }
    if (status == WD_OK) {
        status = wd_arg_text_optional(args, "mode", &mode, error);
    }
    if (status != WD_OK) {
        return status;
    }
    bool replace = strcmp(mode, "replace") == 0;
    if (!replace && strcmp(mode, "push") != 0) {
        return wd_error_set(error, WD_EINVAL, "mode: push or replace is wanted");
    }
    bool done = false;
    status = wd_history_navigate(machine, activity, path, replace, &done);
    *ret_answer = wd_value_bool(done);
    return status;
}

// ---- operations -------------------------------------------------------------------------------------------

static wd_status op_launch_app(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    const char *app = NULL;
    wd_status status = wd_arg_text(args, "app", &app, error);
    return status != WD_OK ? status : wd_task_launch_app(machine, app, error);
}

static wd_status op_launch_task(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    const char *task_id = NULL;
    wd_status status = wd_arg_text(args, "task", &task_id, error);
    bool known = status == WD_OK && wd_task_find(machine, task_id).task != NULL;
    if (status == WD_OK) {
        status = known ? wd_front_clear(machine) : wd_keyboard_hide(machine);
    }
    if (known && status == WD_OK) {
        status = wd_task_activate(machine, task_id, &known);
    }
    *ret_answer = wd_value_bool(known);
    return status;
}

static wd_status op_go_home(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)args;
    (void)ret_answer;
    (void)error;
    return wd_call_go_home(machine);
}

static wd_status op_show_recents(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)args;
    (void)ret_answer;
    (void)error;
    wd_status status = wd_front_clear(machine);
    return status != WD_OK ? status : wd_task_show_recents(machine);
}

static wd_status op_close_task(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    const char *task_id = NULL;
    bool done = false;
    wd_status status = wd_arg_text(args, "task", &task_id, error);
    if (status == WD_OK) {
        status = close_task(machine, task_id, &done);
    }
    *ret_answer = wd_value_bool(done);
    return status;
}

static wd_status op_close_app(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    const char *app = NULL;
    bool done = false;
    wd_status status = wd_arg_text(args, "app", &app, error);
    wd_value *task = status == WD_OK ? wd_value_ref(wd_task_of_root(machine, app).task) : NULL;
    if (task != NULL) {
        status = close_task(machine, wd_task_id(task), &done);
    }
    wd_value_unref(&task);
    *ret_answer = wd_value_bool(done);
    return status;
}

/// Close every task in MRU order, then home: the recents' "clear all".
static wd_status op_clear_recents(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)args;
    (void)ret_answer;
    (void)error;
    wd_value *apps = NULL;
    wd_status status = wd_task_running_apps(machine->root, &apps);
    for (size_t i = 0; i < wd_array_count(apps) && status == WD_OK; i++) {
        const char *app = wd_value_string_or(wd_array_at(apps, i), "");
        wd_value *task = wd_value_ref(wd_task_of_root(machine, app).task);
        while (task != NULL && status == WD_OK) {  // adopted states may hold two tasks of one root
            bool done = false;
            status = close_task(machine, wd_task_id(task), &done);
            wd_value_unref(&task);
            task = status == WD_OK ? wd_value_ref(wd_task_of_root(machine, app).task) : NULL;
        }
        wd_value_unref(&task);
    }
    wd_value_unref(&apps);
    return status != WD_OK ? status : wd_call_go_home(machine);
}

/// Launch every installed app in order, then home.
static wd_status op_warm_up(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)args;
    (void)ret_answer;
    (void)error;
    wd_value *packages = wd_value_ref(wd_machine_get(machine, WD_AT("sys", "packages")));
    wd_status status = WD_OK;
    for (size_t i = 0; i < wd_array_count(packages) && status == WD_OK; i++) {
        status =
            wd_call_launch(machine, wd_value_string_or(wd_object_get(wd_array_at(packages, i), "id"), ""));
    }
    wd_value_unref(&packages);
    return status != WD_OK ? status : wd_call_go_home(machine);
}

static wd_status op_open_app(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    const char *app = NULL;
    const char *route = NULL;
    wd_status status = wd_arg_text(args, "app", &app, error);
    if (status == WD_OK) {
        status = wd_arg_text_optional(args, "route", &route, error);
    }
    bool known = status == WD_OK && wd_package_find(machine, app) != NULL;
    if (known) {
        status = wd_task_open_app(machine, app, route, error);
    }
    *ret_answer = wd_value_bool(known);
    return status;
}

/// {resultCode OK, CANCELED or FAILED, data?}.
static wd_status check_result(const wd_value *result, wd_error *error)
{
    static const char *const codes[] = { "OK", "CANCELED", "FAILED" };
    const wd_value *code = wd_object_get(result, "resultCode");
    for (size_t i = 0; i < WD_COUNT_OF(codes); i++) {
        if (wd_value_is_text(code, codes[i])) {
            return WD_OK;
        }
    }
    return wd_error_set(error, WD_EINVAL, "result.resultCode: OK, CANCELED or FAILED is wanted");
}

static wd_status op_finish(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    const wd_value *result = wd_object_get(args, "result");
    wd_status status = result != NULL ? check_result(result, error) : WD_OK;
    return status != WD_OK ? status : wd_call_finish(machine, result);
}

static wd_status op_set_result(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    const wd_value *result = wd_object_get(args, "result");
    wd_status status = check_result(result, error);
    return status != WD_OK ? status : set_result(machine, result);
}

const wd_op wd_ops_launch[] = {
    { "os.launchApp", op_launch_app },
    { "os.launchTaskById", op_launch_task },
    { "os.goHome", op_go_home },
    { "os.showRecents", op_show_recents },
    { "os.closeTask", op_close_task },
    { "os.closeApp", op_close_app },
    { "os.clearRecents", op_clear_recents },
    { "os.warmUpAllApps", op_warm_up },
    { "os.openApp", op_open_app },
    { "os.finishActivity", op_finish },
    { "os.setResult", op_set_result },
    { "os.getAppRoute", op_get_app_route },
    { "app.navigate", op_navigate },
    { NULL, NULL },
};
