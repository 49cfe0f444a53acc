/// mutation.h - changes that a task does not speak of, drawn by a seed: what a judge must notice.
#ifndef RUNTIME_MUTATION_H
#define RUNTIME_MUTATION_H

#include "judge/rules.h"
#include "runtime/draw.h"
#include "sim/device.h"

typedef struct wd_mutation {
    wd_value *patch;  // to be injected
    wd_value *place;  // text: path of the place in the state
} wd_mutation;

/// Draw a place of `initial` that a person could have changed (apps' overlays, settings, contacts, messages) and that
/// the rules do not excuse, and a patch that changes it. The patch was tried on a fork of `start`.
/// @retval WD_ENOENT  after WD_MUTATION_TRIES_MAX draws none was found: the rules excuse too much.
enum { WD_MUTATION_TRIES_MAX = 200 };
WD_NODISCARD wd_status wd_mutation_draw(const wd_rules *rules, const wd_device *start,
    const wd_value *initial, wd_draw *draw, wd_mutation *ret_mutation, wd_error *error);
void wd_mutation_done(wd_mutation *mutation);

#endif
