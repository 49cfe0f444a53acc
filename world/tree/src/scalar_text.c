// scalar_text.c - scalars to text, and doubles back, exactly, whatever the locale.
#include "scalar_text.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS_MAX = 17 };  // no double needs more

static locale_t c_locale(void)
{
    static locale_t locale;  // glibc's "C" is static: nothing to free, and setting it twice gives the same
    locale_t now = __atomic_load_n(&locale, __ATOMIC_ACQUIRE);
    if (now == (locale_t)0) {
        now = newlocale(LC_ALL_MASK, "C", (locale_t)0);
        wd_assert(now != (locale_t)0);
        __atomic_store_n(&locale, now, __ATOMIC_RELEASE);
    }
    return now;
}

double wd_double_of_text(const char *text)
{
    return strtod_l(text, NULL, c_locale());
}

static const double powers_of_ten[] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12,
    1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
enum { POWER_MAX = 22 };  // the last power of ten that is a double

bool wd_double_of_decimal(uint64_t mantissa, int64_t exponent, double *ret_number)
{
    // Both factors are exact doubles, so the one multiplication or division rounds correctly.
    if (mantissa > (uint64_t)1 << 53 || exponent < -POWER_MAX || exponent > POWER_MAX) {
        return false;
    }
    double number = (double)mantissa;
    *ret_number = exponent < 0 ? number / powers_of_ten[-exponent] : number * powers_of_ten[exponent];
    return true;
}

size_t wd_int_text(int64_t number, char ret_text[WD_DOUBLE_TEXT_SIZE])
{
    char text[20];  // -9223372036854775808
    char *at = text + sizeof(text);
    uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    do {
        *--at = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest != 0);
    if (number < 0) {
        *--at = '-';
    }
    size_t length = (size_t)(text + sizeof(text) - at);
    memcpy(ret_text, at, length);
    ret_text[length] = '\0';
    return length;
}

// ---- shortest digits ------------------------------------------------------------------------------------------

// A decimal 0.d1d2..dn * 10^point.
typedef struct decimal_text {
    char digits[DIGITS_MAX + 1];
    int count, point;
} decimal_text;

static void decimal_trim(decimal_text *decimal)
{
    while (decimal->count > 1 && decimal->digits[decimal->count - 1] == '0') {
        decimal->count -= 1;
    }
}

static double decimal_value(const decimal_text *decimal)
{
    char text[40];
    snprintf(text, sizeof(text), "%.*se%d", decimal->count, decimal->digits, decimal->point - decimal->count);
    return wd_double_of_text(text);
}

// The number rounded to so many digits.
static void decimal_round(double number, int precision, decimal_text *decimal)
{
    char text[40];
    snprintf(text, sizeof(text), "%.*e", precision - 1, number);
    decimal->count = 0;
    const char *at = text;
    for (; *at != 'e'; at++) {
        if (*at >= '0' && *at <= '9') {
            decimal->digits[decimal->count++] =
                *at;  // the decimal point is the locale's, so it is not looked at
        }
    }
    decimal->point = (int)strtol(at + 1, NULL, 10) + 1;
}

// The next larger decimal of as many digits; false when it would get longer.
static bool decimal_up(decimal_text *decimal)
{
    int at = decimal->count - 1;
    while (at >= 0 && decimal->digits[at] == '9') {
        decimal->digits[at--] = '0';
    }
    if (at >= 0) {
        decimal->digits[at] += 1;
    }
    return at >= 0;
}

// Few digits, no exponent to speak of: what people write. m / 10^k is rounded once, so when it gives the number
// back, m's digits are right; and of up to 15 digits only one decimal lies within a double's reach.
static bool decimal_easy(double number, decimal_text *decimal)
{
    for (int k = 0; k <= 15; k++) {
        double scaled = number * powers_of_ten[k];
        if (!(scaled < 1e15)) {
            return false;
        }
        double whole = (double)(int64_t)(scaled + 0.5);
        if (whole / powers_of_ten[k] != number || whole == 0) {
            continue;
        }
        char text[WD_DOUBLE_TEXT_SIZE];
        size_t length = wd_int_text((int64_t)whole, text);
        memcpy(decimal->digits, text, length);
        decimal->count = (int)length;
        decimal->point = (int)length - k;
        decimal_trim(decimal);
        return true;
    }
    return false;
}

