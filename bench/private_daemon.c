#include "private_daemon.h"

#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    ARGUMENTS_MAX = 32,
    START_MS = 20000,
    STOP_MS = 20000,
    LOOK_MS = 5,
    OPEN_FOLDERS_MAX = 16,
};

extern char **environ;

bool private_daemon_sibling(const char *name, char ret_path[PRIVATE_DAEMON_PATH_SIZE])
{
    ssize_t length = readlink("/proc/self/exe", ret_path, PRIVATE_DAEMON_PATH_SIZE - 1);
    char *slash = length <= 0 ? NULL : memrchr(ret_path, '/', (size_t)length);
    if (slash == NULL || (size_t)(slash - ret_path) + strlen(name) + 2 > PRIVATE_DAEMON_PATH_SIZE) {
        return false;
    }
    strcpy(slash + 1, name);
    return true;
}

static void wait_ms(long ms)
{
    nanosleep(&(struct timespec){ .tv_nsec = ms * 1000 * 1000 }, NULL);
}

/// It writes who it is when it takes messages.
static bool is_ready(const private_daemon *daemon)
{
    char path[PRIVATE_DAEMON_PATH_SIZE + 16];
    snprintf(path, sizeof path, "%s/daemon.json", daemon->directory);
    return access(path, R_OK) == 0;
}

static bool spawn(private_daemon *daemon, const char *const *settings)
{
    char program[PRIVATE_DAEMON_PATH_SIZE], log[PRIVATE_DAEMON_PATH_SIZE + 16];
    // posix_spawn changes none of them, but its type does not say so.
    union {
        const char *text;
        char *argument;
    } arguments[ARGUMENTS_MAX] = { { program }, { "--directory" }, { daemon->directory }, { "--set" },
        { "daemon.packs=" WORLDD_SOURCE_DIR "/sim/apps" }, { "--set" },
        { "daemon.tasks=" WORLDD_SOURCE_DIR "/tasks" }, { "--set" }, { "daemon.log_level=error" } };
    size_t count = 9;
    for (; *settings != NULL && count + 3 < ARGUMENTS_MAX; settings++) {
        arguments[count++].text = "--set";
        arguments[count++].text = *settings;
    }
    posix_spawn_file_actions_t files;
    snprintf(log, sizeof log, "%s/log", daemon->directory);
    bool spawned = private_daemon_sibling("worldd", program) && posix_spawn_file_actions_init(&files) == 0;
    if (spawned) {
        posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_APPEND, 0600);
        posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
        spawned = posix_spawn(&daemon->pid, program, &files, NULL, (char *const *)arguments, environ) == 0;
        posix_spawn_file_actions_destroy(&files);
    }
    return spawned;
}

bool private_daemon_start(wd_bench *bench, const char *const *settings, private_daemon *ret_daemon)
{
    const char *base = getenv("TMPDIR");
    private_daemon daemon = { 0 };
    snprintf(daemon.directory, sizeof daemon.directory, "%.400s/worldd-bench-XXXXXX",
        base == NULL ? "/tmp" : base);
    if (mkdtemp(daemon.directory) == NULL) {
        wd_bench_fail(bench, "%s cannot be made", daemon.directory);
        return false;
    }
    snprintf(daemon.control, sizeof daemon.control, "ipc://%.450s/control.sock", daemon.directory);
    snprintf(daemon.planner, sizeof daemon.planner, "ipc://%.450s/planner.sock", daemon.directory);
    bool started = spawn(&daemon, settings);
    for (int left_ms = START_MS; started && !is_ready(&daemon); left_ms -= LOOK_MS) {
        started = left_ms > 0 && waitpid(daemon.pid, NULL, WNOHANG) == 0;
        wait_ms(LOOK_MS);
    }
    if (!started) {
        wd_bench_fail(bench, "worldd beside this program does not start (%s/log)", daemon.directory);
        kill(daemon.pid > 0 ? daemon.pid : getpid(), daemon.pid > 0 ? SIGKILL : 0);
        return false;
    }
    *ret_daemon = daemon;
    return true;
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *at)
{
    (void)about, (void)kind, (void)at;
    return remove(path);
}

void private_daemon_stop(private_daemon *daemon)
{
    if (daemon->pid == 0) {
        return;
    }
    kill(daemon->pid, SIGTERM);
    int left_ms = STOP_MS;
    while (waitpid(daemon->pid, NULL, WNOHANG) == 0) {
        if (left_ms <= 0) {
            kill(daemon->pid, SIGKILL);
        }
        left_ms -= LOOK_MS;
        wait_ms(LOOK_MS);
    }
    nftw(daemon->directory, remove_one, OPEN_FOLDERS_MAX, FTW_DEPTH | FTW_PHYS);
    daemon->pid = 0;
}

uint64_t private_daemon_cpu_ns(const private_daemon *daemon)
{
    clockid_t clock;
    struct timespec spent = { 0 };
    if (clock_getcpuclockid(daemon->pid, &clock) == 0) {
        clock_gettime(clock, &spent);
    }
    return (uint64_t)spent.tv_sec * 1000000000u + (uint64_t)spent.tv_nsec;
}

long private_daemon_threads(const private_daemon *daemon)
{
    char path[64], line[256];
    long threads = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)daemon->pid);
    FILE *file = fopen(path, "re");
    while (file != NULL && threads == 0 && fgets(line, sizeof line, file) != NULL) {
        (void)sscanf(line, "Threads: %ld", &threads);
    }
    if (file != NULL) {
        fclose(file);
    }
    return threads;
}
