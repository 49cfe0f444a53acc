#include "dialect_build.h"

#include "loose.h"

#include "tree/alloc.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// ---- beginning, ending ----------------------------------------------------------------------------------------

static void keep_status(wd_builder *builder, wd_status status)
{
    if (builder->status == WD_OK) {
        builder->status = status;
    }
}

/// Cut where a character begins, so that a raw text past the limit is kept as far as it may be.
static wd_span cut_text(wd_span span)
{
    if (span.length > WD_ACTION_TEXT_MAX) {
        span.length = WD_ACTION_TEXT_MAX;
        while (span.length > 0 && ((unsigned char)span.at[span.length] & 0xc0) == 0x80) {
            span.length--;
        }
    }
    return span;
}

/// A broken file's bytes may be no text at all; what can be shown of them is kept.
static wd_status set_raw(wd_action *action, wd_span raw)
{
    if (wd_utf8_valid(raw.at, raw.length)) {
        return wd_action_set_text(&action->raw, raw.at, raw.length);
    }
    wd_buffer clean = { 0 };
    wd_status status = wd_loose_clean(raw.at, raw.length, &clean);
    if (status == WD_OK) {
        wd_span kept =
            cut_text((wd_span){ clean.bytes, clean.length });  // replacements are longer than bytes
        status = wd_action_set_text(&action->raw, kept.at, kept.length);
    }
    wd_buffer_done(&clean);
    return status;
}

void wd_build_begin(wd_builder *builder, wd_action_kind kind, wd_span raw)
{
    wd_action_init(&builder->now, kind);
    builder->now.space = builder->space;
    builder->refused = false;
    keep_status(builder, set_raw(&builder->now, cut_text(wd_span_trim(raw))));
}

static wd_status push(wd_reply *reply, const wd_action *action)
{
    if (reply->count == reply->capacity) {
        size_t capacity = reply->capacity == 0 ? 1 : 2 * reply->capacity;
        size_t size = sizeof *reply->actions;
        wd_action *actions = wd_realloc(reply->actions, reply->capacity * size, capacity * size);
        if (actions == NULL) {
            return WD_ENOMEM;
        }
        reply->actions = actions;
        reply->capacity = capacity;
    }
    reply->actions[reply->count++] = *action;
    return WD_OK;
}

void wd_build_end(wd_builder *builder)
{
    wd_reply *reply = builder->reply;
    if (reply->count == WD_REPLY_ACTIONS_MAX - 1) {
        wd_build_refuse(builder, "more than %d actions in one reply", WD_REPLY_ACTIONS_MAX - 1);
    }
    if (builder->status == WD_OK && reply->count < WD_REPLY_ACTIONS_MAX) {
        builder->status = push(reply, &builder->now);
        if (builder->status == WD_OK) {
            return;  // the reply owns its strings from here
        }
    }
    wd_action_done(&builder->now);
}

void wd_build_plain(wd_builder *builder, wd_action_kind kind, wd_span raw)
{
    wd_build_begin(builder, kind, raw);
    wd_build_end(builder);
}

static void refuse(wd_builder *builder, const char *format, va_list arguments) WD_PRINTF(2, 0);
static void refuse(wd_builder *builder, const char *format, va_list arguments)
{
    if (builder->refused) {
        return;
    }
    builder->refused = true;
    char *raw = builder->now.raw;
    builder->now.raw = NULL;
    wd_action_done(&builder->now);
    wd_action_init(&builder->now, WD_ACTION_INVALID);
    builder->now.raw = raw;

    char text[WD_ERROR_TEXT_MAX];
    wd_error reason;
    (void)vsnprintf(text, sizeof text, format, arguments);
    (void)wd_error_set(&reason, WD_EINVAL, "%s", text);
    wd_status status = wd_action_set_text(&builder->now.reason, reason.text, strlen(reason.text));
    if (status == WD_EUTF8) {  // cut inside a character: the reason is for people, say less
        status = wd_action_set_text(&builder->now.reason, "not readable", strlen("not readable"));
    }
    keep_status(builder, status);
}

void wd_build_refuse(wd_builder *builder, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    refuse(builder, format, arguments);
    va_end(arguments);
}

void wd_build_invalid(wd_builder *builder, wd_span raw, const char *format, ...)
{
    wd_build_begin(builder, WD_ACTION_INVALID, raw);
    va_list arguments;
    va_start(arguments, format);
    refuse(builder, format, arguments);
    va_end(arguments);
    wd_build_end(builder);
}

// ---- numbers --------------------------------------------------------------------------------------------------

