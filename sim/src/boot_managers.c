// The managers' stores right after power-on, from sim/data/os_defaults.json.
#include "boot_managers.h"

#include "preference.h"
#include "services.h"

#include "tree/patch.h"

wd_status wd_os_defaults_parse(wd_value **ret_defaults, wd_error *error)
{
    return wd_json_parse(wd_os_defaults_text, wd_os_defaults_text_length, ret_defaults, error);
}

wd_status wd_boot_store(wd_machine *machine, const wd_value *defaults, const char *store)
{
    wd_value *value = wd_value_ref(wd_object_get(defaults, store));
    wd_assert(value != NULL);
    return wd_machine_put(machine, WD_AT("os", store), &value);
}

/// What managers remember. Quick settings reset to the defaults of this device, so a pack's are laid over
/// ours.
static wd_status boot_memories(
    wd_machine *machine, const wd_value *defaults, const wd_device_options *options, wd_error *error)
{
    const wd_value *ours = wd_object_get(wd_object_get(defaults, "settings"), "global");
    const wd_value *theirs = wd_object_get(wd_object_get(options->os_defaults, "settings"), "global");
    wd_value *global = NULL, *memories = NULL;
    wd_status status = WD_OK;
    if (theirs != NULL) {
        status = wd_patch_merge(ours, theirs, WD_PATCH_DEEP, &global, error);
    } else {
        global = wd_value_ref(ours);
    }
    if (status == WD_OK) {
        status = wd_value_pack(&memories, "{s:V}", "globalDefaults", global);
    }
    return status == WD_OK ? wd_machine_put(machine, WD_AT("sys", "managers"), &memories) : status;
}

wd_status wd_boot_managers(wd_machine *machine, const wd_device_options *options, wd_error *error)
{
    static const char *const stores[] = { "settings", "hardware", "permissions", "preferences", "build",
        "telephony" };
    wd_value *defaults = NULL;
    wd_status status = wd_os_defaults_parse(&defaults, error);
    for (size_t i = 0; status == WD_OK && i < WD_COUNT_OF(stores); i++) {
        status = wd_boot_store(machine, defaults, stores[i]);
    }
    if (status == WD_OK) {
        status = boot_memories(machine, defaults, options, error);
    }
    if (status == WD_OK) {
        wd_value *list = wd_value_ref(wd_machine_get(machine, WD_HARDWARE("nearbyWifi")));
        status = wd_wifi_default_passwords(machine, list);
        wd_value_unref(&list);
    }
    wd_value_unref(&defaults);
    return status;
}

wd_status wd_manager_reloaded(wd_machine *machine)
{
    wd_status status = wd_clipboard_adopt(machine);
    return status == WD_OK ? wd_preference_adopt(machine) : status;
}
