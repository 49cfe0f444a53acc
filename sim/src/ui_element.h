/// ui_element.h - a screen as an app describes it: a tree of elements, before and after it is laid out.
///
/// Elements live in the arena of one screen. Lengths are pixels of the 1080x2400 display.
#ifndef SIM_UI_ELEMENT_H
#define SIM_UI_ELEMENT_H

#include "scene/scene.h"
#include "ui_arena.h"

enum {
    WD_UI_ELEMENTS_MAX = 20 * 1000,  // elements of one screen
    WD_UI_DEPTH_MAX = 64,            // levels of elements inside each other
    WD_UI_INTENTS_MAX = WD_SCENE_INTENTS_MAX,
};

//    name        role in the scene   class
#define WD_UI_KIND_TABLE(X)                                                                                  \
    X(COLUMN, "column", "group", "android.widget.LinearLayout")                                              \
    X(ROW, "row", "group", "android.widget.LinearLayout")                                                    \
    X(CARD, "card", "item", "android.widget.FrameLayout")                                                    \
    X(GRID, "grid", "list", "android.widget.GridLayout")                                                     \
    X(LIST, "list", "list", "androidx.recyclerview.widget.RecyclerView")                                     \
    X(TEXT, "label", "text", "android.widget.TextView")                                                      \
    X(FIELD, "field", "field", "android.widget.EditText")                                                    \
    X(BUTTON, "button", "button", "android.widget.Button")                                                   \
    X(SWITCH, "switch", "switch", "android.widget.Switch")                                                   \
    X(CHECK, "check", "checkbox", "android.widget.CheckBox")                                                 \
    X(SLIDER, "slider", "slider", "android.widget.SeekBar")                                                  \
    X(ITEM, "item", "item", "android.widget.LinearLayout")                                                   \
    X(TABS, "tabs", "tabs", "android.widget.TabWidget")                                                      \
    X(TAB, "tab", "tab", "android.widget.TextView")                                                          \
    X(IMAGE, "image", "image", "android.widget.ImageView")                                                   \
    X(ICON, "icon", "button", "android.widget.ImageButton")                                                  \
    X(DIVIDER, "divider", "divider", "android.view.View")                                                    \
    X(SPACER, "spacer", "spacer", "android.view.View")                                                       \
    X(DIALOG, "dialog", "dialog", "android.widget.FrameLayout")                                              \
    X(SHEET, "sheet", "sheet", "android.widget.FrameLayout")                                                 \
    X(TOAST, "toast", "toast", "android.widget.Toast")                                                       \
    X(SCREEN, "screen", "group", "android.widget.FrameLayout")

typedef enum wd_ui_kind {
#define X(name, text, role, class_name) WD_UI_##name,
    WD_UI_KIND_TABLE(X)
#undef X
        WD_UI_KIND_COUNT,
} wd_ui_kind;

typedef struct wd_ui_kind_info {
    const char *name, *role, *class_name;
} wd_ui_kind_info;
extern const wd_ui_kind_info wd_ui_kinds[WD_UI_KIND_COUNT];

/// What happens when a person touches an element.
typedef enum wd_target_kind {
    WD_TARGET_NONE,
    WD_TARGET_BLOCK,    // swallows the touch: what lies under a dialog
    WD_TARGET_GO,       // navigate to `name`
    WD_TARGET_REPLACE,  // navigate, replacing the present page
    WD_TARGET_BACK,     // as the Back key
    WD_TARGET_ACTION,   // the app's action `name` with `args`
    WD_TARGET_OP,       // the operation `name` of the operating system with `args`
    WD_TARGET_FOCUS,    // give the field `name` the focus
    WD_TARGET_KEY,      // type `name`; "\b" deletes, "\n" is enter
} wd_target_kind;

typedef struct wd_target {
    wd_target_kind kind;
    const char *name;
    const wd_value *args;  // object or NULL; kept by the screen's arena
} wd_target;

typedef enum wd_ui_align { WD_UI_START, WD_UI_CENTER, WD_UI_END } wd_ui_align;

typedef struct wd_ui_element {
    wd_ui_kind kind;
    struct wd_ui_element *first, *last, *next;  // children in order; next sibling
    // What it shows.
    const char *id, *text, *label, *hint, *detail, *value, *icon, *purpose, *intent, *role;
    const char *page;  // dialog, sheet: its own page id
    bool off, selected, checked, multiline, password, system_ui, tapped_by_child;
    bool has_checked;  // item: carries a switch
    // How it wants to be laid out; 0 is "as the kind does".
    int32_t width, height, weight, pad, gap, size, lines, columns;
    wd_ui_align align;
    bool scroll;
    int32_t count, row_height, first_row;  // list: only rows first_row.. are there, of `count`
    int32_t number;                        // slider: 0..100
    // What it does.
    wd_target tap, long_press, double_tap, input, submit;
    // After layout.
    wd_rect rect;
    int32_t measured_width, measured_height;  // the last wd_ui_measure(), so that nesting costs no powers
    int32_t content_height, scroll_offset;    // of what scrolls
} wd_ui_element;

/// What the app says about the screen as a whole.
typedef struct wd_ui_screen {
    const char *page, *title;
    const wd_value *params;              // object or NULL; kept by the arena
    wd_ui_element *top, *body, *bottom;  // bar, scrolling middle, bar; each may be NULL
    wd_ui_element *overlay;              // dialog or sheet
    wd_target swipe_left, swipe_right;
} wd_ui_screen;

/// A cleared element of `kind`, added to `parent` (NULL: none). NULL when memory is out.
WD_NODISCARD wd_ui_element *wd_ui_element_new(wd_ui_arena *arena, wd_ui_element *parent, wd_ui_kind kind);
void wd_ui_element_add(wd_ui_element *parent, wd_ui_element *child);

// ---- text and layout ----------------------------------------------------------------------------------------------

/// Width of text[0..length) at `size` pixels by the fixed table (ui_text.c): the same on every machine.
int32_t wd_ui_text_width(const char *text, size_t length, int32_t size);
/// Lines that `text` breaks into at `width` pixels, at least 1.
int32_t wd_ui_text_lines(const char *text, int32_t size, int32_t width);
static inline int32_t wd_ui_line_height(int32_t size)
{
    return size * 4 / 3;
}

/// Lay `element` out from (left, top) at `width`; its height is what it needs. Sets the rect of it and all below.
void wd_ui_layout(wd_ui_element *element, int32_t left, int32_t top, int32_t width);
/// The height `element` needs at `width`.
int32_t wd_ui_measure(wd_ui_element *element, int32_t width);
/// Lay a body out in `area`: what is higher scrolls by `offset`, which is clamped into content_height.
void wd_ui_layout_body(wd_ui_element *body, wd_rect area, int32_t offset);

#endif
