#include "store.h"

#include "managers.h"

#include "tree/patch.h"

#include <string.h>

#define KEY_OS_STATE "os_state"
#define KEY_CLIPBOARD "os_clipboard_v1"
#define KEY_OVERRIDES "__os_scenario_overrides__"
#define KEY_PROVIDERS "provider_"  // and the provider's name: each has its own key

// Every part of `os`, in the order in which the state shows them (os.md 14). docs/device.md prints this
// table.
static const wd_store_part os_parts[] = {
    { "tasks", WD_LIFETIME_VOLATILE, NULL },
    { "activeTaskId", WD_LIFETIME_VOLATILE, NULL },
    { "isLauncherVisible", WD_LIFETIME_VOLATILE, NULL },
    { "isRecentsVisible", WD_LIFETIME_VOLATILE, NULL },
    { "runningApps", WD_LIFETIME_DERIVED, NULL },
    { "activeAppId", WD_LIFETIME_DERIVED, NULL },
    { "locale", WD_LIFETIME_DERIVED, NULL },
    { "time", WD_LIFETIME_DERIVED, NULL },
    { "location", WD_LIFETIME_DERIVED, NULL },
    { "installedApps", WD_LIFETIME_DERIVED, NULL },
    { "clipboard", WD_LIFETIME_PERSISTENT, KEY_CLIPBOARD },
    { "notifications", WD_LIFETIME_VOLATILE, NULL },
    { "shade", WD_LIFETIME_VOLATILE, NULL },
    { "launcher", WD_LIFETIME_PERSISTENT, "launcher" },
    { "settings", WD_LIFETIME_PERSISTENT, KEY_OS_STATE },
    { "hardware", WD_LIFETIME_PERSISTENT, KEY_OS_STATE },
    { "permissions", WD_LIFETIME_PERSISTENT, KEY_OS_STATE },
    { "preferences", WD_LIFETIME_PERSISTENT, KEY_OS_STATE },
    { "build", WD_LIFETIME_PERSISTENT, KEY_OVERRIDES },
    { "telephony", WD_LIFETIME_PERSISTENT, KEY_OVERRIDES },
    { "services", WD_LIFETIME_VOLATILE, NULL },
    { "providers", WD_LIFETIME_PERSISTENT, KEY_PROVIDERS },
    { "fileSystem", WD_LIFETIME_PERSISTENT, "file_system" },
};

// The members of `sys` that outlive a reload: time goes on, numbers already drawn are not drawn again, what
// managers remember belongs to settings that survive, what is stored stays stored, and the code behind
// registered stores is loaded again. All others are gone.
static const char *const lasting_sys[] = {
    "clock",
    "boot",
    "zone",
    "actionMs",
    "rng",
    "counters",
    "managers",
    "storage",
    "stores",
};

const wd_store_part *wd_store_os_parts(size_t *ret_count)
{
    *ret_count = WD_COUNT_OF(os_parts);
    return os_parts;
}

const char *const *wd_store_lasting_sys(size_t *ret_count)
{
    *ret_count = WD_COUNT_OF(lasting_sys);
    return lasting_sys;
}

uint32_t wd_store_dirty_bits(const char *part)
{
    for (size_t i = 0; i < WD_COUNT_OF(os_parts); i++) {
        if (os_parts[i].name[0] == part[0] && strcmp(os_parts[i].name, part) == 0) {
            return os_parts[i].key != NULL ? UINT32_C(1) << i : 0;
        }
    }
    return 0;
}

// ---- scheduling -------------------------------------------------------------------------------------------

static wd_status delay_key(wd_machine *machine, const char *key)
{
    // Most operations of one moment write the same stores: what is scheduled already stays as it is.
    return wd_set_int(machine, WD_AT("sys", "writes", key), wd_machine_now(machine) + WD_STORE_DELAY_MS);
}

