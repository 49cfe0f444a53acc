// The verbs of clients and their arguments (docs/protocol.md lists them).
#include "control_args.h"
#include "service_internal.h"

#include "runtime/run_judge.h"
#include "runtime/task_library.h"
#include "tree/path.h"

#include <stdio.h>
#include <string.h>

// ---- status, peers, runs, tasks ---------------------------------------------------------------------------------

static wd_status verb_status(wd_service *service, const wd_control_peer *peer, const wd_control *control,
    int64_t now_ms, wd_service_outbox *outbox, wd_value **ret_result, wd_error *error)
{
    (void)peer, (void)control, (void)now_ms, (void)outbox, (void)error;
    wd_service_stats own = wd_service_stats_get(service);
    wd_broker_stats broker = wd_broker_stats_get(service->broker);
    return wd_value_pack(ret_result,
        "{s:s,s:{s:i,s:i,s:i},s:{s:i,s:i},s:{s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:i},s:{s:i,"
        "s:i,s:i},s:i,s:i,s:{s:i,s:i}}",  //
        "version", WD_VERSION_TEXT, "runs", "open", (int64_t)own.runs_open, "started",
        (int64_t)own.runs_started, "ended", (int64_t)own.runs_ended,                              //
        "scenes", "enriched", (int64_t)own.enriched, "fallbacks", (int64_t)own.enrich_fallbacks,  //
        "planners", "peers", (int64_t)broker.peers, "requests_open", (int64_t)broker.requests_open,
        "requests", (int64_t)broker.requests, "replies", (int64_t)broker.replies, "late_replies",
        (int64_t)broker.late_replies, "repeated_replies", (int64_t)broker.repeated_replies, "unknown_replies",
        (int64_t)broker.unknown_replies, "malformed", (int64_t)broker.malformed, "frames_over",
        (int64_t)broker.frames_over, "rejects", (int64_t)broker.rejects, "peers_lost",
        (int64_t)broker.peers_lost, "superseded", (int64_t)broker.superseded, "thoughts",
        (int64_t)broker.thoughts, "thoughts_dropped",
        (int64_t)broker.thoughts_dropped,  //
        "control", "messages", (int64_t)own.control_messages, "rejects", (int64_t)own.control_rejects,
        "errors",
        (int64_t)own.control_errors,  //
        "packs", (int64_t)wd_object_count(wd_packs_identity(service->packs)), "disconnects",
        (int64_t)own.disconnects, "doors", "admitted", (int64_t)own.admitted, "refused",
        (int64_t)own.refused);
}

static wd_status verb_planners(wd_service *service, const wd_control_peer *peer, const wd_control *control,
    int64_t now_ms, wd_service_outbox *outbox, wd_value **ret_result, wd_error *error)
{
    (void)peer, (void)control, (void)now_ms, (void)outbox, (void)error;
    return wd_broker_peers_to_value(service->broker, ret_result);
}

static wd_status verb_runs(wd_service *service, const wd_control_peer *peer, const wd_control *control,
    int64_t now_ms, wd_service_outbox *outbox, wd_value **ret_result, wd_error *error)
{
    (void)peer, (void)control, (void)now_ms, (void)outbox, (void)error;
    wd_value *list = wd_value_array();
    wd_status status = WD_OK;
    for (size_t i = 0; status == WD_OK && i < service->run_count; i++) {
        const wd_task_context *context = wd_run_context(service->runs[i]->run);
        wd_value *row = NULL;
        wd_service_run *run = service->runs[i];
        if (!wd_access_to_owned(WD_ACCESS_READ, peer->user, peer->roles, run->user)) {
            continue;
        }
        status = wd_value_pack(&row, "{s:s,s:s,s:s,s:i,s:?s,s:?s}", "run", run->id, "task", context->task->id,
            "executor", run->device == NULL ? wd_peer_executor_name(&run->peer) : run->executor.name, "steps",
            (int64_t)context->step_count, "app", context->world == NULL ? NULL : context->world->current_app,
            "page", context->world == NULL ? NULL : context->world->current_page);
        if (status == WD_OK) {
            status = wd_array_append(&list, &row);
        }
        wd_value_unref(&row);
    }
    if (status != WD_OK) {
        wd_value_unref(&list);
        return status;
    }
    *ret_result = list;
    return WD_OK;
}

