// Elements in Lua: column{...} marks a table with its kind; after the screen function returned, the tables are read
// into elements of the screen's arena. What an element may carry stands in `attributes`. The mark is a metatable: a
// member would not fit into the table as it was made, and have it grow.
#include "lua_private.h"

#include <stddef.h>
#include <string.h>

enum { KIND_AT = 1 };  // the metatable of an element holds its kind there

typedef enum wd_attribute_type {
    ATTR_TEXT,  // text or integer
    ATTR_FLAG,
    ATTR_UNFLAG,  // a flag that is kept the other way round
    ATTR_LENGTH,  // pixels, a count, a number
    ATTR_SIZE,    // "small", "body", "title", "large" or pixels
    ATTR_ALIGN,
    ATTR_ACTION,  // name of an action; its arguments are `args`
    ATTR_GO,      // a path to go to
    ATTR_BACK,    // true: as Back
    ATTR_ON,      // a switch's state
    ATTR_ARGS,    // read before the actions
} wd_attribute_type;

typedef struct wd_attribute {
    const char *name;
    wd_attribute_type type;
    size_t offset;
} wd_attribute;

#define AT(member) offsetof(wd_ui_element, member)
static const wd_attribute attributes[] = {
    { "id", ATTR_TEXT, AT(id) },
    { "text", ATTR_TEXT, AT(text) },
    { "label", ATTR_TEXT, AT(label) },
    { "hint", ATTR_TEXT, AT(hint) },
    { "detail", ATTR_TEXT, AT(detail) },
    { "value", ATTR_TEXT, AT(value) },
    { "icon", ATTR_TEXT, AT(icon) },
    { "purpose", ATTR_TEXT, AT(purpose) },
    { "intent", ATTR_TEXT, AT(intent) },
    { "role", ATTR_TEXT, AT(role) },
    { "page", ATTR_TEXT, AT(page) },
    { "enabled", ATTR_UNFLAG, AT(off) },
    { "selected", ATTR_FLAG, AT(selected) },
    { "multiline", ATTR_FLAG, AT(multiline) },
    { "password", ATTR_FLAG, AT(password) },
    { "on", ATTR_ON, AT(checked) },
    { "width", ATTR_LENGTH, AT(width) },
    { "height", ATTR_LENGTH, AT(height) },
    { "weight", ATTR_LENGTH, AT(weight) },
    { "pad", ATTR_LENGTH, AT(pad) },
    { "gap", ATTR_LENGTH, AT(gap) },
    { "lines", ATTR_LENGTH, AT(lines) },
    { "columns", ATTR_LENGTH, AT(columns) },
    { "number", ATTR_LENGTH, AT(number) },
    { "count", ATTR_LENGTH, AT(count) },
    { "row_height", ATTR_LENGTH, AT(row_height) },
    { "first_row", ATTR_LENGTH, AT(first_row) },
    { "size", ATTR_SIZE, AT(size) },
    { "align", ATTR_ALIGN, AT(align) },
    { "args", ATTR_ARGS, 0 },
    { "tap", ATTR_ACTION, AT(tap) },
    { "long_press", ATTR_ACTION, AT(long_press) },
    { "double_tap", ATTR_ACTION, AT(double_tap) },
    { "input", ATTR_ACTION, AT(input) },
    { "submit", ATTR_ACTION, AT(submit) },
    { "go", ATTR_GO, AT(tap) },
    { "back", ATTR_BACK, AT(tap) },
};
#undef AT

enum { LENGTH_MAX = 1000 * 1000 };

// The row of an attribute by the address of its name: Lua has one copy of each short text, and `names` keeps these.
enum { NAME_SLOTS = 128 };
typedef struct wd_attribute_names {
    const char *names[NAME_SLOTS];  // NULL: free
    uint8_t rows[NAME_SLOTS];
} wd_attribute_names;

static const char attributes_key;

