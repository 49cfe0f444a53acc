#include "passive.h"

#include "run_internal.h"
#include "semantic/enrich.h"
#include "tree/text.h"

wd_status wd_passive_start(wd_passive *passive, const wd_run_options *options, wd_episode_writer *writer,
    wd_passive_visit visit, void *context, wd_error *error)
{
    *passive = (wd_passive){
        .semantic = options->semantic,
        .writer = writer,
        .visit = visit,
        .context = context,
    };
    return wd_world_model_new(&options->world, &passive->model, error);
}

void wd_passive_done(wd_passive *passive)
{
    wd_world_model_destroy(&passive->model);
    wd_scene_unref(&passive->scene);
}

/// The step as a record of a run would hold it.
static wd_status make_record(const wd_passive *passive, const wd_passive_input *input,
    const wd_semantic *semantic, bool observed, wd_observe_report *report, wd_run_step_record *record)
{
    const wd_world_state *world = wd_world_model_state(passive->model);
    record->index = passive->step_index;
    record->result = *input->result;
    record->observed = observed;
    record->report = *report;  // lent; taken back by the caller
    record->scene_before = wd_scene_ref(passive->scene);
    record->scene_after = wd_scene_ref(input->scene);
    record->semantic_after = wd_semantic_ref(semantic);
    record->step.args = wd_value_ref(input->step->args);
    wd_status status = wd_action_copy(&input->step->action, &record->step.action);
    if (status == WD_OK && !wd_text_copy(input->step->thought, &record->step.thought)) {
        status = WD_ENOMEM;
    }
    if (status == WD_OK && world != NULL) {
        status = wd_world_state_to_value(world, false, &record->world_after);
    }
    return status;
}

static wd_status write_step(wd_passive *passive, const wd_passive_input *input, const wd_semantic *semantic,
    bool observed, wd_observe_report *report, wd_error *error)
{
    wd_run_step_record record = { 0 };
    wd_action_init(&record.step.action, WD_ACTION_NOOP);
    wd_status status = make_record(passive, input, semantic, observed, report, &record);
    status = status == WD_OK ? wd_episode_step_write(passive->writer, &record, error) : status;
    record.report = (wd_observe_report){ 0 };
    wd_run_step_record_done(&record);
    passive->step_index += status == WD_OK;
    return status;
}

static wd_status write_first(
    wd_passive *passive, const wd_passive_input *input, wd_semantic *semantic, wd_error *error)
{
    wd_task_context context = {
        .scene = wd_scene_ref(input->scene),
        .semantic = semantic,
        .world = wd_world_model_state(passive->model),
    };
    wd_status status = wd_episode_begin_write(passive->writer, &context, error);
    wd_scene_unref(&context.scene);
    return status;
}

wd_status wd_passive_feed(wd_passive *passive, const wd_passive_input *input, wd_error *error)
{
    wd_semantic *semantic = wd_semantic_ref(passive->semantic ? input->semantic : NULL);
    wd_observe_report report = { 0 };
    wd_status status = WD_OK;
    bool first = input->step == NULL, observed = !first && input->result->outcome != WD_OUTCOME_REFUSED;
    if (passive->semantic && semantic == NULL && input->scene != NULL) {
        status = wd_semantic_enrich(input->scene, &semantic);
        status = status == WD_ENOMEM ? status : WD_OK;  // not understood: the raw scene has to do
    }
    if (status == WD_OK && first) {
        status = wd_world_model_begin(passive->model, input->scene, semantic);
    } else if (status == WD_OK && observed) {
        status = wd_world_model_observe(
            passive->model, input->scene, semantic, input->step, input->result, &report);
    }
    if (status == WD_OK && passive->writer != NULL) {
        status = first ? write_first(passive, input, semantic, error)
                       : write_step(passive, input, semantic, observed, &report, error);
    }
    if (status == WD_OK) {
        wd_passive_step seen = {
            .index = passive->index,
            .name = input->name,
            .world = wd_world_model_state(passive->model),
            .action = first ? NULL : &input->step->action,
            .report = observed ? &report : NULL,
            .scene = input->scene,
            .failure = input->failure,
            .result = input->result,
            .warnings = input->warnings,
            .warning_count = input->warning_count,
        };
        passive->visit(passive->context, &seen);
        passive->index += 1;
        wd_scene *last = passive->scene;
        passive->scene = wd_scene_ref(input->scene);
        wd_scene_unref(&last);
    }
    wd_observe_report_done(&report);
    wd_semantic_unref(&semantic);
    return status;
}
