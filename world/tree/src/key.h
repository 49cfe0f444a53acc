/// key.h - keys and shapes. Private to world/tree.
#ifndef KEY_H
#define KEY_H

#include "node.h"

wd_digest wd_digest_of_text(const char *text, size_t length);

size_t wd_shape_size(uint32_t capacity);

/// Replace *shape_p (NULL is the empty shape) by the shape with `name` added last; it must not be in it.
/// @retval WD_EUTF8, WD_ELIMIT, WD_ENOMEM  *shape_p is unchanged.
wd_status wd_shape_add(wd_shape **shape_p, const wd_name *name);
/// The same with the key at `slot` removed.
wd_status wd_shape_drop(wd_shape **shape_p, uint32_t slot);

#endif
