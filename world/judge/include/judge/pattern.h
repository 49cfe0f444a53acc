/// pattern.h - which places of a state a declared change speaks of (judge.md 12.4).
///
/// A pattern is a path in which `[]` stands for any element and an unescaped `*` for one or more characters
/// of one segment. It covers a path when its segments match the first segments of the path.
#ifndef JUDGE_PATTERN_H
#define JUDGE_PATTERN_H

#include "tree/path.h"

typedef struct wd_pattern wd_pattern;

/// Compile text[0..length). @retval WD_EPARSE, WD_ELIMIT  malformed: the error says where.
WD_NODISCARD wd_status wd_pattern_compile(
    const char *text, size_t length, wd_pattern **ret_pattern, wd_error *error);
void wd_pattern_destroy(wd_pattern **pattern_p);

/// Does `pattern` stand at the place of `path` or above it?
bool wd_pattern_covers(const wd_pattern *pattern, const wd_path *path);

/// The same for two texts. Malformed text covers nothing and is covered by nothing: *ret_covers is false.
WD_NODISCARD wd_status wd_pattern_covers_text(
    const char *pattern, size_t pattern_length, const char *path, size_t path_length, bool *ret_covers);

#endif
