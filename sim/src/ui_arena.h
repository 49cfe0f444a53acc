/// ui_arena.h - memory that lives as long as one screen: bump-allocated blocks and the values kept with them.
#ifndef SIM_UI_ARENA_H
#define SIM_UI_ARENA_H

#include "tree/value.h"

typedef struct wd_ui_block {
    struct wd_ui_block *next;
    size_t size, used;  // bytes of the whole block, bytes handed out (header included)
} wd_ui_block;

typedef struct wd_ui_kept {
    struct wd_ui_kept *next;
    wd_value *value;
} wd_ui_kept;

/// Zero-initialise; drop with wd_ui_arena_done().
typedef struct wd_ui_arena {
    wd_ui_block *blocks;
    wd_ui_kept *kept;
} wd_ui_arena;

void wd_ui_arena_done(wd_ui_arena *arena);
/// `size` cleared bytes, 16-byte aligned, until the arena is done. NULL when memory is out.
WD_NODISCARD void *wd_ui_arena_get(wd_ui_arena *arena, size_t size);
/// A NUL-terminated copy. NULL when memory is out.
WD_NODISCARD const char *wd_ui_arena_text(wd_ui_arena *arena, const char *text, size_t length);
/// A printed text. NULL when memory is out.
WD_NODISCARD const char *wd_ui_arena_format(wd_ui_arena *arena, const char *format, ...) WD_PRINTF(2, 3);
/// The arena takes *value_p (also when it fails) and drops it with itself.
WD_NODISCARD wd_status wd_ui_arena_keep(wd_ui_arena *arena, wd_value **value_p);

#endif
