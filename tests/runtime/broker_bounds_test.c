// The broker's edges: frames, limits, counts, coordinate spaces.
#include "broker_script.h"

// ---- frames -----------------------------------------------------------------------------------------------------

static const struct frame_case {
    const char *name, *header;
    size_t header_length, frame_count;
    const char *known, *stranger;  // what a peer and a stranger are answered
} frame_cases[] = {
    { "no header", "", 0, 1, "1<ERROR(EPROTO header)", "1<REJECT(EPROTO header)" },
    { "a short header", "WD\1\0\4\0\0", 7, 2, "1<ERROR(EPROTO header)", "1<REJECT(EPROTO header)" },
    { "a long header", "WD\1\0\4\0\0\0\0", 9, 2, "1<ERROR(EPROTO header)", "1<REJECT(EPROTO header)" },
    { "another magic", "GET / HT", 8, 2, "1<ERROR(EPROTO header)", "1<REJECT(EPROTO header)" },
    { "an older major version", "WD\0\0\4\0\0\0", 8, 2, "1<ERROR(EVERSION header)",
        "1<REJECT(EVERSION header)" },
    { "a newer major version", "WD\2\0\4\0\0\0", 8, 2, "1<ERROR(EVERSION header)",
        "1<REJECT(EVERSION header)" },
    { "a newer minor version", "WD\1\7\4\0\0\0", 8, 2, "1<PONG", "1<WHO_ARE_YOU" },
    { "kind 0", "WD\1\0\0\0\0\0", 8, 2, "1<ERROR(EPROTO header)", "1<REJECT(EPROTO header)" },
    { "an unknown kind", "WD\1\0\xff\xff\0\0", 8, 2, "1<ERROR(EPROTO header)", "1<REJECT(EPROTO header)" },
    { "unknown flags", "WD\1\0\4\0\1\0", 8, 2, "1<ERROR(EPROTO header)", "1<REJECT(EPROTO header)" },
    { "no body", "WD\1\0\4\0\0\0", 8, 1, "1<ERROR(EPROTO message)", "1<REJECT(EPROTO message)" },
    { "blobs that nobody named", "WD\1\0\4\0\0\0", 8, WD_FRAME_COUNT_MAX, "1<ERROR(EPROTO message)",
        "1<REJECT(EPROTO message)" },
    { "too many frames", "WD\1\0\4\0\0\0", 8, WD_FRAME_COUNT_MAX + 1, "1<ERROR(ELIMIT message)",
        "1<REJECT(ELIMIT message)" },
    { "a kind that only worldd sends", "WD\1\0\2\0\0\0", 8, 2, "1<ERROR(EUNSUPPORTED header)",
        "1<WHO_ARE_YOU" },
    { "a kind of the control socket", "WD\1\0\x20\0\0\0", 8, 2, "1<ERROR(EUNSUPPORTED header)",
        "1<WHO_ARE_YOU" },
};

static void frames_are_judged(void **state)
{
    const struct frame_case *row = *state;
    for (int known = 0; known <= 1; known++) {
        broker_script script;
        char output[OUTPUT_MAX];
        script_start(&script);
        if (known) {
            assert_int_equal(run_event(&script, "hello 1 a"), WD_OK);
            wd_broker_outbox_clear(&script.outbox);
        }
        body.length = 0;
        wd_broker_message message = message_of(1, WD_MSG_PING);
        message.header = row->header;
        message.header_length = row->header_length;
        message.frame_count = row->frame_count;
        assert_int_equal(wd_broker_receive(script.broker, &message, script.now_ms, &script.outbox), WD_OK);
        print_outbox(&script.outbox, "", output);
        assert_string_equal(output, known ? row->known : row->stranger);
        assert_int_equal(wd_broker_stats_get(script.broker).peers, known);  // nobody lost the session for it
        script_end(&script);
    }
}

// ---- limits and counts --------------------------------------------------------------------------------------------

