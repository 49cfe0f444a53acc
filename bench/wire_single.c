// wire_single.c - one phone, stepped by one message after the other: what the way through the daemon takes beyond the step
// itself, against a bare echo of the same frames. All processes on one core. The three kinds have their turns one by one, so
// that each finds the caches as the others left them: a step in a loop of its own would find them as it left them itself,
// which no step that waits for an answer does.
#include "notes_steps.h"
#include "private_daemon.h"
#include "raw_peer.h"
#include "wire.h"

#include "proto/frame.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zmq.h>

enum {
    CYCLES = 1500,
    CYCLES_QUICK = 100,
    WARM_UP = 20,
    REPLY_MAX = 4096,
    // Fields of EnvBatch.
    REQUEST_ID = 1,
    ENV_IDS = 3,
    ACTIONS,
    ARGS_JSON,
};

typedef struct single_bench {
    wd_bench *bench;
    private_daemon daemon;
    notes_herd herd;
    notes_peer owner;  // whose env it is
    pid_t echo;
    char echo_endpoint[PRIVATE_DAEMON_PATH_SIZE];
    void *zmq, *socket, *echo_socket;
    raw_body request;
    uint8_t reply[REPLY_MAX];
    size_t reply_length;
    uint64_t request_last;
    size_t steps;  // of the daemon's phone
} single_bench;

// ---- the echo -------------------------------------------------------------------------------------------------------

/// Answers every message with the body of its first one.
static _Noreturn void echo_main(const char *endpoint)
{
    static uint8_t first[REPLY_MAX], body[REPLY_MAX];
    uint8_t id[64], header[WD_FRAME_HEADER_SIZE];
    void *zmq = zmq_ctx_new(), *router = zmq_socket(zmq, ZMQ_ROUTER);
    int first_length = -1;
    if (router == NULL || zmq_bind(router, endpoint) != 0) {
        _exit(1);
    }
    for (;;) {
        int id_length = zmq_recv(router, id, sizeof id, 0);
        int header_length = zmq_recv(router, header, sizeof header, 0);
        int body_length = zmq_recv(router, body, sizeof body, 0);
        if (id_length < 0 || header_length != (int)sizeof header || body_length < 0) {
            _exit(1);
        }
        if (first_length < 0) {
            memcpy(first, body, sizeof first);
            first_length = body_length;
        }
        (void)zmq_send(router, id, (size_t)id_length, ZMQ_SNDMORE);
        (void)zmq_send(router, header, sizeof header, ZMQ_SNDMORE);
        (void)zmq_send(router, first, (size_t)first_length, 0);
    }
}

static bool exchange(void *socket, single_bench *single)
{
    uint16_t kind = 0;
    return raw_send(socket, WD_MSG_ENV_BATCH, &single->request) &&
           raw_receive(socket, &kind, single->reply, sizeof single->reply, &single->reply_length) &&
           kind != WD_MSG_ERROR;
}

// ---- one step of each kind ------------------------------------------------------------------------------------------

static bool step_in_daemon(single_bench *single)
{
    single->request.length = 0;
    raw_put_number(&single->request, REQUEST_ID, ++single->request_last);
    raw_put_bytes(&single->request, ENV_IDS, single->owner.ids[0].bytes, WD_CLIENT_ID_SIZE);
    raw_put_text(&single->request, ACTIONS, "tap");
    raw_put_text(&single->request, ARGS_JSON, notes_step_args(single->steps++));
    return exchange(single->socket, single);
}

static bool step_in_process(single_bench *single)
{
    return notes_herd_step(&single->herd, 1);
}

static bool step_of_echo(single_bench *single)
{
    return exchange(single->echo_socket, single);
}

/// Nanoseconds of one step.
static bool time_one(single_bench *single, bool (*step)(single_bench *single), double *sum)
{
    uint64_t began = wd_bench_now_ns();
    bool done = step(single);
    *sum += (double)(wd_bench_now_ns() - began);
    return done;
}

