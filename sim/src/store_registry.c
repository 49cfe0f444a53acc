/// store_registry.c - stores registered beside those of the packs: sys.stores is {id: {key, initial, pick?,
/// keep, app, service, provider, note, state?}}. An app store's state is apps.<id>, so that state and inject
/// know no difference.
#include "store.h"

#include "tree/patch.h"

#include <string.h>

static bool spec_flag(const wd_value *spec, const char *name)
{
    return wd_value_bool_or(wd_object_get(spec, name), false);
}

wd_status wd_store_without_temp(const wd_value *state, wd_value **ret_state)
{
    wd_value *kept = wd_value_ref(state);
    wd_status status = wd_object_get(state, "_temp") != NULL ? wd_object_remove(&kept, "_temp") : WD_OK;
    if (status != WD_OK) {
        wd_value_unref(&kept);
        return status;
    }
    *ret_state = kept;
    return WD_OK;
}

static wd_status pick_members(const wd_value *state, const wd_value *pick, wd_value **ret_state)
{
    wd_value *kept = wd_value_object();
    wd_status status = WD_OK;
    size_t count = wd_array_count(pick);
    for (size_t i = 0; i < count && status == WD_OK; i++) {
        const char *name = wd_value_string_or(wd_array_at(pick, i), "");
        wd_value *member = wd_value_ref(wd_object_get(state, name));
        if (member != NULL) {
            status = wd_object_set(&kept, name, &member);
        }
        wd_value_unref(&member);
    }
    if (status != WD_OK) {
        wd_value_unref(&kept);
        return status;
    }
    *ret_state = kept;
    return WD_OK;
}

/// What is written of `state` by the rule of `spec` (NULL: an app pack's).
static wd_status kept_by(const wd_value *spec, const wd_value *state, wd_value **ret_state)
{
    switch ((wd_store_keep)wd_value_int_or(wd_object_get(spec, "keep"), WD_KEEP_NO_TEMP)) {
    case WD_KEEP_ALL:
        *ret_state = wd_value_ref(state);
        return WD_OK;
    case WD_KEEP_NO_TEMP:
        return wd_store_without_temp(state, ret_state);
    case WD_KEEP_PICKED:
        return pick_members(state, wd_object_get(spec, "pick"), ret_state);
    case WD_KEEP_NOTHING:
        break;
    }
    *ret_state = NULL;
    return WD_OK;
}

const wd_value *wd_store_state(const wd_machine *machine, const char *id)
{
    const wd_value *spec = wd_machine_get(machine, WD_AT("sys", "stores", id));
    if (spec != NULL && !spec_flag(spec, "app")) {
        return wd_object_get(spec, "state");
    }
    return wd_machine_get(machine, WD_AT("apps", id));
}

static wd_status put_state(wd_machine *machine, const char *id, wd_value **state_p)
{
    const wd_value *spec = wd_machine_get(machine, WD_AT("sys", "stores", id));
    if (spec != NULL && !spec_flag(spec, "app")) {
        return wd_machine_put(machine, WD_AT("sys", "stores", id, "state"), state_p);
    }
    return wd_machine_put(machine, WD_AT("apps", id), state_p);
}

wd_status wd_store_kept_state(const wd_machine *machine, const char *key, wd_value **ret_state)
{
    *ret_state = NULL;
    wd_iter iter = wd_iter_start(wd_machine_get(machine, WD_AT("sys", "stores")));
    while (wd_iter_next(&iter)) {
        if (wd_value_is_text(wd_object_get(iter.value, "key"), key)) {
            return kept_by(iter.value, wd_store_state(machine, iter.key), ret_state);
        }
    }
    const wd_value *overlay = wd_machine_get(machine, WD_AT("apps", key));
    return overlay != NULL ? kept_by(NULL, overlay, ret_state) : WD_OK;
}

/// Give a store the state it starts with: the initial one, with the stored one over it when it keeps any.
static wd_status load(wd_machine *machine, const char *id, const wd_value *spec, bool hydrate)
{
    const wd_value *initial = wd_object_get(spec, "initial");
    bool keeps = wd_value_int_or(wd_object_get(spec, "keep"), WD_KEEP_ALL) != WD_KEEP_NOTHING;
    bool loaded = true;
    wd_value *state = NULL;
    wd_status status = WD_OK;
    if (hydrate && keeps) {
        const char *key = wd_value_string_or(wd_object_get(spec, "key"), id);
        status = wd_store_hydrate(machine, key, initial, &state, &loaded);
    } else {
        state = wd_value_ref(initial);
    }
    if (status == WD_OK) {
        status = put_state(machine, id, &state);
    }
    if (status == WD_OK && hydrate && loaded && spec_flag(spec, "note")) {
        wd_value *hydrated = wd_value_ref(wd_machine_get(machine, WD_AT("sys", "hydrated")));
        wd_value *name = NULL;
        hydrated = hydrated != NULL ? hydrated : wd_value_array();
        status = wd_value_text(id, &name);
        if (status == WD_OK) {
            status = wd_array_append(&hydrated, &name);
        }
        if (status == WD_OK) {
            status = wd_machine_put(machine, WD_AT("sys", "hydrated"), &hydrated);
        }
        wd_value_unref(&name);
        wd_value_unref(&hydrated);
    }
    return status;
}

