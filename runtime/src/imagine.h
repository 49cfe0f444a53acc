/// imagine.h - what-if: lists of steps (candidates) tried on forks of a phone, which are dropped after.
///
/// A candidate ends as a plan does: at its end, at a step that is refused or fails, at ask_user, complete, abort or the
/// step limit. What an env comes to and what a run comes to is found by the same code: a run is put into an env's shape
/// (imagine_run.c) and its steps are an env's. Neither the phone nor its episode, lineage or snapshots are touched.
///
/// Determinism: the same phone and candidates give the same bytes. Thread rule: that of the phone.
#ifndef RUNTIME_IMAGINE_H
#define RUNTIME_IMAGINE_H

#include "env_internal.h"
#include "runtime/codec_session.h"
#include "runtime/sim_executor.h"

enum {
    WD_IMAGINE_CANDIDATES_MAX = 64,          // of one call
    WD_IMAGINE_STEPS_MAX = 64,               // of one candidate
    WD_IMAGINE_STEPS_ALL_MAX = 256,          // of one call
    WD_IMAGINE_REPLY_MAX = 3 * 1024 * 1024,  // bytes of JSON of one call's candidates
};

/// What is asked.
typedef struct wd_imagine_order {
    const wd_value *candidates;  // arrays of actions; borrowed
    uint32_t cost;               // steps of all; an empty candidate, which tells what is so now, costs one
    wd_env_look look;            // default full
    bool all_scenes;             // after each step, not only the last
    const wd_hello *planner;     // whose points they are (coord_space); borrowed; NULL: pixels
} wd_imagine_order;

/// Read {"candidates", "observe"?, "scenes"?}. What is wrong with one step is found when it is tried, and is its own.
/// @retval WD_ETYPE, WD_EINVAL  `error` names the argument.
/// @retval WD_ELIMIT  past one of the bounds: `error` says how many were asked and how many may be.
WD_NODISCARD wd_status wd_imagine_read(const wd_value *args, wd_imagine_order *ret_order, wd_error *error);

/// What candidates are forks of. All borrowed and not changed.
typedef struct wd_imagine_ground {
    const env_progress *progress;
    wd_device *device;
    wd_scene *planned_on;  // what a target by node id refers to; NULL: the present screen
    const wd_run *run;     // whose phone it is; NULL: an env's
} wd_imagine_ground;

/// Try all candidates: {"digest", "spent", "candidates": [...]} (docs/protocol.md).
/// @param envs  For its host and bound on bytes; what is tried on the way is in no table and counts nowhere.
/// @retval WD_ELIMIT  the answer would be over WD_IMAGINE_REPLY_MAX bytes. @retval WD_ENOMEM. Nothing is left behind.
WD_NODISCARD wd_status wd_imagine(wd_envs *envs, const wd_imagine_ground *ground,
    const wd_imagine_order *order, wd_value **ret_result, wd_error *error);

/// The same from where a run stands, while it waits for a plan. Its world model is forked, too.
/// @retval WD_EBUSY  the run is amid a step.
WD_NODISCARD wd_status wd_imagine_run(const wd_run *run, const wd_sim_executor *sim,
    const wd_imagine_order *order, wd_value **ret_result, wd_error *error);

#endif
