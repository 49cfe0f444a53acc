#include "episode_build.h"

#include "loose.h"

#include "tree/alloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void wd_episode_fail(wd_recording *recording, wd_status status, const char *format, ...)
{
    if (recording->status != WD_OK) {
        return;
    }
    recording->status = status;
    char text[WD_ERROR_TEXT_MAX];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    (void)wd_error_set(recording->error, status, "%s", text);
}

void wd_episode_check(wd_recording *recording, wd_status status)
{
    if (recording->status == WD_OK) {
        recording->status = status;
    }
}

/// Room for one more element of `size` bytes; the array moves. False when memory is short.
static bool grow(wd_recording *recording, void **array_p, size_t count, size_t *capacity_p, size_t size)
{
    if (count < *capacity_p) {
        return true;
    }
    size_t capacity = *capacity_p == 0 ? 4 : 2 * *capacity_p;
    void *array = wd_realloc(*array_p, *capacity_p * size, capacity * size);
    if (array == NULL) {
        wd_episode_check(recording, WD_ENOMEM);
        return false;
    }
    *array_p = array;
    *capacity_p = capacity;
    return true;
}

// ---- texts ----------------------------------------------------------------------------------------------------

const char *wd_episode_keep(wd_recording *recording, const char *text, size_t length)
{
    void *texts = recording->texts;
    if (text == NULL || recording->status != WD_OK) {
        return NULL;
    }
    bool room =
        grow(recording, &texts, recording->text_count, &recording->text_capacity, sizeof *recording->texts);
    recording->texts = texts;
    char *copy = room ? wd_strndup(text, length) : NULL;
    if (copy == NULL) {
        wd_episode_check(recording, WD_ENOMEM);
        return NULL;
    }
    recording->texts[recording->text_count++] = copy;
    return copy;
}

wd_span wd_value_span(const wd_value *text)
{
    wd_span span = { "", 0 };
    if (wd_value_is(text, WD_KIND_STRING)) {
        span.at = wd_value_as_string(text, &span.length);
    }
    return span;
}

const char *wd_episode_keep_value(wd_recording *recording, const wd_value *text)
{
    if (text != NULL && wd_value_is_number(text)) {
        wd_buffer buffer = { 0 };
        wd_episode_check(recording, wd_scalar_text(text, &buffer));
        const char *kept = wd_episode_keep(recording, buffer.bytes, buffer.length);
        wd_buffer_done(&buffer);
        return kept;
    }
    wd_span span = wd_value_span(text);
    return wd_value_is(text, WD_KIND_STRING) ? wd_episode_keep(recording, span.at, span.length) : NULL;
}

// ---- episodes and steps ---------------------------------------------------------------------------------------

wd_episode *wd_episode_begin(wd_recording *recording, wd_space space)
{
    if (recording->status == WD_OK && recording->count == WD_RECORDING_EPISODES_MAX) {
        wd_episode_fail(recording, WD_ELIMIT, "more than %d episodes", WD_RECORDING_EPISODES_MAX);
    }
    void *episodes = recording->episodes;
    bool room = recording->status == WD_OK && grow(recording, &episodes, recording->count,
                                                  &recording->capacity, sizeof *recording->episodes);
    recording->episodes = episodes;
    if (!room) {
        return NULL;
    }
    wd_episode *episode = &recording->episodes[recording->count++];
    *episode = (wd_episode){ .header = {
                                 .format = recording->format,
                                 .space = recording->options.has_space ? recording->options.space : space,
                                 .declared_length = -1,
                             } };
    return episode;
}

wd_step_record *wd_episode_step_add(wd_recording *recording)
{
    wd_assert(recording->count > 0);
    wd_episode *episode = &recording->episodes[recording->count - 1];
    if (recording->status == WD_OK && recording->step_total == WD_RECORDING_STEPS_MAX) {
        wd_episode_fail(recording, WD_ELIMIT, "more than %d steps", WD_RECORDING_STEPS_MAX);
    }
    void *steps = episode->steps;
    bool room = recording->status == WD_OK && grow(recording, &steps, episode->header.step_count,
                                                  &episode->capacity, sizeof *episode->steps);
    episode->steps = steps;
    if (!room) {
        return NULL;
    }
    recording->step_total++;
    wd_step_record *record = &episode->steps[episode->header.step_count++];
    *record = (wd_step_record){ .step = {
                                    .number = -1,
                                    .time_ms = -1,
                                    .executed = true,
                                    .outcome = WD_OUTCOME_OK,
                                    .outcome_code = "ok",
                                } };
    return record;
}

wd_builder wd_episode_builder(wd_recording *recording, wd_step_record *record)
{
    return (wd_builder){
        .reply = &record->reply,
        .options = &recording->sizes,
        .space = recording->episodes[recording->count - 1].header.space,
        .recorded = true,
    };
}

