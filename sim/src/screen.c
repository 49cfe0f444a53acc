// Drawing a screen: the app describes it, it is laid out in the room that bars and keyboard leave, the operating
// system draws over it.
#include "screen.h"

#include "tree/alloc.h"

#include <string.h>

wd_screen *wd_screen_ref(wd_screen *screen)
{
    screen->refs += 1;
    return screen;
}

void wd_screen_unref(wd_screen **screen_p)
{
    wd_screen *screen = *screen_p;
    *screen_p = NULL;
    if (screen == NULL || --screen->refs > 0) {
        return;
    }
    wd_scene_unref(&screen->scene);
    wd_deps_done(&screen->deps);
    wd_ui_arena_done(&screen->arena);
    wd_free(screen, sizeof *screen);
}

wd_status wd_screen_add_layer(wd_screen *screen, wd_layer layer)
{
    if (screen->layer_count == WD_SCREEN_LAYERS_MAX) {
        return WD_ELIMIT;
    }
    screen->layers[screen->layer_count++] = layer;
    return WD_OK;
}

static const wd_rect whole_display = { 0, 0, WD_PHONE_WIDTH, WD_PHONE_HEIGHT };

// Fields show what is typed: the page's scratch, else the value that the app gives.
static void fill_fields(wd_screen *screen, const wd_call *call, wd_ui_element *element)
{
    if (element->kind == WD_UI_FIELD && element->id != NULL) {
        const wd_value *typed = wd_object_get(wd_object_get(call->scratch, "fields"), element->id);
        if (element->input.kind == WD_TARGET_NONE && wd_value_is(typed, WD_KIND_STRING)) {
            element->value = wd_value_as_string(typed, NULL);
        }
        if (wd_value_is_text(wd_object_get(call->scratch, "focus"), element->id)) {
            screen->focused = element;
        }
    }
    for (wd_ui_element *child = element->first; child != NULL; child = child->next) {
        fill_fields(screen, call, child);
    }
}

static wd_ui_element *scrim(wd_screen *screen, wd_ui_element *panel, wd_target outside)
{
    wd_ui_element *root = wd_ui_element_new(&screen->arena, NULL, WD_UI_SCREEN);
    if (root != NULL) {
        root->role = "scrim";
        root->rect = whole_display;
        root->tap = outside;
        wd_ui_element_add(root, panel);
    }
    return root;
}

// A dialog stands in the middle, a sheet at the bottom of `area`; a tap beside it is Back.
static wd_status add_overlay(wd_screen *screen, wd_ui_element *panel, wd_rect area, const char *package)
{
    enum { DIALOG_WIDTH = 936 };
    const bool sheet = panel->kind == WD_UI_SHEET;
    const int32_t width = sheet ? area.right - area.left : DIALOG_WIDTH;
    const int32_t height = wd_ui_measure(panel, width);
    const int32_t room = area.bottom - area.top;
    const int32_t top = sheet ? area.bottom - height : area.top + (room - height) / 2;
    wd_ui_layout(
        panel, area.left + (area.right - area.left - width) / 2, top > area.top ? top : area.top, width);
    panel->tap.kind = panel->tap.kind == WD_TARGET_NONE ? WD_TARGET_BLOCK : panel->tap.kind;
    wd_ui_element *root = scrim(screen, panel, (wd_target){ WD_TARGET_BACK, NULL, NULL });
    if (root == NULL) {
        return WD_ENOMEM;
    }
    screen->info.page_kind = sheet ? WD_PAGE_SHEET : WD_PAGE_DIALOG;
    if (panel->page != NULL) {
        screen->info.page = panel->page;
    }
    return wd_screen_add_layer(screen,
        (wd_layer){
            .root = root, .clip = area, .window = WD_WINDOW_APPLICATION, .package = package, .modal = true });
}

