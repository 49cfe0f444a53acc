#include "codec_writer.h"

#include "tree/alloc.h"

#include <string.h>

enum { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_LENGTH = 2, VARINT_MAX = 10, TAG_MAX = 5, DIGEST_SIZE = 16 };

void wd_wire_init(wd_wire_writer *writer, size_t size_guess)
{
    *writer = (wd_wire_writer){ .bytes = wd_alloc(size_guess), .capacity = size_guess };
    if (writer->bytes == NULL) {
        writer->capacity = 0;
        writer->status = WD_ENOMEM;
    }
}

wd_status wd_wire_finish(wd_wire_writer *writer, uint8_t **ret_body, size_t *ret_length)
{
    wd_buffer_done(&writer->json);
    uint8_t *body =
        writer->status == WD_OK ? wd_realloc(writer->bytes, writer->capacity, writer->length) : NULL;
    if (body == NULL) {
        wd_free(writer->bytes, writer->capacity);
        return writer->status == WD_OK ? WD_ENOMEM : writer->status;
    }
    *ret_body = body;
    *ret_length = writer->length;
    return WD_OK;
}

static __attribute__((noinline)) uint8_t *grow(wd_wire_writer *writer, size_t size)
{
    size_t grown = 2 * (writer->length + size);
    uint8_t *bytes = writer->status == WD_OK ? wd_realloc(writer->bytes, writer->capacity, grown) : NULL;
    if (bytes == NULL) {
        writer->status = writer->status == WD_OK ? WD_ENOMEM : writer->status;
        return NULL;
    }
    writer->bytes = bytes;
    writer->capacity = grown;
    return bytes + writer->length;
}

/// Room for `size` more bytes; NULL after a failure.
static inline uint8_t *room(wd_wire_writer *writer, size_t size)
{
    bool ready = size <= writer->capacity - writer->length && writer->status == WD_OK;
    return ready ? writer->bytes + writer->length : grow(writer, size);
}

/// @return the bytes written at `at`.
static inline size_t write_varint(uint8_t *at, uint64_t number)
{
    size_t length = 0;
    if (number < 0x80) {  // nearly always
        at[0] = (uint8_t)number;
        return 1;
    }
    for (; number >= 0x80; number >>= 7) {
        at[length++] = (uint8_t)(number | 0x80);
    }
    at[length++] = (uint8_t)number;
    return length;
}

static inline size_t write_tag(uint8_t *at, uint32_t field, unsigned wire)
{
    return write_varint(at, (uint64_t)field << 3 | wire);
}

void wd_wire_uint(wd_wire_writer *writer, uint32_t field, uint64_t number)
{
    uint8_t *at = number == 0 ? NULL : room(writer, TAG_MAX + VARINT_MAX);
    if (at != NULL) {
        size_t length = write_tag(at, field, WIRE_VARINT);
        writer->length += length + write_varint(at + length, number);
    }
}

void wd_wire_int(wd_wire_writer *writer, uint32_t field, int32_t number)
{
    wd_wire_uint(writer, field, (uint64_t)(int64_t)number);
}

void wd_wire_sint(wd_wire_writer *writer, uint32_t field, int32_t number)
{
    wd_wire_uint(writer, field, ((uint32_t)number << 1) ^ (number < 0 ? UINT32_MAX : 0));
}

void wd_wire_double(wd_wire_writer *writer, uint32_t field, double number)
{
    uint64_t bits = 0;
    memcpy(&bits, &number, sizeof bits);
    uint8_t *at = bits == 0 ? NULL : room(writer, TAG_MAX + sizeof bits);
    if (at != NULL) {
        size_t length = write_tag(at, field, WIRE_64);
        for (size_t i = 0; i < sizeof bits; i++) {
            at[length++] = (uint8_t)(bits >> (8 * i));
        }
        writer->length += length;
    }
}

static inline void put_bytes(wd_wire_writer *writer, uint32_t field, const void *bytes, size_t size)
{
    uint8_t *at = room(writer, TAG_MAX + VARINT_MAX + size);
    if (at != NULL) {
        size_t length = write_tag(at, field, WIRE_LENGTH);
        length += write_varint(at + length, size);
        memcpy(at + length, bytes, size);
        writer->length += length + size;
    }
}

void wd_wire_text(wd_wire_writer *writer, uint32_t field, const char *text)
{
    if (text != NULL && text[0] != '\0') {
        put_bytes(writer, field, text, strlen(text));
    }
}

void wd_wire_element(wd_wire_writer *writer, uint32_t field, const char *text)
{
    put_bytes(writer, field, text == NULL ? "" : text, text == NULL ? 0 : strlen(text));
}

void wd_wire_texts(wd_wire_writer *writer, uint32_t field, const wd_value *array)
{
    wd_iter iter = wd_iter_start(array);
    while (wd_iter_next(&iter)) {
        wd_wire_element(writer, field, wd_value_string_or(iter.value, NULL));
    }
}

void wd_wire_json(wd_wire_writer *writer, uint32_t field, const wd_value *value)
{
    if (value == NULL || writer->status != WD_OK) {
        return;
    }
    writer->json.length = 0;
    writer->status = wd_json_write(value, WD_JSON_COMPACT, &writer->json);
    if (writer->status == WD_OK) {
        put_bytes(writer, field, writer->json.bytes, writer->json.length);
    }
}

static void digest_bytes(wd_digest digest, uint8_t ret_bytes[DIGEST_SIZE])
{
    for (size_t i = 0; i < 8; i++) {
        ret_bytes[i] = (uint8_t)(digest.high >> (56 - 8 * i));
        ret_bytes[8 + i] = (uint8_t)(digest.low >> (56 - 8 * i));
    }
}

void wd_wire_digest(wd_wire_writer *writer, uint32_t field, wd_digest digest)
{
    uint8_t bytes[DIGEST_SIZE];
    digest_bytes(digest, bytes);
    put_bytes(writer, field, bytes, sizeof bytes);
}

void wd_wire_bytes(wd_wire_writer *writer, uint32_t field, const void *bytes, size_t length)
{
    put_bytes(writer, field, length == 0 ? "" : bytes, length);
}

void wd_wire_packed_uint(wd_wire_writer *writer, uint64_t number)
{
    uint8_t *at = room(writer, VARINT_MAX);
    if (at != NULL) {
        writer->length += write_varint(at, number);
    }
}

void wd_wire_packed_digest(wd_wire_writer *writer, wd_digest digest)
{
    uint8_t *at = room(writer, DIGEST_SIZE);
    if (at != NULL) {
        digest_bytes(digest, at);
        writer->length += DIGEST_SIZE;
    }
}

size_t wd_wire_begin(wd_wire_writer *writer, uint32_t field)
{
    uint8_t *at = room(writer, TAG_MAX + 1);
    if (at != NULL) {
        writer->length +=
            write_tag(at, field, WIRE_LENGTH) + 1;  // its length takes one byte, unless it grows long
    }
    return writer->length;
}

void wd_wire_end(wd_wire_writer *writer, size_t began)
{
    uint8_t length[VARINT_MAX];
    size_t size = writer->length - began;
    size_t more = write_varint(length, size) - 1;
    if (room(writer, more) != NULL) {
        uint8_t *at = writer->bytes + began;
        if (more > 0) {
            memmove(at + more, at, size);
        }
        memcpy(at - 1, length, more + 1);
        writer->length += more;
    }
}
