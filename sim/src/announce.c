// What changed between two machine trees, told once (D18).
#include "preference.h"

/// The parts of a machine tree that announcements report on. Borrowed.
typedef enum part {
    PART_GLOBAL,    // os.settings.global
    PART_HARDWARE,  // os.hardware itself
    PART_WIFI,      // and three of its sections
    PART_CELLULAR,
    PART_BATTERY,
    PART_COUNT,
} part;
typedef struct reported {
    const wd_value *parts[PART_COUNT];
} reported;

static reported look(const wd_value *settings, const wd_value *hardware)
{
    return (reported){ .parts = { [PART_GLOBAL] = wd_object_get(settings, "global"),
                           [PART_HARDWARE] = hardware,
                           [PART_WIFI] = wd_object_get(hardware, "wifi"),
                           [PART_CELLULAR] = wd_object_get(hardware, "cellular"),
                           [PART_BATTERY] = wd_object_get(hardware, "battery") } };
}

/// A field of a broadcast's extras and where it is read.
typedef struct field {
    const char *name;
    part part;
    const char *key;
} field;

static const field connectivity_fields[] = {
    { "wifiEnabled", PART_GLOBAL, "wifiEnabled" },
    { "mobileDataEnabled", PART_GLOBAL, "mobileDataEnabled" },
    { "airplaneModeEnabled", PART_GLOBAL, "airplaneModeEnabled" },
    { "wifiSignalLevel", PART_WIFI, "level" },
    { "signalLevel", PART_CELLULAR, "signalLevel" },
    { "mobileDataType", PART_CELLULAR, "mobileDataType" },
};

static const field status_fields[] = {
    { "wifiLevel", PART_WIFI, "level" },
    { "signalLevel", PART_CELLULAR, "signalLevel" },
    { "batteryPercent", PART_BATTERY, "percent" },
    { "charging", PART_BATTERY, "charging" },
    { "fastCharging", PART_BATTERY, "fastCharging" },
    { "mobileDataType", PART_CELLULAR, "mobileDataType" },
    { "noSim", PART_CELLULAR, "noSim" },
    { "vpn", PART_HARDWARE, "vpnEnabled" },
    { "alarm", PART_HARDWARE, "alarmSet" },
    { "silent", PART_GLOBAL, "silentMode" },
    { "headset", PART_HARDWARE, "headsetConnected" },
};
enum { STATUS_COUNT = WD_COUNT_OF(status_fields), CONNECTIVITY_COUNT = WD_COUNT_OF(connectivity_fields) };

static const wd_value *read_field(const field *row, const reported *from)
{
    return wd_object_get(from->parts[row->part], row->key);
}

static bool differs(const wd_value *a, const wd_value *b)
{
    return a != b && !wd_value_equal(a, b);
}

/// Does a field differ? Parts that are the same node are not looked into.
static bool any_differs(const field *fields, size_t count, const reported *before, const reported *now)
{
    bool changed[PART_COUNT];
    for (int i = 0; i < PART_COUNT; i++) {
        changed[i] = before->parts[i] != now->parts[i];
    }
    for (size_t i = 0; i < count; i++) {
        if (changed[fields[i].part] && differs(read_field(&fields[i], before), read_field(&fields[i], now))) {
            return true;
        }
    }
    return false;
}

static wd_status collect_status(const reported *now, wd_value **ret_extras)
{
    const char *names[STATUS_COUNT];
    const wd_value *values[STATUS_COUNT];
    for (size_t i = 0; i < STATUS_COUNT; i++) {
        names[i] = status_fields[i].name;
        values[i] = read_field(&status_fields[i], now);
    }
    return wd_value_members(names, values, STATUS_COUNT, ret_extras);
}

wd_status wd_op_status_bar(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)args;
    (void)error;
    reported now = look(
        wd_machine_get(machine, WD_AT("os", "settings")), wd_machine_get(machine, WD_AT("os", "hardware")));
    return collect_status(&now, ret_answer);
}

