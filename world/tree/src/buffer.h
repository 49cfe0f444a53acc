/// buffer.h - what the writers in this room do with a wd_buffer beyond json.h.
#ifndef BUFFER_H
#define BUFFER_H

#include "tree/json.h"

#include <stdarg.h>

/// Room for `extra` more bytes and the NUL.
wd_status wd_buffer_reserve(wd_buffer *buffer, size_t extra);
wd_status wd_buffer_vformat(wd_buffer *buffer, const char *format, va_list args) WD_PRINTF(2, 0);

#endif
