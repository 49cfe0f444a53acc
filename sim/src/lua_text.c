// Texts for packs: no patterns, positions are characters of UTF-8, letters fold in ASCII only.
#include "lua_private.h"

#include <stdio.h>
#include <string.h>

enum { REPEAT_MAX = 64 * 1024 };

static char fold(char byte)
{
    return byte >= 'A' && byte <= 'Z' ? (char)(byte + 32) : byte;
}

static int text_lower(lua_State *state)
{
    size_t length = 0;
    const char *text = luaL_checklstring(state, 1, &length);
    luaL_Buffer buffer;
    char *out = luaL_buffinitsize(state, &buffer, length);
    for (size_t i = 0; i < length; i++) {
        out[i] = fold(text[i]);
    }
    luaL_pushresultsize(&buffer, length);
    return 1;
}

static int text_upper(lua_State *state)
{
    size_t length = 0;
    const char *text = luaL_checklstring(state, 1, &length);
    luaL_Buffer buffer;
    char *out = luaL_buffinitsize(state, &buffer, length);
    for (size_t i = 0; i < length; i++) {
        out[i] = text[i] >= 'a' && text[i] <= 'z' ? (char)(text[i] - 32) : text[i];
    }
    luaL_pushresultsize(&buffer, length);
    return 1;
}

static int text_trim(lua_State *state)
{
    size_t length = 0;
    const char *text = luaL_checklstring(state, 1, &length);
    size_t first = 0;
    while (first < length && strchr(" \t\r\n", text[first]) != NULL) {
        first++;
    }
    while (length > first && strchr(" \t\r\n", text[length - 1]) != NULL) {
        length--;
    }
    lua_pushlstring(state, text + first, length - first);
    return 1;
}

// contains(text, part): without regard to the case of ASCII letters. "" is in every text.
static int text_contains(lua_State *state)
{
    size_t length = 0;
    size_t part_length = 0;
    const char *text = luaL_checklstring(state, 1, &length);
    const char *part = luaL_checklstring(state, 2, &part_length);
    bool found = part_length == 0;
    for (size_t at = 0; !found && at + part_length <= length; at++) {
        size_t same = 0;
        while (same < part_length && fold(text[at + same]) == fold(part[same])) {
            same++;
        }
        found = same == part_length;
    }
    lua_pushboolean(state, found);
    return 1;
}

static int text_starts(lua_State *state)
{
    size_t length = 0;
    size_t part_length = 0;
    const char *text = luaL_checklstring(state, 1, &length);
    const char *part = luaL_checklstring(state, 2, &part_length);
    lua_pushboolean(state, part_length <= length && memcmp(text, part, part_length) == 0);
    return 1;
}

static int text_split(lua_State *state)
{
    const char *text = luaL_checkstring(state, 1);
    size_t mark_length = 0;
    const char *mark = luaL_checklstring(state, 2, &mark_length);
    luaL_argcheck(state, mark_length > 0, 2, "a separator is wanted");
    lua_newtable(state);
    lua_Integer count = 0;
    for (const char *found; (found = strstr(text, mark)) != NULL; text = found + mark_length) {
        lua_pushlstring(state, text, (size_t)(found - text));
        lua_rawseti(state, -2, ++count);
    }
    lua_pushstring(state, text);
    lua_rawseti(state, -2, ++count);
    return 1;
}

static int text_join(lua_State *state)
{
    const char *mark = luaL_optstring(state, 2, "");
    const wd_value *list = wd_lua_container(state, 1);
    luaL_Buffer buffer;
    luaL_buffinit(state, &buffer);
    for (lua_Integer i = 1;; i++) {
        if (list != NULL) {
            wd_lua_push(state, wd_array_at(list, (size_t)i - 1));
        } else {
            luaL_checktype(state, 1, LUA_TTABLE);
            lua_rawgeti(state, 1, i);
        }
        if (lua_isnil(state, -1)) {
            lua_pop(state, 1);
            break;
        }
        (void)wd_lua_text(state, -1, NULL);
        if (i > 1) {
            lua_pushstring(state, mark);
            lua_insert(state, -2);
            lua_concat(state, 2);
        }
        luaL_addvalue(&buffer);
    }
    luaL_pushresult(&buffer);
    return 1;
}

static size_t next_character(const char *text, size_t length, size_t at)
{
    at++;
    while (at < length && ((unsigned char)text[at] & 0xC0) == 0x80) {
        at++;
    }
    return at;
}

static int text_length(lua_State *state)
{
    size_t length = 0;
    const char *text = luaL_checklstring(state, 1, &length);
    lua_Integer count = 0;
    for (size_t at = 0; at < length; at = next_character(text, length, at)) {
        count++;
    }
    lua_pushinteger(state, count);
    return 1;
}

