/// boot_managers.h - the OS's defaults, as they ship: sim/data/os_defaults.json inside the library.
#ifndef SIM_BOOT_MANAGERS_H
#define SIM_BOOT_MANAGERS_H

#include "machine.h"

extern const char wd_os_defaults_text[];  // NUL-terminated
extern const size_t wd_os_defaults_text_length;

WD_NODISCARD wd_status wd_os_defaults_parse(wd_value **ret_defaults, wd_error *error);
/// Put one store of the defaults where it belongs, os.<store>. It is there.
WD_NODISCARD wd_status wd_boot_store(wd_machine *machine, const wd_value *defaults, const char *store);

#endif