static size_t name_slot(const wd_attribute_names *known, const char *name)
{
    size_t slot = ((uintptr_t)name >> 3) % NAME_SLOTS;
    while (known->names[slot] != NULL && known->names[slot] != name) {
        slot = (slot + 1) % NAME_SLOTS;
    }
    return slot;
}

// The kind of the element at `index`; WD_UI_KIND_COUNT when it is none.
static wd_ui_kind kind_of(lua_State *state, int index)
{
    wd_ui_kind kind = WD_UI_KIND_COUNT;
    if (lua_getmetatable(state, index) != 0) {
        if (lua_rawgeti(state, -1, KIND_AT) == LUA_TNUMBER) {
            kind = (wd_ui_kind)lua_tointeger(state, -1);
        }
        lua_pop(state, 2);
    }
    return kind;
}

bool wd_lua_is_element(lua_State *state, int index)
{
    return kind_of(state, index) != WD_UI_KIND_COUNT;
}

typedef struct wd_reader {
    lua_State *state;
    wd_call *call;
    size_t count;                            // elements so far
    const void *above[WD_UI_DEPTH_MAX + 1];  // tables that contain the one being read
    const char *place;                       // kind of the element being read, for messages
    const wd_attribute_names *known;
} wd_reader;

static const char *kept_text(wd_reader *reader, int index, const char *name)
{
    size_t length = 0;
    const bool string = lua_type(reader->state, index) == LUA_TSTRING;
    if (!string && !lua_isinteger(reader->state, index)) {
        luaL_error(reader->state, "%s: %s: a text is wanted, not %s", reader->place, name,
            luaL_typename(reader->state, index));
    }
    if (!string) {
        lua_pushvalue(reader->state, index);  // becomes a text itself, and it may be a key
    }
    const char *text = lua_tolstring(reader->state, string ? index : -1, &length);
    const char *kept = wd_ui_arena_text(reader->call->arena, text, length);
    if (!string) {
        lua_pop(reader->state, 1);
    }
    if (kept == NULL) {
        luaL_error(reader->state, "out of memory");
    }
    return kept;
}

static int32_t read_length(wd_reader *reader, int index, const char *name)
{
    int whole = 0;
    const lua_Integer length = lua_tointegerx(reader->state, index, &whole);
    if (!whole || length < 0 || length > LENGTH_MAX) {
        luaL_error(
            reader->state, "%s: %s: a whole number up to %d is wanted", reader->place, name, LENGTH_MAX);
    }
    return (int32_t)length;
}

static int32_t read_size(wd_reader *reader, int index)
{
    static const struct {
        const char *name;
        int32_t size;
    } sizes[] = { { "small", 36 }, { "body", 42 }, { "title", 54 }, { "large", 72 }, { "huge", 120 } };
    if (lua_type(reader->state, index) == LUA_TSTRING) {
        for (size_t i = 0; i < WD_COUNT_OF(sizes); i++) {
            if (strcmp(lua_tostring(reader->state, index), sizes[i].name) == 0) {
                return sizes[i].size;
            }
        }
        luaL_error(
            reader->state, "%s: size: '%s' is none", reader->place, lua_tostring(reader->state, index));
    }
    return read_length(reader, index, "size");
}

static bool read_flag(wd_reader *reader, int index, const char *name)
{
    if (!lua_isboolean(reader->state, index)) {
        luaL_error(reader->state, "%s: %s: true or false is wanted", reader->place, name);
    }
    return lua_toboolean(reader->state, index) != 0;
}

static const wd_value *read_args(wd_reader *reader, int index)
{
    wd_value *args = wd_lua_to_value(reader->state, index);
    const wd_value *kept = args;
    wd_lua_check(reader->state, wd_ui_arena_keep(reader->call->arena, &args), "args");
    return kept;
}

