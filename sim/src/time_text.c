#include "time_text.h"

#include "managers.h"

#include <string.h>

enum { SECOND_MS = 1000, MINUTE_MS = 60000, HOUR_MS = 3600000, DAY_MS = 86400000 };

int64_t wd_zone_min(const wd_machine *machine)
{
    return wd_value_int_or(wd_machine_get(machine, WD_AT("sys", "zone")), 0);
}

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && (a % b < 0) != (b < 0) ? 1 : 0);
}

// Days since 1970-01-01 and back, proleptic Gregorian, in eras of 400 years that begin in March.
static int64_t days_of_date(int64_t year, int64_t month, int64_t day)
{
    year -= month <= 2 ? 1 : 0;
    int64_t era = floor_div(year, 400), year_of_era = year - era * 400;
    int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719468;
}

static void date_of_days(int64_t days, wd_civil *ret_date)
{
    days += 719468;
    int64_t era = floor_div(days, 146097), day_of_era = days - era * 146097;
    int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t month = (5 * day_of_year + 2) / 153;
    ret_date->day = (int)(day_of_year - (153 * month + 2) / 5 + 1);
    ret_date->month = (int)(month < 10 ? month + 3 : month - 9);
    ret_date->year = year_of_era + era * 400 + (ret_date->month <= 2 ? 1 : 0);
}

wd_civil wd_civil_local(int64_t time_ms, int64_t zone_min)
{
    wd_civil date = { 0 };
    int64_t local = time_ms + zone_min * MINUTE_MS, days = floor_div(local, DAY_MS),
            rest = local - days * DAY_MS;
    date_of_days(days, &date);
    date.hour = (int)(rest / HOUR_MS);
    date.minute = (int)(rest / MINUTE_MS % 60);
    date.second = (int)(rest / SECOND_MS % 60);
    date.ms = (int)(rest % SECOND_MS);
    date.weekday = (int)(((days + 4) % 7 + 7) % 7);  // 1970-01-01 was a Thursday
    return date;
}

int64_t wd_time_of_parts(const int64_t parts[7], int64_t zone_min)
{
    int64_t month = parts[1] - 1, year = parts[0] + floor_div(month, 12);
    int64_t days = days_of_date(year, month - floor_div(month, 12) * 12 + 1, 1) + parts[2] - 1;
    return days * DAY_MS + parts[3] * HOUR_MS + parts[4] * MINUTE_MS + parts[5] * SECOND_MS + parts[6] -
           zone_min * MINUTE_MS;
}

// ---- reading ----------------------------------------------------------------------------------------------

/// Read `count` digits off the front of `text`.
static bool take_number(wd_slice *text, size_t count, int64_t *ret_number)
{
    int64_t number = 0;
    if (text->length < count) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        char c = text->bytes[i];
        if (c < '0' || c > '9') {
            return false;
        }
        number = number * 10 + (c - '0');
    }
    text->bytes += count;
    text->length -= count;
    *ret_number = number;
    return true;
}

static bool take_char(wd_slice *text, const char *set)
{
    if (text->length == 0 || strchr(set, text->bytes[0]) == NULL) {
        return false;
    }
    text->bytes++;
    text->length--;
    return true;
}

static bool take_fraction(wd_slice *text, int64_t *ret_ms)
{
    int64_t digit = 0, scale = 100;
    size_t count = 0;
    *ret_ms = 0;
    for (; take_number(text, 1, &digit); count++) {
        *ret_ms += digit * scale;
        scale /= 10;
    }
    return count > 0;
}

/// 'Z' or "+08:00"; nothing leaves the zone as it is.
static bool take_zone(wd_slice *text, int64_t *zone_min)
{
    int64_t hours = 0, minutes = 0;
    if (take_char(text, "Zz")) {
        *zone_min = 0;
        return true;
    }
    bool negative = text->length > 0 && text->bytes[0] == '-';
    if (!take_char(text, "+-")) {
        return true;
    }
    bool read =
        take_number(text, 2, &hours) && (take_char(text, ":") || true) && take_number(text, 2, &minutes);
    *zone_min = (hours * 60 + minutes) * (negative ? -1 : 1);
    return read;
}

