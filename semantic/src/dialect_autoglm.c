#include "dialect_build.h"
#include "dialect_call.h"

#include <string.h>

static const wd_name_kind kinds[] = {
    { "launch", WD_ACTION_LAUNCH_APP },
    { "tap", WD_ACTION_TAP },
    { "doubletap", WD_ACTION_DOUBLE_TAP },
    { "longpress", WD_ACTION_LONG_PRESS },
    { "type", WD_ACTION_TYPE },
    { "typename", WD_ACTION_TYPE },
    { "swipe", WD_ACTION_SWIPE },
    { "back", WD_ACTION_BACK },
    { "home", WD_ACTION_HOME },
    { "wait", WD_ACTION_WAIT },
    { "interact", WD_ACTION_ASK_USER },
    { "takeover", WD_ACTION_ASK_USER },
    { "note", WD_ACTION_NOTE },
    { "callapi", WD_ACTION_NOTE },
    { "answer", WD_ACTION_ANSWER },
};

static const wd_value *words(const wd_value *args)
{
    return WD_FIRST_OF(args, "message", "text", "instruction", "content", "answer");
}

static void arguments(wd_builder *builder, const wd_value *args)
{
    wd_action *now = &builder->now;
    switch (now->kind) {
    case WD_ACTION_LAUNCH_APP:
        wd_build_text(builder, "app", WD_FIRST_OF(args, "app"), &now->app);
        break;
    case WD_ACTION_TAP:
    case WD_ACTION_DOUBLE_TAP:
    case WD_ACTION_LONG_PRESS:
        wd_build_point(builder, "element", WD_FIRST_OF(args, "element"));
        wd_build_text_maybe(builder, "message", WD_FIRST_OF(args, "message"), &now->text);
        wd_build_seconds(builder, "duration", WD_FIRST_OF(args, "duration"));
        break;
    case WD_ACTION_TYPE:
        wd_build_typed(builder, "text", WD_FIRST_OF(args, "text"));
        now->clear = !builder->refused;  // its keyboard empties the field first
        break;
    case WD_ACTION_SWIPE:
        wd_build_point(builder, "start", WD_FIRST_OF(args, "start"));
        wd_build_point2(builder, "end", WD_FIRST_OF(args, "end"));
        wd_build_seconds(builder, "duration", WD_FIRST_OF(args, "duration"));
        break;
    case WD_ACTION_WAIT:
        wd_build_seconds(builder, "duration", WD_FIRST_OF(args, "duration"));
        break;
    case WD_ACTION_ANSWER:
        wd_build_text(builder, "message", words(args), &now->text);
        break;
    case WD_ACTION_ASK_USER:
    case WD_ACTION_NOTE:
        wd_build_text_maybe(builder, "message", words(args), &now->text);
        break;
    default:
        break;  // back, home have no arguments
    }
}

static void do_action(wd_builder *builder, const wd_call *call)
{
    const wd_value *name = WD_FIRST_OF(call->args, "action", "0");
    char plain[WD_NAME_SIZE] = "";
    if (wd_value_is(name, WD_KIND_STRING)) {
        wd_plain_name(wd_value_as_string(name, NULL), plain);
    }
    wd_action_kind kind = wd_kind_of(kinds, WD_COUNT_OF(kinds), plain);
    if (kind == WD_ACTION_KIND_COUNT) {
        wd_build_invalid(
            builder, call->whole, "unknown action name %.60s", wd_value_string_or(name, "(none)"));
        return;
    }
    wd_build_begin(builder, kind, call->whole);
    arguments(builder, call->args);
    wd_build_end(builder);
}

void wd_dialect_autoglm(wd_builder *builder, wd_reply_text *text)
{
    static const char *const names[] = { "do", "finish", NULL };
    wd_call call;
    wd_status status = wd_call_last(text->body, names, &call);
    if (status != WD_OK) {
        builder->status = status == WD_ENOMEM ? status : builder->status;
        return;
    }
    if (text->thought.length == 0) {
        text->thought = wd_span_trim((wd_span){ text->body.at, (size_t)(call.whole.at - text->body.at) });
    }
    if (wd_span_is_nocase(call.name, "finish")) {
        wd_build_begin(builder, WD_ACTION_COMPLETE, call.whole);
        wd_build_string(builder, (wd_span){ "success", 7 }, &builder->now.status);
        wd_build_text_maybe(builder, "message", WD_FIRST_OF(call.args, "message", "0"), &builder->now.text);
        wd_build_end(builder);
    } else {
        do_action(builder, &call);
    }
    wd_call_done(&call);
}
