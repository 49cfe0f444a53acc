// What a call sees: ctx, the overlay, `os`, the page's scratch; each read is noted for the screen cache. And drafts.
#include "lua_private.h"

#include <string.h>

wd_call *wd_lua_call_of(lua_State *state)
{
    wd_call *call = wd_lua_of(state)->call;
    if (call == NULL) {
        luaL_error(state, "this works only while a screen, an action or a view runs");
    }
    return call;
}

// ---- ctx ------------------------------------------------------------------------------------------------------------

//   name       what it is
#define CONTEXT_TABLE(X)                                                                                     \
    X(STATE, "state")   /* the app's overlay, read-only */                                                   \
    X(DRAFT, "draft")   /* actions: the overlay to write to */                                               \
    X(OS, "os")         /* the visible state of the operating system */                                      \
    X(DATA, "data")     /* the pack's world data */                                                          \
    X(PARAMS, "params") /* of the path and query */                                                          \
    X(FIELDS, "fields") /* texts of the page's fields */                                                     \
    X(PATH, "path")     /* with query */                                                                     \
    X(INTENT, "intent") /* what the activity was started with, or nil */                                     \
    X(ARGS, "args")     /* actions: their arguments */                                                       \
    X(LOCALE, "locale") /* "en" or "zh" */                                                                   \
    X(NOW, "now")       /* virtual time in ms since 1970 UTC */                                              \
    X(APP, "app")       /* the app's id */

typedef enum wd_context_name {
#define X(name, text) CONTEXT_##name,
    CONTEXT_TABLE(X)
#undef X
        CONTEXT_COUNT,
} wd_context_name;

static const char *const context_names[CONTEXT_COUNT] = {
#define X(name, text) [CONTEXT_##name] = text,
    CONTEXT_TABLE(X)
#undef X
};

// Registry keys: the address of a static is one that nobody else uses.
static const char context_key, state_key, os_key, settings_key, providers_key, names_key;

static void push_registered(lua_State *state, const char *key)
{
    lua_rawgetp(state, LUA_REGISTRYINDEX, key);
}

static const char *locale_of(wd_call *call)
{
    if (call->locale == NULL) {
        wd_deps_note(call, WD_DEP_OS, "locale", NULL, 0);
        call->locale = wd_value_is_text(wd_object_get(call->os, "locale"), "en") ? "en" : "zh";
    }
    return call->locale;
}

static void push_draft(
    lua_State *state, const void *parent, const char *name, size_t length, lua_Integer index);

static int context_index(lua_State *state)
{
    wd_call *call = wd_lua_call_of(state);
    push_registered(state, &names_key);
    lua_pushvalue(state, 2);
    lua_rawget(state, -2);
    if (lua_isnil(state, -1)) {
        return luaL_error(state, "ctx has no member '%s'", lua_tostring(state, 2));
    }
    switch ((wd_context_name)lua_tointeger(state, -1)) {
    case CONTEXT_STATE:
        push_registered(state, &state_key);
        break;
    case CONTEXT_OS:
        push_registered(state, &os_key);
        break;
    case CONTEXT_DRAFT:
        if (call->kind != WD_CALL_ACTION) {
            return luaL_error(state, "only an action has a draft");
        }
        push_draft(state, NULL, NULL, 0, 0);
        break;
    case CONTEXT_DATA:
        wd_lua_push(state, call->pack->data);
        break;
    case CONTEXT_PARAMS:
        wd_lua_push(state, call->params);
        break;
    case CONTEXT_FIELDS: {
        wd_deps_note(call, WD_DEP_SCRATCH, NULL, NULL, 0);
        const wd_value *fields = wd_object_get(call->scratch, "fields");
        if (fields != NULL) {
            wd_lua_push(state, fields);
        } else {
            wd_value *none = wd_value_object();
            wd_lua_push_kept(state, &none);
        }
        break;
    }
    case CONTEXT_PATH:
        lua_pushstring(state, call->page.path);
        break;
    case CONTEXT_INTENT:
        wd_deps_note(call, WD_DEP_INTENT, NULL, NULL, 0);
        wd_lua_push(state, call->page.intent);
        break;
    case CONTEXT_ARGS:
        wd_lua_push(state, call->args);
        break;
    case CONTEXT_LOCALE:
        lua_pushstring(state, locale_of(call));
        break;
    case CONTEXT_NOW:
        wd_deps_note(call, WD_DEP_TIME, NULL, NULL, 1);
        lua_pushinteger(state, call->now_ms);
        break;
    case CONTEXT_APP:
        lua_pushstring(state, call->pack->id);
        break;
    case CONTEXT_COUNT:
        break;
    }
    return 1;
}

