/// Computer-use tools: Anthropic's tool input and OpenAI's computer_call, alone or inside a whole API reply.
#include "dialect_build.h"

#include "loose.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- what both have in common ---------------------------------------------------------------------------------

/// Keys pressed together as one name: "ctrl+c".
static void build_keys(wd_builder *builder, const wd_value *keys, wd_span raw)
{
    wd_buffer name = { 0 };
    wd_status status = wd_buffer_append(&name, "", 0);
    for (size_t i = 0; status == WD_OK && i < wd_array_count(keys); i++) {
        status =
            wd_buffer_format(&name, "%s%s", i == 0 ? "" : "+", wd_value_string_or(wd_array_at(keys, i), ""));
    }
    if (status == WD_OK) {
        wd_build_key(builder, name.bytes, raw);
    } else {
        builder->status = status;
        wd_build_begin(builder, WD_ACTION_INVALID, raw);
    }
    wd_buffer_done(&name);
}

static wd_span whole_of(const wd_reply_text *text)
{
    return wd_span_trim((wd_span){ text->clean.bytes, text->clean.length });
}

/// Append reasoning and prose of an API reply, a block per line.
static wd_status add_thought(wd_buffer *thought, const wd_value *words)
{
    size_t length = 0;
    if (!wd_value_is(words, WD_KIND_STRING)) {
        return WD_OK;
    }
    const char *text = wd_value_as_string(words, &length);
    wd_status status = thought->length > 0 ? wd_buffer_text(thought, "\n") : WD_OK;
    return status == WD_OK ? wd_buffer_append(thought, text, length) : status;
}

static void take_thought(wd_builder *builder, wd_buffer *thought)
{
    if (builder->status == WD_OK && thought->length > 0 && builder->reply->thought == NULL) {
        wd_status status = wd_action_set_text(&builder->reply->thought, thought->bytes, thought->length);
        builder->status = status == WD_ELIMIT ? WD_OK : status;
    }
    wd_buffer_done(thought);
}

// ---- Anthropic ------------------------------------------------------------------------------------------------

static const wd_name_kind anthropic_kinds[] = {
    { "leftclick", WD_ACTION_TAP },
    { "doubleclick", WD_ACTION_DOUBLE_TAP },
    { "leftclickdrag", WD_ACTION_DRAG },
    { "type", WD_ACTION_TYPE },
    { "key", WD_ACTION_KEY },
    { "holdkey", WD_ACTION_KEY },
    { "scroll", WD_ACTION_SCROLL },
    { "wait", WD_ACTION_WAIT },
    { "screenshot", WD_ACTION_NOOP },
    { "cursorposition", WD_ACTION_NOOP },
    { "zoom", WD_ACTION_NOOP },
};

static void anthropic_arguments(wd_builder *builder, const wd_value *input)
{
    const wd_value *coordinate = WD_FIRST_OF(input, "coordinate");
    const wd_value *amount = WD_FIRST_OF(input, "scroll_amount");
    switch (builder->now.kind) {
    case WD_ACTION_TAP:
    case WD_ACTION_DOUBLE_TAP:
        wd_build_point(builder, "coordinate", coordinate);
        break;
    case WD_ACTION_DRAG:
        wd_build_point(builder, "start_coordinate", WD_FIRST_OF(input, "start_coordinate"));
        wd_build_point2(builder, "coordinate", coordinate);
        break;
    case WD_ACTION_TYPE:
        wd_build_typed(builder, "text", WD_FIRST_OF(input, "text"));
        break;
    case WD_ACTION_SCROLL:
        if (coordinate != NULL) {
            wd_build_point(builder, "coordinate", coordinate);
        }
        wd_build_direction(
            builder, "scroll_direction", WD_FIRST_OF(input, "scroll_direction"), WD_DIR_OF_CONTENT);
        if (amount != NULL && !builder->refused) {
            double number = wd_value_double_or(amount, -1);
            builder->now.amount = number;
            if (!(number >= 0 && number <= WD_ACTION_AMOUNT_MAX)) {
                wd_build_refuse(builder, "scroll_amount is no amount");
            }
        }
        break;
    case WD_ACTION_WAIT:
        wd_build_seconds(builder, "duration", WD_FIRST_OF(input, "duration"));
        break;
    default:
        break;  // looks only
    }
}

