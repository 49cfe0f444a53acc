/// draw.h - seeded draws that are the same on every machine (decision J14): splitmix64 and what is made of it.
#ifndef RUNTIME_DRAW_H
#define RUNTIME_DRAW_H

#include "tree/value.h"

/// The generator: any start value is a seed.
typedef struct wd_draw {
    uint64_t state;
} wd_draw;

uint64_t wd_draw_next(wd_draw *draw);
/// A whole number in 0..bound-1, all equally likely. `bound` > 0.
uint64_t wd_draw_below(wd_draw *draw, uint64_t bound);
/// 0 <= x < 1, a multiple of 2^-53.
double wd_draw_unit(wd_draw *draw);

/// Append a text drawn by `pattern`: characters stand for themselves, `\d` for a digit, `[a-cx]` for one of the set,
/// each repeated by a following `{N}`; `\` takes the meaning from the next character.
/// @retval WD_EPARSE  malformed; `error` says where. @retval WD_ELIMIT  N above WD_DRAW_REPEAT_MAX.
enum { WD_DRAW_REPEAT_MAX = 1000 };
WD_NODISCARD wd_status wd_draw_text(wd_draw *draw, const char *pattern, wd_value **ret_text, wd_error *error);

#endif
