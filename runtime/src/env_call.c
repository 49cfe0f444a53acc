// The verbs of envs, but those of snapshots: the table called, results written.
#include "env_call_internal.h"

#include "env_event.h"
#include "judge/changes.h"
#include "tree/alloc.h"
#include "tree/delta.h"
#include "tree/path.h"

#include <string.h>

// ---- life ---------------------------------------------------------------------------------------------------------

static wd_status call_create(
    wd_envs *envs, const wd_env_caller *caller, const wd_value *args, wd_value **ret_result, wd_error *error)
{
    wd_task task = { 0 };
    wd_env_look look = WD_ENV_LOOK_NONE;
    wd_env_order order = { .owner = caller->owner, .apps = wd_object_get(args, "packs") };
    wd_env *env = NULL;
    bool seeded = false;
    wd_status status = env_arg_seed(args, &seeded, &order.seed, error);
    status = status == WD_OK ? env_arg_look(args, &look, error) : status;
    status = status == WD_OK ? env_arg_auto_reset(args, &order.auto_reset, error) : status;
    status = status == WD_OK
                 ? wd_verb_number(args, "args", "step_limit", WD_TASK_STEPS_MAX, &order.step_limit, error)
                 : status;
    if (status == WD_OK && order.apps != NULL && !wd_value_is(order.apps, WD_KIND_ARRAY)) {
        status = wd_error_set(error, WD_ETYPE, "args.packs: must be an array of pack ids");
    }
    status = status == WD_OK ? env_arg_task(args, &task, error) : status;
    if (status == WD_OK) {
        order.task = task.id == NULL ? NULL : &task;
        status = wd_env_create(envs, &order, &env, error);
    }
    if (status == WD_OK) {
        status = env_result_standing(envs, env, look, ret_result, error);
        if (status != WD_OK) {
            wd_env_close(envs, &env);  // nobody would know of it
        }
    }
    wd_task_done(&task);
    return status;
}

static wd_status call_reset(
    wd_envs *envs, const wd_env_caller *caller, const wd_value *args, wd_value **ret_result, wd_error *error)
{
    wd_env *env = NULL;
    wd_env_look look = WD_ENV_LOOK_NONE;
    bool reseed = false;
    uint64_t seed = 0;
    wd_task task = { 0 };
    wd_status status = env_arg_env(envs, caller, args, &env, error);
    status = status == WD_OK ? env_arg_seed(args, &reseed, &seed, error) : status;
    status = status == WD_OK ? env_arg_look(args, &look, error) : status;
    if (status == WD_OK && wd_object_get(args, "params") != NULL && wd_object_get(args, "task") == NULL) {
        status = wd_error_set(error, WD_EINVAL, "args.params: give the task as well");
    }
    status = status == WD_OK ? env_arg_task(args, &task, error) : status;
    status = status == WD_OK ? wd_env_reset(envs, env, reseed, seed, task.id == NULL ? NULL : &task, error)
                             : status;
    wd_task_done(&task);
    return status == WD_OK ? env_result_standing(envs, env, look, ret_result, error) : status;
}

static wd_status close_one(
    wd_envs *envs, const wd_env_caller *caller, const wd_value *id_value, size_t index, wd_error *error)
{
    wd_env_id id;
    const char *text = wd_value_string_or(id_value, "");
    if (wd_env_id_parse(text, &id) != WD_OK) {
        return wd_error_set(error, WD_EINVAL, "args.envs[%zu]: \"%.40s\" is no id", index, text);
    }
    wd_env *env = NULL;
    wd_status status = env_arg_find(envs, caller, &id, &env, error);
    if (status == WD_OK) {
        wd_env_close(envs, &env);
    }
    return status;
}

/// One env by "env", or those of "envs" that are there: {"closed": how many}.
static wd_status call_close(
    wd_envs *envs, const wd_env_caller *caller, const wd_value *args, wd_value **ret_result, wd_error *error)
{
    const wd_value *list = wd_object_get(args, "envs");
    int64_t closed = 0;
    wd_status status = WD_OK;
    if (list == NULL) {
        wd_env *env = NULL;
        status = env_arg_env(envs, caller, args, &env, error);
        if (status == WD_OK) {
            wd_env_close(envs, &env);
            closed = 1;
        }
    }
    wd_iter iter = wd_iter_start(list);
    while (status == WD_OK && wd_iter_next(&iter)) {
        status = close_one(envs, caller, iter.value, iter.index, error);
        closed += status == WD_OK;
        status = status == WD_ENOENT ? WD_OK : status;
    }
    return status == WD_OK ? wd_value_pack(ret_result, "{s:i}", "closed", closed) : status;
}

