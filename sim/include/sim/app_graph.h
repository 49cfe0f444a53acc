/// app_graph.h - explore what a person can reach in an app, by forking the phone at every node that takes a touch.
#ifndef SIM_APP_GRAPH_H
#define SIM_APP_GRAPH_H

#include "sim/phone.h"

typedef struct wd_app_graph_options {
    const char *app;     // id of a loaded pack
    uint32_t forks_max;  // touches tried, 1..WD_APP_GRAPH_FORKS_MAX
    uint64_t seed;       // which of many alike states are looked at first
} wd_app_graph_options;

enum { WD_APP_GRAPH_FORKS_MAX = 1000 * 1000, WD_APP_GRAPH_STATES_MAX = 4096 };

/// Explore from the app's start page and from the page of each of its intent filters. `device` is not changed.
///
/// @param[out] ret_graph  {"app", "forks", "states", "pages": {route: states seen}, "edges": {route: {route: touches}},
///                        "deadEnds": [routes with a screen that takes no touch], "unreached": [routes declared but
///                        never seen], "errors": [{"route", "node", "text"}]}
/// @retval WD_ENOENT no such app. @retval WD_EINVAL forks_max.
WD_NODISCARD wd_status wd_app_graph(wd_host *host, const wd_device *device,
    const wd_app_graph_options *options, wd_value **ret_graph, wd_error *error);

#endif
