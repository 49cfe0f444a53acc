/// watch.h - who watches what: events go to watchers as Progress of their "watch" request.
///
/// Nobody is ever blocked by a watcher: the queue of its connection is bounded (by the socket), and what does not fit is
/// dropped and counted. Each event tells how many were dropped before it since the watch began.
#ifndef RUNTIME_WATCH_H
#define RUNTIME_WATCH_H

#include "runtime/broker.h"
#include "runtime/codec_session.h"
#include "runtime/env.h"

enum {
    WD_WATCHERS_MAX = 256,
    WD_WATCH_EVENT_BYTES_MAX = 64 * 1024,  // a longer event is told without its changes, then not at all
};

typedef enum wd_watch_kind { WD_WATCH_RUN, WD_WATCH_ENV, WD_WATCH_MINE, WD_WATCH_ALL } wd_watch_kind;

typedef struct wd_watcher {
    wd_peer_id peer;
    uint8_t instance[WD_SESSION_ID_SIZE];
    uint64_t request_id;
    wd_watch_kind kind;
    char what[65];  // the run or env
    uint64_t user;  // number of the wd_user
    bool others;    // hears also of what is others'
    uint64_t sequence, dropped;
} wd_watcher;

typedef struct wd_watch {
    wd_watcher list[WD_WATCHERS_MAX];
    size_t count;
    size_t count_max;  // 0: WD_WATCHERS_MAX, which is the most
} wd_watch;

/// @retval WD_ELIMIT too many watchers.
WD_NODISCARD wd_status wd_watch_add(wd_watch *watch, const wd_watcher *watcher, wd_error *error);
/// End the watch of that request. @retval WD_ENOENT there is none.
WD_NODISCARD wd_status wd_watch_end(
    wd_watch *watch, const uint8_t instance[WD_SESSION_ID_SIZE], uint64_t request_id);
/// End one watch of a connection that is gone. *ret_watcher is what it was. @return false: it has none any more.
bool wd_watch_lost(wd_watch *watch, const wd_peer_id *peer, wd_watcher *ret_watcher);
/// The instance is back on another connection and asks for its watch again.
void wd_watch_rejoin(
    wd_watch *watch, const uint8_t instance[WD_SESSION_ID_SIZE], uint64_t request_id, const wd_peer_id *peer);
/// The socket had no room for a Progress to this peer with this id.
void wd_watch_dropped(wd_watch *watch, const wd_peer_id *peer, uint64_t request_id);
/// So many events of envs were dropped before anybody knew whose they were: all who might have heard count them.
void wd_watch_missed(wd_watch *watch, uint64_t count);
/// How many watches an instance has.
size_t wd_watch_count(const wd_watch *watch, const uint8_t instance[WD_SESSION_ID_SIZE]);
/// Does anybody watch this env (or any env)?
bool wd_watch_wants_envs(const wd_watch *watch);

/// Queue the event for all who watch it. `run` or `env` is the id it is about, the other NULL; `owner` whose.
WD_NODISCARD wd_status wd_watch_tell(wd_watch *watch, const char *run, const char *env,
    const wd_env_owner *owner, const wd_value *event, wd_broker_outbox *outbox);

#endif
