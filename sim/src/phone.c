// Executing an action: what it is done to, what it does, and what becomes of time.
#include "input.h"

#include "tree/alloc.h"

#include <math.h>
#include <string.h>

enum {
    SCROLL_BY = 1200,  // pixels of a scroll without a point
    SHADE_EDGE = 120,  // a swipe down that starts above this opens the shade
    SWIPE_MIN = 60,    // pixels; a shorter swipe moves nothing
};

// What a kind of action does where it is aimed at.
typedef wd_status (*wd_perform)(wd_input *input, wd_aim at);

static wd_status perform_tap(wd_input *input, wd_aim at)
{
    return wd_input_touch(input, at.node, at.x, at.y, WD_GESTURE_TAP);
}

static wd_status perform_double_tap(wd_input *input, wd_aim at)
{
    return wd_input_touch(input, at.node, at.x, at.y, WD_GESTURE_DOUBLE_TAP);
}

static wd_status perform_long_press(wd_input *input, wd_aim at)
{
    return wd_input_touch(input, at.node, at.x, at.y, WD_GESTURE_LONG_PRESS);
}

// The screen after something changed, for the second half of an action.
static wd_status look_again(wd_input *input)
{
    wd_screen_unref(&input->screen);
    return wd_host_screen(input->host, input->device, &input->screen, &input->error);
}

static wd_status focus_first(wd_input *input, wd_aim at)
{
    if (!wd_action_has_target(input->action)) {
        return WD_OK;
    }
    wd_status status = wd_input_touch(input, at.node, at.x, at.y, WD_GESTURE_TAP);
    return status != WD_OK ? status : look_again(input);
}

static wd_status perform_type(wd_input *input, wd_aim at)
{
    wd_status status = focus_first(input, at);
    status = status != WD_OK ? status : wd_input_insert(input, input->action->text, input->action->clear);
    if (status == WD_OK && input->action->submit) {
        status = look_again(input);
        status = status != WD_OK ? status : wd_input_submit(input);
    }
    return status;
}

static wd_status perform_clear(wd_input *input, wd_aim at)
{
    wd_status status = focus_first(input, at);
    return status != WD_OK ? status : wd_input_insert(input, "", true);
}

static wd_status perform_enter(wd_input *input, wd_aim at)
{
    (void)at;
    return wd_input_submit(input);
}

static wd_status call_os(wd_input *input, const char *op, const char *name, const char *text)
{
    wd_value *args = NULL;
    wd_status status = name != NULL ? wd_value_pack(&args, "{s:s}", name, text) : WD_OK;
    status = status != WD_OK ? status : wd_device_call(input->device, op, args, NULL, &input->error);
    wd_value_unref(&args);
    input->touched = true;
    return status;
}

static wd_status perform_back(wd_input *input, wd_aim at)
{
    (void)at;
    return call_os(input, "os.handleBack", NULL, NULL);
}

static wd_status perform_home(wd_input *input, wd_aim at)
{
    (void)at;
    wd_value *ui = wd_value_ref(wd_device_ui(input->device));
    wd_status status = WD_OK;
    if (ui != NULL && wd_object_get(ui, "homePath") != NULL) {
        status = wd_object_remove(&ui, "homePath");  // home is the launcher's first page
        status = status != WD_OK ? status : wd_device_set_ui(input->device, &ui);
    }
    wd_value_unref(&ui);
    return status != WD_OK ? status : call_os(input, "os.goHome", NULL, NULL);
}

static wd_status perform_recents(wd_input *input, wd_aim at)
{
    (void)at;
    return call_os(input, "os.showRecents", NULL, NULL);
}

// ---- keys -------------------------------------------------------------------------------------------------------------

enum { VOLUME_STEP = 10 };

static wd_status change_volume(wd_input *input, int64_t by)
{
    const wd_value *os = wd_object_get(wd_device_machine(input->device), "os");
    const wd_value *system = wd_object_get(wd_object_get(os, "settings"), "system");
    wd_value *args = NULL;
    wd_status status =
        wd_value_pack(&args, "{s:i}", "v", wd_value_int_or(wd_object_get(system, "mediaVolume"), 0) + by);
    status =
        status != WD_OK ? status : wd_device_call(input->device, "mediaVolume", args, NULL, &input->error);
    wd_value_unref(&args);
    input->touched = true;
    return status;
}

static const char *const key_names[] = { "back", "home", "recents", "enter", "delete", "volume_up",
    "volume_down" };

