/// places.h - seeded places in a state: paths to leaves, and values to write there.
#ifndef PLACES_H
#define PLACES_H

#include "tree/path.h"

typedef struct wd_place {
    wd_path *path;
    wd_value *value;  // another value of the leaf's kind
} wd_place;

typedef struct wd_places {
    wd_place *items;
    size_t count;
} wd_places;

/// Pick `count` leaves of `root` evenly by `seed`, in order of their standing in the tree, then shuffled. With
/// `prefix` (a member of "apps") only leaves below it.
WD_NODISCARD wd_status wd_places_pick(
    const wd_value *root, const char *prefix, uint64_t seed, size_t count, wd_places *ret_places);
void wd_places_done(wd_places *places);

/// Write the place's value into *root_p.
WD_NODISCARD wd_status wd_place_write(const wd_place *place, wd_value **root_p);

#endif
