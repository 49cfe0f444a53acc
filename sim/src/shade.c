// The notification shade and the control centre: one panel, two kinds.
#include "services.h"

#include <string.h>

#define SHADE(key) WD_AT("os", "shade", key)

static bool is_open(const wd_machine *machine)
{
    return wd_value_bool_or(wd_machine_get(machine, SHADE("open")), false);
}

wd_status wd_shade_close(wd_machine *machine)
{
    return is_open(machine) ? wd_machine_put_bool(machine, SHADE("open"), false) : WD_OK;
}

static wd_status open_shade(wd_machine *machine, const char *kind)
{
    wd_status status = wd_keyboard_hide(machine);
    if (status == WD_OK && !is_open(machine)) {
        status = wd_machine_put_bool(machine, SHADE("open"), true);
    }
    if (status == WD_OK && !wd_value_is_text(wd_machine_get(machine, SHADE("kind")), kind)) {
        status = wd_machine_put_text(machine, SHADE("kind"), kind);
    }
    return status;
}

static wd_status arg_kind(const wd_value *args, const char **ret_kind, wd_error *error)
{
    wd_status status = wd_arg_text(args, "kind", ret_kind, error);
    if (status == WD_OK && strcmp(*ret_kind, "notifications") != 0 && strcmp(*ret_kind, "control") != 0) {
        return wd_error_set(error, WD_EINVAL, "kind: notifications or control is needed");
    }
    return status;
}

static wd_status op_open(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    const char *kind = NULL;
    wd_status status = arg_kind(args, &kind, error);
    return status == WD_OK ? open_shade(machine, kind) : status;
}

static wd_status op_toggle(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    const char *kind = NULL;
    wd_status status = arg_kind(args, &kind, error);
    if (status != WD_OK) {
        return status;
    }
    bool shown = is_open(machine) && wd_value_is_text(wd_machine_get(machine, SHADE("kind")), kind);
    return shown ? wd_shade_close(machine) : open_shade(machine, kind);
}

static wd_status op_close(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)args;
    (void)ret_answer;
    (void)error;
    return wd_shade_close(machine);
}

const wd_op wd_ops_shade[] = {
    { "shadeOpen", op_open },
    { "shade.open", op_open },
    { "shadeToggle", op_toggle },
    { "shadeClose", op_close },
    { NULL, NULL },
};
