/// Logs of the Mobile-Agent family: v2's log.txt and ui.txt, E's array of operations, AppAgent's lines.
#include "episode_build.h"

#include "loose.h"

#include <stdio.h>
#include <string.h>

static wd_episode_header *header_of(wd_recording *recording)
{
    return &recording->episodes[recording->count - 1].header;
}

// ---- v2 -------------------------------------------------------------------------------------------------------

/// Elements by step number, from ui.txt.
static void take_ui(wd_recording *recording, const wd_value *object, void *context)
{
    wd_value **screens_p = context;
    const wd_value *combined = wd_object_get(object, "combined");
    char key[32];
    if (wd_value_is(combined, WD_KIND_ARRAY)) {
        wd_value *item = wd_value_ref(combined);
        (void)snprintf(key, sizeof key, "%lld", (long long)wd_value_int_or(wd_object_get(object, "seq"), -1));
        wd_episode_check(recording, wd_object_set(screens_p, key, &item));
        wd_value_unref(&item);
    }
}

/// "### Answer ###\nC: ...": what the model saw after its own action. C: nothing changed.
static void take_reflection(wd_step_record *record, const wd_value *reflection)
{
    static const char heading[] = "### Answer ###";
    wd_span text = wd_value_span(reflection);
    size_t at = wd_span_find_last(text, heading);
    wd_span answer = at == text.length ? text : wd_span_trim(wd_span_from(text, at + strlen(heading)));
    bool letter = answer.length == 1 || (answer.length > 1 && strchr(": .\n(", answer.at[1]) != NULL);
    if (letter && answer.at[0] == 'C' && record->step.executed) {
        record->step.outcome = WD_OUTCOME_FAILED;
        record->step.outcome_code = "no_effect";
    }
}

static void take_v2_record(wd_recording *recording, const wd_value *object, void *context)
{
    const wd_value *screens = context;
    const wd_value *seq = wd_object_get(object, "seq");
    if (seq == NULL) {
        if (header_of(recording)->task == NULL) {
            header_of(recording)->task = wd_episode_keep_value(recording, WD_FIRST_OF(object, "Instruction"));
        }
        return;
    }
    wd_step_record *record = wd_episode_step_add(recording);
    if (record == NULL) {
        return;
    }
    char key[32];
    record->step.number = wd_value_int_or(seq, -1);
    (void)snprintf(key, sizeof key, "%lld", (long long)record->step.number);
    record->step.thought = wd_episode_keep_value(recording, wd_object_get(object, "Thought"));
    wd_episode_reply(
        recording, record, wd_dialect_mobileagent_v2, wd_value_span(wd_object_get(object, "Action")));
    take_reflection(record, wd_object_get(object, "reflect"));
    const wd_value *lines = wd_object_get(screens, key);
    if (lines != NULL) {
        record->place = WD_PLACE_LINES;
        record->step.has_screen = true;
        record->inline_screen = wd_value_ref(lines);
    }
}

void wd_episode_mobileagent_v2(wd_recording *recording)
{
    const char *log = wd_episode_main_name(recording, "log.txt");
    const char *ui = wd_episode_name_ending(recording, "ui.txt");
    if (log == NULL) {
        wd_episode_fail(recording, WD_ENOENT, "no log.txt");
        return;
    }
    if (wd_episode_begin(recording, WD_SPACE_PX) == NULL) {
        return;
    }
    wd_value *screens = wd_value_object();
    if (ui != NULL && strcmp(ui, log) != 0) {
        (void)wd_episode_records(recording, ui, take_ui, &screens);
    }
    if (wd_episode_records(recording, log, take_v2_record, screens) > 0 && recording->status == WD_OK) {
        header_of(recording)->warning = "a part of the log is broken and left out";
    }
    wd_value_unref(&screens);
    wd_episode_track_apps(recording);
}

// ---- E --------------------------------------------------------------------------------------------------------

static void take_shortcuts(wd_recording *recording, const wd_value *object, wd_value **shortcuts_p)
{
    wd_iter learned =
        wd_iter_start(WD_FIRST_OF(object, "init_shortcuts", "updated_shortcuts", "new_shortcuts"));
    while (learned.container != NULL && wd_iter_next(&learned)) {
        if (learned.key != NULL) {
            wd_value *item = wd_value_ref(learned.value);
            wd_episode_check(recording, wd_object_set_n(shortcuts_p, learned.key, learned.key_length, &item));
            wd_value_unref(&item);
        }
    }
}

static void take_e_action(wd_recording *recording, const wd_value *object, const wd_value *shortcuts)
{
    wd_step_record *record = wd_episode_step_add(recording);
    if (record == NULL) {
        return;
    }
    const wd_value *action = WD_FIRST_OF(object, "action_object");
    const wd_value *words = WD_FIRST_OF(object, "action_object_str", "raw_response");
    record->step.number = wd_value_int_or(wd_object_get(object, "step"), -1);
    record->step.thought = wd_episode_keep_value(recording, WD_FIRST_OF(object, "action_thought"));
    if (!wd_value_is(action, WD_KIND_OBJECT)) {
        wd_span raw = wd_value_span(words == NULL ? action : words);
        wd_episode_not_executed(recording, record, raw, "the recorded action is no object");
        return;
    }
    wd_builder builder = wd_episode_builder(recording, record);
    wd_mobileagent_e_action(&builder, action, shortcuts, wd_value_span(words));
    wd_episode_builder_end(recording, record, &builder);
}

