#include "planner_stub/session.h"

#include "proto/frame.h"
#include "scratch.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

enum {
    JOBS_MAX = 64,           // requests being thought about
    WELCOME_WAIT_MS = 3000,  // no Welcome by then: not authorised, or not worldd
    BACK_OFF_MIN_MS = 100,
    BACK_OFF_MAX_MS = 10000,
    CALM_MS = 30000,  // a session that lasted so long resets the back-off
    FRAME_MAX = 8 * 1024 * 1024,
    GO_ON = -1,  // no exit status yet
};

typedef struct plan_job {
    uint64_t request_id;
    uint8_t *reply;  // NULL: a PlanError with `error`
    size_t reply_length;
    int64_t due_ms;  // when the thinking is over
    bool ends_run;
    char error[256];
} plan_job;

typedef struct planner_session {
    const wd_session_options *options;
    wd_plan_function *plan;
    void *context;
    void *zmq, *socket;
    int signal_fd;
    uint8_t instance[16], boot_id[16];
    bool welcome;  // of this connection
    uint32_t heartbeat_ms, liveness;
    int64_t opened_ms, heard_ms, beat_ms;
    uint64_t beats;
    plan_job jobs[JOBS_MAX];
    size_t job_count;
    wd_scratch scratch;  // of the request being planned
    bool mute;           // WD_FAULT_SILENT took effect
    int exit_status;
} planner_session;

static const char *const fault_names[WD_FAULT_COUNT] = { "none", "hang", "silent", "die", "twice", "garbage",
    "stranger", "refuse" };

const char *wd_fault_name(wd_fault fault)
{
    return fault_names[fault];
}

