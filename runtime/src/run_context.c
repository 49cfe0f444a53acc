#include "run_internal.h"

#include "semantic/enrich.h"
#include "tree/text.h"

void wd_observation_done(wd_observation *observation)
{
    wd_scene_unref(&observation->scene);
    wd_value_unref(&observation->state);
    memset(observation, 0, sizeof *observation);
}

/// What this very scene meant when the run saw it before; NULL: it did not.
static wd_semantic *known_meaning(const wd_run *run, const wd_scene *scene)
{
    wd_digest digest = wd_scene_digest(scene);
    if (run->first_scene != NULL && wd_digest_equal(wd_scene_digest(run->first_scene), digest)) {
        return run->first_semantic;
    }
    for (size_t i = run->context.step_count; i > 0; i--) {
        const wd_run_step_record *record = &run->context.steps[i - 1];
        if (record->scene_after != NULL && wd_digest_equal(wd_scene_digest(record->scene_after), digest)) {
            return record->semantic_after;
        }
    }
    return NULL;
}

static void forget_seen(wd_run *run)
{
    wd_observation_done(&run->seen);
    wd_semantic_unref(&run->meaning);
}

wd_status wd_run_meaning(const wd_run *run, const wd_scene *scene, wd_semantic **ret_meaning, bool *ret_ask)
{
    wd_semantic *meaning = NULL;
    bool wanted = run->options.semantic && scene != NULL;
    bool foreign = wanted && run->options.enricher[0] != '\0';
    if (foreign) {
        meaning = wd_semantic_ref(known_meaning(run, scene));
    }
    bool known = meaning != NULL;
    if (wanted && !known && wd_semantic_enrich(scene, &meaning) == WD_ENOMEM) {
        return WD_ENOMEM;
    }
    *ret_meaning = meaning;
    *ret_ask = foreign && !known && meaning != NULL;
    return WD_OK;
}

wd_status wd_run_see(wd_run *run, wd_observation *observation, bool *ret_ask)
{
    wd_semantic *meaning = NULL;
    if (wd_run_meaning(run, observation->scene, &meaning, ret_ask) != WD_OK) {
        return WD_ENOMEM;
    }
    forget_seen(run);
    run->seen = *observation;
    run->meaning = meaning;
    memset(observation, 0, sizeof *observation);
    return WD_OK;
}

void wd_run_take_seen(wd_run *run)
{
    wd_task_context *context = &run->context;
    wd_scene_unref(&context->scene);
    wd_semantic_unref(&context->semantic);
    context->scene = run->seen.scene;
    context->semantic = run->meaning;
    context->machine = run->seen.machine;
    run->seen.scene = NULL;
    run->meaning = NULL;
    if (run->seen.state != NULL) {
        wd_value_unref(&context->state);
        context->state = run->seen.state;
        run->seen.state = NULL;
    }
    forget_seen(run);
}

void wd_run_step_record_done(wd_run_step_record *record)
{
    wd_step_done(&record->step);
    wd_observe_report_done(&record->report);
    wd_scene_unref(&record->scene_before);
    wd_scene_unref(&record->scene_after);
    wd_semantic_unref(&record->semantic_after);
    wd_value_unref(&record->world_after);
    wd_value_unref(&record->state_after);
    wd_text_free(&record->app_before);
    wd_text_free(&record->page_before);
    wd_text_free(&record->app_after);
    wd_text_free(&record->page_after);
    wd_text_free(&record->planner);
    wd_text_free(&record->model);
    memset(record, 0, sizeof *record);
    wd_action_init(&record->step.action, WD_ACTION_NOOP);
}

wd_status wd_run_start_step(wd_run *run, wd_step *step, uint32_t plan_index)
{
    wd_run_step_record *record = &run->current;
    wd_run_step_record_done(record);
    const wd_world_state *world = run->context.world;
    record->index = (uint32_t)run->context.step_count;
    record->plan_index = plan_index;
    record->scene_before = wd_scene_ref(run->context.scene);
    record->result = wd_result_ok();
    bool copied =
        wd_text_copy(run->planner, &record->planner) && wd_text_copy(run->plan->model, &record->model);
    if (copied && world != NULL) {
        copied = wd_text_copy(world->current_app, &record->app_before) &&
                 wd_text_copy(world->current_page, &record->page_before);
    }
    if (!copied) {
        return WD_ENOMEM;
    }
    if (plan_index == 0) {  // the reply is paid once
        record->tokens_in = run->plan->tokens_in;
        record->tokens_out = run->plan->tokens_out;
        record->cost = run->plan->cost;
        record->imagined = run->imagined_untold;
        run->imagined_untold = 0;
    }
    record->step = *step;
    memset(step, 0, sizeof *step);
    wd_action_init(&step->action, WD_ACTION_NOOP);
    return WD_OK;
}

