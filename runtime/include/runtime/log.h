/// log.h - what worldd says on stderr, one line a message: "worldd: info: text". Only runtime/ logs.
#ifndef RUNTIME_LOG_H
#define RUNTIME_LOG_H

#include "tree/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum wd_log_level { WD_LOG_ERROR, WD_LOG_WARNING, WD_LOG_INFO, WD_LOG_DEBUG } wd_log_level;

/// "error", "warning", "info" or "debug"; anything else is info. Set before threads start.
void wd_log_set_level(const char *name);
void wd_log(wd_log_level level, const char *format, ...) WD_PRINTF(2, 3);

enum { WD_LOG_PER_SECOND_MAX = 10 };

/// For lines that peers can cause at will: they fill no disk. One per kind of line; starts zeroed.
typedef struct wd_log_limit {
    int64_t since_ms;  // begin of the second that is counted in
    uint32_t count, left_out;
} wd_log_limit;
/// May another line be logged now? Says itself how many were left out, once the next second begins.
bool wd_log_within(wd_log_limit *limit, int64_t now_ms);

#endif
