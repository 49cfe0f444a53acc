#include "dialect_build.h"

#include "loose.h"

#include <string.h>

/// AndroidWorld's JSONAction and AndroidControl's actions, which share names and differ in arguments.
static const wd_name_kind kinds[] = {
    { "click", WD_ACTION_TAP },
    { "tap", WD_ACTION_TAP },
    { "doubletap", WD_ACTION_DOUBLE_TAP },
    { "longpress", WD_ACTION_LONG_PRESS },
    { "inputtext", WD_ACTION_TYPE },
    { "type", WD_ACTION_TYPE },
    { "scroll", WD_ACTION_SCROLL },
    { "swipe", WD_ACTION_SWIPE },
    { "draganddrop", WD_ACTION_DRAG },
    { "navigateback", WD_ACTION_BACK },
    { "navigatehome", WD_ACTION_HOME },
    { "keyboardenter", WD_ACTION_ENTER },
    { "openapp", WD_ACTION_LAUNCH_APP },
    { "wait", WD_ACTION_WAIT },
    { "answer", WD_ACTION_ANSWER },
    { "status", WD_ACTION_COMPLETE },
    { "presskeyboard", WD_ACTION_KEY },
};

/// Which element or where: by index, else by x and y. `needed`: one of them must be there.
static void target(wd_builder *builder, const wd_value *object, bool needed)
{
    const wd_value *index = WD_FIRST_OF(object, "index");
    const wd_value *x = WD_FIRST_OF(object, "x");
    const wd_value *y = WD_FIRST_OF(object, "y");
    if (index != NULL) {
        wd_build_index(builder, "index", index, 0);
    }
    if (x != NULL || y != NULL || (needed && index == NULL)) {
        wd_build_xy(builder, x, y);
    }
}

static void status_action(wd_builder *builder, const wd_value *object)
{
    char plain[WD_NAME_SIZE] = "";
    const wd_value *goal = WD_FIRST_OF(object, "goal_status");
    if (wd_value_is(goal, WD_KIND_STRING)) {
        wd_plain_name(wd_value_as_string(goal, NULL), plain);
    }
    bool done = strcmp(plain, "complete") == 0 || strcmp(plain, "successful") == 0;
    if (done || strcmp(plain, "infeasible") == 0) {
        builder->now.kind = done ? WD_ACTION_COMPLETE : WD_ACTION_ABORT;
        wd_span word = { done ? "success" : "failure", 7 };
        wd_build_string(builder, word, &builder->now.status);
    } else {
        wd_build_refuse(builder, "goal_status is neither complete nor infeasible");
    }
}

static void arguments(wd_builder *builder, const wd_value *object, bool tap_and_enter)
{
    switch (builder->now.kind) {
    case WD_ACTION_TAP:
    case WD_ACTION_DOUBLE_TAP:
    case WD_ACTION_LONG_PRESS:
        target(builder, object, true);
        break;
    case WD_ACTION_TYPE:
        target(builder, object, false);
        wd_build_typed(builder, "text", wd_object_get(object, "text"));
        builder->now.submit = builder->now.submit || (tap_and_enter && !builder->refused);
        builder->now.clear =
            !builder->refused && wd_value_bool_or(wd_object_get(object, "clear_text"), false);
        break;
    case WD_ACTION_SCROLL:
        target(builder, object, false);
        wd_build_direction(builder, "direction", wd_object_get(object, "direction"), WD_DIR_OF_CONTENT);
        break;
    case WD_ACTION_SWIPE:
        target(builder, object, false);
        wd_build_direction(builder, "direction", wd_object_get(object, "direction"), WD_DIR_OF_FINGER);
        break;
    case WD_ACTION_DRAG:
        wd_build_point(builder, "touch_xy", WD_FIRST_OF(object, "touch_xy", "start"));
        wd_build_point2(builder, "lift_xy", WD_FIRST_OF(object, "lift_xy", "end"));
        break;
    case WD_ACTION_LAUNCH_APP:
        wd_build_text(builder, "app_name", WD_FIRST_OF(object, "app_name", "app"), &builder->now.app);
        break;
    case WD_ACTION_ANSWER:
        wd_build_text(builder, "text", wd_object_get(object, "text"), &builder->now.text);
        break;
    case WD_ACTION_COMPLETE:
        status_action(builder, object);
        break;
    default:
        break;  // back, home, enter, wait have no arguments
    }
}

void wd_androidworld_action(wd_builder *builder, const wd_value *object, wd_span raw)
{
    const wd_value *type = WD_FIRST_OF(object, "action_type");
    if (!wd_value_is(type, WD_KIND_STRING)) {
        wd_build_invalid(builder, raw, "action_type is missing");
        return;
    }
    const char *name = wd_value_as_string(type, NULL);
    char plain[WD_NAME_SIZE];
    wd_plain_name(name, plain);
    wd_action_kind kind = wd_kind_of(kinds, WD_COUNT_OF(kinds), plain);
    if (kind == WD_ACTION_KIND_COUNT) {
        wd_build_invalid(builder, raw, "unknown action name %.60s", name);
        return;
    }
    const wd_value *keycode = WD_FIRST_OF(object, "keycode");
    if (kind == WD_ACTION_KEY) {
        wd_build_key(builder, wd_value_string_or(keycode, ""), raw);
    } else {
        wd_build_begin(builder, kind, raw);
        arguments(builder, object, strcmp(plain, "type") == 0);
    }
    wd_build_end(builder);
}

void wd_dialect_androidworld(wd_builder *builder, wd_reply_text *text)
{
    bool labelled = false;
    wd_span part = wd_reply_action_part(text, &labelled);
    wd_value *object = NULL;
    size_t start = 0;
    size_t end = 0;
    wd_status status = wd_loose_last_object(part.at, part.length, &object, &start, &end);
    for (int i = 1; labelled && status == WD_ENOENT && i < WD_REPLY_EARLIER_MAX; i++) {
        labelled = wd_reply_earlier_part(text, &part);
        status = labelled ? wd_loose_last_object(part.at, part.length, &object, &start, &end) : status;
    }
    if (status == WD_OK) {
        wd_androidworld_action(builder, object, (wd_span){ part.at + start, end - start });
    } else if (status == WD_ENOMEM) {
        builder->status = status;
    }
    wd_value_unref(&object);
}
