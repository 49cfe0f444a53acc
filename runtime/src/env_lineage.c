// The lineage tree: snapshots, what descends from them, and forgetting them.
#include "env_internal.h"

#include "tree/alloc.h"

#include <string.h>

// ---- nodes --------------------------------------------------------------------------------------------------------

wd_env_node *env_node_ref(wd_env_node *node)
{
    if (node != NULL) {
        node->references += 1;
    }
    return node;
}

static void link_newest(wd_envs *envs, wd_env_node *node)
{
    node->older = envs->newest;
    *(envs->newest == NULL ? &envs->oldest : &envs->newest->newer) = node;
    envs->newest = node;
}

static void unlink_node(wd_envs *envs, wd_env_node *node)
{
    *(node->older == NULL ? &envs->oldest : &node->older->newer) = node->newer;
    *(node->newer == NULL ? &envs->newest : &node->newer->older) = node->older;
}

/// Free nodes that are neither kept nor descended from, up the tree. A loop: lineages are deep.
static void release(wd_envs *envs, wd_env_node *node)
{
    while (node != NULL && !node->kept && node->references == 0) {
        wd_env_node *parent = node->parent;
        unlink_node(envs, node);
        wd_free(node, sizeof *node);
        envs->stats.forgotten -= 1;
        if (parent != NULL) {
            parent->references -= 1;
            parent->children -= 1;
        }
        node = parent;
    }
}

void env_node_unref(wd_envs *envs, wd_env_node **node_p)
{
    wd_env_node *node = *node_p;
    *node_p = NULL;
    if (node != NULL) {
        node->references -= 1;
        release(envs, node);
    }
}

const wd_env_id env_id_none = { { 0 } };

bool env_node_is_copy(const wd_envs *envs, const wd_env_node *node)
{
    return node->id.bytes[WD_ENV_ID_SIZE - 1] != envs->options.number;
}

wd_status env_node_add(wd_envs *envs, const wd_env_id *id, wd_env_node *parent, const wd_env_id *parent_id,
    const wd_device *device, env_progress *progress, int64_t now_ms, wd_env_node **ret_node, wd_error *error)
{
    wd_device *copy = NULL;
    wd_env_node *node = wd_alloc_zero(1, sizeof *node);
    wd_status status = node == NULL ? WD_ENOMEM : wd_device_fork(device, &copy);
    if (status == WD_OK) {
        *node = (wd_env_node){
            .id = id == NULL ? env_id_new(envs) : *id,
            .kept = true,
            .device = copy,
            .digest = wd_device_digest(copy),
            .used_ms = now_ms,
        };
        status = wd_id_table_add(&envs->nodes, &node->id, node);
    }
    if (status != WD_OK) {
        wd_device_destroy(&copy);
        wd_free(node, node == NULL ? 0 : sizeof *node);
        return wd_error_set(error, WD_ENOMEM, "snapshot: out of memory");
    }
    node->progress = *progress;
    *progress = (env_progress){ 0 };
    node->parent = env_node_ref(parent);
    node->parent_id = parent != NULL ? parent->id : parent_id != NULL ? *parent_id : env_id_none;
    if (parent != NULL) {
        parent->children += 1;
    }
    envs->stats.copies += env_node_is_copy(envs, node);
    link_newest(envs, node);
    *ret_node = node;
    return WD_OK;
}

void wd_env_node_forget(wd_envs *envs, wd_env_node *node)
{
    wd_id_table_remove(&envs->nodes, &node->id);
    wd_device_destroy(&node->device);
    wd_value_unref(&node->frozen);
    env_progress_done(envs, &node->progress);
    node->kept = false;
    envs->stats.copies -= env_node_is_copy(envs, node);
    envs->stats.forgotten += 1;
    release(envs, node);
}

/// How long a node may be idle; 0: for ever. A copy can be made again, as long as there is what it is a copy of.
static int64_t idle_max(const wd_envs *envs, const wd_env_node *node)
{
    int64_t idle_ms = envs->options.snapshot_idle_ms;
    bool copy = env_node_is_copy(envs, node);
    return copy && (idle_ms == 0 || idle_ms > WD_ENV_COPY_IDLE_MS) ? WD_ENV_COPY_IDLE_MS : idle_ms;
}

void wd_envs_expire(wd_envs *envs, int64_t now_ms)
{
    if (envs->options.snapshot_idle_ms == 0 && envs->stats.copies == 0) {
        return;
    }
    // Newest first: a node may free itself and its ancestors, never a newer one.
    for (wd_env_node *node = envs->newest; node != NULL;) {
        wd_env_node *older = node->older;
        // An ancestor that goes with this node is forgotten already, so an older kept node stays where it is.
        while (older != NULL && !older->kept) {
            older = older->older;
        }
        int64_t idle_ms = idle_max(envs, node);
        if (node->kept && idle_ms > 0 && now_ms - node->used_ms >= idle_ms) {
            wd_env_node_forget(envs, node);
        }
        node = older;
    }
}

wd_env_node *wd_env_node_find(const wd_envs *envs, const wd_env_id *id)
{
    return wd_id_table_find(&envs->nodes, id);
}

bool wd_env_node_user(const wd_envs *envs, const wd_env_node *node, uint64_t *ret_user)
{
    *ret_user = node->user;
    return !env_node_is_copy(envs, node);
}

void wd_env_node_give(wd_env_node *node, uint64_t user)
{
    node->user = user;
}

wd_env_id wd_env_node_id(const wd_env_node *node)
{
    return node->id;
}

wd_digest wd_env_node_digest(const wd_env_node *node)
{
    return node->digest;
}

// ---- snapshot, restore, fork --------------------------------------------------------------------------------------

