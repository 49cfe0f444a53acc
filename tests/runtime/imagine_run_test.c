// What-if of runs, on every shipped task: what was imagined is what comes of it, and nothing real is touched. Sources:
// imagine.c, imagine_run.c.
#include "env_fixture.h"

#include "imagine.h"

#include "runtime/run_judge.h"
#include "runtime/task_instance.h"
#include "runtime/task_library.h"
#include "tree/alloc.h"

static const char *text_at(const wd_value *value, const char *name)
{
    return wd_value_string_or(wd_object_get(value, name), NULL);
}

/// A run of a task with its phone.
typedef struct run_trial {
    wd_host *host;
    wd_task_instance instance;
    wd_run *run;
    wd_sim_executor sim;
} run_trial;

static void trial_start(run_trial *trial, wd_host *host, const char *task, uint64_t seed, bool world)
{
    wd_value *document = NULL;
    wd_error error;
    wd_run_options options = wd_run_options_default();
    options.world.enabled = world;
    *trial = (run_trial){ .host = host };
    if (wd_task_library_read(WD_SOURCE_DIR "/tasks", task, &document, &error) != WD_OK) {
        fail_msg("%s", error.text);
    }
    wd_task_order order = { .document = document, .seed = seed };
    if (wd_task_instance_open(host, &order, &trial->instance, &error) != WD_OK) {
        fail_msg("%s", error.text);
    }
    assert_int_equal(wd_run_new("r", &trial->instance.task, &options, &trial->run, &error), WD_OK);
    trial->sim = (wd_sim_executor){
        .host = host,
        .device = trial->instance.device,
        .events = wd_task_events_start(wd_run_context(trial->run)->task->events, trial->instance.device),
    };
    wd_value_unref(&document);
}

static void trial_stop(run_trial *trial)
{
    wd_run_destroy(&trial->run);
    wd_task_instance_done(&trial->instance);
}

/// Feed an event and carry out what follows, until the run wants a plan or is over.
static void drive(run_trial *trial, wd_run_event event)
{
    wd_executor executor = wd_sim_executor_as_executor(&trial->sim);
    wd_observation observation = { 0 };
    wd_result result;
    for (bool waits = false; !waits;) {
        wd_run_effects effects;
        assert_int_equal(wd_run_step(trial->run, &event, &effects), WD_OK);
        wd_observation_done(&observation);
        if (effects.kind == WD_RUN_DO_OBSERVE) {
            assert_int_equal(executor.observe(executor.context, &observation), WD_OK);
            event = (wd_run_event){ .kind = WD_RUN_OBSERVED, .observation = &observation };
        } else if (effects.kind == WD_RUN_DO_EXECUTE) {
            assert_int_equal(
                executor.execute(executor.context, effects.action, effects.planned_on, &result), WD_OK);
            event = (wd_run_event){ .kind = WD_RUN_EXECUTED, .result = &result };
        } else {
            assert_true(effects.kind == WD_RUN_DO_PLAN || effects.kind == WD_RUN_DO_END);
            waits = true;
        }
    }
}

/// Plan what a candidate says.
static void carry_out(run_trial *trial, const wd_value *candidate)
{
    wd_plan_outcome outcome = { .end = WD_PLAN_REPLY, .planner = "p" };
    outcome.reply = wd_alloc_zero(1, sizeof *outcome.reply);
    assert_non_null(outcome.reply);
    assert_in_range(wd_array_count(candidate), 1, WD_PLAN_STEPS_MAX);
    wd_iter iter = wd_iter_start(candidate);
    while (wd_iter_next(&iter)) {
        wd_step *step = &outcome.reply->steps[outcome.reply->step_count++];
        step->args = wd_value_ref(iter.value);
        assert_int_equal(wd_object_remove(&step->args, "kind"), WD_OK);
        assert_int_equal(wd_codec_read_action(text_at(iter.value, "kind"), step->args, &step->action), WD_OK);
    }
    drive(trial, (wd_run_event){ .kind = WD_RUN_PLANNED, .outcome = &outcome });
    wd_plan_outcome_done(&outcome);
}

static wd_value *imagine(run_trial *trial, const wd_value *candidate)
{
    wd_value *args = NULL, *result = NULL;
    wd_imagine_order order;
    wd_error error;
    assert_int_equal(wd_value_pack(&args, "{s:[v,v,[]]}", "candidates", candidate, candidate), WD_OK);
    assert_int_equal(wd_imagine_read(args, &order, &error), WD_OK);
    if (wd_imagine_run(trial->run, &trial->sim, &order, &result, &error) != WD_OK) {
        fail_msg("%s", error.text);
    }
    wd_value_unref(&args);
    return result;
}

