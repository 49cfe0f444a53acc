/// answer_text.c - values as the texts that answers are compared as.
#include "answer_text.h"

#include "characters.h"
#include "judge/numerals.h"

#include <math.h>
#include <string.h>

static wd_status write_literal(const wd_value *value, wd_buffer *buffer);

static wd_status write_quoted(const char *text, size_t length, wd_buffer *buffer)
{
    char quote = strchr(text, '\'') != NULL && strchr(text, '"') == NULL ? '"' : '\'';
    wd_status status = wd_buffer_append(buffer, &quote, 1);
    for (size_t i = 0; status == WD_OK && i < length; i++) {
        if (text[i] == quote || text[i] == '\\') {
            status = wd_buffer_append(buffer, "\\", 1);
        }
        if (text[i] == '\n' || text[i] == '\t' || text[i] == '\r') {
            status = wd_buffer_text(buffer, text[i] == '\n' ? "\\n" : text[i] == '\t' ? "\\t" : "\\r");
        } else if (status == WD_OK) {
            status = wd_buffer_append(buffer, &text[i], 1);
        }
    }
    return status == WD_OK ? wd_buffer_append(buffer, &quote, 1) : status;
}

static wd_status write_children(const wd_value *value, wd_buffer *buffer)
{
    bool object = wd_value_is(value, WD_KIND_OBJECT);
    wd_status status = wd_buffer_text(buffer, object ? "{" : "[");
    wd_iter iter = wd_iter_start(value);
    while (status == WD_OK && wd_iter_next(&iter)) {
        status = iter.index > 0 ? wd_buffer_text(buffer, ", ") : WD_OK;
        if (status == WD_OK && object) {
            status = write_quoted(iter.key, iter.key_length, buffer);
            status = status == WD_OK ? wd_buffer_text(buffer, ": ") : status;
        }
        status = status == WD_OK ? write_literal(iter.value, buffer) : status;
    }
    return status == WD_OK ? wd_buffer_text(buffer, object ? "}" : "]") : status;
}

static wd_status write_literal(const wd_value *value, wd_buffer *buffer)
{
    switch (wd_value_kind(value)) {
    case WD_KIND_STRING: {
        size_t length = 0;
        const char *text = wd_value_as_string(value, &length);
        return write_quoted(text, length, buffer);
    }
    case WD_KIND_ARRAY:
    case WD_KIND_OBJECT:
        return write_children(value, buffer);
    default:
        return wd_scalar_text(value, buffer);
    }
}

wd_status wd_answer_text(const wd_value *value, wd_buffer *buffer)
{
    if (wd_value_is(value, WD_KIND_STRING)) {
        size_t length = 0;
        const char *text = wd_value_as_string(value, &length);
        return wd_buffer_append(buffer, text, length);
    }
    return write_literal(value, buffer);
}

wd_status wd_answer_normal_text(const wd_value *value, bool trim, wd_buffer *buffer)
{
    wd_buffer raw = { 0 };
    wd_status status = wd_answer_text(value, &raw);
    if (status == WD_OK) {
        const char *text = raw.bytes;
        size_t length = raw.length;
        if (trim) {
            wd_text_trim(&text, &length);
        }
        status = wd_numerals_normalise(text, length, buffer);
    }
    wd_buffer_done(&raw);
    return status;
}

bool wd_answer_close(double a, double b)
{
    if (a == b) {
        return true;
    }
    if (isinf(a) || isinf(b)) {
        return false;
    }
    double greater = fmax(fabs(a), fabs(b));
    return fabs(a - b) <= fmax(1e-6 * greater, 1e-9);  // false for NaN
}
