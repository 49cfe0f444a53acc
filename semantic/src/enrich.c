#include "semantic/enrich.h"

#include "tree/alloc.h"

#include <string.h>

/// Every node that the app gave a purpose.
static size_t declared_widgets(const wd_scene *scene, wd_widget *widgets)
{
    size_t count = 0;
    for (size_t i = 0; i < wd_scene_node_count(scene); i++) {
        const wd_node *node = wd_scene_node(scene, i);
        if (node->purpose != NULL) {
            if (widgets != NULL) {
                widgets[count] = (wd_widget){ node->id, node->purpose, wd_node_label(node) };
            }
            count += 1;
        }
    }
    return count;
}

/// The route without its query, when the app names no page: `*ret_path` is to be freed, NULL when there is
/// none.
static wd_status path_of_route(const wd_scene_info *info, char **ret_path)
{
    *ret_path = NULL;
    if (info->page != NULL || info->route == NULL) {
        return WD_OK;
    }
    *ret_path = wd_strndup(info->route, strcspn(info->route, "?"));
    return *ret_path != NULL ? WD_OK : WD_ENOMEM;
}

static wd_status from_device(const wd_scene *scene, const char *path, wd_widget *widgets, size_t widget_count,
    wd_semantic **ret_semantic)
{
    const wd_scene_info *info = wd_scene_info_of(scene);
    const char *id = info->page != NULL ? info->page : path;
    wd_semantic_init init = {
        .page = {
            .app = info->app_package,
            .app_source = info->app_source,
            .id = id,
            .title = NULL,
            .source = info->page != NULL ? info->page_source : path != NULL ? "route" : NULL,
            .confidence = id != NULL ? 1 : 0,
            .kind = info->page_kind,
            .background_app = info->background_app,
            .params = info->page_params,
        },
        .intents = wd_scene_intent_at(scene, 0),  // they lie one behind the other
        .intent_count = wd_scene_intent_count(scene),
        .widgets = widgets,
        .widget_count = widget_count,
        .enricher = "device",
    };
    wd_status status = wd_page_key(scene, &init.page.key);
    if (status == WD_OK) {
        (void)declared_widgets(scene, widgets);
        status = wd_semantic_new(&init, ret_semantic);
    }
    return status;
}

wd_status wd_semantic_from_device(const wd_scene *scene, wd_semantic **ret_semantic)
{
    char *path = NULL;
    wd_status status = path_of_route(wd_scene_info_of(scene), &path);
    size_t count = declared_widgets(scene, NULL);
    wd_widget *widgets = NULL;
    if (status == WD_OK && count > 0) {
        widgets = wd_alloc(count * sizeof *widgets);
        status = widgets != NULL ? WD_OK : WD_ENOMEM;
    }
    if (status == WD_OK) {
        status = from_device(scene, path, widgets, count, ret_semantic);
    }
    wd_free(widgets, widgets != NULL ? count * sizeof *widgets : 0);
    wd_free(path, path != NULL ? strlen(path) + 1 : 0);
    return status;
}

wd_status wd_semantic_enrich(const wd_scene *scene, wd_semantic **ret_semantic)
{
    const char *format = wd_scene_info_of(scene)->source_format;
    bool device = format != NULL && strcmp(format, "device") == 0;
    return device ? wd_semantic_from_device(scene, ret_semantic)
                  : wd_semantic_from_rules(scene, ret_semantic);
}
