/// screen.h - a drawn screen: its scene, and what each of its nodes does.
#ifndef SIM_SCREEN_H
#define SIM_SCREEN_H

#include "lua_host.h"
#include "page.h"

enum {
    WD_SCREEN_STATUS_HEIGHT = 96,
    WD_SCREEN_NAVIGATION_TOP = 2340,
    WD_SCREEN_KEYBOARD_TOP = 1380,
    WD_SCREEN_LAYERS_MAX = 12,
};

/// One thing drawn over the others: the app, a dialog, the keyboard, the status bar.
typedef struct wd_layer {
    wd_ui_element *root;  // laid out
    wd_rect clip;         // nothing is seen outside
    wd_window_type window;
    const char *package;
    bool system_ui;  // no part of the scene's digest
    bool modal;      // what lies below cannot be touched
} wd_layer;

typedef struct wd_screen {
    uint32_t refs;
    wd_ui_arena arena;
    wd_deps deps;
    wd_scene *scene;
    const wd_ui_element **elements;  // by node id
    size_t node_count;
    wd_front front;
    const char *app, *path;  // of the page, kept by the arena
    wd_ui_screen ui;         // as the app described it
    wd_ui_element *body;     // what scrolls in front: the app's body, or NULL
    wd_rect body_area;
    wd_layer layers[WD_SCREEN_LAYERS_MAX];
    size_t layer_count;
    wd_scene_info info;
    int32_t first_modal_node;  // nodes before it cannot be touched
    const wd_ui_element *focused;
} wd_screen;

wd_screen *wd_screen_ref(wd_screen *screen);
void wd_screen_unref(wd_screen **screen_p);

/// Draw what is in front. The call is made by wd_page_find().
/// @retval WD_ESCRIPT the app's code failed.
WD_NODISCARD wd_status wd_screen_draw(
    wd_lua *lua, wd_call *call, wd_front front, wd_screen **ret_screen, wd_error *error);

/// Add a layer in front of those there are. @retval WD_ELIMIT.
WD_NODISCARD wd_status wd_screen_add_layer(wd_screen *screen, wd_layer layer);

/// Make the scene of all layers (screen_emit.c).
WD_NODISCARD wd_status wd_screen_emit(wd_screen *screen);

/// What the operating system draws (system_ui.c): status and navigation bar, keyboard, shade, chooser, permission
/// dialog, recents. They note what they read like an app does.
WD_NODISCARD wd_status wd_system_draw_bars(wd_screen *screen, wd_call *call);
WD_NODISCARD wd_status wd_system_draw_keyboard(wd_screen *screen, wd_call *call);
WD_NODISCARD wd_status wd_system_draw_recents(wd_screen *screen, wd_call *call);
WD_NODISCARD wd_status wd_system_draw_panels(wd_screen *screen, wd_call *call);
bool wd_system_keyboard_visible(wd_call *call);

#endif
