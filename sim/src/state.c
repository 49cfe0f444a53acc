/// state.c - the visible state {os, apps} (os.md 14): which members there are, where each comes from, and a
/// cache that keeps what has not changed the very same node.
#include "device_struct.h"
#include "store.h"
#include "task.h"
#include "tree/alloc.h"

#include <string.h>

enum { READS_MAX = 7, READ_DEPTH_MAX = 3 };

typedef enum machine_part { PART_OS, PART_SYS, PART_COUNT } machine_part;

/// A place that a view reads: keys below a part of the machine.
typedef struct os_read {
    machine_part part;
    const char *keys[READ_DEPTH_MAX];  // NULL-terminated where shorter; a row without keys ends the list
} os_read;

/// One member of `os`. Without a view it is the store of that name, as it is.
typedef struct os_member {
    const char *name;
    wd_view_function view;
    os_read reads[READS_MAX];  // what the view depends on
} os_member;

#define OS(...)                                                                                              \
    {                                                                                                        \
        .part = PART_OS, .keys = { __VA_ARGS__ }                                                             \
    }
#define SYS(...)                                                                                             \
    {                                                                                                        \
        .part = PART_SYS, .keys = { __VA_ARGS__ }                                                            \
    }

static wd_status view_running_apps(const wd_machine *machine, wd_value **ret_view)
{
    return wd_task_running_apps(machine->root, ret_view);
}

static wd_status view_active_app(const wd_machine *machine, wd_value **ret_view)
{
    const char *app = wd_task_app_in_front(machine->root);
    if (app == NULL) {
        *ret_view = wd_value_null();
        return WD_OK;
    }
    return wd_value_text(app, ret_view);
}

/// The name under which a registered store is shown: "provider." is cut from a provider's id.
static const char *shown_name(const char *id, const char *flag)
{
    static const char prefix[] = "provider.";
    bool cut = strcmp(flag, "provider") == 0 && strncmp(id, prefix, strlen(prefix)) == 0;
    return cut ? id + strlen(prefix) : id;
}

/// Registered stores of one kind laid over `*view_p`.
static wd_status add_registered(const wd_machine *machine, const char *flag, wd_value **view_p)
{
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(wd_machine_get(machine, WD_AT("sys", "stores")));
    while (status == WD_OK && wd_iter_next(&iter)) {
        wd_value *state = wd_value_ref(wd_object_get(iter.value, "state"));
        if (state != NULL && wd_value_bool_or(wd_object_get(iter.value, flag), false)) {
            status = wd_object_set(view_p, shown_name(iter.key, flag), &state);
        }
        wd_value_unref(&state);
    }
    return status;
}

static wd_status view_providers(const wd_machine *machine, wd_value **ret_view)
{
    const wd_value *stores = wd_machine_get(machine, WD_AT("os", "providers"));
    wd_value *view = stores != NULL ? wd_value_ref(stores) : wd_value_object();
    wd_status status = add_registered(machine, "provider", &view);
    if (status != WD_OK) {
        wd_value_unref(&view);
        return status;
    }
    *ret_view = view;
    return WD_OK;
}

static wd_status view_services(const wd_machine *machine, wd_value **ret_view)
{
    wd_value *view = NULL;
    wd_status status = wd_view_services(machine, &view);
    if (status == WD_OK) {
        status = add_registered(machine, "service", &view);
    }
    if (status != WD_OK) {
        wd_value_unref(&view);
        return status;
    }
    *ret_view = view;
    return WD_OK;
}

