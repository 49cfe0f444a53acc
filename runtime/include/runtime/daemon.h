/// daemon.h - worldd's sockets and its loop, and the directory they live in.
#ifndef RUNTIME_DAEMON_H
#define RUNTIME_DAEMON_H

#include "runtime/config.h"

#include <sys/types.h>

/// The daemon's own directory: made (0700), checked, locked; holds the sockets, the lock and daemon.json.
typedef struct wd_daemon_directory {
    int lock;  // descriptor that holds the lock; -1 none
    char path[WD_CONFIG_TEXT_MAX];
} wd_daemon_directory;

/// Make and lock `path`. @param group  May enter it (mode 0750); (gid_t)-1: nobody else (0700).
/// @retval WD_EBUSY another worldd runs there (`error` names its pid). @retval WD_EDENIED it is not ours, or open to
/// others. @retval WD_EIO.
WD_NODISCARD wd_status wd_daemon_directory_take(
    const char *path, gid_t group, wd_daemon_directory *ret_directory, wd_error *error);
void wd_daemon_directory_release(wd_daemon_directory *directory);

/// What daemon.json tells clients that were given no endpoint. All borrowed.
typedef struct wd_daemon_identity {
    const char *planner, *control;          // endpoints
    const char *planner_tcp, *control_tcp;  // "": none
    const char *server_key;                 // "": no CURVE
    const uint8_t *boot_id;                 // 16 bytes
    gid_t group;                            // may read it (mode 0640); (gid_t)-1: nobody else (0600)
} wd_daemon_identity;
/// Write daemon.json. @retval WD_EIO  `error` names the file.
WD_NODISCARD wd_status wd_daemon_directory_tell(
    const wd_daemon_directory *directory, const wd_daemon_identity *identity, wd_error *error);
/// Can a daemon be started with these settings? Reads keys and grants, opens nothing.
/// @retval any  `error` names the setting or file.
WD_NODISCARD wd_status wd_daemon_check(const wd_config *config, wd_error *error);

/// Bind, say that it is ready, serve until SIGTERM, SIGINT or the verb shutdown, end all runs, say goodbye. SIGHUP reads
/// grants and keys again.
/// @param ready  Told once both sockets are bound; may be NULL.
WD_NODISCARD wd_status wd_daemon_serve(
    const wd_config *config, void (*ready)(const wd_config *config), wd_error *error);

#endif
