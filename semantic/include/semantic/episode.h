/// episode.h - recordings of other tools' agents: their steps as canonical actions, their screens as scenes.
///
/// A recording is a file or a folder; it holds one or more episodes. Reading is pure: bytes come from a file source
/// that the caller provides, scenes are read one at a time when asked for. What a recording does not say stays
/// unknown. Nothing is guessed from the task's text or from single coordinates.
#ifndef SEMANTIC_EPISODE_H
#define SEMANTIC_EPISODE_H

#include "scene/action.h"
#include "scene/scene.h"
#include "tree/json.h"

enum {
    WD_RECORDING_FILE_MAX = 256 * 1024 * 1024,  // bytes of one file
    WD_RECORDING_FILES_MAX = 100 * 1000,
    WD_RECORDING_EPISODES_MAX = 100 * 1000,
    WD_RECORDING_STEPS_MAX = 1000 * 1000,  // of all episodes together
};

//    name             text                          about
#define WD_EPISODE_FORMAT_TABLE(X)                                                                           \
    X(AUTO, "auto", "by content")                                                                            \
    X(ANDROIDCONTROL, "androidcontrol_uis1_jsonl", "AndroidControl, JSON Lines as UI-S1 stores them")        \
    X(AITZ, "aitz_episode", "Android in the Zoo: a JSON array of steps")                                     \
    X(ANDROIDWORLD, "androidworld_history_json", "AndroidWorld history as JSON; no pickles")                 \
    X(DROIDBOT, "droidbot_episode", "DroidBot output folder: events/, states/")                              \
    X(MOBILEAGENT_V2, "mobileagent_v2_log", "Mobile-Agent v2: log.txt, ui.txt")                              \
    X(MOBILEAGENT_E, "mobileagent_e_log", "Mobile-Agent-E: a JSON array of operations")                      \
    X(APPAGENT, "appagent_log", "AppAgent: a JSON record per line, or a demonstration's record.txt")         \
    X(MOBILEGYM, "mobilegym_run", "MobileGym run folder, trajectory folder or trajectory.json")              \
    X(ODYSSEY, "gui_odyssey", "GUI-Odyssey annotation")                                                      \
    X(MAESTRO, "maestro_commands", "Maestro commands-*.json, put in order of time")                          \
    X(DROIDRUN, "droidrun_macro", "droidrun macro.json")                                                     \
    X(SCREENS, "screens_only_episode", "a folder of screen dumps, in order of name")

typedef enum wd_episode_format {
#define X(name, text, about) WD_EPISODE_##name,
    WD_EPISODE_FORMAT_TABLE(X)
#undef X
        WD_EPISODE_FORMAT_COUNT,
} wd_episode_format;

const char *wd_episode_format_name(wd_episode_format format);
const char *wd_episode_format_about(wd_episode_format format);
/// The name, or a short one: "androidcontrol", "aitz", "androidworld", "droidbot", "mobileagent", "mobilegym", ...
/// @retval WD_ENOENT  unknown name; *ret_format is untouched.
WD_NODISCARD wd_status wd_episode_format_parse(const char *name, wd_episode_format *ret_format);

/// Where the bytes are. Names are paths below the recording with '/', in any order; a recording that is one file has
/// one name. `read` appends the whole file to the buffer, at most WD_RECORDING_FILE_MAX bytes. `context` and names
/// must live as long as the recording.
typedef struct wd_file_source {
    void *context;
    const char *const *names;
    size_t count;
    wd_status (*read)(void *context, const char *name, wd_buffer *buffer, wd_error *error);
} wd_file_source;

/// Zeroed options are the defaults.
typedef struct wd_recording_options {
    bool has_space;  // coordinates are meant in `space`, whatever the format's default is
    wd_space space;
} wd_recording_options;

/// Strings are borrowed from the recording; NULL: not said.
typedef struct wd_episode_header {
    wd_episode_format format;
    const char *episode_id, *task_id, *task;
    const char *agent, *model;
    wd_space space;       // of the actions' points
    wd_tristate success;  // as recorded
    const char *stop_reason;
    int64_t declared_length;  // steps the recording says it has; -1 not said
    size_t step_count;
    const char *final_app;  // known after the last step, as app_before is before one
    const char *warning;    // about the episode as a whole
} wd_episode_header;

enum { WD_EPISODE_STEP_WARNINGS_MAX = 4 };

typedef struct wd_episode_step {
    int64_t number;   // the recording's own; -1 none
    const char *id;   // file of the event or screen; NULL none
    int64_t time_ms;  // since 1970 as recorded (DroidBot tags read as UTC); -1 not said
    const wd_action *actions;
    size_t action_count;        // 0: screens only; several when a shortcut was carried out
    bool executed;              // carried out on the device, as far as the recording says
    const char *executed_text;  // in the recording's own words; NULL when it has none
    wd_outcome outcome;         // of what was executed
    const char *outcome_code;   // "ok", "failed", "no_effect", "not_executed"; static
    // Known before the step: the route or screen recorded with it, else the last launch that was carried out;
    // "(launcher)" after home. Never the task's text.
    const char *app_before, *activity_before;
    const char *page_before, *page_path;     // route with and without its query
    bool has_screen, has_screen_after;       // wd_recording_scene() has something to read
    const char *app_after, *activity_after;  // DroidBot: of the stop state
    const char *thought;
    // The element acted on, where the recording shows it.
    bool has_bounds, bounds_ok;  // ok: width and height are positive
    wd_rect bounds;
    const char *target_text, *target_id;
    const char *box_space;  // AITZ: "px_of_screenshot" or "norm1"; NULL elsewhere
    const char *warnings[WD_EPISODE_STEP_WARNINGS_MAX];
    size_t warning_count;
} wd_episode_step;

typedef struct wd_recording wd_recording;

/// Read a recording; scenes are left for later. `options` may be NULL. The source is copied, what it points to not.
///
/// @retval WD_EUNSUPPORTED  no known format, or one that is refused (pickles): `error` says why.
/// @retval WD_ECORRUPT      the format's main file is broken.
/// @retval WD_ELIMIT, WD_ENOMEM, or what source->read returned.
WD_NODISCARD wd_status wd_recording_open(const wd_file_source *source, wd_episode_format format,
    const wd_recording_options *options, wd_recording **ret_recording, wd_error *error);
void wd_recording_close(wd_recording **recording_p);

size_t wd_recording_count(const wd_recording *recording);  // episodes
const wd_episode_header *wd_recording_header(const wd_recording *recording, size_t episode);
const wd_episode_step *wd_recording_step(const wd_recording *recording, size_t episode, size_t step);

/// The screen before (or after) a step. `previous`: the scene before this one, for what only a sequence shows
/// (background app, size, stale trees); NULL none.
/// @retval WD_ENOENT  the recording has none there. Others as wd_screen_read().
WD_NODISCARD wd_status wd_recording_scene(const wd_recording *recording, size_t episode, size_t step,
    bool after, const wd_scene *previous, wd_scene **ret_scene, wd_error *error);

#endif
