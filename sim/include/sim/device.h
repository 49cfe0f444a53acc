/// device.h - one simulated phone: its machine, the operations of its operating system, snapshots and resets.
///
/// The machine is one value tree {os, apps, sys}: `os` and `apps` hold the stores behind the state; `sys`
/// holds what is no store: activity histories, chooser, permission queue, managers' memories, id counters,
/// RNG, clock, packages, pending results, scroll, focus, caret. So a snapshot is a reference, a restore swaps
/// a root, a fork is a reference, and the device's digest is the digest of one value. No app knowledge lives
/// here.
///
/// Thread rule: a device belongs to one thread. Between threads travel frozen machines (wd_value_freeze()).
#ifndef SIM_DEVICE_H
#define SIM_DEVICE_H

#include "tree/value.h"

typedef struct wd_device wd_device;

/// What the app platform supplies, so that the device knows no app. All may be NULL. `context` is passed
/// through.
typedef struct wd_device_hooks {
    void *context;
    /// The view of an app's overlay that state shows (its adapter). Pure. On failure state shows
    /// {"error": "Failed to get state"}.
    wd_status (*adapt)(void *context, const char *app, const wd_value *overlay, wd_value **ret_view);
    /// May this overlay be stored? `error` names entity and missing fields.
    wd_status (*check_overlay)(void *context, const char *app, const wd_value *overlay, wd_error *error);
    /// A content provider that a pack declares: op is "query", "insert", "update" or "delete".
    wd_status (*provide)(void *context, wd_device *device, const char *authority, const char *op,
        const wd_value *args, wd_value **ret_answer, wd_error *error);
} wd_device_hooks;

typedef struct wd_device_options {
    const wd_value *packages;      // array of manifests in install order (form: fixture-apps.json), or NULL
    const wd_value *app_defaults;  // {app id: overlay}, or NULL
    const wd_value *os_defaults;   // patch over the OS defaults (providers' content, launcher, ...), or NULL
    uint64_t seed;
    int64_t time_ms;               // virtual time at boot, ms since 1970 UTC; 0: WD_DEVICE_TIME_DEFAULT_MS
    int32_t utc_offset_min;        // the device's zone
    int64_t action_ms;             // virtual time one action takes
    const wd_device_hooks *hooks;  // borrowed, must outlive the device; or NULL
} wd_device_options;

enum { WD_DEVICE_ACTION_MS_DEFAULT = 1000, WD_DEVICE_UTC_OFFSET_DEFAULT = 480 };
#define WD_DEVICE_TIME_DEFAULT_MS INT64_C(1767528000000)  // 2026-01-04 20:00 in Asia/Shanghai

/// All defaults of the table above.
wd_device_options wd_device_options_default(void);

/// Boot a device. @retval WD_EINVAL a malformed manifest or default; `error` names it.
WD_NODISCARD wd_status wd_device_new(
    const wd_device_options *options, wd_device **ret_device, wd_error *error);
void wd_device_destroy(wd_device **device_p);

/// A second device in exactly this state (pending events aside, which it does not inherit). O(1).
WD_NODISCARD wd_status wd_device_fork(const wd_device *device, wd_device **ret_fork);

/// The machine as it is: a reference to an immutable tree, i.e. a snapshot. Never fails.
wd_value *wd_device_capture(const wd_device *device);
/// Put exactly that machine back (decision D2). @retval WD_EINVAL not a machine; nothing changed.
WD_NODISCARD wd_status wd_device_restore(wd_device *device, const wd_value *machine, wd_error *error);
/// Stand on other nodes of the very same content, as wd_value_freeze() makes them: `machine`, and `state`, what it shows. So
/// a device comes to share what other threads have, and what it changes from here on is all that it has on its own.
/// @retval WD_EINVAL  `machine` is not what the device is; nothing changed. @retval WD_ENOMEM  the same.
WD_NODISCARD wd_status wd_device_adopt(wd_device *device, const wd_value *machine, const wd_value *state);
wd_digest wd_device_digest(const wd_device *device);
/// The machine, borrowed until the next call that changes the device.
const wd_value *wd_device_machine(const wd_device *device);