// ---- run --------------------------------------------------------------------------------------------------------

/// The task's document: given whole, or by id, which names tasks/<id>.json.
wd_status wd_control_task_document(
    const wd_service *service, const wd_value *args, wd_value **ret_document, wd_error *error)
{
    const wd_value *task = wd_object_get(args, "task");
    if (wd_value_is(task, WD_KIND_OBJECT)) {
        *ret_document = wd_value_ref(task);
        return WD_OK;
    }
    const char *id = wd_value_string_or(task, NULL);
    if (id == NULL) {
        return wd_error_set(error, WD_EINVAL, "args.task: must be a task's id or document");
    }
    wd_status status = wd_task_library_read(service->config->tasks, id, ret_document, error);
    if (status != WD_OK && status != WD_ENOMEM) {
        wd_error_prefix(error, "args.task");
    }
    return status;
}

/// "" for nobody, "*" or true for any enricher, or one's name.
static wd_status option_enricher(const wd_value *options, wd_run_options *ret, wd_error *error)
{
    const wd_value *option = wd_object_get(options, "enricher");
    const char *name = wd_value_is(option, WD_KIND_BOOL) ? wd_value_as_bool(option) ? "*" : ""
                                                         : wd_value_string_or(option, NULL);
    if (option == NULL) {
        return WD_OK;
    }
    if (name == NULL || strlen(name) > WD_PEER_NAME_MAX) {
        return wd_error_set(error, WD_EINVAL,
            "args.options.enricher: must be an enricher's name of at most %d bytes, true or false",
            (int)WD_PEER_NAME_MAX);
    }
    strcpy(ret->enricher, name);
    return WD_OK;
}

/// How many steps planners may ask what-if for.
static wd_status option_imagine(
    const wd_service *service, const wd_value *options, wd_run_options *ret, wd_error *error)
{
    wd_status status = wd_verb_number(
        options, "args.options", "imagine", WD_IMAGINE_BUDGET_LIMIT, &ret->imagine_steps_max, error);
    if (status == WD_OK && ret->imagine_steps_max > 0 && !service->config->imagine_planner) {
        status = wd_error_set(error, WD_EDENIED, "args.options.imagine: no run may (imagine.planner)");
    }
    return status;
}

static wd_status order_options(
    const wd_service *service, const wd_value *args, wd_run_options *ret, wd_error *error)
{
    *ret = wd_config_run_options(service->config);
    const wd_value *options = wd_object_get(args, "options");
    uint32_t history = (uint32_t)ret->world.history_count_max;
    wd_status status = options == NULL || wd_value_is(options, WD_KIND_OBJECT)
                           ? WD_OK
                           : wd_error_set(error, WD_ETYPE, "args.options: must be an object");
    status =
        status == WD_OK ? wd_verb_flag(options, "args.options", "world", &ret->world.enabled, error) : status;
    status =
        status == WD_OK ? wd_verb_flag(options, "args.options", "semantic", &ret->semantic, error) : status;
    status = status == WD_OK ? option_enricher(options, ret, error) : status;
    status = status == WD_OK
                 ? wd_verb_number(options, "args.options", "history", WD_HISTORY_COUNT_MAX, &history, error)
                 : status;
    status = status == WD_OK ? wd_verb_number(options, "args.options", "step_limit", WD_TASK_STEPS_MAX,
                                   &ret->step_limit, error)
                             : status;
    status = status == WD_OK ? wd_verb_number(options, "args.options", "repetition_limit", 10000,
                                   &ret->repetition_limit, error)
                             : status;
    ret->world.history_count_max = history;
    return status == WD_OK ? option_imagine(service, options, ret, error) : status;
}

