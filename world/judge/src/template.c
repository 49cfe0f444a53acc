/// template.c - parameters into texts.
#include "judge/template.h"

#include "judge/operators.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/// Letters of any script, digits and `_`: names of parameters.
static bool is_word(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)text[i];
        if (byte < 0x80 && !isalnum(byte) && byte != '_') {
            return false;
        }
    }
    return length > 0;
}

static wd_status append_text(const wd_value *value, wd_buffer *buffer)
{
    wd_kind kind = wd_value_kind(value);
    if (kind == WD_KIND_ARRAY || kind == WD_KIND_OBJECT) {
        return wd_json_write(value, WD_JSON_COMPACT, buffer);
    }
    return wd_scalar_text(value, buffer);
}

wd_status wd_template_fill(const char *text, size_t length, const wd_value *params, wd_buffer *buffer)
{
    wd_status status = WD_OK;
    for (size_t at = 0; status == WD_OK && at < length;) {
        const char *close = text[at] == '{' ? memchr(text + at, '}', length - at) : NULL;
        size_t name_length = close != NULL ? (size_t)(close - text) - at - 1 : 0;
        const wd_value *param = NULL;
        if (close != NULL && is_word(text + at + 1, name_length)) {
            param = wd_object_get_n(params, text + at + 1, name_length);
        }
        if (param != NULL) {
            status = append_text(param, buffer);
            at += name_length + 2;
        } else {
            status = wd_buffer_append(buffer, text + at, 1);
            at += 1;
        }
    }
    return status;
}

// ---- brace formatting -------------------------------------------------------------------------------------

/// [[fill]align][sign][0][width][,][.precision][type]
typedef struct format_spec {
    const char *fill;
    size_t fill_length;
    char align;  // < > ^ =, 0 when not said
    char sign;   // + - or blank
    bool comma;
    int width, precision;  // -1 when not said
    char type;             // 0 when not said
} format_spec;

static bool is_align(char c)
{
    return c == '<' || c == '>' || c == '^' || c == '=';
}

static size_t character_length(const char *text, size_t length)
{
    size_t used = length > 0 ? 1 : 0;
    while (used < length && ((unsigned char)text[used] & 0xC0) == 0x80) {
        used += 1;
    }
    return used;
}

/// Digits at text[*at_p]; -1 when there are none, WD_TEMPLATE_WIDTH_MAX + 1 when there are too many.
static int read_number(const char *text, size_t length, size_t *at_p)
{
    int number = -1;
    for (; *at_p < length && isdigit((unsigned char)text[*at_p]); *at_p += 1) {
        number = (number < 0 ? 0 : number) * 10 + (text[*at_p] - '0');
        number = number > WD_TEMPLATE_WIDTH_MAX ? WD_TEMPLATE_WIDTH_MAX + 1 : number;
    }
    return number;
}

static bool parse_spec(const char *text, size_t length, format_spec *spec)
{
    *spec = (format_spec){ .fill = " ", .fill_length = 1, .sign = '-', .width = -1, .precision = -1 };
    size_t at = 0;
    size_t first = character_length(text, length);
    if (first < length && is_align(text[first])) {
        spec->fill = text;
        spec->fill_length = first;
        spec->align = text[first];
        at = first + 1;
    } else if (length > 0 && is_align(text[0])) {
        spec->align = text[0];
        at = 1;
    }
    if (at < length && strchr("+- ", text[at]) != NULL) {
        spec->sign = text[at++];
    }
    if (at < length && text[at] == '0' && spec->align == 0) {
        spec->fill = "0";
        spec->align = '=';
        at += 1;
    }
    spec->width = read_number(text, length, &at);
    if (at < length && text[at] == ',') {
        spec->comma = true;
        at += 1;
    }
    if (at < length && text[at] == '.') {
        at += 1;
        spec->precision = read_number(text, length, &at);
        if (spec->precision < 0) {
            return false;
        }
    }
    if (at < length && strchr("sdfFeEgGxXob%", text[at]) != NULL) {
        spec->type = text[at++];
    }
    return at == length && spec->width <= WD_TEMPLATE_WIDTH_MAX && spec->precision <= WD_TEMPLATE_WIDTH_MAX;
}

