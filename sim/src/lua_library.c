// The library that packs see: values, iteration, lists. All of it is listed in docs/apps.md.
#include "lua_private.h"

#include "tree/json.h"

#include <math.h>
#include <string.h>

enum { RANGE_MAX = 100 * 1000 };

// ---- basics -----------------------------------------------------------------------------------------------------------

static int basic_type(lua_State *state)
{
    const wd_value *container = wd_lua_container(state, 1);
    if (container != NULL) {
        lua_pushstring(state, wd_value_is(container, WD_KIND_ARRAY) ? "list" : "record");
    } else if (lua_islightuserdata(state, 1)) {
        lua_pushliteral(state, "null");
    } else {
        lua_pushstring(state, luaL_typename(state, 1));
    }
    return 1;
}

// text(x): as the tree writes it. Never an address.
static int basic_text(lua_State *state)
{
    switch (lua_type(state, 1)) {
    case LUA_TSTRING:
        lua_settop(state, 1);
        return 1;
    case LUA_TNIL:
        lua_pushliteral(state, "nil");
        return 1;
    case LUA_TBOOLEAN:
        lua_pushstring(state, lua_toboolean(state, 1) ? "true" : "false");
        return 1;
    case LUA_TNUMBER:
        if (lua_isinteger(state, 1)) {
            lua_pushvalue(state, 1);
            (void)lua_tostring(state, -1);
        } else {
            char number[WD_DOUBLE_TEXT_SIZE];
            const double x = lua_tonumber(state, 1);
            if (!isfinite(x)) {
                return luaL_error(state, "a number must be finite");
            }
            lua_pushlstring(state, number, wd_double_text(x, number));
        }
        return 1;
    default:
        if (lua_islightuserdata(state, 1) && lua_touserdata(state, 1) == NULL) {
            lua_pushliteral(state, "null");
            return 1;
        }
        return luaL_error(state, "text: a %s has no text", luaL_typename(state, 1));
    }
}

// number(text): an integer or a number with fraction, or nil.
static int basic_number(lua_State *state)
{
    if (lua_type(state, 1) == LUA_TNUMBER) {
        lua_settop(state, 1);
        return 1;
    }
    const char *text = luaL_checkstring(state, 1);
    wd_value *value = NULL;
    if (wd_json_parse(text, strlen(text), &value, NULL) == WD_OK && wd_value_is_number(value)) {
        wd_lua_push(state, value);
    } else {
        lua_pushnil(state);
    }
    wd_value_unref(&value);
    return 1;
}

static int basic_error(lua_State *state)
{
    luaL_where(state, 1);
    lua_pushstring(state, luaL_checkstring(state, 1));
    lua_concat(state, 2);
    return lua_error(state);
}

static int basic_same(lua_State *state)
{
    const wd_value *a = wd_lua_container(state, 1);
    const wd_value *b = wd_lua_container(state, 2);
    lua_pushboolean(state, a != NULL && b != NULL ? wd_value_equal(a, b) : lua_rawequal(state, 1, 2));
    return 1;
}

// ---- iteration ----------------------------------------------------------------------------------------------------------

static int list_step(lua_State *state)
{
    const lua_Integer at = lua_tointeger(state, 2) + 1;
    if (lua_type(state, 1) == LUA_TTABLE) {
        lua_pushinteger(state, at);
        return lua_rawgeti(state, 1, at) == LUA_TNIL ? 1 : 2;
    }
    const wd_value *item = wd_array_at(lua_touserdata(state, 1), (size_t)at - 1);
    if (item == NULL) {
        return 0;
    }
    lua_pushinteger(state, at);
    wd_lua_push(state, item);
    return 2;
}

// A table, or the view of a container (of a draft: as it is now), replaces the argument.
static void settle(lua_State *state, int index)
{
    if (lua_type(state, index) == LUA_TTABLE) {
        return;
    }
    const wd_value *container = wd_lua_container(state, index);
    if (container == NULL) {
        luaL_error(state, "a list or record is wanted, not %s",
            lua_islightuserdata(state, index) ? "null" : luaL_typename(state, index));
    }
    wd_lua_push(state, container);
    lua_replace(state, index);
}

static int basic_ipairs(lua_State *state)
{
    settle(state, 1);
    lua_pushcfunction(state, list_step);
    lua_pushvalue(state, 1);
    lua_pushinteger(state, 0);
    return 3;
}

// pairs: the iterator is a closure over (container, its names, position); the order is that of the list, then of
// the names: insertion order in values, order of bytes in tables.
static int pairs_step(lua_State *state)
{
    const lua_Integer at = lua_tointeger(state, lua_upvalueindex(3)) + 1;
    lua_pushinteger(state, at);
    lua_replace(state, lua_upvalueindex(3));
    if (lua_rawgeti(state, lua_upvalueindex(2), at) == LUA_TNIL) {
        return 1;
    }
    lua_pushvalue(state, -1);
    lua_gettable(state, lua_upvalueindex(1));
    return 2;
}

