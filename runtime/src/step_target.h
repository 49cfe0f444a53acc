/// step_target.h - which node a step touched, for rules over what was done.
#ifndef RUNTIME_STEP_TARGET_H
#define RUNTIME_STEP_TARGET_H

#include "scene/action.h"
#include "scene/scene.h"

/// The node of `scene` that the action means: by id, by selector, or the innermost one under its point that takes
/// touches (else the innermost). NULL: none, or the action has no target. Borrowed from the scene.
const wd_node *wd_step_target(const wd_scene *scene, const wd_action *action);

#endif
