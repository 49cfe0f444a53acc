/// scene_fixture.h - one small screen with every field in use, and a way to change it before it is built.
#ifndef SCENE_FIXTURE_H
#define SCENE_FIXTURE_H

#include "scene/scene.h"

enum { FIXTURE_ROOT, FIXTURE_BUTTON, FIXTURE_HIDDEN, FIXTURE_CLOCK, FIXTURE_NODE_COUNT };

typedef void fixture_change(wd_scene_info *info, wd_node *nodes);

/// Collect the fixture's windows, nodes, intent and warning; *ret_info is what finish wants. Stops at the
/// first failure.
static inline wd_status fixture_collect(
    wd_scene_builder *builder, fixture_change *change, wd_value *params, wd_scene_info *ret_info)
{
    wd_scene_info info = {
        .source_format = "device",
        .captured_at_ms = 1700000000000,
        .display_id = 1,
        .width = 1080,
        .height = 2400,
        .rotation_raw = "0",
        .app_package = "messages",
        .app_label = "Messages",
        .app_source = "device",
        .activity = "ThreadActivity",
        .activity_source = "device",
        .route = "/thread/2",
        .page = "conversation",
        .page_source = "device",
        .page_confidence = 1,
        .page_params = params,
        .page_kind = WD_PAGE_APP,
        .background_app = "launcher",
        .stale_suspect = true,
        .parse_status = WD_PARSE_RECOVERED,
    };
    wd_node nodes[FIXTURE_NODE_COUNT] = {
        [FIXTURE_ROOT] = { .parent = -1,
            .window = 0,
            .class_name = "FrameLayout",
            .rect = { 0, 0, 1080, 2400 } },
        [FIXTURE_BUTTON] = { .parent = 0,
            .window = 0,
            .class_name = "Button",
            .package = "messages",
            .resource_id = "send",
            .text = "Send",
            .desc = "",
            .role = "button",
            .purpose = "submit",
            .rect = { 900, 2200, 1040, 2300 } },
        [FIXTURE_HIDDEN] = { .parent = 0,
            .window = 0,
            .text = "under the fold",
            .hint = "hint",
            .rect = { 0, 2400, 1080, 2500 },
            .rect_state = WD_RECT_OFFSCREEN },
        [FIXTURE_CLOCK] = { .parent = -1,
            .window = -1,
            .text = "12:00",
            .rect_state = WD_RECT_UNKNOWN,
            .system_ui = true },
    };
    wd_node_set(&nodes[FIXTURE_BUTTON], WD_NODE_CLICKABLE, WD_YES);
    wd_node_set(&nodes[FIXTURE_BUTTON], WD_NODE_ENABLED, WD_NO);
    if (change != NULL) {
        change(&info, nodes);
    }
    wd_window window = { .package = "messages",
        .title = "Messages",
        .type = WD_WINDOW_APPLICATION,
        .layer = 3,
        .display_id = 1,
        .focused = WD_YES,
        .active = WD_NO,
        .bounds = { 0, 0, 1080, 2400 } };
    wd_status status = wd_scene_builder_window(builder, &window);
    for (int i = 0; i < FIXTURE_NODE_COUNT && status == WD_OK; i++) {
        status = wd_scene_builder_node(builder, &nodes[i], NULL);
    }
    if (status == WD_OK) {
        status = wd_scene_builder_intent(builder, &(wd_scene_intent){ "send the message", FIXTURE_BUTTON });
    }
    if (status == WD_OK) {
        status = wd_scene_builder_warning(builder, "cut %d bytes", 7);
    }
    *ret_info = info;
    return status;
}

/// The fixture as a scene; asserts that all goes well.
static inline wd_scene *fixture_scene(fixture_change *change)
{
    wd_scene_builder *builder = NULL;
    wd_scene_info info;
    wd_scene *scene = NULL;
    wd_assert(wd_scene_builder_new(&builder) == WD_OK);
    wd_assert(fixture_collect(builder, change, NULL, &info) == WD_OK);
    wd_assert(wd_scene_builder_finish(builder, &info, &scene) == WD_OK);
    wd_scene_builder_destroy(&builder);
    return scene;
}

#endif