static int compare_keys(lua_State *state, int a, int b)
{
    const bool a_number = lua_type(state, a) == LUA_TNUMBER;
    const bool b_number = lua_type(state, b) == LUA_TNUMBER;
    if (a_number != b_number) {
        return a_number ? -1 : 1;
    }
    if (a_number) {
        return lua_compare(state, a, b, LUA_OPLT) ? -1 : 1;
    }
    return strcmp(lua_tostring(state, a), lua_tostring(state, b));
}

// Merge sort of t[first..last] by `compare`, stable: `scratch` has the same length.
static void sort_range(lua_State *state, int table, int scratch, lua_Integer first, lua_Integer last,
    int (*compare)(lua_State *, int, int))
{
    if (first >= last) {
        return;
    }
    luaL_checkstack(state, 4, "sort");
    const lua_Integer middle = first + (last - first) / 2;
    sort_range(state, table, scratch, first, middle, compare);
    sort_range(state, table, scratch, middle + 1, last, compare);
    lua_Integer left = first;
    lua_Integer right = middle + 1;
    for (lua_Integer at = first; at <= last; at++) {
        bool take_left = right > last;
        if (left <= middle && right <= last) {
            lua_rawgeti(state, table, left);
            lua_rawgeti(state, table, right);
            take_left = compare(state, lua_gettop(state) - 1, lua_gettop(state)) <= 0;
            lua_pop(state, 2);
        }
        lua_rawgeti(state, table, take_left ? left++ : right++);
        lua_rawseti(state, scratch, at);
    }
    for (lua_Integer at = first; at <= last; at++) {
        lua_rawgeti(state, scratch, at);
        lua_rawseti(state, table, at);
    }
}

// Push the list of names (or indexes) of the container at 1.
static void push_keys(lua_State *state)
{
    lua_newtable(state);
    const int keys = lua_gettop(state);
    lua_Integer count = 0;
    if (lua_type(state, 1) == LUA_TTABLE) {
        lua_pushnil(state);
        while (lua_next(state, 1) != 0) {
            lua_pop(state, 1);
            if (lua_type(state, -1) != LUA_TNUMBER && lua_type(state, -1) != LUA_TSTRING) {
                luaL_error(state, "pairs: a %s as key has no place in an order", luaL_typename(state, -1));
            }
            lua_pushvalue(state, -1);
            lua_rawseti(state, keys, ++count);
        }
        lua_newtable(state);
        sort_range(state, keys, lua_gettop(state), 1, count, compare_keys);
        lua_pop(state, 1);
        return;
    }
    wd_iter iter = wd_iter_start(lua_touserdata(state, 1));
    while (wd_iter_next(&iter)) {
        if (iter.key != NULL) {
            lua_pushlstring(state, iter.key, iter.key_length);
        } else {
            lua_pushinteger(state, (lua_Integer)iter.index + 1);
        }
        lua_rawseti(state, keys, ++count);
    }
}

static int basic_pairs(lua_State *state)
{
    settle(state, 1);
    lua_pushvalue(state, 1);
    push_keys(state);
    lua_pushinteger(state, 0);
    lua_pushcclosure(state, pairs_step, 3);
    return 1;
}

static int basic_keys(lua_State *state)
{
    settle(state, 1);
    push_keys(state);
    return 1;
}

void wd_lua_open_basics(lua_State *state)
{
    static const luaL_Reg functions[] = {
        { "type", basic_type },
        { "text", basic_text },
        { "number", basic_number },
        { "error", basic_error },
        { "same", basic_same },
        { "ipairs", basic_ipairs },
        { "pairs", basic_pairs },
        { "keys", basic_keys },
        { NULL, NULL },
    };
    luaL_setfuncs(state, functions, 0);
    lua_pushlightuserdata(state, NULL);
    lua_setfield(state, -2, "null");
}

// ---- lists: each gives a new table ----------------------------------------------------------------------------------------

static lua_Integer length_of(lua_State *state, int index)
{
    return lua_type(state, index) == LUA_TTABLE ? (lua_Integer)lua_rawlen(state, index)
                                                : (lua_Integer)wd_array_count(lua_touserdata(state, index));
}

static void push_item(lua_State *state, int index, lua_Integer at)
{
    if (lua_type(state, index) == LUA_TTABLE) {
        lua_rawgeti(state, index, at);
    } else {
        wd_lua_push(state, wd_array_at(lua_touserdata(state, index), (size_t)at - 1));
    }
}

