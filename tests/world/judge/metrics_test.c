// Figures of suites beyond their golden cases: memory, and the smallest suites.
#include "judge/episode_id.h"
#include "judge/metrics.h"

#include "json.h"
#include "tree/alloc.h"

static void an_empty_suite_has_no_rates(void **state)
{
    (void)state;
    wd_value *summary = NULL;
    assert_int_equal(wd_metrics_summary(NULL, 0, 1, NULL, 0, &summary), WD_OK);
    assert_json(summary,
        "{\"total_tasks\":0,\"total_episodes\":0,\"repeat_n\":1,\"success\":0,\"failed\":0,\"error\":0,"
        "\"success_rate\":0.0,\"avg_steps\":0.0,\"avg_runtime_s\":0.0,\"success_tasks\":[],"
        "\"failed_tasks\":[],\"error_tasks\":[]}");
    wd_value_unref(&summary);
}

static void stops_have_names(void **state)
{
    (void)state;
    for (int stop = WD_STOP_COMPLETE; stop <= WD_STOP_ERROR; stop++) {
        assert_int_equal(wd_stop_named(wd_stop_name((wd_stop)stop)), stop);
    }
    assert_null(wd_stop_name(WD_STOP_NONE));
    assert_int_equal(wd_stop_named(NULL), WD_STOP_NONE);
    assert_int_equal(wd_stop_named("complete"), WD_STOP_NONE);
}

static void every_allocation_fails_once(void **state)
{
    (void)state;
    const wd_scored_run episodes[] = {
        { .task = "s.A",
            .stop = WD_STOP_COMPLETE,
            .judged = true,
            .success = true,
            .clean = true,
            .progress = 1 },
        { .task = "s.B", .stop = WD_STOP_MAX_STEPS, .judged = true },
        { .task = "s.A", .stop = WD_STOP_ERROR, .error = "x" },
    };
    const int64_t pass_k[] = { 1, 2 };
    wd_value *summary = NULL;
    uint64_t live = wd_alloc_stats_get().bytes_live;
    for (long calls = 0; summary == NULL; calls++) {
        assert_in_range(calls, 0, 1000);
        wd_alloc_fail_after(calls);
        wd_status status = wd_metrics_summary(episodes, 3, 2, pass_k, 2, &summary);
        wd_alloc_fail_after(-1);
        assert_int_equal(status, summary == NULL ? WD_ENOMEM : WD_OK);
        assert_true(summary != NULL || wd_alloc_stats_get().bytes_live == live);
    }
    wd_value_unref(&summary);
}

static void directories_have_bounded_names(void **state)
{
    (void)state;
    wd_buffer buffer = { 0 };
    assert_int_equal(wd_episode_dir("任务/名", &buffer), WD_OK);
    assert_memory_equal(buffer.bytes, "episode_", 8);
    wd_buffer_done(&buffer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_suite_has_no_rates),
        cmocka_unit_test(stops_have_names),
        cmocka_unit_test(every_allocation_fails_once),
        cmocka_unit_test(directories_have_bounded_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
