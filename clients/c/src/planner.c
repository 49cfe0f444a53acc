#include "worldd/planner.h"

#include "connection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum {
    WELCOME_WAIT_MS = 3000,  // no Welcome by then: not authorised, or not worldd
    BACK_OFF_MIN_MS = 100,
    BACK_OFF_MAX_MS = 10000,
    CALM_MS = 30000,  // a session that lasted so long resets the back-off
};

struct wd_planner {
    wd_connection connection;
    int wake_fd;
    bool welcome;  // of this connection
    int64_t opened_ms, beat_ms, reached_ms;
    int64_t retry_ms;  // not before this is a new connection made
    int64_t back_off_ms;
    wd_incoming held;  // what the last event borrows from
    bool holds;
    wd_client_error told;       // text of the last event
    wd_planner_event_kind end;  // SUPERSEDED or REJECTED; else NOTHING
};

int wd_planner_open(const wd_planner_options *options, wd_planner **ret_planner, wd_client_error *error)
{
    if (options->max_inflight > WD_PLANNER_INFLIGHT_MAX) {
        return wd_connection_fail(
            error, WD_CLIENT_EINVAL, "max_inflight: must be 1 to %d", WD_PLANNER_INFLIGHT_MAX);
    }
    wd_planner *planner = calloc(1, sizeof *planner);
    if (planner == NULL) {
        return wd_connection_fail(error, WD_CLIENT_ENOMEM, "out of memory");
    }
    int status = wd_connection_init(&planner->connection, "planner", options->name, options->endpoint,
        "WORLDD_PLANNER", "planner.sock", error);
    status =
        status == WD_CLIENT_OK ? wd_connection_use_keys(&planner->connection, options->keys, error) : status;
    planner->connection.max_inflight = options->max_inflight;
    planner->wake_fd = options->wake_fd;
    planner->back_off_ms = BACK_OFF_MIN_MS;
    planner->retry_ms = planner->reached_ms = wd_connection_clock_ms();
    if (status != WD_CLIENT_OK) {
        wd_planner_close(&planner);
        return status;
    }
    *ret_planner = planner;
    return WD_CLIENT_OK;
}

static void release(wd_planner *planner)
{
    if (planner->holds) {
        zmq_msg_close(&planner->held.body);
        planner->holds = false;
    }
}

void wd_planner_close(wd_planner **planner_p)
{
    wd_planner *planner = *planner_p;
    if (planner == NULL) {
        return;
    }
    if (planner->connection.socket != NULL && planner->welcome) {
        wd_connection_send_goodbye(&planner->connection, "done");
    }
    release(planner);
    wd_connection_done(&planner->connection);
    free(planner);
    *planner_p = NULL;
}

int64_t wd_planner_unreached_ms(const wd_planner *planner)
{
    return planner->connection.socket != NULL && planner->welcome
               ? 0
               : wd_connection_clock_ms() - planner->reached_ms;
}

// ---- the connection ---------------------------------------------------------------------------------------------

static int64_t random_below(int64_t bound)
{
    uint32_t number = 0;
    (void)!getrandom(&number, sizeof number, 0);  // only spreads the returns of many planners
    return (int64_t)number % bound;
}

/// The connection is over; a new one comes after the back-off.
static void lose(wd_planner *planner, const char *why, wd_planner_event *event)
{
    int64_t now_ms = wd_connection_clock_ms();
    planner->reached_ms = planner->welcome ? now_ms : planner->reached_ms;
    if (planner->welcome && now_ms - planner->opened_ms > CALM_MS) {
        planner->back_off_ms = BACK_OFF_MIN_MS;
    }
    planner->retry_ms = now_ms + planner->back_off_ms / 2 + random_below(planner->back_off_ms / 2 + 1);
    planner->back_off_ms =
        planner->back_off_ms * 2 < BACK_OFF_MAX_MS ? planner->back_off_ms * 2 : BACK_OFF_MAX_MS;
    planner->welcome = false;
    wd_connection_drop(&planner->connection);
    wd_connection_fail(&planner->told, WD_CLIENT_EPEERLOST, "%s", why);
    *event = (wd_planner_event){ .kind = WD_PLANNER_LOST, .text = planner->told.text };
}

static void end(wd_planner *planner, wd_planner_event_kind kind, wd_planner_event *event)
{
    planner->end = kind;
    planner->welcome = false;
    wd_connection_drop(&planner->connection);
    *event = (wd_planner_event){ .kind = kind, .text = planner->told.text };
}

static int open_connection(wd_planner *planner, wd_planner_event *event, wd_client_error *error)
{
    int status = wd_connection_open(&planner->connection, error);
    if (status != WD_CLIENT_OK) {
        wd_connection_drop(&planner->connection);
        return status;
    }
    planner->opened_ms = planner->connection.heard_ms = wd_connection_clock_ms();
    if (wd_connection_send_hello(&planner->connection, &planner->told) != WD_CLIENT_OK) {
        lose(planner, "nobody is there", event);
    }
    return WD_CLIENT_OK;
}

