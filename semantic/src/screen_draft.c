#include "screen_draft.h"

#include "identity.h"
#include "text_util.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

wd_status wd_draft_recovered(wd_screen_draft *draft, const char *format, ...)
{
    char text[WD_ERROR_TEXT_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    draft->info.parse_status = WD_PARSE_RECOVERED;
    return wd_scene_builder_warning(draft->builder, "%s", text);
}

const char *wd_draft_text(wd_screen_draft *draft, const char *text, size_t length)
{
    return wd_scene_builder_strndup(draft->builder, text, length);
}

wd_status wd_draft_component(wd_screen_draft *draft, wd_span component, const char *source)
{
    const char *slash = memchr(component.at, '/', component.length);
    wd_span package = { component.at, slash != NULL ? (size_t)(slash - component.at) : component.length };
    if (package.length == 0) {
        return WD_OK;
    }
    wd_scene_info *info = &draft->info;
    info->app_package = wd_draft_text(draft, package.at, package.length);
    info->app_source = source;
    if (info->app_package == NULL || slash == NULL || package.length + 1 == component.length) {
        return info->app_package != NULL ? WD_OK : WD_ENOMEM;
    }
    wd_span activity = { slash + 1, component.length - package.length - 1 };
    char text[WD_FOCUS_TEXT_MAX * 2];
    size_t prefix = activity.at[0] == '.' ? package.length : 0;  // ".Main" is below the package
    if (prefix + activity.length >= sizeof text) {
        return WD_OK;
    }
    memcpy(text, package.at, prefix);
    memcpy(text + prefix, activity.at, activity.length);
    info->activity = wd_draft_text(draft, text, prefix + activity.length);
    info->activity_source = source;
    return info->activity != NULL ? WD_OK : WD_ENOMEM;
}

static int32_t larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

/// The display's size: the file's own; else the largest coordinates, no less than the root says or was seen
/// before.
static void decide_size(wd_screen_draft *draft, const wd_node *nodes, size_t count)
{
    if (draft->size_is_given) {
        return;
    }
    int32_t width = larger(draft->root_width, draft->options->width);
    int32_t height = larger(draft->root_height, draft->options->height);
    for (size_t i = 0; i < count; i++) {
        if (nodes[i].rect_state != WD_RECT_UNKNOWN) {
            width = larger(width, nodes[i].rect.right);
            height = larger(height, nodes[i].rect.bottom);
        }
    }
    draft->info.width = width;
    draft->info.height = height;
}

/// Judge every rectangle; false when nothing has an area, so that there is no screen to see.
static bool judge_rects(const wd_scene_info *info, wd_node *nodes, size_t count)
{
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        if (nodes[i].rect_state != WD_RECT_UNKNOWN) {
            nodes[i].rect_state = wd_rect_judge(nodes[i].rect, info->width, info->height);
        }
        any |= nodes[i].rect_state != WD_RECT_EMPTY && nodes[i].rect_state != WD_RECT_INVERTED;
    }
    return any;
}

/// What dumpsys said at the same time beats the tree, which may have been read too early or too late.
static wd_status apply_companion(wd_screen_draft *draft)
{
    const wd_screen_options *options = draft->options;
    wd_focus focus = { .source = NULL };
    if (options->companion != NULL) {
        wd_focus_read(options->companion, options->companion_length, &focus);
    }
    if (focus.source == NULL) {
        return WD_OK;
    }
    wd_scene_info *info = &draft->info;
    info->app_package = wd_draft_text(draft, focus.package, strlen(focus.package));
    info->app_source = focus.source;
    if (info->app_package == NULL) {
        return WD_ENOMEM;
    }
    if (focus.activity[0] != '\0') {
        info->activity = wd_draft_text(draft, focus.activity, strlen(focus.activity));
        info->activity_source = focus.source;
        return info->activity != NULL ? WD_OK : WD_ENOMEM;
    }
    return WD_OK;
}

