/// env_internal.h - what the sources of the env table share.
#ifndef RUNTIME_ENV_INTERNAL_H
#define RUNTIME_ENV_INTERNAL_H

#include "id_table.h"
#include "runtime/env.h"

/// A phone as booted with a seed: what forks take their device from. Shared by all origins of the seed.
typedef struct env_phone {
    wd_env_id key;  // the seed, as a key of the table
    wd_device *device;
    size_t references;
} env_phone;

/// What episodes start from. Immutable; shared by an env, its forks and its snapshots.
typedef struct env_origin {
    size_t references;
    wd_env_id key;  // in the table of imported ones (env_bundle.c); all zero: made here
    uint64_t seed;
    env_phone *phone;
    wd_task task;  // id NULL: none
    uint32_t step_limit;
    wd_device *start;         // at the first step: what resets and first envs are forks of
    wd_value *state_initial;  // what it shows, frozen as it is
    int64_t start_ms;         // virtual time there
} env_origin;

/// One step of an episode for the judge, chained to the step before it. Forks share what they have in common.
typedef struct env_trace {
    struct env_trace *previous;
    size_t references;
    uint32_t number;
    wd_value *event;
    wd_value *state;
} env_trace;

/// How far an episode is: all that a snapshot keeps beside the machine.
typedef struct env_progress {
    env_origin *origin;
    env_trace *trace;        // only of a task
    char *answer;            // the last one, or NULL
    uint64_t events_done;    // of the task's events (task_event.h)
    int64_t events_actions;  // executed so far
    uint32_t steps;
    wd_ending ending;
} env_progress;

struct wd_env {
    wd_env_id id;
    wd_env_owner owner;
    wd_device *device;
    env_progress progress;
    wd_env_node *node;  // the snapshot it descends from, or NULL
    wd_scene *told;     // the scene last told, or NULL
    char *name;         // detached, or NULL
    wd_env_auto_reset auto_reset;
};

struct wd_env_node {
    wd_env_id id;
    wd_env_node *parent;         // a reference, or NULL: none, or it is not on this thread
    wd_env_id parent_id;         // all zero: none
    wd_env_node *older, *newer;  // all nodes, oldest first
    size_t references;           // of envs and children
    size_t children;
    uint64_t user;      // whose it is
    bool kept;          // false: forgotten, there only for what descends from it
    wd_device *device;  // as it was, what forks are forks of; NULL when forgotten, like the rest
    wd_value *frozen;   // the bundle that other threads are given, once they asked for it
    wd_digest digest;
    env_progress progress;
    int64_t used_ms;
};

struct wd_envs {
    wd_envs_options options;
    uint64_t shared_at_start;  // bytes that threads shared before there was any env
    wd_packs *packs;
    wd_host *host;
    wd_id_table envs, nodes, phones, origins;  // nodes: kept ones; origins: imported ones
    wd_env_node *oldest, *newest;
    wd_envs_stats stats;
};

// ---- env_origin.c -------------------------------------------------------------------------------------------------

/// Where an imported episode started.
typedef struct env_start {
    const wd_value *machine;
    const wd_value *state;  // what it shows; NULL: to be found out
} env_start;

/// Boot and set up. `start` NULL: the machine after the task's setup; else that one. Its start is frozen: all that is made
/// of it shares it with other threads.
WD_NODISCARD wd_status env_origin_new(wd_envs *envs, uint64_t seed, const wd_task *task, uint32_t step_limit,
    const env_start *start, env_origin **ret_origin, wd_error *error);
env_origin *env_origin_ref(env_origin *origin);
void env_origin_unref(wd_envs *envs, env_origin **origin_p);
/// A device of the origin with this machine.
WD_NODISCARD wd_status env_origin_device(
    const env_origin *origin, const wd_value *machine, wd_device **ret_device, wd_error *error);

/// *ret_copy shares origin and trace. @retval WD_ENOMEM.
WD_NODISCARD wd_status env_progress_copy(const env_progress *progress, env_progress *ret_copy);
void env_progress_done(wd_envs *envs, env_progress *progress);
/// The first step of the same origin.
void env_progress_restart(env_progress *progress);

/// Chain one more step; takes nothing. @retval WD_ENOMEM the trace is as it was.
WD_NODISCARD wd_status env_trace_add(
    env_trace **trace_p, uint32_t number, const wd_value *event, const wd_value *state);
void env_trace_unref(env_trace **trace_p);

// ---- env.c --------------------------------------------------------------------------------------------------------

/// Is there room for so many more envs (or snapshots), and are the bytes below their bound?
WD_NODISCARD wd_status env_room(const wd_envs *envs, size_t envs_more, size_t nodes_more, wd_error *error);
/// A random id that is not taken.
wd_env_id env_id_new(const wd_envs *envs);
/// An env that is a fork of `device` and not yet in the table. Copies the progress.
WD_NODISCARD wd_status env_make(
    wd_envs *envs, const env_progress *progress, const wd_device *device, wd_env **ret_env, wd_error *error);
/// Frees an env that is in no table; NULL is allowed.
void env_free(wd_envs *envs, wd_env **env_p);
/// Events of a device are told to nobody here, and must not pile up.
void env_drop_events(wd_device *device);
/// Look at the screen and take it as told. wd_env_seen_done() ends *ret_seen, also after an error.
WD_NODISCARD wd_status env_see(wd_envs *envs, wd_env *env, wd_env_look look, wd_env_seen *ret_seen);

// ---- env_lineage.c ------------------------------------------------------------------------------------------------

/// Let go of a node (NULL is allowed): a forgotten one leaves the tree with its last descendant.
void env_node_unref(wd_envs *envs, wd_env_node **node_p);
wd_env_node *env_node_ref(wd_env_node *node);  // NULL gives NULL
/// Put a new node in the tree: a fork of `device`. Takes *progress. `id` NULL: a new one. The parent is `parent` where it
/// is on this thread, else who `parent_id` names, or nobody (both NULL).
WD_NODISCARD wd_status env_node_add(wd_envs *envs, const wd_env_id *id, wd_env_node *parent,
    const wd_env_id *parent_id, const wd_device *device, env_progress *progress, int64_t now_ms,
    wd_env_node **ret_node, wd_error *error);
/// Is it a copy of a snapshot that lives on another thread?
bool env_node_is_copy(const wd_envs *envs, const wd_env_node *node);
extern const wd_env_id env_id_none;

// ---- env_judge.c --------------------------------------------------------------------------------------------------

#endif
