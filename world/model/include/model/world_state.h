/// world_state.h - WorldState: what the agent knows (DESIGN section 4). Read-only to all but the WorldModel.
#ifndef MODEL_WORLD_STATE_H
#define MODEL_WORLD_STATE_H

#include "model/history.h"

enum {
    WD_VARIABLES_COUNT_MAX = 256,        // names; the default, configurable downwards and up to the _LIMIT
    WD_VARIABLES_BYTES_MAX = 64 * 1024,  // bytes of all variables as compact JSON; default
    WD_VARIABLES_COUNT_LIMIT = 4096,
    WD_VARIABLES_BYTES_LIMIT = 4 * 1024 * 1024,
    WD_LAST_CHANGE_TEXT_MAX = 160,
};

/// Where a current app or page comes from; static texts.
#define WD_SOURCE_SEMANTIC "semantic"
#define WD_SOURCE_SCENE "scene"
#define WD_SOURCE_ACTION "action"

/// Loop and progress signals (bugs.md 57, 60, 67), counted over this run.
typedef struct wd_signals {
    uint32_t same_screen_streak;  // steps in a row that ended on this very screen, 0 after a change
    uint32_t same_page_streak;    // the same, by the "same page?" key
    uint32_t repeated_action;     // equal actions in a row on a screen that did not change
    uint32_t no_effect;           // steps in a row that changed nothing on screen
    uint32_t ping_pong;           // A-B-A-B alternations of pages in a row
} wd_signals;

typedef struct wd_world_state {
    const char *current_app;         // package or id as the scene gives it; NULL unknown
    const char *current_app_source;  // WD_SOURCE_*; NULL with the app
    const char *current_page;        // NULL unknown
    const char *current_page_source;
    bool stale;                 // nothing told app and page after the last step: they are older
    const wd_value *variables;  // object, never NULL
    const wd_history *history;  // never NULL; empty when its size is 0
    uint32_t step_index;        // steps observed so far
    uint32_t repeat_count;      // times this very screen was seen in this run, now included; 0: no screen
    const char *last_change;    // what the last step changed, never NULL
    wd_signals signals;
} wd_world_state;

/// {"current_app",...,"variables":{},"history":[compact events],"signals":{}}: absent members left out. Episodes leave
/// the history out (`with_history` false): their steps are the history.
WD_NODISCARD wd_status wd_world_state_to_value(
    const wd_world_state *state, bool with_history, wd_value **ret_value);
WD_NODISCARD wd_status wd_signals_to_value(const wd_signals *signals, wd_value **ret_value);

#endif
