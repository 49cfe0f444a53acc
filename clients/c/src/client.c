#include "worldd/client.h"

#include "proto/frame.h"
#include "proto/worldd.pb-c.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <zmq.h>

enum {
    IDLE_MS = 1000,  // after so long a silence a Ping asks whether it is still the same worldd
    SEND_MS = 2000,  // a message that nobody takes for so long: worldd is gone
    CLIENT_FRAME_MAX = 2 * WD_FRAME_SIZE_MAX,
    CLIENT_NAME_MAX = 64,
    ENDPOINT_MAX = 512,
    TASK_MAX = 256,
};

struct wd_client {
    void *zmq, *socket;  // the socket is NULL while there is no connection
    char endpoint[ENDPOINT_MAX], name[CLIENT_NAME_MAX + 1];
    uint8_t instance[16];  // the same for life: it scopes the request ids
    int connect_ms;
    int64_t heartbeat_ms, silence_ms, heard_ms;
    uint64_t request_last, beats;
};

/// One incoming message.
typedef struct message {
    uint16_t kind;
    zmq_msg_t body;
} message;

static int fail(wd_client_error *error, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static int fail(wd_client_error *error, int status, const char *format, ...)
{
    if (error != NULL) {
        va_list args;
        va_start(args, format);
        error->status = status;
        vsnprintf(error->text, sizeof error->text, format, args);
        va_end(args);
    }
    return status;
}

static int64_t clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// ---- frames -----------------------------------------------------------------------------------------------------

/// Pack and send a message. @retval WD_CLIENT_EPEERLOST  nobody takes it.
static int send_message(
    wd_client *client, wd_kind_number kind, const ProtobufCMessage *body, wd_client_error *error)
{
    uint8_t header[WD_FRAME_HEADER_SIZE];
    size_t size = protobuf_c_message_get_packed_size(body);
    uint8_t *bytes = malloc(size + 1);
    if (bytes == NULL) {
        return fail(error, WD_CLIENT_ENOMEM, "out of memory");
    }
    protobuf_c_message_pack(body, bytes);
    wd_frame_write((uint16_t)kind, header);
    bool sent = zmq_send(client->socket, header, sizeof header, ZMQ_SNDMORE) >= 0 &&
                zmq_send(client->socket, bytes, size, 0) >= 0;
    free(bytes);
    return sent ? WD_CLIENT_OK
                : fail(error, WD_CLIENT_EPEERLOST, "worldd cannot be reached: %s", zmq_strerror(zmq_errno()));
}

/// Wait for one message. @retval WD_CLIENT_ETIMEOUT, WD_CLIENT_EPROTO.
static int receive(wd_client *client, int64_t wait_ms, message *ret_message, wd_client_error *error)
{
    zmq_pollitem_t item = { .socket = client->socket, .events = ZMQ_POLLIN };
    if (zmq_poll(&item, 1, wait_ms > 0 ? (long)wait_ms : 0) <= 0) {
        return fail(error, WD_CLIENT_ETIMEOUT, "worldd did not answer in time");
    }
    zmq_msg_t
        frames[3];  // header, body, and whatever more there may be: no message of this version has blobs
    size_t count = 0;
    bool more = true;
    for (size_t i = 0; i < 3; i++) {
        zmq_msg_init(&frames[i]);
    }
    while (more && zmq_msg_recv(&frames[count < 2 ? count : 2], client->socket, ZMQ_DONTWAIT) >= 0) {
        more = zmq_msg_more(&frames[count < 2 ? count : 2]) != 0;
        count++;
    }
    bool whole = count == 2 && wd_frame_read(zmq_msg_data(&frames[0]), zmq_msg_size(&frames[0]),
                                   &ret_message->kind) == WD_FRAME_OK;
    if (whole) {
        zmq_msg_init(&ret_message->body);
        zmq_msg_move(&ret_message->body, &frames[1]);
        client->heard_ms = clock_ms();
    }
    for (size_t i = 0; i < 3; i++) {
        zmq_msg_close(&frames[i]);
    }
    return whole ? WD_CLIENT_OK
                 : fail(error, WD_CLIENT_EPROTO, "what answers is no worldd of this client's version");
}

static int send_hello(wd_client *client, wd_client_error *error)
{
    Worldd__V1__Hello hello;
    worldd__v1__hello__init(&hello);
    hello.min_major = hello.max_major = WD_PROTO_MAJOR;
    hello.max_minor = WD_PROTO_MINOR;
    hello.role = (char[]){ "client" };
    hello.name = client->name;
    hello.instance = (ProtobufCBinaryData){ sizeof client->instance, client->instance };
    hello.max_frame = CLIENT_FRAME_MAX;
    return send_message(client, WD_MSG_HELLO, &hello.base, error);
}

static int send_ping(wd_client *client, wd_kind_number kind, uint64_t sequence, wd_client_error *error)
{
    Worldd__V1__Ping ping;
    worldd__v1__ping__init(&ping);
    ping.sequence = sequence;
    return send_message(client, kind, &ping.base, error);
}

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
    return send_message(client, WD_MSG_CONTROL, &control.base, error);
}

