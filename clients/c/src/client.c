#include "worldd/client.h"

#include "connection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    IDLE_MS = 1000,  // after so long a silence a Ping asks whether it is still the same worldd
    TASK_MAX = 256,
};

struct wd_client {
    wd_connection connection;
    int connect_ms;
    uint64_t request_last;
};

static int send_control(wd_client *client, const char *verb, const char *args_json, int timeout_ms,
    uint64_t request_id, wd_client_error *error)
{
    Worldd__V1__Control control;
    worldd__v1__control__init(&control);
    // protobuf-c packs what is lent to it and changes nothing, but its fields are not const.
    union {
        const char *text;
        char *field;
    } lent_verb = { verb }, lent_args = { args_json };
    control.request_id = request_id;
    control.verb = lent_verb.field;
    control.args_json = (ProtobufCBinaryData){ strlen(args_json), (uint8_t *)lent_args.field };
    control.deadline_ms = timeout_ms < 0 ? 0 : (uint32_t)(timeout_ms > 0 ? timeout_ms : 1);
    return wd_connection_send(&client->connection, WD_MSG_CONTROL, &control.base, error);
}

// ---- the connection ---------------------------------------------------------------------------------------------

/// Wait for one message. @retval WD_CLIENT_ETIMEOUT, WD_CLIENT_EPROTO.
static int receive(wd_client *client, int64_t wait_ms, wd_incoming *ret_message, wd_client_error *error)
{
    zmq_pollitem_t item = { .socket = client->connection.socket, .events = ZMQ_POLLIN };
    zmq_poll(&item, 1, wait_ms > 0 ? (long)wait_ms : 0);
    return wd_connection_receive(&client->connection, ret_message, error);
}

/// Wait until worldd shows that it knows us: a Welcome, or anything else but WHO_ARE_YOU.
static int be_known(wd_client *client, wd_client_error *error)
{
    int64_t end_ms = wd_connection_clock_ms() + client->connect_ms;
    for (;;) {
        wd_incoming answer;
        int status = receive(client, end_ms - wd_connection_clock_ms(), &answer, error);
        if (status != WD_CLIENT_OK) {
            return status;
        }
        bool known = false;
        if (answer.kind == WD_MSG_WELCOME) {
            status = wd_connection_take_welcome(&client->connection, &answer, error);
            known = true;
        } else if (answer.kind == WD_MSG_REJECT) {
            status = wd_connection_take_reject(&answer, error);
        } else if (answer.kind == WD_MSG_WHO_ARE_YOU) {
            status = wd_connection_send_hello(
                &client->connection, error);  // it was restarted; nothing of ours is open
        } else if (answer.kind == WD_MSG_GOODBYE) {
            status = wd_connection_fail(error, WD_CLIENT_EPEERLOST, "worldd was stopped");
        } else {
            known = answer.kind == WD_MSG_PONG;  // else a late answer to a request given up
        }
        zmq_msg_close(&answer.body);
        if (known || status != WD_CLIENT_OK) {
            return status;
        }
    }
}

/// A connection to a worldd that knows us, a new one when the old one is dead.
static int be_connected(wd_client *client, wd_client_error *error)
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

int wd_client_connect(
    const char *endpoint, const char *name, int timeout_ms, wd_client **ret_client, wd_client_error *error)
{
    wd_client *client = calloc(1, sizeof *client);
    if (client == NULL) {
        return wd_connection_fail(error, WD_CLIENT_ENOMEM, "out of memory");
    }
    client->connect_ms = timeout_ms > 0 ? timeout_ms : 1;
    int status = wd_connection_init(
        &client->connection, "client", name, endpoint, "WORLDD_CONTROL", "control.sock", error);
    if (client->connect_ms < client->connection.send_ms) {
        client->connection.send_ms = client->connect_ms;
    }
    status = status == WD_CLIENT_OK ? be_connected(client, error) : status;
    if (status != WD_CLIENT_OK) {
        wd_client_close(&client);
        return status;
    }
    *ret_client = client;
    return WD_CLIENT_OK;
}

