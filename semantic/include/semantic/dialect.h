/// dialect.h - what models write, read as canonical actions (spec/formats.md section 3).
///
/// A dialect is one model family's way to spell actions. Rules for all of them: a reply that is no action, lacks an
/// argument, names an unknown action or a point outside its range is `invalid` with the reason and the raw text -
/// never a complete, never a silent no-op. A call named inside the reasoning is not the action. Coordinates are in
/// the space that the options say, else in the dialect's own; they are never guessed from the numbers.
///
/// Pure and thread-safe. Time is linear in the text; memory is bounded by WD_REPLY_TEXT_MAX.
#ifndef SEMANTIC_DIALECT_H
#define SEMANTIC_DIALECT_H

#include "scene/action.h"
#include "tree/json.h"

enum {
    WD_REPLY_TEXT_MAX = 1024 * 1024,  // bytes of one reply; a longer one is invalid
    WD_REPLY_ACTIONS_MAX = 32,        // actions of one reply; the first one past it is invalid and the last
};

typedef struct wd_dialect wd_dialect;

typedef struct wd_dialect_options {
    bool has_space;  // `space` holds for every point of the reply; else the dialect's default does
    wd_space space;
    int32_t image_width, image_height;  // of the picture the model saw, bounds of space "model"; 0 unknown
    int32_t display_width, display_height;  // bounds of space "px"; 0 unknown
} wd_dialect_options;

/// By name; case, blanks, '_', '-' and '.' do not matter ("UI-TARS" is "uitars").
/// @retval WD_ENOENT  no such dialect; *ret_dialect is untouched.
WD_NODISCARD wd_status wd_dialect_find(const char *name, const wd_dialect **ret_dialect);
/// All dialects and their other names, NULL past the end; for help texts.
const wd_dialect *wd_dialect_at(size_t index);
const char *wd_dialect_name(const wd_dialect *dialect);
const char *wd_dialect_about(const wd_dialect *dialect);  // one line: models, shape, coordinates
wd_space wd_dialect_space(const wd_dialect *dialect);     // of its points, unless options say otherwise

/// What a reply asks for. At least one action after WD_OK; freed by wd_reply_done().
typedef struct wd_reply {
    wd_action *actions;
    size_t count, capacity;
    char *thought;  // the reasoning beside the actions, trimmed; NULL when there is none
} wd_reply;

/// Read one reply, as the model wrote it. Never refuses: what cannot be read is an action of kind invalid.
/// @param options  NULL: all unknown.
/// @retval WD_ENOMEM  *ret_reply is untouched.
WD_NODISCARD wd_status wd_dialect_parse(const wd_dialect *dialect, const char *text, size_t length,
    const wd_dialect_options *options, wd_reply *ret_reply);
void wd_reply_done(wd_reply *reply);

/// Bring an action's points to pixels of the display: norm1, norm1000 by the display's size, model by the
/// picture's and the display's. Actions without points are left as they are.
/// @retval WD_EINVAL  a size that is needed is not known; the action is unchanged and `error` says which.
WD_NODISCARD wd_status wd_action_to_pixels(
    wd_action *action, const wd_dialect_options *options, wd_error *error);

// ---- replies in a stream (worldctl action) --------------------------------------------------------------------

/// The replies in a text: JSON Lines when every line that is not blank is a JSON string or an object with a string
/// member "raw"; else texts separated by NUL bytes; else the text is one reply. *at starts at 0; each call gives
/// the next reply in *ret_reply (the caller's buffer, emptied first).
/// @retval WD_ENOENT  there are no more.
WD_NODISCARD wd_status wd_replies_next(const char *text, size_t length, size_t *at, wd_buffer *ret_reply);

/// Append the reply's actions, each as one line of canonical JSON (wd_action_to_value, compact) with "\n".
WD_NODISCARD wd_status wd_reply_write(const wd_reply *reply, wd_buffer *buffer);

#endif
