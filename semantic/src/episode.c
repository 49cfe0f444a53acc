#include "semantic/episode.h"

#include "episode_build.h"

#include "semantic/screen.h"
#include "tree/alloc.h"

#include <string.h>

// ---- formats --------------------------------------------------------------------------------------------------

static const struct {
    const char *name, *about;
} formats[WD_EPISODE_FORMAT_COUNT] = {
#define X(name, text, about) [WD_EPISODE_##name] = { text, about },
    WD_EPISODE_FORMAT_TABLE(X)
#undef X
};

static void (*const loaders[WD_EPISODE_FORMAT_COUNT])(wd_recording *recording) = {
    [WD_EPISODE_ANDROIDCONTROL] = wd_episode_androidcontrol,
    [WD_EPISODE_AITZ] = wd_episode_aitz,
    [WD_EPISODE_ANDROIDWORLD] = wd_episode_androidworld,
    [WD_EPISODE_DROIDBOT] = wd_episode_droidbot,
    [WD_EPISODE_MOBILEAGENT_V2] = wd_episode_mobileagent_v2,
    [WD_EPISODE_MOBILEAGENT_E] = wd_episode_mobileagent_e,
    [WD_EPISODE_APPAGENT] = wd_episode_appagent,
    [WD_EPISODE_MOBILEGYM] = wd_episode_mobilegym,
    [WD_EPISODE_ODYSSEY] = wd_episode_odyssey,
    [WD_EPISODE_MAESTRO] = wd_episode_maestro,
    [WD_EPISODE_DROIDRUN] = wd_episode_droidrun,
    [WD_EPISODE_SCREENS] = wd_episode_screens,
};

const char *wd_episode_format_name(wd_episode_format format)
{
    wd_assert((unsigned)format < WD_EPISODE_FORMAT_COUNT);
    return formats[format].name;
}

const char *wd_episode_format_about(wd_episode_format format)
{
    wd_assert((unsigned)format < WD_EPISODE_FORMAT_COUNT);
    return formats[format].about;
}

wd_status wd_episode_format_parse(const char *name, wd_episode_format *ret_format)
{
    static const struct {
        const char *name;
        wd_episode_format format;
    } others[] = {
        { "androidcontrol", WD_EPISODE_ANDROIDCONTROL },
        { "aitz", WD_EPISODE_AITZ },
        { "androidworld", WD_EPISODE_ANDROIDWORLD },
        { "droidbot", WD_EPISODE_DROIDBOT },
        { "mobileagent", WD_EPISODE_MOBILEAGENT_V2 },
        { "mobileagent_v2", WD_EPISODE_MOBILEAGENT_V2 },
        { "mobileagent_e", WD_EPISODE_MOBILEAGENT_E },
        { "appagent", WD_EPISODE_APPAGENT },
        { "mobilegym", WD_EPISODE_MOBILEGYM },
        { "mobilegym_trajectory", WD_EPISODE_MOBILEGYM },
        { "odyssey", WD_EPISODE_ODYSSEY },
        { "maestro", WD_EPISODE_MAESTRO },
        { "droidrun", WD_EPISODE_DROIDRUN },
        { "screens", WD_EPISODE_SCREENS },
        { "dumps", WD_EPISODE_SCREENS },
    };
    for (int i = 0; i < WD_EPISODE_FORMAT_COUNT; i++) {
        if (strcmp(formats[i].name, name) == 0) {
            *ret_format = (wd_episode_format)i;
            return WD_OK;
        }
    }
    for (size_t i = 0; i < WD_COUNT_OF(others); i++) {
        if (strcmp(others[i].name, name) == 0) {
            *ret_format = others[i].format;
            return WD_OK;
        }
    }
    return WD_ENOENT;
}

// ---- opening --------------------------------------------------------------------------------------------------

void wd_recording_close(wd_recording **recording_p)
{
    wd_recording *recording = *recording_p;
    *recording_p = NULL;
    if (recording == NULL) {
        return;
    }
    for (size_t e = 0; e < recording->count; e++) {
        wd_episode *episode = &recording->episodes[e];
        for (size_t i = 0; i < episode->header.step_count; i++) {
            wd_reply_done(&episode->steps[i].reply);
            wd_value_unref(&episode->steps[i].inline_screen);
        }
        wd_free(episode->steps, episode->capacity * sizeof *episode->steps);
    }
    for (size_t i = 0; i < recording->text_count; i++) {
        wd_free(recording->texts[i], strlen(recording->texts[i]) + 1);
    }
    wd_free(recording->texts, recording->text_capacity * sizeof *recording->texts);
    wd_free(recording->episodes, recording->capacity * sizeof *recording->episodes);
    wd_free(recording->order, recording->source.count * sizeof *recording->order);
    wd_free(recording, sizeof *recording);
}

/// Merge sort of the names' places: stable, and n log n whatever the order of the source is.
static void sort_names(const char *const *names, size_t *order, size_t *spare, size_t count)
{
    if (count < 2) {
        return;
    }
    size_t half = count / 2;
    sort_names(names, order, spare, half);
    sort_names(names, order + half, spare, count - half);
    memcpy(spare, order, half * sizeof *order);
    size_t left = 0;
    size_t right = half;
    for (size_t at = 0; left < half; at++) {
        bool take_right = right < count && strcmp(names[order[right]], names[spare[left]]) < 0;
        order[at] = take_right ? order[right++] : spare[left++];
    }
}

