/// back.c - the Back chain (os.md 3.8): the first row that has something to do consumes. Every Back acts
/// (D34).
#include "task.h"

static wd_status refuse_permission(wd_machine *machine, bool *ret_consumed)
{
    *ret_consumed = wd_permission_dialog_open(machine);
    return *ret_consumed ? wd_permission_refuse(machine) : WD_OK;
}

static wd_status cancel_chooser(wd_machine *machine, bool *ret_consumed)
{
    *ret_consumed = wd_chooser_open(machine);
    return *ret_consumed ? wd_chooser_cancel(machine) : WD_OK;
}

static wd_status close_shade(wd_machine *machine, bool *ret_consumed)
{
    *ret_consumed = wd_value_bool_or(wd_machine_get(machine, WD_AT("os", "shade", "open")), false);
    return *ret_consumed ? wd_shade_close(machine) : WD_OK;
}

static wd_status hide_keyboard(wd_machine *machine, bool *ret_consumed)
{
    *ret_consumed =
        wd_value_bool_or(wd_machine_get(machine, WD_AT("os", "services", "keyboard", "visible")), false);
    return *ret_consumed ? wd_keyboard_hide(machine) : WD_OK;
}

static wd_status leave_page(wd_machine *machine, bool *ret_consumed)
{
    const char *id = wd_activity_id(wd_task_top(wd_task_active(machine).task));
    *ret_consumed = false;
    return id != NULL ? wd_history_back(machine, id, ret_consumed) : WD_OK;
}

static wd_status finish_top(wd_machine *machine, bool *ret_consumed)
{
    *ret_consumed = wd_array_count(wd_object_get(wd_task_active(machine).task, "stack")) > 1;
    return *ret_consumed ? wd_call_finish(machine, NULL) : WD_OK;
}

static wd_status return_to_caller(wd_machine *machine, bool *ret_consumed)
{
    const wd_value *task = wd_task_active(machine).task;
    *ret_consumed = task != NULL && wd_task_caller(machine, task) != NULL;
    return *ret_consumed ? wd_call_return_to_caller(machine, wd_task_id(task)) : WD_OK;
}

static wd_status go_home(wd_machine *machine, bool *ret_consumed)
{
    *ret_consumed = true;
    return wd_call_go_home(machine);
}

// The chain, highest priority first. docs/device.md draws this table. Dialogs, sheets and tabs of apps are
// part of their routes, so leaving a page closes them.
static const struct back_row {
    int priority;
    const char *name;
    wd_status (*consume)(wd_machine *machine, bool *ret_consumed);
} chain[] = {
    { 1000, "permission dialog", refuse_permission },
    { 900, "intent chooser", cancel_chooser },
    { 800, "shade", close_shade },
    { 700, "keyboard", hide_keyboard },
    { 50, "top activity's history", leave_page },
    { 25, "finish top", finish_top },
    { 12, "return to caller", return_to_caller },
    { 0, "go home", go_home },
};

static wd_status op_handle_back(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)args;
    (void)ret_answer;
    (void)error;
    bool consumed = false;
    wd_status status = WD_OK;
    for (size_t i = 0; i < WD_COUNT_OF(chain) && status == WD_OK && !consumed; i++) {
        status = chain[i].consume(machine, &consumed);
    }
    return status;
}

const wd_op wd_ops_back[] = {
    { "os.handleBack", op_handle_back },
    { NULL, NULL },
};