/// A decimal number at the start of text[0..length): digits with an optional sign and fraction. 0 when there is none.
static size_t read_decimal(const char *text, size_t length, double *ret_number)
{
    char digits[32];
    size_t size = 0;
    while (size < length && size < sizeof digits - 1 && strchr("+-.0123456789", text[size]) != NULL &&
           text[size] != '\0') {
        digits[size] = text[size];
        size++;
    }
    digits[size] = '\0';
    char *end = NULL;
    *ret_number = strtod(digits, &end);
    return *end == '\0' ? size : 0;
}

int wd_span_numbers(wd_span span, double ret_numbers[4])
{
    int count = 0;
    size_t at = 0;
    while (at < span.length) {
        char c = span.at[at];
        if (c == '<') {  // a tag, whatever its name
            const char *close = memchr(span.at + at, '>', span.length - at);
            if (close == NULL) {
                return -1;
            }
            at = (size_t)(close - span.at) + 1;
            continue;
        }
        if (c != '\0' && strchr(" \t\r\n,;()[]", c) != NULL) {
            at++;
            continue;
        }
        double number;
        size_t size = read_decimal(span.at + at, span.length - at, &number);
        if (size == 0 || count == 4) {
            return -1;
        }
        ret_numbers[count++] = number;
        at += size;
    }
    return count;
}

/// A number or the text of one.
static bool read_number(const wd_value *value, double *ret_number)
{
    if (value != NULL && wd_value_is_number(value)) {
        *ret_number = wd_value_as_double(value);
        return true;
    }
    if (!wd_value_is(value, WD_KIND_STRING)) {
        return false;
    }
    wd_span text;
    text.at = wd_value_as_string(value, &text.length);
    text = wd_span_trim(text);
    return text.length > 0 && read_decimal(text.at, text.length, ret_number) == text.length;
}

/// Numbers of a point or box in any of its spellings; -1 when it is none.
static int point_numbers(const wd_value *value, double numbers[4])
{
    if (wd_array_count(value) == 1 && wd_value_is(wd_array_at(value, 0), WD_KIND_ARRAY)) {
        value = wd_array_at(value, 0);  // [[x, y]]
    }
    if (wd_value_is(value, WD_KIND_STRING)) {
        wd_span text;
        text.at = wd_value_as_string(value, &text.length);
        return wd_span_numbers(text, numbers);
    }
    if (wd_value_is(value, WD_KIND_OBJECT)) {
        bool both = read_number(wd_object_get(value, "x"), &numbers[0]) &&
                    read_number(wd_object_get(value, "y"), &numbers[1]);
        return both ? 2 : -1;
    }
    size_t count = wd_array_count(value);
    if (count == 0 || count > 4) {
        return -1;
    }
    for (size_t i = 0; i < count; i++) {
        if (!read_number(wd_array_at(value, i), &numbers[i])) {
            return -1;
        }
    }
    return (int)count;
}

// ---- points ---------------------------------------------------------------------------------------------------

/// Points beyond what the space or a known size allows are invalid: clamping would hide the model's error.
static bool in_range(wd_builder *builder, const char *name, double x, double y)
{
    const wd_dialect_options *options = builder->options;
    double width = 0;
    double height = 0;
    if (builder->space == WD_SPACE_MODEL) {
        width = options->image_width;
        height = options->image_height;
    } else if (builder->space == WD_SPACE_PX) {
        width = options->display_width;
        height = options->display_height;
    }
    bool inside =
        wd_space_holds(builder->space, x, y) && (width <= 0 || x <= width) && (height <= 0 || y <= height);
    if (!inside) {
        wd_build_refuse(
            builder, "%s (%g, %g) is outside the range of %s", name, x, y, wd_space_name(builder->space));
    }
    return inside;
}

static void set_point(wd_builder *builder, const char *name, double x, double y)
{
    if (!builder->refused && in_range(builder, name, x, y)) {
        builder->now.x = x;
        builder->now.y = y;
        builder->now.has_point = true;
    }
}

static void set_point2(wd_builder *builder, const char *name, double x, double y)
{
    if (!builder->refused && in_range(builder, name, x, y)) {
        builder->now.x2 = x;
        builder->now.y2 = y;
        builder->now.has_point2 = true;
    }
}

static bool read_point(
    wd_builder *builder, const char *name, const wd_value *value, double *ret_x, double *ret_y)
{
    double numbers[4];
    if (value == NULL) {
        wd_build_refuse(builder, "%s is missing", name);
        return false;
    }
    int count = point_numbers(value, numbers);
    if (count != 2 && count != 4) {
        wd_build_refuse(builder, "%s is no point", name);
        return false;
    }
    *ret_x = count == 4 ? (numbers[0] + numbers[2]) / 2 : numbers[0];
    *ret_y = count == 4 ? (numbers[1] + numbers[3]) / 2 : numbers[1];
    return true;
}

