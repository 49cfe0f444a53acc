/// daemon_plan.h - what the settings say about the doors, read and checked before anything is opened.
#ifndef RUNTIME_DAEMON_PLAN_H
#define RUNTIME_DAEMON_PLAN_H

#include "door.h"
#include "runtime/daemon.h"

enum { WD_DOOR_PLANNER, WD_DOOR_CONTROL, WD_DOOR_COUNT };

typedef struct wd_daemon_plan {
    wd_authority_places places;
    wd_key_pair key;  // the server's
    bool has_key, has_group;
    gid_t group;
    char proof_path[WD_CONFIG_TEXT_MAX + 16];
    wd_door_options doors[WD_DOOR_COUNT];  // borrow from the plan and the settings
} wd_daemon_plan;

/// @param config    Borrowed by the plan, finished.
/// @param ret_plan  Filled in place: it points into itself. wd_daemon_plan_done() forgets the key.
/// @retval any  `error` names the setting or file.
WD_NODISCARD wd_status wd_daemon_plan_make(
    const wd_config *config, wd_daemon_plan *ret_plan, wd_error *error);
void wd_daemon_plan_done(wd_daemon_plan *plan);

#endif