/// Schedule each provider that is not the node it was.
static wd_status delay_providers(wd_machine *machine, const wd_value *before)
{
    wd_value *now = wd_value_ref(wd_machine_get(machine, WD_AT("os", "providers")));
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(now);
    while (status == WD_OK && wd_iter_next(&iter)) {
        if (!wd_value_same(wd_object_get_n(before, iter.key, iter.key_length), iter.value)) {
            wd_value *key = NULL;
            status = wd_value_format(&key, KEY_PROVIDERS "%s", iter.key);
            if (status == WD_OK) {
                status = delay_key(machine, wd_value_as_string(key, NULL));
            }
            wd_value_unref(&key);
        }
    }
    wd_value_unref(&now);
    return status;
}

wd_status wd_store_settle(wd_machine *machine, const wd_value *before)
{
    uint32_t dirty = machine->dirty;
    machine->dirty = 0;
    const wd_value *os_before = wd_object_get(before, "os");
    const char *scheduled = NULL;
    wd_status status = WD_OK;
    for (size_t i = 0; dirty != 0 && i < WD_COUNT_OF(os_parts) && status == WD_OK; i++) {
        uint32_t bit = UINT32_C(1) << i;
        if ((dirty & bit) == 0) {
            continue;
        }
        dirty &= ~bit;
        const wd_store_part *part = &os_parts[i];
        if (scheduled != NULL && strcmp(scheduled, part->key) == 0) {
            continue;
        }
        const wd_value *was = wd_object_get(os_before, part->name);
        const wd_value *is = wd_machine_get(machine, WD_AT("os", part->name));
        if (was != NULL && is != NULL && wd_value_same(was, is)) {
            continue;
        }
        if (strcmp(part->key, KEY_PROVIDERS) == 0) {
            status = delay_providers(machine, was);
            continue;
        }
        scheduled = part->key;
        status = delay_key(machine, part->key);
        if (status == WD_OK && strcmp(part->key, KEY_OVERRIDES) == 0) {
            status = wd_store_flush(machine, part->key);  // overrides are stored at once (os.md 8)
        }
    }
    return status;
}

wd_status wd_store_touch_app(wd_machine *machine, const char *app)
{
    const wd_value *spec = wd_machine_get(machine, WD_AT("sys", "stores", app));
    if (wd_value_int_or(wd_object_get(spec, "keep"), WD_KEEP_NO_TEMP) == WD_KEEP_NOTHING) {
        return WD_OK;
    }
    return delay_key(machine, wd_value_string_or(wd_object_get(spec, "key"), app));
}

wd_status wd_store_delay_text(wd_machine *machine, const char *key, const char *text)
{
    wd_value *write = NULL;
    wd_status status =
        wd_value_pack(&write, "{s:i,s:s}", "due", wd_machine_now(machine) + WD_STORE_DELAY_MS, "text", text);
    return status != WD_OK ? status : wd_machine_put(machine, WD_AT("sys", "writes", key), &write);
}

static int64_t write_due_ms(const wd_value *write)
{
    return wd_value_int_or(wd_value_is(write, WD_KIND_OBJECT) ? wd_object_get(write, "due") : write, 0);
}

int64_t wd_store_due_ms(const wd_machine *machine)
{
    int64_t due = INT64_MAX;
    wd_iter iter = wd_iter_start(wd_machine_get(machine, WD_AT("sys", "writes")));
    while (wd_iter_next(&iter)) {
        int64_t at = write_due_ms(iter.value);
        due = at < due ? at : due;
    }
    return due;
}

// ---- saving -----------------------------------------------------------------------------------------------

wd_status wd_store_put_text(wd_machine *machine, const char *key, const char *text)
{
    wd_status status = wd_machine_drop(machine, WD_AT("sys", "writes", key));
    return status != WD_OK ? status : wd_machine_put_text(machine, WD_AT("sys", "storage", key), text);
}

