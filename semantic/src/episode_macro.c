/// Recordings that are lists of commands: GUI-Odyssey annotations, Maestro command reports, droidrun macros.
#include "episode_build.h"

#include "tree/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const wd_span none = { "", 0 };

static void end_with(wd_builder *builder, wd_action_kind kind)
{
    bool complete = kind == WD_ACTION_COMPLETE;
    wd_build_begin(builder, kind, none);
    wd_build_string(builder, (wd_span){ complete ? "success" : "failure", 7 }, &builder->now.status);
    wd_build_end(builder);
}

// ---- GUI-Odyssey ----------------------------------------------------------------------------------------------

/// `info` is points for a click or scroll, a key's name for a click, the text for typing.
static void odyssey_action(wd_builder *builder, const char *name, const wd_value *info)
{
    static const wd_name_kind kinds[] = {
        { "click", WD_ACTION_TAP },
        { "longpress", WD_ACTION_LONG_PRESS },
        { "scroll", WD_ACTION_SWIPE },
        { "type", WD_ACTION_TYPE },
        { "text", WD_ACTION_TYPE },
        { "complete", WD_ACTION_COMPLETE },
        { "incomplete", WD_ACTION_ABORT },
        { "impossible", WD_ACTION_ABORT },
    };
    char plain[WD_NAME_SIZE];
    wd_plain_name(name, plain);
    wd_action_kind kind = wd_kind_of(kinds, WD_COUNT_OF(kinds), plain);
    if (kind == WD_ACTION_KIND_COUNT) {
        wd_build_invalid(builder, none, "unknown action name %.60s", name);
    } else if (kind == WD_ACTION_TAP && wd_value_is(info, WD_KIND_STRING)) {
        wd_build_key(builder, wd_value_as_string(info, NULL), none);
        if (builder->now.kind == WD_ACTION_KEY) {
            wd_build_refuse(builder, "unknown key %.60s", wd_value_as_string(info, NULL));
        }
        wd_build_end(builder);
    } else if (kind == WD_ACTION_COMPLETE || kind == WD_ACTION_ABORT) {
        end_with(builder, kind);
    } else {
        wd_build_begin(builder, kind, none);
        if (kind == WD_ACTION_TYPE) {
            wd_build_typed(builder, "info", info);
        } else {
            wd_build_point(builder, "info", wd_array_at(info, 0));
        }
        if (kind == WD_ACTION_SWIPE) {
            wd_build_point2(builder, "info", wd_array_at(info, 1));
        }
        wd_build_end(builder);
    }
}

void wd_episode_odyssey(wd_recording *recording)
{
    const char *name = wd_episode_main_name(recording, ".json");
    wd_value *root = name == NULL ? NULL : wd_episode_read_json(recording, name, true);
    const wd_value *steps = wd_object_get(root, "steps");
    const wd_value *task = wd_object_get(root, "task_info");
    wd_episode *episode =
        wd_value_is(steps, WD_KIND_ARRAY) ? wd_episode_begin(recording, WD_SPACE_NORM1000) : NULL;
    if (episode != NULL) {
        episode->header.episode_id = wd_episode_keep_value(recording, wd_object_get(root, "episode_id"));
        episode->header.task = wd_episode_keep_value(recording, WD_FIRST_OF(task, "instruction", "task"));
        episode->header.declared_length = wd_value_int_or(wd_object_get(root, "step_length"), -1);
    }
    for (size_t i = 0; episode != NULL && i < wd_array_count(steps); i++) {
        const wd_value *object = wd_array_at(steps, i);
        wd_step_record *record = wd_episode_step_add(recording);
        if (record == NULL) {
            break;
        }
        record->step.number = wd_value_int_or(wd_object_get(object, "step"), -1);
        record->step.thought = wd_episode_keep_value(recording, WD_FIRST_OF(object, "low_level_instruction"));
        wd_builder builder = wd_episode_builder(recording, record);
        odyssey_action(
            &builder, wd_value_string_or(wd_object_get(object, "action"), ""), WD_FIRST_OF(object, "info"));
        wd_episode_builder_end(recording, record, &builder);
    }
    wd_episode_track_apps(recording);
    wd_value_unref(&root);
}

// ---- Maestro --------------------------------------------------------------------------------------------------

