/// conform_lifecycle.c - replays lifecycle.json and lifecycle-walks.json: the whole task state after every
/// step, routes, what lies over the front, lifecycle events and delivered results.
#include "coerce.h"
#include "conform_case.h"
#include "task.h"

#include <string.h>

static bool is_drawn(const wd_conform *run, const char *wanted)
{
    return wd_object_get(run->drawn, wanted) != NULL;
}

/// Tasks with each lastActiveAt replaced by its rank: stamps are compared by order.
static wd_status rank_stamps(const wd_value *state, wd_value **ret_state)
{
    const wd_value *tasks = wd_object_get(state, "tasks");
    size_t count = wd_array_count(tasks);
    wd_value *ranked = wd_value_ref(tasks);
    wd_status status = WD_OK;
    for (size_t i = 0; i < count && status == WD_OK; i++) {
        double stamp = wd_value_double_or(wd_object_get(wd_array_at(tasks, i), "lastActiveAt"), 0);
        int64_t rank = 0;
        for (size_t k = 0; k < count; k++) {
            rank += wd_value_double_or(wd_object_get(wd_array_at(tasks, k), "lastActiveAt"), 0) < stamp;
        }
        wd_value *task = wd_value_ref(wd_array_at(tasks, i));
        wd_value *item = NULL;
        status = wd_value_int(rank, &item);
        if (status == WD_OK) {
            status = wd_object_set(&task, "lastActiveAt", &item);
        }
        if (status == WD_OK) {
            status = wd_array_set(&ranked, i, &task);
        }
        wd_value_unref(&item);
        wd_value_unref(&task);
    }
    wd_value *copy = wd_value_ref(state);
    if (status == WD_OK) {
        status = wd_object_set(&copy, "tasks", &ranked);
    }
    wd_value_unref(&ranked);
    if (status != WD_OK) {
        wd_value_unref(&copy);
        return status;
    }
    *ret_state = copy;
    return WD_OK;
}

/// The four members of the task state, from our visible state.
static wd_status task_state(const wd_value *os, wd_value **ret_state)
{
    return wd_value_pack(ret_state, "{s:?v,s:?v,s:?v,s:?v}", "tasks", wd_object_get(os, "tasks"),
        "activeTaskId", wd_object_get(os, "activeTaskId"), "isLauncherVisible",
        wd_object_get(os, "isLauncherVisible"), "isRecentsVisible", wd_object_get(os, "isRecentsVisible"));
}

static wd_status expect_state(wd_conform *run, const wd_value *step, const wd_value *os)
{
    wd_value *wanted = NULL;
    wd_value *whole = NULL;
    wd_value *got = NULL;
    wd_status status = rank_stamps(wd_object_get(step, "state"), &wanted);
    if (status == WD_OK) {
        status = task_state(os, &whole);
    }
    if (status == WD_OK) {
        status = rank_stamps(whole, &got);
    }
    if (status == WD_OK) {
        status = wd_conform_expect(run, "state", wanted, got);
    }
    if (status == WD_OK) {
        status = wd_conform_expect(
            run, "activeAppId", wd_object_get(step, "activeAppId"), wd_object_get(os, "activeAppId"));
    }
    if (status == WD_OK) {
        status = wd_conform_expect(
            run, "runningApps", wd_object_get(step, "runningApps"), wd_object_get(os, "runningApps"));
    }
    wd_value_unref(&wanted);
    wd_value_unref(&whole);
    wd_value_unref(&got);
    return status;
}

/// What lies over the front: each is given only while it is open.
static wd_status expect_overlays(
    wd_conform *run, const wd_value *step, const wd_value *os, const wd_value *machine)
{
    const wd_value *chooser = wd_object_get(wd_object_get(machine, "sys"), "chooser");
    wd_value *shown = NULL;
    wd_status status = WD_OK;
    if (chooser != NULL) {
        status = wd_value_pack(&shown, "{s:v,s:v}", "intent", wd_object_get(chooser, "intent"), "matches",
            wd_object_get(chooser, "matches"));
    }
    if (status == WD_OK) {
        status = wd_conform_expect(run, "chooser", wd_object_get(step, "chooser"), shown);
    }
    wd_value_unref(&shown);
    const wd_value *shade = wd_object_get(os, "shade");
    bool open = wd_value_bool_or(wd_object_get(shade, "open"), false);
    if (status == WD_OK) {
        status = wd_conform_expect(
            run, "shadeOpen", wd_object_get(step, "shadeOpen"), open ? wd_object_get(shade, "kind") : NULL);
    }
    const wd_value *visible =
        wd_object_get(wd_object_get(wd_object_get(os, "services"), "keyboard"), "visible");
    if (status == WD_OK) {
        status = wd_conform_expect(run, "keyboardVisible", wd_object_get(step, "keyboardVisible"),
            wd_value_bool_or(visible, false) ? visible : NULL);
    }
    return status;
}

