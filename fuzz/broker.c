// broker.c - a broker fed with whatever peers may send, in whatever order: it lives, answers a message with little, and
// ends every request exactly once. The input is a list of events, each with a length byte and its bytes.
#include "fuzz.h"

#include "proto/frame.h"
#include "runtime/broker.h"

enum { EVENT_SIZE = 4, LEASES = 4 };

typedef struct fuzz_broker {
    wd_broker *broker;
    wd_broker_outbox outbox;
    int64_t now_ms;
    uint64_t requests, outcomes;
    uint64_t leases[LEASES];  // of runs on executors; 0: not open
} fuzz_broker;

static void count(fuzz_broker *fuzz)
{
    fuzz->outcomes += fuzz->outbox.outcome_count;
    wd_assert(fuzz->outcomes <= fuzz->requests);
    wd_broker_outbox_clear(&fuzz->outbox);
}

/// Ask the executor of a run; now and then, while nothing is open, the run is over instead.
static wd_status feed_executor(
    fuzz_broker *fuzz, const uint8_t event[EVENT_SIZE], const uint8_t *body, size_t length)
{
    uint64_t *lease = &fuzz->leases[event[1] % LEASES], id = 0;
    if (*lease != 0 && event[2] == 0 && fuzz->requests == fuzz->outcomes) {
        wd_broker_lease_close(fuzz->broker, *lease, fuzz->now_ms, &fuzz->outbox);
        *lease = 0;
        return WD_OK;
    }
    if (*lease == 0) {
        wd_status status = wd_broker_lease_open(fuzz->broker, event[2] % 2 == 0 ? NULL : "a", lease);
        wd_assert(status == WD_OK);
    }
    wd_executor_ask ask = {
        .lease = *lease,
        .execute = event[1] % 8 >= LEASES,
        .body = body,
        .body_length = length,
        .deadline_ms = 1 + event[2] * 16,
        .wait_ms = event[1],
    };
    fuzz->requests++;
    wd_status status = wd_broker_request_executor(fuzz->broker, &ask, fuzz->now_ms, &id, &fuzz->outbox);
    fuzz->requests -= status == WD_ELIMIT;
    return status == WD_ELIMIT ? WD_OK : status;
}

/// event[0] what, event[1] who, event[2] kind or time, event[3] length of the body that follows.
static void feed(fuzz_broker *fuzz, const uint8_t event[EVENT_SIZE], const uint8_t *body, size_t length)
{
    wd_peer_id peer = { .bytes = { 0, event[1] % 3 }, .length = 5 };
    wd_status status = WD_OK;
    uint64_t id = 0;
    switch (event[0] % 7) {
    case 0:
        fuzz->now_ms += event[2] * 8;
        status = wd_broker_tick(fuzz->broker, fuzz->now_ms, &fuzz->outbox);
        break;
    case 1:
        fuzz->requests++;
        status = wd_broker_request(
            fuzz->broker, NULL, body, length, 1 + event[2] * 16, event[1], fuzz->now_ms, &id, &fuzz->outbox);
        break;
    case 2:
        status = wd_broker_cancel(fuzz->broker, event[2], "fuzz", fuzz->now_ms, &fuzz->outbox);
        break;
    case 3:
        status = wd_broker_peer_lost(fuzz->broker, peer, fuzz->now_ms, &fuzz->outbox);
        break;
    case 4:
        status = feed_executor(fuzz, event, body, length);
        break;
    default: {
        uint8_t header[WD_FRAME_HEADER_SIZE];
        wd_frame_write(event[2], header);
        wd_broker_message message = { .peer = peer,
            .roles = WD_ROLES_ALL,
            .header = header,
            .header_length = sizeof header,
            .body = body,
            .body_length = length,
            .frame_count = 2 };
        status = wd_broker_receive(fuzz->broker, &message, fuzz->now_ms, &fuzz->outbox);
        break;
    }
    }
    wd_assert(status == WD_OK || (status == WD_ELIMIT && event[0] % 7 == 1));
    fuzz->requests -= status == WD_ELIMIT;
    count(fuzz);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    wd_broker_options options = wd_broker_options_default();
    fuzz_broker fuzz = { .now_ms = 1 };
    wd_assert(wd_broker_new(&options, &fuzz.broker) == WD_OK);
    while (size >= EVENT_SIZE) {
        const uint8_t *event = data;
        size_t length = event[3] < size - EVENT_SIZE ? event[3] : size - EVENT_SIZE;
        feed(&fuzz, event, data + EVENT_SIZE, length);
        data += EVENT_SIZE + length;
        size -= EVENT_SIZE + length;
    }
    wd_assert(wd_broker_shutdown(fuzz.broker, "end", &fuzz.outbox) == WD_OK);
    count(&fuzz);
    wd_assert(fuzz.outcomes == fuzz.requests);
    wd_broker_outbox_done(&fuzz.outbox);
    wd_broker_destroy(&fuzz.broker);
    return 0;
}
