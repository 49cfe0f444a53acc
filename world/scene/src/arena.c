#include "arena.h"

#include <string.h>

enum {
    CHUNK_SIZE_FIRST = 1024,
    CHUNK_SIZE_LAST = 64 * 1024,  // chunks double up to this; a longer text has a chunk of its own
};

struct wd_arena_chunk {
    wd_arena_chunk *older;
    size_t size, used;  // of `bytes`
    char bytes[];
};

static wd_arena_chunk *chunk_new(size_t size)
{
    wd_arena_chunk *chunk = wd_alloc(sizeof *chunk + size);
    if (chunk != NULL) {
        chunk->size = size;
        chunk->used = 0;
        chunk->older = NULL;
    }
    return chunk;
}

static char *own_chunk(wd_arena *arena, size_t size)
{
    wd_arena_chunk *chunk = chunk_new(size);
    if (chunk == NULL) {
        return NULL;
    }
    chunk->used = size;
    if (arena->newest == NULL) {
        arena->newest = chunk;
    } else {  // behind the newest, whose rest is still of use
        chunk->older = arena->newest->older;
        arena->newest->older = chunk;
    }
    return chunk->bytes;
}

static char *take(wd_arena *arena, size_t size)
{
    wd_arena_chunk *newest = arena->newest;
    if (newest != NULL && newest->size - newest->used >= size) {
        char *place = newest->bytes + newest->used;
        newest->used += size;
        return place;
    }
    size_t next = arena->chunk_size != 0 ? arena->chunk_size : CHUNK_SIZE_FIRST;
    if (size > next / 4) {
        return own_chunk(arena, size);
    }
    wd_arena_chunk *chunk = chunk_new(next);
    if (chunk == NULL) {
        return NULL;
    }
    chunk->older = newest;
    chunk->used = size;
    arena->newest = chunk;
    arena->chunk_size = next < CHUNK_SIZE_LAST ? next * 2 : next;
    return chunk->bytes;
}

const char *wd_arena_text(wd_arena *arena, const char *text, size_t length)
{
    if (length == 0) {
        return "";
    }
    char *copy = take(arena, length + 1);
    if (copy != NULL) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

void wd_arena_done(wd_arena *arena)
{
    while (arena->newest != NULL) {
        wd_arena_chunk *older = arena->newest->older;
        wd_free(arena->newest, sizeof *arena->newest + arena->newest->size);
        arena->newest = older;
    }
    arena->chunk_size = 0;
}
