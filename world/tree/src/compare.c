// compare.c - equality and the order of numbers.
#include "key.h"

#include <math.h>

static int sign(bool less, bool greater)
{
    return (int)greater - (int)less;
}

// An int against a double, exactly: no int is turned into a double that it is not.
static int compare_int_double(int64_t integer, double real)
{
    if (real >= 0x1p63) {
        return -1;
    }
    if (real < -0x1p63) {
        return 1;
    }
    int64_t whole = (int64_t)real;  // towards zero
    if (integer != whole) {
        return sign(integer<whole, integer> whole);
    }
    double rest = real - trunc(real);
    return sign(rest > 0, rest < 0);
}

int wd_number_compare(const wd_value *a, const wd_value *b)
{
    bool a_int = wd_value_is(a, WD_KIND_INT), b_int = wd_value_is(b, WD_KIND_INT);
    if (a_int && b_int) {
        int64_t x = wd_value_as_int(a), y = wd_value_as_int(b);
        return sign(x<y, x> y);
    }
    if (a_int) {
        return compare_int_double(wd_value_as_int(a), wd_value_as_double(b));
    }
    if (b_int) {
        return -compare_int_double(wd_value_as_int(b), wd_value_as_double(a));
    }
    double x = wd_value_as_double(a), y = wd_value_as_double(b);
    return sign(x<y, x> y);
}

static bool string_equal(const wd_value *a, const wd_value *b)
{
    size_t a_length, b_length;
    const char *a_text = wd_value_as_string(a, &a_length);
    const char *b_text = wd_value_as_string(b, &b_length);
    return a_length == b_length && memcmp(a_text, b_text, a_length) == 0;
}

static bool array_equal(const wd_value *a, const wd_value *b)
{
    if (wd_array_count(a) != wd_array_count(b)) {
        return false;
    }
    wd_iter x = wd_iter_start(a), y = wd_iter_start(b);
    while (wd_iter_next(&x) && wd_iter_next(&y)) {
        if (!wd_value_equal(x.value, y.value)) {
            return false;
        }
    }
    return true;
}

static bool object_equal(const wd_value *a, const wd_value *b)
{
    if (wd_object_count(a) != wd_object_count(b)) {
        return false;
    }
    wd_iter iter = wd_iter_start(a);
    while (wd_iter_next(&iter)) {
        if (!wd_value_equal(iter.value, wd_object_get_n(b, iter.key, iter.key_length))) {
            return false;
        }
    }
    return true;
}

bool wd_value_equal(const wd_value *a, const wd_value *b)
{
    if (a == b) {
        return true;
    }
    if (a == NULL || b == NULL) {
        return false;
    }
    if (wd_value_is_number(a) && wd_value_is_number(b)) {
        return wd_number_compare(a, b) == 0;
    }
    wd_kind kind = wd_value_kind(a);
    if (kind != wd_value_kind(b)) {
        return false;
    }
    switch (kind) {
    case WD_KIND_STRING:
        return string_equal(a, b);
    case WD_KIND_ARRAY:
        return array_equal(a, b);
    case WD_KIND_OBJECT:
        return object_equal(a, b);
    default:
        return false;  // equal null and bool are the same immediate
    }
}
