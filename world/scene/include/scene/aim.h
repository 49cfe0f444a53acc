/// aim.h - what an action is done to: its target found on a screen, by node id, selector or point. The
/// simulated phone and what executes on foreign ones find targets by the same rules.
#ifndef SCENE_AIM_H
#define SCENE_AIM_H

#include "scene/action.h"
#include "scene/scene.h"

typedef enum wd_aim_need {
    WD_AIM_NOTHING,  // back, launch_app, wait, ...: a target is not looked at
    WD_AIM_TARGET,   // tap, long_press, drag, ...: without one it is refused
    WD_AIM_MAYBE,    // type, scroll, ...: without one it is done to the focused field or the whole screen
} wd_aim_need;
wd_aim_need wd_aim_need_of(wd_action_kind kind);

/// Does the action name a target at all?
bool wd_action_has_target(const wd_action *action);

/// Are the arguments given that the kind cannot do without, target aside? Else *ret_refusal says
/// "bad_arguments".
bool wd_action_check_arguments(const wd_action *action, wd_result *ret_refusal);

/// Where it is looked for; borrowed.
typedef struct wd_aim_ground {
    const wd_scene *scene;  // the present screen; NULL: not seen, then only a point in pixels can be aimed at
    const wd_scene *planned_on;  // the screen that a node id refers to; NULL: the present one
    int32_t width, height;       // of the display in pixels; 0: not known
} wd_aim_ground;

typedef struct wd_aim {
    int32_t node;  // of the present screen; -1: a point was given
    double x, y;   // pixels: the point given, or the middle of the node's rectangle
} wd_aim;

/// Find the target of an action that names one.
/// @return whether it was found; else *ret_refusal is the result of the step: target_gone (the screen has changed since
///         the step was planned), target_missing, target_ambiguous, bad_arguments. *ret_aim is then untouched.
bool wd_aim_take(
    const wd_action *action, const wd_aim_ground *ground, wd_aim *ret_aim, wd_result *ret_refusal);

/// A point of the action's space in pixels. @return false: it needs a size that is not known, or the space is
/// the model's.
bool wd_aim_to_pixels(wd_space space, int32_t width, int32_t height, double *x, double *y);

#endif
