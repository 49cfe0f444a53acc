/// xml_reader.h - the XML formats between expat's events and the scene: uiautomator (one or several windows),
/// `--windows`, Appium. The reader keeps the stack; each format's file says what an element means.
#ifndef SEMANTIC_XML_READER_H
#define SEMANTIC_XML_READER_H

#include "screen_draft.h"

/// Where the children of an open element go.
typedef struct wd_xml_place {
    int32_t node;    // nearest element around that is a node, -1 none
    int32_t window;  // -1 not in a window
} wd_xml_place;

/// Attributes of an element, as expat gives them: name, value, ..., NULL.
const char *wd_xml_attribute(const char *const *attributes, const char *name);  // NULL when absent
/// A decimal number; `fallback` when the text is NULL or no number.
int32_t wd_xml_number(const char *text, int32_t fallback);
/// "true" and "false"; anything else, and NULL, is unknown.
wd_tristate wd_xml_flag(const char *text);
/// "[left,top][right,bottom]"; false leaves *ret_rect alone.
bool wd_xml_bounds(const char *text, wd_rect *ret_rect);

/// Which attribute of a node stands at a place in the list: names come in the same order on most elements,
/// and expat gives equal names the same address.
enum { WD_XML_ATTRIBUTES_CACHED = 48 };
typedef struct wd_node_attributes {
    const char *names[WD_XML_ATTRIBUTES_CACHED];
    int fields[WD_XML_ATTRIBUTES_CACHED];
    size_t without_bounds;  // elements that had none and are no nodes
} wd_node_attributes;

/// uiautomator_xml.c: one <node>, or an element named after its class. Takes `place` to what its children
/// need.
WD_NODISCARD wd_status wd_uiautomator_node(wd_screen_draft *draft, wd_node_attributes *cache,
    const char *name, const char *const *attributes, wd_xml_place *place);
/// uiautomator_xml.c: <hierarchy>; appium_xml.c when it says the display's size.
void wd_uiautomator_root(wd_screen_draft *draft, const char *const *attributes);
bool wd_appium_root(wd_screen_draft *draft, const char *const *attributes);
/// windows_xml.c: <display> and <window>. False: the element is neither.
bool wd_windows_element(wd_screen_draft *draft, const char *name, const char *const *attributes,
    int32_t *display_id, wd_xml_place *place, wd_status *ret_status);

#endif