static void read_attribute(
    wd_reader *reader, wd_ui_element *element, const wd_attribute *attribute, int index)
{
    void *slot = (char *)element + attribute->offset;
    switch (attribute->type) {
    case ATTR_TEXT:
        *(const char **)slot = kept_text(reader, index, attribute->name);
        break;
    case ATTR_FLAG:
        *(bool *)slot = read_flag(reader, index, attribute->name);
        break;
    case ATTR_UNFLAG:
        *(bool *)slot = !read_flag(reader, index, attribute->name);
        break;
    case ATTR_LENGTH:
        *(int32_t *)slot = read_length(reader, index, attribute->name);
        break;
    case ATTR_SIZE:
        element->size = read_size(reader, index);
        break;
    case ATTR_ALIGN: {
        const char *name = lua_tostring(reader->state, index);
        element->align = name == NULL                  ? WD_UI_START
                         : strcmp(name, "center") == 0 ? WD_UI_CENTER
                         : strcmp(name, "end") == 0    ? WD_UI_END
                                                       : WD_UI_START;
        break;
    }
    case ATTR_ON:
        element->checked = read_flag(reader, index, attribute->name);
        element->has_checked = true;
        break;
    case ATTR_ACTION:
        ((wd_target *)slot)->kind = WD_TARGET_ACTION;
        ((wd_target *)slot)->name = kept_text(reader, index, attribute->name);
        break;
    case ATTR_GO:
        *(wd_target *)slot = (wd_target){ WD_TARGET_GO, kept_text(reader, index, attribute->name), NULL };
        break;
    case ATTR_BACK:
        if (read_flag(reader, index, attribute->name)) {
            *(wd_target *)slot = (wd_target){ WD_TARGET_BACK, NULL, NULL };
        }
        break;
    case ATTR_ARGS:
        break;  // joined to the actions at the end
    }
}

static void join_args(wd_ui_element *element, const wd_value *args)
{
    wd_target *const targets[] = { &element->tap, &element->long_press, &element->double_tap, &element->input,
        &element->submit };
    for (size_t i = 0; i < WD_COUNT_OF(targets); i++) {
        if (targets[i]->kind == WD_TARGET_ACTION) {
            targets[i]->args = args;
        }
    }
}

static void read_children(wd_reader *reader, wd_ui_element *element, int index, lua_Integer last, int depth);

// What the name at `index` stands for.
static const wd_attribute *attribute_of(wd_reader *reader, int index)
{
    lua_State *state = reader->state;
    if (lua_type(state, index) == LUA_TSTRING) {
        const char *name = lua_tostring(state, index);
        const size_t slot = name_slot(reader->known, name);
        if (reader->known->names[slot] == name) {
            return &attributes[reader->known->rows[slot]];
        }
        luaL_error(state, "%s has no attribute '%s'", reader->place, name);
    }
    luaL_error(state, "%s has no attribute '%s'", reader->place, luaL_typename(state, index));
    return NULL;
}

// The table at `index`, which is one of `kind`, becomes an element below `parent`.
static wd_ui_element *read_element(
    wd_reader *reader, wd_ui_element *parent, int index, wd_ui_kind kind, int depth)
{
    lua_State *state = reader->state;
    luaL_checkstack(state, 16, "elements");
    const void *self = lua_topointer(state, index);
    for (int i = 0; i < depth; i++) {
        if (reader->above[i] == self) {
            luaL_error(state, "a screen must not contain itself: cyclic %s", reader->place);
        }
    }
    if (depth >= WD_UI_DEPTH_MAX) {
        luaL_error(state, "a screen nests deeper than %d elements", WD_UI_DEPTH_MAX);
    }
    if (++reader->count > WD_UI_ELEMENTS_MAX) {
        luaL_error(state, "a screen of more than %d elements", WD_UI_ELEMENTS_MAX);
    }
    reader->above[depth] = self;
    wd_ui_element *element = wd_ui_element_new(reader->call->arena, parent, kind);
    if (element == NULL) {
        luaL_error(state, "out of memory");
    }
    reader->place = wd_ui_kinds[kind].name;
    const wd_value *args = NULL;
    lua_Integer last = 0;
    lua_pushnil(state);
    while (lua_next(state, index) != 0) {
        if (lua_isinteger(state, -2)) {
            const lua_Integer at = lua_tointeger(state, -2);
            last = at > last ? at : last;
        } else {
            const wd_attribute *attribute = attribute_of(reader, -2);
            if (attribute->type == ATTR_ARGS) {
                args = read_args(reader, lua_gettop(state));
            } else {
                read_attribute(reader, element, attribute, lua_gettop(state));
            }
        }
        lua_pop(state, 1);
    }
    join_args(element, args);
    read_children(reader, element, index, last, depth + 1);
    return element;
}