// A row without a view shows the store os.<name>.
static const os_member members[] = {
    { "tasks", NULL, { OS("tasks") } },
    { "activeTaskId", NULL, { OS("activeTaskId") } },
    { "isLauncherVisible", NULL, { OS("isLauncherVisible") } },
    { "isRecentsVisible", NULL, { OS("isRecentsVisible") } },
    { "runningApps", view_running_apps, { OS("tasks") } },
    { "activeAppId", view_active_app, { OS("tasks"), OS("activeTaskId") } },
    { "locale", wd_view_locale, { OS("settings", "global", "language") } },
    { "time", wd_view_time, { SYS("clock"), SYS("zone"), OS("settings", "global", "language") } },
    { "location", wd_view_location, { OS("services", "location") } },
    { "installedApps", wd_view_installed_apps, { SYS("packages"), OS("settings", "global", "language") } },
    { "clipboard", wd_view_clipboard, { OS("clipboard") } },
    { "notifications", NULL, { OS("notifications") } },
    { "shade", NULL, { OS("shade") } },
    { "launcher", wd_view_launcher, { OS("launcher") } },
    { "settings", NULL, { OS("settings") } },
    { "hardware", NULL, { OS("hardware") } },
    { "permissions", NULL, { OS("permissions") } },
    { "preferences", NULL, { OS("preferences") } },
    { "build", NULL, { OS("build") } },
    { "telephony", NULL, { OS("telephony") } },
    { "services", view_services,
        { OS("services"), OS("shade"), OS("tasks"), OS("activeTaskId"), OS("isLauncherVisible"),
            OS("isRecentsVisible"), SYS("stores") } },
    { "providers", view_providers, { OS("providers"), SYS("stores") } },
    { "fileSystem", wd_view_file_system, { OS("fileSystem") } },
};

// ---- cache ------------------------------------------------------------------------------------------------

/// Never changed while shared: a device that builds another view gets a cache of its own.
struct wd_view_cache {
    size_t references;
    wd_value *root;       // the machine the state was built from
    wd_value *state;      // {os, apps}
    wd_value *forgotten;  // {app: true} whose views are to be built anew
};

wd_view_cache *wd_view_cache_ref(wd_view_cache *cache)
{
    if (cache != NULL) {
        cache->references++;
    }
    return cache;
}

void wd_view_cache_unref(wd_view_cache **cache_p)
{
    wd_view_cache *cache = *cache_p;
    *cache_p = NULL;
    if (cache == NULL || --cache->references > 0) {
        return;
    }
    wd_value_unref(&cache->root);
    wd_value_unref(&cache->state);
    wd_value_unref(&cache->forgotten);
    wd_free(cache, sizeof *cache);
}

/// Replace *cache_p by one that holds these. Takes the state's and the list's reference on success only.
static wd_status remember(wd_view_cache **cache_p, const wd_value *root, wd_value *state, wd_value *forgotten)
{
    wd_view_cache *cache = wd_alloc(sizeof *cache);
    if (cache == NULL) {
        return WD_ENOMEM;
    }
    *cache = (wd_view_cache){
        .references = 1, .root = wd_value_ref(root), .state = state, .forgotten = forgotten
    };
    wd_view_cache_unref(cache_p);
    *cache_p = cache;
    return WD_OK;
}

wd_status wd_view_cache_set(wd_view_cache **cache_p, const wd_value *root, const wd_value *state)
{
    wd_value *kept = wd_value_ref(state);
    wd_status status = remember(cache_p, root, kept, NULL);
    if (status != WD_OK) {
        wd_value_unref(&kept);
    }
    return status;
}

wd_status wd_view_cache_forget(wd_view_cache **cache_p, const char *app)
{
    wd_view_cache *cache = *cache_p;
    if (cache == NULL) {
        return WD_OK;
    }
    wd_value *forgotten = cache->forgotten != NULL ? wd_value_ref(cache->forgotten) : wd_value_object();
    wd_value *flag = wd_value_bool(true);
    wd_status status = wd_object_set(&forgotten, app, &flag);
    if (status == WD_OK) {
        wd_value *state = wd_value_ref(cache->state);
        status = remember(cache_p, cache->root, state, forgotten);
        if (status == WD_OK) {
            return WD_OK;
        }
        wd_value_unref(&state);
    }
    wd_value_unref(&forgotten);
    return status;
}

// ---- os ---------------------------------------------------------------------------------------------------

static bool same_node(const wd_value *a, const wd_value *b)
{
    return a == b || (a != NULL && b != NULL && wd_value_same(a, b));
}

/// The parts of a machine that views read.
typedef struct machine_parts {
    const wd_value *part[PART_COUNT];
} machine_parts;

static machine_parts parts_of(const wd_value *root)
{
    return (machine_parts){
        .part = { [PART_OS] = wd_object_get(root, "os"), [PART_SYS] = wd_object_get(root, "sys") }
    };
}

