#include "managers.h"

enum { PERCENT_LOW = 15, PERCENT_OKAY = 20, CYCLES_MAX = 9999 };

#define BATTERY(key) WD_HARDWARE("battery", key)
#define LATCH WD_AT("sys", "managers", "batteryLow")

/// Low and okay are announced once each, with hysteresis.
static wd_status check_level(wd_machine *machine)
{
    int64_t percent = wd_value_int_or(wd_machine_get(machine, BATTERY("percent")), 100);
    bool low = wd_flag(machine, LATCH);
    const char *action = NULL;
    if (!low && percent <= PERCENT_LOW) {
        action = "android.intent.action.BATTERY_LOW";
    } else if (low && percent >= PERCENT_OKAY) {
        action = "android.intent.action.BATTERY_OKAY";
    }
    if (action == NULL) {
        return WD_OK;
    }
    wd_value *extras = NULL;
    wd_status status = wd_set_flag(machine, LATCH, !low);
    if (status == WD_OK) {
        status = wd_value_pack(
            &extras, "{s:i,s:b}", "percent", percent, "charging", wd_flag(machine, BATTERY("charging")));
    }
    return status == WD_OK ? wd_machine_broadcast(machine, action, &extras) : status;
}

wd_status wd_battery_set_percent(wd_machine *machine, double percent)
{
    wd_status status = wd_set_int(machine, BATTERY("percent"), wd_clamp_round(percent, 0, 100));
    return status == WD_OK ? check_level(machine) : status;
}

wd_status wd_battery_set_charging(wd_machine *machine, bool charging, const bool *fast)
{
    wd_status status = wd_set_flag(machine, BATTERY("charging"), charging);
    if (status == WD_OK && fast != NULL) {
        status = wd_set_flag(machine, BATTERY("fastCharging"), *fast);
    }
    return status == WD_OK ? check_level(machine) : status;
}

wd_status wd_battery_set_cycles(wd_machine *machine, double cycles)
{
    return wd_set_int(machine, BATTERY("cycleCount"), wd_clamp_round(cycles, 0, CYCLES_MAX));
}
