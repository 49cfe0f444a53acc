/// run_internal.h - the runner's own state, shared by run.c (the machine) and run_context.c (what it keeps).
#ifndef RUNTIME_RUN_INTERNAL_H
#define RUNTIME_RUN_INTERNAL_H

#include "runtime/run.h"

typedef enum wd_run_phase {
    WD_PHASE_NEW,
    WD_PHASE_FIRST_SCENE,  // waiting for the first observation
    WD_PHASE_PLANNING,     // waiting for a plan
    WD_PHASE_EXECUTING,    // waiting for the result of the step in `current`
    WD_PHASE_OBSERVING,    // waiting for the scene after it
    WD_PHASE_ENRICHING,    // waiting for what an enricher makes of the scene in `seen`
    WD_PHASE_ENDED,
} wd_run_phase;

struct wd_run {
    wd_run_options options;
    char *run_id;
    wd_task task;
    wd_task_context context;
    wd_world_model *model;  // also when off: then it does nothing
    wd_run_phase phase;
    wd_ending ending;
    char ending_text[WD_ERROR_TEXT_MAX];

    wd_plan_reply *plan;   // being executed, NULL when none
    size_t plan_next;      // next step of it
    char *planner;         // who planned it
    wd_scene *planned_on;  // the scene the plan was made for

    wd_observation seen;          // what was observed and is not yet the present
    wd_semantic *meaning;         // of its scene; NULL: off
    bool begun;                   // the first scene was taken
    wd_scene *first_scene;        // NULL: its capture failed
    wd_semantic *first_semantic;  // of it

    wd_run_step_record current;                   // the step in flight
    wd_action last_action;                        // for the repetition limit
    uint32_t repeated;                            // equal actions in a row, the last included
    uint32_t invalid_replies;                     // in a row
    char *user_reply;                             // to be told with the next request
    size_t results_told;                          // steps[0..this) were told to a planner
    wd_plan_result results[WD_PLAN_RESULTS_MAX];  // storage of the request's results
    uint32_t imagined, imagined_untold;           // steps tried in thought: all, and since the last plan
    uint64_t events_ignored;
};

/// What a scene (NULL: none) means: as was found before for this very scene, so that the record has one answer for each,
/// else by worldd's own means. NULL: off. *ret_ask: an enricher should be asked, too. @retval WD_ENOMEM only.
WD_NODISCARD wd_status wd_run_meaning(
    const wd_run *run, const wd_scene *scene, wd_semantic **ret_meaning, bool *ret_ask);
/// Set an observation aside (its content moves) and find out what it means.
WD_NODISCARD wd_status wd_run_see(wd_run *run, wd_observation *observation, bool *ret_ask);
/// What was seen is the present scene and state.
void wd_run_take_seen(wd_run *run);
/// Append the step in `current` to the context (its content moves).
WD_NODISCARD wd_status wd_run_keep_step(wd_run *run);
void wd_run_step_record_done(wd_run_step_record *record);
/// Fill `current` with what was true before the step; takes the step's content.
WD_NODISCARD wd_status wd_run_start_step(wd_run *run, wd_step *step, uint32_t plan_index);
/// The request for the next plan; borrows from the run.
void wd_run_fill_request(wd_run *run, wd_plan_request *ret_request);
void wd_run_context_done(wd_run *run);

#endif