/// The task's instance on the embedded phone.
static wd_status open_instance(wd_service *service, const wd_value *args, const wd_value *document,
    uint64_t seed, wd_task_instance *ret_instance, wd_error *error)
{
    uint32_t number = 0;
    wd_task_order wanted = { .document = document, .params = wd_object_get(args, "params"), .seed = seed };
    wd_status status = wd_verb_number(args, "args", "instance", UINT32_MAX, &number, error);
    status = status == WD_OK ? wd_verb_text(args, "locale", &wanted.locale, error) : status;
    wanted.instance = number;
    return status == WD_OK ? wd_task_instance_open(service->host, &wanted, ret_instance, error) : status;
}

/// The task on a peer's device, which cannot be set up: bound to the parameters given, and to no phone.
static wd_status bind_task(const wd_value *args, const wd_value *document, uint64_t seed,
    wd_task_instance *ret_instance, wd_error *error)
{
    wd_status status = wd_task_bind(document, wd_object_get(args, "params"), &ret_instance->task, error);
    ret_instance->seed = (uint32_t)seed;
    return status == WD_OK ? wd_task_check_names(&ret_instance->task, error) : status;
}

/// An executor's name, "*" for any; NULL for the embedded phone, which "" means, too.
static wd_status order_executor(const wd_value *args, const char **ret_executor, wd_error *error)
{
    wd_status status = wd_verb_text(args, "executor", ret_executor, error);
    if (status == WD_OK && *ret_executor != NULL && (*ret_executor)[0] == '\0') {
        *ret_executor = NULL;
    }
    if (status == WD_OK && *ret_executor != NULL && strlen(*ret_executor) > WD_PEER_NAME_MAX) {
        status = wd_error_set(
            error, WD_EINVAL, "args.executor: no name has more than %d bytes", (int)WD_PEER_NAME_MAX);
    }
    return status;
}

/// The document of args.task; on a peer's device args.instruction will do.
static wd_status order_document(
    const wd_service *service, const wd_value *args, bool foreign, wd_value **ret_document, wd_error *error)
{
    const char *instruction = NULL;
    wd_status status = wd_verb_text(args, "instruction", &instruction, error);
    if (status != WD_OK || instruction == NULL) {
        return status == WD_OK ? wd_control_task_document(service, args, ret_document, error) : status;
    }
    if (!foreign || wd_object_get(args, "task") != NULL) {
        return wd_error_set(error, WD_EINVAL, "args.instruction: %s",
            foreign ? "given beside args.task" : "only with args.executor; name a task");
    }
    return wd_value_pack(ret_document, "{s:s,s:s}", "id", "instruction", "instruction", instruction);
}

/// A phone that is not simulated cannot be forked.
static wd_status forbid_imagine(const wd_value *args, wd_run_options *options, wd_error *error)
{
    if (wd_value_int_or(wd_object_get(wd_object_get(args, "options"), "imagine"), 0) > 0) {
        return wd_error_set(error, WD_EUNSUPPORTED,
            "args.options.imagine: the phone is an executor's; only simulated ones can be forked");
    }
    options->imagine_steps_max = 0;
    return WD_OK;
}

static wd_status verb_run(wd_service *service, const wd_control_peer *peer, const wd_control *control,
    int64_t now_ms, wd_service_outbox *outbox, wd_value **ret_result, wd_error *error)
{
    (void)ret_result;  // the Reply comes when the run is over
    const wd_value *args = control->args;
    wd_value *document = NULL;
    wd_task_instance instance = { 0 };
    wd_run_order order = { .instance = &instance,
        .seed = (uint64_t)wd_value_int_or(wd_object_get(args, "seed"), 0) };
    wd_status status = order_executor(args, &order.executor, error);
    bool foreign = order.executor != NULL;
    status = status == WD_OK ? order_document(service, args, foreign, &document, error) : status;
    status = status == WD_OK ? wd_verb_text(args, "planner", &order.planner, error) : status;
    status = status == WD_OK ? wd_verb_text(args, "run_id", &order.run_id, error) : status;
    status = status == WD_OK ? order_options(service, args, &order.options, error) : status;
    status = status == WD_OK && foreign ? forbid_imagine(args, &order.options, error) : status;
    if (status == WD_OK) {
        status = foreign ? bind_task(args, document, order.seed, &instance, error)
                         : open_instance(service, args, document, order.seed, &instance, error);
    }
    if (status == WD_OK) {
        status = wd_service_run_start(service, &order, peer, control->request_id, now_ms, outbox, error);
    }
    wd_task_instance_done(&instance);
    wd_value_unref(&document);
    return status;
}

