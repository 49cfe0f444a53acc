// The accessibility forest of android_env as JSON (formats.md 1.5): windows with flat trees, joined by ids.
// Protobuf leaves out what is false or 0, so an absent flag is "no". Every window and every node is read.
#include "json_tree.h"

#include <string.h>

static const wd_field_name fields[] = {
    { "text", WD_FIELD_TEXT },
    { "contentdescription", WD_FIELD_DESC },
    { "hinttext", WD_FIELD_HINT },
    { "viewidresourcename", WD_FIELD_RESOURCE_ID },
    { "classname", WD_FIELD_CLASS },
    { "packagename", WD_FIELD_PACKAGE },
    { "boundsinscreen", WD_FIELD_RECT },
    { "ischeckable", WD_NODE_CHECKABLE },
    { "ischecked", WD_NODE_CHECKED },
    { "isclickable", WD_NODE_CLICKABLE },
    { "iseditable", WD_NODE_EDITABLE },
    { "isenabled", WD_NODE_ENABLED },
    { "isfocused", WD_NODE_FOCUSED },
    { "islongclickable", WD_NODE_LONG_CLICKABLE },
    { "ispassword", WD_NODE_PASSWORD },
    { "isscrollable", WD_NODE_SCROLLABLE },
    { "isselected", WD_NODE_SELECTED },
    { "isvisibletouser", WD_NODE_VISIBLE },
};

enum { ALL_FLAGS = (1 << WD_NODE_FLAG_COUNT) - 1 };

static wd_status read_children(wd_pull *pull, wd_flat_list *nodes)
{
    wd_status status = WD_OK;
    wd_pull_scope scope = wd_pull_enter(pull);
    while (status == WD_OK && wd_pull_more(pull, scope)) {
        int32_t child = 0;
        if (wd_pull_int(pull, &child)) {
            status = wd_flat_edge_add(nodes, child);
        }
    }
    return status;
}

static wd_status read_node(wd_screen_draft *draft, wd_pull *pull, wd_flat_list *nodes, int32_t window)
{
    int32_t at = -1;
    wd_status status = wd_flat_add(nodes, draft, 0, WD_FLAT_NONE, window, &at);
    if (status != WD_OK) {
        return status;
    }
    size_t count = 0;
    wd_scene_builder_nodes(draft->builder, &count)[at].flags_known = ALL_FLAGS;
    wd_pull_scope scope = wd_pull_enter(pull);
    while (status == WD_OK && wd_pull_more(pull, scope)) {
        int32_t number = 0;
        if (wd_key_is(pull->key, "uniqueid") && wd_pull_int(pull, &number)) {
            nodes->entries[nodes->count - 1].id = number;
        } else if (wd_key_is(pull->key, "childids") && pull->token == WD_PULL_ARRAY) {
            status = read_children(pull, nodes);
        } else {
            wd_node *node = &wd_scene_builder_nodes(draft->builder, &count)[at];
            status = wd_json_set(draft, pull, wd_field_find(fields, WD_COUNT_OF(fields), pull->key), node);
        }
    }
    return status;
}

/// {"nodes": [...]}
static wd_status read_tree(wd_screen_draft *draft, wd_pull *pull, int32_t window)
{
    wd_flat_list nodes = { .first = 0 };
    wd_status status = WD_OK;
    wd_pull_scope scope = wd_pull_enter(pull);
    while (status == WD_OK && wd_pull_more(pull, scope)) {
        if (strcmp(pull->key, "nodes") != 0 || pull->token != WD_PULL_ARRAY) {
            continue;
        }
        wd_pull_scope list = wd_pull_enter(pull);
        while (status == WD_OK && wd_pull_more(pull, list)) {
            if (pull->token == WD_PULL_OBJECT) {
                status = read_node(draft, pull, &nodes, window);
            }
        }
    }
    status = status == WD_OK ? wd_flat_finish(&nodes, draft) : status;
    wd_flat_done(&nodes);
    return status;
}

static wd_window_type read_type(const wd_pull *pull)
{
    int32_t number = 0;
    if (wd_pull_int(pull, &number)) {
        return wd_window_type_numbered(number);
    }
    return wd_window_type_named(pull->token == WD_PULL_STRING ? pull->text : wd_span_of(NULL));
}

static wd_status read_window_member(wd_screen_draft *draft, wd_pull *pull, int32_t index)
{
    size_t count = 0;
    wd_window *window = &wd_scene_builder_windows(draft->builder, &count)[index];
    int32_t number = 0;
    if (strcmp(pull->key, "tree") == 0 && pull->token == WD_PULL_OBJECT) {
        return read_tree(draft, pull, index);
    }
    if (wd_key_is(pull->key, "windowtype")) {
        window->type = read_type(pull);
    } else if (wd_key_is(pull->key, "isactive")) {
        window->active = wd_json_flag(pull);
    } else if (wd_key_is(pull->key, "isfocused")) {
        window->focused = wd_json_flag(pull);
    } else if (wd_key_is(pull->key, "layer") && wd_pull_int(pull, &number)) {
        window->layer = number;
    } else if (wd_key_is(pull->key, "displayid") && wd_pull_int(pull, &number)) {
        window->display_id = number;
    } else if (wd_key_is(pull->key, "title")) {
        return wd_json_text(draft, pull, &window->title);
    } else if (wd_key_is(pull->key, "boundsinscreen")) {
        (void)wd_json_rect(pull, &window->bounds);
    }
    return WD_OK;
}

static wd_status read_windows(wd_screen_draft *draft, wd_pull *pull)
{
    wd_status status = WD_OK;
    wd_pull_scope list = wd_pull_enter(pull);
    for (int32_t index = 0; status == WD_OK && wd_pull_more(pull, list);) {
        if (pull->token != WD_PULL_OBJECT) {
            continue;
        }
        status = wd_scene_builder_window(draft->builder, &(wd_window){ .focused = WD_NO, .active = WD_NO });
        if (status == WD_ELIMIT) {
            return wd_error_set(draft->error, status, "more than %d windows", (int)WD_SCENE_WINDOWS_MAX);
        }
        wd_pull_scope scope = wd_pull_enter(pull);
        while (status == WD_OK && wd_pull_more(pull, scope)) {
            status = read_window_member(draft, pull, index);
        }
        index += 1;
    }
    return status;
}

static wd_status read_forest(wd_screen_draft *draft, wd_pull *pull)
{
    if (wd_pull_next(pull) != WD_PULL_OBJECT) {
        return pull->status != WD_OK ? pull->status
                                     : wd_error_set(draft->error, WD_ECORRUPT, "an object expected");
    }
    wd_status status = WD_OK;
    wd_pull_scope scope = wd_pull_enter(pull);
    while (status == WD_OK && wd_pull_more(pull, scope)) {
        if (strcmp(pull->key, "windows") == 0 && pull->token == WD_PULL_ARRAY) {
            status = read_windows(draft, pull);
        } else if (strcmp(pull->key, "tree") == 0 && pull->token == WD_PULL_OBJECT) {
            status = read_tree(draft, pull, -1);  // a single tree without its window
        }
    }
    return status != WD_OK ? status : wd_pull_finish(pull);
}

wd_status wd_read_forest(wd_screen_draft *draft, const char *bytes, size_t length)
{
    wd_pull pull;
    wd_pull_init(&pull, (wd_span){ bytes, length }, draft->error);
    wd_status status = read_forest(draft, &pull);
    status = status == WD_OK ? wd_json_end(draft, &pull) : status;
    wd_pull_done(&pull);
    return status;
}
