/// DroidBot output folders: events/event_<tag>.json in order of their tags, states/state_<tag>.json joined by hash.
#include "episode_build.h"

#include "loose.h"

#include "tree/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- states ---------------------------------------------------------------------------------------------------

/// A state file: several may carry one hash, some hashes have no file.
typedef struct state_file {
    const char *name, *hash, *app, *activity;
} state_file;

typedef struct state_list {
    state_file *files;
    size_t count, capacity;
} state_list;

/// "pkg/.Act" or "pkg/full.Class": the package, and the class with a leading dot expanded.
static void split_activity(
    wd_recording *recording, wd_span text, const char **ret_app, const char **ret_activity)
{
    const char *slash = memchr(text.at, '/', text.length);
    *ret_app = NULL;
    *ret_activity = NULL;
    if (slash == NULL || slash == text.at) {
        return;
    }
    wd_span package = { text.at, (size_t)(slash - text.at) };
    wd_span name = wd_span_from(text, package.length + 1);
    *ret_app = wd_episode_keep(recording, package.at, package.length);
    if (name.length > 0 && name.at[0] != '.') {
        *ret_activity = wd_episode_keep(recording, name.at, name.length);
    } else if (name.length > 0) {
        wd_buffer whole = { 0 };
        wd_status status = wd_buffer_append(&whole, package.at, package.length);
        if (status == WD_OK) {
            status = wd_buffer_append(&whole, name.at, name.length);
        }
        wd_episode_check(recording, status);
        *ret_activity = wd_episode_keep(recording, whole.bytes, whole.length);
        wd_buffer_done(&whole);
    }
}

static void add_state(wd_recording *recording, state_list *states, const char *name)
{
    wd_value *state = wd_episode_read_json(recording, name, false);
    if (states->count < states->capacity && wd_value_is(state, WD_KIND_OBJECT)) {
        state_file *file = &states->files[states->count++];
        file->name = name;
        file->hash = wd_episode_keep_value(recording, wd_object_get(state, "state_str"));
        split_activity(recording, wd_value_span(wd_object_get(state, "foreground_activity")), &file->app,
            &file->activity);
    }
    wd_value_unref(&state);
}

static bool is_file_of(const char *name, const char *folder)
{
    const char *at = strstr(name, folder);
    return at != NULL && (at == name || at[-1] == '/') && wd_text_ends(name, ".json");
}

/// Name order is tag order.
static void read_states(wd_recording *recording, state_list *states)
{
    size_t count = recording->source.count;
    states->files = wd_alloc_zero(count, sizeof *states->files);
    if (states->files == NULL) {
        wd_episode_check(recording, WD_ENOMEM);
        return;
    }
    states->capacity = count;
    for (size_t i = 0; recording->status == WD_OK && i < count; i++) {
        const char *name = wd_episode_name(recording, i);
        if (is_file_of(name, "states/state_")) {
            add_state(recording, states, name);
        }
    }
}

static int by_hash(const void *a, const void *b)
{
    const state_file *left = a;
    const state_file *right = b;
    int order = strcmp(left->hash == NULL ? "" : left->hash, right->hash == NULL ? "" : right->hash);
    return order != 0 ? order : strcmp(left->name, right->name);
}

/// The first file with this hash; they all show the same screen.
static const state_file *state_of(const state_list *states, const wd_value *hash)
{
    const char *text = wd_value_string_or(hash, "");
    size_t low = 0;
    size_t high = states->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const char *own = states->files[middle].hash;
        bool before = own == NULL || strcmp(own, text) < 0;
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    bool found = low < states->count && text[0] != '\0' && strcmp(states->files[low].hash, text) == 0;
    return found ? &states->files[low] : NULL;
}

// ---- events ---------------------------------------------------------------------------------------------------

