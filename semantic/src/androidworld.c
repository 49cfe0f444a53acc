#include "androidworld.h"

#include <limits.h>
#include <string.h>

int wd_element_field(const char *name)
{
    static const wd_field_name fields[] = {
        { "text", WD_FIELD_TEXT },
        { "contentdescription", WD_FIELD_DESC },
        { "hinttext", WD_FIELD_HINT },
        { "resourceid", WD_FIELD_RESOURCE_ID },
        { "resourcename", WD_ELEMENT_RESOURCE_NAME },
        { "classname", WD_FIELD_CLASS },
        { "packagename", WD_FIELD_PACKAGE },
        { "bboxpixels", WD_ELEMENT_BOX_PIXELS },
        { "bbox", WD_ELEMENT_BOX },
        { "isclickable", WD_NODE_CLICKABLE },
        { "islongclickable", WD_NODE_LONG_CLICKABLE },
        { "ischeckable", WD_NODE_CHECKABLE },
        { "ischecked", WD_NODE_CHECKED },
        { "isscrollable", WD_NODE_SCROLLABLE },
        { "iseditable", WD_NODE_EDITABLE },
        { "isenabled", WD_NODE_ENABLED },
        { "isfocused", WD_NODE_FOCUSED },
        { "isselected", WD_NODE_SELECTED },
        { "isvisible", WD_NODE_VISIBLE },
        { "ispassword", WD_NODE_PASSWORD },
    };
    return wd_field_find(fields, WD_COUNT_OF(fields), name);
}

void wd_element_init(wd_element *element)
{
    memset(element, 0, sizeof *element);
    element->node.parent = -1;
    element->node.window = -1;
    element->node.rect_state = WD_RECT_UNKNOWN;
}

void wd_element_side(wd_element_box *box, const char *name, double value)
{
    const struct side {
        const char *name;
        double *value;
    } sides[] = { { "xmin", &box->x_min }, { "xmax", &box->x_max }, { "ymin", &box->y_min },
        { "ymax", &box->y_max } };
    for (size_t i = 0; i < WD_COUNT_OF(sides); i++) {
        if (wd_key_is(name, sides[i].name)) {
            *sides[i].value = value;
            box->sides += 1;
        }
    }
}

static int32_t pixel(double value)
{
    return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : (int32_t)value;
}

/// Fractions need the display's size; without it the rectangle stays unknown.
static bool rect_of_box(const wd_screen_options *options, const wd_element_box *box, wd_rect *ret_rect)
{
    if (box->sides != 4) {
        return false;
    }
    bool fractions =
        box->x_max <= 1 && box->y_max <= 1 && box->x_min >= 0 && box->y_min >= 0 &&
        (box->x_max != (int)box->x_max || box->y_max != (int)box->y_max || box->x_max + box->y_max == 2);
    if (fractions && (options->width <= 0 || options->height <= 0)) {
        return false;
    }
    double width = fractions ? options->width : 1, height = fractions ? options->height : 1;
    *ret_rect = (wd_rect){ pixel(box->x_min * width), pixel(box->y_min * height), pixel(box->x_max * width),
        pixel(box->y_max * height) };
    return true;
}

wd_status wd_element_add(wd_screen_draft *draft, wd_element *element)
{
    wd_node *node = &element->node;
    if (rect_of_box(draft->options, &element->box_pixels, &node->rect) ||
        rect_of_box(draft->options, &element->box, &node->rect)) {
        node->rect_state = WD_RECT_OK;  // judged when the display's size is known
    }
    if ((node->resource_id == NULL || node->resource_id[0] == '\0') && element->resource_name != NULL) {
        node->resource_id = element->resource_name;
    }
    return wd_scene_builder_node(draft->builder, node, NULL);
}
