/// control_client.h - a client of the control socket: Hello, requests one at a time, answers with a deadline.
#ifndef RUNTIME_CONTROL_CLIENT_H
#define RUNTIME_CONTROL_CLIENT_H

#include "tree/value.h"

typedef struct wd_control_client wd_control_client;

/// Where the daemon listens: `given` when not NULL, else $WORLDD_CONTROL, else daemon.json in `directory`.
/// @param ret_endpoint  Of `size` bytes. @retval WD_ENOENT no daemon.json there: no worldd runs.
WD_NODISCARD wd_status wd_control_endpoint(
    const char *given, const char *directory, char *ret_endpoint, size_t size, wd_error *error);

/// Connect and say Hello. Over tcp with the CURVE keys of the environment, if it has any: WORLDD_KEY names our file
/// NAME.key_secret, WORLDD_SERVER_KEY the daemon's server.key or its 40 characters. A client belongs to the thread that made it; threads may make their own at the same time.
/// @retval WD_ETIMEOUT nobody answers in `timeout_ms`. @retval WD_EDENIED rejected. @retval WD_EINVAL the endpoint.
/// @retval WD_EPROTO no worldd answers. @retval WD_EIO, WD_ENOMEM. After an error *ret_client is what it was.
WD_NODISCARD wd_status wd_control_client_new(
    const char *endpoint, const char *name, int timeout_ms, wd_control_client **ret_client, wd_error *error);
/// Says Goodbye and waits no longer than 200 ms for it to leave; sets *client_p to NULL. NULL inside is fine.
void wd_control_client_destroy(wd_control_client **client_p);

/// Told for each Progress; `event` is borrowed.
typedef void (*wd_control_progress)(void *context, const wd_value *event);

/// Ask and wait for the Reply. The daemon is pinged meanwhile; when it falls silent the request ends.
/// @param args  Borrowed. @param timeout_ms  For the whole answer; -1: as long as the daemon lives.
/// @param[out] ret_result  A new reference; untouched unless WD_OK is returned.
/// @retval the status that the daemon's Error names; WD_ETIMEOUT, WD_EPEERLOST, WD_ELIMIT the request is too large.
WD_NODISCARD wd_status wd_control_request(wd_control_client *client, const char *verb, wd_value *args,
    int timeout_ms, wd_control_progress progress, void *context, wd_value **ret_result, wd_error *error);

#endif
