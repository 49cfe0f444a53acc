#include "runtime/sim_executor.h"

#include <stdio.h>
#include <string.h>

static wd_status sim_observe(void *context, wd_observation *ret_observation)
{
    wd_sim_executor *sim = context;
    wd_observation observation = { 0 };
    wd_error error;
    wd_status status = wd_phone_observe(sim->host, sim->device, &observation.scene, &error);
    if (status == WD_ENOMEM) {
        return status;
    }
    if (status != WD_OK) {  // an app's code failed: the screen cannot be seen, the phone is still there
        snprintf(observation.failure, sizeof observation.failure, "%s", error.text);
    }
    status = wd_device_state(sim->device, &observation.state);
    if (status != WD_OK) {
        wd_observation_done(&observation);
        return status;
    }
    observation.machine = wd_device_digest(sim->device);
    *ret_observation = observation;
    return WD_OK;
}

static wd_status sim_execute(
    void *context, const wd_action *action, const wd_scene *planned_on, wd_result *ret_result)
{
    wd_sim_executor *sim = context;
    wd_status status = wd_phone_execute(sim->host, sim->device, action, planned_on, ret_result);
    return status == WD_OK ? wd_task_events_after(&sim->events, sim->device, ret_result) : status;
}

wd_executor wd_sim_executor_as_executor(wd_sim_executor *sim)
{
    return (wd_executor){ .context = sim, .observe = sim_observe, .execute = sim_execute, .name = "sim" };
}