wd_status wd_store_put_state(wd_machine *machine, const char *key, const wd_value *state)
{
    wd_value *form = NULL;
    wd_status status = wd_value_pack(&form, "{s:v,s:i}", "state", state, "version", INT64_C(0));
    return status != WD_OK ? status : wd_machine_put(machine, WD_AT("sys", "storage", key), &form);
}

/// What a key of the table above keeps: the part itself, or an object of all parts that share the key.
static wd_status kept_os_state(const wd_machine *machine, const char *key, wd_value **ret_state)
{
    const wd_value *single = NULL;
    size_t count = 0;
    wd_value *together = wd_value_object();
    wd_status status = WD_OK;
    for (size_t i = 0; i < WD_COUNT_OF(os_parts) && status == WD_OK; i++) {
        if (os_parts[i].key == NULL || strcmp(os_parts[i].key, key) != 0) {
            continue;
        }
        count++;
        single = wd_machine_get(machine, WD_AT("os", os_parts[i].name));
        if (single != NULL) {
            wd_value *part = wd_value_ref(single);
            status = wd_object_set(&together, os_parts[i].name, &part);
            wd_value_unref(&part);
        }
    }
    if (status == WD_OK && count == 1) {
        wd_value_unref(&together);
        together = wd_value_ref(single);
    } else if (status != WD_OK || count == 0) {
        wd_value_unref(&together);
    }
    *ret_state = together;
    return status;
}

static wd_status kept_state(const wd_machine *machine, const char *key, wd_value **ret_state)
{
    size_t prefix = strlen(KEY_PROVIDERS);
    if (strncmp(key, KEY_PROVIDERS, prefix) == 0) {
        const wd_value *provider = wd_machine_get(machine, WD_AT("os", "providers", key + prefix));
        if (provider != NULL) {
            *ret_state = wd_value_ref(provider);
            return WD_OK;
        }
    }
    wd_status status = kept_os_state(machine, key, ret_state);
    if (status != WD_OK || *ret_state != NULL) {
        return status;
    }
    return wd_store_kept_state(machine, key, ret_state);
}

/// Save what is pending for one key and forget the write.
static wd_status save(wd_machine *machine, const char *key, const wd_value *write)
{
    const wd_value *text = wd_object_get(write, "text");
    const wd_value *held = wd_object_get(write, "state");
    wd_status status;
    if (text != NULL) {
        wd_value *copy = wd_value_ref(text);
        status = wd_machine_put(machine, WD_AT("sys", "storage", key), &copy);
    } else if (held != NULL) {
        status = wd_store_put_state(machine, key, held);
    } else {
        wd_value *state = NULL;
        status = kept_state(machine, key, &state);
        if (status == WD_OK && state != NULL) {
            status = wd_store_put_state(machine, key, state);
        }
        wd_value_unref(&state);
    }
    return status != WD_OK ? status : wd_machine_drop(machine, WD_AT("sys", "writes", key));
}

/// Save the writes that are due at `until`, in the order in which they were scheduled.
static wd_status save_until(wd_machine *machine, int64_t until)
{
    wd_value *writes = wd_value_ref(wd_machine_get(machine, WD_AT("sys", "writes")));
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(writes);
    while (status == WD_OK && wd_iter_next(&iter)) {
        if (write_due_ms(iter.value) <= until) {
            status = save(machine, iter.key, iter.value);
        }
    }
    wd_value_unref(&writes);
    return status;
}

wd_status wd_store_run_due(wd_machine *machine)
{
    return save_until(machine, wd_machine_now(machine));
}

wd_status wd_store_flush(wd_machine *machine, const char *key)
{
    if (key == NULL) {
        return save_until(machine, INT64_MAX);
    }
    wd_value *write = wd_value_ref(wd_machine_get(machine, WD_AT("sys", "writes", key)));
    wd_status status = write != NULL ? save(machine, key, write) : WD_OK;
    wd_value_unref(&write);
    return status;
}

