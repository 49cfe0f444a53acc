// The sections settings and hardware of an inject (os.md 5): managed fields through their managers, the rest
// merged.
#include "managers.h"

#include "tree/patch.h"

#include <string.h>

/// A section of a patch is an object; taking it away is not possible.
static wd_status check_section(const wd_value *section, wd_error *error)
{
    return wd_value_is(section, WD_KIND_OBJECT) && !wd_value_is_unset(section)
               ? WD_OK
               : wd_error_set(error, WD_ETYPE, "an object is needed");
}

/// The member of a patch, NULL when absent or undefined.
static const wd_value *member(const wd_value *patch, const char *key)
{
    const wd_value *value = wd_value_is(patch, WD_KIND_OBJECT) ? wd_object_get(patch, key) : NULL;
    return value == NULL || wd_value_is_undefined(value) ? NULL : value;
}

// ---- what a patch of settings and hardware may hold -------------------------------------------------------

typedef enum wanted {
    WANTED_FLAG,
    WANTED_NUMBER,
    WANTED_TEXT,
    WANTED_TEXT_OR_NONE,  // null or $unset clear it
    WANTED_LIST,
    WANTED_SECTION,
} wanted;

static const char *const wanted_texts[] = { "a boolean", "a number", "a text", "a text or null", "a list",
    "an object" };

typedef struct rule {
    const char *key;
    wanted kind;
} rule;

static const rule hardware_rules[] = { { "battery", WANTED_SECTION }, { "cellular", WANTED_SECTION },
    { "wifi", WANTED_SECTION }, { "bluetooth", WANTED_SECTION }, { "storage", WANTED_SECTION },
    { "hotspot", WANTED_SECTION }, { "nearbyWifi", WANTED_LIST }, { "nearbyBluetooth", WANTED_LIST },
    { "vpnEnabled", WANTED_FLAG } };
static const rule battery_rules[] = { { "percent", WANTED_NUMBER }, { "charging", WANTED_FLAG },
    { "fastCharging", WANTED_FLAG }, { "cycleCount", WANTED_NUMBER } };
static const rule cellular_rules[] = { { "signalLevel", WANTED_NUMBER }, { "mobileDataType", WANTED_TEXT } };
static const rule wifi_rules[] = { { "level", WANTED_NUMBER }, { "connectedSsid", WANTED_TEXT_OR_NONE },
    { "ipAddress", WANTED_TEXT_OR_NONE } };
static const rule bluetooth_rules[] = { { "name", WANTED_TEXT } };
static const rule hotspot_rules[] = { { "enabled", WANTED_FLAG } };
static const rule system_rules[] = { { "brightness", WANTED_NUMBER }, { "mediaVolume", WANTED_NUMBER },
    { "fontSizePct", WANTED_NUMBER }, { "displaySizePct", WANTED_NUMBER },
    { "eyeComfortLevel", WANTED_NUMBER } };

static bool fits(const wd_value *value, wanted kind)
{
    switch (kind) {
    case WANTED_FLAG:
        return wd_value_is(value, WD_KIND_BOOL);
    case WANTED_NUMBER:
        return wd_value_is_number(value) || wd_value_is_no_number(value);
    case WANTED_TEXT:
        return wd_value_is(value, WD_KIND_STRING);
    case WANTED_TEXT_OR_NONE:
        return wd_value_is(value, WD_KIND_STRING) || wd_value_is(value, WD_KIND_NULL) ||
               wd_value_is_unset(value);
    case WANTED_LIST:
        return wd_value_is(value, WD_KIND_ARRAY);
    case WANTED_SECTION:
        return wd_value_is(value, WD_KIND_OBJECT) && !wd_value_is_unset(value);
    }
    return false;
}

static const rule *find_rule(const char *key, size_t length, const rule *rules, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strlen(rules[i].key) == length && memcmp(rules[i].key, key, length) == 0) {
            return &rules[i];
        }
    }
    return NULL;
}

/// Do the managed members of a section fit? An append would turn them into lists, so it fits lists alone.
static wd_status check_rules(
    const wd_value *section, const char *path, const rule *rules, size_t count, wd_error *error)
{
    wd_iter iter = wd_iter_start(section);
    while (wd_iter_next(&iter)) {
        size_t base = strcspn(iter.key, "[");
        const rule *found = find_rule(iter.key, base, rules, count);
        if (found == NULL || wd_value_is_undefined(iter.value)) {
            continue;
        }
        bool is_append = strcmp(iter.key + base, "[]") == 0, is_plain = iter.key[base] == '\0';
        if ((is_plain && !fits(iter.value, found->kind)) || (is_append && found->kind != WANTED_LIST)) {
            return wd_error_set(error, WD_ETYPE, "%s%s%s: %s is needed", path, path[0] != '\0' ? "." : "",
                found->key, wanted_texts[found->kind]);
        }
    }
    return WD_OK;
}