/// When worldd has been silent for too long.
static int64_t silence_ends_ms(const wd_planner *planner)
{
    return planner->welcome ? planner->connection.heard_ms + planner->connection.silence_ms
                            : planner->opened_ms + WELCOME_WAIT_MS;
}

static int64_t next_due_ms(const wd_planner *planner)
{
    if (planner->connection.socket == NULL) {
        return planner->retry_ms;
    }
    int64_t silence_ms = silence_ends_ms(planner);
    return planner->welcome && planner->beat_ms < silence_ms ? planner->beat_ms : silence_ms;
}

/// Connect, beat, or find worldd gone: whatever is due.
static int keep_up(wd_planner *planner, wd_planner_event *event, wd_client_error *error)
{
    int64_t now_ms = wd_connection_clock_ms();
    if (planner->connection.socket == NULL) {
        return now_ms < planner->retry_ms ? WD_CLIENT_OK : open_connection(planner, event, error);
    }
    if (now_ms >= silence_ends_ms(planner)) {
        lose(
            planner, planner->welcome ? "worldd is gone" : "no welcome: not there, or not authorised", event);
    } else if (planner->welcome && now_ms >= planner->beat_ms) {
        planner->beat_ms = now_ms + planner->connection.heartbeat_ms;
        if (wd_connection_send_ping(&planner->connection, &planner->told) != WD_CLIENT_OK) {
            lose(planner, "worldd is gone", event);
        }
    }
    return WD_CLIENT_OK;
}

// ---- messages ---------------------------------------------------------------------------------------------------

static void take_welcome(wd_planner *planner, wd_planner_event *event)
{
    if (wd_connection_take_welcome(&planner->connection, &planner->held, &planner->told) != WD_CLIENT_OK) {
        *event = (wd_planner_event){ .kind = WD_PLANNER_COMPLAINT, .text = planner->told.text };
        return;
    }
    planner->beat_ms = wd_connection_clock_ms() + planner->connection.heartbeat_ms;
    planner->welcome = true;
    *event = (wd_planner_event){ .kind = WD_PLANNER_WELCOME, .text = "" };
}

static void take_goodbye(wd_planner *planner, const void *body, size_t length, wd_planner_event *event)
{
    Worldd__V1__Goodbye *goodbye = worldd__v1__goodbye__unpack(NULL, length, body);
    const char *reason = goodbye == NULL ? "" : goodbye->reason;
    if (strcmp(reason, "superseded") == 0) {
        wd_connection_fail(&planner->told, WD_CLIENT_EDENIED, "superseded by a newer planner of the name");
        end(planner, WD_PLANNER_SUPERSEDED, event);
    } else {
        char why[128];
        snprintf(why, sizeof why, "worldd said goodbye: %.100s", reason);
        lose(planner, why, event);
    }
    worldd__v1__goodbye__free_unpacked(goodbye, NULL);
}

static void take_cancel(const void *body, size_t length, wd_planner_event *event)
{
    Worldd__V1__PlanCancel *cancel = worldd__v1__plan_cancel__unpack(NULL, length, body);
    if (cancel != NULL) {
        *event =
            (wd_planner_event){ .kind = WD_PLANNER_CANCEL, .request_id = cancel->request_id, .text = "" };
    }
    worldd__v1__plan_cancel__free_unpacked(cancel, NULL);
}

static void take_error(wd_planner *planner, const void *body, size_t length, wd_planner_event *event)
{
    Worldd__V1__Error *said = worldd__v1__error__unpack(NULL, length, body);
    if (said != NULL) {
        wd_connection_fail(&planner->told, (int)said->code, "%s", said->text);
        *event = (wd_planner_event){
            .kind = WD_PLANNER_COMPLAINT, .request_id = said->request_id, .text = planner->told.text
        };
    }
    worldd__v1__error__free_unpacked(said, NULL);
}

/// worldd was restarted: say Hello again; what was open is lost.
static void introduce_again(wd_planner *planner, wd_planner_event *event)
{
    planner->welcome = false;
    planner->opened_ms = wd_connection_clock_ms();
    wd_connection_fail(&planner->told, WD_CLIENT_EPEERLOST, "worldd was restarted");
    *event = (wd_planner_event){ .kind = WD_PLANNER_LOST, .text = planner->told.text };
    if (wd_connection_send_hello(&planner->connection, &planner->told) != WD_CLIENT_OK) {
        lose(planner, "worldd is gone", event);
    }
}

