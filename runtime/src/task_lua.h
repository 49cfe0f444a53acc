/// task_lua.h - a task's own check, written in Lua, in the sandbox of the app host: pure, bounded in instructions and
/// memory, with the library of docs/apps.md and nothing else - no files, no world data, no time. What an app alone can
/// resolve, the task declares as views, which are read before the script runs.
///
/// The script defines `function check(input)`. `input` has `init` and `final` (states {os, apps}), `params`, and
/// `answer` (absent when nothing was answered), and `views`: {name: {init, final}} of what the task declares in "views". It returns a list of {field, passed, expected, actual}.
#ifndef RUNTIME_TASK_LUA_H
#define RUNTIME_TASK_LUA_H

#include "judge/verdict.h"
#include "runtime/task_check.h"

enum {
    WD_TASK_LUA_MAX = 64 * 1024,  // bytes of a script
    WD_TASK_VIEWS_MAX = 64,
};

/// Run the script in the task document's "lua".
/// @param ret_checks  Array of checks, `expected` null where the script gave none.
/// @retval WD_EUNSUPPORTED, WD_ENOENT, WD_EINVAL, WD_ELIMIT  a view cannot be read: `error` names it.
/// @retval WD_ESCRIPT  it does not load, raises, loops, or returns something else: `error` names file and line.
WD_NODISCARD wd_status wd_task_lua_check(
    const wd_task_judging *judging, const wd_judge_input *input, wd_value **ret_checks, wd_error *error);

#endif
