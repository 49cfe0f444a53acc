// The verbs of snapshots: taken, returned to, forked, compared, forgotten, carried elsewhere.
#include "env_call_internal.h"

#include "judge/changes.h"
#include "tree/alloc.h"

#include <string.h>

wd_status env_call_snapshot(
    wd_envs *envs, const wd_env_caller *caller, const wd_value *args, wd_value **ret_result, wd_error *error)
{
    wd_env *env = NULL;
    wd_env_node *node = NULL;
    wd_status status = env_arg_env(envs, caller, args, &env, error);
    status = status == WD_OK ? wd_env_snapshot(envs, env, caller->now_ms, &node, error) : status;
    return status == WD_OK ? env_result_node(node, ret_result) : status;
}

wd_status env_call_restore(
    wd_envs *envs, const wd_env_caller *caller, const wd_value *args, wd_value **ret_result, wd_error *error)
{
    wd_env *env = NULL;
    wd_env_node *node = NULL;
    wd_env_look look = WD_ENV_LOOK_NONE;
    wd_status status = env_arg_env(envs, caller, args, &env, error);
    status = status == WD_OK ? env_arg_node(envs, caller, args, "snapshot", &node, error) : status;
    status = status == WD_OK ? env_arg_look(args, &look, error) : status;
    status = status == WD_OK ? wd_env_restore(envs, env, node, caller->now_ms, error) : status;
    return status == WD_OK ? env_result_standing(envs, env, look, ret_result, error) : status;
}

static wd_status ids_value(const wd_env_id *ids, size_t count, wd_value **ret_list)
{
    wd_value *list = wd_value_array();
    wd_status status = WD_OK;
    for (size_t i = 0; status == WD_OK && i < count; i++) {
        char text[WD_ENV_ID_TEXT_SIZE];
        wd_value *item = NULL;
        wd_env_id_text(&ids[i], text);
        status = wd_value_text(text, &item);
        status = status == WD_OK ? wd_array_append(&list, &item) : status;
        wd_value_unref(&item);
    }
    if (status != WD_OK) {
        wd_value_unref(&list);
        return status;
    }
    *ret_list = list;
    return WD_OK;
}

/// From "snapshot", or from "env" by way of a new snapshot of it: {"snapshot", "envs"}.
wd_status env_call_fork(
    wd_envs *envs, const wd_env_caller *caller, const wd_value *args, wd_value **ret_result, wd_error *error)
{
    wd_env *env = NULL;
    wd_env_node *node = NULL;
    uint32_t count = 1;
    wd_env_auto_reset auto_reset = WD_ENV_RESET_NEVER;
    bool from_env = wd_object_get(args, "snapshot") == NULL;
    wd_value *list = NULL;
    char text[WD_ENV_ID_TEXT_SIZE];
    wd_status status = wd_verb_number(args, "args", "count", WD_ENV_FORKS_MAX, &count, error);
    status = status == WD_OK ? env_arg_auto_reset(args, &auto_reset, error) : status;
    if (status == WD_OK) {
        status = from_env ? env_arg_env(envs, caller, args, &env, error)
                          : env_arg_node(envs, caller, args, "snapshot", &node, error);
    }
    if (status == WD_OK && from_env) {
        status = wd_env_snapshot(envs, env, caller->now_ms, &node, error);
    }
    if (status != WD_OK) {
        return status;
    }
    wd_env_id *ids = wd_alloc_zero(count == 0 ? 1 : count, sizeof *ids);
    if (ids == NULL) {
        return wd_error_set(error, WD_ENOMEM, "fork: out of memory");
    }
    status = wd_env_fork(envs, node, count, caller->owner, auto_reset, caller->now_ms, ids, error);
    if (status != WD_OK && from_env) {
        wd_env_node_forget(envs, node);  // nobody would know of it
    }
    status = status == WD_OK ? ids_value(ids, count, &list) : status;
    wd_free(ids, (count == 0 ? 1 : count) * sizeof *ids);
    if (status == WD_OK) {
        wd_env_id own = wd_env_node_id(node);
        wd_env_id_text(&own, text);
        status = wd_value_pack(ret_result, "{s:s,s:V}", "snapshot", text, "envs", list);
    }
    return status;
}

