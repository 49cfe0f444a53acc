#include "host.h"

#include "device_struct.h"

#include "tree/alloc.h"
#include "tree/path.h"

#include <string.h>

// ---- hooks: what the device asks of the packs ---------------------------------------------------------------------------

static wd_status adapt(void *context, const char *app, const wd_value *overlay, wd_value **ret_view)
{
    wd_host *host = context;
    const wd_pack *pack = wd_packs_find(host->packs, app);
    if (pack == NULL) {
        *ret_view = wd_value_ref(overlay);
        return WD_OK;
    }
    wd_ui_arena arena = { 0 };
    wd_call call = {
        .kind = WD_CALL_ADAPT, .pack = pack, .overlay = overlay, .arena = &arena, .page.path = "/"
    };
    wd_status status = wd_lua_adapt(host->lua, &call, ret_view, NULL);
    wd_ui_arena_done(&arena);
    return status;
}

static wd_status check_overlay(void *context, const char *app, const wd_value *overlay, wd_error *error)
{
    const wd_host *host = context;
    const wd_pack *pack = wd_packs_find(host->packs, app);
    if (pack == NULL) {
        return WD_OK;
    }
    if (!wd_value_is(overlay, WD_KIND_OBJECT)) {
        return wd_error_set(error, WD_EINVAL, "apps.%s: an object is wanted", app);
    }
    wd_status status = wd_pack_check_overlay(pack, overlay, error);
    if (status != WD_OK) {
        wd_error_prefix(error, "apps.%s", app);
    }
    return status;
}

static wd_status provide(void *context, wd_device *device, const char *authority, const char *op,
    const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    wd_host *host = context;
    for (size_t i = 0; i < wd_packs_count(host->packs); i++) {
        const wd_pack *pack = wd_packs_at(host->packs, i);
        if (wd_object_get(wd_object_get(pack->manifest, "providers"), authority) == NULL) {
            continue;
        }
        wd_ui_arena arena = { 0 };
        wd_call call = { .kind = WD_CALL_VIEW, .pack = pack, .arena = &arena, .page.path = "/" };
        call.overlay = wd_object_get(wd_object_get(wd_device_machine(device), "apps"), pack->id);
        wd_status status = wd_lua_provide(host->lua, &call, authority, op, args, ret_answer, error);
        wd_ui_arena_done(&arena);
        return status;
    }
    return wd_error_set(error, WD_ENOENT, "content://%.80s: nobody provides this", authority);
}

wd_status wd_host_new(wd_packs *packs, wd_host **ret_host, wd_error *error)
{
    wd_host *host = wd_alloc_zero(1, sizeof *host);
    if (host == NULL) {
        return wd_error_set(error, WD_ENOMEM, "host: out of memory");
    }
    host->packs = wd_packs_ref(packs);
    host->hooks = (wd_device_hooks){
        .context = host, .adapt = adapt, .check_overlay = check_overlay, .provide = provide
    };
    wd_status status = wd_lua_new(packs, &host->lua, error);
    if (status != WD_OK) {
        wd_host_destroy(&host);
        return status;
    }
    *ret_host = host;
    return WD_OK;
}

wd_host_limits wd_host_limits_default(void)
{
    return (wd_host_limits){ .lua_instructions = WD_LUA_INSTRUCTIONS_MAX, .lua_bytes = WD_LUA_BYTES_MAX };
}

void wd_host_limit(wd_host *host, wd_host_limits limits)
{
    wd_lua_limit(host->lua, limits.lua_instructions, limits.lua_bytes);
}

void wd_host_destroy(wd_host **host_p)
{
    wd_host *host = *host_p;
    *host_p = NULL;
    if (host == NULL) {
        return;
    }
    for (size_t i = 0; i < WD_CACHE_BUCKETS; i++) {
        for (size_t j = 0; j < WD_CACHE_DEPTH; j++) {
            wd_screen_unref(&host->cache[i][j]);
        }
    }
    for (size_t i = 0; i < WD_SHOWN_MAX; i++) {
        wd_shown_forget(&host->shown[i]);
    }
    if (host->first != NULL) {
        wd_device_destroy(&host->first);
    }
    wd_lua_destroy(&host->lua);
    wd_packs_unref(&host->packs);
    wd_free(host, sizeof *host);
}

