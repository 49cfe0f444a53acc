// The managers' calls as operations of the device. A wrong type of `v` is refused (D14).
#include "managers.h"

#include "tree/patch.h"

static wd_status with_flag(
    wd_machine *machine, const wd_value *args, wd_status (*set)(wd_machine *, bool), wd_error *error)
{
    bool flag = false;
    wd_status status = wd_arg_bool(args, "v", &flag, error);
    return status == WD_OK ? set(machine, flag) : status;
}

static wd_status with_global(wd_machine *machine, const wd_value *args, const char *key, wd_error *error)
{
    bool flag = false;
    wd_status status = wd_arg_bool(args, "v", &flag, error);
    return status == WD_OK ? wd_global_set(machine, key, flag) : status;
}

/// A number; *ret_present is false for one that is not finite, which changes nothing.
static wd_status arg_number(
    const wd_value *args, const char *name, double *ret_number, bool *ret_present, wd_error *error)
{
    const wd_value *value = wd_object_get(args, name);
    *ret_present = wd_value_is_number(value);
    if (*ret_present) {
        *ret_number = wd_value_as_double(value);
        return WD_OK;
    }
    return wd_value_is_no_number(value) ? WD_OK
                                        : wd_error_set(error, WD_ETYPE, "%s: a number is needed", name);
}

static wd_status with_percent(wd_machine *machine, const wd_value *args, const char *field, wd_error *error)
{
    double number = 0;
    bool present = false;
    wd_status status = arg_number(args, "v", &number, &present, error);
    return status == WD_OK && present ? wd_percent_set(machine, field, number) : status;
}

static wd_status op_wifi(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    return with_flag(machine, args, wd_wifi_set, error);
}

static wd_status op_mobile_data(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    return with_flag(machine, args, wd_mobile_data_set, error);
}

static wd_status op_bluetooth(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    return with_flag(machine, args, wd_bluetooth_set, error);
}

static wd_status op_airplane(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    return with_flag(machine, args, wd_airplane_set, error);
}

static wd_status op_hotspot(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    return with_flag(machine, args, wd_hotspot_set, error);
}

static wd_status op_vpn(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    return with_flag(machine, args, wd_vpn_set, error);
}

static wd_status op_silent(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    return with_flag(machine, args, wd_silent_set, error);
}

static wd_status op_dnd(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    return with_flag(machine, args, wd_dnd_set, error);
}

static wd_status op_battery_saver(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    return with_global(machine, args, "batterySaverEnabled", error);
}

static wd_status op_auto_brightness(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    return with_global(machine, args, "autoBrightnessEnabled", error);
}

static wd_status op_dark_mode(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    return with_global(machine, args, "darkModeEnabled", error);
}

static wd_status op_eye_comfort(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    return with_global(machine, args, "eyeComfortEnabled", error);
}

static wd_status op_media_volume(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    return with_percent(machine, args, "mediaVolume", error);
}

static wd_status op_brightness(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    return with_percent(machine, args, "brightness", error);
}

static wd_status op_font_size(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    return with_percent(machine, args, "fontSizePct", error);
}

static wd_status op_display_size(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    return with_percent(machine, args, "displaySizePct", error);
}

static wd_status op_eye_comfort_level(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    return with_percent(machine, args, "eyeComfortLevel", error);
}

static wd_status op_battery_percent(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    double number = 0;
    bool present = false;
    wd_status status = arg_number(args, "v", &number, &present, error);
    return status == WD_OK && present ? wd_battery_set_percent(machine, number) : status;
}

static wd_status op_charging(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    bool charging = false;
    const wd_value *fast = wd_object_get(args, "fast");
    wd_status status = wd_arg_bool(args, "v", &charging, error);
    if (status == WD_OK && fast != NULL && !wd_value_is_undefined(fast) && !wd_value_is(fast, WD_KIND_BOOL)) {
        return wd_error_set(error, WD_ETYPE, "fast: a boolean is needed");
    }
    bool is_fast = wd_value_bool_or(fast, false);
    return status == WD_OK
               ? wd_battery_set_charging(machine, charging, wd_value_is(fast, WD_KIND_BOOL) ? &is_fast : NULL)
               : status;
}

