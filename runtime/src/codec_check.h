/// codec_check.h - judge a protobuf body before protobuf-c sees it.
///
/// protobuf-c says only "no"; it checks no UTF-8 and cuts strings at an embedded NUL. This walk over the bytes finds
/// the same faults, and those, and names the field.
#ifndef RUNTIME_CODEC_CHECK_H
#define RUNTIME_CODEC_CHECK_H

#include "tree/status.h"

#include <protobuf-c/protobuf-c.h>
#include <stdint.h>

enum {
    WD_CHECK_DEPTH_MAX = 6,    // messages inside each other; the schema has no recursive ones
    WD_CHECK_FIELDS_MAX = 24,  // fields of one message of the schema
};

/// Whole fields only, known fields with their wire type, every string UTF-8 without U+0000. Unknown fields pass.
/// @retval WD_EPROTO, WD_EUTF8  `error` names the field: "steps[2].thought: is no UTF-8".
WD_NODISCARD wd_status wd_codec_check(
    const ProtobufCMessageDescriptor *type, const void *bytes, size_t length, wd_error *error);

/// The last whole value of varint field `number` at the top of a body that may be broken further on; `fallback` when
/// there is none. Lets a reply that cannot be read still be told apart by its request id.
uint64_t wd_codec_peek_varint(const void *bytes, size_t length, uint32_t number, uint64_t fallback);

#endif
