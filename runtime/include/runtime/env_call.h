/// env_call.h - the verbs of envs as calls on a table: JSON arguments in, JSON result out (docs/protocol.md, Envs).
///
/// Runs on the thread that owns the table; the caller moves arguments and results between threads.
#ifndef RUNTIME_ENV_CALL_H
#define RUNTIME_ENV_CALL_H

#include "runtime/authority.h"
#include "runtime/env.h"

/// Who calls, when, and who wants to hear what happens.
typedef struct wd_env_caller {
    wd_env_owner owner;
    wd_roles roles;    // of the user; they tell what may be done to what is others'
    wd_access access;  // what the call does; wd_env_call() takes it from the verb
    int64_t now_ms;    // monotonic
    /// Told each step, change and verdict, as an event of docs/protocol.md; NULL: nobody watches, and nothing is made.
    void (*tell)(void *context, const wd_env_owner *owner, const wd_value *event);
    void *context;
} wd_env_caller;

/// Is it a verb of envs ("env_create", "env_step", ...)?
bool wd_env_verb_known(const char *verb);

/// @retval WD_EUNSUPPORTED no such verb; all others as env.h says, with `error` naming the argument.
WD_NODISCARD wd_status wd_env_call(wd_envs *envs, const wd_env_caller *caller, const char *verb,
    const wd_value *args, wd_value **ret_result, wd_error *error);

/// One step, told to who watches. As wd_env_step(), with the action as a planned step has it.
WD_NODISCARD wd_status wd_env_call_step(wd_envs *envs, const wd_env_caller *caller, const wd_env_id *id,
    const char *kind, const wd_value *args, wd_env_look look, wd_env_stepped *ret_stepped, wd_error *error);

#endif
