// DroidBot's states/state_*.json (formats.md 1.4). The activity comes from the activity manager and is right
// even when the views were read too early. Bounds are not clipped; off-screen rows are kept, and judged as
// what they are.
#include "json_tree.h"

#include <string.h>

static const wd_field_name fields[] = {
    { "text", WD_FIELD_TEXT },
    { "contentdescription", WD_FIELD_DESC },
    { "resourceid", WD_FIELD_RESOURCE_ID },
    { "class", WD_FIELD_CLASS },
    { "package", WD_FIELD_PACKAGE },
    { "bounds", WD_FIELD_RECT },
    { "visible", WD_NODE_VISIBLE },
    { "clickable", WD_NODE_CLICKABLE },
    { "longclickable", WD_NODE_LONG_CLICKABLE },
    { "checkable", WD_NODE_CHECKABLE },
    { "checked", WD_NODE_CHECKED },
    { "editable", WD_NODE_EDITABLE },
    { "enabled", WD_NODE_ENABLED },
    { "focused", WD_NODE_FOCUSED },
    { "scrollable", WD_NODE_SCROLLABLE },
    { "selected", WD_NODE_SELECTED },
    { "ispassword", WD_NODE_PASSWORD },
};

static wd_status read_view(wd_screen_draft *draft, wd_pull *pull, wd_flat_list *views)
{
    int32_t id = -1;
    wd_status status = wd_flat_add(views, draft, (int64_t)views->count, WD_FLAT_NONE, -1, &id);
    wd_pull_scope scope = wd_pull_enter(pull);
    while (status == WD_OK && wd_pull_more(pull, scope)) {
        struct wd_flat_entry *entry = &views->entries[views->count - 1];
        int32_t number = 0;
        if (strcmp(pull->key, "temp_id") == 0 && wd_pull_int(pull, &number)) {
            entry->id = number;
        } else if (strcmp(pull->key, "parent") == 0 && wd_pull_int(pull, &number)) {
            entry->parent_id = number;
        } else {
            size_t count = 0;
            wd_node *nodes = wd_scene_builder_nodes(draft->builder, &count);
            status =
                wd_json_set(draft, pull, wd_field_find(fields, WD_COUNT_OF(fields), pull->key), &nodes[id]);
        }
    }
    return status;
}

static wd_status read_views(wd_screen_draft *draft, wd_pull *pull, wd_flat_list *views)
{
    wd_status status = WD_OK;
    wd_pull_scope scope = wd_pull_enter(pull);
    while (status == WD_OK && wd_pull_more(pull, scope)) {
        if (pull->token == WD_PULL_OBJECT) {
            status = read_view(draft, pull, views);
        }
    }
    return status;
}

/// The second of the stack, when it is another app: what the dialog lies over.
static wd_status read_stack(wd_screen_draft *draft, wd_pull *pull)
{
    wd_pull_scope scope = wd_pull_enter(pull);
    for (size_t i = 0; wd_pull_more(pull, scope); i++) {
        if (i != 1 || pull->token != WD_PULL_STRING) {
            continue;
        }
        const char *slash = memchr(pull->text.at, '/', pull->text.length);
        if (slash != NULL) {
            draft->info.background_app = wd_draft_text(draft, pull->text.at, (size_t)(slash - pull->text.at));
            return draft->info.background_app != NULL ? WD_OK : WD_ENOMEM;
        }
    }
    return WD_OK;
}

static wd_status read_state(wd_screen_draft *draft, wd_pull *pull, wd_flat_list *views)
{
    if (wd_pull_next(pull) != WD_PULL_OBJECT) {
        return pull->status != WD_OK ? pull->status
                                     : wd_error_set(draft->error, WD_ECORRUPT, "an object expected");
    }
    wd_status status = WD_OK;
    wd_pull_scope scope = wd_pull_enter(pull);
    while (status == WD_OK && wd_pull_more(pull, scope)) {
        if (strcmp(pull->key, "foreground_activity") == 0 && pull->token == WD_PULL_STRING) {
            status = wd_draft_component(draft, pull->text, "activity_manager");
        } else if (strcmp(pull->key, "activity_stack") == 0 && pull->token == WD_PULL_ARRAY) {
            status = read_stack(draft, pull);
        } else if (strcmp(pull->key, "width") == 0) {
            (void)wd_pull_int(pull, &draft->info.width);
        } else if (strcmp(pull->key, "height") == 0) {
            (void)wd_pull_int(pull, &draft->info.height);
        } else if (strcmp(pull->key, "views") == 0 && pull->token == WD_PULL_ARRAY) {
            status = read_views(draft, pull, views);
        }
    }
    return status != WD_OK ? status : wd_pull_finish(pull);
}

/// Old versions do not say the display's size, and off-screen rows say too much: the root's rectangle, then.
static void size_from_root(wd_screen_draft *draft)
{
    size_t count = 0;
    const wd_node *nodes = wd_scene_builder_nodes(draft->builder, &count);
    if (draft->info.width > 0 && draft->info.height > 0) {
        draft->size_is_given = true;
        return;
    }
    if (count > 0 && nodes[0].rect_state == WD_RECT_OK && nodes[0].rect.right > 0 &&
        nodes[0].rect.bottom > 0) {
        int32_t width = draft->options->width, height = draft->options->height;
        draft->info.width = nodes[0].rect.right > width ? nodes[0].rect.right : width;
        draft->info.height = nodes[0].rect.bottom > height ? nodes[0].rect.bottom : height;
        draft->size_is_given = true;
    }
}

/// The tree was read before the window in focus was drawn, or after.
static wd_status warn_disagreement(wd_screen_draft *draft)
{
    size_t count = 0;
    const wd_node *nodes = wd_scene_builder_nodes(draft->builder, &count);
    const char *app = draft->info.app_package;
    for (size_t i = 0; i < count; i++) {
        if (app == NULL || nodes[i].package == NULL || strcmp(nodes[i].package, app) == 0) {
            return WD_OK;
        }
    }
    return count == 0 ? WD_OK
                      : wd_scene_builder_warning(draft->builder, "no node is of the app in focus, %s", app);
}

wd_status wd_read_droidbot(wd_screen_draft *draft, const char *bytes, size_t length)
{
    wd_pull pull;
    wd_flat_list views = { .first = 0 };
    wd_pull_init(&pull, (wd_span){ bytes, length }, draft->error);
    wd_status status = read_state(draft, &pull, &views);
    status = status == WD_OK ? wd_json_end(draft, &pull) : status;
    status = status == WD_OK ? wd_flat_finish(&views, draft) : status;
    wd_flat_done(&views);
    wd_pull_done(&pull);
    if (status == WD_OK) {
        const char *app = draft->info.app_package, *behind = draft->info.background_app;
        draft->info.background_app =
            app != NULL && behind != NULL && strcmp(app, behind) == 0 ? NULL : behind;
        size_from_root(draft);
        status = warn_disagreement(draft);
    }
    return status;
}
