#include "clients.h"

#include "broker_internal.h"
#include "tree/alloc.h"

#include <string.h>

static void answer_done(wd_client *client, wd_client_answer *answer)
{
    client->bytes -= answer->body_length;
    *client->bytes_of_all -= answer->body_length;
    client->open_count -= answer->open;
    wd_free(answer->body, answer->body_length);
}

/// Forget the answer at `index`.
static void forget(wd_client *client, size_t index)
{
    wd_client_answer *answer = &client->answers[index];
    if (answer->request_id > client->forgotten) {
        client->forgotten = answer->request_id;
    }
    answer_done(client, answer);
    client->count -= 1;
    memmove(answer, answer + 1, (client->count - index) * sizeof *answer);
}

static void free_answers(wd_client *client)
{
    if (client->answers != NULL) {
        wd_free(client->answers, client->capacity * sizeof *client->answers);
    }
    client->answers = NULL;
    client->capacity = 0;
}

/// Room for one more. Most clients ask little and go, so room grows with what is asked.
static wd_status reserve_answer(wd_client *client)
{
    enum { CAPACITY_START = 8 };
    if (client->count < client->capacity) {
        return WD_OK;
    }
    size_t capacity = client->capacity == 0 ? CAPACITY_START : 2 * client->capacity;
    capacity = capacity > WD_CLIENT_ANSWERS_MAX ? WD_CLIENT_ANSWERS_MAX : capacity;
    wd_client_answer *grown = wd_realloc(
        client->answers, client->capacity * sizeof *client->answers, capacity * sizeof *client->answers);
    if (grown == NULL) {
        return WD_ENOMEM;
    }
    client->answers = grown;
    client->capacity = capacity;
    return WD_OK;
}

/// Forget the oldest one that is answered. @retval false  all are open.
static bool forget_oldest(wd_client *client)
{
    for (size_t i = 0; i < client->count; i++) {
        if (!client->answers[i].open) {
            forget(client, i);
            return true;
        }
    }
    return false;
}

static void client_destroy(wd_client *client)
{
    for (size_t i = 0; i < client->count; i++) {
        answer_done(client, &client->answers[i]);
    }
    free_answers(client);
    wd_free(client, sizeof *client);
}

void wd_clients_done(wd_clients *clients)
{
    for (size_t i = 0; i < clients->count; i++) {
        client_destroy(clients->list[i]);
    }
    clients->count = 0;
}

wd_client *wd_clients_find(const wd_clients *clients, const uint8_t instance[WD_SESSION_ID_SIZE])
{
    for (size_t i = 0; i < clients->count; i++) {
        if (memcmp(clients->list[i]->instance, instance, WD_SESSION_ID_SIZE) == 0) {
            return clients->list[i];
        }
    }
    return NULL;
}

/// A free place; WD_CLIENTS_MAX: there is none.
static size_t place(wd_clients *clients)
{
    size_t silent = WD_CLIENTS_MAX;
    if (clients->count < WD_CLIENTS_MAX) {
        return clients->count++;
    }
    for (size_t i = 0; i < clients->count; i++) {
        const wd_client *client = clients->list[i];
        bool idle = client->open_count == 0 && !client->owner;
        if (idle && (silent == WD_CLIENTS_MAX || client->heard_ms < clients->list[silent]->heard_ms)) {
            silent = i;
        }
    }
    if (silent < WD_CLIENTS_MAX) {
        client_destroy(clients->list[silent]);
    }
    return silent;
}

