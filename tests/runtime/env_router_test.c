// What the router holds while a worker is busy: its bounds at their edges, and every request answered once. Sources:
// env_router.c, env_router_call.c, env_router_batch.c. Run under the tsan preset as well (label "threads").
#include "env_router.h"

#include "env_fixture.h"

#include "runtime/codec_session.h"

#include "proto/worldd.pb-c.h"

#include <poll.h>
#include <stdlib.h>

static const wd_env_owner owner = { .bytes = "router" };

static struct fixture {
    wd_env_pool *pool;
    wd_env_router *router;
    wd_env_id env;
} fixture;

static wd_env_done next_done(void)
{
    for (;;) {
        wd_env_done done = { 0 };
        if (wd_env_router_take(fixture.router, &done) == WD_OK) {
            return done;
        }
        struct pollfd item = { .fd = wd_env_pool_fd(fixture.pool), .events = POLLIN };
        assert_true(poll(&item, 1, 60 * 1000) > 0);
    }
}

static wd_status call(uint64_t request_id, const char *verb, const char *args_text, wd_error *error)
{
    wd_env_asker asker = { .instance = owner, .request_id = request_id };
    wd_value *args = json_of(args_text);
    wd_status status = wd_env_router_call(fixture.router, &asker, verb, args, error);
    wd_value_unref(&args);
    return status;
}

/// *state: how many workers; NULL: one.
static int start(void **state)
{
    const size_t *workers = *state;
    wd_packs *packs = env_fixture_packs();
    wd_envs_options options = wd_envs_options_default();
    wd_error error;
    assert_int_equal(
        wd_env_pool_new(&options, packs, workers == NULL ? 1 : *workers, &fixture.pool, &error), WD_OK);
    assert_int_equal(wd_env_router_new(fixture.pool, &fixture.router), WD_OK);
    wd_packs_unref(&packs);
    assert_int_equal(call(1, "env_create", "{\"seed\":1}", &error), WD_OK);
    wd_env_done done = next_done();
    assert_int_equal(
        wd_env_id_parse(wd_value_as_string(wd_object_get(done.result, "env"), NULL), &fixture.env), WD_OK);
    wd_env_done_done(&done);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    wd_env_router_destroy(&fixture.router);
    wd_env_pool_destroy(&fixture.pool);
    return 0;
}

/// A batch that takes long: whole screens of one env.
static void ask_much(uint64_t request_id)
{
    static uint8_t ids[WD_ENV_ID_SIZE * WD_ENV_BATCH_MAX];
    static char action[] = "home", look[] = "full";
    char *actions[] = { action };
    Worldd__V1__EnvBatch message;
    wd_env_batch batch;
    wd_error error;
    for (size_t i = 0; i < WD_ENV_BATCH_MAX; i++) {
        memcpy(ids + WD_ENV_ID_SIZE * i, fixture.env.bytes, WD_ENV_ID_SIZE);
    }
    worldd__v1__env_batch__init(&message);
    message.request_id = request_id;
    message.env_ids = (ProtobufCBinaryData){ sizeof ids, ids };
    message.n_actions = 1;
    message.actions = actions;
    message.observe = look;
    size_t length = worldd__v1__env_batch__get_packed_size(&message);
    uint8_t *body = malloc(length);
    worldd__v1__env_batch__pack(&message, body);
    assert_int_equal(wd_codec_unpack_env_batch(body, length, &batch, &error), WD_OK);
    wd_env_asker asker = { .instance = owner, .request_id = request_id, .watched = true };
    assert_int_equal(wd_env_router_batch(fixture.router, &asker, &batch, &error), WD_OK);
    wd_env_batch_done(&batch);
    free(body);
}

/// Batches that take longer together than anything else here, the first of them begun when this returns.
static void keep_busy(uint64_t first, uint64_t count)
{
    for (uint64_t id = first; id < first + count; id++) {
        ask_much(id);
    }
    wd_env_done done = next_done();
    assert_int_equal(done.kind, WD_ENV_DONE_EVENT);  // its first step: the worker has it
    wd_env_done_done(&done);
}

