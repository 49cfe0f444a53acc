/// worldd/client.h - the C client of worldd: connect to its control socket, ask, hear what happens meanwhile.
///
///   pkg-config --cflags --libs worldd-client          or   find_package(worldd-client); worldd::client
///
/// Verbs and their arguments are those of docs/protocol.md section 6, as JSON text, so every verb of every worldd of this
/// protocol can be asked and no JSON library is forced on you. A client belongs to one thread at a time. It outlives the
/// daemon: after WD_CLIENT_EPEERLOST the next request connects again.
///
/// A request has at most one effect. When the connection breaks while one is open, the client makes another and asks again
/// under the same id: the same daemon then gives the first answer. Only where that daemon is gone is the request lost.
#ifndef WORLDD_CLIENT_H
#define WORLDD_CLIENT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The numbers that worldd itself sends (docs/protocol.md section 4); these are the ones the client sets, too.
typedef enum wd_client_status {
    WD_CLIENT_OK = 0,
    WD_CLIENT_ENOMEM = 1,
    WD_CLIENT_EINVAL = 2,
    WD_CLIENT_ELIMIT = 6,  // more than one message of worldd's takes
    WD_CLIENT_ENOENT = 7,
    WD_CLIENT_EPROTO = 13,     // what answers is no worldd of this protocol
    WD_CLIENT_EDENIED = 14,    // worldd refused the Hello
    WD_CLIENT_EBUSY = 15,      // WD_CLIENT_INFLIGHT_MAX requests of this client are open
    WD_CLIENT_ETIMEOUT = 16,   // no answer in time; the request may still be carried out
    WD_CLIENT_EPEERLOST = 23,  // worldd is gone or was restarted; an open request may have been carried out
} wd_client_status;

