/// inject.c - a patch of the whole state, through its owners, all or nothing (os.md 4, 5; D9 to D14).
#include "device_struct.h"
#include "store.h"
#include "tree/patch.h"

#include <string.h>

// The documented order. Other members of a patch's `os` are ignored: tasks, clipboard, notifications, shade,
// launcher, time, location, locale, services, fileSystem and installedApps are put back by a restore only.
static const struct section {
    const char *name;
    wd_status (*inject)(wd_machine *machine, const wd_value *patch, wd_error *error);
} sections[] = {
    { "build", wd_inject_build },
    { "telephony", wd_inject_telephony },
    { "settings", wd_inject_settings },
    { "hardware", wd_inject_hardware },
    { "permissions", wd_inject_permissions },
    { "preferences", wd_inject_preferences },
    { "providers", wd_inject_providers },
    { NULL, NULL },
};

static wd_status inject_os(wd_machine *machine, const wd_value *patch, wd_error *error)
{
    if (!wd_value_is(patch, WD_KIND_OBJECT)) {
        return wd_error_set(
            error, WD_ETYPE, "os: an object is wanted, not %s", wd_kind_name(wd_value_kind(patch)));
    }
    wd_status first = wd_inject_airplane(machine, patch);
    if (first != WD_OK) {
        return first;
    }
    for (const struct section *section = sections; section->name != NULL; section++) {
        const wd_value *part = wd_object_get(patch, section->name);
        if (part == NULL || wd_value_is_undefined(part)) {
            continue;
        }
        wd_status status = WD_OK;
        if (wd_value_is(part, WD_KIND_OBJECT)) {
            status = section->inject(machine, part, error);
        } else {
            status = wd_error_set(
                error, WD_ETYPE, "an object is wanted, not %s", wd_kind_name(wd_value_kind(part)));
        }
        if (status != WD_OK) {
            wd_error_prefix(error, "os.%s", section->name);
            return status;
        }
    }
    return WD_OK;
}

// ---- apps -------------------------------------------------------------------------------------------------

static wd_status check_overlay(
    const wd_machine *machine, const char *app, const wd_value *overlay, wd_error *error)
{
    const wd_device_hooks *hooks = machine->hooks;
    if (hooks == NULL || hooks->check_overlay == NULL) {
        return WD_OK;
    }
    return hooks->check_overlay(hooks->context, app, overlay, error);
}

wd_status wd_inject_overlay(wd_machine *machine, const char *app, wd_value **overlay_p, wd_error *error)
{
    if (!wd_value_is(*overlay_p, WD_KIND_OBJECT)) {
        return wd_error_set(error, WD_ETYPE, "apps.%s: an object is wanted", app);
    }
    const wd_value *present = wd_machine_get(machine, WD_AT("apps", app));
    if (present == NULL && wd_package_find(machine, app) == NULL) {
        return wd_error_set(error, WD_ENOENT, "apps.%.80s: not installed", app);
    }
    if (present != NULL && wd_value_same(present, *overlay_p)) {
        return WD_OK;
    }
    wd_status status = check_overlay(machine, app, *overlay_p, error);
    if (status == WD_OK) {
        status = wd_machine_put(machine, WD_AT("apps", app), overlay_p);
    }
    return status != WD_OK ? status : wd_store_touch_app(machine, app);
}

/// An installed app without a store: what is stored of it is patched and stored again at once.
static wd_status inject_storeless(
    wd_machine *machine, const char *app, const wd_value *patch, wd_patch_mode mode, wd_error *error)
{
    wd_value *state = NULL;
    wd_value *merged = NULL;
    wd_status status = wd_store_fallback(machine, app, &state);
    if (status == WD_OK) {
        status = wd_patch_merge(state, patch, mode, &merged, error);
    }
    if (status == WD_OK) {
        status = wd_store_put_state(machine, app, merged);
    }
    wd_value_unref(&merged);
    wd_value_unref(&state);
    return status;
}

static wd_status inject_app(
    wd_machine *machine, const char *app, const wd_value *patch, wd_patch_mode mode, wd_error *error)
{
    const wd_value *overlay = wd_machine_get(machine, WD_AT("apps", app));
    if (overlay == NULL && wd_package_find(machine, app) == NULL) {
        return wd_error_set(error, WD_ENOENT, "not installed");
    }
    if (!wd_value_is(patch, WD_KIND_OBJECT)) {
        return wd_error_set(
            error, WD_ETYPE, "an object is wanted, not %s", wd_kind_name(wd_value_kind(patch)));
    }
    if (overlay == NULL) {
        return inject_storeless(machine, app, patch, mode, error);
    }
    wd_value *merged = NULL;
    wd_status status = wd_patch_merge(overlay, patch, mode, &merged, error);
    if (status == WD_OK) {
        status = wd_inject_overlay(machine, app, &merged, error);
    }
    wd_value_unref(&merged);
    return status;
}

static wd_status inject_apps(
    wd_machine *machine, const wd_value *patches, wd_patch_mode mode, wd_error *error)
{
    if (!wd_value_is(patches, WD_KIND_OBJECT)) {
        return wd_error_set(
            error, WD_ETYPE, "apps: an object is wanted, not %s", wd_kind_name(wd_value_kind(patches)));
    }
    wd_iter iter = wd_iter_start(patches);
    while (wd_iter_next(&iter)) {
        if (wd_value_is_undefined(iter.value)) {
            continue;
        }
        wd_status status = inject_app(machine, iter.key, iter.value, mode, error);
        if (status != WD_OK) {
            wd_error_prefix(error, "apps.%.80s", iter.key);
            return status;
        }
    }
    return WD_OK;
}

wd_status wd_inject(wd_machine *machine, const wd_value *patch, bool deep, wd_error *error)
{
    if (!wd_value_is(patch, WD_KIND_OBJECT)) {
        return wd_error_set(error, WD_ETYPE, "patch: an object is wanted");
    }
    const wd_value *os = wd_object_get(patch, "os");
    const wd_value *apps = wd_object_get(patch, "apps");
    wd_status status = WD_OK;
    if (os != NULL && !wd_value_is_undefined(os)) {
        status = inject_os(machine, os, error);
    }
    if (status == WD_OK && apps != NULL && !wd_value_is_undefined(apps)) {
        status = inject_apps(machine, apps, deep ? WD_PATCH_DEEP : WD_PATCH_SHALLOW, error);
    }
    return status;
}
