#include "proto/frame.h"

#include <string.h>

const char *wd_msg_name(uint16_t kind)
{
    switch (kind) {
#define X(name, number)                                                                                      \
    case number:                                                                                             \
        return #name;
        WD_KIND_TABLE(X)
#undef X
    default:
        return NULL;
    }
}

const char *wd_frame_verdict_text(wd_frame_verdict verdict)
{
    switch (verdict) {
    case WD_FRAME_OK:
        return "ok";
    case WD_FRAME_SHORT:
        return "header: must be exactly 8 bytes";
    case WD_FRAME_STRANGER:
        return "header: no worldd message";
    case WD_FRAME_VERSION:
        return "header.major: unsupported protocol version";
    case WD_FRAME_KIND:
        return "header.kind: unknown kind";
    case WD_FRAME_FLAGS:
        return "header.flags: unknown flags";
    }
    return "header: unknown fault";
}

void wd_frame_write(uint16_t kind, uint8_t ret_header[WD_FRAME_HEADER_SIZE])
{
    const uint8_t header[WD_FRAME_HEADER_SIZE] = {
        'W',
        'D',
        WD_PROTO_MAJOR,
        WD_PROTO_MINOR,
        (uint8_t)(kind & 0xff),
        (uint8_t)(kind >> 8),
        0,
        0,
    };
    memcpy(ret_header, header, sizeof header);
}

wd_frame_verdict wd_frame_read(const void *bytes, size_t length, uint16_t *ret_kind)
{
    if (length != WD_FRAME_HEADER_SIZE) {
        return WD_FRAME_SHORT;
    }
    const uint8_t *header = bytes;
    if (header[0] != 'W' || header[1] != 'D') {
        return WD_FRAME_STRANGER;
    }
    if (header[2] != WD_PROTO_MAJOR) {
        return WD_FRAME_VERSION;
    }
    *ret_kind = (uint16_t)(header[4] | header[5] << 8);
    if (wd_msg_name(*ret_kind) == NULL) {
        return WD_FRAME_KIND;
    }
    if (header[6] != 0 || header[7] != 0) {
        return WD_FRAME_FLAGS;
    }
    return WD_FRAME_OK;
}
