// Envs on worker threads: results do not depend on how many there are. Sources: env_pool.c, env_worker.c, env_job.c,
// job_queue.c. Run under the tsan preset as well (label "threads").
#include "env_fixture.h"

#include "runtime/env_pool.h"

#include <poll.h>

enum { ENVS = 24, STEPS = 5 };

static wd_env_pool *pool_of(size_t workers)
{
    wd_packs *packs = env_fixture_packs();
    wd_envs_options options = wd_envs_options_default();
    wd_env_pool *pool = NULL;
    wd_error error;
    if (wd_env_pool_new(&options, packs, workers, &pool, &error) != WD_OK) {
        fail_msg("%s", error.text);
    }
    wd_packs_unref(&packs);
    return pool;
}

/// The next job that comes out, events aside when there is nobody to count them.
static wd_env_job *wait_for(wd_env_pool *pool)
{
    for (;;) {
        wd_env_job *job = wd_env_pool_take(pool);
        if (job != NULL) {
            return job;
        }
        struct pollfd item = { .fd = wd_env_pool_fd(pool), .events = POLLIN };
        assert_true(poll(&item, 1, 60 * 1000) > 0);
    }
}

static wd_env_job *call_job(const char *verb, const char *args)
{
    wd_env_job *job = wd_env_job_new(WD_ENV_JOB_CALL, 0, 0);
    wd_value *value = json_of(args);
    assert_non_null(job);
    snprintf(job->verb, sizeof job->verb, "%s", verb);
    assert_int_equal(wd_value_freeze(value, &job->args), WD_OK);
    wd_value_unref(&value);
    return job;
}

/// Call and wait; the answer must be good. The result is frozen and the caller's.
static wd_value *call(wd_env_pool *pool, uint32_t worker, const char *verb, const char *args)
{
    wd_env_job *job = call_job(verb, args);
    assert_int_equal(wd_env_pool_send(pool, worker, &job), WD_OK);
    job = wait_for(pool);
    if (job->error.status != WD_OK) {
        fail_msg("%s: %s", verb, job->error.text);
    }
    wd_value *result = wd_value_ref(job->result);
    wd_env_job_destroy(&job);
    return result;
}

static wd_env_id id_at(const wd_value *result, const char *name)
{
    wd_env_id id;
    assert_int_equal(wd_env_id_parse(wd_value_as_string(wd_object_get(result, name), NULL), &id), WD_OK);
    return id;
}

/// A batch of one step for each of ids[first..first + count), which live on one worker.
static wd_env_job *batch_job(const wd_env_id *ids, const uint32_t *walks, size_t count, uint32_t step)
{
    enum { ROOM = 160 };
    wd_env_job *job = wd_env_job_new(WD_ENV_JOB_BATCH, count, count * ROOM);
    assert_non_null(job);
    job->look = WD_ENV_LOOK_CHANGED;
    for (size_t i = 0; i < count; i++) {
        char text[128];
        env_fixture_action(walks[i], step, text, sizeof text);
        wd_value *action = json_of(text);
        const char *kind = wd_value_as_string(wd_object_get(action, "kind"), NULL);
        char *room = job->input + i * ROOM;
        size_t kind_length = strlen(kind), args_length = strlen(text);
        memcpy(room, kind, kind_length + 1);
        memcpy(room + kind_length + 1, text, args_length);
        job->slots[i] = (wd_env_slot){
            .index = (uint32_t)i,
            .env = ids[i],
            .kind = { (uint32_t)(i * ROOM), (uint32_t)kind_length },
            .args = { (uint32_t)(i * ROOM + kind_length + 1), (uint32_t)args_length },
        };
        wd_value_unref(&action);
    }
    return job;
}

