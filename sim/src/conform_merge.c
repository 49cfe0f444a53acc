/// conform_merge.c - replays merge.json: one inject into an app, a provider, an un-managed part of `os`, or
/// an app that has only something stored.
#include "conform_case.h"
#include "store.h"
#include "tree/patch.h"

#include <string.h>

#define APP "wechat"  // has a store in these replays
#define STORELESS_APP "calculator"
#define PROVIDER "contacts"

/// What a case does to a device: where the state starts, what is injected, what comes out.
typedef struct merge_target {
    const char *name;
    wd_status (*prepare)(wd_conform *run, wd_device *device, const wd_value *one);
    const char *keys[3];  // where the patch goes
    wd_status (*result)(wd_device *device, wd_value **ret_result);
} merge_target;

/// Put a value into the machine by restoring a changed copy of it.
static wd_status place_in_machine(wd_device *device, const char *const keys[3], const wd_value *item)
{
    wd_machine copy = { .root = wd_device_capture(device) };
    wd_value *held = wd_value_ref(item);
    wd_status status = wd_machine_put(
        &copy, (wd_place){ .keys = { keys[0], keys[1], keys[2] }, .count = keys[2] != NULL ? 3 : 2 }, &held);
    if (status == WD_OK) {
        status = wd_device_restore(device, copy.root, NULL);
    }
    wd_value_unref(&copy.root);
    return status;
}

/// A state without its members that have no value.
static wd_status start_state(const wd_value *one, wd_value **ret_state)
{
    wd_value *none = wd_value_object();
    wd_status status = wd_patch_merge(none, wd_object_get(one, "state"), WD_PATCH_SHALLOW, ret_state, NULL);
    wd_value_unref(&none);
    return status;
}

static wd_status prepare_at(wd_device *device, const wd_value *one, const char *const keys[3])
{
    wd_value *state = NULL;
    wd_status status = start_state(one, &state);
    if (status == WD_OK) {
        status = place_in_machine(device, keys, state);
    }
    wd_value_unref(&state);
    return status;
}

static wd_status prepare_app(wd_conform *run, wd_device *device, const wd_value *one)
{
    (void)run;
    return prepare_at(device, one, (const char *const[3]){ "apps", APP, NULL });
}

static wd_status prepare_provider(wd_conform *run, wd_device *device, const wd_value *one)
{
    (void)run;
    return prepare_at(device, one, (const char *const[3]){ "os", "providers", PROVIDER });
}

/// The un-managed part lies beside the managed members of `hardware`.
static wd_status prepare_draft(wd_conform *run, wd_device *device, const wd_value *one)
{
    wd_value *state = NULL;
    wd_value *hardware = NULL;
    const wd_value *default_hardware =
        wd_object_get(wd_object_get(wd_device_machine(device), "os"), "hardware");
    wd_status status = start_state(one, &state);
    wd_iter iter = wd_iter_start(state);
    while (status == WD_OK && wd_iter_next(&iter)) {
        if (wd_object_get(default_hardware, iter.key) != NULL) {
            status = wd_conform_differ(run, "state.%s: is a managed member of hardware", iter.key);
        }
    }
    if (status == WD_OK) {
        status = wd_patch_merge(default_hardware, state, WD_PATCH_SHALLOW, &hardware, NULL);
    }
    if (status == WD_OK) {
        status = place_in_machine(device, (const char *const[3]){ "os", "hardware", NULL }, hardware);
    }
    wd_value_unref(&hardware);
    wd_value_unref(&state);
    return status;
}

static wd_status prepare_stored(wd_conform *run, wd_device *device, const wd_value *one)
{
    const char *text = wd_value_string_or(wd_object_get(one, "stored"), NULL);
    if (text == NULL) {
        return WD_OK;
    }
    wd_value *args = NULL;
    wd_status status = wd_value_pack(&args, "{s:s,s:s}", "key", STORELESS_APP, "text", text);
    if (status == WD_OK) {
        status = wd_conform_call(run, device, "store.put", args, false, NULL);
    }
    wd_value_unref(&args);
    return status;
}

static wd_status machine_part(const wd_device *device, const char *const keys[3], wd_value **ret_part)
{
    const wd_value *part = wd_device_machine(device);
    for (size_t i = 0; i < 3 && keys[i] != NULL; i++) {
        part = wd_object_get(part, keys[i]);
    }
    *ret_part = wd_value_ref(part);
    return WD_OK;
}

