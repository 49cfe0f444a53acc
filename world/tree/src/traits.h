/// traits.h - what is cached of an array's elements. Private to world/tree; the public part is in walk.h.
#ifndef TRAITS_H
#define TRAITS_H

#include "node.h"

#include "tree/walk.h"

/// Cache the traits of a node that is about to be frozen; nodes that are no arrays have none.
void wd_traits_settle(const wd_value *node);

#endif
