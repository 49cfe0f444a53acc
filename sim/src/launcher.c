// The launcher's layout (os.md 12, 14). The store holds {version, grid, wallpaper, screens [{id}], items {id:
// item}, folders {id: {id, name, size, items}}, hiddenApps}; an item has kind, what it shows, and its place:
// container ("hotseat" or a screen's id), cellX, cellY (hotseat: cellX is the slot). State shows a summary.
#include "package.h"
#include "services.h"

#include <string.h>

enum { COLUMNS = 4, ROWS = 6, HOTSEAT_SLOTS = 4, WIDGET_ROWS = 2 };
static const char hotseat[] = "hotseat";

#define LAUNCHER WD_AT("os", "launcher")

// ---- default layout ---------------------------------------------------------------------------------------

/// Where the next app goes.
typedef struct layout {
    wd_value *screens, *items;
    int64_t hotseat_used, cell;  // cells taken on the last screen
    size_t screen_count;
} layout;

static wd_status add_item(layout *plan, const char *kind, const char *what, const wd_value *shown,
    const char *container, int64_t x, int64_t y)
{
    wd_value *item = NULL, *id = NULL;
    wd_status status = wd_value_format(&id, "%s_%zu", kind, wd_object_count(plan->items) + 1);
    if (status == WD_OK) {
        status = wd_value_pack(&item, "{s:v,s:s,s:v,s:s,s:i,s:i}", "id", id, "kind", kind, what, shown,
            "container", container, "cellX", x, "cellY", y);
    }
    if (status == WD_OK) {
        status = wd_member_put(&plan->items, wd_value_as_string(id, NULL), &item);
    }
    wd_value_unref(&id);
    return status;
}

static wd_status screen_id(size_t number, wd_value **ret_id)
{
    return wd_value_format(ret_id, "screen_%zu", number);
}

static wd_status add_screen(layout *plan)
{
    wd_value *id = NULL, *screen = NULL;
    wd_status status = screen_id(++plan->screen_count, &id);
    if (status == WD_OK) {
        status = wd_value_pack(&screen, "{s:V}", "id", id);
    }
    plan->cell = 0;
    return status == WD_OK ? wd_list_push(&plan->screens, &screen) : status;
}

/// The clock on top of the first screen.
static wd_status add_clock(layout *plan)
{
    wd_value *type = NULL, *id = NULL;
    wd_status status = wd_value_text("clock", &type);
    if (status == WD_OK) {
        status = screen_id(1, &id);
    }
    if (status == WD_OK) {
        status = add_item(plan, "widget", "widgetType", type, wd_value_as_string(id, NULL), 0, 0);
    }
    plan->cell = WIDGET_ROWS * COLUMNS;
    wd_value_unref(&type);
    wd_value_unref(&id);
    return status;
}

static wd_status add_app(layout *plan, const wd_value *manifest)
{
    const wd_value *app = wd_object_get(manifest, "id");
    if (wd_object_get(manifest, "role") != NULL && plan->hotseat_used < HOTSEAT_SLOTS) {
        return add_item(plan, "app", "appId", app, hotseat, plan->hotseat_used++, 0);
    }
    wd_status status = plan->cell >= COLUMNS * ROWS ? add_screen(plan) : WD_OK;
    wd_value *id = NULL;
    if (status == WD_OK) {
        status = screen_id(plan->screen_count, &id);
    }
    if (status == WD_OK) {
        status = add_item(plan, "app", "appId", app, wd_value_as_string(id, NULL), plan->cell % COLUMNS,
            plan->cell / COLUMNS);
        plan->cell++;
    }
    wd_value_unref(&id);
    return status;
}

wd_status wd_launcher_boot(wd_machine *machine)
{
    layout plan = { .screens = wd_value_array(), .items = wd_value_object() };
    wd_value *store = NULL;
    wd_status status = add_screen(&plan);
    if (status == WD_OK) {
        status = add_clock(&plan);
    }
    wd_iter iter = wd_iter_start(wd_machine_get(machine, WD_AT("sys", "packages")));
    while (status == WD_OK && wd_iter_next(&iter)) {
        status =
            wd_value_bool_or(wd_object_get(iter.value, "hidden"), false) ? WD_OK : add_app(&plan, iter.value);
    }
    if (status == WD_OK) {
        status = wd_value_pack(&store, "{s:i,s:{s:i,s:i},s:{s:s,s:s},s:v,s:v,s:{},s:[]}", "version",
            INT64_C(1), "grid", "columns", (int64_t)COLUMNS, "rows", (int64_t)ROWS, "wallpaper", "kind",
            "image", "imageUrl", "wallpaper://default", "screens", plan.screens, "items", plan.items,
            "folders", "hiddenApps");
    }
    wd_value_unref(&plan.screens);
    wd_value_unref(&plan.items);
    return status == WD_OK ? wd_machine_put(machine, LAUNCHER, &store) : status;
}

// ---- operations -------------------------------------------------------------------------------------------

/// Replace the layout.
static wd_status op_set(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    const wd_value *given = NULL;
    wd_status status = wd_arg_object(args, "v", &given, error);
    if (status != WD_OK) {
        return status;
    }
    if (!wd_value_is(wd_object_get(given, "screens"), WD_KIND_ARRAY) ||
        !wd_value_is(wd_object_get(given, "items"), WD_KIND_OBJECT)) {
        return wd_error_set(error, WD_ETYPE, "v: a layout has a list screens and an object items");
    }
    wd_value *copy = wd_value_ref(given);
    return wd_machine_put(machine, LAUNCHER, &copy);
}

