/// conform_case.h - what the replays of all kinds of vectors share: the device under test, comparison by
/// alias, the first difference.
#ifndef SIM_CONFORM_CASE_H
#define SIM_CONFORM_CASE_H

#include "machine.h"
#include "sim/conform.h"
#include "tree/json.h"

/// One case being replayed. Zeroed between cases but for `packages`.
typedef struct wd_conform {
    const wd_value *packages;  // fixture-apps.json, apps
    const char *id;
    size_t step;     // from 1; 0: not in a step
    const char *op;  // of the step
    bool failed;
    wd_buffer difference;  // the first one, as text
    wd_buffer path;        // of the member being compared

    // Drawn ids: what the vector calls `wanted`, we may call otherwise. Both maps are objects of texts, made
    // on demand.
    /// Is this text of a vector a drawn id? NULL: none is.
    bool (*is_drawn)(const struct wd_conform *run, const char *wanted);
    const wd_value *drawn;  // for is_drawn: the present "ids" table, borrowed
    wd_value *ours;         // wanted -> ours
    wd_value *theirs;       // ours -> wanted
} wd_conform;

/// Compare; NULL is absent. Only the first difference of a case is kept. `what` names the top of the path.
WD_NODISCARD wd_status wd_conform_expect(
    wd_conform *run, const char *what, const wd_value *wanted, const wd_value *got);
/// A difference in words.
WD_NODISCARD wd_status wd_conform_differ(wd_conform *run, const char *format, ...) WD_PRINTF(2, 3);

/// `value` with every drawn id replaced by ours, as far as it is known: for arguments of operations.
WD_NODISCARD wd_status wd_conform_translate(
    const wd_conform *run, const wd_value *value, wd_value **ret_value);
/// Our text for a vector's, or `wanted` itself.
const char *wd_conform_ours(const wd_conform *run, const char *wanted);
/// Forget which id is which.
void wd_conform_forget_ids(wd_conform *run);

/// A fresh device with the fixture apps.
WD_NODISCARD wd_status wd_conform_device(
    const wd_conform *run, const wd_device_hooks *hooks, wd_device **ret_device);
/// Call an operation whose outcome a vector gives: with `refused` it must fail and change nothing, else
/// succeed.
WD_NODISCARD wd_status wd_conform_call(wd_conform *run, wd_device *device, const char *op,
    const wd_value *args, bool refused, wd_value **ret_answer);
/// Judge a status that came from another call of device.h; `before` is the machine's digest before it.
WD_NODISCARD wd_status wd_conform_outcome(wd_conform *run, wd_device *device, wd_digest before,
    wd_status outcome, const wd_error *why, bool refused);
/// A copy of an object without one member; `name` may be absent.
WD_NODISCARD wd_status wd_conform_without(const wd_value *object, const char *name, wd_value **ret_object);

/// Replay one case. Only what keeps the replay itself from going on (memory) is a failure.
typedef wd_status (*wd_conform_kind)(const wd_value *file, const wd_value *one, wd_conform *run);
WD_NODISCARD wd_status wd_conform_lifecycle(const wd_value *file, const wd_value *one, wd_conform *run);
WD_NODISCARD wd_status wd_conform_merge(const wd_value *file, const wd_value *one, wd_conform *run);
WD_NODISCARD wd_status wd_conform_persistence(const wd_value *file, const wd_value *one, wd_conform *run);
WD_NODISCARD wd_status wd_conform_managers(const wd_value *file, const wd_value *one, wd_conform *run);
WD_NODISCARD wd_status wd_conform_permissions(const wd_value *file, const wd_value *one, wd_conform *run);
WD_NODISCARD wd_status wd_conform_providers(const wd_value *file, const wd_value *one, wd_conform *run);
WD_NODISCARD wd_status wd_conform_services(const wd_value *file, const wd_value *one, wd_conform *run);

/// fixture-apps.json, embedded when this is built.
extern const char wd_fixture_apps_text[];
extern const size_t wd_fixture_apps_text_length;

#endif