static void anthropic_action(wd_builder *builder, const wd_value *input, wd_span raw)
{
    const char *name = wd_value_string_or(WD_FIRST_OF(input, "action"), "");
    char plain[WD_NAME_SIZE];
    wd_plain_name(name, plain);
    wd_action_kind kind = wd_kind_of(anthropic_kinds, WD_COUNT_OF(anthropic_kinds), plain);
    if (kind == WD_ACTION_KIND_COUNT) {
        wd_build_invalid(
            builder, raw, name[0] == '\0' ? "action is missing" : "unknown action name %.60s", name);
        return;
    }
    if (kind == WD_ACTION_KEY) {
        wd_build_key(builder, wd_value_string_or(WD_FIRST_OF(input, "text", "key"), ""), raw);
        wd_build_seconds(builder, "duration", WD_FIRST_OF(input, "duration"));
    } else {
        wd_build_begin(builder, kind, raw);
        anthropic_arguments(builder, input);
    }
    wd_build_end(builder);
}

/// The content of a message: text and thinking beside tool calls.
static void anthropic_content(wd_builder *builder, const wd_value *content, wd_span raw)
{
    wd_buffer thought = { 0 };
    for (size_t i = 0; builder->status == WD_OK && i < wd_array_count(content); i++) {
        const wd_value *block = wd_array_at(content, i);
        if (wd_value_is_text(wd_object_get(block, "type"), "tool_use")) {
            anthropic_action(builder, wd_object_get(block, "input"), raw);
        } else {
            builder->status = add_thought(&thought, WD_FIRST_OF(block, "text", "thinking"));
        }
    }
    take_thought(builder, &thought);
}

void wd_dialect_anthropic(wd_builder *builder, wd_reply_text *text)
{
    wd_span body = text->body;
    wd_value *value = NULL;
    size_t start = 0;
    size_t end = body.length;
    wd_status status = wd_loose_parse(body.at, body.length, &value, NULL, NULL);
    if (status == WD_EPARSE || status == WD_ELIMIT) {
        status = wd_loose_last_object(body.at, body.length, &value, &start, &end);
    }
    const wd_value *content = wd_value_is(value, WD_KIND_ARRAY) ? value : wd_object_get(value, "content");
    if (status == WD_OK && wd_value_is(content, WD_KIND_ARRAY)) {
        anthropic_content(builder, content, whole_of(text));
    } else if (status == WD_OK) {
        const wd_value *input = wd_object_get(value, "input");
        anthropic_action(builder, input == NULL ? value : input, (wd_span){ body.at + start, end - start });
    } else if (status == WD_ENOMEM) {
        builder->status = status;
    }
    wd_value_unref(&value);
}

// ---- OpenAI ---------------------------------------------------------------------------------------------------

static const wd_name_kind openai_kinds[] = {
    { "click", WD_ACTION_TAP },
    { "doubleclick", WD_ACTION_DOUBLE_TAP },
    { "drag", WD_ACTION_DRAG },
    { "keypress", WD_ACTION_KEY },
    { "scroll", WD_ACTION_SCROLL },
    { "type", WD_ACTION_TYPE },
    { "wait", WD_ACTION_WAIT },
    { "screenshot", WD_ACTION_NOOP },
};

static void openai_scroll(wd_builder *builder, const wd_value *action)
{
    double dx = wd_value_double_or(WD_FIRST_OF(action, "scroll_x", "scrollX"), 0);
    double dy = wd_value_double_or(WD_FIRST_OF(action, "scroll_y", "scrollY"), 0);
    bool sideways = fabs(dx) > fabs(dy);
    double amount = fabs(sideways ? dx : dy);
    wd_build_xy(builder, WD_FIRST_OF(action, "x"), WD_FIRST_OF(action, "y"));
    if (!(amount > 0 && amount <= WD_ACTION_AMOUNT_MAX)) {
        wd_build_refuse(builder, "scroll_x and scroll_y say no way to scroll");
    }
    if (!builder->refused) {
        builder->now.direction =
            sideways ? (dx > 0 ? WD_DIR_RIGHT : WD_DIR_LEFT) : (dy > 0 ? WD_DIR_DOWN : WD_DIR_UP);
        builder->now.direction_of = WD_DIR_OF_CONTENT;
        builder->now.amount = amount;
    }
}