static void assert_same(const char *task, const char *what, const wd_value *told, const wd_value *real)
{
    if (told == NULL || real == NULL || !wd_value_equal(told, real)) {
        char *a = told == NULL ? strdup("nothing") : text_of(told);
        char *b = real == NULL ? strdup("nothing") : text_of(real);
        print_error("%s: %s\nimagined %s\nreal     %s\n", task, what, a, b);
        free(a);
        free(b);
        fail();
    }
}

/// Digest, verdict, reward and world of where the run is now are those told of a candidate.
static void assert_came_true(run_trial *trial, const wd_value *told)
{
    const wd_task_context *context = wd_run_context(trial->run);
    wd_value *verdict = NULL, *world = NULL, *reward = NULL;
    char digest[WD_DIGEST_TEXT_SIZE];
    wd_digest_text(wd_device_digest(trial->instance.device), digest);
    assert_string_equal(text_at(told, "digest"), digest);
    assert_int_equal(wd_run_judge(trial->run, trial->host, &verdict), WD_OK);
    assert_same(context->task->id, "verdict", wd_object_get(told, "verdict"), verdict);
    assert_int_equal(wd_value_double(wd_run_reward(trial->run, verdict), &reward), WD_OK);
    assert_same(context->task->id, "reward", wd_object_get(told, "reward"), reward);
    assert_int_equal(wd_object_get(told, "world") != NULL, context->world != NULL);
    if (context->world != NULL) {
        assert_int_equal(wd_world_state_to_value(context->world, false, &world), WD_OK);
        assert_same(context->task->id, "world", wd_object_get(told, "world"), world);
    }
    wd_scene *scene = NULL;
    wd_error error;
    assert_int_equal(wd_phone_observe(trial->host, trial->instance.device, &scene, &error), WD_OK);
    wd_digest_text(wd_scene_digest(scene), digest);
    assert_string_equal(text_at(wd_object_get(told, "observation"), "digest"), digest);
    wd_scene_unref(&scene);
    wd_value_unref(&verdict);
    wd_value_unref(&world);
    wd_value_unref(&reward);
}

/// Imagine, find that nothing was touched and that an empty candidate tells what is so now, then do it in earnest.
static void imagine_and_do(run_trial *trial, const wd_value *candidate)
{
    wd_digest before = wd_device_digest(trial->instance.device);
    wd_value *result = imagine(trial, candidate);
    const wd_value *list = wd_object_get(result, "candidates");
    assert_true(wd_digest_equal(wd_device_digest(trial->instance.device), before));
    assert_true(wd_value_equal(wd_array_at(list, 0), wd_array_at(list, 1)));
    assert_came_true(trial, wd_array_at(list, 2));
    carry_out(trial, candidate);
    assert_came_true(trial, wd_array_at(list, 0));
    wd_ending ending = wd_run_ending(trial->run);
    const char *told = text_at(wd_array_at(list, 0), "ending");
    assert_string_equal(told == NULL ? "running" : told, wd_ending_name(ending));
    wd_value_unref(&result);
}

/// The steps that the task's author gives, and then complete, as a candidate.
static wd_value *gold_candidate(const wd_task *task)
{
    wd_value *list = wd_value_array();
    wd_iter iter = wd_iter_start(wd_object_get(task->document, "gold"));
    while (wd_iter_next(&iter)) {
        const wd_value *args = wd_object_get(iter.value, "args");
        wd_value *step = args == NULL ? wd_value_object() : wd_value_ref(args), *kind = NULL, *filled = NULL;
        assert_int_equal(wd_value_text(text_at(iter.value, "action"), &kind), WD_OK);
        assert_int_equal(wd_object_set(&step, "kind", &kind), WD_OK);
        assert_int_equal(wd_task_fill(step, task->params, &filled), WD_OK);
        assert_int_equal(wd_array_append(&list, &filled), WD_OK);
        wd_value_unref(&step);
    }
    wd_value *complete = json_of("{\"kind\":\"complete\",\"remember\":{\"done\":true}}");
    assert_int_equal(wd_array_append(&list, &complete), WD_OK);
    return list;
}

