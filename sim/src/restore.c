/// restore.c - is a value a machine? What the parts of the OS rely on is checked before a root is swapped in.
#include "device_struct.h"
#include "task.h"

typedef struct wanted_part {
    wd_place place;
    wd_kind kind;
} wanted_part;

#define WANTED(kind_, ...)                                                                                   \
    {                                                                                                        \
        .place = { .keys = { __VA_ARGS__ },                                                                  \
            .count = sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(char *) },                             \
        .kind = (kind_)                                                                                      \
    }

// Every boot makes these and no operation removes them.
static const wanted_part wanted_parts[] = {
    WANTED(WD_KIND_OBJECT, "apps"),
    WANTED(WD_KIND_INT, "sys", "clock"),
    WANTED(WD_KIND_INT, "sys", "boot"),
    WANTED(WD_KIND_INT, "sys", "zone"),
    WANTED(WD_KIND_INT, "sys", "actionMs"),
    WANTED(WD_KIND_INT, "sys", "rng", "seed"),
    WANTED(WD_KIND_INT, "sys", "rng", "draws"),
    WANTED(WD_KIND_OBJECT, "sys", "counters"),
    WANTED(WD_KIND_OBJECT, "sys", "pending"),
    WANTED(WD_KIND_OBJECT, "sys", "stores"),
    WANTED(WD_KIND_OBJECT, "sys", "storage"),
    WANTED(WD_KIND_OBJECT, "sys", "writes"),
    WANTED(WD_KIND_ARRAY, "sys", "packages"),
    WANTED(WD_KIND_OBJECT, "os", "settings", "global"),
    WANTED(WD_KIND_OBJECT, "os", "settings", "system"),
    WANTED(WD_KIND_OBJECT, "os", "hardware", "battery"),
    WANTED(WD_KIND_OBJECT, "os", "hardware", "cellular"),
    WANTED(WD_KIND_OBJECT, "os", "hardware", "wifi"),
    WANTED(WD_KIND_OBJECT, "os", "permissions"),
    WANTED(WD_KIND_OBJECT, "os", "preferences"),
    WANTED(WD_KIND_OBJECT, "os", "providers"),
    WANTED(WD_KIND_OBJECT, "os", "build"),
    WANTED(WD_KIND_OBJECT, "os", "telephony"),
    WANTED(WD_KIND_ARRAY, "os", "notifications", "items"),
    WANTED(WD_KIND_BOOL, "os", "shade", "open"),
    WANTED(WD_KIND_STRING, "os", "shade", "kind"),
    WANTED(WD_KIND_OBJECT, "os", "services", "alarm_manager", "alarms"),
    WANTED(WD_KIND_OBJECT, "os", "services", "media_session"),
    WANTED(WD_KIND_STRING, "os", "services", "location", "mode"),
    WANTED(WD_KIND_BOOL, "os", "services", "keyboard", "visible"),
    WANTED(WD_KIND_ARRAY, "os", "clipboard", "history"),
    WANTED(WD_KIND_ARRAY, "os", "fileSystem", "nodes"),
};

/// A list that need not be there, and texts that each of its elements has.
typedef struct wanted_list {
    wd_place place;
    const char *texts[2];
} wanted_list;

#define LISTED(...)                                                                                          \
    {                                                                                                        \
        .keys = { __VA_ARGS__ }, .count = sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(char *)           \
    }

static const wanted_list wanted_lists[] = {
    { LISTED("sys", "permissions", "queue"), { "as", "app" } },
    { LISTED("sys", "receivers"), { "as", "action" } },
    { LISTED("sys", "observers"), { "as", NULL } },
    { LISTED("sys", "hydrated"), { NULL, NULL } },
    { LISTED("os", "notifications", "items"), { "id", "title" } },
    { LISTED("os", "fileSystem", "nodes"), { "id", "path" } },
    { LISTED("os", "hardware", "nearbyWifi"), { NULL, NULL } },
    { LISTED("os", "hardware", "nearbyBluetooth"), { NULL, NULL } },
    { LISTED("os", "telephony", "sims"), { NULL, NULL } },
};

static const char *last_key(const wd_place *place)
{
    return place->keys[place->count - 1];
}

static bool list_is_whole(const wd_value *list, const char *const texts[2])
{
    for (size_t i = 0; i < wd_array_count(list); i++) {
        for (size_t k = 0; k < 2 && texts[k] != NULL; k++) {
            if (!wd_value_is(wd_object_get(wd_array_at(list, i), texts[k]), WD_KIND_STRING)) {
                return false;
            }
        }
    }
    return wd_value_is(list, WD_KIND_ARRAY);
}

static bool stores_are_whole(const wd_value *stores)
{
    wd_iter iter = wd_iter_start(stores);
    while (wd_iter_next(&iter)) {
        if (!wd_value_is(wd_object_get(iter.value, "initial"), WD_KIND_OBJECT) ||
            !wd_value_is(wd_object_get(iter.value, "key"), WD_KIND_STRING)) {
            return false;
        }
    }
    return true;
}

/// The packages of a snapshot are nearly always those that are there already.
static wd_status check_packages(const wd_value *packages, const wd_value *known, wd_error *error)
{
    return wd_value_same(packages, known) ? WD_OK : wd_packages_check(packages, error);
}

wd_status wd_machine_check(const wd_value *root, const wd_machine *now, wd_error *error)
{
    const wd_machine machine = { .root = (wd_value *)(uintptr_t)root };  // read only
    for (size_t i = 0; i < WD_COUNT_OF(wanted_parts); i++) {
        const wanted_part *part = &wanted_parts[i];
        if (!wd_value_is(wd_machine_get(&machine, part->place), part->kind)) {
            return wd_error_set(error, WD_EINVAL, "machine.%s: %s: %s is wanted", part->place.keys[0],
                last_key(&part->place), wd_kind_name(part->kind));
        }
    }
    for (size_t i = 0; i < WD_COUNT_OF(wanted_lists); i++) {
        const wanted_list *list = &wanted_lists[i];
        const wd_value *found = wd_machine_get(&machine, list->place);
        // A list that is the very node it is now was whole before.
        if (found != NULL && found != wd_machine_get(now, list->place) &&
            !list_is_whole(found, list->texts)) {
            return wd_error_set(error, WD_EINVAL, "machine.%s: %s: a whole list is wanted",
                list->place.keys[0], last_key(&list->place));
        }
    }
    if (!stores_are_whole(wd_machine_get(&machine, WD_AT("sys", "stores")))) {
        return wd_error_set(error, WD_EINVAL, "machine.sys.stores: each needs key and initial");
    }
    const wd_value *packages = wd_machine_get(&machine, WD_AT("sys", "packages"));
    if (check_packages(packages, wd_machine_get(now, WD_AT("sys", "packages")), error) != WD_OK ||
        wd_task_check(root, error) != WD_OK) {
        wd_error_prefix(error, "machine");
        return WD_EINVAL;
    }
    return WD_OK;
}
