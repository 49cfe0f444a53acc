#include "semantic/dialect.h"

#include "dialect_build.h"
#include "loose.h"

#include "tree/alloc.h"

#include <string.h>

enum { NAMES_MAX = 4 };

struct wd_dialect {
    const char *names[NAMES_MAX];  // the first is its name
    wd_space space;
    void (*parse)(wd_builder *builder, wd_reply_text *text);
    const char *about;
};

// Two rows may share a reader: versions of one family that differ in their coordinates.
static const wd_dialect dialects[] = {
    { { "canonical", "worldd" }, WD_SPACE_PX, wd_dialect_canonical,
        "worldd's own actions as JSON: {\"kind\":\"tap\",\"x\":1,\"y\":2}, or an array of them" },
    { { "androidworld", "t3a", "m3a", "androidcontrol" }, WD_SPACE_PX, wd_dialect_androidworld,
        "AndroidWorld T3A, M3A, AndroidControl: {\"action_type\":\"click\",\"index\":6}; pixels" },
    { { "uitars", "ui_tars", "uitars_1.5" }, WD_SPACE_MODEL, wd_dialect_uitars,
        "UI-TARS: click(point='<point>1 2</point>'); pixels of the picture sent" },
    { { "uitars_1.0", "uitars_v1" }, WD_SPACE_NORM1000, wd_dialect_uitars,
        "UI-TARS 1.0: click(start_box='(1,2)'); 0..1000" },
    { { "autoglm", "open_autoglm" }, WD_SPACE_NORM1000, wd_dialect_autoglm,
        "AutoGLM: do(action=\"Tap\", element=[1,2]), finish(message=\"...\"); 0..999" },
    { { "qwen_mobile_use", "qwen", "gui_owl", "mai_ui" }, WD_SPACE_MODEL, wd_dialect_qwen,
        "Qwen-VL, GUI-Owl, MAI-UI: <tool_call>{\"name\":\"mobile_use\",...}; pixels of the picture sent" },
    { { "agentcpm" }, WD_SPACE_NORM1000, wd_dialect_agentcpm,
        "AgentCPM-GUI: {\"POINT\":[1,2],\"to\":\"up\"}; 0..1000" },
    { { "gelab", "gelab_zero", "step_gui" }, WD_SPACE_NORM1000, wd_dialect_gelab,
        "GELab: explain: action: point: summary:, separated by tabs; 0..1000" },
    { { "mobilegym" }, WD_SPACE_NORM1000, wd_dialect_mobilegym,
        "MobileGym: {\"action_type\":\"CLICK\",\"action_data\":{\"point\":[1,2]}}; 0..1000" },
    { { "venus", "ui_venus" }, WD_SPACE_NORM1000, wd_dialect_venus, "UI-Venus: Click(box=(1, 2)); 0..1000" },
    { { "appagent" }, WD_SPACE_PX, wd_dialect_appagent,
        "AppAgent: Action: tap(5), labels from 1; grid areas need the display's size" },
    { { "mobileagent_v2", "mobileagent" }, WD_SPACE_PX, wd_dialect_mobileagent_v2,
        "Mobile-Agent v2: Tap (1, 2), Open app (Name); pixels" },
    { { "mobileagent_e" }, WD_SPACE_PX, wd_dialect_mobileagent_e,
        "Mobile-Agent-E: {\"name\":\"Tap\",\"arguments\":{\"x\":1,\"y\":2}}; pixels" },
    { { "anthropic_computer", "anthropic" }, WD_SPACE_PX, wd_dialect_anthropic,
        "Anthropic computer use: {\"action\":\"left_click\",\"coordinate\":[1,2]}; pixels of the declared "
        "display" },
    { { "openai_cua", "openai_computer", "openai" }, WD_SPACE_PX, wd_dialect_openai,
        "OpenAI computer_call: {\"type\":\"computer_call\",\"action\":{\"type\":\"click\",...}}; pixels" },
};

