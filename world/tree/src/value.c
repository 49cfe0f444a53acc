// value.c - references, scalars and what can be asked of any value.
#include "node.h"

#include "tree/json.h"

#include <math.h>

const char *wd_kind_name(wd_kind kind)
{
    static const char *const names[] = { "null", "bool", "int", "double", "string", "array", "object" };
    return (size_t)kind < WD_COUNT_OF(names) ? names[kind] : "unknown";
}

const struct wd_kind_table wd_kind_table = {
    .of_node = { [WD_TAG_INT] = WD_KIND_INT,
        [WD_TAG_DOUBLE] = WD_KIND_DOUBLE,
        [WD_TAG_STRING] = WD_KIND_STRING,
        [WD_TAG_ARRAY] = WD_KIND_ARRAY,
        [WD_TAG_LIST] = WD_KIND_ARRAY,
        [WD_TAG_OBJECT] = WD_KIND_OBJECT,
        [WD_TAG_TABLE] = WD_KIND_OBJECT },
    .of_immediate = { [WD_IMM_INT] = WD_KIND_INT, [WD_IMM_DOUBLE] = WD_KIND_DOUBLE },
    .of_constant = { [WD_BITS_NULL >> 3] = WD_KIND_NULL,
        [WD_BITS_FALSE >> 3] = WD_KIND_BOOL,
        [WD_BITS_TRUE >> 3] = WD_KIND_BOOL,
        [WD_BITS_EMPTY_ARRAY >> 3] = WD_KIND_ARRAY,
        [WD_BITS_EMPTY_OBJECT >> 3] = WD_KIND_OBJECT,
        [WD_BITS_EMPTY_STRING >> 3] = WD_KIND_STRING },
};
_Static_assert(offsetof(struct wd_value, tag) == 4, "wd_value_kind() reads the tag at byte 4");

// ---- references -----------------------------------------------------------------------------------------------

wd_value *wd_value_ref(const wd_value *value)
{
    if (value != NULL && wd_is_node(value)) {
        wd_node_ref(value);
    }
    return wd_from_bits(wd_bits(value));
}

void wd_value_unref(wd_value **value_p)
{
    wd_value *value = *value_p;
    *value_p = NULL;
    if (value != NULL && wd_is_node(value)) {
        wd_node_unref(value);
    }
}

// ---- making ---------------------------------------------------------------------------------------------------

wd_value *wd_value_null(void)
{
    return wd_from_bits(WD_BITS_NULL);
}

wd_value *wd_value_bool(bool flag)
{
    return wd_from_bits(flag ? WD_BITS_TRUE : WD_BITS_FALSE);
}

wd_value *wd_value_array(void)
{
    return wd_from_bits(WD_BITS_EMPTY_ARRAY);
}

wd_value *wd_value_object(void)
{
    return wd_from_bits(WD_BITS_EMPTY_OBJECT);
}

static wd_number_node *number_node_new(wd_tag tag)
{
    wd_number_node *node = wd_alloc(sizeof(*node));
    if (node != NULL) {
        node->head = (wd_value){ .refs = 1, .tag = (uint8_t)tag };
    }
    return node;
}

wd_status wd_value_int(int64_t number, wd_value **ret_value)
{
    if (number >= -((int64_t)1 << 60) && number < (int64_t)1 << 60) {
        *ret_value = wd_from_bits((uintptr_t)((uint64_t)number << 3) | WD_IMM_INT);
        return WD_OK;
    }
    wd_number_node *node = number_node_new(WD_TAG_INT);
    if (node == NULL) {
        return WD_ENOMEM;
    }
    node->number.integer = number;
    *ret_value = &node->head;
    return WD_OK;
}

wd_status wd_value_double(double number, wd_value **ret_value)
{
    if (!isfinite(number)) {
        return WD_EINVAL;
    }
    uint64_t bits;
    memcpy(&bits, &number, sizeof(bits));
    if ((bits & WD_IMM_MASK) == 0) {
        *ret_value = wd_from_bits((uintptr_t)bits | WD_IMM_DOUBLE);
        return WD_OK;
    }
    wd_number_node *node = number_node_new(WD_TAG_DOUBLE);
    if (node == NULL) {
        return WD_ENOMEM;
    }
    node->number.real = number;
    *ret_value = &node->head;
    return WD_OK;
}

