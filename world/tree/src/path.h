/// path.h - what a parsed path holds beside its segments. Private to world/tree.
#ifndef PATH_H
#define PATH_H

#include "node.h"

#include "tree/path.h"

struct wd_path {
    size_t count;
    size_t size;           // of the whole block
    wd_segment *segments;  // in the block, as all below
    wd_name *names;        // of KEY segments, hashed once
};

/// Which child of `container` the segment leads to: *ret_child (absent: NULL) and, in an array, *ret_index.
void wd_segment_find(const wd_segment *segment, const wd_name *name, const wd_value *container,
    bool substring_fallback, const wd_value **ret_child, size_t *ret_index);

/// Empty keys lead nowhere: look-ups stay where they are.
static inline bool wd_segment_is_skipped(const wd_segment *segment)
{
    return segment->kind == WD_SEGMENT_KEY && segment->text_length == 0;
}

/// The value at a dotted field (escapes allowed) below `object`; NULL when absent.
const wd_value *wd_field_get(const wd_value *object, const char *field, size_t length);

/// Is the scalar's text (judge.md 12.10) these bytes? false for NULL and containers.
bool wd_scalar_is_text(const wd_value *scalar, const char *text, size_t length);

#endif