static const struct maestro_command {
    const char *name;
    wd_action_kind kind;
} maestro_commands[] = {
    { "launchAppCommand", WD_ACTION_LAUNCH_APP },
    { "stopAppCommand", WD_ACTION_CLOSE_APP },
    { "killAppCommand", WD_ACTION_CLOSE_APP },
    { "tapOnElement", WD_ACTION_TAP },
    { "tapOnElementCommand", WD_ACTION_TAP },
    { "tapOnPoint", WD_ACTION_TAP },
    { "tapOnPointV2Command", WD_ACTION_TAP },
    { "doubleTapOnElement", WD_ACTION_DOUBLE_TAP },
    { "longPressOnElement", WD_ACTION_LONG_PRESS },
    { "inputTextCommand", WD_ACTION_TYPE },
    { "eraseTextCommand", WD_ACTION_CLEAR_TEXT },
    { "swipeCommand", WD_ACTION_SWIPE },
    { "scrollCommand", WD_ACTION_SCROLL },
    { "scrollUntilVisible", WD_ACTION_SCROLL },
    { "scrollUntilVisibleCommand", WD_ACTION_SCROLL },
    { "backPressCommand", WD_ACTION_BACK },
    { "pressKeyCommand", WD_ACTION_KEY },
    { "waitForAnimationToEndCommand", WD_ACTION_WAIT },
};

static void maestro_selector(wd_builder *builder, const wd_value *selector)
{
    const wd_value *text = WD_FIRST_OF(selector, "textRegex");
    const wd_value *id = WD_FIRST_OF(selector, "idRegex");
    wd_build_text_maybe(builder, "textRegex", text, &builder->now.target_text);
    wd_build_text_maybe(builder, "idRegex", id, &builder->now.resource_id);
    if (text == NULL && id == NULL) {
        wd_build_refuse(builder, "the selector names neither a text nor an id");
    }
}

/// "50%,20%" as hundredths of the screen, or pixels.
static void maestro_point(wd_builder *builder, const wd_value *point, bool second)
{
    wd_span text = wd_value_span(point);
    char plain[64] = "";
    size_t length = 0;
    bool percent = wd_span_find(text, "%") < text.length;
    for (size_t i = 0; i < text.length && length < sizeof plain - 1; i++) {
        if (text.at[i] != '%') {
            plain[length++] = text.at[i];
        }
    }
    double numbers[4];
    if (wd_span_numbers((wd_span){ plain, length }, numbers) != 2) {
        wd_build_refuse(builder, "no point");
        return;
    }
    double scale = percent ? 0.01 : 1;
    builder->space = percent ? WD_SPACE_NORM1 : WD_SPACE_PX;
    wd_value *pair = NULL;
    wd_status status = wd_value_pack(&pair, "[d,d]", numbers[0] * scale, numbers[1] * scale);
    if (status != WD_OK) {
        builder->status = status;
    } else if (second) {
        wd_build_point2(builder, "point", pair);
    } else {
        wd_build_point(builder, "point", pair);
    }
    if (!builder->refused) {
        builder->now.space = builder->space;
    }
    wd_value_unref(&pair);
}

static void maestro_swipe(wd_builder *builder, const wd_value *args)
{
    const wd_value *start = WD_FIRST_OF(args, "startRelative", "start");
    const wd_value *end = WD_FIRST_OF(args, "endRelative", "end");
    if (wd_value_is(start, WD_KIND_STRING) && wd_value_is(end, WD_KIND_STRING)) {
        maestro_point(builder, start, false);
        maestro_point(builder, end, true);
    } else if (WD_FIRST_OF(args, "startPoint") != NULL) {
        wd_build_point(builder, "startPoint", WD_FIRST_OF(args, "startPoint"));
        wd_build_point2(builder, "endPoint", WD_FIRST_OF(args, "endPoint"));
    } else {
        wd_build_direction(builder, "direction", WD_FIRST_OF(args, "direction"), WD_DIR_OF_FINGER);
    }
    wd_build_ms(builder, "duration", WD_FIRST_OF(args, "duration"));
}

static void maestro_touch(wd_builder *builder, const wd_value *args)
{
    bool held = wd_value_bool_or(WD_FIRST_OF(args, "longPress"), false);
    if (wd_value_int_or(wd_object_get(WD_FIRST_OF(args, "repeat"), "repeat"), 1) == 2) {
        builder->now.kind = WD_ACTION_DOUBLE_TAP;
    } else if (held) {
        builder->now.kind = WD_ACTION_LONG_PRESS;
    }
    if (WD_FIRST_OF(args, "selector") != NULL) {
        maestro_selector(builder, WD_FIRST_OF(args, "selector"));
    } else if (WD_FIRST_OF(args, "point") != NULL) {
        maestro_point(builder, WD_FIRST_OF(args, "point"), false);
    } else {
        wd_build_xy(builder, WD_FIRST_OF(args, "x"), WD_FIRST_OF(args, "y"));
    }
}

