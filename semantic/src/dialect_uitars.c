/// UI-TARS and UI-Venus: calls by keyword, one per line.
#include "dialect_build.h"
#include "dialect_call.h"

#include <string.h>

enum { UITARS_WAIT_MS = 5000 };  // wait() is documented as "sleep for 5 s"

static const wd_value *box(const wd_value *args)
{
    return WD_FIRST_OF(args, "point", "start_box", "box", "start_point", "start", "0");
}

static const wd_value *end_box(const wd_value *args)
{
    return WD_FIRST_OF(args, "end_point", "end_box", "end", "1");
}

static const wd_value *words(const wd_value *args)
{
    return WD_FIRST_OF(args, "content", "text", "message", "answer", "0");
}

static void arguments(wd_builder *builder, const wd_value *args)
{
    wd_action *now = &builder->now;
    switch (now->kind) {
    case WD_ACTION_TAP:
    case WD_ACTION_DOUBLE_TAP:
        wd_build_point(builder, "point", box(args));
        break;
    case WD_ACTION_LONG_PRESS:
        wd_build_point(builder, "point", box(args));
        wd_build_seconds(builder, "time", WD_FIRST_OF(args, "time", "duration"));
        break;
    case WD_ACTION_TYPE:
        wd_build_typed(builder, "content", words(args));
        if (WD_FIRST_OF(args, "point", "start_box") != NULL) {
            wd_build_point(builder, "point", WD_FIRST_OF(args, "point", "start_box"));
        }
        break;
    case WD_ACTION_DRAG:
    case WD_ACTION_SWIPE:
        wd_build_point(builder, "start point", box(args));
        wd_build_point2(builder, "end point", end_box(args));
        break;
    case WD_ACTION_SCROLL:
        if (WD_FIRST_OF(args, "point", "start_box", "box") != NULL) {
            wd_build_point(builder, "point", WD_FIRST_OF(args, "point", "start_box", "box"));
        }
        wd_build_direction(builder, "direction", WD_FIRST_OF(args, "direction"), WD_DIR_OF_CONTENT);
        break;
    case WD_ACTION_LAUNCH_APP:
        wd_build_text(builder, "app_name", WD_FIRST_OF(args, "app_name", "app", "name", "0"), &now->app);
        break;
    case WD_ACTION_WAIT:
        now->ms = UITARS_WAIT_MS;
        wd_build_seconds(builder, "time", WD_FIRST_OF(args, "time", "duration", "seconds", "0"));
        break;
    case WD_ACTION_COMPLETE:
        wd_build_string(builder, (wd_span){ "success", 7 }, &now->status);
        wd_build_text_maybe(builder, "content", words(args), &now->text);
        break;
    case WD_ACTION_ASK_USER:
        wd_build_text_maybe(builder, "content", words(args), &now->text);
        break;
    case WD_ACTION_ANSWER:
        wd_build_text(builder, "content", words(args), &now->text);
        break;
    default:
        break;  // back, home, enter, recents have no arguments
    }
}

static void call_action(wd_builder *builder, const wd_call *call, const wd_name_kind *kinds, size_t count)
{
    char name[2 * WD_NAME_SIZE] = "";
    char plain[WD_NAME_SIZE];
    size_t length = call->name.length < sizeof name - 1 ? call->name.length : sizeof name - 1;
    memcpy(name, call->name.at, length);
    name[length] = '\0';
    wd_plain_name(name, plain);
    wd_action_kind kind = wd_kind_of(kinds, count, plain);
    if (kind == WD_ACTION_KIND_COUNT) {
        wd_build_invalid(builder, call->whole, "unknown action name %.60s", name);
        return;
    }
    // Venus' Scroll(start, end) is a finger's way from here to there; with a direction only it is the content's.
    if (kind == WD_ACTION_SCROLL && end_box(call->args) != NULL) {
        kind = WD_ACTION_SWIPE;
    }
    if (kind == WD_ACTION_KEY) {
        wd_build_key(builder, wd_value_string_or(WD_FIRST_OF(call->args, "key", "keys", "hotkey", "0"), ""),
            call->whole);
    } else {
        wd_build_begin(builder, kind, call->whole);
        arguments(builder, call->args);
    }
    wd_build_end(builder);
}

/// Does the call begin its line? What stands behind one on the same line is a remark.
static bool begins_line(wd_span part, wd_span call)
{
    const char *at = call.at;
    while (at > part.at && (at[-1] == ' ' || at[-1] == '\t')) {
        at--;
    }
    return at == part.at || at[-1] == '\n';
}

