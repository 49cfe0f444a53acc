/// scene_private.h - a scene from the inside, for the builder that fills it and the scene that answers from
/// it.
#ifndef SCENE_SCENE_PRIVATE_H
#define SCENE_SCENE_PRIVATE_H

#include "arena.h"
#include "scene/scene.h"

struct wd_scene {
    size_t refs;
    wd_scene_info info;
    wd_node *nodes;
    size_t node_count, node_capacity;
    wd_window *windows;
    size_t window_count, window_capacity;
    wd_scene_intent *intents;
    size_t intent_count, intent_capacity;
    const char *warnings[WD_SCENE_WARNINGS_MAX];
    size_t warning_count;
    wd_arena arena;  // every string above
    wd_digest digest;
    bool digest_known;
};

/// Every string of a node or of the info, so that copying and writing need not repeat the list.
#define WD_NODE_NAMES(X) X(class_name) X(package) X(resource_id) X(role) X(purpose)
#define WD_NODE_TEXTS(X) X(text) X(desc) X(hint)
#define WD_INFO_TEXTS(X)                                                                                     \
    X(source_format)                                                                                         \
    X(rotation_raw)                                                                                          \
    X(app_package)                                                                                           \
    X(app_label)                                                                                             \
    X(app_source)                                                                                            \
    X(activity)                                                                                              \
    X(activity_source)                                                                                       \
    X(route)                                                                                                 \
    X(page)                                                                                                  \
    X(page_source)                                                                                           \
    X(background_app)

wd_digest wd_scene_digest_nodes(const wd_scene_info *info, const wd_node *nodes, size_t count);

// Names of the small enums, in the order of their numbers.
extern const char *const wd_scene_flag_names[WD_NODE_FLAG_COUNT];
extern const char *const wd_scene_page_kind_names[WD_PAGE_KIND_COUNT];
extern const char *const wd_scene_parse_status_names[WD_PARSE_FAILED + 1];
extern const char *const wd_scene_rect_state_names[WD_RECT_UNKNOWN + 1];
extern const char *const wd_scene_window_type_names[WD_WINDOW_DIVIDER + 1];

#endif
