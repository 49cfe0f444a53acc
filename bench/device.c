// device.c - what the simulated phone costs: operations, injects, resets, forks. Ten thousand operations'
// worth of state is not needed: none of these depends on it, and `worldd-bench apps` measures with content.
#include "benches.h"

#include "sim/device.h"
#include "tree/alloc.h"
#include "tree/json.h"

#include <string.h>

enum { CALLS_MAX = 16, EVENTS_EVERY = 64 };

/// Calls made in turn, over and over.
typedef struct call_script {
    wd_device *device;
    const char *ops[CALLS_MAX];
    wd_value *args[CALLS_MAX];
    size_t count, at, made;
    bool failed;
} call_script;

static wd_value *parse(wd_bench *bench, const char *text)
{
    wd_value *value = NULL;
    wd_error error;
    if (wd_json_parse(text, strlen(text), &value, &error) != WD_OK) {
        wd_bench_fail(bench, "%s: %s", text, error.text);
    }
    return value;
}

static void script_add(wd_bench *bench, call_script *script, const char *op, const char *args)
{
    script->ops[script->count] = op;
    script->args[script->count++] = parse(bench, args);
}

static void script_done(call_script *script)
{
    for (size_t i = 0; i < script->count; i++) {
        wd_value_unref(&script->args[i]);
    }
}

static void drop_events(wd_device *device)
{
    wd_value *events = wd_device_take_events(device);
    wd_value_unref(&events);
}

static void script_step(void *context)
{
    call_script *script = context;
    wd_status status =
        wd_device_call(script->device, script->ops[script->at], script->args[script->at], NULL, NULL);
    script->failed |= status != WD_OK;
    script->at = (script->at + 1) % script->count;
    if (++script->made % EVENTS_EVERY == 0) {
        drop_events(script->device);
    }
}

static void measure_script(wd_bench *bench, call_script *script, const char *row)
{
    double ns = wd_bench_time(bench, script_step, script);
    if (script->failed) {
        wd_bench_fail(bench, "%s: an operation was refused", row);
    }
    wd_bench_add(bench, &(wd_bench_row){ .name = row, .value = ns / 1000, .unit = "us" });
    script_done(script);
}

static void measure_lifecycle(wd_bench *bench, wd_device *device)
{
    call_script script = { .device = device };
    script_add(bench, &script, "os.launchApp", "{\"app\":\"wechat\"}");
    script_add(
        bench, &script, "app.navigate", "{\"activity\":\"act_1\",\"path\":\"/chat/1\",\"mode\":\"push\"}");
    script_add(bench, &script, "os.handleBack", "{}");
    script_add(bench, &script, "os.launchApp", "{\"app\":\"settings\"}");
    script_add(bench, &script, "os.startActivity",
        "{\"intent\":{\"action\":\"ACTION_VIEW\",\"type\":\"inode/directory\",\"route\":\"/category/"
        "images\"}}");
    script_add(bench, &script, "os.finishActivity", "{}");
    script_add(bench, &script, "os.handleBack", "{}");
    script_add(bench, &script, "os.showRecents", "{}");
    script_add(bench, &script, "os.launchTaskById", "{\"task\":\"task_1\"}");
    script_add(bench, &script, "os.goHome", "{}");
    measure_script(bench, &script, "lifecycle operation");
}

static void measure_managers(wd_bench *bench, wd_device *device)
{
    call_script script = { .device = device };
    script_add(bench, &script, "wifi", "{\"v\":false}");
    script_add(bench, &script, "wifi", "{\"v\":true}");
    script_add(bench, &script, "mediaVolume", "{\"v\":41}");
    script_add(bench, &script, "mediaVolume", "{\"v\":42}");
    script_add(bench, &script, "brightness", "{\"v\":70}");
    script_add(bench, &script, "brightness", "{\"v\":71}");
    script_add(bench, &script, "batteryPercent", "{\"v\":50}");
    script_add(bench, &script, "batteryPercent", "{\"v\":51}");
    script_add(bench, &script, "dnd", "{\"v\":true}");
    script_add(bench, &script, "dnd", "{\"v\":false}");
    script_add(bench, &script, "darkMode", "{\"v\":true}");
    script_add(bench, &script, "darkMode", "{\"v\":false}");
    measure_script(bench, &script, "manager call");
}

typedef struct patch_pair {
    wd_device *device;
    wd_value *patches[2];
    size_t made;
    bool failed;
} patch_pair;

static void inject_step(void *context)
{
    patch_pair *injection = context;
    const wd_value *patch = injection->patches[injection->made & 1];
    injection->failed |= wd_device_inject(injection->device, patch, true, false, NULL) != WD_OK;
    if (++injection->made % EVENTS_EVERY == 0) {
        drop_events(injection->device);
    }
}

static void measure_inject(wd_bench *bench, wd_device *device)
{
    // Ten leaves over settings, hardware, a preference and an app, each different in the other patch.
    patch_pair injection = { .device = device };
    injection.patches[0] = parse(bench,
        "{\"os\":{\"settings\":{\"global\":{\"wifiEnabled\":true,\"darkModeEnabled\":true},\"system\":"
        "{\"brightness\":40,\"mediaVolume\":20}},\"hardware\":{\"battery\":{\"percent\":60,\"charging\":true}"
        "},"
        "\"preferences\":{\"bench\":\"a\"}},\"apps\":{\"notes\":{\"user\":{\"name\":\"Ann\",\"age\":30},"
        "\"count\":3}}}");
    injection.patches[1] = parse(bench,
        "{\"os\":{\"settings\":{\"global\":{\"wifiEnabled\":false,\"darkModeEnabled\":false},\"system\":"
        "{\"brightness\":41,\"mediaVolume\":21}},\"hardware\":{\"battery\":{\"percent\":61,\"charging\":"
        "false}},"
        "\"preferences\":{\"bench\":\"b\"}},\"apps\":{\"notes\":{\"user\":{\"name\":\"Bob\",\"age\":31},"
        "\"count\":4}}}");
    double ns = wd_bench_time(bench, inject_step, &injection);
    if (injection.failed) {
        wd_bench_fail(bench, "the patch was refused");
    }
    wd_bench_add(bench, &(wd_bench_row){ .name = "inject of 10 leaves", .value = ns / 1000, .unit = "us" });
    wd_value_unref(&injection.patches[0]);
    wd_value_unref(&injection.patches[1]);
}