bool wd_time_parse(wd_slice text, int64_t zone_min, int64_t *ret_time_ms)
{
    int64_t parts[7] = { 0 };
    text = wd_slice_trim(text.bytes, text.length);
    if (!take_number(&text, 4, &parts[0]) || !take_char(&text, "-") || !take_number(&text, 2, &parts[1]) ||
        !take_char(&text, "-") || !take_number(&text, 2, &parts[2])) {
        return false;
    }
    if (take_char(&text, " Tt")) {
        if (!take_number(&text, 2, &parts[3]) || !take_char(&text, ":") ||
            !take_number(&text, 2, &parts[4])) {
            return false;
        }
        if (take_char(&text, ":") && !take_number(&text, 2, &parts[5])) {
            return false;
        }
        if (take_char(&text, ".") && !take_fraction(&text, &parts[6])) {
            return false;
        }
        if (!take_zone(&text, &zone_min)) {
            return false;
        }
    }
    if (text.length > 0 || parts[1] < 1 || parts[1] > 12 || parts[2] < 1 || parts[2] > 31 || parts[3] > 24 ||
        parts[4] > 59 || parts[5] > 59) {
        return false;
    }
    *ret_time_ms = wd_time_of_parts(parts, zone_min);
    return true;
}

bool wd_duration_parse(wd_slice text, int64_t *ret_ms)
{
    static const struct unit {
        char letter;
        int64_t ms;
    } units[] = { { 'w', INT64_C(7) * DAY_MS }, { 'd', DAY_MS }, { 'h', HOUR_MS }, { 'm', MINUTE_MS },
        { 's', SECOND_MS } };
    enum { DIGITS_MAX = 9 };  // so that sums stay far inside int64
    text = wd_slice_trim(text.bytes, text.length);
    bool negative = text.length > 0 && text.bytes[0] == '-';
    int64_t sum = 0;
    (void)take_char(&text, "+-");
    size_t terms = 0;
    for (; text.length > 0; terms++) {
        int64_t number = 0, digit = 0, unit_ms = 0;
        size_t digits = 0;
        while (digits < DIGITS_MAX && take_number(&text, 1, &digit)) {
            number = number * 10 + digit;
            digits++;
        }
        for (size_t i = 0; digits > 0 && text.length > 0 && i < WD_COUNT_OF(units); i++) {
            unit_ms = text.bytes[0] == units[i].letter ? units[i].ms : unit_ms;
        }
        if (unit_ms == 0 || terms >= 64) {
            return false;
        }
        sum += number * unit_ms;
        text.bytes++;
        text.length--;
    }
    *ret_ms = negative ? -sum : sum;
    return terms > 0;
}

// ---- writing ----------------------------------------------------------------------------------------------

wd_status wd_clock_text(const wd_machine *machine, wd_value **ret_text)
{
    wd_civil date = wd_civil_local(wd_machine_now(machine), wd_zone_min(machine));
    // Told anew at each step, so not worth a printf.
    const char text[] = { (char)('0' + date.hour / 10), (char)('0' + date.hour % 10), ':',
        (char)('0' + date.minute / 10), (char)('0' + date.minute % 10) };
    return wd_value_string(text, sizeof text, ret_text);
}

wd_status wd_date_text(wd_civil date, int locale, wd_value **ret_text)
{
    static const char *const months[] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep",
        "Oct", "Nov", "Dec" };
    return locale == WD_LOCALE_EN ? wd_value_format(ret_text, "%s %d", months[date.month - 1], date.day)
                                  : wd_value_format(ret_text, "%d月%d日", date.month, date.day);
}

const char *wd_weekday_text(wd_civil date, int locale)
{
    static const char *const english[] = { "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat" };
    static const char *const chinese[] = { "周日", "周一", "周二", "周三", "周四", "周五", "周六" };
    return locale == WD_LOCALE_EN ? english[date.weekday] : chinese[date.weekday];
}
