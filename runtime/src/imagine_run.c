// A run in an env's shape, so that both imagine by the same code.
#include "imagine.h"

#include "run_internal.h"
#include "runtime/run_judge.h"
#include "tree/alloc.h"
#include "tree/text.h"

/// Where the run began, as far as steps and judge ask: it has no phone that anything is booted or reset from.
static wd_status origin_of(const wd_run *run, const wd_sim_executor *sim, env_origin **ret_origin)
{
    env_origin *origin = wd_alloc_zero(1, sizeof *origin);
    if (origin == NULL) {
        return WD_ENOMEM;
    }
    origin->references = 1;
    if (wd_task_copy(&run->task, &origin->task) != WD_OK) {
        wd_free(origin, sizeof *origin);
        return WD_ENOMEM;
    }
    origin->step_limit = run->options.step_limit;
    origin->state_initial = wd_value_ref(run->context.state_initial);
    origin->start_ms = sim->events.start_ms;
    *ret_origin = origin;
    return WD_OK;
}

/// How far the run is.
static wd_status progress_of(const wd_run *run, const wd_sim_executor *sim, env_progress *progress)
{
    const wd_task_context *context = &run->context;
    wd_status status = origin_of(run, sim, &progress->origin);
    if (status == WD_OK && !wd_text_copy(context->answer, &progress->answer)) {
        status = WD_ENOMEM;
    }
    for (size_t i = 0; status == WD_OK && i < context->step_count; i++) {
        const wd_run_step_record *record = &context->steps[i];
        wd_value *event = NULL;
        status = wd_run_step_event(record, &event);
        status = status == WD_OK ? env_trace_add(&progress->trace, record->index, event, record->state_after)
                                 : status;
        wd_value_unref(&event);
    }
    progress->events_done = sim->events.done;
    progress->events_actions = sim->events.actions;
    progress->steps = (uint32_t)context->step_count;
    return status;
}

wd_status wd_imagine_run(const wd_run *run, const wd_sim_executor *sim, const wd_imagine_order *order,
    wd_value **ret_result, wd_error *error)
{
    if (run->phase != WD_PHASE_PLANNING) {
        return wd_error_set(error, WD_EBUSY, "imagine: the run is amid a step; ask again");
    }
    wd_envs table = { .host = sim->host, .options = { .bytes_max = UINT64_MAX } };  // one without envs
    env_progress progress = { 0 };
    wd_status status = progress_of(run, sim, &progress);
    if (status == WD_OK) {
        wd_imagine_ground ground = {
            .progress = &progress,
            .device = sim->device,
            .planned_on = run->context.scene,
            .run = run,
        };
        status = wd_imagine(&table, &ground, order, ret_result, error);
    } else {
        wd_error_set(error, status, "imagine: %s", wd_status_text(status));
    }
    env_progress_done(&table, &progress);
    return status;
}