// t[1..last]: elements, texts, lists of elements; false and nil stand for nothing.
static void read_children(wd_reader *reader, wd_ui_element *element, int index, lua_Integer last, int depth)
{
    lua_State *state = reader->state;
    luaL_checkstack(state, 8, "elements");
    if (last > WD_UI_ELEMENTS_MAX) {
        luaL_error(state, "a screen of more than %d elements", WD_UI_ELEMENTS_MAX);
    }
    if (depth > WD_UI_DEPTH_MAX) {
        luaL_error(state, "a screen nests deeper than %d elements", WD_UI_DEPTH_MAX);
    }
    for (lua_Integer i = 1; i <= last; i++) {
        switch (lua_rawgeti(state, index, i)) {
        case LUA_TTABLE: {
            const int child = lua_gettop(state);
            const wd_ui_kind kind = kind_of(state, child);
            if (kind != WD_UI_KIND_COUNT) {
                (void)read_element(reader, element, child, kind, depth);
            } else {
                // A list of elements; the table itself counts as a level, so that a list in itself ends.
                reader->above[depth < WD_UI_DEPTH_MAX ? depth : WD_UI_DEPTH_MAX] = NULL;
                read_children(reader, element, child, (lua_Integer)lua_rawlen(state, child), depth + 1);
            }
            break;
        }
        case LUA_TSTRING:
            if (element->text != NULL) {
                luaL_error(state, "%s has two texts", reader->place);
            }
            element->text = kept_text(reader, lua_gettop(state), "text");
            break;
        case LUA_TNIL:
        case LUA_TBOOLEAN:
            break;
        default:
            luaL_error(state, "%s: a %s is no element", reader->place, luaL_typename(state, -1));
        }
        lua_pop(state, 1);
    }
}

// ---- the screen -------------------------------------------------------------------------------------------------------

static void *need(wd_reader *reader, void *memory)
{
    if (memory == NULL) {
        luaL_error(reader->state, "out of memory");
    }
    return memory;
}

// The bar on top: back arrow, title, menu.
static void read_top(wd_reader *reader, wd_ui_screen *screen, int index)
{
    lua_State *state = reader->state;
    wd_ui_arena *arena = reader->call->arena;
    const bool back = lua_getfield(state, index, "back") == LUA_TBOOLEAN && lua_toboolean(state, -1);
    lua_pop(state, 1);
    const bool menu = lua_getfield(state, index, "menu") == LUA_TTABLE;
    if (screen->title == NULL && !back && !menu) {
        lua_pop(state, 1);
        return;
    }
    wd_ui_element *top = need(reader, wd_ui_element_new(arena, NULL, WD_UI_ROW));
    top->height = 168;
    top->pad = 12;
    top->role = "toolbar";
    top->id = "toolbar";
    if (back) {
        wd_ui_element *arrow = need(reader, wd_ui_element_new(arena, top, WD_UI_ICON));
        arrow->id = "back";
        arrow->label = wd_value_is_text(wd_object_get(reader->call->os, "locale"), "en") ? "Back" : "返回";
        arrow->purpose = "back";
        arrow->tap.kind = WD_TARGET_BACK;
    }
    wd_ui_element *title = need(reader, wd_ui_element_new(arena, top, WD_UI_TEXT));
    title->id = "toolbar_title";
    title->role = "title";
    title->text = screen->title != NULL ? screen->title : "";
    title->size = 60;
    title->weight = 1;
    title->lines = 1;
    title->pad = 24;
    if (menu) {
        const int list = lua_gettop(state);
        read_children(reader, top, list, (lua_Integer)lua_rawlen(state, list), 1);
    }
    lua_pop(state, 1);
    screen->top = top;
}

