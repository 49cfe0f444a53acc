#include "tree/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct status_row {
    wd_status status;
    const char *name, *text;
} status_rows[] = {
#define X(name, number, text) { WD_##name, #name, text },
    WD_STATUS_TABLE(X)
#undef X
};

static const struct status_row *status_find(wd_status status)
{
    for (size_t i = 0; i < WD_COUNT_OF(status_rows); i++) {
        if (status_rows[i].status == status) {
            return &status_rows[i];
        }
    }
    return NULL;
}

const char *wd_status_text(wd_status status)
{
    const struct status_row *row = status_find(status);
    return row != NULL ? row->text : "unknown status";
}

const char *wd_status_name(wd_status status)
{
    const struct status_row *row = status_find(status);
    return row != NULL ? row->name : "EUNKNOWN";
}

// A text that was cut may end inside a character: take the incomplete one off.
static void cut_at_character(char *text)
{
    size_t length = strlen(text);
    size_t tail = 0;
    while (tail < 3 && tail < length && ((unsigned char)text[length - 1 - tail] & 0xC0) == 0x80) {
        tail += 1;
    }
    if (tail == length) {
        return;
    }
    unsigned char lead = (unsigned char)text[length - 1 - tail];
    size_t wanted = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC0 ? 1 : 0;
    if (wanted != tail && lead >= 0xC0) {
        text[length - 1 - tail] = '\0';
    }
}

wd_status wd_error_set(wd_error *error, wd_status status, const char *format, ...)
{
    if (error != NULL) {
        va_list args;
        va_start(args, format);
        int wanted = vsnprintf(error->text, sizeof(error->text), format, args);
        va_end(args);
        if (wanted < 0 || (size_t)wanted >= sizeof(error->text)) {
            cut_at_character(error->text);
        }
        error->status = status;
    }
    return status;
}

void wd_error_prefix(wd_error *error, const char *format, ...)
{
    if (error == NULL) {
        return;
    }
    char text[WD_ERROR_TEXT_MAX];
    va_list args;
    va_start(args, format);
    int wanted = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    size_t length = wanted < 0 ? 0 : strlen(text);
    int rest = snprintf(text + length, sizeof(text) - length, ": %s", error->text);
    if (wanted < 0 || (size_t)wanted >= sizeof(text) || rest < 0 || (size_t)rest >= sizeof(text) - length) {
        cut_at_character(text);
    }
    memcpy(error->text, text, sizeof(text));
}

void wd_assert_fail(const char *expression, const char *file, int line)
{
    fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, expression);
    abort();
}