static void limits(void **state)
{
    (void)state;
    broker_script script;
    char event[64], output[OUTPUT_MAX];
    script_start(&script);
    for (int i = 0; i < WD_BROKER_PEERS_MAX; i++) {
        snprintf(event, sizeof event, "hello %d p%d n=64", i, i);
        assert_int_equal(run_event(&script, event), WD_OK);
    }
    wd_broker_outbox_clear(&script.outbox);
    assert_int_equal(wd_broker_stats_get(script.broker).peers, WD_BROKER_PEERS_MAX);
    build_hello("hello 0 late");
    wd_broker_message message = message_of(0, WD_MSG_HELLO);
    message.peer.bytes[2] = 1;  // a connection of its own
    assert_int_equal(wd_broker_receive(script.broker, &message, script.now_ms, &script.outbox), WD_OK);
    print_outbox(&script.outbox, "", output);
    assert_string_equal(output, "0<REJECT(ELIMIT too many peers)");
    wd_broker_outbox_clear(&script.outbox);
    build_hello("hello 0 p7");  // one that takes another's place fits
    message.body_length = body.length;
    assert_int_equal(wd_broker_receive(script.broker, &message, script.now_ms, &script.outbox), WD_OK);
    print_outbox(&script.outbox, "", output);
    assert_string_equal(output, "0<WELCOME(1.0) 7<GOODBYE(superseded)");

    for (int i = 0; i < WD_BROKER_REQUESTS_MAX; i++) {
        assert_int_equal(run_event(&script, "ask"), WD_OK);
        wd_broker_outbox_clear(&script.outbox);
    }
    assert_int_equal(run_event(&script, "ask"), WD_ELIMIT);
    assert_int_equal(wd_broker_stats_get(script.broker).requests_open, WD_BROKER_REQUESTS_MAX);
    assert_int_equal(run_event(&script, "cancel 2048"), WD_OK);
    assert_int_equal(run_event(&script, "ask"), WD_OK);
    script_end(&script);
}

/// How an ended request ended is known for the last WD_BROKER_CLOSED_MAX of them; older ones are just late.
static void ended_requests_are_forgotten_in_time(void **state)
{
    (void)state;
    broker_script script;
    char output[OUTPUT_MAX];
    script_start(&script);
    assert_int_equal(run_event(&script, "hello 1 a"), WD_OK);
    for (int i = 1; i <= WD_BROKER_CLOSED_MAX; i++) {
        char event[64];
        snprintf(event, sizeof event, "reply 1 %d", i);
        assert_int_equal(run_event(&script, "ask"), WD_OK);
        assert_int_equal(run_event(&script, event), WD_OK);
        wd_broker_outbox_clear(&script.outbox);
    }
    assert_int_equal(run_event(&script, "reply 1 1"), WD_OK);
    print_outbox(&script.outbox, "", output);
    assert_string_equal(output, "1<ERROR(EEXIST request_id)");
    assert_int_equal(run_event(&script, "ask"), WD_OK);
    assert_int_equal(run_event(&script, "cancel 4097"), WD_OK);
    wd_broker_outbox_clear(&script.outbox);
    assert_int_equal(run_event(&script, "reply 1 1"), WD_OK);
    print_outbox(&script.outbox, "", output);
    assert_string_equal(output, "1<ERROR(EOUTDATED request_id)");
    script_end(&script);
}

/// As many planners are tried as the options say, and not one more.
static void attempts_are_bounded(void **state)
{
    (void)state;
    for (uint32_t attempts = 1; attempts <= 17; attempts += 4) {
        wd_broker_options options = wd_broker_options_default();
        options.planner_attempts = attempts;
        broker_script script = { .now_ms = 1 };
        assert_int_equal(wd_broker_new(&options, &script.broker), WD_OK);
        char event[64];
        for (int peer = 1; peer <= 20; peer++) {
            snprintf(event, sizeof event, "hello %d p%02d", peer, peer);
            assert_int_equal(run_event(&script, event), WD_OK);
        }
        assert_int_equal(run_event(&script, "ask d=100000"), WD_OK);
        for (int peer = 1; script.outbox.outcome_count == 0; peer++) {
            snprintf(event, sizeof event, "lost %d", peer);
            assert_int_equal(run_event(&script, event), WD_OK);
        }
        assert_int_equal(script.outbox.outcomes[0].end, WD_PLAN_LOST);
        assert_int_equal(script.outbox.outcomes[0].attempt, attempts > 16 ? 16 : attempts);
        script_end(&script);
    }
}

