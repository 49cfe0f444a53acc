/// control_args.h - arguments of verbs, read by name; an error names the argument.
#ifndef RUNTIME_CONTROL_ARGS_H
#define RUNTIME_CONTROL_ARGS_H

#include "tree/value.h"

/// A text; NULL when absent. @retval WD_ETYPE.
WD_NODISCARD wd_status wd_verb_text(
    const wd_value *args, const char *name, const char **ret_text, wd_error *error);
/// The same, and it must be there. @retval WD_EINVAL.
WD_NODISCARD wd_status wd_verb_needed_text(
    const wd_value *args, const char *name, const char **ret_text, wd_error *error);
/// *field stays when absent. `where` is what the error calls the object: "args", "args.options".
WD_NODISCARD wd_status wd_verb_number(const wd_value *args, const char *where, const char *name,
    uint32_t maximum, uint32_t *field, wd_error *error);
WD_NODISCARD wd_status wd_verb_flag(
    const wd_value *args, const char *where, const char *name, bool *field, wd_error *error);

#endif
