// The daemon's sockets: the only part of worldd that receives from and sends to peers. It reads a message, hands it to the
// service with the time, sends the outbox, and ends on SIGTERM or SIGINT. What opens them is door_actor.c. Socket rules: zmq.md sections 2 and 4.
#include "runtime/daemon.h"

#include "backlog.h"
#include "daemon_plan.h"
#include "episode_disk.h"
#include "proto/frame.h"
#include "runtime/log.h"
#include "runtime/service.h"
#include "tree/alloc.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

enum {
    MESSAGES_PER_TURN_MAX = 64,  // of one socket before the other gets its turn
    ALARM_PERCENT = 80,          // of the descriptors that we may have
    LAST_ANSWERS_MS = 300,       // that clients get to read how their runs ended
};

/// A door with what the loop remembers of it.
typedef struct served_door {
    wd_door door;
    bool planner;
    bool unread;        // messages may be there of which its descriptor does not tell
    uint64_t goodbyes;  // of peers that are about to close: their disconnect is nothing to speak of
    wd_log_limit log;
} served_door;

/// What the loop polls.
enum {
    ITEM_DOOR,
    ITEM_MONITOR = ITEM_DOOR + WD_DOOR_COUNT,
    ITEM_SIGNALS = ITEM_MONITOR + WD_DOOR_COUNT,
    ITEM_ENVS,
    ITEM_ZAP,
    ITEM_COUNT,
};

typedef struct daemon_loop {
    const wd_config *config;
    wd_service *service;
    wd_service_outbox outbox;
    wd_backlog backlog;
    wd_daemon_plan *plan;
    wd_authority *authority;
    void *context;  // ZeroMQ's
    wd_zap zap;
    bool zap_unread;  // as of a door
    served_door doors[WD_DOOR_COUNT];
    int signals;
    uint64_t descriptors_max;
    bool alarmed;  // descriptors run short, and it was said
    uint8_t boot_id[16];
} daemon_loop;

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// ---- receiving --------------------------------------------------------------------------------------------------

enum { FRAMES_KEPT = 3 };  // routing id, header, body; blobs are not used by any message of this version

typedef struct inbound {
    zmq_msg_t frames[FRAMES_KEPT];
    size_t count;  // all frames of the message, kept or not
} inbound;

