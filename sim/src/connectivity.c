#include "managers.h"

#include <string.h>

// Signal bars, and the link of a first connection.
enum { LEVEL_MAX = 4, LINK_SPEED_DEFAULT = 866 };
static const char address_default[] = "192.168.31.105";
static const char password_default[] = "12345678";
static const char password_prefix[] = "wifi_password__";

#define WIFI(key) WD_HARDWARE("wifi", key)

static bool airplane(const wd_machine *machine)
{
    return wd_flag(machine, WD_GLOBAL("airplaneModeEnabled"));
}

/// The listed access point with exactly this name. Borrowed, NULL when out of range.
static const wd_value *access_point(const wd_machine *machine, const wd_value *ssid)
{
    if (!wd_value_is(ssid, WD_KIND_STRING)) {
        return NULL;
    }
    wd_iter iter = wd_iter_start(wd_machine_get(machine, WD_HARDWARE("nearbyWifi")));
    while (wd_iter_next(&iter)) {
        if (wd_value_equal(wd_object_get(iter.value, "ssid"), ssid)) {
            return iter.value;
        }
    }
    return NULL;
}

/// Bars of an access point; without a number in it `fallback` stays, or full bars when that is 0.
static int64_t level_of(const wd_value *point, int64_t fallback)
{
    double level = 0;
    if (!wd_number_form(wd_object_get(point, "signalLevel"), &level)) {
        return fallback != 0 ? fallback : LEVEL_MAX;
    }
    return wd_clamp_round(level, 0, LEVEL_MAX);
}

static int64_t level_now(const wd_machine *machine)
{
    return wd_value_int_or(wd_machine_get(machine, WIFI("level")), 0);
}

wd_status wd_radio_settle(wd_machine *machine)
{
    wd_status status = WD_OK;
    if (airplane(machine)) {
        static const char *const radios[] = { "wifiEnabled", "bluetoothEnabled", "mobileDataEnabled" };
        for (size_t i = 0; status == WD_OK && i < WD_COUNT_OF(radios); i++) {
            status = wd_set_flag(machine, WD_GLOBAL(radios[i]), false);
        }
        if (status == WD_OK) {
            status = wd_set_int(machine, WD_HARDWARE("cellular", "signalLevel"), 0);
        }
        wd_place type = WD_HARDWARE("cellular", "mobileDataType");
        if (status == WD_OK && !wd_value_is_text(wd_machine_get(machine, type), "none")) {
            status = wd_machine_put_text(machine, type, "none");
        }
    }
    if (status == WD_OK && !wd_flag(machine, WD_GLOBAL("wifiEnabled"))) {
        status = wd_set_int(machine, WIFI("level"), 0);
    }
    return status;
}

wd_status wd_wifi_set(wd_machine *machine, bool on)
{
    if (on && airplane(machine)) {
        return WD_OK;
    }
    wd_status status = wd_set_flag(machine, WD_GLOBAL("wifiEnabled"), on);
    if (status != WD_OK || !on) {
        return status == WD_OK ? wd_set_int(machine, WIFI("level"), 0) : status;
    }
    const wd_value *point = access_point(machine, wd_machine_get(machine, WIFI("connectedSsid")));
    return point == NULL ? WD_OK : wd_set_int(machine, WIFI("level"), level_of(point, level_now(machine)));
}

wd_status wd_mobile_data_set(wd_machine *machine, bool on)
{
    if (on && airplane(machine)) {
        return WD_OK;
    }
    wd_status status = wd_set_flag(machine, WD_GLOBAL("mobileDataEnabled"), on);
    wd_place type = WD_HARDWARE("cellular", "mobileDataType");
    if (status != WD_OK || on ||
        wd_value_double_or(wd_machine_get(machine, WD_HARDWARE("cellular", "signalLevel")), 0) <= 0 ||
        wd_value_is_text(wd_machine_get(machine, type), "none")) {
        return status;
    }
    return wd_machine_put_text(machine, type, "none");
}

wd_status wd_bluetooth_set(wd_machine *machine, bool on)
{
    if (on && airplane(machine)) {
        return WD_OK;
    }
    return wd_set_flag(machine, WD_GLOBAL("bluetoothEnabled"), on);
}

