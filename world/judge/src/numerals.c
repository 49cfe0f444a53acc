/// numerals.c - one table of numeral characters, one pass over each run of them.
#include "judge/numerals.h"

#include "characters.h"
#include "grow.h"

#include <string.h>

typedef enum numeral_kind { NUMERAL_DIGIT, NUMERAL_SMALL, NUMERAL_WAN, NUMERAL_YI } numeral_kind;

typedef struct numeral {
    uint32_t character;
    numeral_kind kind;
    int64_t value;
    size_t zeros;  // a unit's power of ten
} numeral;

static const numeral numerals[] = {
    { 0x96F6, NUMERAL_DIGIT, 0, 0 }, { 0x3007, NUMERAL_DIGIT, 0, 0 },         // 零 〇
    { 0x4E00, NUMERAL_DIGIT, 1, 0 }, { 0x58F9, NUMERAL_DIGIT, 1, 0 },         // 一 壹
    { 0x4E8C, NUMERAL_DIGIT, 2, 0 }, { 0x8D30, NUMERAL_DIGIT, 2, 0 },         // 二 贰
    { 0x4E24, NUMERAL_DIGIT, 2, 0 },                                          // 两
    { 0x4E09, NUMERAL_DIGIT, 3, 0 }, { 0x53C1, NUMERAL_DIGIT, 3, 0 },         // 三 叁
    { 0x56DB, NUMERAL_DIGIT, 4, 0 }, { 0x8086, NUMERAL_DIGIT, 4, 0 },         // 四 肆
    { 0x4E94, NUMERAL_DIGIT, 5, 0 }, { 0x4F0D, NUMERAL_DIGIT, 5, 0 },         // 五 伍
    { 0x516D, NUMERAL_DIGIT, 6, 0 }, { 0x9646, NUMERAL_DIGIT, 6, 0 },         // 六 陆
    { 0x4E03, NUMERAL_DIGIT, 7, 0 }, { 0x67D2, NUMERAL_DIGIT, 7, 0 },         // 七 柒
    { 0x516B, NUMERAL_DIGIT, 8, 0 }, { 0x634C, NUMERAL_DIGIT, 8, 0 },         // 八 捌
    { 0x4E5D, NUMERAL_DIGIT, 9, 0 }, { 0x7396, NUMERAL_DIGIT, 9, 0 },         // 九 玖
    { 0x5341, NUMERAL_SMALL, 10, 1 }, { 0x62FE, NUMERAL_SMALL, 10, 1 },       // 十 拾
    { 0x767E, NUMERAL_SMALL, 100, 2 }, { 0x4F70, NUMERAL_SMALL, 100, 2 },     // 百 佰
    { 0x5343, NUMERAL_SMALL, 1000, 3 }, { 0x4EDF, NUMERAL_SMALL, 1000, 3 },   // 千 仟
    { 0x4E07, NUMERAL_WAN, 10000, 4 }, { 0x4EBF, NUMERAL_YI, 100000000, 8 },  // 万 亿
};

static const numeral *numeral_at(const char *text, size_t length, size_t *ret_size)
{
    uint32_t character = wd_character_at(text, length, ret_size);
    for (size_t i = 0; character >= 0x3007 && i < WD_COUNT_OF(numerals); i++) {
        if (numerals[i].character == character) {
            return &numerals[i];
        }
    }
    return NULL;
}

/// Reading a run with units from left to right.
typedef struct reading {
    int64_t yi;       // closed by 亿
    int64_t wan;      // closed by 万 since then
    int64_t section;  // since the last of both, below 10000
    int64_t unit;     // last unit of the section, 10000 at its start
    int64_t digit;    // waiting for its unit, -1 for none
    int64_t last;     // unit right before the digit or the end of what was read, 0 when it is none
    bool zero;        // 零 waits for what it stands before
    bool wan_used, yi_used;
} reading;

