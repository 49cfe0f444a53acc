/// Mobile-Agent v2, which writes short phrases, and Mobile-Agent-E, which writes calls as JSON and learns shortcuts.
#include "dialect_build.h"

#include "loose.h"

#include <string.h>

enum { WAIT_MS = 10000 };  // both wait ten seconds

// ---- v2: phrases ----------------------------------------------------------------------------------------------

static const wd_name_kind phrases[] = {
    { "openapp", WD_ACTION_LAUNCH_APP },
    { "tap", WD_ACTION_TAP },
    { "doubletap", WD_ACTION_DOUBLE_TAP },
    { "longpress", WD_ACTION_LONG_PRESS },
    { "swipe", WD_ACTION_SWIPE },
    { "type", WD_ACTION_TYPE },
    { "clear", WD_ACTION_CLEAR_TEXT },
    { "cleartext", WD_ACTION_CLEAR_TEXT },
    { "back", WD_ACTION_BACK },
    { "home", WD_ACTION_HOME },
    { "enter", WD_ACTION_ENTER },
    { "wait", WD_ACTION_WAIT },
    { "answer", WD_ACTION_ANSWER },
    { "stop", WD_ACTION_COMPLETE },
};

/// What stands in brackets behind the name, one pair of quotes around it taken away. Typed text may hold brackets
/// itself, so it ends at the last one.
static bool in_brackets(wd_span rest, wd_span *ret_inner)
{
    rest = wd_span_trim(rest);
    char open = rest.length > 0 ? rest.at[0] : '\0';
    char close = open == '(' ? ')' : ']';
    if (open != '(' && open != '[') {
        return false;
    }
    size_t end = rest.length;
    while (end > 1 && rest.at[end - 1] != close) {
        end--;
    }
    if (end <= 1) {
        return false;
    }
    wd_span inner = { rest.at + 1, end - 2 };
    wd_span bare = wd_span_trim(inner);
    char quote = bare.length >= 2 ? bare.at[0] : '\0';
    if ((quote == '"' || quote == '\'') && bare.at[bare.length - 1] == quote) {
        inner = (wd_span){ bare.at + 1, bare.length - 2 };
    }
    *ret_inner = inner;
    return true;
}

static void phrase_points(wd_builder *builder, wd_span rest, bool two)
{
    double numbers[4];
    int count = wd_span_numbers(rest, numbers);
    if (count != (two ? 4 : 2)) {
        wd_build_refuse(builder, "no point in the brackets");
        return;
    }
    wd_value *pair = NULL;
    for (int i = 0; builder->status == WD_OK && i < count; i += 2) {
        builder->status = wd_value_pack(&pair, "[d,d]", numbers[i], numbers[i + 1]);
        if (builder->status == WD_OK && i == 0) {
            wd_build_point(builder, "point", pair);
        } else if (builder->status == WD_OK) {
            wd_build_point2(builder, "end point", pair);
        }
        wd_value_unref(&pair);
    }
}

static void phrase_text(wd_builder *builder, wd_span rest, bool typed)
{
    wd_span inner;
    if (!in_brackets(rest, &inner)) {
        wd_build_refuse(builder, "no text in brackets");
        return;
    }
    wd_buffer buffer = { 0 };
    wd_value *value = NULL;
    wd_status status = wd_buffer_append(&buffer, "", 0);
    if (status == WD_OK) {
        status = builder->recorded ? wd_buffer_append(&buffer, inner.at, inner.length)
                                   : wd_loose_unescape(inner.at, inner.length, &buffer);
    }
    if (status == WD_OK) {
        status = wd_value_string(buffer.bytes, buffer.length, &value);
    }
    if (status != WD_OK) {
        builder->status = status;
    } else if (typed) {
        wd_build_typed(builder, "text", value);
    } else {
        bool app = builder->now.kind == WD_ACTION_LAUNCH_APP;
        wd_build_text(builder, app ? "app" : "text", value, app ? &builder->now.app : &builder->now.text);
    }
    wd_value_unref(&value);
    wd_buffer_done(&buffer);
}