enum { NUMBER_TEXT_SIZE = WD_TEMPLATE_WIDTH_MAX + 400 };  // a double's integral part has at most 309 digits

static bool integer_digits(uint64_t magnitude, char type, char *text)
{
    unsigned base = type == 'x' || type == 'X' ? 16 : type == 'o' ? 8 : type == 'b' ? 2 : 10;
    char reversed[64];
    size_t count = 0;
    do {
        reversed[count++] = (type == 'X' ? "0123456789ABCDEF" : "0123456789abcdef")[magnitude % base];
        magnitude /= base;
    } while (magnitude > 0);
    for (size_t i = 0; i < count; i++) {
        text[i] = reversed[count - 1 - i];
    }
    text[count] = '\0';
    return true;
}

/// The digits of |value| by the specification; false when the type does not go with the kind.
static bool number_digits(const wd_value *value, const format_spec *spec, char *text, bool *ret_negative)
{
    bool integer_type =
        spec->type == 'd' || spec->type == 'x' || spec->type == 'X' || spec->type == 'o' || spec->type == 'b';
    bool whole = wd_value_is(value, WD_KIND_INT) || wd_value_is(value, WD_KIND_BOOL);
    if (whole && (integer_type || spec->type == 0) && spec->precision < 0) {
        int64_t number = wd_value_is(value, WD_KIND_BOOL) ? wd_value_as_bool(value) : wd_value_as_int(value);
        *ret_negative = number < 0;
        uint64_t magnitude = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
        return integer_digits(magnitude, spec->type, text);
    }
    if (integer_type || spec->type == 's') {
        return false;
    }
    double number = wd_value_is(value, WD_KIND_BOOL) ? wd_value_as_bool(value) : wd_value_as_double(value);
    *ret_negative = __builtin_signbit(number);
    number = __builtin_fabs(number);
    if (spec->type == 0 && spec->precision < 0) {
        char shortest[WD_DOUBLE_TEXT_SIZE];
        size_t length = wd_double_text(number, shortest);
        memcpy(text, shortest, length);
        text[length] = '\0';
        return true;
    }
    char type = spec->type == 0 ? 'g' : spec->type;
    bool percent = type == '%';
    char format[8];
    snprintf(format, sizeof format, "%%.*%c%s", percent ? 'f' : type, percent ? "%%" : "");
    int precision = spec->precision < 0 ? 6 : spec->precision;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(text, NUMBER_TEXT_SIZE, format, precision, percent ? number * 100.0 : number);
#pragma GCC diagnostic pop
    return true;
}

static wd_status append_repeated(wd_buffer *buffer, const char *fill, size_t fill_length, size_t count)
{
    wd_status status = WD_OK;
    while (status == WD_OK && count-- > 0) {
        status = wd_buffer_append(buffer, fill, fill_length);
    }
    return status;
}

static wd_status append_grouped(wd_buffer *buffer, const char *digits, bool comma)
{
    size_t whole = strspn(digits, "0123456789");
    wd_status status = WD_OK;
    for (size_t i = 0; comma && status == WD_OK && i < whole; i++) {
        if (i > 0 && (whole - i) % 3 == 0) {
            status = wd_buffer_append(buffer, ",", 1);
        }
        status = status == WD_OK ? wd_buffer_append(buffer, digits + i, 1) : status;
    }
    return status == WD_OK ? wd_buffer_text(buffer, digits + (comma ? whole : 0)) : status;
}

static size_t character_count(const char *text, size_t length)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i += character_length(text + i, length - i)) {
        count += 1;
    }
    return count;
}

