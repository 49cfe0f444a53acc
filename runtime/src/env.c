// The table: ids, bounds, the life of an env.
#include "env_internal.h"

#include "tree/alloc.h"
#include "tree/text.h"

#include <string.h>
#include <sys/random.h>

// ---- ids ----------------------------------------------------------------------------------------------------------

void wd_env_id_text(const wd_env_id *id, char ret_text[WD_ENV_ID_TEXT_SIZE])
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < WD_ENV_ID_SIZE; i++) {
        ret_text[2 * i] = digits[id->bytes[i] >> 4];
        ret_text[2 * i + 1] = digits[id->bytes[i] & 15];
    }
    ret_text[2 * WD_ENV_ID_SIZE] = '\0';
}

static int digit_of(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

wd_status wd_env_id_parse(const char *text, wd_env_id *ret_id)
{
    wd_env_id id;
    if (strlen(text) != 2 * WD_ENV_ID_SIZE) {
        return WD_EINVAL;
    }
    for (size_t i = 0; i < WD_ENV_ID_SIZE; i++) {
        int high = digit_of(text[2 * i]), low = digit_of(text[2 * i + 1]);
        if (high < 0 || low < 0) {
            return WD_EINVAL;
        }
        id.bytes[i] = (uint8_t)(high << 4 | low);
    }
    *ret_id = id;
    return WD_OK;
}

bool wd_env_id_equal(const wd_env_id *a, const wd_env_id *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

wd_env_id env_id_new(const wd_envs *envs)
{
    wd_env_id id;
    do {
        // 16 bytes come whole from a kernel whose pool is ready, which it is long before we run.
        wd_assert(getrandom(id.bytes, sizeof id.bytes, 0) == (ssize_t)sizeof id.bytes);
        id.bytes[WD_ENV_ID_SIZE - 1] = envs->options.number;
    } while (wd_id_table_find(&envs->envs, &id) != NULL || wd_id_table_find(&envs->nodes, &id) != NULL);
    return id;
}

// ---- words --------------------------------------------------------------------------------------------------------

static const char *const auto_reset_names[] = { "never", "next_step", "same_step" };
static const char *const look_names[] = { "none", "full", "changed" };

static wd_status find_word(const char *const *words, size_t count, const char *word, size_t *ret_index)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(words[i], word) == 0) {
            *ret_index = i;
            return WD_OK;
        }
    }
    return WD_ENOENT;
}

const char *wd_env_auto_reset_name(wd_env_auto_reset mode)
{
    return auto_reset_names[mode];
}

wd_status wd_env_auto_reset_parse(const char *name, wd_env_auto_reset *ret_mode)
{
    size_t index = 0;
    wd_status status = find_word(auto_reset_names, WD_COUNT_OF(auto_reset_names), name, &index);
    if (status == WD_OK) {
        *ret_mode = (wd_env_auto_reset)index;
    }
    return status;
}

wd_status wd_env_look_parse(const char *name, wd_env_look *ret_look)
{
    size_t index = 0;
    wd_status status = find_word(look_names, WD_COUNT_OF(look_names), name, &index);
    if (status == WD_OK) {
        *ret_look = (wd_env_look)index;
    }
    return status;
}

// ---- table --------------------------------------------------------------------------------------------------------

wd_envs_options wd_envs_options_default(void)
{
    return (wd_envs_options){
        .env_count_max = 100 * 1000,
        .snapshot_count_max = 100 * 1000,
        .bytes_max = UINT64_C(8) << 30,
        .run = wd_run_options_default(),
        .apps = wd_host_limits_default(),
    };
}

wd_status wd_envs_new(const wd_envs_options *options, wd_packs *packs, wd_envs **ret_envs, wd_error *error)
{
    wd_envs *envs = wd_alloc_zero(1, sizeof *envs);
    if (envs == NULL) {
        return wd_error_set(error, WD_ENOMEM, "envs: out of memory");
    }
    envs->options = *options;
    envs->shared_at_start = wd_alloc_shared_bytes_live();
    envs->packs = wd_packs_ref(packs);
    wd_status status = wd_host_new(packs, &envs->host, error);
    if (status != WD_OK) {
        wd_envs_destroy(&envs);
        return status;
    }
    wd_host_limit(envs->host, options->apps);
    *ret_envs = envs;
    return WD_OK;
}

