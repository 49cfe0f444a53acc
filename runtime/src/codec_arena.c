#include "codec_arena.h"

#include "tree/alloc.h"

struct codec_chunk {
    codec_chunk *next;
    size_t size;  // of the whole block
    _Alignas(16) unsigned char bytes[];
};

static void *allocator_alloc(void *arena, size_t size)
{
    return codec_arena_alloc(arena, size);
}

static void allocator_free(void *arena, void *block)
{
    (void)arena;
    (void)block;  // everything goes at once, in codec_arena_done()
}

void codec_arena_init(codec_arena *arena, size_t budget)
{
    arena->chunks = NULL;
    arena->free_at = arena->first;
    arena->free_size = sizeof arena->first;
    arena->budget_left = budget;
    arena->failure = WD_OK;
    arena->allocator = (ProtobufCAllocator){ allocator_alloc, allocator_free, arena };
}

void codec_arena_done(codec_arena *arena)
{
    while (arena->chunks != NULL) {
        codec_chunk *chunk = arena->chunks;
        arena->chunks = chunk->next;
        wd_free(chunk, chunk->size);
    }
}

void *codec_arena_alloc(codec_arena *arena, size_t size)
{
    if (size > arena->budget_left) {
        arena->failure = WD_ELIMIT;
        return NULL;
    }
    size_t padded = (size + 15) & ~(size_t)15;  // cannot overflow: size is within the budget
    if (padded > arena->free_size) {
        size_t payload = padded > CODEC_ARENA_CHUNK_SIZE ? padded : CODEC_ARENA_CHUNK_SIZE;
        size_t block_size = sizeof(codec_chunk) + payload;
        codec_chunk *chunk = wd_alloc(block_size);
        if (chunk == NULL) {
            arena->failure = WD_ENOMEM;
            return NULL;
        }
        *chunk = (codec_chunk){ .next = arena->chunks, .size = block_size };
        arena->chunks = chunk;
        arena->free_at = chunk->bytes;
        arena->free_size = payload;
    }
    void *block = arena->free_at;
    arena->free_at += padded;
    arena->free_size -= padded;
    arena->budget_left -= size;
    return block;
}
