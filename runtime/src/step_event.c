#include "step_event.h"

#include <ctype.h>
#include <string.h>

/// The whole id, or the part after "id/".
static bool id_is(const char *id, const char *wanted)
{
    const char *part = id == NULL ? NULL : strstr(id, "id/");
    return id != NULL && (strcmp(id, wanted) == 0 || (part != NULL && strcmp(part + 3, wanted) == 0));
}

/// Equal when both are trimmed.
static bool text_is(const char *text, const char *wanted)
{
    if (text == NULL) {
        return false;
    }
    for (; isspace((unsigned char)*text); text++) {
    }
    for (; isspace((unsigned char)*wanted); wanted++) {
    }
    size_t length = strlen(text), wanted_length = strlen(wanted);
    for (; length > 0 && isspace((unsigned char)text[length - 1]); length--) {
    }
    for (; wanted_length > 0 && isspace((unsigned char)wanted[wanted_length - 1]); wanted_length--) {
    }
    return length == wanted_length && memcmp(text, wanted, length) == 0;
}

static bool selected(const wd_node *node, const wd_action *action)
{
    return (action->resource_id == NULL || id_is(node->resource_id, action->resource_id)) &&
           (action->target_text == NULL || text_is(node->text, action->target_text) ||
               text_is(node->desc, action->target_text)) &&
           (action->role == NULL || (node->role != NULL && strcmp(node->role, action->role) == 0));
}

static const wd_node *by_selector(const wd_scene *scene, const wd_action *action)
{
    int32_t left = action->ordinal < 0 ? 0 : action->ordinal;
    for (size_t i = 0; i < wd_scene_node_count(scene); i++) {
        const wd_node *node = wd_scene_node(scene, i);
        if (wd_scene_node_visible(scene, node) && selected(node, action) && left-- == 0) {
            return node;
        }
    }
    return NULL;
}

static const wd_node *by_point(const wd_scene *scene, const wd_action *action)
{
    const wd_scene_info *info = wd_scene_info_of(scene);
    double scale = action->space == WD_SPACE_NORM1 ? 1 : action->space == WD_SPACE_NORM1000 ? 1000 : 0;
    double x = scale > 0 ? action->x / scale * info->width : action->x;
    double y = scale > 0 ? action->y / scale * info->height : action->y;
    const wd_node *found = NULL;
    for (size_t i = 0; i < wd_scene_node_count(scene); i++) {  // a child comes after its parent
        const wd_node *node = wd_scene_node(scene, i);
        bool inside =
            x >= node->rect.left && x < node->rect.right && y >= node->rect.top && y < node->rect.bottom;
        bool better =
            found == NULL || wd_node_is(node, WD_NODE_CLICKABLE) || !wd_node_is(found, WD_NODE_CLICKABLE);
        if (inside && better && wd_scene_node_visible(scene, node)) {
            found = node;
        }
    }
    return found;
}

/// The node that the action means: by id, by selector, or the innermost one under its point that takes touches (else
/// the innermost). NULL: none, or the action has no target.
static const wd_node *target_of(const wd_scene *scene, const wd_action *action)
{
    if (scene == NULL) {
        return NULL;
    }
    if (action->node >= 0) {
        return wd_scene_node(scene, (size_t)action->node);
    }
    if (wd_action_has_selector(action)) {
        return by_selector(scene, action);
    }
    return action->has_point ? by_point(scene, action) : NULL;
}

/// What an id says without its package: "send" of "messages:id/send".
static const char *short_id(const char *id)
{
    const char *part = id == NULL ? NULL : strstr(id, "id/");
    return part == NULL ? id : part + 3;
}

wd_status wd_step_event(const wd_step_told *told, wd_value **ret_event)
{
    const wd_node *node = target_of(told->before, told->action);
    const wd_scene_info *info = told->after == NULL ? NULL : wd_scene_info_of(told->after);
    wd_value *target = NULL, *done = NULL;
    wd_status status = WD_OK;
    if (node != NULL) {
        status = wd_value_pack(&target, "{s:?s,s:?s,s:?s}", "id", short_id(node->resource_id), "text",
            wd_node_label(node), "role", node->role);
    }
    if (status == WD_OK) {
        status = wd_value_pack(&done, "{s:s,s:?v,s:?v}", "type", wd_action_kind_name(told->action->kind),
            "args", told->args, "target", target);
    }
    if (status == WD_OK) {
        status = wd_value_pack(ret_event, "{s:v,s:s,s:?s,s:?s,s:?s}", "action", done, "status",
            wd_outcome_name(told->result->outcome), "app", told->app, "page", told->page, "route",
            info == NULL ? NULL : info->route);
    }
    wd_value_unref(&target);
    wd_value_unref(&done);
    return status;
}
