/// compress.h - bytes to zstd frames and back. The only place that names zstd.
#ifndef RUNTIME_COMPRESS_H
#define RUNTIME_COMPRESS_H

#include "tree/status.h"

#include <stdbool.h>

/// One frame with its content's size and checksum. *ret_packed is freed with wd_free(*ret_packed, *ret_length).
WD_NODISCARD wd_status wd_compress(
    const void *bytes, size_t length, char **ret_packed, size_t *ret_length, wd_error *error);
/// *ret_bytes is NUL-terminated and freed with wd_free(*ret_bytes, *ret_length + 1).
/// @retval WD_ECORRUPT no whole frame of wd_compress(), or damaged. @retval WD_ELIMIT its content is over `maximum`.
WD_NODISCARD wd_status wd_decompress(
    const void *packed, size_t length, size_t maximum, char **ret_bytes, size_t *ret_length, wd_error *error);
/// Does it begin as a frame?
bool wd_is_compressed(const void *bytes, size_t length);

#endif
