// os.services as state shows it: the services' stores, with the shade and the task state a second time (os.md
// 14).
#include "services.h"

wd_status wd_view_services(const wd_machine *machine, wd_value **ret_view)
{
    const wd_value *os = wd_machine_get(machine, WD_AT("os")), *services = wd_object_get(os, "services");
    return wd_value_pack(ret_view, "{s:?v,s:?v,s:?v,s:?v,s:?v,s:{s:?v,s:?v,s:?v,s:?v}}", "alarm_manager",
        wd_object_get(services, "alarm_manager"), "media_session", wd_object_get(services, "media_session"),
        "location", wd_object_get(services, "location"), "keyboard", wd_object_get(services, "keyboard"),
        "shade", wd_object_get(os, "shade"), "taskManager", "tasks", wd_object_get(os, "tasks"),
        "activeTaskId", wd_object_get(os, "activeTaskId"), "isLauncherVisible",
        wd_object_get(os, "isLauncherVisible"), "isRecentsVisible", wd_object_get(os, "isRecentsVisible"));
}
