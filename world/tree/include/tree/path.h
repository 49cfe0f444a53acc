/// path.h - typed paths into a tree, parsed once from text. The grammar is judge.md 12.1, in docs/state-tree.md.
///
///   key.key[3].key[id=m7].name     keys joined by '.', elements in brackets
///   \. \[ \\ in keys, \] \\ in elements: the character itself
///   [] any element and * a wildcard: patterns only.   [-1] the last element: look-ups only.
///   [+=v] [-=v]: what the change report writes for flat arrays.
#ifndef TREE_PATH_H
#define TREE_PATH_H

#include "tree/json.h"

enum {
    WD_PATH_SEGMENTS_MAX = 256,
    WD_PATH_TEXT_MAX = 64 * 1024,  // bytes
};

typedef enum wd_segment_kind {
    WD_SEGMENT_KEY,      // text: the member's name, unescaped
    WD_SEGMENT_INDEX,    // [n] or [-1]
    WD_SEGMENT_FILTER,   // [field=value]
    WD_SEGMENT_ANY,      // []
    WD_SEGMENT_ADDED,    // [+=value]
    WD_SEGMENT_REMOVED,  // [-=value]
    WD_SEGMENT_ELEMENT,  // any other text in brackets (patterns such as [*])
} wd_segment_kind;

typedef struct wd_segment {
    wd_segment_kind kind;
    const char *text;  // key, filter value, added or removed value, or the element's raw text; unescaped
    size_t text_length;
    const char *field;  // FILTER: as written; an unescaped '.' goes deeper
    size_t field_length;
    const char *raw;  // as written, escapes kept, without brackets: what patterns match stars in
    size_t raw_length;
    int64_t index;  // INDEX
} wd_segment;

typedef struct wd_path wd_path;

/// Parse a path. Empty keys are kept. @retval WD_EPARSE the text says where. @retval WD_ELIMIT too long.
WD_NODISCARD wd_status wd_path_parse(const char *text, size_t length, wd_path **ret_path, wd_error *error);
void wd_path_destroy(wd_path **path_p);
size_t wd_path_count(const wd_path *path);
const wd_segment *wd_path_at(const wd_path *path, size_t index);  // borrowed from the path
/// The segment holds an unescaped '*'.
bool wd_segment_has_star(const wd_segment *segment);

/// Look `path` up in `root` (judge.md 12.6): empty keys are skipped, digits as a key address an array element, a
/// filter takes the first object whose field's scalar text equals the wanted one. Absent is NULL. Borrowed.
/// `substring_fallback`: a filter that finds no equal field takes the first string that contains it (judge.md 2.3).
const wd_value *wd_path_get(const wd_path *path, const wd_value *root, bool substring_fallback);
/// Parse and look up; malformed text finds nothing.
const wd_value *wd_value_get_path(const wd_value *root, const char *path);

/// Set what `path` leads to; missing members on the way become objects. Takes *item_p.
/// @retval WD_ENOENT an index or filter on the way finds nothing. @retval WD_ETYPE a scalar is in the way.
WD_NODISCARD wd_status wd_path_set(
    wd_value **root_p, const wd_path *path, wd_value **item_p, wd_error *error);
WD_NODISCARD wd_status wd_value_set_path(wd_value **root_p, const char *path, wd_value **item_p);
/// Remove the member or element. @retval WD_ENOENT.
WD_NODISCARD wd_status wd_path_remove(wd_value **root_p, const wd_path *path);

/// Append one segment as text, escaped, with its '.' when the buffer's path is not empty (`first` false).
WD_NODISCARD wd_status wd_path_write_key(wd_buffer *buffer, bool first, const char *key, size_t length);
WD_NODISCARD wd_status wd_path_write_index(wd_buffer *buffer, size_t index);
/// kind FILTER, ADDED or REMOVED; `scalar` by wd_scalar_text(), escaped.
WD_NODISCARD wd_status wd_path_write_element(
    wd_buffer *buffer, wd_segment_kind kind, const char *field, const wd_value *scalar);

#endif