static int list_map(lua_State *state)
{
    settle(state, 1);
    luaL_checktype(state, 2, LUA_TFUNCTION);
    const lua_Integer count = length_of(state, 1);
    lua_createtable(state, (int)count, 0);
    lua_Integer kept = 0;
    for (lua_Integer i = 1; i <= count; i++) {
        lua_pushvalue(state, 2);
        push_item(state, 1, i);
        lua_pushinteger(state, i);
        lua_call(state, 2, 1);
        if (lua_isnil(state, -1)) {
            lua_pop(state, 1);
        } else {
            lua_rawseti(state, 3, ++kept);
        }
    }
    return 1;
}

static int list_filter(lua_State *state)
{
    settle(state, 1);
    luaL_checktype(state, 2, LUA_TFUNCTION);
    const lua_Integer count = length_of(state, 1);
    lua_newtable(state);
    lua_Integer kept = 0;
    for (lua_Integer i = 1; i <= count; i++) {
        push_item(state, 1, i);
        lua_pushvalue(state, 2);
        lua_pushvalue(state, -2);
        lua_call(state, 1, 1);
        const bool keep = lua_toboolean(state, -1) != 0;
        lua_pop(state, 1);
        if (keep) {
            lua_rawseti(state, 3, ++kept);
        } else {
            lua_pop(state, 1);
        }
    }
    return 1;
}

// find(list, field, value) or find(list, function): the element and its index, or nil.
static int list_find(lua_State *state)
{
    settle(state, 1);
    const bool by_function = lua_isfunction(state, 2);
    const lua_Integer count = length_of(state, 1);
    for (lua_Integer i = 1; i <= count; i++) {
        push_item(state, 1, i);
        bool found = false;
        if (by_function) {
            lua_pushvalue(state, 2);
            lua_pushvalue(state, -2);
            lua_call(state, 1, 1);
            found = lua_toboolean(state, -1) != 0;
        } else {
            lua_pushvalue(state, 2);
            lua_gettable(state, -2);
            found = lua_compare(state, -1, 3, LUA_OPEQ) != 0;
        }
        lua_pop(state, 1);
        if (found) {
            lua_pushinteger(state, i);
            return 2;
        }
        lua_pop(state, 1);
    }
    return 0;
}

// index_of(list, value), or nil.
static int list_index_of(lua_State *state)
{
    settle(state, 1);
    const lua_Integer count = length_of(state, 1);
    for (lua_Integer i = 1; i <= count; i++) {
        push_item(state, 1, i);
        if (lua_compare(state, -1, 2, LUA_OPEQ)) {
            lua_pushinteger(state, i);
            return 1;
        }
        lua_pop(state, 1);
    }
    return 0;
}

static int list_slice(lua_State *state)
{
    settle(state, 1);
    const lua_Integer count = length_of(state, 1);
    lua_Integer first = luaL_checkinteger(state, 2);
    lua_Integer last = luaL_optinteger(state, 3, count);
    first = first < 1 ? 1 : first;
    last = last > count ? count : last;
    lua_newtable(state);
    lua_Integer kept = 0;
    for (lua_Integer i = first; i <= last; i++) {
        push_item(state, 1, i);
        lua_rawseti(state, -2, ++kept);
    }
    return 1;
}

// with(list, item): the list and the item; without(list, value): the list without the elements that equal it.
static int list_with(lua_State *state)
{
    settle(state, 1);
    luaL_checkany(state, 2);
    const lua_Integer count = length_of(state, 1);
    lua_createtable(state, (int)count + 1, 0);
    for (lua_Integer i = 1; i <= count; i++) {
        push_item(state, 1, i);
        lua_rawseti(state, -2, i);
    }
    lua_pushvalue(state, 2);
    lua_rawseti(state, -2, count + 1);
    return 1;
}

static int list_without(lua_State *state)
{
    settle(state, 1);
    const lua_Integer count = length_of(state, 1);
    lua_newtable(state);
    lua_Integer kept = 0;
    for (lua_Integer i = 1; i <= count; i++) {
        push_item(state, 1, i);
        if (lua_compare(state, -1, 2, LUA_OPEQ)) {
            lua_pop(state, 1);
        } else {
            lua_rawseti(state, -2, ++kept);
        }
    }
    if (kept == 0) {
        wd_value *none = wd_value_array();  // an empty table would be a record
        wd_lua_push_kept(state, &none);
    }
    return 1;
}

static int compare_sort_keys(lua_State *state, int a, int b)
{
    // Elements are {key, item}; keys are all texts or all numbers.
    lua_rawgeti(state, a, 1);
    lua_rawgeti(state, b, 1);
    const int order = lua_compare(state, -2, -1, LUA_OPLT)   ? -1
                      : lua_compare(state, -1, -2, LUA_OPLT) ? 1
                                                             : 0;
    lua_pop(state, 2);
    return order;
}

