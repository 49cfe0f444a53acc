/// screen.h - reading other tools' screens into the canonical scene (docs/formats.md says what is read and
/// lost).
///
/// Pure: bytes in, scene out. What cannot be told stays unknown; what is broken beyond repair is an error
/// with its reason, never an empty scene. Any thread; the scene belongs to the calling one.
#ifndef SEMANTIC_SCREEN_H
#define SEMANTIC_SCREEN_H

#include "scene/scene.h"

//    name                  text (the scene's source_format)
#define WD_SCREEN_FORMAT_TABLE(X)                                                                            \
    X(AUTO, "auto")                                                                                          \
    X(UIAUTOMATOR_XML, "uiautomator_xml")                                                                    \
    X(UIAUTOMATOR_WINDOWS_XML, "uiautomator_windows_xml")                                                    \
    X(APPIUM_XML, "appium_xml")                                                                              \
    X(DROIDBOT_STATE, "droidbot_state")                                                                      \
    X(ANDROIDWORLD_REPR, "androidworld_uielement_repr")                                                      \
    X(ANDROIDWORLD_JSON, "androidworld_uielement_json")                                                      \
    X(ACCESSIBILITY_FOREST, "accessibility_forest")                                                          \
    X(RICO, "rico")                                                                                          \
    X(MAESTRO, "maestro_hierarchy")                                                                          \
    X(DROIDRUN, "droidrun_portal")                                                                           \
    X(DUMPSYS, "dumpsys_window")                                                                             \
    X(CANONICAL, "worldd_scene")                                                                             \
    X(FAILURE, "uiautomator_failure")

typedef enum wd_screen_format {
#define X(name, text) WD_SCREEN_##name,
    WD_SCREEN_FORMAT_TABLE(X)
#undef X
        WD_SCREEN_FORMAT_COUNT,
} wd_screen_format;

const char *wd_screen_format_name(wd_screen_format format);
/// @retval WD_ENOENT  unknown name; *ret_format is untouched.
WD_NODISCARD wd_status wd_screen_format_parse(const char *name, wd_screen_format *ret_format);

/// The format by content alone. WD_SCREEN_FAILURE: text of a capture that failed. WD_SCREEN_AUTO: none we
/// know.
wd_screen_format wd_screen_recognise(const char *bytes, size_t length);

enum { WD_SCREEN_BYTES_MAX = 512 * 1024 * 1024 };  // of one screen

/// Zeroed options are the defaults.
typedef struct wd_screen_options {
    wd_screen_format format;  // WD_SCREEN_AUTO: by content
    const char *companion;    // dumpsys text taken with the screen; NULL none
    size_t companion_length;
    const char *app_package;   // the caller's, for formats that name none (Maestro); NULL unknown
    int32_t width, height;     // display in pixels as known or the largest seen in the episode; 0 unknown
    int64_t captured_at_ms;    // 0 unknown
    const wd_scene *previous;  // the scene before, for background_app and stale_suspect; NULL none
    bool page_should_change;   // the action in between usually changes the page (stale_suspect)
} wd_screen_options;

/// Read one screen. `options` may be NULL.
///
/// @retval WD_ECORRUPT a capture failure, or broken beyond repair: parse status "failed"; `error` says why
/// and, for a capture failure, quotes its text.
/// @retval WD_EUNSUPPORTED no known format, or one that is told from screens but not read (utg.js, iOS,
/// Detox).
/// @retval WD_ELIMIT        more than WD_SCREEN_BYTES_MAX bytes or WD_SCENE_NODES_MAX nodes.
/// @retval WD_ENOMEM
/// On all of these *ret_scene is untouched.
WD_NODISCARD wd_status wd_screen_read(const char *bytes, size_t length, const wd_screen_options *options,
    wd_scene **ret_scene, wd_error *error);

// ---- dumpsys: the app in front as the window or activity manager says it ----------------------------------

enum { WD_FOCUS_TEXT_MAX = 256 };

typedef struct wd_focus {
    char package[WD_FOCUS_TEXT_MAX];   // "" unknown
    char activity[WD_FOCUS_TEXT_MAX];  // full class name, "" unknown
    const char *source;  // "focused_window", "focused_app", "resumed_activity", "window_list"; static
} wd_focus;

/// Read `dumpsys window ...` or `dumpsys activity ...` text (formats.md 1.9): default display first, null
/// lines skipped, `.Act` expanded. Never fails: what is not said is unknown (`source` is then NULL).
void wd_focus_read(const char *text, size_t length, wd_focus *ret_focus);

#endif
