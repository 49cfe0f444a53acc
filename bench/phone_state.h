/// phone_state.h - a synthetic phone's state, the input of the tree's benchmarks: about 7,600 leaves and 200 to 250 kB
/// of compact JSON, seven levels deep, the widest container 263 wide, as a real device's is (limits.md).
#ifndef PHONE_STATE_H
#define PHONE_STATE_H

#include "tree/value.h"

/// The same for the same seed. With `entities` above zero the store app has as many records of eight leaves more, in
/// four tables by id.
WD_NODISCARD wd_status wd_phone_state_make(uint64_t seed, size_t entities, wd_value **ret_state);

#endif