static wd_status order_names(wd_recording *recording)
{
    size_t count = recording->source.count;
    if (count == 0) {
        return WD_OK;
    }
    size_t *spare = wd_alloc_zero(count, sizeof *spare);
    recording->order = wd_alloc_zero(count, sizeof *recording->order);
    if (spare == NULL || recording->order == NULL) {
        wd_free(spare, count * sizeof *spare);
        return WD_ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        recording->order[i] = i;
    }
    sort_names(recording->source.names, recording->order, spare, count);
    wd_free(spare, count * sizeof *spare);
    return WD_OK;
}

static void load(wd_recording *recording)
{
    if (recording->format == WD_EPISODE_AUTO) {
        recording->format = wd_episode_recognise(recording);
    }
    if (recording->status != WD_OK) {
        return;
    }
    if (recording->format == WD_EPISODE_AUTO) {
        wd_episode_fail(recording, WD_EUNSUPPORTED, "no recording of a known format");
        return;
    }
    loaders[recording->format](recording);
    if (recording->status == WD_OK && recording->count == 0) {
        wd_episode_fail(recording, WD_ECORRUPT, "no episode in it");
    }
}

wd_status wd_recording_open(const wd_file_source *source, wd_episode_format format,
    const wd_recording_options *options, wd_recording **ret_recording, wd_error *error)
{
    wd_assert((unsigned)format < WD_EPISODE_FORMAT_COUNT);
    if (source->count > WD_RECORDING_FILES_MAX) {
        return wd_error_set(
            error, WD_ELIMIT, "%zu files are more than %d", source->count, WD_RECORDING_FILES_MAX);
    }
    wd_recording *recording = wd_alloc_zero(1, sizeof *recording);
    if (recording == NULL) {
        return WD_ENOMEM;
    }
    recording->source = *source;
    recording->format = format;
    recording->error = error;
    if (options != NULL) {
        recording->options = *options;
    }
    recording->status = order_names(recording);
    if (recording->status == WD_OK) {
        load(recording);
    }
    wd_status status = recording->status;
    recording->error = NULL;
    if (status != WD_OK) {
        wd_recording_close(&recording);
        return status;
    }
    *ret_recording = recording;
    return WD_OK;
}

// ---- asking ---------------------------------------------------------------------------------------------------

size_t wd_recording_count(const wd_recording *recording)
{
    return recording->count;
}

const wd_episode_header *wd_recording_header(const wd_recording *recording, size_t episode)
{
    return episode < recording->count ? &recording->episodes[episode].header : NULL;
}

static const wd_step_record *record_at(const wd_recording *recording, size_t episode, size_t step)
{
    if (episode >= recording->count || step >= recording->episodes[episode].header.step_count) {
        return NULL;
    }
    return &recording->episodes[episode].steps[step];
}

const wd_episode_step *wd_recording_step(const wd_recording *recording, size_t episode, size_t step)
{
    const wd_step_record *record = record_at(recording, episode, step);
    return record == NULL ? NULL : &record->step;
}

static wd_status read_screen(wd_span bytes, wd_screen_format format, const wd_scene *previous,
    const wd_episode_step *step, wd_scene **ret_scene, wd_error *error)
{
    wd_screen_options options = {
        .format = format, .previous = previous, .captured_at_ms = step->time_ms > 0 ? step->time_ms : 0
    };
    if (previous != NULL) {
        options.width = wd_scene_info_of(previous)->width;
        options.height = wd_scene_info_of(previous)->height;
    }
    return wd_screen_read(bytes.at, bytes.length, &options, ret_scene, error);
}

wd_status wd_recording_scene(const wd_recording *recording, size_t episode, size_t step, bool after,
    const wd_scene *previous, wd_scene **ret_scene, wd_error *error)
{
    const wd_step_record *record = record_at(recording, episode, step);
    const char *name = record == NULL ? NULL : after ? record->screen_after : record->screen;
    if (record == NULL || (name == NULL && (after || record->place == WD_PLACE_NONE))) {
        return WD_ENOENT;
    }
    wd_screen_format format = WD_SCREEN_AUTO;
    wd_buffer bytes = { 0 };
    wd_status status;
    if (name != NULL) {
        const wd_file_source *source = &recording->source;
        status = source->read(source->context, name, &bytes, error);
    } else if (record->place == WD_PLACE_ELEMENTS) {
        format = WD_SCREEN_ANDROIDWORLD_JSON;
        status = wd_episode_elements_text(record->inline_screen, &bytes);
    } else {
        return wd_episode_inline_scene(record, ret_scene);
    }
    if (status == WD_OK) {
        wd_span text = { bytes.bytes == NULL ? "" : bytes.bytes, bytes.length };
        status = read_screen(text, format, previous, &record->step, ret_scene, error);
    }
    wd_buffer_done(&bytes);
    return status;
}