void wd_build_point(wd_builder *builder, const char *name, const wd_value *value)
{
    double x;
    double y;
    if (read_point(builder, name, value, &x, &y)) {
        set_point(builder, name, x, y);
    }
}

void wd_build_point2(wd_builder *builder, const char *name, const wd_value *value)
{
    double x;
    double y;
    if (read_point(builder, name, value, &x, &y)) {
        set_point2(builder, name, x, y);
    }
}

void wd_build_xy(wd_builder *builder, const wd_value *x, const wd_value *y)
{
    double point[2];
    if (read_number(x, &point[0]) && read_number(y, &point[1])) {
        set_point(builder, "point", point[0], point[1]);
    } else {
        wd_build_refuse(builder, "x, y are missing or no numbers");
    }
}

void wd_build_xy2(wd_builder *builder, const wd_value *x, const wd_value *y)
{
    double point[2];
    if (read_number(x, &point[0]) && read_number(y, &point[1])) {
        set_point2(builder, "end point", point[0], point[1]);
    } else {
        wd_build_refuse(builder, "the end's x, y are missing or no numbers");
    }
}

void wd_build_index(wd_builder *builder, const char *name, const wd_value *value, int32_t low)
{
    double number;
    if (!read_number(value, &number) || number != floor(number) || number < low || number > INT32_MAX) {
        wd_build_refuse(builder, "%s is missing or no number from %d on", name, low);
    } else if (!builder->refused) {
        builder->now.index = (int32_t)number;
    }
}

// ---- texts ----------------------------------------------------------------------------------------------------

void wd_build_string(wd_builder *builder, wd_span text, char **field)
{
    if (builder->refused) {
        return;
    }
    wd_status status = wd_action_set_text(field, text.at, text.length);
    if (status == WD_ELIMIT) {
        wd_build_refuse(builder, "a text of %zu bytes is too long", text.length);
    } else {
        keep_status(builder, status);
    }
}

void wd_build_text_maybe(wd_builder *builder, const char *name, const wd_value *value, char **field)
{
    if (value == NULL || wd_value_is(value, WD_KIND_NULL)) {
        return;
    }
    wd_buffer buffer = { 0 };
    wd_status status = wd_buffer_append(&buffer, "", 0);
    if (status == WD_OK) {
        status = wd_scalar_text(value, &buffer);
    }
    if (status == WD_ETYPE) {
        wd_build_refuse(builder, "%s is no text", name);
    } else if (status == WD_OK) {
        wd_build_string(builder, (wd_span){ buffer.bytes, buffer.length }, field);
    } else {
        keep_status(builder, status);
    }
    wd_buffer_done(&buffer);
}

void wd_build_text(wd_builder *builder, const char *name, const wd_value *value, char **field)
{
    if (value == NULL || wd_value_is(value, WD_KIND_NULL)) {
        wd_build_refuse(builder, "%s is missing", name);
    } else {
        wd_build_text_maybe(builder, name, value, field);
    }
}

void wd_build_typed(wd_builder *builder, const char *name, const wd_value *value)
{
    wd_build_text(builder, name, value, &builder->now.text);
    char *text = builder->now.text;
    if (builder->refused || builder->recorded || text == NULL) {
        return;
    }
    size_t length = strlen(text);
    size_t kept = length;
    while (kept > 0 && (text[kept - 1] == '\n' || text[kept - 1] == '\r')) {
        kept--;
    }
    if (kept < length) {
        char *typed = NULL;
        wd_status status = wd_action_set_text(&typed, text, kept);
        keep_status(builder, status);
        if (status == WD_OK) {
            wd_free(text, length + 1);
            builder->now.text = typed;
            builder->now.submit = true;
        }
    }
}

// ---- times, directions, keys ----------------------------------------------------------------------------------

static void set_ms(wd_builder *builder, const char *name, double ms)
{
    if (!(ms >= 0 && ms <= WD_ACTION_MS_MAX)) {
        wd_build_refuse(builder, "%s: %g ms is no time in 0..%d", name, ms, WD_ACTION_MS_MAX);
    } else if (!builder->refused) {
        builder->now.ms = (int64_t)floor(ms + 0.5);
    }
}

/// Milliseconds in one of the unit that the text names; 0 when it is no unit.
static double unit_ms(wd_span unit, double default_ms)
{
    static const struct {
        const char *name;
        double ms;
    } units[] = {
        { "s", 1000 },
        { "sec", 1000 },
        { "secs", 1000 },
        { "second", 1000 },
        { "seconds", 1000 },
        { "ms", 1 },
        { "milliseconds", 1 },
        { "min", 60000 },
        { "minute", 60000 },
        { "minutes", 60000 },
        { "\xe7\xa7\x92", 1000 },
    };
    unit = wd_span_trim(unit);
    for (size_t i = 0; i < WD_COUNT_OF(units); i++) {
        if (wd_span_is_nocase(unit, units[i].name)) {
            return units[i].ms;
        }
    }
    return unit.length == 0 ? default_ms : 0;
}

