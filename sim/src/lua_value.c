// Values of the tree in Lua. A container is a light userdata: its pointer, and one metatable for all of them, so
// reading state allocates nothing. `null` is the light userdata NULL.
#include "lua_private.h"

#include "tree/json.h"

#include <math.h>
#include <string.h>

void wd_lua_push(lua_State *state, const wd_value *value)
{
    if (value == NULL) {
        lua_pushnil(state);
        return;
    }
    switch (wd_value_kind(value)) {
    case WD_KIND_NULL:
        lua_pushlightuserdata(state, NULL);
        break;
    case WD_KIND_BOOL:
        lua_pushboolean(state, wd_value_as_bool(value));
        break;
    case WD_KIND_INT:
        lua_pushinteger(state, wd_value_as_int(value));
        break;
    case WD_KIND_DOUBLE:
        lua_pushnumber(state, wd_value_as_double(value));
        break;
    case WD_KIND_STRING: {
        size_t length = 0;
        const char *text = wd_value_as_string(value, &length);
        lua_pushlstring(state, text, length);
        break;
    }
    case WD_KIND_ARRAY:
    case WD_KIND_OBJECT: {
        // Lua only hands the pointer back; nothing writes through it.
        union {
            const void *read;
            void *handed;
        } pointer = { .read = value };
        lua_pushlightuserdata(state, pointer.handed);
        break;
    }
    }
}

void wd_lua_push_kept(lua_State *state, wd_value **value_p)
{
    const wd_value *value = *value_p;
    wd_lua_check(state, wd_ui_arena_keep(wd_lua_call_of(state)->arena, value_p), "keep");
    wd_lua_push(state, value);
}

void wd_lua_check(lua_State *state, wd_status status, const char *what)
{
    if (status != WD_OK) {
        luaL_error(state, "%s: %s", what, wd_status_text(status));
    }
}

const char *wd_lua_text(lua_State *state, int index, size_t *ret_length)
{
    if (lua_type(state, index) == LUA_TNUMBER && !lua_isinteger(state, index)) {
        luaL_error(state, "a number with a fraction is written by text(x)");
    }
    return luaL_checklstring(state, index, ret_length);
}

// ---- Lua to tree ----------------------------------------------------------------------------------------------------

static wd_value *convert(lua_State *state, int index, int depth);

static wd_value *convert_list(lua_State *state, int index, lua_Integer count, int depth)
{
    wd_value **list = &wd_lua_of(state)->partial[depth];
    *list = wd_value_array();
    for (lua_Integer i = 1; i <= count; i++) {
        lua_rawgeti(state, index, i);
        wd_value *item = convert(state, lua_gettop(state), depth + 1);
        lua_pop(state, 1);
        wd_status status = wd_array_append(list, &item);
        wd_value_unref(&item);
        wd_lua_check(state, status, "list");
    }
    wd_value *whole = *list;
    *list = NULL;
    return whole;
}

// Push a list of the names of the table at `index`, in the order of their bytes: a Lua table has none of its own.
static lua_Integer push_names(lua_State *state, int index)
{
    lua_newtable(state);
    const int names = lua_gettop(state);
    lua_Integer count = 0;
    lua_pushnil(state);
    while (lua_next(state, index) != 0) {
        lua_pop(state, 1);
        lua_pushvalue(state, -1);
        lua_rawseti(state, names, ++count);
    }
    for (lua_Integer i = 2; i <= count; i++) {  // insertion sort: records are small
        for (lua_Integer j = i; j > 1; j--) {
            lua_rawgeti(state, names, j - 1);
            lua_rawgeti(state, names, j);
            if (strcmp(lua_tostring(state, -2), lua_tostring(state, -1)) <= 0) {
                lua_pop(state, 2);
                break;
            }
            lua_rawseti(state, names, j - 1);
            lua_rawseti(state, names, j);
        }
    }
    return count;
}

// The value at the top becomes the member of *record_p that the text below it names; both are popped.
static void convert_member(lua_State *state, wd_value **record_p, int depth)
{
    wd_value *item = convert(state, lua_gettop(state), depth + 1);
    size_t length = 0;
    const char *name = lua_tolstring(state, -2, &length);
    wd_status status = wd_object_set_n(record_p, name, length, &item);
    wd_value_unref(&item);
    lua_pop(state, 2);
    wd_lua_check(state, status, "record");
}

static bool has_one_member(lua_State *state, int index)
{
    lua_pushnil(state);
    if (lua_next(state, index) == 0) {
        return false;
    }
    lua_pop(state, 1);
    if (lua_next(state, index) == 0) {
        return true;
    }
    lua_pop(state, 2);
    return false;
}

static wd_value *convert_record(lua_State *state, int index, int depth)
{
    wd_value **record = &wd_lua_of(state)->partial[depth];
    *record = wd_value_object();
    if (has_one_member(state, index)) {  // as arguments mostly have: nothing to sort
        lua_pushnil(state);
        (void)lua_next(state, index);
        convert_member(state, record, depth);
        wd_value *whole = *record;
        *record = NULL;
        return whole;
    }
    const lua_Integer count = push_names(state, index);
    const int names = lua_gettop(state);
    for (lua_Integer i = 1; i <= count; i++) {
        lua_rawgeti(state, names, i);
        lua_pushvalue(state, -1);
        lua_rawget(state, index);
        convert_member(state, record, depth);
    }
    lua_pop(state, 1);
    wd_value *whole = *record;
    *record = NULL;
    return whole;
}

