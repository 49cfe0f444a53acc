// Readings that are texts made from the state (os.md 7, vectors' facts).
#include "preference.h"

#include <string.h>

static const char text_airplane[] = "飞行模式", text_no_service[] = "无服务", text_no_sim[] = "无 SIM";
static const char text_no_carrier[] = "未知运营商", text_unset[] = "未设置";

static bool in_airplane(const wd_machine *machine)
{
    return wd_flag(machine, WD_GLOBAL("airplaneModeEnabled"));
}

static bool no_sim(const wd_machine *machine)
{
    return wd_truthy(wd_machine_get(machine, WD_HARDWARE("cellular", "noSim")));
}

wd_status wd_read_address(const wd_machine *machine, wd_value **ret_text)
{
    const wd_value *address = wd_machine_get(machine, WD_HARDWARE("wifi", "ipAddress"));
    return wd_truthy(address) ? wd_text_form(address, ret_text) : wd_value_text("未连接", ret_text);
}

wd_status wd_read_battery_level(const wd_machine *machine, wd_value **ret_text)
{
    int64_t percent = wd_value_int_or(wd_machine_get(machine, WD_HARDWARE("battery", "percent")), 0);
    return wd_value_format(ret_text, "%lld%%", (long long)percent);
}

wd_status wd_read_battery_status(const wd_machine *machine, wd_value **ret_text)
{
    if (!wd_flag(machine, WD_HARDWARE("battery", "charging"))) {
        return wd_value_text("未充电", ret_text);
    }
    bool fast = wd_flag(machine, WD_HARDWARE("battery", "fastCharging"));
    return wd_value_text(fast ? "快充中" : "充电中", ret_text);
}

wd_status wd_read_locale(const wd_machine *machine, wd_value **ret_text)
{
    return wd_view_locale(machine, ret_text);
}

wd_status wd_read_network_type(const wd_machine *machine, wd_value **ret_text)
{
    const wd_value *type = wd_object_get(wd_sim_default(machine, NULL), "networkType");
    if (wd_truthy(type)) {
        return wd_text_form(type, ret_text);
    }
    const wd_value *radio = wd_machine_get(machine, WD_HARDWARE("cellular", "mobileDataType"));
    char upper[32] = "";
    size_t length = 0;
    for (const char *text = wd_value_string_or(radio, ""); text[length] != '\0'; length++) {
        if (length + 1 >= sizeof(upper)) {
            return wd_text_form(radio, ret_text);  // no radio type is that long
        }
        upper[length] = text[length] >= 'a' && text[length] <= 'z' ? (char)(text[length] - 32) : text[length];
    }
    return wd_value_text(length > 0 ? upper : "未知", ret_text);
}

wd_status wd_read_signal_strength(const wd_machine *machine, wd_value **ret_text)
{
    if (in_airplane(machine)) {
        return wd_value_text(text_airplane, ret_text);
    }
    if (no_sim(machine)) {
        return wd_value_text(text_no_service, ret_text);
    }
    double level = wd_value_double_or(wd_machine_get(machine, WD_HARDWARE("cellular", "signalLevel")), 0);
    return wd_value_format(ret_text, "%lld dBm", (long long)(-113 + 10 * wd_clamp_round(level, 0, 5)));
}

wd_status wd_read_service_state(const wd_machine *machine, wd_value **ret_text)
{
    const char *registered = no_sim(machine) ? text_no_service : "已注册";
    return wd_value_text(in_airplane(machine) ? text_airplane : registered, ret_text);
}

wd_status wd_read_data_state(const wd_machine *machine, wd_value **ret_text)
{
    if (in_airplane(machine)) {
        return wd_value_text(text_airplane, ret_text);
    }
    const char *link = wd_flag(machine, WD_GLOBAL("mobileDataEnabled")) ? "已连接" : "已断开";
    return wd_value_text(no_sim(machine) ? text_no_sim : link, ret_text);
}

static const char *carrier_of(const wd_value *sim)
{
    const char *carrier = wd_value_string_or(wd_object_get(sim, "carrier"), "");
    return carrier[0] != '\0' ? carrier : text_no_carrier;
}

wd_status wd_read_area_info(const wd_machine *machine, wd_value **ret_text)
{
    const wd_value *sim = wd_sim_default(machine, NULL);
    if (sim == NULL || no_sim(machine)) {
        return wd_value_text(text_no_sim, ret_text);
    }
    wd_value *type = NULL;
    wd_status status = wd_read_network_type(machine, &type);
    if (status == WD_OK) {
        status = wd_value_format(ret_text, "%s / %s", carrier_of(sim), wd_value_string_or(type, ""));
    }
    wd_value_unref(&type);
    return status;
}

wd_status wd_read_operator(const wd_machine *machine, wd_value **ret_text)
{
    const wd_value *sim = wd_sim_default(machine, NULL);
    return wd_value_text(sim == NULL ? text_no_sim : carrier_of(sim), ret_text);
}

wd_status wd_read_roaming(const wd_machine *machine, wd_value **ret_text)
{
    const wd_value *sim = wd_sim_default(machine, NULL);
    const char *text = wd_truthy(wd_object_get(sim, "dataRoaming")) ? "已开启" : "已关闭";
    return wd_value_text(sim == NULL ? text_no_sim : text, ret_text);
}