void wd_envs_destroy(wd_envs **envs_p)
{
    wd_envs *envs = *envs_p;
    *envs_p = NULL;
    if (envs == NULL) {
        return;
    }
    size_t at = 0;
    for (wd_env *env; (env = wd_id_table_next(&envs->envs, &at)) != NULL;) {
        env_free(envs, &env);
    }
    while (envs->oldest !=
           NULL) {  // without envs, forgetting the newest takes every ancestor it was the last of
        wd_env_node *node = envs->newest;
        wd_assert(node->kept);
        wd_env_node_forget(envs, node);
    }
    wd_id_table_done(&envs->envs);
    wd_id_table_done(&envs->nodes);
    wd_id_table_done(&envs->phones);
    wd_id_table_done(&envs->origins);
    wd_host_destroy(&envs->host);
    wd_packs_unref(&envs->packs);
    wd_free(envs, sizeof *envs);
}

/// This thread's heap, and its part of what threads share: an injected patch stays frozen, and so does a snapshot that
/// another thread was given.
static uint64_t bytes_of(const wd_envs *envs)
{
    uint64_t shared = wd_alloc_shared_bytes_live();
    uint64_t grown = shared > envs->shared_at_start ? shared - envs->shared_at_start : 0;
    return wd_alloc_stats_get().bytes_live + grown / (envs->options.sharers == 0 ? 1 : envs->options.sharers);
}

wd_envs_stats wd_envs_stats_get(const wd_envs *envs)
{
    wd_envs_stats stats = envs->stats;
    stats.envs = envs->envs.count;
    stats.snapshots = envs->nodes.count - stats.copies;
    stats.bytes = bytes_of(envs);
    return stats;
}

wd_status env_room(const wd_envs *envs, size_t envs_more, size_t nodes_more, wd_error *error)
{
    const wd_envs_options *options = &envs->options;
    if (envs_more > options->env_count_max - envs->envs.count) {
        return wd_error_set(error, WD_ELIMIT, "env: %zu envs are open and the limit is %zu", envs->envs.count,
            options->env_count_max);
    }
    size_t snapshots = envs->nodes.count - envs->stats.copies;
    if (nodes_more > options->snapshot_count_max - snapshots) {
        return wd_error_set(error, WD_ELIMIT, "snapshot: %zu are kept and the limit is %zu", snapshots,
            options->snapshot_count_max);
    }
    uint64_t bytes = bytes_of(envs);
    if (bytes > options->bytes_max) {
        return wd_error_set(error, WD_ELIMIT, "env: %llu bytes are in use and the limit is %llu",
            (unsigned long long)bytes, (unsigned long long)options->bytes_max);
    }
    return WD_OK;
}

// ---- life ---------------------------------------------------------------------------------------------------------

void env_drop_events(wd_device *device)
{
    wd_value *events = wd_device_take_events(device);
    wd_value_unref(&events);
}

wd_status env_make(
    wd_envs *envs, const env_progress *progress, const wd_device *device, wd_env **ret_env, wd_error *error)
{
    wd_env *env = wd_alloc_zero(1, sizeof *env);
    if (env == NULL || env_progress_copy(progress, &env->progress) != WD_OK) {
        wd_free(env, env == NULL ? 0 : sizeof *env);
        return wd_error_set(error, WD_ENOMEM, "env: out of memory");
    }
    if (wd_device_fork(device, &env->device) != WD_OK) {
        env_free(envs, &env);
        return wd_error_set(error, WD_ENOMEM, "env: out of memory");
    }
    env->id = env_id_new(envs);
    *ret_env = env;
    return WD_OK;
}

void env_free(wd_envs *envs, wd_env **env_p)
{
    wd_env *env = *env_p;
    *env_p = NULL;
    if (env == NULL) {
        return;
    }
    wd_device_destroy(&env->device);
    env_progress_done(envs, &env->progress);
    env_node_unref(envs, &env->node);
    wd_scene_unref(&env->told);
    wd_text_free(&env->name);
    wd_free(env, sizeof *env);
}

static wd_status check_apps(const wd_envs *envs, const wd_value *apps, wd_error *error)
{
    wd_iter iter = wd_iter_start(apps);
    while (wd_iter_next(&iter)) {
        const char *app = wd_value_string_or(iter.value, NULL);
        if (app == NULL || wd_object_get(wd_packs_identity(envs->packs), app) == NULL) {
            return wd_error_set(error, WD_ENOENT, "args.packs[%zu]: no pack \"%.80s\" is loaded", iter.index,
                app == NULL ? "" : app);
        }
    }
    return WD_OK;
}

