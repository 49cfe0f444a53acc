// buffer.c - the growing buffer writers append to.
#include "buffer.h"

#include "tree/alloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void wd_buffer_done(wd_buffer *buffer)
{
    wd_free(buffer->bytes, buffer->capacity);
    *buffer = (wd_buffer){ 0 };
}

wd_status wd_buffer_reserve(wd_buffer *buffer, size_t extra)
{
    if (extra >= PTRDIFF_MAX - buffer->length) {
        return WD_ENOMEM;
    }
    size_t wanted = buffer->length + extra + 1;
    if (wanted <= buffer->capacity) {
        return WD_OK;
    }
    size_t capacity = buffer->capacity < 64 ? 64 : buffer->capacity * 2;
    capacity = capacity < wanted ? wanted : capacity;
    char *bytes = wd_realloc(buffer->bytes, buffer->capacity, capacity);
    if (bytes == NULL) {
        return WD_ENOMEM;
    }
    buffer->bytes = bytes;
    buffer->capacity = capacity;
    return WD_OK;
}

wd_status wd_buffer_append(wd_buffer *buffer, const char *bytes, size_t length)
{
    wd_status status = wd_buffer_reserve(buffer, length);
    if (status == WD_OK) {
        if (length > 0) {
            memcpy(buffer->bytes + buffer->length, bytes, length);
        }
        buffer->length += length;
        buffer->bytes[buffer->length] = '\0';
    }
    return status;
}

wd_status wd_buffer_text(wd_buffer *buffer, const char *text)
{
    return wd_buffer_append(buffer, text, strlen(text));
}

wd_status wd_buffer_vformat(wd_buffer *buffer, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length < 0) {
        return WD_EINVAL;
    }
    wd_status status = wd_buffer_reserve(buffer, (size_t)length);
    if (status == WD_OK) {
        vsnprintf(buffer->bytes + buffer->length, (size_t)length + 1, format, args);
        buffer->length += (size_t)length;
    }
    return status;
}

wd_status wd_buffer_format(wd_buffer *buffer, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    wd_status status = wd_buffer_vformat(buffer, format, args);
    va_end(args);
    return status;
}