wd_status wd_airplane_set(wd_machine *machine, bool on)
{
    wd_status status = wd_set_flag(machine, WD_GLOBAL("airplaneModeEnabled"), on);
    return status == WD_OK && on ? wd_radio_settle(machine) : status;
}

wd_status wd_hotspot_set(wd_machine *machine, bool on)
{
    return wd_set_flag(machine, WD_HARDWARE("hotspot", "enabled"), on);
}

wd_status wd_vpn_set(wd_machine *machine, bool on)
{
    return wd_set_flag(machine, WD_HARDWARE("vpnEnabled"), on);
}

static wd_status set_text(wd_machine *machine, wd_place place, wd_slice text)
{
    wd_value *value = NULL;
    wd_status status = wd_slice_value(text, &value);
    if (status == WD_OK) {
        status = wd_set_value(machine, place, value);
    }
    wd_value_unref(&value);
    return status;
}

wd_status wd_wifi_set_address(wd_machine *machine, wd_slice address)
{
    return address.length == 0 ? wd_machine_drop(machine, WIFI("ipAddress"))
                               : set_text(machine, WIFI("ipAddress"), address);
}

wd_status wd_device_name_set(wd_machine *machine, wd_slice name)
{
    wd_place place = WD_HARDWARE("bluetooth", "name");
    if (name.length > 0) {
        return set_text(machine, place, name);
    }
    const wd_value *market_name = wd_machine_get(machine, WD_AT("os", "build", "marketName"));
    return market_name == NULL ? WD_OK : wd_set_value(machine, place, market_name);
}

wd_status wd_wifi_default_passwords(wd_machine *machine, const wd_value *list)
{
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(list);
    while (status == WD_OK && wd_iter_next(&iter)) {
        wd_slice ssid = wd_trimmed(wd_object_get(iter.value, "ssid"));
        if (ssid.length == 0 || wd_value_is_text(wd_object_get(iter.value, "security"), "OPEN")) {
            continue;
        }
        wd_buffer key = { 0 };
        wd_value *password = NULL;
        status = wd_buffer_text(&key, password_prefix);
        if (status == WD_OK) {
            status = wd_buffer_append(&key, ssid.bytes, ssid.length);
        }
        if (status == WD_OK) {
            const wd_value *stored = wd_machine_get(machine, WD_AT("os", "preferences", key.bytes));
            if (!wd_value_is(stored, WD_KIND_STRING) || wd_value_is_text(stored, "")) {
                status = wd_value_text(password_default, &password);
            }
        }
        if (password != NULL) {
            status = wd_preference_store(machine, key.bytes, password);
        }
        wd_value_unref(&password);
        wd_buffer_done(&key);
    }
    return status;
}

wd_status wd_nearby_wifi_set(wd_machine *machine, const wd_value *list)
{
    wd_status status = wd_set_value(machine, WD_HARDWARE("nearbyWifi"), list);
    if (status != WD_OK) {
        return status;
    }
    const wd_value *point = access_point(machine, wd_machine_get(machine, WIFI("connectedSsid")));
    if (point != NULL) {
        int64_t level = wd_flag(machine, WD_GLOBAL("wifiEnabled")) ? level_of(point, level_now(machine)) : 0;
        wd_value *frequency = wd_value_ref(wd_object_get(point, "frequency"));
        status = wd_set_int(machine, WIFI("level"), level);
        if (status == WD_OK) {
            status = frequency != NULL ? wd_set_value(machine, WIFI("frequency"), frequency)
                                       : wd_machine_drop(machine, WIFI("frequency"));
        }
        wd_value_unref(&frequency);
    }
    return status == WD_OK ? wd_wifi_default_passwords(machine, list) : status;
}

wd_status wd_nearby_bluetooth_set(wd_machine *machine, const wd_value *list)
{
    return wd_set_value(machine, WD_HARDWARE("nearbyBluetooth"), list);
}

/// Speed and address of a link, filled in where nothing is known.
static wd_status link_defaults(wd_value **wifi_p)
{
    wd_value *item = NULL;
    wd_status status = WD_OK;
    if (!wd_truthy(wd_object_get(*wifi_p, "linkSpeed"))) {
        status = wd_value_int(LINK_SPEED_DEFAULT, &item);
        status = status == WD_OK ? wd_member_put(wifi_p, "linkSpeed", &item) : status;
    }
    if (status == WD_OK && !wd_truthy(wd_object_get(*wifi_p, "ipAddress"))) {
        status = wd_value_text(address_default, &item);
        status = status == WD_OK ? wd_member_put(wifi_p, "ipAddress", &item) : status;
    }
    return status;
}

