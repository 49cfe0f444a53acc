/// requests.h - what a client has asked and not been answered yet. Private to the C client.
///
/// A request is kept, packed, until it is over. When worldd knows the connection no more, or falls silent, a new one is made
/// and what is open is sent again under the same ids: the same worldd (its boot id tells) does nothing twice and gives the
/// first answer; with another one all that was open is lost.
#ifndef WORLDD_CLIENT_REQUESTS_H
#define WORLDD_CLIENT_REQUESTS_H

#include "connection.h"

typedef enum wd_request_state {
    WD_REQUEST_OPEN,      // sent, not answered
    WD_REQUEST_ANSWERED,  // `answer` is what came
    WD_REQUEST_LOST,      // worldd is gone or was restarted
} wd_request_state;

typedef struct wd_request {
    uint64_t id;          // 0: this place is free
    wd_kind_number kind;  // CONTROL or ENV_BATCH
    uint8_t *body;
    size_t size;
    int64_t end_ms;  // monotonic; INT64_MAX: as long as worldd lives
    wd_client_progress *progress;
    void *context;
    wd_request_state state;
    wd_incoming answer;  // ANSWERED
} wd_request;

struct wd_client {
    wd_connection connection;
    int connect_ms;
    int64_t beat_ms;  // when the next Ping is due
    uint64_t request_last;
    wd_request open[WD_CLIENT_INFLIGHT_MAX];
};

/// A connection to a worldd that knows us, a new one when the old one is dead. What is open is sent again on a new one.
/// @retval WD_CLIENT_ETIMEOUT, WD_CLIENT_EDENIED, WD_CLIENT_EPROTO, WD_CLIENT_EINVAL  there is none.
int wd_requests_connect(wd_client *client, wd_client_error *error);
/// Send a request of `kind` with its packed body. Takes *body_p (from malloc), on failure too.
/// @param timeout_ms  From now; -1: as long as worldd lives.
/// @param[out] ret_request  Until wd_request_forget(). @retval WD_CLIENT_EBUSY  WD_CLIENT_INFLIGHT_MAX are open.
/// @retval WD_CLIENT_ELIMIT  More than one message of worldd's takes. Others as wd_requests_connect().
int wd_requests_send(wd_client *client, wd_kind_number kind, uint64_t id, uint8_t **body_p, size_t size,
    int timeout_ms, wd_request **ret_request, wd_client_error *error);
wd_request *wd_requests_find(wd_client *client, uint64_t id);  // NULL: none
/// Wait until the request is ANSWERED; NULL: until any is, or has failed. Pings meanwhile.
/// @param[out] ret_over  The request that is over, whatever comes back.
/// @retval WD_CLIENT_ETIMEOUT, WD_CLIENT_EPEERLOST  it is over without an answer.
int wd_requests_wait(wd_client *client, wd_request *wanted, wd_request **ret_over, wd_client_error *error);

/// Free its place. A late answer to it is passed over.
void wd_request_forget(wd_request *request);
/// Where worldd answered with an Error: its number and text. @retval WD_CLIENT_OK  it is no Error.
int wd_request_refusal(wd_request *answered, wd_client_error *error);

#endif
