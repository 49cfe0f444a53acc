/// executor.h - how the loop reaches a device: observe and execute. The embedded simulator is one executor, a peer that
/// drives a real phone is another, so the calls start work and the answers come as events.
#ifndef RUNTIME_EXECUTOR_H
#define RUNTIME_EXECUTOR_H

#include "scene/action.h"
#include "scene/scene.h"

/// What an executor gives back for one observe or execute.
typedef struct wd_observation {
    wd_scene *scene;                  // NULL: the capture failed
    char failure[WD_ERROR_TEXT_MAX];  // why there is no scene; "" when there is one
    wd_value *state;                  // {os, apps} when the executor has one, else NULL
    wd_digest machine;                // digest of the device's machine; zero when there is none
} wd_observation;
void wd_observation_done(wd_observation *observation);

/// Answers synchronously when it can (the simulator does); WD_EBUSY means the answer comes later as an event.
typedef struct wd_executor {
    void *context;
    WD_NODISCARD wd_status (*observe)(void *context, wd_observation *ret_observation);
    /// Execute one physical action. `planned_on` is the scene its node id refers to, or NULL.
    WD_NODISCARD wd_status (*execute)(
        void *context, const wd_action *action, const wd_scene *planned_on, wd_result *ret_result);
    /// Name for episodes: "sim", "peer:<name>", ...
    const char *name;
} wd_executor;

#endif