static void maestro_action(wd_builder *builder, wd_action_kind kind, const wd_value *args)
{
    if (kind == WD_ACTION_KEY) {
        wd_build_key(builder, wd_value_string_or(WD_FIRST_OF(args, "code", "key"), ""), none);
        wd_build_end(builder);
        return;
    }
    wd_build_begin(builder, kind, none);
    switch (kind) {
    case WD_ACTION_LAUNCH_APP:
    case WD_ACTION_CLOSE_APP:
        wd_build_text(builder, "appId", WD_FIRST_OF(args, "appId"), &builder->now.app);
        break;
    case WD_ACTION_TAP:
    case WD_ACTION_DOUBLE_TAP:
    case WD_ACTION_LONG_PRESS:
        maestro_touch(builder, args);
        break;
    case WD_ACTION_TYPE:
        wd_build_typed(builder, "text", WD_FIRST_OF(args, "text"));
        break;
    case WD_ACTION_SWIPE:
        maestro_swipe(builder, args);
        break;
    case WD_ACTION_SCROLL:
        builder->now.direction = WD_DIR_DOWN;  // what a scroll without one does
        builder->now.direction_of = WD_DIR_OF_CONTENT;
        if (WD_FIRST_OF(args, "direction") != NULL) {
            wd_build_direction(builder, "direction", WD_FIRST_OF(args, "direction"), WD_DIR_OF_CONTENT);
        }
        break;
    case WD_ACTION_WAIT:
        wd_build_ms(builder, "timeout", WD_FIRST_OF(args, "timeout"));
        break;
    default:
        break;  // back, clear_text have no arguments
    }
    wd_build_end(builder);
}

/// Commands by when they ran; the file's order lies. Those without a time keep their place behind the others.
typedef struct timed_command {
    const wd_value *entry;
    int64_t time_ms;
    size_t place;
} timed_command;

static int by_time(const void *a, const void *b)
{
    const timed_command *left = a;
    const timed_command *right = b;
    if (left->time_ms != right->time_ms) {
        return left->time_ms < right->time_ms ? -1 : 1;
    }
    return left->place < right->place ? -1 : 1;
}

static void maestro_step(wd_recording *recording, const timed_command *timed)
{
    wd_step_record *record = wd_episode_step_add(recording);
    if (record == NULL) {
        return;
    }
    const wd_value *status = wd_object_get(wd_object_get(timed->entry, "metadata"), "status");
    record->step.number = (int64_t)timed->place;
    record->step.time_ms = timed->time_ms == INT64_MAX ? -1 : timed->time_ms;
    wd_iter command = wd_iter_start(wd_object_get(timed->entry, "command"));
    bool any = wd_iter_next(&command);
    wd_builder builder = wd_episode_builder(recording, record);
    wd_action_kind kind = WD_ACTION_KIND_COUNT;
    for (size_t i = 0; any && command.key != NULL && i < WD_COUNT_OF(maestro_commands); i++) {
        kind = strcmp(command.key, maestro_commands[i].name) == 0 ? maestro_commands[i].kind : kind;
    }
    if (!any || command.key == NULL) {
        wd_build_invalid(&builder, none, "the command is empty");
    } else if (kind != WD_ACTION_KIND_COUNT) {
        maestro_action(&builder, kind, command.value);
    } else {
        // Assertions, settings and flows do nothing to the screen themselves.
        wd_build_begin(&builder, WD_ACTION_NOOP, none);
        wd_build_string(&builder, (wd_span){ command.key, command.key_length }, &builder.now.reason);
        wd_build_end(&builder);
    }
    wd_episode_builder_end(recording, record, &builder);
    if (record->reply.count > 0) {  // patterns, as Maestro's selectors are
        record->step.target_text = record->reply.actions[0].target_text;
        record->step.target_id = record->reply.actions[0].resource_id;
    }
    if (wd_value_is_text(status, "FAILED") && record->step.executed) {
        record->step.outcome = WD_OUTCOME_FAILED;
        record->step.outcome_code = "failed";
    } else if (wd_value_is_text(status, "SKIPPED") || wd_value_is_text(status, "PENDING")) {
        record->step.executed = false;
        record->step.outcome = WD_OUTCOME_REFUSED;
        record->step.outcome_code = "not_executed";
    }
}

void wd_episode_maestro(wd_recording *recording)
{
    const char *name = wd_episode_main_name(recording, ".json");
    wd_value *root = name == NULL ? NULL : wd_episode_read_json(recording, name, true);
    size_t count = wd_array_count(root);
    if (count == 0) {
        wd_value_unref(&root);
        return;
    }
    timed_command *commands = wd_alloc_zero(count, sizeof *commands);
    if (commands == NULL) {
        wd_episode_check(recording, WD_ENOMEM);
    } else if (wd_episode_begin(recording, WD_SPACE_PX) != NULL) {
        for (size_t i = 0; i < count; i++) {
            const wd_value *entry = wd_array_at(root, i);
            const wd_value *time = wd_object_get(wd_object_get(entry, "metadata"), "timestamp");
            commands[i] = (timed_command){ entry, wd_value_int_or(time, INT64_MAX), i };
        }
        qsort(commands, count, sizeof *commands, by_time);
        for (size_t i = 0; recording->status == WD_OK && i < count; i++) {
            maestro_step(recording, &commands[i]);
        }
        wd_episode_track_apps(recording);
    }
    wd_free(commands, count * sizeof *commands);
    wd_value_unref(&root);
}

