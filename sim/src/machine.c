#include "machine.h"

#include "coerce.h"
#include "device_struct.h"
#include "store.h"

#include <string.h>

// ---- places -----------------------------------------------------------------------------------------------

const wd_value *wd_machine_get(const wd_machine *machine, wd_place place)
{
    const wd_value *node = machine->root;
    for (size_t i = 0; i < place.count && node != NULL; i++) {
        node = wd_object_get(node, place.keys[i]);
    }
    return node;
}

typedef enum edit_kind {
    EDIT_PUT,
    EDIT_TAKE,
    EDIT_DROP,
} edit_kind;

/// One edit below *node_p. Each level takes its child out, so that what only this tree references is changed
/// in place, and puts it back whether or not the edit below succeeded.
static wd_status edit_at(
    wd_value **node_p, const wd_place *place, size_t at, edit_kind kind, wd_value **item_p)
{
    const char *key = place->keys[at];
    if (at + 1 == place->count) {
        switch (kind) {
        case EDIT_PUT:
            return wd_object_set(node_p, key, item_p);
        case EDIT_TAKE:
            return wd_object_take(node_p, key, item_p);
        case EDIT_DROP:
            return wd_object_remove(node_p, key);
        }
    }
    wd_value *child = NULL;
    wd_status status = wd_object_take(node_p, key, &child);
    if (status != WD_OK && status != WD_ENOENT) {
        return status;
    }
    if (!wd_value_is(child, WD_KIND_OBJECT)) {  // missing, or a null that a patch wrote: an object is made
        wd_value_unref(&child);
        child = wd_value_object();
    }
    status = edit_at(&child, place, at + 1, kind, item_p);
    wd_status back = wd_object_set(node_p, key, &child);
    wd_value_unref(&child);
    return status != WD_OK ? status : back;
}

static void note_dirty(wd_machine *machine, const wd_place *place)
{
    if (place->count > 1 && strcmp(place->keys[0], "os") == 0) {
        machine->dirty |= wd_store_dirty_bits(place->keys[1]);
    }
}

wd_status wd_machine_put(wd_machine *machine, wd_place place, wd_value **item_p)
{
    wd_assert(place.count > 0);
    wd_status status = edit_at(&machine->root, &place, 0, EDIT_PUT, item_p);
    wd_value_unref(item_p);
    note_dirty(machine, &place);
    return status;
}

wd_status wd_machine_put_bool(wd_machine *machine, wd_place place, bool flag)
{
    wd_value *item = wd_value_bool(flag);
    return wd_machine_put(machine, place, &item);
}

wd_status wd_machine_put_int(wd_machine *machine, wd_place place, int64_t number)
{
    wd_value *item = NULL;
    wd_status status = wd_value_int(number, &item);
    return status != WD_OK ? status : wd_machine_put(machine, place, &item);
}

wd_status wd_machine_put_text(wd_machine *machine, wd_place place, const char *text)
{
    wd_value *item = NULL;
    wd_status status = wd_value_text(text, &item);
    return status != WD_OK ? status : wd_machine_put(machine, place, &item);
}

wd_status wd_machine_take(wd_machine *machine, wd_place place, wd_value **ret_item)
{
    if (wd_machine_get(machine, place) == NULL) {
        return WD_ENOENT;  // asked first, so that a miss copies nothing
    }
    return edit_at(&machine->root, &place, 0, EDIT_TAKE, ret_item);
}

wd_status wd_machine_drop(wd_machine *machine, wd_place place)
{
    if (wd_machine_get(machine, place) == NULL) {
        return WD_OK;
    }
    note_dirty(machine, &place);
    return edit_at(&machine->root, &place, 0, EDIT_DROP, NULL);
}

// ---- marks ------------------------------------------------------------------------------------------------

wd_mark wd_machine_mark(const wd_machine *machine)
{
    return (wd_mark){
        .root = wd_value_ref(machine->root),
        .events = wd_value_ref(machine->events),
        .deferred = wd_value_ref(machine->deferred),
        .dirty = machine->dirty,
    };
}

void wd_machine_rollback(wd_machine *machine, wd_mark *mark)
{
    wd_value_unref(&machine->root);
    wd_value_unref(&machine->events);
    wd_value_unref(&machine->deferred);
    machine->root = mark->root;
    machine->events = mark->events;
    machine->deferred = mark->deferred;
    machine->dirty = mark->dirty;
    machine->sticky = WD_OK;
    *mark = (wd_mark){ 0 };
}

void wd_machine_commit(wd_mark *mark)
{
    wd_value_unref(&mark->root);
    wd_value_unref(&mark->events);
    wd_value_unref(&mark->deferred);
}

// ---- events -----------------------------------------------------------------------------------------------

