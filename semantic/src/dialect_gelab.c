/// GELab's lines of named fields and MobileGym's records, which share their action names.
#include "dialect_build.h"

#include "loose.h"

#include <string.h>
#include <strings.h>

static const wd_name_kind kinds[] = {
    { "click", WD_ACTION_TAP },
    { "doubletap", WD_ACTION_DOUBLE_TAP },
    { "doubleclick", WD_ACTION_DOUBLE_TAP },
    { "longpress", WD_ACTION_LONG_PRESS },
    { "type", WD_ACTION_TYPE },
    { "swipe", WD_ACTION_SWIPE },
    { "slide", WD_ACTION_SWIPE },
    { "drag", WD_ACTION_DRAG },
    { "scroll", WD_ACTION_SCROLL },
    { "back", WD_ACTION_BACK },
    { "home", WD_ACTION_HOME },
    { "enter", WD_ACTION_ENTER },
    { "recent", WD_ACTION_RECENTS },
    { "recents", WD_ACTION_RECENTS },
    { "awake", WD_ACTION_LAUNCH_APP },
    { "launch", WD_ACTION_LAUNCH_APP },
    { "wait", WD_ACTION_WAIT },
    { "answer", WD_ACTION_ANSWER },
    { "info", WD_ACTION_ASK_USER },
    { "noop", WD_ACTION_NOTE },
    { "complete", WD_ACTION_COMPLETE },
    { "abort", WD_ACTION_ABORT },
    { "hotkey", WD_ACTION_KEY },
    { "key", WD_ACTION_KEY },
};

static const wd_value *words(const wd_value *data)
{
    return WD_FIRST_OF(
        data, "value", "return", "text", "message", "note", "instruction", "content", "answer");
}

static void two_points(wd_builder *builder, const wd_value *data)
{
    const wd_value *start = WD_FIRST_OF(data, "point1", "start", "start_point", "from", "point");
    const wd_value *end = WD_FIRST_OF(data, "point2", "end", "end_point", "to");
    const wd_value *direction = WD_FIRST_OF(data, "direction");
    if (end == NULL && direction != NULL) {
        if (start != NULL) {
            wd_build_point(builder, "point", start);
        }
        wd_build_direction(builder, "direction", direction,
            builder->now.kind == WD_ACTION_SCROLL ? WD_DIR_OF_CONTENT : WD_DIR_OF_FINGER);
        return;
    }
    wd_build_point(builder, "point1", start);
    wd_build_point2(builder, "point2", end);
    wd_build_seconds(builder, "duration", WD_FIRST_OF(data, "duration"));
}

static void arguments(wd_builder *builder, const wd_value *data)
{
    wd_action *now = &builder->now;
    switch (now->kind) {
    case WD_ACTION_TAP:
    case WD_ACTION_DOUBLE_TAP:
    case WD_ACTION_LONG_PRESS:
        wd_build_point(builder, "point", WD_FIRST_OF(data, "point", "point1"));
        wd_build_seconds(builder, "duration", WD_FIRST_OF(data, "duration"));
        break;
    case WD_ACTION_TYPE:
        wd_build_typed(builder, "value", WD_FIRST_OF(data, "value", "text"));
        if (WD_FIRST_OF(data, "point") != NULL) {
            wd_build_point(builder, "point", WD_FIRST_OF(data, "point"));
        }
        now->clear = !builder->refused && wd_value_bool_or(WD_FIRST_OF(data, "clear"), false);
        break;
    case WD_ACTION_SWIPE:
    case WD_ACTION_DRAG:
    case WD_ACTION_SCROLL:
        two_points(builder, data);
        break;
    case WD_ACTION_LAUNCH_APP:
        wd_build_text(builder, "value", WD_FIRST_OF(data, "value", "app"), &now->app);
        break;
    case WD_ACTION_WAIT:
        wd_build_seconds(builder, "value", WD_FIRST_OF(data, "value", "duration", "seconds"));
        break;
    case WD_ACTION_ANSWER:
        wd_build_text(builder, "value", words(data), &now->text);
        break;
    case WD_ACTION_COMPLETE:
        wd_build_string(builder, (wd_span){ "success", 7 }, &now->status);
        wd_build_text_maybe(builder, "return", words(data), &now->text);
        break;
    case WD_ACTION_ABORT:
        wd_build_string(builder, (wd_span){ "failure", 7 }, &now->status);
        wd_build_text_maybe(builder, "value", WD_FIRST_OF(data, "value", "reason", "message"), &now->reason);
        break;
    case WD_ACTION_ASK_USER:
    case WD_ACTION_NOTE:
        wd_build_text_maybe(builder, "value", words(data), &now->text);
        break;
    default:
        break;  // back, home, enter, recents have no arguments
    }
}

