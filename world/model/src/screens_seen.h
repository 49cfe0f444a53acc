/// screens_seen.h - how often each screen was seen in a run, and the signals drawn from that.
#ifndef MODEL_SCREENS_SEEN_H
#define MODEL_SCREENS_SEEN_H

#include "place.h"

enum {
    WD_SCREENS_SEEN_MAX = 100 * 1000
};  // different screens counted per run; later new ones count as seen once

/// Count `scene` (NULL: none) in the object *screens_p {digest: times}; *ret_count is how often it was seen, now
/// included; 0 for none.
WD_NODISCARD wd_status wd_screens_count(wd_value **screens_p, const wd_scene *scene, uint32_t *ret_count);

/// The "same page?" key: the semantic scene's, else app and page, else the screen itself; zero when there is none.
WD_NODISCARD wd_status wd_seen_page_key(
    const wd_scene *scene, const wd_semantic *semantic, const wd_place_now *place, wd_digest *ret_key);
static inline bool wd_digest_given(wd_digest digest)
{
    return (digest.high | digest.low) != 0;
}

/// Signals after a step. `keys` are the last two different pages, the newer first.
wd_signals wd_signals_after(const wd_signals *was, const wd_step *step, bool action_repeated,
    bool screen_same, wd_digest key, const wd_digest keys[2]);

#endif
