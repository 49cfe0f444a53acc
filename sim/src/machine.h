/// machine.h - inside the device: how managers, providers, services and tasks read and write the machine
/// tree.
///
/// Every part of the OS is a set of functions over wd_machine. A function checks first, then writes; an
/// operation that fails half-way is undone by the caller swapping the old root back (wd_machine_mark /
/// _rollback), so no part needs undo code of its own.
#ifndef SIM_MACHINE_H
#define SIM_MACHINE_H

#include "sim/device.h"

#include <stdarg.h>

/// The members of `sys`. Each part owns those it writes; all are volatile unless store.c's table says
/// otherwise.
///   clock boot zone actionMs rng counters     machine.c, clock.c: virtual ms (now, at boot), zone in minutes
///   packages                                  manifests in install order (package.c)
///   histories chooser pending                 activity.c, chooser.c, intent.c
///   stores storage writes hydrated            store.c: registered stores, stored forms, delayed writes
///   receivers                                 [{action, as, priority, throws?}] in registration order
///   ui                                        the app platform's scratch
///   managers, observers, the permission queue, ...  the files of that name
typedef struct wd_machine {
    wd_value *root;                // {os, apps, sys}; one reference
    wd_value *events;              // array, what happened since it was last taken; no part of the digest
    wd_value *deferred;            // array or NULL: events that follow once the operation has settled
    const wd_device_hooks *hooks;  // may be NULL
    struct wd_device *device;      // back pointer for hooks
    uint32_t dirty;    // persistent parts of `os` put since the operation began: bits of store.c's table
    bool replaced;     // the whole root was swapped by a restore, reset or reload since then
    wd_status sticky;  // a failure of a call that cannot return one; fails the operation when it settles
} wd_machine;

/// A place in the machine: up to eight keys from the root. WD_AT("os", "settings", "global") makes one.
typedef struct wd_place {
    const char *keys[8];
    size_t count;
} wd_place;
#define WD_AT(...)                                                                                           \
    ((wd_place){ .keys = { __VA_ARGS__ }, .count = sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(char *) })

/// Borrowed until the next write; NULL when absent.
const wd_value *wd_machine_get(const wd_machine *machine, wd_place place);
/// Set; takes *item_p (also when it fails); missing objects on the way are made. In place while unshared.
WD_NODISCARD wd_status wd_machine_put(wd_machine *machine, wd_place place, wd_value **item_p);
WD_NODISCARD wd_status wd_machine_put_bool(wd_machine *machine, wd_place place, bool flag);
WD_NODISCARD wd_status wd_machine_put_int(wd_machine *machine, wd_place place, int64_t number);
WD_NODISCARD wd_status wd_machine_put_text(wd_machine *machine, wd_place place, const char *text);
/// Take a member out for in-place work (wd_object_take()): meanwhile null stands there; put it back with
/// wd_machine_put(), also on failure, or fail the operation. @retval WD_ENOENT there is none.
WD_NODISCARD wd_status wd_machine_take(wd_machine *machine, wd_place place, wd_value **ret_item);
/// Remove the member; absent is fine.
WD_NODISCARD wd_status wd_machine_drop(wd_machine *machine, wd_place place);

/// Remember the root and the number of events; roll back to them, or forget the mark. Every entry point of
/// device.h marks before it calls an operation and rolls back when that fails, so an operation needs no mark
/// of its own unless it goes on after the failure of a part.
typedef struct wd_mark {
    wd_value *root;
    wd_value *events;
    wd_value *deferred;
    uint32_t dirty;
} wd_mark;
wd_mark wd_machine_mark(const wd_machine *machine);
void wd_machine_rollback(wd_machine *machine, wd_mark *mark);
void wd_machine_commit(wd_mark *mark);

