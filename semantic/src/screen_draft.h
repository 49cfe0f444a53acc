/// screen_draft.h - what a reader fills: nodes and windows in the builder, and what the file itself says
/// about app, page and size. wd_screen_draft_finish() then sizes, judges and identifies, the same for every
/// format.
#ifndef SEMANTIC_SCREEN_DRAFT_H
#define SEMANTIC_SCREEN_DRAFT_H

#include "semantic/screen.h"
#include "text_util.h"

typedef struct wd_screen_draft {
    wd_scene_builder *builder;
    const wd_screen_options *options;  // never NULL
    wd_scene_info info;                // explicit answers only; texts static or from the builder's arena
    int32_t root_width, root_height;   // as the file says, to be raised to what is on the screen; 0 unknown
    bool size_is_given;                // info.width and height are the display's own; nothing may raise them
    bool without_nodes;                // a legal screen of this format has no tree (dumpsys)
    wd_error *error;
} wd_screen_draft;

/// One reader per format. On any status but WD_OK the builder's content is dropped by the caller.
typedef wd_status wd_screen_reader(wd_screen_draft *draft, const char *bytes, size_t length);
wd_screen_reader wd_read_xml, wd_read_droidbot, wd_read_androidworld_repr, wd_read_androidworld_json,
    wd_read_forest, wd_read_rico, wd_read_maestro, wd_read_droidrun, wd_read_dumpsys;

/// Note that something had to be cut or replaced: the scene is then "recovered".
WD_NODISCARD wd_status wd_draft_recovered(wd_screen_draft *draft, const char *format, ...) WD_PRINTF(2, 3);

/// The whole of text[0..length) into the scene's arena. NULL on WD_ENOMEM.
const char *wd_draft_text(wd_screen_draft *draft, const char *text, size_t length);

/// "package/.Activity" (or a bare package) as the explicit app and activity.
WD_NODISCARD wd_status wd_draft_component(wd_screen_draft *draft, wd_span component, const char *source);

/// A kind of window by Android's name ("TYPE_APPLICATION") or by the number of AccessibilityWindowInfo, 1 to 5;
/// anything else is WD_WINDOW_UNKNOWN.
wd_window_type wd_window_type_named(wd_span name);
wd_window_type wd_window_type_numbered(int32_t number);

WD_NODISCARD wd_status wd_draft_finish(wd_screen_draft *draft, wd_scene **ret_scene);

#endif
