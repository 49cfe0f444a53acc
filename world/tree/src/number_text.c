// number_text.c - doubles to text and back, exactly, whatever the locale.
#include "number_text.h"

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

// The shortest digits d1 d2 .. dn with number = 0.d1d2..dn * 10^point; returns n.
static int shortest_digits(double number, char digits[DIGITS_MAX], int *ret_point)
{
    char text[40];
    for (int precision = 1; precision <= DIGITS_MAX; precision++) {
        snprintf(text, sizeof(text), "%.*e", precision - 1, number);
        int count = 0;
        char *at = text;
        for (; *at != 'e'; at++) {
            if (*at >= '0' && *at <= '9') {
                digits[count++] = *at;  // the decimal point is the locale's, so it is not looked at
            }
        }
        int exponent = (int)strtol(at + 1, NULL, 10);
        char again[40];
        snprintf(again, sizeof(again), "%.*se%d", count, digits, exponent - count + 1);
        if (precision == DIGITS_MAX || wd_double_of_text(again) == number) {
            while (count > 1 && digits[count - 1] == '0') {
                count -= 1;
            }
            *ret_point = exponent + 1;
            return count;
        }
    }
    return 0;
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
    return out + snprintf(out, 8, "e%c%02d", exponent < 0 ? '-' : '+', abs(exponent));
}

size_t wd_double_text(double number, char ret_text[WD_DOUBLE_TEXT_SIZE])
{
    char *out = ret_text;
    if (signbit(number)) {
        *out++ = '-';
        number = -number;
    }
    char digits[DIGITS_MAX] = "0";
    int point = 1;
    int count = number == 0 ? 1 : shortest_digits(number, digits, &point);
    // The same borders as Python and JavaScript draw, nearly: plain from 0.0001 up to 16 digits.
    out = point > -4 && point <= 16 ? write_plain(out, digits, count, point)
                                    : write_exponent(out, digits, count, point);
    *out = '\0';
    return (size_t)(out - ret_text);
}
