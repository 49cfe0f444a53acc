/// text.h - a span of bytes, and trimming.
#ifndef SIM_TEXT_H
#define SIM_TEXT_H

#include <stddef.h>
#include <string.h>

typedef struct wd_text {
    const char *bytes;
    size_t length;
} wd_text;

/// `text` without the white space at its ends.
static inline wd_text wd_text_trim(const char *text)
{
    static const char blanks[] = " \t\r\n\v\f";
    size_t start = strspn(text, blanks);
    size_t end = strlen(text);
    while (end > start && strchr(blanks, text[end - 1]) != NULL) {
        end--;
    }
    return (wd_text){ text + start, end - start };
}

#endif
