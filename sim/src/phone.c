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

typedef struct wd_target_at {
    int32_t node;
    double x, y;
} wd_target_at;

// Each kind of action: needs a target or not, and what it does.
typedef wd_status (*wd_perform)(wd_input *input, wd_target_at at);

static wd_status perform_tap(wd_input *input, wd_target_at at)
{
    return wd_input_touch(input, at.node, at.x, at.y, WD_GESTURE_TAP);
}

static wd_status perform_double_tap(wd_input *input, wd_target_at at)
{
    return wd_input_touch(input, at.node, at.x, at.y, WD_GESTURE_DOUBLE_TAP);
}

static wd_status perform_long_press(wd_input *input, wd_target_at at)
{
    return wd_input_touch(input, at.node, at.x, at.y, WD_GESTURE_LONG_PRESS);
}

// The screen after something changed, for the second half of an action.
static wd_status look_again(wd_input *input)
{
    wd_screen_unref(&input->screen);
    return wd_host_screen(input->host, input->device, &input->screen, &input->error);
}

static wd_status focus_first(wd_input *input, wd_target_at at)
{
    if (!wd_input_has_target(input->action)) {
        return WD_OK;
    }
    wd_status status = wd_input_touch(input, at.node, at.x, at.y, WD_GESTURE_TAP);
    return status != WD_OK ? status : look_again(input);
}

static wd_status perform_type(wd_input *input, wd_target_at at)
{
    wd_status status = focus_first(input, at);
    status = status != WD_OK ? status : wd_input_insert(input, input->action->text, input->action->clear);
    if (status == WD_OK && input->action->submit) {
        status = look_again(input);
        status = status != WD_OK ? status : wd_input_submit(input);
    }
    return status;
}

static wd_status perform_clear(wd_input *input, wd_target_at at)
{
    wd_status status = focus_first(input, at);
    return status != WD_OK ? status : wd_input_insert(input, "", true);
}

static wd_status perform_enter(wd_input *input, wd_target_at at)
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

static wd_status perform_back(wd_input *input, wd_target_at at)
{
    (void)at;
    return call_os(input, "os.handleBack", NULL, NULL);
}

static wd_status perform_home(wd_input *input, wd_target_at at)
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

static wd_status perform_recents(wd_input *input, wd_target_at at)
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

static wd_status perform_key(wd_input *input, wd_target_at at)
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
static wd_status move_finger(wd_input *input, wd_target_at at, double dx, double dy)
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

// Direction of the finger.
static wd_direction finger_direction(const wd_action *action)
{
    if (action->direction_of == WD_DIR_OF_FINGER) {
        return action->direction;
    }
    switch (action->direction) {
    case WD_DIR_UP:
        return WD_DIR_DOWN;
    case WD_DIR_DOWN:
        return WD_DIR_UP;
    case WD_DIR_LEFT:
        return WD_DIR_RIGHT;
    case WD_DIR_RIGHT:
        return WD_DIR_LEFT;
    default:
        return WD_DIR_NONE;
    }
}

// Where a movement with a second point ends, in pixels.
static wd_target_at finger_end(const wd_action *action)
{
    const bool norm1 = action->space == WD_SPACE_NORM1, norm1000 = action->space == WD_SPACE_NORM1000;
    const double scale_x = norm1 ? WD_PHONE_WIDTH : norm1000 ? WD_PHONE_WIDTH / 1000.0 : 1;
    const double scale_y = norm1 ? WD_PHONE_HEIGHT : norm1000 ? WD_PHONE_HEIGHT / 1000.0 : 1;
    return (wd_target_at){ .node = -1, .x = action->x2 * scale_x, .y = action->y2 * scale_y };
}

// A finger that begins on a slider and moves sideways takes the slider along, as far as it goes.
static wd_status slide(wd_input *input, wd_target_at at, wd_target_at end, bool *ret_slid)
{
    const wd_ui_element *element = wd_input_hit(input->screen, at.x, at.y, WD_GESTURE_TAP);
    *ret_slid = element != NULL && element->kind == WD_UI_SLIDER && fabs(end.x - at.x) >= fabs(end.y - at.y);
    if (!*ret_slid) {
        return WD_OK;
    }
    const double x = fmax(element->rect.left, fmin(end.x, element->rect.right));
    return wd_input_slide(input, element, x);
}

