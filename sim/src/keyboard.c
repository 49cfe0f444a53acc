// The soft keyboard's service.
#include "services.h"

#include <string.h>

enum { HEIGHT_SHOWN = 320 };

#define KEYBOARD(key) WD_AT("os", "services", "keyboard", key)

static wd_status announce(wd_machine *machine)
{
    wd_value *extras = wd_value_ref(wd_machine_get(machine, WD_AT("os", "services", "keyboard")));
    return wd_machine_broadcast(machine, "os.intent.action.KEYBOARD_CHANGED", &extras);
}

static bool is_visible(const wd_machine *machine)
{
    return wd_value_bool_or(wd_machine_get(machine, KEYBOARD("visible")), false);
}

static wd_status set_visible(wd_machine *machine, bool visible)
{
    if (is_visible(machine) == visible) {
        return WD_OK;
    }
    wd_status status = wd_machine_put_bool(machine, KEYBOARD("visible"), visible);
    if (status == WD_OK) {
        status = wd_machine_put_int(machine, KEYBOARD("height"), visible ? HEIGHT_SHOWN : 0);
    }
    return status == WD_OK ? announce(machine) : status;
}

wd_status wd_keyboard_hide(wd_machine *machine)
{
    return set_visible(machine, false);
}

static wd_status op_show(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)args;
    (void)ret_answer;
    (void)error;
    return set_visible(machine, true);
}

static wd_status op_hide(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)args;
    (void)ret_answer;
    (void)error;
    return set_visible(machine, false);
}

/// Write one member and tell, when it is different.
static wd_status set_member(wd_machine *machine, const char *key, const wd_value *value)
{
    if (wd_value_equal(wd_machine_get(machine, KEYBOARD(key)), value)) {
        return WD_OK;
    }
    wd_value *copy = wd_value_ref(value);
    wd_status status = wd_machine_put(machine, KEYBOARD(key), &copy);
    return status == WD_OK ? announce(machine) : status;
}

static wd_status op_height(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    const wd_value *height = wd_object_get(args, "v");
    return wd_value_is_number(height) ? set_member(machine, "height", height)
                                      : wd_error_set(error, WD_ETYPE, "v: a number is needed");
}

static wd_status op_mode(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    const char *mode = NULL;
    wd_status status = wd_arg_text(args, "v", &mode, error);
    if (status == WD_OK && strcmp(mode, "en") != 0 && strcmp(mode, "zh") != 0) {
        return wd_error_set(error, WD_EINVAL, "v: en or zh is needed");
    }
    return status == WD_OK ? set_member(machine, "mode", wd_object_get(args, "v")) : status;
}

static wd_status op_toggle(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)args;
    (void)ret_answer;
    (void)error;
    wd_value *other = NULL;
    bool english = wd_value_is_text(wd_machine_get(machine, KEYBOARD("mode")), "en");
    wd_status status = wd_value_text(english ? "zh" : "en", &other);
    if (status == WD_OK) {
        status = set_member(machine, "mode", other);
    }
    wd_value_unref(&other);
    return status;
}

const wd_op wd_ops_keyboard[] = {
    { "kbShow", op_show },
    { "keyboard.show", op_show },
    { "kbHide", op_hide },
    { "kbHeight", op_height },
    { "kbMode", op_mode },
    { "kbToggle", op_toggle },
    { NULL, NULL },
};