static wd_status env_row(wd_env *env, wd_value **ret_row)
{
    char id[WD_ENV_ID_TEXT_SIZE], digest[WD_DIGEST_TEXT_SIZE];
    wd_env_id own = wd_env_id_of(env);
    const wd_task *task = wd_env_task(env);
    const char *name = wd_env_name_of(env);
    wd_env_id_text(&own, id);
    wd_digest_text(wd_env_digest(env), digest);
    return wd_value_pack(ret_row, "{s:s,s:?s,s:i,s:?s,s:i,s:s,s:s}", "env", id, "name",
        name[0] == '\0' ? NULL : name, "seed", (int64_t)wd_env_seed(env), "task",
        task == NULL ? NULL : task->id, "steps", (int64_t)wd_env_steps(env), "ending",
        wd_ending_name(wd_env_ending(env)), "digest", digest);
}

enum { LIST_MAX = 10 * 1000 };  // rows of one answer

/// The caller's envs and those with a name, at most LIST_MAX: {"envs": [...], "more": n}.
static wd_status call_list(
    wd_envs *envs, const wd_env_caller *caller, const wd_value *args, wd_value **ret_result, wd_error *error)
{
    (void)args, (void)error;
    wd_value *list = wd_value_array();
    wd_status status = WD_OK;
    int64_t more = 0;
    size_t at = 0;
    for (wd_env *env; status == WD_OK && (env = wd_env_next(envs, &at)) != NULL;) {
        wd_env_owner owner = wd_env_owner_of(env);
        wd_value *row = NULL;
        bool own = memcmp(&owner, &caller->owner, sizeof owner) == 0;
        bool detached = wd_env_name_of(env)[0] != '\0';
        if (!own && !(detached && env_arg_permitted(caller, owner.user, "env", NULL) == WD_OK)) {
            continue;
        }
        if (wd_array_count(list) == LIST_MAX) {
            more += 1;
            continue;
        }
        status = env_row(env, &row);
        status = status == WD_OK ? wd_array_append(&list, &row) : status;
        wd_value_unref(&row);
    }
    status = status == WD_OK ? wd_value_pack(ret_result, "{s:v,s:i}", "envs", list, "more", more) : status;
    wd_value_unref(&list);
    return status;
}

static wd_status call_detach(
    wd_envs *envs, const wd_env_caller *caller, const wd_value *args, wd_value **ret_result, wd_error *error)
{
    wd_env *env = NULL;
    const char *name = NULL;
    wd_status status = env_arg_env(envs, caller, args, &env, error);
    status = status == WD_OK ? wd_verb_needed_text(args, "name", &name, error) : status;
    status = status == WD_OK ? wd_env_detach(envs, env, name, error) : status;
    return status == WD_OK ? env_result_standing(envs, env, WD_ENV_LOOK_NONE, ret_result, error) : status;
}

static wd_status call_attach(
    wd_envs *envs, const wd_env_caller *caller, const wd_value *args, wd_value **ret_result, wd_error *error)
{
    wd_env *env = NULL;
    const char *name = NULL;
    wd_status status = wd_verb_needed_text(args, "name", &name, error);
    const wd_env *known = status == WD_OK ? wd_env_find_name(envs, name) : NULL;
    if (known != NULL) {
        status = env_arg_permitted(caller, wd_env_owner_of(known).user, "name", error);
    }
    status = status == WD_OK ? wd_env_attach(envs, name, &caller->owner, &env, error) : status;
    return status == WD_OK ? env_result_standing(envs, env, WD_ENV_LOOK_NONE, ret_result, error) : status;
}

/// Who has the name here: {"env"?}.
static wd_status call_named(
    wd_envs *envs, const wd_env_caller *caller, const wd_value *args, wd_value **ret_result, wd_error *error)
{
    (void)caller;
    char id[WD_ENV_ID_TEXT_SIZE];
    const char *name = NULL;
    wd_status status = wd_verb_needed_text(args, "name", &name, error);
    if (status != WD_OK) {
        return status;
    }
    const wd_env *env = wd_env_find_name(envs, name);
    if (env != NULL) {
        wd_env_id own = wd_env_id_of(env);
        wd_env_id_text(&own, id);
    }
    return wd_value_pack(ret_result, "{s:?s}", "env", env == NULL ? NULL : id);
}

// ---- episodes -----------------------------------------------------------------------------------------------------