/// The members of `section` that no rule and no flag list takes, merged into what stands at `place`.
static wd_status merge_rest(wd_machine *machine, wd_place place, const wd_value *section, const rule *rules,
    size_t count, wd_error *error)
{
    wd_value *rest = wd_value_object(), *merged = NULL;
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(section);
    while (status == WD_OK && wd_iter_next(&iter)) {
        if (find_rule(iter.key, iter.key_length, rules, count) == NULL) {
            wd_value *value = wd_value_ref(iter.value);
            status = wd_member_put_n(&rest, iter.key, iter.key_length, &value);
        }
    }
    if (status == WD_OK && wd_object_count(rest) > 0) {
        status = wd_patch_merge(wd_machine_get(machine, place), rest, WD_PATCH_DEEP, &merged, error);
        if (status == WD_OK) {
            status = wd_machine_put(machine, place, &merged);
        }
    }
    wd_value_unref(&rest);
    return status;
}

// ---- settings ---------------------------------------------------------------------------------------------

// In this order, airplane mode first (D1).
static const rule global_rules[] = { { "airplaneModeEnabled", WANTED_FLAG }, { "wifiEnabled", WANTED_FLAG },
    { "mobileDataEnabled", WANTED_FLAG }, { "bluetoothEnabled", WANTED_FLAG },
    { "doNotDisturbEnabled", WANTED_FLAG }, { "silentMode", WANTED_FLAG },
    { "flashlightEnabled", WANTED_FLAG }, { "batterySaverEnabled", WANTED_FLAG },
    { "rotationLocked", WANTED_FLAG }, { "locationEnabled", WANTED_FLAG }, { "nfcEnabled", WANTED_FLAG },
    { "screenCastEnabled", WANTED_FLAG }, { "autoBrightnessEnabled", WANTED_FLAG },
    { "eyeComfortEnabled", WANTED_FLAG }, { "darkModeEnabled", WANTED_FLAG } };
static const rule language_rule[] = { { "language", WANTED_TEXT } };

static wd_status inject_settings(wd_machine *machine, const wd_value *patch, wd_error *error)
{
    static const rule buckets[] = { { "global", WANTED_SECTION }, { "system", WANTED_SECTION } };
    wd_status status = check_section(patch, error);
    if (status == WD_OK) {
        status = check_rules(patch, "", buckets, WD_COUNT_OF(buckets), error);
    }
    const wd_value *global = member(patch, "global"), *system = member(patch, "system");
    if (status == WD_OK) {
        status = check_rules(global, "global", global_rules, WD_COUNT_OF(global_rules), error);
    }
    if (status == WD_OK) {
        status = check_rules(global, "global", language_rule, WD_COUNT_OF(language_rule), error);
    }
    if (status == WD_OK) {
        status = check_rules(system, "system", system_rules, WD_COUNT_OF(system_rules), error);
    }
    for (size_t i = 0; status == WD_OK && i < WD_COUNT_OF(global_rules); i++) {
        const wd_value *flag = member(global, global_rules[i].key);
        if (flag != NULL) {
            status = wd_global_set(machine, global_rules[i].key, wd_value_as_bool(flag));
        }
    }
    if (status == WD_OK) {
        status = merge_rest(machine, WD_AT("os", "settings", "global"), global, global_rules,
            WD_COUNT_OF(global_rules), error);
    }
    for (size_t i = 0; status == WD_OK && i < WD_COUNT_OF(system_rules); i++) {
        const wd_value *percent = member(system, system_rules[i].key);
        if (wd_value_is_number(percent)) {
            status = wd_percent_set(machine, system_rules[i].key, wd_value_as_double(percent));
        }
    }
    if (status == WD_OK) {
        status = merge_rest(machine, WD_AT("os", "settings", "system"), system, system_rules,
            WD_COUNT_OF(system_rules), error);
    }
    return status;
}

// ---- hardware ---------------------------------------------------------------------------------------------