/// The visible state {os, apps} (os.md section 14). Unchanged parts are the same nodes as in the last state
/// of this device or of the device it was forked from, so comparing two states costs what changed. Reading
/// changes nothing.
WD_NODISCARD wd_status wd_device_state(wd_device *device, wd_value **ret_state);

/// Have the view of an app built anew at the next state, as when its adapter has changed. The machine is the
/// same.
WD_NODISCARD wd_status wd_device_invalidate(wd_device *device, const char *app);

/// Inject a patch {os?, apps?} through the managers (os.md 4, 5; D1, D9 to D14); all or nothing.
/// `reload` reloads afterwards. @retval WD_ETYPE, WD_EINVAL, WD_ENOENT `error` names the path.
WD_NODISCARD wd_status wd_device_inject(
    wd_device *device, const wd_value *patch, bool deep, bool reload, wd_error *error);

/// Drop what is volatile, as a reload of the device does; persistent stores stay.
WD_NODISCARD wd_status wd_device_reload(wd_device *device);
/// Factory reset in the order of os.md 15; afterwards the digest equals that after boot (D17).
/// `reload` false is resetState().
WD_NODISCARD wd_status wd_device_reset(wd_device *device, bool reload);

/// Perform an operation of the operating system by name: "os.launchApp", "app.navigate", "clipWrite", ... The
/// names and arguments are those of vectors/README-device-ops.md; `wd_device_op_list()` lists them all.
/// @param args        Object or NULL. Borrowed.
/// @param ret_answer  May be NULL. NULL is stored when the operation answers nothing.
/// @retval WD_ENOENT  unknown operation, app, activity, URI, permission...; WD_ETYPE, WD_EINVAL: bad
/// arguments.
///                    Nothing changed, the digest is what it was.
WD_NODISCARD wd_status wd_device_call(
    wd_device *device, const char *op, const wd_value *args, wd_value **ret_answer, wd_error *error);
const char *const *wd_device_op_list(size_t *ret_count);

/// Let virtual time pass: due alarms, time-outs and delayed writes happen in order.
/// @retval WD_EINVAL ms < 0 or beyond WD_DEVICE_ADVANCE_MAX_MS (a year).
WD_NODISCARD wd_status wd_device_advance(wd_device *device, int64_t ms);
#define WD_DEVICE_ADVANCE_MAX_MS INT64_C(31622400000)
int64_t wd_device_time_ms(const wd_device *device);

/// What happened since the last call: broadcasts, lifecycle events, callbacks, dialogs, observer notices, in
/// order; an array of objects ({"broadcast":action,"extras":..}, {"life":..,"app":..},
/// {"callback":..,"result":..}, ...). Events are no part of the machine. At most WD_DEVICE_EVENTS_MAX are
/// kept; the oldest are dropped first.
wd_value *wd_device_take_events(wd_device *device);
enum { WD_DEVICE_EVENTS_MAX = 4096, WD_DEVICE_PACKAGES_MAX = 1024 };

/// Replace an app's overlay (the app platform's write path: a draft that became one patch). Takes *overlay_p.
/// @retval WD_ENOENT not installed. @retval as check_overlay says.
WD_NODISCARD wd_status wd_device_set_overlay(
    wd_device *device, const char *app, wd_value **overlay_p, wd_error *error);
/// Scratch beside the stores that belongs to the machine: UI state of the app platform (scroll, focus, caret,
/// ...). Borrowed, NULL when never set. Setting takes *ui_p.
const wd_value *wd_device_ui(const wd_device *device);
WD_NODISCARD wd_status wd_device_set_ui(wd_device *device, wd_value **ui_p);

/// Next number of the machine's own generator (splitmix64; the state is in the machine). When memory is out
/// the number is given, but not counted: the next call gives it again.
uint64_t wd_device_random(wd_device *device);

/// JSON Schema (draft 2020-12) of the state's `os`, and of apps as open objects.
WD_NODISCARD wd_status wd_device_state_schema(wd_value **ret_schema);

#endif
