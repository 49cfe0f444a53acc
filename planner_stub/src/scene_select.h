/// scene_select.h - find a node of a scene as a step's selector would, and read it.
#ifndef PLANNER_STUB_SCENE_SELECT_H
#define PLANNER_STUB_SCENE_SELECT_H

#include "proto/worldd.pb-c.h"

#include <cjson/cJSON.h>

/// All given parts must match: resource_id (whole, or the part after ":id/"), text (of text or description), role,
/// checked, and ordinal (which of several, from 0).
/// @return the node; NULL when none matches, or several do and no ordinal says which. *ret_count says how many.
const Worldd__V1__Node *wd_scene_select(
    const Worldd__V1__Scene *scene, const cJSON *selector, size_t *ret_count);

/// "text", "desc", "hint", "label" (the first of them that is there), "resource_id", "role", "id", or a flag such as
/// "checked" (null when the scene does not know). @return NULL for another word.
cJSON *wd_node_take(const Worldd__V1__Node *node, const char *what);

#endif
