// The ring: 0, 1, N and N+1 events, oldest evicted first, forks independent.
#include "model/history.h"

#include "tree/alloc.h"

#include "json.h"

static void push(wd_history *history, uint32_t index)
{
    wd_world_event event = { .step_index = index, .outcome = WD_OUTCOME_OK, .code = "ok" };
    wd_action_init(&event.action, WD_ACTION_BACK);
    event.app = wd_strndup("app", 3);
    wd_history_push(history, &event);
    assert_null(event.app);  // taken
}

static const struct ring_case {
    const char *name;
    size_t size;
    uint32_t pushed;
    size_t kept;
    uint32_t oldest;
} ring_cases[] = {
    { "a ring of 0 keeps nothing", 0, 3, 0, 0 },
    { "nothing pushed", 10, 0, 0, 0 },
    { "one event", 10, 1, 1, 0 },
    { "N events", 10, 10, 10, 0 },
    { "N+1 events evict the oldest", 10, 11, 10, 1 },
    { "many rounds", 3, 100, 3, 97 },
    { "a ring of 1 holds the newest", 1, 5, 1, 4 },
};

static void ring_keeps_the_newest(void **state)
{
    const struct ring_case *row = *state;
    wd_history *history = NULL;
    assert_int_equal(wd_history_new(row->size, &history), WD_OK);
    for (uint32_t i = 0; i < row->pushed; i++) {
        push(history, i);
    }
    assert_int_equal(wd_history_count(history), row->kept);
    for (size_t i = 0; i < row->kept; i++) {
        assert_int_equal(wd_history_at(history, i)->step_index, row->oldest + i);
    }
    wd_history *fork = NULL;
    assert_int_equal(wd_history_fork(history, &fork), WD_OK);
    push(history, 1000);
    assert_int_equal(wd_history_count(fork), row->kept);
    if (row->kept > 0) {
        assert_int_equal(wd_history_at(fork, 0)->step_index, row->oldest);
    }
    wd_history_destroy(&fork);
    wd_history_destroy(&history);
    assert_null(history);
}

int main(void)
{
    struct CMUnitTest tests[WD_COUNT_OF(ring_cases)];
    for (size_t i = 0; i < WD_COUNT_OF(ring_cases); i++) {
        tests[i] = (struct CMUnitTest){ .name = ring_cases[i].name,
            .test_func = ring_keeps_the_newest,
            .initial_state = (void *)(uintptr_t)&ring_cases[i] };
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
