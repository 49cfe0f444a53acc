#include "scene/semantic_scene.h"

#include "arena.h"
#include "scene_private.h"
#include "value_fields.h"

#include <string.h>

struct wd_semantic {
    size_t refs;
    wd_semantic_init content;
    wd_scene_intent *intents;
    wd_widget *widgets;
    wd_arena arena;  // every string of `content`
};

#define PAGE_TEXTS(X) X(app) X(app_source) X(id) X(title) X(source) X(background_app)

// ---- making -----------------------------------------------------------------------------------------------

static wd_status copy_text(wd_arena *arena, const char **text_p)
{
    if (*text_p == NULL) {
        return WD_OK;
    }
    *text_p = wd_arena_text(arena, *text_p, strlen(*text_p));
    return *text_p != NULL ? WD_OK : WD_ENOMEM;
}

static wd_status copy_lists(wd_semantic *semantic, const wd_semantic_init *init)
{
    if (init->intent_count > 0) {
        semantic->intents = wd_alloc_zero(init->intent_count, sizeof *semantic->intents);
        if (semantic->intents == NULL) {
            return WD_ENOMEM;
        }
        semantic->content.intent_count = init->intent_count;
    }
    if (init->widget_count > 0) {
        semantic->widgets = wd_alloc_zero(init->widget_count, sizeof *semantic->widgets);
        if (semantic->widgets == NULL) {
            return WD_ENOMEM;
        }
        semantic->content.widget_count = init->widget_count;
    }
    semantic->content.intents = semantic->intents;
    semantic->content.widgets = semantic->widgets;
    wd_status status = WD_OK;
    for (size_t i = 0; i < init->intent_count; i++) {
        semantic->intents[i] = init->intents[i];
        TRY(status, copy_text(&semantic->arena, &semantic->intents[i].text));
    }
    for (size_t i = 0; i < init->widget_count; i++) {
        semantic->widgets[i] = init->widgets[i];
        TRY(status, copy_text(&semantic->arena, &semantic->widgets[i].purpose));
        TRY(status, copy_text(&semantic->arena, &semantic->widgets[i].label));
    }
    return status;
}

wd_status wd_semantic_new(const wd_semantic_init *init, wd_semantic **ret_semantic)
{
    if (init->intent_count > WD_SCENE_INTENTS_MAX || init->widget_count > WD_SCENE_NODES_MAX) {
        return WD_ELIMIT;
    }
    wd_semantic *semantic = wd_alloc_zero(1, sizeof *semantic);
    if (semantic == NULL) {
        return WD_ENOMEM;
    }
    semantic->refs = 1;
    semantic->content.page = init->page;
    semantic->content.page.params = wd_value_ref(init->page.params);
    semantic->content.enricher = init->enricher;
    wd_status status = copy_text(&semantic->arena, &semantic->content.enricher);
#define X(field) TRY(status, copy_text(&semantic->arena, &semantic->content.page.field));
    PAGE_TEXTS(X)
#undef X
    TRY(status, copy_lists(semantic, init));
    if (status != WD_OK) {
        wd_semantic_unref(&semantic);
        return status;
    }
    *ret_semantic = semantic;
    return WD_OK;
}

wd_semantic *wd_semantic_ref(const wd_semantic *semantic)
{
    wd_semantic *counted = (wd_semantic *)(uintptr_t)semantic;  // the count is no part of what is immutable
    if (counted != NULL) {
        counted->refs += 1;
    }
    return counted;
}

void wd_semantic_unref(wd_semantic **semantic_p)
{
    wd_semantic *semantic = *semantic_p;
    *semantic_p = NULL;
    if (semantic == NULL || --semantic->refs > 0) {
        return;
    }
    wd_value_unref(&semantic->content.page.params);
    wd_free(semantic->intents, semantic->content.intent_count * sizeof *semantic->intents);
    wd_free(semantic->widgets, semantic->content.widget_count * sizeof *semantic->widgets);
    wd_arena_done(&semantic->arena);
    wd_free(semantic, sizeof *semantic);
}

const wd_semantic_init *wd_semantic_get(const wd_semantic *semantic)
{
    return &semantic->content;
}

// ---- JSON -------------------------------------------------------------------------------------------------

static wd_status put_page(wd_value **object_p, const wd_page_identity *page)
{
    char key[WD_DIGEST_TEXT_SIZE];
    wd_digest_text(page->key, key);
    wd_value *object = wd_value_object();
    wd_status status = WD_OK;
#define X(field) TRY(status, wd_put_text(&object, #field, page->field));
    PAGE_TEXTS(X)
#undef X
    TRY(status, wd_put_double(&object, "confidence", page->confidence));
    TRY(status, wd_put_text(&object, "kind", wd_page_kind_name(page->kind)));
    TRY(status, wd_put_value(&object, "params", page->params));
    TRY(status, wd_put_text(&object, "key", key));
    TRY(status, wd_object_set(object_p, "page", &object));
    wd_value_unref(&object);
    return status;
}

