/// cjson_walk.h - the baselines of the tree's benchmarks: what a careful user of cJSON would write.
#ifndef CJSON_WALK_H
#define CJSON_WALK_H

#include <cjson/cJSON.h>
#include <stddef.h>
#include <stdint.h>

/// Number of places where the trees differ: a full pairwise walk, children paired in order, with a look-up by name
/// only where the order does not match.
size_t wd_cjson_walk(const cJSON *a, const cJSON *b);

/// Bytes that cJSON holds between start and stop, with the system allocator's rounding.
void wd_cjson_count_start(void);
uint64_t wd_cjson_count_stop(void);

/// Change the `index`-th leaf of a kind that can be changed in place (a number), counted round.
void wd_cjson_write_leaf(cJSON *root, size_t index);

#endif