wd_status wd_env_call_step(wd_envs *envs, const wd_env_caller *caller, const wd_env_id *id, const char *kind,
    const wd_value *args, wd_env_look look, wd_env_stepped *ret_stepped, wd_error *error)
{
    wd_env *env = NULL;
    wd_action action;
    wd_value *before = NULL;
    wd_status status = env_arg_find(envs, caller, id, &env, error);
    status = status == WD_OK ? wd_action_from_value(kind, args, &action, error) : status;
    if (status != WD_OK) {
        return status;
    }
    if (caller->tell != NULL) {
        status = wd_env_state(env, &before);
    }
    status = status == WD_OK ? wd_env_step(envs, env, &action, args, look, ret_stepped, error) : status;
    if (status == WD_OK && caller->tell != NULL) {
        wd_env_tell_step(caller, env, before, kind, args, ret_stepped);
    }
    wd_value_unref(&before);
    wd_action_done(&action);
    return status;
}

static wd_status stepped_result(const wd_env_stepped *stepped, wd_value **ret_result)
{
    char digest[WD_DIGEST_TEXT_SIZE];
    const wd_result *result = &stepped->result;
    wd_digest_text(stepped->machine, digest);
    wd_value *seen = NULL, *last = NULL;
    wd_status status = wd_env_seen_to_value(&stepped->observation, &seen);
    status = status == WD_OK ? wd_env_seen_to_value(&stepped->final_observation, &last) : status;
    if (status == WD_OK) {
        status = wd_value_pack(ret_result, "{s:i,s:s,s:s,s:?s,s:b,s:?s,s:s,s:?v,s:?v,s:?v}", "index",
            (int64_t)stepped->index, "outcome", wd_outcome_name(result->outcome), "code", result->code,
            "text", result->text[0] == '\0' ? NULL : result->text, "reset", (int)stepped->reset, "ending",
            stepped->ending == WD_END_NONE ? NULL : wd_ending_name(stepped->ending), "digest", digest,
            "observation", seen, "final_observation", last, "verdict", stepped->verdict);
    }
    wd_value_unref(&seen);
    wd_value_unref(&last);
    return status;
}

static wd_status call_step(
    wd_envs *envs, const wd_env_caller *caller, const wd_value *args, wd_value **ret_result, wd_error *error)
{
    wd_env_id id;
    const wd_value *action = wd_object_get(args, "action");
    const char *kind = wd_value_string_or(wd_object_get(action, "kind"), NULL);
    wd_env_look look = WD_ENV_LOOK_NONE;
    wd_env_stepped stepped = { 0 };
    wd_status status = env_arg_id(args, "env", &id, error);
    status = status == WD_OK ? env_arg_look(args, &look, error) : status;
    if (status == WD_OK && kind == NULL) {
        status = wd_error_set(error, WD_EINVAL, "args.action: must be an object with a kind");
    }
    status =
        status == WD_OK ? wd_env_call_step(envs, caller, &id, kind, action, look, &stepped, error) : status;
    if (status == WD_OK) {
        status = stepped_result(&stepped, ret_result);
        wd_env_stepped_done(&stepped);
    }
    return status;
}

static wd_status call_observe(
    wd_envs *envs, const wd_env_caller *caller, const wd_value *args, wd_value **ret_result, wd_error *error)
{
    wd_env *env = NULL;
    wd_env_look look = WD_ENV_LOOK_FULL;
    wd_status status = env_arg_env(envs, caller, args, &env, error);
    status = status == WD_OK ? env_arg_look(args, &look, error) : status;
    return status == WD_OK ? env_result_standing(envs, env, look, ret_result, error) : status;
}

/// The whole state, the part at "path", or the delta that leads from snapshot "since" to it.
static wd_status call_state(
    wd_envs *envs, const wd_env_caller *caller, const wd_value *args, wd_value **ret_result, wd_error *error)
{
    wd_env *env = NULL;
    wd_env_node *node = NULL;
    const char *path = NULL;
    wd_value *state = NULL, *before = NULL;
    wd_status status = env_arg_env(envs, caller, args, &env, error);
    status = status == WD_OK ? wd_verb_text(args, "path", &path, error) : status;
    if (status == WD_OK && wd_object_get(args, "since") != NULL) {
        status = env_arg_node(envs, caller, args, "since", &node, error);
    }
    status = status == WD_OK ? wd_env_state(env, &state) : status;
    if (status == WD_OK && node != NULL) {
        status = wd_env_node_state(envs, node, caller->now_ms, &before);
        status = status == WD_OK ? wd_delta_make(before, state, ret_result) : status;
    } else if (status == WD_OK) {
        const wd_value *part = path == NULL ? state : wd_value_get_path(state, path);
        *ret_result = wd_value_ref(part);
        status = part == NULL ? wd_error_set(error, WD_ENOENT, "args.path: \"%.200s\" leads nowhere", path)
                              : WD_OK;
    }
    wd_value_unref(&state);
    wd_value_unref(&before);
    return status;
}