static wd_status put_widgets(wd_value **object_p, const wd_widget *widgets, size_t count)
{
    wd_value *array = wd_value_array();
    wd_status status = WD_OK;
    for (size_t i = 0; i < count && status == WD_OK; i++) {
        wd_value *widget = wd_value_object();
        status = wd_put_int(&widget, "node", widgets[i].node);
        TRY(status, wd_put_text(&widget, "purpose", widgets[i].purpose));
        TRY(status, wd_put_text(&widget, "label", widgets[i].label));
        TRY(status, wd_array_append(&array, &widget));
        wd_value_unref(&widget);
    }
    TRY(status, wd_object_set(object_p, "widgets", &array));
    wd_value_unref(&array);
    return status;
}

wd_status wd_semantic_to_value(const wd_semantic *semantic, wd_value **ret_value)
{
    const wd_semantic_init *content = &semantic->content;
    wd_value *object = wd_value_object();
    wd_status status = put_page(&object, &content->page);
    TRY(status, wd_put_intents(&object, content->intents, content->intent_count));
    TRY(status, put_widgets(&object, content->widgets, content->widget_count));
    TRY(status, wd_put_text(&object, "enricher", content->enricher));
    if (status != WD_OK) {
        wd_value_unref(&object);
        return status;
    }
    *ret_value = object;
    return WD_OK;
}

static void read_page(wd_field_reader *reader, wd_page_identity *page)
{
    wd_field_reader fields = { .object = wd_read_kind(reader, "page", WD_KIND_OBJECT),
        .error = reader->error };
#define X(field) page->field = wd_read_text(&fields, #field);
    PAGE_TEXTS(X)
#undef X
    page->confidence = wd_read_double(&fields, "confidence", 0, 1, 0);
    page->kind = (wd_page_kind)wd_read_name(
        &fields, "kind", wd_scene_page_kind_names, WD_PAGE_KIND_COUNT, WD_PAGE_UNKNOWN);
    const wd_value *params = wd_read_kind(&fields, "params", WD_KIND_OBJECT);
    page->params = (wd_value *)(uintptr_t)params;  // borrowed; wd_semantic_new() takes its own reference
    const char *key = wd_read_text(&fields, "key");
    if (key != NULL && wd_digest_parse(key, &page->key) != WD_OK) {
        wd_read_refuse(&fields, "key: 32 lower-case hex digits expected");
    }
    if (fields.status != WD_OK) {
        wd_error_prefix(reader->error, "page");
        reader->status = fields.status;
    }
}

static void read_widgets(wd_field_reader *reader, const wd_value *array, wd_widget *widgets)
{
    for (size_t i = 0; i < wd_array_count(array) && reader->status == WD_OK; i++) {
        wd_field_reader fields = { .object = wd_array_at(array, i), .error = reader->error };
        widgets[i].node = (int32_t)wd_read_int(&fields, "node", 0, WD_SCENE_NODES_MAX - 1, -1);
        widgets[i].purpose = wd_read_text(&fields, "purpose");
        widgets[i].label = wd_read_text(&fields, "label");
        if (widgets[i].node < 0) {
            wd_read_refuse(&fields, "node: a node's id is missing");
        }
        if (widgets[i].purpose == NULL) {
            wd_read_refuse(&fields, "purpose: a string is missing");
        }
        if (fields.status != WD_OK) {
            wd_error_prefix(reader->error, "widgets[%zu]", i);
            reader->status = fields.status;
        }
    }
}

static wd_status read_semantic(wd_field_reader *reader, wd_semantic **ret_semantic)
{
    wd_semantic_init init = { .enricher = wd_read_text(reader, "enricher") };
    read_page(reader, &init.page);
    wd_scene_intent intents[WD_SCENE_INTENTS_MAX];
    wd_status read = wd_read_intents(reader, WD_SCENE_NODES_MAX, intents, &init.intent_count);
    init.intents = intents;
    const wd_value *array = wd_read_kind(reader, "widgets", WD_KIND_ARRAY);
    size_t count = wd_array_count(array);
    if (count > WD_SCENE_NODES_MAX) {
        wd_read_refuse(reader, "widgets: %zu are more than %d", count, (int)WD_SCENE_NODES_MAX);
    }
    if (read != WD_OK || reader->status != WD_OK) {
        return read != WD_OK ? read : reader->status;
    }
    wd_widget *widgets = NULL;
    if (count > 0) {
        widgets = wd_alloc_zero(count, sizeof *widgets);
        if (widgets == NULL) {
            return WD_ENOMEM;
        }
    }
    read_widgets(reader, array, widgets);
    init.widgets = widgets;
    init.widget_count = count;
    wd_status status = reader->status;
    TRY(status, wd_semantic_new(&init, ret_semantic));
    wd_free(widgets, count * sizeof *widgets);
    return status;
}

wd_status wd_semantic_from_value(const wd_value *value, wd_semantic **ret_semantic, wd_error *error)
{
    if (!wd_value_is(value, WD_KIND_OBJECT)) {
        return wd_error_set(error, WD_EINVAL, "semantic scene: object expected");
    }
    wd_error place = { .status = WD_OK };
    wd_field_reader reader = { .object = value, .error = &place };
    wd_status status = read_semantic(&reader, ret_semantic);
    if (status == WD_OK) {
        return WD_OK;
    }
    return wd_error_set(error, status, "%s", place.status != WD_OK ? place.text : wd_status_text(status));
}
