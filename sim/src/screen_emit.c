// From laid-out elements to the scene's nodes: what is seen, clipped; one node for each thing a person tells apart.
#include "screen.h"

#include "tree/alloc.h"

#include <string.h>

typedef struct wd_emitter {
    wd_screen *screen;
    wd_scene_builder *builder;
    const wd_layer *layer;
    int32_t window;
    size_t elements_room;
} wd_emitter;

static wd_rect intersect(wd_rect a, wd_rect b)
{
    wd_rect both = {
        a.left > b.left ? a.left : b.left,
        a.top > b.top ? a.top : b.top,
        a.right < b.right ? a.right : b.right,
        a.bottom < b.bottom ? a.bottom : b.bottom,
    };
    return both;
}

static bool is_empty(wd_rect rect)
{
    return rect.right <= rect.left || rect.bottom <= rect.top;
}

// A row or column that carries nothing is no thing of its own.
static bool has_node(const wd_ui_element *element)
{
    switch (element->kind) {
    case WD_UI_COLUMN:
    case WD_UI_ROW:
        return element->id != NULL || element->tap.kind != WD_TARGET_NONE || element->scroll;
    case WD_UI_SPACER:
    case WD_UI_DIVIDER:
        return false;
    default:
        return true;
    }
}

static uint16_t bit(wd_node_flag flag, bool on)
{
    return (uint16_t)((on ? 1u : 0u) << flag);
}

static void set_flags(const wd_screen *screen, const wd_ui_element *element, wd_node *node)
{
    const bool clickable = element->tap.kind > WD_TARGET_BLOCK || element->kind == WD_UI_FIELD;
    const bool checkable =
        element->kind == WD_UI_SWITCH || element->kind == WD_UI_CHECK || element->has_checked;
    node->flags_known = (1u << WD_NODE_FLAG_COUNT) - 1;  // nothing about it is unknown
    node->flags_yes =
        (uint16_t)(bit(WD_NODE_CLICKABLE, clickable) |
                   bit(WD_NODE_LONG_CLICKABLE, element->long_press.kind != WD_TARGET_NONE) |
                   bit(WD_NODE_CHECKABLE, checkable) | bit(WD_NODE_CHECKED, element->checked) |
                   bit(WD_NODE_SCROLLABLE, element->scroll && element == screen->body) |
                   bit(WD_NODE_EDITABLE, element->kind == WD_UI_FIELD) | bit(WD_NODE_ENABLED, !element->off) |
                   bit(WD_NODE_FOCUSED, element == screen->focused) |
                   bit(WD_NODE_SELECTED, element->selected) | bit(WD_NODE_PASSWORD, element->password) |
                   bit(WD_NODE_VISIBLE, true));
}

// "package:id/id". Every other node has one, so it is not worth a printf.
static const char *resource_id(wd_ui_arena *arena, const char *package, const char *id)
{
    static const char middle[] = ":id/";
    const size_t package_length = strlen(package);
    const size_t id_length = strlen(id);
    char *text = wd_ui_arena_get(arena, package_length + sizeof middle + id_length);
    if (text != NULL) {
        memcpy(text, package, package_length);
        memcpy(text + package_length, middle, sizeof middle - 1);
        memcpy(text + package_length + sizeof middle - 1, id, id_length);
    }
    return text;
}

static const char *masked(wd_ui_arena *arena, const char *text)
{
    static const char dots[] = "••••••••••••••••";
    size_t count = 0;
    for (const char *at = text; *at != '\0'; at++) {
        count += ((unsigned char)*at & 0xC0) != 0x80 ? 1 : 0;
    }
    const size_t bytes = count * 3 < sizeof dots - 1 ? count * 3 : sizeof dots - 1;
    return wd_ui_arena_text(arena, dots, bytes);
}

static wd_status append(
    wd_emitter *emitter, const wd_ui_element *element, const wd_node *node, int32_t *ret_id)
{
    wd_screen *screen = emitter->screen;
    wd_status status = wd_scene_builder_node(emitter->builder, node, ret_id);
    if (status != WD_OK) {
        return status;
    }
    if (screen->node_count == emitter->elements_room) {
        const size_t room = emitter->elements_room == 0 ? 64 : emitter->elements_room * 2;
        const wd_ui_element **grown = wd_ui_arena_get(&screen->arena, room * sizeof(void *));
        if (grown == NULL) {
            return WD_ENOMEM;
        }
        if (screen->node_count > 0) {
            memcpy(grown, screen->elements, screen->node_count * sizeof(void *));
        }
        screen->elements = grown;
        emitter->elements_room = room;
    }
    screen->elements[screen->node_count++] = element;
    return WD_OK;
}

