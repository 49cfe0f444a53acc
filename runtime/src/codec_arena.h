/// codec_arena.h - scratch memory of one unpacking: a bump arena with a budget, freed as a whole.
///
/// protobuf-c allocates each repeated field and sub-message on its own; a small body can ask for 80 times its size.
/// The budget bounds that, and the inline first chunk keeps an ordinary message off the heap.
#ifndef RUNTIME_CODEC_ARENA_H
#define RUNTIME_CODEC_ARENA_H

#include "tree/status.h"

#include <protobuf-c/protobuf-c.h>
#include <stdint.h>

enum {
    CODEC_ARENA_FIRST_SIZE = 24 * 1024,  // inline; on the caller's stack
    CODEC_ARENA_CHUNK_SIZE = 64 * 1024,  // heap chunks, unless one block needs more
};

typedef struct codec_chunk codec_chunk;

/// On the stack of the call that needs it; not to be copied or moved once initialised.
typedef struct codec_arena {
    codec_chunk *chunks;     // newest first
    unsigned char *free_at;  // in the newest chunk
    size_t free_size;
    size_t budget_left;
    wd_status failure;  // why the last NULL: WD_ELIMIT the budget, WD_ENOMEM the heap; WD_OK none yet
    ProtobufCAllocator allocator;  // the same memory for protobuf-c
    _Alignas(16) unsigned char first[CODEC_ARENA_FIRST_SIZE];
} codec_arena;

void codec_arena_init(codec_arena *arena, size_t budget);
void codec_arena_done(codec_arena *arena);

/// 16-byte aligned, not cleared. NULL when the budget or the heap is used up; `failure` then says which.
WD_NODISCARD void *codec_arena_alloc(codec_arena *arena, size_t size);

#endif