static void drive(size_t workers, wd_digest ret_digests[ENVS])
{
    wd_env_pool *pool = pool_of(workers);
    wd_env_id ids[ENVS];
    for (uint32_t i = 0; i < ENVS; i++) {
        char args[64];
        snprintf(args, sizeof args, "{\"seed\":%u}", i % 3);
        wd_value *created = call(pool, (uint32_t)(i % workers), "env_create", args);
        ids[i] = id_at(created, "env");
        wd_value_unref(&created);
    }
    for (uint32_t step = 0; step < STEPS; step++) {
        for (uint32_t worker = 0; worker < workers; worker++) {
            wd_env_id part[ENVS];
            uint32_t walks[ENVS], home = 0;
            size_t count = 0;
            for (uint32_t i = 0; i < ENVS; i++) {
                assert_int_equal(wd_env_pool_home(pool, &ids[i], &home), WD_OK);
                if (home == worker) {
                    walks[count] = i;
                    part[count++] = ids[i];
                }
            }
            wd_env_job *job = batch_job(part, walks, count, step);
            assert_int_equal(wd_env_pool_send(pool, worker, &job), WD_OK);
        }
        for (uint32_t worker = 0; worker < workers; worker++) {
            wd_env_job *job = wait_for(pool);
            assert_int_equal(job->error.status, WD_OK);
            for (size_t s = 0; s < job->slot_count; s++) {
                const wd_env_slot *slot = &job->slots[s];
                assert_int_equal(slot->status, WD_OK);
                assert_true(slot->observation.length > 0);
                for (uint32_t i = 0; i < ENVS; i++) {
                    if (wd_env_id_equal(&ids[i], &slot->env)) {
                        ret_digests[i] = slot->machine;
                    }
                }
            }
            wd_env_job_destroy(&job);
        }
    }
    wd_env_pool_destroy(&pool);
}

static void workers_change_no_result(void **state)
{
    (void)state;
    wd_digest one[ENVS], many[ENVS];
    drive(1, one);
    for (size_t workers = 2; workers <= 3; workers++) {
        drive(workers, many);
        for (size_t i = 0; i < ENVS; i++) {
            assert_true(wd_digest_equal(one[i], many[i]));
        }
    }
}

/// A snapshot travels to another worker as a frozen bundle, and forks there have the same future.
static void a_snapshot_is_forked_elsewhere(void **state)
{
    (void)state;
    wd_env_pool *pool = pool_of(2);
    wd_value *created = call(pool, 0, "env_create", "{\"seed\":3}");
    char text[256];
    wd_env_id env = id_at(created, "env");
    uint32_t walk = 3;
    wd_env_job *job = batch_job(&env, &walk, 1, 0);
    assert_int_equal(wd_env_pool_send(pool, 0, &job), WD_OK);
    job = wait_for(pool);
    wd_env_job_destroy(&job);
    snprintf(text, sizeof text, "{\"env\":\"%s\"}", wd_value_as_string(wd_object_get(created, "env"), NULL));
    wd_value *kept = call(pool, 0, "env_snapshot", text);
    const char *snapshot = wd_value_as_string(wd_object_get(kept, "snapshot"), NULL);
    snprintf(text, sizeof text, "{\"snapshot\":\"%s\",\"whole\":true}", snapshot);
    wd_value *bundle = call(pool, 0, "env_export", text), *args = NULL;
    assert_int_equal(wd_value_pack(&args, "{s:s,s:v}", "snapshot", snapshot, "bundle", bundle), WD_OK);
    job = wd_env_job_new(WD_ENV_JOB_CALL, 0, 0);
    strcpy(job->verb, "env_import");
    assert_int_equal(wd_value_freeze(args, &job->args), WD_OK);
    assert_int_equal(wd_env_pool_send(pool, 1, &job), WD_OK);
    job = wait_for(pool);
    assert_int_equal(job->error.status, WD_OK);
    wd_env_job_destroy(&job);
    snprintf(text, sizeof text, "{\"snapshot\":\"%s\"}", snapshot);
    wd_value *forked = call(pool, 1, "env_fork", text);
    wd_env_id fork;
    assert_int_equal(
        wd_env_id_parse(wd_value_as_string(wd_array_at(wd_object_get(forked, "envs"), 0), NULL), &fork),
        WD_OK);
    wd_digest digests[2];
    for (uint32_t i = 0; i < 2; i++) {
        job = batch_job(i == 0 ? &env : &fork, &walk, 1, 1);
        assert_int_equal(wd_env_pool_send(pool, i, &job), WD_OK);
        job = wait_for(pool);
        assert_int_equal(job->slots[0].status, WD_OK);
        digests[i] = job->slots[0].machine;
        wd_env_job_destroy(&job);
    }
    assert_true(wd_digest_equal(digests[0], digests[1]));
    wd_value *all[] = { created, kept, bundle, args, forked };
    for (size_t i = 0; i < WD_COUNT_OF(all); i++) {
        wd_value_unref(&all[i]);
    }
    wd_env_pool_destroy(&pool);
}

