/// semantic_scene.h - a scene understood: page identity, intents, widget purposes. Made by semantic/ (or an
/// external enricher), read by the world model and planners. Immutable, counted, owned by one thread.
#ifndef SCENE_SEMANTIC_SCENE_H
#define SCENE_SEMANTIC_SCENE_H

#include "scene/scene.h"

typedef struct wd_widget {
    int32_t node;         // id in the scene
    const char *purpose;  // "search", "submit", "back", "toggle", "tab", "item", "field", "confirm", ...
    const char *label;    // NULL when it has none
} wd_widget;

typedef struct wd_page_identity {
    const char *app;  // package or pack id, NULL unknown
    const char *app_source;
    const char *id;      // page id ("conversation", "/settings/wifi", "WifiSettings"); NULL unknown
    const char *title;   // as a person reads it, NULL
    const char *source;  // "device", "route", "activity", "title_id", "title_row", "dialog", ...
    double confidence;   // 0..1: >= 0.8 high, >= 0.5 medium, else low
    wd_page_kind kind;
    const char *background_app;
    wd_value *params;  // object or NULL
    wd_digest key;     // the "same page?" key: package, activity, resource-id names, class skeleton; no texts
} wd_page_identity;

typedef struct wd_semantic wd_semantic;

typedef struct wd_semantic_init {
    wd_page_identity page;
    const wd_scene_intent *intents;
    size_t intent_count;  // up to WD_SCENE_INTENTS_MAX
    const wd_widget *widgets;
    size_t widget_count;   // up to WD_SCENE_NODES_MAX
    const char *enricher;  // who made it: "device", "rules", or an enricher's name
} wd_semantic_init;

/// Everything in `init` is copied. @retval WD_ELIMIT, WD_ENOMEM.
WD_NODISCARD wd_status wd_semantic_new(const wd_semantic_init *init, wd_semantic **ret_semantic);
wd_semantic *wd_semantic_ref(const wd_semantic *semantic);  // NULL gives NULL
void wd_semantic_unref(wd_semantic **semantic_p);
/// All fields, borrowed.
const wd_semantic_init *wd_semantic_get(const wd_semantic *semantic);

/// As JSON value and back. @retval WD_EINVAL, WD_ETYPE, WD_ELIMIT `error` names the field. @retval WD_ENOMEM.
WD_NODISCARD wd_status wd_semantic_to_value(const wd_semantic *semantic, wd_value **ret_value);
WD_NODISCARD wd_status wd_semantic_from_value(
    const wd_value *value, wd_semantic **ret_semantic, wd_error *error);

#endif