wd_status wd_env_create(wd_envs *envs, const wd_env_order *order, wd_env **ret_env, wd_error *error)
{
    env_progress progress = { 0 };
    wd_env *env = NULL;
    wd_status status = env_room(envs, 1, 0, error);
    status = status == WD_OK ? check_apps(envs, order->apps, error) : status;
    if (status == WD_OK) {
        status =
            env_origin_new(envs, order->seed, order->task, order->step_limit, NULL, &progress.origin, error);
    }
    if (status == WD_OK) {
        status = env_make(envs, &progress, progress.origin->start, &env, error);
    }
    if (status == WD_OK) {
        env->owner = order->owner;
        env->auto_reset = order->auto_reset;
        status = wd_id_table_add(&envs->envs, &env->id, env);
        if (status != WD_OK) {
            wd_error_set(error, status, "env: out of memory");
        }
    }
    env_origin_unref(envs, &progress.origin);
    if (status != WD_OK) {
        env_free(envs, &env);
        return status;
    }
    envs->stats.created += 1;
    *ret_env = env;
    return WD_OK;
}

void wd_env_close(wd_envs *envs, wd_env **env_p)
{
    wd_id_table_remove(&envs->envs, &(*env_p)->id);
    env_free(envs, env_p);
    envs->stats.closed += 1;
}

wd_env *wd_env_find(const wd_envs *envs, const wd_env_id *id)
{
    return wd_id_table_find(&envs->envs, id);
}

wd_env *wd_env_next(const wd_envs *envs, size_t *at)
{
    return wd_id_table_next(&envs->envs, at);
}

wd_env_id wd_env_id_of(const wd_env *env)
{
    return env->id;
}

wd_env_owner wd_env_owner_of(const wd_env *env)
{
    return env->owner;
}

const char *wd_env_name_of(const wd_env *env)
{
    return env->name == NULL ? "" : env->name;
}

uint32_t wd_env_steps(const wd_env *env)
{
    return env->progress.steps;
}

wd_ending wd_env_ending(const wd_env *env)
{
    return env->progress.ending;
}

const wd_task *wd_env_task(const wd_env *env)
{
    const wd_task *task = &env->progress.origin->task;
    return task->id == NULL ? NULL : task;
}

uint64_t wd_env_seed(const wd_env *env)
{
    return env->progress.origin->seed;
}

wd_digest wd_env_digest(const wd_env *env)
{
    return wd_device_digest(env->device);
}

wd_device *wd_env_device(wd_env *env)
{
    return env->device;
}

wd_host *wd_envs_host(wd_envs *envs)
{
    return envs->host;
}

// ---- names --------------------------------------------------------------------------------------------------------

wd_env *wd_env_find_name(const wd_envs *envs, const char *name)
{
    size_t at = 0;
    for (wd_env *env; (env = wd_id_table_next(&envs->envs, &at)) != NULL;) {
        if (env->name != NULL && strcmp(env->name, name) == 0) {
            return env;
        }
    }
    return NULL;
}

static bool is_name(const char *name)
{
    size_t length = strlen(name);
    return length >= 1 && length <= WD_ENV_NAME_MAX &&
           strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") == length;
}

wd_status wd_env_detach(wd_envs *envs, wd_env *env, const char *name, wd_error *error)
{
    if (!is_name(name)) {
        return wd_error_set(
            error, WD_EINVAL, "args.name: must be 1 to %d of [A-Za-z0-9._-]", WD_ENV_NAME_MAX);
    }
    wd_env *other = wd_env_find_name(envs, name);
    if (other != NULL && other != env) {
        return wd_error_set(error, WD_EEXIST, "args.name: another env is called \"%s\"", name);
    }
    char *copy = NULL;
    if (!wd_text_copy(name, &copy)) {
        return wd_error_set(error, WD_ENOMEM, "env: out of memory");
    }
    wd_text_free(&env->name);
    env->name = copy;
    env->owner = (wd_env_owner){ .user = env->owner.user };  // nobody's instance, but still that user's
    return WD_OK;
}

wd_status wd_env_attach(
    wd_envs *envs, const char *name, const wd_env_owner *owner, wd_env **ret_env, wd_error *error)
{
    wd_env *env = wd_env_find_name(envs, name);
    if (env == NULL) {
        return wd_error_set(error, WD_ENOENT, "args.name: no env is called \"%.80s\"", name);
    }
    wd_text_free(&env->name);
    env->owner = *owner;
    *ret_env = env;
    return WD_OK;
}
