#include "run_internal.h"

#include "tree/text.h"

#include <stdio.h>

static const struct {
    const char *name, *stop_reason;
} endings[] = {
    [WD_END_NONE] = { "running", "" },
    [WD_END_COMPLETE] = { "complete", "COMPLETE" },
    [WD_END_ABORT] = { "abort", "ABORT" },
    [WD_END_STEP_LIMIT] = { "step_limit", "MAX_STEPS" },
    [WD_END_REPETITION_LIMIT] = { "repetition_limit", "REPETITIVE_LOOP" },
    [WD_END_FORMAT_ERROR] = { "format_error", "FORMAT_ERROR" },
    [WD_END_PLANNER_LOST] = { "planner_lost", "ERROR" },
    [WD_END_PLANNER_LATE] = { "planner_late", "ERROR" },
    [WD_END_EXECUTOR_LOST] = { "executor_lost", "ERROR" },
    [WD_END_INTERNAL_ERROR] = { "internal_error", "ERROR" },
    [WD_END_CANCELED] = { "cancelled", "CANCELLED" },
};

const char *wd_ending_name(wd_ending ending)
{
    return endings[ending].name;
}

const char *wd_ending_stop_reason(wd_ending ending)
{
    return endings[ending].stop_reason;
}

wd_run_options wd_run_options_default(void)
{
    return (wd_run_options){
        .world = wd_world_options_default(),
        .semantic = true,
        .enrich_deadline_ms = 2000,
        .step_limit = 0,
        .repetition_limit = 10,
        .invalid_limit = 3,
        .deadline_ms = 60 * 1000,
    };
}

wd_status wd_run_new(
    const char *run_id, const wd_task *task, const wd_run_options *options, wd_run **ret_run, wd_error *error)
{
    size_t length = strlen(run_id);
    if (length == 0 || length > 64) {
        return wd_error_set(error, WD_EINVAL, "run_id: must have 1 to 64 characters");
    }
    if (options->step_limit > WD_TASK_STEPS_MAX) {
        return wd_error_set(error, WD_EINVAL, "step_limit: must be 0 to %d", WD_TASK_STEPS_MAX);
    }
    wd_run *run = wd_alloc_zero(1, sizeof *run);
    if (run == NULL) {
        return wd_error_set(error, WD_ENOMEM, "run: out of memory");
    }
    run->options = *options;
    wd_action_init(&run->last_action, WD_ACTION_NOOP);
    wd_action_init(&run->current.step.action, WD_ACTION_NOOP);
    wd_status status = wd_world_model_new(&options->world, &run->model, error);
    if (status == WD_OK) {
        status = wd_task_copy(task, &run->task);
    }
    if (status == WD_OK && !wd_text_copy(run_id, &run->run_id)) {
        status = WD_ENOMEM;
    }
    if (status != WD_OK) {
        wd_run_destroy(&run);
        return status;
    }
    if (run->options.step_limit == 0) {
        run->options.step_limit = run->task.step_limit;
    }
    run->options.world.launcher_app = NULL;  // borrowed only while the model was made
    run->context.run_id = run->run_id;
    run->context.task = &run->task;
    run->context.world = wd_world_model_state(run->model);
    *ret_run = run;
    return WD_OK;
}

static void drop_plan(wd_run *run)
{
    wd_plan_reply_destroy(&run->plan);
    run->plan_next = 0;
    wd_text_free(&run->planner);
    wd_scene_unref(&run->planned_on);
}

void wd_run_destroy(wd_run **run_p)
{
    wd_run *run = *run_p;
    if (run == NULL) {
        return;
    }
    drop_plan(run);
    wd_run_step_record_done(&run->current);
    wd_run_context_done(run);
    wd_world_model_destroy(&run->model);
    wd_action_done(&run->last_action);
    wd_text_free(&run->user_reply);
    wd_text_free(&run->run_id);
    wd_task_done(&run->task);
    wd_free(run, sizeof *run);
    *run_p = NULL;
}

const wd_task_context *wd_run_context(const wd_run *run)
{
    return &run->context;
}

wd_ending wd_run_ending(const wd_run *run)
{
    return run->ending;
}

const char *wd_run_ending_text(const wd_run *run)
{
    return run->ending_text;
}

uint32_t wd_run_imagine_allowed(const wd_run *run)
{
    return run->options.imagine_steps_max;
}

uint32_t wd_run_imagine_left(const wd_run *run)
{
    return run->options.imagine_steps_max - run->imagined;
}

void wd_run_imagined(wd_run *run, uint32_t steps)
{
    wd_assert(steps <= wd_run_imagine_left(run));
    run->imagined += steps;
    run->imagined_untold += steps;
}

