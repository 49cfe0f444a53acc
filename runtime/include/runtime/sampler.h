/// sampler.h - values for a template's parameters, drawn by its rules (judge.md 8.3, decision J14).
///
/// A rule is an object. Where values come from, the first that is there:
///   "source": path        into the state: a list gives its elements, anything else is the only candidate; with
///                         "each": true an object gives its members' values
///   "view": {app, name, args?}   what the app's view gives (Lua, pure), read likewise
///   "values": [...]       of the template itself
///   "type": "bool" | "int" (min, max, step?) | "float" (min, max, round?) | "string" (pattern)
/// "where": {place: wanted} keeps the candidates whose places hold that (values or operators, earlier parameters put
/// in). "field": path takes that part of the one drawn; "fields": {parameter: path} takes several, each a parameter.
#ifndef RUNTIME_SAMPLER_H
#define RUNTIME_SAMPLER_H

#include "runtime/draw.h"
#include "sim/phone.h"

enum { WD_SAMPLER_PARAMETERS_MAX = 64, WD_SAMPLER_CANDIDATES_MAX = 100 * 1000 };

/// Draw what is missing, in the order declared, so that later rules can refer to earlier parameters.
///
/// @param host      For views; NULL: rules that want one are refused.
/// @param rules     {parameter: rule}; NULL is none.
/// @param state     {apps, os} to draw from.
/// @param params_p  Object of what is given already, which stays: its draws are made all the same, so that giving one
///                  parameter leaves the others what they were. Completed in place.
/// @retval WD_ENOENT  nothing to draw from. @retval WD_EINVAL, WD_ETYPE, WD_EPARSE  the rule is wrong.
///                    `error` names the parameter.
WD_NODISCARD wd_status wd_sample(wd_host *host, const wd_value *rules, const wd_value *state, wd_draw *draw,
    wd_value **params_p, wd_error *error);

#endif
