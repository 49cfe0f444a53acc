#include "preference.h"

#include "tree/patch.h"

#include <stdlib.h>
#include <string.h>

/// What a key takes and who owns it (os.md 7).
typedef enum wd_preference_kind {
    PREFERENCE_FLAG,      // mirrors a boolean field
    PREFERENCE_PERCENT,   // mirrors a percentage of settings.system
    PREFERENCE_LEVEL,     // mirrors the battery's percentage; reads and takes texts with %
    PREFERENCE_CYCLES,    // mirrors the battery's cycle count
    PREFERENCE_TEXT,      // mirrors a text field
    PREFERENCE_VOLUME,    // a stream's volume, stored here alone
    PREFERENCE_CHARGING,  // battery_status: writes the battery, never stored
    PREFERENCE_BUILD,     // stored raw; overrides and reads a build text
    PREFERENCE_SIM,       // stored raw; overrides and reads a SIM's text
    PREFERENCE_DATE,      // a stored text with a default
    PREFERENCE_FREE,      // stored as it is; a derived reading, with or without the stored value before it
} wd_preference_kind;

typedef struct wd_preference_row {
    const char *key;
    wd_preference_kind kind;
    wd_place place;             // the field of a mirror or of a build text
    const char *text;           // default reading; field of a SIM
    wd_preference_reader read;  // derived reading
    int slot;                   // of a SIM; 0 is the default data SIM
    bool stored_first;          // FREE: the stored value wins over the derived reading
} wd_preference_row;

#define GLOBAL_FIELD(name) .place = { { "os", "settings", "global", name }, 4 }
#define SYSTEM_FIELD(name) .place = { { "os", "settings", "system", name }, 4 }
#define HARDWARE_FIELD(name) .place = { { "os", "hardware", name }, 3 }
#define HARDWARE_PART(part, name) .place = { { "os", "hardware", part, name }, 4 }
#define BUILD_FIELD(name) .kind = PREFERENCE_BUILD, .place = { { "os", "build", name }, 3 }
enum { VOLUME_DEFAULT = 50 };

