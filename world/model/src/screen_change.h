/// screen_change.h - what changed between two screens, in a few words, for people and planners.
#ifndef MODEL_SCREEN_CHANGE_H
#define MODEL_SCREEN_CHANGE_H

#include "model/world_state.h"

/// Write into ret_text what tells `before` from `after` (either may be NULL: not seen). App and page are what the
/// world model holds for them, NULL when unknown. Linear in the nodes of both.
void wd_screen_change(const wd_scene *before, const char *app_before, const char *page_before,
    const wd_scene *after, const char *app_after, const char *page_after,
    char ret_text[WD_LAST_CHANGE_TEXT_MAX]);

#endif
