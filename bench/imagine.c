// imagine.c - `worldd-bench imagine`: what-if at its bounds, against the same steps done in earnest. What it takes on the
// thread of the sockets (of a run) is what others wait at worst.
#include "benches.h"

#include "runtime/env_call.h"
#include "runtime/packs.h"
#include "tree/json.h"

#include <string.h>

enum { STEPS = 32, LISTS = 8, SHORT_STEPS = 4, SHORT_LISTS = 64 };  // 256 steps either way

typedef struct what_if {
    wd_bench *bench;
    wd_envs *envs;
    wd_value *created;                            // of the env that is imagined from
    wd_value *forked;                             // envs that do the same in earnest
    wd_value *whole, *screens, *nothing, *steps;  // arguments; one list of steps
} what_if;

static const char *const walk[] = {
    "{\"kind\":\"launch_app\",\"app\":\"settings\"}",
    "{\"kind\":\"tap\",\"selector\":{\"resource_id\":\"open_bluetooth\"}}",
    "{\"kind\":\"tap\",\"selector\":{\"resource_id\":\"bluetooth_switch\"}}",
    "{\"kind\":\"back\"}",
};

static void check(const what_if *work, wd_status status, const char *what, const wd_error *error)
{
    if (status != WD_OK) {
        wd_bench_fail(
            work->bench, "%s: %s", what, error->text[0] != '\0' ? error->text : wd_status_text(status));
    }
}

static wd_value *call(what_if *work, const char *verb, const wd_value *args)
{
    wd_env_caller caller = { .now_ms = 0 };
    wd_value *result = NULL;
    wd_error error = { .text = "" };
    check(work, wd_env_call(work->envs, &caller, verb, args, &result, &error), verb, &error);
    return result;
}

static wd_value *parse(what_if *work, const char *text)
{
    wd_value *value = NULL;
    wd_error error = { .text = "" };
    check(work, wd_json_parse(text, strlen(text), &value, &error), "JSON", &error);
    return value;
}

/// `count` steps of the walk, over and over.
static wd_value *steps_of(what_if *work, size_t count)
{
    wd_value *list = wd_value_array();
    wd_error error = { .text = "" };
    for (size_t i = 0; i < count; i++) {
        wd_value *action = parse(work, walk[i % WD_COUNT_OF(walk)]);
        check(work, wd_array_append(&list, &action), "steps", &error);
    }
    return list;
}

static wd_value *args_of(what_if *work, size_t lists, size_t steps, const char *observe)
{
    wd_value *candidates = wd_value_array(), *args = NULL;
    wd_error error = { .text = "" };
    for (size_t i = 0; i < lists; i++) {
        wd_value *list = steps_of(work, steps);
        check(work, wd_array_append(&candidates, &list), "candidates", &error);
    }
    check(work,
        wd_value_pack(&args, "{s:v,s:V,s:s}", "env", wd_object_get(work->created, "env"), "candidates",
            candidates, "observe", observe),
        "arguments", &error);
    return args;
}

// ---- timed --------------------------------------------------------------------------------------------------------

static void imagine(what_if *work, const wd_value *args)
{
    wd_value *result = call(work, "env_imagine", args);
    wd_bench_use(result);
    wd_value_unref(&result);
}

static void try_whole(void *context)
{
    what_if *work = context;
    imagine(work, work->whole);
}

static void try_screens(void *context)
{
    what_if *work = context;
    imagine(work, work->screens);
}

static void try_nothing(void *context)
{
    what_if *work = context;
    imagine(work, work->nothing);
}

static void fork_envs(void *context)
{
    what_if *work = context;
    wd_value *args = NULL;
    wd_error error = { .text = "" };
    check(work,
        wd_value_pack(
            &args, "{s:v,s:i}", "env", wd_object_get(work->created, "env"), "count", (int64_t)LISTS),
        "arguments", &error);
    work->forked = call(work, "env_fork", args);
    wd_value_unref(&args);
}

static void step_envs(void *context)
{
    what_if *work = context;
    wd_iter env = wd_iter_start(wd_object_get(work->forked, "envs"));
    wd_error error = { .text = "" };
    while (wd_iter_next(&env)) {
        wd_iter step = wd_iter_start(work->steps);
        while (wd_iter_next(&step)) {
            wd_value *args = NULL;
            check(work, wd_value_pack(&args, "{s:v,s:v}", "env", env.value, "action", step.value),
                "arguments", &error);
            wd_value *result = call(work, "env_step", args);
            wd_value_unref(&args);
            wd_value_unref(&result);
        }
    }
}

static void close_envs(void *context)
{
    what_if *work = context;
    wd_value *args = NULL;
    wd_error error = { .text = "" };
    check(work, wd_value_pack(&args, "{s:v}", "envs", wd_object_get(work->forked, "envs")), "arguments",
        &error);
    wd_value *result = call(work, "env_close", args);
    wd_value_unref(&args);
    wd_value_unref(&result);
    wd_value_unref(&work->forked);
}

// ---- rows ---------------------------------------------------------------------------------------------------------

static void start(what_if *work)
{
    wd_packs *packs = NULL;
    wd_envs_options options = wd_envs_options_default();
    wd_error error = { .text = "" };
    check(work, wd_packs_load_list(WORLDD_SOURCE_DIR "/sim/apps", &packs, &error), "packs", &error);
    check(work, wd_envs_new(&options, packs, &work->envs, &error), "envs", &error);
    wd_packs_unref(&packs);
    wd_value *order = parse(work,
        "{\"step_limit\":100,\"task\":{\"id\":\"t\",\"instruction\":\"off\",\"apps\":[\"settings\"],"
        "\"criteria\":{\"os.settings.global.bluetoothEnabled\":false}}}");
    work->created = call(work, "env_create", order);
    wd_value_unref(&order);
    work->whole = args_of(work, LISTS, STEPS, "none");
    work->screens = args_of(work, SHORT_LISTS, SHORT_STEPS, "full");
    work->nothing = args_of(work, 1, 0, "none");
    work->steps = steps_of(work, STEPS);
}

static void stop(what_if *work)
{
    wd_value **const values[] = { &work->created, &work->whole, &work->screens, &work->nothing,
        &work->steps };
    for (size_t i = 0; i < WD_COUNT_OF(values); i++) {
        wd_value_unref(values[i]);
    }
    wd_envs_destroy(&work->envs);
}

void bench_imagine(wd_bench *bench)
{
    const double ms = 1e6;
    what_if work = { .bench = bench };
    start(&work);
    double earnest_ns = wd_bench_time_once(bench, fork_envs, step_envs, close_envs, &work);
    wd_bench_add(bench, &(wd_bench_row){ .name = "256 steps, 8 candidates, against the same in earnest",
                            .value = wd_bench_time(bench, try_whole, &work) / ms,
                            .unit = "ms",
                            .baseline = earnest_ns / ms });
    wd_bench_add(bench, &(wd_bench_row){ .name = "256 steps, 64 candidates, with their last screens",
                            .value = wd_bench_time(bench, try_screens, &work) / ms,
                            .unit = "ms" });
    wd_bench_add(bench, &(wd_bench_row){ .name = "what is so now",
                            .value = wd_bench_time(bench, try_nothing, &work) / 1e3,
                            .unit = "us" });
    stop(&work);
}