// Sorted by key.
static const wd_preference_row rows[] = {
    { "airplane_mode_enabled", PREFERENCE_FLAG, GLOBAL_FIELD("airplaneModeEnabled") },
    { "auto_brightness", PREFERENCE_FLAG, GLOBAL_FIELD("autoBrightnessEnabled") },
    { "baseband_version", BUILD_FIELD("basebandVersion") },
    { "battery_info_cycle_count", PREFERENCE_CYCLES, HARDWARE_PART("battery", "cycleCount") },
    { .key = "battery_info_first_use_date", .kind = PREFERENCE_DATE, .text = "2026-01" },
    { .key = "battery_info_manufacture_date", .kind = PREFERENCE_DATE, .text = "2025-11" },
    { "battery_level", PREFERENCE_LEVEL, HARDWARE_PART("battery", "percent"), .read = wd_read_battery_level },
    { "battery_saver", PREFERENCE_FLAG, GLOBAL_FIELD("batterySaverEnabled") },
    { "battery_status", PREFERENCE_CHARGING, .read = wd_read_battery_status },
    { "bluetooth_enabled", PREFERENCE_FLAG, GLOBAL_FIELD("bluetoothEnabled") },
    { "branded_account", PREFERENCE_FREE, .read = wd_read_account, .stored_first = true },
    { "brightness", PREFERENCE_PERCENT, SYSTEM_FIELD("brightness") },
    { "bt_address", BUILD_FIELD("bluetoothMac") },
    { "dark_mode", PREFERENCE_FLAG, GLOBAL_FIELD("darkModeEnabled") },
    { "data_state", PREFERENCE_FREE, .read = wd_read_data_state },
    { "device_cpu", BUILD_FIELD("processor") },
    { "device_internal_memory", BUILD_FIELD("storageTotal") },
    { "device_internal_memory_used", PREFERENCE_TEXT, HARDWARE_PART("storage", "used") },
    { "device_memory", BUILD_FIELD("ramTotal") },
    { "device_model", BUILD_FIELD("model") },
    { "device_name", PREFERENCE_TEXT, HARDWARE_PART("bluetooth", "name") },
    { "device_opcust_version", PREFERENCE_FREE, .place = { { "os", "build", "buildNumber" }, 3 } },
    { "device_system_version", BUILD_FIELD("systemVersion") },
    { "display_size", PREFERENCE_PERCENT, SYSTEM_FIELD("displaySizePct") },
    { "do_not_disturb", PREFERENCE_FLAG, GLOBAL_FIELD("doNotDisturbEnabled") },
    { "eid_info", PREFERENCE_FREE, .text = "89***************" },
    { "eye_comfort", PREFERENCE_FLAG, GLOBAL_FIELD("eyeComfortEnabled") },
    { "eye_comfort_level", PREFERENCE_PERCENT, SYSTEM_FIELD("eyeComfortLevel") },
    { "fcc_equipment_id", PREFERENCE_FREE, .text = "FCC ID: 2A********" },
    { "firmware_version", BUILD_FIELD("androidVersion") },
    { "font_size", PREFERENCE_PERCENT, SYSTEM_FIELD("fontSizePct") },
    { "hardware_info_device_model", BUILD_FIELD("model") },
    { "hardware_info_device_revision", PREFERENCE_FREE, .read = wd_read_hardware_version,
        .stored_first = true },
    { "hardware_info_device_serial", BUILD_FIELD("serialNumber") },
    { "hardware_version", PREFERENCE_FREE, .text = "V1.0" },
    { "hotspot_enabled", PREFERENCE_FLAG, HARDWARE_PART("hotspot", "enabled") },
    { "iccid", PREFERENCE_SIM, .text = "iccid", .read = wd_read_iccid },
    { "imei_info", BUILD_FIELD("imei1") },
    { "imei_sv", PREFERENCE_FREE, .text = "00" },
    { "kernel_version", BUILD_FIELD("kernelVersion") },
    { "key_storage_total_size", BUILD_FIELD("ramTotal") },
    { "language", PREFERENCE_TEXT, GLOBAL_FIELD("language"), .read = wd_read_locale },
    { "latest_area_info", PREFERENCE_FREE, .read = wd_read_area_info },
    { "micare_expiry_time", PREFERENCE_FREE, .text = "未知" },
    { "mobile_data_enabled", PREFERENCE_FLAG, GLOBAL_FIELD("mobileDataEnabled") },
    { "model_name", BUILD_FIELD("marketName") },
    { "model_number", BUILD_FIELD("model") },
    { "network_type", PREFERENCE_FREE, .read = wd_read_network_type },
    { "operator_name", PREFERENCE_FREE, .read = wd_read_operator },
    { "phone_number", PREFERENCE_SIM, .text = "phoneNumber", .read = wd_read_phone_number },
    { "roaming_state", PREFERENCE_FREE, .read = wd_read_roaming },
    { "security_patch", BUILD_FIELD("securityPatch") },
    { "service_state", PREFERENCE_FREE, .read = wd_read_service_state },
    { "signal_strength", PREFERENCE_FREE, .read = wd_read_signal_strength },
    { "silent", PREFERENCE_FLAG, GLOBAL_FIELD("silentMode") },
    { "sim_status", PREFERENCE_FREE, .read = wd_read_sim_status },
    { "slot0_phone_number", PREFERENCE_SIM, .text = "phoneNumber", .read = wd_read_phone_number_1,
        .slot = 1 },
    { "slot1_phone_number", PREFERENCE_SIM, .text = "phoneNumber", .read = wd_read_phone_number_2,
        .slot = 2 },
    { "software_version", BUILD_FIELD("buildNumber") },
    { "up_time", PREFERENCE_FREE, .read = wd_read_up_time },
    { .key = "volume_alarm", .kind = PREFERENCE_VOLUME },
    { .key = "volume_call", .kind = PREFERENCE_VOLUME },
    { "volume_media", PREFERENCE_PERCENT, SYSTEM_FIELD("mediaVolume") },
    { .key = "volume_notification", .kind = PREFERENCE_VOLUME },
    { .key = "volume_ring", .kind = PREFERENCE_VOLUME },
    { .key = "volume_voice_assist", .kind = PREFERENCE_VOLUME },
    { "vpn_enabled", PREFERENCE_FLAG, HARDWARE_FIELD("vpnEnabled") },
    { "wifi_enabled", PREFERENCE_FLAG, GLOBAL_FIELD("wifiEnabled") },
    { "wifi_ip_address", PREFERENCE_TEXT, HARDWARE_PART("wifi", "ipAddress"), .read = wd_read_address },
    { "wifi_mac_address", BUILD_FIELD("macAddress") },
};

