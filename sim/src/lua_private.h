/// lua_private.h - what the parts of the Lua host share. The only headers of ours that see lua.h.
#ifndef SIM_LUA_PRIVATE_H
#define SIM_LUA_PRIVATE_H

#include "lua_host.h"

#include <lauxlib.h>
#include <lua.h>

enum { WD_LUA_NESTED_MAX = 64 };  // levels of a table that becomes a value

struct wd_lua {
    lua_State *state;
    const wd_packs *packs;   // NULL while one pack is only tried
    wd_call *call;           // the call that runs, NULL between calls
    const wd_pack *loading;  // while app.lua is read
    int64_t instructions_left;
    int64_t call_instructions_max;
    size_t call_bytes_max;
    size_t bytes;        // held by Lua now
    size_t bytes_max;    // at this many an allocation fails
    size_t bytes_idle;   // held after the last full collection
    bool out_of_memory;  // this call met bytes_max
    int oom_line;        // where it met it
    char oom_source[LUA_IDSIZE];
    wd_ui_arena constants;                     // tables of packs that became values
    wd_value *partial[WD_LUA_NESTED_MAX + 1];  // tables half turned into values, one a level
};

static inline wd_lua *wd_lua_of(lua_State *state)
{
    return *(wd_lua **)lua_getextraspace(state);
}

/// Call `function` with `argument` as its only argument, within the limits of one call.
WD_NODISCARD wd_status wd_lua_protected(wd_lua *lua, lua_CFunction function, void *argument, wd_error *error);
/// Drop garbage when a good deal of it has gathered; between calls only.
void wd_lua_collect(wd_lua *lua);
/// Push {screens, actions, views, providers, results, adapter} of a loaded pack.
void wd_lua_push_pack(lua_State *state, const wd_pack *pack);

/// The running call; raises when there is none (app.lua is being loaded).
wd_call *wd_lua_call_of(lua_State *state);

// ---- values ---------------------------------------------------------------------------------------------------------

/// Push a value: scalars as Lua has them, null as `null`, arrays and objects as read-only views without copying.
/// The value must live as long as the call (or, while loading, as long as the host).
void wd_lua_push(lua_State *state, const wd_value *value);
/// The same, of a value that nobody else keeps: the call's arena takes it. Raises WD_ENOMEM.
void wd_lua_push_kept(lua_State *state, wd_value **value_p);
/// The array or object at `index`: a view, or a draft as it is now. NULL for anything else.
const wd_value *wd_lua_container(lua_State *state, int index);
/// A new value from the Lua value at `index`; raises with a reason when it has none (functions, floats that are not
/// finite, mixed tables, more than WD_VALUE_DEPTH_MAX levels).
wd_value *wd_lua_to_value(lua_State *state, int index);
/// Raise "what: text" when a status is not WD_OK.
void wd_lua_check(lua_State *state, wd_status status, const char *what);
/// Text of the string or number at `index` in the tree's form; pushes nothing that lasts. Raises for other types.
const char *wd_lua_text(lua_State *state, int index, size_t *ret_length);

/// Metatable of views, installed once.
void wd_lua_open_values(lua_State *state);

// ---- libraries: each pushes its functions into the table at the top -------------------------------------------------
void wd_lua_open_basics(lua_State *state);    // pairs, ipairs, text, error, ...
void wd_lua_open_lists(lua_State *state);     // map, filter, sorted, ...
void wd_lua_open_texts(lua_State *state);     // upper, split, contains, ...
void wd_lua_open_context(lua_State *state);   // metatables of ctx, its state, os and drafts
void wd_lua_open_effects(lua_State *state);   // go, call, toast, ...
void wd_lua_open_elements(lua_State *state);  // column, row, text, ...
/// view_<entity>, state_<entity>, base_<entity>, state_user for one pack.
void wd_lua_open_views(lua_State *state, const wd_pack *pack);

/// Push app.lua as Lua shall read it, and the function that its first line takes (lua_source.c).
/// Raises with `place`, the file, and line where a forbidden name stands.
void wd_lua_push_source(lua_State *state, const char *text, size_t length, const char *place);
void wd_lua_push_text_check(lua_State *state);

/// Is the table at `index` one that column{...} or the like has marked?
bool wd_lua_is_element(lua_State *state, int index);
/// Push `ctx`.
void wd_lua_push_context(lua_State *state);
/// Read the screen at the top of the stack. Raises on what is no screen.
void wd_lua_read_screen(lua_State *state, wd_call *call, wd_ui_screen *screen);

/// Resolve an entity: overlay wins, null hides, absent falls through. Borrowed; NULL: there is none.
const wd_value *wd_view_resolve(
    const wd_value *overlay, const wd_value *data, const wd_value *entity, const char *id, size_t length);

#endif
