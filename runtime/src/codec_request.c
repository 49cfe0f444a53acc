// Packing a PlanRequest: protobuf-c structs in one arena, all strings lent, one buffer out.
#include "runtime/codec.h"

#include "codec_message.h"
#include "tree/json.h"

#include "proto/worldd.pb-c.h"

#include <string.h>

enum { DIGEST_SIZE = 16, PACK_BUDGET = 1024 * 1024 * 1024 };

/// What one packing works with. `json` is reused for every JSON text.
typedef struct packer {
    codec_arena arena;
    wd_buffer json;
} packer;

static wd_status put_digest(packer *packing, wd_digest digest, ProtobufCBinaryData *ret_data)
{
    uint8_t *bytes = codec_arena_alloc(&packing->arena, DIGEST_SIZE);
    if (bytes == NULL) {
        return packing->arena.failure;
    }
    for (size_t i = 0; i < 8; i++) {  // as the hex text reads: high half first, big endian
        bytes[i] = (uint8_t)(digest.high >> (56 - 8 * i));
        bytes[8 + i] = (uint8_t)(digest.low >> (56 - 8 * i));
    }
    *ret_data = (ProtobufCBinaryData){ DIGEST_SIZE, bytes };
    return WD_OK;
}

/// NULL gives an empty field.
static wd_status put_json(packer *packing, const wd_value *value, ProtobufCBinaryData *ret_data)
{
    if (value == NULL) {
        return WD_OK;
    }
    packing->json.length = 0;
    wd_status status = wd_json_write(value, WD_JSON_COMPACT, &packing->json);
    if (status != WD_OK) {
        return status;
    }
    uint8_t *bytes = codec_arena_alloc(&packing->arena, packing->json.length);
    if (bytes == NULL) {
        return packing->arena.failure;
    }
    memcpy(bytes, packing->json.bytes, packing->json.length);
    *ret_data = (ProtobufCBinaryData){ packing->json.length, bytes };
    return WD_OK;
}

/// `count` structs of `size` bytes and the pointers to them, as protobuf-c wants repeated messages.
static wd_status put_rows(packer *packing, size_t count, size_t size, void *ret_rows, void *ret_pointers)
{
    unsigned char *rows = NULL;
    void **pointers = NULL;
    if (count > 0) {
        rows = codec_arena_alloc(&packing->arena, count * size);
        pointers = codec_arena_alloc(&packing->arena, count * sizeof(void *));
        if (rows == NULL || pointers == NULL) {
            return packing->arena.failure;
        }
    }
    for (size_t i = 0; i < count; i++) {
        pointers[i] = rows + i * size;
    }
    memcpy(ret_rows, &rows, sizeof rows);
    memcpy(ret_pointers, &pointers, sizeof pointers);
    return WD_OK;
}

/// An array of texts.
static wd_status put_texts(packer *packing, const wd_value *array, size_t *ret_count, char ***ret_texts)
{
    size_t count = wd_array_count(array);
    char **texts = NULL;
    if (count > 0) {
        texts = codec_arena_alloc(&packing->arena, count * sizeof *texts);
        if (texts == NULL) {
            return packing->arena.failure;
        }
    }
    wd_iter iter = wd_iter_start(array);
    for (size_t i = 0; wd_iter_next(&iter); i++) {
        texts[i] = wd_lend_text(wd_value_string_or(iter.value, NULL));
    }
    *ret_count = count;
    *ret_texts = texts;
    return WD_OK;
}

static void fill_intent(const wd_scene_intent *intent, Worldd__V1__Intent *row)
{
    worldd__v1__intent__init(row);
    row->text = wd_lend_text(intent->text);
    row->node = intent->node;
}

