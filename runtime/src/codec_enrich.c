// Unpacking an EnrichReply: a semantic scene that somebody else made is taken only when it fits the scene.
#include "runtime/codec.h"

#include "codec_message.h"
#include "tree/json.h"

#include "proto/worldd.pb-c.h"

#include <math.h>
#include <string.h>

/// "" becomes NULL. *ret_text is borrowed from the message.
static wd_status take_text(const char *text, const char *field, const char **ret_text, wd_error *error)
{
    size_t length = strlen(text);
    if (length > WD_ENRICH_TEXT_MAX) {
        return wd_error_set(
            error, WD_ELIMIT, "%s: has %zu bytes, at most %d", field, length, (int)WD_ENRICH_TEXT_MAX);
    }
    *ret_text = length == 0 ? NULL : text;
    return WD_OK;
}

/// The same, and it must be there.
static wd_status take_needed(const char *text, const char *field, const char **ret_text, wd_error *error)
{
    return text[0] == '\0' ? wd_error_set(error, WD_EINVAL, "%s: missing", field)
                           : take_text(text, field, ret_text, error);
}

static wd_status take_node(int32_t node, int32_t lowest, size_t node_count, wd_error *error)
{
    return node < lowest || (node >= 0 && (size_t)node >= node_count)
               ? wd_error_set(error, WD_EINVAL, "node: %d is none of the scene's %zu", node, node_count)
               : WD_OK;
}

static wd_status read_kind(const char *name, wd_page_kind *ret_kind, wd_error *error)
{
    for (unsigned kind = 0; kind < WD_PAGE_KIND_COUNT; kind++) {
        if (strcmp(name, wd_page_kind_name((wd_page_kind)kind)) == 0) {
            *ret_kind = (wd_page_kind)kind;
            return WD_OK;
        }
    }
    return name[0] == '\0' ? WD_OK
                           : wd_error_set(error, WD_EINVAL, "page_kind: \"%.32s\" is no kind of page", name);
}

/// Absent parameters stay NULL; what was read is the caller's.
static wd_status read_params(const ProtobufCBinaryData *json, wd_value **ret_params, wd_error *error)
{
    if (json->len == 0) {
        return WD_OK;
    }
    wd_value *params = NULL;
    wd_status status = wd_json_parse((const char *)json->data, json->len, &params, error);
    if (status == WD_OK && !wd_value_is(params, WD_KIND_OBJECT)) {
        status =
            wd_error_set(error, WD_ETYPE, "must be an object, is %s", wd_kind_name(wd_value_kind(params)));
    }
    if (status != WD_OK) {
        wd_value_unref(&params);
        wd_error_prefix(error, "params_json");
        return status;
    }
    *ret_params = params;
    return WD_OK;
}

/// An absent key is the suggestion's.
static wd_status read_key(const ProtobufCBinaryData *bytes, wd_digest *key, wd_error *error)
{
    if (bytes->len == 0) {
        return WD_OK;
    }
    if (bytes->len != 16) {
        return wd_error_set(error, WD_EINVAL, "page_key: has %zu bytes, must have 16", bytes->len);
    }
    *key = (wd_digest){ 0, 0 };
    for (size_t i = 0; i < 8; i++) {
        key->high = key->high << 8 | bytes->data[i];
        key->low = key->low << 8 | bytes->data[8 + i];
    }
    return WD_OK;
}

static wd_status read_page(const Worldd__V1__SemanticScene *message, wd_page_identity *page, wd_error *error)
{
    if (!isfinite(message->confidence) || message->confidence < 0 || message->confidence > 1) {
        return wd_error_set(error, WD_EINVAL, "confidence: must be from 0 to 1");
    }
    page->confidence = message->confidence;
    wd_status status = take_text(message->app, "app", &page->app, error);
    status = status == WD_OK ? take_text(message->page_id, "page_id", &page->id, error) : status;
    status = status == WD_OK ? take_text(message->title, "title", &page->title, error) : status;
    status = status == WD_OK ? take_text(message->source, "source", &page->source, error) : status;
    status = status == WD_OK
                 ? take_text(message->background_app, "background_app", &page->background_app, error)
                 : status;
    status = status == WD_OK ? read_kind(message->page_kind, &page->kind, error) : status;
    status = status == WD_OK ? read_key(&message->page_key, &page->key, error) : status;
    page->app_source = page->app == NULL ? NULL : page->source;
    return status == WD_OK ? read_params(&message->params_json, &page->params, error) : status;
}

