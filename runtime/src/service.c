#include "service_internal.h"

#include "runtime/packs.h"
#include "tree/alloc.h"

#include <string.h>

void wd_service_outbox_clear(wd_service_outbox *outbox)
{
    wd_broker_outbox_clear(&outbox->planner);
    wd_broker_outbox_clear(&outbox->control);
}

void wd_service_outbox_done(wd_service_outbox *outbox)
{
    wd_broker_outbox_done(&outbox->planner);
    wd_broker_outbox_done(&outbox->control);
}

static wd_status start_envs(wd_service *service, wd_error *error)
{
    const wd_config *config = service->config;
    wd_envs_options options = {
        .env_count_max = config->envs_max,
        .snapshot_count_max = config->snapshots_max,
        .bytes_max = config->env_mib_max << 20,
        .snapshot_idle_ms = (int64_t)config->snapshot_idle_ms,
        .run = wd_config_run_options(config),
        .apps = wd_config_host_limits(config),
    };
    wd_status status =
        wd_env_pool_new(&options, service->packs, config->env_workers, &service->env_pool, error);
    if (status == WD_OK && wd_env_router_new(service->env_pool, &service->env_router) != WD_OK) {
        status = wd_error_set(error, WD_ENOMEM, "service: out of memory");
    }
    return status;
}

wd_status wd_service_new(
    const wd_config *config, const uint8_t boot_id[16], wd_service **ret_service, wd_error *error)
{
    wd_service *service = wd_alloc_zero(1, sizeof *service);
    if (service == NULL) {
        return wd_error_set(error, WD_ENOMEM, "service: out of memory");
    }
    service->config = config;
    service->clients.requests_max = config->requests_max;
    service->watch.count_max = config->watches_max;
    memcpy(service->boot_id, boot_id, sizeof service->boot_id);
    wd_broker_options options = wd_config_broker_options(config);
    memcpy(options.boot_id, boot_id, sizeof options.boot_id);
    wd_status status = wd_packs_load_list(config->packs, &service->packs, error);
    if (status == WD_OK) {
        status = wd_host_new(service->packs, &service->host, error);
    }
    if (status == WD_OK) {
        wd_host_limit(service->host, wd_config_host_limits(config));
    }
    if (status == WD_OK) {
        status = wd_broker_new(&options, &service->broker);
    }
    if (status == WD_OK) {
        status = start_envs(service, error);
    }
    if (status == WD_OK) {
        service->runs = wd_alloc_zero(config->runs_max, sizeof *service->runs);
        status = service->runs == NULL ? wd_error_set(error, WD_ENOMEM, "service: out of memory") : WD_OK;
    }
    if (status != WD_OK) {
        wd_service_destroy(&service);
        return status;
    }
    *ret_service = service;
    return WD_OK;
}

void wd_service_destroy(wd_service **service_p)
{
    wd_service *service = *service_p;
    if (service == NULL) {
        return;
    }
    for (size_t i = 0; i < service->run_count; i++) {
        wd_service_run_destroy(&service->runs[i]);
    }
    for (size_t i = 0; i < service->session_count; i++) {
        wd_observe_session_end(service->sessions[i], WD_END_CANCELED, "worldd was stopped");
        wd_service_episode_pack(service, wd_observe_session_episode(service->sessions[i]));
        wd_observe_session_destroy(&service->sessions[i]);
    }
    if (service->runs != NULL) {
        wd_free(service->runs, service->config->runs_max * sizeof *service->runs);
    }
    wd_env_router_destroy(&service->env_router);
    wd_env_pool_destroy(&service->env_pool);
    wd_clients_done(&service->clients);
    wd_broker_destroy(&service->broker);
    wd_host_destroy(&service->host);
    wd_packs_unref(&service->packs);
    wd_free(service, sizeof *service);
    *service_p = NULL;
}

wd_status wd_service_planner_message(
    wd_service *service, const wd_broker_message *message, int64_t now_ms, wd_service_outbox *outbox)
{
    wd_status status = wd_broker_receive(service->broker, message, now_ms, &outbox->planner);
    status = status == WD_OK ? wd_service_take_imagines(service, outbox) : status;
    return status == WD_OK ? wd_service_take_outcomes(service, now_ms, outbox) : status;
}

wd_status wd_service_planner_lost(
    wd_service *service, wd_peer_id peer, int64_t now_ms, wd_service_outbox *outbox)
{
    wd_status status = wd_broker_peer_lost(service->broker, peer, now_ms, &outbox->planner);
    return status == WD_OK ? wd_service_take_outcomes(service, now_ms, outbox) : status;
}

wd_status wd_service_tick(wd_service *service, int64_t now_ms, wd_service_outbox *outbox)
{
    wd_service_tick_envs(service, now_ms);
    wd_status status = wd_broker_tick(service->broker, now_ms, &outbox->planner);
    if (status == WD_OK && service->envs_wait) {
        service->envs_wait = false;
        status = wd_service_take_envs(service, outbox);
    }
    return status == WD_OK ? wd_service_take_outcomes(service, now_ms, outbox) : status;
}

int64_t wd_service_next_ms(const wd_service *service)
{
    int64_t next = wd_broker_next_ms(service->broker);
    next = service->envs_next_ms < next ? service->envs_next_ms : next;
    return service->envs_wait ? 0 : next;
}

wd_status wd_service_shutdown(
    wd_service *service, const char *reason, int64_t now_ms, wd_service_outbox *outbox)
{
    wd_status status = WD_OK;
    while (status == WD_OK && service->run_count > 0) {
        status = wd_service_run_cancel(service, service->runs[0], reason, now_ms, outbox);
    }
    return status == WD_OK ? wd_broker_shutdown(service->broker, reason, &outbox->planner) : status;
}

wd_service_stats wd_service_stats_get(const wd_service *service)
{
    wd_service_stats stats = service->stats;
    stats.runs_open = (uint32_t)service->run_count;
    return stats;
}

void wd_service_count_doors(wd_service *service, uint64_t admitted, uint64_t refused)
{
    service->stats.admitted = admitted;
    service->stats.refused = refused;
}

bool wd_service_end_wanted(const wd_service *service)
{
    return service->end_wanted;
}

wd_status wd_service_recheck(
    wd_service *service, const wd_authority *authority, int64_t now_ms, wd_service_outbox *outbox)
{
    wd_status status = wd_broker_recheck(service->broker, authority, now_ms, &outbox->planner);
    status = status == WD_OK ? wd_control_recheck(service, authority, now_ms, outbox) : status;
    return status == WD_OK ? wd_service_take_outcomes(service, now_ms, outbox) : status;
}

void wd_service_count_disconnect(wd_service *service)
{
    service->stats.disconnects += 1;
}
