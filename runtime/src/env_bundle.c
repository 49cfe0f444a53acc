// A snapshot as a value that stands for itself, and back: for files and for other threads.
#include "env_internal.h"

#include "tree/text.h"

#include <string.h>

enum { BUNDLE_VERSION = 1 };

static wd_status trace_to_value(const env_trace *last, bool whole, wd_value **ret_list)
{
    wd_value *reversed = wd_value_array(), *list = wd_value_array();
    wd_status status = WD_OK;
    for (const env_trace *step = last; status == WD_OK && step != NULL; step = step->previous) {
        wd_value *row = NULL;
        status = wd_value_pack(&row, "{s:i,s:v,s:?v}", "number", (int64_t)step->number, "event", step->event,
            "state", whole ? step->state : NULL);
        status = status == WD_OK ? wd_array_append(&reversed, &row) : status;
        wd_value_unref(&row);
    }
    for (size_t i = wd_array_count(reversed); status == WD_OK && i-- > 0;) {
        wd_value *row = wd_value_ref(wd_array_at(reversed, i));
        status = wd_array_append(&list, &row);
        wd_value_unref(&row);
    }
    wd_value_unref(&reversed);
    if (status != WD_OK) {
        wd_value_unref(&list);
        return status;
    }
    *ret_list = list;
    return WD_OK;
}

/// What only other threads of this process are told: what the machines show, which they would have to find out, and the
/// parent.
static wd_status add_shared(wd_env_node *node, wd_value **bundle_p)
{
    char parent[WD_ENV_ID_TEXT_SIZE];
    bool rooted = wd_env_id_equal(&node->parent_id, &env_id_none);
    wd_value *state = NULL, *shared = NULL;
    wd_env_id_text(&node->parent_id, parent);
    wd_status status = wd_device_state(node->device, &state);
    status = status == WD_OK ? wd_value_pack(&shared, "{s:?s,s:v,s:v}", "parent", rooted ? NULL : parent,
                                   "state", state, "initial", node->progress.origin->state_initial)
                             : status;
    status = status == WD_OK ? wd_object_set(bundle_p, "shared", &shared) : status;
    wd_value_unref(&state);
    wd_value_unref(&shared);
    return status;
}

static wd_status make_bundle(wd_envs *envs, wd_env_node *node, bool whole, wd_value **ret_bundle)
{
    const env_progress *progress = &node->progress;
    const env_origin *origin = progress->origin;
    char digest[WD_DIGEST_TEXT_SIZE];
    wd_value *trace = NULL;
    wd_status status = trace_to_value(progress->trace, whole, &trace);
    wd_digest_text(node->digest, digest);
    if (status == WD_OK) {
        status = wd_value_pack(ret_bundle, "{s:i,s:s,s:i,s:i,s:i,s:i,s:s,s:i,s:?s,s:?v,s:v,s:v,s:v,s:v}",
            "version", (int64_t)BUNDLE_VERSION, "digest", digest, "seed", (int64_t)origin->seed, "steps",
            (int64_t)progress->steps, "events_done", (int64_t)progress->events_done, "events_actions",
            progress->events_actions, "ending", wd_ending_name(progress->ending), "step_limit",
            (int64_t)origin->step_limit, "answer", progress->answer, "task", origin->task.document, "packs",
            wd_packs_identity(envs->packs), "trace", trace, "start", wd_device_machine(origin->start),
            "machine", wd_device_machine(node->device));
    }
    if (status == WD_OK && whole) {
        status = add_shared(node, ret_bundle);
        if (status != WD_OK) {
            wd_value_unref(ret_bundle);
        }
    }
    wd_value_unref(&trace);
    return status;
}

// ---- frozen once --------------------------------------------------------------------------------------------------

/// Take over what was frozen for other threads: what is made from here on shares it, and is frozen for what it adds. What
/// finds no memory for that stays as it is: it costs more, and is the same.
static void stand_on_frozen(wd_env_node *node)
{
    const wd_value *rows = wd_object_get(node->frozen, "trace");
    size_t index = wd_array_count(rows);
    wd_status status = wd_device_adopt(node->device, wd_object_get(node->frozen, "machine"),
        wd_object_get(wd_object_get(node->frozen, "shared"), "state"));
    (void)status;  // it stays as it is
    for (env_trace *step = node->progress.trace; step != NULL; step = step->previous) {
        const wd_value *row = wd_array_at(rows, --index);
        const wd_value *event = wd_object_get(row, "event"), *state = wd_object_get(row, "state");
        if (step->event == event && step->state == state) {
            return;  // and so are those before it
        }
        wd_value_unref(&step->event);
        wd_value_unref(&step->state);
        step->event = wd_value_ref(event);
        step->state = wd_value_ref(state);
    }
}

