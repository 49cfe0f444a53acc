#include "device_struct.h"

#include "managers.h"
#include "store.h"
#include "tree/alloc.h"

#include <string.h>

wd_device_options wd_device_options_default(void)
{
    return (wd_device_options){
        .time_ms = WD_DEVICE_TIME_DEFAULT_MS,
        .utc_offset_min = WD_DEVICE_UTC_OFFSET_DEFAULT,
        .action_ms = WD_DEVICE_ACTION_MS_DEFAULT,
    };
}

// ---- life of a device -------------------------------------------------------------------------------------

wd_status wd_device_new(const wd_device_options *options, wd_device **ret_device, wd_error *error)
{
    wd_device *device = wd_alloc_zero(1, sizeof *device);
    if (device == NULL) {
        return wd_error_set(error, WD_ENOMEM, "no memory for a device");
    }
    device->machine.device = device;
    device->machine.hooks = options->hooks;
    device->machine.events = wd_value_array();
    wd_status status = wd_boot(&device->machine, options, error);
    if (status == WD_OK) {
        // Frozen, the boot root can be shared by devices on all threads, and a reset never has to copy it.
        status = wd_value_freeze(device->machine.root, &device->boot);
    }
    if (status != WD_OK) {
        wd_device_destroy(&device);
        return status;
    }
    wd_value_unref(&device->machine.root);
    device->machine.root = wd_value_ref(device->boot);
    *ret_device = device;
    return WD_OK;
}

void wd_device_destroy(wd_device **device_p)
{
    wd_device *device = *device_p;
    if (device == NULL) {
        return;
    }
    wd_shown_forget(device->shown);
    wd_value_unref(&device->machine.root);
    wd_value_unref(&device->machine.events);
    wd_value_unref(&device->machine.deferred);
    wd_value_unref(&device->boot);
    wd_view_cache_unref(&device->cache);
    wd_free(device, sizeof *device);
    *device_p = NULL;
}

wd_status wd_device_fork(const wd_device *device, wd_device **ret_fork)
{
    wd_device *fork = wd_alloc(sizeof *fork);
    if (fork == NULL) {
        return WD_ENOMEM;
    }
    *fork = (wd_device){
        .machine = { .root = wd_value_ref(device->machine.root),
            .events = wd_value_array(),
            .hooks = device->machine.hooks,
            .device = fork },
        .boot = wd_value_ref(device->boot),
        .cache = wd_view_cache_ref(device->cache),
    };
    *ret_fork = fork;
    return WD_OK;
}

// ---- one operation: mark, perform, settle -----------------------------------------------------------------

static wd_mark begin(wd_device *device)
{
    device->machine.dirty = 0;
    device->machine.replaced = false;
    device->machine.sticky = WD_OK;
    wd_value_unref(&device->machine.deferred);
    return wd_machine_mark(&device->machine);
}

/// What follows from an operation that succeeded: writes to schedule, lifecycle events, deferred events, in
/// this order.
static wd_status settle(wd_machine *machine, const wd_value *before)
{
    wd_status status = machine->sticky;
    if (status == WD_OK && (machine->dirty != 0 || machine->replaced)) {
        status = wd_announce(machine, before);
    }
    if (status == WD_OK && machine->dirty != 0) {
        status = wd_store_settle(machine, before);
    }
    if (status == WD_OK) {
        status = wd_lifecycle_events(machine, before);
    }
    wd_value *deferred = machine->deferred;
    machine->deferred = NULL;
    wd_iter iter = wd_iter_start(deferred);
    while (status == WD_OK && wd_iter_next(&iter)) {
        wd_value *event = wd_value_ref(iter.value);
        status = wd_machine_event(machine, &event);
    }
    wd_value_unref(&deferred);
    return status;
}

/// End the operation begun with `mark`: all of it or nothing.
static wd_status finish(wd_device *device, wd_mark *mark, wd_status status)
{
    if (status == WD_OK) {
        status = settle(&device->machine, mark->root);
    }
    if (status == WD_OK) {
        wd_machine_commit(mark);
    } else {
        wd_machine_rollback(&device->machine, mark);
    }
    return status;
}

/// What a part said went wrong, or else which operation failed and how.
static void tell_error(wd_error *error, wd_status status, const wd_error *why, const char *name)
{
    if (error == NULL) {
        return;
    }
    if (why->text[0] != '\0') {
        (void)wd_error_set(error, status, "%s", why->text);
    } else {
        (void)wd_error_set(error, status, "%s: %s", name, wd_status_text(status));
    }
}