static void leases_are_bounded(void **state)
{
    (void)state;
    broker_script script;
    script_start(&script);
    for (int i = 0; i < WD_BROKER_LEASES_MAX; i++) {
        assert_int_equal(run_event(&script, "lease"), WD_OK);
    }
    assert_int_equal(run_event(&script, "lease"), WD_ELIMIT);
    assert_int_equal(run_event(&script, "release 77"), WD_OK);
    assert_int_equal(run_event(&script, "lease p"), WD_OK);
    script_end(&script);
}

static void thoughts_are_bounded(void **state)
{
    (void)state;
    broker_script script;
    char output[OUTPUT_MAX];
    script_start(&script);
    assert_int_equal(run_event(&script, "hello 1 a"), WD_OK);
    assert_int_equal(run_event(&script, "ask"), WD_OK);
    for (int i = 1; i <= WD_BROKER_THOUGHTS_MAX + 3; i++) {
        wd_broker_outbox_clear(&script.outbox);
        assert_int_equal(run_event(&script, "think 1 1"), WD_OK);
        print_outbox(&script.outbox, "", output);
        assert_string_equal(output, i <= WD_BROKER_THOUGHTS_MAX       ? "1~a(hm)"
                                    : i == WD_BROKER_THOUGHTS_MAX + 1 ? "1<ERROR(ELIMIT text)"
                                                                      : "");
    }
    wd_broker_stats stats = wd_broker_stats_get(script.broker);
    assert_int_equal(stats.thoughts, WD_BROKER_THOUGHTS_MAX);
    assert_int_equal(stats.thoughts_dropped, 3);
    assert_int_equal(run_event(&script, "reply 1 1"), WD_OK);
    assert_int_equal(run_event(&script, "ask"), WD_OK);  // the next request has its own
    wd_broker_outbox_clear(&script.outbox);
    assert_int_equal(run_event(&script, "think 1 2"), WD_OK);
    print_outbox(&script.outbox, "", output);
    assert_string_equal(output, "2~a(hm)");
    script_end(&script);
}

static void counts(void **state)
{
    (void)state;
    static const char *const events[] = { "junk 1", "hello 1 a", "hello 2 b n=3", "hello 2 b! n=3",
        "hello 2 b", "hello 3 b i=3", "ask", "reply 1 1", "reply 1 1", "reply 1 9", "ask a d=10", "wait 20",
        "reply 1 2", "junk 1", "lost 3", "ask a" };
    broker_script script;
    script_start(&script);
    for (size_t i = 0; i < WD_COUNT_OF(events); i++) {
        assert_int_equal(run_event(&script, events[i]), WD_OK);
    }
    wd_broker_stats stats = wd_broker_stats_get(script.broker);
    assert_int_equal(stats.hellos, 4);
    assert_int_equal(stats.rejects, 2);
    assert_int_equal(stats.malformed, 2);
    assert_int_equal(stats.requests, 3);
    assert_int_equal(stats.replies, 1);
    assert_int_equal(stats.repeated_replies, 1);
    assert_int_equal(stats.unknown_replies, 1);
    assert_int_equal(stats.late_replies, 1);
    assert_int_equal(stats.errors_sent, 4);
    assert_int_equal(stats.superseded, 1);
    assert_int_equal(stats.peers_lost, 1);
    assert_int_equal(stats.peers, 1);
    assert_int_equal(stats.requests_open, 1);
    wd_value *peers = NULL;
    wd_buffer json = { 0 };
    assert_int_equal(wd_broker_peers_to_value(script.broker, &peers), WD_OK);
    assert_int_equal(wd_json_write(peers, WD_JSON_COMPACT, &json), WD_OK);
    assert_string_equal(json.bytes,
        "[{\"name\":\"a\",\"role\":\"planner\",\"inflight\":1,\"max_inflight\":1,\"replies\":1}]");
    wd_buffer_done(&json);
    wd_value_unref(&peers);
    script_end(&script);
}

