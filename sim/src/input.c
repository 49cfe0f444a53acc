#include "input.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- targets ------------------------------------------------------------------------------------------------------------

bool wd_input_has_target(const wd_action *action)
{
    return action->node >= 0 || wd_action_has_selector(action) || action->has_point;
}

static wd_result refused(wd_status status, const char *code, const char *text)
{
    return wd_result_make(WD_OUTCOME_REFUSED, status, code, "%s", text);
}

static wd_status resolve_node(
    wd_input *input, const wd_scene *planned_on, int32_t *ret_node, wd_result *ret_result)
{
    const wd_scene *now = input->screen->scene;
    if (planned_on != NULL && planned_on != now &&
        !wd_digest_equal(wd_scene_digest(planned_on), wd_scene_digest(now))) {
        *ret_result = refused(WD_EGONE, "target_gone", "the screen has changed since the step was planned");
        return WD_EGONE;
    }
    if ((size_t)input->action->node >= wd_scene_node_count(now)) {
        *ret_result = refused(WD_ENOENT, "target_missing", "the screen has no such node");
        return WD_EGONE;
    }
    *ret_node = input->action->node;
    return WD_OK;
}

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

// Equal when both are trimmed.
static bool same_trimmed(const char *a, const char *b)
{
    size_t a_length = strlen(a);
    size_t b_length = strlen(b);
    while (a_length > 0 && is_blank(a[0])) {
        a++;
        a_length--;
    }
    while (b_length > 0 && is_blank(b[0])) {
        b++;
        b_length--;
    }
    while (a_length > 0 && is_blank(a[a_length - 1])) {
        a_length--;
    }
    while (b_length > 0 && is_blank(b[b_length - 1])) {
        b_length--;
    }
    return a_length == b_length && memcmp(a, b, a_length) == 0;
}

static bool matches(const wd_node *node, const wd_action *action)
{
    if (action->resource_id != NULL) {
        const char *id = node->resource_id;
        const char *inner = id != NULL ? strstr(id, ":id/") : NULL;
        if (id == NULL || (strcmp(id, action->resource_id) != 0 &&
                              (inner == NULL || strcmp(inner + 4, action->resource_id) != 0))) {
            return false;
        }
    }
    if (action->target_text != NULL &&
        !(node->text != NULL && same_trimmed(node->text, action->target_text)) &&
        !(node->desc != NULL && same_trimmed(node->desc, action->target_text))) {
        return false;
    }
    return action->role == NULL || (node->role != NULL && strcmp(node->role, action->role) == 0);
}

static wd_status resolve_selector(wd_input *input, int32_t *ret_node, wd_result *ret_result)
{
    const wd_scene *scene = input->screen->scene;
    const wd_action *action = input->action;
    int32_t found = -1;
    int32_t count = 0;
    for (size_t i = 0; i < wd_scene_node_count(scene); i++) {
        const wd_node *node = wd_scene_node(scene, i);
        if (matches(node, action)) {
            if (action->ordinal < 0 ? count == 0 : count == action->ordinal) {
                found = node->id;
            }
            count++;
        }
    }
    if (found < 0) {
        *ret_result = wd_result_make(
            WD_OUTCOME_REFUSED, WD_ENOENT, "target_missing", "%d nodes match the selector", (int)count);
        return WD_EGONE;
    }
    if (action->ordinal < 0 && count > 1) {
        *ret_result = wd_result_make(WD_OUTCOME_REFUSED, WD_EAMBIGUOUS, "target_ambiguous",
            "%d nodes match the selector; an ordinal would tell them apart", (int)count);
        return WD_EGONE;
    }
    *ret_node = found;
    return WD_OK;
}

static wd_status resolve_point(const wd_action *action, double *ret_x, double *ret_y, wd_result *ret_result)
{
    double x = action->x;
    double y = action->y;
    switch (action->space) {
    case WD_SPACE_PX:
        break;
    case WD_SPACE_NORM1:
        x *= WD_PHONE_WIDTH;
        y *= WD_PHONE_HEIGHT;
        break;
    case WD_SPACE_NORM1000:
        x = x * WD_PHONE_WIDTH / 1000;
        y = y * WD_PHONE_HEIGHT / 1000;
        break;
    default:
        *ret_result = refused(WD_EINVAL, "bad_arguments", "args.space: px, norm1 or norm1000 is wanted");
        return WD_EGONE;
    }
    if (!isfinite(x) || !isfinite(y) || x < 0 || y < 0 || x > WD_PHONE_WIDTH || y > WD_PHONE_HEIGHT) {
        *ret_result = refused(WD_EINVAL, "bad_arguments", "args.x, args.y: beyond the display");
        return WD_EGONE;
    }
    *ret_x = x < WD_PHONE_WIDTH ? x : WD_PHONE_WIDTH - 1;
    *ret_y = y < WD_PHONE_HEIGHT ? y : WD_PHONE_HEIGHT - 1;
    return WD_OK;
}

wd_status wd_input_resolve(wd_input *input, const wd_scene *planned_on, int32_t *ret_node, double *ret_x,
    double *ret_y, wd_result *ret_result)
{
    const wd_action *action = input->action;
    *ret_node = -1;
    wd_status status = WD_OK;
    if (action->node >= 0) {
        status = resolve_node(input, planned_on, ret_node, ret_result);
    } else if (wd_action_has_selector(action)) {
        status = resolve_selector(input, ret_node, ret_result);
    } else if (action->has_point) {
        return resolve_point(action, ret_x, ret_y, ret_result);
    } else {
        *ret_result = refused(WD_EINVAL, "bad_arguments", "a target is wanted: node, selector or point");
        return WD_EGONE;
    }
    if (status == WD_OK) {
        const wd_rect rect = wd_scene_node(input->screen->scene, (size_t)*ret_node)->rect;
        *ret_x = (rect.left + rect.right) / 2.0;
        *ret_y = (rect.top + rect.bottom) / 2.0;
    }
    return status;
}

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
