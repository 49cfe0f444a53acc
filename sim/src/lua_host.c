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
        luaL_error(state, "%s:%d: more than %d instructions in one call", place->short_src,
            place->currentline, WD_LUA_INSTRUCTIONS_MAX);
    }
}

// The text of the error at the top of the stack, with file and line.
static wd_status failed(wd_lua *lua, int code, wd_error *error)
{
    wd_status status = WD_ESCRIPT;
    if (code == LUA_ERRMEM) {
        if (lua->out_of_memory) {
            (void)wd_error_set(error, WD_ESCRIPT, "%s:%d: more than %d bytes of memory in one call",
                lua->oom_source, lua->oom_line, WD_LUA_BYTES_MAX);
        } else {
            status = wd_error_set(error, WD_ENOMEM, "out of memory");
        }
    } else {
        const char *text = lua_tostring(lua->state, -1);
        (void)wd_error_set(error, WD_ESCRIPT, "%s", text != NULL ? text : "an error without a text");
    }
    lua_settop(lua->state, 0);
    for (size_t i = 0; i < WD_COUNT_OF(lua->partial); i++) {
        wd_value_unref(&lua->partial[i]);
    }
    return status;
}

// Call what stands on the stack with `count` arguments.
static wd_status protected_call(wd_lua *lua, int count, int results, wd_error *error)
{
    lua->instructions_left = WD_LUA_INSTRUCTIONS_MAX;
    lua->out_of_memory = false;
    lua->bytes_max = lua->loading != NULL ? LOAD_BYTES_MAX : lua->bytes + WD_LUA_BYTES_MAX;
    const int code = lua_pcall(lua->state, count, results, 0);
    lua->bytes_max = SIZE_MAX;
    return code == LUA_OK ? WD_OK : failed(lua, code, error);
}

// Between calls garbage is left lying until there is a good deal of it; then all of it goes.
static void collect(wd_lua *lua)
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
static int run_source(lua_State *state)
{
    wd_lua *lua = wd_lua_of(state);
    const wd_pack *pack = lua->loading;
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
    lua_pushcfunction(lua->state, run_source);
    wd_status status = protected_call(lua, 0, 0, error);
    lua->loading = NULL;
    return status;
}

static wd_status create(wd_lua **ret_lua, wd_error *error)
{
    wd_lua *lua = wd_alloc_zero(1, sizeof *lua);
    if (lua == NULL) {
        return wd_error_set(error, WD_ENOMEM, "lua: out of memory");
    }
    lua->bytes_max = SIZE_MAX;
    lua->state = lua_newstate(allocate, lua);
    if (lua->state == NULL) {
        wd_free(lua, sizeof *lua);
        return wd_error_set(error, WD_ENOMEM, "lua: out of memory");
    }
    *(wd_lua **)lua_getextraspace(lua->state) = lua;
    lua_gc(lua->state, LUA_GCSTOP);  // collected between calls
    lua_pushcfunction(lua->state, open_library);
    wd_status status = protected_call(lua, 0, 0, error);
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

wd_status wd_lua_try(const wd_pack *pack, wd_error *error)
{
    wd_lua *lua = NULL;
    wd_status status = create(&lua, error);
    status = status != WD_OK ? status : load(lua, pack, error);
    wd_lua_destroy(&lua);
    return status;
}

// ---- calls ----------------------------------------------------------------------------------------------------------------

// Push the pack's table of `part`; WD_ENOENT when the pack is not loaded.
static wd_status push_part(wd_lua *lua, const wd_pack *pack, const char *part)
{
    lua_settop(lua->state, 0);
    lua_rawgetp(lua->state, LUA_REGISTRYINDEX, &packs_key);
    lua_getfield(lua->state, -1, pack->id);
    lua_getfield(lua->state, -1, part);
    lua_copy(lua->state, -1, 1);
    lua_settop(lua->state, 1);
    return WD_OK;
}

// Runs what is on the stack for `call`.
static wd_status run(wd_lua *lua, wd_call *call, int count, int results, wd_error *error)
{
    wd_call *outer = lua->call;  // a provider may be asked from within an action
    const int64_t instructions = lua->instructions_left;
    const size_t bytes_max = lua->bytes_max;
    lua->call = call;
    wd_status status = protected_call(lua, count, results, error);
    lua->call = outer;
    if (outer != NULL) {
        lua->instructions_left = instructions;
        lua->bytes_max = bytes_max;
    }
    return status;
}

// A route matches a pattern part by part; ":name" takes any part but an empty one.
static bool match_route(const char *pattern, const char *path, size_t path_length, wd_value **params_p)
{
    const char *end = path + path_length;
    while (*pattern != '\0' && path < end) {
        if (*pattern == ':') {
            const char *name = ++pattern;
            while (*pattern != '\0' && *pattern != '/') {
                pattern++;
            }
            const char *part = path;
            while (path < end && *path != '/') {
                path++;
            }
            wd_value *value = NULL;
            if (path == part || wd_value_string(part, (size_t)(path - part), &value) != WD_OK ||
                wd_object_set_n(params_p, name, (size_t)(pattern - name), &value) != WD_OK) {
                wd_value_unref(&value);
                return false;
            }
        } else if (*pattern++ != *path++) {
            return false;
        }
    }
    return *pattern == '\0' && path == end;
}

static int hex(char digit)
{
    return digit >= '0' && digit <= '9'   ? digit - '0'
           : digit >= 'a' && digit <= 'f' ? digit - 'a' + 10
           : digit >= 'A' && digit <= 'F' ? digit - 'A' + 10
                                          : -1;
}

static wd_status decode_part(const char *text, size_t length, wd_value **ret_text)
{
    char *bytes = wd_alloc(length + 1);
    if (bytes == NULL) {
        return WD_ENOMEM;
    }
    size_t used = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '%' && i + 2 < length + 0 && hex(text[i + 1]) >= 0 && hex(text[i + 2]) >= 0) {
            bytes[used++] = (char)(hex(text[i + 1]) * 16 + hex(text[i + 2]));
            i += 2;
        } else {
            bytes[used++] = text[i] == '+' ? ' ' : text[i];
        }
    }
    wd_status status = wd_value_string(bytes, used, ret_text);
    if (status == WD_EUTF8) {
        status = wd_value_string(text, length, ret_text);
    }
    wd_free(bytes, length + 1);
    return status;
}

