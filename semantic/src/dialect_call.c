#include "dialect_call.h"

#include "loose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Reads one call; `at` is where it has come to. Fails with WD_EPARSE when the text is no whole call.
typedef struct call_reader {
    wd_span text;
    size_t at;
    bool named;  // the argument under way has a name
} call_reader;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_ident(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static size_t blanks_from(const call_reader *reader, size_t at)
{
    while (at < reader->text.length && is_blank(reader->text.at[at])) {
        at++;
    }
    return at;
}

static char char_at(const call_reader *reader, size_t at)
{
    return at < reader->text.length ? reader->text.at[at] : '\0';
}

static size_t ident_end(const call_reader *reader, size_t at)
{
    while (is_ident(char_at(reader, at))) {
        at++;
    }
    return at;
}

void wd_call_done(wd_call *call)
{
    wd_value_unref(&call->args);
}

// ---- arguments ------------------------------------------------------------------------------------------------

/// Does an argument's name stand at `at`, as in `, text=`?
static bool name_follows(const call_reader *reader, size_t at)
{
    size_t start = blanks_from(reader, at);
    size_t end = ident_end(reader, start);
    return end > start && char_at(reader, blanks_from(reader, end)) == '=';
}

typedef enum quote_rank { QUOTE_INNER, QUOTE_PERHAPS, QUOTE_CLOSES } quote_rank;

/// What the quote at `at` is, judged by what follows: the end of the call or the next argument close the string;
/// a bracket with more text behind it may.
static quote_rank rank_quote(const call_reader *reader, size_t at)
{
    size_t next = blanks_from(reader, at + 1);
    char c = char_at(reader, next);
    if (c == ',') {
        bool argument = name_follows(reader, next + 1);
        char value = char_at(reader, blanks_from(reader, next + 1));
        bool position = !reader->named && (value == '"' || value == '\'' || (value >= '0' && value <= '9'));
        return argument || position ? QUOTE_CLOSES : QUOTE_INNER;
    }
    if (c != ')') {
        return QUOTE_INNER;
    }
    next++;
    while (char_at(reader, next) == ' ' || char_at(reader, next) == '\t' || char_at(reader, next) == '\r') {
        next++;
    }
    c = char_at(reader, next);
    size_t name = ident_end(reader, next);
    bool call_follows = name > next && char_at(reader, name) == '(';
    bool ends = next >= reader->text.length || c == '\n' || c == '<' || c == '`' || c == ';' || call_follows;
    return ends || (c == ':' && char_at(reader, next + 1) == ':') ? QUOTE_CLOSES : QUOTE_PERHAPS;
}

static wd_status read_quoted(call_reader *reader, wd_value **ret_value)
{
    char quote = char_at(reader, reader->at);
    size_t start = reader->at + 1;
    size_t end = 0;  // the last quote that may close, until one that does is found
    bool closed = false;
    for (size_t at = start; !closed && at < reader->text.length; at++) {
        if (reader->text.at[at] == '\\') {
            at++;
        } else if (reader->text.at[at] == quote) {
            quote_rank rank = rank_quote(reader, at);
            end = rank == QUOTE_INNER ? end : at;
            closed = rank == QUOTE_CLOSES;
        }
    }
    if (end == 0) {
        reader->at = reader->text.length;
        return WD_EPARSE;
    }
    wd_buffer buffer = { 0 };
    wd_status status = wd_buffer_append(&buffer, "", 0);
    if (status == WD_OK) {
        status = wd_loose_unescape(reader->text.at + start, end - start, &buffer);
    }
    if (status == WD_OK) {
        status = wd_value_string(buffer.bytes, buffer.length, ret_value);
    }
    wd_buffer_done(&buffer);
    reader->at = end + 1;
    return status;
}

/// A bare word: a number, or text up to the next comma or bracket. Tags hold their commas: <point>1, 2</point>.
static wd_status read_bare(call_reader *reader, wd_value **ret_value)
{
    size_t start = reader->at;
    size_t end = start;
    bool tagged = char_at(reader, start) == '<';
    char c;
    while ((c = char_at(reader, end)) != '\0' && c != ')' && (c != ',' || tagged)) {
        tagged = tagged && !(c == '>' && end > start && char_at(reader, blanks_from(reader, end + 1)) == ',');
        end++;
    }
    wd_span word = wd_span_trim((wd_span){ reader->text.at + start, end - start });
    reader->at = end;
    if (word.length == 0) {
        return WD_EPARSE;
    }
    char digits[32];
    if (word.length < sizeof digits && strspn(word.at, "+-.0123456789") >= word.length) {
        memcpy(digits, word.at, word.length);
        digits[word.length] = '\0';
        char *rest = NULL;
        double number = strtod(digits, &rest);
        if (*rest == '\0') {
            return wd_value_double(number, ret_value);
        }
    }
    return wd_value_string(word.at, word.length, ret_value);
}

static wd_status read_argument(call_reader *reader, wd_value **ret_value)
{
    char c = char_at(reader, reader->at);
    if (c == '"' || c == '\'') {
        return read_quoted(reader, ret_value);
    }
    if (c == '[' || c == '(' || c == '{') {
        size_t used = 0;
        wd_status status = wd_loose_parse(
            reader->text.at + reader->at, reader->text.length - reader->at, ret_value, &used, NULL);
        reader->at += used;
        return status;
    }
    return read_bare(reader, ret_value);
}

/// `name=value` or `value`; *position counts the ones without a name.
static wd_status read_one(call_reader *reader, int *position, wd_value **args_p)
{
    size_t start = reader->at;
    size_t end = ident_end(reader, start);
    char place[16];
    wd_span name = { reader->text.at + start, end - start };
    reader->named = name_follows(reader, start);
    if (reader->named) {
        reader->at = blanks_from(reader, blanks_from(reader, end) + 1);
    } else {
        (void)snprintf(place, sizeof place, "%d", (*position)++);
        name = (wd_span){ place, strlen(place) };
    }
    wd_value *item = NULL;
    wd_status status = read_argument(reader, &item);
    if (status == WD_OK) {
        status = wd_object_set_n(args_p, name.at, name.length, &item);
    }
    wd_value_unref(&item);
    return status;
}

static wd_status read_call(call_reader *reader, wd_call *ret_call)
{
    size_t start = reader->at;
    size_t name_end = ident_end(reader, start);
    wd_value *args = wd_value_object();
    wd_status status = WD_OK;
    int position = 0;
    reader->at = blanks_from(reader, blanks_from(reader, name_end) + 1);
    while (status == WD_OK && char_at(reader, reader->at) != ')') {
        status = wd_object_count(args) < WD_CALL_ARGS_MAX ? read_one(reader, &position, &args) : WD_EPARSE;
        reader->at = blanks_from(reader, reader->at);
        if (status == WD_OK && char_at(reader, reader->at) == ',') {
            reader->at = blanks_from(reader, reader->at + 1);
        } else if (status == WD_OK && char_at(reader, reader->at) != ')') {
            status = WD_EPARSE;
        }
    }
    if (status != WD_OK) {
        wd_value_unref(&args);
        return status;
    }
    reader->at++;
    *ret_call = (wd_call){
        .name = { reader->text.at + start, name_end - start },
        .whole = { reader->text.at + start, reader->at - start },
        .args = args,
    };
    return WD_OK;
}

// ---- finding --------------------------------------------------------------------------------------------------

static bool is_named(wd_span name, const char *const *names)
{
    for (size_t i = 0; names != NULL && names[i] != NULL; i++) {
        if (wd_span_is_nocase(name, names[i])) {
            return true;
        }
    }
    return names == NULL;
}

wd_call_search wd_call_search_of(wd_span text)
{
    enum { READ_AGAIN_MAX = 16 };  // a failed try may read all of the rest
    return (wd_call_search){ .text = text, .budget = READ_AGAIN_MAX * text.length };
}

wd_status wd_call_next(wd_call_search *search, const char *const *names, wd_call *ret_call)
{
    call_reader reader = { .text = search->text };
    while (search->at < search->text.length) {
        size_t start = search->at;
        size_t end = ident_end(&reader, start);
        if (end == start) {
            search->at = start + 1;
            continue;
        }
        search->at = end;
        wd_span name = { search->text.at + start, end - start };
        if (char_at(&reader, blanks_from(&reader, end)) != '(' || !is_named(name, names)) {
            continue;
        }
        reader.at = start;
        wd_status status = read_call(&reader, ret_call);
        if (status == WD_OK) {
            search->at = reader.at;
            return WD_OK;
        }
        size_t cost = reader.at - start;
        if (status == WD_ENOMEM || cost > search->budget) {
            search->at = search->text.length;
            return status == WD_ENOMEM ? WD_ENOMEM : WD_ENOENT;
        }
        search->budget -= cost;
    }
    return WD_ENOENT;
}

wd_status wd_call_last(wd_span text, const char *const *names, wd_call *ret_call)
{
    wd_call_search search = wd_call_search_of(text);
    wd_call last = { 0 };
    wd_call call;
    wd_status status;
    while ((status = wd_call_next(&search, names, &call)) == WD_OK) {
        wd_call_done(&last);
        last = call;
    }
    if (status == WD_ENOMEM || last.args == NULL) {
        wd_call_done(&last);
        return status;
    }
    *ret_call = last;
    return WD_OK;
}
