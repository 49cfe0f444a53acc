// The layout of screens: columns, rows, grids and lists in whole pixels. Every kind has one row in `metrics`.
#include "ui_element.h"

#include <string.h>

enum {
    BODY_SIZE = 42,  // text
    SMALL_SIZE = 36,
    PAD = 48,  // left and right of an item
    GAP = 12,
    ITEM_HEIGHT = 168,
    ITEM_DETAIL_HEIGHT = 216,
    ITEM_ICON = 120,
    TRAILING = 24,
    DIALOG_WIDTH = 936,
};

const wd_ui_kind_info wd_ui_kinds[WD_UI_KIND_COUNT] = {
#define X(name, text, role, class_name) [WD_UI_##name] = { text, role, class_name },
    WD_UI_KIND_TABLE(X)
#undef X
};

// height 0: from the content; width 0: all there is.
static const struct metrics {
    int32_t width, height, pad;
} metrics[WD_UI_KIND_COUNT] = {
    [WD_UI_FIELD] = { 0, 144, 36 },
    [WD_UI_BUTTON] = { 0, 132, 48 },
    [WD_UI_SWITCH] = { 156, 96, 0 },
    [WD_UI_CHECK] = { 96, 96, 0 },
    [WD_UI_SLIDER] = { 0, 120, 0 },
    [WD_UI_TABS] = { 0, 156, 0 },
    [WD_UI_TAB] = { 0, 156, 0 },
    [WD_UI_IMAGE] = { 120, 120, 0 },
    [WD_UI_ICON] = { 144, 144, 0 },
    [WD_UI_DIVIDER] = { 0, 3, 0 },
    [WD_UI_SPACER] = { 0, 48, 0 },
    [WD_UI_CARD] = { 0, 0, 36 },
    [WD_UI_DIALOG] = { 0, 0, 60 },
    [WD_UI_SHEET] = { 0, 0, 48 },
    [WD_UI_TOAST] = { 0, 0, 36 },
};

wd_ui_element *wd_ui_element_new(wd_ui_arena *arena, wd_ui_element *parent, wd_ui_kind kind)
{
    wd_ui_element *element = wd_ui_arena_get(arena, sizeof *element);
    if (element == NULL) {
        return NULL;
    }
    element->kind = kind;
    if (parent != NULL) {
        wd_ui_element_add(parent, element);
    }
    return element;
}

void wd_ui_element_add(wd_ui_element *parent, wd_ui_element *child)
{
    if (parent->last == NULL) {
        parent->first = child;
    } else {
        parent->last->next = child;
    }
    parent->last = child;
}

