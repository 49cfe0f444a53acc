/// trajectory.h - an episode as lines of training data.
#ifndef CTL_TRAJECTORY_H
#define CTL_TRAJECTORY_H

#include "ctl.h"

#include <stdio.h>

/// Print a line for each step: {"episode","task","step","observation","action","reward","terminated","truncated","next"}.
/// Observations are canonical scenes, or their digests; null where the capture had failed. The reward of the verdict
/// (judge.md 10.4) stands on the last line, 0.0 before. A run that its planner ended is terminated, any other truncated.
/// The same episode gives the same bytes.
/// @retval  as wd_episode_load(); WD_EIO the output cannot be written. Lines already written stay.
WD_NODISCARD wd_status ctl_trajectory_print(
    const char *path, bool digests, FILE *out, size_t *ret_count, wd_error *error);

#endif
