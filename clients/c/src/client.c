#include "requests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TASK_MAX = 256 };

int wd_client_connect(
    const char *endpoint, const char *name, int timeout_ms, wd_client **ret_client, wd_client_error *error)
{
    return wd_client_connect_with_keys(endpoint, name, timeout_ms, NULL, ret_client, error);
}

int wd_client_connect_with_keys(const char *endpoint, const char *name, int timeout_ms,
    const wd_client_keys *keys, wd_client **ret_client, wd_client_error *error)
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
    status = status == WD_CLIENT_OK ? wd_connection_use_keys(&client->connection, keys, error) : status;
    status = status == WD_CLIENT_OK ? wd_requests_connect(client, error) : status;
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
    for (size_t i = 0; i < WD_CLIENT_INFLIGHT_MAX; i++) {
        if (client->open[i].id != 0) {
            wd_request_forget(&client->open[i]);
        }
    }
    if (client->connection.socket != NULL) {
        wd_connection_send_goodbye(&client->connection, "done");
    }
    wd_connection_done(&client->connection);
    free(client);
    *client_p = NULL;
}

// ---- requests ---------------------------------------------------------------------------------------------------

/// @retval WD_CLIENT_ENOMEM.
static int pack_control(uint64_t id, const char *verb, const char *args_json, int timeout_ms,
    uint8_t **ret_body, size_t *ret_size, wd_client_error *error)
{
    Worldd__V1__Control control;
    worldd__v1__control__init(&control);
    // protobuf-c packs what is lent to it and changes nothing, but its fields are not const.
    union {
        const char *text;
        char *field;
    } lent_verb = { verb }, lent_args = { args_json };
    control.request_id = id;
    control.verb = lent_verb.field;
    control.args_json = (ProtobufCBinaryData){ strlen(args_json), (uint8_t *)lent_args.field };
    control.deadline_ms = timeout_ms < 0 ? 0 : (uint32_t)(timeout_ms > 0 ? timeout_ms : 1);
    *ret_size = worldd__v1__control__get_packed_size(&control);
    *ret_body = malloc(*ret_size + 1);
    if (*ret_body == NULL) {
        return wd_connection_fail(error, WD_CLIENT_ENOMEM, "out of memory");
    }
    worldd__v1__control__pack(&control, *ret_body);
    return WD_CLIENT_OK;
}

/// The answer's JSON as a text of its own; nothing when it is not wanted.
static int read_reply(wd_request *answered, char **ret_json, wd_client_error *error)
{
    int status = wd_request_refusal(answered, error);
    if (status != WD_CLIENT_OK || ret_json == NULL) {
        return status;
    }
    Worldd__V1__Reply *reply = answered->answer.kind != WD_MSG_REPLY
                                   ? NULL
                                   : worldd__v1__reply__unpack(NULL, zmq_msg_size(&answered->answer.body),
                                         zmq_msg_data(&answered->answer.body));
    char *text = reply == NULL ? NULL : malloc(reply->result_json.len + 1);
    if (text != NULL) {
        memcpy(text, reply->result_json.data, reply->result_json.len);
        text[reply->result_json.len] = '\0';
        *ret_json = text;
    } else {
        status = reply == NULL ? wd_connection_fail(error, WD_CLIENT_EPROTO, "the answer cannot be read")
                               : wd_connection_fail(error, WD_CLIENT_ENOMEM, "out of memory");
    }
    worldd__v1__reply__free_unpacked(reply, NULL);
    return status;
}

int wd_client_request(wd_client *client, const char *verb, const char *args_json, int timeout_ms,
    wd_client_progress *progress, void *context, char **ret_json, wd_client_error *error)
{
    const char *args = args_json == NULL ? "{}" : args_json;
    if (strlen(args) > WD_CLIENT_ARGS_MAX) {
        return wd_connection_fail(error, WD_CLIENT_EINVAL, "args: longer than %d bytes", WD_CLIENT_ARGS_MAX);
    }
    uint8_t *body = NULL;
    size_t size = 0;
    wd_request *asked = NULL, *over = NULL;
    uint64_t id = ++client->request_last;
    int status = pack_control(id, verb, args, timeout_ms, &body, &size, error);
    status = status == WD_CLIENT_OK
                 ? wd_requests_send(client, WD_MSG_CONTROL, id, &body, size, timeout_ms, &asked, error)
                 : status;
    if (status != WD_CLIENT_OK) {
        return status;
    }
    asked->progress = progress;
    asked->context = context;
    status = wd_requests_wait(client, asked, &over, error);
    status = status == WD_CLIENT_OK ? read_reply(asked, ret_json, error) : status;
    wd_request_forget(asked);
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