static wd_status op_get(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)args;
    (void)error;
    const wd_value *store = wd_machine_get(machine, LAUNCHER);
    *ret_answer = store != NULL ? wd_value_ref(store) : wd_value_null();
    return WD_OK;
}

const wd_op wd_ops_launcher[] = {
    { "launcherSet", op_set },
    { "launcherGet", op_get },
    { NULL, NULL },
};

// ---- summary ----------------------------------------------------------------------------------------------

static int64_t cell(const wd_value *item, const char *axis)
{
    return wd_value_int_or(wd_object_get(item, axis), 0);
}

/// What an item shows: one of the members, by kind. A widget has more.
static wd_status summarise(const wd_value *item, wd_value *slot, wd_value **ret_summary)
{
    static const char *const members[] = { "appId", "folderId", "widgetType", "widgetId", "variant",
        "previewUrl", "xmlBaseUrl" };
    const char *kind = wd_value_string_or(wd_object_get(item, "kind"), "unknown");
    wd_value *summary = NULL;
    wd_status status = wd_value_pack(&summary, "{s:V,s:s}", "slot", slot, "kind", kind);
    for (size_t i = 0; status == WD_OK && i < WD_COUNT_OF(members); i++) {
        const wd_value *value = wd_object_get(item, members[i]);
        if (value != NULL) {
            status = wd_set_ref(&summary, members[i], value);
        }
    }
    return wd_give(status, &summary, ret_summary);
}

/// Items of a container, sorted by row, then column. On the hotseat a slot is a number.
static wd_status view_items(const wd_value *items, const char *container, wd_value **ret_list)
{
    bool on_hotseat = strcmp(container, hotseat) == 0;
    wd_value *sorted = wd_value_array(), *list = wd_value_array();
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(items);
    while (status == WD_OK && wd_iter_next(&iter)) {
        size_t at = wd_array_count(sorted);
        if (!wd_value_is_text(wd_object_get(iter.value, "container"), container)) {
            continue;
        }
        for (; at > 0; at--) {
            const wd_value *before = wd_array_at(sorted, at - 1);
            if (cell(before, "cellY") < cell(iter.value, "cellY") ||
                (cell(before, "cellY") == cell(iter.value, "cellY") &&
                    cell(before, "cellX") <= cell(iter.value, "cellX"))) {
                break;
            }
        }
        wd_value *copy = wd_value_ref(iter.value);
        status = wd_list_insert_at(&sorted, at, &copy);
    }
    iter = wd_iter_start(sorted);
    while (status == WD_OK && wd_iter_next(&iter)) {
        wd_value *slot = NULL, *summary = NULL;
        int64_t x = cell(iter.value, "cellX");
        status = on_hotseat
                     ? wd_value_int(x, &slot)
                     : wd_value_pack(&slot, "{s:i,s:i}", "cellX", x, "cellY", cell(iter.value, "cellY"));
        if (status == WD_OK) {
            status = summarise(iter.value, slot, &summary);
        }
        if (status == WD_OK) {
            status = wd_list_push(&list, &summary);
        }
        wd_value_unref(&summary);
    }
    wd_value_unref(&sorted);
    return wd_give(status, &list, ret_list);
}

static wd_status view_screens(const wd_value *store, wd_value **ret_list)
{
    wd_value *list = wd_value_array();
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(wd_object_get(store, "screens"));
    while (status == WD_OK && wd_iter_next(&iter)) {
        const char *id = wd_value_string_or(wd_object_get(iter.value, "id"), "");
        wd_value *items = NULL, *screen = NULL;
        status = view_items(wd_object_get(store, "items"), id, &items);
        if (status == WD_OK) {
            status = wd_value_pack(&screen, "{s:s,s:V}", "id", id, "items", items);
        }
        if (status == WD_OK) {
            status = wd_list_push(&list, &screen);
        }
        wd_value_unref(&screen);
    }
    return wd_give(status, &list, ret_list);
}

static wd_status view_folders(const wd_value *store, wd_value **ret_list)
{
    wd_value *list = wd_value_array();
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(wd_object_get(store, "folders"));
    while (status == WD_OK && wd_iter_next(&iter)) {
        status = wd_append_ref(&list, iter.value);
    }
    return wd_give(status, &list, ret_list);
}

wd_status wd_view_launcher(const wd_machine *machine, wd_value **ret_view)
{
    const wd_value *store = wd_machine_get(machine, LAUNCHER);
    wd_value *screens = NULL, *slots = NULL, *folders = NULL;
    if (!wd_value_is(store, WD_KIND_OBJECT)) {
        *ret_view = wd_value_null();
        return WD_OK;
    }
    wd_status status = view_screens(store, &screens);
    if (status == WD_OK) {
        status = view_items(wd_object_get(store, "items"), hotseat, &slots);
    }
    if (status == WD_OK) {
        status = view_folders(store, &folders);
    }
    if (status == WD_OK) {
        status = wd_value_pack(ret_view, "{s:?v,s:?v,s:?v,s:i,s:v,s:?v,s:v,s:v}", "version",
            wd_object_get(store, "version"), "grid", wd_object_get(store, "grid"), "wallpaper",
            wd_object_get(store, "wallpaper"), "screensCount", (int64_t)wd_array_count(screens), "screens",
            screens, "hiddenApps", wd_object_get(store, "hiddenApps"), "hotseat", slots, "folders", folders);
    }
    wd_value_unref(&screens);
    wd_value_unref(&slots);
    wd_value_unref(&folders);
    return status;
}