enum {
    WD_CLIENT_TEXT_MAX = 512,                     // bytes of an error's text with its NUL
    WD_CLIENT_ARGS_MAX = 4 * 1024 * 1024 - 1024,  // bytes of a request's arguments
    WD_CLIENT_INFLIGHT_MAX = 64,                  // requests open at once, of one client
    WD_CLIENT_BATCH_MAX = 4096,                   // slots of a batch
    WD_CLIENT_ID_SIZE = 16,                       // bytes of an env's id, and of a digest
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

/// CURVE keys for a tcp endpoint: one's own pair and the daemon's public half, 40 characters of Z85 each.
typedef struct wd_client_keys {
    const char *public_key, *secret_key, *server_key;
} wd_client_keys;

/// The same with keys, which are copied. NULL, and wd_client_connect(): for a tcp endpoint the key file that $WORLDD_KEY names and
/// $WORLDD_SERVER_KEY, a file or 40 characters; without them none. @retval WD_CLIENT_ENOENT  There is no such file. @retval WD_CLIENT_EINVAL  Also when one of them is no key.
int wd_client_connect_with_keys(const char *endpoint, const char *name, int timeout_ms,
    const wd_client_keys *keys, wd_client **ret_client, wd_client_error *error);

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

// ---- many envs in one message -----------------------------------------------------------------------------------
//
//   wd_client_batch *batch;
//   wd_client_reply *reply;
//   wd_client_batch_new(&batch, &error);
//   wd_client_batch_share(batch, "tap", "{\"selector\":{\"resource_id\":\"send\"}}", &error);
//   for (...)
//       wd_client_batch_add(batch, &ids[i], NULL, NULL, &error);
//   wd_client_batch_step(client, batch, 30000, &reply, &error);
//   for (size_t i = 0; i < wd_client_reply_count(reply); i++) { wd_client_slot slot = wd_client_reply_at(reply, i); ... }
//   wd_client_reply_destroy(&reply);

typedef struct wd_client_env_id {
    uint8_t bytes[WD_CLIENT_ID_SIZE];
} wd_client_env_id;

/// From the text that env_create, env_fork and env_list give. @retval WD_CLIENT_EINVAL  not 32 lower-case hex digits.
int wd_client_env_id_parse(const char *text, wd_client_env_id *ret_id);

/// What is told of each screen after its step.
typedef enum wd_client_observe {
    WD_CLIENT_OBSERVE_NONE,
    WD_CLIENT_OBSERVE_FULL,     // the whole scene; then at most some hundred slots fit into an answer
    WD_CLIENT_OBSERVE_CHANGED,  // the nodes that differ from the scene that this env told last
} wd_client_observe;

/// One action in each of some envs. It is copied when sent, so it may be sent again, or be cleared and filled anew.
typedef struct wd_client_batch wd_client_batch;

/// @param[out] ret_batch  Yours; wd_client_batch_destroy() ends it. @retval WD_CLIENT_ENOMEM.
int wd_client_batch_new(wd_client_batch **ret_batch, wd_client_error *error);
/// NULL inside is fine; *batch_p becomes NULL.
void wd_client_batch_destroy(wd_client_batch **batch_p);
/// No slots, nothing shared, nothing observed; the memory is kept.
void wd_client_batch_clear(wd_client_batch *batch);
void wd_client_batch_observe(wd_client_batch *batch, wd_client_observe what);
/// For all slots that give no action, or no arguments, of their own. @param args_json  An object; NULL: none.
/// @retval WD_CLIENT_ENOMEM  Nothing changed.
int wd_client_batch_share(
    wd_client_batch *batch, const char *action, const char *args_json, wd_client_error *error);
/// One more slot. An env that stands in several is stepped as often, in their order.
/// @param env        Copied.
/// @param action     "tap", "type", ... Copied; NULL: the shared one.
/// @param args_json  An object with the action's arguments. Copied; NULL: the shared ones. Read by worldd alone: what is
///                   wrong with it is an error of this slot.
/// @retval WD_CLIENT_ELIMIT  There are WD_CLIENT_BATCH_MAX slots. @retval WD_CLIENT_ENOMEM. Nothing changed then.
int wd_client_batch_add(wd_client_batch *batch, const wd_client_env_id *env, const char *action,
    const char *args_json, wd_client_error *error);
size_t wd_client_batch_count(const wd_client_batch *batch);

/// What the slots came to, in the order asked. Owns the memory of all that wd_client_reply_at() points to.
typedef struct wd_client_reply wd_client_reply;

/// Send without waiting: up to WD_CLIENT_INFLIGHT_MAX batches may be in flight.
/// @param timeout_ms  For the whole answer, from now; what has not begun by then is not done. -1: as long as worldd lives.
/// @param[out] ret_ticket  For wd_client_batch_receive(); never 0.
/// @retval WD_CLIENT_EINVAL  No slots, or a slot without an action. @retval WD_CLIENT_EBUSY, WD_CLIENT_ELIMIT,
///         WD_CLIENT_ENOMEM, WD_CLIENT_ETIMEOUT (nobody is there), WD_CLIENT_EPEERLOST. Nothing is in flight then.
int wd_client_batch_send(wd_client *client, const wd_client_batch *batch, int timeout_ms,
    uint64_t *ret_ticket, wd_client_error *error);
/// Wait for the answer to a ticket; answers to others that come meanwhile are kept for them. The ticket is used up,
/// whatever comes back.
/// @param[in,out] ticket_p  0: whichever batch is over first; its ticket is written.
/// @param[out] ret_reply    Yours after WD_CLIENT_OK; wd_client_reply_destroy() ends it. Else untouched.
/// @retval WD_CLIENT_ENOENT   No batch with this ticket, or none at all, is in flight.
/// @retval WD_CLIENT_ETIMEOUT  Not within the time it was sent with; what had begun is done all the same.
/// @return or another status, or the number of worldd's error about the whole batch. Slots fail alone, in the reply.
int wd_client_batch_receive(
    wd_client *client, uint64_t *ticket_p, wd_client_reply **ret_reply, wd_client_error *error);
/// Send and receive.
int wd_client_batch_step(wd_client *client, const wd_client_batch *batch, int timeout_ms,
    wd_client_reply **ret_reply, wd_client_error *error);

/// JSON text in a reply: not NUL-terminated; length 0 is none.
typedef struct wd_client_json {
    const char *text;
    size_t length;
} wd_client_json;

/// What one slot came to. Pointers are borrowed from the reply; texts are never NULL.
typedef struct wd_client_slot {
    int status;  // 0: the step was done; else the number of the error, and of what follows only `text` counts
    const char *text;       // why not, or the result's own words
    int outcome;            // 0 ok, 1 failed, 2 refused
    const char *code;       // "ok", "target_gone", "no_effect", ...
    uint32_t step;          // index in its episode
    int begun_anew;         // the env begins anew with this observation
    const char *ending;     // of the episode that this step ended; "": it goes on
    const uint8_t *digest;  // WD_CLIENT_ID_SIZE bytes: the machine after the step
    wd_client_json observation, final_observation, verdict;
} wd_client_slot;

size_t wd_client_reply_count(const wd_client_reply *reply);
/// Reads, allocates nothing. @param index  Below the count.
wd_client_slot wd_client_reply_at(const wd_client_reply *reply, size_t index);
/// NULL inside is fine; *reply_p becomes NULL.
void wd_client_reply_destroy(wd_client_reply **reply_p);

#ifdef __cplusplus
}
#endif
#endif
