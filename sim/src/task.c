#include "task.h"

#include <string.h>

#define TASKS WD_AT("os", "tasks")

// ---- reading ----------------------------------------------------------------------------------------------

static wd_task_at find_by(const wd_value *tasks, const char *member, const char *wanted)
{
    size_t count = wanted != NULL ? wd_array_count(tasks) : 0;
    for (size_t i = 0; i < count; i++) {
        const wd_value *task = wd_array_at(tasks, i);
        if (wd_value_is_text(wd_object_get(task, member), wanted)) {
            return (wd_task_at){ task, i };
        }
    }
    return (wd_task_at){ NULL, 0 };
}

wd_task_at wd_task_find(const wd_machine *machine, const char *task_id)
{
    return find_by(wd_machine_get(machine, TASKS), "taskId", task_id);
}

wd_task_at wd_task_of_root(const wd_machine *machine, const char *app)
{
    return find_by(wd_machine_get(machine, TASKS), "rootAppId", app);
}

static wd_task_at active_in(const wd_value *root)
{
    const wd_value *os = wd_object_get(root, "os");
    return find_by(
        wd_object_get(os, "tasks"), "taskId", wd_value_string_or(wd_object_get(os, "activeTaskId"), NULL));
}

wd_task_at wd_task_active(const wd_machine *machine)
{
    return active_in(machine->root);
}

const char *wd_task_id(const wd_value *task)
{
    return wd_value_string_or(wd_object_get(task, "taskId"), NULL);
}

const wd_value *wd_task_top(const wd_value *task)
{
    const wd_value *stack = wd_object_get(task, "stack");
    size_t count = wd_array_count(stack);
    return count > 0 ? wd_array_at(stack, count - 1) : NULL;
}

const char *wd_activity_id(const wd_value *activity)
{
    return wd_value_string_or(wd_object_get(activity, "activityId"), NULL);
}

const char *wd_activity_app(const wd_value *activity)
{
    return wd_value_string_or(wd_object_get(activity, "appId"), NULL);
}

const char *wd_task_caller(const wd_machine *machine, const wd_value *task)
{
    const char *caller = wd_value_string_or(wd_object_get(task, "launchedByTaskId"), NULL);
    return wd_task_find(machine, caller).task != NULL ? caller : NULL;
}

const char *wd_task_app_in_front(const wd_value *root)
{
    return wd_activity_app(wd_task_top(active_in(root).task));
}

static int64_t stamp_of(const wd_value *task)
{
    return wd_value_int_or(wd_object_get(task, "lastActiveAt"), 0);
}

static wd_status append_once(wd_value **apps_p, const wd_value *app)
{
    for (size_t i = 0; i < wd_array_count(*apps_p); i++) {
        if (wd_value_equal(wd_array_at(*apps_p, i), app)) {
            return WD_OK;
        }
    }
    wd_value *item = wd_value_ref(app);
    wd_status status = wd_array_append(apps_p, &item);
    wd_value_unref(&item);
    return status;
}

wd_status wd_task_running_apps(const wd_value *root, wd_value **ret_apps)
{
    const wd_value *tasks = wd_object_get(wd_object_get(root, "os"), "tasks");
    size_t count = wd_array_count(tasks);
    wd_value *apps = wd_value_array();
    wd_status status = WD_OK;
    // Selection by falling stamp, ties in list order: lists are short, and nothing has to be allocated beside
    // them.
    int64_t above = INT64_MAX;
    size_t taken = 0;
    while (taken < count && status == WD_OK) {
        int64_t next = INT64_MIN;
        for (size_t i = 0; i < count; i++) {
            int64_t stamp = stamp_of(wd_array_at(tasks, i));
            next = stamp < above && stamp > next ? stamp : next;
        }
        if (next == INT64_MIN) {
            break;  // stamps nobody drew, from a restored machine
        }
        for (size_t i = 0; i < count && status == WD_OK; i++) {
            const wd_value *task = wd_array_at(tasks, i);
            if (stamp_of(task) == next) {
                status = append_once(&apps, wd_object_get(task, "rootAppId"));
                taken++;
            }
        }
        above = next;
    }
    if (status != WD_OK) {
        wd_value_unref(&apps);
        return status;
    }
    *ret_apps = apps;
    return WD_OK;
}

// ---- writing ----------------------------------------------------------------------------------------------

static wd_status put_flag(wd_machine *machine, const char *name, bool flag)
{
    if (wd_value_bool_or(wd_machine_get(machine, WD_AT("os", name)), !flag) == flag) {
        return WD_OK;
    }
    return wd_machine_put_bool(machine, WD_AT("os", name), flag);
}