static void fill_node(const wd_node *node, Worldd__V1__Node *row, Worldd__V1__Rect *rect)
{
    worldd__v1__node__init(row);
    row->id = node->id;
    row->parent = node->parent;
    row->window = node->window;
    row->class_name = wd_lend_text(node->class_name);
    row->package = wd_lend_text(node->package);
    row->resource_id = wd_lend_text(node->resource_id);
    row->text = wd_lend_text(node->text);
    row->desc = wd_lend_text(node->desc);
    row->hint = wd_lend_text(node->hint);
    row->role = wd_lend_text(node->role);
    row->purpose = wd_lend_text(node->purpose);
    row->flags_yes = node->flags_yes;
    row->flags_known = node->flags_known;
    row->system_ui = node->system_ui;
    if (node->rect_state != WD_RECT_UNKNOWN) {
        worldd__v1__rect__init(rect);
        rect->left = node->rect.left;
        rect->top = node->rect.top;
        rect->right = node->rect.right;
        rect->bottom = node->rect.bottom;
        row->rect = rect;
    }
}

static wd_status put_nodes(packer *packing, const wd_scene *scene, Worldd__V1__Scene *message)
{
    size_t count = wd_scene_node_count(scene);
    Worldd__V1__Node *rows = NULL;
    wd_status status = put_rows(packing, count, sizeof *rows, &rows, &message->nodes);
    if (status != WD_OK || count == 0) {
        return status;
    }
    Worldd__V1__Rect *rects = codec_arena_alloc(&packing->arena, count * sizeof *rects);
    if (rects == NULL) {
        return packing->arena.failure;
    }
    for (size_t i = 0; i < count; i++) {
        fill_node(wd_scene_node(scene, i), &rows[i], &rects[i]);
    }
    message->n_nodes = count;
    return WD_OK;
}

static wd_status put_scene_lists(packer *packing, const wd_scene *scene, Worldd__V1__Scene *message)
{
    size_t intent_count = wd_scene_intent_count(scene);
    Worldd__V1__Intent *intents = NULL;
    wd_status status = put_rows(packing, intent_count, sizeof *intents, &intents, &message->intents);
    if (status != WD_OK) {
        return status;
    }
    for (size_t i = 0; i < intent_count; i++) {
        fill_intent(wd_scene_intent_at(scene, i), &intents[i]);
    }
    message->n_intents = intent_count;
    size_t warning_count = wd_scene_warning_count(scene);
    if (warning_count > 0) {
        message->warnings = codec_arena_alloc(&packing->arena, warning_count * sizeof *message->warnings);
        if (message->warnings == NULL) {
            return packing->arena.failure;
        }
    }
    for (size_t i = 0; i < warning_count; i++) {
        message->warnings[i] = wd_lend_text(wd_scene_warning(scene, i));
    }
    message->n_warnings = warning_count;
    return put_nodes(packing, scene, message);
}

static wd_status put_scene(packer *packing, const wd_scene *scene, Worldd__V1__Scene *message)
{
    const wd_scene_info *info = wd_scene_info_of(scene);
    worldd__v1__scene__init(message);
    message->source_format = wd_lend_text(info->source_format);
    message->width = info->width > 0 ? (uint32_t)info->width : 0;
    message->height = info->height > 0 ? (uint32_t)info->height : 0;
    message->app_package = wd_lend_text(info->app_package);
    message->activity = wd_lend_text(info->activity);
    message->route = wd_lend_text(info->route);
    message->page = wd_lend_text(info->page);
    message->page_kind = wd_lend_text(wd_page_kind_name(info->page_kind));
    message->parse_status = wd_lend_text(wd_parse_status_name(info->parse_status));
    wd_status status = put_digest(packing, wd_scene_digest(scene), &message->digest);
    if (status == WD_OK) {
        status = put_json(packing, info->page_params, &message->page_params_json);
    }
    return status == WD_OK ? put_scene_lists(packing, scene, message) : status;
}