wd_status wd_store_register(wd_machine *machine, const wd_store_spec *spec, wd_error *error)
{
    const char *key = spec->key != NULL ? spec->key : spec->id;
    if (spec->id[0] == '\0' || strlen(spec->id) > WD_STORE_KEY_MAX || strlen(key) > WD_STORE_KEY_MAX) {
        return wd_error_set(error, WD_EINVAL, "id: empty or longer than %d bytes", WD_STORE_KEY_MAX);
    }
    if (!wd_value_is(spec->initial, WD_KIND_OBJECT)) {
        return wd_error_set(error, WD_ETYPE, "initial: an object is wanted");
    }
    const wd_value *stores = wd_machine_get(machine, WD_AT("sys", "stores"));
    if (wd_object_get(stores, spec->id) == NULL && wd_object_count(stores) >= WD_STORE_REGISTERED_MAX) {
        return wd_error_set(error, WD_ELIMIT, "id: %d stores are registered", WD_STORE_REGISTERED_MAX);
    }
    wd_value *row = NULL;
    wd_status status = wd_store_hold_pending(machine, key);  // what the earlier store wanted saved stays so
    if (status != WD_OK) {
        return status;
    }
    status = wd_value_pack(&row, "{s:s,s:v,s:?v,s:i,s:b,s:b,s:b,s:b}", "key", key, "initial", spec->initial,
        "pick", spec->pick, "keep", (int64_t)spec->keep, "app", (int)spec->is_app, "service",
        (int)spec->is_service, "provider", (int)spec->is_provider, "note", (int)spec->note_loaded);
    wd_value *held = wd_value_ref(row);
    if (status == WD_OK) {
        status = wd_machine_put(machine, WD_AT("sys", "stores", spec->id), &row);
    }
    if (status == WD_OK) {
        status = load(machine, spec->id, held, true);
    }
    wd_value_unref(&held);
    return status;
}

wd_status wd_store_set(wd_machine *machine, const char *id, const wd_value *members, wd_error *error)
{
    const wd_value *state = wd_store_state(machine, id);
    if (state == NULL) {
        return wd_error_set(error, WD_ENOENT, "id: no store is called %s", id);
    }
    if (!wd_value_is(members, WD_KIND_OBJECT)) {
        return wd_error_set(error, WD_ETYPE, "v: an object is wanted");
    }
    wd_value *next = NULL;
    wd_status status = wd_patch_merge(state, members, WD_PATCH_SHALLOW, &next, error);
    if (status == WD_OK) {
        status = put_state(machine, id, &next);
    }
    return status != WD_OK ? status : wd_store_touch_app(machine, id);
}

wd_status wd_store_reset_apps(wd_machine *machine, const wd_value *boot)
{
    const wd_value *initials = wd_object_get(boot, "apps");
    wd_value *apps = wd_value_ref(wd_machine_get(machine, WD_AT("apps")));
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(apps);
    while (status == WD_OK && wd_iter_next(&iter)) {
        const wd_value *spec = wd_machine_get(machine, WD_AT("sys", "stores", iter.key));
        const wd_value *initial =
            spec != NULL ? wd_object_get(spec, "initial") : wd_object_get(initials, iter.key);
        if (initial == NULL) {
            continue;
        }
        wd_value *state = wd_value_ref(initial);
        status = wd_machine_put(machine, WD_AT("apps", iter.key), &state);
        if (status == WD_OK) {
            status = wd_store_touch_app(machine, iter.key);
        }
    }
    wd_value_unref(&apps);
    return status;
}

wd_status wd_store_reset_services(wd_machine *machine)
{
    wd_value *stores = wd_value_ref(wd_machine_get(machine, WD_AT("sys", "stores")));
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(stores);
    while (status == WD_OK && wd_iter_next(&iter)) {
        if (!spec_flag(iter.value, "app")) {
            status = load(machine, iter.key, iter.value, false);
            if (status == WD_OK) {
                status = wd_store_touch_app(machine, iter.key);
            }
        }
    }
    wd_value_unref(&stores);
    return status;
}

wd_status wd_store_reinstate(wd_machine *machine, const wd_value *stores, bool hydrate)
{
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(stores);
    while (status == WD_OK && wd_iter_next(&iter)) {
        wd_value *row = wd_value_ref(iter.value);
        status = wd_machine_put(machine, WD_AT("sys", "stores", iter.key), &row);
        if (status == WD_OK) {
            status = load(machine, iter.key, iter.value, hydrate);
        }
    }
    return status;
}