/// Which task (NULL: none) is active, and whether launcher or recents are shown.
static wd_status put_front(wd_machine *machine, const wd_value *task_id, bool launcher, bool recents)
{
    wd_status status = put_flag(machine, "isLauncherVisible", launcher);
    if (status == WD_OK) {
        status = put_flag(machine, "isRecentsVisible", recents);
    }
    const wd_value *active = wd_machine_get(machine, WD_AT("os", "activeTaskId"));
    if (status == WD_OK && !wd_value_equal(active, task_id)) {
        wd_value *id = task_id != NULL ? wd_value_ref(task_id) : wd_value_null();
        status = wd_machine_put(machine, WD_AT("os", "activeTaskId"), &id);
    }
    return status;
}

/// A task taken out of the list for in-place work.
typedef struct task_edit {
    wd_value *tasks, *task;
    size_t index;
} task_edit;

static wd_status edit_begin(wd_machine *machine, size_t index, task_edit *edit)
{
    *edit = (task_edit){ .index = index };
    wd_status status = wd_machine_take(machine, TASKS, &edit->tasks);
    return status != WD_OK ? status : wd_array_take(&edit->tasks, index, &edit->task);
}

/// Put the task back, whatever became of the work on it.
static wd_status edit_end(wd_machine *machine, task_edit *edit, wd_status status)
{
    if (edit->task != NULL) {
        wd_status back = wd_array_set(&edit->tasks, edit->index, &edit->task);
        status = status != WD_OK ? status : back;
    }
    wd_value_unref(&edit->task);
    if (edit->tasks != NULL) {
        wd_status back = wd_machine_put(machine, TASKS, &edit->tasks);
        status = status != WD_OK ? status : back;
    }
    return status;
}

static wd_status set_stamp(wd_machine *machine, wd_value **task_p)
{
    int64_t stamp = 0;
    wd_value *item = NULL;
    wd_status status = wd_machine_draw(machine, "stamp", &stamp);
    if (status == WD_OK) {
        status = wd_value_int(stamp, &item);
    }
    if (status == WD_OK) {
        status = wd_object_set(task_p, "lastActiveAt", &item);
    }
    wd_value_unref(&item);
    return status;
}

static wd_status drop_member(wd_value **object_p, const char *name)
{
    return wd_object_get(*object_p, name) != NULL ? wd_object_remove(object_p, name) : WD_OK;
}

/// Put the task back as edit_end() does, with a new stamp and in front.
static wd_status edit_end_in_front(wd_machine *machine, task_edit *edit, wd_status status)
{
    if (status == WD_OK) {
        status = set_stamp(machine, &edit->task);
    }
    wd_value *id = wd_value_ref(wd_object_get(edit->task, "taskId"));
    status = edit_end(machine, edit, status);
    if (status == WD_OK) {
        status = put_front(machine, id, false, false);
    }
    wd_value_unref(&id);
    return status;
}

/// Bring an existing task to the front. `forget_caller` removes its return pointer.
static wd_status bring_to_front(wd_machine *machine, size_t index, bool forget_caller)
{
    task_edit edit;
    wd_status status = edit_begin(machine, index, &edit);
    if (status == WD_OK && forget_caller) {
        status = drop_member(&edit.task, "launchedByTaskId");
    }
    return edit_end_in_front(machine, &edit, status);
}

/// "<counter>_<n>", drawn; numbers whose id came from outside are passed over.
static wd_status draw_id(wd_machine *machine, const char *counter,
    bool (*in_use)(const wd_machine *machine, const char *id), wd_value **ret_id)
{
    wd_value *id = NULL;
    wd_status status = WD_OK;
    do {
        int64_t number = 0;
        wd_value_unref(&id);
        status = wd_machine_draw(machine, counter, &number);
        if (status == WD_OK) {
            status = wd_value_format(&id, "%s_%lld", counter, (long long)number);
        }
    } while (status == WD_OK && in_use(machine, wd_value_as_string(id, NULL)));
    if (status == WD_OK) {
        *ret_id = id;
    }
    return status;
}

static bool task_id_in_use(const wd_machine *machine, const char *id)
{
    return wd_task_find(machine, id).task != NULL;
}

bool wd_activity_lives(const wd_machine *machine, const char *id)
{
    return wd_history_path(machine, id) != NULL;
}

wd_status wd_activity_draw_id(wd_machine *machine, wd_value **ret_id)
{
    return draw_id(machine, "act", wd_activity_lives, ret_id);
}

