/// run.h - the task runner: one task being executed, as a state machine that never blocks (DESIGN section 6).
///
///   START -> observe -> plan -> execute one step -> observe -> ... -> END
///
/// step(run, event) -> effects: the caller carries the effects out (asks a planner, drives the executor, writes the
/// record) and feeds what came of them back as events. No sockets, no files, no clock inside, so tests and replays
/// drive the same code as the daemon.
#ifndef RUNTIME_RUN_H
#define RUNTIME_RUN_H

#include "runtime/codec.h"
#include "runtime/executor.h"
#include "runtime/task.h"

enum { WD_IMAGINE_BUDGET_LIMIT = 1000 * 1000 };  // highest imagine_steps_max

typedef enum wd_ending {
    WD_END_NONE,
    WD_END_COMPLETE,
    WD_END_ABORT,
    WD_END_STEP_LIMIT,
    WD_END_REPETITION_LIMIT,
    WD_END_FORMAT_ERROR,
    WD_END_PLANNER_LOST,
    WD_END_PLANNER_LATE,
    WD_END_EXECUTOR_LOST,
    WD_END_INTERNAL_ERROR,
    WD_END_CANCELED,
} wd_ending;
const char *wd_ending_name(wd_ending ending);  // "complete", "step_limit", ...
const char *wd_ending_stop_reason(
    wd_ending ending);  // "COMPLETE", "MAX_STEPS", ... (README-judge-ops section 3)

typedef struct wd_run_options {
    wd_world_options world;
    bool semantic;  // enrich scenes; default on
    // Who is asked for the semantic scene of each new screen: "" nobody, "*" any enricher, else one by name. Worldd's own
    // is what he is told, and what holds when he does not answer in time.
    char enricher[WD_PEER_NAME_MAX + 1];
    uint32_t enrich_deadline_ms;  // default 2000
    uint32_t step_limit;          // 0: the task's own
    uint32_t repetition_limit;    // the N-th equal action in a row ends the run; 0: never. Default 10
    uint32_t invalid_limit;       // invalid replies in a row that end the run; default 3
    uint32_t deadline_ms;         // for one plan; default 60000
    uint32_t imagine_steps_max;   // steps that planners may try in thought, all plans together; default 0
} wd_run_options;
wd_run_options wd_run_options_default(void);

/// One step as it happened; kept for the judge's trace and for results told to the planner.
typedef struct wd_run_step_record {
    uint32_t index;
    wd_step step;
    wd_result result;
    bool observed;
    wd_observe_report report;              // zero when not observed
    wd_scene *scene_before, *scene_after;  // NULL: none
    wd_semantic *semantic_after;           // of scene_after; NULL: off
    wd_value *world_after;                 // WorldState without history; NULL: off
    wd_value *state_after;                 // {os, apps}; NULL when the executor has none
    wd_digest machine_after;
    char *app_before, *page_before, *app_after, *page_after;  // the world's, NULL unknown or off
    char *planner;                                            // who planned it, NULL unknown
    char *model;                                              // the planner's model, NULL not told
    uint64_t tokens_in, tokens_out;
    double cost;
    uint32_t plan_index;  // place in its plan, from 0
    uint32_t
        imagined;  // steps tried in thought (imagine.h) since the last plan; told at the first step of a plan
} wd_run_step_record;

/// Everything of one run that planner, judge and record read (TaskContext).
typedef struct wd_task_context {
    const char *run_id;
    const wd_task *task;
    wd_scene *scene;          // the present one, NULL when the capture failed
    wd_semantic *semantic;    // of it; NULL when off
    wd_value *state_initial;  // NULL when the executor has none
    wd_value *state;          // the present one
    wd_digest machine;
    char *route_initial;          // route of the first scene, NULL unknown
    const wd_world_state *world;  // NULL when off
    wd_run_step_record *steps;
    size_t step_count, step_capacity;
    char *answer;   // the last answer given, NULL none
    char *message;  // of complete or abort, NULL none
} wd_task_context;

typedef enum wd_run_event_kind {
    WD_RUN_START,
    WD_RUN_OBSERVED,  // observation
    WD_RUN_EXECUTED,  // result
    WD_RUN_PLANNED,   // outcome of a plan request, whatever it is
    WD_RUN_ENRICHED,  // outcome of an enrichment, whatever it is
    WD_RUN_FAILED,    // the executor is lost or something of ours broke: status, error
    WD_RUN_CANCEL,    // error.text is the reason
} wd_run_event_kind;

typedef struct wd_run_event {
    wd_run_event_kind kind;
    wd_observation *observation;  // OBSERVED; its content is taken
    const wd_result *result;      // EXECUTED
    wd_plan_outcome *outcome;     // PLANNED, ENRICHED; what was answered is taken
    wd_ending ending;             // FAILED: EXECUTOR_LOST or INTERNAL_ERROR
    const char *text;             // FAILED, CANCEL: why
} wd_run_event;

typedef enum wd_run_effect_kind {
    WD_RUN_DO_NOTHING,  // nothing to do until another event comes (never returned while the run waits for effects)
    WD_RUN_DO_OBSERVE,
    WD_RUN_DO_EXECUTE,  // action, planned_on: borrowed until the next step
    WD_RUN_DO_PLAN,     // request: borrowed until the next step
    WD_RUN_DO_ENRICH,   // enrich: borrowed until the next step
    WD_RUN_DO_END,      // the run is over: ending, text
} wd_run_effect_kind;

/// What to do next (exactly one thing), and which records have become whole since the last step.
typedef struct wd_run_effects {
    wd_run_effect_kind kind;
    const wd_action *action;
    const wd_scene *planned_on;
    wd_plan_request request;
    wd_enrich_request enrich;
    bool begun;             // the first scene was taken in this step
    size_t steps_recorded;  // context->steps[0..this) are final
} wd_run_effects;

typedef struct wd_run wd_run;

/// What becomes of an action of kind INVALID: refused, as unknown or for its arguments.
wd_result wd_run_refusal(const wd_action *invalid);

/// @param task  Copied. @param run_id  1..64 characters; copied.
WD_NODISCARD wd_status wd_run_new(const char *run_id, const wd_task *task, const wd_run_options *options,
    wd_run **ret_run, wd_error *error);
void wd_run_destroy(wd_run **run_p);

/// Feed one event. An event the run does not wait for is ignored and gives WD_RUN_DO_NOTHING (counted).
/// @retval WD_ENOMEM  The run is over with internal_error; its context is as of the last whole step.
WD_NODISCARD wd_status wd_run_step(wd_run *run, wd_run_event *event, wd_run_effects *ret_effects);

/// What-if of planners: steps that the run allows, and those of them that are left.
uint32_t wd_run_imagine_allowed(const wd_run *run);
uint32_t wd_run_imagine_left(const wd_run *run);
/// Count `steps`, not more than are left.
void wd_run_imagined(wd_run *run, uint32_t steps);

/// Borrowed; what it points to changes with the next wd_run_step().
const wd_task_context *wd_run_context(const wd_run *run);
wd_ending wd_run_ending(const wd_run *run);         // WD_END_NONE while it runs
const char *wd_run_ending_text(const wd_run *run);  // "" when there is nothing to say

#endif
