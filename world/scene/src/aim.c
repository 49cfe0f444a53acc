#include "scene/aim.h"

#include <math.h>
#include <string.h>

wd_aim_need wd_aim_need_of(wd_action_kind kind)
{
    switch (kind) {
    case WD_ACTION_TAP:
    case WD_ACTION_DOUBLE_TAP:
    case WD_ACTION_LONG_PRESS:
    case WD_ACTION_DRAG:
        return WD_AIM_TARGET;
    case WD_ACTION_TYPE:
    case WD_ACTION_CLEAR_TEXT:
    case WD_ACTION_SWIPE:
    case WD_ACTION_SCROLL:
        return WD_AIM_MAYBE;
    default:
        return WD_AIM_NOTHING;
    }
}

bool wd_action_has_target(const wd_action *action)
{
    return action->node >= 0 || wd_action_has_selector(action) || action->has_point;
}

static bool refuse(wd_status status, const char *code, const char *text, wd_result *ret_refusal)
{
    *ret_refusal = wd_result_make(WD_OUTCOME_REFUSED, status, code, "%s", text);
    return false;
}

bool wd_action_check_arguments(const wd_action *action, wd_result *ret_refusal)
{
    const char *lacks = NULL;
    switch (action->kind) {
    case WD_ACTION_TYPE:
        lacks = action->text == NULL ? "args.text: a text is wanted" : NULL;
        break;
    case WD_ACTION_KEY:
        lacks = action->key == NULL ? "args.key: a key is wanted" : NULL;
        break;
    case WD_ACTION_SWIPE:
    case WD_ACTION_SCROLL:
        lacks = action->direction == WD_DIR_NONE && !action->has_point2
                    ? "args.direction: a direction or a second point is wanted"
                    : NULL;
        break;
    case WD_ACTION_LAUNCH_APP:
    case WD_ACTION_CLOSE_APP:
        lacks = action->app == NULL ? "args.app: an app is wanted" : NULL;
        break;
    default:
        break;
    }
    return lacks == NULL || refuse(WD_EINVAL, "bad_arguments", lacks, ret_refusal);
}

// ---- by node id -------------------------------------------------------------------------------------------------

static bool find_node(
    const wd_action *action, const wd_aim_ground *ground, int32_t *ret_node, wd_result *ret_refusal)
{
    const wd_scene *now = ground->scene, *planned_on = ground->planned_on;
    if (planned_on != NULL && planned_on != now &&
        !wd_digest_equal(wd_scene_digest(planned_on), wd_scene_digest(now))) {
        return refuse(
            WD_EGONE, "target_gone", "the screen has changed since the step was planned", ret_refusal);
    }
    if ((size_t)action->node >= wd_scene_node_count(now)) {
        return refuse(WD_ENOENT, "target_missing", "the screen has no such node", ret_refusal);
    }
    *ret_node = action->node;
    return true;
}

// ---- by selector ------------------------------------------------------------------------------------------------

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

/// Equal when both are trimmed.
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

static bool find_selected(
    const wd_action *action, const wd_scene *scene, int32_t *ret_node, wd_result *ret_refusal)
{
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
        *ret_refusal = wd_result_make(
            WD_OUTCOME_REFUSED, WD_ENOENT, "target_missing", "%d nodes match the selector", (int)count);
        return false;
    }
    if (action->ordinal < 0 && count > 1) {
        *ret_refusal = wd_result_make(WD_OUTCOME_REFUSED, WD_EAMBIGUOUS, "target_ambiguous",
            "%d nodes match the selector; an ordinal would tell them apart", (int)count);
        return false;
    }
    *ret_node = found;
    return true;
}

// ---- by point ---------------------------------------------------------------------------------------------------

bool wd_aim_to_pixels(wd_space space, int32_t width, int32_t height, double *x, double *y)
{
    bool sized = width > 0 && height > 0;
    switch (space) {
    case WD_SPACE_PX:
        return true;
    case WD_SPACE_NORM1:
        *x *= width;
        *y *= height;
        return sized;
    case WD_SPACE_NORM1000:
        *x = *x * width / 1000;
        *y = *y * height / 1000;
        return sized;
    default:
        return false;
    }
}

/// A coordinate on a side of so many pixels, 0 for unknown; the far edge counts as inside.
static bool clamp(int32_t side, double *coordinate)
{
    double at = *coordinate;
    if (!isfinite(at) || at < 0 || (side > 0 && at > side)) {
        return false;
    }
    *coordinate = side == 0 || at < side ? at : side - 1;
    return true;
}

static bool find_point(
    const wd_action *action, const wd_aim_ground *ground, wd_aim *ret_aim, wd_result *ret_refusal)
{
    wd_aim aim = { .node = -1, .x = action->x, .y = action->y };
    if (!wd_aim_to_pixels(action->space, ground->width, ground->height, &aim.x, &aim.y)) {
        return refuse(WD_EINVAL, "bad_arguments",
            action->space == WD_SPACE_MODEL ? "args.space: px, norm1 or norm1000 is wanted"
                                            : "args.space: px is wanted, the display's size is not known",
            ret_refusal);
    }
    if (!clamp(ground->width, &aim.x) || !clamp(ground->height, &aim.y)) {
        return refuse(WD_EINVAL, "bad_arguments", "args.x, args.y: beyond the display", ret_refusal);
    }
    *ret_aim = aim;
    return true;
}

bool wd_aim_take(
    const wd_action *action, const wd_aim_ground *ground, wd_aim *ret_aim, wd_result *ret_refusal)
{
    bool by_node = action->node >= 0, by_selector = !by_node && wd_action_has_selector(action);
    if (!by_node && !by_selector) {
        return action->has_point ? find_point(action, ground, ret_aim, ret_refusal)
                                 : refuse(WD_EINVAL, "bad_arguments",
                                       "a target is wanted: node, selector or point", ret_refusal);
    }
    if (ground->scene == NULL) {
        return refuse(WD_EGONE, "target_gone", "no screen was seen that the target could be on", ret_refusal);
    }
    int32_t node = -1;
    bool found = by_node ? find_node(action, ground, &node, ret_refusal)
                         : find_selected(action, ground->scene, &node, ret_refusal);
    if (found) {
        const wd_rect rect = wd_scene_node(ground->scene, (size_t)node)->rect;
        *ret_aim = (wd_aim){
            .node = node,
            .x = (rect.left + rect.right) / 2.0,
            .y = (rect.top + rect.bottom) / 2.0,
        };
    }
    return found;
}