static void queues_hold_their_bounds_and_all_are_answered_once(void **state)
{
    (void)state;
    enum {
        BUSY = 2,
        BUSY_COUNT = 24,
        FIRST = BUSY + BUSY_COUNT,
        LAST = BUSY + WD_ENV_REQUESTS_MAX - 1,  // with the busy ones, all that may be open
    };
    static unsigned char answers[LAST + 2];
    size_t done_count = 0, refused_count = 0;
    wd_error error;
    keep_busy(BUSY, BUSY_COUNT);
    for (uint64_t id = FIRST; id <= LAST; id++) {
        assert_int_equal(call(id, "env_named", "{\"name\":\"n\"}", &error), WD_OK);
    }
    assert_int_equal(call(LAST + 1, "env_stats", "{}", &error), WD_EBUSY);
    assert_string_equal(error.text, "envs: 8192 requests are open");
    assert_true(wd_env_router_waits(fixture.router));
    assert_int_equal(wd_env_router_cancel(fixture.router, &owner, LAST + 1), WD_ENOENT);
    for (uint64_t id = BUSY; id < FIRST; id++) {
        assert_int_equal(wd_env_router_cancel(fixture.router, &owner, id), WD_OK);
    }
    for (size_t left = WD_ENV_REQUESTS_MAX; left > 0;) {
        wd_env_done done = next_done();
        if (done.kind != WD_ENV_DONE_EVENT) {
            assert_in_range(done.request_id, BUSY, LAST);
            assert_int_equal(answers[done.request_id]++, 0);
            left -= 1;
        }
        done_count += done.kind == WD_ENV_DONE_RESULT;
        if (done.kind == WD_ENV_DONE_ERROR && done.request_id >= FIRST) {
            assert_int_equal(done.error.status, WD_EBUSY);
            assert_string_equal(done.error.text, "envs: the worker's queue is full; try again");
            refused_count += 1;
        }
        wd_env_done_done(&done);
    }
    // As many as may wait for one worker, and not one more. The busy batches that had their turn waited no longer.
    assert_in_range(done_count, WD_ENV_QUEUE_MAX - (BUSY_COUNT - 1), WD_ENV_QUEUE_MAX);
    assert_int_equal(done_count + refused_count, LAST + 1 - FIRST);
    assert_false(wd_env_router_waits(fixture.router));
    assert_int_equal(call(1, "env_stats", "{}", &error), WD_OK);
    wd_env_done done = next_done();
    assert_int_equal(done.kind, WD_ENV_DONE_RESULT);
    wd_env_done_done(&done);
}

/// What is frozen for other workers is stood on by all at once, the home among them.
static void forks_over_workers_step_alike_at_the_same_time(void **state)
{
    (void)state;
    enum { ROUNDS = 6, FORKS = 5 };
    char env[WD_ENV_ID_TEXT_SIZE], args[160];
    wd_error error;
    uint64_t id = 1;
    wd_env_id_text(&fixture.env, env);
    for (int round = 0; round < ROUNDS; round++) {
        snprintf(args, sizeof args, "{\"env\":\"%s\",\"count\":%d}", env, FORKS);
        assert_int_equal(call(++id, "env_fork", args, &error), WD_OK);
        wd_env_done forked = next_done();
        assert_int_equal(forked.kind, WD_ENV_DONE_RESULT);
        const wd_value *forks = wd_object_get(forked.result, "envs");
        for (size_t i = 0; i <= FORKS; i++) {  // the env itself last, and nobody waits for another
            const char *one = i < FORKS ? wd_value_as_string(wd_array_at(forks, i), NULL) : env;
            snprintf(args, sizeof args, "{\"env\":\"%s\",\"action\":{\"kind\":\"%s\",\"app\":\"settings\"}}",
                one, round % 2 == 0 ? "launch_app" : "home");
            assert_int_equal(call(++id, "env_step", args, &error), WD_OK);
        }
        wd_value *digest = NULL;
        for (size_t i = 0; i <= FORKS; i++) {
            wd_env_done stepped = next_done();
            assert_int_equal(stepped.kind, WD_ENV_DONE_RESULT);
            const wd_value *got = wd_object_get(stepped.result, "digest");
            assert_true(digest == NULL || wd_value_equal(digest, got));
            digest = digest == NULL ? wd_value_ref(got) : digest;
            wd_env_done_done(&stepped);
        }
        wd_value_unref(&digest);
        wd_env_done_done(&forked);
    }
}

int main(void)
{
    static size_t many = 3;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(queues_hold_their_bounds_and_all_are_answered_once, start, stop),
        cmocka_unit_test_prestate_setup_teardown(
            forks_over_workers_step_alike_at_the_same_time, start, stop, &many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
