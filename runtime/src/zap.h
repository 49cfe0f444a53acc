/// zap.h - the ZAP handler (ZeroMQ RFC 27): libzmq asks it about every connection before it is let in.
///
/// It decides by domain (which socket) x who: the kernel's uid on ipc, the CURVE key on tcp. Without an answer libzmq
/// lets nobody in (ZMQ_ZAP_ENFORCE_DOMAIN). It lives in the loop of the sockets: a connection waits for its turn there.
#ifndef RUNTIME_ZAP_H
#define RUNTIME_ZAP_H

#include "runtime/authority.h"
#include "runtime/log.h"

#define WD_ZAP_DOMAIN_PLANNER "worldd.planner"
#define WD_ZAP_DOMAIN_CONTROL "worldd.ctl"

enum { WD_ZAP_PER_TURN_MAX = 64 };  // connections judged before others get their turn

typedef struct wd_zap {
    void *socket;                   // REP
    const wd_authority *authority;  // borrowed
    uint64_t admitted, refused;
    bool quiet;  // the daemon tests itself: refusals are expected, and not told
    wd_log_limit log;
} wd_zap;

/// Bind the handler in a ZeroMQ context: before any other socket of it is bound. @retval WD_EIO.
WD_NODISCARD wd_status wd_zap_open(
    void *context, const wd_authority *authority, wd_zap *ret_zap, wd_error *error);
void wd_zap_close(wd_zap *zap);
/// Answer what waits.
void wd_zap_serve(wd_zap *zap, int64_t now_ms);

#endif
