#include "runtime/control_client.h"

#include "proto/frame.h"
#include "runtime/codec_session.h"
#include "runtime/config.h"
#include "runtime/file.h"
#include "runtime/key_file.h"
#include "tree/alloc.h"

#include <czmq.h>
#include <pthread.h>
#include <sys/random.h>

struct wd_control_client {
    zsock_t *socket;
    wd_hello hello;
    wd_welcome welcome;
    uint64_t request_last;
};

wd_status wd_control_endpoint(
    const char *given, const char *directory, char *ret_endpoint, size_t size, wd_error *error)
{
    const char *endpoint = given != NULL ? given : getenv("WORLDD_CONTROL");
    if (endpoint != NULL) {
        snprintf(ret_endpoint, size, "%s", endpoint);
        return WD_OK;
    }
    char path[WD_CONFIG_TEXT_MAX + 32];
    snprintf(path, sizeof path, "%s/daemon.json", directory);
    wd_value *identity = NULL;
    wd_status status = wd_file_read_json(path, &identity, error);
    if (status == WD_ENOENT) {
        return wd_error_set(error, WD_ENOENT,
            "no worldd runs in %s; start one, or name its control endpoint with "
            "--endpoint or WORLDD_CONTROL",
            directory);
    }
    if (status == WD_OK) {
        const char *control = wd_value_string_or(wd_object_get(identity, "control"), NULL);
        status =
            control == NULL ? wd_error_set(error, WD_ECORRUPT, "%s: names no control endpoint", path) : WD_OK;
        snprintf(ret_endpoint, size, "%s", control == NULL ? "" : control);
    }
    wd_value_unref(&identity);
    return status;
}

/// Takes the body. `how` is 0 or ZMQ_DONTWAIT.
static wd_status send_body(
    zsock_t *socket, uint16_t kind, uint8_t *body, size_t length, int how, wd_error *error)
{
    uint8_t header[WD_FRAME_HEADER_SIZE];
    void *handle = zsock_resolve(socket);
    wd_frame_write(kind, header);
    bool sent = zmq_send(handle, header, sizeof header, how | ZMQ_SNDMORE) >= 0 &&
                zmq_send(handle, body, length, how) >= 0;
    wd_free(body, length);
    return sent
               ? WD_OK
               : wd_error_set(error, WD_EPEERLOST, "worldd cannot be reached: %s", zmq_strerror(zmq_errno()));
}

/// Wait for one message; *body stays valid until closed. @retval WD_ETIMEOUT.
static wd_status receive(
    zsock_t *socket, int timeout_ms, uint16_t *ret_kind, zmq_msg_t *body, wd_error *error)
{
    void *handle = zsock_resolve(socket);
    zmq_pollitem_t item = { .socket = handle, .events = ZMQ_POLLIN };
    if (zmq_poll(&item, 1, timeout_ms) <= 0) {
        return wd_error_set(
            error, WD_ETIMEOUT, "worldd does not answer: not running, not authorised, or busy");
    }
    uint8_t header[WD_FRAME_HEADER_SIZE + 1];
    int length = zmq_recv(handle, header, sizeof header, 0);
    zmq_msg_init(body);
    if (length < 0 || !zsock_rcvmore(socket) || zmq_msg_recv(body, handle, 0) < 0 ||
        wd_frame_read(header, (size_t)length, ret_kind) != WD_FRAME_OK) {
        return wd_error_set(error, WD_EPROTO, "what answers is no worldd of our version");
    }
    return WD_OK;
}

static wd_status say_hello(wd_control_client *client, int timeout_ms, wd_error *error)
{
    uint8_t *body = NULL;
    size_t length = 0;
    wd_status status = wd_codec_pack_hello(&client->hello, &body, &length);
    if (status == WD_OK) {
        status = send_body(client->socket, WD_MSG_HELLO, body, length, 0, error);
    }
    uint16_t kind = 0;
    zmq_msg_t answer;
    if (status == WD_OK) {
        status = receive(client->socket, timeout_ms, &kind, &answer, error);
    }
    if (status != WD_OK) {
        return status;
    }
    if (kind == WD_MSG_REJECT) {
        wd_notice notice;
        status = wd_codec_unpack_notice(kind, zmq_msg_data(&answer), zmq_msg_size(&answer), &notice, error);
        if (status == WD_OK) {
            status = wd_error_set(error, WD_EDENIED, "worldd turned us away: %s", notice.error.text);
        }
    } else if (kind == WD_MSG_WELCOME) {
        status =
            wd_codec_unpack_welcome(zmq_msg_data(&answer), zmq_msg_size(&answer), &client->welcome, error);
    } else {
        status = wd_error_set(error, WD_EPROTO, "worldd answered Hello with %s", wd_msg_name(kind));
    }
    zmq_msg_close(&answer);
    return status;
}

