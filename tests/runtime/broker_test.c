// The broker's state machine, as scripts (broker_script.h): each row is a list of events and, for each, all that comes out
// of it. Every row is run a second time with each of its allocations failing in turn.
#include "broker_script.h"

enum { ROW_EVENTS_MAX = 12 };

static const struct broker_case {
    const char *name;
    struct {
        const char *event, *output;
    } events[ROW_EVENTS_MAX];
} broker_cases[] = {
    // ---- asking and answering
    { "a planner is asked and answers",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "ask", "1<PLAN_REQUEST(1.1 1000ms)" },
            { "reply 1 1", "1=reply(a, 1)" } } },
    { "ids grow, several are open at once",
        { { "hello 1 a n=2", "1<WELCOME(1.0)" }, { "ask", "1<PLAN_REQUEST(1.1 1000ms)" },
            { "ask", "1<PLAN_REQUEST(2.1 1000ms)" }, { "reply 1 2", "2=reply(a, 1)" },
            { "reply 1 1", "1=reply(a, 1)" } } },
    { "a busy planner is given the next request when it is free",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "ask", "1<PLAN_REQUEST(1.1 1000ms)" }, { "ask", "" },
            { "wait 100", "" }, { "reply 1 1", "1<PLAN_REQUEST(2.1 900ms) 1=reply(a, 1)" },
            { "reply 1 2", "2=reply(a, 1)" } } },
    { "nobody there ends at once", { { "ask", "1=no_planner(, 0)" } } },
    { "nobody there, but one may come in time",
        { { "ask w=500", "" }, { "wait 400", "" },
            { "hello 1 a", "1<WELCOME(1.0) 1<PLAN_REQUEST(1.1 600ms)" }, { "reply 1 1", "1=reply(a, 1)" } } },
    { "nobody there, and nobody comes",
        { { "ask w=500", "" }, { "wait 499", "" }, { "wait 1", "1=no_planner(, 0)" } } },
    { "waiting ends with the deadline", { { "ask d=300 w=500", "" }, { "wait 300", "1=no_planner(, 0)" } } },
    { "a planner is asked by name",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "hello 2 b", "2<WELCOME(1.0)" },
            { "ask b", "2<PLAN_REQUEST(1.1 1000ms)" }, { "ask c", "2=no_planner(, 0)" } } },
    { "the least loaded is asked, then the longest idle",
        { { "hello 1 a n=9", "1<WELCOME(1.0)" }, { "hello 2 b n=9", "2<WELCOME(1.0)" },
            { "ask", "1<PLAN_REQUEST(1.1 1000ms)" }, { "ask", "2<PLAN_REQUEST(2.1 1000ms)" },
            { "reply 1 1", "1=reply(a, 1)" }, { "ask", "1<PLAN_REQUEST(3.1 1000ms)" },
            { "reply 1 3", "3=reply(a, 1)" }, { "reply 2 2", "2=reply(b, 1)" },
            { "ask", "2<PLAN_REQUEST(4.1 1000ms)" } } },
    { "a planner that takes only small frames is not asked for more",
        { { "hello 1 a f=65536", "1<WELCOME(1.0)" }, { "ask s=65512", "1<PLAN_REQUEST(1.1 1000ms)" },
            { "reply 1 1", "1=reply(a, 1)" }, { "ask s=65513", "2=no_planner(, 0)" } } },
    // ---- failing
    { "a planner that leaves loses the request to another",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "hello 2 b", "2<WELCOME(1.0)" },
            { "ask", "1<PLAN_REQUEST(1.1 1000ms)" }, { "bye 1", "2<PLAN_REQUEST(1.2 1000ms)" },
            { "reply 2 1", "1=reply(b, 2)" } } },
    { "an unreachable planner, and no other",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "ask", "1<PLAN_REQUEST(1.1 1000ms)" },
            { "lost 1", "1=lost(a, 1)" } } },
    { "an unreachable planner comes back in time",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "ask w=100", "1<PLAN_REQUEST(1.1 1000ms)" }, { "lost 1", "" },
            { "hello 2 a", "2<WELCOME(1.0) 2<PLAN_REQUEST(1.2 1000ms)" },
            { "reply 2 1", "1=reply(a, 2)" } } },
    { "two planners are tried, not three",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "hello 2 b", "2<WELCOME(1.0)" },
            { "hello 3 c", "3<WELCOME(1.0)" }, { "ask w=100", "1<PLAN_REQUEST(1.1 1000ms)" },
            { "lost 1", "2<PLAN_REQUEST(1.2 1000ms)" }, { "lost 2", "1=lost(b, 2)" } } },
    { "a silent planner is gone",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "ask d=9000", "1<PLAN_REQUEST(1.1 3000ms)" },
            { "wait 499", "" }, { "wait 1", "1<GOODBYE(silent) 1=lost(a, 1)" },
            { "ping 1", "1<WHO_ARE_YOU" } } },
    { "any message is a sign of life",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "wait 400", "" }, { "pong 1", "" }, { "wait 400", "" },
            { "junk 1", "1<ERROR(EPROTO header)" }, { "wait 400", "" }, { "ping 1", "1<PONG" } } },
    { "worldd pings, and answers pings",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "pings 99", "" }, { "pings 1", "1<PING" }, { "pings 99", "" },
            { "pings 1", "1<PING" }, { "ping 1", "1<PONG" } } },
    { "an attempt out of time goes to another planner",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "hello 2 b", "2<WELCOME(1.0)" },
            { "ask d=9000", "1<PLAN_REQUEST(1.1 3000ms)" },
            { "alive 3000", "1<PLAN_CANCEL(1 attempt timeout) 2<PLAN_REQUEST(1.2 3000ms)" },
            { "reply 1 1", "1<ERROR(EOUTDATED request_id)" }, { "reply 2 1", "1=reply(b, 2)" } } },
    { "a planner that was late is asked last",
        { { "hello 1 a n=2", "1<WELCOME(1.0)" }, { "hello 2 b n=2", "2<WELCOME(1.0)" },
            { "ask d=9000", "1<PLAN_REQUEST(1.1 3000ms)" },
            { "alive 3000", "1<PLAN_CANCEL(1 attempt timeout) 2<PLAN_REQUEST(1.2 3000ms)" },
            { "ask", "2<PLAN_REQUEST(2.1 1000ms)" } } },
    { "late, and no other",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "ask d=9000", "1<PLAN_REQUEST(1.1 3000ms)" },
            { "alive 3000", "1<PLAN_CANCEL(1 attempt timeout) 1=too_late(a, 1)" } } },
    { "the deadline passes",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "ask d=50", "1<PLAN_REQUEST(1.1 50ms)" }, { "wait 49", "" },
            { "wait 1", "1<PLAN_CANCEL(1 deadline) 1=too_late(a, 1)" },
            { "reply 1 1", "1<ERROR(EOUTDATED request_id)" } } },
    { "every planner is busy until the deadline",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "ask", "1<PLAN_REQUEST(1.1 1000ms)" }, { "ask d=50", "" },
            { "wait 50", "2=too_late(, 0)" } } },
    { "the run cancels",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "ask", "1<PLAN_REQUEST(1.1 1000ms)" },
            { "cancel 1", "1<PLAN_CANCEL(1 not needed) 1=canceled(a, 1)" }, { "cancel 1", "" },
            { "cancel 77", "" }, { "reply 1 1", "1<ERROR(EOUTDATED request_id)" } } },
    { "the planner refuses for good",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "hello 2 b", "2<WELCOME(1.0)" },
            { "ask", "1<PLAN_REQUEST(1.1 1000ms)" }, { "refuse 1 1", "1=refused(a, 1)" } } },
    { "the planner refuses, another may try",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "hello 2 b", "2<WELCOME(1.0)" },
            { "ask", "1<PLAN_REQUEST(1.1 1000ms)" }, { "retry 1 1", "2<PLAN_REQUEST(1.2 1000ms)" },
            { "retry 2 1", "1=refused(b, 2)" } } },
    { "an Error that names the request refuses it, another is taken in silence",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "ask", "1<PLAN_REQUEST(1.1 1000ms)" }, { "error 1 5", "" },
            { "error 1 1", "1=refused(a, 1)" } } },
    // ---- wrong answers
    { "a malformed reply ends the request and names the field",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "ask", "1<PLAN_REQUEST(1.1 1000ms)" },
            { "bad 1 1", "1<ERROR(EPARSE steps[0].args_json) 1=invalid(a, 1)" },
            { "reply 1 1", "1<ERROR(EEXIST request_id)" } } },
    { "a malformed reply without an id",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "ask", "1<PLAN_REQUEST(1.1 1000ms)" },
            { "bad 1 0", "1<ERROR(EPARSE steps[0].args_json)" }, { "reply 1 1", "1=reply(a, 1)" } } },
    { "a reply to a request never made",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "reply 1 1", "1<ERROR(ENOENT request_id)" },
            { "reply 1 0", "1<ERROR(ENOENT request_id)" } } },
    { "a second reply",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "ask", "1<PLAN_REQUEST(1.1 1000ms)" },
            { "reply 1 1", "1=reply(a, 1)" }, { "reply 1 1", "1<ERROR(EEXIST request_id)" } } },
    { "a reply with another planner's id",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "hello 2 b", "2<WELCOME(1.0)" },
            { "ask", "1<PLAN_REQUEST(1.1 1000ms)" }, { "reply 2 1", "2<ERROR(EDENIED request_id)" },
            { "reply 1 1", "1=reply(a, 1)" } } },
    // ---- enrichers
    { "an enricher is asked and answers",
        { { "hello 1 e e=1", "1<WELCOME(1.0)" }, { "enrich", "1<ENRICH_REQUEST(1.1 1000ms)" },
            { "mean 1 1", "1=reply(e, 1)" } } },
    { "a planner is not asked to enrich, an enricher not to plan",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "enrich", "1=no_planner(, 0)" },
            { "enrich a", "2=no_planner(, 0)" }, { "hello 2 e e=1", "2<WELCOME(1.0)" },
            { "ask e", "3=no_planner(, 0)" }, { "bye 1", "" }, { "ask", "4=no_planner(, 0)" } } },
    { "a planner and an enricher of one name",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "hello 2 a e=1", "2<WELCOME(1.0)" },
            { "enrich a", "2<ENRICH_REQUEST(1.1 1000ms)" }, { "ask a", "1<PLAN_REQUEST(2.1 1000ms)" },
            { "mean 2 1", "1=reply(a, 1)" }, { "reply 1 2", "2=reply(a, 1)" } } },
    { "a newer enricher supersedes the older one, no planner",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "hello 2 a e=1", "2<WELCOME(1.0)" },
            { "hello 3 a e=1 i=3", "3<WELCOME(1.0) 2<GOODBYE(superseded)" },
            { "ask a", "1<PLAN_REQUEST(1.1 1000ms)" } } },
    { "an enricher may not be called as worldd's own are",
        { { "hello 1 rules e=1", "1<REJECT(EINVAL name)" }, { "hello 1 device e=1", "1<REJECT(EINVAL name)" },
            { "hello 1 rules", "1<WELCOME(1.0)" } } },
    { "no request waits for an enricher to come",
        { { "enrich", "1=no_planner(, 0)" }, { "hello 1 e e=1", "1<WELCOME(1.0)" } } },
    { "an enricher is late",
        { { "hello 1 e e=1", "1<WELCOME(1.0)" }, { "enrich d=200", "1<ENRICH_REQUEST(1.1 200ms)" },
            { "wait 199", "" }, { "wait 1", "1<ENRICH_CANCEL(1 deadline) 1=too_late(e, 1)" },
            { "mean 1 1", "1<ERROR(EOUTDATED request_id)" } } },
    { "an enricher dies, and another one takes over",
        { { "hello 1 e e=1", "1<WELCOME(1.0)" }, { "hello 2 f e=1", "2<WELCOME(1.0)" },
            { "enrich", "1<ENRICH_REQUEST(1.1 1000ms)" }, { "lost 1", "2<ENRICH_REQUEST(1.2 1000ms)" },
            { "mean 2 1", "1=reply(f, 2)" } } },
    { "an enricher dies, and there is no other",
        { { "hello 1 e e=1", "1<WELCOME(1.0)" }, { "enrich", "1<ENRICH_REQUEST(1.1 1000ms)" },
            { "bye 1", "1=lost(e, 1)" } } },
    { "a meaning that does not fit the scene names the field",
        { { "hello 1 e e=1", "1<WELCOME(1.0)" }, { "enrich", "1<ENRICH_REQUEST(1.1 1000ms)" },
            { "wrong 1 1", "1<ERROR(EINVAL semantic.widgets[0].node) 1=invalid(e, 1)" },
            { "mean 1 1", "1<ERROR(EEXIST request_id)" } } },
    { "an enricher that cannot, and one that could later",
        { { "hello 1 e e=1", "1<WELCOME(1.0)" }, { "enrich", "1<ENRICH_REQUEST(1.1 1000ms)" },
            { "unable 1 1", "1=refused(e, 1)" }, { "enrich", "1<ENRICH_REQUEST(2.1 1000ms)" },
            { "busy 1 2", "2=refused(e, 1)" } } },
    { "what the other role sends is not taken",
        { { "hello 1 e e=1", "1<WELCOME(1.0)" }, { "hello 2 a", "2<WELCOME(1.0)" },
            { "enrich", "1<ENRICH_REQUEST(1.1 1000ms)" }, { "reply 1 1", "1<ERROR(EUNSUPPORTED header)" },
            { "mean 2 1", "2<ERROR(EUNSUPPORTED header)" }, { "mean 1 1", "1=reply(e, 1)" } } },
    { "an answer to another enricher's request",
        { { "hello 1 e e=1", "1<WELCOME(1.0)" }, { "hello 2 f e=1", "2<WELCOME(1.0)" },
            { "enrich e", "1<ENRICH_REQUEST(1.1 1000ms)" }, { "mean 2 1", "2<ERROR(EDENIED request_id)" },
            { "mean 2 9", "2<ERROR(ENOENT request_id)" }, { "mean 1 1", "1=reply(e, 1)" } } },
    { "an enrichment is cancelled",
        { { "hello 1 e e=1", "1<WELCOME(1.0)" }, { "enrich", "1<ENRICH_REQUEST(1.1 1000ms)" },
            { "cancel 1", "1<ENRICH_CANCEL(1 not needed) 1=canceled(e, 1)" },
            { "mean 1 1", "1<ERROR(EOUTDATED request_id)" } } },
    // ---- names and sessions
    { "a newer instance supersedes, and takes over",
        { { "hello 1 a i=1", "1<WELCOME(1.0)" }, { "ask", "1<PLAN_REQUEST(1.1 1000ms)" },
            { "hello 2 a i=2", "2<WELCOME(1.0) 1<GOODBYE(superseded) 2<PLAN_REQUEST(1.2 1000ms)" },
            { "reply 1 1", "1<WHO_ARE_YOU" }, { "reply 2 1", "1=reply(a, 2)" } } },
    { "the same instance on a new connection",
        { { "hello 1 a i=1", "1<WELCOME(1.0)" }, { "hello 2 a i=1", "2<WELCOME(1.0) 1<GOODBYE(superseded)" },
            { "ask", "2<PLAN_REQUEST(1.1 1000ms)" } } },
    { "another user may not take the name",
        { { "hello 1 a u=1000", "1<WELCOME(1.0)" }, { "hello 2 a u=1001", "2<REJECT(EDENIED name)" },
            { "hello 3 a u=1000 i=3", "3<WELCOME(1.0) 1<GOODBYE(superseded)" } } },
    { "Hello again keeps what is open",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "ask", "1<PLAN_REQUEST(1.1 1000ms)" },
            { "hello 1 a", "1<WELCOME(1.0)" }, { "reply 1 1", "1=reply(a, 1)" } } },
    { "Hello under another name starts anew",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "ask", "1<PLAN_REQUEST(1.1 1000ms)" },
            { "hello 1 b", "1<WELCOME(1.0) 1<PLAN_REQUEST(1.2 1000ms)" },
            { "reply 1 1", "1=reply(b, 2)" } } },
    { "a refused Hello ends the session it had",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "ask", "1<PLAN_REQUEST(1.1 1000ms)" },
            { "hello 1 a!", "1<REJECT(EINVAL name) 1=lost(a, 1)" }, { "ping 1", "1<WHO_ARE_YOU" } } },
    { "a peer that never said Hello is asked who it is",
        { { "ping 1", "1<WHO_ARE_YOU" }, { "pong 1", "1<WHO_ARE_YOU" }, { "reply 1 1", "1<WHO_ARE_YOU" },
            { "bye 1", "" }, { "error 1 1", "" } } },
    { "a stranger is turned away", { { "junk 1", "1<REJECT(EPROTO header)" } } },
    { "goodbye to a planner with nothing to do",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "bye 1", "" }, { "lost 1", "" } } },
    { "shutdown", { { "hello 1 a", "1<WELCOME(1.0)" }, { "hello 2 b", "2<WELCOME(1.0)" },
                      { "ask", "1<PLAN_REQUEST(1.1 1000ms)" }, { "ask b w=10", "2<PLAN_REQUEST(2.1 1000ms)" },
                      { "shutdown", "1<GOODBYE(end) 2<GOODBYE(end) 1=canceled(a, 1) 2=canceled(b, 1)" },
                      { "ping 1", "1<WHO_ARE_YOU" } } },
};