void wd_episode_builder_end(wd_recording *recording, wd_step_record *record, wd_builder *builder)
{
    wd_episode_check(recording, builder->status);
    record->step.actions = record->reply.actions;
    record->step.action_count = record->reply.count;
    if (record->step.thought == NULL && record->reply.thought != NULL) {
        record->step.thought = record->reply.thought;
    }
    for (size_t i = 0; i < record->reply.count; i++) {
        if (record->reply.actions[i].kind == WD_ACTION_INVALID) {
            record->step.executed = false;
            record->step.outcome = WD_OUTCOME_REFUSED;
            record->step.outcome_code = "not_executed";
        }
    }
}

void wd_episode_reply(wd_recording *recording, wd_step_record *record,
    void (*parse)(wd_builder *builder, wd_reply_text *text), wd_span raw)
{
    wd_builder builder = wd_episode_builder(recording, record);
    wd_reply_text text;
    builder.status = wd_reply_text_init(&text, raw.at, raw.length < WD_REPLY_TEXT_MAX ? raw.length : 0);
    if (builder.status == WD_OK) {
        parse(&builder, &text);
        if (builder.status == WD_OK && record->reply.count == 0) {
            wd_build_invalid(&builder, raw, "no action in the recorded reply");
        }
        if (record->step.thought == NULL && record->reply.thought == NULL && text.thought.length > 0) {
            record->step.thought = wd_episode_keep(recording, text.thought.at, text.thought.length);
        }
        wd_reply_text_done(&text);
    }
    wd_episode_builder_end(recording, record, &builder);
}

void wd_episode_not_executed(wd_recording *recording, wd_step_record *record, wd_span raw, const char *reason)
{
    wd_builder builder = wd_episode_builder(recording, record);
    wd_build_invalid(&builder, raw, "%.200s", reason);
    wd_episode_builder_end(recording, record, &builder);
}

void wd_episode_warn(wd_recording *recording, wd_step_record *record, const char *format, ...)
{
    char text[WD_ERROR_TEXT_MAX];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (record->step.warning_count < WD_EPISODE_STEP_WARNINGS_MAX) {
        const char *kept = wd_episode_keep(recording, text, strlen(text));
        if (kept != NULL) {
            record->step.warnings[record->step.warning_count++] = kept;
        }
    }
}

void wd_episode_track_apps(wd_recording *recording)
{
    if (recording->count == 0) {
        return;
    }
    wd_episode *episode = &recording->episodes[recording->count - 1];
    const char *app = NULL;
    for (size_t i = 0; i < episode->header.step_count; i++) {
        wd_step_record *record = &episode->steps[i];
        if (record->step.app_before == NULL) {
            record->step.app_before = app;
        }
        for (size_t n = 0; record->step.executed && n < record->reply.count; n++) {
            const wd_action *action = &record->reply.actions[n];
            if (action->kind == WD_ACTION_HOME) {
                app = "(launcher)";
            } else if (action->kind == WD_ACTION_LAUNCH_APP && record->step.outcome == WD_OUTCOME_OK) {
                app = action->app;
            }
        }
    }
    episode->header.final_app = app;
}

// ---- files ----------------------------------------------------------------------------------------------------

const char *wd_episode_name(const wd_recording *recording, size_t index)
{
    return index < recording->source.count ? recording->source.names[recording->order[index]] : NULL;
}

bool wd_episode_has_name(const wd_recording *recording, const char *name)
{
    size_t low = 0;
    size_t high = recording->source.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(wd_episode_name(recording, middle), name);
        if (order == 0) {
            return true;
        }
        low = order < 0 ? middle + 1 : low;
        high = order < 0 ? high : middle;
    }
    return false;
}

const char *wd_episode_name_ending(const wd_recording *recording, const char *tail)
{
    const char *found = NULL;
    for (size_t i = 0; i < recording->source.count; i++) {
        const char *name = wd_episode_name(recording, i);
        size_t border = strlen(name) - strlen(tail);
        bool whole = wd_text_ends(name, tail) && (border == 0 || name[border - 1] == '/');
        if (whole && (found == NULL || strlen(name) < strlen(found))) {
            found = name;
        }
    }
    return found;
}

static bool is_pickle(const wd_buffer *buffer)
{
    const char *bytes = buffer->bytes;
    bool gzip = buffer->length > 2 && memcmp(bytes, "\x1f\x8b", 2) == 0;
    return gzip || (buffer->length > 2 && (unsigned char)bytes[0] == 0x80 && bytes[1] > 0 && bytes[1] < 6);
}