/// Append an event; takes *event_p (also when it fails).
WD_NODISCARD wd_status wd_machine_event(wd_machine *machine, wd_value **event_p);
/// An event that follows the operation's own: after it has settled and its lifecycle events are out.
WD_NODISCARD wd_status wd_machine_defer(wd_machine *machine, wd_value **event_p);
/// Broadcast: records {"broadcast", "extras"?, "data"?} and defers {"receiver": as, "intent": {action, data?,
/// extras?}} for each row of sys.receivers whose action it is, in order of registration. Takes *extras_p (may
/// point to NULL).
WD_NODISCARD wd_status wd_machine_broadcast(wd_machine *machine, const char *action, wd_value **extras_p);
/// The same with data (NULL: none), borrowed. A blank action broadcasts nothing; others are trimmed.
WD_NODISCARD wd_status wd_machine_broadcast_data(
    wd_machine *machine, const char *action, const wd_value *data, wd_value **extras_p);

/// Draw the next number of a named counter in sys.counters (pre-incremented, from 1): "task", "act", "stamp",
/// "request", "n", "c", ... Ids are drawn only when a thing is made (D32).
WD_NODISCARD wd_status wd_machine_draw(wd_machine *machine, const char *counter, int64_t *ret_number);
/// splitmix64 over sys.rng {seed, draws}. When memory is out the number is given all the same and the
/// operation fails when it settles.
uint64_t wd_machine_random(wd_machine *machine);
/// A number in 0..bound-1, without bias. bound > 0.
uint64_t wd_machine_random_below(wd_machine *machine, uint64_t bound);
int64_t wd_machine_now(const wd_machine *machine);

/// The root right after boot, borrowed from the device.
const wd_value *wd_machine_boot(const wd_machine *machine);

/// What virtual time makes happen. clock.c walks its table of timers in order of due time, rows in table
/// order on ties: delayed writes of stores, then permission time-outs,
/// minute ticks.
typedef struct wd_timer {
    const char *name;
    int64_t (*due_ms)(
        const wd_machine *machine);  // the earliest time >= now at which there is work; INT64_MAX: none
    wd_status (*run)(wd_machine *machine);  // do what is due now; afterwards due_ms() > now
} wd_timer;

// ---- operations: one table, one row a name ----------------------------------------------------------------

/// Performs an operation. `args` is an object (empty when none was given). *ret_answer is NULL on entry.
typedef wd_status (*wd_op_function)(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error);
typedef struct wd_op {
    const char *name;
    wd_op_function function;
} wd_op;
/// Each part exports its rows as an array ended by a NULL name; ops.c joins the arrays:
extern const wd_op wd_ops_task[], wd_ops_launch[], wd_ops_intent[], wd_ops_back[],
    wd_ops_store[];                                                               // os_task side
extern const wd_op wd_ops_manager[], wd_ops_preference[], wd_ops_permission[];    // managers side
extern const wd_op wd_ops_provider[], wd_ops_clipboard[], wd_ops_notification[];  // services.h has the others

/// Typed arguments with errors that name the member. Borrowed texts. Absent is WD_EINVAL, another kind
/// WD_ETYPE.
WD_NODISCARD wd_status wd_arg_text(
    const wd_value *args, const char *name, const char **ret_text, wd_error *error);
WD_NODISCARD wd_status wd_arg_bool(const wd_value *args, const char *name, bool *ret_flag, wd_error *error);
WD_NODISCARD wd_status wd_arg_object(
    const wd_value *args, const char *name, const wd_value **ret_object, wd_error *error);
/// Absent leaves *ret_x as it is.
WD_NODISCARD wd_status wd_arg_text_optional(
    const wd_value *args, const char *name, const char **ret_text, wd_error *error);
WD_NODISCARD wd_status wd_arg_bool_optional(
    const wd_value *args, const char *name, bool *ret_flag, wd_error *error);

