// What the operating system draws over everything: shade, chooser, permission dialog; and recents.
#include "system_ui.h"

#include <stdio.h>
#include <string.h>

enum { PANEL_WIDTH = 936, CARD_HEIGHT = 300, CARDS_MAX = 8, NOTICES_MAX = 8 };

static const char *keep(wd_screen *screen, const char *text)
{
    return wd_ui_arena_text(&screen->arena, text, strlen(text));
}

// The name of an installed app, in the device's language.
static const char *app_name(wd_screen *screen, wd_call *call, const char *app)
{
    wd_deps_note(call, WD_DEP_OS, "installedApps", NULL, 0);
    wd_iter iter = wd_iter_start(wd_object_get(call->os, "installedApps"));
    while (wd_iter_next(&iter)) {
        if (wd_value_is_text(wd_object_get(iter.value, "id"), app)) {
            return keep(screen, wd_value_string_or(wd_object_get(iter.value, "name"), app));
        }
    }
    return keep(screen, app);
}

static wd_target op_with_text(wd_screen *screen, const char *op, const char *name, const char *text)
{
    wd_value *args = NULL;
    if (wd_value_pack(&args, "{s:s}", name, text) != WD_OK) {
        return (wd_target){ 0 };
    }
    return wd_system_op(screen, op, &args);
}

static wd_target op_alone(wd_screen *screen, const char *op)
{
    wd_value *none = NULL;
    return wd_system_op(screen, op, &none);
}

static wd_status add_panel(wd_screen *screen, wd_ui_element *root)
{
    return wd_screen_add_layer(screen, (wd_layer){ .root = root,
                                           .clip = wd_display,
                                           .window = WD_WINDOW_SYSTEM,
                                           .package = WD_SYSTEM_PACKAGE,
                                           .modal = true });
}

// A panel in front of an app: the scene is the panel's, the app behind it is told.
static void take_over(wd_screen *screen, wd_page_kind kind, const char *page)
{
    screen->info.background_app = screen->info.app_package;
    screen->info.app_package = WD_SYSTEM_PACKAGE;
    screen->info.app_label = NULL;
    screen->info.page = page;
    screen->info.page_source = "device";
    screen->info.page_kind = kind;
    wd_value_unref(&screen->info.page_params);
}

static wd_ui_element *panel(wd_screen *screen, wd_ui_element **ret_root, wd_ui_kind kind, const char *id)
{
    wd_ui_element *root = wd_system_box(screen, NULL, WD_UI_SCREEN, "scrim", wd_display);
    wd_ui_element *box = root != NULL ? wd_ui_element_new(&screen->arena, root, kind) : NULL;
    if (box != NULL) {
        root->role = "scrim";
        root->tap.kind = WD_TARGET_BLOCK;
        box->id = id;
        box->gap = 24;
        box->tap.kind = WD_TARGET_BLOCK;
        *ret_root = root;
    }
    return box;
}

static wd_ui_element *child(wd_screen *screen, wd_ui_element *parent, wd_ui_kind kind, const char *id,
    const char *text, wd_target tap)
{
    wd_ui_element *element = parent != NULL ? wd_ui_element_new(&screen->arena, parent, kind) : NULL;
    if (element != NULL) {
        element->id = id;
        element->text = text;
        element->tap = tap;
    }
    return element;
}

static const wd_target nothing = { 0 };

// ---- permission dialog --------------------------------------------------------------------------------------------------

