// How a run begins: its record, its name, its device.
#include "service_internal.h"

#include "runtime/log.h"
#include "tree/alloc.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void wd_service_episode_pack(const wd_service *service, wd_episode_writer *episode)
{
    wd_error error;
    if (service->config->compress_episodes && wd_episode_compress(episode, &error) != WD_OK) {
        wd_log(WD_LOG_WARNING, "episode stays as it is: %s", error.text);
    }
}

/// Is there an episode of this path, in either form?
static bool recorded(const char *path)
{
    char packed[WD_CONFIG_TEXT_MAX * 2 + 8];
    snprintf(packed, sizeof packed, "%s.zst", path);
    return access(path, F_OK) == 0 || access(packed, F_OK) == 0;
}

wd_status wd_service_episode_name(const wd_service *service, const char *wanted, const char *stem,
    uint64_t seed, char ret_id[WD_RUN_ID_MAX + 1], char ret_path[WD_CONFIG_TEXT_MAX * 2], wd_error *error)
{
    enum { NUMBER_MAX = 1000 * 1000 };
    char base[40];
    snprintf(base, sizeof base, "%s", wanted == NULL ? stem : wanted);
    for (char *c = base; *c != '\0'; c++) {  // it becomes a file's name
        if (!isalnum((unsigned char)*c) && *c != '-' && *c != '_') {
            *c = '_';
        }
    }
    for (int n = 1; n <= NUMBER_MAX; n++) {
        if (wanted != NULL) {
            snprintf(ret_id, WD_RUN_ID_MAX + 1, "%s", base);
        } else {
            snprintf(
                ret_id, WD_RUN_ID_MAX + 1, "%s-%llu-%d", base, (unsigned long long)seed % 1000000007ULL, n);
        }
        snprintf(ret_path, WD_CONFIG_TEXT_MAX * 2, "%s/%s.jsonl", service->config->episodes, ret_id);
        if (!recorded(ret_path) && wd_service_run_find(service, ret_id) == NULL) {
            return WD_OK;
        }
        if (wanted != NULL) {
            return wd_error_set(error, WD_EEXIST, "%s: was used already", ret_id);
        }
    }
    return wd_error_set(error, WD_ELIMIT, "too many episodes of %s", base);
}

wd_status wd_service_run_record(wd_service *service, wd_service_run *run, wd_error *error)
{
    if (run->recorded) {
        return WD_OK;
    }
    bool foreign = run->peer.lease != 0;
    wd_episode_opening opening = {
        .task = wd_run_context(run->run)->task,
        .options = &run->options,
        .executor = foreign ? wd_peer_executor_name(&run->peer) : run->executor.name,
        .run_id = run->id,
        .seed = run->seed,
        .packs = foreign ? NULL : wd_packs_identity(service->packs),
        .machine = foreign ? NULL : wd_device_machine(run->device),
    };
    wd_status status = wd_episode_header_write(run->episode, &opening, error);
    run->recorded = status == WD_OK;
    return status;
}

wd_status wd_service_episode_room(wd_service *service, int64_t now_ms, wd_error *error)
{
    const wd_config *config = service->config;
    return wd_episode_disk_room(
        &service->disk, config->episodes, config->episodes_mib_max << 20, now_ms, error);
}

/// Make the run and its record. The device stays the instance's.
static wd_status prepare(wd_service *service, wd_service_run *run, const wd_run_order *order, wd_error *error)
{
    char path[WD_CONFIG_TEXT_MAX * 2];
    const wd_task *task = &order->instance->task;
    wd_status status =
        wd_service_episode_name(service, order->run_id, task->id, order->seed, run->id, path, error);
    if (status == WD_OK) {
        status = wd_run_new(run->id, task, &order->options, &run->run, error);
    }
    if (status == WD_OK) {
        status = wd_episode_create(path, &run->episode, error);
    }
    return status;
}

/// Give the run its phone, which is the instance's until then.
static void take_device(wd_service *service, wd_service_run *run, wd_task_instance *instance)
{
    run->device = instance->device;
    instance->device = NULL;
    run->sim = (wd_sim_executor){
        .host = service->host,
        .device = run->device,
        .events = wd_task_events_start(wd_run_context(run->run)->task->events, run->device),
    };
    run->executor = wd_sim_executor_as_executor(&run->sim);
}

/// Give the run a peer's device, as soon as there is one.
static wd_status take_peer(
    wd_service *service, wd_service_run *run, const wd_run_order *order, wd_error *error)
{
    const char *name = strcmp(order->executor, "*") == 0 ? NULL : order->executor;
    wd_status status = wd_peer_executor_start(&run->peer, service->broker, name, run->id,
        (uint32_t)service->config->executor_deadline_ms, (uint32_t)service->config->executor_wait_ms);
    run->executor = wd_peer_executor_as_executor(&run->peer);
    return status == WD_OK ? WD_OK
                           : wd_error_set(error, status, "run: no more than %d runs on executors at once",
                                 (int)WD_BROKER_LEASES_MAX);
}

wd_status wd_service_run_start(wd_service *service, const wd_run_order *order, const wd_control_peer *client,
    uint64_t client_request, int64_t now_ms, wd_service_outbox *outbox, wd_error *error)
{
    if (service->run_count >= service->config->runs_max) {
        return wd_error_set(error, WD_ELIMIT, "run: %zu runs are open, the limit is %llu", service->run_count,
            (unsigned long long)service->config->runs_max);
    }
    wd_status status = wd_service_episode_room(service, now_ms, error);
    if (status != WD_OK) {
        return status;
    }
    wd_service_run *run = wd_alloc_zero(1, sizeof *run);
    if (run == NULL) {
        return wd_error_set(error, WD_ENOMEM, "run: out of memory");
    }
    run->options = order->options;
    run->options.world.launcher_app = NULL;
    run->seed = order->instance->seed;
    status = prepare(service, run, order, error);
    if (status == WD_OK && order->executor != NULL) {
        status = take_peer(service, run, order, error);
    } else if (status == WD_OK) {
        take_device(service, run, order->instance);
    }
    if (status == WD_OK && (run->device != NULL || wd_peer_executor_is_known(&run->peer))) {
        status = wd_service_run_record(service, run, error);
    }
    if (status != WD_OK) {
        if (run->peer.lease != 0) {
            wd_peer_executor_end(&run->peer, now_ms, &outbox->planner);
        }
        wd_service_run_destroy(&run);
        return status;
    }
    if (order->planner != NULL) {
        snprintf(run->planner, sizeof run->planner, "%s", order->planner);
    }
    memcpy(run->enricher, order->options.enricher, sizeof run->enricher);
    run->enrich_deadline_ms = order->options.enrich_deadline_ms;
    run->watched = true;
    run->client = client->id;
    run->user = client->user;
    memcpy(run->instance, client->instance, sizeof run->instance);
    run->client_request = client_request;
    service->runs[service->run_count++] = run;
    service->stats.runs_started += 1;
    wd_log(WD_LOG_INFO, "run %s started: %s", run->id, order->instance->task.id);
    wd_run_event event = { .kind = WD_RUN_START };
    return wd_service_run_drive(service, run, event, now_ms, outbox);
}