// Sorted by alias.
static const struct alias {
    const char *alias, *key;
} aliases[] = {
    { "@string/preference_key_auto_brightness", "auto_brightness" },
    { "@string/preference_key_brightness_level", "brightness" },
    { "adjust_paper_mode", "eye_comfort_level" },
    { "airplane_mode", "airplane_mode_enabled" },
    { "alarm_volume", "volume_alarm" },
    { "bluetooth_enable", "bluetooth_enabled" },
    { "brightness_auto_mode_enable", "auto_brightness" },
    { "call_volume", "volume_call" },
    { "dark_mode_display_enable", "dark_mode" },
    { "dark_ui_mode", "dark_mode" },
    { "do_not_disturb_mode", "do_not_disturb" },
    { "enable_wifi_ap", "hotspot_enabled" },
    { "eye_comfort_mode", "eye_comfort" },
    { "eye_protection", "eye_comfort" },
    { "icc_id", "iccid" },
    { "imei", "imei_info" },
    { "key_do_not_disturb_mode", "do_not_disturb" },
    { "media_volume", "volume_media" },
    { "mobile_data_enable", "mobile_data_enabled" },
    { "notification_volume", "volume_notification" },
    { "number", "phone_number" },
    { "paper_mode_adjust_level", "eye_comfort_level" },
    { "paper_mode_enable", "eye_comfort" },
    { "phone_language", "language" },
    { "ring_volume", "volume_ring" },
    { "ringer_mode_setting", "silent" },
    { "separate_ring_volume", "volume_ring" },
    { "setting_volume", "volume_media" },
    { "silent_mode", "silent" },
    { "voice_assist_volume", "volume_voice_assist" },
    { "wifi_enable", "wifi_enabled" },
    { "wifi_hotspot_enable", "hotspot_enabled" },
    { "zen_mode", "do_not_disturb" },
};

static int compare_row(const void *key, const void *row)
{
    return strcmp(key, ((const wd_preference_row *)row)->key);
}

static int compare_alias(const void *key, const void *alias)
{
    return strcmp(key, ((const struct alias *)alias)->alias);
}

static const wd_preference_row *find_row(const char *key)
{
    return bsearch(key, rows, WD_COUNT_OF(rows), sizeof(rows[0]), compare_row);
}

static bool mirrors_field(const wd_preference_row *row)
{
    return row != NULL && row->kind <= PREFERENCE_TEXT;
}

bool wd_preference_is_mirror(const char *key)
{
    return mirrors_field(find_row(key));
}

/// The canonical key of trimmed `key`; NULL when blank. `copy` holds it when trimming shortened it.
static wd_status canonical(const char *key, wd_buffer *copy, const char **ret_key)
{
    wd_slice name = wd_slice_trim(key, strlen(key));
    *ret_key = NULL;
    if (name.length == 0) {
        return WD_OK;
    }
    if (name.bytes[name.length] != '\0') {
        wd_status status = wd_buffer_append(copy, name.bytes, name.length);
        if (status != WD_OK) {
            return status;
        }
        name.bytes = copy->bytes;
    }
    const struct alias *found =
        bsearch(name.bytes, aliases, WD_COUNT_OF(aliases), sizeof(aliases[0]), compare_alias);
    *ret_key = found != NULL ? found->key : name.bytes;
    return WD_OK;
}

// ---- mirrors ----------------------------------------------------------------------------------------------
// sys.managers.mirrored has a bit for each mirror that was written, in the order of the mirrors among the
// rows.

#define MIRRORED WD_AT("sys", "managers", "mirrored")

static wd_status store_mirror(wd_machine *machine, const wd_preference_row *row)
{
    const wd_value *field = wd_machine_get(machine, row->place);
    wd_place stored = WD_AT("os", "preferences", row->key);
    return field != NULL ? wd_set_value(machine, stored, field) : wd_machine_drop(machine, stored);
}

