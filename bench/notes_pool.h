/// notes_pool.h - the herd of notes_steps.h on worker threads of this process, without sockets.
#ifndef NOTES_POOL_H
#define NOTES_POOL_H

#include "notes_steps.h"
#include "runtime/env_pool.h"

typedef const char *notes_pool_step(size_t index, size_t phone, char ret_args[NOTES_ARGS_SIZE]);

typedef struct notes_pool {
    wd_bench *bench;
    wd_env_pool *pool;
    size_t workers, steps;
    wd_env_id ids[NOTES_HERD];
} notes_pool;

/// @return false: the benchmark was failed; notes_pool_stop() follows all the same.
bool notes_pool_start(wd_bench *bench, size_t workers, notes_pool *ret_pool);
/// So many steps of each phone, in turns of one batch.
bool notes_pool_run(notes_pool *pool, size_t steps);
void notes_pool_stop(notes_pool *pool);

#endif
