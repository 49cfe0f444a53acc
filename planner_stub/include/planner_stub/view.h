/// view.h - what a plan script may look at: the request, its JSON parts parsed, and the script's own bindings.
///
/// Everything is read-only. Values that are handed out belong to the caller (cJSON_Delete).
#ifndef PLANNER_STUB_VIEW_H
#define PLANNER_STUB_VIEW_H

#include "proto/worldd.pb-c.h"

#include <cjson/cJSON.h>
#include <stdbool.h>

enum { WD_VIEW_ERROR_MAX = 200 };

typedef struct wd_view {
    const Worldd__V1__PlanRequest *request;
    cJSON *params;          // the task's parameters; object
    cJSON *variables;       // of the WorldState, empty without one; NULL until something asks for them
    const cJSON *bindings;  // of for_each; object or NULL; borrowed
    char error[WD_VIEW_ERROR_MAX];  // why the last resolving failed; "" it did not
} wd_view;

/// @return false: a JSON field of the request is malformed; `error` names it.
bool wd_view_open(wd_view *view, const Worldd__V1__PlanRequest *request);
void wd_view_close(wd_view *view);

/// `template` with every "{name}" replaced and every {"$scene": selector, "take": what} read from the scene.
/// A string that is one placeholder keeps the value's type. @return NULL: `error` says what is missing.
cJSON *wd_view_resolve(wd_view *view, const cJSON *template);

/// Does the condition hold? A condition object holds when all its members do. @return false with `error` set when the
/// condition itself is wrong.
bool wd_view_holds(wd_view *view, const cJSON *condition);

#endif
