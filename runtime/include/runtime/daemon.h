/// daemon.h - worldd's sockets and its loop, and the directory they live in.
#ifndef RUNTIME_DAEMON_H
#define RUNTIME_DAEMON_H

#include "runtime/config.h"

/// The daemon's own directory: made (0700), checked, locked; holds the sockets, the lock and daemon.json.
typedef struct wd_daemon_directory {
    int lock;  // descriptor that holds the lock; -1 none
    char path[WD_CONFIG_TEXT_MAX];
} wd_daemon_directory;

/// Make and lock `path`. @retval WD_EBUSY another worldd runs there (`error` names its pid). @retval WD_EDENIED it is
/// not ours, or open to others. @retval WD_EIO.
WD_NODISCARD wd_status wd_daemon_directory_take(
    const char *path, wd_daemon_directory *ret_directory, wd_error *error);
void wd_daemon_directory_release(wd_daemon_directory *directory);
/// An ipc endpoint may be bound: nothing is there, or a socket. A regular file is never deleted.
WD_NODISCARD wd_status wd_daemon_endpoint_check(const char *endpoint, wd_error *error);

/// Bind, say that it is ready, serve until SIGTERM or SIGINT, end all runs, say goodbye.
/// @param ready  Told once both sockets are bound; may be NULL.
WD_NODISCARD wd_status wd_daemon_serve(
    const wd_config *config, void (*ready)(const wd_config *config), wd_error *error);

#endif