static wd_status result_app(wd_device *device, wd_value **ret_result)
{
    return machine_part(device, (const char *const[3]){ "apps", APP, NULL }, ret_result);
}

static wd_status result_provider(wd_device *device, wd_value **ret_result)
{
    return machine_part(device, (const char *const[3]){ "os", "providers", PROVIDER }, ret_result);
}

/// `hardware` without the members it has anyway.
static wd_status result_draft(wd_device *device, wd_value **ret_result)
{
    wd_value *part = NULL;
    wd_status status = machine_part(device, (const char *const[3]){ "os", "hardware", NULL }, &part);
    const wd_value *defaults =
        wd_object_get(wd_object_get(wd_machine_boot(&(wd_machine){ .device = device }), "os"), "hardware");
    wd_iter iter = wd_iter_start(defaults);
    while (status == WD_OK && wd_iter_next(&iter)) {
        status = wd_object_get(part, iter.key) != NULL ? wd_object_remove(&part, iter.key) : WD_OK;
    }
    *ret_result = part;
    return status;
}

/// The stored text, parsed: {"$raw": text} when it is broken, null when there is none.
static wd_status result_stored(wd_device *device, wd_value **ret_result)
{
    wd_machine machine = { .root = wd_device_capture(device) };
    wd_buffer text = { 0 };
    wd_status status = wd_store_text(&machine, STORELESS_APP, &text);
    if (status == WD_ENOENT) {
        *ret_result = wd_value_null();
        status = WD_OK;
    } else if (status == WD_OK) {
        const char *bytes = text.bytes != NULL ? text.bytes : "";
        status = wd_json_parse(bytes, text.length, ret_result, NULL);
        if (status != WD_OK && status != WD_ENOMEM) {
            status = wd_value_pack(ret_result, "{s:s}", "$raw", bytes);
        }
    }
    wd_buffer_done(&text);
    wd_value_unref(&machine.root);
    return status;
}

static const merge_target targets[] = {
    { "app", prepare_app, { "apps", APP, NULL }, result_app },
    { "app-persisted", prepare_stored, { "apps", STORELESS_APP, NULL }, result_stored },
    { "provider", prepare_provider, { "os", "providers", PROVIDER }, result_provider },
    { "os-draft", prepare_draft, { "os", "hardware", NULL }, result_draft },
};

static wd_status wrap_patch(const merge_target *target, const wd_value *patch, wd_value **ret_whole)
{
    const char *const *keys = target->keys;
    return keys[2] != NULL ? wd_value_pack(ret_whole, "{s:{s:{s:v}}}", keys[0], keys[1], keys[2], patch)
                           : wd_value_pack(ret_whole, "{s:{s:v}}", keys[0], keys[1], patch);
}

static wd_status replay_on(
    wd_conform *run, const merge_target *target, wd_device *device, const wd_value *one)
{
    wd_value *patch = NULL;
    wd_value *result = NULL;
    wd_status status = target->prepare(run, device, one);
    if (status == WD_OK) {
        status = wrap_patch(target, wd_object_get(one, "patch"), &patch);
    }
    if (status == WD_OK) {
        wd_error error = { 0 };
        wd_digest before = wd_device_digest(device);
        bool deep = wd_value_bool_or(wd_object_get(one, "deep"), true);
        wd_status outcome = wd_device_inject(device, patch, deep, false, &error);
        bool refused = wd_value_bool_or(wd_object_get(one, "error"), false);
        status = wd_conform_outcome(run, device, before, outcome, &error, refused);
    }
    if (status == WD_OK) {
        status = target->result(device, &result);
    }
    if (status == WD_OK) {
        status = wd_conform_expect(run, "result", wd_object_get(one, "result"), result);
    }
    wd_value_unref(&result);
    wd_value_unref(&patch);
    return status;
}

wd_status wd_conform_merge(const wd_value *file, const wd_value *one, wd_conform *run)
{
    (void)file;
    const char *name = wd_value_string_or(wd_object_get(one, "target"), "");
    size_t at = 0;
    while (at < WD_COUNT_OF(targets) && strcmp(targets[at].name, name) != 0) {
        at++;
    }
    if (at == WD_COUNT_OF(targets)) {
        return wd_conform_differ(run, "target: %s is none of ours", name);
    }
    wd_device *device = NULL;
    wd_status status = wd_conform_device(run, NULL, &device);
    if (status == WD_OK) {
        status = replay_on(run, &targets[at], device, one);
    }
    wd_device_destroy(&device);
    return status;
}
