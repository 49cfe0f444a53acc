/// conform.h - replay recorded behaviour of a device and say where ours differs (vectors/README-device.md).
///
/// Pure: a parsed file in, a report out. A file of the same format that nobody has seen replays as well.
#ifndef SIM_CONFORM_H
#define SIM_CONFORM_H

#include "tree/value.h"

typedef struct wd_conform_counts {
    size_t cases, hold, fail;  // a sequence is one case
} wd_conform_counts;

/// Told once for each case that fails: its id, and the first difference as text, e.g.
/// "step 3 (os.handleBack): state.tasks[0].stack: 2 elements wanted, 1 found". Borrowed.
typedef void (*wd_conform_report)(void *context, const char *id, const char *difference);

/// The device kinds: lifecycle, lifecycle-walks, merge, persistence, managers, permissions, providers,
/// services.
const char *const *wd_device_conform_kinds(size_t *ret_count);

/// Replay `file` as one of `kind`. @param report  May be NULL.
/// @retval WD_ENOENT no such kind. @retval WD_ETYPE the file has no list of cases. Nothing was replayed.
WD_NODISCARD wd_status wd_device_conform(const char *kind, const wd_value *file, wd_conform_report report,
    void *context, wd_conform_counts *ret_counts, wd_error *error);

#endif
