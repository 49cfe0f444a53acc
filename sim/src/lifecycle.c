/// lifecycle.c - background, foreground and destroy: what an operation did to the apps, told once it has
/// settled (os.md 3.9).
#include "device_struct.h"
#include "task.h"

#include <string.h>

static wd_status life_event(wd_machine *machine, const char *life, const char *app)
{
    wd_value *event = NULL;
    wd_status status = wd_value_pack(&event, "{s:s,s:s}", "life", life, "app", app);
    return status != WD_OK ? status : wd_machine_event(machine, &event);
}

/// Tasks are appended and removed, never reordered: when the list still begins with all the old ones, none
/// has gone.
static bool tasks_all_there(const wd_value *before, const wd_value *now)
{
    size_t count = wd_array_count(before);
    for (size_t i = 0; i < count; i++) {
        const wd_value *was = wd_array_at(before, i);
        const wd_value *is = wd_array_at(now, i);
        if (is == NULL) {
            return false;
        }
        if (!wd_value_same(was, is) &&
            !wd_value_equal(wd_object_get(was, "rootAppId"), wd_object_get(is, "rootAppId"))) {
            return false;
        }
    }
    return true;
}

static wd_status destroy_events(wd_machine *machine, const wd_value *before)
{
    wd_value *apps = NULL;
    wd_status status = wd_task_running_apps(before, &apps);
    size_t count = wd_array_count(apps);
    for (size_t i = 0; i < count && status == WD_OK; i++) {
        const char *app = wd_value_string_or(wd_array_at(apps, i), "");
        if (wd_task_of_root(machine, app).task == NULL) {
            status = life_event(machine, "destroy", app);
        }
    }
    wd_value_unref(&apps);
    return status;
}

wd_status wd_lifecycle_events(wd_machine *machine, const wd_value *before)
{
    const wd_value *os_before = wd_object_get(before, "os");
    const wd_value *os_now = wd_machine_get(machine, WD_AT("os"));
    if (wd_value_same(os_before, os_now)) {
        return WD_OK;
    }
    const wd_value *tasks_before = wd_object_get(os_before, "tasks");
    const wd_value *tasks_now = wd_object_get(os_now, "tasks");
    if (wd_value_same(tasks_before, tasks_now) &&
        wd_value_equal(wd_object_get(os_before, "activeTaskId"), wd_object_get(os_now, "activeTaskId"))) {
        return WD_OK;
    }
    const char *was = wd_task_app_in_front(before);
    const char *is = wd_task_app_in_front(machine->root);
    wd_status status = WD_OK;
    if (was != is && (was == NULL || is == NULL || strcmp(was, is) != 0)) {
        if (was != NULL) {
            status = life_event(machine, "background", was);
        }
        if (is != NULL && status == WD_OK) {
            status = life_event(machine, "foreground", is);
        }
    }
    if (status == WD_OK && !tasks_all_there(tasks_before, tasks_now)) {
        status = destroy_events(machine, before);
    }
    return status;
}