static int32_t max32(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

static int32_t pad_of(const wd_ui_element *element)
{
    return element->pad != 0 ? element->pad : metrics[element->kind].pad;
}

static int32_t size_of(const wd_ui_element *element)
{
    return element->size != 0 ? element->size : BODY_SIZE;
}

static int32_t text_height(const wd_ui_element *element, int32_t width)
{
    int32_t lines = wd_ui_text_lines(element->text != NULL ? element->text : "", size_of(element), width);
    if (element->lines != 0 && lines > element->lines) {
        lines = element->lines;
    }
    return lines * wd_ui_line_height(size_of(element));
}

// The width an element takes when nobody stretches it.
static int32_t natural_width(const wd_ui_element *element, int32_t room)
{
    if (element->width != 0) {
        return element->width < room ? element->width : room;
    }
    int32_t width = 0;
    switch (element->kind) {
    case WD_UI_TEXT:
    case WD_UI_BUTTON:
    case WD_UI_TOAST: {
        const char *text = element->text != NULL ? element->text : "";
        width = wd_ui_text_width(text, strlen(text), size_of(element)) + 2 * pad_of(element);
        break;
    }
    default:
        width = metrics[element->kind].width;
        break;
    }
    return width == 0 || width > room ? room : width;
}

// In a row these take what the others leave, as if they had weight 1.
static int32_t weight_of(const wd_ui_element *element)
{
    if (element->weight != 0 || element->width != 0) {
        return element->weight;
    }
    switch (element->kind) {
    case WD_UI_TEXT:
    case WD_UI_BUTTON:
    case WD_UI_SWITCH:
    case WD_UI_CHECK:
    case WD_UI_IMAGE:
    case WD_UI_ICON:
        return 0;
    default:
        return 1;
    }
}

static int32_t column_height(wd_ui_element *element, int32_t width)
{
    const int32_t pad = pad_of(element);
    int32_t height = 2 * pad;
    for (wd_ui_element *child = element->first; child != NULL; child = child->next) {
        height += wd_ui_measure(child, width - 2 * pad);
        height += child->next != NULL ? element->gap : 0;
    }
    return height;
}

// Room of one unit of weight in a row; *ret_rest gets what integer division leaves.
static int32_t row_share(const wd_ui_element *row, int32_t room, int32_t *ret_rest)
{
    int32_t weights = 0;
    for (const wd_ui_element *child = row->first; child != NULL; child = child->next) {
        weights += weight_of(child);
        room -= weight_of(child) == 0 ? natural_width(child, room > 0 ? room : 0) : 0;
        room -= child->next != NULL ? row->gap : 0;
    }
    *ret_rest = weights > 0 && room > 0 ? room % weights : 0;
    return weights > 0 && room > 0 ? room / weights : 0;
}

static int32_t row_height(wd_ui_element *row, int32_t width)
{
    const int32_t pad = pad_of(row);
    int32_t rest = 0;
    const int32_t share = row_share(row, width - 2 * pad, &rest);
    int32_t height = 0;
    for (wd_ui_element *child = row->first; child != NULL; child = child->next) {
        const int32_t weight = weight_of(child);
        height = max32(height,
            wd_ui_measure(child, weight > 0 ? weight * share : natural_width(child, width - 2 * pad)));
    }
    return height + 2 * pad;
}

static int32_t grid_height(wd_ui_element *grid, int32_t width)
{
    const int32_t columns = grid->columns > 0 ? grid->columns : 4;
    const int32_t cell = (width - 2 * pad_of(grid)) / columns;
    int32_t height = 2 * pad_of(grid);
    int32_t line = 0;
    int32_t column = 0;
    for (wd_ui_element *child = grid->first; child != NULL; child = child->next) {
        line = max32(line, wd_ui_measure(child, cell));
        column += 1;
        if (column == columns || child->next == NULL) {
            height += line + (child->next != NULL ? grid->gap : 0);
            line = 0;
            column = 0;
        }
    }
    return height;
}

static int32_t measure(wd_ui_element *element, int32_t width)
{
    if (element->height != 0) {
        return element->height;
    }
    switch (element->kind) {
    case WD_UI_COLUMN:
    case WD_UI_CARD:
    case WD_UI_SCREEN:
    case WD_UI_DIALOG:
    case WD_UI_SHEET:
        return column_height(element, width);
    case WD_UI_LIST:
        return element->row_height != 0 ? element->row_height * element->count
                                        : column_height(element, width);
    case WD_UI_ROW:
        return row_height(element, width);
    case WD_UI_GRID:
        return grid_height(element, width);
    case WD_UI_TEXT:
        return text_height(element, width - 2 * pad_of(element)) + 2 * pad_of(element);
    case WD_UI_TOAST:
        return wd_ui_line_height(size_of(element)) + 2 * pad_of(element);
    case WD_UI_ITEM:
        if (element->first != NULL) {
            return max32(ITEM_HEIGHT, row_height(element, width));
        }
        return element->detail != NULL ? ITEM_DETAIL_HEIGHT : ITEM_HEIGHT;
    case WD_UI_FIELD:
        if (element->multiline) {
            const char *shown = element->value != NULL ? element->value : "";
            const int32_t lines = wd_ui_text_lines(shown, BODY_SIZE, width - 2 * pad_of(element));
            return max32(
                metrics[WD_UI_FIELD].height, lines * wd_ui_line_height(BODY_SIZE) + 2 * pad_of(element));
        }
        return metrics[WD_UI_FIELD].height;
    default:
        return metrics[element->kind].height;
    }
}

int32_t wd_ui_measure(wd_ui_element *element, int32_t width)
{
    if (element->measured_height == 0 || element->measured_width != width) {
        element->measured_height = measure(element, width);
        element->measured_width = width;
    }
    return element->measured_height;
}

static void layout_column(wd_ui_element *element, int32_t pad)
{
    const wd_rect rect = element->rect;
    const int32_t room = rect.right - rect.left - 2 * pad;
    int32_t top = rect.top + pad + element->first_row * element->row_height;
    for (wd_ui_element *child = element->first; child != NULL; child = child->next) {
        const bool stretch = element->align == WD_UI_START && child->kind != WD_UI_IMAGE &&
                             child->kind != WD_UI_ICON && child->kind != WD_UI_SWITCH &&
                             child->kind != WD_UI_CHECK;
        const int32_t width = stretch && child->width == 0 ? room : natural_width(child, room);
        int32_t left = rect.left + pad;
        left += element->align == WD_UI_CENTER ? (room - width) / 2 : 0;
        left += element->align == WD_UI_END ? room - width : 0;
        wd_ui_layout(child, left, top, width);
        top = element->row_height != 0 ? top + element->row_height : child->rect.bottom + element->gap;
    }
}

static void layout_row(wd_ui_element *row, int32_t pad)
{
    const wd_rect rect = row->rect;
    int32_t rest = 0;
    const int32_t room = rect.right - rect.left - 2 * pad;
    const int32_t share = row_share(row, room, &rest);
    const int32_t inner = rect.bottom - rect.top - 2 * pad;
    int32_t left = rect.left + pad;
    for (wd_ui_element *child = row->first; child != NULL; child = child->next) {
        const int32_t weight = weight_of(child);
        int32_t width = weight > 0 ? weight * share : natural_width(child, room);
        if (weight > 0) {
            width += rest;  // the first weighted child takes what division left
            rest = 0;
        }
        const int32_t height = wd_ui_measure(child, width);
        wd_ui_layout(child, left, rect.top + pad + (inner - height) / 2, width);
        left += width + row->gap;
    }
}

static void layout_grid(wd_ui_element *grid, int32_t pad)
{
    const int32_t columns = grid->columns > 0 ? grid->columns : 4;
    const int32_t cell = (grid->rect.right - grid->rect.left - 2 * pad) / columns;
    int32_t top = grid->rect.top + pad;
    int32_t line = 0;
    int32_t column = 0;
    for (wd_ui_element *child = grid->first; child != NULL; child = child->next) {
        wd_ui_layout(child, grid->rect.left + pad + column * cell, top, cell);
        line = max32(line, child->rect.bottom - child->rect.top);
        column += 1;
        if (column == columns) {
            top += line + grid->gap;
            line = 0;
            column = 0;
        }
    }
}

static void layout_item(wd_ui_element *item)
{
    // An item's own children stand after its icon, in a row.
    layout_row(item, pad_of(item));
}

void wd_ui_layout(wd_ui_element *element, int32_t left, int32_t top, int32_t width)
{
    const int32_t height = wd_ui_measure(element, width);
    element->rect = (wd_rect){ left, top, left + width, top + height };
    const int32_t pad = pad_of(element);
    switch (element->kind) {
    case WD_UI_COLUMN:
    case WD_UI_CARD:
    case WD_UI_LIST:
    case WD_UI_SCREEN:
    case WD_UI_DIALOG:
    case WD_UI_SHEET:
        layout_column(element, pad);
        break;
    case WD_UI_ROW:
    case WD_UI_TABS:
        layout_row(element, pad);
        break;
    case WD_UI_GRID:
        layout_grid(element, pad);
        break;
    case WD_UI_ITEM:
        layout_item(element);
        break;
    default:
        break;
    }
}

void wd_ui_layout_body(wd_ui_element *body, wd_rect area, int32_t offset)
{
    const int32_t width = area.right - area.left;
    const int32_t room = area.bottom - area.top;
    body->content_height = wd_ui_measure(body, width);
    const int32_t most = body->content_height > room ? body->content_height - room : 0;
    body->scroll_offset = !body->scroll || offset < 0 ? 0 : offset > most ? most : offset;
    wd_ui_layout(body, area.left, area.top - body->scroll_offset, width);
}
