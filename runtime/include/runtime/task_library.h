/// task_library.h - the task documents of a directory: <directory>/<suite>/<name>.json has the id "suite/name". A
/// script beside it, <name>.lua, becomes the document's "lua", so that the document says all there is to say.
#ifndef RUNTIME_TASK_LIBRARY_H
#define RUNTIME_TASK_LIBRARY_H

#include "tree/value.h"

/// Ids that match `glob` (fnmatch(3); NULL: all), sorted by bytes, as array of texts.
/// @retval WD_ENOENT  no such directory.
WD_NODISCARD wd_status wd_task_library_list(
    const char *directory, const char *glob, wd_value **ret_ids, wd_error *error);
/// Read a document. @retval WD_ENOENT  there is none. @retval WD_EINVAL  `id` is no task id, or another than the
/// document's own. Others as the reader says.
WD_NODISCARD wd_status wd_task_library_read(
    const char *directory, const char *id, wd_value **ret_document, wd_error *error);

/// Read the document in a file, its script with it.
WD_NODISCARD wd_status wd_task_file_read(const char *path, wd_value **ret_document, wd_error *error);

#endif