static void phrase_action(wd_builder *builder, wd_span part)
{
    size_t end = 0;
    while (end < part.length && part.at[end] != '(' && part.at[end] != '[' && part.at[end] != '\n') {
        end++;
    }
    wd_span name = wd_span_trim((wd_span){ part.at, end });
    while (name.length > 0 && (name.at[name.length - 1] == '.' || name.at[name.length - 1] == ':')) {
        name.length--;
    }
    char word[WD_NAME_SIZE] = "";
    char plain[WD_NAME_SIZE];
    memcpy(word, name.at, name.length < sizeof word - 1 ? name.length : 0);
    wd_plain_name(word, plain);
    wd_action_kind kind = wd_kind_of(phrases, WD_COUNT_OF(phrases), plain);
    wd_span rest = wd_span_from(part, end);
    if (kind == WD_ACTION_KIND_COUNT) {
        wd_build_invalid(
            builder, part, "unknown action name %.*s", (int)(name.length < 60 ? name.length : 60), name.at);
        return;
    }
    wd_build_begin(builder, kind, part);
    if (kind == WD_ACTION_TAP || kind == WD_ACTION_DOUBLE_TAP || kind == WD_ACTION_LONG_PRESS) {
        phrase_points(builder, rest, false);
    } else if (kind == WD_ACTION_SWIPE) {
        phrase_points(builder, rest, true);
    } else if (kind == WD_ACTION_TYPE || kind == WD_ACTION_LAUNCH_APP || kind == WD_ACTION_ANSWER) {
        phrase_text(builder, rest, kind == WD_ACTION_TYPE);
    } else if (kind == WD_ACTION_WAIT) {
        builder->now.ms = WAIT_MS;
    } else if (kind == WD_ACTION_COMPLETE) {
        wd_build_string(builder, (wd_span){ "success", 7 }, &builder->now.status);
    }
    wd_build_end(builder);
}

void wd_dialect_mobileagent_v2(wd_builder *builder, wd_reply_text *text)
{
    bool labelled = false;
    wd_span part = wd_span_trim(wd_reply_action_part(text, &labelled));
    if (part.length > 0) {
        phrase_action(builder, part);
    }
}

// ---- E: calls as JSON -----------------------------------------------------------------------------------------

static const wd_name_kind atomic[] = {
    { "openapp", WD_ACTION_LAUNCH_APP },
    { "tap", WD_ACTION_TAP },
    { "swipe", WD_ACTION_SWIPE },
    { "type", WD_ACTION_TYPE },
    { "enter", WD_ACTION_ENTER },
    { "switchapp", WD_ACTION_RECENTS },
    { "back", WD_ACTION_BACK },
    { "home", WD_ACTION_HOME },
    { "wait", WD_ACTION_WAIT },
    { "longpress", WD_ACTION_LONG_PRESS },
    { "stop", WD_ACTION_COMPLETE },
};

