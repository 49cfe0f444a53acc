// wire.c - `worldd-bench wire`: the same steps of 256 phones in this process and in a daemon behind its control socket; with
// one worker and with two; and one phone step by step against a bare echo. The runs that wait are in wire_runs.c.
#include "wire.h"
#include "benches.h"
#include "notes_pool.h"
#include "private_daemon.h"

#include <stdio.h>
#include <string.h>

enum {
    TURNS = 15,
    TURNS_QUICK = 3,
    STEPS_IN_TURN = 4 * NOTES_CYCLE,  // of each phone, before the other side has its turn
    STEPS_IN_TURN_QUICK = NOTES_CYCLE,
};

/// What a turn of one kind took, by turn.
typedef struct turns {
    double values[TURNS];
    size_t count;
} turns;

static double median(turns *of)
{
    return of->count == 0 ? 0 : wd_bench_median(of->values, of->count);
}

typedef struct wire_bench {
    wd_bench *bench;
    private_daemon daemons[2];  // with one worker and with two
    notes_herd herd;
    notes_peer peers[2];
    notes_pool pools[2];
    size_t steps;  // of each phone in a turn
    turns herd_cpu, herd_wall, batch, changed, changed_cpu, cpu[2], pool[2];
} wire_bench;

static bool start(wire_bench *wire)
{
    static const char *const settings[2][3] = { { "env.workers=1", NULL }, { "env.workers=2", NULL } };
    bool ready = notes_herd_start(wire->bench, NOTES_HERD, &wire->herd);
    for (size_t i = 0; ready && i < 2; i++) {
        ready = private_daemon_start(wire->bench, settings[i], &wire->daemons[i]) &&
                notes_peer_start(wire->bench, wire->daemons[i].control, NOTES_HERD, &wire->peers[i]) &&
                notes_pool_start(wire->bench, i + 1, &wire->pools[i]);
    }
    return ready;
}

static void stop(wire_bench *wire)
{
    for (size_t i = 0; i < 2; i++) {
        notes_peer_stop(&wire->peers[i]);
        private_daemon_stop(&wire->daemons[i]);
        notes_pool_stop(&wire->pools[i]);
    }
    notes_herd_stop(&wire->herd);
}

/// Nanoseconds a step.
static void put(const wire_bench *wire, turns *of, uint64_t spent_ns)
{
    of->values[of->count++] = (double)spent_ns / (double)(wire->steps * NOTES_HERD);
}

static bool turn_in_process(wire_bench *wire)
{
    uint64_t wall = wd_bench_now_ns(), cpu = wd_bench_cpu_ns();
    bool done = notes_herd_step(&wire->herd, wire->steps);
    put(wire, &wire->herd_cpu, wd_bench_cpu_ns() - cpu);
    put(wire, &wire->herd_wall, wd_bench_now_ns() - wall);
    return done;
}

static bool turn_in_daemon(wire_bench *wire, size_t which)
{
    uint64_t wall = wd_bench_now_ns(), cpu = private_daemon_cpu_ns(&wire->daemons[which]);
    bool done = notes_peer_step(&wire->peers[which], wire->steps, WD_CLIENT_OBSERVE_NONE);
    put(wire, &wire->cpu[which], private_daemon_cpu_ns(&wire->daemons[which]) - cpu);
    if (which == 0) {
        put(wire, &wire->batch, wd_bench_now_ns() - wall);
    }
    return done;
}

static bool turn_with_changes(wire_bench *wire)
{
    // The first look at a screen tells the whole of it: not one of those that are timed.
    bool done = notes_peer_step(&wire->peers[0], NOTES_CYCLE, WD_CLIENT_OBSERVE_CHANGED);
    uint64_t wall = wd_bench_now_ns(), cpu = private_daemon_cpu_ns(&wire->daemons[0]);
    done = done && notes_peer_step(&wire->peers[0], wire->steps, WD_CLIENT_OBSERVE_CHANGED);
    put(wire, &wire->changed_cpu, private_daemon_cpu_ns(&wire->daemons[0]) - cpu);
    put(wire, &wire->changed, wd_bench_now_ns() - wall);
    return done;
}

static bool turn_in_pool(wire_bench *wire, size_t which)
{
    uint64_t wall = wd_bench_now_ns();
    bool done = notes_pool_run(&wire->pools[which], wire->steps);
    put(wire, &wire->pool[which], wd_bench_now_ns() - wall);
    return done;
}

static void add_rate(const wire_bench *wire, const char *name, double ns, double baseline_ns)
{
    wd_bench_add(wire->bench, &(wd_bench_row){ .name = name,
                                  .value = 1e9 / ns,
                                  .unit = "1/s",
                                  .baseline = baseline_ns > 0 ? 1e9 / baseline_ns : 0 });
}

/// Of the daemon, against that with one worker and nothing observed.
static void add_cpu(const wire_bench *wire, const char *name, double ns, turns *baseline)
{
    wd_bench_add(wire->bench,
        &(wd_bench_row){ .name = name, .value = ns / 1e3, .unit = "us", .baseline = median(baseline) / 1e3 });
}

static void add_rows(wire_bench *wire)
{
    double herd = median(&wire->herd_wall), one = median(&wire->pool[0]);
    add_rate(wire, "taps in the process, by its CPU", median(&wire->herd_cpu), 0);
    add_rate(wire, "batches of 256 taps over ipc", median(&wire->batch), herd);
    add_rate(wire, "the same with changed nodes observed", median(&wire->changed), herd);
    add_cpu(wire, "CPU a tap with changed nodes observed", median(&wire->changed_cpu), &wire->cpu[0]);
    add_cpu(wire, "CPU a tap with two workers", median(&wire->cpu[1]), &wire->cpu[0]);
    add_rate(wire, "two workers in the process", median(&wire->pool[1]), one);
}

static void wire_batches(wd_bench *bench)
{
    const bool quick = wd_bench_quick(bench);
    static wire_bench wire;
    wire = (wire_bench){ .bench = bench, .steps = quick ? STEPS_IN_TURN_QUICK : STEPS_IN_TURN };
    size_t count = quick ? TURNS_QUICK : TURNS;
    bool done = start(&wire);
    for (size_t turn = 0; done && turn < count; turn++) {
        done = turn_in_process(&wire) && turn_in_daemon(&wire, 0);
        done = done && (turn > 0 || notes_same(&wire.herd, &wire.peers[0]));
        done = done && turn_in_daemon(&wire, 1);
        done = done && (turn > 0 || notes_same(&wire.herd, &wire.peers[1]));
        done = done && turn_in_pool(&wire, 0) && turn_in_pool(&wire, 1) && turn_with_changes(&wire);
    }
    if (done) {
        add_rows(&wire);
    }
    stop(&wire);
}

/// All parts, or the one that the command line names.
void bench_wire(wd_bench *bench)
{
    static const struct {
        const char *name;
        wd_bench_function *measure;
    } parts[] = { { "batches", wire_batches }, { "single", wire_single }, { "runs", wire_runs } };
    const char *wanted = wd_bench_argument(bench);
    bool known = false;
    for (size_t i = 0; i < WD_COUNT_OF(parts); i++) {
        if (wanted == NULL || strcmp(parts[i].name, wanted) == 0) {
            parts[i].measure(bench);
            known = true;
        }
    }
    if (!known) {
        wd_bench_fail(bench, "no part '%s': batches, single, runs", wanted);
    }
}