static wd_ui_element *read_part(wd_reader *reader, int index, const char *name)
{
    lua_State *state = reader->state;
    wd_ui_element *part = NULL;
    if (lua_getfield(state, index, name) == LUA_TTABLE) {
        const int at = lua_gettop(state);
        const wd_ui_kind kind = kind_of(state, at);
        if (kind == WD_UI_KIND_COUNT) {
            luaL_error(state, "screen: %s: an element is wanted", name);
        }
        part = read_element(reader, NULL, at, kind, 1);
    }
    lua_pop(state, 1);
    return part;
}

static void read_swipe(wd_reader *reader, int index, const char *name, wd_target *target)
{
    if (lua_getfield(reader->state, index, name) == LUA_TSTRING) {
        *target = (wd_target){ WD_TARGET_REPLACE, kept_text(reader, lua_gettop(reader->state), name), NULL };
    }
    lua_pop(reader->state, 1);
}

static const char *read_text_field(wd_reader *reader, int index, const char *name)
{
    const char *text = NULL;
    if (lua_getfield(reader->state, index, name) != LUA_TNIL) {
        text = kept_text(reader, lua_gettop(reader->state), name);
    }
    lua_pop(reader->state, 1);
    return text;
}

void wd_lua_read_screen(lua_State *state, wd_call *call, wd_ui_screen *screen)
{
    const int index = lua_gettop(state);
    if (lua_type(state, index) != LUA_TTABLE) {
        luaL_error(state, "%s: the screen function gave a %s, no screen{...}", call->page.path,
            luaL_typename(state, index));
    }
    if (kind_of(state, index) != WD_UI_SCREEN) {
        luaL_error(state, "%s: the screen function must give screen{...}", call->page.path);
    }
    lua_rawgetp(state, LUA_REGISTRYINDEX, &attributes_key);
    wd_reader reader = {
        .state = state, .call = call, .place = "screen", .known = lua_touserdata(state, -1)
    };
    *screen = (wd_ui_screen){ 0 };
    screen->page = read_text_field(&reader, index, "page");
    screen->title = read_text_field(&reader, index, "title");
    if (lua_getfield(state, index, "params") != LUA_TNIL) {
        screen->params = read_args(&reader, lua_gettop(state));
    }
    lua_pop(state, 1);
    read_top(&reader, screen, index);
    screen->bottom = read_part(&reader, index, "bottom");
    screen->overlay = read_part(&reader, index, "overlay");
    read_swipe(&reader, index, "swipe_left", &screen->swipe_left);
    read_swipe(&reader, index, "swipe_right", &screen->swipe_right);
    wd_ui_element *body = need(&reader, wd_ui_element_new(call->arena, NULL, WD_UI_COLUMN));
    body->role = "list";
    body->id = "page_body";
    lua_getfield(state, index, "scroll");
    body->scroll = lua_isnil(state, -1) || lua_toboolean(state, -1);
    lua_pop(state, 1);
    if (lua_getfield(state, index, "pad") != LUA_TNIL) {
        body->pad = read_length(&reader, lua_gettop(state), "pad");
    }
    lua_pop(state, 1);
    if (lua_getfield(state, index, "gap") != LUA_TNIL) {
        body->gap = read_length(&reader, lua_gettop(state), "gap");
    }
    lua_pop(state, 1);
    reader.above[0] = lua_topointer(state, index);
    read_children(&reader, body, index, (lua_Integer)lua_rawlen(state, index), 1);
    screen->body = body;
}

// ---- constructors -------------------------------------------------------------------------------------------------------