static wd_value *random_candidate(random_source *random)
{
    enum { STEPS_MAX = 5 };
    wd_value *list = wd_value_array();
    uint32_t count = 1 + random_below(random, STEPS_MAX);
    for (uint32_t i = 0; i < count; i++) {
        char text[128];
        env_fixture_action(random_next(random) % 1000000, i, text, sizeof text);
        wd_value *action = json_of(text);
        assert_int_equal(wd_array_append(&list, &action), WD_OK);
    }
    return list;
}

static void what_is_imagined_comes_true(void **state)
{
    (void)state;
    enum { TASKS_MAX = 64 };
    random_source random = random_seeded("imagine_run", 20261130);
    wd_packs *packs = env_fixture_packs();
    wd_host *host = NULL;
    wd_value *ids = NULL;
    wd_error error;
    assert_int_equal(wd_host_new(packs, &host, &error), WD_OK);
    assert_int_equal(wd_task_library_list(WD_SOURCE_DIR "/tasks", NULL, &ids, &error), WD_OK);
    assert_in_range(wd_array_count(ids), 20, TASKS_MAX);
    wd_iter iter = wd_iter_start(ids);
    while (wd_iter_next(&iter)) {
        run_trial trial;
        const char *task = wd_value_as_string(iter.value, NULL);
        trial_start(&trial, host, task, random_next(&random) % 1000, iter.index % 3 != 0);
        drive(&trial, (wd_run_event){ .kind = WD_RUN_START });
        if (iter.index % 2 == 0) {  // from a start that is none of the author's
            wd_value *walk = random_candidate(&random);
            imagine_and_do(&trial, walk);
            wd_value_unref(&walk);
        }
        if (wd_run_ending(trial.run) == WD_END_NONE) {
            wd_value *gold = gold_candidate(wd_run_context(trial.run)->task);
            imagine_and_do(&trial, gold);
            wd_value_unref(&gold);
        }
        trial_stop(&trial);
    }
    wd_value_unref(&ids);
    wd_host_destroy(&host);
    wd_packs_unref(&packs);
}

static void a_run_amid_a_step_is_busy(void **state)
{
    (void)state;
    run_trial trial;
    wd_packs *packs = env_fixture_packs();
    wd_host *host = NULL;
    wd_error error;
    wd_imagine_order order = { 0 };
    wd_value *result = NULL;
    assert_int_equal(wd_host_new(packs, &host, &error), WD_OK);
    trial_start(&trial, host, "demo/hello", 1, true);
    assert_int_equal(wd_imagine_run(trial.run, &trial.sim, &order, &result, &error), WD_EBUSY);
    assert_string_equal(error.text, "imagine: the run is amid a step; ask again");
    trial_stop(&trial);
    wd_host_destroy(&host);
    wd_packs_unref(&packs);
}

static void out_of_memory_leaves_the_run_as_it_is(void **state)
{
    (void)state;
    run_trial trial;
    wd_packs *packs = env_fixture_packs();
    wd_host *host = NULL;
    wd_error error;
    wd_imagine_order order;
    wd_value *result = NULL, *args = json_of("{\"observe\":\"none\",\"candidates\":[[{\"kind\":\"home\"},"
                                             "{\"kind\":\"launch_app\",\"app\":\"settings\"}]]}");
    assert_int_equal(wd_host_new(packs, &host, &error), WD_OK);
    trial_start(&trial, host, "demo/bluetooth_off", 1, true);
    drive(&trial, (wd_run_event){ .kind = WD_RUN_START });
    assert_int_equal(wd_imagine_read(args, &order, &error), WD_OK);
    wd_digest digest = wd_device_digest(trial.instance.device);
    for (long calls = 0; result == NULL; calls += 1 + calls / 64) {
        assert_in_range(calls, 0, 1000000);
        wd_alloc_fail_after(calls);
        wd_status status = wd_imagine_run(trial.run, &trial.sim, &order, &result, &error);
        wd_alloc_fail_after(-1);
        assert_int_equal(status, result == NULL ? WD_ENOMEM : WD_OK);
        assert_true(wd_digest_equal(wd_device_digest(trial.instance.device), digest));
    }
    wd_value *gold = gold_candidate(wd_run_context(trial.run)->task);
    imagine_and_do(&trial, gold);
    wd_value_unref(&gold);
    wd_value_unref(&result);
    wd_value_unref(&args);
    trial_stop(&trial);
    wd_host_destroy(&host);
    wd_packs_unref(&packs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_imagined_comes_true),
        cmocka_unit_test(a_run_amid_a_step_is_busy),
        cmocka_unit_test(out_of_memory_leaves_the_run_as_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
