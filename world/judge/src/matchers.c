/// matchers.c - one field of an answer sheet: what was put in against what was wanted (judge.md 6.7).
#include "answer_text.h"

#include "characters.h"
#include "judge/numerals.h"
#include "tree/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- exact ------------------------------------------------------------------------------------------------

static wd_status match_exact(
    const wd_value *wanted, const wd_value *given, wd_answer_clock clock, bool *ret_match)
{
    (void)clock;
    wd_buffer left = { 0 };
    wd_buffer right = { 0 };
    wd_status status = wd_answer_normal_text(wanted, true, &left);
    status = status == WD_OK ? wd_answer_normal_text(given, true, &right) : status;
    *ret_match = status == WD_OK && strcmp(left.bytes, right.bytes) == 0;
    wd_buffer_done(&left);
    wd_buffer_done(&right);
    return status;
}

// ---- number -----------------------------------------------------------------------------------------------

/// Copy text as ASCII, digits of any script turned into 0-9, `_` between digits dropped; false: no number's
/// text.
static bool plain_number(const char *text, size_t length, char *plain, size_t size)
{
    size_t used = 0;
    bool after_digit = false;
    for (size_t at = 0, step = 0; at < length; at += step) {
        uint32_t character = wd_character_at(text + at, length - at, &step);
        int digit = wd_character_digit(character);
        if (character == '_') {
            size_t next = 0;
            bool before_digit = at + 1 < length && wd_character_digit(wd_character_at(
                                                       text + at + 1, length - at - 1, &next)) >= 0;
            if (!after_digit || !before_digit) {
                return false;
            }
            continue;
        }
        if (used + 1 >= size ||
            (digit < 0 && (character >= 0x80 || strchr("+-.eE", (int)character) == NULL))) {
            return false;
        }
        after_digit = digit >= 0;
        plain[used++] = digit >= 0 ? (char)('0' + digit) : (char)character;
    }
    plain[used] = '\0';
    return used > 0;
}

static bool is_infinity(const char *text, size_t length, double *ret_number)
{
    bool negative = length > 0 && text[0] == '-';
    if (length > 0 && (text[0] == '+' || text[0] == '-')) {
        text += 1;
        length -= 1;
    }
    bool infinite = (length == 3 && strncasecmp(text, "inf", 3) == 0) ||
                    (length == 8 && strncasecmp(text, "infinity", 8) == 0);
    *ret_number = negative ? -INFINITY : INFINITY;
    return infinite;
}

enum { NUMBER_TEXT_SIZE = 512 };

/// What Python's float() takes: sign, `.5`, `3.`, exponents, `1_234`, digits of any script, inf; not nan,
/// which equals nothing anyway.
static bool number_of(const wd_value *value, double *ret_number)
{
    if (wd_value_is_number(value)) {
        *ret_number = wd_value_as_double(value);
        return true;
    }
    if (!wd_value_is(value, WD_KIND_STRING)) {
        return false;
    }
    size_t length = 0;
    const char *text = wd_value_as_string(value, &length);
    wd_text_trim(&text, &length);
    char plain[NUMBER_TEXT_SIZE];
    if (is_infinity(text, length, ret_number)) {
        return true;
    }
    if (!plain_number(text, length, plain, sizeof plain)) {
        return false;
    }
    char *end = NULL;
    *ret_number = strtod(plain, &end);
    return *end == '\0' && end != plain;
}

static wd_status match_number(
    const wd_value *wanted, const wd_value *given, wd_answer_clock clock, bool *ret_match)
{
    (void)clock;
    double left = 0.0, right = 0.0;
    *ret_match = number_of(wanted, &left) && number_of(given, &right) && wd_answer_close(left, right);
    return WD_OK;
}

// ---- date -------------------------------------------------------------------------------------------------

static wd_status match_date(
    const wd_value *wanted, const wd_value *given, wd_answer_clock clock, bool *ret_match)
{
    wd_buffer text = { 0 };
    wd_value *labels = NULL;
    wd_status status = wd_answer_text(wanted, &text);
    if (status == WD_OK) {
        const char *start = text.bytes;
        size_t length = text.length;
        wd_text_trim(&start, &length);
        status = wd_answer_date_labels(start, length, clock, &labels);
    }
    *ret_match = false;
    wd_iter iter = wd_iter_start(labels);
    while (status == WD_OK && !*ret_match && wd_iter_next(&iter)) {
        status = match_exact(iter.value, given, clock, ret_match);
    }
    wd_value_unref(&labels);
    wd_buffer_done(&text);
    return status;
}

// ---- time and duration ------------------------------------------------------------------------------------

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/// Is `part` in `text` with no digit touching digits of its own ends?
static bool stands_alone(const wd_buffer *text, const wd_buffer *part)
{
    const char *from = text->bytes;
    const char *end = text->bytes + text->length;
    if (part->length == 0) {
        return false;
    }
    for (const char *at; (at = wd_text_find(from, (size_t)(end - from), part->bytes, part->length)) != NULL;
         from = at + 1) {
        const char *after = at + part->length;
        bool touched = (at > text->bytes && is_digit(at[-1]) && is_digit(at[0])) ||
                       (after < end && is_digit(after[0]) && is_digit(after[-1]));
        if (!touched) {
            return true;
        }
    }
    return false;
}

static wd_status normal_pair(const wd_value *wanted, const wd_value *given, wd_buffer *left, wd_buffer *right)
{
    wd_status status = wd_answer_normal_text(wanted, true, left);
    return status == WD_OK ? wd_answer_normal_text(given, true, right) : status;
}

