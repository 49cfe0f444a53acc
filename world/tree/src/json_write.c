// json_write.c - the round-trip writer.
#include "buffer.h"
#include "node.h"
#include "scalar_text.h"

#include <stdlib.h>

typedef struct json_writer {
    wd_buffer *buffer;
    wd_json_style style;
} json_writer;

// ---- strings and scalars --------------------------------------------------------------------------------------

static bool needs_escape(unsigned char byte)
{
    return byte < 0x20 || byte == '"' || byte == '\\';
}

// Bytes at the start of bytes[0..length) that go out as they are; eight at a time.
static size_t plain_run(const char *bytes, size_t length)
{
    const uint64_t ones = 0x0101010101010101u, highs = 0x8080808080808080u;
    size_t at = 0;
    for (; length - at >= 8; at += 8) {
        uint64_t word;
        memcpy(&word, bytes + at, 8);
        uint64_t quote = word ^ (ones * '"'), slash = word ^ (ones * '\\');
        uint64_t control = (word - ones * 0x20) & ~word;
        uint64_t found = (control | ((quote - ones) & ~quote) | ((slash - ones) & ~slash)) & highs;
        if (found != 0) {
            break;
        }
    }
    while (at < length && !needs_escape((unsigned char)bytes[at])) {
        at += 1;
    }
    return at;
}

bool wd_text_is_plain(const char *bytes, size_t length)
{
    return plain_run(bytes, length) == length;
}

static char *escape(char *out, unsigned char byte)
{
    static const char letters[] = {
        ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r', ['"'] = '"', ['\\'] = '\\'
    };
    *out++ = '\\';
    if (byte < sizeof(letters) && letters[byte] != 0) {
        *out++ = letters[byte];
        return out;
    }
    static const char digits[] = "0123456789abcdef";
    memcpy(out, "u00", 3);
    out[3] = digits[byte >> 4];
    out[4] = digits[byte & 15];
    return out + 5;
}

wd_status wd_json_write_string(const char *bytes, size_t length, wd_buffer *buffer)
{
    // Six bytes is the longest an escaped byte gets; most strings need none, so they are given little.
    size_t run = plain_run(bytes, length);
    wd_status status = wd_buffer_reserve(buffer, run + (length - run) * 6 + 2);
    if (status != WD_OK) {
        return status;
    }
    char *out = buffer->bytes + buffer->length;
    *out++ = '"';
    size_t at = 0;
    for (;;) {
        memcpy(out, bytes + at, run);
        out += run;
        at += run;
        if (at == length) {
            break;
        }
        out = escape(out, (unsigned char)bytes[at]);
        at += 1;
        run = plain_run(bytes + at, length - at);
    }
    *out++ = '"';
    *out = '\0';
    buffer->length = (size_t)(out - buffer->bytes);
    return WD_OK;
}

wd_status wd_scalar_text(const wd_value *scalar, wd_buffer *buffer)
{
    char number[WD_DOUBLE_TEXT_SIZE];
    size_t length;
    const char *text = wd_scalar_bytes(scalar, number, &length);
    return text != NULL ? wd_buffer_append(buffer, text, length) : WD_ETYPE;
}

// ---- containers -----------------------------------------------------------------------------------------------

static wd_status write_value(json_writer *writer, const wd_value *value, unsigned level);

static wd_status write_break(json_writer *writer, unsigned level)
{
    if (writer->style != WD_JSON_PRETTY) {
        return WD_OK;
    }
    wd_status status = wd_buffer_reserve(writer->buffer, 1 + 2 * (size_t)level);
    if (status == WD_OK) {
        char *out = writer->buffer->bytes + writer->buffer->length;
        *out = '\n';
        memset(out + 1, ' ', 2 * (size_t)level);
        out[1 + 2 * level] = '\0';
        writer->buffer->length += 1 + 2 * (size_t)level;
    }
    return status;
}

static wd_status write_child(json_writer *writer, const wd_iter *child, bool first, unsigned level)
{
    wd_status status = first ? WD_OK : wd_buffer_append(writer->buffer, ",", 1);
    if (status == WD_OK) {
        status = write_break(writer, level);
    }
    if (status == WD_OK && child->key != NULL) {
        status = wd_json_write_string(child->key, child->key_length, writer->buffer);
        if (status == WD_OK) {
            bool pretty = writer->style == WD_JSON_PRETTY;
            status = wd_buffer_append(writer->buffer, ": ", pretty ? 2 : 1);
        }
    }
    return status == WD_OK ? write_value(writer, child->value, level) : status;
}

static int compare_members(const void *a, const void *b)
{
    const wd_iter *x = a, *y = b;
    size_t shorter = x->key_length < y->key_length ? x->key_length : y->key_length;
    int order = memcmp(x->key, y->key, shorter);
    return order != 0 ? order : (x->key_length > y->key_length) - (x->key_length < y->key_length);
}

static wd_status write_sorted(json_writer *writer, const wd_value *object, unsigned level)
{
    size_t count = wd_object_count(object);
    wd_iter *members = wd_alloc_zero(count, sizeof(*members));
    if (members == NULL) {
        return WD_ENOMEM;
    }
    wd_iter iter = wd_iter_start(object);
    for (size_t i = 0; wd_iter_next(&iter); i++) {
        members[i] = iter;
    }
    qsort(members, count, sizeof(*members), compare_members);
    wd_status status = WD_OK;
    for (size_t i = 0; i < count && status == WD_OK; i++) {
        status = write_child(writer, &members[i], i == 0, level);
    }
    wd_free(members, count * sizeof(*members));
    return status;
}

static wd_status write_container(json_writer *writer, const wd_value *value, unsigned level)
{
    bool object = wd_value_kind(value) == WD_KIND_OBJECT;
    size_t count = object ? wd_object_count(value) : wd_array_count(value);
    if (count == 0) {
        return wd_buffer_append(writer->buffer, object ? "{}" : "[]", 2);
    }
    wd_status status = wd_buffer_append(writer->buffer, object ? "{" : "[", 1);
    if (status == WD_OK && object && writer->style == WD_JSON_CANONICAL) {
        status = write_sorted(writer, value, level + 1);
    } else {
        wd_iter iter = wd_iter_start(value);
        for (bool first = true; status == WD_OK && wd_iter_next(&iter); first = false) {
            status = write_child(writer, &iter, first, level + 1);
        }
    }
    if (status == WD_OK) {
        status = write_break(writer, level);
    }
    return status == WD_OK ? wd_buffer_append(writer->buffer, object ? "}" : "]", 1) : status;
}

static wd_status write_value(json_writer *writer, const wd_value *value, unsigned level)
{
    size_t length;
    switch (wd_value_kind(value)) {
    case WD_KIND_STRING: {
        const char *text = wd_value_as_string(value, &length);
        return wd_json_write_string(text, length, writer->buffer);
    }
    case WD_KIND_ARRAY:
    case WD_KIND_OBJECT:
        return write_container(writer, value, level);
    default:
        return wd_scalar_text(value, writer->buffer);
    }
}

wd_status wd_json_write(const wd_value *value, wd_json_style style, wd_buffer *buffer)
{
    size_t before = buffer->length;
    json_writer writer = { .buffer = buffer, .style = style };
    wd_status status = write_value(&writer, value, 0);
    if (status != WD_OK && buffer->bytes != NULL) {
        buffer->length = before;
        buffer->bytes[before] = '\0';
    }
    return status;
}
