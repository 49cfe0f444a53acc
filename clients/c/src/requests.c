#include "requests.h"

#include <stdlib.h>
#include <string.h>

enum {
    IDLE_MS = 1000,  // after so long a silence a Ping asks whether it is still the same worldd
    VARINT_BITS = 7,
};

/// The number of field 1, which every answer begins with: the request's id. 0: there is none.
static uint64_t request_id_of(zmq_msg_t *body)
{
    enum { FIELD_1_VARINT = 1 << 3, NUMBER_BITS = 64 };
    const uint8_t *bytes = zmq_msg_data(body);
    size_t size = zmq_msg_size(body);
    uint64_t number = 0;
    if (size == 0 || bytes[0] != FIELD_1_VARINT) {
        return 0;
    }
    for (size_t i = 1, shift = 0; i < size && shift < NUMBER_BITS; i++, shift += VARINT_BITS) {
        number |= (uint64_t)(bytes[i] & 0x7f) << shift;
        if ((bytes[i] & 0x80) == 0) {
            return number;
        }
    }
    return 0;
}

// ---- requests that are open -------------------------------------------------------------------------------------

wd_request *wd_requests_find(wd_client *client, uint64_t id)
{
    for (size_t i = 0; id != 0 && i < WD_CLIENT_INFLIGHT_MAX; i++) {
        if (client->open[i].id == id) {
            return &client->open[i];
        }
    }
    return NULL;
}

void wd_request_forget(wd_request *request)
{
    if (request->state == WD_REQUEST_ANSWERED) {
        zmq_msg_close(&request->answer.body);
    }
    free(request->body);
    *request = (wd_request){ 0 };
}

/// Worldd, as it was, is no more.
static void lose_all(wd_client *client)
{
    for (size_t i = 0; i < WD_CLIENT_INFLIGHT_MAX; i++) {
        wd_request *request = &client->open[i];
        if (request->id != 0 && request->state == WD_REQUEST_OPEN) {
            request->state = WD_REQUEST_LOST;
        }
    }
}

static int send_all_again(wd_client *client, wd_client_error *error)
{
    int status = WD_CLIENT_OK;
    for (size_t i = 0; status == WD_CLIENT_OK && i < WD_CLIENT_INFLIGHT_MAX; i++) {
        const wd_request *request = &client->open[i];
        if (request->id != 0 && request->state == WD_REQUEST_OPEN) {
            status = wd_connection_send_bytes(
                &client->connection, request->kind, request->body, request->size, error);
        }
    }
    return status;
}

// ---- what comes in ----------------------------------------------------------------------------------------------

/// Another boot id means that nobody knows what was open any more; the same one, that it is safe to ask again.
static int take_welcome(wd_client *client, wd_incoming *news, wd_client_error *error)
{
    wd_connection *connection = &client->connection;
    uint8_t before[sizeof connection->boot_id];
    static const uint8_t nobody[sizeof connection->boot_id];
    memcpy(before, connection->boot_id, sizeof before);
    int status = wd_connection_take_welcome(connection, news, error);
    if (status != WD_CLIENT_OK) {
        return status;
    }
    if (memcmp(before, nobody, sizeof before) != 0 &&
        memcmp(before, connection->boot_id, sizeof before) != 0) {
        lose_all(client);
    }
    client->beat_ms = connection->heard_ms + connection->heartbeat_ms;
    return send_all_again(client, error);
}

static int take_progress(wd_client *client, wd_incoming *news, wd_client_error *error)
{
    const wd_request *request = wd_requests_find(client, request_id_of(&news->body));
    if (request == NULL || request->progress == NULL) {
        return WD_CLIENT_OK;
    }
    Worldd__V1__Progress *progress =
        worldd__v1__progress__unpack(NULL, zmq_msg_size(&news->body), zmq_msg_data(&news->body));
    char *event =
        progress == NULL ? NULL : strndup((char *)progress->event_json.data, progress->event_json.len);
    if (event != NULL) {
        request->progress(request->context, event);
    }
    int status = progress != NULL && event == NULL
                     ? wd_connection_fail(error, WD_CLIENT_ENOMEM, "out of memory")
                     : WD_CLIENT_OK;
    free(event);
    worldd__v1__progress__free_unpacked(progress, NULL);
    return status;
}

/// An Error without an id is about a message that could not be read at all: whatever is open, it was one of ours.
static void take_answer(wd_client *client, wd_incoming *news)
{
    uint64_t id = request_id_of(&news->body);
    bool to_all = id == 0 && news->kind == WD_MSG_ERROR;
    for (size_t i = 0; i < WD_CLIENT_INFLIGHT_MAX; i++) {
        wd_request *request = &client->open[i];
        if (request->id != 0 && request->state == WD_REQUEST_OPEN && (request->id == id || to_all)) {
            request->state = WD_REQUEST_ANSWERED;
            request->answer.kind = news->kind;
            zmq_msg_init(&request->answer.body);
            zmq_msg_copy(&request->answer.body, &news->body);
        }
    }
}

