/// Qwen-VL's mobile_use and what speaks it: GUI-Owl, Mobile-Agent v3, MAI-UI, AndroidControl as UI-S1 stores it.
#include "dialect_build.h"

#include "loose.h"

#include <string.h>

static const wd_name_kind kinds[] = {
    { "click", WD_ACTION_TAP },
    { "doubleclick", WD_ACTION_DOUBLE_TAP },
    { "doubletap", WD_ACTION_DOUBLE_TAP },
    { "longpress", WD_ACTION_LONG_PRESS },
    { "swipe", WD_ACTION_SWIPE },
    { "drag", WD_ACTION_DRAG },
    { "type", WD_ACTION_TYPE },
    { "answer", WD_ACTION_ANSWER },
    { "systembutton", WD_ACTION_KEY },
    { "key", WD_ACTION_KEY },
    { "open", WD_ACTION_LAUNCH_APP },
    { "wait", WD_ACTION_WAIT },
    { "interact", WD_ACTION_ASK_USER },
    { "askuser", WD_ACTION_ASK_USER },
    { "terminate", WD_ACTION_COMPLETE },
};

static const wd_value *start_point(const wd_value *args)
{
    return WD_FIRST_OF(args, "coordinate", "start_coordinate");
}

static void swipe(wd_builder *builder, const wd_value *args)
{
    const wd_value *end = WD_FIRST_OF(args, "coordinate2", "end_coordinate");
    const wd_value *direction = WD_FIRST_OF(args, "direction");
    if (end != NULL || direction == NULL) {
        wd_build_point(builder, "coordinate", start_point(args));
        wd_build_point2(builder, "coordinate2", end);
        return;
    }
    if (start_point(args) != NULL) {
        wd_build_point(builder, "coordinate", start_point(args));
    }
    wd_build_direction(builder, "direction", direction, WD_DIR_OF_FINGER);
}

static void terminate(wd_builder *builder, const wd_value *args)
{
    const wd_value *status = WD_FIRST_OF(args, "status");
    bool success = wd_value_is_text(status, "success");
    if (!success && !wd_value_is_text(status, "failure") && !wd_value_is_text(status, "fail")) {
        wd_build_refuse(builder, "status is neither success nor failure");
        return;
    }
    builder->now.kind = success ? WD_ACTION_COMPLETE : WD_ACTION_ABORT;
    wd_build_string(builder, (wd_span){ success ? "success" : "failure", 7 }, &builder->now.status);
    wd_build_text_maybe(builder, "text", WD_FIRST_OF(args, "text"), &builder->now.text);
}

static void arguments(wd_builder *builder, const wd_value *args)
{
    wd_action *now = &builder->now;
    const wd_value *text = WD_FIRST_OF(args, "text");
    switch (now->kind) {
    case WD_ACTION_TAP:
    case WD_ACTION_DOUBLE_TAP:
    case WD_ACTION_LONG_PRESS:
        wd_build_point(builder, "coordinate", start_point(args));
        wd_build_seconds(builder, "time", WD_FIRST_OF(args, "time"));
        break;
    case WD_ACTION_SWIPE:
        swipe(builder, args);
        break;
    case WD_ACTION_DRAG:
        wd_build_point(builder, "start_coordinate", start_point(args));
        wd_build_point2(builder, "end_coordinate", WD_FIRST_OF(args, "coordinate2", "end_coordinate"));
        break;
    case WD_ACTION_TYPE:
        wd_build_typed(builder, "text", text);
        now->clear = !builder->refused && wd_value_bool_or(WD_FIRST_OF(args, "clear"), false);
        break;
    case WD_ACTION_ANSWER:
        wd_build_text(builder, "text", text, &now->text);
        break;
    case WD_ACTION_ASK_USER:
        wd_build_text_maybe(builder, "text", text, &now->text);
        break;
    case WD_ACTION_LAUNCH_APP:
        wd_build_text(builder, "text", WD_FIRST_OF(args, "text", "app", "app_name"), &now->app);
        break;
    case WD_ACTION_WAIT:
        wd_build_seconds(builder, "time", WD_FIRST_OF(args, "time"));
        break;
    default:
        terminate(builder, args);
        break;
    }
}

void wd_qwen_action(wd_builder *builder, const wd_value *object, wd_span raw)
{
    // A call wraps its arguments; they may be a text that holds the object.
    const wd_value *args = wd_object_get(object, "arguments");
    wd_value *parsed = NULL;
    if (wd_value_is(args, WD_KIND_STRING)) {
        size_t length = 0;
        const char *text = wd_value_as_string(args, &length);
        if (wd_loose_parse(text, length, &parsed, NULL, NULL) == WD_ENOMEM) {
            builder->status = WD_ENOMEM;
        }
        args = parsed;
    }
    args = args == NULL ? object : args;
    const char *name = wd_value_string_or(wd_object_get(args, "action"), "");
    char plain[WD_NAME_SIZE];
    wd_plain_name(name, plain);
    wd_action_kind kind = wd_kind_of(kinds, WD_COUNT_OF(kinds), plain);
    if (kind == WD_ACTION_KIND_COUNT) {
        wd_build_invalid(
            builder, raw, name[0] == '\0' ? "action is missing" : "unknown action name %.60s", name);
    } else if (kind == WD_ACTION_KEY && strcmp(plain, "systembutton") == 0) {
        char button[WD_NAME_SIZE];
        wd_plain_name(wd_value_string_or(WD_FIRST_OF(args, "button"), ""), button);
        // Its Menu button is the one that shows the recent apps.
        wd_build_key(builder, strcmp(button, "menu") == 0 ? "recents" : button, raw);
        wd_build_end(builder);
    } else if (kind == WD_ACTION_KEY) {
        wd_build_key(builder, wd_value_string_or(WD_FIRST_OF(args, "text", "key"), ""), raw);
        wd_build_end(builder);
    } else {
        wd_build_begin(builder, kind, raw);
        arguments(builder, args);
        wd_build_end(builder);
    }
    wd_value_unref(&parsed);
}

void wd_dialect_qwen(wd_builder *builder, wd_reply_text *text)
{
    wd_value *object = NULL;
    size_t start = 0;
    size_t end = 0;
    wd_status status = wd_loose_last_object(text->body.at, text->body.length, &object, &start, &end);
    if (status == WD_OK) {
        wd_qwen_action(builder, object, (wd_span){ text->body.at + start, end - start });
        if (text->thought.length == 0) {
            text->thought = wd_span_trim((wd_span){ text->body.at, start });
        }
    } else if (status == WD_ENOMEM) {
        builder->status = status;
    }
    wd_value_unref(&object);
}