/// The keys of the environment, if it has any.
static wd_status set_keys(zsock_t *socket, wd_error *error)
{
    const char *own = getenv("WORLDD_KEY"), *server = getenv("WORLDD_SERVER_KEY");
    wd_key_pair mine, theirs;
    if (own == NULL && server == NULL) {
        return WD_OK;
    }
    if (own == NULL || server == NULL) {
        return wd_error_set(error, WD_EINVAL, "%s is set, and %s is not; CURVE needs both",
            own == NULL ? "WORLDD_SERVER_KEY" : "WORLDD_KEY",
            own == NULL ? "WORLDD_KEY" : "WORLDD_SERVER_KEY");
    }
    wd_status status = wd_key_file_read(own, true, &mine, error);
    if (status == WD_OK && wd_key_text_valid(server)) {
        strcpy(theirs.public_key, server);
    } else if (status == WD_OK) {
        status = wd_key_file_read(server, false, &theirs, error);
    }
    if (status == WD_OK) {
        zsock_set_curve_serverkey(socket, theirs.public_key);
        zsock_set_curve_publickey(socket, mine.public_key);
        zsock_set_curve_secretkey(socket, mine.secret_key);
    }
    explicit_bzero(&mine, sizeof mine);
    return status;
}

static pthread_once_t czmq_once = PTHREAD_ONCE_INIT;

/// czmq's own first call is not safe when two threads make it at once: it asserts that no socket is open yet.
static void start_czmq(void)
{
    zsys_handler_set(NULL);
    zsys_init();
}

wd_status wd_control_client_new(
    const char *endpoint, const char *name, int timeout_ms, wd_control_client **ret_client, wd_error *error)
{
    wd_control_client *client = wd_alloc_zero(1, sizeof *client);
    if (client == NULL) {
        return wd_error_set(error, WD_ENOMEM, "client: out of memory");
    }
    pthread_once(&czmq_once, start_czmq);
    client->hello = (wd_hello){
        .min_major = WD_PROTO_MAJOR,
        .max_major = WD_PROTO_MAJOR,
        .max_minor = WD_PROTO_MINOR,
        .max_inflight = 1,
    };
    strcpy(client->hello.role, "client");
    snprintf(client->hello.name, sizeof client->hello.name, "%s", name);
    ssize_t drawn = getrandom(client->hello.instance, sizeof client->hello.instance, 0);
    client->socket = zsock_new(ZMQ_DEALER);
    wd_status status = WD_OK;
    if (drawn != (ssize_t)sizeof client->hello.instance || client->socket == NULL) {
        status = wd_error_set(error, WD_EIO, "client: no socket");
    } else {
        zsock_set_linger(client->socket, 200);
        // Not ZMQ_IMMEDIATE: with it an answer is thrown away that was not read yet when the connection ends.
        zsock_set_sndtimeo(client->socket, timeout_ms);
        zsock_set_maxmsgsize(client->socket, 2 * WD_FRAME_SIZE_MAX);
        status = strncmp(endpoint, "tcp://", 6) == 0 ? set_keys(client->socket, error) : WD_OK;
        if (status == WD_OK && zsock_connect(client->socket, "%s", endpoint) != 0) {
            status = wd_error_set(error, WD_EINVAL, "%s: %s", endpoint, zmq_strerror(zmq_errno()));
        }
    }
    if (status == WD_OK) {
        status = say_hello(client, timeout_ms, error);
    }
    if (status != WD_OK) {
        wd_control_client_destroy(&client);
        return status;
    }
    *ret_client = client;
    return WD_OK;
}

void wd_control_client_destroy(wd_control_client **client_p)
{
    wd_control_client *client = *client_p;
    if (client == NULL) {
        return;
    }
    uint8_t *body = NULL;
    size_t length = 0;
    if (client->welcome.heartbeat_ms > 0 && wd_codec_pack_goodbye("done", &body, &length) == WD_OK) {
        wd_status said = send_body(client->socket, WD_MSG_GOODBYE, body, length, 0, NULL);
        (void)said;  // a daemon that cannot be told finds out by itself
    }
    zsock_destroy(&client->socket);
    wd_free(client, sizeof *client);
    *client_p = NULL;
}