/// The text `v` as a slice.
static wd_status arg_slice(const wd_value *args, wd_slice *ret_text, wd_error *error)
{
    const wd_value *text = wd_object_get(args, "v");
    if (!wd_value_is(text, WD_KIND_STRING)) {
        return wd_error_set(error, WD_ETYPE, "v: a text is needed");
    }
    ret_text->bytes = wd_value_as_string(text, &ret_text->length);
    return WD_OK;
}

static wd_status op_wifi_ip(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    wd_slice text = { 0 };
    wd_status status = arg_slice(args, &text, error);
    return status == WD_OK ? wd_wifi_set_address(machine, text) : status;
}

static wd_status op_device_name(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    wd_slice text = { 0 };
    wd_status status = arg_slice(args, &text, error);
    return status == WD_OK ? wd_device_name_set(machine, text) : status;
}

static wd_status op_set_locale(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    wd_slice text = { 0 };
    wd_status status = arg_slice(args, &text, error);
    return status == WD_OK ? wd_locale_set(machine, wd_object_get(args, "v")) : status;
}

static wd_status op_connect_wifi(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    wd_slice text = { 0 };
    wd_status status = arg_slice(args, &text, error);
    return status == WD_OK ? wd_wifi_connect(machine, text) : status;
}

static wd_status with_list(wd_machine *machine, const wd_value *args,
    wd_status (*set)(wd_machine *, const wd_value *), wd_error *error)
{
    const wd_value *list = wd_object_get(args, "v");
    return wd_value_is(list, WD_KIND_ARRAY) ? set(machine, list)
                                            : wd_error_set(error, WD_ETYPE, "v: a list is needed");
}

static wd_status op_nearby_wifi(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    return with_list(machine, args, wd_nearby_wifi_set, error);
}

static wd_status op_nearby_bluetooth(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    return with_list(machine, args, wd_nearby_bluetooth_set, error);
}

static wd_status op_disconnect_wifi(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)args;
    (void)ret_answer;
    (void)error;
    return wd_wifi_disconnect(machine);
}

static wd_status op_connect_bluetooth(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    bool connected = false;
    wd_slice text = { 0 };
    wd_status status = arg_slice(args, &text, error);
    if (status == WD_OK) {
        status = wd_bluetooth_connect(machine, wd_object_get(args, "v"), &connected);
    }
    *ret_answer = status == WD_OK ? wd_value_bool(connected) : NULL;
    return status;
}

static wd_status op_disconnect_bluetooth(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    wd_slice text = { 0 };
    wd_status status = arg_slice(args, &text, error);
    if (status == WD_OK) {
        status = wd_bluetooth_disconnect(machine, wd_object_get(args, "v"));
    }
    *ret_answer = status == WD_OK ? wd_value_null() : NULL;
    return status;
}

static wd_status op_get_locale(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)args;
    (void)error;
    return wd_view_locale(machine, ret_answer);
}

const wd_op wd_ops_manager[] = {
    { "wifi", op_wifi },
    { "mobileData", op_mobile_data },
    { "bluetooth", op_bluetooth },
    { "airplane", op_airplane },
    { "hotspot", op_hotspot },
    { "vpn", op_vpn },
    { "silent", op_silent },
    { "dnd", op_dnd },
    { "batterySaver", op_battery_saver },
    { "autoBrightness", op_auto_brightness },
    { "darkMode", op_dark_mode },
    { "eyeComfort", op_eye_comfort },
    { "mediaVolume", op_media_volume },
    { "osVolume", op_media_volume },
    { "brightness", op_brightness },
    { "osBrightness", op_brightness },
    { "fontSize", op_font_size },
    { "displaySize", op_display_size },
    { "eyeComfortLevel", op_eye_comfort_level },
    { "batteryPercent", op_battery_percent },
    { "charging", op_charging },
    { "wifiIp", op_wifi_ip },
    { "deviceName", op_device_name },
    { "setLocale", op_set_locale },
    { "getLocale", op_get_locale },
    { "nearbyWifi", op_nearby_wifi },
    { "nearbyBluetooth", op_nearby_bluetooth },
    { "connectWifi", op_connect_wifi },
    { "disconnectWifi", op_disconnect_wifi },
    { "connectBluetooth", op_connect_bluetooth },
    { "disconnectBluetooth", op_disconnect_bluetooth },
    { "qsSet", wd_op_qs_set },
    { "qsToggle", wd_op_qs_toggle },
    { "qsGet", wd_op_qs_get },
    { "qsReset", wd_op_qs_reset },
    { "statusBar", wd_op_status_bar },
    { NULL, NULL },
};