/// "A", "B" (another page than meant) or "C" (no change), about the step before.
static void take_e_outcome(wd_recording *recording, const wd_value *object)
{
    wd_episode *episode = &recording->episodes[recording->count - 1];
    wd_span outcome = wd_span_trim(wd_value_span(wd_object_get(object, "outcome")));
    if (episode->header.step_count > 0 && outcome.length > 0 && outcome.at[0] == 'C') {
        wd_episode_step *step = &episode->steps[episode->header.step_count - 1].step;
        if (step->executed) {
            step->outcome = WD_OUTCOME_FAILED;
            step->outcome_code = "no_effect";
        }
    }
}

static void take_operation(wd_recording *recording, const wd_value *object, void *context)
{
    wd_value **shortcuts_p = context;
    const wd_value *operation = wd_object_get(object, "operation");
    if (header_of(recording)->task == NULL) {
        header_of(recording)->task =
            wd_episode_keep_value(recording, WD_FIRST_OF(object, "instruction", "task"));
    }
    take_shortcuts(recording, object, shortcuts_p);
    if (wd_value_is_text(operation, "action")) {
        take_e_action(recording, object, *shortcuts_p);
    } else if (wd_value_is_text(operation, "action_reflection") ||
               wd_value_is_text(operation, "reflection")) {
        take_e_outcome(recording, object);
    }
}

void wd_episode_mobileagent_e(wd_recording *recording)
{
    const char *name = wd_episode_main_name(recording, "steps.json");
    name = name == NULL ? wd_episode_name_ending(recording, ".json") : name;
    if (name == NULL) {
        wd_episode_fail(recording, WD_ENOENT, "no steps.json");
        return;
    }
    if (wd_episode_begin(recording, WD_SPACE_PX) == NULL) {
        return;
    }
    wd_value *shortcuts = wd_value_object();
    if (wd_episode_records(recording, name, take_operation, &shortcuts) > 0 && recording->status == WD_OK) {
        header_of(recording)->warning = "a part of the log is broken and left out";
    }
    wd_value_unref(&shortcuts);
    wd_episode_track_apps(recording);
}

// ---- AppAgent -------------------------------------------------------------------------------------------------

static void take_appagent_record(wd_recording *recording, const wd_value *object, void *context)
{
    (void)context;
    const wd_value *response = wd_object_get(object, "response");
    wd_step_record *record = wd_value_is(object, WD_KIND_OBJECT) ? wd_episode_step_add(recording) : NULL;
    if (record == NULL) {
        return;
    }
    wd_span raw = wd_value_span(response);
    // The log holds the whole API reply: choices[0].message.content.
    if (raw.length == 0) {
        const wd_value *choice = wd_array_at(wd_object_get(response, "choices"), 0);
        raw = wd_value_span(wd_object_get(wd_object_get(choice, "message"), "content"));
    }
    record->step.number = wd_value_int_or(wd_object_get(object, "step"), -1);
    wd_episode_reply(recording, record, wd_dialect_appagent, raw);
}

/// A demonstration: one action per line, none of them JSON.
static void take_demonstration(wd_recording *recording, wd_span text)
{
    for (size_t at = 0; recording->status == WD_OK && at < text.length;) {
        const char *newline = memchr(text.at + at, '\n', text.length - at);
        size_t end = newline == NULL ? text.length : (size_t)(newline - text.at);
        wd_span line = wd_span_trim((wd_span){ text.at + at, end - at });
        wd_step_record *record = line.length == 0 ? NULL : wd_episode_step_add(recording);
        if (record != NULL) {
            record->step.number = (int64_t)header_of(recording)->step_count;
            wd_episode_reply(recording, record, wd_dialect_appagent, line);
        }
        at = end + 1;
    }
}

void wd_episode_appagent(wd_recording *recording)
{
    const char *name = wd_episode_main_name(recording, "record.txt");
    name = name == NULL ? wd_episode_name_ending(recording, ".txt") : name;
    wd_buffer buffer = { 0 };
    if (name == NULL) {
        wd_episode_fail(recording, WD_ENOENT, "no log file");
        return;
    }
    if (wd_episode_begin(recording, WD_SPACE_PX) == NULL || !wd_episode_read(recording, name, &buffer)) {
        return;
    }
    wd_span text = wd_span_trim((wd_span){ buffer.bytes, buffer.length });
    if (text.length > 0 && text.at[0] == '{') {
        (void)wd_episode_records(recording, name, take_appagent_record, NULL);
    } else {
        take_demonstration(recording, text);
    }
    wd_buffer_done(&buffer);
    wd_episode_track_apps(recording);
}