/// sign + body, filled to the width.
static wd_status append_aligned(
    wd_buffer *buffer, const format_spec *spec, const char *sign, const wd_buffer *body, char align)
{
    size_t used = strlen(sign) + character_count(body->bytes, body->length);
    size_t pad = spec->width > 0 && (size_t)spec->width > used ? (size_t)spec->width - used : 0;
    size_t left = align == '>' ? pad : align == '^' ? pad / 2 : 0;
    size_t inner = align == '=' ? pad : 0;
    wd_status status = append_repeated(buffer, spec->fill, spec->fill_length, left);
    status = status == WD_OK ? wd_buffer_text(buffer, sign) : status;
    status = status == WD_OK ? append_repeated(buffer, spec->fill, spec->fill_length, inner) : status;
    status = status == WD_OK ? wd_buffer_append(buffer, body->bytes, body->length) : status;
    size_t right = pad - left - inner;
    return status == WD_OK ? append_repeated(buffer, spec->fill, spec->fill_length, right) : status;
}

/// Python's own text of a value: True, False, None.
static wd_status append_python_text(const wd_value *value, wd_buffer *buffer)
{
    if (wd_value_is(value, WD_KIND_BOOL)) {
        return wd_buffer_text(buffer, wd_value_as_bool(value) ? "True" : "False");
    }
    return wd_value_is(value, WD_KIND_NULL) ? wd_buffer_text(buffer, "None") : append_text(value, buffer);
}

static wd_status append_formatted(
    const wd_value *value, const format_spec *spec, wd_buffer *buffer, wd_error *error)
{
    wd_buffer body = { 0 };
    const char *sign = "";
    char align = '<';
    wd_status status;
    bool number = (wd_value_is_number(value) || wd_value_is(value, WD_KIND_BOOL)) && spec->type != 's';
    if (number) {
        char digits[NUMBER_TEXT_SIZE];
        bool negative = false;
        if (!number_digits(value, spec, digits, &negative)) {
            return wd_error_set(error, WD_EPARSE, "format type '%c' does not fit the parameter", spec->type);
        }
        sign = negative ? "-" : spec->sign == '+' ? "+" : spec->sign == ' ' ? " " : "";
        align = '>';
        status = append_grouped(&body, digits, spec->comma);
    } else {
        if (spec->type != 0 && spec->type != 's') {
            return wd_error_set(error, WD_EPARSE, "format type '%c' does not fit the parameter", spec->type);
        }
        status = append_python_text(value, &body);
        if (status == WD_OK && spec->precision >= 0) {
            size_t kept = 0;
            for (int i = 0; i < spec->precision && kept < body.length; i++) {
                kept += character_length(body.bytes + kept, body.length - kept);
            }
            body.length = kept;
        }
    }
    if (status == WD_OK) {
        status = append_aligned(buffer, spec, sign, &body, spec->align != 0 ? spec->align : align);
    }
    wd_buffer_done(&body);
    return status;
}

/// One replacement field, text[0..length) between its braces.
static wd_status format_field(
    const char *text, size_t length, const wd_value *params, wd_buffer *buffer, wd_error *error)
{
    size_t name_length = strcspn(text, "!:}");
    name_length = name_length < length ? name_length : length;
    bool positional = name_length == 0 || strspn(text, "0123456789") >= name_length;
    if (positional || !is_word(text, name_length)) {
        return wd_error_set(error, WD_EPARSE, "{%.*s}: not the name of a parameter", (int)length, text);
    }
    size_t at = name_length;
    if (at < length && text[at] == '!') {
        if (length - at < 2 || text[at + 1] != 's' || (length - at > 2 && text[at + 2] != ':')) {
            return wd_error_set(error, WD_EPARSE, "{%.*s}: unknown conversion", (int)length, text);
        }
        at += 2;
    }
    const wd_value *param = wd_object_get_n(params, text, name_length);
    if (param == NULL) {
        return wd_error_set(error, WD_ENOENT, "no parameter named %.*s", (int)name_length, text);
    }
    if (at == length) {
        return append_python_text(param, buffer);
    }
    format_spec spec;
    if (!parse_spec(text + at + 1, length - at - 1, &spec)) {
        return wd_error_set(error, WD_EPARSE, "{%.*s}: format not understood", (int)length, text);
    }
    if (length - at == 1) {
        return append_python_text(param, buffer);
    }
    return append_formatted(param, &spec, buffer, error);
}