wd_status wd_machine_event(wd_machine *machine, wd_value **event_p)
{
    wd_status status = WD_OK;
    if (wd_array_count(machine->events) >= WD_DEVICE_EVENTS_MAX) {
        status = wd_array_remove(&machine->events, 0);
    }
    if (status == WD_OK) {
        status = wd_array_append(&machine->events, event_p);
    }
    wd_value_unref(event_p);
    return status;
}

wd_status wd_machine_defer(wd_machine *machine, wd_value **event_p)
{
    if (machine->deferred == NULL) {
        machine->deferred = wd_value_array();
    }
    wd_status status = wd_array_append(&machine->deferred, event_p);
    wd_value_unref(event_p);
    return status;
}

/// {"receiver": as, "intent": {action, data?, extras?}} for one row of sys.receivers.
static wd_status defer_receiver(wd_machine *machine, const wd_value *receiver, const char *action,
    const wd_value *data, const wd_value *extras)
{
    wd_value *event = NULL;
    wd_status status = wd_value_pack(&event, "{s:v,s:{s:s,s:?v,s:?v}}", "receiver",
        wd_object_get(receiver, "as"), "intent", "action", action, "data", data, "extras", extras);
    return status != WD_OK ? status : wd_machine_defer(machine, &event);
}

static wd_status broadcast_trimmed(
    wd_machine *machine, const char *action, const wd_value *data, const wd_value *extras)
{
    wd_value *event = NULL;
    wd_status status =
        wd_value_pack(&event, "{s:s,s:?v,s:?v}", "broadcast", action, "extras", extras, "data", data);
    if (status == WD_OK) {
        status = wd_machine_event(machine, &event);
    }
    const wd_value *receivers = wd_machine_get(machine, WD_AT("sys", "receivers"));
    size_t count = wd_array_count(receivers);
    for (size_t i = 0; i < count && status == WD_OK; i++) {
        const wd_value *receiver = wd_array_at(receivers, i);
        if (wd_value_is_text(wd_object_get(receiver, "action"), action)) {
            status = defer_receiver(machine, receiver, action, data, extras);
        }
    }
    return status;
}

wd_status wd_machine_broadcast_data(
    wd_machine *machine, const char *action, const wd_value *data, wd_value **extras_p)
{
    wd_slice trimmed = wd_slice_trim(action, strlen(action));
    wd_status status = WD_OK;
    if (trimmed.length > 0 && action[trimmed.length] == '\0') {
        status = broadcast_trimmed(machine, action, data, *extras_p);
    } else if (trimmed.length > 0) {
        wd_value *copy = NULL;
        status = wd_value_string(trimmed.bytes, trimmed.length, &copy);
        if (status == WD_OK) {
            status = broadcast_trimmed(machine, wd_value_as_string(copy, NULL), data, *extras_p);
        }
        wd_value_unref(&copy);
    }
    wd_value_unref(extras_p);
    return status;
}

wd_status wd_machine_broadcast(wd_machine *machine, const char *action, wd_value **extras_p)
{
    return wd_machine_broadcast_data(machine, action, NULL, extras_p);
}

// ---- numbers ----------------------------------------------------------------------------------------------

wd_status wd_machine_draw(wd_machine *machine, const char *counter, int64_t *ret_number)
{
    int64_t number = wd_value_int_or(wd_machine_get(machine, WD_AT("sys", "counters", counter)), 0) + 1;
    wd_status status = wd_machine_put_int(machine, WD_AT("sys", "counters", counter), number);
    if (status == WD_OK) {
        *ret_number = number;
    }
    return status;
}

uint64_t wd_machine_random(wd_machine *machine)
{
    uint64_t seed = (uint64_t)wd_value_int_or(wd_machine_get(machine, WD_AT("sys", "rng", "seed")), 0);
    int64_t draws = wd_value_int_or(wd_machine_get(machine, WD_AT("sys", "rng", "draws")), 0) + 1;
    wd_status status = wd_machine_put_int(machine, WD_AT("sys", "rng", "draws"), draws);
    if (status != WD_OK) {
        machine->sticky = status;
    }
    // splitmix64: the n-th state is seed + n * golden ratio, so the tree holds a small count instead of 64
    // random bits.
    uint64_t mixed = seed + (uint64_t)draws * UINT64_C(0x9E3779B97F4A7C15);
    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94D049BB133111EB);
    return mixed ^ (mixed >> 31);
}

uint64_t wd_machine_random_below(wd_machine *machine, uint64_t bound)
{
    wd_assert(bound > 0);
    uint64_t limit = UINT64_MAX - UINT64_MAX % bound;
    uint64_t number = wd_machine_random(machine);
    while (number >= limit && machine->sticky == WD_OK) {
        number = wd_machine_random(machine);
    }
    return number % bound;
}

int64_t wd_machine_now(const wd_machine *machine)
{
    return wd_value_int_or(wd_machine_get(machine, WD_AT("sys", "clock")), 0);
}
