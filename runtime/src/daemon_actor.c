// The daemon's sockets: the only part of worldd that receives from and sends to peers. It reads a message, hands it to the
// service with the time, sends the outbox, and ends on SIGTERM or SIGINT. Socket rules: zmq.md sections 2 and 4.
#include "runtime/daemon.h"

#include "proto/frame.h"
#include "runtime/log.h"
#include "runtime/service.h"
#include "tree/alloc.h"

#include <czmq.h>
#include <errno.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>

enum {
    // A full queue counts as a lost planner: all the requests it may have fit in, and their cancels.
    PLANNER_SEND_HWM = 2 * WD_BROKER_INFLIGHT_MAX,
    MESSAGES_PER_TURN_MAX = 64,  // of one socket before the other gets its turn
    LINGER_MS = 2000,            // the last answers must reach clients on a busy machine too
    HEARTBEAT_IVL_MS = 2000,
    HEARTBEAT_TIMEOUT_MS = 6000,
    HANDSHAKE_MS = 3000,
};

typedef struct door {
    const char *name, *endpoint;
    int send_hwm, receive_hwm;
    zsock_t *socket;
    zsock_t *monitor;  // PAIR that tells disconnects
    bool planner, bound;
    uint64_t goodbyes;  // of peers that are about to close: their disconnect is nothing to speak of
} door;

typedef struct daemon_loop {
    const wd_config *config;
    wd_service *service;
    wd_service_outbox outbox;
    door doors[2];
    int signals;
    uint8_t boot_id[16];
} daemon_loop;

static int64_t now_ms(void)
{
    return zclock_mono();
}

// ---- sockets ----------------------------------------------------------------------------------------------------

static bool set_int(zsock_t *socket, int option, int value)
{
    return zmq_setsockopt(zsock_resolve(socket), option, &value, sizeof value) == 0;
}

/// Every option before bind: later ones are ignored.
static bool set_options(const door *at)
{
    int64_t size_max = WD_FRAME_SIZE_MAX;
    void *socket = zsock_resolve(at->socket);
    return set_int(at->socket, ZMQ_ROUTER_MANDATORY, 1) && set_int(at->socket, ZMQ_SNDHWM, at->send_hwm) &&
           set_int(at->socket, ZMQ_RCVHWM, at->receive_hwm) && set_int(at->socket, ZMQ_LINGER, LINGER_MS) &&
           set_int(at->socket, ZMQ_HEARTBEAT_IVL, HEARTBEAT_IVL_MS) &&
           set_int(at->socket, ZMQ_HEARTBEAT_TIMEOUT, HEARTBEAT_TIMEOUT_MS) &&
           set_int(at->socket, ZMQ_HEARTBEAT_TTL, HEARTBEAT_TIMEOUT_MS) &&
           set_int(at->socket, ZMQ_HANDSHAKE_IVL, HANDSHAKE_MS) && set_int(at->socket, ZMQ_BACKLOG, 128) &&
           zmq_setsockopt(socket, ZMQ_MAXMSGSIZE, &size_max, sizeof size_max) == 0;
}

static wd_status open_door(door *at, wd_error *error)
{
    wd_status status = wd_daemon_endpoint_check(at->endpoint, error);
    if (status != WD_OK) {
        return status;
    }
    char address[64];
    snprintf(address, sizeof address, "inproc://worldd-monitor-%s", at->name);
    at->socket = zsock_new(ZMQ_ROUTER);
    if (at->socket == NULL || !set_options(at) ||
        zmq_socket_monitor(zsock_resolve(at->socket), address, ZMQ_EVENT_DISCONNECTED) != 0) {
        return wd_error_set(error, WD_EIO, "%s: %s", at->endpoint, zmq_strerror(zmq_errno()));
    }
    at->monitor = zsock_new(ZMQ_PAIR);
    mode_t mask = umask(0177);  // the socket file is ours alone from its first moment
    at->bound = at->monitor != NULL && zsock_connect(at->monitor, "%s", address) == 0 &&
                zsock_bind(at->socket, "%s", at->endpoint) >= 0;
    int reason = zmq_errno();
    umask(mask);
    return at->bound ? WD_OK : wd_error_set(error, WD_EIO, "%s: %s", at->endpoint, zmq_strerror(reason));
}

static void close_door(door *at)
{
    if (at->socket != NULL) {
        zmq_socket_monitor(zsock_resolve(at->socket), NULL, 0);
    }
    zsock_destroy(&at->monitor);
    zsock_destroy(&at->socket);
    if (at->bound && strncmp(at->endpoint, "ipc:///", 7) == 0) {
        unlink(at->endpoint + 6);
    }
}