static wd_status check_hardware(const wd_value *patch, wd_error *error)
{
    static const struct part {
        const char *key;
        const rule *rules;
        size_t count;
    } parts[] = {
        { "battery", battery_rules, WD_COUNT_OF(battery_rules) },
        { "cellular", cellular_rules, WD_COUNT_OF(cellular_rules) },
        { "wifi", wifi_rules, WD_COUNT_OF(wifi_rules) },
        { "bluetooth", bluetooth_rules, WD_COUNT_OF(bluetooth_rules) },
        { "hotspot", hotspot_rules, WD_COUNT_OF(hotspot_rules) },
    };
    wd_status status = check_section(patch, error);
    if (status == WD_OK) {
        status = check_rules(patch, "", hardware_rules, WD_COUNT_OF(hardware_rules), error);
    }
    for (size_t i = 0; status == WD_OK && i < WD_COUNT_OF(parts); i++) {
        status =
            check_rules(member(patch, parts[i].key), parts[i].key, parts[i].rules, parts[i].count, error);
    }
    return status;
}

static wd_status inject_battery(wd_machine *machine, const wd_value *battery, wd_error *error)
{
    const wd_value *percent = member(battery, "percent"), *charging = member(battery, "charging"),
                   *fast = member(battery, "fastCharging");
    wd_status status = WD_OK;
    if (wd_value_is_number(percent)) {
        status = wd_battery_set_percent(machine, wd_value_as_double(percent));
    }
    if (status == WD_OK && (charging != NULL || fast != NULL)) {
        bool is_fast = wd_value_bool_or(fast, false);
        bool is_charging = wd_value_bool_or(charging, wd_flag(machine, WD_HARDWARE("battery", "charging")));
        status = wd_battery_set_charging(machine, is_charging, fast != NULL ? &is_fast : NULL);
    }
    enum { MANAGED = 3 };  // percent, charging, fastCharging; the cycle count is merged as it is
    return status == WD_OK ? merge_rest(machine, WD_AT("os", "hardware", "battery"), battery, battery_rules,
                                 MANAGED, error)
                           : status;
}

static wd_status inject_hardware(wd_machine *machine, const wd_value *patch, wd_error *error)
{
    static const rule routed[] = { { "battery", WANTED_SECTION }, { "nearbyWifi", WANTED_LIST },
        { "nearbyBluetooth", WANTED_LIST }, { "vpnEnabled", WANTED_FLAG }, { "hotspot", WANTED_SECTION } };
    wd_status status = check_hardware(patch, error);
    const wd_value *part = member(patch, "battery");
    if (status == WD_OK && part != NULL) {
        status = inject_battery(machine, part, error);
    }
    if (status == WD_OK && (part = member(patch, "nearbyWifi")) != NULL) {
        status = wd_nearby_wifi_set(machine, part);
    }
    if (status == WD_OK && (part = member(patch, "nearbyBluetooth")) != NULL) {
        status = wd_nearby_bluetooth_set(machine, part);
    }
    if (status == WD_OK && (part = member(patch, "vpnEnabled")) != NULL) {
        status = wd_vpn_set(machine, wd_value_as_bool(part));
    }
    if (status == WD_OK && (part = member(patch, "hotspot")) != NULL) {
        const wd_value *enabled = member(part, "enabled");
        if (enabled != NULL) {
            status = wd_hotspot_set(machine, wd_value_as_bool(enabled));
        }
        if (status == WD_OK) {
            status = merge_rest(machine, WD_AT("os", "hardware", "hotspot"), part, hotspot_rules, 1, error);
        }
    }
    if (status == WD_OK) {
        status = merge_rest(machine, WD_AT("os", "hardware"), patch, routed, WD_COUNT_OF(routed), error);
    }
    return status == WD_OK ? wd_radio_settle(machine) : status;
}

// ---- sections ---------------------------------------------------------------------------------------------

/// Numbers that are none change nothing: they are taken out before anything is merged.
static wd_status inject_clean(wd_machine *machine, const wd_value *patch, wd_error *error,
    wd_status (*inject)(wd_machine *machine, const wd_value *patch, wd_error *error))
{
    wd_value *clean = NULL;
    if (!wd_value_holds_no_number(patch)) {
        return inject(machine, patch, error);
    }
    wd_status status = wd_without_nothing(patch, &clean);
    if (status == WD_OK) {
        status = inject(machine, clean, error);
    }
    wd_value_unref(&clean);
    return status;
}

wd_status wd_inject_settings(wd_machine *machine, const wd_value *patch, wd_error *error)
{
    return inject_clean(machine, patch, error, inject_settings);
}

wd_status wd_inject_hardware(wd_machine *machine, const wd_value *patch, wd_error *error)
{
    return inject_clean(machine, patch, error, inject_hardware);
}
