/// broker_imagine.h - a planner's question what if, on its way from the broker to who knows the run.
#ifndef RUNTIME_BROKER_IMAGINE_H
#define RUNTIME_BROKER_IMAGINE_H

#include "runtime/broker.h"
#include "runtime/codec_session.h"

/// Asked by the planner that holds the request. The outbox owns `args`.
struct wd_broker_imagine {
    wd_peer_id peer;
    wd_hello hello;       // of the peer: the space of its points, the largest frame it takes
    uint64_t imagine_id;  // the planner's
    uint64_t request_id;  // of a plan; open when it was asked
    wd_value *args;       // object
};

#endif
