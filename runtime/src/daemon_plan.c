#include "daemon_plan.h"

#include <grp.h>
#include <stdio.h>
#include <string.h>

enum {
    // A full queue counts as a lost planner: all the requests it may have fit in, and their cancels.
    PLANNER_SEND_HWM = 2 * WD_BROKER_INFLIGHT_MAX,
    PLANNER_RECEIVE_HWM = 64,
    PLANNER_SILENCE_MS = 6000,
    // A client that reads slowly answers no heartbeat: the Ping stands in the queue behind what is to be read. A dead one is
    // noticed without it, for its connection ends.
    CONTROL_SILENCE_MS = 60000,
    CONTROL_HWM = 256,
};

static wd_status find_group(const wd_config *config, wd_daemon_plan *plan, wd_error *error)
{
    if (config->doors_group[0] == '\0') {
        return WD_OK;
    }
    const struct group *group = getgrnam(config->doors_group);
    if (group == NULL) {
        return wd_error_set(error, WD_ENOENT, "doors.group: there is no group \"%s\"", config->doors_group);
    }
    plan->has_group = true;
    plan->group = group->gr_gid;
    return WD_OK;
}

/// A folder of keys has the server's in it, or no door is on tcp: without keys nobody shall come in who needs none.
static wd_status find_key(const wd_config *config, wd_daemon_plan *plan, wd_error *error)
{
    char path[WD_CONFIG_TEXT_MAX + 32];
    if (config->doors_keys[0] == '\0') {
        return WD_OK;
    }
    snprintf(path, sizeof path, "%s/server.key_secret", config->doors_keys);
    wd_status status = wd_key_file_read(path, true, &plan->key, error);
    plan->has_key = status == WD_OK;
    bool tcp = config->planner_tcp[0] != '\0' || config->control_tcp[0] != '\0';
    return status == WD_ENOENT && !tcp ? WD_OK : status;
}

wd_status wd_daemon_plan_make(const wd_config *config, wd_daemon_plan *ret_plan, wd_error *error)
{
    wd_daemon_plan *plan = ret_plan;
    *plan = (wd_daemon_plan){ 0 };
    snprintf(plan->places.grants, sizeof plan->places.grants, "%s", config->doors_grants);
    snprintf(plan->places.keys, sizeof plan->places.keys, "%s", config->doors_keys);
    snprintf(plan->places.group, sizeof plan->places.group, "%s", config->doors_group);
    snprintf(plan->proof_path, sizeof plan->proof_path, "%s/proof.sock", config->directory);
    wd_status status = find_group(config, plan, error);
    status = status == WD_OK ? find_key(config, plan, error) : status;
    plan->doors[WD_DOOR_PLANNER] = (wd_door_options){
        .name = "planner",
        .domain = WD_ZAP_DOMAIN_PLANNER,
        .endpoint = config->planner_endpoint,
        .tcp = config->planner_tcp,
        .send_hwm = PLANNER_SEND_HWM,
        .receive_hwm = PLANNER_RECEIVE_HWM,
        .silence_ms = PLANNER_SILENCE_MS,
    };
    plan->doors[WD_DOOR_CONTROL] = (wd_door_options){
        .name = "control",
        .domain = WD_ZAP_DOMAIN_CONTROL,
        .endpoint = config->control_endpoint,
        .tcp = config->control_tcp,
        .send_hwm = CONTROL_HWM,
        .receive_hwm = CONTROL_HWM,
        .silence_ms = CONTROL_SILENCE_MS,
    };
    for (int i = 0; status == WD_OK && i < WD_DOOR_COUNT; i++) {
        wd_door_options *door = &plan->doors[i];
        door->frame_max = (int64_t)config->frame_kib_max * 1024;
        door->proof_path = plan->proof_path;
        door->key = plan->has_key ? &plan->key : NULL;
        door->has_group = plan->has_group;
        door->group = plan->group;
        status = wd_door_check(door, error);
    }
    if (status == WD_OK && strlen(plan->proof_path) > WD_DOOR_PATH_MAX) {
        status = wd_error_set(error, WD_ELIMIT,
            "daemon.directory: sockets in it would have paths of over %d bytes", WD_DOOR_PATH_MAX);
    }
    if (status != WD_OK) {
        wd_daemon_plan_done(plan);
    }
    return status;
}

void wd_daemon_plan_done(wd_daemon_plan *plan)
{
    explicit_bzero(plan, sizeof *plan);
}

wd_status wd_daemon_check(const wd_config *config, wd_error *error)
{
    wd_daemon_plan plan;
    wd_authority *authority = NULL;
    wd_status status = wd_daemon_plan_make(config, &plan, error);
    if (status != WD_OK) {
        return status;
    }
    if (wd_authority_new(&authority) != WD_OK) {
        status = wd_error_set(error, WD_ENOMEM, "out of memory");
    }
    status = status == WD_OK ? wd_authority_load(authority, &plan.places, error) : status;
    wd_authority_destroy(&authority);
    wd_daemon_plan_done(&plan);
    return status;
}
