/// env.h - the envs of one thread: devices addressed by id, their episodes, snapshots and lineage. No sockets.
///
/// A table owns one host (packs, Lua interpreter, screens) and every env and snapshot made on it. An env is a device
/// with an episode: what it started from (seed, task, setup), its steps, and how it ended. A snapshot is a node of the
/// lineage tree: it keeps the machine and the episode as they were, and knows the snapshot that it descends from. Any
/// snapshot can be forked or restored as long as it is kept; one that has been forgotten stays in the tree while
/// something descends from it, and takes nothing from what does.
///
/// Determinism: what an env answers depends on its seed, task and actions, never on other envs, on ids or on time.
/// Thread rule: a table, its envs and what they return belong to one thread.
#ifndef RUNTIME_ENV_H
#define RUNTIME_ENV_H

#include "runtime/run.h"
#include "sim/phone.h"

enum {
    WD_ENV_ID_SIZE = 16,
    WD_ENV_ID_TEXT_SIZE = 2 * WD_ENV_ID_SIZE + 1,
    WD_ENV_NAME_MAX = 64,              // bytes of the name of a detached env
    WD_ENV_FORKS_MAX = 64 * 1024,      // of one call: their ids fit in one message
    WD_ENV_COUNT_LIMIT = 4000 * 1000,  // highest that the setting may be
    WD_ENV_CHANGES_MAX = 64,           // changes told to watchers for one step
    WD_ENV_COPY_IDLE_MS =
        60 * 1000,  // a copy of another table's snapshot that was not used for so long is dropped
};

/// Unguessable: 120 random bits; the last byte is the number of the table, so that others can tell where it lives.
typedef struct wd_env_id {
    uint8_t bytes[WD_ENV_ID_SIZE];
} wd_env_id;
void wd_env_id_text(const wd_env_id *id, char ret_text[WD_ENV_ID_TEXT_SIZE]);  // 32 hex digits
/// @retval WD_EINVAL  not 32 lower-case hex digits.
WD_NODISCARD wd_status wd_env_id_parse(const char *text, wd_env_id *ret_id);
bool wd_env_id_equal(const wd_env_id *a, const wd_env_id *b);

/// Whose env it is: the instance of a client, all zero is nobody, and the user that it runs for, who stays when it is gone.
typedef struct wd_env_owner {
    uint8_t bytes[WD_ENV_ID_SIZE];
    uint64_t user;  // number of a wd_user
} wd_env_owner;

typedef struct wd_envs wd_envs;
typedef struct wd_env wd_env;
typedef struct wd_env_node wd_env_node;  // a snapshot

typedef struct wd_envs_options {
    size_t env_count_max;       // envs at once
    size_t snapshot_count_max;  // snapshots kept at once
    uint64_t bytes_max;         // of this thread's heap; past it nothing is created, forked, injected or kept
    size_t sharers;  // tables that bear what threads share (frozen values) in equal parts; 0 means 1
    int64_t snapshot_idle_ms;  // a snapshot not used for so long is forgotten; 0: never
    uint8_t number;            // of this table, the last byte of its ids
    wd_run_options run;        // limits of episodes
    wd_host_limits apps;       // of the code of apps
} wd_envs_options;
wd_envs_options wd_envs_options_default(void);

/// @param packs  A reference is taken. @retval WD_ENOMEM, or as wd_host_new().
WD_NODISCARD wd_status wd_envs_new(
    const wd_envs_options *options, wd_packs *packs, wd_envs **ret_envs, wd_error *error);
void wd_envs_destroy(wd_envs **envs_p);

typedef struct wd_envs_stats {
    size_t envs, snapshots, forgotten;  // forgotten: nodes kept only because something descends from them
    size_t copies;  // kept nodes that are copies of another table's snapshots, and no snapshots
    uint64_t created, forked, closed, steps, imagined,
        bytes;  // imagined: steps asked for in what-if (imagine.h)
} wd_envs_stats;
wd_envs_stats wd_envs_stats_get(const wd_envs *envs);

// ---- life -----------------------------------------------------------------------------------------------------

/// What becomes of an episode that is over.
typedef enum wd_env_auto_reset {
    WD_ENV_RESET_NEVER,      // a further step is refused until it is reset
    WD_ENV_RESET_NEXT_STEP,  // the next step resets instead of acting
    WD_ENV_RESET_SAME_STEP,  // the last step resets; its observation is the new first one, the last is kept beside it
} wd_env_auto_reset;
const char *wd_env_auto_reset_name(wd_env_auto_reset mode);  // "never", "next_step", "same_step"
WD_NODISCARD wd_status wd_env_auto_reset_parse(const char *name, wd_env_auto_reset *ret_mode);

