/// device_test.c - the device as a whole: bad operations, snapshots, forks, time, events, persistence, memory
/// running out.
#include "walk.h"

#include "store.h"
#include "task.h"

#include "sim/device.h"
#include "tree/alloc.h"

#include <stdio.h>

static wd_status call(wd_device *device, const char *op, const char *args, wd_error *error)
{
    wd_value *object = json_of(args);
    wd_status status = wd_device_call(device, op, object, NULL, error);
    wd_value_unref(&object);
    return status;
}

static void call_ok(wd_device *device, const char *op, const char *args)
{
    wd_error error = { .text = "" };
    if (call(device, op, args, &error) != WD_OK) {
        fail_msg("%s %s: %s", op, args, error.text);
    }
}

// ---- bad operations ---------------------------------------------------------------------------------------

static const struct bad_case {
    const char *name, *op, *args;
    wd_status status;
    const char *said;  // part of the error's text
} bad_cases[] = {
    { "unknown operation", "os.fly", "{}", WD_ENOENT, "os.fly" },
    { "unknown app", "os.launchApp", "{\"app\":\"ghost\"}", WD_ENOENT, "ghost" },
    { "missing argument", "os.launchApp", "{}", WD_EINVAL, "app" },
    { "wrong type", "os.launchApp", "{\"app\":7}", WD_ETYPE, "app" },
    { "task is no text", "os.closeTask", "{\"task\":null}", WD_ETYPE, "task" },
    { "mode of navigation", "app.navigate", "{\"activity\":\"act_1\",\"path\":\"/\",\"mode\":\"jump\"}",
        WD_EINVAL, "mode" },
    { "result code", "os.setResult", "{\"result\":{\"resultCode\":\"MAYBE\"}}", WD_EINVAL, "resultCode" },
    { "intent is no object", "os.startActivity", "{\"intent\":[]}", WD_ETYPE, "intent" },
    { "activity lives already", "tm.pushActivity",
        "{\"task\":\"task_1\",\"activity\":{\"activityId\":\"act_1\",\"appId\":\"sms\",\"initialRoute\":\"/"
        "\"}}",
        WD_EEXIST, "act_1" },
    { "activity without an app", "tm.pushActivity",
        "{\"task\":\"task_1\",\"activity\":{\"activityId\":\"act_9\",\"initialRoute\":\"/\"}}", WD_EINVAL,
        "appId" },
    { "adopted task with an empty stack", "tm.reset",
        "{\"state\":{\"tasks\":[{\"taskId\":\"t\",\"rootAppId\":\"sms\",\"stack\":[]}]}}", WD_EINVAL,
        "stack" },
    { "adopted active task that is not there", "tm.reset",
        "{\"state\":{\"tasks\":[],\"activeTaskId\":\"t\"}}", WD_ENOENT, "activeTaskId" },
    { "manager call of a wrong type", "wifi", "{\"v\":\"on\"}", WD_ETYPE, "" },
    { "unknown permission", "grant", "{\"app\":\"wechat\",\"perm\":\"FLY\"}", WD_ENOENT, "" },
    { "unknown authority", "query", "{\"uri\":\"content://nowhere/x\"}", WD_ENOENT, "" },
    { "malformed URI", "query", "{\"uri\":\"http://x\"}", WD_EINVAL, "" },
    { "store without an initial state", "store.register", "{\"id\":\"s\"}", WD_EINVAL, "initial" },
    { "store that is not there", "store.set", "{\"id\":\"nobody\",\"v\":{}}", WD_ENOENT, "nobody" },
};

static wd_device *used_device(void)
{
    wd_device *device = walk_device();
    call_ok(device, "os.launchApp", "{\"app\":\"wechat\"}");
    return device;
}