wd_status wd_dialect_find(const char *name, const wd_dialect **ret_dialect)
{
    char plain[WD_NAME_SIZE];
    char own[WD_NAME_SIZE];
    wd_plain_name(name, plain);
    for (size_t i = 0; i < WD_COUNT_OF(dialects); i++) {
        for (size_t n = 0; n < NAMES_MAX && dialects[i].names[n] != NULL; n++) {
            wd_plain_name(dialects[i].names[n], own);
            if (strcmp(own, plain) == 0) {
                *ret_dialect = &dialects[i];
                return WD_OK;
            }
        }
    }
    return WD_ENOENT;
}

const wd_dialect *wd_dialect_at(size_t index)
{
    return index < WD_COUNT_OF(dialects) ? &dialects[index] : NULL;
}

const char *wd_dialect_name(const wd_dialect *dialect)
{
    return dialect->names[0];
}

const char *wd_dialect_about(const wd_dialect *dialect)
{
    return dialect->about;
}

wd_space wd_dialect_space(const wd_dialect *dialect)
{
    return dialect->space;
}

// ---- one reply ------------------------------------------------------------------------------------------------

void wd_reply_done(wd_reply *reply)
{
    for (size_t i = 0; i < reply->count; i++) {
        wd_action_done(&reply->actions[i]);
    }
    wd_free(reply->actions, reply->capacity * sizeof *reply->actions);
    if (reply->thought != NULL) {
        wd_free(reply->thought, strlen(reply->thought) + 1);
    }
    *reply = (wd_reply){ 0 };
}

/// The reasoning is for people to read: too much of it is cut, not refused.
static wd_status keep_thought(wd_reply *reply, wd_span thought)
{
    if (thought.length == 0 || reply->thought != NULL) {
        return WD_OK;
    }
    size_t length = thought.length < WD_ACTION_TEXT_MAX ? thought.length : WD_ACTION_TEXT_MAX;
    while (length < thought.length && ((unsigned char)thought.at[length] & 0xc0) == 0x80) {
        length--;
    }
    return wd_action_set_text(&reply->thought, thought.at, length);
}

static void parse_text(wd_builder *builder, const wd_dialect *dialect, wd_reply_text *text, wd_span whole)
{
    dialect->parse(builder, text);
    if (builder->status == WD_OK && builder->reply->count == 0) {
        wd_build_invalid(builder, whole, whole.length == 0 ? "the reply is empty" : "no action in the reply");
    }
    if (builder->status == WD_OK) {
        builder->status = keep_thought(builder->reply, text->thought);
    }
}

wd_status wd_dialect_parse(const wd_dialect *dialect, const char *text, size_t length,
    const wd_dialect_options *options, wd_reply *ret_reply)
{
    static const wd_dialect_options unknown = { 0 };
    wd_reply reply = { 0 };
    wd_builder builder = { .reply = &reply, .options = options == NULL ? &unknown : options };
    builder.space = builder.options->has_space ? builder.options->space : dialect->space;
    bool too_long = length > WD_REPLY_TEXT_MAX;
    wd_reply_text parts;
    builder.status = wd_reply_text_init(&parts, text, too_long ? WD_ACTION_TEXT_MAX : length);
    if (builder.status != WD_OK) {
        return builder.status;
    }
    wd_span whole = wd_span_trim((wd_span){ parts.clean.bytes, parts.clean.length });
    if (too_long) {
        wd_build_invalid(&builder, whole, "%zu bytes are no reply", length);
    } else {
        parse_text(&builder, dialect, &parts, whole);
    }
    wd_reply_text_done(&parts);
    if (builder.status != WD_OK) {
        wd_reply_done(&reply);
        return builder.status;
    }
    *ret_reply = reply;
    return WD_OK;
}

// ---- pixels ---------------------------------------------------------------------------------------------------

