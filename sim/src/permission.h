/// permission.h - what apps may do, and the dialogs that ask (os.md 10, D19 to D21).
///
///   os.permissions[app][id]          "granted", "denied", "denied_forever" or (injected only)
///                                    "not_requested"
///   sys.permissions.refusals[app][id]  refusals counted; a second one is for ever
///   sys.permissions.queue            requests, the first one is on the screen:
///     {as, app, perms [asked for], rationale?,                  of every request
///      asked [ids of the dialog], answers {id: status known already}, due (time-out, ms), tick (bool)}  of
///      the first
#ifndef SIM_PERMISSION_H
#define SIM_PERMISSION_H

#include "machine.h"

enum { WD_PERMISSION_TIMEOUT_MS = 60000, WD_PERMISSION_QUEUE_MAX = 256 };

/// The request whose dialog is on the screen, or NULL. Borrowed.
const wd_value *wd_permission_dialog(const wd_machine *machine);
/// Stored status of an app's permission, "not_requested" when nothing is stored. Borrowed.
const char *wd_permission_check(const wd_machine *machine, const char *app, const char *permission);
/// One of the 14 permissions there are?
bool wd_permission_is_known(const char *permission);
/// Write a grant; it forgets refusals (D19).
WD_NODISCARD wd_status wd_permission_grant(wd_machine *machine, const char *app, const char *permission);
/// Write one more refusal; the second is for ever. *ret_status is what was stored, a static text.
WD_NODISCARD wd_status wd_permission_count_refusal(
    wd_machine *machine, const char *app, const char *permission, bool for_ever, const char **ret_status);

extern const wd_op wd_ops_permission_request[];

/// The timer of dialogs nobody answers.
int64_t wd_permission_due_ms(const wd_machine *machine);
WD_NODISCARD wd_status wd_permission_run_due(wd_machine *machine);
/// The clock is set: the open dialog's time-out moves along.
WD_NODISCARD wd_status wd_permission_shift(wd_machine *machine, int64_t ms);

#endif