static wd_status read_intents(
    const Worldd__V1__SemanticScene *message, size_t node_count, wd_scene_intent *intents, wd_error *error)
{
    if (message->n_intents > WD_SCENE_INTENTS_MAX) {
        return wd_error_set(error, WD_ELIMIT, "intents: %zu given, at most %d", message->n_intents,
            (int)WD_SCENE_INTENTS_MAX);
    }
    for (size_t i = 0; i < message->n_intents; i++) {
        wd_error why = { WD_OK, "" };
        intents[i].node = message->intents[i]->node;
        wd_status status = take_needed(message->intents[i]->text, "text", &intents[i].text, &why);
        status = status == WD_OK ? take_node(intents[i].node, -1, node_count, &why) : status;
        if (status != WD_OK) {
            return wd_error_set(error, status, "intents[%zu].%s", i, why.text);
        }
    }
    return WD_OK;
}

/// The list lives as long as the arena.
static wd_status read_widgets(const Worldd__V1__SemanticScene *message, size_t node_count, codec_arena *arena,
    wd_semantic_init *init, wd_error *error)
{
    if (message->n_widgets > node_count) {
        return wd_error_set(
            error, WD_ELIMIT, "widgets: %zu given, the scene has %zu nodes", message->n_widgets, node_count);
    }
    if (message->n_widgets == 0) {
        return WD_OK;
    }
    wd_widget *widgets = codec_arena_alloc(arena, message->n_widgets * sizeof *widgets);
    if (widgets == NULL) {
        return wd_error_set(error, arena->failure, "widgets: %s", wd_status_text(arena->failure));
    }
    for (size_t i = 0; i < message->n_widgets; i++) {
        const Worldd__V1__Widget *widget = message->widgets[i];
        wd_error why = { WD_OK, "" };
        widgets[i].node = widget->node;
        wd_status status = take_node(widget->node, 0, node_count, &why);
        status =
            status == WD_OK ? take_needed(widget->purpose, "purpose", &widgets[i].purpose, &why) : status;
        status = status == WD_OK ? take_text(widget->label, "label", &widgets[i].label, &why) : status;
        if (status != WD_OK) {
            return wd_error_set(error, status, "widgets[%zu].%s", i, why.text);
        }
    }
    init->widgets = widgets;
    init->widget_count = message->n_widgets;
    return WD_OK;
}

static wd_status read_semantic(const Worldd__V1__SemanticScene *message, const wd_enrich_ground *ground,
    const char *enricher, codec_arena *arena, wd_semantic **ret_semantic, wd_error *error)
{
    wd_scene_intent intents[WD_SCENE_INTENTS_MAX];
    wd_semantic_init init = {
        .page = { .key = ground->page_key },
        .intents = intents,
        .intent_count = message->n_intents,
        .enricher = enricher,
    };
    wd_error why = { WD_OK, "" };
    wd_status status = read_page(message, &init.page, &why);
    status = status == WD_OK ? read_intents(message, ground->node_count, intents, &why) : status;
    status = status == WD_OK ? read_widgets(message, ground->node_count, arena, &init, &why) : status;
    if (status != WD_OK) {
        wd_error_set(error, status, "semantic.%s", why.text);
    } else {
        status = wd_semantic_new(&init, ret_semantic);
        if (status != WD_OK) {
            wd_error_set(error, status, "semantic: %s", wd_status_text(status));
        }
    }
    wd_value_unref(&init.page.params);
    return status;
}

wd_status wd_codec_unpack_enrich_reply(const void *body, size_t length, const wd_enrich_ground *ground,
    const char *enricher, wd_semantic **ret_semantic, wd_error *error)
{
    codec_arena arena;
    codec_arena_init(&arena, WD_CODEC_BUDGET_MAX);
    const void *message = NULL;
    wd_status status =
        wd_codec_unpack(&worldd__v1__enrich_reply__descriptor, body, length, &arena, &message, error);
    if (status == WD_OK) {
        const Worldd__V1__EnrichReply *reply = message;
        status = reply->semantic == NULL
                     ? wd_error_set(error, WD_EINVAL, "semantic: missing")
                     : read_semantic(reply->semantic, ground, enricher, &arena, ret_semantic, error);
    }
    codec_arena_done(&arena);
    return status;
}