static wd_status put_semantic(
    packer *packing, const wd_semantic *semantic, Worldd__V1__SemanticScene *message)
{
    const wd_semantic_init *init = wd_semantic_get(semantic);
    worldd__v1__semantic_scene__init(message);
    message->app = wd_lend_text(init->page.app);
    message->page_id = wd_lend_text(init->page.id);
    message->title = wd_lend_text(init->page.title);
    message->source = wd_lend_text(init->page.source);
    message->confidence = init->page.confidence;
    message->page_kind = wd_lend_text(wd_page_kind_name(init->page.kind));
    message->background_app = wd_lend_text(init->page.background_app);
    message->enricher = wd_lend_text(init->enricher);
    wd_status status = put_json(packing, init->page.params, &message->params_json);
    if (status == WD_OK) {
        status = put_digest(packing, init->page.key, &message->page_key);
    }
    Worldd__V1__Intent *intents = NULL;
    if (status == WD_OK) {
        status = put_rows(packing, init->intent_count, sizeof *intents, &intents, &message->intents);
    }
    Worldd__V1__Widget *widgets = NULL;
    if (status == WD_OK) {
        status = put_rows(packing, init->widget_count, sizeof *widgets, &widgets, &message->widgets);
    }
    if (status != WD_OK) {
        return status;
    }
    for (size_t i = 0; i < init->intent_count; i++) {
        fill_intent(&init->intents[i], &intents[i]);
    }
    message->n_intents = init->intent_count;
    for (size_t i = 0; i < init->widget_count; i++) {
        worldd__v1__widget__init(&widgets[i]);
        widgets[i].node = init->widgets[i].node;
        widgets[i].purpose = wd_lend_text(init->widgets[i].purpose);
        widgets[i].label = wd_lend_text(init->widgets[i].label);
    }
    message->n_widgets = init->widget_count;
    return WD_OK;
}

static wd_status put_event(packer *packing, const wd_world_event *event, Worldd__V1__HistoryEvent *row)
{
    worldd__v1__history_event__init(row);
    row->step_index = event->step_index;
    row->app = wd_lend_text(event->app);
    row->page = wd_lend_text(event->page);
    row->action = wd_lend_text(wd_action_kind_name(event->action.kind));
    row->outcome = wd_lend_text(wd_outcome_name(event->outcome));
    row->code = wd_lend_text(event->code);
    wd_status status = put_json(packing, event->args, &row->args_json);
    if (status == WD_OK && event->scene != NULL) {
        status = put_digest(packing, wd_scene_digest(event->scene), &row->scene_digest);
    }
    return status;
}

static wd_status put_world(packer *packing, const wd_world_state *world, Worldd__V1__WorldState *message)
{
    worldd__v1__world_state__init(message);
    message->current_app = wd_lend_text(world->current_app);
    message->current_app_source = wd_lend_text(world->current_app_source);
    message->current_page = wd_lend_text(world->current_page);
    message->current_page_source = wd_lend_text(world->current_page_source);
    message->stale = world->stale;
    message->step_index = world->step_index;
    message->repeat_count = world->repeat_count;
    message->last_change = wd_lend_text(world->last_change);
    wd_value *signals = NULL;
    wd_status status = wd_signals_to_value(&world->signals, &signals);
    if (status == WD_OK) {
        status = put_json(packing, signals, &message->signals_json);
        wd_value_unref(&signals);
    }
    if (status == WD_OK) {
        status = put_json(packing, world->variables, &message->variables_json);
    }
    size_t count = wd_history_count(world->history);
    Worldd__V1__HistoryEvent *rows = NULL;
    if (status == WD_OK) {
        status = put_rows(packing, count, sizeof *rows, &rows, &message->history);
    }
    for (size_t i = 0; i < count && status == WD_OK; i++) {
        status = put_event(packing, wd_history_at(world->history, i), &rows[i]);
    }
    message->n_history = count;
    return status;
}

static wd_status put_report(
    packer *packing, const wd_observe_report *report, Worldd__V1__ObserveReport *message)
{
    worldd__v1__observe_report__init(message);
    message->step_index = report->step_index;
    message->refused = wd_lend_text(report->refused);
    message->app_changed = report->app_changed;
    message->page_changed = report->page_changed;
    message->last_change = wd_lend_text(report->last_change);
    wd_status status = put_texts(packing, report->remembered, &message->n_remembered, &message->remembered);
    if (status == WD_OK) {
        status = put_texts(packing, report->forgotten, &message->n_forgotten, &message->forgotten);
    }
    return status;
}