/// Calls that begin their lines, one after another, are several actions, whatever their names.
static void calls(wd_builder *builder, wd_span part, const wd_name_kind *kinds, size_t count)
{
    wd_call_search search = wd_call_search_of(part);
    wd_call call;
    wd_status status = WD_OK;
    while (builder->status == WD_OK && (status = wd_call_next(&search, NULL, &call)) == WD_OK) {
        if (begins_line(part, call.whole)) {
            call_action(builder, &call, kinds, count);
        }
        wd_call_done(&call);
    }
    if (builder->status == WD_OK && status == WD_ENOMEM) {
        builder->status = status;
    }
}

/// Without a label there is only prose to go by: the last call of a known name, else the last one of any name.
static void last_call(
    wd_builder *builder, wd_span part, const char *const *names, const wd_name_kind *kinds, size_t count)
{
    wd_call call;
    wd_status status = wd_call_last(part, names, &call);
    if (status == WD_ENOENT) {
        status = wd_call_last(part, NULL, &call);
    }
    if (status == WD_OK) {
        call_action(builder, &call, kinds, count);
        wd_call_done(&call);
    } else if (status == WD_ENOMEM) {
        builder->status = status;
    }
}

void wd_dialect_uitars(wd_builder *builder, wd_reply_text *text)
{
    static const char *const names[] = { "click", "left_single", "left_double", "select", "long_press",
        "type", "scroll", "drag", "swipe", "open_app", "press_home", "press_back", "press_enter",
        "press_recent", "wait", "finished", "call_user", "hotkey", NULL };
    static const wd_name_kind kinds[] = {
        { "click", WD_ACTION_TAP },
        { "leftsingle", WD_ACTION_TAP },
        { "select", WD_ACTION_TAP },
        { "leftdouble", WD_ACTION_DOUBLE_TAP },
        { "doubleclick", WD_ACTION_DOUBLE_TAP },
        { "doubletap", WD_ACTION_DOUBLE_TAP },
        { "longpress", WD_ACTION_LONG_PRESS },
        { "type", WD_ACTION_TYPE },
        { "scroll", WD_ACTION_SCROLL },
        { "drag", WD_ACTION_DRAG },
        { "swipe", WD_ACTION_SWIPE },
        { "openapp", WD_ACTION_LAUNCH_APP },
        { "presshome", WD_ACTION_HOME },
        { "pressback", WD_ACTION_BACK },
        { "pressenter", WD_ACTION_ENTER },
        { "pressrecent", WD_ACTION_RECENTS },
        { "pressappselect", WD_ACTION_RECENTS },
        { "wait", WD_ACTION_WAIT },
        { "finished", WD_ACTION_COMPLETE },
        { "calluser", WD_ACTION_ASK_USER },
        { "hotkey", WD_ACTION_KEY },
    };
    bool labelled = false;
    wd_span part = wd_reply_action_part(text, &labelled);
    wd_span earlier = part;
    for (int i = 0;
         labelled && builder->status == WD_OK && builder->reply->count == 0 && i < WD_REPLY_EARLIER_MAX;
         i++) {
        calls(builder, earlier, kinds, WD_COUNT_OF(kinds));
        labelled = wd_reply_earlier_part(text, &earlier);
    }
    if (builder->status == WD_OK && builder->reply->count == 0) {
        last_call(builder, part, names, kinds, WD_COUNT_OF(kinds));
    }
}

void wd_dialect_venus(wd_builder *builder, wd_reply_text *text)
{
    static const char *const names[] = { "Click", "Drag", "Scroll", "Type", "Launch", "Wait", "Finished",
        "CallUser", "LongPress", "PressBack", "PressHome", "PressEnter", "PressRecent", "Answer", NULL };
    static const wd_name_kind kinds[] = {
        { "click", WD_ACTION_TAP },
        { "drag", WD_ACTION_DRAG },
        { "scroll", WD_ACTION_SCROLL },
        { "type", WD_ACTION_TYPE },
        { "launch", WD_ACTION_LAUNCH_APP },
        { "wait", WD_ACTION_WAIT },
        { "finished", WD_ACTION_COMPLETE },
        { "calluser", WD_ACTION_ASK_USER },
        { "longpress", WD_ACTION_LONG_PRESS },
        { "doubleclick", WD_ACTION_DOUBLE_TAP },
        { "pressback", WD_ACTION_BACK },
        { "presshome", WD_ACTION_HOME },
        { "pressenter", WD_ACTION_ENTER },
        { "pressrecent", WD_ACTION_RECENTS },
        { "answer", WD_ACTION_ANSWER },
    };
    bool labelled = false;
    wd_span part = wd_reply_action_part(text, &labelled);
    last_call(builder, part, names, kinds, WD_COUNT_OF(kinds));
}
