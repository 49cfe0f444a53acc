/// intent.h - matching intents with the filters of manifests, and launching what was found (os.md 3.7).
#ifndef SIM_INTENT_H
#define SIM_INTENT_H

#include "machine.h"

/// Does one filter of a manifest take `intent`?
bool wd_intent_filter_matches(const wd_value *filter, const wd_value *intent);
/// The first filter of a manifest that takes `intent`; NULL when none does. Borrowed.
const wd_value *wd_intent_match(const wd_value *manifest, const wd_value *intent);
/// One entry {app, route, launchMode} for each app with a matching filter, in install order (D7).
WD_NODISCARD wd_status wd_intent_matches(
    const wd_machine *machine, const wd_value *intent, wd_value **ret_matches);

typedef struct wd_launch {
    const char *target;      // app id
    const wd_value *intent;  // object
    const char *caller_app;  // app of the activity that asked
    const char *callback;    // name, for a result; NULL: none
    bool new_task;
    bool for_result;
} wd_launch;

/// Start an activity of a known target; *ret_launched is false, and nothing has changed, when it refuses.
WD_NODISCARD wd_status wd_launch_target(wd_machine *machine, const wd_launch *launch, bool *ret_launched);

/// Open the chooser.
WD_NODISCARD wd_status wd_chooser_ask(wd_machine *machine, const wd_launch *launch, const wd_value *matches);
/// Close it and launch. Nothing when none is open. @retval WD_ENOENT the app is not listed; it stays open
/// (D7).
WD_NODISCARD wd_status wd_chooser_choose(wd_machine *machine, const char *app, wd_error *error);

#endif
