/// input.h - what a person does with a screen: which element is meant, and what touching it does.
#ifndef SIM_INPUT_H
#define SIM_INPUT_H

#include "host.h"
#include "scene/aim.h"

/// One action being executed.
typedef struct wd_input {
    wd_host *host;
    wd_device *device;
    const wd_action *action;
    wd_screen *screen;  // the present one
    bool touched;       // something happened
    wd_error error;     // of an app's code
} wd_input;

typedef enum wd_gesture { WD_GESTURE_TAP, WD_GESTURE_LONG_PRESS, WD_GESTURE_DOUBLE_TAP } wd_gesture;

/// Touch what is at a point (or a node: its middle). Sets input->touched. @retval as operations and apps say.
WD_NODISCARD wd_status wd_input_touch(wd_input *input, int32_t node, double x, double y, wd_gesture gesture);
/// The element that would take `gesture` at a point, or NULL.
const wd_ui_element *wd_input_hit(const wd_screen *screen, double x, double y, wd_gesture gesture);

/// Put a slider to where `x` is between its ends; x lies on it. Nothing happens to one that is off.
WD_NODISCARD wd_status wd_input_slide(wd_input *input, const wd_ui_element *slider, double x);

/// Do what a target says. `value` is the text of an input or submit, NULL otherwise.
WD_NODISCARD wd_status wd_input_run(wd_input *input, const wd_target *target, const char *value);

// ---- text (input_text.c) ------------------------------------------------------------------------------------------------

/// Give the field `id` of the page in front the focus and show the keyboard.
WD_NODISCARD wd_status wd_input_focus(wd_input *input, const wd_ui_element *field);
/// Insert at the caret of the focused field; "\b" deletes before it. @retval WD_ESTATE no field has the focus.
WD_NODISCARD wd_status wd_input_insert(wd_input *input, const char *text, bool clear);
WD_NODISCARD wd_status wd_input_submit(wd_input *input);
/// After a change: the keyboard goes when no field of the page has the focus.
WD_NODISCARD wd_status wd_input_settle(wd_input *input);

/// Scroll the body by `by` pixels (positive: further down); *ret_moved says whether it moved.
WD_NODISCARD wd_status wd_input_scroll(wd_input *input, int32_t by, bool *ret_moved);

#endif
