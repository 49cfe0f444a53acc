/// task.h - a bound task: what the agent is asked to do, with its parameters filled in.
///
/// The document (tasks/<suite>/<name>.json) is read by the strict reader; its fields are documented in docs/tasks.md.
/// `{name}` in the instruction, the setup, the events and the user's words becomes the parameter; the judge fills in
/// what it reads itself (judge.md 2.4, 2.5).
#ifndef RUNTIME_TASK_H
#define RUNTIME_TASK_H

#include "tree/value.h"

enum {
    WD_TASK_TEXT_MAX = 16 * 1024,  // bytes of an instruction
    WD_TASK_STEPS_DEFAULT = 30,
    WD_TASK_STEPS_MAX = 10 * 1000,
};

typedef struct wd_task {
    wd_value *document;      // the whole bound document: the judge's `task`
    const char *id;          // borrowed from the document, never empty
    char *instruction;       // parameters filled in
    const wd_value *params;  // object, borrowed
    const wd_value *apps;    // array of texts, borrowed; NULL when not given
    const wd_value *setup;   // patch injected before the run, borrowed; or NULL
    const wd_value *events;  // array (task_event.h), borrowed; or NULL
    const wd_value *user;    // {question part: reply} of the simulated user, borrowed; or NULL
    uint32_t step_limit;
} wd_task;

/// Bind a task document to parameters (object or NULL, over the document's own `params`).
/// @retval WD_EINVAL, WD_ETYPE  `error` names the field.
WD_NODISCARD wd_status wd_task_bind(
    const wd_value *document, const wd_value *params, wd_task *ret_task, wd_error *error);
void wd_task_done(wd_task *task);

/// Does everything that the judge reads name parameters that are there?
/// @retval WD_EINVAL  `error` names the member and the parameter.
WD_NODISCARD wd_status wd_task_check_names(const wd_task *task, wd_error *error);

/// `value` with the parameters put in, at any depth, keys included: a text that is one `{name}` becomes the parameter
/// itself, kind and all; `{name}` inside a text becomes its text; what names no parameter stays.
WD_NODISCARD wd_status wd_task_fill(const wd_value *value, const wd_value *params, wd_value **ret_filled);
/// The simulated user's words: the first entry whose key occurs in the question, "" for everything else. Borrowed.
const char *wd_task_user_reply(const wd_task *task, const char *question);
WD_NODISCARD wd_status wd_task_copy(const wd_task *task, wd_task *ret_copy);

#endif
