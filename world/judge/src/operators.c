/// operators.c - one row per operator: how it judges, and which arguments it takes.
#include "judge/operators.h"

#include <string.h>

static size_t character_count(const char *text, size_t length)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++) {
        count += ((unsigned char)text[i] & 0xC0) != 0x80;
    }
    return count;
}

/// Exact order of two numbers or two strings; false when the two cannot be ordered. UTF-8 bytes order as code
/// points do.
static bool order_of(const wd_value *actual, const wd_value *argument, int *ret_order)
{
    if (wd_value_is_number(actual) && wd_value_is_number(argument)) {
        *ret_order = wd_number_compare(actual, argument);
        return true;
    }
    if (wd_value_is(actual, WD_KIND_STRING) && wd_value_is(argument, WD_KIND_STRING)) {
        *ret_order = strcmp(wd_value_as_string(actual, NULL), wd_value_as_string(argument, NULL));
        return true;
    }
    return false;
}

static bool is_greater(const wd_value *actual, const wd_value *argument)
{
    int order = 0;
    return order_of(actual, argument, &order) && order > 0;
}

static bool is_greater_or_equal(const wd_value *actual, const wd_value *argument)
{
    int order = 0;
    return order_of(actual, argument, &order) && order >= 0;
}

static bool is_less(const wd_value *actual, const wd_value *argument)
{
    int order = 0;
    return order_of(actual, argument, &order) && order < 0;
}

static bool is_less_or_equal(const wd_value *actual, const wd_value *argument)
{
    int order = 0;
    return order_of(actual, argument, &order) && order <= 0;
}

static bool is_unequal(const wd_value *actual, const wd_value *argument)
{
    return !wd_value_equal(actual, argument);
}

static bool holds_equal(const wd_value *list, const wd_value *item)
{
    wd_iter iter = wd_iter_start(list);
    while (wd_iter_next(&iter)) {
        if (wd_value_equal(iter.value, item)) {
            return true;
        }
    }
    return false;
}

static bool is_in(const wd_value *actual, const wd_value *argument)
{
    return actual != NULL && holds_equal(argument, actual);
}

static bool contains(const wd_value *actual, const wd_value *argument)
{
    if (wd_value_is(actual, WD_KIND_STRING) && wd_value_is(argument, WD_KIND_STRING)) {
        return strstr(wd_value_as_string(actual, NULL), wd_value_as_string(argument, NULL)) != NULL;
    }
    return wd_value_is(actual, WD_KIND_ARRAY) && holds_equal(actual, argument);
}

static bool exists(const wd_value *actual, const wd_value *argument)
{
    return (actual != NULL) == wd_value_as_bool(argument);
}

/// Length of a string, array or object; -1 for all else.
static int64_t length_of(const wd_value *value)
{
    if (wd_value_is(value, WD_KIND_STRING)) {
        size_t length = 0;
        const char *text = wd_value_as_string(value, &length);
        return (int64_t)character_count(text, length);
    }
    if (wd_value_is(value, WD_KIND_ARRAY)) {
        return (int64_t)wd_array_count(value);
    }
    return wd_value_is(value, WD_KIND_OBJECT) ? (int64_t)wd_object_count(value) : -1;
}

static bool has_length(const wd_value *actual, const wd_value *argument)
{
    int64_t length = length_of(actual);
    return length >= 0 && wd_value_double_or(argument, -1.0) == (double)length;
}

bool wd_falsy(const wd_value *actual)
{
    if (actual == NULL || wd_value_is(actual, WD_KIND_NULL)) {
        return true;
    }
    if (wd_value_is(actual, WD_KIND_BOOL)) {
        return !wd_value_as_bool(actual);
    }
    return wd_value_is_number(actual) ? wd_value_as_double(actual) == 0.0 : length_of(actual) == 0;
}

static bool is_falsy(const wd_value *actual, const wd_value *argument)
{
    (void)argument;  // checked: the one predicate there is
    return wd_falsy(actual);
}

static bool takes_any(const wd_value *argument)
{
    (void)argument;
    return true;
}

static bool takes_order(const wd_value *argument)
{
    return wd_value_is_number(argument) || wd_value_is(argument, WD_KIND_STRING);
}

static bool takes_array(const wd_value *argument)
{
    return wd_value_is(argument, WD_KIND_ARRAY);
}

static bool takes_bool(const wd_value *argument)
{
    return wd_value_is(argument, WD_KIND_BOOL);
}

static bool takes_falsy(const wd_value *argument)
{
    return wd_value_is_text(argument, "falsy");
}

static const struct operator_row {
    const char *name;
    bool (*holds)(const wd_value *actual, const wd_value *argument);
    bool (*takes)(const wd_value *argument);
    const char *wants;
} operators[] = {
    { "$ne", is_unequal, takes_any, "any value" },
    { "$gt", is_greater, takes_order, "a number or a string" },
    { "$gte", is_greater_or_equal, takes_order, "a number or a string" },
    { "$lt", is_less, takes_order, "a number or a string" },
    { "$lte", is_less_or_equal, takes_order, "a number or a string" },
    { "$in", is_in, takes_array, "an array" },
    { "$contains", contains, takes_any, "any value" },
    { "$exists", exists, takes_bool, "true or false" },
    { "$len", has_length, wd_value_is_number, "a number" },
    { "$predicate", is_falsy, takes_falsy, "\"falsy\"" },
};

static const struct operator_row *find(const char *name)
{
    for (size_t i = 0; i < WD_COUNT_OF(operators); i++) {
        if (strcmp(operators[i].name, name) == 0) {
            return &operators[i];
        }
    }
    return NULL;
}

bool wd_operators_is(const wd_value *wanted)
{
    if (!wd_value_is(wanted, WD_KIND_OBJECT) || wd_object_count(wanted) == 0) {
        return false;
    }
    wd_iter iter = wd_iter_start(wanted);
    while (wd_iter_next(&iter)) {
        if (iter.key[0] != '$') {
            return false;
        }
    }
    return true;
}

wd_status wd_operators_check(const wd_value *wanted, wd_error *error)
{
    if (!wd_operators_is(wanted)) {
        return WD_OK;
    }
    wd_iter iter = wd_iter_start(wanted);
    while (wd_iter_next(&iter)) {
        const struct operator_row *row = find(iter.key);
        if (row == NULL) {
            return wd_error_set(error, WD_EINVAL, "unknown operator %s", iter.key);
        }
        if (!row->takes(iter.value)) {
            return wd_error_set(error, WD_EINVAL, "%s: expected %s", iter.key, row->wants);
        }
    }
    return WD_OK;
}

bool wd_operators_hold(const wd_value *wanted, const wd_value *actual)
{
    if (!wd_operators_is(wanted)) {
        return wd_value_equal(wanted, actual) || (actual == NULL && wd_value_is(wanted, WD_KIND_NULL));
    }
    wd_iter iter = wd_iter_start(wanted);
    while (wd_iter_next(&iter)) {
        if (!find(iter.key)->holds(actual, iter.value)) {
            return false;
        }
    }
    return true;
}