// ---- moving on ------------------------------------------------------------------------------------------------

static void end_run(wd_run *run, wd_ending ending, const char *text, wd_run_effects *effects)
{
    drop_plan(run);
    wd_run_step_record_done(&run->current);  // a step in flight is not kept: it never became whole
    run->phase = WD_PHASE_ENDED;
    run->ending = ending;
    snprintf(run->ending_text, sizeof run->ending_text, "%s", text == NULL ? "" : text);
    effects->kind = WD_RUN_DO_END;
}

static void ask_planner(wd_run *run, wd_run_effects *effects)
{
    drop_plan(run);
    run->phase = WD_PHASE_PLANNING;
    wd_run_fill_request(run, &effects->request);
    effects->kind = WD_RUN_DO_PLAN;
}

/// The step in `current` is over: keep it. `drop` drops the rest of its plan.
static wd_status finish_step(wd_run *run, bool drop)
{
    wd_status status = wd_run_keep_step(run);
    if (status == WD_OK && drop) {
        drop_plan(run);
    }
    return status;
}

/// The world model's one call for an executed step.
static wd_status observe_step(wd_run *run)
{
    wd_status status = wd_world_model_observe(run->model, run->context.scene, run->context.semantic,
        &run->current.step, &run->current.result, &run->current.report);
    run->current.observed = status == WD_OK;
    return status;
}

/// N equal actions in a row: counts the step in `current`.
static wd_status count_repetition(wd_run *run)
{
    const wd_action *action = &run->current.step.action;
    if (run->repeated > 0 && wd_action_equal(&run->last_action, action)) {
        run->repeated += 1;
        return WD_OK;
    }
    wd_action copy;
    wd_status status = wd_action_copy(action, &copy);
    if (status == WD_OK) {
        wd_action_done(&run->last_action);
        run->last_action = copy;
        run->repeated = 1;
    }
    return status;
}

static wd_status set_text(char **field, const char *text)
{
    char *copy = NULL;
    if (!wd_text_copy(text == NULL ? "" : text, &copy)) {
        return WD_ENOMEM;
    }
    wd_text_free(field);
    *field = copy;
    return WD_OK;
}

/// An action that does not touch the device: done here, observed with the screen as it is.
static wd_status do_control_action(wd_run *run)
{
    const wd_action *action = &run->current.step.action;
    wd_status status = WD_OK;
    switch (action->kind) {
    case WD_ACTION_ANSWER:
        status = set_text(&run->context.answer, action->text);
        break;
    case WD_ACTION_ASK_USER:
        status = set_text(&run->user_reply, wd_task_user_reply(&run->task, action->text));
        break;
    case WD_ACTION_COMPLETE:
    case WD_ACTION_ABORT:
        status = set_text(&run->context.message, action->text != NULL ? action->text : action->reason);
        break;
    default:
        break;
    }
    return status == WD_OK ? observe_step(run) : status;
}

wd_result wd_run_refusal(const wd_action *invalid)
{
    wd_action_kind known;  // a known action that was refused had wrong arguments
    bool unknown = invalid->raw != NULL && wd_action_kind_parse(invalid->raw, &known) != WD_OK;
    return wd_result_make(WD_OUTCOME_REFUSED, WD_EINVAL, unknown ? "unknown_action" : "bad_arguments", "%s",
        invalid->reason == NULL ? "invalid action" : invalid->reason);
}

static wd_status next_step(wd_run *run, wd_run_effects *effects);

/// Start the next step of the plan. Refused and control steps are whole at once; a physical one goes to the executor.
static wd_status start_step(wd_run *run, wd_run_effects *effects)
{
    wd_step *planned = &run->plan->steps[run->plan_next];
    wd_status status = wd_run_start_step(run, planned, (uint32_t)run->plan_next);
    run->plan_next += 1;
    if (status == WD_OK) {
        status = count_repetition(run);
    }
    if (status != WD_OK) {
        return status;
    }
    const wd_action *action = &run->current.step.action;
    if (action->kind == WD_ACTION_INVALID) {
        run->current.result = wd_run_refusal(action);
        status = finish_step(run, true);
        return status == WD_OK ? next_step(run, effects) : status;
    }
    if (run->options.repetition_limit > 0 && run->repeated >= run->options.repetition_limit) {
        run->current.result = wd_result_make(WD_OUTCOME_REFUSED, WD_ELIMIT, "repetition_limit",
            "the same action %u times in a row", run->repeated);
        status = finish_step(run, true);
        if (status == WD_OK) {
            end_run(run, WD_END_REPETITION_LIMIT, "the same action again and again", effects);
        }
        return status;
    }
    if (wd_action_is_physical(action->kind)) {
        run->phase = WD_PHASE_EXECUTING;
        effects->kind = WD_RUN_DO_EXECUTE;
        effects->action = action;
        effects->planned_on = run->planned_on;
        return WD_OK;
    }
    wd_ending ending = action->kind == WD_ACTION_COMPLETE ? WD_END_COMPLETE
                       : action->kind == WD_ACTION_ABORT  ? WD_END_ABORT
                                                          : WD_END_NONE;
    bool asked = action->kind == WD_ACTION_ASK_USER;  // the reply must reach the planner before the next step
    status = do_control_action(run);
    if (status == WD_OK) {
        status = finish_step(run, asked);
    }
    if (status != WD_OK) {
        return status;
    }
    if (ending != WD_END_NONE) {
        end_run(run, ending, run->context.message, effects);
        return WD_OK;
    }
    return next_step(run, effects);
}

