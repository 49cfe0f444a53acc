// scene_json.c - nodes as JSON text, without values in between: most of what is told of a screen are nodes.
#include "scene_private.h"

#include <string.h>

enum { NUMBER_TEXT_MAX = 12 };  // of an int32_t, with its sign

static wd_status write_number(wd_buffer *buffer, int32_t number)
{
    char text[NUMBER_TEXT_MAX];
    size_t at = sizeof text;
    uint32_t rest = number < 0 ? 0u - (uint32_t)number : (uint32_t)number;
    do {
        text[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (number < 0) {
        text[--at] = '-';
    }
    return wd_buffer_append(buffer, text + at, sizeof text - at);
}

/// ,"name": and the number.
static wd_status write_int(wd_buffer *buffer, const char *name, size_t name_length, int32_t number)
{
    wd_status status = wd_buffer_append(buffer, name, name_length);
    return status == WD_OK ? write_number(buffer, number) : status;
}

static wd_status write_text(wd_buffer *buffer, const char *name, size_t name_length, const char *text)
{
    if (text == NULL) {
        return WD_OK;
    }
    wd_status status = wd_buffer_append(buffer, name, name_length);
    return status == WD_OK ? wd_json_write_string(text, strlen(text), buffer) : status;
}

#define NAME(name) name, sizeof(name) - 1

static wd_status write_rect(wd_buffer *buffer, const wd_node *node)
{
    wd_status status = WD_OK;
    if (node->rect_state != WD_RECT_UNKNOWN) {
        status = write_int(buffer, NAME(",\"rect\":["), node->rect.left);
        status = status == WD_OK ? write_int(buffer, NAME(","), node->rect.top) : status;
        status = status == WD_OK ? write_int(buffer, NAME(","), node->rect.right) : status;
        status = status == WD_OK ? write_int(buffer, NAME(","), node->rect.bottom) : status;
        status = status == WD_OK ? wd_buffer_append(buffer, NAME("]")) : status;
    }
    if (status == WD_OK && node->rect_state != WD_RECT_OK) {
        status = write_text(buffer, NAME(",\"rect_state\":"), wd_scene_rect_state_names[node->rect_state]);
    }
    return status;
}

static wd_status write_flags(wd_buffer *buffer, const wd_node *node)
{
    if (node->flags_known == 0) {
        return WD_OK;
    }
    const char *between = ",\"flags\":{\"";
    wd_status status = WD_OK;
    for (int flag = 0; status == WD_OK && flag < WD_NODE_FLAG_COUNT; flag++) {
        wd_tristate value = wd_node_get(node, (wd_node_flag)flag);
        if (value == WD_UNKNOWN) {
            continue;
        }
        status = wd_buffer_text(buffer, between);
        status = status == WD_OK ? wd_buffer_text(buffer, wd_scene_flag_names[flag]) : status;
        status = status == WD_OK ? wd_buffer_text(buffer, value == WD_YES ? "\":true" : "\":false") : status;
        between = ",\"";
    }
    return status == WD_OK ? wd_buffer_append(buffer, NAME("}")) : status;
}

wd_status wd_node_write_json(const wd_node *node, wd_buffer *buffer)
{
    size_t before = buffer->length;
    wd_status status = write_int(buffer, NAME("{\"id\":"), node->id);
    status = status == WD_OK ? write_int(buffer, NAME(",\"parent\":"), node->parent) : status;
    status = status == WD_OK ? write_int(buffer, NAME(",\"window\":"), node->window) : status;
#define X(field)                                                                                             \
    status = status == WD_OK ? write_text(buffer, NAME(",\"" #field "\":"), node->field) : status;
    WD_NODE_NAMES(X)
    WD_NODE_TEXTS(X)
#undef X
    status = status == WD_OK ? write_rect(buffer, node) : status;
    status = status == WD_OK ? write_flags(buffer, node) : status;
    if (status == WD_OK && node->system_ui) {
        status = wd_buffer_append(buffer, NAME(",\"system_ui\":true"));
    }
    status = status == WD_OK ? wd_buffer_append(buffer, NAME("}")) : status;
    if (status != WD_OK) {
        buffer->length = before;
    }
    return status;
}