// ---- points -------------------------------------------------------------------------------------------------------

static void points_take_the_space_of_the_planner(void **state)
{
    (void)state;
    broker_script script;
    script_start(&script);
    build_hello("hello 1 a");
    wire_text(&body, 10, "model");
    wire_varint(&body, 11, 500);
    wire_varint(&body, 12, 1000);
    wd_broker_message message = message_of(1, WD_MSG_HELLO);
    assert_int_equal(wd_broker_receive(script.broker, &message, script.now_ms, &script.outbox), WD_OK);
    assert_int_equal(run_event(&script, "ask"), WD_OK);
    body.length = 0;
    wire_varint(&body, 1, 1);
    wire_step(&body, "tap", "{\"x\":250,\"y\":250}", NULL);
    wire_step(&body, "tap", "{\"x\":0.5,\"y\":0.5,\"space\":\"norm1\"}", NULL);
    wire_step(&body, "tap", "{\"x\":501,\"y\":0}", NULL);
    message = message_of(1, WD_MSG_PLAN_REPLY);
    assert_int_equal(wd_broker_receive(script.broker, &message, script.now_ms, &script.outbox), WD_OK);
    assert_int_equal(script.outbox.outcome_count, 1);
    const wd_plan_reply *reply = script.outbox.outcomes[0].reply;
    assert_int_equal(reply->steps[0].action.space, WD_SPACE_NORM1);
    assert_true(reply->steps[0].action.x == 0.5 && reply->steps[0].action.y == 0.25);
    assert_int_equal(reply->steps[1].action.space, WD_SPACE_NORM1);
    assert_true(reply->steps[1].action.x == 0.5 && reply->steps[1].action.y == 0.5);
    assert_int_equal(reply->steps[2].action.kind, WD_ACTION_INVALID);
    assert_string_equal(
        reply->steps[2].action.reason, "args.x, args.y: outside of the planner's coordinate space");
    script_end(&script);
}

static void model_points_need_a_size(void **state)
{
    (void)state;
    broker_script script;
    script_start(&script);
    assert_int_equal(run_event(&script, "hello 1 a"), WD_OK);
    assert_int_equal(run_event(&script, "ask"), WD_OK);
    body.length = 0;
    wire_varint(&body, 1, 1);
    wire_step(&body, "tap", "{\"x\":250,\"y\":250,\"space\":\"model\"}", NULL);
    wd_broker_message message = message_of(1, WD_MSG_PLAN_REPLY);
    assert_int_equal(wd_broker_receive(script.broker, &message, script.now_ms, &script.outbox), WD_OK);
    const wd_action *action = &script.outbox.outcomes[0].reply->steps[0].action;
    assert_int_equal(action->kind, WD_ACTION_INVALID);
    assert_string_equal(action->reason, "args.space: \"model\" needs model_width and model_height in Hello");
    assert_string_equal(action->raw, "tap");
    script_end(&script);
}

int main(void)
{
    struct CMUnitTest tests[WD_COUNT_OF(frame_cases) + 8];
    size_t count = 0;
    for (size_t i = 0; i < WD_COUNT_OF(frame_cases); i++) {
        tests[count++] = (struct CMUnitTest){ .name = frame_cases[i].name,
            .test_func = frames_are_judged,
            .initial_state = (void *)(uintptr_t)&frame_cases[i] };
    }
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(limits);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(ended_requests_are_forgotten_in_time);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(attempts_are_bounded);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(leases_are_bounded);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(thoughts_are_bounded);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(counts);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(points_take_the_space_of_the_planner);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(model_points_need_a_size);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