wd_status wd_control_open_run(wd_service *service, const wd_control_peer *peer, const wd_control *control,
    wd_service_run **ret_run, wd_error *error)
{
    const char *id = NULL;
    wd_status status = wd_verb_needed_text(control->args, "run", &id, error);
    if (status != WD_OK) {
        return status;
    }
    wd_service_run *run = wd_service_run_find(service, id);
    if (run == NULL) {
        return wd_error_set(error, WD_ENOENT, "args.run: no run \"%s\" is open", id);
    }
    if (!wd_access_to_owned(wd_access_of_verb(control->verb), peer->user, peer->roles, run->user)) {
        return wd_error_set(error, WD_EDENIED,
            "args.run: \"%s\" is another user's; verb \"%s\" needs role %s there", id, control->verb,
            wd_access_of_verb(control->verb) == WD_ACCESS_READ ? "watcher" : "admin");
    }
    *ret_run = run;
    return WD_OK;
}

static wd_status verb_cancel(wd_service *service, const wd_control_peer *peer, const wd_control *control,
    int64_t now_ms, wd_service_outbox *outbox, wd_value **ret_result, wd_error *error)
{
    wd_service_run *run = NULL;
    const char *reason = NULL;
    if (wd_object_get(control->args, "request") != NULL) {
        return wd_control_cancel_request(service, peer, control, now_ms, outbox, ret_result, error);
    }
    wd_status status = wd_control_open_run(service, peer, control, &run, error);
    status = status == WD_OK ? wd_verb_text(control->args, "reason", &reason, error) : status;
    if (status == WD_OK) {
        status = wd_value_pack(ret_result, "{s:s}", "run", run->id);
    }
    return status == WD_OK ? wd_service_run_cancel(service, run,
                                 reason == NULL ? "cancelled by a client" : reason, now_ms, outbox)
                           : status;
}

static wd_status verb_state(wd_service *service, const wd_control_peer *peer, const wd_control *control,
    int64_t now_ms, wd_service_outbox *outbox, wd_value **ret_result, wd_error *error)
{
    (void)peer, (void)now_ms, (void)outbox;
    wd_service_run *run = NULL;
    const char *path = NULL;
    wd_value *state = NULL;
    wd_status status = wd_control_open_run(service, peer, control, &run, error);
    status = status == WD_OK ? wd_verb_text(control->args, "path", &path, error) : status;
    if (status == WD_OK && run->device == NULL) {
        status = wd_error_set(error, WD_ESTATE, "args.run: the device of an executor tells no state");
    }
    status = status == WD_OK ? wd_device_state(run->device, &state) : status;
    if (status == WD_OK) {
        const wd_value *part = path == NULL ? state : wd_value_get_path(state, path);
        *ret_result = wd_value_ref(part);
        status =
            part == NULL ? wd_error_set(error, WD_ENOENT, "args.path: \"%s\" leads nowhere", path) : WD_OK;
    }
    wd_value_unref(&state);
    return status;
}

static wd_status verb_scene(wd_service *service, const wd_control_peer *peer, const wd_control *control,
    int64_t now_ms, wd_service_outbox *outbox, wd_value **ret_result, wd_error *error)
{
    (void)peer, (void)now_ms, (void)outbox;
    wd_service_run *run = NULL;
    wd_scene *scene = NULL;
    wd_status status = wd_control_open_run(service, peer, control, &run, error);
    if (status == WD_OK && run->device != NULL) {
        status = wd_phone_observe(service->host, run->device, &scene, error);
    } else if (status == WD_OK) {
        scene = wd_scene_ref(run->peer.present);
        status = scene == NULL ? wd_error_set(error, WD_ESTATE, "args.run: no screen was captured") : WD_OK;
    }
    status = status == WD_OK ? wd_scene_to_value(scene, ret_result) : status;
    wd_scene_unref(&scene);
    return status;
}

