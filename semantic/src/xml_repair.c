#include "xml_repair.h"

#include "tree/alloc.h"

#include <string.h>

enum {
    REFERENCE_MAX = 12,  // longest character reference worth looking at: "&#x0010FFFF;"
    REPLACEMENT_SIZE = 3,
    AMPERSAND_GROWTH = 4,  // "&" becomes "&amp;"
};
static const char replacement[] = "\xEF\xBF\xBD";

/// Something that a strict parser would refuse, or that merely needs a closer look.
typedef struct piece {
    size_t size;       // bytes of input
    bool fine;         // copy as it is
    bool bare;         // a bare '&'
    bool pair;         // two surrogates written apart
    uint32_t instead;  // else this character
} piece;

static bool is_surrogate(uint32_t c, bool high)
{
    return (c & 0xFFFFFC00u) == (high ? 0xD800u : 0xDC00u);
}

static bool is_xml_char(uint32_t c)
{
    return c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c < 0xD800) || (c >= 0xE000 && c <= 0xFFFD) ||
           (c >= 0x10000 && c <= 0x10FFFF);
}

/// "&#55357;" or "&#xD83D;": its number and size, or size 0 when there is none.
static size_t read_reference(wd_span rest, uint32_t *ret_number)
{
    bool hex = rest.length > 2 && (rest.at[2] == 'x' || rest.at[2] == 'X');
    size_t at = hex ? 3 : 2;
    uint32_t number = 0;
    size_t digits = at;
    if (!wd_span_starts(rest, "&#")) {
        return 0;
    }
    for (; at < rest.length && at < REFERENCE_MAX && rest.at[at] != ';'; at++) {
        char c = rest.at[at];
        uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                         : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a' + 10)
                         : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A' + 10)
                                                : 99;
        if (digit >= (hex ? 16 : 10)) {
            return 0;
        }
        number = number > 0x1FFFFF ? number : number * (hex ? 16 : 10) + digit;
    }
    if (at == digits || at >= rest.length || rest.at[at] != ';') {
        return 0;
    }
    *ret_number = number;
    return at + 1;
}

