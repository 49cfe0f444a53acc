/// seen_screens.h - the screens of a phone that worldd does not embed, read one after the other: what only a
/// sequence shows (the app behind, a screen that is suspiciously the same) needs the one before, and bounds
/// need the largest display seen.
#ifndef RUNTIME_SEEN_SCREENS_H
#define RUNTIME_SEEN_SCREENS_H

#include "scene/scene.h"

/// Zeroed is empty.
typedef struct wd_seen_screens {
    wd_scene *last;         // that could be read
    int32_t width, height;  // the largest display seen; 0: none
} wd_seen_screens;
void wd_seen_screens_done(wd_seen_screens *seen);

/// One screen as it was captured; borrowed.
typedef struct wd_screen_post {
    const char *bytes;
    size_t length;
    const char *format;     // name; NULL: told from the content
    const char *companion;  // dumpsys text; NULL: none
    size_t companion_length;
    int32_t width, height;  // of the display; 0: as seen before
} wd_screen_post;

/// Read it. A screen that cannot be read is no error: *ret_scene stays NULL and ret_failure says why.
/// @retval WD_ENOENT  the format's name is none; `error` says so. @retval WD_ENOMEM.
WD_NODISCARD wd_status wd_seen_screens_read(const wd_seen_screens *seen, const wd_screen_post *post,
    wd_scene **ret_scene, wd_error *ret_failure, wd_error *error);
/// It is what was seen last.
void wd_seen_screens_remember(wd_seen_screens *seen, const wd_scene *scene);

#endif
