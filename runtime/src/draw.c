#include "runtime/draw.h"

#include "tree/json.h"

#include <ctype.h>
#include <string.h>

uint64_t wd_draw_next(wd_draw *draw)
{
    draw->state += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t mixed = draw->state;
    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94D049BB133111EB);
    return mixed ^ (mixed >> 31);
}

uint64_t wd_draw_below(wd_draw *draw, uint64_t bound)
{
    wd_assert(bound > 0);
    uint64_t uneven =
        (UINT64_MAX % bound + 1) % bound;  // the last numbers, which would favour small remainders
    uint64_t number = wd_draw_next(draw);
    while (number > UINT64_MAX - uneven) {
        number = wd_draw_next(draw);
    }
    return number % bound;
}

double wd_draw_unit(wd_draw *draw)
{
    return (double)(wd_draw_next(draw) >> 11) * 0x1p-53;
}

// ---- texts by pattern -------------------------------------------------------------------------------------------

/// What one place of a pattern may hold: ASCII only, so a set is a string.
typedef struct draw_set {
    char set[128];
    size_t count;
} draw_set;

static void add(draw_set *place, char c)
{
    if (place->count < sizeof place->set) {
        place->set[place->count++] = c;
    }
}

/// Read "[a-cx]" from after the bracket. @return the character after the closing one; NULL: malformed.
static const char *read_set(const char *at, draw_set *place)
{
    while (*at != ']' && *at != '\0') {
        unsigned char first = (unsigned char)*at++;
        unsigned char last = first;
        if (at[0] == '-' && at[1] != ']' && at[1] != '\0') {
            last = (unsigned char)at[1];
            at += 2;
        }
        if (first > last || last > 126) {
            return NULL;
        }
        for (unsigned c = first; c <= last; c++) {
            add(place, (char)c);
        }
    }
    return *at == ']' && place->count > 0 ? at + 1 : NULL;
}

static const char *read_place(const char *at, draw_set *place)
{
    place->count = 0;
    if (*at == '[') {
        return read_set(at + 1, place);
    }
    if (*at == '\\' && at[1] == 'd') {
        return read_set("0-9]", place) == NULL ? NULL : at + 2;
    }
    at += *at == '\\';
    if (*at == '\0') {
        return NULL;
    }
    add(place, *at);
    return at + 1;
}

/// A following "{N}"; 1 without one, -1: malformed or too large.
static long read_repeat(const char **at_p)
{
    const char *at = *at_p;
    long number = 0;
    if (*at != '{') {
        return 1;
    }
    for (at += 1; isdigit((unsigned char)*at) && number <= WD_DRAW_REPEAT_MAX; at++) {
        number = number * 10 + (*at - '0');
    }
    if (*at != '}' || at == *at_p + 1 || number > WD_DRAW_REPEAT_MAX) {
        return -1;
    }
    *at_p = at + 1;
    return number;
}

wd_status wd_draw_text(wd_draw *draw, const char *pattern, wd_value **ret_text, wd_error *error)
{
    wd_buffer text = { 0 };
    wd_status status = WD_OK;
    for (const char *at = pattern; status == WD_OK && *at != '\0';) {
        draw_set place;
        const char *from = at;
        at = read_place(at, &place);
        long repeat = at == NULL ? -1 : read_repeat(&at);
        if (repeat < 0) {
            status = wd_error_set(error, WD_EPARSE, "pattern: malformed from \"%.20s\" on", from);
            break;
        }
        for (long i = 0; status == WD_OK && i < repeat; i++) {
            status = wd_buffer_append(&text, &place.set[wd_draw_below(draw, place.count)], 1);
        }
    }
    status = status == WD_OK ? wd_value_string(text.bytes == NULL ? "" : text.bytes, text.length, ret_text)
                             : status;
    wd_buffer_done(&text);
    return status;
}
