/// execute_aim.h - what an executor is told about an action's target: found on the screen seen last, in
/// pixels, with the finger's way worked out, so that an executor needs to know no more than how to touch.
#ifndef RUNTIME_EXECUTE_AIM_H
#define RUNTIME_EXECUTE_AIM_H

#include "runtime/codec.h"
#include "scene/aim.h"

/// Check the action's arguments and find its target. A node is touched in the middle of what is seen of it. A
/// swipe, drag or scroll by direction goes through the middle of the node or display, half its side, a
/// quarter for "short", three quarters for "long"; from a point it starts there and ends inside the display.
/// Where the display's size is not known and no node is meant, the executor is left to find the way by
/// itself.
/// @param ret_request  node, points and flags are set; node is borrowed from the scene.
/// @return whether it may be sent; else *ret_refusal is the result of the step, and nobody is asked.
bool wd_execute_aim(const wd_action *action, const wd_aim_ground *ground, wd_execute_request *ret_request,
    wd_result *ret_refusal);

#endif