/// Take one message of the answer. *ret_done: the request is over with *ret_result or the returned status.
static wd_status take_answer(uint16_t kind, zmq_msg_t *body, uint64_t request_id,
    wd_control_progress progress, void *context, bool *ret_done, wd_value **ret_result, wd_error *error)
{
    const void *bytes = zmq_msg_data(body);
    size_t length = zmq_msg_size(body);
    wd_status status = WD_OK;
    if (kind == WD_MSG_PROGRESS || kind == WD_MSG_REPLY) {
        wd_control_answer answer;
        status = wd_codec_unpack_answer(kind, bytes, length, &answer, error);
        if (status != WD_OK) {
            return status;
        }
        if (answer.request_id == request_id && kind == WD_MSG_REPLY) {
            *ret_done = true;
            *ret_result = answer.value;
            return WD_OK;
        }
        if (answer.request_id == request_id && progress != NULL) {
            progress(context, answer.value);
        }
        wd_value_unref(&answer.value);
    } else if (kind == WD_MSG_ERROR) {
        wd_notice notice;
        status = wd_codec_unpack_notice(kind, bytes, length, &notice, error);
        if (status == WD_OK && (notice.request_id == request_id || notice.request_id == 0)) {
            status = wd_error_set(error, notice.error.status, "%s", notice.error.text);
        }
    } else if (kind == WD_MSG_WHO_ARE_YOU || kind == WD_MSG_GOODBYE || kind == WD_MSG_REJECT) {
        status = wd_error_set(error, WD_EPEERLOST, "worldd was restarted or stopped; the request is lost");
    }
    return status;
}

/// One that cannot be sent now is left out: silence decides, not a connection that comes and goes.
static void send_ping(wd_control_client *client, int64_t now)
{
    uint8_t *body = NULL;
    size_t length = 0;
    if (wd_codec_pack_ping((uint64_t)now, &body, &length) == WD_OK) {
        wd_status sent = send_body(client->socket, WD_MSG_PING, body, length, ZMQ_DONTWAIT, NULL);
        (void)sent;
    }
}

/// Wait for a message, asking with Pings whether worldd is still there: its heartbeat times liveness without a sign of
/// life is a lost peer, however long the request itself may take. What has come is taken before anybody is given up: worldd
/// may have answered and ended while we were not at turn.
static wd_status receive_alive(
    wd_control_client *client, int64_t deadline, uint16_t *ret_kind, zmq_msg_t *body, wd_error *error)
{
    int64_t heard = zclock_mono(), silence = (int64_t)client->welcome.heartbeat_ms * client->welcome.liveness;
    for (;;) {
        int64_t now = zclock_mono(), wait = client->welcome.heartbeat_ms;
        wait = now >= deadline ? 0 : wait > deadline - now ? deadline - now : wait;
        wd_status status = receive(client->socket, (int)wait, ret_kind, body, error);
        if (status == WD_OK && *ret_kind == WD_MSG_PONG) {
            heard = zclock_mono();
            zmq_msg_close(body);
            continue;
        }
        if (status != WD_ETIMEOUT) {
            return status;
        }
        if (now >= deadline) {
            return wd_error_set(error, WD_ETIMEOUT, "worldd did not answer in time");
        }
        if (now - heard > silence) {
            return wd_error_set(
                error, WD_EPEERLOST, "worldd is gone: no sign of life for %lld ms", (long long)silence);
        }
        send_ping(client, now);
    }
}

wd_status wd_control_request(wd_control_client *client, const char *verb, wd_value *args, int timeout_ms,
    wd_control_progress progress, void *context, wd_value **ret_result, wd_error *error)
{
    wd_control control = { .request_id = ++client->request_last, .args = args };
    snprintf(control.verb, sizeof control.verb, "%s", verb);
    uint8_t *body = NULL;
    size_t length = 0;
    wd_status status = wd_codec_pack_control(&control, &body, &length);
    if (status == WD_OK && length > client->welcome.max_frame) {  // it would be cut off without a word
        wd_free(body, length);
        return wd_error_set(error, WD_ELIMIT, "the request has %zu bytes, worldd takes %u", length,
            client->welcome.max_frame);
    }
    if (status == WD_OK) {
        status = send_body(client->socket, WD_MSG_CONTROL, body, length, 0, error);
    }
    int64_t deadline = timeout_ms < 0 ? INT64_MAX : zclock_mono() + timeout_ms;
    for (bool done = false; status == WD_OK && !done;) {
        uint16_t kind = 0;
        zmq_msg_t answer;
        status = receive_alive(client, deadline, &kind, &answer, error);
        if (status == WD_OK) {
            status =
                take_answer(kind, &answer, control.request_id, progress, context, &done, ret_result, error);
            zmq_msg_close(&answer);
        }
    }
    return status;
}