static wd_status add_app_layers(wd_screen *screen, wd_call *call, wd_rect area)
{
    wd_ui_screen *ui = &screen->ui;
    wd_ui_element *root = wd_ui_element_new(&screen->arena, NULL, WD_UI_SCREEN);
    if (root == NULL) {
        return WD_ENOMEM;
    }
    root->id = "content";
    root->rect = area;
    wd_rect middle = area;
    if (ui->top != NULL) {
        wd_ui_layout(ui->top, area.left, area.top, area.right - area.left);
        middle.top = ui->top->rect.bottom;
        wd_ui_element_add(root, ui->top);
    }
    if (ui->bottom != NULL) {
        const int32_t height = wd_ui_measure(ui->bottom, area.right - area.left);
        wd_ui_layout(ui->bottom, area.left, area.bottom - height, area.right - area.left);
        middle.bottom = area.bottom - height;
    }
    if (ui->body != NULL) {
        const int64_t offset = wd_value_int_or(wd_object_get(call->scratch, "scroll"), 0);
        wd_ui_layout_body(ui->body, middle, (int32_t)(offset > INT32_MAX / 4 ? INT32_MAX / 4 : offset));
        // The viewport clips; it is what a person sees as the list.
        wd_ui_element *viewport = wd_ui_element_new(&screen->arena, root, WD_UI_COLUMN);
        if (viewport == NULL) {
            return WD_ENOMEM;
        }
        viewport->rect = middle;
        viewport->id = ui->body->id;
        viewport->role = ui->body->role;
        viewport->scroll = ui->body->content_height > middle.bottom - middle.top;
        ui->body->id = NULL;
        ui->body->scroll = false;
        viewport->content_height = ui->body->content_height;
        viewport->scroll_offset = ui->body->scroll_offset;
        wd_ui_element_add(viewport, ui->body);
        screen->body = viewport;
        screen->body_area = middle;
    }
    if (ui->bottom != NULL) {
        wd_ui_element_add(root, ui->bottom);
    }
    wd_status status = wd_screen_add_layer(screen,
        (wd_layer){ .root = root, .clip = area, .window = WD_WINDOW_APPLICATION, .package = screen->app });
    if (status == WD_OK && ui->overlay != NULL) {
        status = add_overlay(screen, ui->overlay, area, screen->app);
    }
    return status;
}

static wd_status add_toast(wd_screen *screen, wd_call *call)
{
    wd_deps_note(call, WD_DEP_UI, "toast", NULL, 0);
    const wd_value *toast = wd_object_get(wd_device_ui(call->device), "toast");
    if (toast == NULL) {
        return WD_OK;
    }
    wd_deps_note(call, WD_DEP_TIME, NULL, NULL, 1);
    if (wd_value_int_or(wd_object_get(toast, "until"), 0) <= call->now_ms) {
        return WD_OK;
    }
    wd_ui_element *element = wd_ui_element_new(&screen->arena, NULL, WD_UI_TOAST);
    if (element == NULL) {
        return WD_ENOMEM;
    }
    const char *text = wd_value_string_or(wd_object_get(toast, "text"), "");
    element->text = wd_ui_arena_text(&screen->arena, text, strlen(text));
    wd_ui_layout(element, 140, 2040, 800);
    return wd_screen_add_layer(screen,
        (wd_layer){
            .root = element, .clip = whole_display, .window = WD_WINDOW_OVERLAY, .package = screen->app });
}

// An app without a pack, or a page that its pack does not have.
static wd_status placeholder(wd_screen *screen, const char *text)
{
    wd_ui_element *body = wd_ui_element_new(&screen->arena, NULL, WD_UI_COLUMN);
    wd_ui_element *label = body != NULL ? wd_ui_element_new(&screen->arena, body, WD_UI_TEXT) : NULL;
    if (label == NULL) {
        return WD_ENOMEM;
    }
    label->text = wd_ui_arena_text(&screen->arena, text, strlen(text));
    label->id = "placeholder";
    screen->ui = (wd_ui_screen){ .page = "placeholder", .body = body };
    return WD_OK;
}

