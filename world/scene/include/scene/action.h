/// action.h - the canonical action (spec/formats.md section 3.1), the planned step around it and its result.
#ifndef SCENE_ACTION_H
#define SCENE_ACTION_H

#include "tree/value.h"

//    name           text
#define WD_ACTION_TABLE(X)                                                                                   \
    X(TAP, "tap")                                                                                            \
    X(DOUBLE_TAP, "double_tap")                                                                              \
    X(LONG_PRESS, "long_press")                                                                              \
    X(TYPE, "type")                                                                                          \
    X(CLEAR_TEXT, "clear_text")                                                                              \
    X(SWIPE, "swipe")                                                                                        \
    X(DRAG, "drag")                                                                                          \
    X(SCROLL, "scroll")                                                                                      \
    X(BACK, "back")                                                                                          \
    X(HOME, "home")                                                                                          \
    X(RECENTS, "recents")                                                                                    \
    X(ENTER, "enter")                                                                                        \
    X(KEY, "key")                                                                                            \
    X(LAUNCH_APP, "launch_app")                                                                              \
    X(CLOSE_APP, "close_app")                                                                                \
    X(WAIT, "wait")                                                                                          \
    X(ANSWER, "answer")                                                                                      \
    X(ASK_USER, "ask_user")                                                                                  \
    X(NOTE, "note")                                                                                          \
    X(COMPLETE, "complete")                                                                                  \
    X(ABORT, "abort")                                                                                        \
    X(NOOP, "noop")                                                                                          \
    X(INVALID, "invalid")

typedef enum wd_action_kind {
#define X(name, text) WD_ACTION_##name,
    WD_ACTION_TABLE(X)
#undef X
        WD_ACTION_KIND_COUNT,
} wd_action_kind;

const char *wd_action_kind_name(wd_action_kind kind);
/// @retval WD_ENOENT  unknown name; *ret_kind is untouched.
WD_NODISCARD wd_status wd_action_kind_parse(const char *name, wd_action_kind *ret_kind);
/// tap .. close_app and wait touch the device; answer, ask_user, note, complete, abort, noop, invalid do not.
bool wd_action_is_physical(wd_action_kind kind);

typedef enum wd_space {
    WD_SPACE_PX,        // pixels of the display
    WD_SPACE_NORM1,     // 0..1
    WD_SPACE_NORM1000,  // 0..1000
    WD_SPACE_MODEL,     // the model's own pixels, of an image size given elsewhere
    WD_SPACE_COUNT,
} wd_space;
const char *wd_space_name(wd_space space);  // "px", "norm1", "norm1000", "model"
/// @retval WD_ENOENT  unknown name; *ret_space is untouched.
WD_NODISCARD wd_status wd_space_parse(const char *name, wd_space *ret_space);
/// Inside the space? norm1 0..1, norm1000 0..1000, px and model 0..WD_ACTION_POINT_MAX. NaN is in none.
bool wd_space_holds(wd_space space, double x, double y);

typedef enum wd_direction { WD_DIR_NONE, WD_DIR_UP, WD_DIR_DOWN, WD_DIR_LEFT, WD_DIR_RIGHT } wd_direction;
const char *wd_direction_name(wd_direction direction);  // "none", "up", ...
/// @retval WD_ENOENT  not "up", "down", "left" or "right"; *ret_direction is untouched.
WD_NODISCARD wd_status wd_direction_parse(const char *name, wd_direction *ret_direction);

/// Whose direction it is: scrolling content down is a finger moving up.
typedef enum wd_direction_of { WD_DIR_OF_CONTENT, WD_DIR_OF_FINGER } wd_direction_of;

enum {
    WD_ACTION_TEXT_MAX = 64 * 1024,      // bytes of one text argument
    WD_ACTION_MS_MAX = 3600 * 1000,      // longest wait or press
    WD_ACTION_POINT_MAX = 1000 * 1000,   // largest coordinate in pixels
    WD_ACTION_AMOUNT_MAX = 1000 * 1000,  // largest scroll amount
};

