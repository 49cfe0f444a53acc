#include "identity.h"

#include <string.h>

bool wd_view_shows(const wd_screen_view *view, const wd_identity *identity, const wd_node *node)
{
    if (wd_node_get(node, WD_NODE_VISIBLE) == WD_NO || node->rect_state != WD_RECT_OK) {
        return false;
    }
    if (identity->window >= 0 && node->window != identity->window) {
        return false;
    }
    (void)view;
    return !wd_is_system_ui(node->package) || wd_is_system_ui(identity->app);
}

wd_rect wd_view_region(const wd_screen_view *view, const wd_identity *identity)
{
    if (identity->window >= 0) {
        wd_rect bounds = view->windows[identity->window].bounds;
        if (bounds.right > bounds.left && bounds.bottom > bounds.top) {
            return bounds;
        }
    }
    return (wd_rect){ 0, 0, view->info->width, view->info->height };
}

void wd_mark_system_ui(wd_node *nodes, size_t count, const char *app)
{
    if (app == NULL || wd_is_system_ui(app)) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        nodes[i].system_ui = nodes[i].system_ui || wd_is_system_ui(nodes[i].package);
    }
}

/// Who is behind something that does not replace it. The one before stays behind through several dialogs.
static const char *background_of(const wd_identity *identity, const wd_scene *previous)
{
    bool over = wd_is_system_ui(identity->app) || wd_is_overlay_package(identity->app);
    if (!over || previous == NULL) {
        return NULL;
    }
    const wd_scene_info *before = wd_scene_info_of(previous);
    bool same = before->app_package != NULL && strcmp(before->app_package, identity->app) == 0;
    bool over_before = wd_is_system_ui(before->app_package) || wd_is_overlay_package(before->app_package);
    return same || over_before ? before->background_app : before->app_package;
}

/// "ui.Main" of com.shop's com.shop.ui.Main; whole when it stands elsewhere.
static wd_span activity_name(const char *activity, const char *package)
{
    size_t length = package != NULL ? strlen(package) : 0;
    if (length > 0 && strncmp(activity, package, length) == 0 && activity[length] == '.' &&
        activity[length + 1] != '\0') {
        return wd_span_of(activity + length + 1);
    }
    return wd_span_of(activity);
}

static void choose_page(const wd_scene_info *info, wd_identity *identity)
{
    if (info->page != NULL) {  // named by whoever made the scene
        identity->page = wd_span_of(info->page);
        identity->page_source = info->page_source;
        identity->page_confidence = info->page_confidence;
    } else if (info->route != NULL) {
        identity->page = (wd_span){ info->route, strcspn(info->route, "?") };
        identity->page_source = "route";
        identity->page_confidence = 1;
    } else if (info->activity != NULL) {
        identity->page = activity_name(info->activity, info->app_package);
        identity->page_source = "activity";
        identity->page_confidence = 0.9;
    } else {
        identity->page = identity->title.text;
        identity->page_source = identity->title.source;
        identity->page_confidence = identity->title.confidence;
    }
}

void wd_identify(
    const wd_screen_view *view, const char *fallback_app, const wd_scene *previous, wd_identity *ret_identity)
{
    wd_identity identity = { .window = -1 };
    wd_identify_app(view, &identity);
    if (identity.app == NULL && fallback_app != NULL && fallback_app[0] != '\0') {
        identity.app = fallback_app;
        identity.app_source = "caller";
    }
    identity.kind = wd_identify_kind(view, &identity);
    identity.title = wd_identify_title(view, &identity);
    if (identity.app != NULL) {
        const char *background = view->info->background_app;
        identity.background_app = background != NULL ? background : background_of(&identity, previous);
    }
    choose_page(view->info, &identity);
    *ret_identity = identity;
}