static int64_t clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void say(const planner_session *session, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void say(const planner_session *session, const char *format, ...)
{
    if (!session->options->quiet) {
        va_list args;
        va_start(args, format);
        printf("planner %s: ", session->options->name);
        vprintf(format, args);
        putchar('\n');
        fflush(stdout);
        va_end(args);
    }
}

// ---- sending --------------------------------------------------------------------------------------------------

static void send_body(planner_session *session, uint16_t kind, const void *body, size_t length)
{
    uint8_t header[WD_FRAME_HEADER_SIZE];
    wd_frame_write(kind, header);
    if (zmq_send(session->socket, header, sizeof header, ZMQ_SNDMORE) < 0 ||
        zmq_send(session->socket, body, length, 0) < 0) {
        session->heard_ms = INT64_MIN / 2;  // nobody takes it: start over
    }
}

static void send_message(planner_session *session, uint16_t kind, const ProtobufCMessage *message)
{
    size_t length = protobuf_c_message_get_packed_size(message);
    uint8_t *body = malloc(length + 1);
    if (body != NULL) {
        protobuf_c_message_pack(message, body);
        send_body(session, kind, body, length);
    }
    free(body);
}

static void send_hello(planner_session *session)
{
    Worldd__V1__Hello hello;
    worldd__v1__hello__init(&hello);
    static char role[] = "planner";
    hello.min_major = WD_PROTO_MAJOR;
    hello.max_major = WD_PROTO_MAJOR;
    hello.max_minor = WD_PROTO_MINOR;
    hello.role = role;
    hello.name = (char *)(uintptr_t)session->options->name;
    hello.instance = (ProtobufCBinaryData){ sizeof session->instance, session->instance };
    hello.max_inflight = session->options->max_inflight;
    hello.max_frame = FRAME_MAX;
    send_message(session, WD_MSG_HELLO, &hello.base);
}

static void send_ping(planner_session *session, uint16_t kind, uint64_t sequence)
{
    Worldd__V1__Ping ping;
    worldd__v1__ping__init(&ping);
    ping.sequence = sequence;
    send_message(session, kind, &ping.base);
}

static void send_plan_error(planner_session *session, uint64_t request_id, const char *text)
{
    Worldd__V1__PlanError error;
    worldd__v1__plan_error__init(&error);
    error.request_id = request_id;
    error.text = (char *)(uintptr_t)text;
    send_message(session, WD_MSG_PLAN_ERROR, &error.base);
}

static void send_goodbye(planner_session *session, const char *reason)
{
    Worldd__V1__Goodbye goodbye;
    worldd__v1__goodbye__init(&goodbye);
    goodbye.reason = (char *)(uintptr_t)reason;
    send_message(session, WD_MSG_GOODBYE, &goodbye.base);
}

// ---- jobs -----------------------------------------------------------------------------------------------------

static void job_drop(planner_session *session, size_t index)
{
    free(session->jobs[index].reply);
    session->job_count--;
    memmove(&session->jobs[index], &session->jobs[index + 1],
        (session->job_count - index) * sizeof session->jobs[0]);
}

static void job_send(planner_session *session, const plan_job *job)
{
    wd_fault fault = session->options->fault;
    if (fault == WD_FAULT_REFUSE || job->reply == NULL) {
        send_plan_error(session, job->request_id, job->reply == NULL ? job->error : "told to refuse");
        return;
    }
    if (fault == WD_FAULT_STRANGER) {
        static const uint8_t stranger[] = { 0x08, 0xff, 0xff, 0xff, 0x7f, 0x12, 0x06, 0x0a, 0x04, 'b', 'a',
            'c', 'k' };
        send_body(session, WD_MSG_PLAN_REPLY, stranger, sizeof stranger);
    }
    if (fault == WD_FAULT_GARBAGE) {  // the id can be read, and nothing after it
        Worldd__V1__PlanCancel id;
        uint8_t garbage[32];
        worldd__v1__plan_cancel__init(&id);
        id.request_id = job->request_id;
        size_t length = worldd__v1__plan_cancel__pack(&id, garbage);
        memset(garbage + length, 0xff, 3);
        send_body(session, WD_MSG_PLAN_REPLY, garbage, length + 3);
        return;
    }
    for (int i = 0; i < (fault == WD_FAULT_TWICE ? 2 : 1); i++) {
        send_body(session, WD_MSG_PLAN_REPLY, job->reply, job->reply_length);
    }
}

/// Send what has been thought about long enough.
static void jobs_finish(planner_session *session, int64_t now_ms)
{
    for (size_t i = 0; i < session->job_count && !session->mute;) {
        if (session->jobs[i].due_ms > now_ms || session->options->fault == WD_FAULT_HANG) {
            i++;
            continue;
        }
        job_send(session, &session->jobs[i]);
        if (session->jobs[i].ends_run && session->options->once) {
            session->exit_status = 0;
        }
        job_drop(session, i);
    }
}

static void jobs_drop(planner_session *session)
{
    while (session->job_count > 0) {
        job_drop(session, session->job_count - 1);
    }
}

static void job_cancel(planner_session *session, uint64_t request_id)
{
    for (size_t i = 0; i < session->job_count; i++) {
        if (session->jobs[i].request_id == request_id) {
            say(session, "request %llu is not wanted any more", (unsigned long long)request_id);
            job_drop(session, i);
            return;
        }
    }
}

static void job_start(planner_session *session, const uint8_t *body, size_t length, int64_t now_ms)
{
    wd_scratch_reset(&session->scratch);
    Worldd__V1__PlanRequest *request =
        worldd__v1__plan_request__unpack(&session->scratch.allocator, length, body);
    if (request == NULL) {
        send_plan_error(session, 0, "the request cannot be read");
        return;
    }
    if (session->options->fault == WD_FAULT_DIE) {
        _exit(9);
    }
    session->mute = session->options->fault == WD_FAULT_SILENT;
    if (session->job_count == JOBS_MAX) {
        send_plan_error(session, request->request_id, "too many requests at once");
    } else {
        plan_job *job = &session->jobs[session->job_count++];
        *job = (plan_job){ .request_id = request->request_id, .due_ms = now_ms + session->options->think_ms };
        job->reply = session->plan(session->context, request, &job->reply_length, &job->ends_run, job->error);
        say(session, "run %s, step %u: asked", request->run_id, request->step_index);
    }
}

// ---- receiving ------------------------------------------------------------------------------------------------

static void take_welcome(planner_session *session, const uint8_t *body, size_t length, int64_t now_ms)
{
    Worldd__V1__Welcome *welcome = worldd__v1__welcome__unpack(NULL, length, body);
    if (welcome == NULL || welcome->boot_id.len != sizeof session->boot_id || welcome->heartbeat_ms == 0) {
        say(session, "this is no Welcome");
    } else {
        if (memcmp(session->boot_id, welcome->boot_id.data, sizeof session->boot_id) != 0) {
            jobs_drop(session);  // another worldd: it knows nothing of them
        }
        memcpy(session->boot_id, welcome->boot_id.data, sizeof session->boot_id);
        session->heartbeat_ms = welcome->heartbeat_ms;
        session->liveness = welcome->liveness == 0 ? 1 : welcome->liveness;
        session->beat_ms = now_ms + session->heartbeat_ms;
        session->welcome = true;
        say(session, "welcome (protocol %u.%u)", welcome->major, welcome->minor);
    }
    if (welcome != NULL) {
        worldd__v1__welcome__free_unpacked(welcome, NULL);
    }
}

static void take_goodbye(planner_session *session, const uint8_t *body, size_t length)
{
    Worldd__V1__Goodbye *goodbye = worldd__v1__goodbye__unpack(NULL, length, body);
    const char *reason = goodbye == NULL ? "" : goodbye->reason;
    say(session, "goodbye: %s", reason);
    if (strcmp(reason, "superseded") == 0) {
        session->exit_status = 3;
    }
    session->heard_ms = INT64_MIN / 2;  // this connection is over
    if (goodbye != NULL) {
        worldd__v1__goodbye__free_unpacked(goodbye, NULL);
    }
}

static void take_reject(planner_session *session, const uint8_t *body, size_t length)
{
    Worldd__V1__Reject *reject = worldd__v1__reject__unpack(NULL, length, body);
    fprintf(
        stderr, "planner %s: rejected: %s\n", session->options->name, reject == NULL ? "?" : reject->text);
    session->exit_status = 2;
    if (reject != NULL) {
        worldd__v1__reject__free_unpacked(reject, NULL);
    }
}

static void take_ping(planner_session *session, const uint8_t *body, size_t length)
{
    Worldd__V1__Ping *ping = worldd__v1__ping__unpack(NULL, length, body);
    if (ping != NULL) {
        send_ping(session, WD_MSG_PONG, ping->sequence);
        worldd__v1__ping__free_unpacked(ping, NULL);
    }
}

static void take_cancel(planner_session *session, const uint8_t *body, size_t length)
{
    Worldd__V1__PlanCancel *cancel = worldd__v1__plan_cancel__unpack(NULL, length, body);
    if (cancel != NULL) {
        job_cancel(session, cancel->request_id);
        worldd__v1__plan_cancel__free_unpacked(cancel, NULL);
    }
}

static void take_error(planner_session *session, const uint8_t *body, size_t length)
{
    Worldd__V1__Error *error = worldd__v1__error__unpack(NULL, length, body);
    if (error != NULL) {
        say(session, "worldd says: %s", error->text);
        worldd__v1__error__free_unpacked(error, NULL);
    }
}

static void take_message(
    planner_session *session, uint16_t kind, const uint8_t *body, size_t length, int64_t now_ms)
{
    switch (kind) {
    case WD_MSG_WELCOME:
        take_welcome(session, body, length, now_ms);
        break;
    case WD_MSG_REJECT:
        take_reject(session, body, length);
        break;
    case WD_MSG_WHO_ARE_YOU:
        jobs_drop(session);
        send_hello(session);
        break;
    case WD_MSG_GOODBYE:
        take_goodbye(session, body, length);
        break;
    case WD_MSG_PING:
        take_ping(session, body, length);
        break;
    case WD_MSG_ERROR:
        take_error(session, body, length);
        break;
    case WD_MSG_PLAN_REQUEST:
        job_start(session, body, length, now_ms);
        break;
    case WD_MSG_PLAN_CANCEL:
        take_cancel(session, body, length);
        break;
    default:
        break;  // Pong: its coming is all there is to it
    }
}

/// Read one message whole. @return false: there is none.
static bool receive(planner_session *session, int64_t now_ms)
{
    zmq_msg_t
        frames[3];  // header, body, and whatever more there may be: no message of this version has blobs
    size_t count = 0;
    bool more = true;
    for (size_t i = 0; i < 3; i++) {
        zmq_msg_init(&frames[i]);
    }
    // The frames of a message arrive together, so only the first can be missing.
    while (more && zmq_msg_recv(&frames[count < 2 ? count : 2], session->socket, ZMQ_DONTWAIT) >= 0) {
        more = zmq_msg_more(&frames[count < 2 ? count : 2]) != 0;
        count++;
    }
    uint16_t kind = 0;
    if (count > 0) {
        session->heard_ms = now_ms;
    }
    if (count == 2 &&
        wd_frame_read(zmq_msg_data(&frames[0]), zmq_msg_size(&frames[0]), &kind) == WD_FRAME_OK) {
        take_message(session, kind, zmq_msg_data(&frames[1]), zmq_msg_size(&frames[1]), now_ms);
    }
    for (size_t i = 0; i < 3; i++) {
        zmq_msg_close(&frames[i]);
    }
    return count > 0;
}

// ---- the loop -------------------------------------------------------------------------------------------------

static bool open_socket(planner_session *session)
{
    const struct {
        int option, value;
    } options[] = { { ZMQ_LINGER, 200 }, { ZMQ_SNDHWM, 64 }, { ZMQ_RCVHWM, 64 }, { ZMQ_IMMEDIATE, 1 },
        { ZMQ_SNDTIMEO, 2000 }, { ZMQ_HEARTBEAT_IVL, 2000 }, { ZMQ_HEARTBEAT_TIMEOUT, 6000 },
        { ZMQ_HEARTBEAT_TTL, 6000 }, { ZMQ_RECONNECT_IVL, 100 }, { ZMQ_RECONNECT_IVL_MAX, 5000 } };
    int64_t frame_max = FRAME_MAX;
    session->socket = zmq_socket(session->zmq, ZMQ_DEALER);  // no routing id: worldd names its peers
    bool set = session->socket != NULL &&
               zmq_setsockopt(session->socket, ZMQ_MAXMSGSIZE, &frame_max, sizeof frame_max) == 0;
    for (size_t i = 0; set && i < sizeof options / sizeof options[0]; i++) {
        set = zmq_setsockopt(session->socket, options[i].option, &options[i].value, sizeof(int)) == 0;
    }
    if (!set || zmq_connect(session->socket, session->options->endpoint) != 0) {
        fprintf(stderr, "planner %s: %s: %s\n", session->options->name, session->options->endpoint,
            zmq_strerror(errno));
        session->exit_status = 2;
        return false;
    }
    return true;
}

/// When something of our own is due.
static int64_t next_due_ms(const planner_session *session)
{
    int64_t due_ms = session->welcome ? session->heard_ms + (int64_t)session->heartbeat_ms * session->liveness
                                      : session->opened_ms + WELCOME_WAIT_MS;
    if (session->welcome && session->beat_ms < due_ms) {
        due_ms = session->beat_ms;
    }
    for (size_t i = 0; i < session->job_count && session->options->fault != WD_FAULT_HANG; i++) {
        due_ms = session->jobs[i].due_ms < due_ms ? session->jobs[i].due_ms : due_ms;
    }
    return due_ms;
}

/// Wait at most until `until_ms` for the socket (when there is one) or a signal. A signal asks to leave.
static void wait_for(planner_session *session, int64_t until_ms)
{
    zmq_pollitem_t items[2] = { { .fd = session->signal_fd, .events = ZMQ_POLLIN },
        { .socket = session->socket, .events = ZMQ_POLLIN } };
    int64_t left_ms = until_ms - clock_ms();
    zmq_poll(items, session->socket == NULL ? 1 : 2, left_ms > 0 ? (long)left_ms : 0);
    if ((items[0].revents & ZMQ_POLLIN) != 0) {
        session->exit_status = 0;
    }
}

/// One connection, until worldd is silent or says so, or the program is to end.
static void serve(planner_session *session)
{
    session->welcome = false;
    session->opened_ms = session->heard_ms = clock_ms();
    if (!open_socket(session)) {
        return;
    }
    send_hello(session);
    while (session->exit_status == GO_ON) {
        int64_t now_ms = clock_ms();
        int64_t silence_ms =
            session->welcome ? (int64_t)session->heartbeat_ms * session->liveness : WELCOME_WAIT_MS;
        if (now_ms - session->heard_ms >= silence_ms ||
            (!session->welcome && now_ms - session->opened_ms >= silence_ms)) {
            say(session, session->welcome ? "worldd is gone" : "no welcome: not there, or not authorised");
            break;
        }
        if (session->mute) {
            wait_for(session, now_ms + 1000 * 1000);  // only a signal helps
            session->heard_ms = clock_ms();
            continue;
        }
        if (session->welcome && now_ms >= session->beat_ms) {
            send_ping(session, WD_MSG_PING, ++session->beats);
            session->beat_ms = now_ms + session->heartbeat_ms;
        }
        jobs_finish(session, now_ms);
        while (session->exit_status == GO_ON && !session->mute && receive(session, clock_ms())) {
            jobs_finish(session, clock_ms());
        }
        if (session->exit_status == GO_ON) {
            wait_for(session, next_due_ms(session));
        }
    }
    if (session->exit_status == 0 && session->welcome && !session->mute) {
        send_goodbye(session, "done");
    }
    jobs_drop(session);
    zmq_close(session->socket);
    session->socket = NULL;
}

static uint32_t random_below(uint32_t bound)
{
    uint32_t number = 0;
    (void)!getrandom(&number, sizeof number, 0);  // only spreads the retries of many planners
    return number % bound;
}

int wd_session_run(const wd_session_options *options, wd_plan_function *plan, void *context)
{
    planner_session session = { .options = options, .plan = plan, .context = context, .exit_status = GO_ON };
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    session.signal_fd = signalfd(-1, &signals, SFD_CLOEXEC);
    session.zmq = zmq_ctx_new();
    if (session.signal_fd < 0 || session.zmq == NULL ||
        getrandom(session.instance, sizeof session.instance, 0) != sizeof session.instance) {
        fprintf(stderr, "planner %s: %s\n", options->name, strerror(errno));
        return 1;
    }
    int64_t reached_ms = clock_ms();
    uint32_t back_off_ms = BACK_OFF_MIN_MS;
    while (session.exit_status == GO_ON) {
        serve(&session);
        int64_t now_ms = clock_ms();
        reached_ms = session.welcome ? now_ms : reached_ms;
        back_off_ms = session.welcome && now_ms - session.opened_ms > CALM_MS ? BACK_OFF_MIN_MS : back_off_ms;
        if (session.exit_status == GO_ON && options->give_up_ms > 0 &&
            now_ms - reached_ms > options->give_up_ms) {
            fprintf(stderr, "planner %s: worldd cannot be reached at %s\n", options->name, options->endpoint);
            session.exit_status = 1;
        }
        if (session.exit_status == GO_ON) {
            wait_for(&session, now_ms + back_off_ms / 2 + random_below(back_off_ms / 2 + 1));
            back_off_ms = back_off_ms * 2 < BACK_OFF_MAX_MS ? back_off_ms * 2 : BACK_OFF_MAX_MS;
        }
    }
    wd_scratch_done(&session.scratch);
    zmq_ctx_term(session.zmq);
    close(session.signal_fd);
    return session.exit_status;
}
