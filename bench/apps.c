// apps.c - `worldd-bench apps`: taps with their new scenes, scenes from the cache, starting, and a forum of 10^6 posts.
// The packs are the shipped ones (sim/apps of the source tree).
#include "benches.h"

#include "runtime/file.h"
#include "tree/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    STEPS = 20000,
    STEPS_QUICK = 2000,
    POSTS_FEW = 1000,
    POSTS_MANY = 1000 * 1000,
    POSTS_MANY_QUICK = 100 * 1000,
    FORUM_STEPS = 2000,
    ROW_TEXT_MAX = 256,
};

typedef struct phone {
    wd_bench *bench;
    wd_packs *packs;
    wd_host *host;
    wd_device *device;
    uint64_t random;
} phone;

static const char *const directories[] = { WORLDD_SOURCE_DIR "/sim/apps" };

static void check(wd_bench *bench, wd_status status, const char *what, const wd_error *error)
{
    if (status != WD_OK) {
        wd_bench_fail(bench, "%s: %s", what, error->text[0] != '\0' ? error->text : wd_status_text(status));
    }
}

static void phone_start(phone *one, const wd_pack_source *source)
{
    wd_error error = { 0 };
    check(one->bench, wd_packs_load(source, directories, 1, &one->packs, &error), "packs", &error);
    check(one->bench, wd_host_new(one->packs, &one->host, &error), "host", &error);
    check(one->bench, wd_host_boot(one->host, 1, &one->device, &error), "boot", &error);
    one->random = 88172645463325252u;
}

static void phone_stop(phone *one)
{
    wd_device_destroy(&one->device);
    wd_host_destroy(&one->host);
    wd_packs_unref(&one->packs);
}

static uint64_t next_random(phone *one)
{
    one->random ^= one->random << 13;  // xorshift
    one->random ^= one->random >> 7;
    one->random ^= one->random << 17;
    return one->random;
}

static void call(phone *one, const char *op, const char *name, const char *text)
{
    wd_value *args = NULL;
    wd_error error = { 0 };
    check(one->bench, wd_value_pack(&args, "{s:s}", name, text), "args", &error);
    check(one->bench, wd_device_call(one->device, op, args, NULL, &error), op, &error);
    wd_value_unref(&args);
}

// Another number in the status bar: no screen drawn before fits this state.
static void make_distinct(phone *one, int64_t step)
{
    wd_value *args = NULL;
    wd_error error = { 0 };
    check(one->bench, wd_value_pack(&args, "{s:i}", "v", step % 101), "args", &error);
    check(one->bench, wd_device_call(one->device, "batteryPercent", args, NULL, &error), "battery", &error);
    wd_value_unref(&args);
}

// A touch of the scene, or Back, by the seed.
static void choose(phone *one, const wd_scene *scene, wd_action *action)
{
    int32_t touches[256];
    size_t count = 0;
    for (size_t i = 0; i < wd_scene_node_count(scene) && count < WD_COUNT_OF(touches); i++) {
        const wd_node *node = wd_scene_node(scene, i);
        if (wd_node_is(node, WD_NODE_CLICKABLE) && !node->system_ui) {
            touches[count++] = node->id;
        }
    }
    const bool back = count == 0 || next_random(one) % 8 == 0;
    wd_action_init(action, back ? WD_ACTION_BACK : WD_ACTION_TAP);
    action->node = back ? -1 : touches[next_random(one) % count];
}

// A walk over all apps. Timed is the action with the scene that follows; the state is a new one each time.
static void bench_taps(phone *one)
{
    static const char *const apps[] = { "settings", "contacts", "messages", "notes", "forum", "shop",
        "wallet" };
    const int steps = wd_bench_quick(one->bench) ? STEPS_QUICK : STEPS;
    uint64_t spent_ns = 0;
    for (int step = 0; step < steps; step++) {
        if (step % 40 == 0) {
            call(one, "os.launchApp", "app", apps[(size_t)(step / 40) % WD_COUNT_OF(apps)]);
        }
        make_distinct(one, step);
        wd_scene *scene = NULL;
        wd_scene *after = NULL;
        wd_action action;
        wd_result result;
        wd_error error = { 0 };
        check(one->bench, wd_phone_observe(one->host, one->device, &scene, &error), "observe", &error);
        choose(one, scene, &action);
        const uint64_t start_ns = wd_bench_cpu_ns();
        wd_status status = wd_phone_execute(one->host, one->device, &action, scene, &result);
        status = status != WD_OK ? status : wd_phone_observe(one->host, one->device, &after, &error);
        spent_ns += wd_bench_cpu_ns() - start_ns;
        check(one->bench, status, "step", &error);
        wd_action_done(&action);
        wd_scene_unref(&scene);
        wd_scene_unref(&after);
    }
    wd_bench_add(one->bench, &(wd_bench_row){ .name = "tap with its new scene, all states distinct",
                                 .value = steps * 1e9 / (double)spent_ns,
                                 .unit = "1/s" });
}

static void observe(void *context)
{
    phone *one = context;
    wd_scene *scene = NULL;
    wd_error error = { 0 };
    check(one->bench, wd_phone_observe(one->host, one->device, &scene, &error), "observe", &error);
    wd_scene_unref(&scene);
}