static wd_status next_step(wd_run *run, wd_run_effects *effects)
{
    if (run->context.step_count >= run->options.step_limit) {
        end_run(run, WD_END_STEP_LIMIT, "the step limit is reached", effects);
        return WD_OK;
    }
    if (run->plan == NULL || run->plan_next >= run->plan->step_count) {
        ask_planner(run, effects);
        return WD_OK;
    }
    return start_step(run, effects);
}

// ---- events ---------------------------------------------------------------------------------------------------

static wd_status on_start(wd_run *run, wd_run_event *event, wd_run_effects *effects)
{
    (void)event;
    run->phase = WD_PHASE_FIRST_SCENE;
    effects->kind = WD_RUN_DO_OBSERVE;
    return WD_OK;
}

/// The first scene is there, and what it means.
static wd_status begin(wd_run *run, wd_run_effects *effects)
{
    wd_status status = wd_world_model_begin(run->model, run->context.scene, run->context.semantic);
    if (status != WD_OK) {
        return status;
    }
    run->begun = true;
    run->first_scene = wd_scene_ref(run->context.scene);
    run->first_semantic = wd_semantic_ref(run->context.semantic);
    run->context.state_initial = wd_value_ref(run->context.state);
    const char *route = run->context.scene == NULL ? NULL : wd_scene_info_of(run->context.scene)->route;
    if (!wd_text_copy(route, &run->context.route_initial)) {
        return WD_ENOMEM;
    }
    effects->begun = true;
    return next_step(run, effects);
}

static wd_status invalid_reply(wd_run *run, const char *why, wd_run_effects *effects)
{
    run->invalid_replies += 1;
    if (run->invalid_replies >= run->options.invalid_limit) {
        char text[WD_ERROR_TEXT_MAX];
        snprintf(
            text, sizeof text, "%u invalid replies in a row; the last: %.200s", run->invalid_replies, why);
        end_run(run, WD_END_FORMAT_ERROR, text, effects);
        return WD_OK;
    }
    ask_planner(run, effects);
    return WD_OK;
}

static wd_status take_plan(wd_run *run, wd_plan_outcome *outcome, wd_run_effects *effects)
{
    drop_plan(run);
    if (outcome->reply->step_count == 0) {
        return invalid_reply(run, "steps: the plan is empty", effects);
    }
    run->plan = outcome->reply;
    outcome->reply = NULL;
    run->planned_on = wd_scene_ref(run->context.scene);
    if (!wd_text_copy(outcome->planner, &run->planner)) {
        return WD_ENOMEM;
    }
    run->results_told = run->context.step_count;
    wd_text_free(&run->user_reply);
    const wd_action *first = &run->plan->steps[0].action;
    if (first->kind != WD_ACTION_INVALID) {
        run->invalid_replies = 0;
        return next_step(run, effects);
    }
    char why[WD_ERROR_TEXT_MAX];
    snprintf(why, sizeof why, "%s", first->reason == NULL ? "invalid action" : first->reason);
    run->invalid_replies += 1;
    wd_status status = next_step(run, effects);  // the refusal is a step of its own
    if (status == WD_OK && run->phase != WD_PHASE_ENDED &&
        run->invalid_replies >= run->options.invalid_limit) {
        end_run(run, WD_END_FORMAT_ERROR, why, effects);
    }
    return status;
}

