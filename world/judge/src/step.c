/// step.c - a place written as text.
#include "step.h"

#include <string.h>

static wd_status write_segment(const wd_step *step, wd_buffer *buffer)
{
    switch (step->kind) {
    case WD_SEGMENT_KEY:
        return wd_path_write_key(buffer, step->depth == 1, step->text, step->length);
    case WD_SEGMENT_INDEX:
        return wd_path_write_index(buffer, step->index);
    default:
        return wd_path_write_element(buffer, step->kind, step->text, step->scalar);
    }
}

wd_status wd_step_write_path(wd_step *step, wd_buffer *text)
{
    wd_step *way[WD_VALUE_DEPTH_MAX + 2];  // one more for `_order`
    size_t count = 0;
    for (; step->up != NULL && step->text_end == 0; step = step->up) {
        wd_assert(count < WD_COUNT_OF(way));
        way[count++] = step;
    }
    text->length = step->text_end;
    wd_status status = wd_buffer_append(text, "", 0);
    while (status == WD_OK && count > 0) {
        count -= 1;
        status = write_segment(way[count], text);
        way[count]->text_end = text->length;
    }
    return status;
}

wd_status wd_step_write_plain(const wd_step *step, wd_buffer *buffer)
{
    wd_status status = WD_OK;
    switch (step->kind) {
    case WD_SEGMENT_KEY:
        return wd_buffer_append(buffer, step->text, step->length);
    case WD_SEGMENT_INDEX:
        return wd_buffer_format(buffer, "%zu", step->index);
    case WD_SEGMENT_FILTER:
        status = wd_buffer_append(buffer, step->text, strlen(step->text));
        status = status == WD_OK ? wd_buffer_append(buffer, "=", 1) : status;
        break;
    default:
        status = wd_buffer_append(buffer, step->kind == WD_SEGMENT_ADDED ? "+=" : "-=", 2);
        break;
    }
    return status == WD_OK ? wd_scalar_text(step->scalar, buffer) : status;
}
