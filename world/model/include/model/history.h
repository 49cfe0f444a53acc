/// history.h - a ring of the last N executed steps: the scene acted in, the action and its outcome.
#ifndef MODEL_HISTORY_H
#define MODEL_HISTORY_H

#include "scene/action.h"
#include "scene/semantic_scene.h"

enum {
    WD_HISTORY_COUNT_DEFAULT = 10,
    WD_HISTORY_COUNT_MAX = 4096,
};

typedef struct wd_world_event {
    uint32_t step_index;
    wd_scene *scene;        // acted in; NULL when there was none
    wd_semantic *semantic;  // of that scene; NULL when there was none
    char *app, *page;       // current when the step was taken; NULL unknown
    wd_action action;
    wd_value *args;  // as planned, or NULL
    wd_outcome outcome;
    const char *code;  // static
} wd_world_event;

typedef struct wd_history wd_history;

/// @param count_max  0..WD_HISTORY_COUNT_MAX; 0 keeps nothing.
WD_NODISCARD wd_status wd_history_new(size_t count_max, wd_history **ret_history);
void wd_history_destroy(wd_history **history_p);
/// An independent history with the same events (scenes are shared).
WD_NODISCARD wd_status wd_history_fork(const wd_history *history, wd_history **ret_fork);
/// Takes the content of *event (zeroes it); the oldest event makes room. Cannot fail: the ring is allocated once.
void wd_history_push(wd_history *history, wd_world_event *event);
void wd_world_event_done(wd_world_event *event);
size_t wd_history_count(const wd_history *history);
/// 0 is the oldest. Borrowed until the next push.
const wd_world_event *wd_history_at(const wd_history *history, size_t index);
/// Compact: {"step","app"?,"page"?,"digest"?,"action","args"?,"outcome","code"}.
WD_NODISCARD wd_status wd_world_event_to_value(const wd_world_event *event, wd_value **ret_value);

#endif
