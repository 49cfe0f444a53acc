#include "control_args.h"

wd_status wd_verb_text(const wd_value *args, const char *name, const char **ret_text, wd_error *error)
{
    const wd_value *arg = wd_object_get(args, name);
    *ret_text = wd_value_string_or(arg, NULL);
    return arg == NULL || *ret_text != NULL ? WD_OK
                                            : wd_error_set(error, WD_ETYPE, "args.%s: must be a text", name);
}

wd_status wd_verb_needed_text(const wd_value *args, const char *name, const char **ret_text, wd_error *error)
{
    wd_status status = wd_verb_text(args, name, ret_text, error);
    return status == WD_OK && *ret_text == NULL ? wd_error_set(error, WD_EINVAL, "args.%s: missing", name)
                                                : status;
}

wd_status wd_verb_number(const wd_value *args, const char *where, const char *name, uint32_t maximum,
    uint32_t *field, wd_error *error)
{
    const wd_value *arg = wd_object_get(args, name);
    if (arg == NULL) {
        return WD_OK;
    }
    int64_t number = wd_value_int_or(arg, -1);
    if (number < 0 || number > maximum) {
        return wd_error_set(
            error, WD_EINVAL, "%s.%s: must be a whole number from 0 to %u", where, name, maximum);
    }
    *field = (uint32_t)number;
    return WD_OK;
}

wd_status wd_verb_flag(
    const wd_value *args, const char *where, const char *name, bool *field, wd_error *error)
{
    const wd_value *arg = wd_object_get(args, name);
    if (arg == NULL) {
        return WD_OK;
    }
    if (!wd_value_is(arg, WD_KIND_BOOL)) {
        return wd_error_set(error, WD_ETYPE, "%s.%s: must be true or false", where, name);
    }
    *field = wd_value_as_bool(arg);
    return WD_OK;
}