// ---- routing of an inject to its owners (os.md 5), each implemented by its owner --------------------------
// `patch` is the section's value, `error` names the path below it. Called in the documented order by
// inject.c.
/// Airplane mode as the whole patch of `os` wants it, before its sections are applied (D1). Judges nothing.
WD_NODISCARD wd_status wd_inject_airplane(wd_machine *machine, const wd_value *os);
WD_NODISCARD wd_status wd_inject_build(wd_machine *machine, const wd_value *patch, wd_error *error);
WD_NODISCARD wd_status wd_inject_telephony(wd_machine *machine, const wd_value *patch, wd_error *error);
WD_NODISCARD wd_status wd_inject_settings(wd_machine *machine, const wd_value *patch, wd_error *error);
WD_NODISCARD wd_status wd_inject_hardware(wd_machine *machine, const wd_value *patch, wd_error *error);
WD_NODISCARD wd_status wd_inject_permissions(wd_machine *machine, const wd_value *patch, wd_error *error);
WD_NODISCARD wd_status wd_inject_preferences(wd_machine *machine, const wd_value *patch, wd_error *error);
WD_NODISCARD wd_status wd_inject_providers(wd_machine *machine, const wd_value *patch, wd_error *error);

// ---- boot defaults and derived views, each implemented by its owner ---------------------------------------
/// The default stores: settings, hardware, permissions, preferences, build, telephony,
/// providers, clipboard, notifications, shade, services, launcher, fileSystem, time and location memories.
/// Written into an otherwise empty machine at boot.
WD_NODISCARD wd_status wd_boot_managers(
    wd_machine *machine, const wd_device_options *options, wd_error *error);
WD_NODISCARD wd_status wd_boot_services(
    wd_machine *machine, const wd_device_options *options, wd_error *error);
WD_NODISCARD wd_status wd_boot_tasks(wd_machine *machine, const wd_device_options *options, wd_error *error);
/// One visible member of `os` built from the machine; state.c lists all members in order of os.md 14 and
/// caches each by the identity of what it reads.
typedef wd_status (*wd_view_function)(const wd_machine *machine, wd_value **ret_view);
WD_NODISCARD wd_status wd_view_locale(const wd_machine *machine, wd_value **ret_view);
WD_NODISCARD wd_status wd_view_time(const wd_machine *machine, wd_value **ret_view);
WD_NODISCARD wd_status wd_view_location(const wd_machine *machine, wd_value **ret_view);
WD_NODISCARD wd_status wd_view_installed_apps(const wd_machine *machine, wd_value **ret_view);
WD_NODISCARD wd_status wd_view_clipboard(const wd_machine *machine, wd_value **ret_view);
WD_NODISCARD wd_status wd_view_launcher(const wd_machine *machine, wd_value **ret_view);
WD_NODISCARD wd_status wd_view_services(const wd_machine *machine, wd_value **ret_view);
WD_NODISCARD wd_status wd_view_file_system(const wd_machine *machine, wd_value **ret_view);

/// The defaults of wd_boot_managers() / _services() that hydration replaced were stored by an earlier life:
/// derive what follows from them (nothing to do is fine). Called at the end of a reload.
WD_NODISCARD wd_status wd_manager_reloaded(wd_machine *machine);

/// Calls between the sides: what tasks need from services and the other way round.
WD_NODISCARD wd_status wd_keyboard_hide(wd_machine *machine);
WD_NODISCARD wd_status wd_shade_close(wd_machine *machine);
bool wd_permission_dialog_open(const wd_machine *machine);
WD_NODISCARD wd_status wd_permission_refuse(wd_machine *machine);  // Back on the dialog
WD_NODISCARD wd_status wd_task_launch_app(wd_machine *machine, const char *app, wd_error *error);
WD_NODISCARD wd_status wd_task_open_app(
    wd_machine *machine, const char *app, const char *route, wd_error *error);
/// Manifest of an installed app (sys.packages), borrowed; NULL when there is none.
const wd_value *wd_package_find(const wd_machine *machine, const char *app);

#endif