static wd_status side_state(wd_envs *envs, const wd_env_caller *caller, const wd_value *args,
    const char *name, wd_value **ret_state, wd_error *error)
{
    wd_env *env = NULL;
    wd_env_node *node = NULL;
    if (wd_object_get(args, name) == NULL && strcmp(name, "after") == 0) {
        wd_status status = env_arg_env(envs, caller, args, &env, error);
        return status == WD_OK ? wd_env_state(env, ret_state) : status;
    }
    wd_status status = env_arg_node(envs, caller, args, name, &node, error);
    return status == WD_OK ? wd_env_node_state(envs, node, caller->now_ms, ret_state) : status;
}

/// What changed between snapshot "before" and snapshot "after", or the present state of "env".
wd_status env_call_diff(
    wd_envs *envs, const wd_env_caller *caller, const wd_value *args, wd_value **ret_result, wd_error *error)
{
    wd_value *before = NULL, *after = NULL;
    wd_changes *changes = NULL;
    wd_status status = side_state(envs, caller, args, "before", &before, error);
    status = status == WD_OK ? side_state(envs, caller, args, "after", &after, error) : status;
    status = status == WD_OK ? wd_changes_make(before, after, &changes) : status;
    status = status == WD_OK ? wd_changes_to_value(changes, ret_result) : status;
    wd_changes_destroy(&changes);
    wd_value_unref(&before);
    wd_value_unref(&after);
    return status;
}

wd_status env_call_lineage(
    wd_envs *envs, const wd_env_caller *caller, const wd_value *args, wd_value **ret_result, wd_error *error)
{
    (void)args, (void)error;
    bool all = (caller->roles & (WD_ROLE_WATCHER | WD_ROLE_ADMIN)) != 0;
    return wd_envs_lineage(envs, all ? NULL : &caller->owner.user, ret_result);
}

wd_status env_call_forget(
    wd_envs *envs, const wd_env_caller *caller, const wd_value *args, wd_value **ret_result, wd_error *error)
{
    wd_env_node *node = NULL;
    wd_status status = env_arg_node(envs, caller, args, "snapshot", &node, error);
    status = status == WD_OK ? env_result_node(node, ret_result) : status;
    if (status == WD_OK) {
        wd_env_node_forget(envs, node);
    }
    return status;
}

/// Of "snapshot", or of a new snapshot of "env"; the bundle tells its id.
wd_status env_call_export(
    wd_envs *envs, const wd_env_caller *caller, const wd_value *args, wd_value **ret_result, wd_error *error)
{
    wd_env *env = NULL;
    wd_env_node *node = NULL;
    wd_value *id_value = NULL;
    char text[WD_ENV_ID_TEXT_SIZE];
    bool whole = false, from_env = wd_object_get(args, "snapshot") == NULL;
    wd_status status = wd_verb_flag(args, "args", "whole", &whole, error);
    if (status == WD_OK) {
        status = from_env ? env_arg_env(envs, caller, args, &env, error)
                          : env_arg_node(envs, caller, args, "snapshot", &node, error);
    }
    if (status == WD_OK && from_env) {
        status = wd_env_snapshot(envs, env, caller->now_ms, &node, error);
    }
    status =
        status == WD_OK ? wd_env_node_export(envs, node, whole, caller->now_ms, ret_result, error) : status;
    if (status == WD_OK && from_env) {
        wd_env_share(env, node);
    }
    if (status == WD_OK) {
        wd_env_id id = wd_env_node_id(node);
        wd_env_id_text(&id, text);
        status = wd_value_text(text, &id_value);
        status = status == WD_OK ? wd_object_set(ret_result, "snapshot", &id_value) : status;
        wd_value_unref(&id_value);
    }
    return status;
}

/// "bundle" as a new snapshot, or under the id "snapshot" that it has elsewhere.
wd_status env_call_import(
    wd_envs *envs, const wd_env_caller *caller, const wd_value *args, wd_value **ret_result, wd_error *error)
{
    wd_env_node *node = NULL;
    wd_env_id id;
    bool named = wd_object_get(args, "snapshot") != NULL;
    wd_status status = named ? env_arg_id(args, "snapshot", &id, error) : WD_OK;
    if (status == WD_OK) {
        status = wd_env_node_import(
            envs, wd_object_get(args, "bundle"), named ? &id : NULL, caller->now_ms, &node, error);
    }
    if (status == WD_OK && !named) {
        wd_env_node_give(node, caller->owner.user);
    }
    return status == WD_OK ? env_result_node(node, ret_result) : status;
}