void wd_env_share(wd_env *env, const wd_env_node *node)
{
    if (env->node == node && node->frozen != NULL &&
        wd_digest_equal(wd_device_digest(env->device), node->digest)) {
        wd_status status = wd_device_adopt(env->device, wd_object_get(node->frozen, "machine"),
            wd_object_get(wd_object_get(node->frozen, "shared"), "state"));
        (void)status;  // it stays as it is
    }
}

wd_status wd_env_node_export(
    wd_envs *envs, wd_env_node *node, bool whole, int64_t now_ms, wd_value **ret_bundle, wd_error *error)
{
    wd_value *bundle = NULL;
    wd_status status = WD_OK;
    if (whole && node->frozen == NULL) {
        status = make_bundle(envs, node, true, &bundle);
        status = status == WD_OK ? wd_value_freeze(bundle, &node->frozen) : status;
        wd_value_unref(&bundle);
        if (status == WD_OK) {
            stand_on_frozen(node);
        }
    }
    if (status == WD_OK && whole) {
        *ret_bundle = wd_value_ref(node->frozen);
    } else if (status == WD_OK) {
        status = make_bundle(envs, node, false, ret_bundle);
    }
    if (status != WD_OK) {
        return wd_error_set(error, status, "snapshot: %s", wd_status_text(status));
    }
    node->used_ms = now_ms;
    return WD_OK;
}

// ---- import -------------------------------------------------------------------------------------------------------

/// The packs whose overlays and screens the machine was made with must be ours, each in the same form.
static wd_status check_packs(const wd_envs *envs, const wd_value *packs, wd_error *error)
{
    const wd_value *own = wd_packs_identity(envs->packs);
    wd_iter iter = wd_iter_start(packs);
    while (wd_iter_next(&iter)) {
        const wd_value *ours = wd_object_get_n(own, iter.key, iter.key_length);
        if (!wd_value_equal(ours, iter.value)) {
            return wd_error_set(error, WD_EVERSION, "snapshot.packs.%s: %s", iter.key,
                ours == NULL ? "this pack is not loaded here" : "made with another version of this pack");
        }
    }
    return wd_object_count(own) == wd_object_count(packs)
               ? WD_OK
               : wd_error_set(error, WD_EVERSION, "snapshot.packs: made with %zu packs, here are %zu",
                     wd_object_count(packs), wd_object_count(own));
}

static wd_status read_trace(const wd_value *list, env_trace **ret_trace, wd_error *error)
{
    env_trace *trace = NULL;
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(list);
    while (status == WD_OK && wd_iter_next(&iter)) {
        int64_t number = wd_value_int_or(wd_object_get(iter.value, "number"), -1);
        const wd_value *event = wd_object_get(iter.value, "event");
        if (number != (int64_t)iter.index || !wd_value_is(event, WD_KIND_OBJECT)) {
            status = wd_error_set(error, WD_ECORRUPT, "snapshot.trace[%zu]: is no step", iter.index);
        } else {
            status = env_trace_add(&trace, (uint32_t)number, event, wd_object_get(iter.value, "state"));
        }
    }
    if (status != WD_OK) {
        env_trace_unref(&trace);
        return status;
    }
    *ret_trace = trace;
    return WD_OK;
}

static wd_status number_of(
    const wd_value *bundle, const char *name, int64_t maximum, int64_t *ret_number, wd_error *error)
{
    *ret_number = wd_value_int_or(wd_object_get(bundle, name), -1);
    return *ret_number >= 0 && *ret_number <= maximum
               ? WD_OK
               : wd_error_set(error, WD_ECORRUPT, "snapshot.%s: must be a whole number from 0 to %lld", name,
                     (long long)maximum);
}