bool wd_episode_read(wd_recording *recording, const char *name, wd_buffer *buffer)
{
    if (recording->status != WD_OK || !wd_episode_has_name(recording, name)) {
        return false;
    }
    wd_status status = recording->source.read(recording->source.context, name, buffer, recording->error);
    if (status == WD_OK) {
        status = wd_buffer_append(buffer, "", 0);  // so that an empty file has bytes to point to
    }
    wd_episode_check(recording, status);
    if (status == WD_OK && buffer->length > WD_RECORDING_FILE_MAX) {
        wd_episode_fail(recording, WD_ELIMIT, "%s: more than %d bytes", name, WD_RECORDING_FILE_MAX);
    } else if (status == WD_OK && is_pickle(buffer)) {
        wd_episode_fail(recording, WD_EUNSUPPORTED,
            "%s: a pickle can run code when it is read; export the history as JSON", name);
    }
    if (recording->status != WD_OK) {
        wd_buffer_done(buffer);
    }
    return recording->status == WD_OK;
}

wd_value *wd_episode_read_json(wd_recording *recording, const char *name, bool needed)
{
    wd_buffer buffer = { 0 };
    wd_value *value = NULL;
    wd_error error = { .text = "" };
    if (wd_episode_read(recording, name, &buffer)) {
        wd_span text = wd_span_trim((wd_span){ buffer.bytes, buffer.length });
        wd_status status = wd_loose_parse(text.at, text.length, &value, NULL, &error);
        if (status == WD_ENOMEM) {
            wd_episode_check(recording, status);
        } else if (status != WD_OK && needed) {
            wd_episode_fail(
                recording, status == WD_ELIMIT ? status : WD_ECORRUPT, "%s: %s", name, error.text);
        }
    } else if (needed) {
        wd_episode_fail(recording, WD_ENOENT, "%s is not there", name);
    }
    wd_buffer_done(&buffer);
    return value;
}

/// Place of the next line in the span that begins with a brace, after `at`; span.length when there is none.
static size_t next_brace_line(wd_span text, size_t at)
{
    while (at < text.length) {
        const char *newline = memchr(text.at + at, '\n', text.length - at);
        if (newline == NULL) {
            return text.length;
        }
        at = (size_t)(newline - text.at) + 1;
        if (at < text.length && text.at[at] == '{') {
            return at;
        }
    }
    return text.length;
}

static size_t skip_between(wd_span text, size_t at)
{
    while (at < text.length && strchr(" \t\r\n,", text.at[at]) != NULL && text.at[at] != '\0') {
        at++;
    }
    return at;
}

size_t wd_episode_records(wd_recording *recording, const char *name, wd_record_taker *take, void *context)
{
    enum { BROKEN_MAX = 64 };  // each may have been read to the end of the file
    wd_buffer buffer = { 0 };
    size_t broken = 0;
    if (!wd_episode_read(recording, name, &buffer)) {
        return 0;
    }
    wd_span text = wd_span_trim((wd_span){ buffer.bytes, buffer.length });
    for (size_t at = 0; recording->status == WD_OK && at < text.length && broken < BROKEN_MAX;) {
        wd_value *value = NULL;
        size_t used = 0;
        wd_status status = wd_loose_parse(text.at + at, text.length - at, &value, &used, NULL);
        if (status == WD_OK && wd_value_is(value, WD_KIND_ARRAY)) {
            for (size_t i = 0; i < wd_array_count(value); i++) {
                take(recording, wd_array_at(value, i), context);
            }
        } else if (status == WD_OK) {
            take(recording, value, context);
        } else if (status == WD_ENOMEM) {
            wd_episode_check(recording, status);
        }
        wd_value_unref(&value);
        broken += status == WD_OK ? 0 : 1;
        at = status == WD_OK ? skip_between(text, at + used) : next_brace_line(text, at);
    }
    wd_buffer_done(&buffer);
    return broken;
}

const char *wd_episode_main_name(const wd_recording *recording, const char *tail)
{
    const char *found = wd_episode_name_ending(recording, tail);
    return found == NULL && recording->source.count == 1 ? wd_episode_name(recording, 0) : found;
}

void wd_episode_bounds(wd_step_record *record, const wd_value *box)
{
    int32_t sides[4];
    if (wd_array_count(box) != 4) {
        return;
    }
    for (size_t i = 0; i < 4; i++) {
        const wd_value *side = wd_array_at(box, i);
        double number = wd_value_double_or(side, INT32_MIN);
        if (!(number > INT32_MIN && number < INT32_MAX)) {
            return;
        }
        sides[i] = (int32_t)number;
    }
    record->step.has_bounds = true;
    record->step.bounds = (wd_rect){ sides[0], sides[1], sides[2], sides[3] };
    record->step.bounds_ok = sides[0] < sides[2] && sides[1] < sides[3];
}
