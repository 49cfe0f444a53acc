/// androidworld.h - AndroidWorld's UIElement, however it was printed (formats.md 1.5). The list has no
/// parents; its place in the list is the element's index.
#ifndef SEMANTIC_ANDROIDWORLD_H
#define SEMANTIC_ANDROIDWORLD_H

#include "json_node.h"

/// Fields of an element that are no field of a node.
enum {
    WD_ELEMENT_BOX = WD_FIELD_OTHER + 1,  // bbox: pixels, or fractions of the display
    WD_ELEMENT_BOX_PIXELS,                // bbox_pixels: wins
    WD_ELEMENT_RESOURCE_NAME,             // resource_name: when there is no resource_id
};

int wd_element_field(const char *name);

/// The sides of a box as they come, and what they mean.
typedef struct wd_element_box {
    double x_min, x_max, y_min, y_max;
    int sides;  // read so far; 4: complete
} wd_element_box;

typedef struct wd_element {
    wd_node node;
    const char *resource_name;
    wd_element_box box, box_pixels;
} wd_element;

void wd_element_init(wd_element *element);
/// Note one named side ("x_min"); other names are left alone.
void wd_element_side(wd_element_box *box, const char *name, double value);
/// Append the element as a node.
WD_NODISCARD wd_status wd_element_add(wd_screen_draft *draft, wd_element *element);

#endif
