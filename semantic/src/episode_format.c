/// Which format a recording is in, by its files' names and the first record's members.
#include "episode_build.h"

#include "loose.h"

#include "semantic/screen.h"

#include <string.h>

/// Members that tell a format: all of them are in its first record.
static const struct {
    wd_episode_format format;
    const char *members[3];
} signs[] = {
    { WD_EPISODE_ANDROIDCONTROL, { "goal", "steps", NULL } },
    { WD_EPISODE_AITZ, { "result_action_type", "result_touch_yx", NULL } },
    { WD_EPISODE_ANDROIDWORLD, { "action_output", "summary", NULL } },
    { WD_EPISODE_ANDROIDWORLD, { "episode_data", NULL } },
    { WD_EPISODE_MAESTRO, { "command", "metadata", NULL } },
    { WD_EPISODE_MOBILEAGENT_E, { "operation", "step", NULL } },
    { WD_EPISODE_MOBILEAGENT_E, { "operation", NULL } },
    { WD_EPISODE_MOBILEAGENT_V2, { "Instruction", NULL } },
    { WD_EPISODE_MOBILEAGENT_V2, { "seq", "Action", NULL } },
    { WD_EPISODE_MOBILEGYM, { "action_type", "action_data", NULL } },
    { WD_EPISODE_APPAGENT, { "step", "response", NULL } },
    { WD_EPISODE_ODYSSEY, { "task_info", "steps", NULL } },
    { WD_EPISODE_DROIDRUN, { "actions", "total_actions", NULL } },
    { WD_EPISODE_DROIDRUN, { "actions", "description", NULL } },
};

static wd_episode_format format_of_record(const wd_value *record)
{
    for (size_t i = 0; i < WD_COUNT_OF(signs); i++) {
        bool all = true;
        for (size_t n = 0; n < WD_COUNT_OF(signs[i].members) && signs[i].members[n] != NULL; n++) {
            all = all && wd_object_get(record, signs[i].members[n]) != NULL;
        }
        if (all) {
            return signs[i].format;
        }
    }
    return WD_EPISODE_AUTO;
}

static wd_episode_format format_of_text(wd_recording *recording, const char *name)
{
    wd_buffer buffer = { 0 };
    wd_value *value = NULL;
    size_t used = 0;
    wd_episode_format format = WD_EPISODE_AUTO;
    if (!wd_episode_read(recording, name, &buffer)) {
        return format;
    }
    wd_span text = wd_span_trim((wd_span){ buffer.bytes, buffer.length });
    wd_status status = wd_loose_parse(text.at, text.length, &value, &used, NULL);
    if (status == WD_OK) {
        format = format_of_record(wd_value_is(value, WD_KIND_ARRAY) ? wd_array_at(value, 0) : value);
    } else if (status == WD_ENOMEM) {
        wd_episode_check(recording, status);
    } else if (wd_span_find(text, "):::") < text.length) {
        format = WD_EPISODE_APPAGENT;
    }
    if (format == WD_EPISODE_AUTO && recording->status == WD_OK &&
        wd_screen_recognise(buffer.bytes, buffer.length) != WD_SCREEN_AUTO) {
        format = WD_EPISODE_SCREENS;
    }
    wd_value_unref(&value);
    wd_buffer_done(&buffer);
    return format;
}

static bool any_name(const wd_recording *recording, const char *part, const char *tail)
{
    for (size_t i = 0; i < recording->source.count; i++) {
        const char *name = wd_episode_name(recording, i);
        if (strstr(name, part) != NULL && wd_text_ends(name, tail)) {
            return true;
        }
    }
    return false;
}

wd_episode_format wd_episode_recognise(wd_recording *recording)
{
    if (any_name(recording, "events/event_", ".json")) {
        return WD_EPISODE_DROIDBOT;
    }
    if (any_name(recording, "", "trajectory.json") || any_name(recording, "", "results.jsonl")) {
        return WD_EPISODE_MOBILEGYM;
    }
    static const char *const mains[] = { "log.txt", "steps.json", "history.json", "macro.json",
        "record.txt" };
    for (size_t i = 0; i < WD_COUNT_OF(mains); i++) {
        const char *name = wd_episode_name_ending(recording, mains[i]);
        wd_episode_format format = name == NULL ? WD_EPISODE_AUTO : format_of_text(recording, name);
        if (format != WD_EPISODE_AUTO) {
            return format;
        }
    }
    if (any_name(recording, "", ".xml") || any_name(recording, "", ".uix")) {
        return WD_EPISODE_SCREENS;
    }
    return recording->source.count == 0 ? WD_EPISODE_AUTO
                                        : format_of_text(recording, wd_episode_name(recording, 0));
}
