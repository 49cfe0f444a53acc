#include "backlog.h"

#include "broker_internal.h"
#include "tree/alloc.h"

#include <errno.h>

static void drop(wd_backlog *backlog, size_t index)
{
    wd_broker_send *send = &backlog->sends[index];
    backlog->bytes -= send->body_length;
    wd_free(send->body, send->body_length);
    backlog->count -= 1;
    for (size_t i = index; i < backlog->count; i++) {
        backlog->sends[i] = backlog->sends[i + 1];
        backlog->until_ms[i] = backlog->until_ms[i + 1];
    }
}

static void drop_all_of(wd_backlog *backlog, const wd_peer_id *peer)
{
    for (size_t i = backlog->count; i-- > 0;) {
        if (broker_peer_id_equal(&backlog->sends[i].peer, peer)) {
            drop(backlog, i);
        }
    }
}

void wd_backlog_done(wd_backlog *backlog)
{
    while (backlog->count > 0) {
        drop(backlog, backlog->count - 1);
    }
}

bool wd_backlog_put(wd_backlog *backlog, wd_broker_send *send, int64_t now_ms)
{
    if (backlog->count == WD_BACKLOG_COUNT_MAX || send->body_length > WD_BACKLOG_BYTES_MAX - backlog->bytes) {
        return false;
    }
    backlog->sends[backlog->count] = *send;
    backlog->until_ms[backlog->count] = now_ms + WD_BACKLOG_PATIENCE_MS;
    backlog->count += 1;
    backlog->bytes += send->body_length;
    send->body = NULL;
    send->body_length = 0;
    return true;
}

bool wd_backlog_retry(
    wd_backlog *backlog, wd_backlog_send *send, void *context, int64_t now_ms, wd_peer_id *ret_lost)
{
    for (size_t i = 0; i < backlog->count;) {
        int reason = send(context, &backlog->sends[i]);
        if (reason == 0) {
            drop(backlog, i);
        } else if (reason == EAGAIN && now_ms < backlog->until_ms[i]) {
            i += 1;
        } else {
            *ret_lost = backlog->sends[i].peer;
            drop_all_of(backlog, ret_lost);
            return true;
        }
    }
    return false;
}
