// `uiautomator dump --windows` (formats.md 1.3): every display, and on each its windows, top first, each with
// a hierarchy of its own.
#include "xml_reader.h"

#include <string.h>

static wd_status open_window(
    wd_screen_draft *draft, const char *const *attributes, int32_t display_id, wd_xml_place *place)
{
    size_t count = 0;
    (void)wd_scene_builder_windows(draft->builder, &count);
    wd_window window = {
        .title = wd_xml_attribute(attributes, "title"),
        .type = wd_window_type_named(wd_span_of(wd_xml_attribute(attributes, "type"))),
        .layer = wd_xml_number(wd_xml_attribute(attributes, "layer"), -(int32_t)count),  // top first
        .display_id = display_id,
        .focused = wd_xml_flag(wd_xml_attribute(attributes, "focused")),
        .active = wd_xml_flag(wd_xml_attribute(attributes, "active")),
    };
    (void)wd_xml_bounds(wd_xml_attribute(attributes, "bounds"), &window.bounds);
    wd_status status = wd_scene_builder_window(draft->builder, &window);
    if (status == WD_ELIMIT) {
        return wd_error_set(draft->error, WD_ELIMIT, "more than %d windows", (int)WD_SCENE_WINDOWS_MAX);
    }
    *place = (wd_xml_place){ .node = -1, .window = (int32_t)count };
    return status;
}

bool wd_windows_element(wd_screen_draft *draft, const char *name, const char *const *attributes,
    int32_t *display_id, wd_xml_place *place, wd_status *ret_status)
{
    if (strcmp(name, "display") == 0) {
        *display_id = wd_xml_number(wd_xml_attribute(attributes, "id"), 0);
        return true;
    }
    if (strcmp(name, "window") != 0) {
        return false;
    }
    *ret_status = open_window(draft, attributes, *display_id, place);
    return true;
}
