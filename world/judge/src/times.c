/// times.c - times of day and durations found in text (judge.md 6.7, 12.9). Digits are ASCII: numerals are
/// read before.
#include "answer_text.h"

#include <string.h>

enum { HOUR_MIN = 60, DAY_MIN = 24 * HOUR_MIN, TOLERANCE_MIN = 5, NUMBER_MAX = 100000000 };

/// A text being read; all `take` functions move past what they find, and stay put when they find nothing.
typedef struct reader {
    const char *text;
    size_t length, at;
} reader;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool digit_at(const reader *in, size_t at)
{
    return at < in->length && is_digit(in->text[at]);
}

/// min..max digits, all there are when there are no more than `max`.
static bool take_digits(reader *in, size_t min, size_t max, int64_t *ret_number)
{
    size_t count = 0;
    int64_t number = 0;
    while (count < max && digit_at(in, in->at + count)) {
        number = number < NUMBER_MAX ? number * 10 + (in->text[in->at + count] - '0') : number;
        count += 1;
    }
    if (count < min) {
        return false;
    }
    in->at += count;
    *ret_number = number;
    return true;
}

static bool take_word(reader *in, const char *word)
{
    size_t length = strlen(word);
    if (in->length - in->at < length || memcmp(in->text + in->at, word, length) != 0) {
        return false;
    }
    in->at += length;
    return true;
}

static void take_blanks(reader *in)
{
    while (in->at < in->length && (in->text[in->at] == ' ' || in->text[in->at] == '\t')) {
        in->at += 1;
    }
}

static bool at_number_start(const reader *in)
{
    return digit_at(in, in->at) && !(in->at > 0 && is_digit(in->text[in->at - 1]));
}

// ---- times ------------------------------------------------------------------------------------------------

typedef struct clock_time {
    size_t start, end;
    int hour, minute;
} clock_time;

/// H:MM or H点M at in->at: two digits of hour at most, valid, and no further digit touching.
static bool take_time(reader *in, bool colon, clock_time *ret_time)
{
    reader ahead = *in;
    int64_t hour = 0, minute = 0;
    if (!at_number_start(in) || !take_digits(&ahead, 1, 2, &hour)) {
        return false;
    }
    bool found = colon ? take_word(&ahead, ":") && take_digits(&ahead, 2, 2, &minute)
                       : take_word(&ahead, "点") && take_digits(&ahead, 1, 2, &minute);
    if (!found || digit_at(&ahead, ahead.at) || hour >= 24 || minute >= 60) {
        return false;
    }
    *ret_time = (clock_time){ .start = in->at, .end = ahead.at, .hour = (int)hour, .minute = (int)minute };
    in->at = ahead.at;
    return true;
}

static bool first_time(const char *text, size_t length, bool colon, clock_time *ret_time)
{
    for (reader in = { text, length, 0 }; in.at < length; in.at++) {
        if (take_time(&in, colon, ret_time)) {
            return true;
        }
    }
    return false;
}

bool wd_time_wanted(const char *text, size_t length, int *ret_minutes)
{
    clock_time time;
    if (!first_time(text, length, true, &time) && !first_time(text, length, false, &time)) {
        return false;
    }
    *ret_minutes = time.hour * HOUR_MIN + time.minute;
    return true;
}

static bool ends_with(const char *text, size_t length, const char *word)
{
    size_t word_length = strlen(word);
    return length >= word_length && memcmp(text + length - word_length, word, word_length) == 0;
}

/// The hour with the part of the day that stands right before it.
static int day_hour(const char *text, const clock_time *time)
{
    size_t end = time->start;
    while (end > 0 && (text[end - 1] == ' ' || text[end - 1] == '\t')) {
        end -= 1;
    }
    bool late = ends_with(text, end, "下午") || ends_with(text, end, "晚上");
    bool early = ends_with(text, end, "上午") || ends_with(text, end, "早上") || ends_with(text, end, "凌晨");
    if (late && time->hour < 12) {
        return time->hour + 12;
    }
    return early && time->hour == 12 ? 0 : time->hour;
}

