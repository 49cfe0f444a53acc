// app.lua before Lua reads it: each operand of `..` that is no literal becomes `__text(operand)`, because Lua itself
// would write a number with fraction in a form of its own. Lines stay where they are.
//
// An operand of `..` is a run of tokens that bind tighter: names, literals, brackets with what follows them, and
// arithmetic between those. The scanner keeps, for each open bracket, where the present run began.
#include "lua_private.h"

#include <string.h>

static const char prologue[] = "local __text = ...; ";

enum { BRACKETS_MAX = 200 };

typedef enum wd_token {
    TOKEN_SPACE,    // blanks and comments
    TOKEN_LITERAL,  // a text
    TOKEN_NUMBER,
    TOKEN_NAME,  // also nil, true, false
    TOKEN_ARITHMETIC,
    TOKEN_OPEN,
    TOKEN_CLOSE,
    TOKEN_MEMBER,  // . and : between names
    TOKEN_CONCAT,
    TOKEN_OTHER,  // ends any operand: other operators, keywords, commas
} wd_token;

// The run of one bracket level.
typedef struct wd_run {
    size_t start, end;  // bytes in the source; start == SIZE_MAX: none
    bool after_concat;  // it stands to the right of a `..`
    bool literal;       // it is one literal, nothing else
    bool open;          // the last token wants another operand
} wd_run;

// What is put in front of a byte of the source.
typedef struct wd_mark_at {
    unsigned char closed, opened;
} wd_mark_at;

typedef struct wd_scanner {
    lua_State *state;
    const char *text, *place;
    size_t length;
    wd_mark_at *marks;  // length + 1
    wd_run runs[BRACKETS_MAX];
    size_t level;
} wd_scanner;

static bool is_name(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
           byte == '_';
}

// Length of a long bracket's opening at `at` ("[[", "[=["), 0: there is none.
static size_t long_bracket(const wd_scanner *scanner, size_t at)
{
    size_t end = at + 1;
    if (at >= scanner->length || scanner->text[at] != '[') {
        return 0;
    }
    while (end < scanner->length && scanner->text[end] == '=') {
        end++;
    }
    return end < scanner->length && scanner->text[end] == '[' ? end + 1 - at : 0;
}

static size_t skip_long(const wd_scanner *scanner, size_t at, size_t opening)
{
    for (at += opening; at < scanner->length; at++) {
        size_t level = 0;
        if (scanner->text[at] != ']') {
            continue;
        }
        while (at + 1 + level < scanner->length && scanner->text[at + 1 + level] == '=') {
            level++;
        }
        if (level == opening - 2 && at + 1 + level < scanner->length &&
            scanner->text[at + 1 + level] == ']') {
            return at + level + 2;
        }
    }
    return scanner->length;
}

static size_t skip_quoted(const wd_scanner *scanner, size_t at)
{
    const char quote = scanner->text[at++];
    while (at < scanner->length && scanner->text[at] != quote) {
        at += scanner->text[at] == '\\' ? 2 : 1;
    }
    return at < scanner->length ? at + 1 : scanner->length;
}

static size_t skip_comment(const wd_scanner *scanner, size_t at)
{
    const size_t opening = long_bracket(scanner, at + 2);
    if (opening > 0) {
        return skip_long(scanner, at + 2, opening);
    }
    while (at < scanner->length && scanner->text[at] != '\n') {
        at++;
    }
    return at;
}

// Keywords end an operand; `not` is as good as one, for `..` binds tighter.
static bool is_keyword(const char *name, size_t length)
{
    static const char *const words[] = { "and", "break", "do", "else", "elseif", "end", "for", "function",
        "goto", "if", "in", "local", "not", "or", "repeat", "return", "then", "until", "while" };
    for (size_t i = 0; i < WD_COUNT_OF(words); i++) {
        if (strlen(words[i]) == length && memcmp(words[i], name, length) == 0) {
            return true;
        }
    }
    return false;
}

static wd_token word(const wd_scanner *scanner, size_t at, size_t *ret_end)
{
    const bool number = scanner->text[at] >= '0' && scanner->text[at] <= '9';
    size_t end = at + 1;
    while (end < scanner->length &&
           (is_name(scanner->text[end]) || (number && scanner->text[end] == '.' &&
                                               end + 1 < scanner->length && scanner->text[end + 1] != '.'))) {
        end++;
    }
    *ret_end = end;
    if (number) {
        return TOKEN_NUMBER;
    }
    // Names that would lead around the freezing of a pack, or around __text.
    const char *name = scanner->text + at;
    const size_t length = end - at;
    if (length >= 2 && name[0] == '_' && (name[1] == '_' || (length == 4 && memcmp(name, "_ENV", 4) == 0))) {
        int line = 1;
        for (size_t i = 0; i < at; i++) {
            line += scanner->text[i] == '\n' ? 1 : 0;
        }
        lua_pushlstring(scanner->state, name, length);
        luaL_error(scanner->state, "%s:%d: the name '%s' must not be used", scanner->place, line,
            lua_tostring(scanner->state, -1));
    }
    return is_keyword(name, length) ? TOKEN_OTHER : TOKEN_NAME;
}

