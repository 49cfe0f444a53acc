/// step.h - the place a walk stands at: one segment, and the way up. Lives on the walker's stack, so that
/// path text is built only for what turns out to be a change.
#ifndef JUDGE_STEP_H
#define JUDGE_STEP_H

#include "tree/path.h"

typedef struct wd_step {
    struct wd_step *up;    // NULL at the root, which is no segment
    uint32_t depth;        // segments down to and including this one; 0 at the root
    wd_segment_kind kind;  // KEY, INDEX, FILTER, ADDED, REMOVED
    const char *text;      // KEY: the name; FILTER: the field, NUL-terminated
    size_t length;
    size_t index;            // INDEX
    const wd_value *scalar;  // FILTER, ADDED, REMOVED: the value shown

    size_t text_end;  // how much of the walk's path text leads here; 0: not written yet (differ.h)

    // What the matcher knows about this place (matcher.h).
    uint32_t active_first, active_count;  // patterns whose segments match all steps so far, and go on
    int32_t quota;                        // lowest quota whose prefix stands here or above, -1 for none
} wd_step;

static inline wd_step wd_step_key(wd_step *up, const char *name, size_t length)
{
    return (
        wd_step){ .up = up, .depth = up->depth + 1, .kind = WD_SEGMENT_KEY, .text = name, .length = length };
}

static inline wd_step wd_step_index(wd_step *up, size_t index)
{
    return (wd_step){ .up = up, .depth = up->depth + 1, .kind = WD_SEGMENT_INDEX, .index = index };
}

static inline wd_step wd_step_element(
    wd_step *up, wd_segment_kind kind, const char *field, const wd_value *scalar)
{
    return (wd_step){ .up = up, .depth = up->depth + 1, .kind = kind, .text = field, .scalar = scalar };
}

/// Make the walk's path text that of `step`, escaped. What leads to the steps above it is written once: they
/// stand on the walker's stack, so whatever was written since goes through them too.
WD_NODISCARD wd_status wd_step_write_path(wd_step *step, wd_buffer *text);

/// Append the step's own text as patterns see it: unescaped, without brackets.
WD_NODISCARD wd_status wd_step_write_plain(const wd_step *step, wd_buffer *buffer);

#endif
