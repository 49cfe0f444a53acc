/// codec_message.h - packing and unpacking any message of the schema: what the codec's sources share.
#ifndef RUNTIME_CODEC_MESSAGE_H
#define RUNTIME_CODEC_MESSAGE_H

#include "codec_arena.h"
#include "codec_check.h"

/// protobuf-c's strings are not const, though packing only reads them. NULL gives "".
static inline char *wd_lend_text(const char *text)
{
    return (char *)(uintptr_t)(text == NULL ? protobuf_c_empty_string : text);
}

static inline ProtobufCBinaryData wd_lend_bytes(const void *bytes, size_t length)
{
    return (ProtobufCBinaryData){ length, (uint8_t *)(uintptr_t)bytes };
}

/// @param ret_body  Freed with wd_free(*ret_body, *ret_length); NULL when the message packs to nothing.
WD_NODISCARD wd_status wd_codec_pack(const ProtobufCMessage *message, uint8_t **ret_body, size_t *ret_length);

/// Check, then unpack into `arena`, which the caller initialised; *ret_message lives as long as the arena.
/// @retval WD_EPROTO, WD_EUTF8  `error` names the field. @retval WD_ELIMIT the arena's budget. @retval WD_ENOMEM.
WD_NODISCARD wd_status wd_codec_unpack(const ProtobufCMessageDescriptor *type, const void *body,
    size_t length, codec_arena *arena, const void **ret_message, wd_error *error);

#endif