static wd_status put_result(packer *packing, const wd_plan_result *result, Worldd__V1__StepResult *row)
{
    worldd__v1__step_result__init(row);
    row->step_index = result->step_index;
    row->action = wd_lend_text(wd_action_kind_name(result->kind));
    row->outcome = wd_lend_text(wd_outcome_name(result->result.outcome));
    row->code = wd_lend_text(result->result.code);
    row->text = wd_lend_text(result->result.text);
    wd_status status = put_json(packing, result->args, &row->args_json);
    if (status != WD_OK || result->report == NULL) {
        return status;
    }
    row->report = codec_arena_alloc(&packing->arena, sizeof *row->report);
    if (row->report == NULL) {
        return packing->arena.failure;
    }
    return put_report(packing, result->report, row->report);
}

static wd_status put_results(
    packer *packing, const wd_plan_request *request, Worldd__V1__PlanRequest *message)
{
    size_t count = request->result_count < WD_PLAN_RESULTS_MAX ? request->result_count : WD_PLAN_RESULTS_MAX;
    const wd_plan_result *newest = request->results + (request->result_count - count);
    Worldd__V1__StepResult *rows = NULL;
    wd_status status = put_rows(packing, count, sizeof *rows, &rows, &message->results);
    for (size_t i = 0; i < count && status == WD_OK; i++) {
        status = put_result(packing, &newest[i], &rows[i]);
    }
    message->n_results = count;
    return status;
}

static wd_status put_task(packer *packing, const wd_plan_request *request, Worldd__V1__Task *message)
{
    worldd__v1__task__init(message);
    message->id = wd_lend_text(request->task_id);
    message->instruction = wd_lend_text(request->instruction);
    wd_status status = put_json(packing, request->params, &message->params_json);
    if (status == WD_OK) {
        status = put_texts(packing, request->apps, &message->n_apps, &message->apps);
    }
    return status;
}

/// The message and the parts of it that there is one of.
typedef struct request_parts {
    Worldd__V1__PlanRequest message;
    Worldd__V1__Task task;
    Worldd__V1__Scene scene;
    Worldd__V1__SemanticScene semantic;
    Worldd__V1__WorldState world;
} request_parts;

static wd_status fill_request(packer *packing, const wd_plan_request *request, request_parts *parts)
{
    Worldd__V1__PlanRequest *message = &parts->message;
    worldd__v1__plan_request__init(message);
    message->run_id = wd_lend_text(request->run_id);
    message->step_index = request->step_index;
    message->steps_left = request->steps_left;
    message->user_reply = wd_lend_text(request->user_reply);
    message->task = &parts->task;
    wd_status status = put_task(packing, request, &parts->task);
    if (status == WD_OK && request->scene != NULL) {
        message->scene = &parts->scene;
        status = put_scene(packing, request->scene, &parts->scene);
    }
    if (status == WD_OK && request->semantic != NULL) {
        message->semantic = &parts->semantic;
        status = put_semantic(packing, request->semantic, &parts->semantic);
    }
    if (status == WD_OK && request->world != NULL) {
        message->world = &parts->world;
        status = put_world(packing, request->world, &parts->world);
    }
    return status == WD_OK ? put_results(packing, request, message) : status;
}

wd_status wd_codec_pack_plan_request(const wd_plan_request *request, uint8_t **ret_body, size_t *ret_length)
{
    wd_assert(request != NULL);
    wd_assert(request->result_count == 0 || request->results != NULL);

    packer packing;  // not cleared: the arena is large
    packing.json = (wd_buffer){ 0 };
    codec_arena_init(&packing.arena, PACK_BUDGET);
    request_parts parts;
    wd_status status = fill_request(&packing, request, &parts);
    if (status == WD_OK) {
        status = wd_codec_pack(&parts.message.base, ret_body, ret_length);
    }
    wd_buffer_done(&packing.json);
    codec_arena_done(&packing.arena);
    return status;
}
