// wire_runs.c - 2,000 runs that wait for slow planners at once: what a step costs the daemon against one run's, and that
// nobody gets a thread for it. The planners and the clients are sockets of this thread.
#include "private_daemon.h"
#include "raw_peer.h"
#include "wire.h"

#include "proto/frame.h"

#include <stdio.h>
#include <string.h>
#include <zmq.h>

enum {
    RUNS = 2000,
    RUNS_QUICK = 100,
    CLIENTS = 8,    // each may have 256 requests open
    PLANNERS = 32,  // each takes 64 requests at once
    PLANNER_INFLIGHT = 64,
    STEPS_ALONE = 800,
    STEPS_ALONE_QUICK = 200,
    STEPS_EACH = 3,
    DELAY_ALONE_NS = 1000 * 1000,  // how late a planner answers
    DELAY_NS = 500 * 1000 * 1000,
    IDLE_MS = 20000,  // nothing comes for so long: the benchmark failed
    MESSAGE_MAX = 64 * 1024,
    // Fields of Control, PlanRequest, PlanReply and PlannedStep.
    REQUEST_ID = 1,
    CONTROL_VERB = 2,
    CONTROL_ARGS = 3,
    STEP_INDEX = 6,
    REPLY_STEPS = 2,
    STEP_ACTION = 1,
    STEP_ARGS = 2,
};

/// A plan request that a planner thinks about.
typedef struct thought {
    uint64_t due_ns, request_id, step_index;
    void *planner;
} thought;

typedef struct runs_bench {
    wd_bench *bench;
    private_daemon daemon;
    void *zmq, *clients[CLIENTS], *planners[PLANNERS];
    thought thoughts[RUNS + 1];  // a ring, by time: all are equally slow
    size_t first, count;
    uint64_t requests;  // plan requests that came
    uint64_t delay_ns;
    bool holding;  // nobody answers yet
    bool failed;
} runs_bench;

static bool start(runs_bench *runs)
{
    static const char *const settings[] = { "env.workers=1", "run.step_limit=1000", "run.repetition_limit=0",
        "run.deadline_ms=3600000", "planner.attempt_timeout_ms=3600000", "planner.heartbeat_ms=60000",
        "daemon.compress_episodes=false", NULL };
    if (!private_daemon_start(runs->bench, settings, &runs->daemon)) {
        return false;
    }
    runs->zmq = zmq_ctx_new();
    bool ready = runs->zmq != NULL;
    for (size_t i = 0; ready && i < PLANNERS; i++) {
        char name[32];
        snprintf(name, sizeof name, "slow-%zu", i);
        runs->planners[i] =
            raw_introduce(runs->zmq, runs->daemon.planner, "planner", name, i + 1, PLANNER_INFLIGHT);
        ready = runs->planners[i] != NULL;
    }
    for (size_t i = 0; ready && i < CLIENTS; i++) {
        runs->clients[i] = raw_introduce(runs->zmq, runs->daemon.control, "client", "bench", i + 1, 1);
        ready = runs->clients[i] != NULL;
    }
    if (!ready) {
        wd_bench_fail(runs->bench, "worldd welcomes no planners or clients");
    }
    return ready;
}

static void stop(runs_bench *runs)
{
    if (runs->zmq != NULL) {
        for (size_t i = 0; i < PLANNERS; i++) {
            zmq_close(runs->planners[i]);
        }
        for (size_t i = 0; i < CLIENTS; i++) {
            zmq_close(runs->clients[i]);
        }
        zmq_ctx_term(runs->zmq);
    }
    private_daemon_stop(&runs->daemon);
}

static bool begin_run(runs_bench *runs, size_t index)
{
    raw_body control = { .length = 0 };
    raw_put_number(&control, REQUEST_ID, 1 + index / CLIENTS);
    raw_put_text(&control, CONTROL_VERB, "run");
    raw_put_text(&control, CONTROL_ARGS, "{\"task\":\"demo/hello\"}");
    return raw_send(runs->clients[index % CLIENTS], WD_MSG_CONTROL, &control);
}

/// Settings and home in turns: every step changes the phone.
static void answer(runs_bench *runs, const thought *about)
{
    bool away = about->step_index % 2 == 0;
    raw_body step = { .length = 0 }, reply = { .length = 0 };
    raw_put_text(&step, STEP_ACTION, away ? "launch_app" : "home");
    raw_put_text(&step, STEP_ARGS, away ? "{\"app\":\"settings\"}" : "{}");
    raw_put_number(&reply, REQUEST_ID, about->request_id);
    raw_put_bytes(&reply, REPLY_STEPS, step.bytes, step.length);
    runs->failed |= !raw_send(about->planner, WD_MSG_PLAN_REPLY, &reply);
}

