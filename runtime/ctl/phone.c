#include "phone.h"

#include "runtime/packs.h"

wd_status ctl_phone_open(
    const wd_config *config, bool boot, uint64_t seed, ctl_phone *ret_phone, wd_error *error)
{
    ctl_phone phone = { 0 };
    wd_status status = wd_packs_load_list(config->packs, &phone.packs, error);
    if (status == WD_OK) {
        status = wd_host_new(phone.packs, &phone.host, error);
    }
    if (status == WD_OK && boot) {
        status = wd_host_boot(phone.host, seed, &phone.device, error);
    }
    if (status != WD_OK) {
        ctl_phone_close(&phone);
        return status;
    }
    *ret_phone = phone;
    return WD_OK;
}

void ctl_phone_close(ctl_phone *phone)
{
    wd_device_destroy(&phone->device);
    wd_host_destroy(&phone->host);
    wd_packs_unref(&phone->packs);
}
