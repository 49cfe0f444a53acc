// Two layers seen as one: view_<entity>, state_<entity>, base_<entity>, state_user for every entity of a pack.
#include "lua_private.h"

#include <stdio.h>
#include <string.h>

static const wd_value *table_of(const wd_value *layer, const wd_value *entity)
{
    return wd_object_get(layer, wd_value_string_or(wd_object_get(entity, "table"), ""));
}

static const wd_value *base_row(const wd_value *data, const wd_value *entity, const char *id, size_t length)
{
    const char *file = wd_value_string_or(wd_object_get(entity, "data"), NULL);
    return file != NULL ? wd_object_get_n(wd_object_get(data, file), id, length) : NULL;
}

const wd_value *wd_view_resolve(
    const wd_value *overlay, const wd_value *data, const wd_value *entity, const char *id, size_t length)
{
    const wd_value *over = wd_object_get_n(table_of(overlay, entity), id, length);
    if (over == NULL) {
        return base_row(data, entity, id, length);
    }
    return wd_value_is(over, WD_KIND_NULL) ? NULL : over;
}

// The entity a function was made for: its name is the upvalue.
static const wd_value *entity_of(lua_State *state, const wd_call *call)
{
    size_t length = 0;
    const char *name = lua_tolstring(state, lua_upvalueindex(1), &length);
    return wd_pack_entity(call->pack, name, length);
}

static void note_table(wd_call *call, const wd_value *entity)
{
    wd_deps_note(call, WD_DEP_STATE, wd_value_string_or(wd_object_get(entity, "table"), ""), NULL, 0);
}

// view_<entity>(id): resolved; a function views.<entity>(ctx, row) of the pack may derive from it what is shown.
static int view_entity(lua_State *state)
{
    wd_call *call = wd_lua_call_of(state);
    const wd_value *entity = entity_of(state, call);
    size_t length = 0;
    const char *id = luaL_checklstring(state, 1, &length);
    note_table(call, entity);
    const wd_value *row = wd_view_resolve(call->overlay, call->pack->data, entity, id, length);
    if (row == NULL) {
        lua_pushnil(state);
        return 1;
    }
    lua_pushvalue(state, lua_upvalueindex(1));
    if (lua_gettable(state, lua_upvalueindex(2)) == LUA_TFUNCTION) {
        wd_lua_push_context(state);
        wd_lua_push(state, row);
        lua_call(state, 2, 1);
        return 1;
    }
    wd_lua_push(state, row);
    return 1;
}

static int state_entity(lua_State *state)
{
    wd_call *call = wd_lua_call_of(state);
    const wd_value *entity = entity_of(state, call);
    size_t length = 0;
    const char *id = luaL_checklstring(state, 1, &length);
    note_table(call, entity);
    wd_lua_push(state, wd_object_get_n(table_of(call->overlay, entity), id, length));
    return 1;
}

static int base_entity(lua_State *state)
{
    wd_call *call = wd_lua_call_of(state);
    size_t length = 0;
    const char *id = luaL_checklstring(state, 1, &length);
    wd_lua_push(state, base_row(call->pack->data, entity_of(state, call), id, length));
    return 1;
}

// state_user(): users[currentUserId] where there are several, else user.
static int state_user(lua_State *state)
{
    wd_call *call = wd_lua_call_of(state);
    wd_deps_note(call, WD_DEP_STATE, "users", NULL, 0);
    wd_deps_note(call, WD_DEP_STATE, "currentUserId", NULL, 0);
    const wd_value *users = wd_object_get(call->overlay, "users");
    if (users != NULL) {
        const wd_value *id = wd_object_get(call->overlay, "currentUserId");
        wd_lua_push(state, wd_object_get(users, wd_value_string_or(id, "")));
        return 1;
    }
    wd_deps_note(call, WD_DEP_STATE, "user", NULL, 0);
    wd_lua_push(state, wd_object_get(call->overlay, "user"));
    return 1;
}

// The table of the pack's globals is at the top; its `views` is there already.
void wd_lua_open_views(lua_State *state, const wd_pack *pack)
{
    static const struct {
        const char *prefix;
        lua_CFunction function;
    } kinds[] = { { "view_", view_entity }, { "state_", state_entity }, { "base_", base_entity } };
    wd_iter iter = wd_iter_start(wd_object_get(pack->manifest, "entities"));
    while (wd_iter_next(&iter)) {
        for (size_t i = 0; i < WD_COUNT_OF(kinds); i++) {
            lua_pushfstring(state, "%s%s", kinds[i].prefix, iter.key);
            lua_pushlstring(state, iter.key, iter.key_length);
            lua_getfield(state, -3, "views");
            lua_pushcclosure(state, kinds[i].function, 2);
            lua_rawset(state, -3);
        }
    }
    lua_pushcfunction(state, state_user);
    lua_setfield(state, -2, "state_user");
}