static wd_status draw_permission(wd_screen *screen, wd_call *call)
{
    wd_deps_note(call, WD_DEP_SYS, "permissions", NULL, 0);
    const wd_value *sys = wd_object_get(wd_device_machine(call->device), "sys");
    const wd_value *asked = wd_array_at(wd_object_get(wd_object_get(sys, "permissions"), "queue"), 0);
    if (asked == NULL) {
        return WD_OK;
    }
    wd_ui_element *root = NULL;
    wd_ui_element *box = panel(screen, &root, WD_UI_DIALOG, "permission_dialog");
    const char *app = app_name(screen, call, wd_value_string_or(wd_object_get(asked, "app"), ""));
    wd_iter iter = wd_iter_start(wd_object_get(asked, "asked"));
    const char *names = "";
    while (names != NULL && wd_iter_next(&iter)) {
        const char *id = wd_value_string_or(iter.value, "");
        const char *dot = strrchr(id, '.');
        names = wd_ui_arena_format(
            &screen->arena, "%s%s%s", names, names[0] != '\0' ? ", " : "", dot != NULL ? dot + 1 : id);
    }
    const char *text =
        names == NULL || app == NULL
            ? NULL
            : wd_ui_arena_format(&screen->arena, "%s%s%s%s%s", wd_system_text(call, "Allow ", "允许"), app,
                  wd_system_text(call, ": ", "使用："), names, wd_system_text(call, "?", "？"));
    wd_ui_element *message = child(screen, box, WD_UI_TEXT, "permission_message", text, nothing);
    wd_ui_element *allow = child(screen, box, WD_UI_BUTTON, "permission_allow",
        wd_system_text(call, "Allow", "允许"), op_with_text(screen, "dialog", "answer", "allow"));
    wd_ui_element *deny = child(screen, box, WD_UI_BUTTON, "permission_deny",
        wd_system_text(call, "Don't allow", "不允许"), op_with_text(screen, "dialog", "answer", "deny"));
    if (text == NULL || message == NULL || allow == NULL || deny == NULL) {
        return WD_ENOMEM;
    }
    allow->purpose = "confirm";
    deny->purpose = "cancel";
    wd_ui_layout(box, (WD_PHONE_WIDTH - PANEL_WIDTH) / 2, 900, PANEL_WIDTH);
    take_over(screen, WD_PAGE_PERMISSION, "permission");
    return add_panel(screen, root);
}

// ---- chooser --------------------------------------------------------------------------------------------------------------

static wd_status draw_chooser(wd_screen *screen, wd_call *call)
{
    wd_deps_note(call, WD_DEP_SYS, "chooser", NULL, 0);
    const wd_value *sys = wd_object_get(wd_device_machine(call->device), "sys");
    const wd_value *chooser = wd_object_get(sys, "chooser");
    if (!wd_value_is(chooser, WD_KIND_OBJECT)) {
        return WD_OK;
    }
    wd_ui_element *root = NULL;
    wd_ui_element *box = panel(screen, &root, WD_UI_SHEET, "chooser");
    wd_ui_element *title = child(
        screen, box, WD_UI_TEXT, "chooser_title", wd_system_text(call, "Open with", "打开方式"), nothing);
    if (title == NULL) {
        return WD_ENOMEM;
    }
    root->tap = op_alone(screen, "os.cancelIntentChooser");
    wd_iter iter = wd_iter_start(wd_object_get(chooser, "matches"));
    while (wd_iter_next(&iter)) {
        const char *app = wd_value_string_or(wd_object_get(iter.value, "app"), "");
        if (child(screen, box, WD_UI_ITEM, "chooser_app", app_name(screen, call, app),
                op_with_text(screen, "os.chooseIntentActivity", "app", app)) == NULL) {
            return WD_ENOMEM;
        }
    }
    wd_ui_element *cancel = child(screen, box, WD_UI_BUTTON, "chooser_cancel",
        wd_system_text(call, "Cancel", "取消"), op_alone(screen, "os.cancelIntentChooser"));
    if (cancel == NULL) {
        return WD_ENOMEM;
    }
    cancel->purpose = "cancel";
    wd_ui_layout(box, 0, WD_SCREEN_NAVIGATION_TOP - wd_ui_measure(box, WD_PHONE_WIDTH), WD_PHONE_WIDTH);
    take_over(screen, WD_PAGE_SHEET, "chooser");
    return add_panel(screen, root);
}

// ---- shade ----------------------------------------------------------------------------------------------------------------

