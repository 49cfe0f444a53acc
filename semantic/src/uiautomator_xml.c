// `uiautomator dump` and the uiautomator2 server's dump of all windows (formats.md 1.1, 1.2): <node> elements
// with the node in attributes; several top nodes are several windows.
#include "text_util.h"
#include "xml_reader.h"

#include <string.h>

/// Attributes that are no flag; flags are their wd_node_flag.
enum {
    FIELD_TEXT = WD_NODE_FLAG_COUNT,
    FIELD_DESC,
    FIELD_HINT,
    FIELD_RESOURCE_ID,
    FIELD_CLASS,
    FIELD_PACKAGE,
    FIELD_BOUNDS,
    FIELD_DISPLAY,
    FIELD_OTHER,
};

static const struct attribute_name {
    const char *name;
    int field;
} attribute_names[] = {
    { "text", FIELD_TEXT }, { "content-desc", FIELD_DESC }, { "hint", FIELD_HINT },
    { "resource-id", FIELD_RESOURCE_ID }, { "class", FIELD_CLASS }, { "package", FIELD_PACKAGE },
    { "bounds", FIELD_BOUNDS }, { "display-id", FIELD_DISPLAY }, { "clickable", WD_NODE_CLICKABLE },
    { "long-clickable", WD_NODE_LONG_CLICKABLE }, { "checkable", WD_NODE_CHECKABLE },
    { "checked", WD_NODE_CHECKED }, { "scrollable", WD_NODE_SCROLLABLE }, { "enabled", WD_NODE_ENABLED },
    { "focused", WD_NODE_FOCUSED }, { "selected", WD_NODE_SELECTED }, { "password", WD_NODE_PASSWORD },
    { "visible-to-user", WD_NODE_VISIBLE }, { "displayed", WD_NODE_VISIBLE },  // Appium
};

static int field_of(const char *name)
{
    for (size_t i = 0; i < WD_COUNT_OF(attribute_names); i++) {
        if (strcmp(attribute_names[i].name, name) == 0) {
            return attribute_names[i].field;
        }
    }
    return FIELD_OTHER;
}

static int cached_field(wd_node_attributes *cache, size_t place, const char *name)
{
    if (place >= WD_XML_ATTRIBUTES_CACHED) {
        return field_of(name);
    }
    if (cache->names[place] != name) {
        cache->names[place] = name;
        cache->fields[place] = field_of(name);
    }
    return cache->fields[place];
}

/// What an element says, before its place in the tree is known.
typedef struct element {
    wd_node node;
    const char *bounds;
    int32_t display_id;
} element;

static void read_attributes(wd_node_attributes *cache, const char *const *attributes, element *ret_element)
{
    wd_node *node = &ret_element->node;
    for (size_t i = 0; attributes[2 * i] != NULL; i++) {
        const char *value = attributes[2 * i + 1];
        int field = cached_field(cache, i, attributes[2 * i]);
        switch (field) {
        case FIELD_TEXT:
            node->text = value;
            break;
        case FIELD_DESC:
            node->desc = value;
            break;
        case FIELD_HINT:
            node->hint = value;
            break;
        case FIELD_RESOURCE_ID:
            node->resource_id = value;
            break;
        case FIELD_CLASS:
            node->class_name = value;
            break;
        case FIELD_PACKAGE:
            node->package = value;
            break;
        case FIELD_BOUNDS:
            ret_element->bounds = value;
            break;
        case FIELD_DISPLAY:
            ret_element->display_id = wd_xml_number(value, 0);
            break;
        case FIELD_OTHER:
            break;
        default:
            wd_node_set(node, (wd_node_flag)field, wd_xml_flag(value));
        }
    }
}

/// A top node is a window of its own; beyond the bound windows are not told apart any more.
static wd_status open_window(wd_screen_draft *draft, const element *top, wd_xml_place *place)
{
    size_t count = 0;
    (void)wd_scene_builder_windows(draft->builder, &count);
    wd_window window = {
        .package = top->node.package, .display_id = top->display_id, .bounds = top->node.rect
    };
    wd_status status = wd_scene_builder_window(draft->builder, &window);
    if (status == WD_ELIMIT) {
        return WD_OK;
    }
    place->window = (int32_t)count;
    return status;
}

wd_status wd_uiautomator_node(wd_screen_draft *draft, wd_node_attributes *cache, const char *name,
    const char *const *attributes, wd_xml_place *place)
{
    element found = { .node = { .rect_state = WD_RECT_UNKNOWN } };
    read_attributes(cache, attributes, &found);
    if (found.bounds == NULL) {
        cache->without_bounds += 1;
        return WD_OK;
    }
    if (wd_xml_bounds(found.bounds, &found.node.rect)) {
        found.node.rect_state = WD_RECT_OK;  // judged when the display's size is known
    }
    if (found.node.class_name == NULL && strcmp(name, "node") != 0) {
        found.node.class_name = name;
    }
    if (place->node < 0 && place->window < 0) {
        wd_status status = open_window(draft, &found, place);
        if (status != WD_OK) {
            return status;
        }
    }
    found.node.parent = place->node;
    found.node.window = place->window;
    return wd_scene_builder_node(draft->builder, &found.node, &place->node);
}

void wd_uiautomator_root(wd_screen_draft *draft, const char *const *attributes)
{
    const char *rotation = wd_xml_attribute(attributes, "rotation");
    if (rotation != NULL && draft->info.rotation_raw == NULL) {
        draft->info.rotation_raw = wd_draft_text(draft, rotation, strlen(rotation));
    }
}
