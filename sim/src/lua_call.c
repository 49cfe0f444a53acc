// Calls into packs: screens by route, actions, results, views, adapters, providers. All that touches Lua happens inside
// one protected function per call, so that neither an error nor a lack of memory gets past it.
#include "lua_private.h"
#include "route.h"

#include <string.h>

// What a protected function is asked, and what it answers. Values in here are dropped by the caller.
typedef struct wd_request {
    wd_call *call;
    const char *part, *name;  // of the pack's tables of functions
    const char *extra;        // provider: the operation
    const wd_value *args;
    wd_ui_screen *screen;  // filled
    wd_value *value;       // answered, NULL: nil
    wd_value *params;      // of the route
    const char *pattern;   // the route's pattern, kept by the arena
    bool missing;          // there is no such function
} wd_request;

static wd_status run(wd_lua *lua, wd_request *request, lua_CFunction function, wd_error *error)
{
    // A provider or an adapter may be asked from within an action: the outer call goes on with its own limits.
    wd_call *outer = lua->call;
    const int64_t instructions = lua->instructions_left;
    const size_t bytes_max = lua->bytes_max;
    lua->call = request->call;
    const wd_status status = wd_lua_protected(lua, function, request, error);
    lua->call = outer;
    if (outer != NULL) {
        lua->instructions_left = instructions;
        lua->bytes_max = bytes_max;
    } else {
        wd_lua_collect(lua);
    }
    return status;
}

static wd_request *request_of(lua_State *state)
{
    return lua_touserdata(state, 1);
}

// Push the pack's table `part` (or its adapter).
static void push_part(lua_State *state, const wd_request *request, const char *part)
{
    wd_lua_push_pack(state, request->call->pack);
    lua_getfield(state, -1, part);
    lua_remove(state, -2);
}

// Push the function part.name. False, and the request says so, when there is none.
static bool push_function(lua_State *state, wd_request *request)
{
    push_part(state, request, request->part);
    lua_getfield(state, -1, request->name);
    lua_remove(state, -2);
    request->missing = lua_type(state, -1) != LUA_TFUNCTION;
    return !request->missing;
}

// ---- routes -----------------------------------------------------------------------------------------------------------

// Of several patterns that match, the one later in byte order: a table has no order, and ':' sorts before letters.
static const char *best_pattern(lua_State *state, int screens, const char *path)
{
    const char *best = NULL;
    lua_pushnil(state);
    while (lua_next(state, screens) != 0) {
        lua_pop(state, 1);
        const char *pattern = lua_type(state, -1) == LUA_TSTRING ? lua_tostring(state, -1) : "";
        if (wd_route_fits(pattern, path) && (best == NULL || strcmp(pattern, best) > 0)) {
            best = pattern;
        }
    }
    return best;
}

// Push the screen function of the call's path and set call->params. False when the app has no such page.
static bool push_screen(lua_State *state, wd_request *request)
{
    wd_call *call = request->call;
    const char *path = call->page.path;
    const size_t length = strcspn(path, "?");
    push_part(state, request, "screens");
    const int screens = lua_gettop(state);
    lua_pushlstring(state, path, length);
    const bool plain = lua_rawget(state, screens) == LUA_TFUNCTION;
    request->params = wd_value_object();
    const char *pattern = NULL;
    if (plain) {
        pattern = wd_ui_arena_text(call->arena, path, length);
    } else {
        lua_pop(state, 1);
        const char *best = best_pattern(state, screens, path);
        if (best != NULL) {
            wd_lua_check(state, wd_route_params(best, path, &request->params), "route");
            pattern = wd_ui_arena_text(call->arena, best, strlen(best));
            lua_pushstring(state, best);
            lua_rawget(state, screens);
        }
    }
    wd_lua_check(state, wd_route_query(path, &request->params), "query");
    call->params = request->params;
    wd_lua_check(state, wd_ui_arena_keep(call->arena, &request->params), "params");
    request->pattern = pattern;
    return pattern != NULL;
}

static int screen_main(lua_State *state)
{
    wd_request *request = request_of(state);
    request->missing = !push_screen(state, request);
    if (!request->missing) {
        wd_lua_push_context(state);
        lua_call(state, 1, 1);
        wd_lua_read_screen(state, request->call, request->screen);
    }
    return 0;
}

wd_status wd_lua_screen(wd_lua *lua, wd_call *call, wd_ui_screen *ret_screen, wd_error *error)
{
    wd_request request = { .call = call, .screen = ret_screen };
    const wd_status status = run(lua, &request, screen_main, error);
    wd_value_unref(&request.params);
    if (status != WD_OK) {
        return status;
    }
    if (request.missing) {
        return wd_error_set(error, WD_ENOENT, "%s has no page %s", call->pack->id, call->page.path);
    }
    if (ret_screen->page == NULL) {
        ret_screen->page = request.pattern;
    }
    if (ret_screen->params == NULL) {
        ret_screen->params = call->params;
    }
    return WD_OK;
}

// ---- actions ----------------------------------------------------------------------------------------------------------

static int action_main(lua_State *state)
{
    wd_request *request = request_of(state);
    (void)push_screen(state, request);  // for ctx.params; a page that is gone has none
    if (push_function(state, request)) {
        wd_lua_push_context(state);
        wd_lua_push(state, request->call->args);
        lua_call(state, 2, 0);
    }
    return 0;
}

