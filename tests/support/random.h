/// random.h - a small seeded generator for property tests: the same numbers on every machine.
#ifndef SUPPORT_RANDOM_H
#define SUPPORT_RANDOM_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct random_source {
    uint64_t state;
} random_source;

/// splitmix64.
static inline uint64_t random_next(random_source *random)
{
    random->state += 0x9E3779B97F4A7C15u;
    uint64_t mixed = random->state;
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EBu;
    return mixed ^ mixed >> 31;
}

/// 0 .. bound - 1.
static inline uint32_t random_below(random_source *random, uint32_t bound)
{
    return (uint32_t)(random_next(random) >> 33) % bound;
}

/// The seed of a test: WORLDD_SEED if set, else `fallback`. Printed, so that a failure can be run again.
static inline random_source random_seeded(const char *test, uint64_t fallback)
{
    const char *wanted = getenv("WORLDD_SEED");
    uint64_t seed = wanted != NULL ? strtoull(wanted, NULL, 0) : fallback;
    printf("%s: WORLDD_SEED=%llu\n", test, (unsigned long long)seed);
    return (random_source){ .state = seed };
}

#endif