// sub(text, first, last?): characters first..last, from 1.
static int text_sub(lua_State *state)
{
    size_t length = 0;
    const char *text = luaL_checklstring(state, 1, &length);
    const lua_Integer first = luaL_checkinteger(state, 2);
    const lua_Integer last = luaL_optinteger(state, 3, LUA_MAXINTEGER);
    size_t from = length;
    size_t to = length;
    lua_Integer count = 0;
    for (size_t at = 0; at < length; at = next_character(text, length, at)) {
        count++;
        if (count == first || (count == 1 && first < 1)) {
            from = at;
        }
        if (count == last) {
            to = next_character(text, length, at);
        }
    }
    if (last < 1) {
        to = 0;
    }
    lua_pushlstring(state, text + from, to > from ? to - from : 0);
    return 1;
}

static int text_repeat(lua_State *state)
{
    size_t length = 0;
    const char *text = luaL_checklstring(state, 1, &length);
    const lua_Integer count = luaL_checkinteger(state, 2);
    luaL_argcheck(state, count <= 0 || length * (size_t)count <= REPEAT_MAX, 2, "the text becomes too long");
    luaL_Buffer buffer;
    luaL_buffinit(state, &buffer);
    for (lua_Integer i = 0; i < count; i++) {
        luaL_addlstring(&buffer, text, length);
    }
    luaL_pushresult(&buffer);
    return 1;
}

// digits(text): its decimal digits alone.
static int text_digits(lua_State *state)
{
    luaL_Buffer buffer;
    const char *text = luaL_checkstring(state, 1);
    luaL_buffinit(state, &buffer);
    for (; *text != '\0'; text++) {
        if (*text >= '0' && *text <= '9') {
            luaL_addchar(&buffer, *text);
        }
    }
    luaL_pushresult(&buffer);
    return 1;
}

// cents(n, mark): an amount of hundredths as text, "12.05".
static int text_cents(lua_State *state)
{
    const lua_Integer amount = luaL_checkinteger(state, 1);
    const unsigned long long size =
        amount < 0 ? 0ULL - (unsigned long long)amount : (unsigned long long)amount;
    char text[48];
    (void)snprintf(text, sizeof text, "%s%llu.%02llu", amount < 0 ? "-" : "", size / 100, size % 100);
    lua_pushstring(state, text);
    return 1;
}

// Date of a day number since 1970 (proleptic Gregorian).
static void civil(int64_t day, int *ret_year, int *ret_month, int *ret_day)
{
    day += 719468;
    const int64_t era = (day >= 0 ? day : day - 146096) / 146097;
    const int64_t of_era = day - era * 146097;
    const int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    const int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
    const int64_t shifted = (5 * of_year + 2) / 153;
    *ret_day = (int)(of_year - (153 * shifted + 2) / 5 + 1);
    *ret_month = (int)(shifted < 10 ? shifted + 3 : shifted - 9);
    *ret_year = (int)(year + era * 400 + (*ret_month <= 2 ? 1 : 0));
}

// date(ms): {year, month, day, hour, minute, weekday (0 Sunday)} in the device's zone.
static int text_date(lua_State *state)
{
    const int64_t local = luaL_checkinteger(state, 1) + (int64_t)WD_DEVICE_UTC_OFFSET_DEFAULT * 60000;
    const int64_t minutes = (local >= 0 ? local : local - 59999) / 60000;
    const int64_t day_number = (minutes >= 0 ? minutes : minutes - 1439) / 1440;
    const int64_t minute = minutes - day_number * 1440;
    int year = 0;
    int month = 0;
    int day = 0;
    civil(day_number, &year, &month, &day);
    const struct {
        const char *name;
        int64_t number;
    } parts[] = { { "year", year }, { "month", month }, { "day", day }, { "hour", minute / 60 },
        { "minute", minute % 60 }, { "weekday", ((day_number + 4) % 7 + 7) % 7 } };
    lua_createtable(state, 0, (int)WD_COUNT_OF(parts));
    for (size_t i = 0; i < WD_COUNT_OF(parts); i++) {
        lua_pushinteger(state, parts[i].number);
        lua_setfield(state, -2, parts[i].name);
    }
    return 1;
}

// pad(number, width): with leading zeros.
static int text_pad(lua_State *state)
{
    char text[48];
    (void)snprintf(text, sizeof text, "%0*lld", (int)luaL_checkinteger(state, 2) & 31,
        (long long)luaL_checkinteger(state, 1));
    lua_pushstring(state, text);
    return 1;
}

void wd_lua_open_texts(lua_State *state)
{
    static const luaL_Reg functions[] = {
        { "lower", text_lower },
        { "upper", text_upper },
        { "trim", text_trim },
        { "contains", text_contains },
        { "starts", text_starts },
        { "split", text_split },
        { "join", text_join },
        { "length", text_length },
        { "sub", text_sub },
        { "times", text_repeat },
        { "digits", text_digits },
        { "cents", text_cents },
        { "date", text_date },
        { "pad", text_pad },
        { NULL, NULL },
    };
    luaL_setfuncs(state, functions, 0);
}