/// Below one and the same node nothing has changed: a step touches few places, so the walk mostly ends at once.
static bool read_unchanged(const os_read *read, const machine_parts *before, const machine_parts *now)
{
    const wd_value *old = before->part[read->part];
    const wd_value *fresh = now->part[read->part];
    for (size_t i = 0; i < READ_DEPTH_MAX && read->keys[i] != NULL && !same_node(old, fresh); i++) {
        old = wd_object_get(old, read->keys[i]);
        fresh = wd_object_get(fresh, read->keys[i]);
    }
    return same_node(old, fresh);
}

static bool reads_unchanged(const os_member *member, const machine_parts *before, const machine_parts *now)
{
    for (size_t i = 0; i < READS_MAX && member->reads[i].keys[0] != NULL; i++) {
        if (!read_unchanged(&member->reads[i], before, now)) {
            return false;
        }
    }
    return true;
}

static wd_status build_member(const wd_machine *machine, const os_member *member, wd_value **ret_view)
{
    if (member->view != NULL) {
        return member->view(machine, ret_view);
    }
    const wd_value *store = wd_machine_get(machine, WD_AT("os", member->name));
    *ret_view = store != NULL ? wd_value_ref(store) : wd_value_null();
    return WD_OK;
}

/// Bring *os_p, the view built from `before` (NULL: none), to what `machine` says.
static wd_status update_os(const wd_machine *machine, const wd_value *before, wd_value **os_p)
{
    wd_status status = WD_OK;
    const machine_parts old = parts_of(before);
    const machine_parts now = parts_of(machine->root);
    for (size_t i = 0; i < WD_COUNT_OF(members) && status == WD_OK; i++) {
        if (before != NULL && reads_unchanged(&members[i], &old, &now)) {
            continue;
        }
        wd_value *view = NULL;
        status = build_member(machine, &members[i], &view);
        // What was built anew and came out equal stays the old node.
        if (status == WD_OK && !wd_value_equal(view, wd_object_get(*os_p, members[i].name))) {
            status = wd_object_set(os_p, members[i].name, &view);
        }
        wd_value_unref(&view);
    }
    return status;
}

// ---- apps -------------------------------------------------------------------------------------------------

/// What state shows of an app's overlay: what its adapter makes of it, or the overlay itself.
static wd_status adapt(
    const wd_machine *machine, const char *app, const wd_value *overlay, wd_value **ret_view)
{
    const wd_device_hooks *hooks = machine->hooks;
    if (hooks == NULL || hooks->adapt == NULL) {
        *ret_view = wd_value_ref(overlay);
        return WD_OK;
    }
    wd_status status = hooks->adapt(hooks->context, app, overlay, ret_view);
    if (status != WD_OK && status != WD_ENOMEM) {
        status = wd_value_pack(ret_view, "{s:s}", "error", "Failed to get state");
    }
    return status;
}

static wd_status put_app(wd_value **apps_p, const char *app, wd_value **view_p)
{
    wd_status status = WD_OK;
    if (!wd_value_equal(*view_p, wd_object_get(*apps_p, app))) {
        status = wd_object_set(apps_p, app, view_p);
    }
    wd_value_unref(view_p);
    return status;
}

/// Installed apps without a store show their stored state.
static wd_status add_storeless(const wd_machine *machine, const wd_value *overlays, wd_value **apps_p)
{
    const wd_value *storage = wd_machine_get(machine, WD_AT("sys", "storage"));
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(storage);
    while (status == WD_OK && wd_iter_next(&iter)) {
        if (wd_object_get(overlays, iter.key) != NULL || wd_package_find(machine, iter.key) == NULL) {
            continue;
        }
        wd_value *view = NULL;
        status = wd_store_fallback(machine, iter.key, &view);
        if (status == WD_OK && view != NULL) {
            status = put_app(apps_p, iter.key, &view);
        } else if (status == WD_OK && wd_object_get(*apps_p, iter.key) != NULL) {
            status = wd_object_remove(apps_p, iter.key);
        }
        wd_value_unref(&view);
    }
    return status;
}