/// The record of a connection to `point` (NULL: one that is not listed) under this name.
static wd_status link_to(const wd_value *point, const wd_value *name, wd_value **wifi_p)
{
    const wd_value *frequency = wd_object_get(point, "frequency");
    wd_value *level = NULL;
    wd_status status = wd_value_int(level_of(point, LEVEL_MAX), &level);
    if (status == WD_OK) {
        status = wd_member_put(wifi_p, "level", &level);
    }
    if (status == WD_OK) {
        status = wd_set_ref(wifi_p, "connectedSsid", name);
    }
    if (status == WD_OK && frequency != NULL) {
        status = wd_set_ref(wifi_p, "frequency", frequency);
    }
    return status == WD_OK ? link_defaults(wifi_p) : status;
}

wd_status wd_wifi_connect(wd_machine *machine, wd_slice ssid)
{
    ssid = wd_slice_trim(ssid.bytes, ssid.length);
    if (ssid.length == 0 || airplane(machine)) {
        return WD_OK;
    }
    wd_value *name = NULL, *wifi = wd_value_ref(wd_machine_get(machine, WD_HARDWARE("wifi")));
    wd_status status = wd_slice_value(ssid, &name);
    if (status == WD_OK) {
        status = link_to(access_point(machine, name), name, &wifi);
    }
    if (status == WD_OK) {
        status = wd_set_flag(machine, WD_GLOBAL("wifiEnabled"), true);
    }
    if (status == WD_OK) {
        status = wd_set_value(machine, WD_HARDWARE("wifi"), wifi);
    }
    wd_value_unref(&name);
    wd_value_unref(&wifi);
    return status;
}

wd_status wd_wifi_disconnect(wd_machine *machine)
{
    wd_status status = wd_machine_drop(machine, WIFI("connectedSsid"));
    return status == WD_OK ? wd_set_int(machine, WIFI("level"), 0) : status;
}

/// Set flags of every device with this address.
static wd_status set_device(wd_machine *machine, const wd_value *mac, bool connected)
{
    wd_value *list = wd_value_ref(wd_machine_get(machine, WD_HARDWARE("nearbyBluetooth")));
    wd_status status = WD_OK;
    for (size_t i = 0; status == WD_OK && i < wd_array_count(list); i++) {
        if (!wd_value_equal(wd_object_get(wd_array_at(list, i), "mac"), mac)) {
            continue;
        }
        wd_value *entry = wd_value_ref(wd_array_at(list, i));
        wd_value *flag = wd_value_bool(connected);
        status = wd_member_put(&entry, "connected", &flag);
        if (status == WD_OK && connected) {
            flag = wd_value_bool(true);
            status = wd_member_put(&entry, "paired", &flag);
        }
        if (status == WD_OK) {
            status = wd_array_set(&list, i, &entry);
        }
        wd_value_unref(&entry);
    }
    if (status == WD_OK && list != NULL) {
        status = wd_set_value(machine, WD_HARDWARE("nearbyBluetooth"), list);
    }
    wd_value_unref(&list);
    return status;
}

wd_status wd_bluetooth_connect(wd_machine *machine, const wd_value *mac, bool *ret_connected)
{
    *ret_connected = false;
    if (wd_trimmed(mac).length == 0 || airplane(machine)) {
        return WD_OK;
    }
    wd_status status = wd_bluetooth_set(machine, true);
    wd_iter iter = wd_iter_start(wd_machine_get(machine, WD_HARDWARE("nearbyBluetooth")));
    while (status == WD_OK && wd_iter_next(&iter)) {
        if (wd_value_equal(wd_object_get(iter.value, "mac"), mac) &&
            !wd_value_bool_or(wd_object_get(iter.value, "pairable"), true)) {
            return WD_OK;
        }
    }
    if (status == WD_OK) {
        status = set_device(machine, mac, true);
    }
    *ret_connected = status == WD_OK;
    return status;
}

wd_status wd_bluetooth_disconnect(wd_machine *machine, const wd_value *mac)
{
    return set_device(machine, mac, false);
}