wd_status wd_action_to_pixels(wd_action *action, const wd_dialect_options *options, wd_error *error)
{
    if ((!action->has_point && !action->has_point2) || action->space == WD_SPACE_PX) {
        return WD_OK;
    }
    if (options->display_width <= 0 || options->display_height <= 0) {
        return wd_error_set(error, WD_EINVAL, "the display's size is not known");
    }
    double from_width = action->space == WD_SPACE_NORM1 ? 1 : 1000;
    double from_height = from_width;
    if (action->space == WD_SPACE_MODEL) {
        if (options->image_width <= 0 || options->image_height <= 0) {
            return wd_error_set(error, WD_EINVAL, "the size of the picture that the model saw is not known");
        }
        from_width = options->image_width;
        from_height = options->image_height;
    }
    action->x = action->x * options->display_width / from_width;
    action->x2 = action->x2 * options->display_width / from_width;
    action->y = action->y * options->display_height / from_height;
    action->y2 = action->y2 * options->display_height / from_height;
    action->space = WD_SPACE_PX;
    return WD_OK;
}

// ---- replies in a stream --------------------------------------------------------------------------------------

static wd_span line_at(wd_span text, size_t at)
{
    const char *newline = memchr(text.at + at, '\n', text.length - at);
    size_t end = newline == NULL ? text.length : (size_t)(newline - text.at);
    return (wd_span){ text.at + at, end - at };
}

/// The reply that a line of JSON Lines holds; NULL when it holds none. *ret_value owns it.
static const char *line_reply(wd_span line, wd_value **ret_value, size_t *ret_length)
{
    const wd_value *raw = NULL;
    if (wd_json_parse(line.at, line.length, ret_value, NULL) == WD_OK) {
        raw = wd_value_is(*ret_value, WD_KIND_OBJECT) ? wd_object_get(*ret_value, "raw") : *ret_value;
    }
    return wd_value_is(raw, WD_KIND_STRING) ? wd_value_as_string(raw, ret_length) : NULL;
}

static bool is_json_lines(wd_span text)
{
    bool any = false;
    for (size_t at = 0; at < text.length;) {
        wd_span line = line_at(text, at);
        at += line.length + 1;
        line = wd_span_trim(line);
        if (line.length > 0) {
            wd_value *value = NULL;
            size_t length;
            any = line_reply(line, &value, &length) != NULL;
            wd_value_unref(&value);
            if (!any) {
                return false;
            }
        }
    }
    return any;
}

static wd_status next_line(wd_span text, size_t *at, wd_buffer *ret_reply)
{
    while (*at < text.length) {
        wd_span line = line_at(text, *at);
        *at += line.length + 1;
        line = wd_span_trim(line);
        if (line.length > 0) {
            wd_value *value = NULL;
            size_t length = 0;
            const char *raw = line_reply(line, &value, &length);
            wd_status status = raw == NULL ? WD_ENOMEM : wd_buffer_append(ret_reply, raw, length);
            wd_value_unref(&value);
            return status;
        }
    }
    return WD_ENOENT;
}

wd_status wd_replies_next(const char *text, size_t length, size_t *at, wd_buffer *ret_reply)
{
    wd_span whole = { text, length };
    ret_reply->length = 0;
    if (*at > length || (*at == length && length > 0)) {
        return WD_ENOENT;
    }
    // Judged once, by the first call; from the second on `at` stands behind a line or a NUL byte.
    bool lines = *at == 0 ? is_json_lines(whole) : text[*at - 1] == '\n';
    if (lines) {
        return next_line(whole, at, ret_reply);
    }
    const char *nul = length == 0 ? NULL : memchr(text + *at, '\0', length - *at);
    size_t end = nul == NULL ? length : (size_t)(nul - text);
    size_t start = *at;
    *at = end + 1;
    return wd_buffer_append(ret_reply, text + start, end - start);
}

wd_status wd_reply_write(const wd_reply *reply, wd_buffer *buffer)
{
    wd_status status = WD_OK;
    for (size_t i = 0; status == WD_OK && i < reply->count; i++) {
        wd_value *value = NULL;
        status = wd_action_to_value(&reply->actions[i], &value);
        if (status == WD_OK) {
            status = wd_json_write(value, WD_JSON_COMPACT, buffer);
        }
        if (status == WD_OK) {
            status = wd_buffer_text(buffer, "\n");
        }
        wd_value_unref(&value);
    }
    return status;
}