/// @param[out] ret_known  Set when the message shows that worldd knows us. Anything but WD_CLIENT_OK ends the connection.
static int take(wd_client *client, wd_incoming *news, bool *ret_known, wd_client_error *error)
{
    switch (news->kind) {
    case WD_MSG_WELCOME:
        *ret_known = true;
        return take_welcome(client, news, error);
    case WD_MSG_PONG:
        *ret_known = true;
        return WD_CLIENT_OK;
    case WD_MSG_PING:
        return wd_connection_take_ping(&client->connection, news, error);
    case WD_MSG_REPLY:
    case WD_MSG_ENV_BATCH_REPLY:
    case WD_MSG_ERROR:
        take_answer(client, news);
        return WD_CLIENT_OK;
    case WD_MSG_PROGRESS:
        return take_progress(client, news, error);
    case WD_MSG_WHO_ARE_YOU:
        return wd_connection_send_hello(&client->connection, error);
    case WD_MSG_REJECT:
        return wd_connection_take_reject(news, error);
    case WD_MSG_GOODBYE:
        lose_all(client);
        return wd_connection_fail(error, WD_CLIENT_EPEERLOST, "worldd was stopped");
    default:
        return WD_CLIENT_OK;
    }
}

static int receive_and_take(wd_client *client, int64_t wait_ms, bool *ret_known, wd_client_error *error)
{
    zmq_pollitem_t item = { .socket = client->connection.socket, .events = ZMQ_POLLIN };
    wd_incoming news;
    zmq_poll(&item, 1, wait_ms > 0 ? (long)wait_ms : 0);
    int status = wd_connection_receive(&client->connection, &news, error);
    if (status == WD_CLIENT_OK) {
        status = take(client, &news, ret_known, error);
        zmq_msg_close(&news.body);
    }
    return status;
}

// ---- the connection ---------------------------------------------------------------------------------------------

/// Wait until worldd shows that it knows us.
static int be_known(wd_client *client, wd_client_error *error)
{
    int64_t end_ms = wd_connection_clock_ms() + client->connect_ms;
    bool known = false;
    int status = WD_CLIENT_OK;
    while (status == WD_CLIENT_OK && !known) {
        status = receive_and_take(client, end_ms - wd_connection_clock_ms(), &known, error);
    }
    return status;
}

int wd_requests_connect(wd_client *client, wd_client_error *error)
{
    if (client->connection.socket != NULL) {
        if (wd_connection_clock_ms() - client->connection.heard_ms < IDLE_MS ||
            (wd_connection_send_ping(&client->connection, NULL) == WD_CLIENT_OK &&
                be_known(client, NULL) == WD_CLIENT_OK)) {
            return WD_CLIENT_OK;
        }
        wd_connection_drop(&client->connection);
    }
    int status = wd_connection_open(&client->connection, error);
    status = status == WD_CLIENT_OK ? wd_connection_send_hello(&client->connection, error) : status;
    if (status == WD_CLIENT_EPEERLOST) {
        status =
            wd_connection_fail(error, WD_CLIENT_ETIMEOUT, "%s: nobody is there", client->connection.endpoint);
    }
    status = status == WD_CLIENT_OK ? be_known(client, error) : status;
    if (status == WD_CLIENT_ETIMEOUT) {
        wd_connection_fail(
            error, status, "%s: no welcome: not there, or not authorised", client->connection.endpoint);
    }
    if (status != WD_CLIENT_OK) {
        wd_connection_drop(&client->connection);
    }
    return status;
}

// ---- asking -----------------------------------------------------------------------------------------------------

int wd_requests_send(wd_client *client, wd_kind_number kind, uint64_t id, uint8_t **body_p, size_t size,
    int timeout_ms, wd_request **ret_request, wd_client_error *error)
{
    uint8_t *body = *body_p;
    *body_p = NULL;
    wd_request *request = NULL;
    for (size_t i = 0; request == NULL && i < WD_CLIENT_INFLIGHT_MAX; i++) {
        request = client->open[i].id == 0 ? &client->open[i] : NULL;
    }
    int status = request == NULL ? wd_connection_fail(error, WD_CLIENT_EBUSY,
                                       "%d requests are in flight; receive one", WD_CLIENT_INFLIGHT_MAX)
                                 : WD_CLIENT_OK;
    status = status == WD_CLIENT_OK ? wd_requests_connect(client, error) : status;
    if (status == WD_CLIENT_OK && size > client->connection.frame_max) {
        status = wd_connection_fail(error, WD_CLIENT_ELIMIT,
            "the request has %zu bytes, one message of worldd's takes %zu", size,
            client->connection.frame_max);
    }
    status = status == WD_CLIENT_OK ? wd_connection_send_bytes(&client->connection, kind, body, size, error)
                                    : status;
    if (status != WD_CLIENT_OK) {
        if (status == WD_CLIENT_EPEERLOST) {
            wd_connection_drop(&client->connection);
        }
        free(body);
        return status;
    }
    client->connection.heard_ms = wd_connection_clock_ms();  // its silence counts from here
    int64_t end_ms = timeout_ms < 0 ? INT64_MAX : client->connection.heard_ms + timeout_ms;
    *request = (wd_request){ .id = id, .kind = kind, .body = body, .size = size, .end_ms = end_ms };
    client->beat_ms = client->connection.heard_ms + client->connection.heartbeat_ms;
    *ret_request = request;
    return WD_CLIENT_OK;
}

