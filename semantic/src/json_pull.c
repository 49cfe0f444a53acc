#include "json_pull.h"

#include "tree/alloc.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    NUMBER_MAX = 64,     // bytes of a number's text
    NESTING_FIRST = 16,  // bytes of nesting bits: 128 levels
};

void wd_pull_init(wd_pull *pull, wd_span text, wd_error *error)
{
    *pull = (wd_pull){ .start = text.at, .at = text.at, .end = text.at + text.length, .error = error };
    pull->token = WD_PULL_NULL;
}

void wd_pull_done(wd_pull *pull)
{
    wd_free(pull->scratch, pull->scratch_size);
    wd_free(pull->is_array, pull->is_array_size);
    pull->scratch = NULL;
    pull->is_array = NULL;
}

static wd_pull_token fail(wd_pull *pull, wd_status status, const char *what)
{
    if (pull->status == WD_OK) {
        pull->status = status;
        if (status != WD_ENOMEM) {
            (void)wd_error_set(
                pull->error, status, "JSON: %s at byte %zu", what, (size_t)(pull->at - pull->start));
        }
    }
    return pull->token = WD_PULL_ERROR;
}

static void skip_blanks(wd_pull *pull)
{
    while (pull->at < pull->end && (*pull->at == ' ' || (*pull->at >= '\t' && *pull->at <= '\r'))) {
        pull->at += 1;
    }
}

// ---- strings ----------------------------------------------------------------------------------------------

static bool reserve_scratch(wd_pull *pull, size_t size)
{
    if (size <= pull->scratch_size) {
        return true;
    }
    void *grown = wd_realloc(pull->scratch, pull->scratch_size, size);
    if (grown == NULL) {
        (void)fail(pull, WD_ENOMEM, "");
        return false;
    }
    pull->scratch = grown;
    pull->scratch_size = size;
    return true;
}

/// Hex digits at `at`; false when there are not so many.
static bool read_hex(const wd_pull *pull, const char *at, int digits, uint32_t *ret_number)
{
    uint32_t number = 0;
    for (int i = 0; i < digits; i++) {
        char c = at + i < pull->end ? at[i] : '\0';
        uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                         : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a' + 10)
                         : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A' + 10)
                                                : 99;
        if (digit > 15) {
            return false;
        }
        number = number << 4 | digit;
    }
    *ret_number = number;
    return true;
}

/// A character by number, surrogates put together. Moves `at` behind what was read.
static uint32_t read_code_point(wd_pull *pull, int digits)
{
    uint32_t first = 0, second = 0;
    if (!read_hex(pull, pull->at, digits, &first)) {
        pull->replaced += 1;
        return 0xFFFD;
    }
    pull->at += digits;
    bool high = first >= 0xD800 && first < 0xDC00;
    if (high && pull->end - pull->at >= 6 && pull->at[0] == '\\' && pull->at[1] == 'u' &&
        read_hex(pull, pull->at + 2, 4, &second) && second >= 0xDC00 && second < 0xE000) {
        pull->at += 6;
        return 0x10000 + ((first & 0x3FF) << 10 | (second & 0x3FF));
    }
    if (first == 0 || (first >= 0xD800 && first < 0xE000) || first > 0x10FFFF) {
        pull->replaced += 1;
        return 0xFFFD;
    }
    return first;
}

/// One escape, `at` on the character after the backslash. What is no escape stands for itself, as in Python.
static uint32_t read_escape(wd_pull *pull)
{
    char c = *pull->at++;
    switch (c) {
    case 'n':
        return '\n';
    case 't':
        return '\t';
    case 'r':
        return '\r';
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'u':
        return read_code_point(pull, 4);
    case 'x':
        return read_code_point(pull, 2);
    case 'U':
        return read_code_point(pull, 8);
    default:
        break;
    }
    if ((signed char)c >= 0) {
        return (uint32_t)c;
    }
    size_t size = 0;
    pull->at -= 1;
    uint32_t code_point = wd_utf8_next(pull->at, (size_t)(pull->end - pull->at), &size);
    pull->at += size;
    return code_point;
}

/// The end of what can be taken as it stands: a quote, a backslash, or a byte that is no UTF-8.
static const char *plain_end(const wd_pull *pull, const char *at, char quote)
{
    while (at < pull->end && *at != quote && *at != '\\') {
        if ((signed char)*at > 0) {
            at += 1;
            continue;
        }
        size_t size = 0;
        (void)wd_utf8_next(at, (size_t)(pull->end - at), &size);
        if (size <= 1) {
            break;
        }
        at += size;
    }
    return at;
}

