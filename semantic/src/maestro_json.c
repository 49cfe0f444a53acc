// Maestro's hierarchy (formats.md 1.8): attributes in an object of their own, as strings; no package
// anywhere, so the caller may name the app.
#include "json_tree.h"

#include <string.h>

static const wd_field_name fields[] = {
    { "text", WD_FIELD_TEXT },
    { "accessibilitytext", WD_FIELD_DESC },
    { "hinttext", WD_FIELD_HINT },
    { "resourceid", WD_FIELD_RESOURCE_ID },
    { "class", WD_FIELD_CLASS },
    { "package", WD_FIELD_PACKAGE },
    { "bounds", WD_FIELD_RECT },
    { "clickable", WD_NODE_CLICKABLE },
    { "longclickable", WD_NODE_LONG_CLICKABLE },
    { "checkable", WD_NODE_CHECKABLE },
    { "checked", WD_NODE_CHECKED },
    { "scrollable", WD_NODE_SCROLLABLE },
    { "enabled", WD_NODE_ENABLED },
    { "focused", WD_NODE_FOCUSED },
    { "selected", WD_NODE_SELECTED },
    { "password", WD_NODE_PASSWORD },
};

static const wd_tree_format format = { fields, WD_COUNT_OF(fields), "children", "attributes" };

wd_status wd_read_maestro(wd_screen_draft *draft, const char *bytes, size_t length)
{
    // The command line tool prints lines of its own before the tree.
    const char *brace = memchr(bytes, '{', length);
    size_t before = brace != NULL ? (size_t)(brace - bytes) : 0;
    wd_pull pull;
    wd_pull_init(&pull, (wd_span){ bytes + before, length - before }, draft->error);
    wd_status status = WD_OK;
    if (wd_pull_next(&pull) == WD_PULL_OBJECT) {
        status = wd_json_tree(draft, &pull, &format, -1);
    } else if (pull.status == WD_OK) {
        status = wd_error_set(draft->error, WD_ECORRUPT, "an object expected");
    }
    status = status == WD_OK ? wd_pull_finish(&pull) : status;
    status = status == WD_OK ? wd_json_end(draft, &pull) : status;
    wd_pull_done(&pull);
    if (status == WD_OK && wd_span_trim_invisible((wd_span){ bytes, before }).length > 0) {
        status = wd_draft_recovered(draft, "%zu bytes before the tree cut", before);
    }
    return status;
}
