/// walk.h - a seeded random walk over everything that can be done to a device, for tests.
#ifndef WALK_H
#define WALK_H

#include "json.h"

#include "sim/device.h"

typedef struct random_walk {
    uint64_t state;      // of the generator (splitmix64)
    wd_device *device;   // borrowed; may be swapped
    wd_value *snapshot;  // taken earlier, to be restored later
    bool tidy;           // un-managed parts get only what belongs there
    const char *last;    // what the last step did
    wd_error error;      // what the last step was refused with
} random_walk;

/// A device with the fixture apps and a few overlays.
wd_device *walk_device(void);
random_walk walk_start(uint64_t seed, wd_device *device);
void walk_done(random_walk *walk);
uint64_t walk_random(random_walk *walk, uint64_t bound);  // 0..bound-1

/// One random step: an operation with good, unknown or wrongly typed arguments, an inject, time, an overlay,
/// now and then a reload, a reset, a capture or a restore.
wd_status walk_step(random_walk *walk);

/// The part of the machine at a path of keys; NULL when absent.
const wd_value *part_of(const wd_value *machine, const char *path);

/// Every rule that holds between two steps; the test fails with its name when one does not.
void walk_check_invariants(const random_walk *walk);

#endif
