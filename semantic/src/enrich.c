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

wd_status wd_semantic_from_device(const wd_scene *scene, wd_semantic **ret_semantic)
{
    const wd_scene_info *info = wd_scene_info_of(scene);
    const char *id = info->page != NULL ? info->page : info->route;
    wd_semantic_init init = {
        .page = {
            .app = info->app_package,
            .app_source = info->app_source,
            .id = id,
            .title = NULL,
            .source = id == NULL ? NULL : info->page != NULL ? info->page_source : "route",
            .confidence = id != NULL ? 1 : 0,
            .kind = info->page_kind,
            .background_app = info->background_app,
            .params = info->page_params,
        },
        .intents = wd_scene_intent_at(scene, 0),  // they lie one behind the other
        .intent_count = wd_scene_intent_count(scene),
        .widget_count = declared_widgets(scene, NULL),
        .enricher = "device",
    };
    wd_status status = wd_page_key(scene, &init.page.key);
    if (status != WD_OK) {
        return status;
    }
    wd_widget *widgets = NULL;
    if (init.widget_count > 0) {
        widgets = wd_alloc(init.widget_count * sizeof *widgets);
        if (widgets == NULL) {
            return WD_ENOMEM;
        }
        (void)declared_widgets(scene, widgets);
    }
    init.widgets = widgets;
    status = wd_semantic_new(&init, ret_semantic);
    wd_free(widgets, init.widget_count * sizeof *widgets);
    return status;
}

wd_status wd_semantic_enrich(const wd_scene *scene, wd_semantic **ret_semantic)
{
    const char *format = wd_scene_info_of(scene)->source_format;
    bool device = format != NULL && strcmp(format, "device") == 0;
    return device ? wd_semantic_from_device(scene, ret_semantic)
                  : wd_semantic_from_rules(scene, ret_semantic);
}