wd_status wd_env_snapshot(wd_envs *envs, wd_env *env, int64_t now_ms, wd_env_node **ret_node, wd_error *error)
{
    env_progress progress = { 0 };
    wd_status status = env_room(envs, 0, 1, error);
    if (status == WD_OK && env_progress_copy(&env->progress, &progress) != WD_OK) {
        status = wd_error_set(error, WD_ENOMEM, "snapshot: out of memory");
    }
    if (status == WD_OK) {
        status = env_node_add(envs, NULL, env->node, NULL, env->device, &progress, now_ms, ret_node, error);
        if (status != WD_OK) {
            env_progress_done(envs, &progress);
        }
    }
    if (status == WD_OK) {
        (*ret_node)->user = env->owner.user;
        env_node_unref(envs, &env->node);
        env->node = env_node_ref(*ret_node);
    }
    return status;
}

wd_status wd_env_node_state(wd_envs *envs, wd_env_node *node, int64_t now_ms, wd_value **ret_state)
{
    (void)envs;
    node->used_ms = now_ms;
    return wd_device_state(node->device, ret_state);
}

wd_status wd_env_restore(wd_envs *envs, wd_env *env, wd_env_node *node, int64_t now_ms, wd_error *error)
{
    env_progress progress = { 0 };
    wd_device *device = NULL;
    if (env_progress_copy(&node->progress, &progress) != WD_OK) {
        return wd_error_set(error, WD_ENOMEM, "restore: out of memory");
    }
    wd_status status = wd_device_fork(node->device, &device);
    if (status != WD_OK) {
        wd_error_set(error, status, "restore: out of memory");
    } else if (!wd_digest_equal(wd_device_digest(device), node->digest)) {
        status = wd_error_set(error, WD_ECORRUPT, "restore: the digest is not that of the snapshot");
    }
    if (status != WD_OK) {
        wd_device_destroy(&device);
        env_progress_done(envs, &progress);
        return status;
    }
    node->used_ms = now_ms;
    wd_env_node *ancestor = env_node_ref(node);
    wd_device_destroy(&env->device);
    env_progress_done(envs, &env->progress);
    env_node_unref(envs, &env->node);
    env->device = device;
    env->progress = progress;
    env->node = ancestor;
    return WD_OK;
}

wd_status wd_env_fork(wd_envs *envs, wd_env_node *node, size_t count, wd_env_owner owner,
    wd_env_auto_reset auto_reset, int64_t now_ms, wd_env_id *ret_ids, wd_error *error)
{
    if (count < 1 || count > WD_ENV_FORKS_MAX) {
        return wd_error_set(error, WD_EINVAL, "args.count: must be 1 to %d", WD_ENV_FORKS_MAX);
    }
    wd_status status = env_room(envs, count, 0, error);
    size_t made = 0;
    while (status == WD_OK && made < count) {
        wd_env *env = NULL;
        status = env_make(envs, &node->progress, node->device, &env, error);
        if (status == WD_OK && wd_id_table_add(&envs->envs, &env->id, env) != WD_OK) {
            env_free(envs, &env);
            status = wd_error_set(error, WD_ENOMEM, "fork: out of memory");
        }
        if (status == WD_OK) {
            env->owner = owner;
            env->auto_reset = auto_reset;
            env->node = env_node_ref(node);
            ret_ids[made++] = env->id;
        }
    }
    if (status != WD_OK) {
        while (made > 0) {
            wd_env *env = wd_env_find(envs, &ret_ids[--made]);
            wd_id_table_remove(&envs->envs, &env->id);
            env_free(envs, &env);
        }
        return status;
    }
    node->used_ms = now_ms;
    envs->stats.forked += count;
    return WD_OK;
}

// ---- the tree as a list -------------------------------------------------------------------------------------------

static wd_status node_row(const wd_envs *envs, const wd_env_node *node, wd_value **ret_row)
{
    char id[WD_ENV_ID_TEXT_SIZE], parent[WD_ENV_ID_TEXT_SIZE], digest[WD_DIGEST_TEXT_SIZE];
    bool rooted = wd_env_id_equal(&node->parent_id, &env_id_none);
    wd_env_id_text(&node->id, id);
    wd_env_id_text(&node->parent_id, parent);
    wd_digest_text(node->digest, digest);
    wd_status status = wd_value_pack(ret_row, "{s:s,s:?s,s:s,s:i,s:b,s:i,s:i}", "snapshot", id, "parent",
        rooted ? NULL : parent, "digest", digest, "steps", (int64_t)node->progress.steps, "kept",
        (int)node->kept, "children", (int64_t)node->children, "envs",
        (int64_t)(node->references - node->children));
    wd_value *copy = wd_value_bool(true);
    if (status == WD_OK && env_node_is_copy(envs, node) && wd_object_set(ret_row, "copy", &copy) != WD_OK) {
        wd_value_unref(ret_row);
        status = WD_ENOMEM;
    }
    wd_value_unref(&copy);
    return status;
}

wd_status wd_envs_lineage(const wd_envs *envs, const uint64_t *user, wd_value **ret_list)
{
    wd_value *list = wd_value_array();
    wd_status status = WD_OK;
    for (const wd_env_node *node = envs->oldest; status == WD_OK && node != NULL; node = node->newer) {
        wd_value *row = NULL;
        if (user != NULL && node->user != *user) {
            continue;
        }
        status = node_row(envs, node, &row);
        status = status == WD_OK ? wd_array_append(&list, &row) : status;
        wd_value_unref(&row);
    }
    if (status != WD_OK) {
        wd_value_unref(&list);
        return status;
    }
    *ret_list = list;
    return WD_OK;
}
