/// route.h - paths inside an app and the patterns of its pages: "/post/:id", "/post/p7?dialog=delete".
#ifndef SIM_ROUTE_H
#define SIM_ROUTE_H

#include "tree/value.h"

/// Does `path` (its query left out) fit the pattern? ":name" takes any part but an empty one.
bool wd_route_fits(const char *pattern, const char *path);
/// Add the parts that ":name" takes to the object *params_p. `path` must fit.
WD_NODISCARD wd_status wd_route_params(const char *pattern, const char *path, wd_value **params_p);
/// Add the members of the path's query, decoded as form data, to the object *params_p.
WD_NODISCARD wd_status wd_route_query(const char *path, wd_value **params_p);

#endif
