/// episode_build.h - a recording under way: what the readers of single formats fill.
#ifndef SEMANTIC_EPISODE_BUILD_H
#define SEMANTIC_EPISODE_BUILD_H

#include "dialect_build.h"
#include "semantic/episode.h"

/// Where a step's screen is read from.
typedef enum wd_screen_place {
    WD_PLACE_NONE,
    WD_PLACE_FILE,      // a file of the source, read by wd_screen_read()
    WD_PLACE_ELEMENTS,  // AndroidWorld: a list of elements that wd_screen_read() reads once it is printed
    WD_PLACE_ROUTE,     // app and route alone, no nodes
    WD_PLACE_BOXES,     // AITZ: the step's own arrays of boxes, texts and types
    WD_PLACE_LINES,     // Mobile-Agent: "[x, y];text: ...;class: ..."
} wd_screen_place;

typedef struct wd_step_record {
    wd_episode_step step;
    wd_reply reply;  // owns the actions
    wd_screen_place place;
    const char *screen, *screen_after;  // files
    wd_value *inline_screen;            // for the other places
} wd_step_record;

typedef struct wd_episode {
    wd_episode_header header;
    wd_step_record *steps;
    size_t capacity;
} wd_episode;

struct wd_recording {
    wd_file_source source;
    wd_episode_format format;
    wd_recording_options options;
    wd_dialect_options sizes;  // bounds of points; none are known here
    wd_episode *episodes;
    size_t count, capacity;
    size_t step_total;
    char **texts;  // strings of headers and steps
    size_t text_count, text_capacity;
    size_t *order;  // the source's names, sorted
    wd_error *error;
    wd_status status;  // the first thing that went wrong; readers stop on it
};

/// Note what went wrong, unless something did before.
void wd_episode_fail(wd_recording *recording, wd_status status, const char *format, ...) WD_PRINTF(3, 4);
/// Note the status of a call that only runs out of memory.
void wd_episode_check(wd_recording *recording, wd_status status);

/// A new episode, the last one from now on; its space is `space` unless the options say otherwise. NULL on failure.
wd_episode *wd_episode_begin(wd_recording *recording, wd_space space);
/// A new step of the last episode: executed, ok, nothing known. NULL on failure; valid until the next one.
wd_step_record *wd_episode_step_add(wd_recording *recording);
/// Builder of the step's actions, for recorded arguments; close it with wd_episode_builder_end().
wd_builder wd_episode_builder(wd_recording *recording, wd_step_record *record);
void wd_episode_builder_end(wd_recording *recording, wd_step_record *record, wd_builder *builder);
/// The actions of a model's raw reply. Its reasoning becomes the step's thought when it has none.
void wd_episode_reply(wd_recording *recording, wd_step_record *record,
    void (*parse)(wd_builder *builder, wd_reply_text *text), wd_span raw);
/// The step was not carried out: an invalid action with this reason.
void wd_episode_not_executed(
    wd_recording *recording, wd_step_record *record, wd_span raw, const char *reason);
void wd_episode_warn(wd_recording *recording, wd_step_record *record, const char *format, ...)
    WD_PRINTF(3, 4);
/// Follow launches and home through the last episode: fills app_before where nothing is there, and final_app.
void wd_episode_track_apps(wd_recording *recording);

/// A copy that lives as long as the recording; NULL for NULL, and when memory is short.
const char *wd_episode_keep(wd_recording *recording, const char *text, size_t length);
const char *wd_episode_keep_value(
    wd_recording *recording, const wd_value *text);  // NULL unless a string or number
wd_span wd_value_span(const wd_value *text);         // empty unless a string

/// Read a file of the source; false, and the buffer empty, when it is not there or a failure was noted.
bool wd_episode_read(wd_recording *recording, const char *name, wd_buffer *buffer);
/// The same, as JSON; NULL when it is not there or broken (only `needed` notes a failure then). Drop the reference.
wd_value *wd_episode_read_json(wd_recording *recording, const char *name, bool needed);
/// The records of a file: JSON objects one after another, one per line, or in an array. Broken ones are passed over
/// up to the next line that begins with a brace; the number of these is returned.
typedef void wd_record_taker(wd_recording *recording, const wd_value *record, void *context);
size_t wd_episode_records(wd_recording *recording, const char *name, wd_record_taker *take, void *context);
/// The main file: the only one, or the one whose name ends so.
const char *wd_episode_main_name(const wd_recording *recording, const char *tail);
/// The recorded box [left, top, right, bottom] as the step's bounds; anything else changes nothing.
void wd_episode_bounds(wd_step_record *record, const wd_value *box);
/// The source's names in byte order.
const char *wd_episode_name(const wd_recording *recording, size_t index);
bool wd_episode_has_name(const wd_recording *recording, const char *name);
/// The shortest name that ends with `tail` at a folder's border; NULL when there is none.
const char *wd_episode_name_ending(const wd_recording *recording, const char *tail);

// One per format: fill the recording.
void wd_episode_androidcontrol(wd_recording *recording);
void wd_episode_aitz(wd_recording *recording);
void wd_episode_androidworld(wd_recording *recording);
void wd_episode_droidbot(wd_recording *recording);
void wd_episode_mobileagent_v2(wd_recording *recording);
void wd_episode_mobileagent_e(wd_recording *recording);
void wd_episode_appagent(wd_recording *recording);
void wd_episode_mobilegym(wd_recording *recording);
void wd_episode_odyssey(wd_recording *recording);
void wd_episode_maestro(wd_recording *recording);
void wd_episode_droidrun(wd_recording *recording);
void wd_episode_screens(wd_recording *recording);

/// The format of the recording by its names and content; WD_EPISODE_AUTO when it is none we know, with the reason
/// noted when it is one that is refused.
wd_episode_format wd_episode_recognise(wd_recording *recording);

/// AndroidWorld's elements as the text that wd_screen_read() reads: a history's "UI element 3: {...}" with its box
/// beside it becomes an element with a box in it.
WD_NODISCARD wd_status wd_episode_elements_text(const wd_value *elements, wd_buffer *buffer);
/// The scene of an inline screen of another kind. As wd_recording_scene().
WD_NODISCARD wd_status wd_episode_inline_scene(const wd_step_record *record, wd_scene **ret_scene);

#endif