static wd_status make_task(wd_machine *machine, const char *app)
{
    wd_value *task_id = NULL;
    wd_value *activity_id = NULL;
    wd_value *task = NULL;
    int64_t stamp = 0;
    wd_status status = draw_id(machine, "task", task_id_in_use, &task_id);
    if (status == WD_OK) {
        status = wd_activity_draw_id(machine, &activity_id);
    }
    if (status == WD_OK) {
        status = wd_machine_draw(machine, "stamp", &stamp);
    }
    if (status == WD_OK) {
        const wd_value *caller = wd_machine_get(machine, WD_AT("os", "activeTaskId"));
        caller = wd_value_is(caller, WD_KIND_STRING) ? caller : NULL;
        status = wd_value_pack(&task, "{s:v,s:s,s:[{s:v,s:s,s:s}],s:i,s:?v}", "taskId", task_id, "rootAppId",
            app, "stack", "activityId", activity_id, "appId", app, "initialRoute", "/", "lastActiveAt", stamp,
            "launchedByTaskId", caller);
    }
    wd_value *tasks = NULL;
    if (status == WD_OK) {
        status = wd_machine_take(machine, TASKS, &tasks);
    }
    if (status == WD_OK) {
        status = wd_array_append(&tasks, &task);
        wd_status back = wd_machine_put(machine, TASKS, &tasks);
        status = status != WD_OK ? status : back;
    }
    if (status == WD_OK) {
        status = wd_history_start(machine, wd_value_as_string(activity_id, NULL));
    }
    if (status == WD_OK) {
        status = put_front(machine, task_id, false, false);
    }
    wd_value_unref(&task);
    wd_value_unref(&task_id);
    wd_value_unref(&activity_id);
    return status;
}

wd_status wd_task_launch(wd_machine *machine, const char *app)
{
    wd_task_at at = wd_task_of_root(machine, app);
    if (at.task == NULL) {
        return wd_array_count(wd_machine_get(machine, TASKS)) < WD_TASKS_MAX ? make_task(machine, app)
                                                                             : WD_ELIMIT;
    }
    // The one-shot rule: from home a task forgets whom to return to, unless it was opened from outside.
    bool from_home = !wd_value_is(wd_machine_get(machine, WD_AT("os", "activeTaskId")), WD_KIND_STRING);
    bool external = wd_value_bool_or(wd_object_get(at.task, "wasExternallyRouted"), false);
    return bring_to_front(machine, at.index, from_home && !external);
}

wd_status wd_task_activate(wd_machine *machine, const char *task_id, bool *ret_done)
{
    wd_task_at at = wd_task_find(machine, task_id);
    *ret_done = at.task != NULL;
    return *ret_done ? bring_to_front(machine, at.index, false) : WD_OK;
}

wd_status wd_task_go_home(wd_machine *machine)
{
    return put_front(machine, NULL, true, false);
}

wd_status wd_task_show_recents(wd_machine *machine)
{
    wd_status status = put_flag(machine, "isLauncherVisible", false);
    return status != WD_OK ? status : put_flag(machine, "isRecentsVisible", true);
}

static wd_status forget_stack(wd_machine *machine, const wd_value *task)
{
    const wd_value *stack = wd_object_get(task, "stack");
    size_t count = wd_array_count(stack);
    wd_status status = WD_OK;
    for (size_t i = 0; i < count && status == WD_OK; i++) {
        status = wd_activity_forget(machine, wd_array_at(stack, i));
    }
    return status;
}

wd_status wd_task_close(wd_machine *machine, const char *task_id, bool *ret_done)
{
    wd_task_at at = wd_task_find(machine, task_id);
    *ret_done = at.task != NULL;
    if (at.task == NULL) {
        return WD_OK;
    }
    const wd_value *active = wd_machine_get(machine, WD_AT("os", "activeTaskId"));
    bool was_active = wd_value_equal(active, wd_object_get(at.task, "taskId"));
    bool recents = wd_value_bool_or(wd_machine_get(machine, WD_AT("os", "isRecentsVisible")), false);
    bool none_left = wd_array_count(wd_machine_get(machine, TASKS)) == 1;
    wd_value *task = wd_value_ref(at.task);
    wd_value *tasks = NULL;
    wd_status status = wd_machine_take(machine, TASKS, &tasks);
    if (status == WD_OK) {
        status = wd_array_remove(&tasks, at.index);
        wd_status back = wd_machine_put(machine, TASKS, &tasks);
        status = status != WD_OK ? status : back;
    }
    if (status == WD_OK) {
        status = forget_stack(machine, task);
    }
    wd_value_unref(&task);
    if (status != WD_OK) {
        return status;
    }
    if (recents && none_left) {
        return put_front(machine, NULL, true, false);  // D31
    }
    if (was_active) {
        return put_front(machine, NULL, !recents, recents);
    }
    return recents ? wd_task_show_recents(machine) : WD_OK;
}