/// What two bundles of one episode have in common, as a key.
static wd_status origin_key(const wd_value *bundle, wd_env_id *ret_key)
{
    wd_value *parts = NULL;
    wd_status status = wd_value_pack(&parts, "{s:?v,s:?v,s:?v,s:?v}", "seed", wd_object_get(bundle, "seed"),
        "step_limit", wd_object_get(bundle, "step_limit"), "task", wd_object_get(bundle, "task"), "start",
        wd_object_get(bundle, "start"));
    if (status == WD_OK) {
        wd_digest digest = wd_value_digest(parts);
        _Static_assert(sizeof digest == sizeof *ret_key, "both have 128 bits");
        memcpy(ret_key, &digest, sizeof digest);
    }
    wd_value_unref(&parts);
    return status;
}

/// The origin of a bundle that was imported before from the same episode. Digests find it, and do not decide.
static env_origin *known_origin(const wd_envs *envs, const wd_env_id *key, const wd_value *bundle)
{
    env_origin *origin = wd_id_table_find(&envs->origins, key);
    const wd_value *task = wd_object_get(bundle, "task");
    bool same = origin != NULL &&
                (int64_t)origin->seed == wd_value_int_or(wd_object_get(bundle, "seed"), 0) &&
                (int64_t)origin->step_limit == wd_value_int_or(wd_object_get(bundle, "step_limit"), 0) &&
                wd_value_equal(wd_device_machine(origin->start), wd_object_get(bundle, "start")) &&
                (task == NULL ? origin->task.id == NULL
                              : origin->task.id != NULL && wd_value_equal(origin->task.document, task));
    return same ? env_origin_ref(origin) : NULL;
}

static wd_status read_origin(
    wd_envs *envs, const wd_value *bundle, const wd_value *shared, env_origin **ret_origin, wd_error *error)
{
    const wd_value *document = wd_object_get(bundle, "task");
    int64_t step_limit = 0;
    wd_task task = { 0 };
    wd_env_id key;
    if (origin_key(bundle, &key) != WD_OK) {
        return wd_error_set(error, WD_ENOMEM, "snapshot: out of memory");
    }
    *ret_origin = known_origin(envs, &key, bundle);
    if (*ret_origin != NULL) {
        return WD_OK;
    }
    wd_status status = number_of(bundle, "step_limit", WD_TASK_STEPS_MAX, &step_limit, error);
    if (status == WD_OK && document != NULL) {
        status = wd_task_bind(document, NULL, &task, error);
    }
    if (status == WD_OK) {
        env_start start = { .machine = wd_object_get(bundle, "start"),
            .state = wd_object_get(shared, "initial") };
        status = env_origin_new(envs, (uint64_t)wd_value_int_or(wd_object_get(bundle, "seed"), 0),
            document == NULL ? NULL : &task, (uint32_t)step_limit, &start, ret_origin, error);
    }
    // One that cannot be found again is made again.
    if (status == WD_OK && wd_id_table_find(&envs->origins, &key) == NULL &&
        wd_id_table_add(&envs->origins, &key, *ret_origin) == WD_OK) {
        (*ret_origin)->key = key;
    }
    wd_task_done(&task);
    return status;
}

static wd_status read_ending(const wd_value *bundle, wd_ending *ret_ending, wd_error *error)
{
    const char *name = wd_value_string_or(wd_object_get(bundle, "ending"), "");
    for (wd_ending ending = WD_END_NONE; ending <= WD_END_CANCELED; ending++) {
        if (strcmp(wd_ending_name(ending), name) == 0) {
            *ret_ending = ending;
            return WD_OK;
        }
    }
    return wd_error_set(error, WD_ECORRUPT, "snapshot.ending: \"%.40s\" is none", name);
}

static wd_status read_progress(wd_envs *envs, const wd_value *bundle, const wd_value *shared,
    env_progress *ret_progress, wd_error *error)
{
    env_progress progress = { 0 };
    int64_t steps = 0;
    wd_ending ending = WD_END_NONE;
    wd_status status = number_of(bundle, "steps", UINT32_MAX, &steps, error);
    status = status == WD_OK ? read_ending(bundle, &ending, error) : status;
    status = status == WD_OK ? read_origin(envs, bundle, shared, &progress.origin, error) : status;
    status = status == WD_OK ? read_trace(wd_object_get(bundle, "trace"), &progress.trace, error) : status;
    if (status == WD_OK &&
        !wd_text_copy(wd_value_string_or(wd_object_get(bundle, "answer"), NULL), &progress.answer)) {
        status = WD_ENOMEM;
    }
    if (status != WD_OK) {
        env_progress_done(envs, &progress);
        return status;
    }
    progress.steps = (uint32_t)steps;
    progress.events_done = (uint64_t)wd_value_int_or(wd_object_get(bundle, "events_done"), 0);
    progress.events_actions = wd_value_int_or(wd_object_get(bundle, "events_actions"), 0);
    progress.ending = ending;
    *ret_progress = progress;
    return WD_OK;
}

