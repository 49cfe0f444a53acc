// pack.c - trees from a pattern, and formatted strings.
#include "buffer.h"
#include "node.h"

#include <stdarg.h>

enum { PACK_DEPTH_MAX = 16 };

typedef struct pack_state {
    const char *at;
    va_list args;
} pack_state;

static wd_status pack_value(pack_state *packer, unsigned depth, wd_value **ret_value);

static char pack_peek(pack_state *packer)
{
    while (*packer->at == ' ' || *packer->at == ',' || *packer->at == ':') {
        packer->at += 1;
    }
    return *packer->at;
}

static char pack_next(pack_state *packer)
{
    char letter = pack_peek(packer);
    wd_assert(letter != '\0');
    packer->at += 1;
    return letter;
}

// A scalar or a borrowed or taken value. *ret_value stays NULL for an optional argument that is NULL.
static wd_status pack_argument(pack_state *packer, char letter, wd_value **ret_value)
{
    bool optional = letter == '?';
    if (optional) {
        letter = pack_next(packer);
    }
    switch (letter) {
    case 'n':
        *ret_value = wd_value_null();
        return WD_OK;
    case 'b':
        *ret_value = wd_value_bool(va_arg(packer->args, int) != 0);
        return WD_OK;
    case 'i':
        return wd_value_int(va_arg(packer->args, int64_t), ret_value);
    case 'd':
        return wd_value_double(va_arg(packer->args, double), ret_value);
    case 's': {
        const char *text = va_arg(packer->args, const char *);
        wd_assert(text != NULL || optional);
        return text != NULL ? wd_value_text(text, ret_value) : WD_OK;
    }
    case 'v':
        *ret_value = wd_value_ref(va_arg(packer->args, const wd_value *));
        wd_assert(*ret_value != NULL || optional);
        return WD_OK;
    case 'V':
        *ret_value = va_arg(packer->args, wd_value *);
        wd_assert(*ret_value != NULL);
        return WD_OK;
    default:
        wd_assert(!"a letter of the pattern");
        return WD_EINVAL;
    }
}

// After a failure the rest of the pattern is still read, so that every 'V' is dropped.
static wd_status pack_container(pack_state *packer, unsigned depth, bool object, wd_value **ret_value)
{
    wd_value *container = object ? wd_value_object() : wd_value_array();
    wd_status status = WD_OK;
    while (pack_peek(packer) != (object ? '}' : ']')) {
        const char *key = NULL;
        if (object) {
            wd_assert(pack_next(packer) == 's');
            key = va_arg(packer->args, const char *);
        }
        wd_value *item = NULL;
        wd_status item_status = pack_value(packer, depth, &item);
        status = status != WD_OK ? status : item_status;
        if (status == WD_OK && item != NULL) {
            status = object ? wd_object_set(&container, key, &item) : wd_array_append(&container, &item);
        }
        wd_value_unref(&item);
    }
    pack_next(packer);
    if (status != WD_OK) {
        wd_value_unref(&container);
        return status;
    }
    *ret_value = container;
    return WD_OK;
}

static wd_status pack_value(pack_state *packer, unsigned depth, wd_value **ret_value)
{
    wd_assert(depth < PACK_DEPTH_MAX);
    char letter = pack_next(packer);
    if (letter == '{' || letter == '[') {
        return pack_container(packer, depth + 1, letter == '{', ret_value);
    }
    return pack_argument(packer, letter, ret_value);
}

wd_status wd_value_pack(wd_value **ret_value, const char *pattern, ...)
{
    pack_state packer = { .at = pattern };
    va_start(packer.args, pattern);
    wd_value *value = NULL;
    wd_status status = pack_value(&packer, 0, &value);
    va_end(packer.args);
    wd_assert(status != WD_OK || value != NULL);
    if (status == WD_OK) {
        *ret_value = value;
    }
    return status;
}

wd_status wd_value_format(wd_value **ret_value, const char *format, ...)
{
    wd_buffer buffer = { 0 };
    va_list args;
    va_start(args, format);
    wd_status status = wd_buffer_vformat(&buffer, format, args);
    va_end(args);
    if (status == WD_OK) {
        status = wd_value_string(buffer.bytes, buffer.length, ret_value);
    }
    wd_buffer_done(&buffer);
    return status;
}