wd_status wd_template_format(
    const char *text, size_t length, const wd_value *params, wd_buffer *buffer, wd_error *error)
{
    wd_status status = WD_OK;
    for (size_t at = 0; status == WD_OK && at < length;) {
        char c = text[at];
        if (c != '{' && c != '}') {
            size_t plain = strcspn(text + at, "{}");
            plain = plain < length - at ? plain : length - at;
            status = wd_buffer_append(buffer, text + at, plain);
            at += plain;
        } else if (at + 1 < length && text[at + 1] == c) {
            status = wd_buffer_append(buffer, &c, 1);
            at += 2;
        } else {
            size_t inside = c == '{' ? strcspn(text + at + 1, "{}") : length;
            if (inside >= length - at - 1 || text[at + 1 + inside] != '}') {
                return wd_error_set(error, WD_EPARSE, "unbalanced brace at byte %zu", at);
            }
            status = format_field(text + at + 1, inside, params, buffer, error);
            at += inside + 2;
        }
    }
    return status;
}

// ---- values -----------------------------------------------------------------------------------------------

static wd_status template_string(
    const wd_value *value, const wd_value *params, wd_value **ret_value, wd_error *error)
{
    size_t length = 0;
    const char *text = wd_value_as_string(value, &length);
    if (memchr(text, '{', length) == NULL) {
        *ret_value = wd_value_ref(value);
        return WD_OK;
    }
    const char *first = text;
    const char *last = text + length;
    while (first < last && isspace((unsigned char)*first)) {
        first += 1;
    }
    while (last > first && isspace((unsigned char)last[-1])) {
        last -= 1;
    }
    if (last - first > 2 && *first == '{' && last[-1] == '}') {
        size_t name_length = (size_t)(last - first) - 2;
        const wd_value *param =
            is_word(first + 1, name_length) ? wd_object_get_n(params, first + 1, name_length) : NULL;
        if (param != NULL) {
            *ret_value = wd_value_ref(param);
            return WD_OK;
        }
    }
    wd_buffer buffer = { 0 };
    wd_status status = wd_template_format(text, length, params, &buffer, error);
    if (status == WD_OK) {
        status = wd_value_string(buffer.bytes != NULL ? buffer.bytes : "", buffer.length, ret_value);
    } else if (status == WD_ENOENT) {
        *ret_value = wd_value_ref(value);
        status = WD_OK;
    }
    wd_buffer_done(&buffer);
    return status;
}

/// Elements of an array, or arguments of an operator object.
static wd_status template_children(
    const wd_value *value, const wd_value *params, wd_value **ret_value, wd_error *error)
{
    wd_value *copy = wd_value_ref(value);
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(value);
    while (status == WD_OK && wd_iter_next(&iter)) {
        wd_value *child = NULL;
        status = wd_template_value(iter.value, params, &child, error);
        if (status == WD_OK && !wd_value_same(child, iter.value)) {
            status = iter.key != NULL ? wd_object_set_n(&copy, iter.key, iter.key_length, &child)
                                      : wd_array_set(&copy, iter.index, &child);
        }
        wd_value_unref(&child);
    }
    if (status != WD_OK) {
        wd_value_unref(&copy);
        return status;
    }
    *ret_value = copy;
    return WD_OK;
}

wd_status wd_template_value(
    const wd_value *value, const wd_value *params, wd_value **ret_value, wd_error *error)
{
    if (wd_value_is(value, WD_KIND_STRING)) {
        return template_string(value, params, ret_value, error);
    }
    if (wd_value_is(value, WD_KIND_ARRAY) || wd_operators_is(value)) {
        return template_children(value, params, ret_value, error);
    }
    *ret_value = wd_value_ref(value);
    return WD_OK;
}