// ---- reset: from a device that has been used --------------------------------------------------------------

typedef struct used_device {
    wd_device *device;
    call_script script;
} used_device;

static void use_device(void *context)
{
    used_device *used = context;
    for (size_t i = 0; i < used->script.count; i++) {
        script_step(&used->script);
    }
    drop_events(used->device);
}

static void reset_device(void *context)
{
    used_device *used = context;
    used->script.failed |= wd_device_reset(used->device, false) != WD_OK;
}

static void measure_reset(wd_bench *bench, wd_device *device)
{
    used_device used = { .device = device, .script = { .device = device } };
    script_add(bench, &used.script, "os.launchApp", "{\"app\":\"wechat\"}");
    script_add(bench, &used.script, "os.launchApp", "{\"app\":\"settings\"}");
    script_add(bench, &used.script, "airplane", "{\"v\":true}");
    script_add(bench, &used.script, "mediaVolume", "{\"v\":41}");
    script_add(bench, &used.script, "batteryPercent", "{\"v\":5}");
    script_add(bench, &used.script, "os.goHome", "{}");
    double ns = wd_bench_time_once(bench, use_device, reset_device, NULL, &used);
    if (used.script.failed) {
        wd_bench_fail(bench, "an operation was refused");
    }
    wd_bench_add(bench, &(wd_bench_row){ .name = "reset", .value = ns / 1000, .unit = "us" });
    script_done(&used.script);
}

// ---- fork -------------------------------------------------------------------------------------------------

static void fork_and_drop(void *context)
{
    wd_device *fork = NULL;
    if (wd_device_fork(context, &fork) == WD_OK) {
        wd_bench_use(fork);
        wd_device_destroy(&fork);
    }
}

static void measure_fork(wd_bench *bench, wd_device *device)
{
    double ns = wd_bench_time(bench, fork_and_drop, device);
    wd_bench_add(bench, &(wd_bench_row){ .name = "fork and drop", .value = ns / 1000, .unit = "us" });
    uint64_t before = wd_alloc_stats_get().bytes_live;
    wd_device *fork = NULL;
    if (wd_device_fork(device, &fork) != WD_OK) {
        wd_bench_fail(bench, "no fork");
        return;
    }
    uint64_t bytes = wd_alloc_stats_get().bytes_live - before;
    wd_bench_add(
        bench, &(wd_bench_row){ .name = "fork memory", .value = (double)bytes / 1024, .unit = "KiB" });
    wd_device_destroy(&fork);
}

static void step_and_look(void *context)
{
    call_script *script = context;
    script_step(script);
    wd_value *state = NULL;
    script->failed |= wd_device_state(script->device, &state) != WD_OK;
    wd_value_unref(&state);
}

/// Not held against a target of its own: what an operation with the state taken after it costs.
static void measure_state(wd_bench *bench, wd_device *device)
{
    call_script script = { .device = device };
    script_add(bench, &script, "wifi", "{\"v\":false}");
    script_add(bench, &script, "wifi", "{\"v\":true}");
    double ns = wd_bench_time(bench, step_and_look, &script);
    wd_bench_add(
        bench, &(wd_bench_row){ .name = "manager call and state", .value = ns / 1000, .unit = "us" });
    script_done(&script);
}

// ---- all --------------------------------------------------------------------------------------------------

/// A few apps, as many as the scripts name.
static wd_device *boot(wd_bench *bench)
{
    wd_value *packages =
        parse(bench, "[{\"id\":\"wechat\",\"packageName\":\"org.example.wechat\",\"intentFilters\":[]},"
                     "{\"id\":\"notes\",\"packageName\":\"org.example.notes\",\"intentFilters\":[]},"
                     "{\"id\":\"file_manager\",\"packageName\":\"org.example.files\",\"intentFilters\":"
                     "[{\"action\":\"ACTION_VIEW\",\"type\":\"inode/directory\",\"route\":\"/\"}]},"
                     "{\"id\":\"settings\",\"packageName\":\"org.example.settings\",\"intentFilters\":[]}]");
    wd_value *overlays =
        parse(bench, "{\"notes\":{\"user\":{\"name\":\"Ann\",\"age\":30},\"count\":3},\"settings\":{}}");
    wd_device_options options = wd_device_options_default();
    options.packages = packages;
    options.app_defaults = overlays;
    wd_device *device = NULL;
    wd_error error;
    if (wd_device_new(&options, &device, &error) != WD_OK) {
        wd_bench_fail(bench, "boot: %s", error.text);
    }
    wd_value_unref(&packages);
    wd_value_unref(&overlays);
    return device;
}

void bench_device(wd_bench *bench)
{
    static void (*const measures[])(wd_bench * bench, wd_device * device) = {
        measure_lifecycle,
        measure_managers,
        measure_inject,
        measure_reset,
        measure_fork,
        measure_state,
    };
    for (size_t i = 0; i < WD_COUNT_OF(measures); i++) {
        wd_device *device = boot(bench);
        if (device != NULL) {
            measures[i](bench, device);
        }
        wd_device_destroy(&device);
    }
}