/// [[left, top], [right, bottom]] into the step's bounds; returns the middle, rounded down.
static bool view_middle(
    wd_recording *recording, wd_step_record *record, const wd_value *view, double ret_point[2])
{
    const wd_value *bounds = wd_object_get(view, "bounds");
    const wd_value *first = wd_array_at(bounds, 0);
    const wd_value *second = wd_array_at(bounds, 1);
    wd_value *box = NULL;
    if (wd_array_count(first) == 2 && wd_array_count(second) == 2) {
        wd_episode_check(
            recording, wd_value_pack(&box, "[v,v,v,v]", wd_array_at(first, 0), wd_array_at(first, 1),
                           wd_array_at(second, 0), wd_array_at(second, 1)));
    }
    wd_episode_bounds(record, box);
    wd_value_unref(&box);
    wd_rect rect = record->step.bounds;
    ret_point[0] = (double)(((int64_t)rect.left + rect.right) >> 1);
    ret_point[1] = (double)(((int64_t)rect.top + rect.bottom) >> 1);
    return record->step.has_bounds && record->step.bounds_ok &&
           wd_space_holds(WD_SPACE_PX, ret_point[0], ret_point[1]);
}

/// The view acted on: by its id and text always; by a point only when its box is one.
static void target(
    wd_recording *recording, wd_step_record *record, wd_builder *builder, const wd_value *event)
{
    const wd_value *view = wd_object_get(event, "view");
    const wd_value *x = WD_FIRST_OF(event, "x");
    const wd_value *y = WD_FIRST_OF(event, "y");
    const wd_value *text = WD_FIRST_OF(view, "text", "content_description");
    const wd_value *id = WD_FIRST_OF(view, "resource_id");
    double middle[2];
    bool has_middle = view_middle(recording, record, view, middle);
    if (x != NULL && y != NULL) {
        wd_build_xy(builder, x, y);
    } else if (has_middle) {
        builder->now.has_point = !builder->refused;
        builder->now.x = middle[0];
        builder->now.y = middle[1];
    } else if (view == NULL) {
        wd_build_refuse(builder, "neither a point nor a view");
    } else {
        wd_episode_warn(recording, record, "the view's bounds are no box: there is no point to touch");
    }
    record->step.target_text = wd_episode_keep_value(recording, text);
    record->step.target_id = wd_episode_keep_value(recording, id);
    if (wd_value_span(text).length > 0) {
        wd_build_text_maybe(builder, "text", text, &builder->now.target_text);
    }
    if (wd_value_span(id).length > 0) {
        wd_build_text_maybe(builder, "resource_id", id, &builder->now.resource_id);
    }
}

static void swipe(wd_recording *recording, wd_step_record *record, wd_builder *builder, const wd_value *event)
{
    double point[2];
    wd_value *pair = NULL;
    if (WD_FIRST_OF(event, "start_x") != NULL) {
        wd_build_xy(builder, wd_object_get(event, "start_x"), wd_object_get(event, "start_y"));
    } else if (view_middle(recording, record, wd_object_get(event, "start_view"), point)) {
        wd_episode_check(recording, wd_value_pack(&pair, "[d,d]", point[0], point[1]));
        wd_build_point(builder, "start", pair);
        wd_value_unref(&pair);
    } else {
        wd_build_refuse(builder, "the swipe has no start");
    }
    if (WD_FIRST_OF(event, "end_x") != NULL) {
        wd_build_xy2(builder, wd_object_get(event, "end_x"), wd_object_get(event, "end_y"));
    } else if (view_middle(recording, record, wd_object_get(event, "end_view"), point)) {
        wd_episode_check(recording, wd_value_pack(&pair, "[d,d]", point[0], point[1]));
        wd_build_point2(builder, "end", pair);
        wd_value_unref(&pair);
    } else {
        wd_build_refuse(builder, "the swipe has no end");
    }
    wd_build_ms(builder, "duration", WD_FIRST_OF(event, "duration"));
}