wd_status wd_store_hold_pending(wd_machine *machine, const char *key)
{
    const wd_value *write = wd_machine_get(machine, WD_AT("sys", "writes", key));
    if (!wd_value_is(write, WD_KIND_INT)) {
        return WD_OK;  // nothing pending, or held already
    }
    int64_t due = wd_value_as_int(write);
    wd_value *state = NULL;
    wd_value *held = NULL;
    wd_status status = kept_state(machine, key, &state);
    if (status == WD_OK && state != NULL) {
        status = wd_value_pack(&held, "{s:i,s:v}", "due", due, "state", state);
        if (status == WD_OK) {
            status = wd_machine_put(machine, WD_AT("sys", "writes", key), &held);
        }
    }
    wd_value_unref(&state);
    return status;
}

wd_status wd_store_cancel(wd_machine *machine, const char *key)
{
    if (key != NULL) {
        return wd_machine_drop(machine, WD_AT("sys", "writes", key));
    }
    wd_value *none = wd_value_object();
    return wd_machine_put(machine, WD_AT("sys", "writes"), &none);
}

// ---- reading ----------------------------------------------------------------------------------------------

wd_status wd_store_text(const wd_machine *machine, const char *key, wd_buffer *buffer)
{
    const wd_value *form = wd_machine_get(machine, WD_AT("sys", "storage", key));
    if (form == NULL) {
        return WD_ENOENT;
    }
    if (wd_value_is(form, WD_KIND_STRING)) {
        size_t length = 0;
        const char *text = wd_value_as_string(form, &length);
        return wd_buffer_append(buffer, text, length);
    }
    return wd_json_write(form, WD_JSON_COMPACT, buffer);
}

/// The form stored under `key`, text parsed; NULL when there is none or it is broken. New reference.
static wd_status stored_form(const wd_machine *machine, const char *key, wd_value **ret_form)
{
    const wd_value *form = wd_machine_get(machine, WD_AT("sys", "storage", key));
    *ret_form = NULL;
    if (!wd_value_is(form, WD_KIND_STRING)) {
        *ret_form = wd_value_ref(form);
        return WD_OK;
    }
    size_t length = 0;
    const char *text = wd_value_as_string(form, &length);
    wd_status status = wd_json_parse(text, length, ret_form, NULL);
    return status == WD_ENOMEM ? status : WD_OK;
}

wd_status wd_store_fallback(const wd_machine *machine, const char *key, wd_value **ret_state)
{
    wd_value *form = NULL;
    wd_status status = stored_form(machine, key, &form);
    *ret_state = NULL;
    if (status == WD_OK && wd_value_is(form, WD_KIND_OBJECT)) {
        const wd_value *state = wd_object_get(form, "state");
        if (state == NULL) {
            *ret_state = wd_value_ref(form);
        } else if (wd_value_is(state, WD_KIND_OBJECT)) {
            *ret_state = wd_value_ref(state);
        }
    }
    wd_value_unref(&form);
    return status;
}

wd_status wd_store_hydrate(const wd_machine *machine, const char *key, const wd_value *initial,
    wd_value **ret_state, bool *ret_loaded)
{
    wd_value *form = NULL;
    wd_status status = stored_form(machine, key, &form);
    if (status != WD_OK) {
        return status;
    }
    wd_value *state = NULL;
    *ret_loaded = form != NULL || wd_machine_get(machine, WD_AT("sys", "storage", key)) == NULL;
    const wd_value *stored = wd_object_get(form, "state");
    if (wd_value_is(stored, WD_KIND_OBJECT) && wd_value_int_or(wd_object_get(form, "version"), 0) == 0) {
        status = wd_patch_merge(initial, stored, WD_PATCH_SHALLOW, &state, NULL);
    } else {
        state = wd_value_ref(initial);
    }
    wd_value_unref(&form);
    if (status == WD_OK) {
        *ret_state = state;
    }
    return status;
}