wd_status wd_clients_hello(wd_clients *clients, const uint8_t instance[WD_SESSION_ID_SIZE], wd_user user,
    const wd_peer_id *peer, int64_t now_ms, wd_client **ret_client)
{
    wd_client *client = wd_clients_find(clients, instance);
    if (client != NULL && !wd_user_same(client->user, user)) {
        return WD_EDENIED;
    }
    wd_clients_lost(clients, peer);  // another instance may have spoken on this connection
    if (client == NULL) {
        client = wd_alloc_zero(1, sizeof *client);
        if (client == NULL) {
            return WD_ENOMEM;
        }
        size_t at = place(clients);
        if (at == WD_CLIENTS_MAX) {
            wd_free(client, sizeof *client);
            return WD_ELIMIT;
        }
        memcpy(client->instance, instance, sizeof client->instance);
        client->bytes_of_all = &clients->bytes;
        client->requests_max = clients->requests_max == 0 ? WD_CLIENT_ANSWERS_MAX : clients->requests_max;
        client->user = user;
        clients->list[at] = client;
    }
    client->peer = *peer;
    client->connected = true;
    client->heard_ms = now_ms;
    *ret_client = client;
    return WD_OK;
}

void wd_clients_lost(wd_clients *clients, const wd_peer_id *peer)
{
    for (size_t i = 0; i < clients->count; i++) {
        wd_client *client = clients->list[i];
        if (client->connected && broker_peer_id_equal(&client->peer, peer)) {
            client->connected = false;
        }
    }
}

static wd_client_answer *find_answer(wd_client *client, uint64_t request_id)
{
    for (size_t i = client->count; i-- > 0;) {  // repeats are of the newest
        if (client->answers[i].request_id == request_id) {
            return &client->answers[i];
        }
    }
    return NULL;
}

wd_client_begin wd_client_begin_request(
    wd_client *client, uint64_t request_id, const wd_client_answer **ret_answer)
{
    // Ids mostly grow: one above all that were seen need not be looked for.
    wd_client_answer *known = request_id > client->newest ? NULL : find_answer(client, request_id);
    if (known != NULL) {
        *ret_answer = known;
        return known->open ? WD_CLIENT_OPEN : WD_CLIENT_ANSWERED;
    }
    if (request_id <= client->forgotten) {
        return WD_CLIENT_OUTDATED;
    }
    if (client->open_count >= client->requests_max ||
        (client->count == WD_CLIENT_ANSWERS_MAX && !forget_oldest(client))) {
        return WD_CLIENT_FULL;
    }
    if (reserve_answer(client) != WD_OK) {
        return WD_CLIENT_NO_MEMORY;
    }
    client->answers[client->count++] = (wd_client_answer){ .request_id = request_id, .open = true };
    client->newest = request_id > client->newest ? request_id : client->newest;
    client->open_count += 1;
    return WD_CLIENT_NEW;
}

void wd_client_finish_request(
    wd_client *client, uint64_t request_id, uint16_t kind, const uint8_t *body, size_t body_length)
{
    wd_client_answer *answer = find_answer(client, request_id);
    if (answer == NULL || !answer->open) {
        return;
    }
    uint8_t *copy = NULL;
    bool fits = body_length <= WD_CLIENT_ANSWER_BYTES_MAX;
    if (fits && body_length > 0) {
        copy = wd_alloc(body_length);
    }
    if (!fits || (body_length > 0 && copy == NULL)) {
        forget(client, (size_t)(answer - client->answers));
        return;
    }
    if (body_length > 0) {
        memcpy(copy, body, body_length);
    }
    answer->open = false;
    client->open_count -= 1;
    answer->kind = kind;
    answer->body = copy;
    answer->body_length = body_length;
    client->bytes += body_length;
    *client->bytes_of_all += body_length;
    while (client->bytes > WD_CLIENT_ANSWER_BYTES_MAX && forget_oldest(client)) {
    }
}

void wd_client_forget_answers(wd_client *client)
{
    while (forget_oldest(client)) {
    }
    if (client->count == 0) {
        free_answers(client);
    }
}

void wd_clients_hold_bound(wd_clients *clients)
{
    while (clients->bytes > WD_CLIENTS_ANSWER_BYTES_MAX) {
        wd_client *silent = NULL;
        for (size_t i = 0; i < clients->count; i++) {
            wd_client *client = clients->list[i];
            if (client->bytes > 0 && (silent == NULL || client->heard_ms < silent->heard_ms)) {
                silent = client;
            }
        }
        wd_client_forget_answers(silent);
    }
}
