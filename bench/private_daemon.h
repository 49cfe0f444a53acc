/// private_daemon.h - a worldd of the benchmark's own: the program beside this one, in a directory of its own.
#ifndef PRIVATE_DAEMON_H
#define PRIVATE_DAEMON_H

#include "bench.h"

#include <sys/types.h>

enum { PRIVATE_DAEMON_PATH_SIZE = 512 };

typedef struct private_daemon {
    pid_t pid;  // 0: it does not run
    char directory[PRIVATE_DAEMON_PATH_SIZE];
    char control[PRIVATE_DAEMON_PATH_SIZE], planner[PRIVATE_DAEMON_PATH_SIZE];  // endpoints
} private_daemon;

/// Start it on the shipped packs and tasks, on the cores of this thread, and wait until it takes messages.
/// @param settings  "section.name=value", ended by NULL. @return false: the benchmark was failed.
bool private_daemon_start(wd_bench *bench, const char *const *settings, private_daemon *ret_daemon);
/// End it and remove its directory, episodes included. May be repeated.
void private_daemon_stop(private_daemon *daemon);

/// A program beside this one. @return false: its path does not fit.
bool private_daemon_sibling(const char *name, char ret_path[PRIVATE_DAEMON_PATH_SIZE]);
uint64_t private_daemon_cpu_ns(const private_daemon *daemon);  // of all its threads, ended ones included
long private_daemon_threads(const private_daemon *daemon);

#endif
