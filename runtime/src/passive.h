/// passive.h - scenes and actions recorded elsewhere, fed to a WorldModel one by one; told to a visitor and, when wanted,
/// written as a worldd episode.
#ifndef RUNTIME_PASSIVE_H
#define RUNTIME_PASSIVE_H

#include "runtime/replay.h"

typedef struct wd_passive {
    wd_world_model *model;
    bool semantic;
    size_t index;               // of the next step told
    uint32_t step_index;        // of the next step written
    wd_scene *scene;            // the last one fed, NULL when that capture failed
    wd_episode_writer *writer;  // borrowed; NULL: nothing is written
    wd_passive_visit visit;
    void *context;
} wd_passive;

WD_NODISCARD wd_status wd_passive_start(wd_passive *passive, const wd_run_options *options,
    wd_episode_writer *writer, wd_passive_visit visit, void *context, wd_error *error);
void wd_passive_done(wd_passive *passive);

/// One thing to feed; all borrowed.
typedef struct wd_passive_input {
    const char *name;             // "" when it has none
    const wd_scene *scene;        // NULL: the capture failed
    const wd_semantic *semantic;  // as recorded; NULL: made from the scene when that is on
    const wd_step *step;          // that led here; NULL: the first scene
    const wd_result *result;      // of the step
    const char *failure;          // why there is no scene; "" otherwise
    const char *const *warnings;
    size_t warning_count;
} wd_passive_input;

/// @retval WD_ENOMEM, or WD_EIO of the writer with `error` set.
WD_NODISCARD wd_status wd_passive_feed(wd_passive *passive, const wd_passive_input *input, wd_error *error);

#endif