/// Lifecycle events, then callbacks; the rest of what a device tells is no part of these files.
static wd_status expect_events(wd_conform *run, const wd_value *step, wd_device *device)
{
    wd_value *events = wd_device_take_events(device);
    wd_value *kept = wd_value_array();
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(events);
    while (status == WD_OK && wd_iter_next(&iter)) {
        if (wd_object_get(iter.value, "life") != NULL || wd_object_get(iter.value, "callback") != NULL) {
            wd_value *event = wd_value_ref(iter.value);
            status = wd_array_append(&kept, &event);
            wd_value_unref(&event);
        }
    }
    if (status == WD_OK) {
        const wd_value *wanted = wd_object_get(step, "events");
        status = wd_conform_expect(
            run, "events", wanted, wanted == NULL && wd_array_count(kept) == 0 ? NULL : kept);
    }
    wd_value_unref(&kept);
    wd_value_unref(&events);
    return status;
}

static wd_status expect_step(wd_conform *run, const wd_value *step, const wd_value *routes, wd_device *device)
{
    wd_value *state = NULL;
    wd_status status = wd_device_state(device, &state);
    const wd_value *os = wd_object_get(state, "os");
    const wd_value *machine = wd_device_machine(device);
    if (status == WD_OK) {
        status = expect_state(run, step, os);
    }
    if (status == WD_OK) {
        status = wd_conform_expect(
            run, "routes", routes, wd_object_get(wd_object_get(machine, "sys"), "histories"));
    }
    if (status == WD_OK) {
        status = expect_overlays(run, step, os, machine);
    }
    if (status == WD_OK) {
        status = expect_events(run, step, device);
    }
    wd_value_unref(&state);
    return status;
}

static wd_status replay_step(wd_conform *run, const wd_value *step, const wd_value *routes, wd_device *device)
{
    const wd_value *op = wd_object_get(step, "op");
    run->op = wd_value_string_or(wd_object_get(op, "op"), "");
    wd_value *plain = NULL;
    wd_value *args = NULL;
    wd_value *answer = NULL;
    wd_status status = wd_without_nothing(op, &plain);
    if (status == WD_OK) {
        status = wd_conform_translate(run, plain, &args);
    }
    const wd_value *ids = wd_object_get(step, "ids");
    if (ids != NULL) {  // a reset has begun a new count
        run->drawn = ids;
        wd_conform_forget_ids(run);
    }
    bool refused = wd_value_bool_or(wd_object_get(step, "error"), false);
    if (status == WD_OK) {
        status = wd_conform_call(run, device, run->op, args, refused, &answer);
    }
    if (status == WD_OK) {
        status = expect_step(run, step, routes, device);
    }
    const wd_value *ret = wd_object_get(step, "ret");
    if (status == WD_OK && ret != NULL) {
        status = wd_conform_expect(run, "ret", ret, answer);
    }
    wd_value_unref(&answer);
    wd_value_unref(&args);
    wd_value_unref(&plain);
    return status;
}

wd_status wd_conform_lifecycle(const wd_value *file, const wd_value *one, wd_conform *run)
{
    (void)file;
    run->is_drawn = is_drawn;
    run->drawn = wd_object_get(one, "ids");
    wd_device *device = NULL;
    wd_status status = wd_conform_device(run, NULL, &device);
    if (status == WD_OK) {
        wd_value *boot_events = wd_device_take_events(device);
        wd_value_unref(&boot_events);
    }
    const wd_value *steps = wd_object_get(one, "steps");
    wd_value *none = wd_value_object();
    const wd_value *routes = none;  // given only when they changed
    for (size_t i = 0; i < wd_array_count(steps) && status == WD_OK && !run->failed; i++) {
        const wd_value *step = wd_array_at(steps, i);
        run->step = i + 1;
        const wd_value *given = wd_object_get(step, "routes");
        routes = given != NULL ? given : routes;
        status = replay_step(run, step, routes, device);
    }
    wd_value_unref(&none);
    wd_device_destroy(&device);
    return status;
}
