#include "loose.h"

#include "text_util.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char replacement[] = "\xef\xbf\xbd";  // U+FFFD

// ---- strings --------------------------------------------------------------------------------------------------

/// Length of the well-formed UTF-8 character that text[0..length) starts with; 0 when there is none.
static size_t utf8_length(const char *text, size_t length)
{
    unsigned char lead = (unsigned char)text[0];
    size_t size = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    return size <= length && wd_utf8_valid(text, size) ? size : 0;
}

wd_status wd_loose_clean(const char *text, size_t length, wd_buffer *buffer)
{
    if (wd_utf8_valid(text, length)) {
        return wd_buffer_append(buffer, text, length);
    }
    wd_status status = WD_OK;
    size_t start = 0;  // of the run that is fine as it stands
    size_t i = 0;
    while (status == WD_OK && i < length) {
        size_t size = utf8_length(text + i, length - i);
        if (size > 0) {
            i += size;
            continue;
        }
        status = wd_buffer_append(buffer, text + start, i - start);
        if (status == WD_OK) {
            status = wd_buffer_text(buffer, replacement);
        }
        i++;
        start = i;
    }
    return status == WD_OK ? wd_buffer_append(buffer, text + start, length - start) : status;
}

/// Value of `count` hex digits, -1 when they are not there.
static long hex_value(const char *text, size_t length, size_t count)
{
    if (length < count) {
        return -1;
    }
    long value = 0;
    for (size_t i = 0; i < count; i++) {
        char c = text[i];
        int digit = c >= '0' && c <= '9'                     ? c - '0'
                    : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10
                                                             : -1;
        if (digit < 0) {
            return -1;
        }
        value = value * 16 + digit;
    }
    return value;
}

/// Writes the code point at `at`, U+FFFD for what is no character; returns the size, at most 4.
static size_t put_code_point(char *at, long code)
{
    if (code <= 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) {
        memcpy(at, replacement, sizeof replacement - 1);
        return sizeof replacement - 1;
    }
    return wd_utf8_put((uint32_t)code, at);
}

/// The escape that starts at text[0] == '\\'; returns the bytes it takes and gives what it stands for: a code
/// point, or -1 for an unknown escape, which is kept as it is.
static size_t read_escape(const char *text, size_t length, long *ret_code)
{
    static const char names[] = "ntrbf/\\\"'";
    static const char codes[] = "\n\t\r\b\f/\\\"'";
    *ret_code = -1;
    if (length < 2) {
        return 1;
    }
    const char *name = text[1] == '\0' ? NULL : strchr(names, text[1]);
    if (name != NULL) {
        *ret_code = codes[name - names];
        return 2;
    }
    if (text[1] == 'x') {
        *ret_code = hex_value(text + 2, length - 2, 2);
        return *ret_code < 0 ? 2 : 4;
    }
    if (text[1] != 'u') {
        return 2;
    }
    long high = hex_value(text + 2, length - 2, 4);
    if (high < 0) {
        return 2;
    }
    *ret_code = high;
    if (high >= 0xd800 && high <= 0xdbff && length >= 12 && text[6] == '\\' && text[7] == 'u') {
        long low = hex_value(text + 8, length - 8, 4);
        if (low >= 0xdc00 && low <= 0xdfff) {
            *ret_code = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
            return 12;
        }
    }
    return 6;
}

/// In place: no escape is shorter than what it stands for.
static size_t unescape(char *text, size_t length)
{
    size_t from = 0;
    size_t to = 0;
    while (from < length) {
        const char *backslash = memchr(text + from, '\\', length - from);
        size_t plain = backslash == NULL ? length - from : (size_t)(backslash - text) - from;
        memmove(text + to, text + from, plain);
        from += plain;
        to += plain;
        if (from < length) {
            long code;
            size_t used = read_escape(text + from, length - from, &code);
            if (code < 0) {
                text[to++] = text[from++];  // an escape we do not know: keep the backslash, and what follows
            } else {
                from += used;
                to += put_code_point(text + to, code);
            }
        }
    }
    return to;
}

wd_status wd_loose_unescape(const char *text, size_t length, wd_buffer *buffer)
{
    size_t before = buffer->length;
    wd_status status = wd_loose_clean(text, length, buffer);
    if (status == WD_OK && buffer->length > before) {
        buffer->length = before + unescape(buffer->bytes + before, buffer->length - before);
        buffer->bytes[buffer->length] = '\0';
    }
    return status;
}

// ---- the parser -----------------------------------------------------------------------------------------------

typedef struct loose_parser {
    const char *text;
    size_t length, at;
    int depth;
    wd_buffer scratch;  // strings under way
    wd_error *error;
} loose_parser;

/// Where a string stands decides what may follow its closing quote.
typedef enum loose_place { LOOSE_KEY, LOOSE_MEMBER, LOOSE_ELEMENT } loose_place;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '+' || c == '.';
}

