/// env_event.h - what watchers of envs are told: events of docs/protocol.md, made only while somebody watches.
///
/// An event that cannot be made for want of memory is left out: watching never fails what is watched.
#ifndef RUNTIME_ENV_EVENT_H
#define RUNTIME_ENV_EVENT_H

#include "runtime/env_call.h"

/// The first WD_ENV_CHANGES_MAX changes between two states, and how many more there are.
WD_NODISCARD wd_status wd_env_changes(
    const wd_value *before, const wd_value *after, wd_value **ret_list, int64_t *ret_more);

/// {"event":"step", "env", "index", "action", "args", "outcome", "code", "text"?, "digest", "reset", "ending"?,
/// "verdict"?, "changes": [{"path","before"?,"after"?}], "changes_more"}.
/// @param before  The state before the step.
void wd_env_tell_step(const wd_env_caller *caller, wd_env *env, const wd_value *before, const char *kind,
    const wd_value *args, const wd_env_stepped *stepped);
/// {"event":"verdict", "env", "verdict"}.
void wd_env_tell_verdict(const wd_env_caller *caller, wd_env *env, const wd_value *verdict);

#endif
