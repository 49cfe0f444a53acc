/// file_tree.h - a file, or all files below a folder, as the file source that semantic/ reads recordings from.
#ifndef RUNTIME_FILE_TREE_H
#define RUNTIME_FILE_TREE_H

#include "semantic/episode.h"

enum { WD_FILE_TREE_DEPTH_MAX = 16 };

typedef struct wd_file_tree {
    wd_file_source source;  // hand this out; its context is this struct
    char *root;             // folder that the names lie below
    char **names;
    size_t capacity;
} wd_file_tree;

/// List `path`, sorted by bytes; names that start with a dot are left out. *ret_tree must not move while it is used.
/// @retval WD_ENOENT, WD_EIO, WD_ELIMIT  `error` names the path.
WD_NODISCARD wd_status wd_file_tree_open(const char *path, wd_file_tree *ret_tree, wd_error *error);
void wd_file_tree_close(wd_file_tree *tree);

#endif