static void build_time(wd_builder *builder, const char *name, const wd_value *value, double default_ms)
{
    double number;
    if (value == NULL || wd_value_is(value, WD_KIND_NULL)) {
        return;
    }
    if (wd_value_is_number(value)) {
        set_ms(builder, name, wd_value_as_double(value) * default_ms);
        return;
    }
    if (wd_value_is(value, WD_KIND_STRING)) {
        wd_span text;
        text.at = wd_value_as_string(value, &text.length);
        text = wd_span_trim(text);
        if (text.length == 0) {
            return;  // UI-TARS writes time='' for an argument that it leaves out
        }
        size_t size = read_decimal(text.at, text.length, &number);
        double unit = size == 0 ? 0 : unit_ms(wd_span_from(text, size), default_ms);
        if (unit > 0) {
            set_ms(builder, name, number * unit);
            return;
        }
    }
    wd_build_refuse(builder, "%s is no time", name);
}

void wd_build_seconds(wd_builder *builder, const char *name, const wd_value *value)
{
    build_time(builder, name, value, 1000);
}

void wd_build_ms(wd_builder *builder, const char *name, const wd_value *value)
{
    build_time(builder, name, value, 1);
}

void wd_build_direction(
    wd_builder *builder, const char *name, const wd_value *value, wd_direction_of direction_of)
{
    char plain[WD_NAME_SIZE] = "";
    wd_direction direction = WD_DIR_NONE;
    if (wd_value_is(value, WD_KIND_STRING)) {
        wd_plain_name(wd_value_as_string(value, NULL), plain);
    }
    if (wd_direction_parse(plain, &direction) != WD_OK) {
        wd_build_refuse(builder, "%s is missing or none of up, down, left, right", name);
    } else if (!builder->refused) {
        builder->now.direction = direction;
        builder->now.direction_of = direction_of;
    }
}

void wd_build_key(wd_builder *builder, const char *name, wd_span raw)
{
    static const wd_name_kind keys[] = {
        { "back", WD_ACTION_BACK },
        { "home", WD_ACTION_HOME },
        { "enter", WD_ACTION_ENTER },
        { "return", WD_ACTION_ENTER },
        { "kpenter", WD_ACTION_ENTER },
        { "recent", WD_ACTION_RECENTS },
        { "recents", WD_ACTION_RECENTS },
        { "appswitch", WD_ACTION_RECENTS },
        { "appselect", WD_ACTION_RECENTS },
        { "overview", WD_ACTION_RECENTS },
        { "4", WD_ACTION_BACK },
        { "3", WD_ACTION_HOME },
        { "66", WD_ACTION_ENTER },
        { "187", WD_ACTION_RECENTS },
    };
    char plain[WD_NAME_SIZE];
    const char *bare = strncasecmp(name, "KEYCODE_", 8) == 0 ? name + 8 : name;
    bare = strncasecmp(bare, "KEY_", 4) == 0 ? bare + 4 : bare;
    wd_plain_name(bare, plain);
    wd_action_kind kind = wd_kind_of(keys, WD_COUNT_OF(keys), plain);
    wd_build_begin(builder, kind == WD_ACTION_KIND_COUNT ? WD_ACTION_KEY : kind, raw);
    if (kind == WD_ACTION_KIND_COUNT) {
        wd_build_string(builder, (wd_span){ bare, strlen(bare) }, &builder->now.key);
    }
    if (plain[0] == '\0') {
        wd_build_refuse(builder, "the key has no name");
    }
}

// ---- names ----------------------------------------------------------------------------------------------------

const wd_value *wd_first_of(const wd_value *object, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const wd_value *member = wd_object_get(object, names[i]);
        if (member != NULL && !wd_value_is(member, WD_KIND_NULL)) {
            return member;
        }
    }
    return NULL;
}

void wd_plain_name(const char *name, char ret_plain[WD_NAME_SIZE])
{
    size_t length = 0;
    for (; *name != '\0' && length < WD_NAME_SIZE - 1; name++) {
        if (strchr(" _-.\t\r\n", *name) == NULL) {
            ret_plain[length++] = *name >= 'A' && *name <= 'Z' ? (char)(*name + 32) : *name;
        }
    }
    ret_plain[length] = '\0';
}

wd_action_kind wd_kind_of(const wd_name_kind *table, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(table[i].name, name) == 0) {
            return table[i].kind;
        }
    }
    return WD_ACTION_KIND_COUNT;
}
