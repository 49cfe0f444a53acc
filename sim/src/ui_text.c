// The text of screens is measured by this table alone, so bounds are the same everywhere.
#include "ui_element.h"

#include <string.h>

enum { EM = 1000, WIDE = 1000, OTHER = 600 };

// Advance of U+0020 to U+007E in thousandths of the size, as a common sans serif has them.
static const uint16_t ascii_advance[95] = {
    250, 270, 330, 620, 560, 730, 640, 180, 340, 340, 430, 570, 220, 280, 260, 410,  //  !"#$%&'()*+,-./
    560, 560, 560, 560, 560, 560, 560, 560, 560, 560, 240, 240, 510, 560, 510, 470,  // 0123456789:;<=>?
    900, 650, 620, 650, 660, 570, 550, 680, 710, 270, 550, 630, 540, 870, 710, 690,  // @A..O
    630, 690, 620, 590, 600, 650, 640, 890, 630, 600, 600, 270, 410, 270, 420, 450,  // P.._
    310, 540, 560, 520, 560, 530, 350, 560, 550, 240, 240, 510, 240, 880, 550, 570,  // `a..o
    560, 570, 340, 520, 330, 550, 490, 750, 500, 470, 500, 340, 240, 340, 680,       // p..~
};

// One character of valid UTF-8; its length in bytes.
static size_t decode(const char *text, uint32_t *ret_code)
{
    const unsigned char *byte = (const unsigned char *)text;
    if (byte[0] < 0x80) {
        *ret_code = byte[0];
        return 1;
    }
    size_t length = byte[0] >= 0xF0 ? 4 : byte[0] >= 0xE0 ? 3 : 2;
    uint32_t code = byte[0] & (0xFFU >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        code = code << 6 | (byte[i] & 0x3FU);
    }
    *ret_code = code;
    return length;
}

static int32_t advance(uint32_t code)
{
    if (code >= 0x20 && code <= 0x7E) {
        return ascii_advance[code - 0x20];
    }
    // East Asian wide: Hangul jamo, CJK and kana, full-width forms, pictographs.
    if ((code >= 0x1100 && code <= 0x115F) || (code >= 0x2E80 && code <= 0xA4CF) ||
        (code >= 0xAC00 && code <= 0xD7A3) || (code >= 0xF900 && code <= 0xFAFF) ||
        (code >= 0xFE30 && code <= 0xFE6F) || (code >= 0xFF00 && code <= 0xFF60) ||
        (code >= 0x1F300 && code <= 0x1FAFF) || (code >= 0x20000 && code <= 0x3FFFD)) {
        return WIDE;
    }
    return code < 0x20 ? 0 : OTHER;
}

int32_t wd_ui_text_width(const char *text, size_t length, int32_t size)
{
    int64_t width = 0;
    for (size_t at = 0; at < length;) {
        uint32_t code = 0;
        at += decode(text + at, &code);
        width += advance(code);
    }
    width = (width * size + EM - 1) / EM;
    return width > INT32_MAX / 2 ? INT32_MAX / 2 : (int32_t)width;
}

int32_t wd_ui_text_lines(const char *text, int32_t size, int32_t width)
{
    // Breaks anywhere between characters; at a blank when there is one in the line.
    const int64_t room = (int64_t)(width < size ? size : width) * EM / size;
    int64_t used = 0;
    int64_t since_blank = -1;  // width of what follows the last blank of this line; -1: no blank yet
    int32_t lines = 1;
    for (size_t at = 0; text[at] != '\0';) {
        uint32_t code = 0;
        at += decode(text + at, &code);
        if (code == '\n') {
            lines += 1;
            used = 0;
            since_blank = -1;
            continue;
        }
        const int32_t step = advance(code);
        if (used + step > room && code != ' ') {
            lines += 1;
            used = since_blank > 0 ? since_blank : 0;
            since_blank = -1;
        }
        used += step;
        since_blank = code == ' ' ? 0 : since_blank >= 0 ? since_blank + step : -1;
    }
    return lines;
}