wd_status wd_task_push(wd_machine *machine, const char *task_id, wd_value **activity_p, bool *ret_done)
{
    wd_task_at at = wd_task_find(machine, task_id);
    *ret_done = at.task != NULL;
    if (at.task == NULL) {
        wd_value_unref(activity_p);
        return WD_OK;
    }
    if (wd_array_count(wd_object_get(at.task, "stack")) >= WD_TASK_STACK_MAX) {
        wd_value_unref(activity_p);
        return WD_ELIMIT;
    }
    wd_value *activity = wd_value_ref(*activity_p);
    wd_value *stack = NULL;
    task_edit edit;
    wd_status status = edit_begin(machine, at.index, &edit);
    if (status == WD_OK) {
        status = wd_object_take(&edit.task, "stack", &stack);
    }
    if (status == WD_OK) {
        status = wd_array_append(&stack, activity_p);
        wd_status back = wd_object_set(&edit.task, "stack", &stack);
        status = status != WD_OK ? status : back;
        wd_value_unref(&stack);
    }
    status = edit_end_in_front(machine, &edit, status);
    if (status == WD_OK) {
        status = wd_history_start(machine, wd_activity_id(activity));
    }
    wd_value_unref(&activity);
    wd_value_unref(activity_p);
    return status;
}

wd_status wd_task_pop(wd_machine *machine, const char *task_id, bool *ret_done)
{
    wd_task_at at = wd_task_find(machine, task_id);
    size_t count = wd_array_count(wd_object_get(at.task, "stack"));
    *ret_done = count > 1;
    if (count <= 1) {
        return WD_OK;  // D3: the last activity stays
    }
    wd_value *activity = wd_value_ref(wd_task_top(at.task));
    wd_value *stack = NULL;
    task_edit edit;
    wd_status status = edit_begin(machine, at.index, &edit);
    if (status == WD_OK) {
        status = wd_object_take(&edit.task, "stack", &stack);
    }
    if (status == WD_OK) {
        status = wd_array_remove(&stack, count - 1);
        wd_status back = wd_object_set(&edit.task, "stack", &stack);
        status = status != WD_OK ? status : back;
        wd_value_unref(&stack);
    }
    status = edit_end(machine, &edit, status);
    if (status == WD_OK) {
        status = wd_activity_forget(machine, activity);
    }
    wd_value_unref(&activity);
    return status;
}

wd_status wd_task_mark_external(wd_machine *machine, const char *app, bool *ret_done)
{
    wd_task_at at = wd_task_of_root(machine, app);
    *ret_done = at.task != NULL && !wd_value_bool_or(wd_object_get(at.task, "wasExternallyRouted"), false);
    if (!*ret_done) {
        return WD_OK;
    }
    task_edit edit;
    wd_value *flag = wd_value_bool(true);
    wd_status status = edit_begin(machine, at.index, &edit);
    if (status == WD_OK) {
        status = wd_object_set(&edit.task, "wasExternallyRouted", &flag);
    }
    wd_value_unref(&flag);
    return edit_end(machine, &edit, status);
}

wd_status wd_task_set_intent(
    wd_machine *machine, const char *task_id, const char *activity_id, const wd_value *intent, bool *ret_done)
{
    wd_task_at at = wd_task_find(machine, task_id);
    const wd_value *stack = wd_object_get(at.task, "stack");
    size_t count = wd_array_count(stack);
    size_t slot = 0;
    while (slot < count &&
           !wd_value_is_text(wd_object_get(wd_array_at(stack, slot), "activityId"), activity_id)) {
        slot++;
    }
    *ret_done = slot < count;
    if (!*ret_done) {
        return WD_OK;
    }
    task_edit edit;
    wd_value *list = NULL;
    wd_value *activity = NULL;
    wd_value *payload = wd_value_ref(intent);
    wd_status status = edit_begin(machine, at.index, &edit);
    if (status == WD_OK) {
        status = wd_object_take(&edit.task, "stack", &list);
    }
    if (status == WD_OK) {
        status = wd_array_take(&list, slot, &activity);
    }
    if (status == WD_OK) {
        status = wd_object_set(&activity, "intent", &payload);
        wd_status back = wd_array_set(&list, slot, &activity);
        status = status != WD_OK ? status : back;
        back = wd_object_set(&edit.task, "stack", &list);
        status = status != WD_OK ? status : back;
    }
    wd_value_unref(&payload);
    wd_value_unref(&activity);
    wd_value_unref(&list);
    return edit_end(machine, &edit, status);
}

wd_status wd_task_consume_caller(wd_machine *machine, const char *task_id, bool *ret_done)
{
    wd_task_at at = wd_task_find(machine, task_id);
    *ret_done = wd_object_get(at.task, "launchedByTaskId") != NULL;
    if (!*ret_done) {
        return WD_OK;
    }
    task_edit edit;
    wd_status status = edit_begin(machine, at.index, &edit);
    if (status == WD_OK) {
        status = wd_object_remove(&edit.task, "launchedByTaskId");
    }
    return edit_end(machine, &edit, status);
}
