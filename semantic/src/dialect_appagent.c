#include "dialect_build.h"
#include "dialect_call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- grid -----------------------------------------------------------------------------------------------------

/// AppAgent lays a grid over the screen whose cells are 120 to 180 pixels wide and divide the screen evenly, or
/// 120 pixels when no such width exists.
static int32_t cell_size(int32_t screen)
{
    enum { CELL_MIN = 120, CELL_MAX = 180 };
    for (int32_t size = CELL_MIN; size <= CELL_MAX; size++) {
        if (screen % size == 0) {
            return size;
        }
    }
    return CELL_MIN;
}

static bool area_point(
    wd_builder *builder, const wd_value *area, const wd_value *part, double *ret_x, double *ret_y)
{
    static const struct {
        const char *name;
        int x, y;  // quarters of the cell
    } parts[] = {
        { "center", 2, 2 },
        { "topleft", 1, 1 },
        { "top", 2, 1 },
        { "topright", 3, 1 },
        { "left", 1, 2 },
        { "right", 3, 2 },
        { "bottomleft", 1, 3 },
        { "bottom", 2, 3 },
        { "bottomright", 3, 3 },
    };
    int32_t width = builder->options->display_width;
    int32_t height = builder->options->display_height;
    if (width <= 0 || height <= 0) {
        wd_build_refuse(builder, "a grid area needs the display's size");
        return false;
    }
    int32_t columns = width / cell_size(width) > 0 ? width / cell_size(width) : 1;
    int32_t rows = height / cell_size(height) > 0 ? height / cell_size(height) : 1;
    int64_t cell = wd_value_int_or(area, 0) - 1;
    char plain[WD_NAME_SIZE];
    wd_plain_name(wd_value_string_or(part, ""), plain);
    size_t i = 0;
    while (i < WD_COUNT_OF(parts) && strcmp(parts[i].name, plain) != 0) {
        i++;
    }
    if (cell < 0 || cell >= (int64_t)columns * rows || i == WD_COUNT_OF(parts)) {
        wd_build_refuse(builder, "no such grid area");
        return false;
    }
    int32_t cell_width = width / columns;
    int32_t cell_height = height / rows;
    *ret_x = (double)(cell % columns) * cell_width + (double)(cell_width * parts[i].x / 4);
    *ret_y = (double)(cell / columns) * cell_height + (double)(cell_height * parts[i].y / 4);
    return true;
}

static void set_area(wd_builder *builder, const wd_value *area, const wd_value *part)
{
    wd_action *now = &builder->now;
    now->has_point = area_point(builder, area, part, &now->x, &now->y);
}

// ---- calls ----------------------------------------------------------------------------------------------------

static void touch(wd_builder *builder, const wd_value *args)
{
    if (wd_object_get(args, "1") != NULL) {
        set_area(builder, wd_object_get(args, "0"), wd_object_get(args, "1"));
    } else {
        wd_build_index(builder, "element", WD_FIRST_OF(args, "0", "element"), 1);
    }
}

/// swipe(element, "up", "medium"), or from one grid area to another: swipe(21, "center", 25, "right").
static void swipe(wd_builder *builder, const wd_value *args)
{
    wd_action *now = &builder->now;
    if (wd_object_get(args, "3") != NULL) {
        set_area(builder, wd_object_get(args, "0"), wd_object_get(args, "1"));
        double x = 0;
        double y = 0;
        if (!builder->refused &&
            area_point(builder, wd_object_get(args, "2"), wd_object_get(args, "3"), &x, &y)) {
            now->x2 = x;
            now->y2 = y;
            now->has_point2 = true;
        }
        return;
    }
    wd_build_index(builder, "element", WD_FIRST_OF(args, "0", "element"), 1);
    wd_build_direction(builder, "direction", WD_FIRST_OF(args, "1", "direction"), WD_DIR_OF_FINGER);
    wd_build_text_maybe(builder, "dist", WD_FIRST_OF(args, "2", "dist"), &now->distance);
}