static int read_only(lua_State *state)
{
    return luaL_error(state, "this is read-only; actions write to ctx.draft");
}

// ctx.state.NAME: only that member is noted.
static int state_index(lua_State *state)
{
    wd_call *call = wd_lua_call_of(state);
    size_t length = 0;
    const char *name = luaL_checklstring(state, 2, &length);
    wd_deps_note(call, WD_DEP_STATE, name, NULL, 0);
    wd_lua_push(state, wd_object_get_n(call->overlay, name, length));
    return 1;
}

// ctx.os.NAME; settings and providers are noted one level deeper.
static int os_index(lua_State *state)
{
    wd_call *call = wd_lua_call_of(state);
    const char *name = luaL_checkstring(state, 2);
    if (strcmp(name, "settings") == 0) {
        push_registered(state, &settings_key);
    } else if (strcmp(name, "providers") == 0) {
        push_registered(state, &providers_key);
    } else {
        wd_deps_note(call, WD_DEP_OS, name, NULL, 0);
        wd_lua_push(state, wd_object_get(call->os, name));
    }
    return 1;
}

static int inner_index(lua_State *state, const char *outer)
{
    wd_call *call = wd_lua_call_of(state);
    const char *name = luaL_checkstring(state, 2);
    wd_deps_note(call, WD_DEP_OS, outer, name, 0);
    wd_lua_push(state, wd_object_get(wd_object_get(call->os, outer), name));
    return 1;
}

static int settings_index(lua_State *state)
{
    return inner_index(state, "settings");
}

static int providers_index(lua_State *state)
{
    return inner_index(state, "providers");
}

static void register_reader(lua_State *state, const char *key, lua_CFunction index)
{
    lua_newuserdatauv(state, 0, 0);
    lua_createtable(state, 0, 3);
    lua_pushcfunction(state, index);
    lua_setfield(state, -2, "__index");
    lua_pushcfunction(state, read_only);
    lua_setfield(state, -2, "__newindex");
    lua_setmetatable(state, -2);
    lua_rawsetp(state, LUA_REGISTRYINDEX, key);
}

// t(key, a, b, ...): the pack's text in the device's language; {1} {2} stand for the arguments.
static int translate(lua_State *state)
{
    wd_call *call = wd_lua_call_of(state);
    size_t length = 0;
    const char *key = luaL_checklstring(state, 1, &length);
    if (call->texts == NULL) {
        call->texts = wd_object_get(call->pack->strings, locale_of(call));
    }
    const wd_value *found = wd_object_get_n(call->texts, key, length);
    if (found == NULL) {
        return luaL_error(state, "strings.json has no '%s'", key);
    }
    const int count = lua_gettop(state);
    if (count == 1) {
        wd_lua_push(state, found);
        return 1;
    }
    luaL_Buffer buffer;
    luaL_buffinit(state, &buffer);
    for (const char *at = wd_value_as_string(found, NULL); *at != '\0'; at++) {
        if (at[0] == '{' && at[1] >= '1' && at[1] <= '9' && at[2] == '}' && at[1] - '0' < count) {
            size_t part = 0;
            const char *text = wd_lua_text(state, at[1] - '0' + 1, &part);
            luaL_addlstring(&buffer, text, part);
            at += 2;
        } else {
            luaL_addchar(&buffer, *at);
        }
    }
    luaL_pushresult(&buffer);
    return 1;
}

// ---- drafts ---------------------------------------------------------------------------------------------------------

enum { DRAFT_DEPTH_MAX = 16 };
static const char draft_meta_key;

// Where in the draft: names and indexes from the overlay's root.
typedef struct wd_draft_key {
    const char *name;  // in `texts`; NULL: index
    size_t length, index;
} wd_draft_key;
typedef struct wd_draft {
    size_t depth;
    wd_draft_key keys[DRAFT_DEPTH_MAX];
    char texts[];  // the names, one after the other
} wd_draft;