/// Apps that are in the view, but neither have a store nor anything stored any more.
static wd_status drop_gone(const wd_machine *machine, const wd_value *overlays, wd_value **apps_p)
{
    const wd_value *storage = wd_machine_get(machine, WD_AT("sys", "storage"));
    wd_value *old = wd_value_ref(*apps_p);
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(old);
    while (status == WD_OK && wd_iter_next(&iter)) {
        if (wd_object_get(overlays, iter.key) == NULL &&
            (wd_object_get(storage, iter.key) == NULL || wd_package_find(machine, iter.key) == NULL)) {
            status = wd_object_remove(apps_p, iter.key);
        }
    }
    wd_value_unref(&old);
    return status;
}

static wd_status update_apps(
    const wd_machine *machine, const wd_value *before, const wd_value *forgotten, wd_value **apps_p)
{
    const wd_value *overlays = wd_machine_get(machine, WD_AT("apps"));
    const wd_value *old_overlays = wd_object_get(before, "apps");
    bool storage_same = before != NULL && same_node(wd_object_get(wd_object_get(before, "sys"), "storage"),
                                              wd_machine_get(machine, WD_AT("sys", "storage")));
    if (before != NULL && storage_same && forgotten == NULL && same_node(old_overlays, overlays)) {
        return WD_OK;
    }
    // Which apps are shown follows from the names in `overlays`, the storage and the packages alone.
    bool same_apps = storage_same && same_node(wd_object_get(wd_object_get(before, "sys"), "packages"),
                                         wd_machine_get(machine, WD_AT("sys", "packages")));
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(overlays);
    wd_iter old = wd_iter_start(old_overlays);
    while (status == WD_OK && wd_iter_next(&iter)) {
        // Both lists nearly always go in step; only where they do not is the old overlay looked up.
        const bool stepped = wd_iter_next(&old);
        const bool in_step = stepped && same_node(old.value, iter.value);
        same_apps = same_apps && stepped && strcmp(old.key, iter.key) == 0;
        if (before != NULL && wd_object_get(forgotten, iter.key) == NULL &&
            (in_step || same_node(wd_object_get(old_overlays, iter.key), iter.value)) &&
            wd_object_get(*apps_p, iter.key) != NULL) {
            continue;
        }
        wd_value *view = NULL;
        status = adapt(machine, iter.key, iter.value, &view);
        if (status == WD_OK) {
            status = put_app(apps_p, iter.key, &view);
        }
    }
    if (status != WD_OK || (same_apps && !wd_iter_next(&old))) {
        return status;
    }
    status = drop_gone(machine, overlays, apps_p);
    return status != WD_OK ? status : add_storeless(machine, overlays, apps_p);
}

wd_status wd_state_view(const wd_machine *machine, wd_view_cache **cache_p, wd_value **ret_state)
{
    const wd_view_cache *cache = *cache_p;
    if (cache != NULL && cache->forgotten == NULL && same_node(cache->root, machine->root)) {
        *ret_state = wd_value_ref(cache->state);
        return WD_OK;
    }
    const wd_value *before = cache != NULL ? cache->root : NULL;
    const wd_value *old = cache != NULL ? cache->state : NULL;
    wd_value *os = old != NULL ? wd_value_ref(wd_object_get(old, "os")) : wd_value_object();
    wd_value *apps = old != NULL ? wd_value_ref(wd_object_get(old, "apps")) : wd_value_object();
    wd_value *state = NULL;
    wd_status status = update_os(machine, before, &os);
    if (status == WD_OK) {
        status = update_apps(machine, before, cache != NULL ? cache->forgotten : NULL, &apps);
    }
    if (status == WD_OK && same_node(os, wd_object_get(old, "os")) &&
        same_node(apps, wd_object_get(old, "apps"))) {
        state = wd_value_ref(old);
    } else if (status == WD_OK) {
        status = wd_value_pack(&state, "{s:v,s:v}", "os", os, "apps", apps);
    }
    if (status == WD_OK) {
        status = wd_view_cache_set(cache_p, machine->root, state);
    }
    wd_value_unref(&os);
    wd_value_unref(&apps);
    if (status != WD_OK) {
        wd_value_unref(&state);
        return status;
    }
    *ret_state = state;
    return WD_OK;
}