static size_t blanks_from(const loose_parser *parser, size_t at)
{
    while (at < parser->length && is_blank(parser->text[at])) {
        at++;
    }
    return at;
}

static char next_char(loose_parser *parser)
{
    parser->at = blanks_from(parser, parser->at);
    return parser->at < parser->length ? parser->text[parser->at] : '\0';
}

static wd_status fail(loose_parser *parser, wd_status status, const char *what)
{
    return wd_error_set(parser->error, status, "byte %zu: %s", parser->at, what);
}

/// May the quote at `at` close a string that stands in this place? Only if what follows may follow it.
static bool may_close(const loose_parser *parser, size_t at, loose_place place)
{
    size_t next = blanks_from(parser, at + 1);
    if (next >= parser->length) {
        return false;
    }
    char c = parser->text[next];
    if (place == LOOSE_KEY) {
        return c == ':';
    }
    if (place == LOOSE_ELEMENT) {
        return c == ',' || c == ']';
    }
    if (c != ',') {
        return c == '}';
    }
    next = blanks_from(parser, next + 1);
    c = next < parser->length ? parser->text[next] : '\0';
    return c == '"' || c == '\'' || c == '}';
}

static wd_status parse_string(loose_parser *parser, loose_place place)
{
    char quote = parser->text[parser->at];
    size_t start = parser->at + 1;
    size_t end = start;
    while (end < parser->length && !(parser->text[end] == quote && may_close(parser, end, place))) {
        end += parser->text[end] == '\\' ? 2 : 1;
    }
    if (end >= parser->length) {
        parser->at = parser->length;
        return fail(parser, WD_EPARSE, "a string does not end");
    }
    parser->scratch.length = 0;
    wd_status status = wd_buffer_append(&parser->scratch, "", 0);
    if (status == WD_OK) {
        status = wd_loose_unescape(parser->text + start, end - start, &parser->scratch);
    }
    parser->at = end + 1;
    return status;
}

static size_t word_length(const loose_parser *parser)
{
    size_t end = parser->at;
    while (end < parser->length && is_word(parser->text[end])) {
        end++;
    }
    return end - parser->at;
}

static wd_status parse_number(loose_parser *parser, size_t length, wd_value **ret_value)
{
    char digits[64];
    if (length >= sizeof digits) {
        return fail(parser, WD_EPARSE, "a number too long to be one");
    }
    memcpy(digits, parser->text + parser->at, length);
    digits[length] = '\0';
    char *end = NULL;
    errno = 0;
    long long whole = strtoll(digits, &end, 10);
    if (*end == '\0' && errno == 0) {
        return wd_value_int(whole, ret_value);
    }
    if (strpbrk(digits, "xXnNiIpP") != NULL) {  // strtod() would take hex, nan and infinity
        return fail(parser, WD_EPARSE, "a word where a value should be");
    }
    double number = strtod(digits, &end);
    if (*end != '\0' || end == digits) {
        return fail(parser, WD_EPARSE, "a word where a value should be");
    }
    return wd_value_double(number, ret_value) == WD_OK ? WD_OK
                                                       : fail(parser, WD_EPARSE, "a number beyond range");
}

static wd_status parse_word(loose_parser *parser, wd_value **ret_value)
{
    static const struct {
        const char *word;
        char meaning;
    } words[] = {
        { "true", 't' },
        { "false", 'f' },
        { "null", 'n' },
        { "True", 't' },
        { "False", 'f' },
        { "None", 'n' },
        { "NaN", 'n' },
        { "nan", 'n' },
        { "Infinity", 'n' },
        { "-Infinity", 'n' },
        { "inf", 'n' },
        { "-inf", 'n' },
    };
    size_t length = word_length(parser);
    if (length == 0) {
        return fail(parser, WD_EPARSE, "a value is missing");
    }
    for (size_t i = 0; i < WD_COUNT_OF(words); i++) {
        if (length == strlen(words[i].word) &&
            memcmp(parser->text + parser->at, words[i].word, length) == 0) {
            parser->at += length;
            *ret_value = words[i].meaning == 'n' ? wd_value_null() : wd_value_bool(words[i].meaning == 't');
            return WD_OK;
        }
    }
    wd_status status = parse_number(parser, length, ret_value);
    parser->at += length;
    return status;
}

static wd_status parse_container(loose_parser *parser, wd_value **ret_value);

static wd_status parse_value(loose_parser *parser, loose_place place, wd_value **ret_value)
{
    char c = next_char(parser);
    if (c == '{' || c == '[' || c == '(') {
        return parse_container(parser, ret_value);
    }
    if (c != '"' && c != '\'') {
        return parse_word(parser, ret_value);
    }
    wd_status status = parse_string(parser, place);
    return status == WD_OK ? wd_value_string(parser->scratch.bytes, parser->scratch.length, ret_value)
                           : status;
}

