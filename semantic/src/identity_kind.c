// What kind of page is in front: by package, by telling resource ids, by where the window lies.
#include "identity.h"
#include "words.h"

#include <string.h>

enum {
    SMALL_WINDOW_NODES = 20,  // a window inset from the edges with fewer nodes is a dialog or popup
};

bool wd_is_launcher(const char *package)
{
    return wd_text_contains(package, "launcher") || wd_text_contains(package, "trebuchet") ||
           wd_text_equals(package, "com.miui.home");
}

static bool is_permission_package(const char *package)
{
    return wd_text_contains(package, "permissioncontroller") ||
           wd_text_equals(package, "com.lbe.security.miui");
}

bool wd_is_overlay_package(const char *package)
{
    return is_permission_package(package) || wd_text_contains(package, "packageinstaller") ||
           wd_text_equals(package, "com.google.android.gms") || wd_text_equals(package, "android") ||
           wd_text_equals(package, "com.android.intentresolver");
}

static bool any_id(
    const wd_screen_view *view, const wd_identity *identity, const char *const *parts, size_t count)
{
    for (size_t i = 0; i < view->node_count; i++) {
        const wd_node *node = &view->nodes[i];
        if (node->resource_id == NULL || node->resource_id[0] == '\0' ||
            !wd_view_shows(view, identity, node)) {
            continue;
        }
        const char *name = wd_id_name(node->resource_id);
        for (size_t p = 0; p < count; p++) {
            if (wd_text_contains(name, parts[p])) {
                return true;
            }
        }
    }
    return false;
}

static wd_page_kind system_ui_kind(const wd_screen_view *view, const wd_identity *identity)
{
    static const char *const tiles[] = { "tile_label", "qs_tile", "quick_qs_panel", "brightness_slider" };
    static const char *const locks[] = { "keyguard", "lock_icon", "lockscreen", "lock_screen", "bouncer",
        "pinentry", "pin_entry", "lockpattern" };
    static const char *const recents[] = { "recents_view", "recents_container", "task_view_bar" };
    if (any_id(view, identity, tiles, WD_COUNT_OF(tiles))) {
        return WD_PAGE_SHADE;
    }
    if (any_id(view, identity, locks, WD_COUNT_OF(locks))) {
        return WD_PAGE_KEYGUARD;
    }
    return any_id(view, identity, recents, WD_COUNT_OF(recents)) ? WD_PAGE_RECENTS : WD_PAGE_SHADE;
}

/// The window measured against the display.
typedef struct placement {
    bool full;     // from edge to edge, but for the system bars
    bool bottom;   // from edge to edge and down to the bottom, but begins lower
    size_t nodes;  // in it
} placement;

static placement place_window(const wd_screen_view *view, const wd_identity *identity)
{
    wd_rect region = wd_view_region(view, identity);
    int64_t width = view->info->width, height = view->info->height;
    placement result = { .full = true };
    for (size_t i = 0; i < view->node_count; i++) {
        result.nodes += wd_view_shows(view, identity, &view->nodes[i]);
    }
    if (width <= 0 || height <= 0) {
        return result;
    }
    bool wide = region.left * 100LL <= width && (width - region.right) * 100LL <= 12 * width;
    bool deep = (height - region.bottom) * 100LL <= 12 * height;
    bool high = region.top * 100LL <= 12 * height;
    result.full = wide && deep && high;
    result.bottom = wide && deep && !high;
    return result;
}

/// A list to choose from and nothing to say yes or no to.
static bool is_menu(const wd_screen_view *view, const wd_identity *identity)
{
    size_t buttons = 0, lists = 0, clickable_texts = 0;
    for (size_t i = 0; i < view->node_count; i++) {
        const wd_node *node = &view->nodes[i];
        if (!wd_view_shows(view, identity, node)) {
            continue;
        }
        bool clickable = wd_node_is(node, WD_NODE_CLICKABLE);
        buttons += clickable && (wd_text_ends(node->class_name, "Button") ||
                                    wd_word_is(WD_WORD_CANCEL, wd_node_label(node)) ||
                                    wd_word_is(WD_WORD_CONFIRM, wd_node_label(node)));
        clickable_texts += clickable;
        lists += wd_text_ends(node->class_name, "ListView") || wd_text_ends(node->class_name, "RecyclerView");
    }
    return buttons == 0 && (lists > 0 || clickable_texts == 0);
}

static bool touches_edge(wd_rect rect, int64_t width, int64_t height)
{
    bool tall = (rect.bottom - rect.top) * 100LL >= 80 * height;
    return tall && (rect.left * 100LL <= width || (width - rect.right) * 100LL <= width);
}