static void atomic_action(wd_builder *builder, const char *name, const wd_value *args, wd_span raw)
{
    char plain[WD_NAME_SIZE];
    wd_plain_name(name, plain);
    wd_action_kind kind = wd_kind_of(atomic, WD_COUNT_OF(atomic), plain);
    if (kind == WD_ACTION_KIND_COUNT) {
        wd_build_invalid(
            builder, raw, plain[0] == '\0' ? "name is missing" : "unknown action name %.60s", name);
        return;
    }
    wd_build_begin(builder, kind, raw);
    if (kind == WD_ACTION_LAUNCH_APP) {
        wd_build_text(builder, "app_name", WD_FIRST_OF(args, "app_name", "app"), &builder->now.app);
    } else if (kind == WD_ACTION_TAP || kind == WD_ACTION_LONG_PRESS) {
        wd_build_xy(builder, WD_FIRST_OF(args, "x"), WD_FIRST_OF(args, "y"));
    } else if (kind == WD_ACTION_SWIPE) {
        wd_build_xy(builder, WD_FIRST_OF(args, "x1"), WD_FIRST_OF(args, "y1"));
        wd_build_xy2(builder, WD_FIRST_OF(args, "x2"), WD_FIRST_OF(args, "y2"));
    } else if (kind == WD_ACTION_TYPE) {
        wd_build_typed(builder, "text", WD_FIRST_OF(args, "text"));
    } else if (kind == WD_ACTION_WAIT) {
        builder->now.ms = WAIT_MS;
    } else if (kind == WD_ACTION_COMPLETE) {
        wd_build_string(builder, (wd_span){ "success", 7 }, &builder->now.status);
    }
    wd_build_end(builder);
}

/// The shortcut that every run starts with.
static void tap_type_enter(wd_builder *builder, const wd_value *args, wd_span raw)
{
    atomic_action(builder, "Tap", args, raw);
    atomic_action(builder, "Type", args, raw);
    atomic_action(builder, "Enter", args, raw);
}

/// A learned shortcut is a list of atomic actions; each maps its arguments to the shortcut's.
static void shortcut_actions(wd_builder *builder, const wd_value *shortcut, const wd_value *args, wd_span raw)
{
    const wd_value *sequence = wd_object_get(shortcut, "atomic_action_sequence");
    size_t before = builder->reply->count;
    for (size_t i = 0; builder->status == WD_OK && i < wd_array_count(sequence); i++) {
        const wd_value *one = wd_array_at(sequence, i);
        wd_value *mapped = wd_value_object();
        wd_iter map = wd_iter_start(WD_FIRST_OF(one, "arguments_map"));
        while (builder->status == WD_OK && wd_iter_next(&map)) {
            // A mapped name that the call does not give is a constant of the shortcut.
            const wd_value *named = wd_object_get(args, wd_value_string_or(map.value, ""));
            wd_value *item = wd_value_ref(named == NULL ? map.value : named);
            builder->status = wd_object_set_n(&mapped, map.key, map.key_length, &item);
            wd_value_unref(&item);
        }
        atomic_action(builder, wd_value_string_or(wd_object_get(one, "name"), ""), mapped, raw);
        wd_value_unref(&mapped);
    }
    if (builder->status == WD_OK && builder->reply->count == before) {
        wd_build_invalid(builder, raw, "the shortcut has no actions");
    }
}

void wd_mobileagent_e_action(
    wd_builder *builder, const wd_value *object, const wd_value *shortcuts, wd_span raw)
{
    const char *name = wd_value_string_or(wd_object_get(object, "name"), "");
    const wd_value *args = wd_object_get(object, "arguments");
    const wd_value *shortcut = wd_object_get(shortcuts, name);
    char plain[WD_NAME_SIZE];
    wd_plain_name(name, plain);
    if (shortcut != NULL) {
        shortcut_actions(builder, shortcut, args, raw);
    } else if (strcmp(plain, "taptypeandenter") == 0) {
        tap_type_enter(builder, args, raw);
    } else {
        atomic_action(builder, name, args, raw);
    }
}

void wd_dialect_mobileagent_e(wd_builder *builder, wd_reply_text *text)
{
    bool labelled = false;
    wd_span part = wd_reply_action_part(text, &labelled);
    wd_value *object = NULL;
    size_t start = 0;
    size_t end = 0;
    wd_status status = wd_loose_last_object(part.at, part.length, &object, &start, &end);
    if (status == WD_OK) {
        wd_mobileagent_e_action(builder, object, NULL, (wd_span){ part.at + start, end - start });
    } else if (status == WD_ENOMEM) {
        builder->status = status;
    }
    wd_value_unref(&object);
}