wd_status wd_string_make(const char *bytes, size_t length, bool plain, wd_value **ret_value)
{
    if (length == 0) {
        *ret_value = wd_from_bits(WD_BITS_EMPTY_STRING);
        return WD_OK;
    }
    wd_string_node *node = wd_alloc(sizeof(*node) + length + 1);
    if (node == NULL) {
        return WD_ENOMEM;
    }
    node->head = (wd_value){ .refs = 1, .tag = WD_TAG_STRING, .flags = plain ? WD_FLAG_PLAIN : 0 };
    node->length = (uint32_t)length;
    memcpy(node->text, bytes, length);
    node->text[length] = '\0';
    *ret_value = &node->head;
    return WD_OK;
}

wd_status wd_value_string(const char *bytes, size_t length, wd_value **ret_value)
{
    if (length > WD_VALUE_STRING_MAX) {
        return WD_ELIMIT;
    }
    return wd_utf8_valid(bytes, length)
               ? wd_string_make(bytes, length, wd_text_is_plain(bytes, length), ret_value)
               : WD_EUTF8;
}

wd_status wd_value_text(const char *text, wd_value **ret_value)
{
    return wd_value_string(text, strlen(text), ret_value);
}

// ---- reading --------------------------------------------------------------------------------------------------

bool wd_value_as_bool(const wd_value *value)
{
    wd_assert(wd_value_is(value, WD_KIND_BOOL));
    return wd_bits(value) == WD_BITS_TRUE;
}

int64_t wd_value_as_int(const wd_value *value)
{
    wd_assert(wd_value_is(value, WD_KIND_INT));
    return wd_is_node(value) ? wd_number_of(value)->number.integer : (int64_t)wd_bits(value) >> 3;
}

double wd_value_as_double(const wd_value *value)
{
    if (wd_value_is(value, WD_KIND_INT)) {
        return (double)wd_value_as_int(value);
    }
    wd_assert(wd_value_is(value, WD_KIND_DOUBLE));
    if (wd_is_node(value)) {
        return wd_number_of(value)->number.real;
    }
    uint64_t bits = wd_bits(value) & ~(uint64_t)WD_IMM_MASK;
    double number;
    memcpy(&number, &bits, sizeof(number));
    return number;
}

const char *wd_value_as_string(const wd_value *value, size_t *ret_length)
{
    wd_assert(wd_value_is(value, WD_KIND_STRING));
    if (!wd_is_node(value)) {
        if (ret_length != NULL) {
            *ret_length = 0;
        }
        return "";
    }
    const wd_string_node *node = wd_string_of(value);
    if (ret_length != NULL) {
        *ret_length = node->length;
    }
    return node->text;
}

bool wd_value_bool_or(const wd_value *value, bool fallback)
{
    return wd_value_is(value, WD_KIND_BOOL) ? wd_value_as_bool(value) : fallback;
}

bool wd_double_to_int(double number, int64_t *ret_integer)
{
    // -2^63 is a double, 2^63 is the first that does not fit.
    if (!(number >= -0x1p63 && number < 0x1p63) || number != trunc(number)) {
        return false;
    }
    *ret_integer = (int64_t)number;
    return true;
}

int64_t wd_value_int_or(const wd_value *value, int64_t fallback)
{
    if (wd_value_is(value, WD_KIND_INT)) {
        return wd_value_as_int(value);
    }
    int64_t integer;
    if (wd_value_is(value, WD_KIND_DOUBLE) && wd_double_to_int(wd_value_as_double(value), &integer)) {
        return integer;
    }
    return fallback;
}

double wd_value_double_or(const wd_value *value, double fallback)
{
    return wd_value_is_number(value) ? wd_value_as_double(value) : fallback;
}

const char *wd_value_string_or(const wd_value *value, const char *fallback)
{
    return wd_value_is(value, WD_KIND_STRING) ? wd_value_as_string(value, NULL) : fallback;
}

bool wd_value_is_text(const wd_value *value, const char *text)
{
    if (!wd_value_is(value, WD_KIND_STRING)) {
        return false;
    }
    size_t length;
    const char *bytes = wd_value_as_string(value, &length);
    return strlen(text) == length && memcmp(bytes, text, length) == 0;
}
