/// door.h - one of the daemon's two sockets: a ROUTER with its options, the endpoints it is bound to, and who is let in.
///
/// A door is bound to an ipc endpoint and perhaps to a tcp one; both lead to the same socket. libzmq copies a socket's
/// options when an endpoint is bound, so each endpoint has a mechanism of its own: NULL on ipc, where the kernel tells
/// the uid, and CURVE on tcp when there is a server key. Socket rules: zmq.md sections 2 to 4.
#ifndef RUNTIME_DOOR_H
#define RUNTIME_DOOR_H

#include "runtime/broker.h"
#include "runtime/key_file.h"
#include "zap.h"

#include <sys/types.h>

enum {
    WD_DOOR_PATH_MAX = 107,  // bytes of an ipc endpoint's path: sun_path without its NUL
    WD_DOOR_PROOF_MS = 5000,
};

typedef struct wd_door_options {
    const char *name;    // "planner", "control"; the section its settings are in
    const char *domain;  // WD_ZAP_DOMAIN_*
    const char *endpoint;
    const char *tcp;         // "": none
    const char *proof_path;  // a free path in the daemon's directory, for the test before it is opened
    const wd_key_pair *key;  // for tcp; NULL: no CURVE
    bool has_group;
    gid_t group;  // may use the socket file
    int send_hwm, receive_hwm;
    int64_t frame_max;  // bytes of a frame; a longer one cuts its connection
    int silence_ms;     // of a peer's socket, after which it is cut off
} wd_door_options;

typedef struct wd_door {
    wd_door_options options;  // borrows its texts
    void *socket, *monitor;   // monitor: PAIR that tells connections and disconnections
    char tcp[128];            // where it is bound, also when the setting left the port to us; "": nowhere
    bool bound;
    dev_t device;  // of the socket file that we made
    ino_t inode;
} wd_door;

/// What the settings ask for can be done: endpoints are of the right kind, a tcp address beyond loopback has a key.
/// @retval WD_EINVAL, WD_EDENIED, WD_ELIMIT  `error` names the setting.
WD_NODISCARD wd_status wd_door_check(const wd_door_options *options, wd_error *error);
/// Make the socket and prove that a stranger is refused, on endpoints of its own. `zap`'s authority must refuse
/// everybody while this runs. @retval WD_EDENIED a stranger would be let in. @retval WD_EIO.
WD_NODISCARD wd_status wd_door_new(
    void *context, const wd_door_options *options, wd_zap *zap, wd_door *ret_door, wd_error *error);
/// Open it. @retval WD_EBUSY another process serves there. @retval WD_EEXIST what stands there is no socket.
/// @retval WD_EIO.
WD_NODISCARD wd_status wd_door_bind(void *context, wd_door *door, wd_error *error);
/// Removes the socket file if it is the one that was made. A door of zeros may be closed.
void wd_door_close(wd_door *door);

#endif
