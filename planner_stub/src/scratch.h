/// scratch.h - memory for one unpacked request at a time, used again for the next: protobuf-c asks for hundreds of small
/// blocks per scene, and malloc would take longer over them than the planner over its plan.
#ifndef PLANNER_STUB_SCRATCH_H
#define PLANNER_STUB_SCRATCH_H

#include <protobuf-c/protobuf-c.h>

enum {
    WD_SCRATCH_CHUNK_SIZE = 256 * 1024,
    WD_SCRATCH_SIZE_MAX = 64 * 1024 * 1024,  // of one request, unpacked
};

typedef struct wd_scratch_chunk wd_scratch_chunk;

typedef struct wd_scratch {
    ProtobufCAllocator allocator;  // to be given to the unpack functions; set by wd_scratch_reset()
    wd_scratch_chunk *chunks;      // newest first; the oldest stays for the next request
    size_t used, taken;            // in the newest chunk; by this request in all
} wd_scratch;

/// Start over: all that was unpacked is gone. The first call makes a zeroed struct ready.
void wd_scratch_reset(wd_scratch *scratch);
void wd_scratch_done(wd_scratch *scratch);

#endif