typedef struct wd_env_order {
    uint64_t seed;
    const wd_task *task;   // copied; NULL: none
    const wd_value *apps;  // array of pack ids that must be there; NULL: whatever is
    uint32_t step_limit;   // 0: the task's, or none without a task
    wd_env_auto_reset auto_reset;
    wd_env_owner owner;
} wd_env_order;

/// Boot a phone, apply the task's setup, begin an episode.
/// @retval WD_ELIMIT too many envs or bytes. @retval WD_ENOENT a pack is missing. Others as the setup's inject.
WD_NODISCARD wd_status wd_env_create(
    wd_envs *envs, const wd_env_order *order, wd_env **ret_env, wd_error *error);
/// The env is gone; snapshots of it stay.
void wd_env_close(wd_envs *envs, wd_env **env_p);
wd_env *wd_env_find(const wd_envs *envs, const wd_env_id *id);    // NULL: there is none
wd_env *wd_env_find_name(const wd_envs *envs, const char *name);  // the detached env of that name, or NULL
/// Walk all envs in no particular order; *at starts at 0. One that is closed on the way sets *at back by one.
wd_env *wd_env_next(const wd_envs *envs, size_t *at);

wd_env_id wd_env_id_of(const wd_env *env);
wd_env_owner wd_env_owner_of(const wd_env *env);
const char *wd_env_name_of(const wd_env *env);  // "" when it is not detached
uint32_t wd_env_steps(const wd_env *env);
wd_ending wd_env_ending(const wd_env *env);     // WD_END_NONE while the episode goes on
const wd_task *wd_env_task(const wd_env *env);  // NULL: none
uint64_t wd_env_seed(const wd_env *env);
wd_digest wd_env_digest(const wd_env *env);
wd_device *wd_env_device(wd_env *env);  // borrowed, for reading
wd_host *wd_envs_host(wd_envs *envs);   // borrowed

/// Give the env a name and nobody as owner, or an owner again (name NULL).
/// @retval WD_EEXIST another env has the name. @retval WD_EINVAL no name of 1..WD_ENV_NAME_MAX of [A-Za-z0-9._-].
WD_NODISCARD wd_status wd_env_detach(wd_envs *envs, wd_env *env, const char *name, wd_error *error);
WD_NODISCARD wd_status wd_env_attach(
    wd_envs *envs, const char *name, const wd_env_owner *owner, wd_env **ret_env, wd_error *error);

// ---- episodes ---------------------------------------------------------------------------------------------------

typedef enum wd_env_look {
    WD_ENV_LOOK_NONE,
    WD_ENV_LOOK_FULL,
    WD_ENV_LOOK_CHANGED,  // the nodes that differ from the scene last told
} wd_env_look;
WD_NODISCARD wd_status wd_env_look_parse(
    const char *name, wd_env_look *ret_look);  // "none", "full", "changed"

/// The present screen: {"digest", "count", "scene"?, "base"?, "nodes"?, "failure"?}. FULL gives "scene". CHANGED gives
/// "base", the digest of the scene last told, and in "nodes" the nodes of this scene that differ there by id; "count"
/// nodes there are. When nothing was told before, CHANGED gives the whole scene.
/// A screen that cannot be drawn is no error: {"failure": text}. NONE gives NULL.
WD_NODISCARD wd_status wd_env_observe(
    wd_envs *envs, wd_env *env, wd_env_look look, wd_value **ret_observation);

/// A look that was taken and is still to be told. All NULL: none was wanted.
typedef struct wd_env_seen {
    wd_scene *scene;
    wd_scene *base;     // what was told before; NULL: the whole scene will be told
    wd_value *failure;  // {"failure": text}: the screen cannot be drawn
} wd_env_seen;
void wd_env_seen_done(wd_env_seen *seen);
/// What wd_env_observe() would have answered. NULL: none was wanted.
WD_NODISCARD wd_status wd_env_seen_to_value(const wd_env_seen *seen, wd_value **ret_observation);
/// The same as JSON text, appended. Nothing when none was wanted.
WD_NODISCARD wd_status wd_env_seen_write(const wd_env_seen *seen, wd_buffer *buffer);

/// Begin again, with the task's setup.
/// @param reseed  With `seed`; else with the same one. @param task  Another task, copied, with its own step limit; NULL:
///                the same as before. On an error the env is as it was.
WD_NODISCARD wd_status wd_env_reset(
    wd_envs *envs, wd_env *env, bool reseed, uint64_t seed, const wd_task *task, wd_error *error);

typedef struct wd_env_stepped {
    uint32_t index;    // of this step, from 0
    wd_result result;  // as an executor's; refused steps count
    bool reset;        // the env begins anew with this observation
    wd_ending ending;  // of the episode that this step ended, else WD_END_NONE
    wd_digest machine;
    wd_env_seen observation;
    wd_env_seen final_observation;  // SAME_STEP, when the episode ended: its last one
    wd_value *verdict;              // when the step ended the episode of a task
} wd_env_stepped;
void wd_env_stepped_done(wd_env_stepped *stepped);

