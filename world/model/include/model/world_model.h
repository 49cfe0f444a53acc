/// world_model.h - WorldModel: owns the WorldState of one run and derives it step by step (DESIGN section 4).
///
/// Deterministic, no I/O, no clock. begin() takes the first scene; observe() is called exactly once for every executed
/// step, after its result entered the run's context, with the scene seen *after* the step. Refused steps are not
/// observed. One model per run, gone with it; a fork of a run forks it. Belongs to one thread.
#ifndef MODEL_WORLD_MODEL_H
#define MODEL_WORLD_MODEL_H

#include "model/world_state.h"

typedef struct wd_world_options {
    bool enabled;                // off: begin() and observe() do nothing, wd_world_model_state() is NULL
    size_t history_count_max;    // 0..WD_HISTORY_COUNT_MAX
    size_t variables_count_max;  // 0..WD_VARIABLES_COUNT_LIMIT
    size_t variables_bytes_max;  // 0..WD_VARIABLES_BYTES_LIMIT
    const char *launcher_app;    // what `home` leads to when no scene tells; borrowed during _new
} wd_world_options;

/// On, 10 events, 256 names, 64 KiB, launcher "launcher".
wd_world_options wd_world_options_default(void);

typedef struct wd_world_model wd_world_model;

/// @retval WD_EINVAL  an option out of range; `error` names it.
WD_NODISCARD wd_status wd_world_model_new(
    const wd_world_options *options, wd_world_model **ret_model, wd_error *error);
void wd_world_model_destroy(wd_world_model **model_p);
WD_NODISCARD wd_status wd_world_model_fork(const wd_world_model *model, wd_world_model **ret_fork);

enum { WD_REPORT_TEXT_MAX = 200 };

/// What observe() took and what it refused, and why: recorded, and told to the planner with the next request.
typedef struct wd_observe_report {
    uint32_t step_index;               // of the step observed, from 0
    wd_value *remembered;              // array of the names taken, in order; NULL: none
    wd_value *forgotten;               // array of the names that null forgot; NULL: none
    char refused[WD_REPORT_TEXT_MAX];  // why `remember` was refused whole; "" when it was not
    bool app_changed, page_changed, screen_changed;
    char last_change[WD_LAST_CHANGE_TEXT_MAX];
} wd_observe_report;
void wd_observe_report_done(wd_observe_report *report);
WD_NODISCARD wd_status wd_observe_report_to_value(const wd_observe_report *report, wd_value **ret_value);

/// Take the first scene (NULL: none could be captured). Replaces whatever the model knew.
/// @retval WD_ENOMEM  the model is as before.
WD_NODISCARD wd_status wd_world_model_begin(
    wd_world_model *model, const wd_scene *scene, const wd_semantic *semantic);

/// Observe one executed step (result->outcome ok or failed; a refused one is a caller's bug).
/// @param scene, semantic  After the step; NULL: capture failed / not enriched.
/// @retval WD_ENOMEM  the model is as before.
WD_NODISCARD wd_status wd_world_model_observe(wd_world_model *model, const wd_scene *scene,
    const wd_semantic *semantic, const wd_step *step, const wd_result *result, wd_observe_report *ret_report);

/// Borrowed until the next begin or observe; NULL when the model is off.
const wd_world_state *wd_world_model_state(const wd_world_model *model);

#endif
