// A search over machines: each is forked at each of its touches. States that show the same screen are one; of those
// that wait, one whose page was looked at least often comes first, so that a long list does not hide the rest.
#include "sim/app_graph.h"

#include "host.h"
#include "route.h"
#include "tree/alloc.h"

#include <stdio.h>
#include <string.h>

enum { SEEN_SIZE = 1 << 17 };  // digests remembered; a full table ends the search

typedef struct wd_waiting {
    wd_value *machine;
    const wd_value *route;  // text in explorer.routes
} wd_waiting;

typedef struct wd_explorer {
    wd_host *host;
    wd_device *device;  // scratch
    const wd_pack *pack;
    wd_value *routes;
    uint32_t forks_left, forks, states;
    uint64_t random;
    wd_waiting waiting[WD_APP_GRAPH_STATES_MAX];
    size_t waiting_count;
    wd_digest seen[SEEN_SIZE];
    size_t seen_count;
    wd_value *pages, *expanded, *edges, *dead_ends, *errors;
} wd_explorer;

static uint64_t next_random(wd_explorer *explorer)
{
    explorer->random += 0x9E3779B97F4A7C15u;  // splitmix64
    uint64_t x = explorer->random;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

// True when the digest is new; it is remembered.
static bool is_new(wd_explorer *explorer, wd_digest digest)
{
    size_t at = digest.low % SEEN_SIZE;
    while (explorer->seen[at].high != 0 || explorer->seen[at].low != 0) {
        if (wd_digest_equal(explorer->seen[at], digest)) {
            return false;
        }
        at = (at + 1) % SEEN_SIZE;
    }
    if (explorer->seen_count + 1 == SEEN_SIZE) {
        return false;
    }
    explorer->seen[at] = digest;
    explorer->seen_count += 1;
    return true;
}

// The declared route of a path, borrowed; NULL when the app has none.
static const wd_value *route_of(const wd_explorer *explorer, const char *path)
{
    const wd_value *best = NULL;
    wd_iter iter = wd_iter_start(explorer->routes);
    while (path != NULL && wd_iter_next(&iter)) {
        const char *pattern = wd_value_as_string(iter.value, NULL);
        if (wd_route_fits(pattern, path)) {
            best = iter.value;  // sorted: a plain route or a later parameter wins, as in lua_call.c
        }
    }
    return best;
}

static wd_status add_to(wd_value **counts_p, const char *name)
{
    wd_value *number = NULL;
    wd_status status = wd_value_int(wd_value_int_or(wd_object_get(*counts_p, name), 0) + 1, &number);
    status = status != WD_OK ? status : wd_object_set(counts_p, name, &number);
    wd_value_unref(&number);
    return status;
}

static wd_status add_edge(wd_explorer *explorer, const char *from, const char *to)
{
    wd_value *row = wd_value_ref(wd_object_get(explorer->edges, from));
    row = row != NULL ? row : wd_value_object();
    wd_status status = add_to(&row, to);
    status = status != WD_OK ? status : wd_object_set(&explorer->edges, from, &row);
    wd_value_unref(&row);
    return status;
}

static wd_status add_error(wd_explorer *explorer, const char *route, const char *node, const char *text)
{
    wd_value *row = NULL;
    wd_status status = wd_value_pack(&row, "{s:s,s:?s,s:s}", "route", route, "node", node, "text", text);
    status = status != WD_OK ? status : wd_array_append(&explorer->errors, &row);
    wd_value_unref(&row);
    return status;
}

// What the scratch device shows now: a new state of the app waits to be looked at. *ret_route is NULL in other apps.
static wd_status note_state(
    wd_explorer *explorer, const char *from, const char *node, const wd_value **ret_route)
{
    wd_scene *scene = NULL;
    wd_error error = { 0 };
    *ret_route = NULL;
    wd_status status = wd_phone_observe(explorer->host, explorer->device, &scene, &error);
    if (status != WD_OK) {
        return status == WD_ESCRIPT ? add_error(explorer, from, node, error.text) : status;
    }
    const wd_scene_info *info = wd_scene_info_of(scene);
    if (strcmp(info->app_package, explorer->pack->id) == 0) {
        *ret_route = route_of(explorer, info->route);
    }
    if (*ret_route != NULL && is_new(explorer, wd_scene_digest(scene))) {
        explorer->states += 1;
        status = add_to(&explorer->pages, wd_value_as_string(*ret_route, NULL));
        if (status == WD_OK && explorer->waiting_count < WD_APP_GRAPH_STATES_MAX) {
            explorer->waiting[explorer->waiting_count++] =
                (wd_waiting){ .machine = wd_device_capture(explorer->device), .route = *ret_route };
        }
    }
    wd_scene_unref(&scene);
    return status;
}

// Try one action on a fork of `machine`.
static wd_status try_action(wd_explorer *explorer, const wd_value *machine, const wd_action *action,
    const char *from, const char *node)
{
    wd_status status = wd_device_restore(explorer->device, machine, NULL);
    wd_result result = { 0 };
    status =
        status != WD_OK ? status : wd_phone_execute(explorer->host, explorer->device, action, NULL, &result);
    explorer->forks += 1;
    explorer->forks_left -= 1;
    if (status == WD_OK && result.outcome == WD_OUTCOME_FAILED) {
        return add_error(explorer, from, node, result.text);
    }
    const wd_value *to = NULL;
    status = status != WD_OK ? status : note_state(explorer, from, node, &to);
    return status != WD_OK ? status
                           : add_edge(explorer, from, to != NULL ? wd_value_as_string(to, NULL) : "");
}

static wd_status expand(wd_explorer *explorer, const wd_value *machine, const char *route)
{
    wd_scene *scene = NULL;
    wd_status status = wd_device_restore(explorer->device, machine, NULL);
    status = status != WD_OK ? status : wd_phone_observe(explorer->host, explorer->device, &scene, NULL);
    bool any = false;
    for (size_t i = 0; status == WD_OK && i < wd_scene_node_count(scene) && explorer->forks_left > 0; i++) {
        const wd_node *node = wd_scene_node(scene, i);
        if (node->system_ui || !wd_node_is(node, WD_NODE_CLICKABLE)) {
            continue;
        }
        any = true;
        wd_action action;
        wd_action_init(&action, wd_node_is(node, WD_NODE_EDITABLE) ? WD_ACTION_TYPE : WD_ACTION_TAP);
        action.node = (int32_t)i;
        if (action.kind == WD_ACTION_TYPE) {
            status = wd_action_set_text(&action.text, "12", 2);  // a name, a number and an amount
        }
        const char *name = node->resource_id != NULL ? node->resource_id : wd_node_label(node);
        status = status != WD_OK ? status : try_action(explorer, machine, &action, route, name);
        wd_action_done(&action);
    }
    if (status == WD_OK && !any) {
        wd_value *text = NULL;
        status = wd_value_text(route, &text);
        status = status != WD_OK ? status : wd_array_append(&explorer->dead_ends, &text);
        wd_value_unref(&text);
    }
    wd_scene_unref(&scene);
    return status;
}

// One of the waiting states whose page was looked at least often.
static size_t choose(wd_explorer *explorer)
{
    size_t best = 0;
    int64_t least = INT64_MAX;
    const size_t start = next_random(explorer) % explorer->waiting_count;
    for (size_t i = 0; i < explorer->waiting_count; i++) {
        const size_t at = (start + i) % explorer->waiting_count;
        const char *route = wd_value_as_string(explorer->waiting[at].route, NULL);
        const int64_t looked = wd_value_int_or(wd_object_get(explorer->expanded, route), 0);
        if (looked < least) {
            least = looked;
            best = at;
        }
    }
    return best;
}

static wd_status search(wd_explorer *explorer)
{
    wd_status status = WD_OK;
    while (status == WD_OK && explorer->waiting_count > 0 && explorer->forks_left > 0) {
        const size_t at = choose(explorer);
        wd_waiting next = explorer->waiting[at];
        explorer->waiting[at] = explorer->waiting[--explorer->waiting_count];
        const char *route = wd_value_as_string(next.route, NULL);
        status = add_to(&explorer->expanded, route);
        status = status != WD_OK ? status : expand(explorer, next.machine, route);
        wd_value_unref(&next.machine);
    }
    return status;
}

// The start page, and the page of each intent filter as another app would open it.
static wd_status start(wd_explorer *explorer, const wd_device *device)
{
    wd_value *machine = wd_device_capture(device);
    wd_value *args = NULL;
    const wd_value *route = NULL;
    wd_status status = wd_device_restore(explorer->device, machine, NULL);
    status = status != WD_OK ? status : wd_value_pack(&args, "{s:s}", "app", explorer->pack->id);
    if (!explorer->pack->home) {
        status =
            status != WD_OK ? status : wd_device_call(explorer->device, "os.launchApp", args, NULL, NULL);
    }
    status = status != WD_OK ? status : note_state(explorer, "/", NULL, &route);
    wd_value_unref(&args);
    wd_iter iter = wd_iter_start(wd_object_get(explorer->pack->manifest, "intentFilters"));
    while (status == WD_OK && wd_iter_next(&iter)) {
        const char *path = wd_value_string_or(wd_object_get(iter.value, "route"), "/");
        status = wd_device_restore(explorer->device, machine, NULL);
        status = status != WD_OK
                     ? status
                     : wd_value_pack(&args, "{s:s,s:s}", "app", explorer->pack->id, "route", path);
        status = status != WD_OK ? status : wd_device_call(explorer->device, "os.openApp", args, NULL, NULL);
        status = status != WD_OK ? status : note_state(explorer, path, NULL, &route);
        wd_value_unref(&args);
    }
    wd_value_unref(&machine);
    return status;
}

static wd_status answer(wd_explorer *explorer, wd_value **ret_graph)
{
    wd_value *unreached = wd_value_array();
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(explorer->routes);
    while (status == WD_OK && wd_iter_next(&iter)) {
        if (wd_object_get(explorer->pages, wd_value_as_string(iter.value, NULL)) == NULL) {
            wd_value *route = wd_value_ref(iter.value);
            status = wd_array_append(&unreached, &route);
            wd_value_unref(&route);
        }
    }
    status = status != WD_OK
                 ? status
                 : wd_value_pack(ret_graph, "{s:s,s:i,s:i,s:v,s:v,s:v,s:v,s:v}", "app", explorer->pack->id,
                       "forks", (int64_t)explorer->forks, "states", (int64_t)explorer->states, "pages",
                       explorer->pages, "edges", explorer->edges, "deadEnds", explorer->dead_ends,
                       "unreached", unreached, "errors", explorer->errors);
    wd_value_unref(&unreached);
    return status;
}

static void explorer_done(wd_explorer *explorer)
{
    for (size_t i = 0; i < explorer->waiting_count; i++) {
        wd_value_unref(&explorer->waiting[i].machine);
    }
    wd_device_destroy(&explorer->device);
    wd_value_unref(&explorer->routes);
    wd_value_unref(&explorer->pages);
    wd_value_unref(&explorer->expanded);
    wd_value_unref(&explorer->edges);
    wd_value_unref(&explorer->dead_ends);
    wd_value_unref(&explorer->errors);
    wd_free(explorer, sizeof *explorer);
}

wd_status wd_app_graph(wd_host *host, const wd_device *device, const wd_app_graph_options *options,
    wd_value **ret_graph, wd_error *error)
{
    const wd_pack *pack = wd_packs_find(host->packs, options->app);
    if (pack == NULL) {
        return wd_error_set(error, WD_ENOENT, "there is no app '%.80s'", options->app);
    }
    if (options->forks_max == 0 || options->forks_max > WD_APP_GRAPH_FORKS_MAX) {
        return wd_error_set(error, WD_EINVAL, "forks_max: 1 to %d are wanted", WD_APP_GRAPH_FORKS_MAX);
    }
    wd_explorer *explorer = wd_alloc_zero(1, sizeof *explorer);
    if (explorer == NULL) {
        return wd_error_set(error, WD_ENOMEM, "graph: out of memory");
    }
    explorer->host = host;
    explorer->pack = pack;
    explorer->forks_left = options->forks_max;
    explorer->random = options->seed;
    explorer->pages = wd_value_object();
    explorer->expanded = wd_value_object();
    explorer->edges = wd_value_object();
    explorer->dead_ends = wd_value_array();
    explorer->errors = wd_value_array();
    wd_status status = wd_device_fork(device, &explorer->device);
    status = status != WD_OK ? status : wd_lua_names(host->lua, pack, "screens", &explorer->routes);
    status = status != WD_OK ? status : start(explorer, device);
    status = status != WD_OK ? status : search(explorer);
    status = status != WD_OK ? status : answer(explorer, ret_graph);
    explorer_done(explorer);
    return status != WD_OK ? wd_error_set(error, status, "graph: %s", wd_status_text(status)) : WD_OK;
}