// ?name=text&...
static wd_status read_query(const char *query, wd_value **params_p)
{
    wd_status status = WD_OK;
    while (status == WD_OK && *query != '\0') {
        const size_t length = strcspn(query, "&");
        const char *sign = memchr(query, '=', length);
        if (sign != NULL && sign > query) {
            wd_value *text = NULL;
            status = decode_part(sign + 1, length - (size_t)(sign - query) - 1, &text);
            status =
                status != WD_OK ? status : wd_object_set_n(params_p, query, (size_t)(sign - query), &text);
            wd_value_unref(&text);
        }
        query += length + (query[length] == '&' ? 1 : 0);
    }
    return status;
}

// Push the function of the best screen for the call's path: one without parameters before one with. The parameters
// become call->params.
static wd_status push_screen(wd_lua *lua, wd_call *call, const char **ret_pattern, wd_error *error)
{
    lua_State *state = lua->state;
    wd_status status = push_part(lua, call->pack, "screens");
    if (status != WD_OK) {
        return status;
    }
    const char *path = call->page.path;
    const size_t length = strcspn(path, "?");
    wd_value *params = wd_value_object();
    lua_pushlstring(state, path, length);
    bool found = lua_rawget(state, 1) == LUA_TFUNCTION;
    *ret_pattern = NULL;
    const char *best = NULL;
    lua_settop(state, found ? 2 : 1);
    if (!found) {
        lua_pushnil(state);
        while (lua_next(state, 1) != 0) {
            const char *pattern = lua_type(state, -2) == LUA_TSTRING ? lua_tostring(state, -2) : "";
            wd_value *tried = wd_value_object();
            // Of several that match, the one later in byte order: table order is none.
            if (match_route(pattern, path, length, &tried) && (best == NULL || strcmp(pattern, best) > 0)) {
                best = pattern;
                wd_value_unref(&params);
                params = wd_value_ref(tried);
            }
            wd_value_unref(&tried);
            lua_pop(state, 1);
        }
        if (best == NULL) {
            wd_value_unref(&params);
            return wd_error_set(error, WD_ENOENT, "%s has no page %s", call->pack->id, path);
        }
        lua_pushstring(state, best);
        lua_rawget(state, 1);
    }
    status = path[length] == '?' ? read_query(path + length + 1, &params) : WD_OK;
    call->params = params;
    status = status != WD_OK ? status : wd_ui_arena_keep(call->arena, &params);
    const char *pattern = found ? wd_ui_arena_text(call->arena, path, length)
                                : wd_ui_arena_text(call->arena, best, strlen(best));
    *ret_pattern = pattern;
    return status != WD_OK || pattern == NULL ? wd_error_set(error, WD_ENOMEM, "out of memory") : WD_OK;
}

