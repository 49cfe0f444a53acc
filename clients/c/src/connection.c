#include "connection.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

int wd_connection_fail(wd_client_error *error, int status, const char *format, ...)
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

int64_t wd_connection_clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// ---- life -------------------------------------------------------------------------------------------------------

static int find_endpoint(wd_connection *connection, const char *given, const char *variable,
    const char *socket_name, wd_client_error *error)
{
    const char *endpoint = given != NULL ? given : getenv(variable);
    const char *directory = getenv("WORLDD_DAEMON_DIRECTORY");
    int length = 0;
    if (endpoint != NULL) {
        length = snprintf(connection->endpoint, sizeof connection->endpoint, "%s", endpoint);
    } else if (directory != NULL) {
        length = snprintf(
            connection->endpoint, sizeof connection->endpoint, "ipc://%s/%s", directory, socket_name);
    } else {
        return wd_connection_fail(error, WD_CLIENT_ENOENT,
            "no endpoint was given, and neither %s nor WORLDD_DAEMON_DIRECTORY is set", variable);
    }
    return length < WD_CONNECTION_ENDPOINT_MAX
               ? WD_CLIENT_OK
               : wd_connection_fail(
                     error, WD_CLIENT_EINVAL, "endpoint: longer than %d bytes", WD_CONNECTION_ENDPOINT_MAX);
}

int wd_connection_init(wd_connection *connection, const char *role, const char *name, const char *endpoint,
    const char *variable, const char *socket_name, wd_client_error *error)
{
    *connection = (wd_connection){ .role = role, .send_ms = WD_CONNECTION_SEND_MS };
    if (name == NULL || name[0] == '\0' || strlen(name) > WD_CONNECTION_NAME_MAX) {
        return wd_connection_fail(
            error, WD_CLIENT_EINVAL, "name: must be 1 to %d of [A-Za-z0-9._-]", WD_CONNECTION_NAME_MAX);
    }
    strcpy(connection->name, name);
    int status = find_endpoint(connection, endpoint, variable, socket_name, error);
    if (status != WD_CLIENT_OK) {
        return status;
    }
    connection->zmq = zmq_ctx_new();
    bool ready = connection->zmq != NULL && getrandom(connection->instance, sizeof connection->instance, 0) ==
                                                (ssize_t)sizeof connection->instance;
    return ready ? WD_CLIENT_OK
                 : wd_connection_fail(error, WD_CLIENT_ENOMEM, "no ZeroMQ context: %s", strerror(errno));
}

static bool set_keys(const wd_connection *connection)
{
    if (connection->server_key[0] == '\0') {
        return true;
    }
    void *socket = connection->socket;
    return zmq_setsockopt(socket, ZMQ_CURVE_SERVERKEY, connection->server_key, WD_CONNECTION_KEY_SIZE) == 0 &&
           zmq_setsockopt(socket, ZMQ_CURVE_PUBLICKEY, connection->public_key, WD_CONNECTION_KEY_SIZE) == 0 &&
           zmq_setsockopt(socket, ZMQ_CURVE_SECRETKEY, connection->secret_key, WD_CONNECTION_KEY_SIZE) == 0;
}

void wd_connection_done(wd_connection *connection)
{
    wd_connection_drop(connection);
    if (connection->zmq != NULL) {
        zmq_ctx_term(connection->zmq);
        connection->zmq = NULL;
    }
}