static void push_draft(
    lua_State *state, const void *parent_p, const char *name, size_t length, lua_Integer index)
{
    const wd_draft *parent = parent_p;
    const size_t depth = parent != NULL ? parent->depth : 0;
    if (depth == DRAFT_DEPTH_MAX) {
        luaL_error(state, "a draft goes at most %d levels deep", DRAFT_DEPTH_MAX);
    }
    size_t texts = 0;
    for (size_t i = 0; i < depth; i++) {
        texts += parent->keys[i].name != NULL ? parent->keys[i].length + 1 : 0;
    }
    wd_draft *draft = lua_newuserdatauv(state, sizeof *draft + texts + length + 1, 0);
    draft->depth = 0;
    char *at = draft->texts;
    for (size_t i = 0; i < depth; i++) {
        draft->keys[i] = parent->keys[i];
        if (parent->keys[i].name != NULL) {
            memcpy(at, parent->keys[i].name, parent->keys[i].length + 1);
            draft->keys[i].name = at;
            at += parent->keys[i].length + 1;
        }
    }
    draft->depth = depth;
    if (parent != NULL) {
        wd_draft_key *key = &draft->keys[draft->depth++];
        *key = (wd_draft_key){ .length = length, .index = (size_t)index };
        if (name != NULL) {
            memcpy(at, name, length);
            at[length] = '\0';
            key->name = at;
        }
    }
    push_registered(state, &draft_meta_key);
    lua_setmetatable(state, -2);
}

static const wd_value *member(const wd_value *container, const wd_draft_key *key)
{
    return key->name != NULL ? wd_object_get_n(container, key->name, key->length)
                             : wd_array_at(container, key->index);
}

static const wd_value *draft_value(const wd_call *call, const wd_draft *draft)
{
    const wd_value *at = call->draft;
    for (size_t i = 0; i < draft->depth && at != NULL; i++) {
        at = member(at, &draft->keys[i]);
    }
    return at;
}

static wd_draft_key key_at(lua_State *state, int index)
{
    if (lua_type(state, index) == LUA_TSTRING) {
        wd_draft_key key = { 0 };
        key.name = lua_tolstring(state, index, &key.length);
        return key;
    }
    const lua_Integer at = luaL_checkinteger(state, index);
    luaL_argcheck(state, at >= 1, index, "lists count from 1");
    return (wd_draft_key){ .index = (size_t)at - 1 };
}

static int draft_index(lua_State *state)
{
    wd_call *call = wd_lua_call_of(state);
    const wd_draft *draft = lua_touserdata(state, 1);
    const wd_draft_key key = key_at(state, 2);
    const wd_value *found = member(draft_value(call, draft), &key);
    if (wd_value_is(found, WD_KIND_OBJECT) || wd_value_is(found, WD_KIND_ARRAY)) {
        push_draft(state, draft, key.name, key.length, (lua_Integer)key.index);
    } else {
        wd_lua_push(state, found);
    }
    return 1;
}

static int draft_length(lua_State *state)
{
    const wd_value *value = draft_value(wd_lua_call_of(state), lua_touserdata(state, 1));
    lua_pushinteger(state,
        (lua_Integer)(wd_value_is(value, WD_KIND_ARRAY) ? wd_array_count(value) : wd_object_count(value)));
    return 1;
}