static bool read_digit(reading *so_far, int64_t value, bool first)
{
    if (so_far->digit >= 0) {
        return false;
    }
    if (value == 0) {
        bool allowed = !so_far->zero && !first;
        so_far->zero = true;
        so_far->last = 0;
        return allowed;
    }
    so_far->digit = value;
    return true;
}

/// 十, 百, 千: units fall, each with a digit before it; 十 may lack it as the first of its section.
static bool read_small(reading *so_far, int64_t unit)
{
    bool lacks_digit = so_far->digit < 0;
    if (unit >= so_far->unit || (lacks_digit && (unit != 10 || so_far->unit < 10000))) {
        return false;
    }
    so_far->section += (lacks_digit ? 1 : so_far->digit) * unit;
    so_far->digit = -1;
    so_far->zero = false;
    so_far->unit = unit;
    so_far->last = unit;
    return true;
}

/// The digit before 万 or 亿 counts ones: it stands first in its section, after 十, or after 零.
static bool close_section(reading *so_far)
{
    if (so_far->digit >= 0) {
        if (!so_far->zero && so_far->unit != 10000 && so_far->unit != 10) {
            return false;
        }
        so_far->section += so_far->digit;
    } else if (so_far->zero) {
        return false;
    }
    so_far->digit = -1;
    so_far->zero = false;
    so_far->unit = 10000;
    return true;
}

static bool read_big(reading *so_far, const numeral *unit)
{
    if (!close_section(so_far)) {
        return false;
    }
    if (unit->kind == NUMERAL_WAN) {
        if (so_far->section == 0 || so_far->wan_used) {
            return false;
        }
        so_far->wan = so_far->section * unit->value;
        so_far->wan_used = true;
    } else {
        int64_t all = so_far->wan + so_far->section;
        if (all == 0 || so_far->yi_used) {
            return false;
        }
        so_far->yi = all * unit->value;
        so_far->yi_used = true;
        so_far->wan = 0;
        so_far->wan_used = false;
    }
    so_far->section = 0;
    so_far->last = unit->value;
    return true;
}

/// The last digit: tenths of the unit right before it, ones after 十 and 零.
static bool finish(const reading *so_far, int64_t *ret_number)
{
    int64_t number = so_far->yi + so_far->wan + so_far->section;
    if (so_far->digit < 0) {
        *ret_number = number;
        return !so_far->zero;
    }
    bool tenths = !so_far->zero && so_far->last >= 100;
    *ret_number = number + so_far->digit * (tenths ? so_far->last / 10 : 1);
    return true;
}

static bool read_run(const char *run, size_t length, int64_t *ret_number)
{
    reading so_far = { .unit = 10000, .digit = -1 };
    for (size_t at = 0, size = 0; at < length; at += size) {
        const numeral *one = numeral_at(run + at, length - at, &size);
        bool read = one->kind == NUMERAL_DIGIT   ? read_digit(&so_far, one->value, at == 0)
                    : one->kind == NUMERAL_SMALL ? read_small(&so_far, one->value)
                                                 : read_big(&so_far, one);
        if (!read) {
            return false;
        }
    }
    return finish(&so_far, ret_number);
}

// ---- runs in their text -----------------------------------------------------------------------------------

static bool is_ascii_digit(char c)
{
    return c >= '0' && c <= '9';
}

/// Bytes of the ASCII number text[..end) ends with: digits in groups of three or plain, and a fraction.
static size_t number_before(const char *text, size_t end)
{
    size_t at = end;
    while (at > 0 && is_ascii_digit(text[at - 1])) {
        at -= 1;
    }
    if (at > 1 && text[at - 1] == '.' && is_ascii_digit(text[at - 2])) {
        at -= 1;
        while (at > 0 && is_ascii_digit(text[at - 1])) {
            at -= 1;
        }
    }
    while (at > 1 && text[at - 1] == ',' && is_ascii_digit(text[at - 2])) {
        at -= 1;
        while (at > 0 && is_ascii_digit(text[at - 1])) {
            at -= 1;
        }
    }
    return end - at;
}