static wd_status grow_steps(wd_task_context *context)
{
    if (context->step_count < context->step_capacity) {
        return WD_OK;
    }
    size_t capacity = context->step_capacity == 0 ? 16 : context->step_capacity * 2;
    wd_run_step_record *steps =
        wd_realloc(context->steps, context->step_capacity * sizeof *steps, capacity * sizeof *steps);
    if (steps == NULL) {
        return WD_ENOMEM;
    }
    context->steps = steps;
    context->step_capacity = capacity;
    return WD_OK;
}

wd_status wd_run_keep_step(wd_run *run)
{
    wd_task_context *context = &run->context;
    wd_run_step_record *record = &run->current;
    wd_status status = grow_steps(context);
    const wd_world_state *world = context->world;
    if (status == WD_OK && world != NULL &&
        (!wd_text_copy(world->current_app, &record->app_after) ||
            !wd_text_copy(world->current_page, &record->page_after))) {
        status = WD_ENOMEM;
    }
    if (status == WD_OK && world != NULL) {
        status = wd_world_state_to_value(world, false, &record->world_after);
    }
    if (status != WD_OK) {
        return status;
    }
    record->scene_after = wd_scene_ref(context->scene);
    record->semantic_after = wd_semantic_ref(context->semantic);
    record->state_after = wd_value_ref(context->state);
    record->machine_after = context->machine;
    context->steps[context->step_count] = *record;
    context->step_count += 1;
    memset(record, 0, sizeof *record);
    wd_action_init(&record->step.action, WD_ACTION_NOOP);
    return WD_OK;
}

void wd_run_fill_request(wd_run *run, wd_plan_request *ret_request)
{
    const wd_task_context *context = &run->context;
    size_t first = run->results_told;
    if (context->step_count - first > WD_PLAN_RESULTS_MAX) {
        first = context->step_count - WD_PLAN_RESULTS_MAX;
    }
    size_t count = 0;
    for (size_t i = first; i < context->step_count; i++) {
        const wd_run_step_record *record = &context->steps[i];
        run->results[count++] = (wd_plan_result){
            .step_index = record->index,
            .kind = record->step.action.kind,
            .args = record->step.args,
            .result = record->result,
            .report = record->observed && context->world != NULL ? &record->report : NULL,
        };
    }
    *ret_request = (wd_plan_request){
        .run_id = run->run_id,
        .task_id = run->task.id,
        .instruction = run->task.instruction,
        .params = run->task.params,
        .apps = run->task.apps,
        .step_index = (uint32_t)context->step_count,
        .steps_left = run->options.step_limit - (uint32_t)context->step_count,
        .scene = context->scene,
        .semantic = context->semantic,
        .world = context->world,
        .results = run->results,
        .result_count = count,
        .user_reply = run->user_reply,
        .imagine_left = wd_run_imagine_left(run),
    };
}

void wd_run_context_done(wd_run *run)
{
    forget_seen(run);
    wd_scene_unref(&run->first_scene);
    wd_semantic_unref(&run->first_semantic);
    wd_task_context *context = &run->context;
    wd_scene_unref(&context->scene);
    wd_semantic_unref(&context->semantic);
    wd_value_unref(&context->state_initial);
    wd_value_unref(&context->state);
    wd_text_free(&context->route_initial);
    wd_text_free(&context->answer);
    wd_text_free(&context->message);
    for (size_t i = 0; i < context->step_count; i++) {
        wd_run_step_record_done(&context->steps[i]);
    }
    wd_free(context->steps, context->step_capacity * sizeof *context->steps);
    context->steps = NULL;
    context->step_count = context->step_capacity = 0;
}