/// One action with all its arguments. Strings are owned by the action (NULL = not given) and freed by
/// wd_action_done(); a zeroed struct with wd_action_init() is a valid empty action.
typedef struct wd_action {
    wd_action_kind kind;
    bool has_point, has_point2;
    double x, y, x2, y2;  // in `space`
    wd_space space;
    int32_t node;   // target by node id, -1 none
    int32_t index;  // element index as a dialect gave it, -1 none
    // Target by selector; all given parts must match.
    char *resource_id;  // whole id, or the part after "id/"
    char *target_text;  // text or description, exactly; trimmed on both sides
    char *role;
    int32_t ordinal;     // which of several matches, from 0; -1: there must be exactly one
    char *text;          // typed text, answer, question, note, message
    bool clear, submit;  // type: replace what is there; press enter afterwards
    wd_direction direction;
    wd_direction_of direction_of;
    char *distance;  // swipe, scroll: how far in the dialect's words ("short", "medium", "long")
    double amount;   // scroll: how far as a number, in the dialect's own unit; -1 not given
    char *app;       // launch_app, close_app: pack id, package, or name
    char *activity;
    char *key;     // key: its name, e.g. "volume_up"
    int64_t ms;    // wait, long_press, swipe: duration; -1 not given
    char *status;  // complete: "success", "failure", "unknown"
    char *reason;  // abort, invalid: why
    char *raw;     // the dialect's own text
} wd_action;

/// An action of that kind with nothing said: no target, no text. Never fails, allocates nothing.
void wd_action_init(wd_action *action, wd_action_kind kind);
void wd_action_done(wd_action *action);  // drops its strings
/// *ret_copy is initialised by this call.
WD_NODISCARD wd_status wd_action_copy(const wd_action *action, wd_action *ret_copy);
/// Replace one of the action's strings by a copy of text[0..length); `text` NULL takes the string away.
/// @retval WD_EUTF8   no UTF-8, or with U+0000.
/// @retval WD_ELIMIT  longer than WD_ACTION_TEXT_MAX. On every error the field keeps what it held.
WD_NODISCARD wd_status wd_action_set_text(char **field, const char *text, size_t length);
bool wd_action_has_selector(const wd_action *action);
/// The same action with the same arguments? `raw` is how it was spelled and counts for `invalid` only; points,
/// direction_of count only where the action has a point, a direction.
bool wd_action_equal(const wd_action *a, const wd_action *b);
/// The way the finger moves in a swipe, drag or scroll: from the two points (longer axis; equal: vertical), else
/// from the direction, turned round when it is the content's. WD_DIR_NONE when nothing says so.
wd_direction wd_action_finger(const wd_action *action);

/// {"kind":"tap","x":..,"y":..,"space":"px",...}: only what is given; "selector":{"resource_id","text","role",
/// "ordinal"}; "direction_of":"content"|"finger".
WD_NODISCARD wd_status wd_action_to_value(const wd_action *action, wd_value **ret_value);
/// The same without "kind" and "raw": the arguments as a planner would give them.
WD_NODISCARD wd_status wd_action_args_to_value(const wd_action *action, wd_value **ret_args);
/// Read an action from a planned step's arguments. Unknown members are left alone (the step keeps its args).
/// @retval WD_ENOENT    unknown kind.
/// @retval WD_EINVAL    a member of the wrong type or out of range; `error` names it ("args.x: ...").
WD_NODISCARD wd_status wd_action_from_value(
    const char *kind, const wd_value *args, wd_action *ret_action, wd_error *error);

// ---- planned step and result ----------------------------------------------------------------------------------

typedef struct wd_step {
    wd_action action;
    wd_value *args;  // object as planned, `remember` included; NULL when none
    char *thought;   // NULL when none
} wd_step;

void wd_step_done(wd_step *step);

typedef enum wd_outcome {
    WD_OUTCOME_OK,       // executed, and it succeeded
    WD_OUTCOME_FAILED,   // executed, and it failed
    WD_OUTCOME_REFUSED,  // not executed: target gone or ambiguous, unknown action, bad arguments
} wd_outcome;
const char *wd_outcome_name(wd_outcome outcome);  // "ok", "failed", "refused"

typedef struct wd_result {
    wd_outcome outcome;
    wd_status status;  // WD_OK when outcome is ok
    const char *code;  // "ok", "target_gone", "target_ambiguous", "target_missing", "unknown_action",
                       // "bad_arguments", "no_such_app", "no_effect", ...; static
    char text[WD_ERROR_TEXT_MAX];  // for people; "" when there is nothing to say
} wd_result;

wd_result wd_result_ok(void);
wd_result wd_result_make(wd_outcome outcome, wd_status status, const char *code, const char *format, ...)
    WD_PRINTF(4, 5);

#endif