/// Where the literal ends, escapes jumped over. NULL: it does not.
static const char *literal_end(const wd_pull *pull, char quote)
{
    const char *at = pull->at;
    while (at < pull->end && *at != quote) {
        at += *at == '\\' ? 2 : 1;
    }
    return at < pull->end ? at : NULL;
}

static bool read_string(wd_pull *pull, wd_span *ret_text)
{
    char quote = *pull->at++;
    const char *first = pull->at;
    const char *at = plain_end(pull, first, quote);
    if (at < pull->end && *at == quote) {
        *ret_text = (wd_span){ first, (size_t)(at - first) };
        pull->at = at + 1;
        return true;
    }
    const char *end = literal_end(pull, quote);
    if (end == NULL) {
        (void)fail(pull, WD_ECORRUPT, "a string without end");
        return false;
    }
    if (!reserve_scratch(pull, 3 * (size_t)(end - first) + 8)) {  // a bad byte grows to three
        return false;
    }
    char *out = pull->scratch;
    while (pull->at < end) {
        const char *plain = plain_end(pull, pull->at, quote);
        size_t length = (size_t)(plain - pull->at);
        memcpy(out, pull->at, length);
        out += length;
        pull->at = plain;
        if (plain >= end) {
            break;
        }
        uint32_t code_point = 0xFFFD;
        pull->at += 1;
        if (*plain == '\\') {
            code_point = read_escape(pull);
        } else {
            pull->replaced += 1;
        }
        out += wd_utf8_put(code_point, out);
    }
    pull->at = end + 1;
    *ret_text = (wd_span){ pull->scratch, (size_t)(out - pull->scratch) };
    return true;
}

bool wd_pull_literal(wd_pull *pull)
{
    if (pull->at >= pull->end || (*pull->at != '"' && *pull->at != '\'')) {
        (void)fail(pull, WD_ECORRUPT, "a string expected");
        return false;
    }
    if (!read_string(pull, &pull->text)) {
        return false;
    }
    pull->token = WD_PULL_STRING;
    return true;
}

// ---- scalars ----------------------------------------------------------------------------------------------

static wd_pull_token read_number(wd_pull *pull)
{
    char text[NUMBER_MAX];
    size_t length = 0;
    while (pull->at + length < pull->end && length < sizeof text - 1 &&
           strchr("+-.0123456789eE", pull->at[length]) != NULL && pull->at[length] != '\0') {
        text[length] = pull->at[length];
        length += 1;
    }
    text[length] = '\0';
    char *end = NULL;
    pull->number = strtod(text, &end);
    if (end != text + length || length == 0) {
        return fail(pull, WD_ECORRUPT, "a value expected");
    }
    pull->at += length;
    return pull->token = isfinite(pull->number) ? WD_PULL_NUMBER : WD_PULL_NULL;
}

static wd_pull_token read_scalar(wd_pull *pull)
{
    static const struct word {
        const char *text;
        wd_pull_token token;
    } words[] = {
        { "true", WD_PULL_TRUE },
        { "false", WD_PULL_FALSE },
        { "null", WD_PULL_NULL },
        { "True", WD_PULL_TRUE },
        { "False", WD_PULL_FALSE },
        { "None", WD_PULL_NULL },
        { "NaN", WD_PULL_NULL },
        { "Infinity", WD_PULL_NULL },
        { "-Infinity", WD_PULL_NULL },
    };
    if (*pull->at == '"' || *pull->at == '\'') {
        return read_string(pull, &pull->text) ? (pull->token = WD_PULL_STRING) : WD_PULL_ERROR;
    }
    for (size_t i = 0; i < WD_COUNT_OF(words); i++) {
        if (wd_span_starts((wd_span){ pull->at, (size_t)(pull->end - pull->at) }, words[i].text)) {
            pull->at += strlen(words[i].text);
            return pull->token = words[i].token;
        }
    }
    return read_number(pull);
}

// ---- structure --------------------------------------------------------------------------------------------

static bool in_array(const wd_pull *pull)
{
    size_t level = pull->depth - 1;
    return (pull->is_array[level / 8] >> (level % 8) & 1) != 0;
}

