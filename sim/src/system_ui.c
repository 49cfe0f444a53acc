// What the operating system draws at the edges: status bar, navigation bar, keyboard.
#include "system_ui.h"

#include <stdio.h>
#include <string.h>

const wd_rect wd_display = { 0, 0, WD_PHONE_WIDTH, WD_PHONE_HEIGHT };

wd_ui_element *wd_system_box(
    wd_screen *screen, wd_ui_element *parent, wd_ui_kind kind, const char *id, wd_rect rect)
{
    wd_ui_element *box = wd_ui_element_new(&screen->arena, parent, kind);
    if (box != NULL) {
        box->id = id;
        box->rect = rect;
    }
    return box;
}

const char *wd_system_text(const wd_call *call, const char *en, const char *zh)
{
    return wd_value_is_text(wd_object_get(call->os, "locale"), "en") ? en : zh;
}

wd_target wd_system_op(wd_screen *screen, const char *op, wd_value **args_p)
{
    const wd_value *args = *args_p;
    if (args != NULL && wd_ui_arena_keep(&screen->arena, args_p) != WD_OK) {
        return (wd_target){ 0 };
    }
    return (wd_target){ WD_TARGET_OP, op, args };
}

// ---- bars -------------------------------------------------------------------------------------------------------------

static bool is_on(const wd_value *settings, const char *name)
{
    return wd_value_bool_or(wd_object_get(settings, name), false);
}

static wd_status add_bar(wd_screen *screen, wd_ui_element *bar)
{
    return wd_screen_add_layer(screen, (wd_layer){ .root = bar,
                                           .clip = wd_display,
                                           .window = WD_WINDOW_SYSTEM,
                                           .package = WD_SYSTEM_PACKAGE,
                                           .system_ui = true });
}

static wd_status draw_status_bar(wd_screen *screen, wd_call *call)
{
    wd_deps_note(call, WD_DEP_TIME, NULL, NULL, 60000);
    wd_deps_note(call, WD_DEP_OS, "settings", "global", 0);
    wd_deps_note(call, WD_DEP_OS, "hardware", NULL, 0);
    const wd_value *hardware = wd_object_get(call->os, "hardware");
    const wd_value *global = wd_object_get(wd_object_get(call->os, "settings"), "global");
    const wd_rect rect = { 0, 0, WD_PHONE_WIDTH, WD_SCREEN_STATUS_HEIGHT };
    wd_ui_element *bar = wd_system_box(screen, NULL, WD_UI_SCREEN, "status_bar", rect);
    if (bar == NULL) {
        return WD_ENOMEM;
    }
    const int64_t minute = (call->now_ms / 60000 + WD_DEVICE_UTC_OFFSET_DEFAULT) % 1440;
    const int64_t percent = wd_value_int_or(wd_object_get(wd_object_get(hardware, "battery"), "percent"), 0);
    const char *ssid =
        wd_value_string_or(wd_object_get(wd_object_get(hardware, "wifi"), "connectedSsid"), NULL);
    char clock[16];
    char battery[16];
    char wifi[128] = "";
    (void)snprintf(clock, sizeof clock, "%02d:%02d", (int)(minute / 60), (int)(minute % 60));
    (void)snprintf(battery, sizeof battery, "%d%%", (int)percent);
    if (is_on(global, "wifiEnabled") && ssid != NULL) {
        (void)snprintf(wifi, sizeof wifi, "Wi-Fi: %s", ssid);
    }
    const struct {
        const char *id, *text;
        int32_t left, right;
        bool shown;
    } parts[] = {
        { "clock", clock, 48, 198, true },
        { "airplane", wd_system_text(call, "Airplane mode", "飞行模式"), 560, 640,
            is_on(global, "airplaneModeEnabled") },
        { "bluetooth", wd_system_text(call, "Bluetooth on", "蓝牙已开启"), 650, 710,
            is_on(global, "bluetoothEnabled") },
        { "silent", wd_system_text(call, "Silent", "静音"), 720, 780, is_on(global, "silentMode") },
        { "wifi", wifi, 790, 880, wifi[0] != '\0' },
        { "battery", battery, 900, 1032, true },
    };
    for (size_t i = 0; i < WD_COUNT_OF(parts); i++) {
        if (!parts[i].shown) {
            continue;
        }
        const bool icon = parts[i].left > 500 && parts[i].left < 900;
        wd_ui_element *part = wd_system_box(screen, bar, icon ? WD_UI_IMAGE : WD_UI_TEXT, parts[i].id,
            (wd_rect){ parts[i].left, 24, parts[i].right, 72 });
        const char *text = wd_ui_arena_text(&screen->arena, parts[i].text, strlen(parts[i].text));
        if (part == NULL || text == NULL) {
            return WD_ENOMEM;
        }
        *(icon ? &part->label : &part->text) = text;
    }
    return add_bar(screen, bar);
}

