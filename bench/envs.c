// envs.c - `worldd-bench envs`: how many phones one machine holds. Forks of one booted phone, all live at once, each
// diverged: by one seeded step of its own, and by 20 leaves. A sample of the forks is replayed on fresh ones.
#include "benches.h"

#include "runtime/env.h"
#include "runtime/packs.h"
#include "tree/alloc.h"
#include "tree/json.h"

#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    FORKS = 1000 * 1000,
    FORKS_QUICK = 20 * 1000,
    WIDE_FORKS = 100 * 1000,
    WIDE_FORKS_QUICK = 2000,
    SAMPLES = 1000,
    SAMPLES_QUICK = 100,
    LEAVES = 20,
    MIB = 1 << 20,
};

typedef struct herd {
    wd_bench *bench;
    wd_envs *envs;
    wd_env_node *node;
    wd_env_id *ids;
    size_t count;
} herd;

static double resident_mib(void)
{
    long pages = 0, ignored = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file == NULL || fscanf(file, "%ld %ld", &ignored, &pages) != 2) {
        pages = 0;
    }
    if (file != NULL) {
        fclose(file);
    }
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / MIB;
}

/// Of this process: what else runs on the machine does not count.
static double cpu_seconds(void)
{
    struct timespec spent;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
    return (double)spent.tv_sec + (double)spent.tv_nsec / 1e9;
}

static uint64_t draw(uint64_t index)
{
    uint64_t mixed = (index + 1) * UINT64_C(0x9E3779B97F4A7C15);  // splitmix64
    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94D049BB133111EB);
    return mixed ^ mixed >> 31;
}

// ---- what makes forks differ ----------------------------------------------------------------------------------------

static wd_status perform(herd *all, wd_env *env, const wd_action *action)
{
    wd_env_stepped stepped = { 0 };
    wd_error error;
    wd_status status = wd_env_step(all->envs, env, action, NULL, WD_ENV_LOOK_NONE, &stepped, &error);
    if (status == WD_OK && stepped.result.outcome != WD_OUTCOME_OK) {
        wd_bench_fail(all->bench, "a step failed: %s", stepped.result.text);
        status = WD_ESTATE;
    }
    wd_env_stepped_done(&stepped);
    return status;
}

/// A tap at a point of its own on a page of switches, sliders and links.
static wd_status one_step(herd *all, wd_env *env, uint64_t index)
{
    wd_action action;
    wd_action_init(&action, WD_ACTION_TAP);
    action.has_point = true;
    action.x = (double)(draw(index) % WD_PHONE_WIDTH);
    action.y = (double)(draw(index) / WD_PHONE_WIDTH % WD_PHONE_HEIGHT);
    return perform(all, env, &action);
}

/// A text that no other fork has, into the field that has the focus.
static wd_status one_text(herd *all, wd_env *env, uint64_t index)
{
    char text[32];
    int length = snprintf(text, sizeof text, "u%llu", (unsigned long long)index);
    wd_action action;
    wd_action_init(&action, WD_ACTION_TYPE);
    wd_status status = wd_action_set_text(&action.text, text, (size_t)length);
    status = status == WD_OK ? perform(all, env, &action) : status;
    wd_action_done(&action);
    return status;
}

/// 20 leaves of settings, hardware and preferences, each with a value of the fork's own.
static wd_status many_leaves(herd *all, wd_env *env, uint64_t index)
{
    wd_buffer text = { 0 };
    wd_value *patch = NULL;
    wd_error error;
    uint64_t own = draw(index);
    wd_status status = wd_buffer_format(&text,
        "{\"os\":{\"settings\":{\"system\":{\"brightness\":%u,\"mediaVolume\":%u}},\"hardware\":{\"battery\":"
        "{"
        "\"percent\":%u}},\"preferences\":{",
        (unsigned)(own % 100), (unsigned)(own / 100 % 100), (unsigned)(own / 10000 % 90 + 10));
    for (unsigned leaf = 3; status == WD_OK && leaf < LEAVES; leaf++) {
        status = wd_buffer_format(&text, "%s\"leaf%u\":%llu", leaf == 3 ? "" : ",", leaf,
            (unsigned long long)(own / 7 % 1000003 * (leaf + 1)));
    }
    status = status == WD_OK ? wd_buffer_text(&text, "}}}") : status;
    status = status == WD_OK ? wd_json_parse(text.bytes, text.length, &patch, &error) : status;
    status = status == WD_OK ? wd_env_inject(all->envs, env, patch, true, false, &error) : status;
    if (status != WD_OK) {
        wd_bench_fail(all->bench, "inject: %s", error.text);
    }
    wd_value_unref(&patch);
    wd_buffer_done(&text);
    return status;
}

typedef wd_status (*diverge)(herd *all, wd_env *env, uint64_t index);

// ---- the herd -------------------------------------------------------------------------------------------------------

static wd_status fork_all(herd *all, diverge how)
{
    wd_env_owner nobody = { .user = 0 };
    wd_error error;
    for (size_t at = 0; at < all->count;) {
        size_t more = all->count - at < WD_ENV_FORKS_MAX ? all->count - at : WD_ENV_FORKS_MAX;
        wd_status status =
            wd_env_fork(all->envs, all->node, more, nobody, WD_ENV_RESET_NEVER, 0, all->ids + at, &error);
        for (size_t i = at; status == WD_OK && i < at + more; i++) {
            status = how(all, wd_env_find(all->envs, &all->ids[i]), i);
        }
        if (status != WD_OK) {
            wd_bench_fail(all->bench, "fork: %s", wd_status_text(status));
            return status;
        }
        at += more;
    }
    return WD_OK;
}