bool wd_time_given(const char *text, size_t length, int minutes)
{
    for (reader in = { text, length, 0 }; in.at < length;) {
        clock_time time;
        if (!take_time(&in, true, &time) && !take_time(&in, false, &time)) {
            in.at += 1;
            continue;
        }
        int apart = (day_hour(text, &time) * HOUR_MIN + time.minute - minutes + DAY_MIN) % DAY_MIN;
        if (apart <= TOLERANCE_MIN || apart >= DAY_MIN - TOLERANCE_MIN) {
            return true;
        }
    }
    return false;
}

// ---- durations --------------------------------------------------------------------------------------------

/// A number and its unit, blanks between them allowed.
static bool take_amount(reader *in, const char *unit, int64_t *ret_amount)
{
    reader ahead = *in;
    int64_t amount = 0;
    if (!at_number_start(in) || !take_digits(&ahead, 1, SIZE_MAX, &amount)) {
        return false;
    }
    take_blanks(&ahead);
    if (!take_word(&ahead, unit)) {
        return false;
    }
    in->at = ahead.at;
    *ret_amount = amount;
    return true;
}

static bool take_hours(reader *in, int64_t *ret_hours)
{
    return take_amount(in, "小时", ret_hours);
}

static bool take_minutes(reader *in, int64_t *ret_minutes)
{
    return take_amount(in, "分", ret_minutes);
}

/// H:MM that is no part of H:MM:SS: minutes below 60 in two digits, no third one.
static bool take_span(reader *in, int64_t *ret_minutes)
{
    reader ahead = *in;
    int64_t hours = 0, minutes = 0;
    bool found = at_number_start(in) && !(in->at > 0 && in->text[in->at - 1] == ':') &&
                 take_digits(&ahead, 1, SIZE_MAX, &hours) && take_word(&ahead, ":") &&
                 take_digits(&ahead, 2, 2, &minutes) && minutes < HOUR_MIN && !digit_at(&ahead, ahead.at) &&
                 !(ahead.at < ahead.length && ahead.text[ahead.at] == ':');
    if (found) {
        *ret_minutes = hours * HOUR_MIN + minutes;
        in->at = ahead.at;
    }
    return found;
}

/// The first place where `take` finds something.
static bool find(const char *text, size_t length, bool (*take)(reader *, int64_t *), int64_t *ret_number)
{
    for (reader in = { text, length, 0 }; in.at < length; in.at++) {
        if (take(&in, ret_number)) {
            return true;
        }
    }
    return false;
}

bool wd_duration_wanted(const char *text, size_t length, int64_t *ret_minutes)
{
    int64_t hours = 0, minutes = 0;
    bool has_hours = find(text, length, take_hours, &hours);
    bool has_minutes = find(text, length, take_minutes, &minutes);
    *ret_minutes = hours * HOUR_MIN + minutes;
    return has_hours || has_minutes || find(text, length, take_span, ret_minutes);
}

/// H小时M分, H小时 or M分 at in->at.
static bool take_spoken_span(reader *in, int64_t *ret_minutes)
{
    int64_t hours = 0, minutes = 0;
    if (take_hours(in, &hours)) {
        take_blanks(in);
        take_minutes(in, &minutes);
        *ret_minutes = hours * HOUR_MIN + minutes;
        return true;
    }
    return take_minutes(in, ret_minutes);
}

static bool take_plain(reader *in, int64_t *ret_minutes)
{
    return at_number_start(in) && take_digits(in, 1, SIZE_MAX, ret_minutes);
}

/// Does `take` find `wanted` anywhere?
static bool tells(const char *text, size_t length, bool (*take)(reader *, int64_t *), int64_t wanted)
{
    for (reader in = { text, length, 0 }; in.at < length;) {
        int64_t found = 0;
        if (!take(&in, &found)) {
            in.at += 1;
        } else if (found == wanted) {
            return true;
        }
    }
    return false;
}

bool wd_duration_given(const char *text, size_t length, int64_t minutes)
{
    return tells(text, length, take_spoken_span, minutes) || tells(text, length, take_span, minutes) ||
           tells(text, length, take_plain, minutes);
}