static piece judge_ampersand(wd_span rest)
{
    static const char *const known[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&apos;" };
    for (size_t i = 0; i < WD_COUNT_OF(known); i++) {
        if (wd_span_starts(rest, known[i])) {
            return (piece){ .size = strlen(known[i]), .fine = true };
        }
    }
    uint32_t number = 0, second = 0;
    size_t size = read_reference(rest, &number);
    if (size == 0) {
        return (piece){ .size = 1, .bare = true };
    }
    if (is_xml_char(number)) {
        return (piece){ .size = size, .fine = true };
    }
    size_t second_size = read_reference((wd_span){ rest.at + size, rest.length - size }, &second);
    if (second_size > 0 && is_surrogate(number, true) && is_surrogate(second, false)) {
        uint32_t whole = 0x10000 + ((number & 0x3FF) << 10 | (second & 0x3FF));
        return (piece){ .size = size + second_size, .pair = true, .instead = whole };
    }
    return (piece){ .size = size, .instead = 0xFFFD };
}

/// A surrogate in three bytes, as Java's modified UTF-8 has it; 0 when there is none.
static uint32_t read_surrogate(wd_span rest)
{
    const unsigned char *bytes = (const unsigned char *)rest.at;
    if (rest.length < 3 || bytes[0] != 0xED || bytes[1] < 0xA0 || bytes[1] > 0xBF ||
        (bytes[2] & 0xC0) != 0x80) {
        return 0;
    }
    return 0xD000u | (bytes[1] & 0x3Fu) << 6 | (bytes[2] & 0x3Fu);
}

static piece judge(wd_span rest)
{
    unsigned char first = (unsigned char)rest.at[0];
    if (first == '&') {
        return judge_ampersand(rest);
    }
    if (first < 0x80) {
        return (piece){ .size = 1, .fine = is_xml_char(first), .instead = 0xFFFD };
    }
    uint32_t high = read_surrogate(rest);
    if (high != 0) {
        uint32_t low =
            is_surrogate(high, true) ? read_surrogate((wd_span){ rest.at + 3, rest.length - 3 }) : 0;
        if (is_surrogate(low, false)) {
            return (piece){
                .size = 6, .pair = true, .instead = 0x10000 + ((high & 0x3FF) << 10 | (low & 0x3FF))
            };
        }
        return (piece){ .size = 3, .instead = 0xFFFD };
    }
    size_t size = 0;
    uint32_t code_point = wd_utf8_next(rest.at, rest.length, &size);
    bool decoded = size > 1;  // else the byte is no UTF-8 and code_point is U+FFFD for it
    return (piece){ .size = size, .fine = decoded && is_xml_char(code_point), .instead = 0xFFFD };
}

/// Length of the start of `rest` that is plain: no '&', no control character, ASCII. Eight bytes at a time.
static size_t plain_length(wd_span rest)
{
    size_t at = 0;
    const uint64_t ones = 0x0101010101010101u, tops = 0x8080808080808080u;
    for (; at + 8 <= rest.length; at += 8) {
        uint64_t word;
        memcpy(&word, rest.at + at, 8);
        uint64_t ampersand = word ^ (ones * '&');
        uint64_t special = ((word - ones * 0x20) | (ampersand - ones)) & ~word;
        if (((special | word) & tops) != 0) {
            break;
        }
    }
    while (at < rest.length && (signed char)rest.at[at] >= 0x20 && rest.at[at] != '&') {
        at += 1;
    }
    return at;
}

static void count_piece(wd_xml_repair *repair, piece found, size_t *growth)
{
    repair->ampersands += found.bare;
    repair->pairs += found.pair;
    repair->characters += !found.bare && !found.pair;
    size_t size = found.bare ? 1 + AMPERSAND_GROWTH : found.pair ? 4 : REPLACEMENT_SIZE;
    *growth += size > found.size ? size - found.size : 0;
}

static void write_repaired(wd_span input, wd_xml_repair *repair)
{
    char *out = repair->copy;
    for (size_t at = 0; at < input.length;) {
        wd_span rest = { input.at + at, input.length - at };
        size_t plain = plain_length(rest);
        memcpy(out, rest.at, plain);
        out += plain;
        at += plain;
        if (plain == rest.length) {
            break;
        }
        piece found = judge((wd_span){ rest.at + plain, rest.length - plain });
        if (found.fine) {
            memcpy(out, input.at + at, found.size);
            out += found.size;
        } else if (found.bare) {
            memcpy(out, "&amp;", 1 + AMPERSAND_GROWTH);
            out += 1 + AMPERSAND_GROWTH;
        } else if (found.pair) {
            out += wd_utf8_put(found.instead, out);
        } else {
            memcpy(out, replacement, REPLACEMENT_SIZE);
            out += REPLACEMENT_SIZE;
        }
        at += found.size;
    }
    repair->text = (wd_span){ repair->copy, (size_t)(out - repair->copy) };
}

wd_status wd_xml_repair_make(wd_span input, wd_xml_repair *ret_repair)
{
    wd_xml_repair repair = { .text = input };
    size_t growth = 0;
    for (size_t at = 0; at < input.length;) {
        at += plain_length((wd_span){ input.at + at, input.length - at });
        if (at < input.length) {
            piece found = judge((wd_span){ input.at + at, input.length - at });
            if (!found.fine) {
                count_piece(&repair, found, &growth);
            }
            at += found.size;
        }
    }
    if (repair.characters + repair.pairs + repair.ampersands > 0) {
        repair.copy_size = input.length + growth + 4;  // a pair is written with room for four bytes
        repair.copy = wd_alloc(repair.copy_size);
        if (repair.copy == NULL) {
            return WD_ENOMEM;
        }
        write_repaired(input, &repair);
    }
    *ret_repair = repair;
    return WD_OK;
}

void wd_xml_repair_done(wd_xml_repair *repair)
{
    wd_free(repair->copy, repair->copy_size);
    repair->copy = NULL;
}