/// An open drawer is a panel from edge to bottom that leaves a strip free, or the strip that closes it.
static bool is_drawer(const wd_screen_view *view, const wd_node *node)
{
    int64_t width = view->info->width, height = view->info->height;
    if (!touches_edge(node->rect, width, height)) {
        return false;
    }
    int64_t share = (node->rect.right - node->rect.left) * 100LL;
    const char *name = wd_id_name(node->resource_id);
    if (share >= 40 * width && share <= 92 * width) {
        return wd_text_contains(name, "drawer") || wd_text_contains(name, "nav_view") ||
               wd_text_contains(name, "navigation_view") || wd_text_contains(name, "sidebar") ||
               wd_text_ends(node->class_name, "NavigationView");
    }
    bool strip = share >= 5 * width && share < 40 * width;
    return strip && wd_node_is(node, WD_NODE_CLICKABLE) && wd_word_is(WD_WORD_CLOSE, wd_node_label(node));
}

/// Something inside a full window that changes what the page is.
static wd_page_kind inner_kind(const wd_screen_view *view, const wd_identity *identity)
{
    static const char *const errors[] = { "redbox", "logbox", "aerr_" };
    static const char *const sheets[] = { "touch_outside" };
    static const char *const sheet_bodies[] = { "bottom_sheet", "bottomsheet" };
    if (any_id(view, identity, errors, WD_COUNT_OF(errors))) {
        return WD_PAGE_ERROR_OVERLAY;
    }
    for (size_t i = 0; i < view->node_count; i++) {
        const wd_node *node = &view->nodes[i];
        if (!wd_view_shows(view, identity, node)) {
            continue;
        }
        if (is_drawer(view, node)) {
            return WD_PAGE_DRAWER;
        }
        if (wd_text_equals(node->desc, "close sheet") || wd_text_equals(node->desc, "drag handle")) {
            return WD_PAGE_SHEET;
        }
    }
    if (any_id(view, identity, sheets, WD_COUNT_OF(sheets)) &&
        any_id(view, identity, sheet_bodies, WD_COUNT_OF(sheet_bodies))) {
        return WD_PAGE_SHEET;
    }
    return WD_PAGE_APP;
}

static wd_page_kind window_kind(const wd_screen_view *view, const wd_identity *identity)
{
    static const char *const dialogs[] = { "alerttitle", "alert_title", "parentpanel", "buttonpanel" };
    placement placed = place_window(view, identity);
    if (placed.full) {
        return inner_kind(view, identity);
    }
    if (any_id(view, identity, dialogs, WD_COUNT_OF(dialogs))) {
        return WD_PAGE_DIALOG;
    }
    if (placed.bottom) {
        return WD_PAGE_SHEET;
    }
    if (placed.nodes >= SMALL_WINDOW_NODES) {
        return inner_kind(view, identity);
    }
    return is_menu(view, identity) ? WD_PAGE_POPUP : WD_PAGE_DIALOG;
}

static wd_page_kind android_kind(const wd_screen_view *view, const wd_identity *identity)
{
    bool has_ids = false;
    for (size_t i = 0; i < view->node_count && !has_ids; i++) {
        has_ids = view->nodes[i].resource_id != NULL;
    }
    // Before Android 4.3 there were no ids, and the lock screen was part of the framework.
    if (!has_ids && place_window(view, identity).full) {
        return WD_PAGE_KEYGUARD;
    }
    wd_page_kind kind = inner_kind(view, identity);
    return kind == WD_PAGE_APP ? WD_PAGE_DIALOG : kind;
}

wd_page_kind wd_identify_kind(const wd_screen_view *view, const wd_identity *identity)
{
    static const char *const permission_ids[] = { "permission_" };
    if (view->info->page_kind != WD_PAGE_UNKNOWN) {
        return view->info->page_kind;
    }
    if (view->node_count == 0) {
        return wd_is_launcher(identity->app) ? WD_PAGE_LAUNCHER : WD_PAGE_UNKNOWN;
    }
    if (wd_is_system_ui(identity->app)) {
        return system_ui_kind(view, identity);
    }
    if (is_permission_package(identity->app)) {
        return WD_PAGE_PERMISSION;
    }
    if (wd_text_contains(identity->app, "packageinstaller") &&
        any_id(view, identity, permission_ids, WD_COUNT_OF(permission_ids))) {
        return WD_PAGE_PERMISSION;
    }
    if (wd_is_launcher(identity->app)) {
        return WD_PAGE_LAUNCHER;
    }
    if (wd_text_equals(identity->app, "android")) {
        return android_kind(view, identity);
    }
    return window_kind(view, identity);
}
