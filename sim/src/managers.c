#include "managers.h"

bool wd_flag(const wd_machine *machine, wd_place place)
{
    return wd_value_bool_or(wd_machine_get(machine, place), false);
}

wd_status wd_set_flag(wd_machine *machine, wd_place place, bool flag)
{
    const wd_value *now = wd_machine_get(machine, place);
    if (wd_value_is(now, WD_KIND_BOOL) && wd_value_as_bool(now) == flag) {
        return WD_OK;
    }
    return wd_machine_put_bool(machine, place, flag);
}

wd_status wd_set_int(wd_machine *machine, wd_place place, int64_t number)
{
    const wd_value *now = wd_machine_get(machine, place);
    if (wd_value_is(now, WD_KIND_INT) && wd_value_as_int(now) == number) {
        return WD_OK;
    }
    return wd_machine_put_int(machine, place, number);
}

wd_status wd_set_value(wd_machine *machine, wd_place place, const wd_value *value)
{
    if (wd_value_equal(wd_machine_get(machine, place), value)) {
        return WD_OK;
    }
    wd_value *copy = wd_value_ref(value);
    return wd_machine_put(machine, place, &copy);
}