// ---- receiving --------------------------------------------------------------------------------------------------

enum { FRAMES_KEPT = 3 };  // routing id, header, body; blobs are not used by any message of this version

typedef struct inbound {
    zmq_msg_t frames[FRAMES_KEPT];
    size_t count;  // all frames of the message, kept or not
} inbound;

/// @retval false  nothing is there.
static bool receive(zsock_t *socket, inbound *message)
{
    void *handle = zsock_resolve(socket);
    message->count = 0;
    for (;;) {
        zmq_msg_t frame;
        zmq_msg_init(&frame);
        if (zmq_msg_recv(&frame, handle, ZMQ_DONTWAIT) < 0) {
            zmq_msg_close(&frame);
            return false;
        }
        bool more = zmq_msg_more(&frame) != 0;
        if (message->count < FRAMES_KEPT) {
            message->frames[message->count] = frame;
        } else {
            zmq_msg_close(&frame);
        }
        message->count += 1;
        if (!more) {
            return true;
        }
    }
}

static void inbound_done(inbound *message)
{
    for (size_t i = 0; i < message->count && i < FRAMES_KEPT; i++) {
        zmq_msg_close(&message->frames[i]);
    }
}

/// The kernel's uid of an ipc peer ("localhost:UID:GID:PID"), else UINT32_MAX.
static uint32_t uid_of(zmq_msg_t *frame)
{
    const char *address = zmq_msg_gets(frame, "Peer-Address");
    unsigned uid = UINT32_MAX;
    if (address == NULL || sscanf(address, "localhost:%u:", &uid) != 1) {
        return UINT32_MAX;
    }
    return uid;
}

static wd_broker_message as_message(inbound *from)
{
    wd_broker_message message = { .uid = UINT32_MAX, .frame_count = from->count - 1 };
    size_t length = zmq_msg_size(&from->frames[0]);
    wd_assert(length <= WD_PEER_ID_MAX);
    memcpy(message.peer.bytes, zmq_msg_data(&from->frames[0]), length);
    message.peer.length = (uint8_t)length;
    if (from->count > 1) {
        message.header = zmq_msg_data(&from->frames[1]);
        message.header_length = zmq_msg_size(&from->frames[1]);
        message.uid = uid_of(&from->frames[1]);
    }
    if (from->count > 2) {
        message.body = zmq_msg_data(&from->frames[2]);
        message.body_length = zmq_msg_size(&from->frames[2]);
    }
    return message;
}

// ---- sending ----------------------------------------------------------------------------------------------------

/// @retval 0, or errno: EHOSTUNREACH the peer is gone, EAGAIN its queue is full.
static int send_message(zsock_t *socket, const wd_broker_send *send)
{
    void *handle = zsock_resolve(socket);
    uint8_t header[WD_FRAME_HEADER_SIZE];
    wd_frame_write(send->kind, header);
    if (zmq_send(handle, send->peer.bytes, send->peer.length, ZMQ_DONTWAIT | ZMQ_SNDMORE) < 0) {
        return zmq_errno();
    }
    // The id was taken, so the rest of the message is as well.
    zmq_send(handle, header, sizeof header, ZMQ_DONTWAIT | ZMQ_SNDMORE);
    zmq_send(handle, send->body, send->body_length, ZMQ_DONTWAIT);
    return 0;
}

/// Send what is in the outbox. A peer that cannot be reached is told to the service, which may want more sent.
static wd_status flush(daemon_loop *loop)
{
    wd_status status = WD_OK;
    for (int turn = 0; status == WD_OK && turn < 1000; turn++) {
        if (loop->outbox.planner.send_count + loop->outbox.control.send_count == 0) {
            break;
        }
        wd_service_outbox sending = loop->outbox;
        loop->outbox = (wd_service_outbox){ 0 };
        for (size_t i = 0; i < sending.planner.send_count; i++) {
            const wd_broker_send *send = &sending.planner.sends[i];
            int reason = send_message(loop->doors[0].socket, send);
            if (reason != 0 && status == WD_OK) {
                wd_log(WD_LOG_WARNING, "a planner cannot be reached: %s", zmq_strerror(reason));
                status = wd_service_planner_lost(loop->service, send->peer, now_ms(), &loop->outbox);
            }
        }
        for (size_t i = 0; i < sending.control.send_count; i++) {
            const wd_broker_send *send = &sending.control.sends[i];
            int reason = send_message(loop->doors[1].socket, send);
            if (reason == EAGAIN && send->kind == WD_MSG_PROGRESS) {
                wd_service_control_dropped(loop->service, send);
            } else if (reason == EAGAIN && send->kind == WD_MSG_PONG) {
                continue;  // it has enough to read that shows we live
            } else if (reason != 0) {
                wd_log(WD_LOG_INFO, "a client cannot be reached: %s", zmq_strerror(reason));
                wd_service_control_lost(loop->service, send->peer);
            }
        }
        wd_service_outbox_done(&sending);
    }
    return status;
}

