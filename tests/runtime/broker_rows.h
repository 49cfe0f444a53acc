/// broker_rows.h - tables of scripts (broker_script.h): each row is a list of events and, for each, all that
/// comes out of it. Every row is run a second time with each of its allocations failing in turn.
#ifndef BROKER_ROWS_H
#define BROKER_ROWS_H

#include "broker_script.h"

enum { ROW_EVENTS_MAX = 12, ROWS_MAX = 128 };

struct broker_case {
    const char *name;
    struct {
        const char *event, *output;
    } events[ROW_EVENTS_MAX];
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

static inline int run_rows(const char *group, const struct broker_case *rows, size_t count)
{
    static struct CMUnitTest tests[2 * ROWS_MAX];
    static char names[ROWS_MAX][96];
    wd_assert(count <= ROWS_MAX);
    for (size_t i = 0; i < count; i++) {
        void *row = (void *)(uintptr_t)&rows[i];
        snprintf(names[i], sizeof names[i], "short of memory: %s", rows[i].name);
        tests[2 * i] = (struct CMUnitTest){
            .name = rows[i].name, .test_func = script_gives_expected, .initial_state = row
        };
        tests[2 * i + 1] =
            (struct CMUnitTest){ .name = names[i], .test_func = short_of_memory, .initial_state = row };
    }
    return _cmocka_run_group_tests(group, tests, 2 * count, NULL, NULL);
}

#endif