/// The mean of a step over one cycle of each kind: its steps differ.
static bool time_cycle(single_bench *single, double *ret_daemon, double *ret_process, double *ret_echo)
{
    double daemon = 0, process = 0, echo = 0;
    bool done = true;
    for (size_t i = 0; done && i < NOTES_CYCLE; i++) {
        done = time_one(single, step_in_daemon, &daemon) && time_one(single, step_in_process, &process) &&
               time_one(single, step_of_echo, &echo);
    }
    *ret_daemon = daemon / NOTES_CYCLE;
    *ret_process = process / NOTES_CYCLE;
    *ret_echo = echo / NOTES_CYCLE;
    return done;
}

static void measure(single_bench *single)
{
    static double daemon[CYCLES], process[CYCLES], echo[CYCLES];
    size_t cycles = wd_bench_quick(single->bench) ? CYCLES_QUICK : CYCLES;
    bool done = true;
    for (size_t i = 0; done && i < WARM_UP; i++) {  // the echo learns its answer, too
        done = time_cycle(single, daemon, process, echo);
    }
    for (size_t i = 0; done && i < cycles; i++) {
        done = time_cycle(single, daemon + i, process + i, echo + i);
    }
    if (!done) {
        wd_bench_fail(single->bench, "single steps: no answer");
        return;
    }
    double in_daemon = wd_bench_median(daemon, cycles), in_process = wd_bench_median(process, cycles);
    wd_bench_add(single->bench,
        &(wd_bench_row){ .name = "a single tap in the process", .value = in_process / 1e3, .unit = "us" });
    wd_bench_add(single->bench,
        &(wd_bench_row){ .name = "a single tap over ipc", .value = in_daemon / 1e3, .unit = "us" });
    wd_bench_add(single->bench, &(wd_bench_row){ .name = "the way there and back, against an echo",
                                    .value = (in_daemon - in_process) / 1e3,
                                    .unit = "us",
                                    .baseline = wd_bench_median(echo, cycles) / 1e3 });
}

static bool start(single_bench *single)
{
    static const char *const settings[] = { "env.workers=1", NULL };
    if (!private_daemon_start(single->bench, settings, &single->daemon)) {
        return false;
    }
    snprintf(
        single->echo_endpoint, sizeof single->echo_endpoint, "ipc://%.450s/echo", single->daemon.directory);
    single->echo = fork();
    if (single->echo == 0) {
        echo_main(single->echo_endpoint);
    }
    bool ready = single->echo > 0 && notes_herd_start(single->bench, 1, &single->herd) &&
                 notes_peer_start(single->bench, single->daemon.control, 1, &single->owner);
    if (ready) {
        single->zmq = zmq_ctx_new();
        single->socket = raw_introduce(single->zmq, single->daemon.control, "client", "single", 1, 1);
        single->echo_socket = raw_open(single->zmq, single->echo_endpoint);
        ready = single->socket != NULL && single->echo_socket != NULL;
    }
    return ready;
}

static void stop(single_bench *single)
{
    if (single->zmq != NULL) {
        zmq_close(single->socket);
        zmq_close(single->echo_socket);
        zmq_ctx_term(single->zmq);
    }
    if (single->echo > 0) {
        kill(single->echo, SIGKILL);
        waitpid(single->echo, NULL, 0);
    }
    notes_peer_stop(&single->owner);
    notes_herd_stop(&single->herd);
    private_daemon_stop(&single->daemon);
}

void wire_single(wd_bench *bench)
{
    static single_bench single;
    single = (single_bench){ .bench = bench };
    cpu_set_t core, all;
    CPU_ZERO(&core);
    CPU_SET(0, &core);
    if (sched_getaffinity(0, sizeof all, &all) != 0 || sched_setaffinity(0, sizeof core, &core) != 0) {
        wd_bench_fail(bench, "this process cannot be kept on one core");
        return;
    }
    if (start(&single)) {
        measure(&single);
    }
    stop(&single);
    (void)sched_setaffinity(0, sizeof all, &all);
}