// ---- droidrun -------------------------------------------------------------------------------------------------

static void droidrun_action(wd_builder *builder, const wd_value *object)
{
    static const wd_name_kind kinds[] = {
        { "startapp", WD_ACTION_LAUNCH_APP },
        { "tap", WD_ACTION_TAP },
        { "swipe", WD_ACTION_SWIPE },
        { "drag", WD_ACTION_DRAG },
        { "inputtext", WD_ACTION_TYPE },
        { "keypress", WD_ACTION_KEY },
        { "buttonpress", WD_ACTION_KEY },
        { "back", WD_ACTION_BACK },
        { "wait", WD_ACTION_WAIT },
    };
    const char *name = wd_value_string_or(WD_FIRST_OF(object, "action_type", "type"), "");
    char plain[WD_NAME_SIZE];
    wd_plain_name(name, plain);
    wd_action_kind kind = wd_kind_of(kinds, WD_COUNT_OF(kinds), plain);
    if (kind == WD_ACTION_KIND_COUNT) {
        wd_build_invalid(builder, none, "unknown action name %.60s", name);
        return;
    }
    if (kind == WD_ACTION_KEY) {
        const wd_value *key = WD_FIRST_OF(object, "key_name", "button", "keycode");
        char code[24];
        (void)snprintf(code, sizeof code, "%lld", (long long)wd_value_int_or(key, 0));
        wd_build_key(builder, wd_value_string_or(key, code), none);
        wd_build_end(builder);
        return;
    }
    wd_build_begin(builder, kind, none);
    if (kind == WD_ACTION_LAUNCH_APP) {
        wd_build_text(builder, "package", WD_FIRST_OF(object, "package", "package_name"), &builder->now.app);
        wd_build_text_maybe(builder, "activity", WD_FIRST_OF(object, "activity"), &builder->now.activity);
    } else if (kind == WD_ACTION_TAP) {
        wd_build_xy(builder, WD_FIRST_OF(object, "x"), WD_FIRST_OF(object, "y"));
    } else if (kind == WD_ACTION_SWIPE || kind == WD_ACTION_DRAG) {
        wd_build_xy(builder, WD_FIRST_OF(object, "start_x"), WD_FIRST_OF(object, "start_y"));
        wd_build_xy2(builder, WD_FIRST_OF(object, "end_x"), WD_FIRST_OF(object, "end_y"));
        wd_build_ms(builder, "duration_ms", WD_FIRST_OF(object, "duration_ms"));
    } else if (kind == WD_ACTION_TYPE) {
        wd_build_typed(builder, "text", WD_FIRST_OF(object, "text"));
        builder->now.clear = !builder->refused && wd_value_bool_or(WD_FIRST_OF(object, "clear"), false);
    } else if (kind == WD_ACTION_WAIT) {
        wd_build_seconds(builder, "duration", WD_FIRST_OF(object, "duration"));
    }
    wd_build_end(builder);
}

void wd_episode_droidrun(wd_recording *recording)
{
    const char *name = wd_episode_main_name(recording, "macro.json");
    name = name == NULL ? wd_episode_name_ending(recording, ".json") : name;
    wd_value *root = name == NULL ? NULL : wd_episode_read_json(recording, name, true);
    const wd_value *actions = wd_object_get(root, "actions");
    wd_episode *episode =
        wd_value_is(actions, WD_KIND_ARRAY) ? wd_episode_begin(recording, WD_SPACE_PX) : NULL;
    if (episode != NULL) {
        episode->header.task = wd_episode_keep_value(recording, wd_object_get(root, "description"));
        episode->header.declared_length = wd_value_int_or(wd_object_get(root, "total_actions"), -1);
    }
    for (size_t i = 0; episode != NULL && i < wd_array_count(actions); i++) {
        wd_step_record *record = wd_episode_step_add(recording);
        if (record == NULL) {
            break;
        }
        record->step.number = (int64_t)i;
        wd_builder builder = wd_episode_builder(recording, record);
        droidrun_action(&builder, wd_array_at(actions, i));
        wd_episode_builder_end(recording, record, &builder);
    }
    wd_episode_track_apps(recording);
    wd_value_unref(&root);
}