// Put *item_p (NULL: remove) at keys[0..depth) below *node_p. In place while the draft is not shared.
static wd_status draft_put(wd_value **node_p, const wd_draft_key *keys, size_t depth, wd_value **item_p)
{
    const wd_draft_key *key = keys;
    if (depth > 1) {
        wd_value *child = NULL;
        wd_status status = key->name != NULL ? wd_object_take(node_p, key->name, &child)
                                             : wd_array_take(node_p, key->index, &child);
        if (status != WD_OK) {
            return status;
        }
        status = draft_put(&child, keys + 1, depth - 1, item_p);
        wd_status back = key->name != NULL ? wd_object_set_n(node_p, key->name, key->length, &child)
                                           : wd_array_set(node_p, key->index, &child);
        wd_value_unref(&child);
        return status != WD_OK ? status : back;
    }
    if (*item_p == NULL) {
        wd_status status = key->name != NULL ? wd_object_remove_n(node_p, key->name, key->length)
                                             : wd_array_remove(node_p, key->index);
        return status == WD_ENOENT ? WD_OK : status;
    }
    if (key->name != NULL) {
        return wd_value_is(*node_p, WD_KIND_OBJECT) ? wd_object_set_n(node_p, key->name, key->length, item_p)
                                                    : WD_ETYPE;
    }
    if (!wd_value_is(*node_p, WD_KIND_ARRAY)) {
        return WD_ETYPE;
    }
    return key->index == wd_array_count(*node_p) ? wd_array_append(node_p, item_p)
                                                 : wd_array_set(node_p, key->index, item_p);
}

static int draft_write(lua_State *state)
{
    wd_call *call = wd_lua_call_of(state);
    const wd_draft *draft = lua_touserdata(state, 1);
    if (draft->depth == DRAFT_DEPTH_MAX) {
        return luaL_error(state, "a draft goes at most %d levels deep", DRAFT_DEPTH_MAX);
    }
    wd_draft_key keys[DRAFT_DEPTH_MAX];
    memcpy(keys, draft->keys, sizeof keys);
    keys[draft->depth] = key_at(state, 2);
    wd_value *item = lua_isnil(state, 3) ? NULL : wd_lua_to_value(state, 3);
    if (draft_value(call, draft) == NULL) {
        wd_value_unref(&item);
        return luaL_error(state, "what this draft led to is no longer there");
    }
    wd_status status = draft_put(&call->draft, keys, draft->depth + 1, &item);
    wd_value_unref(&item);
    wd_lua_check(state, status, "draft");
    call->drafted = true;
    return 0;
}

const wd_value *wd_lua_container(lua_State *state, int index)
{
    if (lua_islightuserdata(state, index)) {
        return lua_touserdata(state, index);
    }
    if (lua_type(state, index) != LUA_TUSERDATA || lua_getmetatable(state, index) == 0) {
        return NULL;
    }
    push_registered(state, &draft_meta_key);
    const bool is_draft = lua_rawequal(state, -1, -2) != 0;
    lua_pop(state, 2);
    if (!is_draft) {
        // ctx.state as a whole.
        push_registered(state, &state_key);
        const bool is_state = lua_rawequal(state, -1, index < 0 ? index - 1 : index) != 0;
        lua_pop(state, 1);
        if (is_state) {
            wd_call *call = wd_lua_call_of(state);
            wd_deps_note(call, WD_DEP_STATE, NULL, NULL, 0);
            return call->overlay;
        }
        return NULL;
    }
    // A reference keeps the draft's later writes from changing what was handed out.
    wd_call *call = wd_lua_call_of(state);
    wd_value *kept = wd_value_ref(draft_value(call, lua_touserdata(state, index)));
    const wd_value *value = kept;
    wd_lua_check(state, wd_ui_arena_keep(call->arena, &kept), "draft");
    return value;
}

void wd_lua_push_context(lua_State *state)
{
    push_registered(state, &context_key);
}

void wd_lua_open_context(lua_State *state)
{
    lua_createtable(state, 0, CONTEXT_COUNT);
    for (int i = 0; i < CONTEXT_COUNT; i++) {
        lua_pushinteger(state, i);
        lua_setfield(state, -2, context_names[i]);
    }
    lua_rawsetp(state, LUA_REGISTRYINDEX, &names_key);
    register_reader(state, &context_key, context_index);
    register_reader(state, &state_key, state_index);
    register_reader(state, &os_key, os_index);
    register_reader(state, &settings_key, settings_index);
    register_reader(state, &providers_key, providers_index);
    static const luaL_Reg draft_methods[] = {
        { "__index", draft_index },
        { "__len", draft_length },
        { "__newindex", draft_write },
        { NULL, NULL },
    };
    luaL_newlib(state, draft_methods);
    lua_rawsetp(state, LUA_REGISTRYINDEX, &draft_meta_key);
    lua_pushcfunction(state, translate);
    lua_setfield(state, -2, "t");
}
