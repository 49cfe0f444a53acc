/// characters.c - decoding, digits of all scripts (Unicode category Nd), white space.
#include "characters.h"

#include <string.h>

uint32_t wd_character_at(const char *text, size_t length, size_t *ret_size)
{
    if (length == 0) {
        *ret_size = 0;
        return 0;
    }
    const unsigned char *byte = (const unsigned char *)text;
    size_t size = byte[0] < 0x80 ? 1 : byte[0] < 0xE0 ? 2 : byte[0] < 0xF0 ? 3 : 4;
    uint32_t character = size == 1 ? byte[0] : byte[0] & (0xFFu >> (size + 1));
    for (size_t i = 1; i < size && i < length; i++) {
        character = character << 6 | (byte[i] & 0x3Fu);
    }
    *ret_size = size < length ? size : length;
    return character;
}

size_t wd_character_before(const char *text, size_t length)
{
    size_t size = 0;
    while (size < length) {
        size += 1;
        if (((unsigned char)text[length - size] & 0xC0) != 0x80) {
            break;
        }
    }
    return size;
}

// The zero of each script's digits; nine more follow it.
static const uint32_t zeros[] = { 0x0030, 0x0660, 0x06F0, 0x07C0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66,
    0x0BE6, 0x0C66, 0x0CE6, 0x0D66, 0x0DE6, 0x0E50, 0x0ED0, 0x0F20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946,
    0x19D0, 0x1A80, 0x1A90, 0x1B50, 0x1BB0, 0x1C40, 0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50,
    0xABF0, 0xFF10, 0x104A0, 0x10D30, 0x11066, 0x110F0, 0x11136, 0x111D0, 0x112F0, 0x11450, 0x114D0, 0x11650,
    0x116C0, 0x11730, 0x118E0, 0x11950, 0x11C50, 0x11D50, 0x11DA0, 0x16A60, 0x16AC0, 0x16B50, 0x1D7CE,
    0x1D7D8, 0x1D7E2, 0x1D7EC, 0x1D7F6, 0x1E140, 0x1E2F0, 0x1E950, 0x1FBF0 };

int wd_character_digit(uint32_t character)
{
    if (character < 0x80) {
        return character >= '0' && character <= '9' ? (int)(character - '0') : -1;
    }
    for (size_t i = 0; i < sizeof zeros / sizeof zeros[0]; i++) {
        if (character >= zeros[i] && character <= zeros[i] + 9) {
            return (int)(character - zeros[i]);
        }
    }
    return -1;
}

bool wd_character_is_space(uint32_t character)
{
    return (character >= 0x09 && character <= 0x0D) || (character >= 0x1C && character <= 0x20) ||
           character == 0x85 || character == 0xA0 || character == 0x1680 ||
           (character >= 0x2000 && character <= 0x200A) || character == 0x2028 || character == 0x2029 ||
           character == 0x202F || character == 0x205F || character == 0x3000;
}

void wd_text_trim(const char **text_p, size_t *length_p)
{
    size_t size = 0;
    while (*length_p > 0 && wd_character_is_space(wd_character_at(*text_p, *length_p, &size))) {
        *text_p += size;
        *length_p -= size;
    }
    while (*length_p > 0) {
        size_t last = wd_character_before(*text_p, *length_p);
        if (!wd_character_is_space(wd_character_at(*text_p + *length_p - last, last, &size))) {
            break;
        }
        *length_p -= last;
    }
}

const char *wd_text_find(const char *text, size_t length, const char *part, size_t part_length)
{
    return part_length == 0 ? text : memmem(text, length, part, part_length);
}
