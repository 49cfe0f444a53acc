// The interpreter: limits, loading and freezing of packs, and the calls.
#include "lua_private.h"

#include "tree/alloc.h"

#include <stdio.h>
#include <string.h>

enum {
    HOOK_COUNT = 1000,                   // instructions between two looks at the limits
    LOAD_BYTES_MAX = 256 * 1024 * 1024,  // while packs are loaded
    COLLECT_BYTES = 4 * 1024 * 1024,     // garbage that is left lying between calls
};

static const char packs_key, library_key;  // registry: {id: {screens, actions, views, adapter, providers}}

// ---- limits -----------------------------------------------------------------------------------------------------------

// Where the running function is, without allocating.
static void note_place(wd_lua *lua)
{
    lua_Debug place;
    lua->out_of_memory = true;
    lua->oom_line = 0;
    for (int level = 0; lua_getstack(lua->state, level, &place) != 0; level++) {
        if (lua_getinfo(lua->state, "Sl", &place) != 0 && place.currentline > 0) {
            lua->oom_line = place.currentline;
            (void)snprintf(lua->oom_source, sizeof lua->oom_source, "%s", place.short_src);
            return;
        }
    }
}

static void *allocate(void *context, void *block, size_t old_size, size_t new_size)
{
    wd_lua *lua = context;
    if (block == NULL) {
        old_size = 0;  // Lua tells a kind of object there
    }
    if (new_size == 0) {
        wd_free(block, old_size);
        lua->bytes -= old_size;
        return NULL;
    }
    if (new_size > old_size && lua->bytes + (new_size - old_size) > lua->bytes_max) {
        if (lua->state != NULL) {
            note_place(lua);
        }
        return NULL;
    }
    void *grown = wd_realloc(block, old_size, new_size);
    if (grown != NULL) {
        lua->bytes += new_size - old_size;
    }
    return grown;
}

static void look_at_limits(lua_State *state, lua_Debug *place)
{
    wd_lua *lua = wd_lua_of(state);
    lua->instructions_left -= HOOK_COUNT;
    if (lua->instructions_left < 0) {
        (void)lua_getinfo(state, "Sl", place);
        luaL_error(state, "%s:%d: more than %I instructions in one call", place->short_src,
            place->currentline, (LUAI_UACINT)lua->call_instructions_max);
    }
}

// The text of the error at the top of the stack, with file and line.
static wd_status failed(wd_lua *lua, int code, wd_error *error)
{
    wd_status status = WD_ESCRIPT;
    if (code == LUA_ERRMEM) {
        if (lua->out_of_memory) {
            (void)wd_error_set(error, WD_ESCRIPT, "%s:%d: more than %zu bytes of memory in one call",
                lua->oom_source, lua->oom_line, lua->call_bytes_max);
        } else {
            status = wd_error_set(error, WD_ENOMEM, "out of memory");
        }
    } else {
        const char *text = lua_tostring(lua->state, -1);
        (void)wd_error_set(error, WD_ESCRIPT, "%s", text != NULL ? text : "an error without a text");
        // What is found out after a function returned has no line; the file is told all the same.
        if (lua->call != NULL && text != NULL && strstr(text, "/app.lua:") == NULL) {
            wd_error_prefix(error, "%s/app.lua", lua->call->pack->id);
        }
    }
    for (size_t i = 0; i < WD_COUNT_OF(lua->partial); i++) {
        wd_value_unref(&lua->partial[i]);
    }
    return status;
}

void wd_lua_limit(wd_lua *lua, int64_t instructions_max, size_t bytes_max)
{
    lua->call_instructions_max = instructions_max;
    lua->call_bytes_max = bytes_max;
}

wd_status wd_lua_protected(wd_lua *lua, lua_CFunction function, void *argument, wd_error *error)
{
    const int top = lua_gettop(lua->state);
    lua->instructions_left = lua->call_instructions_max;
    lua->out_of_memory = false;
    lua->bytes_max = lua->loading != NULL ? LOAD_BYTES_MAX : lua->bytes + lua->call_bytes_max;
    lua_pushcfunction(lua->state, function);
    lua_pushlightuserdata(lua->state, argument);
    const int code = lua_pcall(lua->state, 1, 0, 0);
    const wd_status status = code == LUA_OK ? WD_OK : failed(lua, code, error);
    lua_settop(lua->state, top);
    lua->bytes_max = SIZE_MAX;
    return status;
}

// Between calls garbage is left lying until there is a good deal of it; then all of it goes.
void wd_lua_collect(wd_lua *lua)
{
    if (lua->bytes > lua->bytes_idle + COLLECT_BYTES) {
        lua_gc(lua->state, LUA_GCCOLLECT);
        lua->bytes_idle = lua->bytes;
    }
}

// ---- loading ------------------------------------------------------------------------------------------------------------

static int constant_write(lua_State *state)
{
    return luaL_error(state, "'%s' cannot be set: nothing survives a call",
        lua_type(state, 2) == LUA_TSTRING ? lua_tostring(state, 2) : luaL_typename(state, 2));
}