/// One action. `args` is what the action was read from, for the judge's trace; NULL: none.
/// @retval WD_ESTATE  the episode is over and nothing resets it by itself; nothing changed.
/// @retval WD_ELIMIT, WD_ENOMEM  nothing changed.
WD_NODISCARD wd_status wd_env_step(wd_envs *envs, wd_env *env, const wd_action *action, const wd_value *args,
    wd_env_look look, wd_env_stepped *ret_stepped, wd_error *error);

/// Merge a patch through the managers; all or nothing.
WD_NODISCARD wd_status wd_env_inject(
    wd_envs *envs, wd_env *env, const wd_value *patch, bool deep, bool reload, wd_error *error);
/// The visible state. New reference.
WD_NODISCARD wd_status wd_env_state(wd_env *env, wd_value **ret_state);
/// The verdict on the episode so far, by its own task or by `task`. @retval WD_ESTATE it has none and none was given.
WD_NODISCARD wd_status wd_env_judge(
    wd_envs *envs, wd_env *env, const wd_task *task, wd_value **ret_verdict, wd_error *error);

// ---- lineage ------------------------------------------------------------------------------------------------------

/// Keep machine and episode as they are. The env descends from the new node from here on.
/// @retval WD_ELIMIT too many snapshots or bytes.
WD_NODISCARD wd_status wd_env_snapshot(
    wd_envs *envs, wd_env *env, int64_t now_ms, wd_env_node **ret_node, wd_error *error);
wd_env_node *wd_env_node_find(const wd_envs *envs, const wd_env_id *id);  // NULL: unknown, or forgotten
/// Whose snapshot it is. @retval false  a copy: it is judged where the snapshot lives, before it is copied.
bool wd_env_node_user(const wd_envs *envs, const wd_env_node *node, uint64_t *ret_user);
void wd_env_node_give(wd_env_node *node, uint64_t user);
wd_env_id wd_env_node_id(const wd_env_node *node);
wd_digest wd_env_node_digest(const wd_env_node *node);
/// The state it shows. New reference. Uses the snapshot.
WD_NODISCARD wd_status wd_env_node_state(
    wd_envs *envs, wd_env_node *node, int64_t now_ms, wd_value **ret_state);

/// Put exactly that back, episode included; the digest is verified.
/// @retval WD_ECORRUPT  it is not what was kept; the env is as it was.
WD_NODISCARD wd_status wd_env_restore(
    wd_envs *envs, wd_env *env, wd_env_node *node, int64_t now_ms, wd_error *error);
/// Make `count` envs at the snapshot. All or none. Ids go to ret_ids[0..count).
WD_NODISCARD wd_status wd_env_fork(wd_envs *envs, wd_env_node *node, size_t count, wd_env_owner owner,
    wd_env_auto_reset auto_reset, int64_t now_ms, wd_env_id *ret_ids, wd_error *error);
/// Forget a snapshot's content. Descendants and forks keep all they have.
void wd_env_node_forget(wd_envs *envs, wd_env_node *node);
/// Forget the snapshots, and the copies, that were idle too long.
void wd_envs_expire(wd_envs *envs, int64_t now_ms);
/// [{"snapshot", "parent"?, "digest", "steps", "kept", "children", "envs", "copy"?}], oldest first. A parent may be
/// another table's, or gone altogether.
/// @param user  Only of this user's snapshots; NULL: of all.
WD_NODISCARD wd_status wd_envs_lineage(const wd_envs *envs, const uint64_t *user, wd_value **ret_list);

/// A snapshot as a value that stands for itself: {"digest", "seed", "steps", "machine", "start", "task"?, "answer"?,
/// "ending"?, "step_limit", "trace"?, "packs"}. `whole` includes the states and the parent, which other threads share
/// (frozen) but files leave out; such a bundle is made once and kept with the snapshot, which is frozen itself from then
/// on, so that what descends from it costs other threads only what diverged from it.
WD_NODISCARD wd_status wd_env_node_export(
    wd_envs *envs, wd_env_node *node, bool whole, int64_t now_ms, wd_value **ret_bundle, wd_error *error);
/// After the whole export of a snapshot just taken of `env`: let the env stand on what is frozen as well, as the snapshot
/// does. Its content is the same. Where memory is out nothing changes.
void wd_env_share(wd_env *env, const wd_env_node *node);
/// The other way. `id` NULL: a new one; else a copy of another table's snapshot, under its id and as a child of its parent.
/// @retval WD_EEXIST another one has the id. @retval WD_ECORRUPT the digest does not fit. @retval WD_EVERSION made with other packs.
WD_NODISCARD wd_status wd_env_node_import(wd_envs *envs, const wd_value *bundle, const wd_env_id *id,
    int64_t now_ms, wd_env_node **ret_node, wd_error *error);

#endif
