/// spoken.c - looking for a wanted value in what was said (judge.md 6.4).
#include "answer_text.h"

#include "characters.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

// ---- numbers ----------------------------------------------------------------------------------------------

/// A text of characters, read by position in bytes.
typedef struct span {
    const char *text;
    size_t length;
} span;

static int digit_at(span in, size_t at, size_t *ret_size)
{
    return at < in.length ? wd_character_digit(wd_character_at(in.text + at, in.length - at, ret_size)) : -1;
}

static bool is_comma(span in, size_t at, size_t *ret_size)
{
    uint32_t character = at < in.length ? wd_character_at(in.text + at, in.length - at, ret_size) : 0;
    return character == ',' || character == 0xFF0C;
}

/// End of a run of digits from `at` on, `max` of them at most; *ret_count says how many.
static size_t digits_end(span in, size_t at, size_t max, size_t *ret_count)
{
    size_t size = 0;
    *ret_count = 0;
    while (*ret_count < max && digit_at(in, at, &size) >= 0) {
        at += size;
        *ret_count += 1;
    }
    return at;
}

/// End of the number whose digits start at `at`: groups of three behind commas as long as no digit follows,
/// else plain digits; then a fraction.
static size_t number_end(span in, size_t at)
{
    size_t count = 0, size = 0;
    size_t plain = digits_end(in, at, SIZE_MAX, &count);
    size_t end = plain;
    for (size_t group = plain; count <= 3 && is_comma(in, group, &size);) {
        size_t in_group = 0, beyond = 0;
        group = digits_end(in, group + size, 3, &in_group);
        if (in_group < 3) {
            break;
        }
        if (digit_at(in, group, &beyond) < 0) {
            end = group;
        } else {
            break;
        }
    }
    if (end < in.length && in.text[end] == '.') {
        size_t fraction = digits_end(in, end + 1, SIZE_MAX, &count);
        end = count > 0 ? fraction : end;
    }
    return end;
}

enum { NUMBER_TEXT_SIZE = 512 };

static double number_value(span in, size_t start, size_t end, bool negative)
{
    char plain[NUMBER_TEXT_SIZE];
    size_t used = 0;
    for (size_t at = start, size = 0; at < end && used + 1 < sizeof plain; at += size) {
        uint32_t character = wd_character_at(in.text + at, in.length - at, &size);
        int digit = wd_character_digit(character);
        if (digit >= 0 || character == '.') {
            plain[used++] = digit >= 0 ? (char)('0' + digit) : '.';
        }
    }
    plain[used] = '\0';
    double number = strtod(plain, NULL);
    return negative ? -number : number;
}

static bool holds_number(span in, double wanted)
{
    bool after_digit = false;
    for (size_t at = 0, size = 0; at < in.length;) {
        bool minus = in.text[at] == '-';
        size_t start = at + minus;
        if (after_digit || digit_at(in, start, &size) < 0) {
            after_digit = digit_at(in, at, &size) >= 0;
            wd_character_at(in.text + at, in.length - at, &size);
            at += size;
            continue;
        }
        size_t end = number_end(in, start);
        if (wd_answer_close(number_value(in, start, end, minus), wanted)) {
            return true;
        }
        at = end;
        after_digit = true;
    }
    return false;
}

// ---- texts ------------------------------------------------------------------------------------------------

static void drop_spaces(wd_buffer *text)
{
    size_t used = 0;
    for (size_t at = 0, size = 0; at < text->length; at += size) {
        if (!wd_character_is_space(wd_character_at(text->bytes + at, text->length - at, &size))) {
            memmove(text->bytes + used, text->bytes + at, size);
            used += size;
        }
    }
    text->length = used;
}

static bool holds_text(wd_buffer *given, wd_buffer *wanted)
{
    if (wd_text_find(given->bytes, given->length, wanted->bytes, wanted->length) != NULL) {
        return true;
    }
    drop_spaces(given);
    drop_spaces(wanted);
    return wanted->length > 0 &&
           wd_text_find(given->bytes, given->length, wanted->bytes, wanted->length) != NULL;
}

static wd_status find_expression(
    const wd_value *expression, const char *raw, const char *normal, bool *ret_match, wd_error *error)
{
    size_t length = 0;
    const char *text = wd_value_as_string(expression, &length);
    if (length > WD_ANSWER_PATTERN_MAX) {
        return wd_error_set(error, WD_ELIMIT, "$regex: longer than %d bytes", WD_ANSWER_PATTERN_MAX);
    }
    regex_t compiled;
    int code = regcomp(&compiled, text, REG_EXTENDED | REG_NOSUB);
    if (code != 0) {
        char why[120];
        regerror(code, &compiled, why, sizeof why);
        return wd_error_set(error, code == REG_ESPACE ? WD_ENOMEM : WD_EINVAL, "$regex: %s", why);
    }
    *ret_match = regexec(&compiled, raw, 0, NULL, 0) == 0 || regexec(&compiled, normal, 0, NULL, 0) == 0;
    regfree(&compiled);
    return WD_OK;
}

wd_status wd_answer_spoken(const wd_value *wanted, const wd_value *given, bool *ret_match, wd_error *error)
{
    *ret_match = false;
    if (given == NULL || wd_value_is(given, WD_KIND_NULL)) {
        return WD_OK;
    }
    wd_buffer raw = { 0 };
    wd_buffer normal = { 0 };
    wd_buffer text = { 0 };
    wd_status status = wd_answer_text(given, &raw);
    status = status == WD_OK ? wd_answer_normal_text(given, false, &normal) : status;
    const wd_value *expression = wd_object_get(wanted, "$regex");
    if (status == WD_OK && wd_value_is(expression, WD_KIND_STRING)) {
        status = find_expression(expression, raw.bytes, normal.bytes, ret_match, error);
    } else if (status == WD_OK && wd_value_is_number(wanted)) {
        *ret_match = holds_number((span){ normal.bytes, normal.length }, wd_value_as_double(wanted));
    } else if (status == WD_OK) {
        status = wd_answer_normal_text(wanted, false, &text);
        *ret_match = status == WD_OK && holds_text(&normal, &text);
    }
    wd_buffer_done(&raw);
    wd_buffer_done(&normal);
    wd_buffer_done(&text);
    return status;
}
