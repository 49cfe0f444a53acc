/// clients.h - the clients of the control socket by instance, and what each of their requests was answered.
///
/// A request has at most one effect: its id is remembered with the answer, for the last WD_CLIENT_ANSWERS_MAX requests
/// and WD_CLIENT_ANSWER_BYTES_MAX bytes of an instance, also after it reconnected. One that was sent again gets the
/// first answer again; one so old that it was forgotten is refused without effect. Answers are forgotten earlier when its
/// client has been silent too long, or longest of those that hold too much together.
#ifndef RUNTIME_CLIENTS_H
#define RUNTIME_CLIENTS_H

#include "runtime/broker.h"
#include "runtime/codec_session.h"

#include <stdbool.h>

enum {
    WD_CLIENTS_MAX = 1024,
    WD_CLIENT_ANSWERS_MAX = 256,  // requests remembered of one instance; also those that it may have open
    WD_CLIENT_ANSWER_BYTES_MAX = 16 * 1024 * 1024,
    WD_CLIENTS_ANSWER_BYTES_MAX = 128 * 1024 * 1024,  // of all clients together
};

typedef struct wd_client_answer {
    uint64_t request_id;
    bool open;      // not answered yet
    uint16_t kind;  // of the message that answered
    uint8_t *body;
    size_t body_length;
} wd_client_answer;

typedef struct wd_client {
    uint8_t instance[WD_SESSION_ID_SIZE];
    wd_user user;     // whose it is, for life
    wd_peer_id peer;  // where it is now
    bool connected;
    bool owner;            // made envs: when it vanishes they are closed
    int64_t heard_ms;      // last sign of life
    size_t frame_max;      // bytes of the largest frame it takes
    uint64_t forgotten;    // highest request id that was forgotten
    uint64_t newest;       // highest that was begun
    size_t *bytes_of_all;  // of the table that the client is in
    size_t requests_max;   // that it may have open
    size_t bytes, open_count, count, capacity;
    wd_client_answer *answers;  // oldest first; NULL while there is none
} wd_client;

/// Stays where it is while there are clients.
typedef struct wd_clients {
    wd_client *list[WD_CLIENTS_MAX];
    size_t count, bytes;
    size_t requests_max;  // open ones of one client; 0: WD_CLIENT_ANSWERS_MAX
} wd_clients;

void wd_clients_done(wd_clients *clients);
/// The instance is at `peer` now. When all places are taken, the one longest silent that has no open request and owns
/// nothing makes room. @retval WD_EDENIED it is another user's. @retval WD_ELIMIT nobody can. @retval WD_ENOMEM.
WD_NODISCARD wd_status wd_clients_hello(wd_clients *clients, const uint8_t instance[WD_SESSION_ID_SIZE],
    wd_user user, const wd_peer_id *peer, int64_t now_ms, wd_client **ret_client);
wd_client *wd_clients_find(const wd_clients *clients, const uint8_t instance[WD_SESSION_ID_SIZE]);
/// The connection is gone; what it was answered stays.
void wd_clients_lost(wd_clients *clients, const wd_peer_id *peer);

typedef enum wd_client_begin {
    WD_CLIENT_NEW,       // do it, then finish it
    WD_CLIENT_OPEN,      // it is being done; the answer goes to where the client is by then
    WD_CLIENT_ANSWERED,  // *ret_answer is what it was answered
    WD_CLIENT_OUTDATED,  // answered or not, it is too old to tell
    WD_CLIENT_FULL,      // requests_max requests are open
    WD_CLIENT_NO_MEMORY,
} wd_client_begin;
wd_client_begin wd_client_begin_request(
    wd_client *client, uint64_t request_id, const wd_client_answer **ret_answer);
/// Remember the answer: a copy of the body. When memory is out, or the body is over the bound by itself, the request
/// is forgotten instead.
void wd_client_finish_request(
    wd_client *client, uint64_t request_id, uint16_t kind, const uint8_t *body, size_t body_length);
/// Forget what was answered and keep what is open: from now on a repeated request is outdated.
void wd_client_forget_answers(wd_client *client);
/// Hold WD_CLIENTS_ANSWER_BYTES_MAX: those that have been silent longest forget first.
void wd_clients_hold_bound(wd_clients *clients);

#endif