/// A WebView without children has content that the tree does not show.
static wd_status warn_webviews(wd_screen_draft *draft, const wd_node *nodes, size_t count)
{
    size_t empty = 0;
    for (size_t i = 0; i < count; i++) {
        bool leaf = i + 1 == count || nodes[i + 1].parent != nodes[i].id;
        empty += leaf && wd_text_ends(nodes[i].class_name, "WebView") && wd_node_label(&nodes[i]) == NULL;
    }
    if (empty == 0) {
        return WD_OK;
    }
    return wd_scene_builder_warning(
        draft->builder, "content of %zu WebView%s unknown", empty, empty > 1 ? "s" : "");
}

/// The same nodes after an action that should have changed them: perhaps an old tree, perhaps no effect.
static wd_status suspect_stale(wd_screen_draft *draft)
{
    const wd_scene *previous = draft->options->previous;
    if (previous == NULL || !draft->options->page_should_change ||
        !wd_digest_equal(wd_scene_digest(previous), wd_scene_builder_digest(draft->builder, &draft->info))) {
        return WD_OK;
    }
    draft->info.stale_suspect = true;
    return wd_scene_builder_warning(draft->builder, "the tree is the same as before the action");
}

/// Fill in what the file did not say itself.
static wd_status apply_identity(wd_screen_draft *draft, const wd_identity *identity)
{
    wd_scene_info *info = &draft->info;
    info->app_package = identity->app;
    info->app_source = identity->app_source;
    info->background_app = identity->background_app;
    info->page_kind = identity->kind;
    if (info->page != NULL) {
        return WD_OK;
    }
    if (identity->page.length > 0) {
        info->page = wd_draft_text(draft, identity->page.at, identity->page.length);
        info->page_source = identity->page_source;
        info->page_confidence = identity->page_confidence;
        return info->page != NULL ? WD_OK : WD_ENOMEM;
    }
    return WD_OK;
}

static const struct window_name {
    const char *name;
    wd_window_type type;
} window_names[] = {
    // in the order of their numbers, from 1
    { "TYPE_APPLICATION", WD_WINDOW_APPLICATION },
    { "TYPE_INPUT_METHOD", WD_WINDOW_INPUT_METHOD },
    { "TYPE_SYSTEM", WD_WINDOW_SYSTEM },
    { "TYPE_ACCESSIBILITY_OVERLAY", WD_WINDOW_OVERLAY },
    { "TYPE_SPLIT_SCREEN_DIVIDER", WD_WINDOW_DIVIDER },
};

wd_window_type wd_window_type_named(wd_span name)
{
    for (size_t i = 0; i < WD_COUNT_OF(window_names); i++) {
        if (wd_span_is(name, window_names[i].name)) {
            return window_names[i].type;
        }
    }
    return WD_WINDOW_UNKNOWN;
}

wd_window_type wd_window_type_numbered(int32_t number)
{
    const bool known = number >= 1 && (size_t)number <= WD_COUNT_OF(window_names);
    return known ? window_names[number - 1].type : WD_WINDOW_UNKNOWN;
}

wd_status wd_draft_finish(wd_screen_draft *draft, wd_scene **ret_scene)
{
    size_t count = 0, window_count = 0;
    wd_node *nodes = wd_scene_builder_nodes(draft->builder, &count);
    if (count == 0 && !draft->without_nodes) {
        return wd_error_set(draft->error, WD_ECORRUPT, "capture failed: the tree is empty");
    }
    decide_size(draft, nodes, count);
    if (!judge_rects(&draft->info, nodes, count) && !draft->without_nodes) {
        return wd_error_set(draft->error, WD_ECORRUPT, "capture failed: nothing in the tree has a size");
    }
    wd_status status = apply_companion(draft);
    if (status == WD_OK) {
        status = warn_webviews(draft, nodes, count);
    }
    if (status != WD_OK) {
        return status;
    }
    const wd_window *windows = wd_scene_builder_windows(draft->builder, &window_count);
    wd_screen_view view = { nodes, count, windows, window_count, &draft->info };
    wd_identity identity;
    wd_identify(&view, draft->options->app_package, draft->options->previous, &identity);
    wd_mark_system_ui(nodes, count, identity.app);
    status = apply_identity(draft, &identity);
    if (status == WD_OK) {
        status = suspect_stale(draft);
    }
    if (status == WD_OK) {
        status = wd_scene_builder_finish(draft->builder, &draft->info, ret_scene);
    }
    return status;
}