static wd_status tell_status(wd_machine *machine, const reported *before, const reported *now)
{
    wd_value *extras = NULL;
    if (!any_differs(status_fields, STATUS_COUNT, before, now)) {
        return WD_OK;
    }
    wd_status status = collect_status(now, &extras);
    return status == WD_OK ? wd_machine_broadcast(machine, "os.intent.action.STATUS_BAR_CHANGED", &extras)
                           : status;
}

/// The network's name is told only while Wi-Fi is on and there is one.
static const wd_value *network_of(const reported *from)
{
    const wd_value *name = wd_object_get(from->parts[PART_WIFI], "connectedSsid");
    bool on = wd_value_bool_or(wd_object_get(from->parts[PART_GLOBAL], "wifiEnabled"), false);
    return on && wd_value_is(name, WD_KIND_STRING) ? name : NULL;
}

static wd_status tell_connectivity(wd_machine *machine, const reported *before, const reported *now)
{
    const char *names[CONNECTIVITY_COUNT + 1] = { [CONNECTIVITY_COUNT] = "wifiConnectedSsid" };
    const wd_value *values[CONNECTIVITY_COUNT + 1] = { [CONNECTIVITY_COUNT] = network_of(now) };
    wd_value *extras = NULL;
    bool may_differ = before->parts[PART_WIFI] != now->parts[PART_WIFI];
    if (!any_differs(connectivity_fields, CONNECTIVITY_COUNT, before, now) &&
        !(may_differ && differs(network_of(before), network_of(now)))) {
        return WD_OK;
    }
    for (size_t i = 0; i < CONNECTIVITY_COUNT; i++) {
        names[i] = connectivity_fields[i].name;
        values[i] = read_field(&connectivity_fields[i], now);
    }
    wd_status status = wd_value_members(names, values, CONNECTIVITY_COUNT + 1, &extras);
    return status == WD_OK ? wd_machine_broadcast(machine, "android.net.conn.CONNECTIVITY_CHANGE", &extras)
                           : status;
}

static wd_status tell_locale(wd_machine *machine, const reported *before, const reported *now)
{
    int was = wd_locale_of_text(wd_object_get(before->parts[PART_GLOBAL], "language"));
    int is = wd_locale_of_text(wd_object_get(now->parts[PART_GLOBAL], "language"));
    wd_value *extras = NULL;
    if (was == is) {
        return WD_OK;
    }
    wd_status status = wd_value_pack(&extras, "{s:s}", "locale", wd_locale_name(is));
    return status == WD_OK ? wd_machine_broadcast(machine, "android.intent.action.LOCALE_CHANGED", &extras)
                           : status;
}

wd_status wd_announce(wd_machine *machine, const wd_value *before)
{
    const wd_value *old_os = wd_object_get(before, "os"), *os = wd_object_get(machine->root, "os");
    if (old_os == os) {
        return WD_OK;
    }
    const wd_value *old_settings = wd_object_get(old_os, "settings"),
                   *settings = wd_object_get(os, "settings");
    const wd_value *old_hardware = wd_object_get(old_os, "hardware"),
                   *hardware = wd_object_get(os, "hardware");
    if (old_settings == settings && old_hardware == hardware) {
        return WD_OK;
    }
    reported was = look(old_settings, old_hardware), is = was;
    if (old_hardware != hardware) {
        is = look(settings, hardware);
    } else {
        is.parts[PART_GLOBAL] = wd_object_get(settings, "global");
    }
    wd_status status = wd_preference_sync(machine);
    if (status == WD_OK) {
        status = tell_status(machine, &was, &is);
    }
    bool global_changed = was.parts[PART_GLOBAL] != is.parts[PART_GLOBAL];
    if (status == WD_OK && (global_changed || old_hardware != hardware)) {
        status = tell_connectivity(machine, &was, &is);
    }
    return status == WD_OK && global_changed ? tell_locale(machine, &was, &is) : status;
}
