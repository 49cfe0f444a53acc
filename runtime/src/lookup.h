/// lookup.h - wd_value_get_path() that tells "not there" from "memory is out": a task must not fail for want of memory.
#ifndef RUNTIME_LOOKUP_H
#define RUNTIME_LOOKUP_H

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

#endif