static wd_status match_time(
    const wd_value *wanted, const wd_value *given, wd_answer_clock clock, bool *ret_match)
{
    (void)clock;
    wd_buffer left = { 0 };
    wd_buffer right = { 0 };
    int minutes = 0;
    wd_status status = normal_pair(wanted, given, &left, &right);
    *ret_match = status == WD_OK && wd_time_wanted(left.bytes, left.length, &minutes) &&
                 (wd_time_given(right.bytes, right.length, minutes) || stands_alone(&right, &left));
    wd_buffer_done(&left);
    wd_buffer_done(&right);
    return status;
}

static wd_status match_duration(
    const wd_value *wanted, const wd_value *given, wd_answer_clock clock, bool *ret_match)
{
    (void)clock;
    wd_buffer left = { 0 };
    wd_buffer right = { 0 };
    int64_t minutes = 0;
    wd_status status = normal_pair(wanted, given, &left, &right);
    *ret_match = status == WD_OK && wd_duration_wanted(left.bytes, left.length, &minutes) &&
                 (wd_duration_given(right.bytes, right.length, minutes) || stands_alone(&right, &left));
    wd_buffer_done(&left);
    wd_buffer_done(&right);
    return status;
}

wd_status wd_answer_duration(const wd_value *wanted, const wd_value *given, bool *ret_match)
{
    *ret_match = false;
    if (given == NULL || wd_value_is(given, WD_KIND_NULL)) {
        return WD_OK;
    }
    return match_duration(wanted, given, (wd_answer_clock){ 0 }, ret_match);
}

// ---- fields -----------------------------------------------------------------------------------------------

typedef wd_status matcher(
    const wd_value *wanted, const wd_value *given, wd_answer_clock clock, bool *ret_match);

static const struct matcher_row {
    const char *name;
    matcher *match;
} matchers[] = {
    { "exact", match_exact },
    { "number", match_number },
    { "date", match_date },
    { "time", match_time },
    { "duration", match_duration },
};

static matcher *field_matcher(const wd_value *field)
{
    const char *name = wd_value_string_or(wd_object_get(field, "matcher"), "");
    if (name[0] == '\0') {
        name = wd_value_is_text(wd_object_get(field, "type"), "number") ? "number" : "exact";
    }
    for (size_t i = 0; i < WD_COUNT_OF(matchers); i++) {
        if (strcmp(matchers[i].name, name) == 0) {
            return matchers[i].match;
        }
    }
    return match_exact;
}

static wd_status match_one(
    matcher *match, const wd_value *wanted, const wd_value *given, wd_answer_clock clock, bool *ret_match)
{
    *ret_match = false;
    if (given == NULL || wd_value_is(given, WD_KIND_NULL)) {
        return WD_OK;
    }
    return match(wanted, given, clock, ret_match);
}

/// Position by position.
static wd_status match_sequence(
    matcher *match, const wd_value *wanted, const wd_value *given, wd_answer_clock clock, bool *ret_match)
{
    *ret_match = true;
    wd_status status = WD_OK;
    wd_iter left = wd_iter_start(wanted);
    wd_iter right = wd_iter_start(given);
    while (status == WD_OK && *ret_match && wd_iter_next(&left) && wd_iter_next(&right)) {
        status = match_one(match, left.value, right.value, clock, ret_match);
    }
    return status;
}

/// Each wanted value takes the first remaining given one that matches.
static wd_status match_set(
    matcher *match, const wd_value *wanted, const wd_value *given, wd_answer_clock clock, bool *ret_match)
{
    size_t count = wd_array_count(given);
    bool *taken = wd_alloc_zero(count + 1, sizeof *taken);
    if (taken == NULL) {
        return WD_ENOMEM;
    }
    *ret_match = true;
    wd_status status = WD_OK;
    wd_iter left = wd_iter_start(wanted);
    while (status == WD_OK && *ret_match && wd_iter_next(&left)) {
        *ret_match = false;
        wd_iter right = wd_iter_start(given);
        while (status == WD_OK && !*ret_match && wd_iter_next(&right)) {
            if (!taken[right.index]) {
                status = match_one(match, left.value, right.value, clock, ret_match);
                taken[right.index] = *ret_match;
            }
        }
    }
    wd_free(taken, (count + 1) * sizeof *taken);
    return status;
}

/// Both sides as lists: a wanted value that is none is wrapped, a given one that is none is empty.
static wd_status match_repeatable(const wd_value *field, const wd_value *wanted, const wd_value *given,
    wd_answer_clock clock, bool *ret_match)
{
    wd_value *wrapped = wd_value_is(wanted, WD_KIND_ARRAY) ? wd_value_ref(wanted) : NULL;
    wd_status status = wrapped != NULL ? WD_OK : wd_value_pack(&wrapped, "[v]", wanted);
    if (status != WD_OK) {
        return status;
    }
    const wd_value *list = wd_value_is(given, WD_KIND_ARRAY) ? given : NULL;
    *ret_match = false;
    if (wd_array_count(wrapped) == wd_array_count(list)) {
        bool set = wd_value_is_text(wd_object_get(field, "compare"), "set");
        status = (set ? match_set : match_sequence)(field_matcher(field), wrapped, list, clock, ret_match);
    }
    wd_value_unref(&wrapped);
    return status;
}

wd_status wd_answer_field(const wd_value *field, const wd_value *wanted, const wd_value *given,
    wd_answer_clock clock, bool *ret_match)
{
    if (wd_value_bool_or(wd_object_get(field, "repeatable"), false)) {
        return match_repeatable(field, wanted, given, clock, ret_match);
    }
    return match_one(field_matcher(field), wanted, given, clock, ret_match);
}
