#include "runtime/snapshot_file.h"

#include "compress.h"
#include "runtime/file.h"
#include "tree/alloc.h"
#include "tree/json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { HEADER_SIZE = 8, PATH_SIZE = 4096 };
static const char magic[] = "WDSNAP";

static bool write_all(int descriptor, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t written = write(descriptor, bytes, length);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written < 0) {
            return false;
        }
        bytes += written;
        length -= (size_t)written;
    }
    return true;
}

/// Beside its place first, then in it: a reader never sees half a file.
static wd_status publish(
    const char *path, const char *header, const char *frame, size_t frame_length, wd_error *error)
{
    char beside[PATH_SIZE];
    if (snprintf(beside, sizeof beside, "%s.%d.tmp", path, (int)getpid()) >= (int)sizeof beside) {
        return wd_error_set(error, WD_EINVAL, "%.80s...: the path is too long", path);
    }
    int descriptor = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor < 0) {
        return wd_error_set(error, WD_EIO, "%s: %s", beside, strerror(errno));
    }
    bool written = write_all(descriptor, header, HEADER_SIZE) && write_all(descriptor, frame, frame_length) &&
                   fsync(descriptor) == 0;
    int reason = errno;
    close(descriptor);
    if (written && rename(beside, path) == 0) {
        return WD_OK;
    }
    reason = written ? errno : reason;
    unlink(beside);
    return wd_error_set(error, WD_EIO, "%s: %s", path, strerror(reason));
}

wd_status wd_snapshot_save(const char *path, const wd_value *bundle, wd_error *error)
{
    char header[HEADER_SIZE] = { 0 };
    wd_buffer text = { 0 };
    char *frame = NULL;
    size_t frame_length = 0;
    memcpy(header, magic, sizeof magic - 1);
    header[6] = WD_SNAPSHOT_FILE_VERSION;
    wd_status status = wd_json_write(bundle, WD_JSON_COMPACT, &text);
    if (status != WD_OK) {
        wd_error_set(error, status, "%s: %s", path, wd_status_text(status));
    }
    status = status == WD_OK ? wd_compress(text.bytes, text.length, &frame, &frame_length, error) : status;
    status = status == WD_OK ? publish(path, header, frame, frame_length, error) : status;
    wd_free(frame, frame_length);
    wd_buffer_done(&text);
    return status;
}

static wd_status check_header(const char *bytes, size_t length, wd_error *error)
{
    if (length < HEADER_SIZE || memcmp(bytes, magic, sizeof magic - 1) != 0) {
        return wd_error_set(error, WD_ECORRUPT, "no snapshot file");
    }
    unsigned version = (unsigned char)bytes[6] | (unsigned)(unsigned char)bytes[7] << 8;
    if (version != WD_SNAPSHOT_FILE_VERSION) {
        return wd_error_set(error, WD_EVERSION, "snapshot file version %u, this worldd reads %d", version,
            WD_SNAPSHOT_FILE_VERSION);
    }
    return WD_OK;
}

wd_status wd_snapshot_load(const char *path, wd_value **ret_bundle, wd_error *error)
{
    char *bytes = NULL, *text = NULL;
    size_t length = 0, text_length = 0;
    wd_status status = wd_file_read(path, &bytes, &length, error);
    if (status != WD_OK) {
        return status;
    }
    status = check_header(bytes, length, error);
    if (status == WD_OK) {
        status = wd_decompress(
            bytes + HEADER_SIZE, length - HEADER_SIZE, WD_SNAPSHOT_BYTES_MAX, &text, &text_length, error);
    }
    if (status == WD_OK) {
        status = wd_json_parse(text, text_length, ret_bundle, error);
        wd_free(text, text_length + 1);
        status = status == WD_OK || status == WD_ENOMEM ? status : WD_ECORRUPT;
    }
    wd_free(bytes, length + 1);
    if (status != WD_OK) {
        wd_error_prefix(error, "%s", path);
    }
    return status;
}
