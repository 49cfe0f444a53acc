/// system_ui.h - building blocks of what the operating system draws.
#ifndef SIM_SYSTEM_UI_H
#define SIM_SYSTEM_UI_H

#include "screen.h"

#define WD_SYSTEM_PACKAGE "system_ui"

extern const wd_rect wd_display;

/// An element with a place of its own: it is not laid out. NULL when memory is out.
WD_NODISCARD wd_ui_element *wd_system_box(
    wd_screen *screen, wd_ui_element *parent, wd_ui_kind kind, const char *id, wd_rect rect);
/// One of two texts, by the device's language.
const char *wd_system_text(const wd_call *call, const char *en, const char *zh);
/// A target that calls an operation. Takes *args_p (NULL: none), also on failure, which gives no target.
wd_target wd_system_op(wd_screen *screen, const char *op, wd_value **args_p);

#endif