static void check_function(lua_State *state, int index)
{
    index = lua_absindex(state, index);
    if (lua_iscfunction(state, index)) {
        return;
    }
    for (int i = 1;; i++) {
        const char *name = lua_getupvalue(state, index, i);
        if (name == NULL) {
            return;
        }
        lua_pop(state, 1);
        if (strcmp(name, "_ENV") != 0 && strncmp(name, "__", 2) != 0) {  // ours (lua_source.c)
            lua_Debug place;
            lua_pushvalue(state, index);
            (void)lua_getinfo(state, ">S", &place);
            luaL_error(state, "%s:%d: this function keeps the local '%s': make it a global", place.short_src,
                place.linedefined, name);
        }
    }
}

// The table at `index`, frozen, replaces it: a value when it holds no functions, else a read-only table.
static void freeze_table(lua_State *state, int index, int depth);

static bool holds_function(lua_State *state, int index, int depth)
{
    index = lua_absindex(state, index);
    luaL_checkstack(state, 4, "nested too deep");
    if (depth > WD_LUA_NESTED_MAX) {
        luaL_error(state, "a table nests too deep");
    }
    lua_pushnil(state);
    while (lua_next(state, index) != 0) {
        const int type = lua_type(state, -1);
        if (type == LUA_TFUNCTION || (type == LUA_TTABLE && holds_function(state, -1, depth + 1))) {
            lua_pop(state, 2);
            return true;
        }
        lua_pop(state, 1);
    }
    return false;
}

static void freeze_item(lua_State *state, int depth)
{
    // The item is at the top and is replaced.
    if (lua_type(state, -1) == LUA_TFUNCTION) {
        check_function(state, -1);
    } else if (lua_type(state, -1) == LUA_TTABLE) {
        if (holds_function(state, -1, depth)) {
            freeze_table(state, lua_gettop(state), depth + 1);
        } else {
            // Kept for the life of the interpreter.
            wd_lua *lua = wd_lua_of(state);
            wd_value *value = wd_lua_to_value(state, -1);
            const wd_value *kept = value;
            wd_lua_check(state, wd_ui_arena_keep(&lua->constants, &value), "constant");
            lua_pop(state, 1);
            wd_lua_push(state, kept);
        }
    }
}

static void freeze_table(lua_State *state, int index, int depth)
{
    luaL_checkstack(state, 8, "nested too deep");
    if (depth > WD_LUA_NESTED_MAX) {
        luaL_error(state, "a table nests too deep");
    }
    // Move the members into a hidden table; the visible one stays empty, so that every write is seen.
    lua_newtable(state);
    const int hidden = lua_gettop(state);
    lua_pushnil(state);
    while (lua_next(state, index) != 0) {
        freeze_item(state, depth);
        lua_pushvalue(state, -2);
        lua_insert(state, -2);
        lua_rawset(state, hidden);
    }
    lua_pushnil(state);
    while (lua_next(state, index) != 0) {
        lua_pop(state, 1);
        lua_pushvalue(state, -1);
        lua_pushnil(state);
        lua_rawset(state, index);
    }
    lua_createtable(state, 0, 3);
    lua_pushvalue(state, hidden);
    lua_setfield(state, -2, "__index");
    lua_pushcfunction(state, constant_write);
    lua_setfield(state, -2, "__newindex");
    lua_pushboolean(state, 0);
    lua_setfield(state, -2, "__metatable");
    lua_setmetatable(state, index);
    lua_settop(state, hidden - 1);
}

// Move globals[part], a table of functions, to entry[part].
static void take_part(lua_State *state, int globals, int entry, const char *part)
{
    if (lua_getfield(state, globals, part) != LUA_TTABLE) {
        luaL_error(state, "app.lua: '%s' must stay a table of functions", part);
    }
    const int table = lua_gettop(state);
    lua_pushnil(state);
    while (lua_next(state, table) != 0) {
        if (lua_type(state, -1) != LUA_TFUNCTION || lua_type(state, -2) != LUA_TSTRING) {
            luaL_error(state, "app.lua: '%s' must hold functions by name", part);
        }
        check_function(state, -1);
        lua_pop(state, 1);
    }
    lua_setfield(state, entry, part);
    lua_pushnil(state);
    lua_setfield(state, globals, part);
}

// The global table of a pack: the library, its own tables, what app.lua adds.
void wd_lua_push_pack(lua_State *state, const wd_pack *pack)
{
    lua_rawgetp(state, LUA_REGISTRYINDEX, &packs_key);
    lua_getfield(state, -1, pack->id);
    lua_remove(state, -2);
}

