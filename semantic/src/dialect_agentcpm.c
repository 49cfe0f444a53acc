#include "dialect_build.h"

#include "loose.h"

#include <string.h>

enum { LONG_PRESS_MS = 200 };  // a touch that is held longer than this is a long press

static const wd_name_kind status_kinds[] = {
    { "finish", WD_ACTION_COMPLETE },
    { "satisfied", WD_ACTION_COMPLETE },
    { "impossible", WD_ACTION_ABORT },
    { "interrupt", WD_ACTION_ASK_USER },
    { "needfeedback", WD_ACTION_ASK_USER },
};

static void touch(wd_builder *builder, const wd_value *object, wd_span raw)
{
    const wd_value *to = WD_FIRST_OF(object, "to");
    const wd_value *duration = WD_FIRST_OF(object, "duration");
    wd_build_begin(builder, WD_ACTION_TAP, raw);
    wd_build_point(builder, "POINT", wd_object_get(object, "POINT"));
    wd_build_ms(builder, "duration", duration);
    if (wd_value_is(to, WD_KIND_STRING)) {
        builder->now.kind = builder->refused ? WD_ACTION_INVALID : WD_ACTION_SWIPE;
        wd_build_direction(builder, "to", to, WD_DIR_OF_FINGER);
    } else if (to != NULL) {
        builder->now.kind = builder->refused ? WD_ACTION_INVALID : WD_ACTION_DRAG;
        wd_build_point2(builder, "to", to);
    } else if (!builder->refused && builder->now.ms > LONG_PRESS_MS) {
        builder->now.kind = WD_ACTION_LONG_PRESS;
    }
    wd_build_end(builder);
}

static void status_action(wd_builder *builder, const wd_value *status, const wd_value *thought, wd_span raw)
{
    char plain[WD_NAME_SIZE];
    wd_plain_name(wd_value_string_or(status, ""), plain);
    wd_action_kind kind = wd_kind_of(status_kinds, WD_COUNT_OF(status_kinds), plain);
    if (kind == WD_ACTION_KIND_COUNT) {
        wd_build_invalid(builder, raw, "unknown STATUS %.60s", wd_value_string_or(status, "(no text)"));
        return;
    }
    wd_build_begin(builder, kind, raw);
    if (kind == WD_ACTION_COMPLETE) {
        wd_build_string(builder, (wd_span){ "success", 7 }, &builder->now.status);
    } else if (kind == WD_ACTION_ABORT) {
        wd_build_string(builder, (wd_span){ "failure", 7 }, &builder->now.status);
    } else {
        wd_build_text_maybe(builder, "thought", thought, &builder->now.text);  // what it needs to know
    }
    wd_build_end(builder);
}

/// One object may press, type and end at once: each is an action, in this order.
static void object_actions(wd_builder *builder, const wd_value *object, wd_span raw)
{
    const wd_value *press = WD_FIRST_OF(object, "PRESS");
    const wd_value *type = WD_FIRST_OF(object, "TYPE");
    const wd_value *duration = WD_FIRST_OF(object, "duration");
    const wd_value *status = WD_FIRST_OF(object, "STATUS");
    if (WD_FIRST_OF(object, "POINT") != NULL) {
        touch(builder, object, raw);
    }
    if (press != NULL) {
        wd_build_key(builder, wd_value_string_or(press, ""), raw);
        if (builder->now.kind == WD_ACTION_KEY) {
            wd_build_refuse(builder, "unknown PRESS %.60s", wd_value_string_or(press, "(no text)"));
        }
        wd_build_end(builder);
    }
    if (type != NULL) {
        wd_build_begin(builder, WD_ACTION_TYPE, raw);
        wd_build_typed(builder, "TYPE", type);
        wd_build_end(builder);
    }
    if (builder->reply->count == 0 && duration != NULL) {
        wd_build_begin(builder, WD_ACTION_WAIT, raw);
        wd_build_ms(builder, "duration", duration);
        wd_build_end(builder);
    }
    if (status != NULL && !wd_value_is_text(status, "continue")) {
        status_action(builder, status, WD_FIRST_OF(object, "thought"), raw);
    }
}

void wd_dialect_agentcpm(wd_builder *builder, wd_reply_text *text)
{
    wd_value *object = NULL;
    size_t start = 0;
    size_t end = 0;
    wd_status status = wd_loose_last_object(text->body.at, text->body.length, &object, &start, &end);
    if (status == WD_OK) {
        object_actions(builder, object, (wd_span){ text->body.at + start, end - start });
        const wd_value *thought = wd_object_get(object, "thought");
        if (wd_value_is(thought, WD_KIND_STRING) && !wd_value_is_text(thought, "") &&
            builder->status == WD_OK && builder->reply->thought == NULL) {
            size_t length = 0;
            const char *words = wd_value_as_string(thought, &length);
            status = wd_action_set_text(&builder->reply->thought, words, length);
            status = status == WD_ELIMIT ? WD_OK : status;
        }
    }
    if (status == WD_ENOMEM) {
        builder->status = status;
    }
    wd_value_unref(&object);
}