void wd_client_close(wd_client **client_p)
{
    wd_client *client = *client_p;
    if (client == NULL) {
        return;
    }
    if (client->connection.socket != NULL) {
        wd_connection_send_goodbye(&client->connection, "done");
    }
    wd_connection_done(&client->connection);
    free(client);
    *client_p = NULL;
}

// ---- requests ---------------------------------------------------------------------------------------------------

/// Bytes of JSON as a text of its own. @retval WD_CLIENT_ENOMEM.
static int copy_json(const ProtobufCBinaryData *json, char **ret_text, wd_client_error *error)
{
    char *text = malloc(json->len + 1);
    if (text == NULL) {
        return wd_connection_fail(error, WD_CLIENT_ENOMEM, "out of memory");
    }
    memcpy(text, json->data, json->len);
    text[json->len] = '\0';
    *ret_text = text;
    return WD_CLIENT_OK;
}

typedef struct request {
    uint64_t id;
    wd_client_progress *progress;
    void *context;
    char *answer;  // the Reply's JSON
    bool done;
} request;

static int take_progress(request *asked, wd_incoming *news, wd_client_error *error)
{
    Worldd__V1__Progress *progress =
        worldd__v1__progress__unpack(NULL, zmq_msg_size(&news->body), zmq_msg_data(&news->body));
    char *event = NULL;
    int status = WD_CLIENT_OK;
    if (progress != NULL && progress->request_id == asked->id && asked->progress != NULL) {
        status = copy_json(&progress->event_json, &event, error);
    }
    if (event != NULL) {
        asked->progress(asked->context, event);
    }
    free(event);
    worldd__v1__progress__free_unpacked(progress, NULL);
    return status;
}

static int take_reply(request *asked, wd_incoming *news, wd_client_error *error)
{
    Worldd__V1__Reply *reply =
        worldd__v1__reply__unpack(NULL, zmq_msg_size(&news->body), zmq_msg_data(&news->body));
    int status = WD_CLIENT_OK;
    if (reply != NULL && reply->request_id == asked->id) {
        status = copy_json(&reply->result_json, &asked->answer, error);
        asked->done = true;
    }
    worldd__v1__reply__free_unpacked(reply, NULL);
    return status;
}

static int take_error(request *asked, wd_incoming *news, wd_client_error *error)
{
    Worldd__V1__Error *told =
        worldd__v1__error__unpack(NULL, zmq_msg_size(&news->body), zmq_msg_data(&news->body));
    int status = WD_CLIENT_OK;
    if (told != NULL && (told->request_id == asked->id || told->request_id == 0)) {
        int number = told->code == 0 ? WD_CLIENT_EPROTO : (int)told->code;
        status = wd_connection_fail(error, number, "%s", told->text);
    }
    worldd__v1__error__free_unpacked(told, NULL);
    return status;
}

/// One message while a request is open. Anything but WD_CLIENT_OK ends it.
static int take_news(wd_client *client, request *asked, wd_incoming *news, wd_client_error *error)
{
    switch (news->kind) {
    case WD_MSG_PROGRESS:
        return take_progress(asked, news, error);
    case WD_MSG_REPLY:
        return take_reply(asked, news, error);
    case WD_MSG_ERROR:
        return take_error(asked, news, error);
    case WD_MSG_PING:
        return wd_connection_take_ping(&client->connection, news, error);
    case WD_MSG_WHO_ARE_YOU:
    case WD_MSG_GOODBYE:
    case WD_MSG_REJECT:
        return wd_connection_fail(
            error, WD_CLIENT_EPEERLOST, "worldd was stopped or restarted; the request is lost");
    default:
        return WD_CLIENT_OK;  // a Pong: its coming is all there is to it
    }
}

