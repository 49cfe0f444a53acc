/// app_check.h - the rules of DESIGN section 5 that a tool can check on a pack folder: `worldctl app check DIR`.
#ifndef SIM_APP_CHECK_H
#define SIM_APP_CHECK_H

#include "sim/phone.h"

/// Check one pack, `directory`/`id`. Findings are an array of {"rule", "place", "text"} objects, in the order of the
/// rules; empty when the pack keeps them all. A pack that does not even load gives one finding of rule "load".
WD_NODISCARD wd_status wd_app_check(const wd_pack_source *source, const char *directory, const char *id,
    wd_value **ret_findings, wd_error *error);

/// The name of rule `index`, from 0; NULL past the last. For documents and tests.
const char *wd_app_check_rule(size_t index);

#endif
