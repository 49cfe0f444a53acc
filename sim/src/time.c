// Virtual time as apps see it (os.md 12, D29): it moves when told, dates are in the device's zone.
#include "managers.h"
#include "permission.h"
#include "services.h"
#include "time_text.h"

enum { TICK_MS = 60000 };
// The years 1970 to 9999, what texts of dates can say.
static const int64_t time_max_ms = INT64_C(253402300799999);

static int64_t boot_time(const wd_machine *machine)
{
    return wd_value_int_or(wd_machine_get(machine, WD_AT("sys", "boot")), 0);
}

static wd_status announce(wd_machine *machine, const char *action)
{
    wd_value *extras = NULL;
    wd_status status = wd_value_pack(&extras, "{s:i}", "now", wd_machine_now(machine));
    return status == WD_OK ? wd_machine_broadcast(machine, action, &extras) : status;
}

int64_t wd_minute_due_ms(const wd_machine *machine)
{
    return (wd_machine_now(machine) / TICK_MS + 1) * TICK_MS;
}

wd_status wd_minute_run_due(wd_machine *machine)
{
    return announce(machine, "android.intent.action.TIME_TICK");
}

/// A number of ms, or the text of a date. False for anything else.
static bool read_time(const wd_machine *machine, const wd_value *value, int64_t *ret_ms)
{
    if (wd_value_is_number(value)) {
        double number = wd_value_as_double(value);
        *ret_ms = number >= 0 && number <= (double)time_max_ms ? (int64_t)number : -1;
        return true;
    }
    return wd_value_is(value, WD_KIND_STRING) &&
           wd_time_parse(wd_trimmed(value), wd_zone_min(machine), ret_ms);
}

static wd_status op_set_time(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    const wd_value *value = wd_object_get(args, "v");
    int64_t time = 0, now = wd_machine_now(machine);
    if (!read_time(machine, value, &time)) {
        return wd_error_set(error, WD_EINVAL, "v: a time in ms or the text of a date is needed");
    }
    if (time < 0 || time > time_max_ms) {
        return wd_error_set(error, WD_EINVAL, "v: beyond the years 1970 to 9999");
    }
    if (time == now) {
        return WD_OK;
    }
    // A dialog that waits goes on waiting for as long as it had left; a notice over the screen goes.
    wd_status status = wd_permission_shift(machine, time - now);
    if (status == WD_OK) {
        status = wd_heads_up_run_due(machine);
    }
    if (status == WD_OK) {
        status = wd_machine_put_int(machine, WD_AT("sys", "clock"), time);
    }
    return status == WD_OK ? announce(machine, "android.intent.action.TIME_SET") : status;
}

static wd_status op_now(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)args;
    (void)error;
    return wd_value_int(wd_machine_now(machine), ret_answer);
}

static wd_status op_boot(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)args;
    (void)error;
    return wd_value_int(boot_time(machine), ret_answer);
}

static wd_status op_format(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)args;
    (void)error;
    wd_civil date = wd_civil_local(wd_machine_now(machine), wd_zone_min(machine));
    int locale = wd_locale_of(machine->root);
    wd_value *time = NULL, *day = NULL, *iso = NULL, *today = NULL;
    wd_status status = wd_clock_text(machine, &time);
    if (status == WD_OK) {
        status = wd_date_text(date, locale, &day);
    }
    if (status == WD_OK) {
        status = wd_value_format(&today, "%04lld-%02d-%02d", (long long)date.year, date.month, date.day);
    }
    if (status == WD_OK) {
        status = wd_value_format(
            &iso, "%sT%02d:%02d:%02d", wd_value_as_string(today, NULL), date.hour, date.minute, date.second);
    }
    if (status == WD_OK) {
        status = wd_value_pack(ret_answer, "{s:v,s:v,s:s,s:v,s:v}", "time", time, "date", day, "dow",
            wd_weekday_text(date, locale), "iso", iso, "today", today);
    }
    wd_value_unref(&time);
    wd_value_unref(&day);
    wd_value_unref(&iso);
    wd_value_unref(&today);
    return status;
}

/// Milliseconds of a date's text; garbage is 0.
static wd_status op_parse(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)error;
    int64_t time = 0;
    bool read = read_time(machine, wd_object_get(args, "v"), &time);
    return wd_value_int(read && time > 0 ? time : 0, ret_answer);
}

/// [year, month 0..11, day, h?, m?, s?, ms?] in the device's zone; parts overflow into the next.
static wd_status op_local_parts(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    enum { PARTS = 7, PARTS_NEEDED = 3 };
    static const double part_max = 1e9;  // far beyond any use, far inside int64 as ms
    const wd_value *list = wd_object_get(args, "v");
    int64_t parts[PARTS] = { 0 };
    if (wd_array_count(list) < PARTS_NEEDED || wd_array_count(list) > PARTS) {
        return wd_error_set(error, WD_EINVAL, "v: three to seven numbers are needed");
    }
    for (size_t i = 0; i < wd_array_count(list); i++) {
        double part = wd_value_double_or(wd_array_at(list, i), part_max + 1);
        if (part > part_max || part < -part_max) {
            return wd_error_set(error, WD_ETYPE, "v[%zu]: a number is needed", i);
        }
        parts[i] = (int64_t)part;
    }
    parts[1] += 1;
    return wd_value_int(wd_time_of_parts(parts, wd_zone_min(machine)), ret_answer);
}

/// A data timestamp: a number from 0 is absolute, a negative one or a duration counts from boot, else a
/// date's text, else the boot time.
static wd_status op_resolve(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)error;
    const wd_value *value = wd_object_get(args, "v");
    int64_t time = boot_time(machine), duration = 0;
    if (wd_value_is_number(value)) {
        double number = wd_value_as_double(value);
        number = number < -(double)time_max_ms  ? 0
                 : number > (double)time_max_ms ? (double)time_max_ms
                                                : number;
        time = number >= 0 ? (int64_t)number : time + (int64_t)number;
    } else if (wd_value_is(value, WD_KIND_STRING)) {
        if (wd_duration_parse(wd_trimmed(value), &duration)) {
            time += duration;
        } else {
            (void)wd_time_parse(wd_trimmed(value), wd_zone_min(machine), &time);
        }
    }
    return wd_value_int(time, ret_answer);
}

const wd_op wd_ops_time[] = {
    { "setSim", op_set_time },
    { "timeNow", op_now },
    { "bootTime", op_boot },
    { "fmt", op_format },
    { "parseTs", op_parse },
    { "localParts", op_local_parts },
    { "resolveTs", op_resolve },
    { NULL, NULL },
};

wd_status wd_view_time(const wd_machine *machine, wd_value **ret_view)
{
    int64_t now = wd_machine_now(machine);
    wd_civil date = wd_civil_local(now, wd_zone_min(machine));
    int locale = wd_locale_of(machine->root);
    wd_value *formatted = NULL, *day = NULL;
    wd_status status = wd_clock_text(machine, &formatted);
    if (status == WD_OK) {
        status = wd_date_text(date, locale, &day);
    }
    if (status == WD_OK) {
        status = wd_value_pack(ret_view, "{s:s,s:i,s:v,s:v,s:s}", "mode", "simulated", "timestamp", now,
            "formatted", formatted, "date", day, "dayOfWeek", wd_weekday_text(date, locale));
    }
    wd_value_unref(&formatted);
    wd_value_unref(&day);
    return status;
}
