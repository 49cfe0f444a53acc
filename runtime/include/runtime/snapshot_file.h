/// snapshot_file.h - a snapshot of an env as one portable file.
///
///   offset 0 "WDSNAP"   6..7 version (u16, little endian)   8.. one zstd frame with size and checksum
///
/// The frame holds the bundle of env.h as JSON text: machine, start, seed, task, progress, digests, packs. The same
/// snapshot gives the same bytes. Whether it fits a worldd (packs, digest) is told when it is imported there.
#ifndef RUNTIME_SNAPSHOT_FILE_H
#define RUNTIME_SNAPSHOT_FILE_H

#include "tree/value.h"

enum {
    WD_SNAPSHOT_FILE_VERSION = 1,
    WD_SNAPSHOT_BYTES_MAX = 256 * 1024 * 1024,  // of JSON in one file
};

/// Write the file whole or not at all (mode 0600). @retval WD_EIO, WD_ENOMEM  `error` names the file.
WD_NODISCARD wd_status wd_snapshot_save(const char *path, const wd_value *bundle, wd_error *error);
/// @retval WD_ECORRUPT no snapshot file, or damaged. @retval WD_EVERSION of a later worldd. @retval WD_ENOENT, WD_EIO.
WD_NODISCARD wd_status wd_snapshot_load(const char *path, wd_value **ret_bundle, wd_error *error);

#endif