// ---- the connection ---------------------------------------------------------------------------------------------

static void drop(wd_client *client)
{
    if (client->socket != NULL) {
        zmq_close(client->socket);
        client->socket = NULL;
    }
}

static int open_socket(wd_client *client, wd_client_error *error)
{
    const struct {
        int option, value;
    } options[] = { { ZMQ_LINGER, 200 }, { ZMQ_SNDHWM, 64 }, { ZMQ_RCVHWM, 64 }, { ZMQ_IMMEDIATE, 1 },
        { ZMQ_SNDTIMEO, client->connect_ms < SEND_MS ? client->connect_ms : SEND_MS },
        { ZMQ_HEARTBEAT_IVL, 2000 }, { ZMQ_HEARTBEAT_TIMEOUT, 6000 }, { ZMQ_HEARTBEAT_TTL, 6000 } };
    int64_t frame_max = CLIENT_FRAME_MAX;
    client->socket = zmq_socket(client->zmq, ZMQ_DEALER);  // no routing id: worldd names its peers
    bool set = client->socket != NULL &&
               zmq_setsockopt(client->socket, ZMQ_MAXMSGSIZE, &frame_max, sizeof frame_max) == 0;
    for (size_t i = 0; set && i < sizeof options / sizeof options[0]; i++) {
        set = zmq_setsockopt(client->socket, options[i].option, &options[i].value, sizeof(int)) == 0;
    }
    return set && zmq_connect(client->socket, client->endpoint) == 0
               ? WD_CLIENT_OK
               : fail(error, WD_CLIENT_EINVAL, "%s: %s", client->endpoint, zmq_strerror(zmq_errno()));
}

static int take_welcome(wd_client *client, message *answer, wd_client_error *error)
{
    Worldd__V1__Welcome *welcome =
        worldd__v1__welcome__unpack(NULL, zmq_msg_size(&answer->body), zmq_msg_data(&answer->body));
    if (welcome == NULL || welcome->heartbeat_ms == 0) {
        worldd__v1__welcome__free_unpacked(welcome, NULL);
        return fail(error, WD_CLIENT_EPROTO, "what answers is no worldd: its Welcome is none");
    }
    client->heartbeat_ms = welcome->heartbeat_ms;
    client->silence_ms = client->heartbeat_ms * (welcome->liveness == 0 ? 1 : welcome->liveness);
    worldd__v1__welcome__free_unpacked(welcome, NULL);
    return WD_CLIENT_OK;
}

static int take_reject(message *answer, wd_client_error *error)
{
    Worldd__V1__Reject *reject =
        worldd__v1__reject__unpack(NULL, zmq_msg_size(&answer->body), zmq_msg_data(&answer->body));
    int status = fail(
        error, WD_CLIENT_EDENIED, "worldd turned us away: %s", reject == NULL ? "no reason" : reject->text);
    worldd__v1__reject__free_unpacked(reject, NULL);
    return status;
}