/// The device that the bundle's machine makes, which must be the one that the digest names.
/// `shared` NULL: what it shows is found out when somebody looks.
static wd_status read_device(const env_progress *progress, const wd_value *bundle, const wd_value *shared,
    wd_device **ret_device, wd_error *error)
{
    const wd_value *machine = wd_object_get(bundle, "machine");
    const char *text = wd_value_string_or(wd_object_get(bundle, "digest"), "");
    wd_digest digest;
    wd_device *device = NULL;
    if (wd_digest_parse(text, &digest) != WD_OK || !wd_digest_equal(digest, wd_value_digest(machine))) {
        return wd_error_set(error, WD_ECORRUPT, "snapshot.digest: is not that of the machine");
    }
    wd_status status = env_origin_device(progress->origin, machine, &device, error);
    if (status == WD_OK && !wd_digest_equal(wd_device_digest(device), digest)) {
        status = wd_error_set(error, WD_ECORRUPT, "snapshot.machine: does not restore to its digest");
    }
    if (status == WD_OK && shared != NULL) {
        status = wd_device_adopt(device, machine, wd_object_get(shared, "state"));
    }
    if (status != WD_OK) {
        wd_device_destroy(&device);
        return status;
    }
    *ret_device = device;
    return WD_OK;
}

wd_status wd_env_node_import(wd_envs *envs, const wd_value *bundle, const wd_env_id *id, int64_t now_ms,
    wd_env_node **ret_node, wd_error *error)
{
    wd_env_node *known = id == NULL ? NULL : wd_env_node_find(envs, id);
    if (known != NULL) {
        char digest[WD_DIGEST_TEXT_SIZE];
        wd_digest_text(known->digest, digest);
        if (!wd_value_is_text(wd_object_get(bundle, "digest"), digest)) {
            return wd_error_set(error, WD_EEXIST, "snapshot: another one has this id");
        }
        known->used_ms = now_ms;
        *ret_node = known;
        return WD_OK;
    }
    if (wd_value_int_or(wd_object_get(bundle, "version"), 0) != BUNDLE_VERSION) {
        return wd_error_set(error, WD_EVERSION, "snapshot.version: this worldd reads %d", BUNDLE_VERSION);
    }
    if (!wd_value_is(wd_object_get(bundle, "machine"), WD_KIND_OBJECT) ||
        !wd_value_is(wd_object_get(bundle, "start"), WD_KIND_OBJECT)) {
        return wd_error_set(error, WD_ECORRUPT, "snapshot.machine: missing");
    }
    // Only what comes from another thread is believed there.
    const wd_value *shared = id == NULL ? NULL : wd_object_get(bundle, "shared");
    env_progress progress = { 0 };
    wd_status status = env_room(envs, 0, id == NULL ? 1 : 0, error);  // a copy is no snapshot of ours
    status = status == WD_OK ? check_packs(envs, wd_object_get(bundle, "packs"), error) : status;
    status = status == WD_OK ? read_progress(envs, bundle, shared, &progress, error) : status;
    if (status != WD_OK) {
        return status;
    }
    wd_device *device = NULL;
    wd_env_id parent = env_id_none;
    const char *parent_text = wd_value_string_or(wd_object_get(shared, "parent"), NULL);
    if (parent_text == NULL || wd_env_id_parse(parent_text, &parent) != WD_OK) {
        parent = env_id_none;
    }
    status = read_device(&progress, bundle, shared, &device, error);
    if (status == WD_OK) {
        status = env_node_add(
            envs, id, wd_env_node_find(envs, &parent), &parent, device, &progress, now_ms, ret_node, error);
    }
    wd_device_destroy(&device);
    if (status != WD_OK) {
        env_progress_done(envs, &progress);
    }
    return status;
}
