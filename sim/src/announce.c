// What changed between two machine trees, told once (D18).
#include "preference.h"

/// The parts of a machine tree that announcements report on. Borrowed.
typedef struct reported {
    const wd_value *global, *hardware, *wifi, *cellular, *battery;
} reported;

static reported look(const wd_value *root)
{
    const wd_value *os = wd_object_get(root, "os");
    reported parts = { .global = wd_object_get(wd_object_get(os, "settings"), "global"),
        .hardware = wd_object_get(os, "hardware") };
    parts.wifi = wd_object_get(parts.hardware, "wifi");
    parts.cellular = wd_object_get(parts.hardware, "cellular");
    parts.battery = wd_object_get(parts.hardware, "battery");
    return parts;
}

enum { FIELDS_MAX = 16 };

// A field of a broadcast's extras: where it is read.
typedef struct field {
    const char *name;
    const wd_value *(*part)(const reported *parts);
    const char *key;
} field;

static const wd_value *global_of(const reported *parts)
{
    return parts->global;
}

static const wd_value *hardware_of(const reported *parts)
{
    return parts->hardware;
}

static const wd_value *wifi_of(const reported *parts)
{
    return parts->wifi;
}

static const wd_value *cellular_of(const reported *parts)
{
    return parts->cellular;
}

static const wd_value *battery_of(const reported *parts)
{
    return parts->battery;
}

static const field connectivity_fields[] = {
    { "wifiEnabled", global_of, "wifiEnabled" },
    { "mobileDataEnabled", global_of, "mobileDataEnabled" },
    { "airplaneModeEnabled", global_of, "airplaneModeEnabled" },
    { "wifiConnectedSsid", wifi_of, "connectedSsid" },
    { "wifiSignalLevel", wifi_of, "level" },
    { "signalLevel", cellular_of, "signalLevel" },
    { "mobileDataType", cellular_of, "mobileDataType" },
};

static const field status_fields[] = {
    { "wifiLevel", wifi_of, "level" },
    { "signalLevel", cellular_of, "signalLevel" },
    { "batteryPercent", battery_of, "percent" },
    { "charging", battery_of, "charging" },
    { "fastCharging", battery_of, "fastCharging" },
    { "mobileDataType", cellular_of, "mobileDataType" },
    { "noSim", cellular_of, "noSim" },
    { "vpn", hardware_of, "vpnEnabled" },
    { "alarm", hardware_of, "alarmSet" },
    { "silent", global_of, "silentMode" },
    { "headset", hardware_of, "headsetConnected" },
};

/// The network's name is told only while Wi-Fi is on and there is one.
static const wd_value *read_field(const field *row, const reported *parts)
{
    const wd_value *value = wd_object_get(row->part(parts), row->key);
    if (row->part == wifi_of && row->key[0] == 'c' &&
        !(wd_value_is(value, WD_KIND_STRING) &&
            wd_value_bool_or(wd_object_get(parts->global, "wifiEnabled"), false))) {
        return NULL;
    }
    return value;
}

/// A field of a part that is the same node is what it was. What wifi says depends on the switch in global as well.
static bool part_unchanged(const field *row, const reported *before, const reported *now)
{
    return row->part(before) == row->part(now) && (row->part != wifi_of || before->global == now->global);
}

static bool differs(const field *fields, size_t count, const reported *before, const reported *now)
{
    for (size_t i = 0; i < count; i++) {
        if (part_unchanged(&fields[i], before, now)) {
            continue;
        }
        const wd_value *old = read_field(&fields[i], before), *new = read_field(&fields[i], now);
        if (!wd_value_same(old, new) && !wd_value_equal(old, new)) {
            return true;
        }
    }
    return false;
}

static wd_status collect(const field *fields, size_t count, const reported *parts, wd_value **ret_extras)
{
    const char *keys[FIELDS_MAX];
    const wd_value *items[FIELDS_MAX];
    wd_assert(count <= FIELDS_MAX);
    for (size_t i = 0; i < count; i++) {
        keys[i] = fields[i].name;
        items[i] = read_field(&fields[i], parts);
    }
    return wd_value_members(keys, items, count, ret_extras);
}

wd_status wd_op_status_bar(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)args;
    (void)error;
    reported now = look(machine->root);
    return collect(status_fields, WD_COUNT_OF(status_fields), &now, ret_answer);
}

static wd_status tell(wd_machine *machine, const char *action, const field *fields, size_t count,
    const reported *before, const reported *now)
{
    wd_value *extras = NULL;
    if (!differs(fields, count, before, now)) {
        return WD_OK;
    }
    wd_status status = collect(fields, count, now, &extras);
    return status == WD_OK ? wd_machine_broadcast(machine, action, &extras) : status;
}

wd_status wd_announce(wd_machine *machine, const wd_value *before)
{
    reported old = look(before), now = look(machine->root);
    if (wd_value_same(old.hardware, now.hardware) && wd_value_same(old.global, now.global) &&
        wd_value_same(wd_object_get(wd_object_get(wd_object_get(before, "os"), "settings"), "system"),
            wd_machine_get(machine, WD_AT("os", "settings", "system")))) {
        return WD_OK;
    }
    wd_status status = wd_preference_sync(machine);
    if (status == WD_OK) {
        status = tell(machine, "os.intent.action.STATUS_BAR_CHANGED", status_fields,
            WD_COUNT_OF(status_fields), &old, &now);
    }
    if (status == WD_OK) {
        status = tell(machine, "android.net.conn.CONNECTIVITY_CHANGE", connectivity_fields,
            WD_COUNT_OF(connectivity_fields), &old, &now);
    }
    int locale = status == WD_OK && old.global != now.global ? wd_locale_of(machine->root) : 0;
    if (status == WD_OK && old.global != now.global && locale != wd_locale_of(before)) {
        wd_value *extras = NULL;
        status = wd_value_pack(&extras, "{s:s}", "locale", wd_locale_name(locale));
        if (status == WD_OK) {
            status = wd_machine_broadcast(machine, "android.intent.action.LOCALE_CHANGED", &extras);
        }
    }
    return status;
}