wd_status wd_device_call(
    wd_device *device, const char *name, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    const wd_op *op = wd_op_find(name);
    if (op == NULL) {
        return wd_error_set(error, WD_ENOENT, "op: %.80s is no operation", name);
    }
    if (args != NULL && !wd_value_is(args, WD_KIND_OBJECT)) {
        return wd_error_set(
            error, WD_ETYPE, "args: an object is wanted, not %s", wd_kind_name(wd_value_kind(args)));
    }
    wd_value *none = args == NULL ? wd_value_object() : NULL;
    wd_value *answer = NULL;
    wd_error why;
    why.text[0] = '\0';
    wd_mark mark = begin(device);
    wd_status status = op->function(&device->machine, args != NULL ? args : none, &answer, &why);
    status = finish(device, &mark, status);
    if (status != WD_OK) {
        tell_error(error, status, &why, name);
    }
    if (status == WD_OK && ret_answer != NULL) {
        *ret_answer = answer;
        answer = NULL;
    }
    wd_value_unref(&answer);
    wd_value_unref(&none);
    return status;
}

wd_status wd_device_advance(wd_device *device, int64_t ms)
{
    if (ms < 0 || ms > WD_DEVICE_ADVANCE_MAX_MS) {
        return WD_EINVAL;
    }
    wd_mark mark = begin(device);
    return finish(device, &mark, wd_clock_advance(&device->machine, ms));
}

int64_t wd_device_time_ms(const wd_device *device)
{
    return wd_machine_now(&device->machine);
}

uint64_t wd_device_random(wd_device *device)
{
    uint64_t number = wd_machine_random(&device->machine);
    device->machine.sticky = WD_OK;
    return number;
}

wd_value *wd_device_take_events(wd_device *device)
{
    wd_value *events = device->machine.events;
    device->machine.events = wd_value_array();
    return events;
}

const wd_value *wd_machine_boot(const wd_machine *machine)
{
    return machine->device->boot;
}

// ---- snapshots --------------------------------------------------------------------------------------------

wd_value *wd_device_capture(const wd_device *device)
{
    return wd_value_ref(device->machine.root);
}

const wd_value *wd_device_machine(const wd_device *device)
{
    return device->machine.root;
}

wd_digest wd_device_digest(const wd_device *device)
{
    return wd_value_digest(device->machine.root);
}

wd_status wd_device_restore(wd_device *device, const wd_value *machine, wd_error *error)
{
    if (machine == device->machine.root) {
        return WD_OK;
    }
    wd_status status = wd_machine_check(machine, &device->machine, error);
    if (status != WD_OK) {
        return status;
    }
    wd_mark mark = begin(device);
    wd_value_unref(&device->machine.root);
    device->machine.root = wd_value_ref(machine);
    device->machine.replaced = true;
    return finish(device, &mark, WD_OK);  // which announces what differs
}

wd_status wd_device_adopt(wd_device *device, const wd_value *machine, const wd_value *state)
{
    if (!wd_value_equal(machine, device->machine.root)) {
        return WD_EINVAL;
    }
    wd_status status = wd_view_cache_set(&device->cache, machine, state);
    if (status == WD_OK) {
        wd_value *root = wd_value_ref(machine);
        wd_value_unref(&device->machine.root);
        device->machine.root = root;
    }
    return status;
}

wd_status wd_device_state(wd_device *device, wd_value **ret_state)
{
    return wd_state_view(&device->machine, &device->cache, ret_state);
}

wd_status wd_device_invalidate(wd_device *device, const char *app)
{
    return wd_view_cache_forget(&device->cache, app);
}

// ---- writing from outside ---------------------------------------------------------------------------------

wd_status wd_device_inject(wd_device *device, const wd_value *patch, bool deep, bool reload, wd_error *error)
{
    wd_mark mark = begin(device);
    wd_status status = wd_inject(&device->machine, patch, deep, error);
    if (status == WD_OK && reload) {
        status = wd_store_settle(&device->machine, mark.root);
        if (status == WD_OK) {
            status = wd_reload(&device->machine, device->boot);
        }
    }
    return finish(device, &mark, status);
}

wd_status wd_device_reload(wd_device *device)
{
    wd_mark mark = begin(device);
    return finish(device, &mark, wd_reload(&device->machine, device->boot));
}

wd_status wd_device_reset(wd_device *device, bool reload)
{
    wd_mark mark = begin(device);
    wd_status status = wd_reset(&device->machine, device->boot);
    if (status == WD_OK && reload) {
        status = wd_reload(&device->machine, device->boot);
    }
    return finish(device, &mark, status);
}

wd_status wd_device_set_overlay(wd_device *device, const char *app, wd_value **overlay_p, wd_error *error)
{
    wd_mark mark = begin(device);
    wd_status status = wd_inject_overlay(&device->machine, app, overlay_p, error);
    wd_value_unref(overlay_p);
    return finish(device, &mark, status);
}

const wd_value *wd_device_ui(const wd_device *device)
{
    return wd_machine_get(&device->machine, WD_AT("sys", "ui"));
}

wd_status wd_device_set_ui(wd_device *device, wd_value **ui_p)
{
    wd_mark mark = begin(device);
    return finish(device, &mark, wd_machine_put(&device->machine, WD_AT("sys", "ui"), ui_p));
}