static int64_t mirror_bit(const wd_preference_row *row)
{
    int64_t bit = 1;
    for (const wd_preference_row *other = rows; other < row; other++) {
        bit <<= mirrors_field(other) ? 1 : 0;
    }
    return bit;
}

wd_status wd_preference_sync(wd_machine *machine)
{
    int64_t mirrored = wd_value_int_or(wd_machine_get(machine, MIRRORED), 0);
    wd_status status = WD_OK;
    for (const wd_preference_row *row = rows;
         status == WD_OK && mirrored != 0 && row < rows + WD_COUNT_OF(rows); row++) {
        if (!mirrors_field(row)) {
            continue;
        }
        if ((mirrored & 1) != 0) {
            status = store_mirror(machine, row);
        }
        mirrored >>= 1;
    }
    return status;
}

wd_status wd_preference_adopt(wd_machine *machine)
{
    int64_t mirrored = 0;
    for (size_t i = 0; i < WD_COUNT_OF(rows); i++) {
        if (mirrors_field(&rows[i]) &&
            wd_machine_get(machine, WD_AT("os", "preferences", rows[i].key)) != NULL) {
            mirrored |= mirror_bit(&rows[i]);
        }
    }
    if (mirrored == 0) {
        return WD_OK;
    }
    wd_status status = wd_set_int(machine, MIRRORED, mirrored);
    return status == WD_OK ? wd_preference_sync(machine) : status;
}

wd_status wd_preference_mirrors(const wd_machine *machine, wd_value **ret_mirrors)
{
    wd_value *mirrors = wd_value_object();
    wd_status status = WD_OK;
    for (size_t i = 0; status == WD_OK && i < WD_COUNT_OF(rows); i++) {
        wd_value *field =
            mirrors_field(&rows[i]) ? wd_value_ref(wd_machine_get(machine, rows[i].place)) : NULL;
        if (field != NULL) {
            status = wd_member_put(&mirrors, rows[i].key, &field);
        }
    }
    return wd_give(status, &mirrors, ret_mirrors);
}

// ---- writing ----------------------------------------------------------------------------------------------

wd_status wd_preference_store(wd_machine *machine, const char *key, const wd_value *value)
{
    return wd_set_value(machine, WD_AT("os", "preferences", key), value);
}

/// An unowned key: stored as it is, or taken away.
static wd_status write_unowned(wd_machine *machine, const char *key, const wd_value *value)
{
    return wd_value_is_unset(value) ? wd_machine_drop(machine, WD_AT("os", "preferences", key))
                                    : wd_preference_store(machine, key, value);
}

/// A number or a numeric text; with_percent also "45%".
static bool number_of(const wd_value *value, bool with_percent, double *ret_number)
{
    if (wd_value_is_number(value)) {
        *ret_number = wd_value_as_double(value);
        return true;
    }
    wd_slice text = wd_trimmed(value);
    if (with_percent && text.length > 0 && text.bytes[text.length - 1] == '%') {
        text.length--;
    }
    return wd_numeric_text(text, ret_number);
}

static wd_status write_text(wd_machine *machine, const wd_preference_row *row, const wd_value *value)
{
    wd_slice text = wd_trimmed(value);
    if (strcmp(row->key, "language") == 0) {
        return wd_locale_set(machine, value);
    }
    if (strcmp(row->key, "wifi_ip_address") == 0) {
        return wd_wifi_set_address(machine, text);
    }
    if (strcmp(row->key, "device_name") == 0) {
        return wd_device_name_set(machine, text);
    }
    return wd_set_value(machine, row->place, value);
}

static wd_status write_flag(wd_machine *machine, const wd_preference_row *row, bool flag)
{
    if (strcmp(row->place.keys[1], "settings") == 0) {
        return wd_global_set(machine, row->place.keys[3], flag);
    }
    return wd_set_flag(machine, row->place, flag);  // hotspot and VPN have no cascade
}

static wd_status refuse(wd_error *error, const wd_preference_row *row, const char *wanted)
{
    return wd_error_set(error, WD_ETYPE, "%s: %s is needed", row->key, wanted);
}