/// Wait until worldd shows that it knows us: a Welcome, or anything else but WHO_ARE_YOU.
static int be_known(wd_client *client, wd_client_error *error)
{
    int64_t end_ms = clock_ms() + client->connect_ms;
    for (;;) {
        message answer;
        int status = receive(client, end_ms - clock_ms(), &answer, error);
        if (status != WD_CLIENT_OK) {
            return status;
        }
        bool known = false;
        if (answer.kind == WD_MSG_WELCOME) {
            status = take_welcome(client, &answer, error);
            known = true;
        } else if (answer.kind == WD_MSG_REJECT) {
            status = take_reject(&answer, error);
        } else if (answer.kind == WD_MSG_WHO_ARE_YOU) {
            status = send_hello(client, error);  // it was restarted; nothing of ours is open
        } else if (answer.kind == WD_MSG_GOODBYE) {
            status = fail(error, WD_CLIENT_EPEERLOST, "worldd was stopped");
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
    if (client->socket != NULL) {
        if (clock_ms() - client->heard_ms < IDLE_MS ||
            (send_ping(client, WD_MSG_PING, ++client->beats, NULL) == WD_CLIENT_OK &&
                be_known(client, NULL) == WD_CLIENT_OK)) {
            return WD_CLIENT_OK;
        }
        drop(client);
    }
    int status = open_socket(client, error);
    status = status == WD_CLIENT_OK ? send_hello(client, error) : status;
    if (status == WD_CLIENT_EPEERLOST) {
        status = fail(error, WD_CLIENT_ETIMEOUT, "%s: nobody is there", client->endpoint);
    }
    status = status == WD_CLIENT_OK ? be_known(client, error) : status;
    if (status == WD_CLIENT_ETIMEOUT) {
        fail(error, status, "%s: no welcome: not there, or not authorised", client->endpoint);
    }
    if (status != WD_CLIENT_OK) {
        drop(client);
    }
    return status;
}

static int find_endpoint(const char *given, char ret_endpoint[ENDPOINT_MAX], wd_client_error *error)
{
    const char *endpoint = given != NULL ? given : getenv("WORLDD_CONTROL");
    const char *directory = getenv("WORLDD_DAEMON_DIRECTORY");
    int length = 0;
    if (endpoint != NULL) {
        length = snprintf(ret_endpoint, ENDPOINT_MAX, "%s", endpoint);
    } else if (directory != NULL) {
        length = snprintf(ret_endpoint, ENDPOINT_MAX, "ipc://%s/control.sock", directory);
    } else {
        return fail(error, WD_CLIENT_ENOENT,
            "no endpoint was given, and neither WORLDD_CONTROL nor WORLDD_DAEMON_DIRECTORY is set");
    }
    return length < ENDPOINT_MAX
               ? WD_CLIENT_OK
               : fail(error, WD_CLIENT_EINVAL, "endpoint: longer than %d bytes", ENDPOINT_MAX);
}

int wd_client_connect(
    const char *endpoint, const char *name, int timeout_ms, wd_client **ret_client, wd_client_error *error)
{
    if (name == NULL || name[0] == '\0' || strlen(name) > CLIENT_NAME_MAX) {
        return fail(error, WD_CLIENT_EINVAL, "name: must be 1 to %d of [A-Za-z0-9._-]", CLIENT_NAME_MAX);
    }
    wd_client *client = calloc(1, sizeof *client);
    if (client == NULL) {
        return fail(error, WD_CLIENT_ENOMEM, "out of memory");
    }
    client->connect_ms = timeout_ms > 0 ? timeout_ms : 1;
    strcpy(client->name, name);
    int status = find_endpoint(endpoint, client->endpoint, error);
    client->zmq = zmq_ctx_new();
    if (status == WD_CLIENT_OK && (client->zmq == NULL || getrandom(client->instance, sizeof client->instance,
                                                              0) != (ssize_t)sizeof client->instance)) {
        status = fail(error, WD_CLIENT_ENOMEM, "no ZeroMQ context: %s", strerror(errno));
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
    if (client->socket != NULL) {
        Worldd__V1__Goodbye goodbye;
        worldd__v1__goodbye__init(&goodbye);
        goodbye.reason = (char[]){ "done" };
        int now_ms = 0;  // a daemon that takes nothing finds out by itself
        zmq_setsockopt(client->socket, ZMQ_SNDTIMEO, &now_ms, sizeof now_ms);
        send_message(client, WD_MSG_GOODBYE, &goodbye.base, NULL);
    }
    drop(client);
    if (client->zmq != NULL) {
        zmq_ctx_term(client->zmq);
    }
    free(client);
    *client_p = NULL;
}

// ---- requests ---------------------------------------------------------------------------------------------------

/// Bytes of JSON as a text of its own. @retval WD_CLIENT_ENOMEM.
static int copy_json(const ProtobufCBinaryData *json, char **ret_text, wd_client_error *error)
{
    char *text = malloc(json->len + 1);
    if (text == NULL) {
        return fail(error, WD_CLIENT_ENOMEM, "out of memory");
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

static int take_progress(request *asked, message *news, wd_client_error *error)
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

static int take_reply(request *asked, message *news, wd_client_error *error)
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

static int take_error(request *asked, message *news, wd_client_error *error)
{
    Worldd__V1__Error *told =
        worldd__v1__error__unpack(NULL, zmq_msg_size(&news->body), zmq_msg_data(&news->body));
    int status = WD_CLIENT_OK;
    if (told != NULL && (told->request_id == asked->id || told->request_id == 0)) {
        int number = told->code == 0 ? WD_CLIENT_EPROTO : (int)told->code;
        status = fail(error, number, "%s", told->text);
    }
    worldd__v1__error__free_unpacked(told, NULL);
    return status;
}

/// One message while a request is open. Anything but WD_CLIENT_OK ends it.
static int take_news(wd_client *client, request *asked, message *news, wd_client_error *error)
{
    switch (news->kind) {
    case WD_MSG_PROGRESS:
        return take_progress(asked, news, error);
    case WD_MSG_REPLY:
        return take_reply(asked, news, error);
    case WD_MSG_ERROR:
        return take_error(asked, news, error);
    case WD_MSG_PING: {
        Worldd__V1__Ping *ping =
            worldd__v1__ping__unpack(NULL, zmq_msg_size(&news->body), zmq_msg_data(&news->body));
        int status = ping == NULL ? WD_CLIENT_OK : send_ping(client, WD_MSG_PONG, ping->sequence, error);
        worldd__v1__ping__free_unpacked(ping, NULL);
        return status;
    }
    case WD_MSG_WHO_ARE_YOU:
    case WD_MSG_GOODBYE:
    case WD_MSG_REJECT:
        return fail(error, WD_CLIENT_EPEERLOST, "worldd was stopped or restarted; the request is lost");
    default:
        return WD_CLIENT_OK;  // a Pong: its coming is all there is to it
    }
}

/// Wait for the answer, asking with Pings whether worldd is still there.
static int wait_for_answer(wd_client *client, request *asked, int timeout_ms, wd_client_error *error)
{
    int64_t now_ms = clock_ms(), end_ms = timeout_ms < 0 ? INT64_MAX : now_ms + timeout_ms;
    int64_t beat_ms = now_ms + client->heartbeat_ms;
    client->heard_ms = now_ms;
    int status = WD_CLIENT_OK;
    while (status == WD_CLIENT_OK && !asked->done) {
        now_ms = clock_ms();
        if (now_ms >= end_ms) {
            return fail(error, WD_CLIENT_ETIMEOUT, "worldd did not answer in time");
        }
        if (now_ms - client->heard_ms >= client->silence_ms) {
            return fail(error, WD_CLIENT_EPEERLOST, "worldd is gone: no sign of life for %lld ms",
                (long long)client->silence_ms);
        }
        if (now_ms >= beat_ms) {
            status = send_ping(client, WD_MSG_PING, ++client->beats, error);
            beat_ms = now_ms + client->heartbeat_ms;
        }
        message news;
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
        return fail(error, WD_CLIENT_EINVAL, "args: longer than %d bytes", WD_CLIENT_ARGS_MAX);
    }
    int status = be_connected(client, error);
    if (status != WD_CLIENT_OK) {
        return status;
    }
    request asked = { .id = ++client->request_last, .progress = progress, .context = context };
    status = send_control(client, verb, args, timeout_ms, asked.id, error);
    status = status == WD_CLIENT_OK ? wait_for_answer(client, &asked, timeout_ms, error) : status;
    if (status == WD_CLIENT_EPEERLOST || status == WD_CLIENT_EPROTO) {
        drop(client);
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
        return fail(error, WD_CLIENT_EINVAL, "task, planner: longer than %d bytes", TASK_MAX);
    }
    if (planner == NULL) {
        snprintf(args, sizeof args, "{\"task\":%s}", quoted_task);
    } else {
        snprintf(args, sizeof args, "{\"task\":%s,\"planner\":%s}", quoted_task, quoted_planner);
    }
    return wd_client_request(client, "run", args, timeout_ms, progress, context, ret_json, error);
}