static bool known_key(const char *name)
{
    for (size_t i = 0; name != NULL && i < WD_COUNT_OF(key_names); i++) {
        if (strcmp(key_names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static wd_status perform_key(wd_input *input, wd_aim at)
{
    const char *key = input->action->key;
    if (strcmp(key, "back") == 0) {
        return perform_back(input, at);
    }
    if (strcmp(key, "home") == 0) {
        return perform_home(input, at);
    }
    if (strcmp(key, "recents") == 0) {
        return perform_recents(input, at);
    }
    if (strcmp(key, "enter") == 0) {
        return wd_input_submit(input);
    }
    if (strcmp(key, "delete") == 0) {
        return wd_input_insert(input, "\b", false);
    }
    return change_volume(input, strcmp(key, "volume_up") == 0 ? VOLUME_STEP : -VOLUME_STEP);
}

// ---- movements ----------------------------------------------------------------------------------------------------------

// A finger moved by (dx, dy) from `at`.
static wd_status move_finger(wd_input *input, wd_aim at, double dx, double dy)
{
    if (fabs(dx) < SWIPE_MIN && fabs(dy) < SWIPE_MIN) {
        return WD_OK;
    }
    if (fabs(dy) >= fabs(dx)) {
        if (at.y < SHADE_EDGE && dy > 0) {
            input->touched = true;
            return call_os(
                input, "shade.open", "kind", at.x > WD_PHONE_WIDTH / 2.0 ? "control" : "notifications");
        }
        bool moved = false;
        return wd_input_scroll(input, (int32_t)lround(-dy), &moved);
    }
    const wd_target *target = dx < 0 ? &input->screen->ui.swipe_left : &input->screen->ui.swipe_right;
    return input->screen->first_modal_node > 0 ? WD_OK : wd_input_run(input, target, NULL);
}

// Where a movement with a second point ends, in pixels.
static wd_aim finger_end(const wd_action *action)
{
    wd_aim end = { .node = -1, .x = action->x2, .y = action->y2 };
    (void)wd_aim_to_pixels(action->space, WD_PHONE_WIDTH, WD_PHONE_HEIGHT, &end.x, &end.y);
    return end;
}

// A finger that begins on a slider and moves sideways takes the slider along, as far as it goes.
static wd_status slide(wd_input *input, wd_aim at, wd_aim end, bool *ret_slid)
{
    const wd_ui_element *element = wd_input_hit(input->screen, at.x, at.y, WD_GESTURE_TAP);
    *ret_slid = element != NULL && element->kind == WD_UI_SLIDER && fabs(end.x - at.x) >= fabs(end.y - at.y);
    if (!*ret_slid) {
        return WD_OK;
    }
    const double x = fmax(element->rect.left, fmin(end.x, element->rect.right));
    return wd_input_slide(input, element, x);
}

static wd_status perform_swipe(wd_input *input, wd_aim at)
{
    const wd_action *action = input->action;
    if (action->has_point2) {
        const wd_aim end = finger_end(action);
        bool slid = false;
        wd_status status = slide(input, at, end, &slid);
        return status != WD_OK || slid ? status : move_finger(input, at, end.x - at.x, end.y - at.y);
    }
    switch (wd_action_finger(action)) {
    case WD_DIR_UP:
        return move_finger(input, at, 0, -SCROLL_BY);
    case WD_DIR_DOWN:
        return move_finger(input, at, 0, SCROLL_BY);
    case WD_DIR_LEFT:
        return move_finger(input, at, -SCROLL_BY, 0);
    case WD_DIR_RIGHT:
        return move_finger(input, at, SCROLL_BY, 0);
    default:
        return WD_OK;
    }
}

// A finger that held before it moved scrolls nothing; what it takes along is a slider.
static wd_status perform_drag(wd_input *input, wd_aim at)
{
    bool slid = false;
    return input->action->has_point2 ? slide(input, at, finger_end(input->action), &slid) : WD_OK;
}

// ---- apps and time --------------------------------------------------------------------------------------------------------

static bool same_folded(const char *a, const char *b)
{
    for (; *a != '\0' && *b != '\0'; a++, b++) {
        const char x = *a >= 'A' && *a <= 'Z' ? (char)(*a + 32) : *a;
        const char y = *b >= 'A' && *b <= 'Z' ? (char)(*b + 32) : *b;
        if (x != y) {
            return false;
        }
    }
    return *a == *b;
}

static bool is_called(const wd_value *manifest, const char *wanted)
{
    const wd_value *name = wd_object_get(manifest, "name");
    const char *const names[] = {
        wd_value_string_or(wd_object_get(manifest, "id"), ""),
        wd_value_string_or(wd_object_get(manifest, "packageName"), ""),
        wd_value_string_or(wd_object_get(name, "zh"), ""),
        wd_value_string_or(wd_object_get(name, "en"), ""),
    };
    for (size_t i = 0; i < WD_COUNT_OF(names); i++) {
        if (same_folded(names[i], wanted)) {
            return true;
        }
    }
    wd_iter iter = wd_iter_start(wd_object_get(manifest, "aliases"));
    while (wd_iter_next(&iter)) {
        if (same_folded(wd_value_string_or(iter.value, ""), wanted)) {
            return true;
        }
    }
    return false;
}

// The id of an installed app by id, package, name or alias; NULL when there is none.
static const char *find_app(const wd_device *device, const char *wanted)
{
    const wd_value *sys = wd_object_get(wd_device_machine(device), "sys");
    wd_iter iter = wd_iter_start(wd_object_get(sys, "packages"));
    while (wanted != NULL && wd_iter_next(&iter)) {
        if (is_called(iter.value, wanted)) {
            return wd_value_string_or(wd_object_get(iter.value, "id"), NULL);
        }
    }
    return NULL;
}

static wd_status perform_launch(wd_input *input, wd_aim at)
{
    (void)at;
    return call_os(input, "os.launchApp", "app", find_app(input->device, input->action->app));
}

static wd_status perform_close(wd_input *input, wd_aim at)
{
    (void)at;
    return call_os(input, "os.closeApp", "app", find_app(input->device, input->action->app));
}

static wd_status perform_wait(wd_input *input, wd_aim at)
{
    (void)at;
    input->touched = true;
    return WD_OK;
}

static const wd_perform performs[WD_ACTION_KIND_COUNT] = {
    [WD_ACTION_TAP] = perform_tap,
    [WD_ACTION_DOUBLE_TAP] = perform_double_tap,
    [WD_ACTION_LONG_PRESS] = perform_long_press,
    [WD_ACTION_TYPE] = perform_type,
    [WD_ACTION_CLEAR_TEXT] = perform_clear,
    [WD_ACTION_SWIPE] = perform_swipe,
    [WD_ACTION_DRAG] = perform_drag,
    [WD_ACTION_SCROLL] = perform_swipe,
    [WD_ACTION_BACK] = perform_back,
    [WD_ACTION_HOME] = perform_home,
    [WD_ACTION_RECENTS] = perform_recents,
    [WD_ACTION_ENTER] = perform_enter,
    [WD_ACTION_KEY] = perform_key,
    [WD_ACTION_LAUNCH_APP] = perform_launch,
    [WD_ACTION_CLOSE_APP] = perform_close,
    [WD_ACTION_WAIT] = perform_wait,
};

// ---- the whole ------------------------------------------------------------------------------------------------------------

// What the action lacks, told before anything is done.
static bool check_arguments(wd_input *input, wd_result *ret_refusal)
{
    const wd_action *action = input->action;
    if (action->kind == WD_ACTION_KEY && !known_key(action->key)) {
        *ret_refusal = wd_result_make(WD_OUTCOME_REFUSED, WD_EINVAL, "bad_arguments", "%s",
            "args.key: back, home, recents, enter, delete, volume_up or volume_down is wanted");
        return false;
    }
    if (!wd_action_check_arguments(action, ret_refusal)) {
        return false;
    }
    bool names_app = action->kind == WD_ACTION_LAUNCH_APP || action->kind == WD_ACTION_CLOSE_APP;
    if (names_app && find_app(input->device, action->app) == NULL) {
        *ret_refusal = wd_result_make(
            WD_OUTCOME_REFUSED, WD_ENOENT, "no_such_app", "there is no app '%.80s'", action->app);
        return false;
    }
    return true;
}

// Put back what a failed action left half done.
static wd_status put_back(wd_device *device, const wd_value *machine)
{
    wd_value *events = NULL;
    wd_status status = wd_device_restore(device, machine, NULL);
    if (status == WD_OK) {
        events = wd_device_take_events(device);  // of what never happened
        wd_value_unref(&events);
    }
    return status;
}

static int64_t action_time(const wd_device *device, const wd_action *action)
{
    if (action->kind == WD_ACTION_WAIT && action->ms >= 0) {
        return action->ms;
    }
    const wd_value *sys = wd_object_get(wd_device_machine(device), "sys");
    return wd_value_int_or(wd_object_get(sys, "actionMs"), WD_DEVICE_ACTION_MS_DEFAULT);
}

// Callbacks of results and permission answers go to the app that asked: results.<name>(ctx, result).
static wd_status deliver_events(wd_input *input);

static wd_status execute(wd_input *input, wd_aim at, wd_result *ret_result)
{
    const wd_action *action = input->action;
    wd_value *before = wd_device_capture(input->device);
    wd_status status = performs[action->kind](input, at);
    status = status != WD_OK ? status : deliver_events(input);
    status = status != WD_OK ? status : wd_input_settle(input);
    if (status == WD_OK) {
        *ret_result = wd_result_ok();
        if (!input->touched) {
            *ret_result = wd_result_make(WD_OUTCOME_OK, WD_OK, "no_effect", "nothing there takes this");
        }
    } else {
        const char *why = input->error.text[0] != '\0' ? input->error.text : wd_status_text(status);
        *ret_result = wd_result_make(
            WD_OUTCOME_FAILED, status, status == WD_ESCRIPT ? "app_error" : "failed", "%s", why);
        status = status == WD_ENOMEM ? WD_ENOMEM : put_back(input->device, before);
    }
    wd_value_unref(&before);
    status = status != WD_OK ? status : wd_device_advance(input->device, action_time(input->device, action));
    status = status != WD_OK ? status : deliver_events(input);
    return status != WD_OK ? status : wd_page_prune(input->device);
}

static wd_status deliver_events(wd_input *input)
{
    wd_value *events = wd_device_take_events(input->device);
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(events);
    while (status == WD_OK && wd_iter_next(&iter)) {
        const wd_value *name = wd_object_get(iter.value, "callback");
        const wd_value *result = wd_object_get(iter.value, "result");
        if (name == NULL) {
            name = wd_object_get(iter.value, "resolved");
            result = wd_object_get(iter.value, "results");
        }
        if (wd_value_is(name, WD_KIND_STRING) && result != NULL) {
            status = wd_host_result(
                input->host, input->device, wd_value_as_string(name, NULL), result, &input->error);
        }
    }
    wd_value_unref(&events);
    return status;
}

wd_status wd_phone_execute(wd_host *host, wd_device *device, const wd_action *action,
    const wd_scene *planned_on, wd_result *ret_result)
{
    if (!wd_action_is_physical(action->kind)) {
        *ret_result = wd_result_make(WD_OUTCOME_REFUSED, WD_EUNSUPPORTED, "unknown_action",
            "%s is nothing a phone can do", wd_action_kind_name(action->kind));
        return WD_OK;
    }
    wd_input input = { .host = host, .device = device, .action = action };
    if (!check_arguments(&input, ret_result)) {
        return WD_OK;
    }
    wd_status status = wd_host_screen(host, device, &input.screen, &input.error);
    if (status == WD_ENOMEM) {
        return status;
    }
    if (status != WD_OK) {
        // The page cannot be drawn; only what needs no page can lead away from it.
        if (wd_aim_need_of(action->kind) != WD_AIM_NOTHING || action->kind == WD_ACTION_ENTER) {
            *ret_result = wd_result_make(WD_OUTCOME_FAILED, status, "app_error", "%s", input.error.text);
            return wd_device_advance(device, action_time(device, action));
        }
        input.error = (wd_error){ 0 };
    }
    wd_aim at = { .node = -1, .x = WD_PHONE_WIDTH / 2.0, .y = WD_PHONE_HEIGHT / 2.0 };
    const wd_aim_need need = wd_aim_need_of(action->kind);
    if (need == WD_AIM_TARGET || (need == WD_AIM_MAYBE && wd_action_has_target(action))) {
        const wd_aim_ground ground = {
            .scene = input.screen->scene,
            .planned_on = planned_on,
            .width = WD_PHONE_WIDTH,
            .height = WD_PHONE_HEIGHT,
        };
        if (!wd_aim_take(action, &ground, &at, ret_result)) {
            wd_screen_unref(&input.screen);
            return WD_OK;
        }
    }
    status = execute(&input, at, ret_result);
    wd_screen_unref(&input.screen);
    return status == WD_ENOMEM ? status : WD_OK;
}