static int screen_main(lua_State *state)
{
    wd_call *call = wd_lua_of(state)->call;
    wd_ui_screen *screen = lua_touserdata(state, 2);
    lua_pushvalue(state, 1);
    wd_lua_push_context(state);
    lua_call(state, 1, 1);
    wd_lua_read_screen(state, call, screen);
    return 0;
}

wd_status wd_lua_screen(wd_lua *lua, wd_call *call, wd_ui_screen *ret_screen, wd_error *error)
{
    const char *pattern = NULL;
    wd_status status = push_screen(lua, call, &pattern, error);
    if (status != WD_OK) {
        lua_settop(lua->state, 0);
        return status;
    }
    lua_State *state = lua->state;
    lua_pushcfunction(state, screen_main);
    lua_insert(state, -2);
    lua_pushlightuserdata(state, ret_screen);
    status = run(lua, call, 2, 0, error);
    lua_settop(state, 0);
    collect(lua);
    if (status == WD_OK && ret_screen->page == NULL) {
        ret_screen->page = pattern;
    }
    if (status == WD_OK && ret_screen->params == NULL) {
        ret_screen->params = call->params;
    }
    return status;
}

wd_status wd_lua_action(wd_lua *lua, wd_call *call, const char *part, const char *name, wd_error *error)
{
    lua_State *state = lua->state;
    const char *pattern = NULL;
    wd_status status = push_screen(lua, call, &pattern, error);  // for ctx.params
    if (status == WD_ENOENT || status == WD_OK) {
        status = push_part(lua, call->pack, part);
    }
    if (status != WD_OK) {
        return status;
    }
    if (lua_getfield(state, 1, name) != LUA_TFUNCTION) {
        lua_settop(state, 0);
        return wd_error_set(error, WD_ESCRIPT, "%s/app.lua: there is no %s.%s", call->pack->id, part, name);
    }
    wd_lua_push_context(state);
    wd_lua_push(state, call->args);
    status = run(lua, call, 2, 0, error);
    lua_settop(state, 0);
    collect(lua);
    return status;
}

// A function on the stack with `count` arguments gives one value.
static wd_status value_of(wd_lua *lua, wd_call *call, int count, wd_value **ret_value, wd_error *error);

static int value_main(lua_State *state)
{
    wd_value **slot = lua_touserdata(state, 1);
    lua_call(state, lua_gettop(state) - 2, 1);
    if (!lua_isnil(state, -1)) {
        *slot = wd_lua_to_value(state, -1);
    }
    return 0;
}

static wd_status value_of(wd_lua *lua, wd_call *call, int count, wd_value **ret_value, wd_error *error)
{
    lua_State *state = lua->state;
    wd_value *value = NULL;
    lua_pushcfunction(state, value_main);
    lua_insert(state, -2 - count);
    lua_pushlightuserdata(state, &value);
    lua_insert(state, -2 - count);
    wd_status status = run(lua, call, count + 2, 0, error);
    lua_settop(state, 0);
    collect(lua);
    if (status == WD_OK) {
        *ret_value = value != NULL ? value : wd_value_null();
    } else {
        wd_value_unref(&value);
    }
    return status;
}

// view_, state_ and state_user are made here again: a pack's globals are hidden from us once they are frozen.
static int named_view(lua_State *state)
{
    wd_lua *lua = wd_lua_of(state);
    lua_newtable(state);
    lua_rawgetp(state, LUA_REGISTRYINDEX, &packs_key);
    lua_getfield(state, -1, lua->call->pack->id);
    lua_getfield(state, -1, "views");
    lua_setfield(state, 2, "views");
    lua_settop(state, 2);
    wd_lua_open_views(state, lua->call->pack);
    lua_pushvalue(state, 1);
    if (lua_rawget(state, 2) != LUA_TFUNCTION) {
        return luaL_error(state, "there is no view '%s'", lua_tostring(state, 1));
    }
    const int function = lua_gettop(state);
    lua_pushvalue(state, function);
    wd_iter iter = wd_iter_start(lua->call->args);
    int count = 0;
    while (count < WD_LUA_PARAMS_MAX && wd_iter_next(&iter)) {
        wd_lua_push(state, iter.value);
        count++;
    }
    lua_call(state, count, 1);
    return 1;
}

