/// arena.h - memory that lives as long as one scene: many small strings, freed together.
#ifndef SCENE_ARENA_H
#define SCENE_ARENA_H

#include "tree/alloc.h"

typedef struct wd_arena_chunk wd_arena_chunk;

/// Zero-initialise; give back with wd_arena_done().
typedef struct wd_arena {
    wd_arena_chunk *newest;
    size_t chunk_size;  // of the next chunk
} wd_arena;

/// A NUL-terminated copy of text[0..length), valid until wd_arena_done(). NULL when memory is out; what was
/// handed out before stays valid. An empty text costs nothing.
WD_NODISCARD const char *wd_arena_text(wd_arena *arena, const char *text, size_t length);

void wd_arena_done(wd_arena *arena);

#endif