static void a_bad_slot_fails_alone(void **state)
{
    (void)state;
    wd_env_pool *pool = pool_of(1);
    wd_value *created = call(pool, 0, "env_create", "{\"seed\":1}");
    wd_env_id ids[3] = { id_at(created, "env"), { { 0 } }, id_at(created, "env") };
    uint32_t walks[3] = { 1, 1, 1 };
    wd_env_job *job = batch_job(ids, walks, 3, 0);
    job->slots[2].args.length -= 1;  // its JSON is cut
    assert_int_equal(wd_env_pool_send(pool, 0, &job), WD_OK);
    job = wait_for(pool);
    assert_int_equal(job->error.status, WD_OK);
    assert_int_equal(job->slots[0].status, WD_OK);
    assert_int_equal(job->slots[1].status, WD_ENOENT);
    assert_int_equal(job->slots[2].status, WD_EPARSE);
    assert_int_equal(strncmp(job->output + job->slots[2].text.at, "action_args_json[2]: ", 21), 0);
    wd_env_job_destroy(&job);
    wd_value_unref(&created);
    wd_env_pool_destroy(&pool);
}

static void a_late_job_is_not_done(void **state)
{
    (void)state;
    wd_env_pool *pool = pool_of(1);
    wd_env_job *job = call_job("env_create", "{}");
    job->deadline_ms = 1;  // long ago
    assert_int_equal(wd_env_pool_send(pool, 0, &job), WD_OK);
    job = wait_for(pool);
    assert_int_equal(job->error.status, WD_ETIMEOUT);
    wd_env_job_destroy(&job);
    wd_value *stats = call(pool, 0, "env_stats", "{}");
    assert_int_equal(wd_value_int_or(wd_object_get(stats, "created"), -1), 0);
    wd_value_unref(&stats);
    wd_env_pool_destroy(&pool);
}

static void an_owner_loses_all_its_envs(void **state)
{
    (void)state;
    wd_env_pool *pool = pool_of(1);
    for (int i = 0; i < 6; i++) {
        wd_env_job *job = call_job("env_create", "{}");
        job->owner.bytes[0] = (uint8_t)(i % 2);
        assert_int_equal(wd_env_pool_send(pool, 0, &job), WD_OK);
        job = wait_for(pool);
        wd_env_job_destroy(&job);
    }
    wd_env_job *job = wd_env_job_new(WD_ENV_JOB_DISOWN, 0, 0);
    job->owner.bytes[0] = 1;
    assert_int_equal(wd_env_pool_send(pool, 0, &job), WD_OK);
    job = wait_for(pool);
    wd_env_job_destroy(&job);
    wd_value *stats = call(pool, 0, "env_stats", "{}");
    assert_int_equal(wd_value_int_or(wd_object_get(stats, "envs"), -1), 3);
    wd_value_unref(&stats);
    wd_env_pool_destroy(&pool);
}

static void watched_steps_are_told(void **state)
{
    (void)state;
    wd_env_pool *pool = pool_of(1);
    wd_value *created = call(pool, 0, "env_create", "{\"seed\":1}");
    wd_env_id env = id_at(created, "env");
    uint32_t walk = 1;
    wd_env_job *job = batch_job(&env, &walk, 1, 0);
    job->watched = true;
    assert_int_equal(wd_env_pool_send(pool, 0, &job), WD_OK);
    wd_env_job *event = wait_for(pool);
    assert_int_equal(event->kind, WD_ENV_JOB_EVENT);
    assert_true(wd_value_is_text(wd_object_get(event->result, "event"), "step"));
    job = wait_for(pool);
    assert_int_equal(job->kind, WD_ENV_JOB_BATCH);
    wd_env_job_destroy(&event);
    wd_env_job_destroy(&job);
    wd_value_unref(&created);
    wd_env_pool_destroy(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(workers_change_no_result),
        cmocka_unit_test(a_snapshot_is_forked_elsewhere),
        cmocka_unit_test(a_bad_slot_fails_alone),
        cmocka_unit_test(a_late_job_is_not_done),
        cmocka_unit_test(an_owner_loses_all_its_envs),
        cmocka_unit_test(watched_steps_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