int wd_connection_open(wd_connection *connection, wd_client_error *error)
{
    const struct {
        int option, value;
    } options[] = { { ZMQ_LINGER, 200 }, { ZMQ_SNDHWM, 64 }, { ZMQ_RCVHWM, 64 }, { ZMQ_IMMEDIATE, 1 },
        { ZMQ_SNDTIMEO, connection->send_ms }, { ZMQ_HEARTBEAT_IVL, 2000 },
        { ZMQ_HEARTBEAT_TIMEOUT, WD_CONNECTION_CUT_MS }, { ZMQ_HEARTBEAT_TTL, WD_CONNECTION_CUT_MS },
        { ZMQ_RECONNECT_IVL, 100 }, { ZMQ_RECONNECT_IVL_MAX, 5000 } };
    int64_t frame_max = WD_CONNECTION_FRAME_MAX;
    connection->socket = zmq_socket(connection->zmq, ZMQ_DEALER);  // no routing id: worldd names its peers
    bool set = connection->socket != NULL &&
               zmq_setsockopt(connection->socket, ZMQ_MAXMSGSIZE, &frame_max, sizeof frame_max) == 0;
    for (size_t i = 0; set && i < sizeof options / sizeof options[0]; i++) {
        set = zmq_setsockopt(connection->socket, options[i].option, &options[i].value, sizeof(int)) == 0;
    }
    return set && set_keys(connection) && zmq_connect(connection->socket, connection->endpoint) == 0
               ? WD_CLIENT_OK
               : wd_connection_fail(
                     error, WD_CLIENT_EINVAL, "%s: %s", connection->endpoint, zmq_strerror(zmq_errno()));
}

void wd_connection_drop(wd_connection *connection)
{
    if (connection->socket != NULL) {
        zmq_close(connection->socket);
        connection->socket = NULL;
    }
}

// ---- sending ----------------------------------------------------------------------------------------------------

int wd_connection_send_bytes(
    wd_connection *connection, wd_kind_number kind, const void *body, size_t length, wd_client_error *error)
{
    uint8_t header[WD_FRAME_HEADER_SIZE];
    wd_frame_write((uint16_t)kind, header);
    bool sent = zmq_send(connection->socket, header, sizeof header, ZMQ_SNDMORE) >= 0 &&
                zmq_send(connection->socket, body, length, 0) >= 0;
    return sent ? WD_CLIENT_OK
                : wd_connection_fail(
                      error, WD_CLIENT_EPEERLOST, "worldd cannot be reached: %s", zmq_strerror(zmq_errno()));
}

int wd_connection_send(
    wd_connection *connection, wd_kind_number kind, const ProtobufCMessage *body, wd_client_error *error)
{
    size_t size = protobuf_c_message_get_packed_size(body);
    uint8_t *bytes = malloc(size + 1);
    if (bytes == NULL) {
        return wd_connection_fail(error, WD_CLIENT_ENOMEM, "out of memory");
    }
    protobuf_c_message_pack(body, bytes);
    int status = wd_connection_send_bytes(connection, kind, bytes, size, error);
    free(bytes);
    return status;
}

int wd_connection_send_hello(wd_connection *connection, wd_client_error *error)
{
    Worldd__V1__Hello hello;
    worldd__v1__hello__init(&hello);
    // protobuf-c packs what is lent to it and changes nothing, but its fields are not const.
    union {
        const char *text;
        char *field;
    } lent = { connection->role };
    hello.min_major = hello.max_major = WD_PROTO_MAJOR;
    hello.max_minor = WD_PROTO_MINOR;
    hello.role = lent.field;
    hello.name = connection->name;
    hello.instance = (ProtobufCBinaryData){ sizeof connection->instance, connection->instance };
    hello.max_inflight = connection->max_inflight;
    hello.max_frame = WD_CONNECTION_FRAME_MAX;
    return wd_connection_send(connection, WD_MSG_HELLO, &hello.base, error);
}

static int send_beat(
    wd_connection *connection, wd_kind_number kind, uint64_t sequence, wd_client_error *error)
{
    Worldd__V1__Ping ping;
    worldd__v1__ping__init(&ping);
    ping.sequence = sequence;
    return wd_connection_send(connection, kind, &ping.base, error);
}

int wd_connection_send_ping(wd_connection *connection, wd_client_error *error)
{
    return send_beat(connection, WD_MSG_PING, ++connection->beats, error);
}

