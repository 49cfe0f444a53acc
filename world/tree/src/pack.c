// pack.c - trees from a pattern, and formatted strings.
#include "buffer.h"
#include "node.h"

#include <stdarg.h>

enum { PACK_DEPTH_MAX = 16, PACK_MEMBERS_MAX = WD_VALUE_PACK_MEMBERS_MAX };

typedef struct pack_state {
    const char *at;
    va_list args;
} pack_state;

// After a failure the rest of the pattern is still read, so that every 'V' is dropped.
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

static wd_status pack_array(pack_state *packer, unsigned depth, wd_value **ret_value)
{
    wd_value *array = wd_value_array();
    wd_status status = WD_OK;
    while (pack_peek(packer) != ']') {
        wd_value *item = NULL;
        wd_status item_status = pack_value(packer, depth, &item);
        status = status != WD_OK ? status : item_status;
        if (status == WD_OK && item != NULL) {
            status = wd_array_append(&array, &item);
        }
        wd_value_unref(&item);
    }
    pack_next(packer);
    if (status != WD_OK) {
        wd_value_unref(&array);
        return status;
    }
    *ret_value = array;
    return WD_OK;
}

/// Members gathered first, so that the object gets its shape in one look-up.
typedef struct pack_members {
    wd_name names[PACK_MEMBERS_MAX];
    wd_value *items[PACK_MEMBERS_MAX];
    size_t count;
} pack_members;

// A name that stands twice keeps the later value, as setting it twice would. Takes the item.
static void members_put(pack_members *members, const char *key, wd_value *item)
{
    wd_name name = wd_name_of(key, strlen(key));
    for (size_t i = 0; i < members->count; i++) {
        if (members->names[i].digest.low == name.digest.low && members->names[i].length == name.length &&
            memcmp(members->names[i].text, key, name.length) == 0) {
            wd_value_unref(&members->items[i]);
            members->items[i] = item;
            return;
        }
    }
    wd_assert(members->count < PACK_MEMBERS_MAX);
    members->names[members->count] = name;
    members->items[members->count++] = item;
}

static wd_status pack_object(pack_state *packer, unsigned depth, wd_value **ret_value)
{
    pack_members members;
    members.count = 0;
    wd_status status = WD_OK;
    while (pack_peek(packer) != '}') {
        wd_assert(pack_next(packer) == 's');
        const char *key = va_arg(packer->args, const char *);
        wd_value *item = NULL;
        wd_status item_status = pack_value(packer, depth, &item);
        status = status != WD_OK ? status : item_status;
        if (item != NULL) {
            members_put(&members, key, item);
        }
    }
    pack_next(packer);
    if (status == WD_OK) {
        size_t twice;
        return wd_object_build(members.names, members.items, members.count, ret_value, &twice);
    }
    for (size_t i = 0; i < members.count; i++) {
        wd_value_unref(&members.items[i]);
    }
    return status;
}

static wd_status pack_value(pack_state *packer, unsigned depth, wd_value **ret_value)
{
    wd_assert(depth < PACK_DEPTH_MAX);
    char letter = pack_next(packer);
    if (letter == '{') {
        return pack_object(packer, depth + 1, ret_value);
    }
    if (letter == '[') {
        return pack_array(packer, depth + 1, ret_value);
    }
    return pack_argument(packer, letter, ret_value);
}

wd_status wd_value_members(
    const char *const *keys, const wd_value *const *items, size_t count, wd_value **ret_value)
{
    wd_assert(count <= PACK_MEMBERS_MAX);
    pack_members members;
    members.count = 0;
    for (size_t i = 0; i < count; i++) {
        if (items[i] != NULL) {
            members_put(&members, keys[i], wd_value_ref(items[i]));
        }
    }
    size_t twice;
    return wd_object_build(members.names, members.items, members.count, ret_value, &twice);
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
