// Answers that wait for room in the queue of their client. Sources: backlog.c.
#include "backlog.h"

#include "tree/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>

/// A socket: peer 1 has room for so many messages, the others are gone.
typedef struct queue {
    size_t room, sent;
    uint16_t kinds[8];
} queue;

static int send_to_queue(void *context, const wd_broker_send *send)
{
    queue *to = context;
    if (send->peer.bytes[0] != 1) {
        return EHOSTUNREACH;
    }
    if (to->room == 0) {
        return EAGAIN;
    }
    to->room -= 1;
    to->kinds[to->sent++] = send->kind;
    return 0;
}

static wd_broker_send message(uint8_t peer, uint16_t kind, size_t length)
{
    wd_broker_send send = { .peer = { .bytes = { peer }, .length = 1 }, .kind = kind, .body_length = length };
    send.body = length == 0 ? NULL : wd_alloc(length);
    return send;
}

static void put(wd_backlog *backlog, uint8_t peer, uint16_t kind, int64_t now_ms)
{
    wd_broker_send send = message(peer, kind, 8);
    assert_true(wd_backlog_put(backlog, &send, now_ms));
    assert_null(send.body);
}

static wd_backlog backlog;

static void what_waits_is_sent_in_order_when_there_is_room(void **state)
{
    (void)state;
    queue to = { .room = 0 };
    wd_peer_id lost;
    for (uint16_t kind = 1; kind <= 3; kind++) {
        put(&backlog, 1, kind, 0);
    }
    assert_false(wd_backlog_retry(&backlog, send_to_queue, &to, 1, &lost));
    assert_int_equal(backlog.count, 3);
    to.room = 2;
    assert_false(wd_backlog_retry(&backlog, send_to_queue, &to, 2, &lost));
    to.room = 2;
    assert_false(wd_backlog_retry(&backlog, send_to_queue, &to, 3, &lost));
    const uint16_t wanted[] = { 1, 2, 3 };
    assert_int_equal(to.sent, 3);
    assert_memory_equal(to.kinds, wanted, sizeof wanted);
    assert_int_equal(backlog.count + backlog.bytes, 0);
}

static void patience_ends_and_then_all_of_the_client_goes(void **state)
{
    (void)state;
    queue to = { .room = 0 };
    wd_peer_id lost = { .length = 0 };
    put(&backlog, 1, 1, 0);
    put(&backlog, 1, 2, 5);
    assert_false(wd_backlog_retry(&backlog, send_to_queue, &to, WD_BACKLOG_PATIENCE_MS - 1, &lost));
    assert_true(wd_backlog_retry(&backlog, send_to_queue, &to, WD_BACKLOG_PATIENCE_MS, &lost));
    assert_int_equal(lost.bytes[0], 1);
    assert_int_equal(backlog.count + backlog.bytes, 0);
}

static void a_client_that_is_gone_is_told_and_others_stay(void **state)
{
    (void)state;
    queue to = { .room = 0 };
    wd_peer_id lost;
    put(&backlog, 1, 1, 0);
    put(&backlog, 2, 2, 0);
    put(&backlog, 2, 3, 0);
    assert_true(wd_backlog_retry(&backlog, send_to_queue, &to, 1, &lost));
    assert_int_equal(lost.bytes[0], 2);
    assert_false(wd_backlog_retry(&backlog, send_to_queue, &to, 1, &lost));
    assert_int_equal(backlog.count, 1);
    wd_backlog_done(&backlog);
}

static void the_bounds_hold(void **state)
{
    (void)state;
    for (size_t i = 0; i < WD_BACKLOG_COUNT_MAX; i++) {
        put(&backlog, 1, 1, 0);
    }
    wd_broker_send more = message(1, 1, 0);
    assert_false(wd_backlog_put(&backlog, &more, 0));
    wd_backlog_done(&backlog);
    wd_broker_send large = message(1, 1, WD_BACKLOG_BYTES_MAX), small = message(1, 1, 1);
    assert_true(wd_backlog_put(&backlog, &large, 0));  // at the edge
    assert_false(wd_backlog_put(&backlog, &small, 0));
    assert_non_null(small.body);  // nothing was taken
    wd_free(small.body, small.body_length);
    wd_backlog_done(&backlog);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_waits_is_sent_in_order_when_there_is_room),
        cmocka_unit_test(patience_ends_and_then_all_of_the_client_goes),
        cmocka_unit_test(a_client_that_is_gone_is_told_and_others_stay),
        cmocka_unit_test(the_bounds_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
