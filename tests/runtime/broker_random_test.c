// The broker under events and bytes in any order: it lives, and every request ends exactly once.
#include "broker_script.h"

static uint64_t random_state;

static uint64_t random_below(uint64_t bound)
{
    uint64_t mixed = random_state += 0x9e3779b97f4a7c15;  // splitmix64
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
    return (mixed ^ mixed >> 31) % bound;
}

enum { ROUND_EVENTS = 3000, LEASES = 3 };

static void random_event(broker_script *script, char *ret_event, size_t size)
{
    static const char *const verbs[] = { "hello", "hello", "ask", "ask", "ask", "reply", "reply", "reply",
        "bad", "refuse", "retry", "error", "ping", "pong", "bye", "junk", "lost", "cancel", "wait", "alive",
        "enrich", "enrich", "mean", "mean", "wrong", "unable", "busy", "look", "look", "do", "do", "seen",
        "seen", "done", "done", "blurred", "unplugged", "unable_to", "think" };
    const char *verb = verbs[random_below(WD_COUNT_OF(verbs))];
    uint64_t last = wd_broker_stats_get(script->broker).requests;
    unsigned long long id = last == 0 ? 0 : last - random_below(last < 5 ? last : 5) + random_below(2);
    unsigned peer = 1 + (unsigned)random_below(4);
    if (strcmp(verb, "ask") == 0 || strcmp(verb, "enrich") == 0) {
        snprintf(ret_event, size, "%s d=%u w=%u", verb, 1 + (unsigned)random_below(5000),
            (unsigned)random_below(200));
    } else if (strcmp(verb, "hello") == 0) {
        unsigned role = (unsigned)random_below(3);
        snprintf(ret_event, size, "hello %u %c i=%u n=%u e=%u x=%u", peer, (char)('a' + random_below(3)),
            (unsigned)random_below(3), 1 + (unsigned)random_below(3), role == 1, role == 2);
    } else if (strcmp(verb, "look") == 0 || strcmp(verb, "do") == 0) {
        snprintf(ret_event, size, "%s %u d=%u w=%u", verb, 1 + (unsigned)random_below(LEASES),
            1 + (unsigned)random_below(5000), (unsigned)random_below(200));
    } else if (strcmp(verb, "wait") == 0 || strcmp(verb, "alive") == 0) {
        snprintf(ret_event, size, "%s %u", verb, (unsigned)random_below(700));
    } else if (strcmp(verb, "cancel") == 0) {
        snprintf(ret_event, size, "cancel %llu", id);
    } else {
        snprintf(ret_event, size, "%s %u %llu", verb, peer, id);
    }
}

/// What is to be done is sent to one executor, once.
static void count_executes(const wd_broker_outbox *outbox, uint8_t *sent)
{
    for (size_t i = 0; i < outbox->send_count; i++) {
        if (outbox->sends[i].kind == WD_MSG_EXECUTE_REQUEST) {
            Worldd__V1__ExecuteRequest *request = worldd__v1__execute_request__unpack(
                NULL, outbox->sends[i].body_length, outbox->sends[i].body);
            assert_non_null(request);
            assert_int_equal(request->attempt, 1);
            assert_int_equal(sent[request->request_id]++, 0);
            worldd__v1__execute_request__free_unpacked(request, NULL);
        }
    }
}

/// Whatever happens in whatever order: every request ends exactly once.
static void every_request_ends_once(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        random_state = seed;
        static uint8_t ended[ROUND_EVENTS + 1], executed[ROUND_EVENTS + 1];
        memset(ended, 0, sizeof ended);
        memset(executed, 0, sizeof executed);
        broker_script script;
        script_start(&script);
        for (int i = 0; i < LEASES; i++) {
            assert_int_equal(run_event(&script, i == 0 ? "lease a" : "lease"), WD_OK);
        }
        for (int i = 0; i <= ROUND_EVENTS; i++) {
            char event[64] = "shutdown";
            if (i < ROUND_EVENTS) {
                random_event(&script, event, sizeof event);
            }
            assert_int_equal(run_event(&script, event), WD_OK);
            for (size_t o = 0; o < script.outbox.outcome_count; o++) {
                assert_int_equal(ended[script.outbox.outcomes[o].request_id]++, 0);
            }
            count_executes(&script.outbox, executed);
            wd_broker_outbox_clear(&script.outbox);
        }
        uint64_t requests = wd_broker_stats_get(script.broker).requests;
        assert_true(requests > 100);
        for (uint64_t id = 1; id <= requests; id++) {
            assert_int_equal(ended[id], 1);
        }
        script_end(&script);
    }
}

static void random_bytes_are_survived(void **state)
{
    (void)state;
    random_state = 77;
    broker_script script;
    script_start(&script);
    assert_int_equal(run_event(&script, "hello 1 a"), WD_OK);
    for (int i = 0; i < 20000; i++) {
        body.length = random_below(64);
        for (size_t at = 0; at < body.length; at++) {
            body.bytes[at] = (uint8_t)random_below(256);
        }
        wd_broker_message message = message_of(1 + (unsigned)random_below(2), (uint16_t)random_below(40));
        if (random_below(4) == 0) {
            header[random_below(sizeof header)] = (uint8_t)random_below(256);
        }
        message.frame_count = random_below(9);
        assert_int_equal(wd_broker_receive(script.broker, &message, script.now_ms, &script.outbox), WD_OK);
        wd_broker_outbox_clear(&script.outbox);
    }
    assert_int_equal(run_event(&script, "hello 1 a"), WD_OK);
    wd_broker_outbox_clear(&script.outbox);
    assert_int_equal(run_event(&script, "ask"), WD_OK);
    assert_int_equal(script.outbox.send_count, 1);  // still at work
    script_end(&script);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_request_ends_once),
        cmocka_unit_test(random_bytes_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
