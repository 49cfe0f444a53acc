#include "execute_aim.h"

#include <math.h>
#include <string.h>

static bool refuse(wd_status status, const char *code, const char *text, wd_result *ret_refusal)
{
    *ret_refusal = wd_result_make(WD_OUTCOME_REFUSED, status, code, "%s", text);
    return false;
}

static bool moves(wd_action_kind kind)
{
    return kind == WD_ACTION_SWIPE || kind == WD_ACTION_DRAG || kind == WD_ACTION_SCROLL;
}

static int32_t larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

static int32_t smaller(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

/// The part of the rectangle that is on the display. @return whether there is any.
static bool seen_part(const wd_aim_ground *ground, const wd_node *node, wd_rect *ret_part)
{
    wd_rect rect = node->rect;
    if (ground->width > 0 && ground->height > 0) {
        rect = (wd_rect){ larger(rect.left, 0), larger(rect.top, 0), smaller(rect.right, ground->width),
            smaller(rect.bottom, ground->height) };
    }
    *ret_part = rect;
    return node->rect_state != WD_RECT_UNKNOWN && rect.left < rect.right && rect.top < rect.bottom;
}

/// The target as a point; *ret_area is what a movement by direction goes through, empty where nothing says so.
static bool aim(const wd_action *action, const wd_aim_ground *ground, wd_execute_request *request,
    wd_rect *ret_area, wd_result *ret_refusal)
{
    wd_aim at = { .node = -1 };
    *ret_area = (wd_rect){ 0, 0, ground->width, ground->height };
    if (wd_aim_need_of(action->kind) == WD_AIM_MAYBE && !wd_action_has_target(action)) {
        // What has the focus is typed into; what moves, moves in the middle of the display.
        request->has_point = moves(action->kind) && ground->width > 0 && ground->height > 0;
        request->x = ground->width / 2;
        request->y = ground->height / 2;
        return true;
    }
    if (!wd_aim_take(action, ground, &at, ret_refusal)) {
        return false;
    }
    if (at.node >= 0) {
        request->node = wd_scene_node(ground->scene, (size_t)at.node);
        if (!seen_part(ground, request->node, ret_area)) {
            return refuse(WD_ENOENT, "target_missing", "nothing of the node is on the display", ret_refusal);
        }
        at.x = (ret_area->left + ret_area->right) / 2;
        at.y = (ret_area->top + ret_area->bottom) / 2;
    }
    request->has_point = true;
    request->x = (int32_t)at.x;
    request->y = (int32_t)at.y;
    return true;
}

/// How far a movement by direction goes, as a part of the area's side.
static double share_of(const char *distance)
{
    return distance == NULL                 ? 0.5
           : strcmp(distance, "short") == 0 ? 0.25
           : strcmp(distance, "long") == 0  ? 0.75
                                            : 0.5;
}

static int32_t inside(int32_t at, int32_t side)
{
    return larger(0, side > 0 ? smaller(at, side - 1) : at);
}

/// From a point or through the middle of the area, in the finger's direction.
static void move_finger(
    const wd_action *action, const wd_aim_ground *ground, const wd_rect *area, wd_execute_request *request)
{
    static const int32_t steps[][2] = { [WD_DIR_NONE] = { 0, 0 },
        [WD_DIR_UP] = { 0, -1 },
        [WD_DIR_DOWN] = { 0, 1 },
        [WD_DIR_LEFT] = { -1, 0 },
        [WD_DIR_RIGHT] = { 1, 0 } };
    const int32_t *step = steps[wd_action_finger(action)];
    int32_t side = step[0] != 0 ? area->right - area->left : area->bottom - area->top;
    int32_t way = (int32_t)lround(side * share_of(action->distance));
    bool from_point = request->node == NULL && action->has_point;
    int32_t before = from_point ? 0 : way / 2;
    request->x -= step[0] * before;
    request->y -= step[1] * before;
    request->has_end = true;
    request->end_x = inside(request->x + step[0] * way, ground->width);
    request->end_y = inside(request->y + step[1] * way, ground->height);
}

static bool end_at_point(
    const wd_action *action, const wd_aim_ground *ground, wd_execute_request *request, wd_result *ret_refusal)
{
    double x = action->x2, y = action->y2;
    if (!wd_aim_to_pixels(action->space, ground->width, ground->height, &x, &y)) {
        return refuse(
            WD_EINVAL, "bad_arguments", "args.x2, args.y2: pixels of the display are wanted", ret_refusal);
    }
    if ((ground->width > 0 && x > ground->width) || (ground->height > 0 && y > ground->height)) {
        return refuse(WD_EINVAL, "bad_arguments", "args.x2, args.y2: beyond the display", ret_refusal);
    }
    request->has_end = true;
    request->end_x = inside((int32_t)x, ground->width);
    request->end_y = inside((int32_t)y, ground->height);
    return true;
}

bool wd_execute_aim(const wd_action *action, const wd_aim_ground *ground, wd_execute_request *ret_request,
    wd_result *ret_refusal)
{
    wd_execute_request request = { .run_id = ret_request->run_id, .action = action };
    wd_rect area = { 0 };
    if (!wd_action_check_arguments(action, ret_refusal)) {
        return false;
    }
    if (wd_aim_need_of(action->kind) != WD_AIM_NOTHING &&
        !aim(action, ground, &request, &area, ret_refusal)) {
        return false;
    }
    if (moves(action->kind)) {
        if (action->has_point2) {
            if (!end_at_point(action, ground, &request, ret_refusal)) {
                return false;
            }
        } else if (action->direction == WD_DIR_NONE) {
            return refuse(WD_EINVAL, "bad_arguments", "args.x2, args.y2: where it is dragged to is wanted",
                ret_refusal);
        } else if (request.has_point && area.left < area.right && area.top < area.bottom) {
            move_finger(action, ground, &area, &request);
        }
    }
    *ret_request = request;
    return true;
}
