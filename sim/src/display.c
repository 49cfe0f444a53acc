#include "managers.h"

wd_status wd_percent_set(wd_machine *machine, const char *field, double percent)
{
    return wd_set_int(machine, WD_SYSTEM(field), wd_clamp_round(percent, 0, 100));
}
