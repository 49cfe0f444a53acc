/// script.h - a plan script (README.md): what to do, in order, and what may be skipped because it is done already.
#ifndef PLANNER_STUB_SCRIPT_H
#define PLANNER_STUB_SCRIPT_H

#include "proto/worldd.pb-c.h"

#include <stdbool.h>

enum {
    WD_SCRIPT_RUNS_MAX =
        64,  // runs whose place in the script is remembered; the longest idle one is forgotten
    WD_SCRIPT_PLANS_MAX = 1024,  // plans of one run, for_each unfolded
    WD_SCRIPT_DEPTH_MAX = 8,     // for_each inside each other
    WD_SCRIPT_ERROR_MAX = 256,
};

typedef struct wd_script wd_script;

/// @return NULL: `ret_error` says what is wrong with the text and where.
wd_script *wd_script_parse(const char *text, char ret_error[WD_SCRIPT_ERROR_MAX]);
/// The same from a file.
wd_script *wd_script_load(const char *path, char ret_error[WD_SCRIPT_ERROR_MAX]);
void wd_script_destroy(wd_script **script_p);

/// The next plan of the run that asks: a PlanReply packed, freed by the caller. When the script is at its end the plan
/// is its `finish` step, when it cannot go on an abort that says why.
/// @return NULL: the request cannot be read, or memory is out; `ret_error` says which.
uint8_t *wd_script_plan(wd_script *script, const Worldd__V1__PlanRequest *request, size_t *ret_length,
    char ret_error[WD_SCRIPT_ERROR_MAX]);

/// Did the plan just given end its run (complete or abort in it)?
bool wd_script_ended(const wd_script *script);

#endif
