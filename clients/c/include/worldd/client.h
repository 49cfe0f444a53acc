/// worldd/client.h - the C client of worldd: connect to its control socket, ask, hear what happens meanwhile.
///
///   pkg-config --cflags --libs worldd-client          or   find_package(worldd-client); worldd::client
///
/// Verbs and their arguments are those of docs/protocol.md section 6, as JSON text, so every verb of every worldd of this
/// protocol can be asked and no JSON library is forced on you. A client belongs to one thread at a time. It outlives the
/// daemon: after WD_CLIENT_EPEERLOST the next request connects again.
#ifndef WORLDD_CLIENT_H
#define WORLDD_CLIENT_H

#ifdef __cplusplus
extern "C" {
#endif

/// The numbers that worldd itself sends (docs/protocol.md section 4); these are the ones the client sets, too.
typedef enum wd_client_status {
    WD_CLIENT_OK = 0,
    WD_CLIENT_ENOMEM = 1,
    WD_CLIENT_EINVAL = 2,
    WD_CLIENT_ENOENT = 7,
    WD_CLIENT_EPROTO = 13,     // what answers is no worldd of this protocol
    WD_CLIENT_EDENIED = 14,    // worldd refused the Hello
    WD_CLIENT_ETIMEOUT = 16,   // no answer in time; the request may still be carried out
    WD_CLIENT_EPEERLOST = 23,  // worldd is gone or was restarted; an open request may have been carried out
} wd_client_status;

enum {
    WD_CLIENT_TEXT_MAX = 512,                     // bytes of an error's text with its NUL
    WD_CLIENT_ARGS_MAX = 4 * 1024 * 1024 - 1024,  // bytes of a request's arguments
};

/// What was wrong, for people. May be NULL wherever it is taken; written only on failure.
typedef struct wd_client_error {
    int status;                     // wd_client_status, or another number that worldd sent
    char text[WD_CLIENT_TEXT_MAX];  // begins with the argument's name where one is wrong
} wd_client_error;

typedef struct wd_client wd_client;

/// Connect and say Hello.
/// @param endpoint    "ipc:///run/worldd/control.sock". NULL: $WORLDD_CONTROL, else control.sock in
///                    $WORLDD_DAEMON_DIRECTORY.
/// @param name        1..64 of [A-Za-z0-9._-]; for logs.
/// @param timeout_ms  For the connection, this one and later ones.
/// @param[out] ret_client  Yours after WD_CLIENT_OK; wd_client_close() ends it. Else untouched.
/// @retval WD_CLIENT_ENOENT    No endpoint was given and none is in the environment.
/// @retval WD_CLIENT_ETIMEOUT  Nobody answers: not running, or not authorised.
/// @retval WD_CLIENT_EDENIED   Refused; the text names the field.
int wd_client_connect(
    const char *endpoint, const char *name, int timeout_ms, wd_client **ret_client, wd_client_error *error);

/// Say Goodbye, close, free. NULL inside is fine; *client_p becomes NULL.
void wd_client_close(wd_client **client_p);

/// Told of each event while a request is open: a JSON object, UTF-8, NUL-terminated, borrowed until it returns.
typedef void wd_client_progress(void *context, const char *event_json);

/// Ask and wait for the answer. worldd is pinged meanwhile: its silence ends the request.
/// @param verb         "status", "run", "state", ...
/// @param args_json    An object; NULL: none.
/// @param timeout_ms   For the whole answer; -1: as long as worldd lives.
/// @param progress     NULL: events are passed over.
/// @param[out] ret_json  The answer, NUL-terminated; free() it. Else untouched. NULL: not wanted.
/// @return WD_CLIENT_OK, one of the client's own, or the number of worldd's error.
int wd_client_request(wd_client *client, const char *verb, const char *args_json, int timeout_ms,
    wd_client_progress *progress, void *context, char **ret_json, wd_client_error *error);

/// The verb `run` for a shipped task with no arguments of its own: the summary and verdict when it is over.
/// @param task  Its id, "demo/hello". @param planner  Name of the planner to ask; NULL: any.
int wd_client_run(wd_client *client, const char *task, const char *planner, int timeout_ms,
    wd_client_progress *progress, void *context, char **ret_json, wd_client_error *error);

#ifdef __cplusplus
}
#endif
#endif