static wd_status call_inject(
    wd_envs *envs, const wd_env_caller *caller, const wd_value *args, wd_value **ret_result, wd_error *error)
{
    wd_env *env = NULL;
    const wd_value *patch = wd_object_get(args, "patch");
    bool deep = true, reload = false;
    wd_status status = env_arg_env(envs, caller, args, &env, error);
    status = status == WD_OK ? wd_verb_flag(args, "args", "deep", &deep, error) : status;
    status = status == WD_OK ? wd_verb_flag(args, "args", "reload", &reload, error) : status;
    if (status == WD_OK && !wd_value_is(patch, WD_KIND_OBJECT)) {
        status = wd_error_set(error, WD_ETYPE, "args.patch: must be an object");
    }
    status = status == WD_OK ? wd_env_inject(envs, env, patch, deep, reload, error) : status;
    return status == WD_OK ? env_result_standing(envs, env, WD_ENV_LOOK_NONE, ret_result, error) : status;
}

static wd_status call_judge(
    wd_envs *envs, const wd_env_caller *caller, const wd_value *args, wd_value **ret_result, wd_error *error)
{
    wd_env *env = NULL;
    wd_task task = { 0 };
    wd_status status = env_arg_env(envs, caller, args, &env, error);
    status = status == WD_OK ? env_arg_task(args, &task, error) : status;
    status =
        status == WD_OK ? wd_env_judge(envs, env, task.id == NULL ? NULL : &task, ret_result, error) : status;
    if (status == WD_OK && caller->tell != NULL) {
        wd_env_tell_verdict(caller, env, *ret_result);
    }
    wd_task_done(&task);
    return status;
}

static wd_status call_stats(
    wd_envs *envs, const wd_env_caller *caller, const wd_value *args, wd_value **ret_result, wd_error *error)
{
    (void)caller, (void)args, (void)error;
    wd_envs_stats stats = wd_envs_stats_get(envs);
    return wd_value_pack(ret_result, "{s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:i}", "envs", (int64_t)stats.envs,
        "snapshots", (int64_t)stats.snapshots, "copies", (int64_t)stats.copies, "forgotten",
        (int64_t)stats.forgotten, "created", (int64_t)stats.created, "forked", (int64_t)stats.forked,
        "closed", (int64_t)stats.closed, "steps", (int64_t)stats.steps, "imagined", (int64_t)stats.imagined,
        "bytes", (int64_t)stats.bytes);
}

// ---- all ----------------------------------------------------------------------------------------------------------

static const struct verb_row {
    const char *verb;
    wd_status (*function)(wd_envs *envs, const wd_env_caller *caller, const wd_value *args,
        wd_value **ret_result, wd_error *error);
} verb_rows[] = {
    { "env_create", call_create },
    { "env_reset", call_reset },
    { "env_close", call_close },
    { "env_list", call_list },
    { "env_detach", call_detach },
    { "env_attach", call_attach },
    { "env_named", call_named },
    { "env_step", call_step },
    { "env_observe", call_observe },
    { "env_state", call_state },
    { "env_inject", call_inject },
    { "env_judge", call_judge },
    { "env_imagine", env_call_imagine },
    { "env_snapshot", env_call_snapshot },
    { "env_restore", env_call_restore },
    { "env_fork", env_call_fork },
    { "env_diff", env_call_diff },
    { "env_lineage", env_call_lineage },
    { "env_forget", env_call_forget },
    { "env_export", env_call_export },
    { "env_import", env_call_import },
    { "env_stats", call_stats },
};

static const struct verb_row *find_verb(const char *verb)
{
    for (size_t i = 0; i < WD_COUNT_OF(verb_rows); i++) {
        if (strcmp(verb_rows[i].verb, verb) == 0) {
            return &verb_rows[i];
        }
    }
    return NULL;
}

bool wd_env_verb_known(const char *verb)
{
    return find_verb(verb) != NULL;
}

wd_status wd_env_call(wd_envs *envs, const wd_env_caller *caller, const char *verb, const wd_value *args,
    wd_value **ret_result, wd_error *error)
{
    const struct verb_row *row = find_verb(verb);
    if (row == NULL) {
        return wd_error_set(error, WD_EUNSUPPORTED, "verb: \"%.40s\" is unknown", verb);
    }
    wd_error local = { 0 };
    wd_env_caller own = *caller;
    own.access = wd_access_of_verb(verb);
    wd_status status = row->function(envs, &own, args, ret_result, &local);
    if (status == WD_OK) {
        return WD_OK;
    }
    // Not every part that can fail says why.
    return wd_error_set(error, status, "%s", local.status == status ? local.text : wd_status_text(status));
}
