// The services' stores right after power-on.
#include "boot_managers.h"

#include "services.h"

wd_status wd_boot_services(wd_machine *machine, const wd_device_options *options, wd_error *error)
{
    static const char *const stores[] = { "clipboard", "notifications", "shade", "services", "providers" };
    (void)options;
    wd_value *defaults = NULL;
    wd_status status = wd_os_defaults_parse(&defaults, error);
    for (size_t i = 0; status == WD_OK && i < WD_COUNT_OF(stores); i++) {
        status = wd_boot_store(machine, defaults, stores[i]);
    }
    if (status == WD_OK) {
        status =
            wd_file_system_boot(machine, wd_object_get(wd_object_get(defaults, "fileSystem"), "seed"), error);
    }
    if (status == WD_OK) {
        status = wd_launcher_boot(machine);
    }
    wd_value_unref(&defaults);
    return status;
}