/// A shell line: "am start pkg/cls", "am start -n pkg/.Cls", "am force-stop pkg".
static void intent(wd_recording *recording, wd_builder *builder, const wd_value *line)
{
    wd_span text = wd_span_trim(wd_value_span(line));
    size_t stop = wd_span_find(text, "force-stop ");
    bool start =
        wd_span_find(text, "am start ") < text.length || wd_span_find(text, "start-activity") < text.length;
    if (stop < text.length) {
        wd_span package = wd_span_trim(wd_span_from(text, stop + strlen("force-stop ")));
        wd_build_begin(builder, WD_ACTION_CLOSE_APP, text);
        wd_build_string(builder, package, &builder->now.app);
        wd_build_end(builder);
        return;
    }
    // The component is the word with a slash that is no option's value of another kind ("scheme://...").
    const char *app = NULL;
    const char *activity = NULL;
    for (size_t at = 0; start && at < text.length;) {
        const char *blank = memchr(text.at + at, ' ', text.length - at);
        size_t end = blank == NULL ? text.length : (size_t)(blank - text.at);
        wd_span word = { text.at + at, end - at };
        if (wd_span_find(word, "/") < word.length && wd_span_find(word, "://") == word.length) {
            split_activity(recording, word, &app, &activity);
        }
        at = end + 1;
    }
    wd_build_begin(builder, WD_ACTION_LAUNCH_APP, text);
    if (app == NULL) {
        wd_build_refuse(builder, "the intent names no activity");
    } else {
        wd_build_string(builder, (wd_span){ app, strlen(app) }, &builder->now.app);
    }
    if (activity != NULL) {
        wd_build_string(builder, (wd_span){ activity, strlen(activity) }, &builder->now.activity);
    }
    wd_build_end(builder);
}

static void key_event(wd_builder *builder, const wd_value *event)
{
    // MENU is the menu key here, not the button for recent apps.
    wd_build_key(builder, wd_value_string_or(wd_object_get(event, "name"), ""), (wd_span){ "", 0 });
    wd_build_end(builder);
}

static void take_event(
    wd_recording *recording, wd_step_record *record, wd_builder *builder, const wd_value *event)
{
    static const wd_name_kind kinds[] = {
        { "touch", WD_ACTION_TAP },
        { "select", WD_ACTION_TAP },
        { "unselect", WD_ACTION_TAP },
        { "longtouch", WD_ACTION_LONG_PRESS },
        { "swipe", WD_ACTION_SWIPE },
        { "scroll", WD_ACTION_SCROLL },
        { "settext", WD_ACTION_TYPE },
        { "key", WD_ACTION_KEY },
        { "intent", WD_ACTION_LAUNCH_APP },
        { "killapp", WD_ACTION_CLOSE_APP },
        { "manual", WD_ACTION_NOOP },
        { "exit", WD_ACTION_COMPLETE },
    };
    const char *type = wd_value_string_or(wd_object_get(event, "event_type"), "");
    char plain[WD_NAME_SIZE];
    wd_plain_name(type, plain);
    wd_action_kind kind = wd_kind_of(kinds, WD_COUNT_OF(kinds), plain);
    wd_span none = { "", 0 };
    if (kind == WD_ACTION_KIND_COUNT) {
        wd_build_invalid(builder, none, "unknown event type %.60s", type);
        return;
    }
    if (kind == WD_ACTION_LAUNCH_APP || kind == WD_ACTION_CLOSE_APP) {
        intent(recording, builder, WD_FIRST_OF(event, "intent", "stop_intent"));
        return;
    }
    if (kind == WD_ACTION_KEY) {
        key_event(builder, event);
        return;
    }
    wd_build_begin(builder, kind, none);
    if (kind == WD_ACTION_SWIPE) {
        swipe(recording, record, builder, event);
    } else if (kind == WD_ACTION_COMPLETE) {
        wd_build_string(builder, (wd_span){ "unknown", 7 }, &builder->now.status);
    } else if (kind != WD_ACTION_NOOP) {
        target(recording, record, builder, event);
    }
    if (kind == WD_ACTION_SCROLL) {
        wd_build_direction(builder, "direction", wd_object_get(event, "direction"), WD_DIR_OF_CONTENT);
    } else if (kind == WD_ACTION_LONG_PRESS) {
        wd_build_ms(builder, "duration", WD_FIRST_OF(event, "duration"));
    } else if (kind == WD_ACTION_TYPE) {
        wd_build_typed(builder, "text", wd_object_get(event, "text"));
        builder->now.clear = !builder->refused;  // it sets the whole text
    }
    wd_build_end(builder);
}

