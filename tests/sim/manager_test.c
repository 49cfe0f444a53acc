// Managers, preferences and injects beyond the vectors: types, clamps, airplane mode, mirrors
// (connectivity.c, audio.c, battery.c, display.c, quick_settings.c, preference.c, inject_settings.c, build.c,
// locale.c).
#include "op_rows.h"

#define STATE(p, v)                                                                                          \
    {                                                                                                        \
        .op = "@state", .args = "{\"path\":\"os." p "\"}", .answer = v                                       \
    }
#define INJECT(os)                                                                                           \
    {                                                                                                        \
        .op = "@inject", .args = "{\"os\":" os "}"                                                           \
    }
#define INJECT_REFUSED(os, why)                                                                              \
    {                                                                                                        \
        .op = "@inject", .args = "{\"os\":" os "}", .status = why                                            \
    }
#define SET(key, v)                                                                                          \
    {                                                                                                        \
        .op = "setPref", .args = "{\"key\":\"" key "\",\"v\":" v "}"                                         \
    }
#define GET(key, v)                                                                                          \
    {                                                                                                        \
        .op = "getPref", .args = "{\"key\":\"" key "\"}", .answer = v                                        \
    }

static const op_row rows[] = {
    { "a missing argument is refused", { { .op = "wifi", .args = "{}", .status = WD_EINVAL } } },
    { "a text is no flag", { { .op = "wifi", .args = "{\"v\":\"on\"}", .status = WD_ETYPE } } },
    { "a boolean is no number", { { .op = "brightness", .args = "{\"v\":true}", .status = WD_ETYPE } } },
    { "percentages end at 0 and 100",
        { { .op = "brightness", .args = "{\"v\":100}" }, STATE("settings.system.brightness", "100"),
            { .op = "brightness", .args = "{\"v\":101}" }, STATE("settings.system.brightness", "100"),
            { .op = "brightness", .args = "{\"v\":-1}" }, STATE("settings.system.brightness", "0") } },
    { "half rounds up",
        { { .op = "fontSize", .args = "{\"v\":12.5}" }, STATE("settings.system.fontSizePct", "13"),
            { .op = "fontSize", .args = "{\"v\":12.4999}" }, STATE("settings.system.fontSizePct", "12") } },
    { "a huge number clamps",
        { { .op = "mediaVolume", .args = "{\"v\":1e300}" }, STATE("settings.system.mediaVolume", "100") } },
    { "no number in an inject changes nothing",
        { INJECT("{\"settings\":{\"system\":{\"brightness\":{\"$number\":\"NaN\"}}},"
                 "\"hardware\":{\"wifi\":{\"level\":{\"$number\":\"NaN\"}}}}"),
            STATE("settings.system.brightness", "100"), STATE("hardware.wifi.level", "4") } },
    { "radios stay off whoever writes",
        { { .op = "airplane", .args = "{\"v\":true}" }, { .op = "wifi", .args = "{\"v\":true}" },
            { .op = "qsToggle", .args = "{\"key\":\"bluetoothEnabled\"}" }, SET("mobile_data_enable", "true"),
            { .op = "connectWifi", .args = "{\"v\":\"HomeAP\"}" },
            { .op = "connectBluetooth", .args = "{\"v\":\"02:00:00:00:01:01\"}", .answer = "false" },
            INJECT("{\"settings\":{\"global\":{\"wifiEnabled\":true}},"
                   "\"hardware\":{\"wifi\":{\"level\":3},\"cellular\":{\"signalLevel\":2,\"mobileDataType\":"
                   "\"5g\"}}}"),
            STATE("settings.global.wifiEnabled", "false"), STATE("settings.global.bluetoothEnabled", "false"),
            STATE("settings.global.mobileDataEnabled", "false"), STATE("hardware.wifi.level", "0"),
            STATE("hardware.cellular", "{\"signalLevel\":0,\"mobileDataType\":\"none\",\"noSim\":false}") } },
    { "airplane mode comes first in a patch that ends it",
        { { .op = "airplane", .args = "{\"v\":true}" },
            INJECT("{\"settings\":{\"global\":{\"wifiEnabled\":true,\"airplaneModeEnabled\":false}}}"),
            STATE("settings.global.wifiEnabled", "true"), STATE("hardware.wifi.level", "4") } },
    { "airplane mode comes first, whichever section says so",
        { { .op = "airplane", .args = "{\"v\":true}" },
            INJECT("{\"settings\":{\"global\":{\"wifiEnabled\":true}},\"preferences\":{\"airplane_mode\":"
                   "\"off\"}}"),
            STATE("settings.global.wifiEnabled", "true"),
            INJECT("{\"hardware\":{\"wifi\":{\"level\":3}},\"preferences\":{\"airplane_mode\":true}}"),
            STATE("settings.global.wifiEnabled", "false"), STATE("hardware.wifi.level", "0") } },
    { "$unset forgets a preference that nobody owns",
        { SET("mine", "5"), INJECT("{\"preferences\":{\"mine\":{\"$unset\":true}}}"),
            STATE("preferences.mine", "null"),
            INJECT_REFUSED("{\"preferences\":{\"brightness\":{\"$unset\":true}}}", WD_ETYPE) } },
    { "build texts are no objects", { INJECT_REFUSED("{\"build\":{\"model\":{\"a\":1}}}", WD_ETYPE) } },
    { "an append cannot turn a managed field into a list",
        { INJECT_REFUSED("{\"settings\":{\"global\":{\"wifiEnabled[]\":1}}}", WD_ETYPE),
            INJECT_REFUSED("{\"hardware\":{\"battery[]\":1}}", WD_ETYPE),
            INJECT("{\"settings\":{\"global\":{\"wifiEnabled[a=1]\":{\"a\":2}}}}"),
            STATE("settings.global.wifiEnabled", "true") } },
    { "a section cannot be taken away",
        { INJECT_REFUSED("{\"hardware\":{\"battery\":{\"$unset\":true}}}", WD_ETYPE),
            INJECT_REFUSED("{\"hardware\":{\"wifi\":null}}", WD_ETYPE),
            INJECT_REFUSED("{\"settings\":[]}", WD_ETYPE), INJECT_REFUSED("{\"preferences\":3}", WD_ETYPE),
            INJECT_REFUSED("{\"build\":\"x\"}", WD_ETYPE) } },
    { "one wrong type refuses the whole patch",
        { INJECT_REFUSED(
              "{\"settings\":{\"system\":{\"brightness\":5}},\"hardware\":{\"vpnEnabled\":1}}", WD_ETYPE),
            STATE("settings.system.brightness", "100") } },
    { "a mirror appears when written and follows its field",
        { STATE("preferences.brightness", "null"), SET("brightness", "\"72\""),
            STATE("preferences.brightness", "72"), { .op = "brightness", .args = "{\"v\":140}" },
            STATE("preferences.brightness", "100"), INJECT("{\"settings\":{\"system\":{\"brightness\":7}}}"),
            STATE("preferences.brightness", "7"), { .op = "@reload" },
            { .op = "brightness", .args = "{\"v\":9}" }, STATE("preferences.brightness", "9"),
            GET("brightness", "9") } },
    { "a mirror of an address goes with it",
        { SET("wifi_ip_address", "\"1.2.3.4\""), STATE("preferences.wifi_ip_address", "\"1.2.3.4\""),
            { .op = "wifiIp", .args = "{\"v\":\"\"}" }, GET("wifi_ip_address", "\"未连接\""),
            INJECT("{\"preferences\":{\"wifi_ip_address\":\" 5.6.7.8 \"}}"),
            STATE("hardware.wifi.ipAddress", "\"5.6.7.8\"") } },
    { "six texts are booleans, exactly",
        { SET("dark_mode", "\"on\""), GET("dark_mode", "true"), SET("dark_mode", "\"0\""),
            GET("dark_mode", "false"),
            { .op = "setPref", .args = "{\"key\":\"dark_mode\",\"v\":\" on\"}", .status = WD_ETYPE },
            { .op = "setPref", .args = "{\"key\":\"dark_mode\",\"v\":\"TRUE\"}", .status = WD_ETYPE } } },
    { "a blank key does nothing", { SET(" ", "1"), GET("", "null") } },
    { "keys are trimmed and aliases resolved", { SET(" media_volume ", "7"), GET("setting_volume", "7"),
                                                   STATE("settings.system.mediaVolume", "7") } },
    { "battery texts",
        { SET("battery_status", "\"Fast charging\""), GET("battery_status", "\"快充中\""),
            SET("battery_status", "\"NOT_CHARGING\""), GET("battery_status", "\"未充电\""),
            SET("battery_status", "\"charging\""), GET("battery_status", "\"充电中\""),
            { .op = "setPref", .args = "{\"key\":\"battery_status\",\"v\":\"full\"}", .status = WD_ETYPE },
            SET("battery_level", "\"45%\""), GET("battery_level", "\"45%\""),
            STATE("hardware.battery.percent", "45") } },
    { "cycles end at 9999",
        { SET("battery_info_cycle_count", "9999"), GET("battery_info_cycle_count", "9999"),
            SET("battery_info_cycle_count", "10000"), GET("battery_info_cycle_count", "9999") } },
    { "network texts",
        { GET("signal_strength", "\"-73 dBm\""), GET("data_state", "\"已连接\""),
            GET("service_state", "\"已注册\""), INJECT("{\"hardware\":{\"cellular\":{\"noSim\":true}}}"),
            GET("signal_strength", "\"无服务\""), GET("data_state", "\"无 SIM\""),
            GET("latest_area_info", "\"无 SIM\""), { .op = "airplane", .args = "{\"v\":true}" },
            GET("data_state", "\"飞行模式\""), GET("service_state", "\"飞行模式\"") } },
    { "texts without a SIM",
        { INJECT("{\"telephony\":{\"sims\":[]}}"), GET("phone_number", "\"无 SIM\""),
            GET("network_type", "\"4G\""), SET("slot1_phone_number", "\" 55 \""),
            GET("slot1_phone_number", "\"55\""),
            STATE("telephony.sims",
                "[{\"slot\":2,\"carrier\":\"未知运营商\",\"phoneNumber\":\"55\",\"iccid\":\"\","
                "\"networkType\":\"4G\",\"dataRoaming\":false,\"voLTE\":true}]") } },
    { "up time", { GET("up_time", "\"0分钟\""), { .op = "@advance", .args = "{\"ms\":3660000}" },
                     GET("up_time", "\"1小时 1分钟\""), { .op = "@advance", .args = "{\"ms\":86400000}" },
                     GET("up_time", "\"1天 1小时\"") } },
    { "an empty device name is the market name", { { .op = "deviceName", .args = "{\"v\":\"\"}" },
                                                     STATE("hardware.bluetooth.name", "\"Acme One\"") } },
    { "an unknown tile is refused",
        { { .op = "qsToggle", .args = "{\"key\":\"silentMode\"}", .status = WD_ENOENT },
            { .op = "qsSet", .args = "{\"v\":{\"wifiEnabled\":1}}", .status = WD_ETYPE },
            { .op = "qsSet", .args = "{\"v\":{\"wifiEnabled\":false,\"zzz\":true}}", .status = WD_ENOENT },
            STATE("settings.global.wifiEnabled", "true") } },
    { "what changed is told once",
        { { .op = "wifi", .args = "{\"v\":true}" }, { .op = "@events", .answer = "[]" },
            INJECT("{\"settings\":{\"global\":{\"wifiEnabled\":false}},\"preferences\":{\"wifi_enabled\":"
                   "true}}"),
            { .op = "@events", .answer = "[]" }, { .op = "hotspot", .args = "{\"v\":true}" },
            { .op = "@events", .answer = "[]" } } },
};

int main(void)
{
    return op_rows_run("managers", rows, sizeof rows / sizeof rows[0]);
}