static void answer_what_is_due(runs_bench *runs)
{
    while (!runs->holding && runs->count > 0 && runs->thoughts[runs->first].due_ns <= wd_bench_now_ns()) {
        answer(runs, &runs->thoughts[runs->first]);
        runs->first = (runs->first + 1) % WD_COUNT_OF(runs->thoughts);
        runs->count -= 1;
    }
}

static void take(runs_bench *runs, void *socket, bool planner)
{
    static uint8_t body[MESSAGE_MAX];
    uint16_t kind = 0;
    size_t length = 0;
    if (!raw_receive(socket, &kind, body, sizeof body, &length)) {
        runs->failed = true;
    } else if (planner && kind == WD_MSG_PLAN_REQUEST && runs->count < WD_COUNT_OF(runs->thoughts)) {
        length = length < sizeof body ? length : sizeof body;
        runs->thoughts[(runs->first + runs->count) % WD_COUNT_OF(runs->thoughts)] = (thought){
            .due_ns = wd_bench_now_ns() + runs->delay_ns,
            .request_id = raw_find_number(body, length, REQUEST_ID),
            .step_index = raw_find_number(body, length, STEP_INDEX),
            .planner = socket,
        };
        runs->count += 1;
        runs->requests += 1;
    } else if (kind == WD_MSG_ERROR || kind == WD_MSG_REPLY || kind == WD_MSG_GOODBYE) {
        wd_bench_fail(runs->bench, "a run ended: %.*s", (int)(length < 200 ? length : 200), (char *)body);
        runs->failed = true;
    }
}

/// Let the planners think until so many requests came in all. @return false: something failed, or nothing came.
static bool pass(runs_bench *runs, uint64_t requests)
{
    zmq_pollitem_t items[PLANNERS + CLIENTS];
    for (size_t i = 0; i < PLANNERS + CLIENTS; i++) {
        void *socket = i < PLANNERS ? runs->planners[i] : runs->clients[i - PLANNERS];
        items[i] = (zmq_pollitem_t){ .socket = socket, .events = ZMQ_POLLIN };
    }
    uint64_t heard_ns = wd_bench_now_ns();
    while (!runs->failed && runs->requests < requests) {
        answer_what_is_due(runs);
        int ready = zmq_poll(items, PLANNERS + CLIENTS, 1);
        for (size_t i = 0; ready > 0 && i < PLANNERS + CLIENTS; i++) {
            if (items[i].revents != 0) {
                take(runs, items[i].socket, i < PLANNERS);
                heard_ns = wd_bench_now_ns();
            }
        }
        runs->failed |= wd_bench_now_ns() - heard_ns > IDLE_MS * UINT64_C(1000000);
    }
    return !runs->failed;
}

/// CPU of the daemon in nanoseconds a step, over so many steps; 0: it failed.
static double cost(runs_bench *runs, uint64_t steps)
{
    uint64_t began = private_daemon_cpu_ns(&runs->daemon);
    bool passed = pass(runs, runs->requests + steps);
    return passed ? (double)(private_daemon_cpu_ns(&runs->daemon) - began) / (double)steps : 0;
}

void wire_runs(wd_bench *bench)
{
    const bool quick = wd_bench_quick(bench);
    const size_t count = quick ? RUNS_QUICK : RUNS;
    static runs_bench runs;
    runs = (runs_bench){ .bench = bench, .delay_ns = DELAY_ALONE_NS };
    double alone = 0, many = 0;
    long threads = 0, threads_many = 0;
    bool done = start(&runs) && begin_run(&runs, 0) && pass(&runs, quick ? 20 : 100);
    if (done) {
        threads = private_daemon_threads(&runs.daemon);
        alone = cost(&runs, quick ? STEPS_ALONE_QUICK : STEPS_ALONE);
        runs.delay_ns = DELAY_NS;
        runs.holding = true;  // until all wait at once
        done = alone > 0;
    }
    for (size_t i = 1; done && i < count; i++) {
        done = begin_run(&runs, i) && (i % CLIENTS != 0 || pass(&runs, runs.requests + 1));
    }
    while (done && runs.count < count) {
        done = pass(&runs, runs.requests + 1);
    }
    if (done) {
        threads_many = private_daemon_threads(&runs.daemon);
        runs.holding = false;
        many = cost(&runs, STEPS_EACH * count);
    }
    if (done && many > 0) {
        wd_bench_add(bench, &(wd_bench_row){ .name = "CPU a step while 2,000 runs wait",
                                .value = many / 1e3,
                                .unit = "us",
                                .baseline = alone / 1e3 });
        wd_bench_add(bench, &(wd_bench_row){ .name = "threads while they wait",
                                .value = (double)threads_many,
                                .unit = "",
                                .baseline = (double)threads });
    } else {
        wd_bench_fail(bench, "runs: nothing came for %d ms", IDLE_MS);
    }
    stop(&runs);
}