static int construct(lua_State *state)
{
    luaL_checktype(state, 1, LUA_TTABLE);
    lua_settop(state, 1);
    if (lua_getmetatable(state, 1) != 0) {
        luaL_argcheck(state, wd_lua_is_element(state, 1), 1, "a constant is no element: copy it");
        lua_pop(state, 1);
    }
    lua_pushvalue(state, lua_upvalueindex(1));
    lua_setmetatable(state, 1);
    return 1;
}

// rows{ id, count, height, row = function(i) ... end }: a list of which only the rows near the screen are made.
static int construct_rows(lua_State *state)
{
    wd_call *call = wd_lua_call_of(state);
    luaL_checktype(state, 1, LUA_TTABLE);
    lua_getfield(state, 1, "count");
    lua_getfield(state, 1, "height");
    lua_getfield(state, 1, "row");
    const lua_Integer count = luaL_checkinteger(state, 2);
    const lua_Integer height = luaL_checkinteger(state, 3);
    luaL_checktype(state, 4, LUA_TFUNCTION);
    luaL_argcheck(
        state, height > 0 && count >= 0 && count * height <= LENGTH_MAX * 10, 1, "count times height");
    wd_deps_note(call, WD_DEP_SCRATCH, NULL, NULL, 0);
    const lua_Integer offset = wd_value_int_or(wd_object_get(call->scratch, "scroll"), 0);
    lua_Integer first = offset / height;
    first = first > 0 ? first - 1 : 0;
    lua_Integer last = (offset + WD_PHONE_HEIGHT) / height + 1;
    last = last > count ? count : last;
    // Scrolled past the end of a list that became shorter: its last rows.
    first = first >= last && last > 0 ? last - 1 : first;
    lua_createtable(state, (int)(last > first ? last - first : 0), 5);
    const struct {
        const char *name;
        lua_Integer number;
    } marks[] = { { "count", count }, { "row_height", height }, { "first_row", first } };
    for (size_t i = 0; i < WD_COUNT_OF(marks); i++) {
        lua_pushinteger(state, marks[i].number);
        lua_setfield(state, -2, marks[i].name);
    }
    lua_getfield(state, 1, "id");
    lua_setfield(state, -2, "id");
    lua_pushvalue(state, lua_upvalueindex(1));
    lua_setmetatable(state, -2);
    for (lua_Integer i = first + 1; i <= last; i++) {
        lua_pushvalue(state, 4);
        lua_pushinteger(state, i);
        lua_call(state, 1, 1);
        lua_rawseti(state, -2, i - first);
    }
    return 1;
}

// Pushes what read_element() looks names up in; the names themselves are kept by its user value.
static void push_attribute_names(lua_State *state)
{
    wd_attribute_names *known = lua_newuserdatauv(state, sizeof *known, 1);
    memset(known, 0, sizeof *known);
    lua_createtable(state, (int)WD_COUNT_OF(attributes), 0);
    for (size_t i = 0; i < WD_COUNT_OF(attributes); i++) {
        const char *name = lua_pushstring(state, attributes[i].name);
        const size_t slot = name_slot(known, name);
        known->names[slot] = name;
        known->rows[slot] = (uint8_t)i;
        lua_rawseti(state, -2, (lua_Integer)i + 1);
    }
    lua_setiuservalue(state, -2, 1);
}

void wd_lua_open_elements(lua_State *state)
{
    for (int kind = 0; kind < WD_UI_KIND_COUNT; kind++) {
        lua_createtable(state, 1, 0);
        lua_pushinteger(state, kind);
        lua_rawseti(state, -2, KIND_AT);
        if (kind == WD_UI_LIST) {
            lua_pushvalue(state, -1);
            lua_pushcclosure(state, construct_rows, 1);
            lua_setfield(state, -3, "rows");
        }
        lua_pushcclosure(state, construct, 1);
        lua_setfield(state, -2, wd_ui_kinds[kind].name);
    }
    push_attribute_names(state);
    lua_rawsetp(state, LUA_REGISTRYINDEX, &attributes_key);
}
