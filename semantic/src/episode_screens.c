/// Screens that are part of a recording: folders of dumps, and screens that stand inside a step's own record.
#include "episode_build.h"

#include "semantic/screen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- folders of dumps -----------------------------------------------------------------------------------------

static bool is_dump(const char *name, bool only_xml)
{
    static const char *const tails[] = { ".xml", ".uix", ".json", ".txt" };
    for (size_t i = 0; i < (only_xml ? 2 : WD_COUNT_OF(tails)); i++) {
        if (wd_text_ends(name, tails[i])) {
            return true;
        }
    }
    return false;
}

void wd_episode_screens(wd_recording *recording)
{
    bool only_xml = false;
    for (size_t i = 0; i < recording->source.count; i++) {
        only_xml = only_xml || is_dump(wd_episode_name(recording, i), true);
    }
    if (wd_episode_begin(recording, WD_SPACE_PX) == NULL) {
        return;
    }
    for (size_t i = 0; recording->status == WD_OK && i < recording->source.count; i++) {
        const char *name = wd_episode_name(recording, i);
        wd_step_record *record = is_dump(name, only_xml) ? wd_episode_step_add(recording) : NULL;
        if (record != NULL) {
            const char *slash = strrchr(name, '/');
            record->step.id = slash == NULL ? name : slash + 1;
            record->step.number = (int64_t)recording->episodes[0].header.step_count - 1;
            record->step.has_screen = true;
            record->place = WD_PLACE_FILE;
            record->screen = name;
        }
    }
    if (recording->status == WD_OK && recording->episodes[0].header.step_count == 0) {
        wd_episode_fail(recording, WD_ENOENT, "no screen dumps in the folder");
    }
}

// ---- inline screens -------------------------------------------------------------------------------------------

static int32_t pixel(double number)
{
    return number >= INT32_MIN && number <= INT32_MAX ? (int32_t)floor(number) : 0;
}

static wd_status keep_string(wd_scene_builder *builder, wd_span text, const char **ret_kept)
{
    *ret_kept = wd_scene_builder_strndup(builder, text.at, text.length);
    return *ret_kept == NULL ? WD_ENOMEM : WD_OK;
}

/// One AITZ element: y, x, height, width in pixels of the screenshot, or fractions of it.
static wd_status add_box(
    wd_scene_builder *builder, const wd_value *screen, size_t index, double width, double height)
{
    const wd_value *box = wd_array_at(wd_object_get(screen, "boxes"), index);
    wd_node node = { .parent = -1, .window = -1, .rect_state = WD_RECT_UNKNOWN };
    double side[4] = { 0 };
    for (size_t i = 0; i < 4; i++) {
        side[i] = wd_value_double_or(wd_array_at(box, i), 0) * (i % 2 == 0 ? height : width);
    }
    node.rect =
        (wd_rect){ pixel(side[1]), pixel(side[0]), pixel(side[1] + side[3]), pixel(side[0] + side[2]) };
    if (wd_array_count(box) == 4) {
        bool empty = node.rect.left == node.rect.right || node.rect.top == node.rect.bottom;
        node.rect_state = empty ? WD_RECT_EMPTY : WD_RECT_OK;
    }
    wd_span text = wd_value_span(wd_array_at(wd_object_get(screen, "texts"), index));
    wd_span type = wd_value_span(wd_array_at(wd_object_get(screen, "types"), index));
    wd_status status = keep_string(builder, text, &node.text);
    if (status == WD_OK) {
        status = keep_string(builder, type, &node.class_name);
    }
    return status == WD_OK ? wd_scene_builder_node(builder, &node, NULL) : status;
}

static wd_status boxes_scene(wd_scene_builder *builder, const wd_value *screen, wd_scene_info *info)
{
    bool fractions = wd_value_bool_or(wd_object_get(screen, "fractions"), false);
    double width = wd_value_double_or(wd_object_get(screen, "width"), 0);
    double height = wd_value_double_or(wd_object_get(screen, "height"), 0);
    size_t count = wd_array_count(wd_object_get(screen, "boxes"));
    wd_status status = WD_OK;
    info->source_format = "aitz_elements";
    if (width > 0 && height > 0) {
        info->width = pixel(width);
        info->height = pixel(height);
    } else if (fractions) {
        width = height = 1000;  // no size is recorded: thousandths keep the places apart
        status = wd_scene_builder_warning(builder, "no image size: boxes are in thousandths of the screen");
    }
    for (size_t i = 0; status == WD_OK && i < count; i++) {
        status = add_box(builder, screen, i, fractions ? width : 1, fractions ? height : 1);
    }
    return status;
}

