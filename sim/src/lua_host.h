/// lua_host.h - the Lua interpreter of a host: every pack's code, loaded once, frozen, called within limits.
///
/// Nothing survives a call: globals are read-only after loading, functions keep no upvalue but _ENV, tables of a pack
/// are values. Limits per call: wd_lua_limit().
#ifndef SIM_LUA_HOST_H
#define SIM_LUA_HOST_H

#include "call.h"

enum {
    WD_LUA_INSTRUCTIONS_MAX = 5 * 1000 * 1000,  // of one call, unless it was said otherwise
    WD_LUA_BYTES_MAX = 32 * 1024 * 1024,        // that one call may add, likewise
    WD_LUA_PARAMS_MAX = 8,                      // ":name" parts of one route
};

typedef struct wd_lua wd_lua;

/// An interpreter with all packs loaded. @retval WD_ESCRIPT `error` names file and line.
WD_NODISCARD wd_status wd_lua_new(const wd_packs *packs, wd_lua **ret_lua, wd_error *error);
void wd_lua_destroy(wd_lua **lua_p);
/// Of each call from now on.
void wd_lua_limit(wd_lua *lua, int64_t instructions_max, size_t bytes_max);
/// The same with one pack.
WD_NODISCARD wd_status wd_lua_new_of(const wd_pack *pack, wd_lua **ret_lua, wd_error *error);
/// Would app.lua load? For packs.c, before there is a host.
WD_NODISCARD wd_status wd_lua_try(const wd_pack *pack, wd_error *error);

/// The screen of call->page.path. call->params is set to the parameters of path and query (kept by the arena).
/// @retval WD_ENOENT the app has no such page. @retval WD_ESCRIPT.
WD_NODISCARD wd_status wd_lua_screen(wd_lua *lua, wd_call *call, wd_ui_screen *ret_screen, wd_error *error);
/// Run actions.<name> or results.<name>. The draft, when written, is call->draft; effects have happened.
/// @retval WD_ESCRIPT also when there is no such function.
WD_NODISCARD wd_status wd_lua_action(
    wd_lua *lua, wd_call *call, const char *part, const char *name, wd_error *error);
/// A view by its name ("view_post", "state_user", ...). @retval WD_ENOENT, WD_EDENIED (base_*), WD_ESCRIPT.
WD_NODISCARD wd_status wd_lua_view(wd_lua *lua, wd_call *call, const char *name, const wd_value *args,
    wd_value **ret_value, wd_error *error);
/// The app's adapter applied to call->overlay; without an adapter the overlay itself.
WD_NODISCARD wd_status wd_lua_adapt(wd_lua *lua, wd_call *call, wd_value **ret_view, wd_error *error);
/// A content provider of a pack. @retval WD_ENOENT it has none of that authority.
WD_NODISCARD wd_status wd_lua_provide(wd_lua *lua, wd_call *call, const char *authority, const char *op,
    const wd_value *args, wd_value **ret_answer, wd_error *error);

/// Names of the functions in "screens" (routes), "actions", "views", "results" or "providers", sorted; a new array.
WD_NODISCARD wd_status wd_lua_names(wd_lua *lua, const wd_pack *pack, const char *part, wd_value **ret_names);

#endif