static void script_gives_expected(void **state)
{
    const struct broker_case *row = *state;
    broker_script script;
    script_start(&script);
    for (size_t i = 0; i < ROW_EVENTS_MAX && row->events[i].event != NULL; i++) {
        char output[OUTPUT_MAX];
        assert_int_equal(run_event(&script, row->events[i].event), WD_OK);
        print_outbox(&script.outbox, row->events[i].event, output);
        if (strcmp(output, row->events[i].output) != 0) {
            script_end(&script);
            fail_msg("%s: gave \"%s\", expected \"%s\"", row->events[i].event, output, row->events[i].output);
        }
        wd_broker_outbox_clear(&script.outbox);
    }
    script_end(&script);
}

// ---- every allocation fails once --------------------------------------------------------------------------------

/// Run one row with its allocations failing from the nth on, each failed event being repeated with memory.
/// @return whether any allocation failed. Every request must end at most once, and all must end at the shutdown.
static bool run_short_of_memory(const struct broker_case *row, long calls)
{
    broker_script script;
    script_start(&script);
    bool failed = false;
    for (size_t i = 0; i < ROW_EVENTS_MAX && row->events[i].event != NULL; i++) {
        wd_alloc_fail_after(failed ? -1 : calls);
        uint64_t before = wd_alloc_stats_get().calls_total;
        wd_status status = run_event(&script, row->events[i].event);
        calls -= (long)(wd_alloc_stats_get().calls_total - before);
        wd_alloc_fail_after(-1);
        assert_true(status == WD_OK || (status == WD_ENOMEM && !failed));
        failed = failed || status == WD_ENOMEM || calls <= 0;
        if (status == WD_ENOMEM) {
            assert_int_equal(run_event(&script, row->events[i].event), WD_OK);
        }
        assert_int_equal(wd_broker_tick(script.broker, script.now_ms, &script.outbox), WD_OK);
    }
    assert_int_equal(wd_broker_shutdown(script.broker, "end", &script.outbox), WD_OK);
    assert_int_equal(script.outbox.outcome_count, wd_broker_stats_get(script.broker).requests);
    assert_int_equal(wd_broker_stats_get(script.broker).requests_open, 0);
    assert_int_equal(wd_broker_stats_get(script.broker).peers, 0);
    script_end(&script);
    return failed;
}

static void short_of_memory(void **state)
{
    const struct broker_case *row = *state;
    uint64_t live = wd_alloc_stats_get().bytes_live;
    for (long calls = 0; run_short_of_memory(row, calls); calls++) {
        assert_in_range(calls, 0, 2000);
        assert_true(wd_alloc_stats_get().bytes_live == live);
    }
}

int main(void)
{
    struct CMUnitTest tests[2 * WD_COUNT_OF(broker_cases)];
    static char names[WD_COUNT_OF(broker_cases)][96];
    for (size_t i = 0; i < WD_COUNT_OF(broker_cases); i++) {
        void *row = (void *)(uintptr_t)&broker_cases[i];
        snprintf(names[i], sizeof names[i], "short of memory: %s", broker_cases[i].name);
        tests[2 * i] = (struct CMUnitTest){
            .name = broker_cases[i].name, .test_func = script_gives_expected, .initial_state = row
        };
        tests[2 * i + 1] =
            (struct CMUnitTest){ .name = names[i], .test_func = short_of_memory, .initial_state = row };
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
