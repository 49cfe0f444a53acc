// python.c - `worldd-bench python`: VecEnv.step of 256 against the C client's batches, on one daemon and over the same steps.
// The Python program (python_steps.py) runs as a child and is told when it is its turn.
#include "benches.h"
#include "notes_steps.h"
#include "private_daemon.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PYTHON "/usr/bin/python3"

enum {
    TURNS = 15,
    TURNS_QUICK = 3,
    STEPS_IN_TURN = 4 * NOTES_CYCLE,
    LINE_MAX_SIZE = 256,
};

extern char **environ;

/// The Python program, and the pipes to its standard input and from its output.
typedef struct python_peer {
    pid_t pid;
    FILE *to, *from;
} python_peer;

/// Is there a Python that has pyzmq and protobuf?
static bool has_packages(void)
{
    char *arguments[] = { (char[]){ PYTHON }, (char[]){ "-c" }, (char[]){ "import zmq, google.protobuf" },
        NULL };
    pid_t pid = 0;
    int status = 1;
    posix_spawn_file_actions_t files;
    bool started = posix_spawn_file_actions_init(&files) == 0 &&
                   posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", 0, 0) == 0 &&
                   posix_spawn(&pid, PYTHON, &files, NULL, arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&files);
    return started && waitpid(pid, &status, 0) == pid && status == 0;
}

static bool python_start(python_peer *python, char *endpoint)
{
    char count[16];
    int to[2], from[2];
    posix_spawn_file_actions_t files;
    snprintf(count, sizeof count, "%d", NOTES_HERD);
    char *arguments[] = { (char[]){ PYTHON }, (char[]){ "-B" },
        (char[]){ WORLDD_SOURCE_DIR "/bench/python_steps.py" }, endpoint, count, NULL };
    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0 ||
        posix_spawn_file_actions_init(&files) != 0) {
        return false;
    }
    posix_spawn_file_actions_adddup2(&files, to[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, from[1], STDOUT_FILENO);
    setenv("PYTHONPATH", WORLDD_SOURCE_DIR "/clients/python", 1);
    bool started = posix_spawn(&python->pid, PYTHON, &files, NULL, arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&files);
    close(to[0]);
    close(from[1]);
    python->to = fdopen(to[1], "w");
    python->from = fdopen(from[0], "r");
    char line[LINE_MAX_SIZE] = "";
    return started && fgets(line, sizeof line, python->from) != NULL && strcmp(line, "ready\n") == 0;
}

static void python_stop(python_peer *python)
{
    if (python->to != NULL) {
        fclose(python->to);  // the end of its input is its end
        fclose(python->from);
    }
    if (python->pid > 0) {
        waitpid(python->pid, NULL, 0);
    }
}

static bool python_step(python_peer *python, const char *observe, size_t steps, double *ret_ns)
{
    char line[LINE_MAX_SIZE];
    bool done = fprintf(python->to, "%s %zu\n", observe, steps) > 0 && fflush(python->to) == 0 &&
                fgets(line, sizeof line, python->from) != NULL;
    *ret_ns = done ? strtod(line, NULL) : 0;
    return done && *ret_ns > 0;
}

static bool c_step(notes_peer *peer, wd_client_observe observe, size_t steps, double *ret_ns)
{
    uint64_t began = wd_bench_now_ns();
    bool done = notes_peer_step(peer, steps, observe);
    *ret_ns = (double)(wd_bench_now_ns() - began);
    return done;
}

/// Steps a second of both clients, in turns.
static bool measure(
    wd_bench *bench, python_peer *python, notes_peer *peer, wd_client_observe observe, const char *name)
{
    static const char *const names[] = { "none", "full", "changed" };
    size_t turns = wd_bench_quick(bench) ? TURNS_QUICK : TURNS;
    double ours[TURNS], theirs[TURNS];
    bool done = true;
    for (size_t i = 0; done && i < turns; i++) {
        done = python_step(python, names[observe], STEPS_IN_TURN, &theirs[i]) &&
               c_step(peer, observe, STEPS_IN_TURN, &ours[i]);
    }
    if (!done) {
        wd_bench_fail(bench, "%s: a step failed", name);
        return false;
    }
    double steps = (double)STEPS_IN_TURN * NOTES_HERD * 1e9;
    wd_bench_add(bench, &(wd_bench_row){ .name = name,
                            .value = steps / wd_bench_median(theirs, turns),
                            .unit = "1/s",
                            .baseline = steps / wd_bench_median(ours, turns) });
    return true;
}

void bench_python(wd_bench *bench)
{
    static const char *const settings[] = { "env.workers=1", NULL };
    private_daemon daemon = { 0 };
    static notes_peer peer;
    python_peer python = { 0 };
    if (!has_packages()) {
        fputs("worldd-bench python: skipped: " PYTHON " has no zmq or no protobuf\n", stderr);
        return;
    }
    void (*before)(int) = signal(SIGPIPE, SIG_IGN);
    if (private_daemon_start(bench, settings, &daemon)) {
        if (notes_peer_start(bench, daemon.control, NOTES_HERD, &peer) &&
            python_start(&python, daemon.control)) {
            (void)(measure(bench, &python, &peer, WD_CLIENT_OBSERVE_NONE, "VecEnv.step of 256") &&
                   measure(bench, &python, &peer, WD_CLIENT_OBSERVE_CHANGED,
                       "the same with changed nodes observed"));
        } else {
            wd_bench_fail(bench, "the Python program does not start");
        }
        python_stop(&python);
        notes_peer_stop(&peer);
        private_daemon_stop(&daemon);
    }
    signal(SIGPIPE, before);
}