static int compare_sort_keys_down(lua_State *state, int a, int b)
{
    return -compare_sort_keys(state, a, b);
}

// sorted(list, function or field, down?): stable; keys are texts (by bytes) or numbers.
static int list_sorted(lua_State *state)
{
    settle(state, 1);
    const bool down = lua_toboolean(state, 3) != 0;
    const lua_Integer count = length_of(state, 1);
    lua_settop(state, 2);
    lua_createtable(state, (int)count, 0);
    for (lua_Integer i = 1; i <= count; i++) {
        lua_createtable(state, 2, 0);
        push_item(state, 1, i);
        if (lua_isfunction(state, 2)) {
            lua_pushvalue(state, 2);
            lua_pushvalue(state, -2);
            lua_call(state, 1, 1);
        } else {
            lua_pushvalue(state, 2);
            lua_gettable(state, -2);
        }
        if (lua_type(state, -1) != LUA_TNUMBER && lua_type(state, -1) != LUA_TSTRING) {
            return luaL_error(state, "sorted: a key is a %s", luaL_typename(state, -1));
        }
        lua_rawseti(state, -3, 1);
        lua_rawseti(state, -2, 2);
        lua_rawseti(state, 3, i);
    }
    lua_newtable(state);
    sort_range(state, 3, 4, 1, count, down ? compare_sort_keys_down : compare_sort_keys);
    for (lua_Integer i = 1; i <= count; i++) {
        lua_rawgeti(state, 3, i);
        lua_rawgeti(state, -1, 2);
        lua_rawseti(state, 3, i);
        lua_pop(state, 1);
    }
    lua_settop(state, 3);
    return 1;
}

// copy(record): a table with its members, to change a few of them; tables and values inside stay as they are.
static int list_copy(lua_State *state)
{
    settle(state, 1);
    if (lua_type(state, 1) == LUA_TTABLE) {
        lua_newtable(state);
        lua_pushnil(state);
        while (lua_next(state, 1) != 0) {
            lua_pushvalue(state, -2);
            lua_insert(state, -2);
            lua_rawset(state, 2);
        }
        if (wd_lua_is_element(state, 1)) {
            (void)lua_getmetatable(state, 1);
            lua_setmetatable(state, 2);
        }
        return 1;
    }
    wd_iter iter = wd_iter_start(lua_touserdata(state, 1));
    const bool list = wd_value_is(iter.container, WD_KIND_ARRAY);
    const int count = (int)(list ? wd_array_count(iter.container) : wd_object_count(iter.container));
    lua_createtable(state, list ? count : 0, list ? 0 : count);
    while (wd_iter_next(&iter)) {
        if (list) {
            wd_lua_push(state, iter.value);
            lua_rawseti(state, 2, (lua_Integer)iter.index + 1);
        } else {
            lua_pushlstring(state, iter.key, iter.key_length);
            wd_lua_push(state, iter.value);
            lua_rawset(state, 2);
        }
    }
    return 1;
}

static int list_range(lua_State *state)
{
    const lua_Integer first = luaL_checkinteger(state, 1);
    const lua_Integer last = luaL_checkinteger(state, 2);
    luaL_argcheck(state, last - first < RANGE_MAX, 2, "the range is too long");
    lua_newtable(state);
    for (lua_Integer i = first; i <= last; i++) {
        lua_pushinteger(state, i);
        lua_rawseti(state, -2, i - first + 1);
    }
    return 1;
}

static int list_empty(lua_State *state)
{
    wd_value *none = wd_value_array();
    wd_lua_push_kept(state, &none);
    return 1;
}

// ---- numbers --------------------------------------------------------------------------------------------------------------

static int number_floor(lua_State *state)
{
    const double x = floor(luaL_checknumber(state, 1));
    luaL_argcheck(state, fabs(x) < 9e15, 1, "too large");
    lua_pushinteger(state, (lua_Integer)x);
    return 1;
}

static int number_min(lua_State *state)
{
    lua_pushvalue(state, lua_compare(state, 2, 1, LUA_OPLT) ? 2 : 1);
    return 1;
}

static int number_max(lua_State *state)
{
    lua_pushvalue(state, lua_compare(state, 1, 2, LUA_OPLT) ? 2 : 1);
    return 1;
}

void wd_lua_open_lists(lua_State *state)
{
    static const luaL_Reg functions[] = {
        { "map", list_map },
        { "filter", list_filter },
        { "find", list_find },
        { "index_of", list_index_of },
        { "slice", list_slice },
        { "with", list_with },
        { "without", list_without },
        { "sorted", list_sorted },
        { "copy", list_copy },
        { "range", list_range },
        { "empty", list_empty },
        { "floor", number_floor },
        { "min", number_min },
        { "max", number_max },
        { NULL, NULL },
    };
    luaL_setfuncs(state, functions, 0);
}
