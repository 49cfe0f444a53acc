#include "door.h"

#include "proto/frame.h"
#include "runtime/log.h"
#include "tree/alloc.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

#ifndef ZMQ_ZAP_ENFORCE_DOMAIN
#define ZMQ_ZAP_ENFORCE_DOMAIN 93  // Debian's header has it among the drafts; the library has it
#endif

static wd_status zmq_error(const wd_door_options *options, const char *endpoint, wd_error *error)
{
    return wd_error_set(
        error, WD_EIO, "%s socket: %s: %s", options->name, endpoint, zmq_strerror(zmq_errno()));
}

/// The file of an ipc endpoint; NULL: an abstract one, which has none.
static const char *path_of(const char *endpoint)
{
    return endpoint[6] == '@' ? NULL : endpoint + 6;
}

// ---- what the settings ask for --------------------------------------------------------------------------------------

/// The address alone of "tcp://ADDRESS:PORT" is of this machine: 127.0.0.0/8 or [::1]. Names are taken for others'.
static bool is_loopback(const char *tcp)
{
    char host[64] = "";
    struct in_addr four;
    struct in6_addr six;
    if (sscanf(tcp, "tcp://[%63[0-9a-fA-F:]]:", host) == 1 && inet_pton(AF_INET6, host, &six) == 1) {
        return memcmp(&six, &in6addr_loopback, sizeof six) == 0;
    }
    return sscanf(tcp, "tcp://%63[0-9.]:", host) == 1 && inet_pton(AF_INET, host, &four) == 1 &&
           ntohl(four.s_addr) >> 24 == 127;
}

wd_status wd_door_check(const wd_door_options *options, wd_error *error)
{
    const char *endpoint = options->endpoint, *tcp = options->tcp;
    if (strncmp(endpoint, "ipc://", 6) != 0 || (endpoint[6] != '/' && endpoint[6] != '@')) {
        return wd_error_set(error, WD_EINVAL,
            "%s.endpoint: \"%.100s\" is neither ipc:///PATH nor ipc://@NAME; tcp stands in %s.tcp",
            options->name, endpoint, options->name);
    }
    if (strlen(endpoint + 6) > WD_DOOR_PATH_MAX) {
        return wd_error_set(error, WD_ELIMIT,
            "%s.endpoint: the path has %zu bytes, a socket's has at most %d", options->name,
            strlen(endpoint + 6), WD_DOOR_PATH_MAX);
    }
    if (tcp[0] == '\0') {
        return WD_OK;
    }
    if (strncmp(tcp, "tcp://", 6) != 0 || strrchr(tcp + 6, ':') == NULL) {
        return wd_error_set(
            error, WD_EINVAL, "%s.tcp: \"%.100s\" is not tcp://ADDRESS:PORT", options->name, tcp);
    }
    if (options->key == NULL && !is_loopback(tcp)) {
        return wd_error_set(error, WD_EDENIED,
            "%s.tcp: \"%.60s\" is beyond loopback and needs a CURVE key: set doors.keys to a directory with "
            "server.key_secret (worldctl key new --out DIR server)",
            options->name, tcp);
    }
    return WD_OK;
}

// ---- options --------------------------------------------------------------------------------------------------------

/// Set and read back: an option that libzmq took for another value is as bad as one that it refused.
static bool set_int(void *socket, int option, int value)
{
    int is = value + 1;
    size_t size = sizeof is;
    return zmq_setsockopt(socket, option, &value, sizeof value) == 0 &&
           zmq_getsockopt(socket, option, &is, &size) == 0 && is == value;
}

/// @param value  Of less than 64 bytes.
static bool set_text(void *socket, int option, const char *value)
{
    char is[64] = "";
    size_t size = strlen(value) + 1;  // of a key libzmq wants to be asked for exactly that
    return zmq_setsockopt(socket, option, value, strlen(value)) == 0 &&
           zmq_getsockopt(socket, option, is, &size) == 0 && strcmp(is, value) == 0;
}

static bool set_mechanism(void *socket, const wd_key_pair *key)
{
    int mechanism = -1;
    size_t size = sizeof mechanism;
    if (!set_int(socket, ZMQ_CURVE_SERVER, key != NULL) ||
        (key != NULL && !set_text(socket, ZMQ_CURVE_SECRETKEY, key->secret_key))) {
        return false;
    }
    return zmq_getsockopt(socket, ZMQ_MECHANISM, &mechanism, &size) == 0 &&
           mechanism == (key == NULL ? ZMQ_NULL : ZMQ_CURVE);
}

