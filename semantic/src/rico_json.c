// RICO view hierarchies and their semantic annotations (formats.md 1.6): nested nodes on a canvas of
// 1440x2560.
#include "json_tree.h"

#include <string.h>

static const wd_field_name fields[] = {
    { "text", WD_FIELD_TEXT },
    { "contentdesc", WD_FIELD_DESC },  // an array of one
    { "texthint", WD_FIELD_HINT },
    { "resourceid", WD_FIELD_RESOURCE_ID },
    { "class", WD_FIELD_CLASS },
    { "package", WD_FIELD_PACKAGE },
    { "bounds", WD_FIELD_RECT },
    { "visibletouser", WD_NODE_VISIBLE },
    { "clickable", WD_NODE_CLICKABLE },
    { "longclickable", WD_NODE_LONG_CLICKABLE },
    { "enabled", WD_NODE_ENABLED },
    { "focused", WD_NODE_FOCUSED },
    { "selected", WD_NODE_SELECTED },
};

static const wd_tree_format format = { fields, WD_COUNT_OF(fields), "children", NULL };

static wd_status read_activity(wd_screen_draft *draft, wd_pull *pull)
{
    wd_status status = WD_OK;
    wd_pull_scope scope = wd_pull_enter(pull);
    while (status == WD_OK && wd_pull_more(pull, scope)) {
        if (strcmp(pull->key, "root") == 0 && pull->token == WD_PULL_OBJECT) {
            status = wd_json_tree(draft, pull, &format, -1);
        }
    }
    return status;
}

/// The original: an activity with its root below it. The annotated variant has the root itself at the top.
static wd_status read_capture(wd_screen_draft *draft, wd_pull *pull)
{
    wd_status status = WD_OK;
    wd_pull_scope scope = wd_pull_enter(pull);
    while (status == WD_OK && wd_pull_more(pull, scope)) {
        if (strcmp(pull->key, "activity_name") == 0 && pull->token == WD_PULL_STRING) {
            status = wd_draft_component(draft, pull->text, "activity_manager");
        } else if (strcmp(pull->key, "activity") == 0 && pull->token == WD_PULL_OBJECT) {
            status = read_activity(draft, pull);
        }
    }
    return status;
}

wd_status wd_read_rico(wd_screen_draft *draft, const char *bytes, size_t length)
{
    wd_pull pull;
    wd_pull_init(&pull, (wd_span){ bytes, length }, draft->error);
    wd_status status = WD_OK;
    bool capture = memmem(bytes, length, "\"activity\"", strlen("\"activity\"")) != NULL ||
                   memmem(bytes, length, "\"activity_name\"", strlen("\"activity_name\"")) != NULL;
    if (wd_pull_next(&pull) == WD_PULL_OBJECT) {
        status = capture ? read_capture(draft, &pull) : wd_json_tree(draft, &pull, &format, -1);
    } else if (pull.status == WD_OK) {
        status = wd_error_set(draft->error, WD_ECORRUPT, "an object expected");
    }
    status = status == WD_OK ? wd_pull_finish(&pull) : status;
    status = status == WD_OK ? wd_json_end(draft, &pull) : status;
    wd_pull_done(&pull);
    return status;
}
