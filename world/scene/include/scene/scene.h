/// scene.h - the canonical scene: what is on a screen, as flat structs (spec/formats.md section 4).
///
/// A scene is immutable and reference-counted once built; it belongs to the thread that built it. Strings are
/// UTF-8; NULL is absent, "" is a present but empty attribute. Everything returned is borrowed from the scene.
#ifndef SCENE_SCENE_H
#define SCENE_SCENE_H

#include "tree/json.h"

enum {
    WD_SCENE_NODES_MAX = 1000 * 1000,
    WD_SCENE_WINDOWS_MAX = 64,
    WD_SCENE_WARNINGS_MAX = 16,
    WD_SCENE_INTENTS_MAX = 64,
};

/// Pixels of the display; right and bottom are exclusive. Negative and inverted values are kept as read.
typedef struct wd_rect {
    int32_t left, top, right, bottom;
} wd_rect;

typedef enum wd_rect_state {
    WD_RECT_OK,
    WD_RECT_EMPTY,      // zero width or height
    WD_RECT_INVERTED,   // right < left or bottom < top
    WD_RECT_OFFSCREEN,  // no pixel inside the display
    WD_RECT_UNKNOWN,    // no readable bounds
} wd_rect_state;

typedef enum wd_node_flag {
    WD_NODE_CLICKABLE,
    WD_NODE_LONG_CLICKABLE,
    WD_NODE_CHECKABLE,
    WD_NODE_CHECKED,
    WD_NODE_SCROLLABLE,
    WD_NODE_EDITABLE,
    WD_NODE_ENABLED,
    WD_NODE_FOCUSED,
    WD_NODE_SELECTED,
    WD_NODE_PASSWORD,
    WD_NODE_VISIBLE,
    WD_NODE_FLAG_COUNT,
} wd_node_flag;
const char *wd_node_flag_name(wd_node_flag flag);  // "clickable", "long_clickable", ...

/// What a rectangle is on a display of this size; 0 is an unknown size.
wd_rect_state wd_rect_judge(wd_rect rect, int32_t width, int32_t height);

/// A flag is three-valued: an AndroidWorld `None` is unknown, not false.
typedef enum wd_tristate { WD_UNKNOWN, WD_NO, WD_YES } wd_tristate;

typedef struct wd_node {
    int32_t id;      // pre-order number in this scene, from 0; never carried over to another scene
    int32_t parent;  // id, -1 for a window's root
    int32_t window;  // index into the scene's windows, -1 unknown
    const char *class_name, *package, *resource_id;
    const char *text, *desc, *hint;
    const char *role;  // device: "button", "text", "field", "switch", "list", "item", "tab", "image", ...
    const char
        *purpose;  // device: what the app says it is for: "search", "submit", "back", "toggle", "item", "tab"
    wd_rect rect;
    wd_rect_state rect_state;
    uint16_t flags_yes, flags_known;  // bit per wd_node_flag
    bool system_ui;                   // status bar, navigation bar: no part of the scene's digest
} wd_node;

wd_tristate wd_node_get(const wd_node *node, wd_node_flag flag);
void wd_node_set(wd_node *node, wd_node_flag flag, wd_tristate value);
static inline bool wd_node_is(const wd_node *node, wd_node_flag flag)
{
    return (node->flags_yes >> flag & 1) != 0;
}
/// text, else desc, else hint; NULL when all are absent or empty.
const char *wd_node_label(const wd_node *node);

typedef enum wd_window_type {
    WD_WINDOW_UNKNOWN,
    WD_WINDOW_APPLICATION,
    WD_WINDOW_INPUT_METHOD,
    WD_WINDOW_SYSTEM,
    WD_WINDOW_OVERLAY,
    WD_WINDOW_DIVIDER,
} wd_window_type;

typedef struct wd_window {
    const char *package, *title;
    wd_window_type type;
    int32_t layer;  // higher is in front
    int32_t display_id;
    wd_tristate focused, active;
    wd_rect bounds;
} wd_window;

typedef enum wd_page_kind {
    WD_PAGE_UNKNOWN,
    WD_PAGE_APP,
    WD_PAGE_LAUNCHER,
    WD_PAGE_DIALOG,
    WD_PAGE_SHEET,
    WD_PAGE_POPUP,
    WD_PAGE_DRAWER,
    WD_PAGE_PERMISSION,
    WD_PAGE_KEYGUARD,
    WD_PAGE_SHADE,
    WD_PAGE_RECENTS,
    WD_PAGE_ERROR_OVERLAY,
    WD_PAGE_KIND_COUNT,
} wd_page_kind;
const char *wd_page_kind_name(wd_page_kind kind);  // "unknown", "app", "launcher", ...

typedef enum wd_parse_status { WD_PARSE_OK, WD_PARSE_RECOVERED, WD_PARSE_FAILED } wd_parse_status;
const char *wd_parse_status_name(wd_parse_status status);  // "ok", "recovered", "failed"

/// An intent that the app declares for the screen: what a person could do here.
typedef struct wd_scene_intent {
    const char *text;  // "send message to Li Wei"
    int32_t node;      // the node that does it, -1 none
} wd_scene_intent;

