/// phone.h - a phone of this process, for commands that need no daemon.
#ifndef CTL_PHONE_H
#define CTL_PHONE_H

#include "ctl.h"

#include "sim/phone.h"

typedef struct ctl_phone {
    wd_packs *packs;
    wd_host *host;
    wd_device *device;  // NULL unless booted
} ctl_phone;

/// Load the configured packs; broken ones are told on stderr. @param boot  Boot a device with `seed` as well.
WD_NODISCARD wd_status ctl_phone_open(
    const wd_config *config, bool boot, uint64_t seed, ctl_phone *ret_phone, wd_error *error);
void ctl_phone_close(ctl_phone *phone);

#endif
