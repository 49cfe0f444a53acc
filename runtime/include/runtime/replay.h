/// replay.h - execute a recorded episode again, or run a foreign recording through WorldModel alone.
#ifndef RUNTIME_REPLAY_H
#define RUNTIME_REPLAY_H

#include "runtime/episode.h"
#include "sim/phone.h"

typedef struct wd_replay_report {
    size_t steps;          // replayed
    size_t digests_equal;  // of the machine after a step, with outcome and scene
    size_t steps_recorded;
    bool diverged;
    size_t diverged_step;                // index of the first step that differs
    char divergence[WD_ERROR_TEXT_MAX];  // what differs there: digest, outcome, and the first differing path
    bool cut;                            // the recording ends before its end
    size_t bytes_lost;
} wd_replay_report;

/// Told after each step; may be NULL.
typedef void (*wd_replay_progress)(void *context, const wd_value *step_line, bool equal);

/// Execute the recorded actions on a phone restored from the recorded machine.
/// @param keep_going  Go on after a step that differs, and count; else stop there. The report tells the first.
/// @param host  With the packs of the recording; other packs are told as a divergence at step 0 only if digests differ.
/// @retval WD_EUNSUPPORTED  not recorded on the embedded phone.
WD_NODISCARD wd_status wd_replay_active(wd_host *host, const wd_episode *episode, bool keep_going,
    wd_replay_progress progress, void *context, wd_replay_report *ret_report, wd_error *error);

/// One step of a passive replay.
typedef struct wd_passive_step {
    size_t index;
    const char *name;                 // file or step name of the recording, or ""
    const wd_world_state *world;      // after it
    const wd_action *action;          // that led to this scene; NULL for the first
    const wd_observe_report *report;  // NULL for the first
    const wd_scene *scene;            // NULL: the capture failed
    const char *failure;              // why; "" otherwise
    const wd_result *result;          // of the action; NULL for the first
    const char *const *warnings;      // of a foreign recording
    size_t warning_count;
} wd_passive_step;
typedef void (*wd_passive_visit)(void *context, const wd_passive_step *step);

/// A recorded worldd episode through WorldModel alone: its scenes, actions and results as they stand.
WD_NODISCARD wd_status wd_replay_passive(const wd_episode *episode, const wd_run_options *options,
    wd_passive_visit visit, void *context, wd_error *error);

/// A recording of another tool, a file or a folder (semantic/episode.h; a folder of UI dumps is one), every episode in it through a WorldModel of its
/// own. `format` NULL or "auto": by content.
/// @param directory  When not NULL each episode is written there as a worldd episode, named by its place in the recording.
/// @retval WD_ENOENT no such path or format. @retval WD_EUNSUPPORTED no format that we read; `error` says why.
WD_NODISCARD wd_status wd_replay_recording(const char *path, const char *format,
    const wd_run_options *options, const char *directory, wd_passive_visit visit, void *context,
    wd_error *error);

#endif