static void bad_operation_changes_nothing(void **state)
{
    const struct bad_case *row = *state;
    wd_device *device = used_device();
    wd_digest before = wd_device_digest(device);
    wd_error error = { .text = "" };
    wd_status status = call(device, row->op, row->args, &error);
    if (status != row->status || strstr(error.text, row->said) == NULL || error.text[0] == '\0') {
        fail_msg("%s: \"%s\"", wd_status_name(status), error.text);
    }
    assert_int_equal(error.status, status);
    assert_true(wd_digest_equal(before, wd_device_digest(device)));
    wd_device_destroy(&device);
}

static const struct bad_patch {
    const char *name, *patch;
    wd_status status;
    const char *said;
} bad_patches[] = {
    { "patch is no object", "[]", WD_ETYPE, "patch" },
    { "os is no object", "{\"os\":1}", WD_ETYPE, "os" },
    { "section is no object", "{\"os\":{\"hardware\":[]}}", WD_ETYPE, "os.hardware" },
    { "managed field of a wrong type", "{\"os\":{\"settings\":{\"global\":{\"wifiEnabled\":\"on\"}}}}",
        WD_ETYPE, "wifiEnabled" },
    { "app patch is a list", "{\"apps\":{\"notes\":[1]}}", WD_ETYPE, "apps.notes" },
    { "app patch is null", "{\"apps\":{\"notes\":null}}", WD_ETYPE, "apps.notes" },
    { "unknown app", "{\"apps\":{\"ghost\":{}}}", WD_ENOENT, "apps.ghost" },
    { "good part before a bad one",
        "{\"os\":{\"settings\":{\"system\":{\"brightness\":1}}},\"apps\":{\"notes\":5}}", WD_ETYPE,
        "apps.notes" },
};

static void bad_patch_changes_nothing(void **state)
{
    const struct bad_patch *row = *state;
    wd_device *device = used_device();
    wd_digest before = wd_device_digest(device);
    wd_value *patch = json_of(row->patch);
    wd_error error = { .text = "" };
    wd_status status = wd_device_inject(device, patch, true, false, &error);
    if (status != row->status || strstr(error.text, row->said) == NULL) {
        fail_msg("%s: \"%s\"", wd_status_name(status), error.text);
    }
    assert_true(wd_digest_equal(before, wd_device_digest(device)));
    wd_value *events = wd_device_take_events(device);
    for (size_t i = 0; i < wd_array_count(events); i++) {  // nor was anything told
        assert_null(wd_object_get(wd_array_at(events, i), "broadcast"));
    }
    wd_value_unref(&events);
    wd_value_unref(&patch);
    wd_device_destroy(&device);
}

// ---- snapshots and forks ----------------------------------------------------------------------------------

static void restore_is_exact(void **unused)  // D2
{
    (void)unused;
    wd_device *device = used_device();
    wd_value *snapshot = wd_device_capture(device);
    wd_digest digest = wd_device_digest(device);
    call_ok(device, "airplane", "{\"v\":true}");
    call_ok(device, "os.closeApp", "{\"app\":\"wechat\"}");
    assert_int_equal(wd_device_advance(device, 5000), WD_OK);
    assert_int_equal(wd_device_restore(device, snapshot, NULL), WD_OK);
    assert_true(wd_digest_equal(digest, wd_device_digest(device)));
    wd_error error;
    wd_value *rubbish = json_of("{\"os\":{},\"apps\":{}}");
    assert_int_equal(wd_device_restore(device, rubbish, &error), WD_EINVAL);
    assert_true(wd_digest_equal(digest, wd_device_digest(device)));
    wd_value_unref(&rubbish);
    wd_value_unref(&snapshot);
    wd_device_destroy(&device);
}

static void forks_go_their_own_ways(void **unused)
{
    (void)unused;
    wd_device *device = used_device();
    wd_digest digest = wd_device_digest(device);
    wd_device *fork = NULL;
    assert_int_equal(wd_device_fork(device, &fork), WD_OK);
    wd_value *inherited = wd_device_take_events(fork);
    assert_int_equal(wd_array_count(inherited), 0);
    wd_value_unref(&inherited);
    assert_true(wd_digest_equal(digest, wd_device_digest(fork)));
    assert_int_equal(wd_device_random(device), wd_device_random(fork));  // the generator is in the machine
    call_ok(fork, "os.goHome", "{}");
    assert_false(wd_digest_equal(wd_device_digest(device), wd_device_digest(fork)));
    wd_device_destroy(&device);  // the fork lives on
    call_ok(fork, "os.launchApp", "{\"app\":\"sms\"}");
    wd_device_destroy(&fork);
}