/// The value of `key` in ";class:...;content-desc:...": up to the next known key, as texts may hold semicolons.
static wd_span line_field(wd_span line, const char *key)
{
    static const char *const keys[] = {
        ";text:", ";icon:", ";class:", ";content-desc:", ";clickable:", ";enabled:", ";focusable:"
    };
    size_t at = wd_span_find_last(line, key);
    if (at == line.length) {
        return (wd_span){ "", 0 };
    }
    wd_span rest = wd_span_from(line, at + strlen(key));
    size_t end = rest.length;
    for (size_t i = 0; i < WD_COUNT_OF(keys); i++) {
        size_t next = wd_span_find(rest, keys[i]);
        end = next < end ? next : end;
    }
    rest.length = end;
    rest = wd_span_trim(rest);
    return wd_span_is(rest, "None") ? (wd_span){ "", 0 } : rest;
}

static void line_flag(wd_node *node, wd_node_flag flag, wd_span value)
{
    if (wd_span_is(value, "true") || wd_span_is(value, "false")) {
        wd_node_set(node, flag, wd_span_is(value, "true") ? WD_YES : WD_NO);
    }
}

/// "[x, y];text: ...;class:...": only the middle of the element is known.
static wd_status add_line(wd_scene_builder *builder, wd_span line)
{
    wd_node node = { .parent = -1, .window = -1, .rect_state = WD_RECT_UNKNOWN };
    size_t end = wd_span_find(line, "]");
    double middle[4] = { 0 };
    if (end < line.length && wd_span_numbers((wd_span){ line.at, end + 1 }, middle) == 2) {
        int32_t x = pixel(middle[0]);
        int32_t y = pixel(middle[1]);
        node.rect = (wd_rect){ x, y, x, y };
    }
    line_flag(&node, WD_NODE_CLICKABLE, line_field(line, ";clickable:"));
    line_flag(&node, WD_NODE_ENABLED, line_field(line, ";enabled:"));
    const struct {
        const char *key;
        const char **field;
    } fields[] = { { ";text:", &node.text }, { ";class:", &node.class_name },
        { ";content-desc:", &node.desc },
        { ";icon:", &node.hint } };  // a caption that a model wrote is no text of the screen
    wd_status status = WD_OK;
    for (size_t i = 0; status == WD_OK && i < WD_COUNT_OF(fields); i++) {
        wd_span value = line_field(line, fields[i].key);
        if (value.length > 0) {
            status = keep_string(builder, value, fields[i].field);
        }
    }
    return status == WD_OK ? wd_scene_builder_node(builder, &node, NULL) : status;
}

static wd_status lines_scene(wd_scene_builder *builder, const wd_value *screen, wd_scene_info *info)
{
    wd_status status = WD_OK;
    info->source_format = "mobileagent_elements";
    for (size_t i = 0; status == WD_OK && i < wd_array_count(screen); i++) {
        status = add_line(builder, wd_value_span(wd_array_at(screen, i)));
    }
    return status;
}

/// A route is a screen without nodes: the app and page in front are all that was recorded.
static wd_status route_scene(wd_scene_builder *builder, const wd_value *route, wd_scene_info *info)
{
    wd_span app = wd_value_span(wd_object_get(route, "app"));
    wd_span path = wd_value_span(wd_object_get(route, "path"));
    wd_status status = keep_string(builder, app, &info->app_package);
    info->source_format = "mobilegym_route";
    info->app_source = "route";
    info->app_label = info->app_package;
    info->page_kind = WD_PAGE_APP;
    if (status == WD_OK && path.length > 0) {
        status = keep_string(builder, path, &info->route);
        path.length = wd_span_find(path, "?");
        if (status == WD_OK) {
            status = keep_string(builder, path, &info->page);
        }
        info->page_source = "route";
        info->page_confidence = 1;
    }
    return status;
}

wd_status wd_episode_inline_scene(const wd_step_record *record, wd_scene **ret_scene)
{
    wd_scene_builder *builder = NULL;
    wd_scene_info info = { .captured_at_ms = record->step.time_ms > 0 ? record->step.time_ms : 0 };
    wd_status status = wd_scene_builder_new(&builder);
    if (status != WD_OK) {
        return status;
    }
    switch (record->place) {
    case WD_PLACE_ROUTE:
        status = route_scene(builder, record->inline_screen, &info);
        break;
    case WD_PLACE_BOXES:
        status = boxes_scene(builder, record->inline_screen, &info);
        break;
    default:
        status = lines_scene(builder, record->inline_screen, &info);
        break;
    }
    if (status == WD_OK) {
        status = wd_scene_builder_finish(builder, &info, ret_scene);
    }
    wd_scene_builder_destroy(&builder);
    return status;
}
