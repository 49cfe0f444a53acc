/// codec_batch.h - EnvBatch read and EnvBatchReply written (proto/worldd.proto).
#ifndef RUNTIME_CODEC_BATCH_H
#define RUNTIME_CODEC_BATCH_H

#include "codec_arena.h"
#include "runtime/env_pool.h"

typedef struct wd_env_batch {
    uint64_t request_id;
    uint32_t deadline_ms;
    wd_env_look look;
    size_t count;  // 1..WD_ENV_BATCH_MAX
    codec_arena arena;
    const void *message;  // in the arena
} wd_env_batch;

/// What one slot asks for; borrowed from the batch.
typedef struct wd_env_batch_item {
    wd_env_id env;
    const char *kind;
    const char *args;  // JSON text, or none
    size_t args_length;
} wd_env_batch_item;

/// On an error ret_batch->request_id is set all the same when it could be read, else 0. Errors name the field.
WD_NODISCARD wd_status wd_codec_unpack_env_batch(
    const void *body, size_t length, wd_env_batch *ret_batch, wd_error *error);
void wd_env_batch_done(wd_env_batch *batch);  // also after a failure to unpack
wd_env_batch_item wd_env_batch_at(const wd_env_batch *batch, size_t index);

/// One answered slot and the output of the job it came in.
typedef struct wd_env_batch_answer {
    const wd_env_slot *slot;
    const char *output;
} wd_env_batch_answer;

WD_NODISCARD wd_status wd_codec_pack_env_batch_reply(uint64_t request_id, const wd_env_batch_answer *answers,
    size_t count, uint8_t **ret_body, size_t *ret_length);

#endif
