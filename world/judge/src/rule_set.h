/// rule_set.h - compiled rules, as the parts of the judge read them.
#ifndef JUDGE_RULE_SET_H
#define JUDGE_RULE_SET_H

#include "judge/rules.h"

#include "tree/path.h"

typedef struct wd_criterion {
    wd_value *field;  // the key with its parameters: a string
    wd_value *wanted;
    bool route;       // judged on the screen in front, not on the state
    wd_path *path;    // what is left of the key below its app; NULL for route
    wd_value *place;  // the key as an absolute path, text; NULL for route
    wd_path *place_path;
} wd_criterion;

struct wd_rules {
    wd_value *task;
    const wd_value *apps, *params;  // members of the task; NULL when absent
    wd_criterion *criteria;
    size_t criteria_count;
    wd_value *declared;    // expected_changes with their parameters
    wd_expectations *set;  // compiled once when no path depends on the states; else NULL
    bool broken;
    wd_error error;
};

/// The set to judge two states by: borrowed from the rules, or made for these states and owned by *ret_own.
WD_NODISCARD wd_status wd_rules_expectations(const wd_rules *rules, const wd_value *initial,
    const wd_value *final, const wd_expectations **ret_set, wd_expectations **ret_own, wd_error *error);

/// {apps, os} of a state and nothing else; what is missing or null is an empty object (judge.md 4.1).
WD_NODISCARD wd_status wd_rules_visible(const wd_value *state, wd_value **ret_visible);

#endif
