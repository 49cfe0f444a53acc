/// boot.c - the machine right after power-on: checked packages, defaults of every part, overlays of the
/// packs.
#include "device_struct.h"

#include "tree/patch.h"

#include <string.h>

// The parts of the OS write their defaults in this order, each into what is there already.
static wd_status (*const boot_parts[])(
    wd_machine *machine, const wd_device_options *options, wd_error *error) = {
    wd_boot_tasks,
    wd_boot_managers,
    wd_boot_services,
};

static wd_status check_package(const wd_value *packages, size_t index, wd_error *error)
{
    const wd_value *manifest = wd_array_at(packages, index);
    const wd_value *id = wd_object_get(manifest, "id");
    if (!wd_value_is(id, WD_KIND_STRING) || wd_value_as_string(id, NULL)[0] == '\0') {
        return wd_error_set(error, WD_EINVAL, "packages[%zu].id: a text is wanted", index);
    }
    for (size_t i = 0; i < index; i++) {
        if (wd_value_equal(wd_object_get(wd_array_at(packages, i), "id"), id)) {
            return wd_error_set(error, WD_EINVAL, "packages[%zu].id: %s is there already", index,
                wd_value_as_string(id, NULL));
        }
    }
    const wd_value *filters = wd_object_get(manifest, "intentFilters");
    if (filters != NULL && !wd_value_is(filters, WD_KIND_ARRAY)) {
        return wd_error_set(error, WD_EINVAL, "packages[%zu].intentFilters: a list is wanted", index);
    }
    size_t count = wd_array_count(filters);
    for (size_t i = 0; i < count; i++) {
        if (!wd_value_is(wd_object_get(wd_array_at(filters, i), "action"), WD_KIND_STRING)) {
            return wd_error_set(
                error, WD_EINVAL, "packages[%zu].intentFilters[%zu].action: a text is wanted", index, i);
        }
    }
    return WD_OK;
}

wd_status wd_packages_check(const wd_value *packages, wd_error *error)
{
    if (!wd_value_is(packages, WD_KIND_ARRAY)) {
        return wd_error_set(error, WD_EINVAL, "packages: a list is wanted");
    }
    if (wd_array_count(packages) > WD_DEVICE_PACKAGES_MAX) {
        return wd_error_set(error, WD_EINVAL, "packages: more than %d", WD_DEVICE_PACKAGES_MAX);
    }
    for (size_t i = 0; i < wd_array_count(packages); i++) {
        wd_status status = check_package(packages, i, error);
        if (status != WD_OK) {
            return status;
        }
    }
    return WD_OK;
}

static wd_status check_options(const wd_device_options *options, wd_error *error)
{
    wd_status status = options->packages != NULL ? wd_packages_check(options->packages, error) : WD_OK;
    if (status != WD_OK) {
        return status;
    }
    if (options->app_defaults != NULL && !wd_value_is(options->app_defaults, WD_KIND_OBJECT)) {
        return wd_error_set(error, WD_EINVAL, "app_defaults: an object is wanted");
    }
    wd_iter iter = wd_iter_start(options->app_defaults);
    while (wd_iter_next(&iter)) {
        if (!wd_value_is(iter.value, WD_KIND_OBJECT)) {
            return wd_error_set(error, WD_EINVAL, "app_defaults.%s: an object is wanted", iter.key);
        }
    }
    if (options->os_defaults != NULL && !wd_value_is(options->os_defaults, WD_KIND_OBJECT)) {
        return wd_error_set(error, WD_EINVAL, "os_defaults: an object is wanted");
    }
    return WD_OK;
}

static wd_status boot_sys(wd_machine *machine, const wd_device_options *options)
{
    int64_t now = options->time_ms != 0 ? options->time_ms : WD_DEVICE_TIME_DEFAULT_MS;
    wd_value *packages = options->packages != NULL ? wd_value_ref(options->packages) : wd_value_array();
    return wd_value_pack(&machine->root,
        "{s:{},s:v,s:{s:i,s:i,s:i,s:i,s:{s:i,s:i},s:V,s:{},s:{},s:{},s:{},s:{},s:{}}}", "os", "apps",
        options->app_defaults, "sys", "clock", now, "boot", now, "zone", (int64_t)options->utc_offset_min,
        "actionMs", options->action_ms, "rng", "seed", (int64_t)options->seed, "draws", INT64_C(0),
        "packages", packages, "counters", "histories", "pending", "stores", "storage", "writes");
}

wd_status wd_boot(wd_machine *machine, const wd_device_options *options, wd_error *error)
{
    wd_status status = check_options(options, error);
    if (status == WD_OK) {
        wd_device_options filled = *options;
        wd_value *none = wd_value_object();
        filled.app_defaults = options->app_defaults != NULL ? options->app_defaults : none;
        status = boot_sys(machine, &filled);
        wd_value_unref(&none);
    }
    for (size_t i = 0; i < WD_COUNT_OF(boot_parts) && status == WD_OK; i++) {
        status = boot_parts[i](machine, options, error);
    }
    if (status == WD_OK && options->os_defaults != NULL) {
        wd_value *os = NULL;
        status = wd_patch_merge(
            wd_machine_get(machine, WD_AT("os")), options->os_defaults, WD_PATCH_DEEP, &os, error);
        if (status == WD_OK) {
            status = wd_machine_put(machine, WD_AT("os"), &os);
        } else {
            wd_error_prefix(error, "os_defaults");
        }
    }
    machine->dirty = 0;  // defaults are no changes: nothing is to be saved
    wd_value_unref(&machine->deferred);
    return status;
}