/// What travels between threads is a frozen machine: another device, booted alike, goes on from it identically.
static void a_frozen_machine_goes_on_elsewhere(void **unused)
{
    (void)unused;
    wd_device *here = used_device();
    call_ok(here, "airplane", "{\"v\":true}");
    wd_value *frozen = NULL;
    assert_int_equal(wd_value_freeze(wd_device_machine(here), &frozen), WD_OK);
    wd_device *there = walk_device();
    assert_int_equal(wd_device_restore(there, frozen, NULL), WD_OK);
    wd_value_unref(&frozen);
    random_walk left = walk_start(5, here);
    random_walk right = walk_start(5, there);
    for (int i = 0; i < 300; i++) {
        assert_int_equal(walk_step(&left), walk_step(&right));
        assert_true(wd_digest_equal(wd_device_digest(here), wd_device_digest(there)));
    }
    walk_done(&left);
    walk_done(&right);
    wd_device_destroy(&here);
    wd_device_destroy(&there);
}

// ---- time and events --------------------------------------------------------------------------------------

static void time_goes_forward_only(void **unused)
{
    (void)unused;
    wd_device *device = used_device();
    wd_digest before = wd_device_digest(device);
    assert_int_equal(wd_device_advance(device, -1), WD_EINVAL);
    assert_int_equal(wd_device_advance(device, WD_DEVICE_ADVANCE_MAX_MS + 1), WD_EINVAL);
    assert_true(wd_digest_equal(before, wd_device_digest(device)));
    assert_int_equal(wd_device_advance(device, 1000), WD_OK);
    assert_int_equal(wd_device_time_ms(device), WD_DEVICE_TIME_DEFAULT_MS + 1000);
    wd_device_destroy(&device);
}

static void the_oldest_events_make_room(void **unused)
{
    (void)unused;
    wd_device *device = walk_device();
    for (int i = 0; i < WD_DEVICE_EVENTS_MAX; i++) {
        call_ok(device, "os.launchApp", "{\"app\":\"wechat\"}");
        call_ok(device, "os.goHome", "{}");
    }
    wd_value *events = wd_device_take_events(device);
    assert_int_equal(wd_array_count(events), WD_DEVICE_EVENTS_MAX);
    const wd_value *last = wd_array_at(events, WD_DEVICE_EVENTS_MAX - 1);
    assert_true(wd_value_is_text(wd_object_get(last, "life"), "background"));
    wd_value_unref(&events);
    wd_device_destroy(&device);
}

// ---- persistence ------------------------------------------------------------------------------------------

static void reload_keeps_what_is_persistent(void **unused)  // D15
{
    (void)unused;
    wd_device *device = used_device();
    call_ok(device, "darkMode", "{\"v\":true}");
    call_ok(device, "setPref", "{\"key\":\"my_own\",\"v\":\"kept\"}");
    call_ok(device, "keyboard.show", "{}");
    wd_value *patch = json_of("{\"apps\":{\"notes\":{\"notes\":[{\"id\":1}],\"_temp\":{\"open\":true}}}}");
    wd_value *ui = json_of("{\"scroll\":3}");
    assert_int_equal(wd_device_inject(device, patch, true, false, NULL), WD_OK);
    assert_int_equal(wd_device_set_ui(device, &ui), WD_OK);
    assert_int_equal(wd_device_reload(device), WD_OK);
    const wd_value *machine = wd_device_machine(device);
    assert_json(part_of(machine, "os.settings.global.darkModeEnabled"), "true");
    assert_json(part_of(machine, "os.preferences.my_own"), "\"kept\"");
    assert_json(part_of(machine, "apps.notes.notes"), "[{\"id\":1}]");
    assert_null(part_of(machine, "apps.notes._temp"));
    assert_json(part_of(machine, "os.tasks"), "[]");
    assert_json(part_of(machine, "os.services.keyboard.visible"), "false");
    assert_null(wd_device_ui(device));
    wd_value_unref(&patch);
    wd_device_destroy(&device);
}