static wd_pull_token open_container(wd_pull *pull, bool array)
{
    if (pull->depth == WD_PULL_DEPTH_MAX) {
        return fail(pull, WD_ELIMIT, "nested too deep");
    }
    if (pull->depth / 8 >= pull->is_array_size) {
        size_t size = pull->is_array_size == 0 ? NESTING_FIRST : pull->is_array_size * 2;
        void *grown = wd_realloc(pull->is_array, pull->is_array_size, size);
        if (grown == NULL) {
            return fail(pull, WD_ENOMEM, "");
        }
        pull->is_array = grown;
        pull->is_array_size = size;
    }
    unsigned char bit = (unsigned char)(1u << (pull->depth % 8));
    unsigned char *bits = &pull->is_array[pull->depth / 8];
    *bits = (unsigned char)(array ? *bits | bit : *bits & ~bit);
    pull->depth += 1;
    pull->at += 1;
    return pull->token = array ? WD_PULL_ARRAY : WD_PULL_OBJECT;
}

static bool read_key(wd_pull *pull)
{
    wd_span key;
    if (*pull->at != '"' && *pull->at != '\'') {
        (void)fail(pull, WD_ECORRUPT, "a member's name expected");
        return false;
    }
    if (!read_string(pull, &key)) {
        return false;
    }
    size_t length = key.length < WD_PULL_KEY_MAX - 1 ? key.length : WD_PULL_KEY_MAX - 1;
    memcpy(pull->key, key.at, length);
    pull->key[length] = '\0';
    skip_blanks(pull);
    if (pull->at >= pull->end || *pull->at != ':') {
        (void)fail(pull, WD_ECORRUPT, "a colon expected");
        return false;
    }
    pull->at += 1;
    skip_blanks(pull);
    return true;
}

wd_pull_token wd_pull_next(wd_pull *pull)
{
    if (pull->status != WD_OK) {
        return WD_PULL_ERROR;
    }
    bool opened = pull->token == WD_PULL_OBJECT || pull->token == WD_PULL_ARRAY;
    skip_blanks(pull);
    pull->key[0] = '\0';
    if (pull->depth == 0 && pull->at != pull->start && pull->token != WD_PULL_NULL) {
        return pull->token = WD_PULL_DONE;
    }
    if (pull->depth > 0 && !opened && pull->at < pull->end && *pull->at == ',') {
        pull->at += 1;
        skip_blanks(pull);
    } else if (pull->depth > 0 && !opened && pull->at < pull->end && *pull->at != '}' && *pull->at != ']') {
        return fail(pull, WD_ECORRUPT, "a comma expected");
    }
    if (pull->at >= pull->end) {
        return fail(pull, WD_ECORRUPT, "the text ends too early");
    }
    if (*pull->at == '}' || *pull->at == ']') {
        bool array = *pull->at == ']';
        if (pull->depth == 0 || in_array(pull) != array) {
            return fail(pull, WD_ECORRUPT, "a bracket that closes nothing");
        }
        pull->depth -= 1;
        pull->at += 1;
        return pull->token = array ? WD_PULL_ARRAY_END : WD_PULL_OBJECT_END;
    }
    if (pull->depth > 0 && !in_array(pull) && !read_key(pull)) {
        return WD_PULL_ERROR;
    }
    if (pull->at < pull->end && (*pull->at == '{' || *pull->at == '[')) {
        return open_container(pull, *pull->at == '[');
    }
    return pull->at < pull->end ? read_scalar(pull) : fail(pull, WD_ECORRUPT, "the text ends too early");
}

wd_pull_scope wd_pull_enter(const wd_pull *pull)
{
    return (wd_pull_scope){ pull->depth };
}

bool wd_pull_more(wd_pull *pull, wd_pull_scope scope)
{
    while (pull->depth > scope.depth) {
        if (wd_pull_next(pull) == WD_PULL_ERROR) {
            return false;
        }
    }
    if (pull->depth < scope.depth) {
        return false;
    }
    wd_pull_token token = wd_pull_next(pull);
    return token != WD_PULL_ERROR && pull->depth >= scope.depth;
}

wd_status wd_pull_finish(wd_pull *pull)
{
    while (pull->status == WD_OK && pull->depth > 0) {
        (void)wd_pull_next(pull);
    }
    skip_blanks(pull);
    if (pull->status == WD_OK && pull->at < pull->end) {
        (void)fail(pull, WD_ECORRUPT, "text after the end");
    }
    return pull->status;
}

bool wd_pull_int(const wd_pull *pull, int32_t *ret_number)
{
    if (pull->token != WD_PULL_NUMBER || pull->number < INT32_MIN || pull->number > INT32_MAX) {
        return false;
    }
    *ret_number = (int32_t)pull->number;
    return true;
}