static wd_status on_planned(wd_run *run, wd_run_event *event, wd_run_effects *effects)
{
    wd_plan_outcome *outcome = event->outcome;
    switch (outcome->end) {
    case WD_PLAN_REPLY:
        return take_plan(run, outcome, effects);
    case WD_PLAN_INVALID:
        return invalid_reply(run, outcome->error.text, effects);
    case WD_PLAN_TOO_LATE:
        end_run(run, WD_END_PLANNER_LATE, outcome->error.text, effects);
        return WD_OK;
    case WD_PLAN_CANCELED:
        end_run(run, WD_END_CANCELED, outcome->error.text, effects);
        return WD_OK;
    case WD_PLAN_REFUSED:
    case WD_PLAN_LOST:
    case WD_PLAN_NO_PLANNER:
        break;
    }
    end_run(run, WD_END_PLANNER_LOST, outcome->error.text, effects);
    return WD_OK;
}

static wd_status on_executed(wd_run *run, wd_run_event *event, wd_run_effects *effects)
{
    run->current.result = *event->result;
    if (event->result->outcome == WD_OUTCOME_REFUSED) {
        wd_status status = finish_step(run, true);
        return status == WD_OK ? next_step(run, effects) : status;
    }
    run->phase = WD_PHASE_OBSERVING;
    effects->kind = WD_RUN_DO_OBSERVE;
    return WD_OK;
}

/// What was seen becomes the present: of the first scene, or of the one after a step.
static wd_status take_seen(wd_run *run, wd_run_effects *effects)
{
    wd_run_take_seen(run);
    if (!run->begun) {
        return begin(run, effects);
    }
    bool failed = run->current.result.outcome == WD_OUTCOME_FAILED;
    wd_status status = observe_step(run);
    if (status == WD_OK) {
        status = finish_step(run, failed);
    }
    return status == WD_OK ? next_step(run, effects) : status;
}

static wd_status on_observed(wd_run *run, wd_run_event *event, wd_run_effects *effects)
{
    bool asks = false;
    wd_status status = wd_run_see(run, event->observation, &asks);
    if (status != WD_OK || !asks) {
        return status == WD_OK ? take_seen(run, effects) : status;
    }
    run->phase = WD_PHASE_ENRICHING;
    effects->kind = WD_RUN_DO_ENRICH;
    effects->enrich = (wd_enrich_request){
        .run_id = run->run_id,
        .instruction = run->task.instruction,
        .scene = run->seen.scene,
        .suggestion = run->meaning,
    };
    return WD_OK;
}

static wd_status on_enriched(wd_run *run, wd_run_event *event, wd_run_effects *effects)
{
    if (event->outcome->end == WD_PLAN_REPLY) {
        wd_semantic_unref(&run->meaning);
        run->meaning = event->outcome->semantic;
        event->outcome->semantic = NULL;
    }
    return take_seen(run, effects);
}

typedef wd_status (*wd_run_handler)(wd_run *run, wd_run_event *event, wd_run_effects *effects);

// What each phase waits for. Everything else is ignored.
static const wd_run_handler handlers[WD_PHASE_ENDED + 1][WD_RUN_ENRICHED + 1] = {
    [WD_PHASE_NEW] = { [WD_RUN_START] = on_start },
    [WD_PHASE_FIRST_SCENE] = { [WD_RUN_OBSERVED] = on_observed },
    [WD_PHASE_PLANNING] = { [WD_RUN_PLANNED] = on_planned },
    [WD_PHASE_EXECUTING] = { [WD_RUN_EXECUTED] = on_executed },
    [WD_PHASE_OBSERVING] = { [WD_RUN_OBSERVED] = on_observed },
    [WD_PHASE_ENRICHING] = { [WD_RUN_ENRICHED] = on_enriched },
};

wd_status wd_run_step(wd_run *run, wd_run_event *event, wd_run_effects *ret_effects)
{
    wd_run_effects effects = { .kind = WD_RUN_DO_NOTHING };
    wd_status status = WD_OK;
    wd_run_handler handler = event->kind <= WD_RUN_ENRICHED ? handlers[run->phase][event->kind] : NULL;
    if (run->phase == WD_PHASE_ENDED) {
        run->events_ignored += 1;
    } else if (event->kind == WD_RUN_FAILED) {
        end_run(run, event->ending, event->text, &effects);
    } else if (event->kind == WD_RUN_CANCEL) {
        end_run(run, WD_END_CANCELED, event->text, &effects);
    } else if (handler == NULL) {
        run->events_ignored += 1;
    } else {
        status = handler(run, event, &effects);
    }
    if (status != WD_OK) {
        end_run(run, WD_END_INTERNAL_ERROR, wd_status_text(status), &effects);
    }
    effects.steps_recorded = run->context.step_count;
    *ret_effects = effects;
    return status;
}