static wd_status emit_node(
    wd_emitter *emitter, wd_ui_element *element, wd_rect seen, int32_t parent, int32_t *ret_id)
{
    wd_screen *screen = emitter->screen;
    const wd_ui_kind_info *kind = &wd_ui_kinds[element->kind];
    wd_node node = {
        .parent = parent,
        .window = emitter->window,
        .class_name = kind->class_name,
        .package = emitter->layer->package,
        .text = element->kind == WD_UI_FIELD && element->value != NULL ? element->value : element->text,
        .desc = element->label,
        .hint = element->hint,
        .role = element->role != NULL  ? element->role
                : element->has_checked ? "switch"
                                       : kind->role,
        .purpose = element->purpose,
        .rect = seen,
        .rect_state = WD_RECT_OK,
        .system_ui = emitter->layer->system_ui || element->system_ui,
    };
    if (element->id != NULL) {
        node.resource_id = resource_id(&screen->arena, node.package, element->id);
        if (node.resource_id == NULL) {
            return WD_ENOMEM;
        }
    }
    if (element->kind == WD_UI_FIELD && element->password && element->value != NULL) {
        node.text = masked(&screen->arena, element->value);
    }
    set_flags(screen, element, &node);
    wd_status status = append(emitter, element, &node, ret_id);
    if (status == WD_OK && element->intent != NULL) {
        wd_scene_intent intent = { element->intent, *ret_id };
        status = wd_scene_builder_intent(emitter->builder, &intent);
        status = status == WD_ELIMIT ? WD_OK : status;  // the first ones are enough
    }
    return status;
}

// An item's second line and the value at its end are texts of their own.
static wd_status emit_item_texts(wd_emitter *emitter, wd_ui_element *item, wd_rect clip, int32_t parent)
{
    const struct {
        const char *text, *id;
        int32_t left, top, width;
    } texts[] = {
        { item->detail, "detail", item->rect.left + 48, item->rect.top + 120, 800 },
        { item->value, "value", item->rect.right - 348, item->rect.top + 54, 300 },
    };
    for (size_t i = 0; i < WD_COUNT_OF(texts); i++) {
        if (texts[i].text == NULL) {
            continue;
        }
        wd_ui_element *text = wd_ui_element_new(&emitter->screen->arena, NULL, WD_UI_TEXT);
        if (text == NULL) {
            return WD_ENOMEM;
        }
        text->text = texts[i].text;
        text->id = texts[i].id;
        int32_t width = wd_ui_text_width(text->text, strlen(text->text), 36);
        width = width > texts[i].width ? texts[i].width : width;
        const int32_t left = i == 0 ? texts[i].left : texts[i].left + texts[i].width - width;
        text->rect = (wd_rect){ left, texts[i].top, left + width, texts[i].top + wd_ui_line_height(36) };
        const wd_rect seen = intersect(text->rect, clip);
        int32_t id = 0;
        wd_status status = is_empty(seen) ? WD_OK : emit_node(emitter, text, seen, parent, &id);
        if (status != WD_OK) {
            return status;
        }
    }
    return WD_OK;
}

static wd_status emit(wd_emitter *emitter, wd_ui_element *element, wd_rect clip, int32_t parent)
{
    const wd_rect seen = intersect(element->rect, clip);
    if (is_empty(seen)) {
        return WD_OK;
    }
    wd_status status = WD_OK;
    if (has_node(element)) {
        status = emit_node(emitter, element, seen, parent, &parent);
    }
    if (status == WD_OK && element->kind == WD_UI_ITEM) {
        status = emit_item_texts(emitter, element, clip, parent);
    }
    for (wd_ui_element *child = element->first; status == WD_OK && child != NULL; child = child->next) {
        status = emit(emitter, child, seen, parent);
    }
    return status;
}

static wd_status emit_layers(wd_screen *screen, wd_scene_builder *builder)
{
    wd_emitter emitter = { .screen = screen, .builder = builder };
    screen->first_modal_node = 0;
    for (size_t i = 0; i < screen->layer_count; i++) {
        const wd_layer *layer = &screen->layers[i];
        wd_window window = {
            .package = layer->package,
            .type = layer->window,
            .layer = (int32_t)i,
            .focused = i + 1 == screen->layer_count ? WD_YES : WD_NO,
            .active = WD_UNKNOWN,
            .bounds = layer->clip,
        };
        wd_status status = wd_scene_builder_window(builder, &window);
        emitter.layer = layer;
        emitter.window = (int32_t)i;
        if (layer->modal) {
            screen->first_modal_node = (int32_t)screen->node_count;
        }
        status = status != WD_OK ? status : emit(&emitter, layer->root, layer->clip, -1);
        if (status != WD_OK) {
            return status;
        }
    }
    return WD_OK;
}

// What lies under a dialog is seen, but takes no touch.
static void cover(wd_scene_builder *builder, size_t count)
{
    size_t all = 0;
    wd_node *nodes = wd_scene_builder_nodes(builder, &all);
    for (size_t i = 0; i < count && i < all; i++) {
        wd_node_set(&nodes[i], WD_NODE_CLICKABLE, WD_NO);
        wd_node_set(&nodes[i], WD_NODE_LONG_CLICKABLE, WD_NO);
        wd_node_set(&nodes[i], WD_NODE_SCROLLABLE, WD_NO);
    }
}

wd_status wd_screen_emit(wd_screen *screen)
{
    wd_scene_builder *builder = NULL;
    wd_status status = wd_scene_builder_new(&builder);
    status = status != WD_OK ? status : emit_layers(screen, builder);
    if (status == WD_OK) {
        cover(builder, (size_t)screen->first_modal_node);
    }
    status = status != WD_OK ? status : wd_scene_builder_finish(builder, &screen->info, &screen->scene);
    wd_scene_builder_destroy(&builder);
    return status;
}