/// Write a field that has a mirror, then the mirror. Checks before it writes.
static wd_status write_mirror(
    wd_machine *machine, const wd_preference_row *row, const wd_value *value, wd_error *error)
{
    wd_status status = WD_OK;
    bool flag = false;
    double number = 0;
    if (row->kind == PREFERENCE_FLAG) {
        if (!wd_flag_form(value, &flag)) {
            return refuse(error, row, "a boolean, or one of true false 1 0 on off as text,");
        }
        status = write_flag(machine, row, flag);
    } else if (row->kind == PREFERENCE_TEXT) {
        if (!wd_value_is(value, WD_KIND_STRING)) {
            return refuse(error, row, "a text");
        }
        status = write_text(machine, row, value);
    } else {
        if (!number_of(value, row->kind == PREFERENCE_LEVEL, &number)) {
            return refuse(error, row, "a number");
        }
        status = row->kind == PREFERENCE_LEVEL    ? wd_battery_set_percent(machine, number)
                 : row->kind == PREFERENCE_CYCLES ? wd_battery_set_cycles(machine, number)
                                                  : wd_percent_set(machine, row->place.keys[3], number);
    }
    int64_t mirrored = wd_value_int_or(wd_machine_get(machine, MIRRORED), 0);
    if (status == WD_OK) {
        status = wd_set_int(machine, MIRRORED, mirrored | mirror_bit(row));
    }
    return status == WD_OK ? store_mirror(machine, row) : status;
}

static wd_status write_volume(
    wd_machine *machine, const wd_preference_row *row, const wd_value *value, wd_error *error)
{
    double number = 0;
    if (!number_of(value, false, &number)) {
        return refuse(error, row, "a number");
    }
    return wd_set_int(machine, WD_AT("os", "preferences", row->key), wd_clamp_round(number, 0, 100));
}

static wd_status write_charging(
    wd_machine *machine, const wd_preference_row *row, const wd_value *value, wd_error *error)
{
    bool charging = false, fast = false;
    if (!wd_value_is(value, WD_KIND_STRING) ||
        !wd_battery_status_parse(wd_trimmed(value), &charging, &fast)) {
        return refuse(error, row, "a text that says charging or not");
    }
    return wd_battery_set_charging(machine, charging, &fast);
}

static wd_status write_row(
    wd_machine *machine, const wd_preference_row *row, const wd_value *value, wd_error *error)
{
    switch (row->kind) {
    case PREFERENCE_FLAG:
    case PREFERENCE_PERCENT:
    case PREFERENCE_LEVEL:
    case PREFERENCE_CYCLES:
    case PREFERENCE_TEXT:
        return write_mirror(machine, row, value, error);
    case PREFERENCE_VOLUME:
        return write_volume(machine, row, value, error);
    case PREFERENCE_CHARGING:
        return write_charging(machine, row, value, error);
    case PREFERENCE_FREE:
        return write_unowned(machine, row->key, value);
    case PREFERENCE_BUILD:
    case PREFERENCE_SIM:
    case PREFERENCE_DATE:
        break;
    }
    if (!wd_value_is(value, WD_KIND_STRING)) {
        return refuse(error, row, "a text");
    }
    wd_status status = wd_preference_store(machine, row->key, value);
    if (status == WD_OK && row->kind == PREFERENCE_SIM) {
        status = wd_sim_set_text(machine, row->slot, row->text, wd_trimmed(value));
    } else if (status == WD_OK && row->kind == PREFERENCE_BUILD && wd_trimmed(value).length > 0) {
        status = wd_build_set(machine, row->place.keys[2], value);
    }
    return status;
}

wd_status wd_preference_set(wd_machine *machine, const char *key, const wd_value *value, wd_error *error)
{
    wd_buffer copy = { 0 };
    const char *name = NULL;
    wd_status status = canonical(key, &copy, &name);
    if (status == WD_OK && name != NULL && value != NULL && !wd_value_is_undefined(value) &&
        !wd_value_is_no_number(value)) {
        const wd_preference_row *row = find_row(name);
        status = row != NULL ? write_row(machine, row, value, error) : write_unowned(machine, name, value);
    }
    wd_buffer_done(&copy);
    return status;
}

// ---- reading ----------------------------------------------------------------------------------------------

