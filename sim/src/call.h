/// call.h - one call into an app's Lua: what it may see, what it may write, and what it was seen to read.
#ifndef SIM_CALL_H
#define SIM_CALL_H

#include "pack.h"
#include "ui_element.h"

typedef enum wd_call_kind {
    WD_CALL_LOAD,    // app.lua itself
    WD_CALL_SCREEN,  // reads state, view and scratch; gives a screen
    WD_CALL_ACTION,  // also writes its draft and calls operations
    WD_CALL_VIEW,    // reads state
    WD_CALL_ADAPT,   // reads the overlay it is given
} wd_call_kind;

/// What a screen was drawn from. A screen is drawn again when one of these is another node than it was.
typedef enum wd_dep_kind {
    WD_DEP_STATE,    // member `name` of the app's overlay; NULL: the whole overlay
    WD_DEP_OS,       // member `name` of `os`, or member `inner` of that
    WD_DEP_SCRATCH,  // the page's scratch: scroll, fields, focus
    WD_DEP_INTENT,   // the intent the activity was started with
    WD_DEP_TIME,     // virtual time, in units of `unit_ms`
    WD_DEP_UI,       // the platform's scratch, member `name`
    WD_DEP_SYS,      // member `name` of `sys`
} wd_dep_kind;

enum { WD_DEPS_MAX = 48 };

typedef struct wd_dep {
    wd_dep_kind kind;
    const char *name, *inner;  // NULL or kept by the screen's arena
    const char *asked;         // `name` as the reader gave it: mostly the same pointer again; only compared
    int64_t unit_ms, at;       // TIME
    wd_value *value;           // reference, NULL when absent
} wd_dep;

typedef struct wd_deps {
    wd_dep items[WD_DEPS_MAX];
    size_t count;
    bool too_many;  // more was read than fits: the screen is not cached
} wd_deps;

/// The page in front: which app, where in it.
typedef struct wd_page {
    const wd_pack *pack;     // NULL: an app without a pack
    const char *app;         // app id
    const char *activity;    // id, or "home" on the launcher
    const char *path;        // with query
    const wd_value *intent;  // or NULL
} wd_page;

typedef struct wd_call {
    wd_call_kind kind;
    const wd_pack *pack;
    wd_device *device;  // NULL in views and adapters
    wd_page page;
    const wd_value *os;       // visible os, borrowed for the call
    const wd_value *overlay;  // the app's overlay, borrowed for the call
    const wd_value *scratch;  // the page's scratch or NULL
    const wd_value *params;   // of path and query
    const wd_value *args;     // action: its arguments; object
    const char *locale;       // "en" or "zh" once it was asked for, else NULL
    const wd_value *texts;    // strings.json in that language, once one was asked for
    wd_ui_arena *arena;       // what lives as long as the call's result
    wd_deps *deps;            // NULL: nobody asks
    wd_value *draft;          // action: the overlay as written so far; a reference
    bool drafted;             // something was written
    int64_t now_ms;
} wd_call;

/// Note that the call read something. Values are referenced.
void wd_deps_note(wd_call *call, wd_dep_kind kind, const char *name, const char *inner, int64_t unit_ms);
void wd_deps_done(wd_deps *deps);
/// What a dependency reads now, borrowed.
const wd_value *wd_dep_read(const wd_call *call, const wd_dep *dep);
/// Is all that `deps` lists what `call` would read now?
bool wd_deps_hold(const wd_deps *deps, const wd_call *call);

#endif