/// How many of the sampled forks have the digest that a fresh replay gives.
static size_t count_equal(herd *all, diverge how, size_t samples)
{
    wd_env_owner nobody = { .user = 0 };
    size_t equal = 0;
    for (size_t i = 0; i < samples; i++) {
        uint64_t index = draw(i + 12345) % all->count;
        wd_env_id id;
        wd_error error;
        if (wd_env_fork(all->envs, all->node, 1, nobody, WD_ENV_RESET_NEVER, 0, &id, &error) != WD_OK) {
            break;
        }
        wd_env *fresh = wd_env_find(all->envs, &id);
        const wd_env *kept = wd_env_find(all->envs, &all->ids[index]);
        equal +=
            how(all, fresh, index) == WD_OK && wd_digest_equal(wd_env_digest(fresh), wd_env_digest(kept));
        wd_env_close(all->envs, &fresh);
    }
    return equal;
}

static void close_all(herd *all)
{
    for (size_t i = 0; i < all->count; i++) {
        wd_env *env = wd_env_find(all->envs, &all->ids[i]);
        if (env != NULL) {
            wd_env_close(all->envs, &env);
        }
    }
    malloc_trim(0);
}

typedef struct herd_names {
    const char *memory, *time, *equal, *kept;
} herd_names;

static void measure(herd *all, size_t count, size_t samples, diverge how, const herd_names *names)
{
    all->count = count;
    all->ids = wd_alloc_zero(count, sizeof *all->ids);
    if (all->ids == NULL) {
        wd_bench_fail(all->bench, "out of memory");
        return;
    }
    memset(all->ids, 0xff, count * sizeof *all->ids);  // resident before, not part of the growth
    double before = resident_mib();
    double began = cpu_seconds();
    wd_status status = fork_all(all, how);
    double seconds = cpu_seconds() - began, after = resident_mib();
    // Scaled to what the row's name says, so that a smaller run is held against the same bound.
    double scale = (double)(how == many_leaves ? WIDE_FORKS : FORKS) / (double)count;
    if (status == WD_OK) {
        size_t equal = count_equal(all, how, samples);
        wd_bench_add(all->bench,
            &(wd_bench_row){ .name = names->memory, .value = (after - before) * scale, .unit = "MiB" });
        wd_bench_add(
            all->bench, &(wd_bench_row){ .name = names->time, .value = seconds * scale, .unit = "s" });
        wd_bench_add(all->bench,
            &(wd_bench_row){ .name = names->equal, .value = (double)equal / (double)samples, .unit = "x" });
    }
    close_all(all);
    double left = resident_mib();
    if (status == WD_OK) {
        wd_bench_add(all->bench,
            &(wd_bench_row){ .name = names->kept, .value = (left - before) / (after - before), .unit = "x" });
    }
    wd_free(all->ids, count * sizeof *all->ids);
    all->ids = NULL;
}

/// Boot, open a page of an app, keep that as the node that all forks come from.
static wd_status prepare(herd *all, const char *app, const char *target)
{
    wd_error error = { 0 };
    wd_env *env = NULL;
    wd_action launch, tap;
    wd_action_init(&launch, WD_ACTION_LAUNCH_APP);
    wd_action_init(&tap, WD_ACTION_TAP);
    wd_status status = wd_env_create(all->envs, &(wd_env_order){ .seed = 1 }, &env, &error);
    status = status == WD_OK ? wd_action_set_text(&launch.app, app, strlen(app)) : status;
    status = status == WD_OK ? wd_action_set_text(&tap.resource_id, target, strlen(target)) : status;
    status = status == WD_OK ? perform(all, env, &launch) : status;
    status = status == WD_OK ? perform(all, env, &tap) : status;
    status = status == WD_OK ? wd_env_snapshot(all->envs, env, 0, &all->node, &error) : status;
    if (status != WD_OK) {
        wd_bench_fail(all->bench, "prepare %s: %s", app, error.text);
    }
    wd_action_done(&launch);
    wd_action_done(&tap);
    return status;
}

void bench_envs(wd_bench *bench)
{
    static const herd_names step_names = { "10^6 forks, a step each", "making them", "sampled digests equal",
        "memory kept after closing" };
    static const herd_names leaf_names = { "10^5 forks, 20 leaves each", "making those",
        "their sampled digests equal", "memory kept after closing those" };
    static const herd_names text_names = { "10^6 forks, a text each", "making those with a text",
        "sampled digests with a text equal", "memory kept after closing these" };
    const bool quick = wd_bench_quick(bench);
    herd all = { .bench = bench };
    wd_packs *packs = NULL;
    wd_error error;
    wd_envs_options options = wd_envs_options_default();
    options.env_count_max = FORKS + 3;
    wd_status status = wd_packs_load_list(WORLDD_SOURCE_DIR "/sim/apps", &packs, &error);
    status = status == WD_OK ? wd_envs_new(&options, packs, &all.envs, &error) : status;
    if (status != WD_OK) {
        wd_bench_fail(bench, "%s", error.text);
    } else if (prepare(&all, "settings", "open_display") == WD_OK) {
        size_t samples = quick ? SAMPLES_QUICK : SAMPLES;
        // The smaller herd first: what the larger one gives back could be used again unseen.
        measure(&all, quick ? WIDE_FORKS_QUICK : WIDE_FORKS, samples, many_leaves, &leaf_names);
        measure(&all, quick ? FORKS_QUICK : FORKS, samples, one_step, &step_names);
        if (prepare(&all, "contacts", "search") == WD_OK) {
            measure(&all, quick ? FORKS_QUICK : FORKS, samples, one_text, &text_names);
        }
    }
    wd_envs_destroy(&all.envs);
    wd_packs_unref(&packs);
}