void wd_connection_send_goodbye(wd_connection *connection, const char *reason)
{
    Worldd__V1__Goodbye goodbye;
    worldd__v1__goodbye__init(&goodbye);
    union {
        const char *text;
        char *field;
    } lent = { reason };
    goodbye.reason = lent.field;
    int now_ms = 0;  // a daemon that takes nothing finds out by itself
    zmq_setsockopt(connection->socket, ZMQ_SNDTIMEO, &now_ms, sizeof now_ms);
    (void)wd_connection_send(connection, WD_MSG_GOODBYE, &goodbye.base, NULL);
}

// ---- receiving --------------------------------------------------------------------------------------------------

int wd_connection_receive(wd_connection *connection, wd_incoming *ret_message, wd_client_error *error)
{
    zmq_msg_t
        frames[3];  // header, body, and whatever more there may be: no message of this version has blobs
    size_t count = 0;
    bool more = true;
    for (size_t i = 0; i < 3; i++) {
        zmq_msg_init(&frames[i]);
    }
    // The frames of a message arrive together, so only the first can be missing.
    while (more && zmq_msg_recv(&frames[count < 2 ? count : 2], connection->socket, ZMQ_DONTWAIT) >= 0) {
        more = zmq_msg_more(&frames[count < 2 ? count : 2]) != 0;
        count++;
    }
    bool whole = count == 2 && wd_frame_read(zmq_msg_data(&frames[0]), zmq_msg_size(&frames[0]),
                                   &ret_message->kind) == WD_FRAME_OK;
    if (whole) {
        zmq_msg_init(&ret_message->body);
        zmq_msg_move(&ret_message->body, &frames[1]);
        connection->heard_ms = wd_connection_clock_ms();
    }
    for (size_t i = 0; i < 3; i++) {
        zmq_msg_close(&frames[i]);
    }
    if (count == 0) {
        return wd_connection_fail(error, WD_CLIENT_ETIMEOUT, "worldd did not answer in time");
    }
    return whole ? WD_CLIENT_OK
                 : wd_connection_fail(
                       error, WD_CLIENT_EPROTO, "what answers is no worldd of this client's version");
}

int wd_connection_take_welcome(wd_connection *connection, wd_incoming *message, wd_client_error *error)
{
    Worldd__V1__Welcome *welcome =
        worldd__v1__welcome__unpack(NULL, zmq_msg_size(&message->body), zmq_msg_data(&message->body));
    bool right =
        welcome != NULL && welcome->heartbeat_ms > 0 && welcome->boot_id.len == sizeof connection->boot_id;
    if (right) {
        memcpy(connection->boot_id, welcome->boot_id.data, sizeof connection->boot_id);
        connection->heartbeat_ms = welcome->heartbeat_ms;
        connection->silence_ms = connection->heartbeat_ms * (welcome->liveness == 0 ? 1 : welcome->liveness);
        connection->frame_max = welcome->max_frame == 0 ? WD_FRAME_SIZE_MAX : welcome->max_frame;
    }
    worldd__v1__welcome__free_unpacked(welcome, NULL);
    return right ? WD_CLIENT_OK
                 : wd_connection_fail(
                       error, WD_CLIENT_EPROTO, "what answers is no worldd: its Welcome is none");
}

int wd_connection_take_reject(wd_incoming *message, wd_client_error *error)
{
    Worldd__V1__Reject *reject =
        worldd__v1__reject__unpack(NULL, zmq_msg_size(&message->body), zmq_msg_data(&message->body));
    int status = wd_connection_fail(
        error, WD_CLIENT_EDENIED, "worldd turned us away: %s", reject == NULL ? "no reason" : reject->text);
    worldd__v1__reject__free_unpacked(reject, NULL);
    return status;
}

int wd_connection_take_ping(wd_connection *connection, wd_incoming *message, wd_client_error *error)
{
    Worldd__V1__Ping *ping =
        worldd__v1__ping__unpack(NULL, zmq_msg_size(&message->body), zmq_msg_data(&message->body));
    int status = ping == NULL ? WD_CLIENT_OK : send_beat(connection, WD_MSG_PONG, ping->sequence, error);
    worldd__v1__ping__free_unpacked(ping, NULL);
    return status;
}