// ---- the loop ---------------------------------------------------------------------------------------------------

static wd_status serve_door(daemon_loop *loop, door *at)
{
    wd_status status = WD_OK;
    for (int i = 0; status == WD_OK && i < MESSAGES_PER_TURN_MAX; i++) {
        inbound from;
        if (!receive(at->socket, &from)) {
            break;
        }
        if (zmq_msg_size(&from.frames[0]) > WD_PEER_ID_MAX) {
            // Ids given by us have 5 bytes. A peer that names itself at such length cannot be answered.
            wd_log(WD_LOG_WARNING, "%s socket: ignored a peer that names itself", at->name);
            inbound_done(&from);
            continue;
        }
        wd_broker_message message = as_message(&from);
        uint16_t kind = 0;
        at->goodbyes += wd_frame_read(message.header, message.header_length, &kind) == WD_FRAME_OK &&
                        kind == WD_MSG_GOODBYE;
        status = at->planner ? wd_service_planner_message(loop->service, &message, now_ms(), &loop->outbox)
                             : wd_service_control_message(loop->service, &message, now_ms(), &loop->outbox);
        inbound_done(&from);
        if (status == WD_OK) {
            status = flush(loop);
        }
    }
    return status;
}

/// A peer's connection ended without a Goodbye: it died, or was cut off because a frame was over the limit or it fell
/// silent. libzmq does not tell which, nor who.
static void count_disconnects(daemon_loop *loop, door *at)
{
    inbound event;
    while (receive(at->monitor, &event)) {
        inbound_done(&event);
        wd_service_count_disconnect(loop->service);
        if (at->goodbyes > 0) {  // all are counted, but an announced one is nothing to speak of
            at->goodbyes -= 1;
            continue;
        }
        wd_log(WD_LOG_WARNING,
            "%s socket: a connection ended without goodbye: closed by the peer, or cut off (a frame "
            "over %d bytes, or no heartbeat)",
            at->name, WD_FRAME_SIZE_MAX);
    }
}

static long poll_timeout(const daemon_loop *loop)
{
    int64_t next = wd_service_next_ms(loop->service), now = now_ms();
    if (next == INT64_MAX) {
        return -1;
    }
    return next <= now ? 0 : next - now > 60000 ? 60000 : (long)(next - now);
}

static wd_status run_loop(daemon_loop *loop)
{
    zmq_pollitem_t items[] = {
        { .socket = zsock_resolve(loop->doors[0].socket), .events = ZMQ_POLLIN },
        { .socket = zsock_resolve(loop->doors[1].socket), .events = ZMQ_POLLIN },
        { .socket = zsock_resolve(loop->doors[0].monitor), .events = ZMQ_POLLIN },
        { .socket = zsock_resolve(loop->doors[1].monitor), .events = ZMQ_POLLIN },
        { .fd = loop->signals, .events = ZMQ_POLLIN },
        { .fd = wd_service_env_fd(loop->service), .events = ZMQ_POLLIN },
    };
    wd_status status = WD_OK;
    while (status == WD_OK) {
        if (zmq_poll(items, WD_COUNT_OF(items), poll_timeout(loop)) < 0 && zmq_errno() != EINTR) {
            return WD_EIO;
        }
        if (items[4].revents != 0) {
            break;
        }
        for (int i = 0; status == WD_OK && i < 2; i++) {
            if (items[i].revents != 0) {
                status = serve_door(loop, &loop->doors[i]);
            }
            if (items[2 + i].revents != 0) {
                count_disconnects(loop, &loop->doors[i]);
            }
        }
        if (status == WD_OK && items[5].revents != 0) {
            status = wd_service_take_envs(loop->service, &loop->outbox);
        }
        if (status == WD_OK) {
            status = wd_service_tick(loop->service, now_ms(), &loop->outbox);
        }
        if (status == WD_OK) {
            status = flush(loop);
        }
    }
    return status;
}