// ---- time -----------------------------------------------------------------------------------------------------

/// "2020-08-29_220159", read as UTC. -1 when it is no such tag.
static int64_t tag_time(const char *name)
{
    int part[6];
    const char *tag = strstr(name, "event_");
    if (tag == NULL || sscanf(tag, "event_%4d-%2d-%2d_%2d%2d%2d", &part[0], &part[1], &part[2], &part[3],
                           &part[4], &part[5]) != 6) {
        return -1;
    }
    // Days since 1970 of a date, counted from March so that leap days come last.
    int64_t year = part[1] <= 2 ? part[0] - 1 : part[0];
    int64_t month = part[1] <= 2 ? part[1] + 9 : part[1] - 3;
    int64_t day_of_year = (153 * month + 2) / 5 + part[2] - 1;
    int64_t days = 365 * year + year / 4 - year / 100 + year / 400 + day_of_year - 719468;
    return (((days * 24 + part[3]) * 60 + part[4]) * 60 + part[5]) * 1000;
}

// ---- steps ----------------------------------------------------------------------------------------------------

static void take_states(wd_step_record *record, const state_list *states, const wd_value *root)
{
    const state_file *start = state_of(states, wd_object_get(root, "start_state"));
    const state_file *stop = state_of(states, wd_object_get(root, "stop_state"));
    if (start != NULL) {
        record->screen = start->name;
        record->step.has_screen = true;
        record->step.app_before = start->app;
        record->step.activity_before = start->activity;
    }
    if (stop != NULL) {
        record->screen_after = stop->name;
        record->step.has_screen_after = true;
        record->step.app_after = stop->app;
        record->step.activity_after = stop->activity;
    }
}

static void take_step(wd_recording *recording, const state_list *states, const char *name)
{
    wd_step_record *record = wd_episode_step_add(recording);
    wd_buffer buffer = { 0 };
    if (record == NULL || !wd_episode_read(recording, name, &buffer)) {
        return;
    }
    const char *slash = strrchr(name, '/');
    record->step.id = slash == NULL ? name : slash + 1;
    record->step.time_ms = tag_time(record->step.id);
    wd_span text = wd_span_trim((wd_span){ buffer.bytes, buffer.length });
    wd_value *root = NULL;
    wd_error error = { .text = "" };
    wd_status status = wd_loose_parse(text.at, text.length, &root, NULL, &error);
    wd_builder builder = wd_episode_builder(recording, record);
    if (status == WD_ENOMEM) {
        builder.status = status;
    } else if (status != WD_OK) {
        wd_build_invalid(&builder, text, "%s", text.length == 0 ? "empty file" : error.text);
    } else {
        take_event(recording, record, &builder, wd_object_get(root, "event"));
        take_states(record, states, root);
    }
    wd_episode_builder_end(recording, record, &builder);
    wd_value_unref(&root);
    wd_buffer_done(&buffer);
}

void wd_episode_droidbot(wd_recording *recording)
{
    if (recording->source.count == 0 || wd_episode_begin(recording, WD_SPACE_PX) == NULL) {
        return;
    }
    state_list states = { 0 };
    read_states(recording, &states);
    if (states.count > 0) {
        qsort(states.files, states.count, sizeof *states.files, by_hash);
    }
    for (size_t i = 0; recording->status == WD_OK && i < recording->source.count; i++) {
        const char *name = wd_episode_name(recording, i);
        if (is_file_of(name, "events/event_")) {
            take_step(recording, &states, name);
        }
    }
    wd_free(states.files, states.capacity * sizeof *states.files);
}
