/// json_node.h - a node's members in foreign JSON: which field a name means, and how flags and rectangles are
/// written.
#ifndef SEMANTIC_JSON_NODE_H
#define SEMANTIC_JSON_NODE_H

#include "json_pull.h"
#include "screen_draft.h"

/// Fields that are no flag; a flag is its wd_node_flag.
enum {
    WD_FIELD_TEXT = WD_NODE_FLAG_COUNT,
    WD_FIELD_DESC,
    WD_FIELD_HINT,
    WD_FIELD_RESOURCE_ID,
    WD_FIELD_CLASS,
    WD_FIELD_PACKAGE,
    WD_FIELD_RECT,
    WD_FIELD_OTHER,
};

typedef struct wd_field_name {
    const char
        *name;  // lower case, without '_' and '-': "resourceid" for resource_id, resourceId and resource-id
    int field;
} wd_field_name;

int wd_field_find(const wd_field_name *names, size_t count, const char *key);
bool wd_key_is(const char *key, const char *plain_name);

/// The current token as a text in the arena: strings; the first string of an array. Others, null too, leave
/// *ret_text alone. @retval WD_ENOMEM
WD_NODISCARD wd_status wd_json_text(wd_screen_draft *draft, wd_pull *pull, const char **ret_text);

/// true, false, and the strings "true" and "false"; anything else is unknown.
wd_tristate wd_json_flag(const wd_pull *pull);

/// The current token as a rectangle, however written: "[l,t][r,b]", "l,t,r,b", [l,t,r,b], [[l,t],[r,b]],
/// {left, top, right, bottom}, {x_min, x_max, y_min, y_max}. False leaves *ret_rect alone. Reads the
/// container.
bool wd_json_rect(wd_pull *pull, wd_rect *ret_rect);

/// Put the current token into `node`. Unknown fields are left alone. @retval WD_ENOMEM
WD_NODISCARD wd_status wd_json_set(wd_screen_draft *draft, wd_pull *pull, int field, wd_node *node);

/// What the draft has to say about the text once it was read: replaced characters; and the pull's own status.
WD_NODISCARD wd_status wd_json_end(wd_screen_draft *draft, wd_pull *pull);

#endif