/// The verdict so far and what it is worth: a reward for training, at any time of a run.
static wd_status verb_judge(wd_service *service, const wd_control_peer *peer, const wd_control *control,
    int64_t now_ms, wd_service_outbox *outbox, wd_value **ret_result, wd_error *error)
{
    (void)peer, (void)now_ms, (void)outbox;
    wd_service_run *run = NULL;
    wd_value *verdict = NULL;
    wd_status status = wd_control_open_run(service, peer, control, &run, error);
    status = status == WD_OK ? wd_run_judge(run->run, service->host, &verdict) : status;
    if (status == WD_OK && verdict == NULL) {
        status = wd_error_set(error, WD_ESTATE, "judge: %s",
            run->device == NULL ? "the device tells no state, and the task demands nothing else"
                                : "the run has no state yet");
    }
    if (status == WD_OK) {
        status = wd_value_pack(ret_result, "{s:s,s:i,s:d,s:v}", "run", run->id, "steps",
            (int64_t)wd_run_context(run->run)->step_count, "reward", wd_run_reward(run->run, verdict),
            "verdict", verdict);
    }
    wd_value_unref(&verdict);
    return status;
}

// ---- observe: agent loops on phones of their own ----------------------------------------------------------------

/// The task an observed loop works on: a document, or only its instruction.
static wd_status observed_task(const wd_value *args, wd_task *ret_task, wd_error *error)
{
    const wd_value *task = wd_object_get(args, "task");
    wd_value *document = NULL;
    wd_status status = WD_OK;
    if (wd_value_is(task, WD_KIND_OBJECT)) {
        document = wd_value_ref(task);
    } else if (task == NULL || wd_value_is(task, WD_KIND_STRING)) {
        status = wd_value_pack(
            &document, "{s:s,s:s}", "id", "observed", "instruction", wd_value_string_or(task, ""));
    } else {
        status = wd_error_set(error, WD_ETYPE, "args.task: must be a task's document or its instruction");
    }
    status = status == WD_OK ? wd_task_bind(document, NULL, ret_task, error) : status;
    wd_value_unref(&document);
    return status;
}

static wd_status verb_observe_start(wd_service *service, const wd_control_peer *peer,
    const wd_control *control, int64_t now_ms, wd_service_outbox *outbox, wd_value **ret_result,
    wd_error *error)
{
    (void)peer, (void)outbox;
    char id[WD_RUN_ID_MAX + 1], path[WD_CONFIG_TEXT_MAX * 2];
    const char *wanted = NULL;
    wd_task task = { 0 };
    wd_run_options options;
    wd_observe_session *session = NULL;
    if (service->session_count == WD_OBSERVE_SESSIONS_MAX) {
        return wd_error_set(
            error, WD_ELIMIT, "observe_start: %d sessions are open; end one", WD_OBSERVE_SESSIONS_MAX);
    }
    wd_status status = wd_verb_text(control->args, "session", &wanted, error);
    status = status == WD_OK ? observed_task(control->args, &task, error) : status;
    status = status == WD_OK ? order_options(service, control->args, &options, error) : status;
    status = status == WD_OK ? wd_service_episode_room(service, now_ms, error) : status;
    status = status == WD_OK ? wd_service_episode_name(service, wanted, task.id, 0, id, path, error) : status;
    status = status == WD_OK ? wd_observe_session_new(id, path, &task, &options, &session, error) : status;
    status =
        status == WD_OK ? wd_value_pack(ret_result, "{s:s,s:s}", "session", id, "episode", path) : status;
    if (status == WD_OK) {
        service->session_users[service->session_count] = peer->user;
        service->sessions[service->session_count++] = session;
    } else {
        wd_observe_session_destroy(&session);
    }
    wd_task_done(&task);
    return status;
}

