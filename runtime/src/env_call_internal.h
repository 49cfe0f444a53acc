/// env_call_internal.h - what the files of the env verbs share: arguments read, results written, and the verbs of snapshots.
///
/// A reader of arguments fails with an `error` that begins with "args.NAME:"; a result is a new reference, set on WD_OK
/// alone. All run on the thread of the table.
#ifndef RUNTIME_ENV_CALL_INTERNAL_H
#define RUNTIME_ENV_CALL_INTERNAL_H

#include "control_args.h"
#include "runtime/env_call.h"

// ---- arguments and results (env_call_args.c) --------------------------------------------------------------------------

/// The id in `name`. @retval WD_EINVAL.
WD_NODISCARD wd_status env_arg_id(const wd_value *args, const char *name, wd_env_id *ret_id, wd_error *error);
/// May the caller do what it is about to do to something of this user? `what` is the argument's name, for the error.
WD_NODISCARD wd_status env_arg_permitted(
    const wd_env_caller *caller, uint64_t user, const char *what, wd_error *error);
/// The env of an id. @retval WD_ENOENT. @retval WD_EDENIED another user's, here and below.
WD_NODISCARD wd_status env_arg_find(
    const wd_envs *envs, const wd_env_caller *caller, const wd_env_id *id, wd_env **ret_env, wd_error *error);
/// The env that "env" names. @retval WD_EINVAL, WD_ENOENT.
WD_NODISCARD wd_status env_arg_env(
    wd_envs *envs, const wd_env_caller *caller, const wd_value *args, wd_env **ret_env, wd_error *error);
/// The snapshot that `name` names. @retval WD_EINVAL, WD_ENOENT.
WD_NODISCARD wd_status env_arg_node(wd_envs *envs, const wd_env_caller *caller, const wd_value *args,
    const char *name, wd_env_node **ret_node, wd_error *error);
/// "observe"; *look stays as it is when not given.
WD_NODISCARD wd_status env_arg_look(const wd_value *args, wd_env_look *look, wd_error *error);
/// "auto_reset"; *mode stays as it is when not given.
WD_NODISCARD wd_status env_arg_auto_reset(const wd_value *args, wd_env_auto_reset *mode, wd_error *error);
/// "seed", 0 when not given.
WD_NODISCARD wd_status env_arg_seed(const wd_value *args, bool *ret_given, uint64_t *seed, wd_error *error);
/// "task", bound to "params"; *ret_task stays empty when not given. @retval WD_ENOENT an id that no document took the place of.
WD_NODISCARD wd_status env_arg_task(const wd_value *args, wd_task *ret_task, wd_error *error);
/// Where an env stands.
WD_NODISCARD wd_status env_result_standing(
    wd_envs *envs, wd_env *env, wd_env_look look, wd_value **ret_result, wd_error *error);
/// A snapshot's id and place in the lineage.
WD_NODISCARD wd_status env_result_node(const wd_env_node *node, wd_value **ret_result);

// ---- verbs of snapshots (env_call_snapshot.c) -------------------------------------------------------------------------

WD_NODISCARD wd_status env_call_snapshot(
    wd_envs *envs, const wd_env_caller *caller, const wd_value *args, wd_value **ret_result, wd_error *error);
WD_NODISCARD wd_status env_call_restore(
    wd_envs *envs, const wd_env_caller *caller, const wd_value *args, wd_value **ret_result, wd_error *error);
WD_NODISCARD wd_status env_call_fork(
    wd_envs *envs, const wd_env_caller *caller, const wd_value *args, wd_value **ret_result, wd_error *error);
WD_NODISCARD wd_status env_call_diff(
    wd_envs *envs, const wd_env_caller *caller, const wd_value *args, wd_value **ret_result, wd_error *error);
WD_NODISCARD wd_status env_call_lineage(
    wd_envs *envs, const wd_env_caller *caller, const wd_value *args, wd_value **ret_result, wd_error *error);
WD_NODISCARD wd_status env_call_forget(
    wd_envs *envs, const wd_env_caller *caller, const wd_value *args, wd_value **ret_result, wd_error *error);
WD_NODISCARD wd_status env_call_export(
    wd_envs *envs, const wd_env_caller *caller, const wd_value *args, wd_value **ret_result, wd_error *error);
WD_NODISCARD wd_status env_call_import(
    wd_envs *envs, const wd_env_caller *caller, const wd_value *args, wd_value **ret_result, wd_error *error);

// ---- what-if (imagine_env.c) ------------------------------------------------------------------------------------------

WD_NODISCARD wd_status env_call_imagine(
    wd_envs *envs, const wd_env_caller *caller, const wd_value *args, wd_value **ret_result, wd_error *error);

#endif