static void boot_another(void *context)
{
    phone *one = context;
    wd_device *device = NULL;
    wd_error error = { 0 };
    check(one->bench, wd_host_boot(one->host, 2, &device, &error), "boot", &error);
    wd_device_destroy(&device);
}

static void cold_start(void *context)
{
    phone *one = context;
    phone fresh = { .bench = one->bench };
    phone_start(&fresh, &wd_pack_files);
    observe(&fresh);
    phone_stop(&fresh);
}

// ---- a forum of so many posts -------------------------------------------------------------------------------------

typedef struct forum {
    int64_t posts;
} forum;

static wd_status forum_list(void *context, const char *directory, wd_value **ret_names)
{
    (void)context;
    return strcmp(directory, directories[0]) == 0
               ? wd_value_pack(ret_names, "[s,s]", "forum", "launcher")
               : wd_pack_files.list(wd_pack_files.context, directory, ret_names);
}

// posts.json is made here: p1, p2, ... as the shipped ones are called, so that feeds and comments fit.
static wd_status forum_read(void *context, const char *path, char **ret_bytes, size_t *ret_length)
{
    const forum *asked = context;
    if (strstr(path, "forum/data/posts.json") == NULL) {
        return wd_pack_files.read(wd_pack_files.context, path, ret_bytes, ret_length);
    }
    wd_buffer text = { 0 };
    wd_status status = wd_buffer_text(&text, "{");
    for (int64_t i = 1; status == WD_OK && i <= asked->posts; i++) {
        char row[ROW_TEXT_MAX];
        snprintf(row, sizeof row,
            "%s\"p%lld\":{\"id\":\"p%lld\",\"communityId\":\"tea\",\"authorId\":\"m1\",\"title\":\"Post "
            "%lld\","
            "\"body\":\"Text\",\"score\":%lld,\"createdAt\":1767000000000}",
            i > 1 ? "," : "", (long long)i, (long long)i, (long long)i, (long long)(i % 900));
        status = wd_buffer_text(&text, row);
    }
    status = status != WD_OK ? status : wd_buffer_text(&text, "}");
    if (status == WD_OK) {
        *ret_bytes = wd_strndup(text.bytes, text.length);
        *ret_length = text.length;
        status = *ret_bytes != NULL ? WD_OK : WD_ENOMEM;
    }
    wd_buffer_done(&text);
    return status;
}

static double forum_step_ns(wd_bench *bench, int64_t posts)
{
    forum asked = { posts };
    const wd_pack_source source = { .context = &asked, .list = forum_list, .read = forum_read };
    phone one = { .bench = bench };
    phone_start(&one, &source);
    call(&one, "os.launchApp", "app", "forum");
    wd_value *args = NULL;
    wd_error error = { 0 };
    uint64_t spent_ns = 0;
    for (int step = 0; step < FORUM_STEPS; step++) {
        char path[64];
        snprintf(path, sizeof path, "/post/p%d", 1 + step * 7 % POSTS_FEW);
        check(bench, wd_value_pack(&args, "{s:s,s:s}", "app", "forum", "route", path), "args", &error);
        check(bench, wd_device_call(one.device, "os.openApp", args, NULL, &error), "open", &error);
        wd_value_unref(&args);
        make_distinct(&one, step);
        wd_action vote;
        wd_result result;
        wd_scene *scene = NULL;
        wd_action_init(&vote, WD_ACTION_TAP);
        check(bench, wd_action_set_text(&vote.resource_id, "vote_up", strlen("vote_up")), "action", &error);
        const uint64_t start_ns = wd_bench_cpu_ns();
        wd_status status = wd_phone_execute(one.host, one.device, &vote, NULL, &result);
        status = status != WD_OK ? status : wd_phone_observe(one.host, one.device, &scene, &error);
        spent_ns += wd_bench_cpu_ns() - start_ns;
        check(bench, status != WD_OK ? status : result.status, result.text, &error);
        wd_scene_unref(&scene);
        wd_action_done(&vote);
    }
    phone_stop(&one);
    return (double)spent_ns / FORUM_STEPS;
}

void bench_apps(wd_bench *bench)
{
    phone one = { .bench = bench };
    phone_start(&one, &wd_pack_files);
    bench_taps(&one);
    observe(&one);
    wd_bench_add(bench, &(wd_bench_row){ .name = "scene from the cache",
                            .value = wd_bench_time(bench, observe, &one) / 1e3,
                            .unit = "us" });
    wd_bench_add(bench, &(wd_bench_row){ .name = "another device",
                            .value = wd_bench_time(bench, boot_another, &one) / 1e3,
                            .unit = "us" });
    wd_bench_add(bench, &(wd_bench_row){ .name = "cold start with all packs",
                            .value = wd_bench_time_once(bench, NULL, cold_start, NULL, &one) / 1e6,
                            .unit = "ms" });
    phone_stop(&one);
    const int64_t many = wd_bench_quick(bench) ? POSTS_MANY_QUICK : POSTS_MANY;
    const double few_ns = forum_step_ns(bench, POSTS_FEW);
    const double many_ns = forum_step_ns(bench, many);
    wd_bench_add(bench, &(wd_bench_row){ .name = "forum step, 10^6 posts against 10^3",
                            .value = many_ns / 1e3,
                            .unit = "us",
                            .baseline = few_ns / 1e3 });
}