static const struct {
    const char *flag, *en, *zh;
} tiles[] = {
    { "wifiEnabled", "Wi-Fi", "WLAN" },
    { "bluetoothEnabled", "Bluetooth", "蓝牙" },
    { "mobileDataEnabled", "Mobile data", "移动数据" },
    { "airplaneModeEnabled", "Airplane mode", "飞行模式" },
    { "doNotDisturbEnabled", "Do not disturb", "勿扰" },
    { "flashlightEnabled", "Flashlight", "手电筒" },
    { "rotationLocked", "Rotation lock", "方向锁定" },
    { "locationEnabled", "Location", "定位" },
    { "batterySaverEnabled", "Battery saver", "省电模式" },
    { "darkModeEnabled", "Dark mode", "深色模式" },
};

static wd_status draw_tiles(wd_screen *screen, wd_call *call, wd_ui_element *box)
{
    wd_deps_note(call, WD_DEP_OS, "settings", "global", 0);
    const wd_value *global = wd_object_get(wd_object_get(call->os, "settings"), "global");
    wd_ui_element *grid = wd_ui_element_new(&screen->arena, box, WD_UI_GRID);
    if (grid == NULL) {
        return WD_ENOMEM;
    }
    grid->id = "tiles";
    grid->columns = 3;
    for (size_t i = 0; i < WD_COUNT_OF(tiles); i++) {
        wd_ui_element *tile =
            child(screen, grid, WD_UI_SWITCH, wd_ui_arena_format(&screen->arena, "tile_%s", tiles[i].flag),
                wd_system_text(call, tiles[i].en, tiles[i].zh),
                op_with_text(screen, "qsToggle", "key", tiles[i].flag));
        if (tile == NULL) {
            return WD_ENOMEM;
        }
        tile->purpose = "toggle";
        tile->height = 180;
        tile->checked = wd_value_bool_or(wd_object_get(global, tiles[i].flag), false);
    }
    return WD_OK;
}

static wd_status draw_notices(wd_screen *screen, wd_call *call, wd_ui_element *box)
{
    wd_deps_note(call, WD_DEP_OS, "notifications", NULL, 0);
    wd_iter iter = wd_iter_start(wd_object_get(wd_object_get(call->os, "notifications"), "items"));
    while (wd_iter_next(&iter) && iter.index < NOTICES_MAX) {
        const char *title = keep(screen, wd_value_string_or(wd_object_get(iter.value, "title"), ""));
        const char *body = wd_value_string_or(wd_object_get(iter.value, "body"), NULL);
        if (title == NULL) {
            return WD_ENOMEM;
        }
        wd_ui_element *notice = child(screen, box, WD_UI_ITEM, "notification", title,
            op_with_text(screen, "notification.tap", "title", title));
        if (notice == NULL) {
            return WD_ENOMEM;
        }
        notice->detail = body != NULL ? keep(screen, body) : NULL;
    }
    return WD_OK;
}

static wd_status draw_shade(wd_screen *screen, wd_call *call)
{
    wd_deps_note(call, WD_DEP_OS, "shade", NULL, 0);
    const wd_value *shade = wd_object_get(call->os, "shade");
    if (!wd_value_bool_or(wd_object_get(shade, "open"), false)) {
        return WD_OK;
    }
    wd_ui_element *root = NULL;
    wd_ui_element *box = panel(screen, &root, WD_UI_SHEET, "shade");
    if (box == NULL) {
        return WD_ENOMEM;
    }
    root->tap = op_alone(screen, "shadeClose");
    const bool control = wd_value_is_text(wd_object_get(shade, "kind"), "control");
    wd_status status = draw_tiles(screen, call, box);
    if (status == WD_OK && !control) {
        status = draw_notices(screen, call, box);
    }
    if (status != WD_OK) {
        return status;
    }
    wd_ui_layout(box, 0, WD_SCREEN_STATUS_HEIGHT, WD_PHONE_WIDTH);
    take_over(screen, WD_PAGE_SHADE, control ? "control_center" : "notifications");
    return add_panel(screen, root);
}

wd_status wd_system_draw_panels(wd_screen *screen, wd_call *call)
{
    wd_status status = draw_shade(screen, call);
    status = status != WD_OK ? status : draw_chooser(screen, call);
    return status != WD_OK ? status : draw_permission(screen, call);
}