static wd_value *convert_scalar(lua_State *state, int index)
{
    wd_value *value = NULL;
    wd_status status = WD_OK;
    switch (lua_type(state, index)) {
    case LUA_TBOOLEAN:
        return wd_value_bool(lua_toboolean(state, index));
    case LUA_TNUMBER:
        status = lua_isinteger(state, index) ? wd_value_int(lua_tointeger(state, index), &value)
                                             : wd_value_double(lua_tonumber(state, index), &value);
        break;
    default: {
        size_t length = 0;
        const char *text = lua_tolstring(state, index, &length);
        status = wd_value_string(text, length, &value);
        break;
    }
    }
    wd_lua_check(state, status, "value");
    return value;
}

// `index` is absolute. What is half built stands in lua->partial, so that an error of Lua's loses nothing.
static wd_value *convert(lua_State *state, int index, int depth)
{
    luaL_checkstack(state, 12, "nested too deep");
    switch (lua_type(state, index)) {
    case LUA_TTABLE: {
        const lua_Integer count = (lua_Integer)lua_rawlen(state, index);
        return count > 0 ? convert_list(state, index, count, depth) : convert_record(state, index, depth);
    }
    case LUA_TLIGHTUSERDATA:
    case LUA_TUSERDATA: {
        const wd_value *container = wd_lua_container(state, index);
        return container != NULL ? wd_value_ref(container) : wd_value_null();
    }
    default:
        return convert_scalar(state, index);
    }
}

static void check_convertible(lua_State *state, int index, int depth)
{
    luaL_checkstack(state, 8, "nested too deep");
    if (depth >= WD_LUA_NESTED_MAX) {
        luaL_error(state, "a table nests deeper than %d levels; does it contain itself?", WD_LUA_NESTED_MAX);
    }
    switch (lua_type(state, index)) {
    case LUA_TTABLE: {
        const lua_Integer count = (lua_Integer)lua_rawlen(state, index);
        if (wd_lua_is_element(state, index)) {
            luaL_error(state, "an element is no value");
        }
        lua_pushnil(state);
        while (lua_next(state, index) != 0) {
            const bool named = lua_type(state, -2) == LUA_TSTRING;
            if (named == (count > 0) ||
                (!named && (!lua_isinteger(state, -2) || lua_tointeger(state, -2) > count))) {
                luaL_error(state, "a table is a list or has names only");
            }
            check_convertible(state, lua_gettop(state), depth + 1);
            lua_pop(state, 1);
        }
        break;
    }
    case LUA_TNUMBER:
        if (!isfinite(lua_tonumber(state, index))) {
            luaL_error(state, "a number must be finite");
        }
        break;
    case LUA_TSTRING: {
        size_t length = 0;
        const char *text = lua_tolstring(state, index, &length);
        if (!wd_utf8_valid(text, length)) {
            luaL_error(state, "a text must be UTF-8");
        }
        break;
    }
    case LUA_TBOOLEAN:
    case LUA_TLIGHTUSERDATA:
        break;
    case LUA_TUSERDATA:
        if (wd_lua_container(state, index) == NULL) {
            luaL_error(state, "this is no value");
        }
        break;
    default:
        luaL_error(state, "a %s is no value", luaL_typename(state, index));
    }
}

wd_value *wd_lua_to_value(lua_State *state, int index)
{
    index = lua_absindex(state, index);
    check_convertible(state, index, 0);
    return convert(state, index, 0);
}

// ---- views ----------------------------------------------------------------------------------------------------------

static int view_index(lua_State *state)
{
    const wd_value *container = lua_touserdata(state, 1);
    if (container == NULL) {
        return luaL_error(state, "null has no members");
    }
    if (lua_type(state, 2) == LUA_TSTRING) {
        size_t length = 0;
        const char *name = lua_tolstring(state, 2, &length);
        wd_lua_push(state, wd_object_get_n(container, name, length));
        return 1;
    }
    int whole = 0;
    const lua_Integer at = lua_tointegerx(state, 2, &whole);
    wd_lua_push(state, whole && at >= 1 ? wd_array_at(container, (size_t)at - 1) : NULL);
    return 1;
}

static int view_length(lua_State *state)
{
    const wd_value *container = lua_touserdata(state, 1);
    lua_pushinteger(state, (lua_Integer)(wd_value_is(container, WD_KIND_ARRAY) ? wd_array_count(container)
                                                                               : wd_object_count(container)));
    return 1;
}

static int view_write(lua_State *state)
{
    return luaL_error(state, "state is read-only here; actions write to ctx.draft");
}

void wd_lua_open_values(lua_State *state)
{
    static const luaL_Reg methods[] = {
        { "__index", view_index },
        { "__len", view_length },
        { "__newindex", view_write },
        { NULL, NULL },
    };
    lua_pushlightuserdata(state, NULL);
    luaL_newlib(state, methods);
    lua_setmetatable(state, -2);  // one for all light userdata
    lua_pop(state, 1);
}
