/// pattern_segment.h - one compiled segment of a pattern, as the walk over two states matches it.
#ifndef JUDGE_PATTERN_SEGMENT_H
#define JUDGE_PATTERN_SEGMENT_H

#include "judge/pattern.h"

typedef struct wd_pattern_segment {
    bool element;      // in brackets
    bool any;          // []
    bool star;         // `text` keeps its escapes and holds an unescaped '*'; else it is plain
    const char *text;  // whole element text without brackets, or the key
    size_t length;
} wd_pattern_segment;

struct wd_pattern {
    wd_path *path;  // owns the raw texts
    char *plain;    // owns the unescaped texts, one after the other
    size_t plain_size;
    size_t count;
    wd_pattern_segment segments[];
};

/// Does the segment match this one of a path? `text` is unescaped.
bool wd_pattern_segment_matches(
    const wd_pattern_segment *segment, bool element, const char *text, size_t length);

#endif