wd_status wd_lua_view(
    wd_lua *lua, wd_call *call, const char *name, const wd_value *args, wd_value **ret_value, wd_error *error)
{
    lua_State *state = lua->state;
    if (strncmp(name, "base_", 5) == 0) {
        return wd_error_set(error, WD_EDENIED, "%s: base data is for app.lua alone", name);
    }
    wd_status status = push_part(lua, call->pack, "views");
    if (status != WD_OK) {
        return status;
    }
    call->args = args;
    // A view of its own name, else the resolver of an entity.
    if (lua_getfield(state, 1, name) == LUA_TFUNCTION) {
        wd_lua_push_context(state);
        wd_iter iter = wd_iter_start(args);
        int count = 1;
        while (count < WD_LUA_PARAMS_MAX && wd_iter_next(&iter)) {
            wd_lua_push(state, iter.value);
            count++;
        }
        return value_of(lua, call, count, ret_value, error);
    }
    const char *entity = strchr(name, '_');
    const bool known =
        strcmp(name, "state_user") == 0 ||
        (entity != NULL && (strncmp(name, "view_", 5) == 0 || strncmp(name, "state_", 6) == 0) &&
            wd_pack_entity(call->pack, entity + 1, strlen(entity + 1)) != NULL);
    if (!known) {
        lua_settop(state, 0);
        return wd_error_set(error, WD_ENOENT, "%s has no view '%s'", call->pack->id, name);
    }
    lua_settop(state, 0);
    lua_pushcfunction(state, named_view);
    lua_pushstring(state, name);
    return value_of(lua, call, 1, ret_value, error);
}

wd_status wd_lua_adapt(wd_lua *lua, wd_call *call, wd_value **ret_view, wd_error *error)
{
    wd_status status = push_part(lua, call->pack, "adapter");
    if (status != WD_OK || lua_type(lua->state, 1) != LUA_TFUNCTION) {
        lua_settop(lua->state, 0);
        *ret_view = wd_value_ref(call->overlay);
        return status;
    }
    wd_lua_push(lua->state, call->overlay);
    return value_of(lua, call, 1, ret_view, error);
}

wd_status wd_lua_provide(wd_lua *lua, wd_call *call, const char *authority, const char *op,
    const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    lua_State *state = lua->state;
    wd_status status = push_part(lua, call->pack, "providers");
    if (status != WD_OK || lua_getfield(state, 1, authority) != LUA_TFUNCTION) {
        lua_settop(state, 0);
        return wd_error_set(error, WD_ENOENT, "content://%s: nobody provides this", authority);
    }
    wd_lua_push_context(state);
    lua_pushstring(state, op);
    wd_lua_push(state, args);
    return value_of(lua, call, 3, ret_answer, error);
}

static int compare_texts(const wd_value *a, const char *b)
{
    return strcmp(wd_value_as_string(a, NULL), b);
}

wd_status wd_lua_routes(wd_lua *lua, const wd_pack *pack, wd_value **ret_routes)
{
    lua_State *state = lua->state;
    wd_status status = push_part(lua, pack, "screens");
    wd_value *routes = wd_value_array();
    if (status == WD_OK) {
        lua_pushnil(state);
    }
    while (status == WD_OK && lua_next(state, 1) != 0) {
        lua_pop(state, 1);
        size_t length = 0;
        const char *route = lua_type(state, -1) == LUA_TSTRING ? lua_tolstring(state, -1, &length) : "";
        size_t at = wd_array_count(routes);
        while (at > 0 && compare_texts(wd_array_at(routes, at - 1), route) > 0) {
            at--;
        }
        wd_value *text = NULL;
        status = wd_value_string(route, length, &text);
        status = status != WD_OK ? status : wd_array_insert(&routes, at, &text);
        wd_value_unref(&text);
    }
    lua_settop(state, 0);
    if (status != WD_OK) {
        wd_value_unref(&routes);
        return status;
    }
    *ret_routes = routes;
    return WD_OK;
}
