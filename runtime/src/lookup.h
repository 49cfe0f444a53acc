/// lookup.h - reading a state for a task: by path, where "not there" and "memory is out" are told apart so that no task
/// fails for want of memory, and through the views of apps.
#ifndef RUNTIME_LOOKUP_H
#define RUNTIME_LOOKUP_H

#include "sim/phone.h"
#include "tree/path.h"

#include <string.h>

/// What `text` leads to in `root`, borrowed; NULL: nothing, or the text is malformed. @retval WD_ENOMEM.
static inline wd_status wd_lookup(const wd_value *root, const char *text, const wd_value **ret_found)
{
    wd_path *path = NULL;
    *ret_found = NULL;
    wd_status status = wd_path_parse(text, strlen(text), &path, NULL);
    if (status == WD_OK && root != NULL) {
        *ret_found = wd_path_get(path, root, false);
    }
    wd_path_destroy(&path);
    return status == WD_ENOMEM ? status : WD_OK;
}

/// What the view {"app", "name", "args"?} shows of a state. @param host  NULL: there are no apps, WD_EUNSUPPORTED.
static inline wd_status wd_lookup_view(
    wd_host *host, const wd_value *view, const wd_value *state, wd_value **ret_found, wd_error *error)
{
    const char *app = wd_value_string_or(wd_object_get(view, "app"), NULL);
    const char *name = wd_value_string_or(wd_object_get(view, "name"), NULL);
    if (host == NULL) {
        return wd_error_set(error, WD_EUNSUPPORTED, "view: there are no apps here");
    }
    if (app == NULL || name == NULL) {
        return wd_error_set(error, WD_EINVAL, "view: wants \"app\" and \"name\"");
    }
    wd_value *none = wd_value_array();
    const wd_value *args = wd_object_get(view, "args");
    wd_status status = wd_phone_view(host, state, app, name, args == NULL ? none : args, ret_found, error);
    wd_value_unref(&none);
    return status;
}

#endif
