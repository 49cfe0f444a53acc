/// services.h - the small services of the OS (os.md 12): one array of operations each, and what other parts
/// call.
///
///   os.shade                    {open, kind: "notifications" | "control"}
///   os.services.keyboard        {visible, mode: "en" | "zh", height}
///   os.services.alarm_manager   {alarms: {"<ownerPackage>:<id>": alarm}}; the OS never fires alarms
///   os.services.media_session   {active: session or null}
///   os.services.location        {mode, simulatedLocation, simulateError}
///   os.clipboard                {current, history [newest first]}
///   os.notifications            {items [newest first], unreadCount}
///   sys.headsUp                 {id, due}: the notice that hangs over the screen until then; absent when
///                               there is none
///   os.launcher                 the layout (launcher.c); os.fileSystem  {nodes [sorted by path]}
///                               (file_system.c)
///   sys.receivers               [{action, as, priority, throws?}]
#ifndef SIM_SERVICES_H
#define SIM_SERVICES_H

#include "coerce.h"
#include "machine.h"

extern const wd_op wd_ops_shade[], wd_ops_keyboard[], wd_ops_alarm[], wd_ops_media_session[], wd_ops_time[],
    wd_ops_location[], wd_ops_pending_intent[], wd_ops_broadcast[], wd_ops_file_system[], wd_ops_launcher[];

/// The timer of minute ticks.
int64_t wd_minute_due_ms(const wd_machine *machine);
WD_NODISCARD wd_status wd_minute_run_due(wd_machine *machine);

/// The timer that takes a notice off the screen.
int64_t wd_heads_up_due_ms(const wd_machine *machine);
WD_NODISCARD wd_status wd_heads_up_run_due(wd_machine *machine);

/// What a stored clipboard says is put in order: no entry but objects with texts as type and content, the
/// present one first.
WD_NODISCARD wd_status wd_clipboard_adopt(wd_machine *machine);

/// Post a notice (os.md 12, notifications): normalised; stored and announced unless the app's switch is off.
WD_NODISCARD wd_status wd_notification_push(
    wd_machine *machine, const wd_value *input, wd_value **ret_stored);
/// Run a pending intent's token; one that is none is ignored.
WD_NODISCARD wd_status wd_pending_intent_send(wd_machine *machine, const char *token, wd_error *error);

/// The default layout: apps with a role on the hotseat, all others on screens in install order (launcher.c).
WD_NODISCARD wd_status wd_launcher_boot(wd_machine *machine);
/// The nodes that the defaults list by path (file_system.c).
WD_NODISCARD wd_status wd_file_system_boot(wd_machine *machine, const wd_value *seed, wd_error *error);
/// The node of a path, or NULL. Borrowed.
const wd_value *wd_file_find(const wd_machine *machine, wd_slice path);

#endif