static wd_status end_all(daemon_loop *loop)
{
    struct signalfd_siginfo info = { 0 };
    ssize_t got = read(loop->signals, &info, sizeof info);
    const char *name = got == (ssize_t)sizeof info ? strsignal((int)info.ssi_signo) : "error";
    char reason[128];
    snprintf(reason, sizeof reason, "worldd was stopped (%s)", name);
    wd_log(WD_LOG_INFO, "stopping: %s", name);
    wd_status status = wd_service_shutdown(loop->service, reason, now_ms(), &loop->outbox);
    return status == WD_OK ? flush(loop) : status;
}

// ---- life -------------------------------------------------------------------------------------------------------

static int open_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGHUP, SIG_IGN);  // a terminal that closes is no reason to end
    return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

/// libzmq aborts when descriptors run out on an ipc listener, so take all that we may have (zmq.md section 2).
static void raise_descriptor_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

/// Who and where we are, for clients that were told no endpoint.
static wd_status write_identity(
    const daemon_loop *loop, const wd_daemon_directory *directory, wd_error *error)
{
    char path[WD_CONFIG_TEXT_MAX + 32], boot[33] = "";
    snprintf(path, sizeof path, "%s/daemon.json", directory->path);
    for (size_t i = 0; i < sizeof loop->boot_id; i++) {
        snprintf(boot + 2 * i, 3, "%02x", loop->boot_id[i]);
    }
    mode_t mask = umask(0177);
    FILE *file = fopen(path, "we");
    umask(mask);
    if (file == NULL) {
        return wd_error_set(error, WD_EIO, "%s: %s", path, strerror(errno));
    }
    fprintf(file,
        "{\"planner\":\"%s\",\"control\":\"%s\",\"pid\":%d,\"boot_id\":\"%s\",\"protocol\":[%d,%d]}\n",
        loop->config->planner_endpoint, loop->config->control_endpoint, (int)getpid(), boot, WD_PROTO_MAJOR,
        WD_PROTO_MINOR);
    bool written = fclose(file) == 0;
    return written ? WD_OK : wd_error_set(error, WD_EIO, "%s: %s", path, strerror(errno));
}

static wd_status make_episodes_directory(const char *path, wd_error *error)
{
    if (mkdir(path, 0700) != 0 && errno != EEXIST) {
        return wd_error_set(error, WD_EIO, "%s: %s", path, strerror(errno));
    }
    return WD_OK;
}

static wd_status open_all(daemon_loop *loop, const wd_daemon_directory *directory, wd_error *error)
{
    wd_status status = make_episodes_directory(loop->config->episodes, error);
    if (status == WD_OK) {
        status = wd_service_new(loop->config, loop->boot_id, &loop->service, error);
    }
    for (int i = 0; status == WD_OK && i < 2; i++) {
        status = open_door(&loop->doors[i], error);
    }
    return status == WD_OK ? write_identity(loop, directory, error) : status;
}

wd_status wd_daemon_serve(const wd_config *config, void (*ready)(const wd_config *config), wd_error *error)
{
    daemon_loop loop = {
        .config = config,
        .doors = { { .name = "planner",
                       .endpoint = config->planner_endpoint,
                       .send_hwm = PLANNER_SEND_HWM,
                       .receive_hwm = 64,
                       .planner = true },
            { .name = "control",
                .endpoint = config->control_endpoint,
                .send_hwm = 1000,
                .receive_hwm = 256 } },
        .signals = -1,
    };
    wd_daemon_directory directory;
    wd_status status = wd_daemon_directory_take(config->directory, &directory, error);
    if (status != WD_OK) {
        return status;
    }
    zsys_handler_set(NULL);  // signals come through a descriptor
    loop.signals = open_signals();
    raise_descriptor_limit();
    if (loop.signals < 0 || getrandom(loop.boot_id, sizeof loop.boot_id, 0) != (ssize_t)sizeof loop.boot_id) {
        status = wd_error_set(error, WD_EIO, "cannot start: %s", strerror(errno));
    } else {
        status = open_all(&loop, &directory, error);
    }
    if (status == WD_OK) {
        if (ready != NULL) {
            ready(config);
        }
        status = run_loop(&loop);
        wd_status ended = end_all(&loop);
        status = status == WD_OK ? ended : status;
        if (status != WD_OK) {
            wd_error_set(error, status, "the loop broke: %s", wd_status_text(status));
        }
    }
    wd_service_destroy(&loop.service);
    wd_service_outbox_done(&loop.outbox);
    close_door(&loop.doors[0]);
    close_door(&loop.doors[1]);
    if (loop.signals >= 0) {
        close(loop.signals);
    }
    zsys_shutdown();
    wd_daemon_directory_release(&directory);
    return status;
}
