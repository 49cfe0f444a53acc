// What a worker does with a job: which slots are begun when time runs out or the job is cancelled, and what an answer
// that fits into no frame leaves behind. Sources: env_worker.c.
#include "env_worker.h"

#include "env_fixture.h"

#include "tree/alloc.h"

#include <string.h>

enum { SLOTS = 4, MANY = 512 };  // MANY: whole screens of so many slots are over WD_ENV_OUTPUT_MAX

static wd_envs *envs;  // one for all tests: each has envs of its own

static int make_table(void **state)
{
    (void)state;
    envs = env_fixture_table(NULL);
    return 0;
}

static int drop_table(void **state)
{
    (void)state;
    wd_envs_destroy(&envs);
    return 0;
}

static int64_t now_ms;

static int64_t ticking(void)
{
    return ++now_ms;
}

/// A batch of the same action for one env, `count` times.
static wd_env_job *batch_of(wd_env *env, size_t count, const char *kind)
{
    wd_env_job *job = wd_env_job_new(WD_ENV_JOB_BATCH, count, strlen(kind) + 1);
    assert_non_null(job);
    strcpy(job->input, kind);
    for (size_t i = 0; i < count; i++) {
        job->slots[i] = (wd_env_slot){
            .index = (uint32_t)i, .env = wd_env_id_of(env), .kind = { 0, (uint32_t)strlen(kind) }
        };
    }
    return job;
}

static const struct stop_row {
    const char *name;
    bool cancelled;
    int64_t deadline_ms;  // the clock says 2 when the first slot is looked at, and one more with each
    size_t done;          // slots that are begun
    wd_status status;     // of the others
} stop_rows[] = {
    { "no deadline", false, 0, SLOTS, WD_OK },
    { "a deadline after the last slot began", false, 5, SLOTS, WD_OK },
    { "a deadline before the last slot", false, 4, SLOTS - 1, WD_ETIMEOUT },
    { "a deadline at the first slot", false, 2, 1, WD_ETIMEOUT },
    { "a deadline before the first slot", false, 1, 0, WD_ETIMEOUT },
    { "cancelled before it began", true, 0, 0, WD_ECANCELED },
    { "cancelled, and late as well", true, 1, 0, WD_ECANCELED },
};

static void what_has_not_begun_is_not_done(void **state)
{
    const struct stop_row *row = *state;
    wd_env *env = env_fixture_new(envs, 1);
    wd_job_queue out;
    wd_error error;
    assert_int_equal(wd_job_queue_init(&out, &error), WD_OK);
    wd_env_job *job = batch_of(env, SLOTS, "home");
    atomic_store(&job->cancelled, row->cancelled);
    job->deadline_ms = row->deadline_ms;
    now_ms = 0;
    wd_env_worker_do(envs, 0, job, ticking, &out);
    assert_int_equal(job->error.status, WD_OK);
    for (size_t i = 0; i < SLOTS; i++) {
        const wd_env_slot *slot = &job->slots[i];
        assert_int_equal(slot->status, i < row->done ? WD_OK : row->status);
        if (slot->status != WD_OK) {
            assert_non_null(strstr(job->output + slot->text.at, "before it began"));
        }
    }
    assert_int_equal(wd_env_steps(env), row->done);
    wd_env_job_destroy(&job);
    wd_job_queue_done(&out);
}

static void a_cancelled_call_is_not_done(void **state)
{
    (void)state;
    wd_job_queue out;
    wd_error error;
    uint64_t created = wd_envs_stats_get(envs).created;
    assert_int_equal(wd_job_queue_init(&out, &error), WD_OK);
    for (int row = 0; row < 2; row++) {
        wd_env_job *job = wd_env_job_new(WD_ENV_JOB_CALL, 0, 0);
        strcpy(job->verb, "env_create");
        now_ms = 0;
        job->deadline_ms = row;
        atomic_store(&job->cancelled, row == 0);
        wd_env_worker_do(envs, 0, job, ticking, &out);
        assert_int_equal(job->error.status, row == 0 ? WD_ECANCELED : WD_ETIMEOUT);
        assert_null(job->result);
        wd_env_job_destroy(&job);
    }
    assert_int_equal(wd_envs_stats_get(envs).created, created);
    wd_job_queue_done(&out);
}

/// All slots are done, the memory of the answer stays within its bound and one observation, and who asked is told.
static void an_answer_past_its_bound_is_said_and_not_kept(void **state)
{
    (void)state;
    wd_env *env = env_fixture_new(envs, 1);
    wd_job_queue out;
    wd_error error;
    assert_int_equal(wd_job_queue_init(&out, &error), WD_OK);
    wd_value *seen = NULL;
    assert_int_equal(wd_env_observe(envs, env, WD_ENV_LOOK_FULL, &seen), WD_OK);
    wd_value_unref(&seen);
    wd_env_job *job = batch_of(env, MANY, "home");
    job->look = WD_ENV_LOOK_FULL;
    uint64_t before = wd_alloc_stats_get().bytes_live;
    wd_alloc_reset_peak();
    wd_env_worker_do(envs, 0, job, ticking, &out);
    assert_true(wd_alloc_stats_get().bytes_peak - before < 4 * (uint64_t)WD_ENV_OUTPUT_MAX);
    assert_true(job->overflow);
    assert_null(job->output);
    assert_int_equal(job->error.status, WD_OK);
    assert_int_equal(wd_env_steps(env), MANY);
    wd_env_job_destroy(&job);
    wd_job_queue_done(&out);
}

/// Nobody takes what comes out: events are dropped and counted, and no step waits for anybody.
static void events_that_nobody_takes_are_dropped_and_counted(void **state)
{
    (void)state;
    enum { OVER = 10, ALL = WD_ENV_EVENTS_MAX + OVER };
    wd_env *env = env_fixture_new(envs, 1);
    wd_job_queue out;
    wd_error error;
    assert_int_equal(wd_job_queue_init(&out, &error), WD_OK);
    for (size_t done = 0; done < ALL;) {
        size_t count = ALL - done < WD_ENV_BATCH_MAX ? ALL - done : WD_ENV_BATCH_MAX;
        wd_env_job *job = batch_of(env, count, "note");
        job->watched = true;
        wd_env_worker_do(envs, 0, job, ticking, &out);
        wd_env_job_destroy(&job);
        done += count;
    }
    assert_int_equal(wd_env_steps(env), ALL);
    assert_int_equal(atomic_load(&out.count), WD_ENV_EVENTS_MAX);
    assert_int_equal(atomic_load(&out.dropped), OVER);
    wd_job_queue_done(&out);
}

int main(void)
{
    static const struct CMUnitTest single[] = {
        cmocka_unit_test(a_cancelled_call_is_not_done),
        cmocka_unit_test(an_answer_past_its_bound_is_said_and_not_kept),
        cmocka_unit_test(events_that_nobody_takes_are_dropped_and_counted),
    };
    static struct CMUnitTest tests[WD_COUNT_OF(single) + WD_COUNT_OF(stop_rows)];
    memcpy(tests, single, sizeof single);
    for (size_t i = 0; i < WD_COUNT_OF(stop_rows); i++) {
        tests[WD_COUNT_OF(single) + i] = (struct CMUnitTest){ .name = stop_rows[i].name,
            .test_func = what_has_not_begun_is_not_done,
            .initial_state = (void *)(uintptr_t)&stop_rows[i] };
    }
    return _cmocka_run_group_tests("env_worker", tests, WD_COUNT_OF(tests), make_table, drop_table);
}