/// Every option before bind: later ones are ignored. zmq.md section 4 has the values.
static bool set_options(const wd_door_options *options, void *socket, const wd_key_pair *key, bool ipv6)
{
    const struct {
        int option, value;
    } rows[] = {
        { ZMQ_SNDHWM, options->send_hwm }, { ZMQ_RCVHWM, options->receive_hwm }, { ZMQ_LINGER, 500 },
        { ZMQ_HANDSHAKE_IVL, 3000 },  // who has not finished it by then holds no descriptor any longer
        { ZMQ_HEARTBEAT_IVL, 2000 }, { ZMQ_HEARTBEAT_TIMEOUT, options->silence_ms },
        { ZMQ_HEARTBEAT_TTL, options->silence_ms }, { ZMQ_BACKLOG, 128 }, { ZMQ_TCP_KEEPALIVE, 1 },
        { ZMQ_TCP_KEEPALIVE_IDLE, 30 }, { ZMQ_TCP_KEEPALIVE_INTVL, 10 }, { ZMQ_TCP_KEEPALIVE_CNT, 3 },
        { ZMQ_IPV6, ipv6 },
        { ZMQ_ZAP_ENFORCE_DOMAIN, 1 },  // without an answer of the ZAP handler nobody is let in
    };
    int64_t size_max = options->frame_max, size_is = 0;
    size_t size = sizeof size_is;
    int on = 1;
    // These two cannot be read back: that unreachable peers are told, and that names are not taken over.
    bool set = zmq_setsockopt(socket, ZMQ_ROUTER_MANDATORY, &on, sizeof on) == 0;
    on = 0;
    set = set && zmq_setsockopt(socket, ZMQ_ROUTER_HANDOVER, &on, sizeof on) == 0;
    set = set && zmq_setsockopt(socket, ZMQ_MAXMSGSIZE, &size_max, sizeof size_max) == 0 &&
          zmq_getsockopt(socket, ZMQ_MAXMSGSIZE, &size_is, &size) == 0 && size_is == size_max;
    set = set && set_text(socket, ZMQ_ZAP_DOMAIN, options->domain);
    for (size_t i = 0; set && i < WD_COUNT_OF(rows); i++) {
        set = set_int(socket, rows[i].option, rows[i].value);
    }
    return set && set_mechanism(socket, key);
}

// ---- the proof ------------------------------------------------------------------------------------------------------

static int64_t clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/// One event of a monitor, 0: none.
static uint16_t next_event(void *monitor, uint32_t *ret_value)
{
    uint8_t head[6];
    if (zmq_recv(monitor, head, sizeof head, ZMQ_DONTWAIT) != (int)sizeof head) {
        return 0;
    }
    uint16_t event = 0;
    memcpy(&event, head, sizeof event);
    memcpy(ret_value, head + 2, sizeof *ret_value);
    char address[WD_DOOR_PATH_MAX + 64];
    zmq_recv(monitor, address, sizeof address, ZMQ_DONTWAIT);
    return event;
}

/// A socket of a stranger: with CURVE it has a key that was made just now and that nobody granted anything.
/// @param events  Where its fortunes are told: a name of its own, for libzmq does not get over one that is used again.
static void *stranger(void *context, const char *endpoint, const char *events, const wd_key_pair *server)
{
    void *socket = zmq_socket(context, ZMQ_DEALER);
    char public_key[WD_KEY_TEXT_SIZE], secret_key[WD_KEY_TEXT_SIZE];
    int none = 0, never = -1;
    bool made = socket != NULL && zmq_setsockopt(socket, ZMQ_LINGER, &none, sizeof none) == 0 &&
                zmq_setsockopt(socket, ZMQ_RECONNECT_IVL, &never, sizeof never) == 0;
    if (made && server != NULL) {
        made = zmq_curve_keypair(public_key, secret_key) == 0 &&
               zmq_setsockopt(socket, ZMQ_CURVE_SERVERKEY, server->public_key, WD_KEY_TEXT_SIZE) == 0 &&
               zmq_setsockopt(socket, ZMQ_CURVE_PUBLICKEY, public_key, WD_KEY_TEXT_SIZE) == 0 &&
               zmq_setsockopt(socket, ZMQ_CURVE_SECRETKEY, secret_key, WD_KEY_TEXT_SIZE) == 0;
    }
    int wanted = ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH;
    made = made && zmq_socket_monitor(socket, events, wanted) == 0 && zmq_connect(socket, endpoint) == 0;
    if (!made && socket != NULL) {
        zmq_close(socket);
    }
    return made ? socket : NULL;
}

