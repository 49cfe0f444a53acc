#include "runtime/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const names[] = { "error", "warning", "info", "debug" };
static wd_log_level level_shown = WD_LOG_INFO;

void wd_log_set_level(const char *name)
{
    level_shown = WD_LOG_INFO;
    for (size_t i = 0; i < WD_COUNT_OF(names); i++) {
        if (strcmp(names[i], name) == 0) {
            level_shown = (wd_log_level)i;
        }
    }
}

void wd_log(wd_log_level level, const char *format, ...)
{
    if (level > level_shown) {
        return;
    }
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (char *c = text; *c != '\0'; c++) {  // what a peer sent cannot forge a second line
        if ((unsigned char)*c < 0x20 || *c == 0x7f) {
            *c = '?';
        }
    }
    fprintf(stderr, "worldd: %s: %s\n", names[level], text);
}

bool wd_log_within(wd_log_limit *limit, int64_t now_ms)
{
    if (now_ms - limit->since_ms >= 1000) {
        if (limit->left_out > 0) {
            wd_log(WD_LOG_WARNING, "%u more lines like the next were left out", limit->left_out);
        }
        *limit = (wd_log_limit){ .since_ms = now_ms };
    }
    bool within = limit->count < WD_LOG_PER_SECOND_MAX;
    limit->count += within;
    limit->left_out += !within;
    return within;
}
