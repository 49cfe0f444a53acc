#include "codec_message.h"

#include "tree/alloc.h"

wd_status wd_codec_pack(const ProtobufCMessage *message, uint8_t **ret_body, size_t *ret_length)
{
    size_t length = protobuf_c_message_get_packed_size(message);
    uint8_t *body = NULL;
    if (length > 0) {
        body = wd_alloc(length);
        if (body == NULL) {
            return WD_ENOMEM;
        }
        protobuf_c_message_pack(message, body);
    }
    *ret_body = body;
    *ret_length = length;
    return WD_OK;
}

wd_status wd_codec_unpack(const ProtobufCMessageDescriptor *type, const void *body, size_t length,
    codec_arena *arena, const void **ret_message, wd_error *error)
{
    wd_status status = wd_codec_check(type, body, length, error);
    if (status != WD_OK) {
        return status;
    }
    const ProtobufCMessage *message = protobuf_c_message_unpack(type, &arena->allocator, length, body);
    if (message != NULL) {
        *ret_message = message;
        return WD_OK;
    }
    status = arena->failure == WD_OK ? WD_EPROTO : arena->failure;
    return wd_error_set(error, status, "body: cannot be unpacked: %s", wd_status_text(status));
}