/// Wait for how the stranger fares: refused by the handler, and by nothing else, is right.
static wd_status watch_stranger(void *monitor, wd_zap *zap)
{
    int64_t end = clock_ms() + WD_DOOR_PROOF_MS;
    for (int64_t now = clock_ms(); now < end; now = clock_ms()) {
        zmq_pollitem_t items[] = { { .socket = zap->socket, .events = ZMQ_POLLIN },
            { .socket = monitor, .events = ZMQ_POLLIN } };
        zmq_poll(items, WD_COUNT_OF(items), (long)(end - now));
        wd_zap_serve(zap, now);
        uint32_t value = 0;
        switch (next_event(monitor, &value)) {
        case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH:
            return value == 400 ? WD_OK : WD_EPROTO;
        case ZMQ_EVENT_HANDSHAKE_SUCCEEDED:
            return WD_EDENIED;
        default:
            break;
        }
    }
    return WD_ETIMEOUT;
}

/// Bind the door, as it is set now, where nobody looks for it, and see that a stranger is refused.
static wd_status prove(void *context, const wd_door *door, const char *where, const wd_key_pair *key,
    wd_zap *zap, wd_error *error)
{
    char endpoint[WD_DOOR_PATH_MAX + 64], events[64];
    size_t size = sizeof endpoint;
    snprintf(events, sizeof events, "inproc://worldd-proof-%s-%.3s", door->options.name, where);
    if (zmq_bind(door->socket, where) != 0 ||
        zmq_getsockopt(door->socket, ZMQ_LAST_ENDPOINT, endpoint, &size) != 0) {
        return zmq_error(&door->options, where, error);
    }
    void *monitor = zmq_socket(context, ZMQ_PAIR), *socket = stranger(context, endpoint, events, key);
    wd_status status = WD_EIO;
    if (monitor != NULL && socket != NULL && zmq_connect(monitor, events) == 0) {
        zap->quiet = true;
        status = watch_stranger(monitor, zap);
        zap->quiet = false;
    }
    if (socket != NULL) {
        zmq_socket_monitor(socket, NULL, 0);
        zmq_close(socket);
    }
    if (monitor != NULL) {
        zmq_close(monitor);
    }
    zmq_unbind(door->socket, endpoint);
    if (strncmp(endpoint, "ipc://", 6) == 0) {
        unlink(endpoint + 6);
    }
    return status == WD_OK ? WD_OK
                           : wd_error_set(error, WD_EDENIED,
                                 "%s socket: the test before opening failed: a stranger %s; it stays shut",
                                 door->options.name, status == WD_EDENIED ? "was let in" : "was not refused");
}

/// Both ways in, one after the other, as they will be.
static wd_status prove_all(void *context, const wd_door *door, wd_zap *zap, wd_error *error)
{
    const wd_door_options *options = &door->options;
    char where[WD_DOOR_PATH_MAX + 8];
    snprintf(where, sizeof where, "ipc://%s", options->proof_path);
    mode_t mask = umask(0177);
    wd_status status = set_options(options, door->socket, NULL, false)
                           ? prove(context, door, where, NULL, zap, error)
                           : zmq_error(options, "options", error);
    umask(mask);
    if (status != WD_OK || options->tcp[0] == '\0') {
        return status;
    }
    return set_options(options, door->socket, options->key, false)
               ? prove(context, door, "tcp://127.0.0.1:*", options->key, zap, error)
               : zmq_error(options, "options", error);
}

// ---- opening --------------------------------------------------------------------------------------------------------

/// Nothing is at the path, or a socket that nobody serves any more. A regular file is never deleted.
static wd_status check_path(const char *path, wd_error *error)
{
    struct stat info;
    if (lstat(path, &info) != 0) {
        return errno == ENOENT ? WD_OK : wd_error_set(error, WD_EIO, "%s: %s", path, strerror(errno));
    }
    if (!S_ISSOCK(info.st_mode)) {
        return wd_error_set(error, WD_EEXIST, "%s: something that is no socket stands there", path);
    }
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    memcpy(address.sun_path, path, strlen(path));  // its length was checked
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor < 0) {
        return wd_error_set(error, WD_EIO, "%s: %s", path, strerror(errno));
    }
    int reason = connect(descriptor, (const struct sockaddr *)&address, sizeof address) == 0 ? 0 : errno;
    close(descriptor);
    return reason == ECONNREFUSED ? WD_OK
                                  : wd_error_set(error, WD_EBUSY, "%s: another process serves there", path);
}