static void writes_pending_at_a_reset_are_dropped(void **unused)  // D17
{
    (void)unused;
    wd_device *device = walk_device();
    wd_digest boot = wd_device_digest(device);
    call_ok(device, "darkMode", "{\"v\":true}");
    assert_true(wd_object_count(part_of(wd_device_machine(device), "sys.writes")) > 0);
    wd_value *before = wd_device_take_events(device);
    wd_value_unref(&before);
    assert_int_equal(wd_device_reset(device, false), WD_OK);
    assert_true(wd_digest_equal(boot, wd_device_digest(device)));
    assert_int_equal(wd_device_advance(device, 1000), WD_OK);
    assert_int_equal(wd_object_count(part_of(wd_device_machine(device), "sys.storage")), 0);
    wd_value *events = wd_device_take_events(device);
    const wd_value *last = NULL;
    for (size_t i = 0; i < wd_array_count(events); i++) {
        const wd_value *action = wd_object_get(wd_array_at(events, i), "broadcast");
        last = wd_value_is_text(action, "android.intent.action.BOOT_COMPLETED") ? action : last;
    }
    assert_non_null(last);
    wd_value_unref(&events);
    wd_device_destroy(&device);
}

// ---- bounds ---------------------------------------------------------------------------------------------------------

static const struct bound_case {
    const char *name, *op, *args, *rest;  // the number of the call stands between args and rest
    int have;                             // of what is bounded are there already
    int count_max;
} bound_cases[] = {
    { "tasks", "tm.launchApp", "{\"app\":\"app", "\"}", 1, WD_TASKS_MAX },
    { "activities of a task", "tm.pushActivity", "{\"task\":\"task_1\",\"activity\":{\"activityId\":\"p",
        "\",\"appId\":\"sms\",\"initialRoute\":\"/"
        "\"}}",
        1, WD_TASK_STACK_MAX },
    { "entries of a history", "app.navigate", "{\"activity\":\"act_1\",\"path\":\"/", "\",\"mode\":\"push\"}",
        1, WD_ACTIVITY_HISTORY_MAX },
    { "registered stores", "store.register", "{\"id\":\"s", "\",\"initial\":{}}", 0,
        WD_STORE_REGISTERED_MAX },
};

static wd_status call_numbered(wd_device *device, const struct bound_case *row, int number)
{
    char args[256];
    snprintf(args, sizeof(args), "%s%d%s", row->args, number, row->rest);
    return call(device, row->op, args, NULL);
}

/// The last one that fits, and one past it.
static void one_past_the_bound_is_refused(void **state)
{
    const struct bound_case *row = *state;
    wd_device *device = used_device();
    for (int i = row->have; i < row->count_max; i++) {
        assert_int_equal(call_numbered(device, row, i), WD_OK);
    }
    wd_digest before = wd_device_digest(device);
    assert_int_equal(call_numbered(device, row, row->count_max), WD_ELIMIT);
    assert_true(wd_digest_equal(before, wd_device_digest(device)));
    wd_device_destroy(&device);
}

static void a_route_has_its_length(void **unused)
{
    (void)unused;
    wd_device *device = used_device();
    static char args[WD_ROUTE_TEXT_MAX + 128];
    for (int past = 0; past <= 1; past++) {
        static char path[WD_ROUTE_TEXT_MAX + 2];
        memset(path, 'a', WD_ROUTE_TEXT_MAX + 1);
        path[0] = '/';
        path[WD_ROUTE_TEXT_MAX + past] = '\0';
        snprintf(args, sizeof(args), "{\"activity\":\"act_1\",\"path\":\"%s\"}", path);
        assert_int_equal(call(device, "app.navigate", args, NULL), past ? WD_ELIMIT : WD_OK);
    }
    wd_device_destroy(&device);
}