/// @retval false  nothing is there.
static bool receive(void *socket, inbound *message)
{
    message->count = 0;
    for (;;) {
        zmq_msg_t frame;
        zmq_msg_init(&frame);
        if (zmq_msg_recv(&frame, socket, ZMQ_DONTWAIT) < 0) {
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

static wd_broker_message as_message(const wd_authority *authority, inbound *from)
{
    wd_broker_message message = { .user = WD_USER_NOBODY, .frame_count = from->count - 1 };
    size_t length = zmq_msg_size(&from->frames[0]);
    wd_assert(length <= WD_PEER_ID_MAX);
    memcpy(message.peer.bytes, zmq_msg_data(&from->frames[0]), length);
    message.peer.length = (uint8_t)length;
    if (from->count > 1) {
        message.header = zmq_msg_data(&from->frames[1]);
        message.header_length = zmq_msg_size(&from->frames[1]);
        const char *user = zmq_msg_gets(&from->frames[1], "User-Id");  // the ZAP handler's word
        message.user = user == NULL ? WD_USER_NOBODY : wd_authority_user(authority, user);
        message.roles = wd_authority_roles(authority, message.user);
    }
    if (from->count > 2) {
        message.body = zmq_msg_data(&from->frames[2]);
        message.body_length = zmq_msg_size(&from->frames[2]);
    }
    return message;
}

// ---- sending ----------------------------------------------------------------------------------------------------

/// @retval 0, or errno: EHOSTUNREACH the peer is gone, EAGAIN its queue is full.
static int send_message(void *handle, const wd_broker_send *send)
{
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

static int send_answer(void *context, const wd_broker_send *send)
{
    const daemon_loop *loop = context;
    return send_message(loop->doors[WD_DOOR_CONTROL].door.socket, send);
}

/// A peer may bring this about as often as it likes.
static void log_unreached(served_door *at, const char *who, const char *why)
{
    if (wd_log_within(&at->log, now_ms())) {
        wd_log(WD_LOG_INFO, "%s cannot be reached: %s", who, why);
    }
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
        loop->doors[WD_DOOR_PLANNER].unread |= sending.planner.send_count > 0;
        loop->doors[WD_DOOR_CONTROL].unread |= sending.control.send_count > 0;
        for (size_t i = 0; i < sending.planner.send_count; i++) {
            const wd_broker_send *send = &sending.planner.sends[i];
            int reason = send_message(loop->doors[WD_DOOR_PLANNER].door.socket, send);
            if (reason != 0 && status == WD_OK) {
                log_unreached(&loop->doors[WD_DOOR_PLANNER], "a planner", zmq_strerror(reason));
                status = wd_service_planner_lost(loop->service, send->peer, now_ms(), &loop->outbox);
            }
        }
        for (size_t i = 0; i < sending.control.send_count; i++) {
            wd_broker_send *send = &sending.control.sends[i];
            int reason = send_message(loop->doors[WD_DOOR_CONTROL].door.socket, send);
            if (reason == EAGAIN && send->kind == WD_MSG_PROGRESS) {
                wd_service_control_dropped(loop->service, send);
            } else if (reason == EAGAIN && send->kind == WD_MSG_PONG) {
                continue;  // it has enough to read that shows we live
            } else if (reason == EAGAIN && wd_backlog_put(&loop->backlog, send, now_ms())) {
                continue;  // it is sent when there is room
            } else if (reason != 0) {
                log_unreached(&loop->doors[WD_DOOR_CONTROL], "a client", zmq_strerror(reason));
                wd_service_control_lost(loop->service, send->peer);
            }
        }
        wd_service_outbox_done(&sending);
    }
    return status;
}

/// Answers that found a full queue.
static void send_backlog(daemon_loop *loop)
{
    wd_peer_id lost;
    loop->doors[WD_DOOR_CONTROL].unread |= loop->backlog.count > 0;
    while (wd_backlog_retry(&loop->backlog, send_answer, loop, now_ms(), &lost)) {
        log_unreached(&loop->doors[WD_DOOR_CONTROL], "a client", "it reads no answers");
        wd_service_control_lost(loop->service, lost);
    }
}

// ---- the loop ---------------------------------------------------------------------------------------------------

static wd_status serve_door(daemon_loop *loop, served_door *at)
{
    wd_status status = WD_OK;
    for (int i = 0; status == WD_OK && i < MESSAGES_PER_TURN_MAX; i++) {
        inbound from;
        at->unread = receive(at->door.socket, &from);
        if (!at->unread) {
            break;
        }
        if (zmq_msg_size(&from.frames[0]) > WD_PEER_ID_MAX) {
            // Ids given by us have 5 bytes. A peer that names itself at such length cannot be answered.
            if (wd_log_within(&at->log, now_ms())) {
                wd_log(WD_LOG_WARNING, "%s socket: ignored a peer that names itself", at->door.options.name);
            }
            inbound_done(&from);
            continue;
        }
        wd_broker_message message = as_message(loop->authority, &from);
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

/// Each descriptor is the lowest that is free, so the newest connection's tells how many are taken.
static void watch_descriptors(daemon_loop *loop, uint32_t descriptor)
{
    bool short_of = (uint64_t)descriptor * 100 >= loop->descriptors_max * ALARM_PERCENT;
    if (short_of && !loop->alarmed) {
        wd_log(WD_LOG_WARNING,
            "%u of %llu descriptors are taken; past the limit worldd aborts and is started again", descriptor,
            (unsigned long long)loop->descriptors_max);
    }
    loop->alarmed = short_of;
}

/// A peer's connection ended without a Goodbye: it died, was refused, or was cut off because a frame was over the limit
/// or it fell silent. libzmq does not tell which, nor who.
static void count_disconnect(daemon_loop *loop, served_door *at)
{
    wd_service_count_disconnect(loop->service);
    if (at->goodbyes > 0) {  // all are counted, but an announced one is nothing to speak of
        at->goodbyes -= 1;
    } else if (wd_log_within(&at->log, now_ms())) {
        wd_log(WD_LOG_WARNING,
            "%s socket: a connection ended without goodbye: closed by the peer, or cut off (not let in, a "
            "frame "
            "over %lld bytes, or no heartbeat)",
            at->door.options.name, (long long)at->door.options.frame_max);
    }
}

/// What the monitor tells: event (u16), value (u32); then the endpoint.
static void take_events(daemon_loop *loop, served_door *at)
{
    inbound from;
    while (receive(at->door.monitor, &from)) {
        uint16_t event = 0;
        uint32_t value = 0;
        if (zmq_msg_size(&from.frames[0]) == sizeof event + sizeof value) {
            const uint8_t *bytes = zmq_msg_data(&from.frames[0]);
            memcpy(&event, bytes, sizeof event);
            memcpy(&value, bytes + sizeof event, sizeof value);
        }
        inbound_done(&from);
        if (event == ZMQ_EVENT_ACCEPTED) {
            watch_descriptors(loop, value);
        } else if (event == ZMQ_EVENT_DISCONNECTED) {
            count_disconnect(loop, at);
        }
    }
}

// ---- signals ------------------------------------------------------------------------------------------------------

/// Read grants and keys again. A fault in them is told, and the old ones stay.
static wd_status reload(daemon_loop *loop)
{
    wd_error error;
    wd_status status = wd_authority_load(loop->authority, &loop->plan->places, &error);
    if (status != WD_OK) {
        wd_log(WD_LOG_ERROR, "grants and keys are not read again, the old ones stay: %s", error.text);
        return WD_OK;
    }
    wd_authority_counts counts = wd_authority_counts_get(loop->authority);
    wd_log(WD_LOG_INFO, "read again: %zu grants, %zu keys", counts.grants, counts.keys);
    return wd_service_recheck(loop->service, loop->authority, now_ms(), &loop->outbox);
}

/// @param[out] ret_end  The signal that ends the daemon, if one came.
static wd_status take_signals(daemon_loop *loop, int *ret_end)
{
    struct signalfd_siginfo info;
    wd_status status = WD_OK;
    while (status == WD_OK && read(loop->signals, &info, sizeof info) == (ssize_t)sizeof info) {
        if (info.ssi_signo == SIGHUP) {
            status = reload(loop);
        } else {
            *ret_end = (int)info.ssi_signo;
        }
    }
    return status;
}

static int poll_timeout(const daemon_loop *loop)
{
    int64_t next = wd_service_next_ms(loop->service), now = now_ms();
    if (loop->backlog.count > 0 && next > now + WD_BACKLOG_RETRY_MS) {
        next = now + WD_BACKLOG_RETRY_MS;
    }
    if (next == INT64_MAX) {
        return -1;
    }
    return next <= now ? 0 : next - now > 60000 ? 60000 : (int)(next - now);
}

/// The descriptor that tells of news of a socket. It is silent about what libzmq came to know during a call on that socket:
/// after a send the socket is asked itself.
static int news_fd(void *socket)
{
    int fd = -1;
    size_t size = sizeof fd;
    return zmq_getsockopt(socket, ZMQ_FD, &fd, &size) == 0 ? fd : -1;
}

static bool has_news(void *socket)
{
    int events = 0;
    size_t size = sizeof events;
    return zmq_getsockopt(socket, ZMQ_EVENTS, &events, &size) == 0 && (events & ZMQ_POLLIN) != 0;
}

static void serve_zap(daemon_loop *loop)
{
    wd_zap_serve(&loop->zap, now_ms());
    wd_service_count_doors(loop->service, loop->zap.admitted, loop->zap.refused);
    loop->zap_unread = has_news(loop->zap.socket);
}

/// One round: what has come in, what is due, what is to be sent.
/// @param items  As run_loop() has them, polled.
static wd_status serve_all(daemon_loop *loop, const struct pollfd items[ITEM_COUNT], int *ret_end)
{
    wd_status status = WD_OK;
    if (items[ITEM_SIGNALS].revents != 0) {
        status = take_signals(loop, ret_end);
    }
    if (items[ITEM_ZAP].revents != 0 || loop->zap_unread) {
        serve_zap(loop);
    }
    for (int i = 0; status == WD_OK && i < WD_DOOR_COUNT; i++) {
        if (items[ITEM_DOOR + i].revents != 0 || loop->doors[i].unread) {
            status = serve_door(loop, &loop->doors[i]);
        }
        if (items[ITEM_MONITOR + i].revents != 0) {
            take_events(loop, &loop->doors[i]);
        }
    }
    if (status == WD_OK && items[ITEM_ENVS].revents != 0) {
        status = wd_service_take_envs(loop->service, &loop->outbox);
    }
    status = status == WD_OK ? wd_service_tick(loop->service, now_ms(), &loop->outbox) : status;
    send_backlog(loop);
    status = status == WD_OK ? flush(loop) : status;
    for (int i = 0; status == WD_OK && i < WD_DOOR_COUNT; i++) {
        if (loop->doors[i].unread) {
            status = serve_door(loop, &loop->doors[i]);
        }
    }
    return status;
}

/// Polled by hand: zmq_poll() asks each socket twice a turn, with a system call or two each time.
/// @param[out] ret_end  The signal that ended it; 0: an admin did, or an error.
static wd_status run_loop(daemon_loop *loop, int *ret_end)
{
    struct pollfd items[ITEM_COUNT] = {
        [ITEM_SIGNALS] = { .fd = loop->signals, .events = POLLIN },
        [ITEM_ENVS] = { .fd = wd_service_env_fd(loop->service), .events = POLLIN },
        [ITEM_ZAP] = { .fd = news_fd(loop->zap.socket), .events = POLLIN },
    };
    for (int i = 0; i < WD_DOOR_COUNT; i++) {
        served_door *at = &loop->doors[i];
        items[ITEM_DOOR + i] = (struct pollfd){ .fd = news_fd(at->door.socket), .events = POLLIN };
        items[ITEM_MONITOR + i] = (struct pollfd){ .fd = news_fd(at->door.monitor), .events = POLLIN };
        at->unread = true;  // what came before anybody looked
        take_events(loop, at);
    }
    loop->zap_unread = true;
    wd_status status = WD_OK;
    while (status == WD_OK && *ret_end == 0 && !wd_service_end_wanted(loop->service)) {
        bool unread = loop->zap_unread;
        for (int i = 0; i < WD_DOOR_COUNT; i++) {
            unread = unread || loop->doors[i].unread;
        }
        if (poll(items, ITEM_COUNT, unread ? 0 : poll_timeout(loop)) < 0) {
            if (errno != EINTR) {
                return WD_EIO;
            }
            continue;
        }
        status = serve_all(loop, items, ret_end);
    }
    return status;
}

static wd_status end_all(daemon_loop *loop, int signal_number)
{
    char reason[128];
    snprintf(reason, sizeof reason, "worldd was stopped (%s)",
        signal_number != 0 ? strsignal(signal_number) : "by request, or an error");
    wd_log(WD_LOG_INFO, "stopping: %s", reason);
    bool answers = wd_service_stats_get(loop->service).runs_open > 0;
    wd_status status = wd_service_shutdown(loop->service, reason, now_ms(), &loop->outbox);
    status = status == WD_OK ? flush(loop) : status;
    // A client with ZMQ_IMMEDIATE loses what it has not read when the connection ends.
    for (int64_t end = now_ms() + LAST_ANSWERS_MS; answers && now_ms() < end;) {
        poll(NULL, 0, WD_BACKLOG_RETRY_MS);
        send_backlog(loop);
    }
    return status;
}

// ---- life -------------------------------------------------------------------------------------------------------

static int open_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

/// libzmq aborts when descriptors run out on an ipc listener, so take all that we may have (zmq.md section 2).
static uint64_t raise_descriptor_limit(void)
{
    struct rlimit limit = { .rlim_cur = 1024 };
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
        getrlimit(RLIMIT_NOFILE, &limit);
    }
    return limit.rlim_cur;
}

/// Who and where we are, for clients that were told no endpoint.
static wd_status write_identity(
    const daemon_loop *loop, const wd_daemon_directory *directory, wd_error *error)
{
    const wd_daemon_identity identity = {
        .planner = loop->config->planner_endpoint,
        .control = loop->config->control_endpoint,
        .planner_tcp = loop->doors[WD_DOOR_PLANNER].door.tcp,
        .control_tcp = loop->doors[WD_DOOR_CONTROL].door.tcp,
        .server_key = loop->plan->has_key ? loop->plan->key.public_key : "",
        .boot_id = loop->boot_id,
        .group = loop->plan->has_group ? loop->plan->group : (gid_t)-1,
    };
    return wd_daemon_directory_tell(directory, &identity, error);
}

static wd_status make_episodes_directory(const char *path, wd_error *error)
{
    if (mkdir(path, 0700) != 0 && errno != EEXIST) {
        return wd_error_set(error, WD_EIO, "%s: %s", path, strerror(errno));
    }
    return WD_OK;
}

/// The doors are proved shut before the grants are known, and opened after: nobody slips through, and nobody who may come
/// in is turned away meanwhile.
static wd_status open_doors(daemon_loop *loop, wd_error *error)
{
    wd_status status = wd_zap_open(loop->context, loop->authority, &loop->zap, error);
    for (int i = 0; status == WD_OK && i < WD_DOOR_COUNT; i++) {
        loop->doors[i].planner = i == WD_DOOR_PLANNER;
        status = wd_door_new(loop->context, &loop->plan->doors[i], &loop->zap, &loop->doors[i].door, error);
    }
    loop->zap.admitted = loop->zap.refused = 0;
    status = status == WD_OK ? wd_authority_load(loop->authority, &loop->plan->places, error) : status;
    for (int i = 0; status == WD_OK && i < WD_DOOR_COUNT; i++) {
        status = wd_door_bind(loop->context, &loop->doors[i].door, error);
    }
    return status;
}

static wd_status open_all(daemon_loop *loop, const wd_daemon_directory *directory, wd_error *error)
{
    loop->context = zmq_ctx_new();
    loop->signals = open_signals();
    loop->descriptors_max = raise_descriptor_limit();
    if (loop->context == NULL || loop->signals < 0 || wd_authority_new(&loop->authority) != WD_OK ||
        getrandom(loop->boot_id, sizeof loop->boot_id, 0) != (ssize_t)sizeof loop->boot_id) {
        return wd_error_set(error, WD_EIO, "cannot start: %s", strerror(errno));
    }
    wd_status status = make_episodes_directory(loop->config->episodes, error);
    if (status == WD_OK) {
        wd_episode_disk_tidy(loop->config->episodes);
        status = wd_service_new(loop->config, loop->boot_id, &loop->service, error);
    }
    status = status == WD_OK ? open_doors(loop, error) : status;
    return status == WD_OK ? write_identity(loop, directory, error) : status;
}

static void close_all(daemon_loop *loop)
{
    wd_service_destroy(&loop->service);
    wd_service_outbox_done(&loop->outbox);
    wd_backlog_done(&loop->backlog);
    for (int i = 0; i < WD_DOOR_COUNT; i++) {
        wd_door_close(&loop->doors[i].door);
    }
    wd_zap_close(&loop->zap);
    wd_authority_destroy(&loop->authority);
    if (loop->signals >= 0) {
        close(loop->signals);
    }
    if (loop->context != NULL) {
        zmq_ctx_term(loop->context);  // waits for what is on its way, no longer than ZMQ_LINGER
    }
}

wd_status wd_daemon_serve(const wd_config *config, void (*ready)(const wd_config *config), wd_error *error)
{
    wd_daemon_plan plan;
    wd_daemon_directory directory;
    wd_status status = wd_daemon_plan_make(config, &plan, error);
    if (status != WD_OK) {
        return status;
    }
    status = wd_daemon_directory_take(
        config->directory, plan.has_group ? plan.group : (gid_t)-1, &directory, error);
    if (status != WD_OK) {
        wd_daemon_plan_done(&plan);
        return status;
    }
    daemon_loop loop = { .config = config, .plan = &plan, .signals = -1 };
    status = open_all(&loop, &directory, error);
    if (status == WD_OK) {
        if (ready != NULL) {
            ready(config);
        }
        int signal_number = 0;
        status = run_loop(&loop, &signal_number);
        wd_status ended = end_all(&loop, signal_number);
        status = status == WD_OK ? ended : status;
        if (status != WD_OK) {
            wd_error_set(error, status, "the loop broke: %s", wd_status_text(status));
        }
    }
    close_all(&loop);
    wd_daemon_directory_release(&directory);
    wd_daemon_plan_done(&plan);
    return status;
}