/// The socket file is ours alone from its first moment; then the group may use it.
static wd_status bind_file(wd_door *door, const char *path, wd_error *error)
{
    const wd_door_options *options = &door->options;
    struct stat info;
    mode_t mask = umask(0177);
    int bound = zmq_bind(door->socket, options->endpoint);
    umask(mask);
    if (bound != 0) {
        return zmq_error(options, options->endpoint, error);
    }
    if (lstat(path, &info) != 0) {
        return wd_error_set(error, WD_EIO, "%s: %s", path, strerror(errno));
    }
    door->bound = true;
    door->device = info.st_dev;
    door->inode = info.st_ino;
    if (options->has_group && (lchown(path, (uid_t)-1, options->group) != 0 || chmod(path, 0660) != 0)) {
        return wd_error_set(error, WD_EIO, "%s: cannot be given to the group: %s", path, strerror(errno));
    }
    return WD_OK;
}

static wd_status bind_ipc(wd_door *door, wd_error *error)
{
    const wd_door_options *options = &door->options;
    const char *path = path_of(options->endpoint);
    if (!set_options(options, door->socket, NULL, false)) {
        return zmq_error(options, "options", error);
    }
    if (path == NULL) {
        return zmq_bind(door->socket, options->endpoint) == 0 ? WD_OK
                                                              : zmq_error(options, options->endpoint, error);
    }
    wd_status status = check_path(path, error);
    return status == WD_OK ? bind_file(door, path, error) : status;
}

static wd_status bind_tcp(wd_door *door, wd_error *error)
{
    const wd_door_options *options = &door->options;
    if (options->tcp[0] == '\0') {
        return WD_OK;
    }
    if (!set_options(options, door->socket, options->key, strchr(options->tcp, '[') != NULL)) {
        return zmq_error(options, "options", error);
    }
    size_t size = sizeof door->tcp;
    if (zmq_bind(door->socket, options->tcp) != 0 ||
        zmq_getsockopt(door->socket, ZMQ_LAST_ENDPOINT, door->tcp, &size) != 0) {
        return zmq_error(options, options->tcp, error);
    }
    if (options->key == NULL) {
        wd_log(WD_LOG_WARNING, "%s.tcp: every user of this machine may connect without a key", options->name);
    }
    return WD_OK;
}

static wd_status open_monitor(void *context, wd_door *door, wd_error *error)
{
    char address[64];
    int events = ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_DISCONNECTED;
    snprintf(address, sizeof address, "inproc://worldd-monitor-%s", door->options.name);
    door->monitor = zmq_socket(context, ZMQ_PAIR);
    return door->monitor != NULL && zmq_socket_monitor(door->socket, address, events) == 0 &&
                   zmq_connect(door->monitor, address) == 0
               ? WD_OK
               : zmq_error(&door->options, address, error);
}

wd_status wd_door_new(
    void *context, const wd_door_options *options, wd_zap *zap, wd_door *ret_door, wd_error *error)
{
    wd_door door = { .options = *options, .socket = zmq_socket(context, ZMQ_ROUTER) };
    wd_status status =
        door.socket == NULL ? zmq_error(options, "ROUTER", error) : prove_all(context, &door, zap, error);
    if (status != WD_OK) {
        wd_door_close(&door);
        return status;
    }
    *ret_door = door;
    return WD_OK;
}

wd_status wd_door_bind(void *context, wd_door *door, wd_error *error)
{
    wd_status status = open_monitor(context, door, error);
    status = status == WD_OK ? bind_ipc(door, error) : status;
    return status == WD_OK ? bind_tcp(door, error) : status;
}

void wd_door_close(wd_door *door)
{
    struct stat info;
    const char *path = door->bound ? path_of(door->options.endpoint) : NULL;
    bool ours =
        path != NULL && lstat(path, &info) == 0 && info.st_dev == door->device && info.st_ino == door->inode;
    if (door->socket != NULL) {
        zmq_socket_monitor(door->socket, NULL, 0);
        zmq_close(door->socket);
    }
    if (door->monitor != NULL) {
        zmq_close(door->monitor);
    }
    if (ours) {
        unlink(path);
    }
    *door = (wd_door){ 0 };
}
