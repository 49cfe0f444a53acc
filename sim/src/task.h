/// task.h - os_tasks: stacks of activities, which of them is in front, and the histories of the activities.
///
/// State (os.md 1): os.tasks, os.activeTaskId, os.isLauncherVisible, os.isRecentsVisible. Beside it, in sys:
///   histories  {activity id: {history, index}}, one for each live activity (D5)
///   pending    {request code: name of the callback} of activities started for a result
/// Functions that name a task or activity which is not there change nothing and say so through *ret_done.
#ifndef SIM_TASK_H
#define SIM_TASK_H

#include "machine.h"

enum {
    WD_TASKS_MAX = 1024,
    WD_TASK_STACK_MAX = 256,  // activities of one task
    WD_ACTIVITY_HISTORY_MAX = 4096,
    WD_ROUTE_TEXT_MAX = 4096,  // bytes
    WD_TASK_ID_MAX = 256,      // bytes of an id given from outside
};

// ---- reading; what is returned is borrowed until the next write -------------------------------------------

/// A task of the list; `task` is NULL when there is none.
typedef struct wd_task_at {
    const wd_value *task;
    size_t index;
} wd_task_at;
wd_task_at wd_task_find(const wd_machine *machine, const char *task_id);
wd_task_at wd_task_of_root(const wd_machine *machine, const char *app);  // the first
wd_task_at wd_task_active(const wd_machine *machine);
const char *wd_task_id(const wd_value *task);
const wd_value *wd_task_top(const wd_value *task);  // activity, NULL for an empty stack
const char *wd_activity_id(const wd_value *activity);
const char *wd_activity_app(const wd_value *activity);
/// The id of the caller task that `task` would return to; NULL when it has none, or none that exists.
const char *wd_task_caller(const wd_machine *machine, const wd_value *task);
/// App of the active top in any tree {os}; NULL at home.
const char *wd_task_app_in_front(const wd_value *root);
/// Root apps, most recently active first, each once.
WD_NODISCARD wd_status wd_task_running_apps(const wd_value *root, wd_value **ret_apps);

// ---- the operations of os.md 2 ----------------------------------------------------------------------------

WD_NODISCARD wd_status wd_task_launch(wd_machine *machine, const char *app);
WD_NODISCARD wd_status wd_task_activate(wd_machine *machine, const char *task_id, bool *ret_done);
WD_NODISCARD wd_status wd_task_go_home(wd_machine *machine);
WD_NODISCARD wd_status wd_task_show_recents(wd_machine *machine);
WD_NODISCARD wd_status wd_task_close(wd_machine *machine, const char *task_id, bool *ret_done);
/// Takes *activity_p, an object with activityId (that none has yet), appId, initialRoute. Its history starts
/// as ["/"].
/// @retval WD_ELIMIT WD_TASK_STACK_MAX.
WD_NODISCARD wd_status wd_task_push(
    wd_machine *machine, const char *task_id, wd_value **activity_p, bool *ret_done);
/// Drop the top; a stack of one stays (D3). What the popped activity owed is answered with CANCELED (D6).
WD_NODISCARD wd_status wd_task_pop(wd_machine *machine, const char *task_id, bool *ret_done);
WD_NODISCARD wd_status wd_task_mark_external(wd_machine *machine, const char *app, bool *ret_done);
WD_NODISCARD wd_status wd_task_set_intent(wd_machine *machine, const char *task_id, const char *activity_id,
    const wd_value *intent, bool *ret_done);
WD_NODISCARD wd_status wd_task_consume_caller(wd_machine *machine, const char *task_id, bool *ret_done);
/// Initial state, or the given tasks adopted. The counters of tasks restart (D17). @retval WD_EINVAL
/// malformed tasks.
WD_NODISCARD wd_status wd_task_reset(wd_machine *machine, const wd_value *state, wd_error *error);

/// A machine that is about to be restored: are its tasks whole, each activity with its history?
/// @retval WD_EINVAL, WD_ELIMIT, WD_ENOENT  `error` names what is wrong.
WD_NODISCARD wd_status wd_task_check(const wd_value *root, wd_error *error);

/// Is there a live activity of that id?
bool wd_activity_lives(const wd_machine *machine, const char *id);
/// "act_<n>", drawn. New reference.
WD_NODISCARD wd_status wd_activity_draw_id(wd_machine *machine, wd_value **ret_id);

// ---- histories (activity.c) -------------------------------------------------------------------------------

/// Path of the current entry, or NULL when no live activity has that id.
const char *wd_history_path(const wd_machine *machine, const char *activity_id);
/// Overwrite the current entry, or cut what lies forward and append. A missing leading slash is put there.
WD_NODISCARD wd_status wd_history_navigate(
    wd_machine *machine, const char *activity_id, const char *path, bool replace, bool *ret_done);
/// One back; *ret_done is false at the root page or the first entry.
WD_NODISCARD wd_status wd_history_back(wd_machine *machine, const char *activity_id, bool *ret_done);
/// Cut down to the nearest "/" at or below the index; none: overwrite the current entry.
WD_NODISCARD wd_status wd_history_pop_to_root(wd_machine *machine, const char *activity_id);
/// Exactly ["/"] (D4), also how it starts.
WD_NODISCARD wd_status wd_history_start(wd_machine *machine, const char *activity_id);

/// Answer the request an activity was started with, if it is pending. `result` NULL: {CANCELED}.
WD_NODISCARD wd_status wd_result_deliver(
    wd_machine *machine, const wd_value *activity, const wd_value *result);
/// The activity is gone: its history too, and its request is answered.
WD_NODISCARD wd_status wd_activity_forget(wd_machine *machine, const wd_value *activity);

// ---- the calls of os.md 3 (launch.c) ----------------------------------------------------------------------

/// What a change of the front does to what lies over it: an open chooser is cancelled, the shade closed (D8).
WD_NODISCARD wd_status wd_front_clear(wd_machine *machine);
WD_NODISCARD wd_status wd_call_go_home(wd_machine *machine);
/// Launch an app that is installed.
WD_NODISCARD wd_status wd_call_launch(wd_machine *machine, const char *app);
WD_NODISCARD wd_status wd_call_finish(wd_machine *machine, const wd_value *result);
/// Activate the caller `task` points to and remove the pointer, after the history that is left became ["/"]
/// (D4).
WD_NODISCARD wd_status wd_call_return_to_caller(wd_machine *machine, const char *task_id);

// ---- chooser (chooser.c) ----------------------------------------------------------------------------------

bool wd_chooser_open(const wd_machine *machine);
/// Close an open chooser; who waited for a result gets CANCELED. Nothing when none is open.
WD_NODISCARD wd_status wd_chooser_cancel(wd_machine *machine);

#endif
