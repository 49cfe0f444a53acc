/// log.h - what worldd says on stderr, one line a message: "worldd: info: text". Only runtime/ logs.
#ifndef RUNTIME_LOG_H
#define RUNTIME_LOG_H

#include "tree/status.h"

typedef enum wd_log_level { WD_LOG_ERROR, WD_LOG_WARNING, WD_LOG_INFO, WD_LOG_DEBUG } wd_log_level;

/// "error", "warning", "info" or "debug"; anything else is info. Set before threads start.
void wd_log_set_level(const char *name);
void wd_log(wd_log_level level, const char *format, ...) WD_PRINTF(2, 3);

#endif