// Booting reads all defaults; the machines of two seeds differ in sys.rng.seed alone.
static wd_status boot_first(wd_host *host, wd_error *error)
{
    wd_device_options options = wd_device_options_default();
    options.packages = wd_packs_manifests(host->packs);
    options.app_defaults = wd_packs_defaults(host->packs);
    options.os_defaults = wd_packs_os(host->packs);
    options.hooks = &host->hooks;
    wd_status status = wd_device_new(&options, &host->first, error);
    // What is derived for the state is derived once, so that all phones show the same nodes and share drawn screens.
    wd_value *state = NULL;
    status = status != WD_OK ? status : wd_device_state(host->first, &state);
    wd_value_unref(&state);
    if (status != WD_OK && host->first != NULL) {
        wd_device_destroy(&host->first);
    }
    return status;
}

wd_status wd_host_boot(wd_host *host, uint64_t seed, wd_device **ret_device, wd_error *error)
{
    wd_status status = host->first != NULL ? WD_OK : boot_first(host, error);
    if (status != WD_OK) {
        return status;
    }
    wd_device *device = NULL;
    wd_value *number = NULL;
    wd_value *root = wd_device_capture(host->first);
    wd_value *frozen = NULL;
    status = wd_device_fork(host->first, &device);
    status = status != WD_OK ? status : wd_value_int((int64_t)seed, &number);
    status = status != WD_OK ? status : wd_value_set_path(&root, "sys.rng.seed", &number);
    // As after a boot of its own: frozen, what a reset comes back to and what it is now are one.
    status = status != WD_OK ? status : wd_value_freeze(root, &frozen);
    wd_value_unref(&number);
    wd_value_unref(&root);
    if (status != WD_OK) {
        wd_device_destroy(&device);
        return wd_error_set(error, status, "boot: %s", wd_status_text(status));
    }
    wd_value_unref(&device->machine.root);
    wd_value_unref(&device->boot);
    device->machine.root = wd_value_ref(frozen);
    device->boot = frozen;
    *ret_device = device;
    return WD_OK;
}

// ---- screens ----------------------------------------------------------------------------------------------------------

static size_t bucket_of(const char *app, const char *path, wd_front front)
{
    uint32_t hash = 2166136261u ^ (uint32_t)front;  // FNV-1a; only which bucket, never an order
    for (const char *at = app; *at != '\0'; at++) {
        hash = (hash ^ (unsigned char)*at) * 16777619u;
    }
    for (const char *at = path; *at != '\0'; at++) {
        hash = (hash ^ (unsigned char)*at) * 16777619u;
    }
    return hash % WD_CACHE_BUCKETS;
}

static bool fits(const wd_screen *screen, const wd_call *call, wd_front front)
{
    return screen != NULL && screen->front == front && strcmp(screen->app, call->page.app) == 0 &&
           strcmp(screen->path, call->page.path) == 0 && wd_deps_hold(&screen->deps, call);
}

void wd_shown_forget(wd_shown *shown)
{
    if (shown != NULL && shown->device != NULL) {
        shown->device->shown = NULL;
        shown->device = NULL;
        wd_screen_unref(&shown->screen);
    }
}

/// Keep the screen that the device was looked at on, in place of that of whoever was given a place longest ago.
static void keep_shown(wd_host *host, wd_device *device, wd_screen *screen)
{
    if (device->shown == NULL) {
        wd_shown *place = &host->shown[host->shown_next++ % WD_SHOWN_MAX];
        wd_shown_forget(place);
        *place = (wd_shown){ .device = device };
        device->shown = place;
    }
    wd_screen *before = device->shown->screen;
    device->shown->screen = wd_screen_ref(screen);
    wd_screen_unref(&before);
}

wd_status wd_host_screen(wd_host *host, wd_device *device, wd_screen **ret_screen, wd_error *error)
{
    wd_value *state = NULL;
    wd_status status = wd_device_state(device, &state);
    if (status != WD_OK) {
        return wd_error_set(error, status, "state: %s", wd_status_text(status));
    }
    wd_call call = { 0 };
    const wd_front front = wd_page_find(host->packs, device, wd_object_get(state, "os"), &call);
    const wd_shown *shown = device->shown;
    if (shown != NULL && fits(shown->screen, &call, front)) {
        host->cached_count += 1;
        *ret_screen = wd_screen_ref(shown->screen);
        wd_value_unref(&state);
        return WD_OK;
    }
    wd_screen **bucket = host->cache[bucket_of(call.page.app, call.page.path, front)];
    for (size_t i = 0; i < WD_CACHE_DEPTH; i++) {
        if (fits(bucket[i], &call, front)) {
            wd_screen *hit = bucket[i];
            memmove(&bucket[1], &bucket[0], i * sizeof *bucket);
            bucket[0] = hit;
            host->cached_count += 1;
            *ret_screen = wd_screen_ref(hit);
            wd_value_unref(&state);
            return WD_OK;
        }
    }
    wd_screen *screen = NULL;
    status = wd_screen_draw(host->lua, &call, front, &screen, error);
    wd_value_unref(&state);
    if (status != WD_OK) {
        return status;
    }
    host->drawn_count += 1;
    if (!screen->deps.too_many) {
        wd_screen_unref(&bucket[WD_CACHE_DEPTH - 1]);
        memmove(&bucket[1], &bucket[0], (WD_CACHE_DEPTH - 1) * sizeof *bucket);
        bucket[0] = wd_screen_ref(screen);
    }
    *ret_screen = screen;
    return WD_OK;
}