static wd_status describe(wd_screen *screen, wd_lua *lua, wd_call *call, wd_error *error)
{
    if (call->pack == NULL) {
        return placeholder(screen, screen->app);
    }
    wd_status status = wd_lua_screen(lua, call, &screen->ui, error);
    return status == WD_ENOENT ? placeholder(screen, screen->path) : status;
}

static wd_status draw_app(wd_screen *screen, wd_lua *lua, wd_call *call, wd_front front, wd_error *error)
{
    wd_status status = describe(screen, lua, call, error);
    if (status != WD_OK) {
        return status;
    }
    wd_deps_note(call, WD_DEP_SCRATCH, NULL, NULL, 0);
    wd_ui_element *const parts[] = { screen->ui.top, screen->ui.body, screen->ui.bottom, screen->ui.overlay };
    for (size_t i = 0; i < WD_COUNT_OF(parts); i++) {
        if (parts[i] != NULL) {
            fill_fields(screen, call, parts[i]);
        }
    }
    screen->info = (wd_scene_info){
        .source_format = "device",
        .width = WD_PHONE_WIDTH,
        .height = WD_PHONE_HEIGHT,
        .app_package = screen->app,
        .app_label = screen->ui.title,
        .app_source = "device",
        .route = screen->path,
        .page = screen->ui.page,
        .page_source = "device",
        .page_confidence = 1.0,
        .page_kind = front == WD_FRONT_HOME ? WD_PAGE_LAUNCHER : WD_PAGE_APP,
    };
    screen->info.page_params = wd_value_ref(screen->ui.params);
    wd_rect area = { 0, WD_SCREEN_STATUS_HEIGHT, WD_PHONE_WIDTH, WD_SCREEN_NAVIGATION_TOP };
    if (wd_system_keyboard_visible(call)) {
        area.bottom = WD_SCREEN_KEYBOARD_TOP;
    }
    return add_app_layers(screen, call, area);
}

static wd_status draw(wd_screen *screen, wd_lua *lua, wd_call *call, wd_front front, wd_error *error)
{
    screen->app = wd_ui_arena_text(&screen->arena, call->page.app, strlen(call->page.app));
    screen->path = wd_ui_arena_text(&screen->arena, call->page.path, strlen(call->page.path));
    if (screen->app == NULL || screen->path == NULL) {
        return WD_ENOMEM;
    }
    wd_status status = front == WD_FRONT_RECENTS ? wd_system_draw_recents(screen, call)
                                                 : draw_app(screen, lua, call, front, error);
    status = status != WD_OK ? status : add_toast(screen, call);
    status = status != WD_OK ? status : wd_system_draw_keyboard(screen, call);
    status = status != WD_OK ? status : wd_system_draw_bars(screen, call);
    status = status != WD_OK ? status : wd_system_draw_panels(screen, call);
    status = status != WD_OK ? status : wd_screen_emit(screen);
    wd_value_unref(&screen->info.page_params);
    return status;
}

wd_status wd_screen_draw(wd_lua *lua, wd_call *call, wd_front front, wd_screen **ret_screen, wd_error *error)
{
    wd_screen *screen = wd_alloc_zero(1, sizeof *screen);
    if (screen == NULL) {
        return wd_error_set(error, WD_ENOMEM, "screen: out of memory");
    }
    screen->refs = 1;
    screen->front = front;
    call->kind = WD_CALL_SCREEN;
    call->arena = &screen->arena;
    call->deps = &screen->deps;
    wd_error fault = { 0 };
    wd_status status = draw(screen, lua, call, front, &fault);
    call->arena = NULL;
    call->deps = NULL;
    if (status != WD_OK) {
        wd_screen_unref(&screen);
        return wd_error_set(error, status, "%s", fault.text[0] != '\0' ? fault.text : wd_status_text(status));
    }
    *ret_screen = screen;
    return WD_OK;
}
