// Arguments of the env verbs read, and the results that several of them share.
#include "env_call_internal.h"

#include <string.h>

// ---- arguments ----------------------------------------------------------------------------------------------------

wd_status env_arg_id(const wd_value *args, const char *name, wd_env_id *ret_id, wd_error *error)
{
    const char *text = NULL;
    wd_status status = wd_verb_needed_text(args, name, &text, error);
    if (status == WD_OK && wd_env_id_parse(text, ret_id) != WD_OK) {
        status = wd_error_set(error, WD_EINVAL, "args.%s: \"%.40s\" is no id", name, text);
    }
    return status;
}

wd_status env_arg_permitted(const wd_env_caller *caller, uint64_t user, const char *what, wd_error *error)
{
    wd_user who = { .number = caller->owner.user }, owner = { .number = user };
    return wd_access_to_owned(caller->access, who, caller->roles, owner)
               ? WD_OK
               : wd_error_set(error, WD_EDENIED, "args.%s: is another user's and needs role %s", what,
                     caller->access == WD_ACCESS_READ ? "watcher" : "admin");
}

wd_status env_arg_find(
    const wd_envs *envs, const wd_env_caller *caller, const wd_env_id *id, wd_env **ret_env, wd_error *error)
{
    char text[WD_ENV_ID_TEXT_SIZE];
    wd_env *env = wd_env_find(envs, id);
    wd_env_id_text(id, text);
    if (env == NULL) {
        return wd_error_set(error, WD_ENOENT, "args.env: there is no env %s", text);
    }
    *ret_env = env;
    return env_arg_permitted(caller, wd_env_owner_of(env).user, "env", error);
}

wd_status env_arg_env(
    wd_envs *envs, const wd_env_caller *caller, const wd_value *args, wd_env **ret_env, wd_error *error)
{
    wd_env_id id;
    wd_status status = env_arg_id(args, "env", &id, error);
    return status == WD_OK ? env_arg_find(envs, caller, &id, ret_env, error) : status;
}

wd_status env_arg_node(wd_envs *envs, const wd_env_caller *caller, const wd_value *args, const char *name,
    wd_env_node **ret_node, wd_error *error)
{
    wd_env_id id;
    uint64_t user = 0;
    wd_status status = env_arg_id(args, name, &id, error);
    if (status != WD_OK) {
        return status;
    }
    *ret_node = wd_env_node_find(envs, &id);
    if (*ret_node == NULL) {
        return wd_error_set(error, WD_ENOENT, "args.%s: there is no such snapshot, or it expired", name);
    }
    return wd_env_node_user(envs, *ret_node, &user) ? env_arg_permitted(caller, user, name, error) : WD_OK;
}

wd_status env_arg_look(const wd_value *args, wd_env_look *look, wd_error *error)
{
    const char *name = NULL;
    wd_status status = wd_verb_text(args, "observe", &name, error);
    if (status == WD_OK && name != NULL && wd_env_look_parse(name, look) != WD_OK) {
        status =
            wd_error_set(error, WD_EINVAL, "args.observe: \"%.40s\" is none of full, changed, none", name);
    }
    return status;
}

wd_status env_arg_auto_reset(const wd_value *args, wd_env_auto_reset *mode, wd_error *error)
{
    const char *name = NULL;
    wd_status status = wd_verb_text(args, "auto_reset", &name, error);
    if (status == WD_OK && name != NULL && wd_env_auto_reset_parse(name, mode) != WD_OK) {
        status = wd_error_set(
            error, WD_EINVAL, "args.auto_reset: \"%.40s\" is none of never, next_step, same_step", name);
    }
    return status;
}

wd_status env_arg_seed(const wd_value *args, bool *ret_given, uint64_t *seed, wd_error *error)
{
    const wd_value *value = wd_object_get(args, "seed");
    *ret_given = value != NULL;
    if (value != NULL && !wd_value_is(value, WD_KIND_INT)) {
        return wd_error_set(error, WD_EINVAL, "args.seed: must be a whole number");
    }
    *seed = (uint64_t)wd_value_int_or(value, 0);
    return WD_OK;
}

/// *ret_task stays empty (id NULL) when no task is given. Ids were made documents by the caller where there is such a task.
wd_status env_arg_task(const wd_value *args, wd_task *ret_task, wd_error *error)
{
    const wd_value *document = wd_object_get(args, "task");
    if (wd_value_is(document, WD_KIND_STRING)) {
        return wd_error_set(
            error, WD_ENOENT, "there is no task \"%s\" that can be read", wd_value_as_string(document, NULL));
    }
    return document == NULL ? WD_OK : wd_task_bind(document, wd_object_get(args, "params"), ret_task, error);
}

// ---- results ------------------------------------------------------------------------------------------------------

/// {"env", "digest", "steps", "observation"?}: where an env stands.
wd_status env_result_standing(
    wd_envs *envs, wd_env *env, wd_env_look look, wd_value **ret_result, wd_error *error)
{
    char id[WD_ENV_ID_TEXT_SIZE], digest[WD_DIGEST_TEXT_SIZE];
    wd_env_id own = wd_env_id_of(env);
    wd_value *observation = NULL;
    wd_env_id_text(&own, id);
    wd_digest_text(wd_env_digest(env), digest);
    wd_status status = wd_env_observe(envs, env, look, &observation);
    if (status == WD_OK) {
        status = wd_value_pack(ret_result, "{s:s,s:s,s:i,s:?v}", "env", id, "digest", digest, "steps",
            (int64_t)wd_env_steps(env), "observation", observation);
    }
    wd_value_unref(&observation);
    return status == WD_OK ? WD_OK : wd_error_set(error, status, "env: %s", wd_status_text(status));
}

wd_status env_result_node(const wd_env_node *node, wd_value **ret_result)
{
    char id[WD_ENV_ID_TEXT_SIZE], digest[WD_DIGEST_TEXT_SIZE];
    wd_env_id own = wd_env_node_id(node);
    wd_env_id_text(&own, id);
    wd_digest_text(wd_env_node_digest(node), digest);
    return wd_value_pack(ret_result, "{s:s,s:s}", "snapshot", id, "digest", digest);
}
