// Executors and the runs that they serve: leases, and requests that are asked of one executor only.
#include "broker_internal.h"

#include "tree/alloc.h"

#include <string.h>

static broker_lease *find_lease(const wd_broker *broker, uint64_t id)
{
    broker_lease *lease = broker->leases;
    while (lease != NULL && lease->id != id) {
        lease = lease->next;
    }
    wd_assert(lease != NULL);
    return lease;
}

wd_status wd_broker_lease_open(wd_broker *broker, const char *executor, uint64_t *ret_lease)
{
    wd_assert(executor == NULL || strlen(executor) <= WD_PEER_NAME_MAX);

    if (broker->lease_count == WD_BROKER_LEASES_MAX) {
        return WD_ELIMIT;
    }
    broker_lease *lease = wd_alloc_zero(1, sizeof *lease);
    if (lease == NULL) {
        return WD_ENOMEM;
    }
    lease->id = ++broker->lease_last;
    strcpy(lease->executor, executor == NULL ? "" : executor);
    lease->next = broker->leases;
    broker->leases = lease;
    broker->lease_count++;
    *ret_lease = lease->id;
    return WD_OK;
}

void wd_broker_lease_close(wd_broker *broker, uint64_t id, int64_t now_ms, wd_broker_outbox *outbox)
{
    broker_lease *lease = find_lease(broker, id);
    for (size_t i = 0; i < broker->request_count; i++) {
        wd_assert(broker->requests[i]->lease != lease);
    }
    broker_lease **link = &broker->leases;
    while (*link != lease) {
        link = &(*link)->next;
    }
    *link = lease->next;
    broker->lease_count--;
    broker_peer *peer = lease->held ? broker_peer_by_name(broker, &broker_executor, lease->executor) : NULL;
    if (peer != NULL) {
        peer->leases--;
    }
    wd_free(lease, sizeof *lease);
    broker_settle(broker, now_ms, outbox);
}

const char *wd_broker_lease_executor(const wd_broker *broker, uint64_t id)
{
    const broker_lease *lease = find_lease(broker, id);
    return lease->held ? lease->executor : "";
}

uint32_t broker_lease_count(const wd_broker *broker, const char *executor)
{
    uint32_t count = 0;
    for (const broker_lease *lease = broker->leases; lease != NULL; lease = lease->next) {
        count += lease->held && strcmp(lease->executor, executor) == 0;
    }
    return count;
}

bool broker_lease_suits(const broker_lease *lease, const broker_peer *peer)
{
    return lease->held ? strcmp(lease->executor, peer->hello.name) == 0
                       : peer->leases < peer->hello.max_inflight;
}

void broker_lease_hold(broker_lease *lease, broker_peer *peer)
{
    if (!lease->held) {
        strcpy(lease->executor, peer->hello.name);
        lease->held = true;
        peer->leases++;
    }
}

void broker_lease_explain(const wd_broker *broker, broker_request *request)
{
    const char *wanted = request->lease->executor;
    for (size_t i = 0; i < broker->peer_count && !request->lease->held; i++) {
        const broker_peer *peer = broker->peers[i];
        if (peer->gone || peer->role != &broker_executor) {
            continue;
        }
        if (wanted[0] == '\0') {
            wd_error_set(&request->error, WD_EBUSY, "every executor serves another run");
        } else if (strcmp(wanted, peer->hello.name) == 0) {
            wd_error_set(&request->error, WD_EBUSY, "executor %s serves another run", wanted);
        }
    }
}

wd_status wd_broker_request_executor(wd_broker *broker, const wd_executor_ask *ask, int64_t now_ms,
    uint64_t *ret_request_id, wd_broker_outbox *outbox)
{
    wd_assert(ask->deadline_ms > 0);
    broker_lease *lease = find_lease(broker, ask->lease);
    broker_request *request = NULL;
    wd_status status = broker_request_new(broker, ask->execute ? &broker_execute : &broker_observe,
        lease->executor[0] == '\0' ? NULL : lease->executor, ask->body, ask->body_length, &request);
    if (status != WD_OK) {
        return status;
    }
    request->lease = lease;
    request->attempts_max = ask->execute ? 1 : BROKER_OBSERVE_ATTEMPTS;
    request->attempt_ms = ask->deadline_ms;
    request->deadline_ms = now_ms + ask->wait_ms + ask->deadline_ms;  // until it is sent
    request->wait_ms = ask->wait_ms;
    request->wait_until_ms = now_ms + ask->wait_ms;
    return broker_request_open(broker, request, now_ms, ret_request_id, outbox);
}
