/// text.h - owned NUL-terminated texts that may be NULL: what structs above the tree hold names in.
#ifndef TREE_TEXT_H
#define TREE_TEXT_H

#include "tree/alloc.h"

#include <stdbool.h>
#include <string.h>

static inline void wd_text_free(char **text_p)
{
    if (*text_p != NULL) {
        wd_free(*text_p, strlen(*text_p) + 1);
        *text_p = NULL;
    }
}

/// NULL copies to NULL; false when memory is out.
static inline bool wd_text_copy(const char *text, char **ret_copy)
{
    *ret_copy = text == NULL ? NULL : wd_strndup(text, strlen(text));
    return text == NULL || *ret_copy != NULL;
}

/// Equal texts; NULL equals only NULL.
static inline bool wd_text_same(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/// An empty text is no app and no page (bugs.md 35).
static inline bool wd_text_given(const char *text)
{
    return text != NULL && text[0] != '\0';
}

#endif