// Run actions.<name> (or results.<name>) of call->pack; its draft is written.
static wd_status act(wd_host *host, wd_call *call, const char *part, const char *name, wd_error *error)
{
    call->kind = WD_CALL_ACTION;
    call->draft = wd_value_ref(call->overlay);
    wd_status status = wd_lua_action(host->lua, call, part, name, error);
    if (status == WD_OK && call->drafted) {
        wd_error fault = { 0 };
        status = wd_device_set_overlay(call->device, call->pack->id, &call->draft, &fault);
        if (status != WD_OK) {
            (void)wd_error_set(
                error, WD_ESCRIPT, "%s/app.lua: %s.%s: %s", call->pack->id, part, name, fault.text);
            status = status == WD_ENOMEM ? status : WD_ESCRIPT;
        }
    }
    wd_value_unref(&call->draft);
    return status;
}

static wd_status run_for(wd_host *host, wd_device *device, const char *app, const char *part,
    const char *name, const wd_value *args, wd_error *error)
{
    wd_value *state = NULL;
    wd_value *machine = wd_device_capture(device);  // what the action reads stays as it was while it runs
    wd_status status = wd_device_state(device, &state);
    wd_ui_arena arena = { 0 };
    if (status == WD_OK) {
        wd_call call = { .arena = &arena, .args = args };
        (void)wd_page_find(host->packs, device, wd_object_get(state, "os"), &call);
        if (call.pack == NULL || (app != NULL && strcmp(call.pack->id, app) != 0)) {
            status = app != NULL ? WD_OK  // it is no longer in front to be told
                                 : wd_error_set(error, WD_ESTATE, "%s: no pack in front", call.page.app);
        } else {
            status = act(host, &call, part, name, error);
        }
    }
    wd_ui_arena_done(&arena);
    wd_value_unref(&state);
    wd_value_unref(&machine);
    return status;
}

wd_status wd_host_action(
    wd_host *host, wd_device *device, const char *name, const wd_value *args, wd_error *error)
{
    return run_for(host, device, NULL, "actions", name, args, error);
}

wd_status wd_host_result(
    wd_host *host, wd_device *device, const char *name, const wd_value *result, wd_error *error)
{
    const char *colon = strchr(name, ':');
    char app[128];
    if (colon == NULL || (size_t)(colon - name) >= sizeof app) {
        return WD_OK;
    }
    memcpy(app, name, (size_t)(colon - name));
    app[colon - name] = '\0';
    return run_for(host, device, app, "results", colon + 1, result, error);
}

wd_status wd_phone_observe(wd_host *host, wd_device *device, wd_scene **ret_scene, wd_error *error)
{
    wd_screen *screen = NULL;
    wd_status status = wd_host_screen(host, device, &screen, error);
    if (status == WD_OK) {
        *ret_scene = wd_scene_ref(screen->scene);
        if (!screen->deps.too_many) {
            keep_shown(host, device, screen);
        }
        wd_screen_unref(&screen);
    }
    return status;
}

wd_status wd_phone_view(wd_host *host, const wd_value *state, const char *app, const char *view,
    const wd_value *args, wd_value **ret_value, wd_error *error)
{
    const wd_pack *pack = wd_packs_find(host->packs, app);
    if (pack == NULL) {
        return wd_error_set(error, WD_ENOENT, "there is no app '%.80s'", app);
    }
    wd_ui_arena arena = { 0 };
    wd_call call = {
        .kind = WD_CALL_VIEW, .pack = pack, .arena = &arena, .page.path = "/", .page.app = pack->id
    };
    call.os = wd_object_get(state, "os");
    call.overlay = wd_object_get(wd_object_get(state, "apps"), app);
    wd_status status = wd_lua_view(host->lua, &call, view, args, ret_value, error);
    wd_ui_arena_done(&arena);
    return status;
}