static wd_token next_token(const wd_scanner *scanner, size_t at, size_t *ret_end)
{
    const char *text = scanner->text;
    const char byte = text[at];
    const char next = at + 1 < scanner->length ? text[at + 1] : '\0';
    *ret_end = at + 1;
    if (byte == '-' && next == '-') {
        *ret_end = skip_comment(scanner, at);
        return TOKEN_SPACE;
    }
    const size_t opening = long_bracket(scanner, at);
    if (byte == '"' || byte == '\'' || opening > 0) {
        *ret_end = opening > 0 ? skip_long(scanner, at, opening) : skip_quoted(scanner, at);
        return TOKEN_LITERAL;
    }
    if (is_name(byte)) {
        return word(scanner, at, ret_end);
    }
    if (byte == '.' && next == '.') {
        const bool dots = at + 2 < scanner->length && text[at + 2] == '.';
        *ret_end = at + (dots ? 3 : 2);
        return dots ? TOKEN_NAME : TOKEN_CONCAT;
    }
    switch (byte) {
    case ' ':
    case '\t':
    case '\r':
    case '\n':
        return TOKEN_SPACE;
    case '(':
    case '[':
    case '{':
        return TOKEN_OPEN;
    case ')':
    case ']':
    case '}':
        return TOKEN_CLOSE;
    case '.':
        return TOKEN_MEMBER;
    case ':':
        return next == ':' ? TOKEN_OTHER : TOKEN_MEMBER;
    case '+':
    case '-':
    case '*':
    case '/':
    case '%':
    case '^':
    case '#':
        return TOKEN_ARITHMETIC;
    default:
        return TOKEN_OTHER;
    }
}

// The run of this level is over; `concat` says that a `..` follows it.
static void end_run(wd_scanner *scanner, bool concat)
{
    wd_run *run = &scanner->runs[scanner->level];
    if (run->start != SIZE_MAX && !run->literal && (run->after_concat || concat)) {
        scanner->marks[run->start].opened++;
        scanner->marks[run->end].closed++;
    }
    *run = (wd_run){ .start = SIZE_MAX, .after_concat = concat };
}

// A token that is part of an operand, at [at, end). A second operand beside the first begins a statement of its own,
// unless it is a call: f"x", f{...}, f(...), t[...].
static void extend_run(wd_scanner *scanner, wd_token token, size_t at, size_t end)
{
    wd_run *run = &scanner->runs[scanner->level];
    const bool operand = token == TOKEN_NAME || token == TOKEN_NUMBER;
    if (run->start != SIZE_MAX && operand && !run->open) {
        end_run(scanner, false);
    }
    const bool first = run->start == SIZE_MAX;
    run->literal = first && token == TOKEN_LITERAL;
    run->start = first ? at : run->start;
    run->end = end;
    run->open = token == TOKEN_ARITHMETIC || token == TOKEN_MEMBER;
}

static void scan(wd_scanner *scanner)
{
    scanner->runs[0] = (wd_run){ .start = SIZE_MAX };
    for (size_t at = 0, end = 0; at < scanner->length; at = end) {
        const wd_token token = next_token(scanner, at, &end);
        switch (token) {
        case TOKEN_SPACE:
            break;
        case TOKEN_LITERAL:
        case TOKEN_NUMBER:
        case TOKEN_NAME:
        case TOKEN_ARITHMETIC:
        case TOKEN_MEMBER:
            extend_run(scanner, token, at, end);
            break;
        case TOKEN_OPEN:
            extend_run(scanner, token, at, end);
            if (scanner->level + 1 == BRACKETS_MAX) {
                luaL_error(scanner->state, "%s: more than %d brackets inside each other", scanner->place,
                    BRACKETS_MAX);
            }
            scanner->runs[++scanner->level] = (wd_run){ .start = SIZE_MAX };
            break;
        case TOKEN_CLOSE:
            end_run(scanner, false);
            if (scanner->level > 0) {
                scanner->level--;
                extend_run(scanner, token, at, end);
            }
            break;
        case TOKEN_CONCAT:
            end_run(scanner, true);
            break;
        case TOKEN_OTHER:
            end_run(scanner, false);
            break;
        }
    }
    end_run(scanner, false);
}

void wd_lua_push_source(lua_State *state, const char *text, size_t length, const char *place)
{
    wd_scanner scanner = { .state = state, .text = text, .length = length, .place = place };
    scanner.marks = lua_newuserdatauv(state, (length + 1) * sizeof *scanner.marks, 0);
    memset(scanner.marks, 0, (length + 1) * sizeof *scanner.marks);
    scan(&scanner);
    luaL_Buffer out;
    luaL_buffinit(state, &out);
    luaL_addlstring(&out, prologue, sizeof prologue - 1);
    for (size_t at = 0; at <= length; at++) {
        for (int i = 0; i < scanner.marks[at].closed; i++) {
            luaL_addchar(&out, ')');
        }
        for (int i = 0; i < scanner.marks[at].opened; i++) {
            luaL_addstring(&out, "__text(");
        }
        if (at < length) {
            luaL_addchar(&out, text[at]);
        }
    }
    luaL_pushresult(&out);
    lua_remove(state, -2);
}

// __text(x): x, when it is a text or an integer.
static int check_operand(lua_State *state)
{
    const int type = lua_type(state, 1);
    if (type == LUA_TNUMBER && !lua_isinteger(state, 1)) {
        return luaL_error(state, "a number with a fraction is written by text(x)");
    }
    if (type != LUA_TSTRING && type != LUA_TNUMBER) {
        return luaL_error(state, "a %s cannot be joined to a text",
            type == LUA_TLIGHTUSERDATA ? "state value or null" : luaL_typename(state, 1));
    }
    lua_settop(state, 1);
    return 1;
}

void wd_lua_push_text_check(lua_State *state)
{
    lua_pushcfunction(state, check_operand);
}
