/// step_event.h - what a step says of itself to the judge's order rules (order.h), alike in runs and in envs.
#ifndef RUNTIME_STEP_EVENT_H
#define RUNTIME_STEP_EVENT_H

#include "scene/action.h"
#include "scene/scene.h"

/// A step as it was told. Everything is borrowed and may be NULL but action and result.
typedef struct wd_step_told {
    const wd_action *action;
    const wd_value *args;  // as planned
    const wd_result *result;
    const wd_scene *before, *after;
    const char *app, *page;  // where it led
} wd_step_told;

/// {"action": {"type", "args"?, "target"?: {"id"?, "text"?, "role"?}}, "status", "app"?, "page"?, "route"?}. The
/// target is the node that the action meant, whether by id, by selector or by a point: rules hold for every agent.
WD_NODISCARD wd_status wd_step_event(const wd_step_told *told, wd_value **ret_event);

#endif