static int run_source(lua_State *state)
{
    wd_lua *lua = wd_lua_of(state);
    const wd_pack *pack = lua->loading;
    lua_settop(state, 0);
    static const char *const parts[] = { "screens", "actions", "views", "providers", "results" };
    lua_newtable(state);
    const int globals = lua_gettop(state);
    lua_rawgetp(state, LUA_REGISTRYINDEX, &library_key);
    lua_pushnil(state);
    while (lua_next(state, -2) != 0) {
        lua_pushvalue(state, -2);
        lua_insert(state, -2);
        lua_rawset(state, globals);
    }
    lua_pop(state, 1);
    for (size_t i = 0; i < WD_COUNT_OF(parts); i++) {
        lua_newtable(state);
        lua_setfield(state, globals, parts[i]);
    }
    wd_lua_open_views(state, pack);
    char name[256];
    (void)snprintf(name, sizeof name, "@%s/app.lua", pack->id);
    wd_lua_push_source(state, pack->source, pack->source_length, name + 1);
    size_t length = 0;
    const char *text = lua_tolstring(state, -1, &length);
    if (luaL_loadbufferx(state, text, length, name, "t") != LUA_OK) {
        return lua_error(state);
    }
    lua_pushvalue(state, globals);
    lua_setupvalue(state, -2, 1);
    wd_lua_push_text_check(state);
    lua_call(state, 1, 0);
    lua_pop(state, 1);
    // What the platform calls, by part: taken out of the globals, which are frozen then.
    lua_newtable(state);
    const int entry = lua_gettop(state);
    for (size_t i = 0; i < WD_COUNT_OF(parts); i++) {
        take_part(state, globals, entry, parts[i]);
    }
    lua_getfield(state, globals, "adapter");
    lua_setfield(state, entry, "adapter");
    freeze_table(state, globals, 0);
    lua_rawgetp(state, LUA_REGISTRYINDEX, &packs_key);
    lua_pushvalue(state, entry);
    lua_setfield(state, -2, pack->id);
    return 0;
}

static int open_library(lua_State *state)
{
    wd_lua_open_values(state);
    lua_newtable(state);
    wd_lua_open_basics(state);
    wd_lua_open_lists(state);
    wd_lua_open_texts(state);
    wd_lua_open_context(state);
    wd_lua_open_effects(state);
    wd_lua_open_elements(state);
    lua_rawsetp(state, LUA_REGISTRYINDEX, &library_key);
    lua_newtable(state);
    lua_rawsetp(state, LUA_REGISTRYINDEX, &packs_key);
    return 0;
}

static wd_status load(wd_lua *lua, const wd_pack *pack, wd_error *error)
{
    lua->loading = pack;
    wd_status status = wd_lua_protected(lua, run_source, NULL, error);
    lua->loading = NULL;
    return status;
}

static wd_status create(wd_lua **ret_lua, wd_error *error)
{
    wd_lua *lua = wd_alloc_zero(1, sizeof *lua);
    if (lua == NULL) {
        return wd_error_set(error, WD_ENOMEM, "lua: out of memory");
    }
    wd_lua_limit(lua, WD_LUA_INSTRUCTIONS_MAX, WD_LUA_BYTES_MAX);
    lua->bytes_max = SIZE_MAX;
    lua->state = lua_newstate(allocate, lua);
    if (lua->state == NULL) {
        wd_free(lua, sizeof *lua);
        return wd_error_set(error, WD_ENOMEM, "lua: out of memory");
    }
    *(wd_lua **)lua_getextraspace(lua->state) = lua;
    lua_gc(lua->state, LUA_GCSTOP);  // collected between calls
    wd_status status = wd_lua_protected(lua, open_library, NULL, error);
    lua_sethook(lua->state, look_at_limits, LUA_MASKCOUNT, HOOK_COUNT);
    if (status != WD_OK) {
        wd_lua_destroy(&lua);
        return status;
    }
    *ret_lua = lua;
    return WD_OK;
}

void wd_lua_destroy(wd_lua **lua_p)
{
    wd_lua *lua = *lua_p;
    *lua_p = NULL;
    if (lua == NULL) {
        return;
    }
    lua_close(lua->state);
    wd_ui_arena_done(&lua->constants);
    wd_free(lua, sizeof *lua);
}

wd_status wd_lua_new(const wd_packs *packs, wd_lua **ret_lua, wd_error *error)
{
    wd_lua *lua = NULL;
    wd_status status = create(&lua, error);
    for (size_t i = 0; status == WD_OK && i < wd_packs_count(packs); i++) {
        status = load(lua, wd_packs_at(packs, i), error);
    }
    if (status != WD_OK) {
        wd_lua_destroy(&lua);
        return status;
    }
    lua_gc(lua->state, LUA_GCCOLLECT);
    lua->bytes_idle = lua->bytes;
    *ret_lua = lua;
    return WD_OK;
}

wd_status wd_lua_new_of(const wd_pack *pack, wd_lua **ret_lua, wd_error *error)
{
    wd_lua *lua = NULL;
    wd_status status = create(&lua, error);
    status = status != WD_OK ? status : load(lua, pack, error);
    if (status != WD_OK) {
        wd_lua_destroy(&lua);
        return status;
    }
    *ret_lua = lua;
    return WD_OK;
}

wd_status wd_lua_try(const wd_pack *pack, wd_error *error)
{
    wd_lua *lua = NULL;
    const wd_status status = wd_lua_new_of(pack, &lua, error);
    wd_lua_destroy(&lua);
    return status;
}