static wd_status perform_swipe(wd_input *input, wd_target_at at)
{
    const wd_action *action = input->action;
    if (action->has_point2) {
        const wd_target_at end = finger_end(action);
        bool slid = false;
        wd_status status = slide(input, at, end, &slid);
        return status != WD_OK || slid ? status : move_finger(input, at, end.x - at.x, end.y - at.y);
    }
    switch (finger_direction(action)) {
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
static wd_status perform_drag(wd_input *input, wd_target_at at)
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

static wd_status perform_launch(wd_input *input, wd_target_at at)
{
    (void)at;
    return call_os(input, "os.launchApp", "app", find_app(input->device, input->action->app));
}

static wd_status perform_close(wd_input *input, wd_target_at at)
{
    (void)at;
    return call_os(input, "os.closeApp", "app", find_app(input->device, input->action->app));
}

static wd_status perform_wait(wd_input *input, wd_target_at at)
{
    (void)at;
    input->touched = true;
    return WD_OK;
}

typedef enum wd_need { NEED_NOTHING, NEED_TARGET, MAY_TARGET } wd_need;

static const struct {
    wd_perform perform;
    wd_need need;
} performs[WD_ACTION_KIND_COUNT] = {
    [WD_ACTION_TAP] = { perform_tap, NEED_TARGET },
    [WD_ACTION_DOUBLE_TAP] = { perform_double_tap, NEED_TARGET },
    [WD_ACTION_LONG_PRESS] = { perform_long_press, NEED_TARGET },
    [WD_ACTION_TYPE] = { perform_type, MAY_TARGET },
    [WD_ACTION_CLEAR_TEXT] = { perform_clear, MAY_TARGET },
    [WD_ACTION_SWIPE] = { perform_swipe, MAY_TARGET },
    [WD_ACTION_DRAG] = { perform_drag, NEED_TARGET },
    [WD_ACTION_SCROLL] = { perform_swipe, MAY_TARGET },
    [WD_ACTION_BACK] = { perform_back, NEED_NOTHING },
    [WD_ACTION_HOME] = { perform_home, NEED_NOTHING },
    [WD_ACTION_RECENTS] = { perform_recents, NEED_NOTHING },
    [WD_ACTION_ENTER] = { perform_enter, NEED_NOTHING },
    [WD_ACTION_KEY] = { perform_key, NEED_NOTHING },
    [WD_ACTION_LAUNCH_APP] = { perform_launch, NEED_NOTHING },
    [WD_ACTION_CLOSE_APP] = { perform_close, NEED_NOTHING },
    [WD_ACTION_WAIT] = { perform_wait, NEED_NOTHING },
};

// ---- the whole ------------------------------------------------------------------------------------------------------------

static wd_result bad_arguments(const char *text)
{
    return wd_result_make(WD_OUTCOME_REFUSED, WD_EINVAL, "bad_arguments", "%s", text);
}

// What the action lacks, told before anything is done.
static bool check_arguments(wd_input *input, wd_result *ret_result)
{
    const wd_action *action = input->action;
    switch (action->kind) {
    case WD_ACTION_TYPE:
        if (action->text == NULL) {
            *ret_result = bad_arguments("args.text: a text is wanted");
            return false;
        }
        break;
    case WD_ACTION_KEY:
        if (!known_key(action->key)) {
            *ret_result = bad_arguments(
                "args.key: back, home, recents, enter, delete, volume_up or volume_down is wanted");
            return false;
        }
        break;
    case WD_ACTION_SWIPE:
    case WD_ACTION_SCROLL:
        if (action->direction == WD_DIR_NONE && !action->has_point2) {
            *ret_result = bad_arguments("args.direction: a direction or a second point is wanted");
            return false;
        }
        break;
    case WD_ACTION_LAUNCH_APP:
    case WD_ACTION_CLOSE_APP:
        if (action->app == NULL) {
            *ret_result = bad_arguments("args.app: an app is wanted");
            return false;
        }
        if (find_app(input->device, action->app) == NULL) {
            *ret_result = wd_result_make(
                WD_OUTCOME_REFUSED, WD_ENOENT, "no_such_app", "there is no app '%.80s'", action->app);
            return false;
        }
        break;
    default:
        break;
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

static wd_status execute(wd_input *input, wd_target_at at, wd_result *ret_result)
{
    const wd_action *action = input->action;
    wd_value *before = wd_device_capture(input->device);
    wd_status status = performs[action->kind].perform(input, at);
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
        if (performs[action->kind].need != NEED_NOTHING || action->kind == WD_ACTION_ENTER) {
            *ret_result = wd_result_make(WD_OUTCOME_FAILED, status, "app_error", "%s", input.error.text);
            return wd_device_advance(device, action_time(device, action));
        }
        input.error = (wd_error){ 0 };
    }
    wd_target_at at = { .node = -1, .x = WD_PHONE_WIDTH / 2.0, .y = WD_PHONE_HEIGHT / 2.0 };
    const wd_need need = performs[action->kind].need;
    if (need == NEED_TARGET || (need == MAY_TARGET && wd_input_has_target(action))) {
        status = wd_input_resolve(&input, planned_on, &at.node, &at.x, &at.y, ret_result);
        if (status != WD_OK) {
            wd_screen_unref(&input.screen);
            return status == WD_ENOMEM ? status : WD_OK;
        }
    }
    status = execute(&input, at, ret_result);
    wd_screen_unref(&input.screen);
    return status == WD_ENOMEM ? status : WD_OK;
}
