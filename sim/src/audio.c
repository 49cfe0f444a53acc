#include "managers.h"

#define REMEMBERED WD_AT("sys", "managers", "silentBeforeDnd")

wd_status wd_silent_set(wd_machine *machine, bool on)
{
    // Under do-not-disturb the phone stays silent; what is asked for is what it will be afterwards.
    bool dnd = wd_flag(machine, WD_GLOBAL("doNotDisturbEnabled"));
    return wd_set_flag(machine, dnd ? REMEMBERED : WD_GLOBAL("silentMode"), on);
}

wd_status wd_dnd_set(wd_machine *machine, bool on)
{
    bool was_on = wd_flag(machine, WD_GLOBAL("doNotDisturbEnabled"));
    wd_status status = wd_set_flag(machine, WD_GLOBAL("doNotDisturbEnabled"), on);
    if (status == WD_OK && on) {
        if (!was_on) {
            status = wd_set_flag(machine, REMEMBERED, wd_flag(machine, WD_GLOBAL("silentMode")));
        }
        return status == WD_OK ? wd_set_flag(machine, WD_GLOBAL("silentMode"), true) : status;
    }
    const wd_value *remembered = wd_machine_get(machine, REMEMBERED);
    if (status != WD_OK || remembered == NULL) {
        return status;
    }
    status = wd_set_flag(machine, WD_GLOBAL("silentMode"), wd_value_bool_or(remembered, false));
    return status == WD_OK ? wd_machine_drop(machine, REMEMBERED) : status;
}
