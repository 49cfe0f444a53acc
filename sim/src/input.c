#include "input.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- touching -----------------------------------------------------------------------------------------------------------

static const wd_target *target_for(const wd_ui_element *element, wd_gesture gesture)
{
    switch (gesture) {
    case WD_GESTURE_LONG_PRESS:
        return &element->long_press;
    case WD_GESTURE_DOUBLE_TAP:
        return &element->double_tap;
    default:
        return &element->tap;
    }
}

static bool takes(const wd_ui_element *element, wd_gesture gesture)
{
    return target_for(element, gesture)->kind != WD_TARGET_NONE || element->tap.kind == WD_TARGET_BLOCK ||
           (element->kind == WD_UI_FIELD && gesture == WD_GESTURE_TAP);
}

const wd_ui_element *wd_input_hit(const wd_screen *screen, double x, double y, wd_gesture gesture)
{
    for (size_t i = screen->node_count; i-- > (size_t)screen->first_modal_node;) {
        const wd_rect rect = wd_scene_node(screen->scene, i)->rect;
        if (x >= rect.left && x < rect.right && y >= rect.top && y < rect.bottom &&
            takes(screen->elements[i], gesture)) {
            return screen->elements[i];
        }
    }
    return NULL;
}

wd_status wd_input_slide(wd_input *input, const wd_ui_element *slider, double x)
{
    if (slider->off) {
        return WD_OK;
    }
    const double width = slider->rect.right - slider->rect.left;
    char level[16];
    (void)snprintf(level, sizeof level, "%d", (int)lround((x - slider->rect.left) * 100 / width));
    return wd_input_run(input, &slider->tap, level);
}

wd_status wd_input_touch(wd_input *input, int32_t node, double x, double y, wd_gesture gesture)
{
    const wd_screen *screen = input->screen;
    const wd_ui_element *element = NULL;
    if (node >= 0 && node >= screen->first_modal_node && takes(screen->elements[node], gesture)) {
        element = screen->elements[node];  // its middle may lie under a child
    } else {
        element = wd_input_hit(screen, x, y, gesture);
    }
    if (element == NULL || element->off) {
        return WD_OK;
    }
    if (element->kind == WD_UI_FIELD && gesture == WD_GESTURE_TAP) {
        return wd_input_focus(input, element);
    }
    if (element->kind == WD_UI_SLIDER && gesture == WD_GESTURE_TAP) {
        return wd_input_slide(input, element, x);
    }
    return wd_input_run(input, target_for(element, gesture), NULL);
}

static wd_status navigate(wd_input *input, const char *path, bool replace)
{
    wd_value *state = NULL;
    wd_status status = wd_device_state(input->device, &state);
    if (status != WD_OK) {
        return status;
    }
    wd_call call = { 0 };
    const wd_front front = wd_page_find(input->host->packs, input->device, wd_object_get(state, "os"), &call);
    if (front == WD_FRONT_HOME) {
        // The launcher is no task: its page stands in the scratch.
        wd_value *ui = wd_value_ref(wd_device_ui(input->device));
        ui = ui != NULL ? ui : wd_value_object();
        wd_value *text = NULL;
        status = wd_value_text(path, &text);
        status = status != WD_OK ? status : wd_object_set(&ui, "homePath", &text);
        status = status != WD_OK ? status : wd_device_set_ui(input->device, &ui);
        wd_value_unref(&text);
        wd_value_unref(&ui);
    } else {
        wd_value *args = NULL;
        status = wd_value_pack(&args, "{s:s,s:s,s:s}", "activity", call.page.activity, "path", path, "mode",
            replace ? "replace" : "push");
        status = status != WD_OK ? status
                                 : wd_device_call(input->device, "app.navigate", args, NULL, &input->error);
        wd_value_unref(&args);
    }
    wd_value_unref(&state);
    return status;
}

// The target's arguments and the text that goes with them.
static wd_status join_value(const wd_value *args, const char *value, wd_value **ret_args)
{
    wd_value *joined = args != NULL ? wd_value_ref(args) : wd_value_object();
    wd_status status = WD_OK;
    if (value != NULL) {
        wd_value *text = NULL;
        status = wd_value_text(value, &text);
        status = status != WD_OK ? status : wd_object_set(&joined, "value", &text);
        wd_value_unref(&text);
    }
    if (status != WD_OK) {
        wd_value_unref(&joined);
        return status;
    }
    *ret_args = joined;
    return WD_OK;
}

wd_status wd_input_run(wd_input *input, const wd_target *target, const char *value)
{
    switch (target->kind) {
    case WD_TARGET_NONE:
    case WD_TARGET_BLOCK:
        return WD_OK;
    case WD_TARGET_GO:
    case WD_TARGET_REPLACE:
        input->touched = true;
        return navigate(input, target->name, target->kind == WD_TARGET_REPLACE);
    case WD_TARGET_BACK: {
        // An arrow leaves the page at once; the Back key would hide the keyboard first.
        input->touched = true;
        wd_status status = wd_device_call(input->device, "kbHide", NULL, NULL, &input->error);
        return status != WD_OK ? status
                               : wd_device_call(input->device, "os.handleBack", NULL, NULL, &input->error);
    }
    case WD_TARGET_OP:
        input->touched = true;
        return wd_device_call(input->device, target->name, target->args, NULL, &input->error);
    case WD_TARGET_ACTION: {
        input->touched = true;
        wd_value *args = NULL;
        wd_status status = join_value(target->args, value, &args);
        status = status != WD_OK
                     ? status
                     : wd_host_action(input->host, input->device, target->name, args, &input->error);
        wd_value_unref(&args);
        return status;
    }
    case WD_TARGET_KEY:
        input->touched = true;
        if (strcmp(target->name, "\n") == 0) {
            return wd_input_submit(input);
        }
        return wd_input_insert(input, target->name, false);
    case WD_TARGET_FOCUS:
        return WD_OK;
    }
    return WD_OK;
}
