/// identity.h - which app is in front, which page it shows, and how sure that is (formats.md section 5).
///
/// Rules read a view, whether its nodes are still being collected or published already. Texts of an answer
/// are borrowed from the view, or static.
#ifndef SEMANTIC_IDENTITY_H
#define SEMANTIC_IDENTITY_H

#include "scene/scene.h"
#include "text_util.h"

typedef struct wd_screen_view {
    const wd_node *nodes;
    size_t node_count;
    const wd_window *windows;
    size_t window_count;
    const wd_scene_info *info;  // size, and explicit answers: they win
} wd_screen_view;

/// A page's title as it stands on the screen.
typedef struct wd_title {
    wd_span text;  // trimmed; empty: none found, or none sure enough
    int32_t node;
    const char *source;  // "title_id", "toolbar", "title_row", "dialog", "heading"
    double confidence;
} wd_title;

typedef struct wd_identity {
    const char *app, *app_source;  // NULL unknown
    int32_t window;                // of the app in front, -1 unknown
    const char *background_app;
    wd_page_kind kind;
    wd_title title;
    wd_span page;  // route, activity or title, the first there is; empty: unknown
    const char *page_source;
    double page_confidence;
} wd_identity;

/// `fallback_app` is taken when nothing on the screen names one; `previous` is the scene before. Both may be
/// NULL.
void wd_identify(const wd_screen_view *view, const char *fallback_app, const wd_scene *previous,
    wd_identity *ret_identity);

/// Nodes of the status and navigation bars are no part of the screen, unless the system UI is all there is.
void wd_mark_system_ui(wd_node *nodes, size_t count, const char *app);

// ---- the parts, each in its file --------------------------------------------------------------------------

/// identity_app.c: app, app_source and window.
void wd_identify_app(const wd_screen_view *view, wd_identity *identity);
bool wd_is_system_ui(const char *package);
/// identity_kind.c; needs app and window.
wd_page_kind wd_identify_kind(const wd_screen_view *view, const wd_identity *identity);
bool wd_is_launcher(const char *package);
/// Windows of another package that lie over an app without replacing it: permission, sign-in, install,
/// chooser.
bool wd_is_overlay_package(const char *package);
/// identity_title.c; needs app, window and kind.
wd_title wd_identify_title(const wd_screen_view *view, const wd_identity *identity);

/// Visible, with pixels, in the window in front, and no system UI.
bool wd_view_shows(const wd_screen_view *view, const wd_identity *identity, const wd_node *node);
/// What the window in front covers; the whole display when there is no window to go by.
wd_rect wd_view_region(const wd_screen_view *view, const wd_identity *identity);

#endif
