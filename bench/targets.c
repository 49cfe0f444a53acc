// targets.c - what each row must reach. The one place for such figures.
#include "bench.h"

#include <string.h>

static const wd_target targets[] = {
    { "tree", "parse", WD_TARGET_RATIO_MAX, 1 },
    { "tree", "print", WD_TARGET_RATIO_MAX, 1 / 2.5 },
    { "tree", "snapshot, write, drop", WD_TARGET_VALUE_MAX, 1.5 },
    { "tree", "snapshot, write, drop in tables, 10^6 leaves", WD_TARGET_VALUE_MAX, 1.5 },
    { "tree", "snapshot, write, drop in tables, 10^6 leaves", WD_TARGET_RATIO_MAX, 1.5 },
    { "tree", "restore", WD_TARGET_VALUE_MAX, 100 },
    { "tree", "update while shared", WD_TARGET_VALUE_MAX, 1 },
    { "tree", "update while not shared", WD_TARGET_VALUE_MAX, 150 },
    { "tree", "update in a table of 10^4 entries", WD_TARGET_RATIO_MAX, 3 },
    { "tree", "update in a table of 10^6 entries", WD_TARGET_VALUE_MAX, 2 },
    { "tree", "fork 256, write a leaf in each", WD_TARGET_RATIO_MAX, 1 / 300.0 },
    { "tree", "memory of these 256 forks", WD_TARGET_RATIO_MAX, 1 / 300.0 },
    { "tree", "memory of a fork, 20 leaves changed", WD_TARGET_VALUE_MAX, 16 },
    { "tree", "run of 121 snapshots, 4 leaves a step", WD_TARGET_VALUE_MAX, 300 },
    { "tree", "changes of 1 leaf", WD_TARGET_RATIO_MAX, 1 / 200.0 },
    { "tree", "changes of 10 leaves", WD_TARGET_RATIO_MAX, 1 / 40.0 },
    { "tree", "changes of 100 leaves", WD_TARGET_RATIO_MAX, 1 / 6.0 },
    { "tree", "changes without common ancestry", WD_TARGET_RATIO_MAX, 1.2 },
    { "tree", "changes of 10 leaves in tables, 10^6 leaves", WD_TARGET_RATIO_MAX, 2 },
    { "tree", "changes of 100 leaves in tables, 10^6 leaves", WD_TARGET_RATIO_MAX, 2 },
    { "judge", "verdict, 5 changes", WD_TARGET_VALUE_MAX, 10 },
    { "judge", "verdict, nothing shared", WD_TARGET_VALUE_MAX, 1000 },
    { "self", "one clock reading", WD_TARGET_VALUE_MAX, 10000 },
    { "loop", "plan round trip", WD_TARGET_RATIO_MAX, 3 },
    { "scenes", "uiautomator XML to scene", WD_TARGET_RATIO_MAX, 2 },
    { "scenes", "10,000 recorded steps", WD_TARGET_VALUE_MAX, 2 },  // s
    { "scenes", "identity", WD_TARGET_VALUE_MAX, 100 },             // us on 300 nodes
    { "device", "lifecycle operation", WD_TARGET_VALUE_MAX, 2 },
    { "device", "manager call", WD_TARGET_VALUE_MAX, 2 },
    { "device", "inject of 10 leaves", WD_TARGET_VALUE_MAX, 10 },
    { "device", "reset", WD_TARGET_VALUE_MAX, 20 },
    { "device", "fork and drop", WD_TARGET_VALUE_MAX, 1 },
    { "device", "fork memory", WD_TARGET_VALUE_MAX, 1 },
    { "envs", "10^6 forks, a step each", WD_TARGET_VALUE_MAX, 6 * 1024 },  // MiB
    { "envs", "making them", WD_TARGET_VALUE_MAX, 60 },                    // s
    { "envs", "sampled digests equal", WD_TARGET_VALUE_MIN, 1 },
    { "envs", "memory kept after closing", WD_TARGET_VALUE_MAX, 0.1 },
    { "envs", "10^6 forks, a text each", WD_TARGET_VALUE_MAX, 6 * 1024 },
    { "envs", "making those with a text", WD_TARGET_VALUE_MAX, 60 },
    { "envs", "sampled digests with a text equal", WD_TARGET_VALUE_MIN, 1 },
    { "envs", "10^5 forks, 20 leaves each", WD_TARGET_VALUE_MAX, 2 * 1024 },
    { "envs", "their sampled digests equal", WD_TARGET_VALUE_MIN, 1 },
    { "envs", "memory kept after closing those", WD_TARGET_VALUE_MAX, 0.1 },
    { "apps", "tap with its new scene, all states distinct", WD_TARGET_VALUE_MIN, 15000 },
    { "imagine", "256 steps, 64 candidates, with their last screens", WD_TARGET_VALUE_MAX, 100 },  // ms
    { "wire", "taps in the process, by its CPU", WD_TARGET_VALUE_MIN, 15000 },
    { "wire", "batches of 256 taps over ipc", WD_TARGET_RATIO_MIN, 0.7 },
    { "wire", "the same with changed nodes observed", WD_TARGET_RATIO_MIN, 0.4 },
    { "wire", "CPU a tap with two workers", WD_TARGET_RATIO_MAX, 1.15 },
    { "wire", "two workers in the process", WD_TARGET_RATIO_MIN, 1.7 },
    { "wire", "the way there and back, against an echo", WD_TARGET_RATIO_MAX, 1.8 },
    { "wire", "CPU a step while 2,000 runs wait", WD_TARGET_RATIO_MAX, 1.5 },
    { "wire", "threads while they wait", WD_TARGET_RATIO_MAX, 1 },
    { "python", "VecEnv.step of 256", WD_TARGET_RATIO_MIN, 0.5 },
    { "python", "the same with changed nodes observed", WD_TARGET_RATIO_MIN, 0.5 },
    { "apps", "scene from the cache", WD_TARGET_VALUE_MAX, 1 },
    { "apps", "cold start with all packs", WD_TARGET_VALUE_MAX, 50 },
    { "apps", "another device", WD_TARGET_VALUE_MAX, 20 },
    { "apps", "forum step, 10^6 posts against 10^3", WD_TARGET_RATIO_MAX, 1.2 },
};

const wd_target *wd_target_next(const wd_target *after, const char *bench, const char *row)
{
    const wd_target *end = targets + WD_COUNT_OF(targets);
    for (const wd_target *target = after == NULL ? targets : after + 1; target < end; target++) {
        if (strcmp(target->bench, bench) == 0 && strcmp(target->row, row) == 0) {
            return target;
        }
    }
    return NULL;
}