/// Append the number with its point moved right by `zeros`, without commas and leading zeros.
static wd_status append_shifted(const char *number, size_t length, size_t zeros, wd_buffer *buffer)
{
    const char *point = memchr(number, '.', length);
    size_t fraction = point != NULL ? (size_t)(number + length - point) - 1 : 0;
    size_t whole = fraction > zeros ? fraction - zeros : 0;  // digits that stay behind the point
    size_t digits_left = 0;
    for (size_t i = 0; i < length; i++) {
        digits_left += is_ascii_digit(number[i]);
    }
    bool leading = true;
    wd_status status = WD_OK;
    for (size_t i = 0; status == WD_OK && i < length; i++) {
        if (!is_ascii_digit(number[i])) {
            continue;
        }
        leading = leading && number[i] == '0' && digits_left > whole + 1 && digits_left > 1;
        if (!leading) {
            status = wd_buffer_append(buffer, &number[i], 1);
        }
        digits_left -= 1;
        if (status == WD_OK && whole > 0 && digits_left == whole) {
            status = wd_buffer_append(buffer, ".", 1);
        }
    }
    for (size_t i = fraction; status == WD_OK && i < zeros; i++) {
        status = wd_buffer_append(buffer, "0", 1);
    }
    return status;
}

typedef struct run {
    size_t start, length;  // in the text
    size_t units, digits;  // characters of either sort
    size_t zeros;          // power of ten of all units together
} run;

static run run_at(const char *text, size_t length, size_t start)
{
    run found = { .start = start };
    size_t size = 0;
    while (start + found.length < length) {
        const numeral *one = numeral_at(text + start + found.length, length - start - found.length, &size);
        if (one == NULL) {
            break;
        }
        found.units += one->kind != NUMERAL_DIGIT;
        found.digits += one->kind == NUMERAL_DIGIT;
        found.zeros += one->zeros;
        found.length += size;
    }
    return found;
}

static wd_status append_digits(const char *text, const run *found, wd_buffer *buffer)
{
    wd_status status = WD_OK;
    for (size_t at = 0, size = 0; status == WD_OK && at < found->length; at += size) {
        const numeral *one = numeral_at(text + found->start + at, found->length - at, &size);
        char digit = (char)('0' + one->value);
        status = wd_buffer_append(buffer, &digit, 1);
    }
    return status;
}

static wd_status append_run(const char *text, size_t length, const run *found, wd_buffer *buffer)
{
    size_t end = found->start + found->length;
    if (found->start > 0 && is_ascii_digit(text[found->start - 1])) {
        if (found->digits == 0 && !(end < length && is_ascii_digit(text[end]))) {
            size_t number = number_before(text, found->start);
            buffer->length -= number;  // it was copied as it is
            return append_shifted(text + found->start - number, number, found->zeros, buffer);
        }
    } else if (found->units == 0) {
        return append_digits(text, found, buffer);
    } else {
        int64_t number = 0;
        if (read_run(text + found->start, found->length, &number)) {
            return wd_buffer_format(buffer, "%lld", (long long)number);
        }
    }
    return wd_buffer_append(buffer, text + found->start, found->length);
}

wd_status wd_numerals_normalise(const char *text, size_t length, wd_buffer *buffer)
{
    wd_status status = wd_buffer_append(buffer, "", 0);
    for (size_t at = 0; status == WD_OK && at < length;) {
        run found = run_at(text, length, at);
        if (found.length > 0) {
            status = append_run(text, length, &found, buffer);
            at += found.length;
        } else {
            size_t size = 0;
            wd_character_at(text + at, length - at, &size);
            status = wd_buffer_append(buffer, text + at, size);
            at += size;
        }
    }
    return status;
}
