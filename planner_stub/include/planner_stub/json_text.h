/// json_text.h - JSON out of cJSON trees. cJSON's own printer loses digits (spec/dependencies.md section 5).
#ifndef PLANNER_STUB_JSON_TEXT_H
#define PLANNER_STUB_JSON_TEXT_H

#include <cjson/cJSON.h>
#include <stddef.h>

enum { WD_JSON_TEXT_DEPTH_MAX = 64 };

/// Compact text of `json`, freed by the caller. Integers below 2^53 print as such, other numbers with 17 digits.
/// @return NULL when it nests deeper than WD_JSON_TEXT_DEPTH_MAX or holds a number that is not finite.
char *wd_json_text(const cJSON *json, size_t *ret_length);

#endif