static wd_status read_row(const wd_machine *machine, const wd_preference_row *row, wd_value **ret_value)
{
    const wd_value *stored = wd_machine_get(machine, WD_AT("os", "preferences", row->key));
    bool own = row->kind == PREFERENCE_VOLUME || row->kind == PREFERENCE_DATE ||
               (row->kind == PREFERENCE_FREE && (row->read == NULL || row->stored_first));
    if (own && stored != NULL) {
        *ret_value = wd_value_ref(stored);
        return WD_OK;
    }
    if (row->kind == PREFERENCE_VOLUME) {
        return wd_value_int(VOLUME_DEFAULT, ret_value);
    }
    if (row->read != NULL) {
        return row->read(machine, ret_value);
    }
    if (row->place.count > 0) {
        *ret_value = wd_value_ref(wd_machine_get(machine, row->place));
        return WD_OK;
    }
    return wd_value_text(row->text, ret_value);
}

wd_status wd_preference_get(const wd_machine *machine, const char *key, wd_value **ret_value)
{
    wd_buffer copy = { 0 };
    const char *name = NULL;
    *ret_value = NULL;
    wd_status status = canonical(key, &copy, &name);
    if (status == WD_OK && name != NULL) {
        const wd_preference_row *row = find_row(name);
        if (row != NULL) {
            status = read_row(machine, row, ret_value);
        } else {
            *ret_value = wd_value_ref(wd_machine_get(machine, WD_AT("os", "preferences", name)));
        }
    }
    wd_buffer_done(&copy);
    return status;
}

// ---- operations -------------------------------------------------------------------------------------------

static wd_status op_set(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    const char *key = NULL;
    wd_status status = wd_arg_text(args, "key", &key, error);
    return status == WD_OK ? wd_preference_set(machine, key, wd_object_get(args, "v"), error) : status;
}

static wd_status op_get(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    const char *key = NULL;
    wd_status status = wd_arg_text(args, "key", &key, error);
    if (status == WD_OK) {
        status = wd_preference_get(machine, key, ret_answer);
    }
    if (status == WD_OK && *ret_answer == NULL) {
        *ret_answer = wd_value_null();
    }
    return status;
}

const wd_op wd_ops_preference[] = {
    { "setPref", op_set },
    { "getPref", op_get },
    { NULL, NULL },
};

static bool is_airplane(const char *key, wd_status *status)
{
    wd_buffer copy = { 0 };
    const char *name = NULL;
    *status = canonical(key, &copy, &name);
    bool airplane = name != NULL && strcmp(name, "airplane_mode_enabled") == 0;
    wd_buffer_done(&copy);
    return airplane;
}

wd_status wd_inject_airplane(wd_machine *machine, const wd_value *os)
{
    const wd_value *global = wd_object_get(wd_object_get(os, "settings"), "global");
    const wd_value *flag = wd_object_get(global, "airplaneModeEnabled");
    wd_status status = WD_OK;
    bool on = false;
    if (wd_value_is(flag, WD_KIND_BOOL)) {
        status = wd_airplane_set(machine, wd_value_as_bool(flag));
    }
    const wd_value *preferences = wd_object_get(os, "preferences");
    wd_iter iter = wd_iter_start(wd_value_is(preferences, WD_KIND_OBJECT) ? preferences : NULL);
    while (status == WD_OK && wd_iter_next(&iter)) {
        if (is_airplane(iter.key, &status) && wd_flag_form(iter.value, &on)) {
            status = wd_airplane_set(machine, on);
        }
    }
    return status;
}

wd_status wd_inject_preferences(wd_machine *machine, const wd_value *patch, wd_error *error)
{
    if (!wd_value_is(patch, WD_KIND_OBJECT)) {
        return wd_error_set(error, WD_ETYPE, "an object is needed");
    }
    wd_status status = WD_OK;
    for (int airplane = 1; airplane >= 0; airplane--) {  // airplane mode first (D1)
        wd_iter iter = wd_iter_start(patch);
        while (status == WD_OK && wd_iter_next(&iter)) {
            if (is_airplane(iter.key, &status) == (airplane == 1) && status == WD_OK) {
                status = wd_preference_set(machine, iter.key, iter.value, error);
            }
        }
    }
    return status;
}
