/// place.h - current app and page, and the rules that derive them (DESIGN section 4).
#ifndef MODEL_PLACE_H
#define MODEL_PLACE_H

#include "model/world_state.h"

typedef struct wd_place_now {
    char *app, *page;                      // owned; NULL unknown
    const char *app_source, *page_source;  // WD_SOURCE_*, static
    bool stale;
} wd_place_now;

void wd_place_done(wd_place_now *place);
WD_NODISCARD wd_status wd_place_copy(const wd_place_now *place, wd_place_now *ret_copy);

/// What the step itself says about the app in front. *ret_app: the app it means to lead to, borrowed, NULL when it
/// says nothing. *ret_void: an older intention no longer holds, because the step may have left that app.
void wd_place_intention(
    const wd_step *step, const wd_result *result, const char *launcher, const char **ret_app, bool *ret_void);

/// Observation beats intention (`intended_app`, or NULL); without either the old values stay, marked stale.
WD_NODISCARD wd_status wd_place_derive(const wd_place_now *old, const wd_scene *scene,
    const wd_semantic *semantic, const char *intended_app, wd_place_now *ret_place);

#endif
