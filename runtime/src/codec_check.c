#include "codec_check.h"

#include "tree/json.h"

#include <stdio.h>
#include <string.h>

enum wire_type { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_LENGTH = 2, WIRE_32 = 5, WIRE_NONE = -1 };

enum { CHECK_PATH_TEXT_MAX = 160 };

/// Where the walk is: one step per message that it is inside of.
typedef struct check_path {
    struct {
        const char *field;
        int64_t index;  // -1: not repeated
    } steps[WD_CHECK_DEPTH_MAX];
    size_t depth;
} check_path;

typedef struct wire_cursor {
    const uint8_t *at, *end;
} wire_cursor;

typedef struct raw_field {
    uint32_t number;
    enum wire_type wire;
    uint64_t varint;       // WIRE_VARINT
    const uint8_t *bytes;  // WIRE_LENGTH
    size_t length;
} raw_field;

static bool read_varint(wire_cursor *cursor, uint64_t *ret_number)
{
    uint64_t number = 0;
    for (unsigned shift = 0; shift < 64 && cursor->at < cursor->end; shift += 7) {
        uint8_t byte = *cursor->at++;
        number |= (uint64_t)(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0) {
            *ret_number = number;
            return true;
        }
    }
    return false;
}

/// Read one field. On failure *ret_field holds the number when that much could be read, else 0.
static bool read_field(wire_cursor *cursor, raw_field *ret_field)
{
    uint64_t tag = 0;
    *ret_field = (raw_field){ 0 };
    if (!read_varint(cursor, &tag) || tag >> 3 == 0 || tag >> 3 > (1u << 29) - 1) {
        return false;
    }
    ret_field->number = (uint32_t)(tag >> 3);
    ret_field->wire = (enum wire_type)(tag & 7);
    size_t left = (size_t)(cursor->end - cursor->at);
    uint64_t length = 0;
    switch (ret_field->wire) {
    case WIRE_VARINT:
        return read_varint(cursor, &ret_field->varint);
    case WIRE_64:
        length = 8;
        break;
    case WIRE_32:
        length = 4;
        break;
    case WIRE_LENGTH:
        if (!read_varint(cursor, &length)) {
            return false;
        }
        left = (size_t)(cursor->end - cursor->at);
        break;
    default:
        return false;  // groups, and numbers that are no wire type
    }
    if (length > left) {
        return false;
    }
    ret_field->bytes = cursor->at;
    ret_field->length = (size_t)length;
    cursor->at += length;
    return true;
}

static enum wire_type wire_of(const ProtobufCFieldDescriptor *field)
{
    switch (field->type) {
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_BYTES:
    case PROTOBUF_C_TYPE_MESSAGE:
        return WIRE_LENGTH;
    case PROTOBUF_C_TYPE_SFIXED32:
    case PROTOBUF_C_TYPE_FIXED32:
    case PROTOBUF_C_TYPE_FLOAT:
        return WIRE_32;
    case PROTOBUF_C_TYPE_SFIXED64:
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_DOUBLE:
        return WIRE_64;
    default:
        return WIRE_VARINT;
    }
}

/// "steps[2].thought", or "body" at the top.
static const char *path_text(const check_path *path, char ret_text[CHECK_PATH_TEXT_MAX])
{
    size_t length = 0;
    strcpy(ret_text, "body");
    for (size_t i = 0; i < path->depth && length < CHECK_PATH_TEXT_MAX; i++) {
        int written = path->steps[i].index < 0
                          ? snprintf(ret_text + length, CHECK_PATH_TEXT_MAX - length, "%s%s",
                                i > 0 ? "." : "", path->steps[i].field)
                          : snprintf(ret_text + length, CHECK_PATH_TEXT_MAX - length, "%s%s[%lld]",
                                i > 0 ? "." : "", path->steps[i].field, (long long)path->steps[i].index);
        length += (size_t)written;
    }
    return ret_text;
}

static wd_status fail(const check_path *path, wd_status status, const char *what, wd_error *error)
{
    char text[CHECK_PATH_TEXT_MAX];
    return wd_error_set(error, status, "%s: %s", path_text(path, text), what);
}

static wd_status check_message(
    const ProtobufCMessageDescriptor *type, wire_cursor cursor, check_path *path, wd_error *error);

/// A known field whose bytes are whole.
static wd_status check_field(
    const ProtobufCFieldDescriptor *field, const raw_field *raw, check_path *path, wd_error *error)
{
    if (raw->wire != wire_of(field)) {
        return fail(path, WD_EPROTO, "has the wrong wire type", error);
    }
    if (field->type == PROTOBUF_C_TYPE_STRING && !wd_utf8_valid((const char *)raw->bytes, raw->length)) {
        return fail(path, WD_EUTF8, "is no UTF-8, or holds U+0000", error);
    }
    if (field->type == PROTOBUF_C_TYPE_MESSAGE) {
        return check_message(
            field->descriptor, (wire_cursor){ raw->bytes, raw->bytes + raw->length }, path, error);
    }
    return WD_OK;
}

static wd_status check_message(
    const ProtobufCMessageDescriptor *type, wire_cursor cursor, check_path *path, wd_error *error)
{
    wd_assert(path->depth < WD_CHECK_DEPTH_MAX && type->n_fields <= WD_CHECK_FIELDS_MAX);
    int64_t counts[WD_CHECK_FIELDS_MAX] = { 0 };
    while (cursor.at < cursor.end) {
        raw_field raw;
        bool whole = read_field(&cursor, &raw);
        const ProtobufCFieldDescriptor *field =
            raw.number == 0 ? NULL : protobuf_c_message_descriptor_get_field(type, raw.number);
        if (field == NULL) {
            if (!whole) {
                return fail(path, WD_EPROTO, "is broken off or no protobuf message", error);
            }
            continue;  // a newer minor version may add fields
        }
        bool repeated = field->label == PROTOBUF_C_LABEL_REPEATED;
        path->steps[path->depth].field = field->name;
        path->steps[path->depth].index = repeated ? counts[field - type->fields]++ : -1;
        path->depth++;
        wd_status status = whole ? check_field(field, &raw, path, error)
                                 : fail(path, WD_EPROTO, "is broken off or malformed", error);
        if (status != WD_OK) {
            return status;
        }
        path->depth--;
    }
    return WD_OK;
}

wd_status wd_codec_check(
    const ProtobufCMessageDescriptor *type, const void *bytes, size_t length, wd_error *error)
{
    check_path path = { 0 };
    const uint8_t *start = bytes;
    return check_message(type, (wire_cursor){ start, length == 0 ? start : start + length }, &path, error);
}

uint64_t wd_codec_peek_varint(const void *bytes, size_t length, uint32_t number, uint64_t fallback)
{
    const uint8_t *start = bytes;
    wire_cursor cursor = { start, length == 0 ? start : start + length };
    raw_field raw;
    while (cursor.at < cursor.end && read_field(&cursor, &raw)) {
        if (raw.number == number && raw.wire == WIRE_VARINT) {
            fallback = raw.varint;
        }
    }
    return fallback;
}