static wd_status open_session(wd_service *service, const wd_control_peer *peer, const wd_value *args,
    size_t *ret_index, wd_error *error)
{
    const char *id = NULL;
    wd_status status = wd_verb_needed_text(args, "session", &id, error);
    for (size_t i = 0; status == WD_OK && i < service->session_count; i++) {
        if (strcmp(wd_observe_session_id(service->sessions[i]), id) != 0) {
            continue;
        }
        *ret_index = i;
        return wd_access_to_owned(WD_ACCESS_WRITE, peer->user, peer->roles, service->session_users[i])
                   ? WD_OK
                   : wd_error_set(error, WD_EDENIED,
                         "args.session: \"%s\" is another user's and needs role admin", id);
    }
    return status == WD_OK ? wd_error_set(error, WD_ENOENT, "args.session: no session \"%s\" is open", id)
                           : status;
}

static wd_status verb_observe(wd_service *service, const wd_control_peer *peer, const wd_control *control,
    int64_t now_ms, wd_service_outbox *outbox, wd_value **ret_result, wd_error *error)
{
    (void)peer, (void)now_ms, (void)outbox;
    size_t index = 0;
    wd_status status = open_session(service, peer, control->args, &index, error);
    return status == WD_OK
               ? wd_observe_session_post(service->sessions[index], control->args, ret_result, error)
               : status;
}

static wd_status verb_observe_end(wd_service *service, const wd_control_peer *peer, const wd_control *control,
    int64_t now_ms, wd_service_outbox *outbox, wd_value **ret_result, wd_error *error)
{
    (void)peer, (void)now_ms, (void)outbox;
    size_t index = 0;
    const char *ending = NULL;
    wd_status status = open_session(service, peer, control->args, &index, error);
    status = status == WD_OK ? wd_verb_text(control->args, "ending", &ending, error) : status;
    bool aborted = ending != NULL && strcmp(ending, "abort") == 0;
    if (status == WD_OK && ending != NULL && !aborted && strcmp(ending, "complete") != 0) {
        status = wd_error_set(error, WD_EINVAL, "args.ending: \"%s\" is neither complete nor abort", ending);
    }
    if (status == WD_OK) {
        wd_observe_session *session = service->sessions[index];
        wd_episode_writer *episode = wd_observe_session_episode(session);
        wd_observe_session_end(session, aborted ? WD_END_ABORT : WD_END_COMPLETE, NULL);
        wd_service_episode_pack(service, episode);
        status = wd_value_pack(ret_result, "{s:s,s:s}", "session", wd_observe_session_id(session), "episode",
            wd_episode_path(episode));
        wd_observe_session_destroy(&service->sessions[index]);
        memmove(&service->sessions[index], &service->sessions[index + 1],
            (service->session_count - index - 1) * sizeof *service->sessions);
        memmove(&service->session_users[index], &service->session_users[index + 1],
            (service->session_count - index - 1) * sizeof *service->session_users);
        service->session_count -= 1;
    }
    return status;
}

static wd_status verb_shutdown(wd_service *service, const wd_control_peer *peer, const wd_control *control,
    int64_t now_ms, wd_service_outbox *outbox, wd_value **ret_result, wd_error *error)
{
    (void)peer, (void)control, (void)now_ms, (void)outbox, (void)error;
    service->end_wanted = true;
    return wd_value_pack(ret_result, "{s:i}", "runs", (int64_t)service->run_count);
}

const wd_verb wd_verbs[] = {
    { "status", verb_status },
    { "planners", verb_planners },
    { "runs", verb_runs },
    { "run", verb_run },
    { "cancel", verb_cancel },
    { "state", verb_state },
    { "scene", verb_scene },
    { "judge", verb_judge },
    { "imagine", wd_control_imagine },
    { "observe_start", verb_observe_start },
    { "observe", verb_observe },
    { "observe_end", verb_observe_end },
    { "watch", wd_control_watch },
    { "unwatch", wd_control_unwatch },
    { "shutdown", verb_shutdown },
    { NULL, NULL },
};