static void a_boot_has_its_packages(void **unused)
{
    (void)unused;
    wd_value *packages = wd_value_array();
    for (int i = 0; i <= WD_DEVICE_PACKAGES_MAX; i++) {
        wd_device_options options = wd_device_options_default();
        options.packages = packages;
        if (i == WD_DEVICE_PACKAGES_MAX) {
            wd_device *device = NULL;
            assert_int_equal(wd_device_new(&options, &device, NULL), WD_OK);
            wd_device_destroy(&device);
        }
        wd_value *id = NULL;
        wd_value *manifest = NULL;
        assert_int_equal(wd_value_format(&id, "app%d", i), WD_OK);
        assert_int_equal(wd_value_pack(&manifest, "{s:V}", "id", id), WD_OK);
        assert_int_equal(wd_array_append(&packages, &manifest), WD_OK);
    }
    wd_device_options options = wd_device_options_default();
    options.packages = packages;
    wd_device *device = NULL;
    assert_int_equal(wd_device_new(&options, &device, NULL), WD_EINVAL);
    wd_value_unref(&packages);
}

// ---- hooks ------------------------------------------------------------------------------------------------

static wd_status refuse_negative(void *context, const char *app, const wd_value *overlay, wd_error *error)
{
    (void)context;
    if (wd_value_int_or(wd_object_get(overlay, "n"), 0) < 0) {
        return wd_error_set(error, WD_EINVAL, "%s.n: is negative", app);
    }
    return WD_OK;
}

static void an_overlay_is_checked_before_it_is_stored(void **unused)
{
    (void)unused;
    wd_device_hooks hooks = { .check_overlay = refuse_negative };
    wd_value *packages = json_of("[{\"id\":\"notes\"}]");
    wd_value *overlays = json_of("{\"notes\":{\"n\":1}}");
    wd_device_options options = wd_device_options_default();
    options.packages = packages;
    options.app_defaults = overlays;
    options.hooks = &hooks;
    wd_device *device = NULL;
    assert_int_equal(wd_device_new(&options, &device, NULL), WD_OK);
    wd_error error = { .text = "" };
    wd_value *bad = json_of("{\"n\":-1}");
    assert_int_equal(wd_device_set_overlay(device, "notes", &bad, &error), WD_EINVAL);
    assert_null(bad);  // taken all the same
    wd_value *patch = json_of("{\"apps\":{\"notes\":{\"n\":-2}}}");
    assert_int_equal(wd_device_inject(device, patch, true, false, &error), WD_EINVAL);
    assert_non_null(strstr(error.text, "notes.n"));
    assert_json(part_of(wd_device_machine(device), "apps.notes"), "{\"n\":1}");
    wd_value_unref(&patch);
    wd_value_unref(&overlays);
    wd_value_unref(&packages);
    wd_device_destroy(&device);
}

static const struct bad_boot {
    const char *name, *packages, *overlays, *os;
} bad_boots[] = {
    { "manifest without an id", "[{}]", NULL, NULL },
    { "two apps of one id", "[{\"id\":\"a\"},{\"id\":\"a\"}]", NULL, NULL },
    { "filters that are no list", "[{\"id\":\"a\",\"intentFilters\":{}}]", NULL, NULL },
    { "filter without an action", "[{\"id\":\"a\",\"intentFilters\":[{}]}]", NULL, NULL },
    { "packages that are no list", "{}", NULL, NULL },
    { "overlay that is no object", "[{\"id\":\"a\"}]", "{\"a\":[]}", NULL },
    { "OS defaults that are no object", "[]", NULL, "[]" },
};