static wd_status draw_navigation_bar(wd_screen *screen)
{
    const wd_rect rect = { 0, WD_SCREEN_NAVIGATION_TOP, WD_PHONE_WIDTH, WD_PHONE_HEIGHT };
    wd_ui_element *bar = wd_system_box(screen, NULL, WD_UI_SCREEN, "navigation_bar", rect);
    if (bar == NULL) {
        return WD_ENOMEM;
    }
    return add_bar(screen, bar);
}

wd_status wd_system_draw_bars(wd_screen *screen, wd_call *call)
{
    wd_status status = draw_status_bar(screen, call);
    return status != WD_OK ? status : draw_navigation_bar(screen);
}

// ---- keyboard ---------------------------------------------------------------------------------------------------------

bool wd_system_keyboard_visible(wd_call *call)
{
    wd_deps_note(call, WD_DEP_OS, "services", NULL, 0);
    const wd_value *keyboard = wd_object_get(wd_object_get(call->os, "services"), "keyboard");
    return wd_value_bool_or(wd_object_get(keyboard, "visible"), false);
}

static wd_ui_element *key(wd_screen *screen, wd_ui_element *keyboard, const char *id, const char *text,
    const char *typed, wd_rect rect)
{
    wd_ui_element *element = wd_system_box(screen, keyboard, WD_UI_BUTTON, id, rect);
    if (element != NULL) {
        element->text = text;
        element->role = "key";
        element->tap = (wd_target){ WD_TARGET_KEY, typed, NULL };
    }
    return element;
}

wd_status wd_system_draw_keyboard(wd_screen *screen, wd_call *call)
{
    if (!wd_system_keyboard_visible(call)) {
        return WD_OK;
    }
    enum { KEY = 108, HEIGHT = 190, TOP = WD_SCREEN_KEYBOARD_TOP + 24 };
    static const char *const lines[] = { "1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm" };
    const wd_rect rect = { 0, WD_SCREEN_KEYBOARD_TOP, WD_PHONE_WIDTH, WD_SCREEN_NAVIGATION_TOP };
    wd_ui_element *keyboard = wd_system_box(screen, NULL, WD_UI_SCREEN, "keyboard", rect);
    if (keyboard == NULL) {
        return WD_ENOMEM;
    }
    keyboard->role = "keyboard";
    keyboard->tap.kind = WD_TARGET_BLOCK;
    for (size_t line = 0; line < WD_COUNT_OF(lines); line++) {
        const int32_t count = (int32_t)strlen(lines[line]);
        const int32_t left = (WD_PHONE_WIDTH - count * KEY) / 2;
        const int32_t top = TOP + (int32_t)line * HEIGHT;
        for (int32_t i = 0; i < count; i++) {
            const char *text = wd_ui_arena_text(&screen->arena, lines[line] + i, 1);
            const char *id = wd_ui_arena_format(&screen->arena, "key_%c", lines[line][i]);
            if (text == NULL || id == NULL ||
                key(screen, keyboard, id, text, text,
                    (wd_rect){ left + i * KEY, top, left + (i + 1) * KEY, top + HEIGHT }) == NULL) {
                return WD_ENOMEM;
            }
        }
    }
    const int32_t last = TOP + 4 * HEIGHT;
    const wd_rect space = { 300, last, 780, WD_SCREEN_NAVIGATION_TOP - 8 };
    const wd_rect enter = { 800, last, 1060, WD_SCREEN_NAVIGATION_TOP - 8 };
    const wd_rect erase = { 924, TOP + 3 * HEIGHT, 1060, TOP + 4 * HEIGHT };
    if (key(screen, keyboard, "key_space", wd_system_text(call, "space", "空格"), " ", space) == NULL ||
        key(screen, keyboard, "key_enter", wd_system_text(call, "Enter", "回车"), "\n", enter) == NULL ||
        key(screen, keyboard, "key_backspace", wd_system_text(call, "Delete", "删除"), "\b", erase) == NULL) {
        return WD_ENOMEM;
    }
    return wd_screen_add_layer(screen, (wd_layer){ .root = keyboard,
                                           .clip = rect,
                                           .window = WD_WINDOW_INPUT_METHOD,
                                           .package = WD_SYSTEM_PACKAGE,
                                           .system_ui = true });
}
