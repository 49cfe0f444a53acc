/// backlog.h - answers that found the queue of their client full, until it has room or patience is over.
///
/// Who reads slowly misses events, and is told how many, but no answer. What waits is bounded for all clients together.
/// Not thread-safe; knows no socket and no clock.
#ifndef RUNTIME_BACKLOG_H
#define RUNTIME_BACKLOG_H

#include "runtime/broker.h"

#include <stdbool.h>

enum {
    WD_BACKLOG_COUNT_MAX = 1024,              // answers that wait
    WD_BACKLOG_BYTES_MAX = 64 * 1024 * 1024,  // of their bodies
    WD_BACKLOG_PATIENCE_MS = 10000,           // that a client gets to make room
    WD_BACKLOG_RETRY_MS = 10,                 // between attempts
};

typedef struct wd_backlog {
    wd_broker_send sends[WD_BACKLOG_COUNT_MAX];  // oldest first
    int64_t until_ms[WD_BACKLOG_COUNT_MAX];
    size_t count, bytes;
} wd_backlog;

void wd_backlog_done(wd_backlog *backlog);
/// Keep a message; its body is taken. @return false: there is no room, and nothing was taken.
bool wd_backlog_put(wd_backlog *backlog, wd_broker_send *send, int64_t now_ms);

/// Send a message. @return 0, or errno: EAGAIN the queue is full, others the client is gone.
typedef int wd_backlog_send(void *context, const wd_broker_send *send);
/// Send what can be sent, in order. @return true: a client is gone, or patience with it is over. *ret_lost names it, what
/// waited for it is dropped; call again for the others.
bool wd_backlog_retry(
    wd_backlog *backlog, wd_backlog_send *send, void *context, int64_t now_ms, wd_peer_id *ret_lost);

#endif