// ---- recents ----------------------------------------------------------------------------------------------------------------

// Tasks by their stamp, the latest first.
static size_t recent_tasks(const wd_value *tasks, const wd_value *ret_list[CARDS_MAX])
{
    size_t count = 0;
    wd_iter iter = wd_iter_start(tasks);
    while (wd_iter_next(&iter)) {
        const int64_t stamp = wd_value_int_or(wd_object_get(iter.value, "lastActiveAt"), 0);
        size_t at = count < CARDS_MAX ? count : CARDS_MAX;
        while (at > 0 && wd_value_int_or(wd_object_get(ret_list[at - 1], "lastActiveAt"), 0) < stamp) {
            if (at < CARDS_MAX) {
                ret_list[at] = ret_list[at - 1];
            }
            at--;
        }
        if (at < CARDS_MAX) {
            ret_list[at] = iter.value;
            count += count < CARDS_MAX ? 1 : 0;
        }
    }
    return count;
}

static wd_status draw_card(wd_screen *screen, wd_call *call, wd_ui_element *body, const wd_value *task)
{
    const char *id = wd_value_string_or(wd_object_get(task, "taskId"), "");
    const char *name = app_name(screen, call, wd_value_string_or(wd_object_get(task, "rootAppId"), ""));
    wd_ui_element *row = wd_ui_element_new(&screen->arena, body, WD_UI_ROW);
    if (row == NULL || name == NULL) {
        return WD_ENOMEM;
    }
    row->height = CARD_HEIGHT;
    row->pad = 48;
    wd_ui_element *card = child(
        screen, row, WD_UI_CARD, "recent_card", NULL, op_with_text(screen, "os.launchTaskById", "task", id));
    wd_ui_element *close = child(
        screen, row, WD_UI_ICON, "recent_close", NULL, op_with_text(screen, "os.closeTask", "task", id));
    if (card == NULL || close == NULL) {
        return WD_ENOMEM;
    }
    card->text = name;
    card->height = CARD_HEIGHT - 96;
    close->label = wd_ui_arena_format(&screen->arena, "%s%s", wd_system_text(call, "Close ", "关闭"), name);
    return WD_OK;
}

wd_status wd_system_draw_recents(wd_screen *screen, wd_call *call)
{
    wd_deps_note(call, WD_DEP_OS, "tasks", NULL, 0);
    const wd_value *list[CARDS_MAX] = { 0 };
    const size_t count = recent_tasks(wd_object_get(call->os, "tasks"), list);
    wd_ui_element *root = wd_system_box(screen, NULL, WD_UI_SCREEN, "recents", wd_display);
    wd_ui_element *body = root != NULL ? wd_ui_element_new(&screen->arena, root, WD_UI_COLUMN) : NULL;
    if (body == NULL) {
        return WD_ENOMEM;
    }
    root->tap = op_alone(screen, "os.goHome");
    for (size_t i = 0; i < count; i++) {
        wd_status status = draw_card(screen, call, body, list[i]);
        if (status != WD_OK) {
            return status;
        }
    }
    if (count == 0 && child(screen, body, WD_UI_TEXT, "recents_empty",
                          wd_system_text(call, "No recent apps", "没有最近的应用"), nothing) == NULL) {
        return WD_ENOMEM;
    }
    wd_ui_layout(body, 0, WD_SCREEN_STATUS_HEIGHT, WD_PHONE_WIDTH);
    screen->info = (wd_scene_info){
        .source_format = "device",
        .width = WD_PHONE_WIDTH,
        .height = WD_PHONE_HEIGHT,
        .app_package = WD_SYSTEM_PACKAGE,
        .app_source = "device",
        .page = "recents",
        .page_source = "device",
        .page_confidence = 1.0,
        .page_kind = WD_PAGE_RECENTS,
        .background_app = screen->app,
    };
    return wd_screen_add_layer(screen,
        (wd_layer){
            .root = root, .clip = wd_display, .window = WD_WINDOW_SYSTEM, .package = WD_SYSTEM_PACKAGE });
}
