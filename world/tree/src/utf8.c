// utf8.c - is it UTF-8? The door every string passes.
#include "tree/json.h"

#include <string.h>

// Length of the well-formed character at `bytes` (Unicode table 3-7), or 0.
static size_t character_length(const unsigned char *bytes, size_t length)
{
    unsigned char lead = bytes[0];
    if (lead < 0x80) {
        return 1;
    }
    if (lead < 0xC2 || lead > 0xF4) {
        return 0;
    }
    size_t wanted = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    if (length < wanted) {
        return 0;
    }
    // Only the second byte has narrower bounds: no overlong forms, no surrogates, nothing past U+10FFFF.
    unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (bytes[1] < low || bytes[1] > high) {
        return 0;
    }
    for (size_t i = 2; i < wanted; i++) {
        if ((bytes[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    return wanted;
}

bool wd_utf8_valid(const char *text, size_t length)
{
    const unsigned char *bytes = (const unsigned char *)text;
    size_t at = 0;
    while (at < length) {
        // Eight ASCII bytes at a time: no high bit, no zero byte.
        while (length - at >= 8) {
            uint64_t word;
            memcpy(&word, bytes + at, 8);
            if (((word | (word - 0x0101010101010101u)) & 0x8080808080808080u) != 0) {
                break;
            }
            at += 8;
        }
        if (at == length) {
            break;
        }
        size_t step = bytes[at] == 0 ? 0 : character_length(bytes + at, length - at);
        if (step == 0) {
            return false;
        }
        at += step;
    }
    return true;
}