static wd_status parse_key(loose_parser *parser)
{
    char c = next_char(parser);
    if (c == '"' || c == '\'') {
        return parse_string(parser, LOOSE_KEY);
    }
    size_t length = word_length(parser);
    if (length == 0) {
        return fail(parser, WD_EPARSE, "a key is missing");
    }
    parser->scratch.length = 0;
    wd_status status = wd_buffer_append(&parser->scratch, parser->text + parser->at, length);
    parser->at += length;
    return status;
}

static wd_status parse_member(loose_parser *parser, wd_value **object_p)
{
    wd_status status = parse_key(parser);
    if (status != WD_OK) {
        return status;
    }
    if (next_char(parser) != ':') {
        return fail(parser, WD_EPARSE, "a colon is missing");
    }
    parser->at++;
    wd_buffer key = parser->scratch;  // the value needs a scratch of its own
    parser->scratch = (wd_buffer){ 0 };
    wd_value *item = NULL;
    status = parse_value(parser, LOOSE_MEMBER, &item);
    if (status == WD_OK) {
        status = wd_object_set_n(object_p, key.bytes, key.length, &item);
    }
    wd_value_unref(&item);
    wd_buffer_done(&key);
    return status;
}

static wd_status parse_element(loose_parser *parser, wd_value **array_p)
{
    wd_value *item = NULL;
    wd_status status = parse_value(parser, LOOSE_ELEMENT, &item);
    if (status == WD_OK) {
        status = wd_array_append(array_p, &item);
    }
    wd_value_unref(&item);
    return status;
}

/// An object, an array, or a Python tuple (which is an array to us).
static wd_status parse_container(loose_parser *parser, wd_value **ret_value)
{
    char open = parser->text[parser->at];
    char close = open == '{' ? '}' : open == '[' ? ']' : ')';
    if (parser->depth == WD_LOOSE_DEPTH_MAX) {
        return fail(parser, WD_ELIMIT, "nested too deep");
    }
    parser->depth++;
    parser->at++;
    wd_value *container = open == '{' ? wd_value_object() : wd_value_array();
    wd_status status = WD_OK;
    while (status == WD_OK && next_char(parser) != close) {
        status = open == '{' ? parse_member(parser, &container) : parse_element(parser, &container);
        if (status == WD_OK && next_char(parser) == ',') {
            parser->at++;
        } else if (status == WD_OK && next_char(parser) != close) {
            status = fail(parser, WD_EPARSE, "a comma or the closing bracket is missing");
        }
    }
    parser->depth--;
    if (status != WD_OK) {
        wd_value_unref(&container);
        return status;
    }
    parser->at++;
    *ret_value = container;
    return WD_OK;
}

/// Returns how far was read in *ret_at, on failure too.
static wd_status parse_at(
    const char *text, size_t length, wd_value **ret_value, size_t *ret_at, bool to_end, wd_error *error)
{
    loose_parser parser = { .text = text, .length = length, .error = error };
    wd_value *value = NULL;
    wd_status status;
    char c = next_char(&parser);
    if (c == '{' || c == '[' || c == '(') {
        status = parse_container(&parser, &value);
    } else {
        status = fail(&parser, WD_EPARSE, "neither an object nor an array");
    }
    wd_buffer_done(&parser.scratch);
    if (status == WD_OK && to_end && blanks_from(&parser, parser.at) < length) {
        status = fail(&parser, WD_EPARSE, "more text after the value");
    }
    *ret_at = parser.at;
    if (status != WD_OK) {
        wd_value_unref(&value);
        return status;
    }
    *ret_value = value;
    return WD_OK;
}

wd_status wd_loose_parse(
    const char *text, size_t length, wd_value **ret_value, size_t *ret_used, wd_error *error)
{
    size_t used = 0;
    wd_status status = parse_at(text, length, ret_value, &used, ret_used == NULL, error);
    if (status == WD_OK && ret_used != NULL) {
        *ret_used = used;
    }
    return status;
}

wd_status wd_loose_last_object(
    const char *text, size_t length, wd_value **ret_value, size_t *ret_start, size_t *ret_end)
{
    enum {
        READ_AGAIN_MAX = 16
    };  // a failed try may read all of the rest: what they read together is bounded
    size_t budget = READ_AGAIN_MAX * length;
    wd_value *last = NULL;
    size_t at = 0;
    while (at < length) {
        const char *brace = memchr(text + at, '{', length - at);
        if (brace == NULL) {
            break;
        }
        size_t start = (size_t)(brace - text);
        size_t used = 0;
        wd_value *value = NULL;
        wd_status status = parse_at(brace, length - start, &value, &used, false, NULL);
        if (status == WD_ENOMEM || (status != WD_OK && used > budget)) {
            wd_value_unref(&last);
            return status == WD_ENOMEM ? WD_ENOMEM : WD_ENOENT;
        }
        if (status != WD_OK) {
            budget -= used;
            at = start + 1;
            continue;
        }
        wd_value_unref(&last);
        last = value;
        *ret_start = start;
        *ret_end = at = start + used;
    }
    if (last == NULL) {
        return WD_ENOENT;
    }
    *ret_value = last;
    return WD_OK;
}
