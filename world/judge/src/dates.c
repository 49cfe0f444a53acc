/// dates.c - the texts a date goes by (judge.md 6.7, J13).
#include "judge/answers.h"

#include <stdio.h>

typedef struct date {
    int year, month, day;
} date;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/// Days since 1970-01-01 of a date of the proleptic Gregorian calendar.
static int64_t day_number(date when)
{
    int64_t year = when.month <= 2 ? when.year - 1 : when.year;
    int64_t era = (year >= 0 ? year : year - 399) / 400;
    int64_t of_era = year - era * 400;
    int64_t of_year = (153 * (when.month + (when.month > 2 ? -3 : 9)) + 2) / 5 + when.day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/// Monday is 0.
static int week_day(int64_t day)
{
    return (int)(((day + 3) % 7 + 7) % 7);
}

static bool is_valid(date when)
{
    static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    if (when.year < 1 || when.month < 1 || when.month > 12 || when.day < 1) {
        return false;
    }
    bool leap = (when.year % 4 == 0 && when.year % 100 != 0) || when.year % 400 == 0;
    return when.day <= days[when.month - 1] + (when.month == 2 && leap);
}

static int read_digits(const char *text, size_t count)
{
    int number = 0;
    for (size_t i = 0; i < count; i++) {
        number = number * 10 + (text[i] - '0');
    }
    return number;
}

/// YYYYMMDD at the start, and after it nothing or a time.
static bool parse_compact(const char *text, size_t length, date *ret_date)
{
    for (size_t i = 0; i < 8; i++) {
        if (i >= length || !is_digit(text[i])) {
            return false;
        }
    }
    if (length > 8 && text[8] != 'T' && text[8] != ' ') {
        return false;
    }
    *ret_date = (date){ read_digits(text, 4), read_digits(text + 4, 2), read_digits(text + 6, 2) };
    return is_valid(*ret_date);
}

/// A number of at most `max` digits from *at_p on, after at least one character that is no digit.
static bool next_number(const char *text, size_t length, size_t *at_p, size_t max, int *ret_number)
{
    size_t at = *at_p;
    while (at < length && !is_digit(text[at])) {
        at += 1;
    }
    size_t count = 0;
    while (count < max && at + count < length && is_digit(text[at + count])) {
        count += 1;
    }
    if (at == *at_p || count == 0) {
        return false;
    }
    *ret_number = read_digits(text + at, count);
    *at_p = at + count;
    return true;
}

/// The first "4 digits, others, 1-2 digits, others, 1-2 digits"; ISO forms with separators are of this shape
/// too.
static bool parse_loose(const char *text, size_t length, date *ret_date)
{
    for (size_t start = 0; start + 4 <= length; start++) {
        size_t at = start;
        while (at < start + 4 && is_digit(text[at])) {
            at += 1;
        }
        date when = { 0 };
        if (at == start + 4 && next_number(text, length, &at, 2, &when.month) &&
            next_number(text, length, &at, 2, &when.day)) {
            when.year = read_digits(text + start, 4);
            *ret_date = when;
            return is_valid(when);
        }
    }
    return false;
}

typedef struct label_list {
    wd_value *labels;
    wd_status status;  // of the first failure; later labels are not added
} label_list;

static void add_label(label_list *list, const char *text)
{
    wd_value *label = NULL;
    if (list->status == WD_OK) {
        list->status = wd_value_text(text, &label);
    }
    if (list->status == WD_OK) {
        list->status = wd_array_append(&list->labels, &label);
    }
    wd_value_unref(&label);
}

enum { LABEL_SIZE = 48 };

/// Names that need no clock.
static void add_plain_labels(label_list *list, date when, const char *week_day_name)
{
    char text[LABEL_SIZE];
    snprintf(text, sizeof text, "%04d-%02d-%02d", when.year, when.month, when.day);
    add_label(list, text);
    add_label(list, text + 5);  // MM-DD
    for (size_t i = 0; i < 2; i++) {
        snprintf(text, sizeof text, i == 0 ? "%d月%d日" : "%d月%d号", when.month, when.day);
        add_label(list, text);
        snprintf(text, sizeof text, i == 0 ? "%d日" : "%d号", when.day);
        add_label(list, text);
        snprintf(text, sizeof text, i == 0 ? "周%s" : "星期%s", week_day_name);
        add_label(list, text);
    }
}

/// 今天 to 大后天, 这周X later this week, 下周X in the week from Monday to Sunday after it.
static void add_clock_labels(label_list *list, int64_t day, int64_t today, const char *week_day_name)
{
    static const char *const names[] = { "今天", "明天", "后天", "大后天" };
    int64_t ahead = day - today;
    if (ahead >= 0 && ahead < (int64_t)WD_COUNT_OF(names)) {
        add_label(list, names[ahead]);
    }
    int64_t next_monday = today - week_day(today) + 7;
    char text[LABEL_SIZE];
    if (ahead > 0 && day < next_monday) {
        snprintf(text, sizeof text, "这周%s", week_day_name);
        add_label(list, text);
    } else if (day >= next_monday && day < next_monday + 7) {
        snprintf(text, sizeof text, "下周%s", week_day_name);
        add_label(list, text);
    }
}

static int64_t floor_div(int64_t number, int64_t by)
{
    return number / by - (number % by < 0);
}

wd_status wd_answer_date_labels(const char *text, size_t length, wd_answer_clock clock, wd_value **ret_labels)
{
    static const char *const week_days[] = { "一", "二", "三", "四", "五", "六", "日" };
    label_list list = { .labels = wd_value_array(), .status = WD_OK };
    date when = { 0 };
    if (parse_compact(text, length, &when) || parse_loose(text, length, &when)) {
        int64_t day = day_number(when);
        const char *name = week_days[week_day(day)];
        add_plain_labels(&list, when, name);
        if (clock.known) {
            int64_t local_s = floor_div(clock.ms, 1000) + (int64_t)clock.utc_offset_min * 60;
            add_clock_labels(&list, day, floor_div(local_s, 86400), name);
        }
    } else {
        wd_value *label = NULL;
        list.status = wd_value_string(text, length, &label);
        list.status = list.status == WD_OK ? wd_array_append(&list.labels, &label) : list.status;
        wd_value_unref(&label);
    }
    if (list.status != WD_OK) {
        wd_value_unref(&list.labels);
        return list.status;
    }
    *ret_labels = list.labels;
    return WD_OK;
}