wd_status wd_lua_action(wd_lua *lua, wd_call *call, const char *part, const char *name, wd_error *error)
{
    wd_request request = { .call = call, .part = part, .name = name };
    const wd_status status = run(lua, &request, action_main, error);
    wd_value_unref(&request.params);
    if (status == WD_OK && request.missing) {
        return wd_error_set(error, WD_ESCRIPT, "%s/app.lua: there is no %s.%s", call->pack->id, part, name);
    }
    return status;
}

// ---- what answers a value -----------------------------------------------------------------------------------------------

static int push_args(lua_State *state, const wd_value *args)
{
    int count = 0;
    wd_iter iter = wd_iter_start(args);
    while (count < WD_LUA_PARAMS_MAX && wd_iter_next(&iter)) {
        wd_lua_push(state, iter.value);
        count++;
    }
    return count;
}

static void answer(lua_State *state, wd_request *request)
{
    if (!lua_isnil(state, -1)) {
        request->value = wd_lua_to_value(state, -1);
    }
}

static wd_status value_of(
    wd_lua *lua, wd_request *request, lua_CFunction function, wd_value **ret_value, wd_error *error)
{
    const wd_status status = run(lua, request, function, error);
    if (status != WD_OK || request->missing) {
        wd_value_unref(&request->value);
        return status;
    }
    *ret_value = request->value != NULL ? request->value : wd_value_null();
    return WD_OK;
}

// A view of the pack's own, else that of an entity: those are made again, for a pack's globals are out of reach.
static int view_main(lua_State *state)
{
    wd_request *request = request_of(state);
    if (push_function(state, request)) {
        wd_lua_push_context(state);
        lua_call(state, 1 + push_args(state, request->args), 1);
        answer(state, request);
        return 0;
    }
    lua_newtable(state);
    push_part(state, request, "views");
    lua_setfield(state, -2, "views");
    wd_lua_open_views(state, request->call->pack);
    request->missing = lua_getfield(state, -1, request->name) != LUA_TFUNCTION;
    if (!request->missing) {
        lua_call(state, push_args(state, request->args), 1);
        answer(state, request);
    }
    return 0;
}

wd_status wd_lua_view(
    wd_lua *lua, wd_call *call, const char *name, const wd_value *args, wd_value **ret_value, wd_error *error)
{
    if (strncmp(name, "base_", 5) == 0) {
        return wd_error_set(error, WD_EDENIED, "%s: base data is for app.lua alone", name);
    }
    wd_request request = { .call = call, .part = "views", .name = name, .args = args };
    const wd_status status = value_of(lua, &request, view_main, ret_value, error);
    if (status == WD_OK && request.missing) {
        return wd_error_set(error, WD_ENOENT, "%s has no view '%.80s'", call->pack->id, name);
    }
    return status;
}

static int adapt_main(lua_State *state)
{
    wd_request *request = request_of(state);
    push_part(state, request, "adapter");
    request->missing = lua_type(state, -1) != LUA_TFUNCTION;
    if (!request->missing) {
        wd_lua_push(state, request->call->overlay);
        lua_call(state, 1, 1);
        answer(state, request);
    }
    return 0;
}

wd_status wd_lua_adapt(wd_lua *lua, wd_call *call, wd_value **ret_view, wd_error *error)
{
    wd_request request = { .call = call };
    const wd_status status = value_of(lua, &request, adapt_main, ret_view, error);
    if (status == WD_OK && request.missing) {
        *ret_view = wd_value_ref(call->overlay);
    }
    return status;
}

static int provide_main(lua_State *state)
{
    wd_request *request = request_of(state);
    if (push_function(state, request)) {
        wd_lua_push_context(state);
        lua_pushstring(state, request->extra);
        wd_lua_push(state, request->args);
        lua_call(state, 3, 1);
        answer(state, request);
    }
    return 0;
}

wd_status wd_lua_provide(wd_lua *lua, wd_call *call, const char *authority, const char *op,
    const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    wd_request request = { .call = call, .part = "providers", .name = authority, .extra = op, .args = args };
    const wd_status status = value_of(lua, &request, provide_main, ret_answer, error);
    if (status == WD_OK && request.missing) {
        return wd_error_set(error, WD_ENOENT, "content://%.80s: nobody provides this", authority);
    }
    return status;
}

static int names_main(lua_State *state)
{
    wd_request *request = request_of(state);
    push_part(state, request, request->part);
    lua_newtable(state);
    lua_Integer count = 0;
    lua_pushnil(state);
    while (lua_next(state, -3) != 0) {
        lua_pop(state, 1);
        lua_pushvalue(state, -1);
        lua_rawseti(state, -3, ++count);
    }
    if (count > 0) {
        answer(state, request);
    }
    return 0;
}

wd_status wd_lua_names(wd_lua *lua, const wd_pack *pack, const char *part, wd_value **ret_names)
{
    wd_call call = { .kind = WD_CALL_VIEW, .pack = pack };
    wd_request request = { .call = &call, .part = part };
    wd_value *names = NULL;
    wd_status status = value_of(lua, &request, names_main, &names, NULL);
    wd_value *sorted = wd_value_array();
    wd_iter iter = wd_iter_start(names);
    while (status == WD_OK && wd_iter_next(&iter)) {
        const char *name = wd_value_string_or(iter.value, "");
        size_t at = wd_array_count(sorted);
        while (at > 0 && strcmp(wd_value_string_or(wd_array_at(sorted, at - 1), ""), name) > 0) {
            at--;
        }
        wd_value *item = wd_value_ref(iter.value);
        status = wd_array_insert(&sorted, at, &item);
        wd_value_unref(&item);
    }
    wd_value_unref(&names);
    if (status != WD_OK) {
        wd_value_unref(&sorted);
        return status;
    }
    *ret_names = sorted;
    return WD_OK;
}