void wd_mobilegym_action(wd_builder *builder, const char *type, const wd_value *data, wd_span raw)
{
    // The recorder writes NOOP for what its agent could not read: that is an invalid action, not a pause.
    const wd_value *unknown = WD_FIRST_OF(data, "unknown_action");
    if (unknown != NULL) {
        wd_build_invalid(builder, raw, "unknown action name %.60s", wd_value_string_or(unknown, "(no text)"));
        return;
    }
    const wd_value *error = WD_FIRST_OF(data, "parse_error", "error");
    if (error != NULL) {
        wd_build_invalid(builder, raw, "%.200s", wd_value_string_or(error, "not readable"));
        return;
    }
    char plain[WD_NAME_SIZE];
    wd_plain_name(type, plain);
    wd_action_kind kind = wd_kind_of(kinds, WD_COUNT_OF(kinds), plain);
    if (kind == WD_ACTION_KIND_COUNT) {
        wd_build_invalid(
            builder, raw, plain[0] == '\0' ? "action is missing" : "unknown action name %.60s", type);
        return;
    }
    if (kind == WD_ACTION_KEY) {
        wd_build_key(builder, wd_value_string_or(WD_FIRST_OF(data, "key", "value"), ""), raw);
    } else {
        wd_build_begin(builder, kind, raw);
        arguments(builder, data);
    }
    wd_build_end(builder);
}

void wd_dialect_mobilegym(wd_builder *builder, wd_reply_text *text)
{
    wd_value *object = NULL;
    size_t start = 0;
    size_t end = 0;
    wd_status status = wd_loose_last_object(text->body.at, text->body.length, &object, &start, &end);
    if (status == WD_OK) {
        const wd_value *data = wd_object_get(object, "action_data");
        wd_span raw = { text->body.at + start, end - start };
        wd_mobilegym_action(builder, wd_value_string_or(WD_FIRST_OF(object, "action_type", "action"), ""),
            wd_value_is(data, WD_KIND_OBJECT) ? data : object, raw);
    } else if (status == WD_ENOMEM) {
        builder->status = status;
    }
    wd_value_unref(&object);
}

// ---- lines of fields ------------------------------------------------------------------------------------------

static const char *const fields[] = { "explain", "action", "point", "point1", "point2", "value", "summary",
    "return", "direction", "key", "duration" };

/// The field's name at the start of the span, with its colon (which may be a wide one). 0: there is none.
static size_t field_length(wd_span span, const char **ret_name)
{
    static const char wide_colon[] = "\xef\xbc\x9a";
    for (size_t i = 0; i < WD_COUNT_OF(fields); i++) {
        size_t length = strlen(fields[i]);
        if (span.length <= length || strncasecmp(span.at, fields[i], length) != 0) {
            continue;
        }
        wd_span rest = wd_span_from(span, length);
        bool wide = rest.length >= 3 && memcmp(rest.at, wide_colon, 3) == 0;
        if (wide || rest.at[0] == ':') {
            *ret_name = fields[i];
            return length + (wide ? 3 : 1);
        }
    }
    return 0;
}

/// Fields begin at the start, after a tab, and on a new line; other tabs and newlines belong to the value. Where
/// there is no tab at all the model wrote blanks for them.
static wd_status read_fields(wd_span line, wd_value **object_p)
{
    wd_status status = WD_OK;
    const char *name = NULL;
    const char *next_name = NULL;
    size_t value = 0;
    bool tabs = memchr(line.at, '\t', line.length) != NULL;
    for (size_t at = 0; status == WD_OK && at <= line.length; at++) {
        char before = at == 0 || at == line.length ? '\n' : line.at[at - 1];
        bool begins = before == '\n' || before == (tabs ? '\t' : ' ');
        size_t length = begins && at < line.length ? field_length(wd_span_from(line, at), &next_name) : 0;
        if (length == 0 && at < line.length) {
            continue;
        }
        if (name != NULL) {
            wd_span text = wd_span_trim((wd_span){ line.at + value, at - value });
            wd_value *item = NULL;
            status = wd_value_string(text.at, text.length, &item);
            if (status == WD_OK) {
                status = wd_object_set(object_p, name, &item);
            }
            wd_value_unref(&item);
        }
        name = next_name;
        value = at + length;
    }
    return status;
}

void wd_dialect_gelab(wd_builder *builder, wd_reply_text *text)
{
    wd_value *object = wd_value_object();
    wd_status status = read_fields(text->body, &object);
    if (status != WD_OK) {
        builder->status = status;
    } else if (wd_object_count(object) > 0) {
        wd_mobilegym_action(
            builder, wd_value_string_or(wd_object_get(object, "action"), ""), object, text->body);
    }
    wd_value_unref(&object);
}