/// Wait for the answer, asking with Pings whether worldd is still there.
static int wait_for_answer(wd_client *client, request *asked, int timeout_ms, wd_client_error *error)
{
    int64_t now_ms = wd_connection_clock_ms(), end_ms = timeout_ms < 0 ? INT64_MAX : now_ms + timeout_ms;
    int64_t beat_ms = now_ms + client->connection.heartbeat_ms;
    client->connection.heard_ms = now_ms;
    int status = WD_CLIENT_OK;
    while (status == WD_CLIENT_OK && !asked->done) {
        now_ms = wd_connection_clock_ms();
        if (now_ms >= end_ms) {
            return wd_connection_fail(error, WD_CLIENT_ETIMEOUT, "worldd did not answer in time");
        }
        if (now_ms - client->connection.heard_ms >= client->connection.silence_ms) {
            return wd_connection_fail(error, WD_CLIENT_EPEERLOST,
                "worldd is gone: no sign of life for %lld ms", (long long)client->connection.silence_ms);
        }
        if (now_ms >= beat_ms) {
            status = wd_connection_send_ping(&client->connection, error);
            beat_ms = now_ms + client->connection.heartbeat_ms;
        }
        wd_incoming news;
        int received = receive(client, (beat_ms < end_ms ? beat_ms : end_ms) - now_ms, &news, error);
        if (received == WD_CLIENT_OK) {
            status = status == WD_CLIENT_OK ? take_news(client, asked, &news, error) : status;
            zmq_msg_close(&news.body);
        } else if (received != WD_CLIENT_ETIMEOUT) {
            status = received;
        }
    }
    return status;
}

int wd_client_request(wd_client *client, const char *verb, const char *args_json, int timeout_ms,
    wd_client_progress *progress, void *context, char **ret_json, wd_client_error *error)
{
    const char *args = args_json == NULL ? "{}" : args_json;
    if (strlen(args) > WD_CLIENT_ARGS_MAX) {
        return wd_connection_fail(error, WD_CLIENT_EINVAL, "args: longer than %d bytes", WD_CLIENT_ARGS_MAX);
    }
    int status = be_connected(client, error);
    if (status != WD_CLIENT_OK) {
        return status;
    }
    request asked = { .id = ++client->request_last, .progress = progress, .context = context };
    status = send_control(client, verb, args, timeout_ms, asked.id, error);
    status = status == WD_CLIENT_OK ? wait_for_answer(client, &asked, timeout_ms, error) : status;
    if (status == WD_CLIENT_EPEERLOST || status == WD_CLIENT_EPROTO) {
        wd_connection_drop(&client->connection);
    }
    if (status == WD_CLIENT_OK && ret_json != NULL) {
        *ret_json = asked.answer;
        return WD_CLIENT_OK;
    }
    free(asked.answer);
    return status;
}

/// A text as a JSON string. @return false: longer than `size`.
static bool quote(const char *text, char *ret_quoted, size_t size)
{
    size_t at = 0;
    ret_quoted[at++] = '"';
    for (const char *c = text; *c != '\0'; c++) {
        if (at + 8 > size) {
            return false;
        }
        if (*c == '"' || *c == '\\' || (unsigned char)*c < ' ') {
            at += (size_t)snprintf(ret_quoted + at, size - at, "\\u%04x", (unsigned)(unsigned char)*c);
        } else {
            ret_quoted[at++] = *c;
        }
    }
    memcpy(ret_quoted + at, "\"", 2);
    return true;
}

int wd_client_run(wd_client *client, const char *task, const char *planner, int timeout_ms,
    wd_client_progress *progress, void *context, char **ret_json, wd_client_error *error)
{
    char quoted_task[TASK_MAX], quoted_planner[TASK_MAX], args[2 * TASK_MAX + 32];
    if (!quote(task, quoted_task, sizeof quoted_task) ||
        (planner != NULL && !quote(planner, quoted_planner, sizeof quoted_planner))) {
        return wd_connection_fail(error, WD_CLIENT_EINVAL, "task, planner: longer than %d bytes", TASK_MAX);
    }
    if (planner == NULL) {
        snprintf(args, sizeof args, "{\"task\":%s}", quoted_task);
    } else {
        snprintf(args, sizeof args, "{\"task\":%s,\"planner\":%s}", quoted_task, quoted_planner);
    }
    return wd_client_request(client, "run", args, timeout_ms, progress, context, ret_json, error);
}
