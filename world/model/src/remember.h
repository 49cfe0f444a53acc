/// remember.h - variables come only from a step's `args.remember`; taken whole or refused whole, with the reason.
#ifndef MODEL_REMEMBER_H
#define MODEL_REMEMBER_H

#include "model/world_model.h"

/// @param ret_variables  New reference, also when nothing was taken (a refusal is no failure; `report` tells it).
WD_NODISCARD wd_status wd_remember(const wd_value *variables, const wd_step *step, const wd_result *result,
    const wd_world_options *options, wd_observe_report *report, wd_value **ret_variables);

#endif
