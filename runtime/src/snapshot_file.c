#include "runtime/snapshot_file.h"

#include "compress.h"
#include "runtime/file.h"
#include "tree/alloc.h"
#include "tree/json.h"

#include <string.h>

enum { HEADER_SIZE = 8 };
static const char magic[] = "WDSNAP";

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
    status = status == WD_OK ? wd_file_publish(path, header, HEADER_SIZE, frame, frame_length, true, error)
                             : status;
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