static void a_malformed_boot_is_refused(void **state)
{
    const struct bad_boot *row = *state;
    wd_value *packages = json_of(row->packages);
    wd_value *overlays = row->overlays != NULL ? json_of(row->overlays) : NULL;
    wd_value *os = row->os != NULL ? json_of(row->os) : NULL;
    wd_device_options options = wd_device_options_default();
    options.packages = packages;
    options.app_defaults = overlays;
    options.os_defaults = os;
    wd_device *device = NULL;
    wd_error error = { .text = "" };
    assert_int_equal(wd_device_new(&options, &device, &error), WD_EINVAL);
    assert_true(error.text[0] != '\0');
    assert_null(device);
    wd_value_unref(&packages);
    wd_value_unref(&overlays);
    wd_value_unref(&os);
}

// ---- memory runs out --------------------------------------------------------------------------------------

/// Parsed before memory runs out.
static wd_value *memory_patch;

static wd_status try_inject(wd_device *device)
{
    return wd_device_inject(device, memory_patch, true, false, NULL);
}

static void make_memory_patch(void)
{
    memory_patch = json_of("{\"os\":{\"settings\":{\"global\":{\"airplaneModeEnabled\":true}}},"
                           "\"apps\":{\"notes\":{\"notes[]\":{\"id\":1}}}}");
}

static wd_status try_advance(wd_device *device)
{
    return wd_device_advance(device, 61000);
}

static wd_status try_reload(wd_device *device)
{
    return wd_device_reload(device);
}

static wd_status try_reset(wd_device *device)
{
    return wd_device_reset(device, true);
}

static wd_status try_state(wd_device *device)
{
    wd_value *state = NULL;
    wd_status status = wd_device_state(device, &state);
    wd_value_unref(&state);
    return status;
}

static wd_status try_fork(wd_device *device)
{
    wd_device *fork = NULL;
    wd_status status = wd_device_fork(device, &fork);
    wd_device_destroy(&fork);
    return status;
}

static const struct memory_case {
    const char *name, *before_op, *before_args;  // prepares
    const char *op, *args;                       // is tried; NULL: `perform` is
    wd_status (*perform)(wd_device *device);
} memory_cases[] = {
    { "launch", NULL, NULL, "os.launchApp", "{\"app\":\"sms\"}", NULL },
    { "start for a result", NULL, NULL, "os.startActivityForResult",
        "{\"intent\":{\"action\":\"ACTION_PAY\",\"scheme\":\"alipays\"},\"cb\":\"c\"}", NULL },
    { "answer a request", "os.startActivityForResult",
        "{\"intent\":{\"action\":\"ACTION_PAY\",\"scheme\":\"alipays\"},\"cb\":\"c\"}", "os.handleBack", "{}",
        NULL },
    { "start on an own task", NULL, NULL, "os.startActivity",
        "{\"intent\":{\"action\":\"ACTION_VIEW\",\"scheme\":\"sms\"},\"newTask\":true}", NULL },
    { "open the chooser", NULL, NULL, "os.startActivity",
        "{\"intent\":{\"action\":\"ACTION_SEND\",\"type\":\"text/plain\"}}", NULL },
    { "navigate", NULL, NULL, "app.navigate", "{\"activity\":\"act_1\",\"path\":\"chat\",\"mode\":\"push\"}",
        NULL },
    { "close", NULL, NULL, "os.closeApp", "{\"app\":\"wechat\"}", NULL },
    { "adopt a state", NULL, NULL, "tm.reset",
        "{\"state\":{\"tasks\":[{\"taskId\":\"t\",\"rootAppId\":\"sms\",\"stack\":[{\"activityId\":\"a\","
        "\"appId\":"
        "\"sms\"}]}]}}",
        NULL },
    { "register a store", NULL, NULL, "store.register",
        "{\"id\":\"s\",\"initial\":{\"a\":1},\"noteLoaded\":true}", NULL },
    { "inject", NULL, NULL, NULL, NULL, try_inject },
    { "time with a write due", "darkMode", "{\"v\":true}", NULL, NULL, try_advance },
    { "reload", "darkMode", "{\"v\":true}", NULL, NULL, try_reload },
    { "reset", NULL, NULL, NULL, NULL, try_reset },
    { "state", "darkMode", "{\"v\":true}", NULL, NULL, try_state },
    { "fork", NULL, NULL, NULL, NULL, try_fork },
};