static void take_message(wd_planner *planner, wd_planner_event *event)
{
    const void *body = zmq_msg_data(&planner->held.body);
    size_t length = zmq_msg_size(&planner->held.body);
    switch (planner->held.kind) {
    case WD_MSG_WELCOME:
        take_welcome(planner, event);
        break;
    case WD_MSG_REJECT:
        wd_connection_take_reject(&planner->held, &planner->told);
        end(planner, WD_PLANNER_REJECTED, event);
        break;
    case WD_MSG_WHO_ARE_YOU:
        introduce_again(planner, event);
        break;
    case WD_MSG_GOODBYE:
        take_goodbye(planner, body, length, event);
        break;
    case WD_MSG_PING:
        if (wd_connection_take_ping(&planner->connection, &planner->held, &planner->told) != WD_CLIENT_OK) {
            lose(planner, "worldd is gone", event);
        }
        break;
    case WD_MSG_ERROR:
        take_error(planner, body, length, event);
        break;
    case WD_MSG_PLAN_REQUEST:
        *event = (wd_planner_event){ .kind = WD_PLANNER_REQUEST, .body = body, .length = length, .text = "" };
        break;
    case WD_MSG_PLAN_CANCEL:
        take_cancel(body, length, event);
        break;
    default:
        break;  // a Pong: its coming is all there is to it
    }
}

// ---- the caller's side ------------------------------------------------------------------------------------------

/// Wait for the socket (when there is one) or wake_fd. @return it is wake_fd's turn.
static bool poll_until(wd_planner *planner, int64_t until_ms)
{
    zmq_pollitem_t items[2] = { { .fd = planner->wake_fd, .events = ZMQ_POLLIN },
        { .socket = planner->connection.socket, .events = ZMQ_POLLIN } };
    int first = planner->wake_fd < 0, count = 1 + (planner->connection.socket != NULL);
    int64_t left_ms = until_ms - wd_connection_clock_ms();
    long wait_ms = left_ms <= 0 ? 0 : left_ms > WELCOME_WAIT_MS ? WELCOME_WAIT_MS : (long)left_ms;
    zmq_poll(items + first, count - first, wait_ms);
    return first == 0 && (items[0].revents & ZMQ_POLLIN) != 0;
}

int wd_planner_wait(wd_planner *planner, int timeout_ms, wd_planner_event *ret_event, wd_client_error *error)
{
    int64_t end_ms = timeout_ms < 0 ? INT64_MAX : wd_connection_clock_ms() + timeout_ms;
    *ret_event = (wd_planner_event){ .kind = planner->end, .text = planner->told.text };
    bool more = planner->end == WD_PLANNER_NOTHING;
    while (more && ret_event->kind == WD_PLANNER_NOTHING) {
        release(planner);
        int status = keep_up(planner, ret_event, error);
        if (status != WD_CLIENT_OK) {
            return status;
        }
        if (ret_event->kind != WD_PLANNER_NOTHING) {
            break;
        }
        if (planner->connection.socket != NULL) {
            int received = wd_connection_receive(&planner->connection, &planner->held, &planner->told);
            planner->holds = received == WD_CLIENT_OK;
            if (planner->holds) {
                take_message(planner, ret_event);
            }
            if (received != WD_CLIENT_ETIMEOUT) {
                continue;
            }
        }
        int64_t due_ms = next_due_ms(planner);
        if (poll_until(planner, due_ms < end_ms ? due_ms : end_ms)) {
            *ret_event = (wd_planner_event){ .kind = WD_PLANNER_AWAKE, .text = "" };
        }
        more = wd_connection_clock_ms() < end_ms;
    }
    return WD_CLIENT_OK;
}

/// A message that could not be sent: the next wait finds worldd gone.
static int sent(wd_planner *planner, int status)
{
    if (status == WD_CLIENT_EPEERLOST) {
        planner->connection.heard_ms = planner->opened_ms = INT64_MIN / 2;
    }
    return status;
}

int wd_planner_reply(wd_planner *planner, const void *body, size_t length, wd_client_error *error)
{
    if (planner->connection.socket == NULL) {
        return wd_connection_fail(error, WD_CLIENT_EPEERLOST, "worldd is gone");
    }
    return sent(
        planner, wd_connection_send_bytes(&planner->connection, WD_MSG_PLAN_REPLY, body, length, error));
}

int wd_planner_refuse(
    wd_planner *planner, uint64_t request_id, const char *text, int retryable, wd_client_error *error)
{
    if (planner->connection.socket == NULL) {
        return wd_connection_fail(error, WD_CLIENT_EPEERLOST, "worldd is gone");
    }
    Worldd__V1__PlanError refusal;
    worldd__v1__plan_error__init(&refusal);
    union {
        const char *text;
        char *field;
    } lent = { text };
    refusal.request_id = request_id;
    refusal.text = lent.field;
    refusal.retryable = retryable != 0;
    return sent(planner, wd_connection_send(&planner->connection, WD_MSG_PLAN_ERROR, &refusal.base, error));
}
