// What actions may do beside writing their draft: navigate, call operations of the operating system, show a toast.
// Effects happen at once; when the action fails later, its caller puts the machine back.
#include "lua_private.h"
#include "page.h"

#include <string.h>

// Operations that any app may call, and those for system apps only (DESIGN section 5: an allow-list).
static const char *const common_ops[] = { "os.startActivity", "os.startActivityForResult",
    "os.finishActivity", "os.setResult", "os.openApp", "insert", "update", "delete", "query", "clipWrite",
    "clipClear", "request", "notification.push", "alarmSet", "alarmCancel" };
static const char *const system_ops[] = { "wifi", "mobileData", "bluetooth", "airplane", "hotspot", "vpn",
    "silent", "dnd", "batterySaver", "autoBrightness", "darkMode", "eyeComfort", "mediaVolume", "brightness",
    "fontSize", "displaySize", "eyeComfortLevel", "deviceName", "setLocale", "connectWifi", "disconnectWifi",
    "connectBluetooth", "disconnectBluetooth", "setPref", "getPref", "grant", "revoke", "qsToggle",
    "os.launchApp", "os.closeApp", "os.goHome", "smsCode" };

static bool listed(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static wd_call *acting(lua_State *state)
{
    wd_call *call = wd_lua_call_of(state);
    if (call->kind != WD_CALL_ACTION) {
        luaL_error(state, "only an action has effects");
    }
    return call;
}

// The draft goes to the device before an effect may read it.
static void flush_draft(lua_State *state, wd_call *call)
{
    if (!call->drafted) {
        return;
    }
    wd_value *overlay = wd_value_ref(call->draft);
    wd_error error = { 0 };
    wd_status status = wd_device_set_overlay(call->device, call->pack->id, &overlay, &error);
    wd_value_unref(&overlay);
    if (status != WD_OK) {
        luaL_error(state, "%s", error.text);
    }
    call->drafted = false;
}

static void perform(lua_State *state, wd_call *call, const char *op, const wd_value *args)
{
    flush_draft(state, call);
    wd_value *answer = NULL;
    wd_error error = { 0 };
    wd_status status = wd_device_call(call->device, op, args, &answer, &error);
    if (status != WD_OK) {
        wd_value_unref(&answer);
        luaL_error(state, "%s: %s", op, error.text);
    }
    if (answer == NULL) {
        lua_pushnil(state);
    } else {
        wd_lua_push_kept(state, &answer);
    }
}

static const wd_value *keep(lua_State *state, wd_value *value)
{
    const wd_value *kept = value;
    wd_lua_check(state, wd_ui_arena_keep(wd_lua_call_of(state)->arena, &value), "keep");
    return kept;
}

// call(op, args): the operation's answer, or nil.
static int effect_call(lua_State *state)
{
    wd_call *call = acting(state);
    const char *op = luaL_checkstring(state, 1);
    const bool system = wd_value_is_text(wd_object_get(call->pack->manifest, "type"), "system");
    if (!listed(common_ops, WD_COUNT_OF(common_ops), op) &&
        !(system && listed(system_ops, WD_COUNT_OF(system_ops), op))) {
        return luaL_error(state, "'%s' is no operation that this app may call", op);
    }
    const wd_value *args = lua_isnoneornil(state, 2) ? NULL : keep(state, wd_lua_to_value(state, 2));
    perform(state, call, op, args);
    return 1;
}

static int navigate(lua_State *state, const char *mode)
{
    wd_call *call = acting(state);
    const char *path = luaL_checkstring(state, 1);
    wd_value *args = NULL;
    wd_lua_check(state,
        wd_value_pack(&args, "{s:s,s:s,s:s}", "activity", call->page.activity, "path", path, "mode", mode),
        mode);
    perform(state, call, "app.navigate", keep(state, args));
    return 0;
}

static int effect_go(lua_State *state)
{
    return navigate(state, "push");
}

static int effect_replace(lua_State *state)
{
    return navigate(state, "replace");
}

// back(): leave the page. A keyboard does not stand in the way, as it does for the Back key.
static int effect_back(lua_State *state)
{
    perform(state, acting(state), "kbHide", NULL);
    perform(state, acting(state), "os.handleBack", NULL);
    return 0;
}

// Put member `name` of the platform's scratch.
static void put_ui(lua_State *state, wd_call *call, const char *name, wd_value *item)
{
    const wd_value *now = wd_device_ui(call->device);
    wd_value *ui = now != NULL ? wd_value_ref(now) : wd_value_object();
    wd_status status = wd_object_set(&ui, name, &item);
    status = status != WD_OK ? status : wd_device_set_ui(call->device, &ui);
    wd_value_unref(&item);
    wd_value_unref(&ui);
    wd_lua_check(state, status, name);
}

enum { TOAST_MS = 2500 };

static int effect_toast(lua_State *state)
{
    wd_call *call = acting(state);
    const char *text = luaL_checkstring(state, 1);
    wd_value *toast = NULL;
    wd_lua_check(state,
        wd_value_pack(&toast, "{s:s,s:i}", "text", text, "until", wd_device_time_ms(call->device) + TOAST_MS),
        "toast");
    put_ui(state, call, "toast", toast);
    return 0;
}

static const wd_value *page_scratch(const wd_call *call)
{
    const wd_value *pages = wd_object_get(wd_device_ui(call->device), "pages");
    const char *path = call->page.path;
    return wd_object_get_n(wd_object_get(pages, call->page.activity), path, strcspn(path, "?"));
}

// set_field(id, text): the text of one of the page's fields.
static int effect_set_field(lua_State *state)
{
    wd_call *call = acting(state);
    const char *id = luaL_checkstring(state, 1);
    const char *text = luaL_checkstring(state, 2);
    const wd_value *now = page_scratch(call);
    wd_value *scratch = now != NULL ? wd_value_ref(now) : wd_value_object();
    const wd_value *known = wd_object_get(scratch, "fields");
    wd_value *fields = known != NULL ? wd_value_ref(known) : wd_value_object();
    wd_value *item = NULL;
    wd_status status = wd_value_text(text, &item);
    status = status != WD_OK ? status : wd_object_set(&fields, id, &item);
    status = status != WD_OK ? status : wd_object_set(&scratch, "fields", &fields);
    status = status != WD_OK ? status : wd_page_put_scratch(call->device, &call->page, &scratch);
    wd_value_unref(&item);
    wd_value_unref(&fields);
    wd_value_unref(&scratch);
    wd_lua_check(state, status, "set_field");
    return 0;
}

static int effect_random(lua_State *state)
{
    const lua_Integer bound = luaL_checkinteger(state, 1);
    luaL_argcheck(state, bound > 0, 1, "a positive bound is wanted");
    lua_pushinteger(state, (lua_Integer)(wd_device_random(acting(state)->device) % (uint64_t)bound));
    return 1;
}

// new_id(prefix): prefix and a number that this device never drew before.
static int effect_new_id(lua_State *state)
{
    wd_call *call = acting(state);
    const char *prefix = luaL_checkstring(state, 1);
    const wd_value *ui = wd_device_ui(call->device);
    const int64_t drawn = wd_value_int_or(wd_object_get(ui, "drawn"), 0) + 1;
    wd_value *number = NULL;
    wd_lua_check(state, wd_value_int(drawn, &number), "new_id");
    put_ui(state, call, "drawn", number);
    lua_pushfstring(state, "%s%I", prefix, (LUAI_UACINT)drawn);
    return 1;
}

void wd_lua_open_effects(lua_State *state)
{
    static const luaL_Reg functions[] = {
        { "call", effect_call },
        { "go", effect_go },
        { "replace", effect_replace },
        { "back", effect_back },
        { "toast_show", effect_toast },
        { "set_field", effect_set_field },
        { "random", effect_random },
        { "new_id", effect_new_id },
        { NULL, NULL },
    };
    luaL_setfuncs(state, functions, 0);
}