/// The connection is dead: a new one, on which all that is open is asked again. Where there is none, all is lost.
static void reconnect(wd_client *client)
{
    bool open = false;
    for (size_t i = 0; i < WD_CLIENT_INFLIGHT_MAX; i++) {
        open |= client->open[i].id != 0 && client->open[i].state == WD_REQUEST_OPEN;
    }
    wd_connection_drop(&client->connection);
    if (open && wd_requests_connect(client, NULL) != WD_CLIENT_OK) {
        lose_all(client);
    }
}

/// The request that is over: the wanted one, or the first of any. NULL: none.
static wd_request *find_over(wd_client *client, wd_request *wanted, int64_t now_ms)
{
    if (wanted != NULL) {
        return wanted->state != WD_REQUEST_OPEN || now_ms >= wanted->end_ms ? wanted : NULL;
    }
    wd_request *oldest = NULL;
    for (size_t i = 0; i < WD_CLIENT_INFLIGHT_MAX; i++) {
        wd_request *request = &client->open[i];
        bool over = request->id != 0 && (request->state != WD_REQUEST_OPEN || now_ms >= request->end_ms);
        if (over && (oldest == NULL || request->id < oldest->id)) {
            oldest = request;
        }
    }
    return oldest;
}

/// When to look again at the latest.
static int64_t wake_ms(const wd_client *client, const wd_request *wanted)
{
    int64_t wake = client->beat_ms;
    for (size_t i = 0; i < WD_CLIENT_INFLIGHT_MAX; i++) {
        const wd_request *request = &client->open[i];
        bool counts = request->id != 0 && (wanted == NULL || request == wanted);
        wake = counts && request->end_ms < wake ? request->end_ms : wake;
    }
    return wake;
}

int wd_requests_wait(wd_client *client, wd_request *wanted, wd_request **ret_over, wd_client_error *error)
{
    wd_request *over = NULL;
    int64_t now_ms = 0;
    while (now_ms = wd_connection_clock_ms(), over = find_over(client, wanted, now_ms), over == NULL) {
        bool known = false;
        int status = client->connection.socket == NULL ||
                             now_ms - client->connection.heard_ms >= client->connection.silence_ms
                         ? WD_CLIENT_EPEERLOST
                         : WD_CLIENT_OK;
        if (status == WD_CLIENT_OK && now_ms >= client->beat_ms) {
            status = wd_connection_send_ping(&client->connection, NULL);
            client->beat_ms = now_ms + client->connection.heartbeat_ms;
        }
        if (status == WD_CLIENT_OK) {
            status = receive_and_take(client, wake_ms(client, wanted) - now_ms, &known, NULL);
        }
        if (status != WD_CLIENT_OK && status != WD_CLIENT_ETIMEOUT) {
            reconnect(client);
        }
    }
    *ret_over = over;
    switch (over->state) {
    case WD_REQUEST_ANSWERED:
        return WD_CLIENT_OK;
    case WD_REQUEST_LOST:
        return wd_connection_fail(
            error, WD_CLIENT_EPEERLOST, "worldd is gone or was restarted; the request is lost");
    default:
        return wd_connection_fail(error, WD_CLIENT_ETIMEOUT, "worldd did not answer in time");
    }
}

int wd_request_refusal(wd_request *answered, wd_client_error *error)
{
    if (answered->answer.kind != WD_MSG_ERROR) {
        return WD_CLIENT_OK;
    }
    zmq_msg_t *body = &answered->answer.body;
    Worldd__V1__Error *told = worldd__v1__error__unpack(NULL, zmq_msg_size(body), zmq_msg_data(body));
    int number = told == NULL || told->code == 0 ? WD_CLIENT_EPROTO : (int)told->code;
    wd_connection_fail(error, number, "%s", told == NULL ? "an Error that cannot be read" : told->text);
    worldd__v1__error__free_unpacked(told, NULL);
    return number;
}