wd_status wd_read_sim_status(const wd_machine *machine, wd_value **ret_text)
{
    const wd_value *sim = wd_sim_default(machine, NULL);
    if (sim == NULL) {
        return wd_value_text(text_no_sim, ret_text);
    }
    const char *type = wd_value_string_or(wd_object_get(sim, "networkType"), "");
    return wd_value_format(ret_text, "%s %s", carrier_of(sim), type);
}

/// `field` of a SIM as text, with words for an empty one and for no SIM.
static wd_status sim_text(const wd_value *sim, const char *field, wd_value **ret_text)
{
    if (sim == NULL) {
        return wd_value_text(text_no_sim, ret_text);
    }
    const wd_value *text = wd_object_get(sim, field);
    return wd_truthy(text) ? wd_text_form(text, ret_text) : wd_value_text(text_unset, ret_text);
}

static const wd_value *sim_in_slot(const wd_machine *machine, int slot)
{
    wd_iter iter = wd_iter_start(wd_machine_get(machine, WD_AT("os", "telephony", "sims")));
    while (wd_iter_next(&iter)) {
        if (wd_value_int_or(wd_object_get(iter.value, "slot"), 0) == slot) {
            return iter.value;
        }
    }
    return NULL;
}

wd_status wd_read_phone_number(const wd_machine *machine, wd_value **ret_text)
{
    return sim_text(wd_sim_default(machine, NULL), "phoneNumber", ret_text);
}

wd_status wd_read_phone_number_1(const wd_machine *machine, wd_value **ret_text)
{
    return sim_text(sim_in_slot(machine, 1), "phoneNumber", ret_text);
}

wd_status wd_read_phone_number_2(const wd_machine *machine, wd_value **ret_text)
{
    return sim_text(sim_in_slot(machine, 2), "phoneNumber", ret_text);
}

wd_status wd_read_iccid(const wd_machine *machine, wd_value **ret_text)
{
    return sim_text(wd_sim_default(machine, NULL), "iccid", ret_text);
}

wd_status wd_read_up_time(const wd_machine *machine, wd_value **ret_text)
{
    int64_t boot = wd_value_int_or(wd_machine_get(machine, WD_AT("sys", "boot")), wd_machine_now(machine));
    int64_t minutes = (wd_machine_now(machine) - boot) / 60000;
    long long days = minutes / 1440, hours = minutes / 60 % 24, rest = minutes % 60;
    if (days > 0) {
        return wd_value_format(ret_text, "%lld天 %lld小时", days, hours);
    }
    if (hours > 0) {
        return wd_value_format(ret_text, "%lld小时 %lld分钟", hours, rest);
    }
    return wd_value_format(ret_text, "%lld分钟", minutes > 0 ? rest : 0);
}

wd_status wd_read_hardware_version(const wd_machine *machine, wd_value **ret_text)
{
    return wd_preference_get(machine, "hardware_version", ret_text);
}

wd_status wd_read_account(const wd_machine *machine, wd_value **ret_text)
{
    return wd_value_text(wd_locale_of(machine->root) == WD_LOCALE_EN ? "Xiaomi User" : "小米用户", ret_text);
}

static bool has(wd_slice text, const char *word)
{
    return wd_slice_contains_folded(text, (wd_slice){ word, strlen(word) });
}

static bool is_word_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// A word "not" or "no", then blanks, hyphens, underscores, then "charg".
static bool says_not_charging(wd_slice text)
{
    for (size_t at = 0; at + 2 <= text.length; at++) {
        wd_slice rest = { text.bytes + at, text.length - at };
        if ((at > 0 && is_word_byte(text.bytes[at - 1])) || (rest.bytes[0] | 0x20) != 'n' ||
            (rest.bytes[1] | 0x20) != 'o') {
            continue;
        }
        size_t skip = rest.length > 2 && (rest.bytes[2] | 0x20) == 't' ? 3 : 2;
        while (skip < rest.length && strchr(" \t\r\n-_", rest.bytes[skip]) != NULL) {
            skip++;
        }
        wd_slice tail = { rest.bytes + skip, rest.length - skip < 5 ? rest.length - skip : 5 };
        if (tail.length == 5 && has(tail, "charg")) {
            return true;
        }
    }
    return false;
}

bool wd_battery_status_parse(wd_slice text, bool *ret_charging, bool *ret_fast)
{
    text = wd_slice_trim(text.bytes, text.length);
    *ret_charging = *ret_fast = false;
    wd_slice folded_false = { "false", 5 };
    bool is_false = text.length == 5 && wd_slice_contains_folded(text, folded_false);
    if (wd_slice_is(text, "0") || is_false || wd_slice_is(text, "未充电") || has(text, "discharging") ||
        says_not_charging(text)) {
        return true;
    }
    *ret_fast = has(text, "快充") || has(text, "fast") || has(text, "quick");
    *ret_charging = *ret_fast || wd_slice_is(text, "1") || (text.length == 4 && has(text, "true")) ||
                    wd_slice_is(text, "充电中") || has(text, "charging");
    return *ret_charging;
}
