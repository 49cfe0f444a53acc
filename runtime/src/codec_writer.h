/// codec_writer.h - writes protobuf bytes straight into a buffer, without structs in between: for the one message that
/// is large and made for every plan. What it writes is what protobuf-c would (tests compare the two).
///
/// A failure is sticky: after it nothing is written any more, and wd_wire_finish() says so.
#ifndef RUNTIME_CODEC_WRITER_H
#define RUNTIME_CODEC_WRITER_H

#include "tree/json.h"
#include "tree/value.h"

typedef struct wd_wire_writer {
    uint8_t *bytes;
    size_t length, capacity;
    wd_buffer json;    // reused for every JSON text
    wd_status status;  // the first failure
} wd_wire_writer;

void wd_wire_init(wd_wire_writer *writer, size_t size_guess);
/// @param ret_body  Of *ret_length bytes, 1 at least, freed with wd_free(). The writer is done with in any case.
WD_NODISCARD wd_status wd_wire_finish(wd_wire_writer *writer, uint8_t **ret_body, size_t *ret_length);

// Fields. As proto3 does, zero, false, NULL and "" are left out.
void wd_wire_uint(wd_wire_writer *writer, uint32_t field, uint64_t number);
void wd_wire_int(wd_wire_writer *writer, uint32_t field, int32_t number);   // int32
void wd_wire_sint(wd_wire_writer *writer, uint32_t field, int32_t number);  // sint32: zigzag
void wd_wire_double(wd_wire_writer *writer, uint32_t field, double number);
void wd_wire_text(wd_wire_writer *writer, uint32_t field, const char *text);
void wd_wire_json(wd_wire_writer *writer, uint32_t field, const wd_value *value);
void wd_wire_digest(
    wd_wire_writer *writer, uint32_t field, wd_digest digest);  // 16 bytes, as the hex text reads
/// Elements of a repeated string: "" is kept.
void wd_wire_texts(wd_wire_writer *writer, uint32_t field, const wd_value *array);
void wd_wire_element(wd_wire_writer *writer, uint32_t field, const char *text);
/// One of a repeated bytes: kept when empty.
void wd_wire_bytes(wd_wire_writer *writer, uint32_t field, const void *bytes, size_t length);
/// Between begin and end, without a tag: elements of a packed array, and digests side by side.
void wd_wire_packed_uint(wd_wire_writer *writer, uint64_t number);
void wd_wire_packed_digest(wd_wire_writer *writer, wd_digest digest);

/// A message inside: what is put between begin and end. @return where it began, for end.
WD_NODISCARD size_t wd_wire_begin(wd_wire_writer *writer, uint32_t field);
void wd_wire_end(wd_wire_writer *writer, size_t began);

#endif