/// Fail each allocation in turn: every failure is WD_ENOMEM and leaves the machine as it was.
static void memory_running_out_changes_nothing(void **state)
{
    enum { CALLS_MAX = 20000 };
    const struct memory_case *row = *state;
    wd_status status = WD_ENOMEM;
    for (long calls = 0; status == WD_ENOMEM; calls++) {
        assert_in_range(calls, 0, CALLS_MAX);
        wd_device *device = used_device();
        if (row->before_op != NULL) {
            call_ok(device, row->before_op, row->before_args);
        }
        wd_value *args = row->args != NULL ? json_of(row->args) : NULL;
        wd_digest before = wd_device_digest(device);
        wd_alloc_fail_after(calls);
        status = row->op != NULL ? wd_device_call(device, row->op, args, NULL, NULL) : row->perform(device);
        wd_alloc_fail_after(-1);
        if (status == WD_ENOMEM) {
            assert_true(wd_digest_equal(before, wd_device_digest(device)));
        } else {
            assert_int_equal(status, WD_OK);
        }
        wd_value_unref(&args);
        wd_device_destroy(&device);
    }
}

static void memory_running_out_at_boot(void **unused)
{
    (void)unused;
    wd_value *packages = json_of("[{\"id\":\"notes\"}]");
    wd_device_options options = wd_device_options_default();
    options.packages = packages;
    wd_device *device = NULL;
    for (long calls = 0; device == NULL; calls++) {
        assert_in_range(calls, 0, 20000);
        wd_alloc_fail_after(calls);
        wd_status status = wd_device_new(&options, &device, NULL);
        wd_alloc_fail_after(-1);
        assert_int_equal(status, device == NULL ? WD_ENOMEM : WD_OK);
    }
    wd_device_destroy(&device);
    wd_value_unref(&packages);
}

#define ROWS(list, function)                                                                                 \
    for (size_t i = 0; i < WD_COUNT_OF(list); i++) {                                                         \
        tests[count++] = (struct CMUnitTest){                                                                \
            .name = list[i].name, .test_func = function, .initial_state = (void *)(uintptr_t)&list[i]        \
        };                                                                                                   \
    }

int main(void)
{
    static const struct CMUnitTest single[] = {
        cmocka_unit_test(restore_is_exact),
        cmocka_unit_test(forks_go_their_own_ways),
        cmocka_unit_test(a_frozen_machine_goes_on_elsewhere),
        cmocka_unit_test(a_route_has_its_length),
        cmocka_unit_test(a_boot_has_its_packages),
        cmocka_unit_test(time_goes_forward_only),
        cmocka_unit_test(the_oldest_events_make_room),
        cmocka_unit_test(reload_keeps_what_is_persistent),
        cmocka_unit_test(writes_pending_at_a_reset_are_dropped),
        cmocka_unit_test(an_overlay_is_checked_before_it_is_stored),
        cmocka_unit_test(memory_running_out_at_boot),
    };
    static struct CMUnitTest tests[WD_COUNT_OF(single) + WD_COUNT_OF(bad_cases) + WD_COUNT_OF(bad_patches) +
                                   WD_COUNT_OF(bad_boots) + WD_COUNT_OF(memory_cases) +
                                   WD_COUNT_OF(bound_cases)];
    memcpy(tests, single, sizeof(single));
    size_t count = WD_COUNT_OF(single);
    make_memory_patch();
    ROWS(bad_cases, bad_operation_changes_nothing)
    ROWS(bad_patches, bad_patch_changes_nothing)
    ROWS(bad_boots, a_malformed_boot_is_refused)
    ROWS(bound_cases, one_past_the_bound_is_refused)
    ROWS(memory_cases, memory_running_out_changes_nothing)
    int failed = cmocka_run_group_tests_name("device", tests, NULL, NULL);
    wd_value_unref(&memory_patch);
    return failed;
}