/// The scene's own fields. `*_source` name where a value came from ("activity_manager", "route", "focused_window",
/// "tree", "device", ...), NULL when the value is absent.
typedef struct wd_scene_info {
    const char *source_format;  // "device", "uiautomator_xml", "droidbot_state", ...
    int64_t captured_at_ms;     // as recorded, 0 unknown; no part of the digest
    int32_t display_id;
    int32_t width, height;  // pixels, 0 unknown
    const char *rotation_raw;
    const char *app_package;  // package or pack id of the app in front, NULL unknown
    const char *app_label, *app_source;
    const char *activity, *activity_source;
    const char *route;  // device: path with query
    const char *page, *page_source;
    double page_confidence;  // 0..1
    wd_value *page_params;   // device: parameters of the page; object or NULL
    wd_page_kind page_kind;
    const char *background_app;
    bool stale_suspect;
    wd_parse_status parse_status;
} wd_scene_info;

/// Immutable; counted without locks, so a scene belongs to one thread. What its functions return is borrowed from it, and an
/// index must be below its count.
typedef struct wd_scene wd_scene;

wd_scene *wd_scene_ref(const wd_scene *scene);  // NULL gives NULL
void wd_scene_unref(wd_scene **scene_p);
const wd_scene_info *wd_scene_info_of(const wd_scene *scene);
size_t wd_scene_node_count(const wd_scene *scene);
const wd_node *wd_scene_node(const wd_scene *scene, size_t id);  // NULL past the end
size_t wd_scene_window_count(const wd_scene *scene);
const wd_window *wd_scene_window(const wd_scene *scene, size_t index);
size_t wd_scene_warning_count(const wd_scene *scene);
const char *wd_scene_warning(const wd_scene *scene, size_t index);
size_t wd_scene_intent_count(const wd_scene *scene);
const wd_scene_intent *wd_scene_intent_at(const wd_scene *scene, size_t index);

/// Digest of what a person sees: app, activity, route, page and the visible nodes that are no system UI. Cached.
/// Ids, parents, windows and where the answers come from are no part of it.
wd_digest wd_scene_digest(const wd_scene *scene);

/// Would wd_scene_head_to_value() make the same of both?
bool wd_scene_same_head(const wd_scene *a, const wd_scene *b);

/// What a person sees now: flag WD_NODE_VISIBLE is not "no", and some pixel is inside the display (unknown bounds
/// count as inside).
bool wd_scene_node_visible(const wd_scene *scene, const wd_node *node);

/// The scene as JSON value and back: one object with the fields of wd_scene_info, `windows`, `nodes`, `intents`
/// and `warnings`, named as in this header. What is absent, unknown, zero (numbers of info) or false (booleans that
/// are no flags) is left out; a rect is [left, top, right, bottom]; flags are {"clickable": true, ...}.
/// @retval WD_EINVAL  `error` names the field ("nodes[3]: rect: ...").
WD_NODISCARD wd_status wd_scene_to_value(const wd_scene *scene, wd_value **ret_value);
/// All of it but `nodes`.
WD_NODISCARD wd_status wd_scene_head_to_value(const wd_scene *scene, wd_value **ret_value);
/// One of its `nodes`, for those who tell only some.
WD_NODISCARD wd_status wd_node_to_value(const wd_node *node, wd_value **ret_value);
/// Append the text that wd_json_write() makes of it, at a fraction of the cost. @retval WD_ENOMEM the buffer holds what it
/// held before.
WD_NODISCARD wd_status wd_node_write_json(const wd_node *node, wd_buffer *buffer);
WD_NODISCARD wd_status wd_scene_from_value(const wd_value *value, wd_scene **ret_scene, wd_error *error);

// ---- building -------------------------------------------------------------------------------------------------

/// Collects a scene; strings are copied. On WD_ENOMEM or WD_ELIMIT the builder stays usable and unchanged.
typedef struct wd_scene_builder wd_scene_builder;

WD_NODISCARD wd_status wd_scene_builder_new(wd_scene_builder **ret_builder);
void wd_scene_builder_destroy(wd_scene_builder **builder_p);
/// Append a node; its id is set to the number of nodes before it, its parent must be -1 or an earlier id.
/// rect_state is taken as given. *ret_id may be NULL.
WD_NODISCARD wd_status wd_scene_builder_node(wd_scene_builder *builder, const wd_node *node, int32_t *ret_id);
WD_NODISCARD wd_status wd_scene_builder_window(wd_scene_builder *builder, const wd_window *window);
WD_NODISCARD wd_status wd_scene_builder_intent(wd_scene_builder *builder, const wd_scene_intent *intent);
/// Past WD_SCENE_WARNINGS_MAX warnings are counted into the last one, which then says how many more there were.
WD_NODISCARD wd_status wd_scene_builder_warning(wd_scene_builder *builder, const char *format, ...)
    WD_PRINTF(2, 3);
/// Nodes collected so far, for rules that run before the end; writable, valid until the next node is added.
wd_node *wd_scene_builder_nodes(wd_scene_builder *builder, size_t *ret_count);
/// The same for windows.
wd_window *wd_scene_builder_windows(wd_scene_builder *builder, size_t *ret_count);
/// What wd_scene_digest() would say of the scene that wd_scene_builder_finish() would publish now.
wd_digest wd_scene_builder_digest(const wd_scene_builder *builder, const wd_scene_info *info);
/// Copy a string into the scene's arena, for changing a collected node's strings. NULL on WD_ENOMEM.
const char *wd_scene_builder_strndup(wd_scene_builder *builder, const char *text, size_t length);
/// Publish: copies `info` (and takes a reference to page_params), empties the builder's content into the scene;
/// the builder may then collect the next one. Windows and nodes named by index must be there (asserted).
WD_NODISCARD wd_status wd_scene_builder_finish(
    wd_scene_builder *builder, const wd_scene_info *info, wd_scene **ret_scene);

#endif