// Fifteen digits, when they suffice, are the shortest but for zeros, since no two decimals of 15 digits lie within
// one double's reach; that holds for normal numbers only. Seventeen always suffice.
static void decimal_shortest(double number, decimal_text *decimal)
{
    if (decimal_easy(number, decimal)) {
        return;
    }
    int exponent;
    bool power_of_two = frexp(number, &exponent) == 0.5;
    int precision = fpclassify(number) == FP_NORMAL ? 15 : 1;
    for (;; precision++) {
        decimal_round(number, precision, decimal);
        if (precision == DIGITS_MAX || decimal_value(decimal) == number) {
            break;
        }
        // The reach of a power of two is wider above than below: the nearest decimal may lie outside below, and the
        // next one inside above.
        if (power_of_two && decimal_up(decimal) && decimal_value(decimal) == number) {
            break;
        }
    }
    decimal_trim(decimal);
}

// ---- text -----------------------------------------------------------------------------------------------------

// Digits with the point after `point` of them, zeros filled in; no exponent.
static char *write_plain(char *out, const char *digits, int count, int point)
{
    if (point <= 0) {
        *out++ = '0';
        *out++ = '.';
        for (int i = point; i < 0; i++) {
            *out++ = '0';
        }
        memcpy(out, digits, (size_t)count);
        return out + count;
    }
    for (int i = 0; i < point; i++) {
        *out++ = i < count ? digits[i] : '0';
    }
    *out++ = '.';
    if (count <= point) {
        *out++ = '0';
        return out;
    }
    memcpy(out, digits + point, (size_t)(count - point));
    return out + (count - point);
}

static char *write_exponent(char *out, const char *digits, int count, int point)
{
    *out++ = digits[0];
    if (count > 1) {
        *out++ = '.';
        memcpy(out, digits + 1, (size_t)(count - 1));
        out += count - 1;
    }
    int exponent = point - 1;
    *out++ = 'e';
    *out++ = exponent < 0 ? '-' : '+';
    exponent = abs(exponent);
    if (exponent < 10) {
        *out++ = '0';
    }
    return out + wd_int_text(exponent, out);
}

size_t wd_double_text(double number, char ret_text[WD_DOUBLE_TEXT_SIZE])
{
    char *out = ret_text;
    if (signbit(number)) {
        *out++ = '-';
        number = -number;
    }
    decimal_text decimal = { .digits = "0", .count = 1, .point = 1 };
    if (number != 0) {
        decimal_shortest(number, &decimal);
    }
    // The same borders as Python draws: plain from 0.0001 up to 16 digits.
    bool plain = decimal.point > -4 && decimal.point <= 16;
    out = (plain ? write_plain : write_exponent)(out, decimal.digits, decimal.count, decimal.point);
    *out = '\0';
    return (size_t)(out - ret_text);
}

const char *wd_scalar_bytes(const wd_value *scalar, char number[WD_DOUBLE_TEXT_SIZE], size_t *ret_length)
{
    const char *text = number;
    switch (wd_value_kind(scalar)) {
    case WD_KIND_NULL:
        *ret_length = 4;
        return "null";
    case WD_KIND_BOOL:
        text = wd_value_as_bool(scalar) ? "true" : "false";
        *ret_length = strlen(text);
        return text;
    case WD_KIND_INT:
        *ret_length = wd_int_text(wd_value_as_int(scalar), number);
        return text;
    case WD_KIND_DOUBLE:
        *ret_length = wd_double_text(wd_value_as_double(scalar), number);
        return text;
    case WD_KIND_STRING:
        return wd_value_as_string(scalar, ret_length);
    default:
        return NULL;
    }
}
