/// file.h - whole files and directories for the rooms that do no I/O themselves.
#ifndef RUNTIME_FILE_H
#define RUNTIME_FILE_H

#include "sim/phone.h"
#include "tree/json.h"

enum { WD_FILE_SIZE_MAX = 512 * 1024 * 1024 };

/// Read a whole file; *ret_bytes is NUL-terminated and freed with wd_free(*ret_bytes, *ret_length + 1).
/// @retval WD_ENOENT, WD_EIO, WD_ELIMIT  `error` names the file and the reason.
WD_NODISCARD wd_status wd_file_read(const char *path, char **ret_bytes, size_t *ret_length, wd_error *error);
/// Put front and bytes together in a file (mode 0600), whole or not at all: a reader, also one that comes after a kill,
/// sees what was there before or the new one. A kill on the way leaves PATH.PID.tmp behind.
/// @param settled  It is on the disk before it is in place, so that a power cut keeps one of the two as well; takes
///                 milliseconds. @retval WD_EIO, WD_EINVAL  `error` names the file.
WD_NODISCARD wd_status wd_file_publish(const char *path, const void *front, size_t front_length,
    const void *bytes, size_t length, bool settled, wd_error *error);
/// Read and parse strict JSON; errors name the file, line and column.
WD_NODISCARD wd_status wd_file_read_json(const char *path, wd_value **ret_value, wd_error *error);
/// Names in a directory sorted by bytes, without those that start with a dot.
WD_NODISCARD wd_status wd_file_list(const char *directory, wd_value **ret_names, wd_error *error);
/// The source of app packs on this machine's file system.
extern const wd_pack_source wd_pack_files;

#endif
