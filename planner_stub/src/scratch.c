#include "scratch.h"

#include <stdlib.h>

struct wd_scratch_chunk {
    wd_scratch_chunk *next;
    size_t size;
    _Alignas(16) unsigned char bytes[];
};

static void *take(void *context, size_t size)
{
    wd_scratch *scratch = context;
    size_t padded = (size + 15) & ~(size_t)15;
    if (size > WD_SCRATCH_SIZE_MAX - scratch->taken) {
        return NULL;
    }
    if (scratch->chunks == NULL || padded > scratch->chunks->size - scratch->used) {
        size_t room = padded > WD_SCRATCH_CHUNK_SIZE ? padded : WD_SCRATCH_CHUNK_SIZE;
        wd_scratch_chunk *chunk = malloc(sizeof *chunk + room);
        if (chunk == NULL) {
            return NULL;
        }
        *chunk = (wd_scratch_chunk){ .next = scratch->chunks, .size = room };
        scratch->chunks = chunk;
        scratch->used = 0;
    }
    void *block = scratch->chunks->bytes + scratch->used;
    scratch->used += padded;
    scratch->taken += size;
    return block;
}

static void give_back(void *context, void *block)
{
    (void)context;
    (void)block;  // all at once, by wd_scratch_reset()
}

void wd_scratch_reset(wd_scratch *scratch)
{
    while (scratch->chunks != NULL && scratch->chunks->next != NULL) {
        wd_scratch_chunk *chunk = scratch->chunks;
        scratch->chunks = chunk->next;
        free(chunk);
    }
    scratch->used = scratch->taken = 0;
    scratch->allocator = (ProtobufCAllocator){ take, give_back, scratch };
}

void wd_scratch_done(wd_scratch *scratch)
{
    wd_scratch_reset(scratch);
    free(scratch->chunks);
    scratch->chunks = NULL;
}