static void openai_arguments(wd_builder *builder, const wd_value *action)
{
    const wd_value *path = WD_FIRST_OF(action, "path");
    size_t count = wd_array_count(path);
    switch (builder->now.kind) {
    case WD_ACTION_TAP: {
        const char *button = wd_value_string_or(WD_FIRST_OF(action, "button"), "left");
        if (strcmp(button, "left") != 0) {
            wd_build_refuse(builder, "a finger has no %.20s button", button);
        }
        wd_build_xy(builder, WD_FIRST_OF(action, "x"), WD_FIRST_OF(action, "y"));
        break;
    }
    case WD_ACTION_DOUBLE_TAP:
        wd_build_xy(builder, WD_FIRST_OF(action, "x"), WD_FIRST_OF(action, "y"));
        break;
    case WD_ACTION_DRAG:
        wd_build_point(builder, "path", wd_array_at(path, 0));
        wd_build_point2(builder, "path", count < 2 ? NULL : wd_array_at(path, count - 1));
        break;
    case WD_ACTION_SCROLL:
        openai_scroll(builder, action);
        break;
    case WD_ACTION_TYPE:
        wd_build_typed(builder, "text", WD_FIRST_OF(action, "text"));
        break;
    case WD_ACTION_WAIT:
        wd_build_ms(builder, "ms", WD_FIRST_OF(action, "ms"));
        break;
    default:
        break;  // looks only
    }
}

static void openai_action(wd_builder *builder, const wd_value *action, wd_span raw)
{
    const char *name = wd_value_string_or(wd_object_get(action, "type"), "");
    char plain[WD_NAME_SIZE];
    wd_plain_name(name, plain);
    wd_action_kind kind = wd_kind_of(openai_kinds, WD_COUNT_OF(openai_kinds), plain);
    if (kind == WD_ACTION_KIND_COUNT) {
        wd_build_invalid(
            builder, raw, name[0] == '\0' ? "type is missing" : "unknown action name %.60s", name);
        return;
    }
    bool back = kind == WD_ACTION_TAP && wd_value_is_text(WD_FIRST_OF(action, "button"), "back");
    if (kind == WD_ACTION_KEY) {
        build_keys(builder, WD_FIRST_OF(action, "keys"), raw);
    } else {
        wd_build_begin(builder, back ? WD_ACTION_BACK : kind, raw);
        if (!back) {
            openai_arguments(builder, action);
        }
    }
    wd_build_end(builder);
}

static void openai_item(wd_builder *builder, const wd_value *item, wd_buffer *thought, wd_span raw)
{
    const wd_value *type = wd_object_get(item, "type");
    const wd_value *actions = wd_object_get(item, "actions");
    if (wd_value_is_text(type, "reasoning") || wd_value_is_text(type, "message")) {
        const wd_value *words = WD_FIRST_OF(item, "summary", "content");
        for (size_t i = 0; builder->status == WD_OK && i < wd_array_count(words); i++) {
            builder->status = add_thought(thought, WD_FIRST_OF(wd_array_at(words, i), "text"));
        }
    } else if (wd_value_is(actions, WD_KIND_ARRAY)) {
        for (size_t i = 0; builder->status == WD_OK && i < wd_array_count(actions); i++) {
            openai_action(builder, wd_array_at(actions, i), raw);
        }
    } else {
        const wd_value *action = wd_object_get(item, "action");
        openai_action(builder, action == NULL ? item : action, raw);
    }
}

void wd_dialect_openai(wd_builder *builder, wd_reply_text *text)
{
    wd_span body = text->body;
    wd_value *value = NULL;
    size_t start = 0;
    size_t end = body.length;
    wd_buffer thought = { 0 };
    wd_status status = wd_loose_parse(body.at, body.length, &value, NULL, NULL);
    if (status == WD_EPARSE || status == WD_ELIMIT) {
        status = wd_loose_last_object(body.at, body.length, &value, &start, &end);
    }
    wd_span raw = { body.at + start, end - start };
    const wd_value *items = wd_value_is(value, WD_KIND_ARRAY) ? value : wd_object_get(value, "output");
    if (status == WD_OK && wd_value_is(items, WD_KIND_ARRAY)) {
        for (size_t i = 0; builder->status == WD_OK && i < wd_array_count(items); i++) {
            openai_item(builder, wd_array_at(items, i), &thought, raw);
        }
    } else if (status == WD_OK) {
        openai_item(builder, value, &thought, raw);
    } else if (status == WD_ENOMEM) {
        builder->status = status;
    }
    take_thought(builder, &thought);
    wd_value_unref(&value);
}