static void call_action(wd_builder *builder, const wd_call *call)
{
    if (wd_span_is_nocase(call->name, "tap") || wd_span_is_nocase(call->name, "long_press")) {
        bool tap = wd_span_is_nocase(call->name, "tap");
        wd_build_begin(builder, tap ? WD_ACTION_TAP : WD_ACTION_LONG_PRESS, call->whole);
        touch(builder, call->args);
    } else if (wd_span_is_nocase(call->name, "text")) {
        wd_build_begin(builder, WD_ACTION_TYPE, call->whole);
        wd_build_typed(builder, "text", WD_FIRST_OF(call->args, "0", "text_input", "text"));
    } else if (wd_span_is_nocase(call->name, "swipe")) {
        wd_build_begin(builder, WD_ACTION_SWIPE, call->whole);
        swipe(builder, call->args);
    } else if (wd_span_is_nocase(call->name, "grid")) {
        wd_build_begin(builder, WD_ACTION_NOOP, call->whole);
        wd_build_string(builder, (wd_span){ "asks for the grid overlay", 25 }, &builder->now.reason);
    } else {
        wd_build_begin(builder, WD_ACTION_INVALID, call->whole);
        wd_build_refuse(builder, "unknown action name %.*s",
            (int)(call->name.length < 60 ? call->name.length : 60), call->name.at);
    }
    wd_build_end(builder);
}

// ---- demonstrations -------------------------------------------------------------------------------------------

/// A line of a demonstration's record.txt: tap(5):::id, text(3:sep:"hi"):::id, swipe(4:sep:up):::id.
static bool demo_action(wd_builder *builder, wd_span part)
{
    size_t sep = wd_span_find(part, ":sep:");
    size_t open = wd_span_find(part, "(");
    size_t tail = wd_span_find_last(part, ":::");
    size_t start = sep + strlen(":sep:");
    if (sep == part.length || open > sep || tail < start) {
        return false;
    }
    wd_span inner = wd_span_trim((wd_span){ part.at + start, tail - start });
    if (inner.length == 0 || inner.at[inner.length - 1] != ')') {
        return false;
    }
    inner.length--;
    bool text = wd_span_is((wd_span){ part.at, open }, "text");
    wd_value *value = NULL;
    wd_span label = { part.at + open + 1, sep - open - 1 };
    if (text && inner.length >= 2 && inner.at[0] == '"' && inner.at[inner.length - 1] == '"') {
        inner = (wd_span){ inner.at + 1, inner.length - 2 };
    }
    wd_status status = wd_value_string(inner.at, inner.length, &value);
    wd_value *index = NULL;
    if (status == WD_OK) {
        status = wd_value_string(label.at, label.length, &index);
    }
    if (status != WD_OK) {
        builder->status = status;
    } else {
        wd_build_begin(builder, text ? WD_ACTION_TYPE : WD_ACTION_SWIPE, part);
        wd_build_index(builder, "element", index, 1);
        if (text) {
            wd_build_typed(builder, "text", value);
        } else {
            wd_build_direction(builder, "direction", value, WD_DIR_OF_FINGER);
        }
        wd_build_end(builder);
    }
    wd_value_unref(&value);
    wd_value_unref(&index);
    return true;
}

/// FINISH as the whole action, whatever punctuation the model puts around it; not a text that has the word in it.
static bool is_finish(wd_span part)
{
    while (part.length > 0 && strchr("[]()\"'`*. \n", part.at[0]) != NULL) {
        part = wd_span_from(part, 1);
    }
    while (part.length > 0 && strchr("[]()\"'`*. \n", part.at[part.length - 1]) != NULL) {
        part.length--;
    }
    return wd_span_is_nocase(part, "FINISH") || wd_span_is(part, "stop");
}

void wd_dialect_appagent(wd_builder *builder, wd_reply_text *text)
{
    bool labelled = false;
    wd_span part = wd_reply_action_part(text, &labelled);
    if (is_finish(part)) {
        wd_build_begin(builder, WD_ACTION_COMPLETE, part);
        wd_build_string(builder, (wd_span){ "success", 7 }, &builder->now.status);
        wd_build_end(builder);
        return;
    }
    if (demo_action(builder, part)) {
        return;
    }
    static const char *const names[] = { "tap", "text", "long_press", "swipe", "grid", NULL };
    wd_call call;
    wd_status status = wd_call_last(part, names, &call);
    if (status == WD_ENOENT) {
        status = wd_call_last(part, NULL, &call);
    }
    if (status == WD_OK) {
        call_action(builder, &call);
        wd_call_done(&call);
    } else if (status == WD_ENOMEM) {
        builder->status = status;
    }
}
