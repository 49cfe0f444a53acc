/// notes_steps.h - the steps that `wire` and `python` drive: a herd of phones, each with a note of its own before it, so that
/// no two phones ever show the same screen, and a cycle of taps that each change the state and draw a new screen.
#ifndef NOTES_STEPS_H
#define NOTES_STEPS_H

#include "bench.h"

#include "runtime/env.h"
#include "worldd/client.h"

enum {
    NOTES_HERD = 256,
    NOTES_CYCLE = 3,  // steps after which the taps begin again
    NOTES_PREPARATION = 5,
    NOTES_ARGS_SIZE = 160,
};

/// Action `index` of those that write a note no other phone has and end before it. @return its kind.
const char *notes_preparation(size_t index, size_t phone, char ret_args[NOTES_ARGS_SIZE]);

/// The arguments of step `index` after them; all are "tap"s.
const char *notes_step_args(size_t index);

/// A herd in this process.
typedef struct notes_herd {
    wd_bench *bench;
    wd_packs *packs;
    wd_envs *envs;
    size_t count, steps;
    wd_env_id ids[NOTES_HERD];
} notes_herd;

bool notes_herd_start(wd_bench *bench, size_t count, notes_herd *ret_herd);
/// So many steps of each phone. @return false: one failed, and the benchmark with it.
bool notes_herd_step(notes_herd *herd, size_t steps);
void notes_herd_stop(notes_herd *herd);

/// The same herd in a daemon, driven by batches.
typedef struct notes_peer {
    wd_bench *bench;
    wd_client *client;
    size_t count, steps;
    wd_client_env_id ids[NOTES_HERD];
    uint8_t digests[NOTES_HERD][WD_CLIENT_ID_SIZE];  // after the last step
    wd_client_batch *batch;
} notes_peer;

bool notes_peer_start(wd_bench *bench, const char *endpoint, size_t count, notes_peer *ret_peer);
bool notes_peer_step(notes_peer *peer, size_t steps, wd_client_observe observe);
void notes_peer_stop(notes_peer *peer);
/// After the same number of steps: are all phones in the same state? Fails the benchmark when not.
bool notes_same(const notes_herd *herd, const notes_peer *peer);

#endif
