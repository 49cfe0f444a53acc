/// reset.c - factory reset and reload (os.md 15, D15, D17). Both begin with the root after boot, so nothing
/// that was written since can be left behind by mistake; a reload then puts back what persistent stores have
/// kept.
#include "device_struct.h"

#include "store.h"

#include <string.h>

/// The whole documented order in one swap: app stores, services, providers, OS state, tasks, chooser,
/// dialogs, counters and memories, file system, pending writes and storage. The swap is the guard too: a
/// write that was pending, or that anybody attempts before the swap, goes with the old root. What is
/// registered stays registered, as packs do, in its initial state. Then BOOT_COMPLETED, to the receivers
/// there are after boot.
wd_status wd_reset(wd_machine *machine, const wd_value *boot)
{
    wd_value *stores = wd_value_ref(wd_machine_get(machine, WD_AT("sys", "stores")));
    wd_value *loaded = wd_value_ref(wd_machine_get(machine, WD_AT("sys", "hydrated")));
    wd_value_unref(&machine->root);
    machine->root = wd_value_ref(boot);
    machine->dirty = 0;
    machine->replaced = true;
    wd_status status = wd_store_reinstate(machine, stores, false);
    if (status == WD_OK && loaded != NULL) {
        status = wd_machine_put(machine, WD_AT("sys", "hydrated"), &loaded);
    }
    wd_value_unref(&loaded);
    wd_value_unref(&stores);
    wd_value *extras = NULL;
    if (status == WD_OK) {
        status = wd_value_pack(&extras, "{s:i}", "now", wd_machine_now(machine));
    }
    if (status == WD_OK) {
        status = wd_machine_broadcast(machine, "android.intent.action.BOOT_COMPLETED", &extras);
    }
    return status;
}

// ---- reload -----------------------------------------------------------------------------------------------

/// A state that was saved here is whole but for `_temp`: it comes back as it was, removed members stay
/// removed.
static wd_status whole_state(const wd_value *saved, const wd_value *initial, wd_value **ret_state)
{
    wd_value *state = wd_value_ref(saved);
    wd_value *temp = wd_value_ref(wd_object_get(initial, "_temp"));
    wd_status status = temp != NULL ? wd_object_set(&state, "_temp", &temp) : WD_OK;
    wd_value_unref(&temp);
    if (status != WD_OK) {
        wd_value_unref(&state);
        return status;
    }
    *ret_state = state;
    return WD_OK;
}

/// Load what is stored under `key` into `place`. A text, which a third party put there, is laid over the
/// initial state.
static wd_status hydrate_place(wd_machine *machine, const char *key, wd_place place)
{
    const wd_value *form = wd_machine_get(machine, WD_AT("sys", "storage", key));
    if (form == NULL) {
        return WD_OK;
    }
    wd_value *initial = wd_value_ref(wd_machine_get(machine, place));
    if (!wd_value_is(initial, WD_KIND_OBJECT)) {  // null until something is stored
        wd_value_unref(&initial);
        initial = wd_value_object();
    }
    wd_value *state = NULL;
    bool loaded = false;
    const wd_value *saved = wd_object_get(form, "state");
    wd_status status = wd_value_is(saved, WD_KIND_OBJECT)
                           ? whole_state(saved, initial, &state)
                           : wd_store_hydrate(machine, key, initial, &state, &loaded);
    if (status == WD_OK) {
        status = wd_machine_put(machine, place, &state);
    }
    wd_value_unref(&state);
    wd_value_unref(&initial);
    return status;
}

/// A part of `os` that shares its key with others: the member of that name replaces it.
static wd_status hydrate_shared(wd_machine *machine, const wd_store_part *part)
{
    wd_value *state = NULL;
    wd_status status = wd_store_fallback(machine, part->key, &state);
    wd_value *member = wd_value_ref(wd_object_get(state, part->name));
    if (status == WD_OK && wd_value_is(member, WD_KIND_OBJECT)) {
        status = wd_machine_put(machine, WD_AT("os", part->name), &member);
    }
    wd_value_unref(&member);
    wd_value_unref(&state);
    return status;
}

static wd_status hydrate_providers(wd_machine *machine)
{
    static const char prefix[] = "provider_";
    wd_value *storage = wd_value_ref(wd_machine_get(machine, WD_AT("sys", "storage")));
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(storage);
    while (status == WD_OK && wd_iter_next(&iter)) {
        const char *name = iter.key + strlen(prefix);
        if (strncmp(iter.key, prefix, strlen(prefix)) == 0 &&
            wd_machine_get(machine, WD_AT("os", "providers", name)) != NULL) {
            status = hydrate_place(machine, iter.key, WD_AT("os", "providers", name));
        }
    }
    wd_value_unref(&storage);
    return status;
}

static bool key_is_shared(const wd_store_part *parts, size_t count, const char *key)
{
    size_t users = 0;
    for (size_t i = 0; i < count; i++) {
        users += parts[i].key != NULL && strcmp(parts[i].key, key) == 0;
    }
    return users > 1;
}

static wd_status hydrate_os(wd_machine *machine)
{
    size_t count = 0;
    const wd_store_part *parts = wd_store_os_parts(&count);
    wd_status status = WD_OK;
    for (size_t i = 0; i < count && status == WD_OK; i++) {
        if (parts[i].key == NULL) {
            continue;
        }
        if (strcmp(parts[i].name, "providers") == 0) {
            status = hydrate_providers(machine);
        } else if (key_is_shared(parts, count, parts[i].key)) {
            status = hydrate_shared(machine, &parts[i]);
        } else {
            status = hydrate_place(machine, parts[i].key, WD_AT("os", parts[i].name));
        }
    }
    return status;
}

static wd_status hydrate_apps(wd_machine *machine)
{
    wd_value *apps = wd_value_ref(wd_machine_get(machine, WD_AT("apps")));
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(apps);
    while (status == WD_OK && wd_iter_next(&iter)) {
        status = hydrate_place(machine, iter.key, WD_AT("apps", iter.key));
    }
    wd_value_unref(&apps);
    return status;
}

static wd_status keep_lasting(wd_machine *machine, const wd_value *old_sys)
{
    size_t count = 0;
    const char *const *names = wd_store_lasting_sys(&count);
    wd_status status = WD_OK;
    for (size_t i = 0; i < count && status == WD_OK; i++) {
        wd_value *member = wd_value_ref(wd_object_get(old_sys, names[i]));
        if (member != NULL) {
            status = wd_machine_put(machine, WD_AT("sys", names[i]), &member);
        }
    }
    return status;
}

wd_status wd_reload(wd_machine *machine, const wd_value *boot)
{
    wd_status status = wd_store_flush(machine, NULL);
    if (status != WD_OK) {
        return status;
    }
    wd_value *old_sys = wd_value_ref(wd_machine_get(machine, WD_AT("sys")));
    wd_value_unref(&machine->root);
    machine->root = wd_value_ref(boot);
    machine->replaced = true;
    status = keep_lasting(machine, old_sys);
    if (status == WD_OK) {
        status = hydrate_os(machine);
    }
    if (status == WD_OK) {
        status = hydrate_apps(machine);
    }
    if (status == WD_OK) {
        status = wd_store_reinstate(machine, wd_object_get(old_sys, "stores"), true);
    }
    if (status == WD_OK) {
        status = wd_manager_reloaded(machine);
    }
    wd_value_unref(&old_sys);
    machine->dirty = 0;
    return status;
}
